//! What Dart files say by themselves.

use crate::facts::testing::check_facts;
use crate::facts::walker::ExtractLimits;

fn check(source: &str) {
    check_facts("dart", source);
}

#[test]
fn imports_types_and_members() {
    check(
        r"import 'package:http/http.dart' as http;
//     ^ import package:http/http.dart||http
import 'a.dart' show X;
//                   ^ import a.dart|X|X
export 'b.dart';
//     ^ import b.dart||
part 'c.dart';
//   ^ import c.dart||
abstract class A<T extends Foo> extends Base<T> with M1 implements I {
//             ^ def class A
//                         ^ type Foo
//                                      ^ extends A Base
//                                                   ^ extends A M1
//                                                                 ^ implements A I
  static const max = 3;
//             ^ def constant A.max
  final Text name, _other;
//           ^ def field A.name
//                 ^ def field A._other
//      ^ field Text
  A(this.name, {required Foo x}) : _other = Foo.named(x), super(name);
//^ def constructor A.new
//       ^ write self.name
//                       ^ parameter_type Foo
//                                 ^ write self._other
//                                              ^ call Foo.named
//                                                        ^ call super.new
  factory A.of(x) => A.named(x);
//          ^ def constructor A.of
//                     ^ call A.named
  int get count => name.length;
//        ^ def method A.count
//                      ^ value name.length
  Future<Foo> run(http.Bar b) async => await b.go();
//            ^ def method A.run
//       ^ generic_arg Foo
//                     ^ parameter_type http.Bar
//                                             ^ call %b.go
}
mixin M1 on Base { void m() {} }
//    ^ def trait M1
//                      ^ def method M1.m
extension Ext on Text { Text up() => this; }
//        ^ def class Ext
//               ^ type Text
//                           ^ def method Ext.up
enum E { a, b(1); void f() {} }
//   ^ def enum E
//       ^ def enum_member E.a
//          ^ def enum_member E.b
//          ^ instantiate E
//                     ^ def method E.f
typedef H = void Function(Foo);
//      ^ def type_alias H
final g = top('a');
//    ^ def variable g
//        ^ call top
int top(Text a) => a.length;
//  ^ def function top
",
    );
}

#[test]
fn calls_cascades_and_bindings() {
    check(
        r"void f(Store d, items) {
//   ^ def function f
  final x = d.open(1)..a()..b = 2;
//            ^ call %d.open
//                     ^ call %d.open().a
//                          ^ write %d.open().b
  x?.run(); d!.list[0].go();
//   ^ call %x.run
//                     ^ call %d.list[].go
  for (final i in items) { i.go(); }
//                           ^ call %i.go
  try { t(); } on MyErr catch (e) { e.log(); }
//      ^ call t
//                ^ type MyErr
//                                    ^ call %e.log
  var y = new Foo(), z = const Bar.named();
//            ^ instantiate Foo
//                                 ^ call Bar:.named
  y.m(name: g<Foo>(1));
//  ^ call %y.m
//          ^ call g
  final h = (Foo q) => q.go();
//                       ^ call %q.go
  (d as Baz).pick();
//           ^ call Baz:.pick
}
void main() { test('adds', () { expect(1, 1); }); }
//   ^ def function main
//                 ^ def function main.adds
//            ^ call test
//                              ^ call expect
",
    );
}

#[test]
fn broken_and_deep_sources_do_not_panic() {
    let lang = crate::lang::Lang::named("dart").expect("dart");
    crate::lang::common::with_stack(move || {
        let deep = format!("final a = {}1{};", "f(".repeat(3_000), ")".repeat(3_000));
        let nested = "class X { f() { if (a) { g(() { ".repeat(400);
        for source in [deep.as_str(), nested.as_str(), "class { X( : super(", "extension on { get", "import 'a' show ; part of"] {
            crate::facts::walker::extract(lang.compiled(), source.as_bytes(), ExtractLimits::default());
        }
    });
}
