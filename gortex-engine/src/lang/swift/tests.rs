//! What Swift files say by themselves.

use crate::facts::testing::check_facts;
use crate::facts::walker::ExtractLimits;

fn check(source: &str) {
    check_facts("swift", source);
}

#[test]
fn types_members_and_extensions() {
    check(
        r#"import Foundation
//     ^ import Foundation||Foundation
public final class A<T: Codable>: Base, Proto {
//                 ^ def class A
//                      ^ type Codable
//                                ^ extends A Base
//                                      ^ implements A Proto
    static let shared = A()
//             ^ def constant A.shared
//                      ^ call A
    private var name: Text = "x", other: Foo?
//              ^ def field A.name
//                    ^ field Text
//                                ^ def field A.other
//                                       ^ field Foo
    var comp: Int { return self.name.count }
//      ^ def field A.comp
//                              ^ value self.name
    enum Kind: String { case a, b; case c(Foo, name: T) }
//       ^ def enum A.Kind
//             ^ implements A.Kind String
//                           ^ def enum_member A.Kind.a
//                              ^ def enum_member A.Kind.b
//                                      ^ def enum_member A.Kind.c
//                                        ^ field Foo
    init(_ x: Int, with y: Foo) { super.init(x) }
//  ^ def constructor A.init
//                         ^ parameter_type Foo
//                                      ^ call super.init
    override func make() async -> Foo { go() }
//                ^ def method A.make
//                                ^ return_type Foo
//                                      ^ call go
}
extension A: Extra { func more() { make() } }
//        ^ type A
//           ^ implements A Extra
//                        ^ def method A.more
//                                 ^ call make
protocol P: Q { associatedtype Item; var v: Int { get }; func m(_ x: Int) }
//       ^ def interface P
//          ^ extends P Q
//                             ^ def type_alias P.Item
//                                       ^ def field P.v
//                                                            ^ def method P.m
typealias H = Foo
//        ^ def type_alias H
func top(_ a: Int) -> Foo { top(a) }
//   ^ def function top
//                          ^ call top
let g = top(1)
//  ^ def constant g
//      ^ call top
"#,
    );
}

#[test]
fn calls_closures_and_patterns() {
    check(
        r"func f(_ d: Store, k: Kind, items: [Foo]) {
//   ^ def function f
    d.open(1).close { inner() }
//    ^ call %d.open
//            ^ call %d.open().close
//                    ^ call inner
    guard let x = d.find(), case .c(let n) = k else { return }
//                  ^ call %d.find
//                                ^ value %k.c
    x.run(); n.run()
//    ^ call %x.run
//             ^ call %n.run
    for item in items where item.ok { item.go() }
//                               ^ value %item.ok
//                                         ^ call %item.go
    switch k { case .a: break; case let .c(i): use(i); default: break }
//                   ^ value %k.a
//                                       ^ value %k.c
//                                             ^ call use
    items.map { (b: Bar) in b.ok() }
//        ^ call %items.map
//                            ^ call %b.ok
    let y: Kind = .b
//                 ^ value Kind:.b
    y.z = Foo.make()
//    ^ write %y.z
//            ^ call Foo.make
    do { try t() } catch let e as MyErr { e.log() }
//           ^ call t
//                                          ^ call %e.log
    d.list[0].go(); #expect(g() == 1)
//            ^ call %d.list[].go
//                          ^ call g
    self.act = #selector(A.tap(_:)); later(\Foo.bar)
//                         ^ value A.tap
//                                   ^ call later
//                                              ^ value Foo:.bar
    foo(.d)
//  ^ call foo
//       ^ value ?.d
}
",
    );
}

#[test]
fn tests_of_both_runners() {
    let flags = |source: &str, name: &str| {
        let lang = crate::lang::Lang::named("swift").expect("swift");
        let facts = crate::facts::walker::extract(lang.compiled(), source.as_bytes(), ExtractLimits::default());
        let view = facts.view();
        let def = view.defs.iter().find(|def| view.str(def.name) == name).copied().expect("the definition");
        def.has(crate::facts::model::flag::TEST)
    };
    assert!(flags("class A: XCTestCase { func testX() {} }", "testX"));
    assert!(!flags("class A: Base { func testX() {} }", "testX"));
    assert!(!flags("class A: XCTestCase { func testX(_ a: Int) {} }", "testX"));
    assert!(flags("struct A { @Test(\"adds\") func adds() {} }", "adds"));
    assert!(!flags("struct A { @Testing func adds() {} }", "adds"));
}

#[test]
fn broken_and_deep_sources_do_not_panic() {
    let lang = crate::lang::Lang::named("swift").expect("swift");
    crate::lang::common::with_stack(move || {
        let deep = format!("let a = {}1{}", "f(".repeat(3_000), ")".repeat(3_000));
        let nested = "class X { func f() { if let a = b { ".repeat(400);
        for source in
            [deep.as_str(), nested.as_str(), "class { func ( let case . = ", "extension { var x: { get", "guard case .a("]
        {
            crate::facts::walker::extract(lang.compiled(), source.as_bytes(), ExtractLimits::default());
        }
    });
}
