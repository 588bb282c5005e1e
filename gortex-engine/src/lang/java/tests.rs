//! What Java extraction is held to.

use crate::facts::model::{DefRow, NONE, Usage, Visibility, flag};
use crate::facts::testing::{check_facts, qualified, show_expr, shown};
use crate::facts::walker::{ExtractLimits, extract};
use crate::facts::{Facts, FactsView};
use crate::lang::Lang;

#[track_caller]
fn check(source: &str) {
    check_facts("java", source);
}

fn facts(source: &str) -> Facts {
    extract(Lang::named("java").expect("java").compiled(), source.as_bytes(), ExtractLimits::default())
}

fn def(view: &FactsView<'_>, name: &str) -> DefRow {
    let found = view.defs.iter().position(|row| view.str(row.name) == name);
    view.defs[found.unwrap_or_else(|| panic!("no {name} in {:#?}", shown(view)))]
}

#[test]
fn case_24_members_of_an_anonymous_class_belong_to_it() {
    let source = "
interface Hook {
//        ^ def interface Hook
    void fire();
//       ^ def method Hook.fire
}
class Jobs {
//    ^ def class Jobs
    Hook make() {
//       ^ def method Jobs.make
        return new Hook() {
//             ^ def class Jobs.make.$1
//                 ^ instantiate Hook
//                 ^ extends Jobs.make.$1 Hook
            public void fire() {
//                      ^ def method Jobs.make.$1.fire
                tick();
//              ^ call tick
            }
        };
    }
    Hook other = new Hook() { public void fire() { new Hook() { }; new Hook() { }; } };
//       ^ def field Jobs.other
//               ^ def class Jobs.other.$1
//                   ^ instantiate Hook
//                                        ^ def method Jobs.other.$1.fire
//                                                 ^ def class Jobs.other.$1.fire.$1
//                                                     ^ instantiate Hook
//                                                                 ^ def class Jobs.other.$1.fire.$2
//                                                                     ^ instantiate Hook
    void fire() { }
//       ^ def method Jobs.fire
}
";
    check(source);
    let facts = facts(source);
    let view = facts.view();
    let tick = view.refs.iter().find(|row| view.str(row.name) == "tick").expect("tick");
    assert_eq!(qualified(&view, tick.owner), "Jobs.make.$1.fire");
    assert!(def(&view, "$1").has(flag::ANONYMOUS));
    assert_eq!(view.str(def(&view, "$1").signature), "new Hook()");
}

#[test]
fn types_of_every_kind_and_their_headers() {
    check(
        r#"
abstract class Box<T extends Part> extends base.Holder<T> implements Comparable<Box<T>>, Sized {
//             ^ def class Box
//                           ^ type Part
//                                              ^ extends Box base.Holder
//                                                                   ^ implements Box Comparable
//                                                                              ^ generic_arg Box
//                                                                                       ^ implements Box Sized
    Box(T part) { this(part, 1); }
//  ^ def constructor Box.Box
//                ^ call self.Box
    Box(T part, int n) { super(part); }
//  ^ def constructor Box.Box
//                       ^ call super.Holder
    static class Inner { }
//               ^ def class Box.Inner
}
sealed interface Shape extends Sized permits Circle { default int area() { return side(); } }
//               ^ def interface Shape
//                             ^ extends Shape Sized
//                                           ^ type Circle
//                                                                ^ def method Shape.area
//                                                                                ^ call side
record Point(int x, Axis... rest) implements Shape { Point { check(x); } }
//     ^ def record Point
//               ^ def field Point.x
//                  ^ field Axis
//                          ^ def field Point.rest
//                                                   ^ def constructor Point.Point
//                                                           ^ call check
enum Color { RED, GREEN("g") { int code() { return 2; } }; int code() { return 1; } }
//   ^ def enum Color
//           ^ def enum_member Color.RED
//                ^ def enum_member Color.GREEN
//                           ^ def class Color.GREEN.$1
//                                 ^ def method Color.GREEN.$1.code
//                                                             ^ def method Color.code
@interface Marked { String value() default "x"; }
//         ^ def annotation Marked
//                         ^ def method Marked.value
"#,
    );
    let facts = facts("class Box<T> { T get(T x) { return x; } }");
    assert!(!shown(&facts.view()).iter().any(|row| row.ends_with(" T")), "a type parameter is no type");
}

#[test]
fn fields_with_several_names_and_their_values() {
    let facts = facts(
        "class A { private static final Map<K, V> CACHE = new Map<>(), OTHER[] = null; int n; Runnable r = () -> go(); }\ninterface I { int MAX = 3; }",
    );
    let view = facts.view();
    let cache = def(&view, "CACHE");
    assert_eq!((cache.kind().as_str(), view.str(cache.ty)), ("constant", "Map<K, V>"));
    assert_eq!(show_expr(&view, cache.init), "new Map<>");
    assert_eq!(view.str(def(&view, "OTHER").ty), "Map<K, V>[]");
    assert_eq!(cache.visibility(), Visibility::Private);
    assert_eq!(def(&view, "n").visibility(), Visibility::Internal);
    let max = def(&view, "MAX");
    assert!(max.has(flag::EXPORTED | flag::STATIC) && max.kind().as_str() == "constant");
    let go = view.refs.iter().find(|row| view.str(row.name) == "go").expect("go");
    assert_eq!(qualified(&view, go.owner), "A.r");
}

#[test]
fn annotations_belong_to_the_definition_and_not_to_its_signature() {
    let facts = facts(
        "class A {\n  /** Adds up. */\n  @Cached(key = Keys.TOTAL)\n  // keeps it\n  @Override\n  public int total(List<Item> items, int... more) throws Bad {\n    return 1;\n  }\n  @Deprecated void old() {}\n}",
    );
    let view = facts.view();
    let total = def(&view, "total");
    assert_eq!((total.start_line, total.end_line, total.name_line), (3, 8, 6));
    assert_eq!(view.str(total.signature), "public int total(List<Item> items, int... more) throws Bad");
    assert_eq!((view.str(total.doc), view.str(total.ty), total.params), ("Adds up.", "int", 2));
    assert!(total.has(flag::OVERRIDE | flag::DECORATED | flag::VARIADIC | flag::EXPORTED));
    assert!(!def(&view, "old").has(flag::DECORATED) && !def(&view, "old").has(flag::EXPORTED));
    let rows = shown(&view).join("\n");
    for row in ["3:3 attribute Cached", "3:21 value Keys.TOTAL", "3:16 type Keys", "6:24 generic_arg Item", "6:57 type Bad"] {
        assert!(rows.contains(row), "{row} in {rows}");
    }
    assert!(!rows.contains("value key"), "{rows}");
}

#[test]
fn receivers_of_calls() {
    check(
        r#"
class A extends Base {
//    ^ def class A
    Store store;
//        ^ def field A.store
    void run(Client client) {
//       ^ def method A.run
        this.store.drop(1);
//                 ^ call self.store.drop
        store.open().close();
//            ^ call store.open
//                   ^ call store.open().close
        super.run(client);
//            ^ call super.run
        Outer.super.run();
//                  ^ call Outer:.run
        Outer.this.store.drop();
//                       ^ call Outer:.store.drop
        new Thing(2).go();
//          ^ instantiate Thing
//                   ^ call new Thing.go
        ((Disk) x).wipe();
//                 ^ call Disk:.wipe
        arr[0].spin();
//             ^ call arr[].spin
        java.util.List.of(1);
//                ^ type java.util.List
//                     ^ call java.util.List.of
        List.<Item>of();
//      ^ type List
//            ^ generic_arg Item
//                 ^ call List.of
        "x".length();
//          ^ call <String>.length
        outer.new Nested();
//                ^ instantiate outer.Nested
        int[] grid = new int[size()];
//                           ^ call size
    }
}
"#,
    );
}

// A call of a method that has a local variable's name was taken for a call of the variable.
#[test]
fn a_called_name_is_never_a_local_variable() {
    let facts = facts("class A { void f() { String name = name(); name(); name().trim(); use(name); } }");
    let view = facts.view();
    let calls: Vec<_> = view.refs.iter().filter(|row| view.str(row.name) == "name").collect();
    assert_eq!(calls.len(), 3, "{:#?}", shown(&view));
    assert!(calls.iter().all(|row| row.recv == NONE));
    assert!(shown(&view).iter().any(|row| row.ends_with("call name().trim")));
}

#[test]
fn a_package_is_never_hidden_by_a_local_variable() {
    check(
        "class A { void f(int a) { a.b.Qual q = null; } }
//    ^ def class A
//             ^ def method A.f
//                            ^ type a.b.Qual
",
    );
}

#[test]
fn method_references_and_lambdas() {
    check(
        r"
class A {
//    ^ def class A
    void f(Bus bus) {
//       ^ def method A.f
        each(Foo::bar);
//      ^ call each
//           ^ type Foo
//                ^ value Foo.bar
        each(this::own, bus.line::go);
//      ^ call each
//                 ^ value self.own
//                                ^ value %bus.line.go
        each(Foo::new, int[]::new);
//      ^ call each
//           ^ instantiate Foo
        bus.on((Event e) -> e.ack(), x -> { x.go(); }, (a, b) -> a.plus(b));
//          ^ call %bus.on
//              ^ parameter_type Event
//                            ^ call %e.ack
//                                            ^ call %x.go
//                                                                 ^ call %a.plus
    }
}
",
    );
}

#[test]
fn what_locals_are_bound_to() {
    let source = "class A { void f(Map<K, V[]> m) throws E {\n var a = open(); a.p1();\n for (var x : a.rows()) { x.p2(); }\n for (Row r : rows) { r.p3(); }\n try (Conn c = pool.get(); var d = mk()) { c.p4(); d.p5(); } catch (IoErr | Bad e) { e.p6(); }\n if (!(o instanceof Disk k)) return; k.p7();\n switch (o) { case Foo w when w.ok() -> w.p8(); case Pt(int q, Ax y) -> y.p9(); default -> {} }\n Row s[] = {}; s[0].p10(); m.p11();\n} }";
    let facts = facts(source);
    let view = facts.view();
    assert_eq!(view.header.parse_errors, 0);
    let bind = |call: &str| {
        let row = view.refs.iter().find(|row| view.str(row.name) == call).expect("call");
        let mut expr = view.expr(row.recv).expect("receiver");
        while expr.kind() == crate::facts::ExprKind::Index {
            expr = view.expr(expr.base).expect("base");
        }
        assert_eq!(expr.kind().as_str(), "local_bind", "{call}");
        let bind = view.binds[expr.base as usize];
        (view.str(bind.ty).to_owned(), show_expr(&view, bind.init))
    };
    let expected = [
        ("p1", "", "open()"),
        ("p2", "", "%a.rows()*"),
        ("p3", "Row", "rows*"),
        ("p4", "Conn", "pool.get()"),
        ("p5", "", "mk()"),
        ("p6", "IoErr", "?"),
        ("p7", "Disk", "?"),
        ("p8", "Foo", "?"),
        ("p9", "Ax", "?"),
        ("p10", "Row[]", "?"),
        ("p11", "Map<K, V[]>", "?"),
    ];
    for (call, ty, init) in expected {
        assert_eq!(bind(call), (ty.to_owned(), init.to_owned()), "{call}");
    }
}

#[test]
fn a_case_label_is_a_member_of_the_subject() {
    check(
        r"
class A {
//    ^ def class A
    static final int MAX = 1;
//                   ^ def constant A.MAX
    int f(Kind kind, int n) {
//      ^ def method A.f
        switch (this.kind) { case RED: go(); break; case Kind.BLUE: }
//                                ^ value self.kind.RED
//                                     ^ call go
//                                                            ^ value Kind.BLUE
        return switch (n) { case MAX -> 1; default -> 2; };
//                               ^ value MAX
    }
}
",
    );
}

#[test]
fn imports() {
    check(
        r"package a.b;
import a.b.C;
//         ^ import a.b|C|C
import static a.b.C.run;
//                  ^ import a.b.C|run|run
import a.c.*;
//     ^ import a.c||
import static org.junit.Assert.*;
//            ^ import org.junit.Assert||
",
    );
    let facts = facts("// Licence.\npackage a . b ;\n");
    assert_eq!(facts.view().str(facts.view().header.package), "a . b");
}

#[test]
fn writes_are_told_from_reads() {
    check(
        r"
class A {
//    ^ def class A
    int count;
//      ^ def field A.count
    A(int count) { this.count = count; total += this.count; other.n++; next = 1; }
//  ^ def constructor A.A
//                      ^ write self.count
//                                     ^ write total
//                                                   ^ value self.count
//                                                                ^ write other.n
//                                                                     ^ write next
}
",
    );
}

#[test]
fn tests_are_told_by_annotation_or_suite() {
    let source = "class T { @Test void a() {} @ParameterizedTest @ValueSource(ints = 1) public void b(int x) {} @BeforeEach void setUp() {} void helper() {} @Nested class N { @RepeatedTest(3) void c() {} } }\nclass J extends TestCase { public void testD() {} public void dataE() {} void testF() {} }\n@Test class G { public void g() {} @DataProvider public Object[] rows() { return null; } void h() {} }\nclass P { public void testI() {} }";
    let facts = facts(source);
    let view = facts.view();
    let named = |mask: u16| {
        let found = view.defs.iter().filter(|row| row.has(mask) && row.kind().is_callable());
        found.map(|row| view.str(row.name)).collect::<Vec<_>>()
    };
    assert_eq!(named(flag::TEST), ["a", "b", "c", "testD", "g"]);
    let in_test = named(flag::IN_TEST);
    assert!(in_test.contains(&"helper") && in_test.contains(&"setUp") && !in_test.contains(&"testI"), "{in_test:?}");
}

#[test]
fn what_becomes_of_results() {
    let facts = facts(
        "class A { int f = a0(); int f() { a1(); int x = a2(); x = a3(); if (!a4()) {} use(a5()); while ((a6())) {} return (int) a7(); } }",
    );
    let view = facts.view();
    let usage = |name: &str| view.refs.iter().find(|row| view.str(row.name) == name).expect("call").usage();
    let expected = [
        ("a0", Usage::Assigned),
        ("a1", Usage::Discarded),
        ("a2", Usage::Assigned),
        ("a3", Usage::Assigned),
        ("a4", Usage::Condition),
        ("a5", Usage::Argument),
        ("a6", Usage::Condition),
        ("a7", Usage::Returned),
    ];
    for (name, wanted) in expected {
        assert_eq!(usage(name), wanted, "{name}");
    }
}

#[test]
fn a_call_in_a_string_or_comment_is_no_call() {
    check("class A { String s = \"go()\"; /* go() */ }\n//    ^ def class A\n//               ^ def field A.s\n");
}

#[test]
fn local_classes_are_nested_definitions() {
    check(
        r"
class A {
//    ^ def class A
    void f() {
//       ^ def method A.f
        record Pair(int left) { }
//             ^ def record A.f.Pair
//                      ^ def field A.f.Pair.left
        outer: for (;;) { break outer; }
        new Pair(1).left();
//          ^ instantiate Pair
//                  ^ call new Pair.left
    }
}
",
    );
}

#[test]
fn ordinary_odd_inputs() {
    check("");
    let crlf = "class Größe {\r\n//    ^ def class Größe\r\n    void überall() { größer(); }\r\n";
    check(&format!("{crlf}//       ^ def method Größe.überall\r\n//                    ^ call größer\r\n}}"));
    let facts = facts("class A { void before() { a(); } void broken() { int = ; ) } void after() { b(); } }");
    let view = facts.view();
    assert!(view.header.parse_errors > 0);
    let rows = shown(&view).join("\n");
    assert!(rows.contains("A.before") && rows.contains("A.after") && rows.contains("call b"), "{rows}");
    assert_eq!(self::facts("void main() { run(); }").view().defs.len(), 1);
}

#[test]
fn deep_nesting_is_survived() {
    // The depth limit is made for threads with a few megabytes of stack, of which an unoptimised walk needs the most.
    let thread = std::thread::Builder::new().stack_size(16 << 20).spawn(deep_sources).expect("a thread");
    thread.join().expect("no panic");
}

fn deep_sources() {
    for (open, close) in
        [("(", ")"), ("f(", ")"), ("a.", ""), ("x -> ", ""), ("!", ""), ("new A() { Object o = ", "; }"), ("(T) ", "")]
    {
        facts(&format!("class A {{ Object f = {}y{}; }}", open.repeat(2_500), close.repeat(2_500)));
    }
    facts(&format!("class A {{ {}T{} f; }}", "List<".repeat(2_500), ">".repeat(2_500)));
    facts(&"class A { ".repeat(2_500));
}
