//! What Scala extraction is held to: the whole set of definitions and calls, and the rows named beside them.

use crate::facts::testing::check_facts;
use crate::facts::walker::{ExtractLimits, extract};
use crate::lang::Lang;
use crate::lang::common::with_stack;

#[test]
fn declarations_and_what_they_hold() {
    check_facts(
        "scala",
        r#"
package a.b
package c
import x.y.Z
//         ^ import x.y|Z|Z
import x.y.{A, B => C, _}
//          ^ import x.y|A|A
//             ^ import x.y|B|C
//                     ^ import x.y||
abstract class Foo[T <: Bar](val a: Int, b: String) extends Base[T](a, b) with IFace {
//             ^ def class Foo
//                          ^ def constructor Foo.Foo
//                               ^ def field Foo.a
//                                                          ^ call super.Base
//                                                          ^ extends Foo Base
//                                                                             ^ implements Foo IFace
  def this(x: Int) = this(x, "y")
//    ^ def constructor Foo.Foo
  val p: Int = start()
//    ^ def field Foo.p
//             ^ call start
  lazy val q = new Qux(1)
//         ^ def field Foo.q
//                 ^ instantiate Qux
  override protected def run(xs: String*)(f: Int => Unit): Result[T] = make(b)
//                       ^ def method Foo.run
//                                                                     ^ call make
  def len = p
//    ^ def method Foo.len
}
object Foo {
//     ^ def class Foo
  def apply(x: Int): Foo[Int] = new Foo(x)
//    ^ def method Foo.apply
//                                  ^ instantiate Foo
  implicit class Rich(val s: String) extends AnyVal { def shout: String = s.loud }
//               ^ def class Foo.Rich
//                   ^ def constructor Foo.Rich.Rich
//                        ^ def field Foo.Rich.s
//                                           ^ extends Foo.Rich AnyVal
//                                                        ^ def method Foo.Rich.shout
}
case class D(x: Int, y: Other)
//         ^ def class D
//          ^ def constructor D.D
//           ^ def field D.x
//                   ^ def field D.y
sealed trait T1 extends T2 { self: Foo =>
//           ^ def trait T1
//                      ^ extends T1 T2
  type X = Int
//     ^ def type_alias T1.X
  def abs: Int
//    ^ def method T1.abs
}
enum Color(val r: Int):
//   ^ def enum Color
//        ^ def constructor Color.Color
//             ^ def field Color.r
  case Red extends Color(1)
//     ^ def enum_member Color.Red
  case Green, Blue
//     ^ def enum_member Color.Green
//            ^ def enum_member Color.Blue
object X:
//     ^ def class X
  given ord: Ord[Int] with
//      ^ def class X.ord
//           ^ implements X.ord Ord
    def compare(a: Int) = cmp(a)
//      ^ def method X.ord.compare
//                        ^ call cmp
  extension (s: String)
    def two(n: Int) = n
//      ^ def method X.two
class T { @Test def adds(): Unit = check(1) }
//    ^ def class T
//         ^ attribute Test
//                  ^ def method T.adds
//                                 ^ call check
"#,
    );
}

#[test]
fn expressions_and_what_stands_before_names() {
    check_facts(
        "scala",
        r#"
object O {
//     ^ def class O
  def f(xs: List[Item], foo: Foo, call: () => Unit) = {
//    ^ def method O.f
//          ^ parameter_type List
//                           ^ parameter_type Foo
//                                            ^ parameter_type Unit
    xs.map(_.go()).filter { a => a.ok() }
//     ^ call %xs.map
//           ^ call %xs*.go
//                 ^ call %xs.map().filter
//                                 ^ call %a.ok
    for (i <- xs; j = i.next()) j.use()
//                      ^ call %i.next
//                                ^ call %j.use
    foo match {
      case Bar(a, b) => a.z()
//                        ^ call %a.z
      case s: Sub if s.ok() => s.run()
//                     ^ call %s.ok
//                               ^ call %s.run
      case other => other.bar()
//                        ^ call %other.bar
    }
    val (m, n) = pair()
//               ^ call pair
    m.go(1)(2)
//    ^ call %m.go
    val an = new Run with Other { def run() = tick() }
//           ^ def class O.f.$1
//               ^ extends O.f.$1 Run
//               ^ instantiate Run
//                        ^ implements O.f.$1 Other
//                                    ^ def method O.f.$1.run
//                                            ^ call tick
    foo.asInstanceOf[Sub].run()
//                        ^ call Sub:.run
    Foo.make(2).chain().end
//      ^ call Foo.make
//              ^ call Foo.make().chain
    foo joins n
//      ^ call %foo.joins
    1 + 2
    def local(u: Int): Int = u
//      ^ def function O.f.local
//               ^ parameter_type Int
    local(3); call()
//  ^ call local
//            ^ call call
    this.x = super.y()
//       ^ write self.x
//                 ^ call super.y
    try { risky() } catch { case e: Oops => e.log() }
//        ^ call risky
//                                            ^ call %e.log
    s"a $n ${top(n)}"
//           ^ call top
  }
}
"#,
    );
}

#[test]
fn deep_nesting_and_broken_source_are_survived() {
    with_stack(|| {
        let lang = Lang::named("scala").expect("a language of the table").compiled();
        let deep = format!("object O {{ def f = {}1{}", "g(".repeat(4_000), ")".repeat(4_000));
        for text in [deep.as_str(), "class A { def f( = { val x = \n}} object B { def g = h() }\n", "", "\u{feff}", "\"größe"] {
            let _ = extract(lang, text.as_bytes(), ExtractLimits::default()).view();
        }
        let _ = extract(lang, b"\xff\xfe class", ExtractLimits::default()).view();
    });
}
