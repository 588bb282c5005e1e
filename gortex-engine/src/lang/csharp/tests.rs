//! What C# extraction is held to: the whole set of definitions and calls, and the rows named beside them.

use crate::facts::testing::check_facts;
use crate::facts::walker::{ExtractLimits, extract};
use crate::lang::Lang;
use crate::lang::common::with_stack;

#[test]
fn declarations_and_what_they_hold() {
    check_facts(
        "csharp",
        r#"
using System.Text;
//    ^ import System.Text||
using static A.Util;
//           ^ import A.Util||
using Alias = A.B.C;
//            ^ import A.B|C|Alias
namespace A.B {
  [Serializable]
// ^ attribute Serializable
  public partial class Foo<T> : Base<T>, IFoo where T : IBar {
//                     ^ def class Foo
//                              ^ extends Foo Base
//                                       ^ implements Foo IFoo
    private readonly int _a = Start(), _b;
//                       ^ def field Foo._a
//                            ^ call Start
//                                     ^ def field Foo._b
    public const string K = "k";
//                      ^ def constant Foo.K
    public event Handler Changed;
//                       ^ def field Foo.Changed
    public string Name { get; set; } = Default();
//                ^ def property Foo.Name
//                                     ^ call Default
    public int Len => _a;
//             ^ def property Foo.Len
    public T this[int i] { get => At(i); }
//           ^ def property Foo.this
//                                ^ call At
    public Foo(int a, string b = "x") : base(a) { _a = a; }
//         ^ def constructor Foo.Foo
//                                          ^ call super.Base
//                                                ^ write _a
    public Foo() : this(1, "y") { }
//         ^ def constructor Foo.Foo
//                     ^ call self.Foo
    public async Task<int> Run(ref int a, params string[] xs) { Helper(); return 1; }
//                         ^ def method Foo.Run
//                                                              ^ call Helper
    void IFoo.Explicit() { }
//            ^ def method Foo.Explicit
    public static Foo operator +(Foo a, Foo b) => a;
//                             ^ def method Foo.operator +
    protected override int Over(int? a) => base.Over(a);
//                         ^ def method Foo.Over
//                                              ^ call super.Over
    enum Color { Red = 1, Green }
//       ^ def enum Foo.Color
//               ^ def enum_member Foo.Color.Red
//                        ^ def enum_member Foo.Color.Green
  }
  public record Rec(int X, Other Y) : BaseRec(X);
//              ^ def record Rec
//                 ^ def constructor Rec.Rec
//                      ^ def property Rec.X
//                               ^ def property Rec.Y
//                                    ^ extends Rec BaseRec
//                                           ^ call super.BaseRec
  public delegate int Del(Arg a);
//                    ^ def type_alias Del
  static class Ext { public static int Count(this Foo foo, int b) => 1; }
//             ^ def class Ext
//                                     ^ def method Ext.Count
  class Tests { [Fact] public void Adds() { Check(); } }
//      ^ def class Tests
//               ^ attribute Fact
//                                 ^ def method Tests.Adds
//                                          ^ call Check
}
namespace A.C { interface IThing { int P { get; } void Do(); } }
//        ^ def module A.C
//                        ^ def interface A.C.IThing
//                                     ^ def property A.C.IThing.P
//                                                     ^ def method A.C.IThing.Do
"#,
    );
}

#[test]
fn expressions_and_what_stands_before_names() {
    check_facts(
        "csharp",
        r#"
class C {
//    ^ def class C
  void M(Foo foo, IList<Item> xs, Action act) {
//     ^ def method C.M
//       ^ parameter_type Foo
//                ^ parameter_type IList
//                                ^ parameter_type Action
    var x = new Foo(1) { Name = "q" };
//              ^ instantiate Foo
//                       ^ write new Foo.Name
    Foo y = new();
//          ^ instantiate Foo
    foreach (var z in xs) { z.Go(); }
//                            ^ call %z.Go
    xs.Where(i => i.Ok()).First().Go();
//     ^ call %xs.Where
//                  ^ call %i.Ok
//                        ^ call %xs.Where().First
//                                ^ call %xs.Where().First().Go
    x?.Bar()?.Baz();
//     ^ call %x.Bar
//            ^ call %x.Bar().Baz
    this.Call<int>(2).Next();
//       ^ call self.Call
//                    ^ call self.Call().Next
    if (foo is Other o && o.Test()) { }
//                          ^ call %o.Test
    switch (foo) { case Sub s: s.Run(); break; }
//                               ^ call %s.Run
    var r = foo switch { Sub h => h.Run(), _ => nameof(foo) };
//                                  ^ call %h.Run
    int Local(int n) => n;
//      ^ def function C.M.Local
    Local(1); act();
//  ^ call Local
//            ^ call act
    using (var s = Open()) { s.Read(); }
//                 ^ call Open
//                             ^ call %s.Read
    ((Foo)y).Bar(); (y as Other).Test();
//           ^ call Foo:.Bar
//                               ^ call Other:.Test
    x.Name = "y";
//    ^ write %x.Name
    Changed += OnChanged;
//  ^ write Changed
    await Fetch();
//        ^ call Fetch
    M2(out Foo made); made.Bar();
//  ^ call M2
//                         ^ call %made.Bar
    a.b.Static.Do();
//             ^ call a.b.Static.Do
  }
}
"#,
    );
}

#[test]
fn deep_nesting_and_broken_source_are_survived() {
    with_stack(|| {
        let lang = Lang::named("csharp").expect("a language of the table").compiled();
        let deep = format!("class C {{ int F() {{ return {}1{}", "G(".repeat(4_000), ")".repeat(4_000));
        for text in [deep.as_str(), "class A { void F( { var x = ; }} class B { void G() { H(); } }\n", "", "\u{feff}", "\"größe"]
        {
            let _ = extract(lang, text.as_bytes(), ExtractLimits::default()).view();
        }
        let _ = extract(lang, b"\xff\xfe class", ExtractLimits::default()).view();
    });
}
