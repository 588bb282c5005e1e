//! What Go extraction is held to.

use crate::facts::model::{NONE, Usage, flag};
use crate::facts::testing::{check_facts, qualified, show_expr, shown};
use crate::facts::walker::{ExtractLimits, extract};
use crate::facts::{Facts, FactsView};
use crate::lang::Lang;

#[track_caller]
fn check(source: &str) {
    // Marks are written under lines whose tabs show as four columns.
    check_facts("go", &source.replace('\t', "    "));
}

fn facts(source: &str) -> Facts {
    extract(Lang::named("go").expect("go").compiled(), source.as_bytes(), ExtractLimits::default())
}

fn def(view: &FactsView<'_>, name: &str) -> crate::facts::model::DefRow {
    let found = view.defs.iter().position(|row| view.str(row.name) == name);
    view.defs[found.unwrap_or_else(|| panic!("no {name} in {:#?}", shown(view)))]
}

#[test]
fn methods_belong_to_the_receiver_type() {
    check(
        r#"package store
type Disk struct{ path string }
//   ^^^^ def struct Disk
//                ^ def field Disk.path
func (d *Disk) Drop(id string) error {
//       ^ type Disk
//             ^ def method Disk.Drop
	return d.wipe(id, d.path)
//           ^ call %d.wipe
//                      ^ value %d.path
}
func (Disk) wipe(id, path string) error { return nil }
//          ^ def method Disk.wipe
func (t *Tree[K, V]) Get(k K) (v V, ok bool) { return t.find(k) }
//                   ^ def method Tree.Get
//                                                      ^ call %t.find
func drop(d Disk) { d.Drop("x") }
//   ^ def function drop
//          ^ parameter_type Disk
//                    ^ call %d.Drop
"#,
    );
    let facts = facts("package p\nfunc (t *Tree[K]) Get(k K) K { var x K; return x }");
    assert!(!shown(&facts.view()).iter().any(|row| row.ends_with(" K")), "a type parameter is no type");
}

#[test]
fn fields_embedded_types_and_interfaces() {
    check(
        r#"package svc
type Service struct {
//   ^ def struct Service
	orders, spare store.Store `json:"x"`
//  ^ def field Service.orders
//          ^ def field Service.spare
//                      ^ field store.Store
//                ^ type store
	*base.Core
//        ^ def field Service.Core
//        ^ extends Service base.Core
	Cache[Key]
//  ^ def field Service.Cache
//  ^ extends Service Cache
//        ^ generic_arg Key
	opts struct{ deep bool }
//  ^ def field Service.opts
//               ^ def field Service.opts.deep
}
type Store interface {
//   ^ def interface Store
	io.Closer
//     ^ extends Store io.Closer
	Drop(id ID) (Row, error)
//  ^ def method Store.Drop
//          ^ parameter_type ID
//               ^ return_type Row
}
type Number interface{ ~int | Big }
//   ^ def interface Number
//                            ^ type Big
type Handler func(w Writer)
//   ^ def type_alias Handler
"#,
    );
}

#[test]
fn several_results_and_destructuring() {
    check(
        r"package p
func f() {
//   ^ def function f
	a, err := open(1)
//            ^ call open
	a.Close()
//    ^ call %a.Close
	v, ok := m[k]
	v.Run(ok)
//    ^ call %v.Run
	t, ok := v.(*pkg.T)
	t.Go(err)
//    ^ call %t.Go
	w := <-ch
	w.Do()
//    ^ call %w.Do
}
",
    );
    let facts = facts(
        "package p\nfunc f() {\n a, err := open(1)\n a.X()\n err.Error()\n t, ok := v.(*pkg.T)\n t.Go(ok)\n for i, r := range rows { r.Y(i) }\n}",
    );
    let view = facts.view();
    let init = |name: &str| {
        let bind = view.binds.iter().find(|row| view.str(row.name) == name).expect("bind");
        (show_expr(&view, bind.init), view.expr(bind.init).map_or(0, |row| row.slot))
    };
    assert_eq!(init("a"), ("open()[]".to_owned(), 1));
    assert_eq!(init("err"), ("open()[]".to_owned(), 2));
    assert_eq!(init("t"), ("*pkg.T:".to_owned(), 0));
    assert_eq!(init("r"), ("rows*".to_owned(), 2));
}

#[test]
fn composite_literals() {
    check(
        r#"package p
var rows = []Row{{Name: "a"}, {Name: first()}}
//  ^ def variable rows
//           ^ instantiate Row
//                ^ write Row:.Name
//                                   ^ call first
var byKey = map[Key]*Row{one: {Name: "x"}}
//  ^ def variable byKey
//              ^ type Key
//                   ^ instantiate Row
//                       ^ value one
//                             ^ write Row:.Name
type Names map[string]string
//   ^ def type_alias Names
var names = Names{alpha: "x"}
//  ^ def variable names
//          ^ instantiate Names
//                ^ value alpha
func f() *pkg.T {
//   ^ def function f
	_ = new(Thing)
//          ^ instantiate Thing
	return &pkg.T{Field: make([]Part, 3), Inner: Box[int]{Of: 1}}
//              ^ instantiate pkg.T
//                ^ write pkg.T:.Field
//                              ^ type Part
//                                        ^ write pkg.T:.Inner
//                                               ^ instantiate Box
//                                                        ^ write Box[int]:.Of
}
"#,
    );
}

#[test]
fn a_table_test_defines_no_fields() {
    check(
        r#"package p
func TestAdd(t *testing.T) {
//   ^ def function TestAdd
	cases := []struct{ name string; want Result }{{name: "x", want: ok()}}
//                                       ^ field Result
//                                                                  ^ call ok
	for _, c := range cases { t.Run(c.name, func(t *testing.T) { t.Log(c.want) }) }
//                              ^ call %t.Run
//                                                                 ^ call %t.Log
}
"#,
    );
}

#[test]
fn type_switches_ranges_and_select() {
    check(
        r"package p
func f(x any) {
//   ^ def function f
	switch v := x.(type) {
	case *Disk:
//        ^ type Disk
		v.Drop()
//        ^ call %v.Drop
	case A, nil:
		v.Other()
//        ^ call %v.Other
	default:
		helper()
//      ^ call helper
	}
	for i := range load() { use(i) }
//                 ^ call load
//                          ^ call use
	select {
	case m, ok := <-inbox: m.Ack(ok)
//                  ^ value inbox
//                           ^ call %m.Ack
	case out <- build():
//              ^ call build
	}
}
",
    );
    let facts = facts("package p\nfunc f(x any) { switch v := x.(type) { case *Disk: v.Drop(); case A, B: v.Other() } }");
    let view = facts.view();
    let types: Vec<_> = view.binds.iter().map(|row| view.str(row.ty)).collect();
    assert!(types.contains(&"*Disk") && types.contains(&""), "{types:?}");
}

#[test]
fn closures_and_method_values() {
    check(
        r#"package p
var Run = func(n int) Out { return emit(n) }
//  ^ def function Run
//                                 ^ call emit
func f(s *Server) {
//   ^ def function f
	step := func(k Key) error { return s.Do(k) }
//  ^ def function f.step
//                                       ^ call %s.Do
	step(nil)
//  ^ call step
	mux.Handle("/", s.Serve)
//      ^ call mux.Handle
//                    ^ value %s.Serve
	register(handler, Disk.Drop)
//  ^ call register
//           ^ value handler
//                         ^ value Disk.Drop
	func() { later() }()
//           ^ call later
}
"#,
    );
}

#[test]
fn generics_and_conversions() {
    check(
        r"package p
func Map[T any, R fmt.Stringer](xs []T, f func(T) R) []R { return Collect[R](xs, f) }
//   ^ def function Map
//                    ^ type fmt.Stringer
//                                                                ^ call Collect
var _ Store = (*Disk)(nil)
//    ^ type Store
//              ^ type Disk
func g() {
//   ^ def function g
	a := Map[int, Named](xs, nil)
//       ^ call Map
//                ^ generic_arg Named
	b := fns[i](1)
//       ^ value fns
//           ^ value i
	c := string(raw)
	d := Celsius(c)
//       ^ call Celsius
	e := NewSet[Key]()
//       ^ call NewSet
	f := lib.NewSet[string]()
//           ^ call lib.NewSet
}
",
    );
}

#[test]
fn elements_of_collections_of_functions() {
    check(
        r"package p
func f(c *Ctx) {
//   ^ def function f
	c.chain[c.index](c)
//    ^ value %c.chain
//            ^ value %c.index
	c.chain[Last](c, 1)
//    ^ value %c.chain
//          ^ value Last
	c.chain[0].Run(lib.Keep[lib.Row](xs))
//             ^ call %c.chain[].Run
//                     ^ call lib.Keep
//                              ^ generic_arg lib.Row
}
",
    );
}

#[test]
fn imports_have_the_package_name_as_alias() {
    check(
        r#"package main
import "fmt"
//      ^ import fmt||fmt
import (
	"example.com/lib/v2"
//   ^ import example.com/lib/v2||lib
	"gopkg.in/yaml.v3"
//   ^ import gopkg.in/yaml.v3||yaml
	f "fmt"
//     ^ import fmt||f
	. "math"
//     ^ import math||
	_ "embed"
//     ^ import embed||
)
"#,
    );
}

#[test]
fn constants_repeat_the_type_of_the_line_above() {
    let facts = facts(
        "package p\n// Docs.\nconst (\n\t// First.\n\tRed Color = iota\n\tGreen\n\tblue\n\tn = 3\n\tm\n)\n// Solo docs.\nconst Solo = \"x\"\n",
    );
    let view = facts.view();
    assert_eq!(view.str(def(&view, "Green").ty), "Color");
    assert_eq!(view.str(def(&view, "m").ty), "");
    assert_eq!(view.str(def(&view, "Red").doc), "First.");
    assert_eq!(view.str(def(&view, "Solo").doc), "Solo docs.");
    assert_eq!(view.str(def(&view, "Solo").signature), "const Solo = \"x\"");
    assert!(def(&view, "Green").has(flag::EXPORTED) && !def(&view, "blue").has(flag::EXPORTED));
    assert_eq!(show_expr(&view, def(&view, "Solo").init), "<string>");
}

#[test]
fn callables_count_parameters_and_keep_their_result_type() {
    let facts = facts(
        "// Package p does.\npackage p\n\n// Adds.\nfunc Add(a, b int, rest ...Part) (n int, err error) {\n}\nfunc two(int, string) T\nfunc none() {}\n",
    );
    let view = facts.view();
    let add = def(&view, "Add");
    assert_eq!((add.params, view.str(add.ty)), (3, "(n int, err error)"));
    assert!(add.has(flag::VARIADIC | flag::EXPORTED));
    assert_eq!(view.str(add.signature), "func Add(a, b int, rest ...Part) (n int, err error)");
    assert_eq!((add.start_line, add.end_line, view.str(add.doc)), (5, 6, "Adds."));
    let two = def(&view, "two");
    assert!(two.params == 2 && two.has(flag::DECLARATION) && !two.has(flag::EXPORTED));
    assert_eq!(def(&view, "none").params, 0);
    assert_eq!(view.str(view.header.package), "p");
    assert_eq!(view.str(view.header.doc), "Package p does.");
}

#[test]
fn tests_are_told_by_name_and_parameter() {
    let source = "package p\nimport \"github.com/stretchr/testify/suite\"\nfunc TestA(t *testing.T) {}\nfunc BenchmarkA(b *testing.B) {}\nfunc FuzzA(f *testing.F) {}\nfunc TestMain(m *testing.M) {}\nfunc ExampleA() {}\nfunc (s *Suite) TestIn() {}\nfunc Testify(t *testing.T) {}\nfunc TestB(x int) {}\nfunc ExampleB() int { return 1 }\nfunc helper(t *testing.T) {}\nfunc (s *Suite) Helper() {}\n";
    let facts = facts(source);
    let view = facts.view();
    let tests: Vec<_> = view.defs.iter().filter(|row| row.has(flag::TEST)).map(|row| view.str(row.name)).collect();
    assert_eq!(tests, ["TestA", "BenchmarkA", "FuzzA", "TestMain", "ExampleA", "TestIn"]);
}

#[test]
fn what_becomes_of_results() {
    let facts = facts(
        "package p\nfunc f() int {\n a1()\n x := a2()\n _, y := a3()\n _ = a4()\n go a5()\n defer s.a6()\n if a7() {}\n use(a8())\n return (a9())\n}",
    );
    let view = facts.view();
    let usage = |name: &str| view.refs.iter().find(|row| view.str(row.name) == name).expect("call").usage();
    let expected = [
        ("a1", Usage::Discarded),
        ("a2", Usage::Assigned),
        ("a3", Usage::PartiallyIgnored),
        ("a4", Usage::Discarded),
        ("a5", Usage::Goroutine),
        ("a6", Usage::Deferred),
        ("a7", Usage::Condition),
        ("a8", Usage::Argument),
        ("a9", Usage::Returned),
    ];
    for (name, wanted) in expected {
        assert_eq!(usage(name), wanted, "{name}");
    }
}

#[test]
fn writes_and_shadowed_names() {
    check(
        r"package p
var total, limit int
//  ^ def variable total
//         ^ def variable limit
func f(url string) {
//   ^ def function f
	total = 1
//  ^ write total
	s.count += limit
//    ^ write s.count
//             ^ value limit
	total++
//  ^ write total
	url := url.Parse(url)
//             ^ call %url.Parse
	get().next.run()
//  ^ call get
//        ^ value get().next
//             ^ call get().next.run
}
",
    );
    let facts = facts("package p\nfunc f(limit int) { g(limit) }");
    assert!(!shown(&facts.view()).iter().any(|row| row.ends_with("value limit")), "a local is no reference");
}

#[test]
fn local_types_are_nested_definitions() {
    check(
        r"package p
func f() {
//   ^ def function f
	type row struct{ id int }
//       ^ def struct f.row
//                   ^ def field f.row.id
	const max = 3
	var r row
//        ^ type row
	r.id = max
//    ^ write %r.id
}
",
    );
}

#[test]
fn owners_are_the_innermost_definitions() {
    let facts = facts("package p\nvar v = load()\ntype T struct { f Store }\nfunc (t T) m() { go func() { run() }() }\n");
    let view = facts.view();
    let owner = |name: &str| {
        let row = view.refs.iter().find(|row| view.str(row.name) == name).expect("reference");
        if row.owner == NONE { String::new() } else { qualified(&view, row.owner) }
    };
    assert_eq!((owner("load"), owner("Store"), owner("run")), ("v".to_owned(), "T.f".to_owned(), "T.m".to_owned()));
}

#[test]
fn ordinary_odd_inputs() {
    check("");
    check("package größe\r\nfunc Überall() { größer() }\r\n//   ^ def function Überall\r\n//                ^ call größer\r\n");
    let facts = facts("package p\nfunc before() { a() }\nfunc broken() { x := := 3; if }\nfunc after() { b() }");
    let view = facts.view();
    assert!(view.header.parse_errors > 0);
    let rows = shown(&view).join("\n");
    assert!(rows.contains("def function before") && rows.contains("def function after") && rows.contains("call b"), "{rows}");
    assert!(def_exported("package p\nfunc Überall() {}"));
}

fn def_exported(source: &str) -> bool {
    let facts = facts(source);
    facts.view().defs[0].has(flag::EXPORTED)
}

#[test]
fn deep_nesting_is_survived() {
    // The depth limit is made for threads with a few megabytes of stack, of which an unoptimised walk needs the most.
    let thread = std::thread::Builder::new().stack_size(16 << 20).spawn(deep_sources).expect("a thread");
    thread.join().expect("no panic");
}

fn deep_sources() {
    for (open, close) in [("(", ")"), ("[]", ""), ("func() { ", " }"), ("*", ""), ("f(", ")"), ("T{", "}"), ("a.", "")] {
        let source = format!("package p\nfunc f() {{ x := {}y{} }}\n", open.repeat(3_000), close.repeat(3_000));
        facts(&source);
        facts(&format!("package p\nvar x {}int{} = {}", open.repeat(3_000), close.repeat(3_000), "{".repeat(5_000)));
    }
}

#[test]
fn case_17_a_call_through_an_interface_field_keeps_its_receiver() {
    let facts = facts(
        "package svc\ntype Service struct {\n\torders store.Store\n}\nfunc (s *Service) Cancel(id string) error {\n\treturn s.orders.Drop(id)\n}\n",
    );
    let view = facts.view();
    let call = view.refs.iter().find(|row| view.str(row.name) == "Drop").expect("call");
    assert_eq!((qualified(&view, call.owner).as_str(), show_expr(&view, call.recv).as_str()), ("Service.Cancel", "%s.orders"));
    let receiver = view.binds.iter().find(|row| view.str(row.name) == "s").expect("receiver");
    assert_eq!(view.str(receiver.ty), "*Service");
    assert_eq!(view.str(def(&view, "orders").ty), "store.Store");
}

#[test]
fn what_is_declared_in_a_file_level_closure_is_local() {
    let facts = facts(
        "package p\nvar cmd = Command{Run: func(a Arg) {\n\tvar n int\n\tstep := func() { a.Go(n) }\n\tstep()\n}}\nvar n int\n",
    );
    let view = facts.view();
    let names: Vec<_> = view.defs.iter().map(|row| view.str(row.name)).collect();
    assert_eq!(names, ["cmd", "n"]);
    assert!(shown(&view).iter().any(|row| row.ends_with("write Command:.Run")));
}
