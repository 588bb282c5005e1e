//! Expectations of Rust facts.

use crate::facts::model::{NONE, Usage, Visibility, flag, import_flag};
use crate::facts::pack::{Facts, FactsView};
use crate::facts::testing::{check_facts, qualified, shown};
use crate::facts::walker::{ExtractLimits, extract};
use crate::lang::Lang;

fn facts(source: &str) -> Facts {
    let lang = Lang::named("rust").expect("rust is in the table");
    extract(lang.compiled(), source.as_bytes(), ExtractLimits::default())
}

/// The definition of this qualified name.
#[track_caller]
fn def<'v>(view: &'v FactsView<'_>, name: &str) -> &'v crate::facts::model::DefRow {
    let found = (0..view.defs.len() as u32).find(|index| qualified(view, *index) == name);
    &view.defs[found.unwrap_or_else(|| panic!("no definition {name} in {:#?}", shown(view))) as usize]
}

#[test]
fn case_05_attributes_belong_to_the_definition() {
    let facts =
        facts("/// Adds up.\n#[must_use]\n// why\n#[inline]\npub fn total(items: &[u32]) -> u32 {\n    items.iter().sum()\n}\n");
    let view = facts.view();
    let total = def(&view, "total");
    assert_eq!((total.start_line, total.end_line, total.name_line), (2, 7, 5));
    assert_eq!(view.str(total.doc), "Adds up.");
    assert_eq!(view.str(total.signature), "pub fn total(items: &[u32]) -> u32");
    assert_eq!(view.str(total.ty), "u32");
    assert!(!total.has(flag::DECORATED), "must_use and inline call nothing");
}

#[test]
fn a_doc_of_the_file_or_of_a_neighbour_is_no_doc_of_the_item() {
    let facts = facts(
        "//! The file.\n\nfn a() {} // trails a\nfn b() {}\n\n// far\n\nfn c() {}\n\n/// Is d.\n\nfn d() {}\nmod m {\n    //! Is m.\n    fn e() {}\n}\n",
    );
    let view = facts.view();
    let docs: Vec<&str> = view.defs.iter().map(|def| view.str(def.doc)).collect();
    assert_eq!(docs, ["", "", "", "Is d.", "Is m.", ""]);
    assert_eq!(view.str(view.header.doc), "The file.");
}

#[test]
fn case_26_macro_bodies_use_names() {
    check_facts(
        "rust",
        r"
macro_rules! frame {
//           ^ def macro frame
    ($w:expr) => {
        $crate::side($w) + 2 * $crate::MARGIN
//              ^ call crate.side
//                                     ^ value crate.MARGIN
    };
}
",
    );
}

#[test]
fn a_macro_pattern_and_a_string_use_nothing() {
    check_facts("rust", "macro_rules! m {\n//           ^ def macro m\n    (side $x:ident) => { \"side()\" };\n}\n");
}

#[test]
fn calls_in_macro_arguments() {
    check_facts(
        "rust",
        r#"
fn one(a: A) {
// ^ def function one
    assert_eq!(scale(1), 2);
//  ^ call assert_eq
//             ^ call scale
    log::info!("{}", a.b(c), key = A::b::<T>(d).e()?.f(|q| q.g()));
//       ^ call log.info
//                     ^ call %a.b
//                       ^ value c
//                                    ^ call A.b
//                                           ^ value d
//                                              ^ call A::b().e
//                                                   ^ call A::b().e()?.f
//                                                           ^ call %q.g
    let v = vec![Foo { x: 1, y }, Kind::Round(2).go()];
//          ^ call vec
//               ^ instantiate Foo
//                     ^ write new Foo.x
//                           ^ value y
//                                      ^ instantiate Kind.Round
//                                               ^ call new Kind.go
}
"#,
    );
}

#[test]
fn keys_and_keywords_among_tokens_are_no_names() {
    check_facts(
        "rust",
        "fn f() {\n// ^ def function f\n    m!(key = 1, move |x| x, if true { 1 } else { 2 }, 'a);\n//  ^ call m\n    m! { let y = 1; y(); for z in 0..2 { z; } }\n//  ^ call m\n//                  ^ call y\n}\n",
    );
    let facts =
        facts("fn f() { m!(key = 1, move |x| x, if true { 1 } else { 2 }, 'a); m! { let y = 1; y; for z in 0..2 { z; } } }");
    let view = facts.view();
    let names: Vec<&str> = view.refs.iter().map(|row| view.str(row.name)).collect();
    assert_eq!(names, ["m", "m"]);
}

#[test]
fn items_inside_item_macros_are_found() {
    check_facts(
        "rust",
        r"
lazy_static! { pub static ref CONFIG: Config = load(1); }
//<- call lazy_static
//                            ^ def variable CONFIG
//                                    ^ type Config
//                                             ^ call load
proptest! {
//<- call proptest
    #[test]
    fn prop(a in 0..9u32, b: Foo) { assert!(check(a, b.c())); }
//     ^ def function prop
//                           ^ parameter_type Foo
//                                  ^ call assert
//                                          ^ call check
//                                                     ^ call %b.c
}
",
    );
    let facts = facts("proptest! {\n    #[test]\n    fn prop() {}\n}\n");
    let view = facts.view();
    let prop = def(&view, "prop");
    assert!(prop.has(flag::TEST));
    assert_eq!((prop.start_line, prop.end_line), (2, 3));
}

#[test]
fn members_of_impls_belong_to_the_bare_type() {
    check_facts(
        "rust",
        r"
impl<'a, T: Shape + 'a> Shape for Vec<&'a T> {
//                      ^ implements Vec Shape
    type Out = T;
//       ^ def type_alias Vec.Out
    const N: usize = size(1);
//        ^ def constant Vec.N
//                   ^ call size
    fn area(&self) -> f64 { self.iter().map(|x| x.area()).sum() }
//     ^ def method Vec.area
//                               ^ call self.iter
//                                      ^ call self.iter().map
//                                                ^ call %x.area
//                                                        ^ call self.iter().map().sum
}
impl crate::a::Disk {
//             ^ type crate::a::Disk
}
impl !Send for Disk {}
//    ^ type Send
",
    );
    let facts = facts(
        "impl Shape for Disk { fn area(&self) {} }\nimpl Disk { pub fn new(r: f64, n: u8) -> Self { Self { r } } fn own(&self) {} }\n",
    );
    let view = facts.view();
    let (area, new, own) = (def(&view, "Disk.area"), def(&view, "Disk.new"), def(&view, "Disk.own"));
    assert!(area.has(flag::OVERRIDE) && !new.has(flag::OVERRIDE));
    assert!(new.has(flag::STATIC | flag::EXPORTED) && !own.has(flag::STATIC) && !own.has(flag::EXPORTED));
    assert_eq!((new.params, own.params), (2, 0));
    assert_eq!(own.visibility(), Visibility::Private);
}

#[test]
fn an_unknown_receiver_is_not_a_bare_call() {
    let facts = facts("fn f() { (|| 1)().go(); loop { break 1 }.go(); }");
    let view = facts.view();
    let go: Vec<_> = view.refs.iter().filter(|row| view.str(row.name) == "go").collect();
    assert_eq!(go.len(), 2);
    assert!(go.iter().all(|row| row.recv != crate::facts::model::NONE));
}

#[test]
fn types_traits_and_their_members() {
    check_facts(
        "rust",
        r"
#[derive(Debug, serde::Serialize)]
//       ^ attribute Debug
//                     ^ attribute serde.Serialize
pub struct Ball<T: Shape> where T: From<Foo> {
//         ^ def struct Ball
//                 ^ type Shape
//                                 ^ type From
//                                      ^ generic_arg Foo
    pub a: Vec<Foo>,
//      ^ def field Ball.a
//         ^ field Vec
//             ^ generic_arg Foo
    b: u8,
//  ^ def field Ball.b
}
struct New(pub a::Foo);
//     ^ def struct New
//             ^ def field New.0
//                ^ field a.Foo
enum Kind { Round { r: f64 }, Unit = 3 }
//   ^ def enum Kind
//          ^ def enum_member Kind.Round
//                  ^ def field Kind.Round.r
//                            ^ def enum_member Kind.Unit
trait Shape: Clone + fmt::Display + 'static {
//    ^ def trait Shape
//           ^ extends Shape Clone
//                        ^ extends Shape fmt::Display
    fn area(&self, k: &dyn Fn(A) -> B) -> impl Iterator<Item = C>;
//     ^ def method Shape.area
//                         ^ parameter_type Fn
//                            ^ generic_arg A
//                                  ^ generic_arg B
//                                             ^ return_type Iterator
//                                                             ^ generic_arg C
}
static COUNT: AtomicU8 = AtomicU8::new(0);
//     ^ def variable COUNT
//            ^ type AtomicU8
//                                 ^ call AtomicU8.new
",
    );
}

#[test]
fn generic_parameters_lifetimes_and_primitives_are_no_mentions() {
    let facts = facts("fn f<'a, T, const N: usize>(x: &'a T, y: [u8; N]) -> Option<T> { 'out: loop { break 'out; } }");
    let view = facts.view();
    let names: Vec<&str> = view.refs.iter().map(|row| view.str(row.name)).collect();
    assert_eq!(names, ["Option"]);
}

#[test]
fn what_bounds_generic_parameters_is_kept() {
    let facts = facts("impl<T: Clone + Shape> Vec<T> { fn f<U>(x: &T, u: U) where U: Tree { x.area(); u.grow(); T::make(); } }");
    let view = facts.view();
    let slot = |slot: u32| if slot == NONE { "own" } else { "argument" };
    let rows: Vec<_> = view.generics.iter().map(|row| (view.str(row.name), view.str(row.bound), slot(row.slot))).collect();
    assert_eq!(rows, [("T", "Clone + Shape", "argument"), ("U", "", "own"), ("U", "Tree", "own")]);
}

#[test]
fn locals_hide_names_and_end_with_their_block() {
    check_facts(
        "rust",
        r"
fn f(a: A, o: Option<B>) -> C {
// ^ def function f
    if let Some(b) = o { b.one(); } else { b.two(); }
//                         ^ call %b.one
//                                         ^ value b
//                                           ^ call b.two
    let Some(c) = g() else { return c };
//                ^ call g
//                                  ^ value c
    match c { Kind::Round { r } if r.ok() => r.go(), Self::Q(q) => q.z(), MAX => d }
//            ^ type Kind
//                                   ^ call %r.ok
//                                             ^ call %r.go
//                                                                   ^ call %q.z
//                                                                        ^ value MAX
//                                                                               ^ value d
}
",
    );
}

#[test]
fn closures_and_nested_functions_are_found_by_name() {
    check_facts(
        "rust",
        r"
fn f() {
// ^ def function f
    let twice = |x: u32| half(x);
//      ^ def function f.twice
//                       ^ call half
    fn inner() {}
//     ^ def function f.inner
    twice(1);
//  ^ call twice
    inner();
//  ^ call inner
}
",
    );
}

#[test]
fn struct_literals_write_fields_and_shorthand_reads_the_name() {
    check_facts(
        "rust",
        r"
fn f() {
// ^ def function f
    let x = a::Foo { bar, baz: 1, ..Foo::base() };
//             ^ instantiate a.Foo
//                   ^ write new a::Foo.bar
//                   ^ value bar
//                        ^ write new a::Foo.baz
//                                       ^ call Foo.base
    x.bar = 2;
//    ^ write %x.bar
    *x.bar += x.baz;
//     ^ value %x.bar
//              ^ value %x.baz
}
",
    );
}

#[test]
fn paths_methods_and_what_stands_before_them() {
    check_facts(
        "rust",
        r"
impl Foo {
    async fn f(&self) -> R {
//           ^ def method Foo.f
        self.client.get(&self.url).send().await?.json::<Out>()?;
//           ^ value self.client
//                  ^ call self.client.get
//                            ^ value self.url
//                                 ^ call self.client.get().send
//                                               ^ call self.client.get().send()??.json
//                                                      ^ generic_arg Out
        <Self as Shape>::area(self);
//               ^ type Shape
//                       ^ call self.area
        crate::a::b::<T>(u32::MAX, Self::C);
//             ^ type crate.a
//                ^ call crate::a::b
//                                       ^ value self.C
        (&*self.list)[0].run();
//              ^ value self.list
//                       ^ call self.list[].run
    }
}
"
        .replace("//       	^", "//           ^")
        .as_str(),
    );
}

#[test]
fn what_becomes_of_results() {
    let source = "fn f() -> u8 { a(); let x = b()?; if c() { d() } else { e(g()) } }
fn h() { if i() { j() } else { k() }; match l() { _ => m() } }";
    let facts = facts(source);
    let view = facts.view();
    let usage = |name: &str| view.refs.iter().find(|row| view.str(row.name) == name).map(|row| row.usage());
    let expected = [
        ("a", Usage::Discarded),
        ("b", Usage::Assigned),
        ("c", Usage::Condition),
        ("d", Usage::Returned),
        ("e", Usage::Returned),
        ("g", Usage::Argument),
        ("i", Usage::Condition),
        ("j", Usage::Discarded),
        ("k", Usage::Discarded),
        ("l", Usage::Condition),
        ("m", Usage::Returned),
    ];
    for (name, want) in expected {
        assert_eq!(usage(name), Some(want), "{name}");
    }
}

#[test]
fn use_trees_give_one_row_per_leaf() {
    let facts = facts(
        "use std::{collections::{HashMap, *}, fmt::{self, Display as D}};
pub use crate::a::b;
use super::T as _;
use x;
use ::y::z;
pub mod sub;
extern crate foo as bar;
",
    );
    let view = facts.view();
    let rows: Vec<(String, u16)> = view
        .imports
        .iter()
        .map(|row| ([row.module, row.name, row.alias].map(|part| view.str(part)).join("|"), row.flags))
        .collect();
    let rows: Vec<(&str, u16)> = rows.iter().map(|(text, flags)| (text.as_str(), *flags)).collect();
    assert_eq!(
        rows,
        [
            ("std::collections|HashMap|HashMap", 0),
            ("std::collections||", import_flag::WILDCARD),
            ("std::fmt||fmt", import_flag::MODULE),
            ("std::fmt|Display|D", 0),
            ("crate::a|b|b", import_flag::REEXPORT),
            ("super|T|", 0),
            ("|x|x", 0),
            ("y|z|z", 0),
            ("sub||sub", import_flag::SUBMODULE | import_flag::REEXPORT),
            ("foo||bar", import_flag::MODULE),
        ]
    );
}

#[test]
fn tests_are_marked_and_what_is_only_near_them_is_not() {
    let facts = facts(
        "#[cfg(test)]
mod tests {
    #[tokio::test]
    async fn a() {}
    fn helper() { fn deep() {} }
    struct S;
    impl S { fn m(&self) {} }
}
#[cfg(not(test))]
mod real { fn b() {} }
#[cfg(any(test, feature = \"x\"))]
fn c() {}
#[test]
fn d() {}
#[cfg(all(unix, test))]
impl T { fn e() {} }
",
    );
    let view = facts.view();
    let marks = |name: &str| def(&view, name).flags & (flag::TEST | flag::IN_TEST);
    assert_eq!(marks("tests.a"), flag::TEST | flag::IN_TEST);
    for name in ["tests", "tests.helper", "tests.helper.deep", "T.e"] {
        assert_eq!(marks(name), flag::IN_TEST, "{name}");
    }
    let m = view.defs.iter().find(|def| view.str(def.name) == "m").expect("the method");
    assert!(m.has(flag::IN_TEST));
    assert_eq!((marks("real"), marks("real.b"), marks("c"), marks("d")), (0, 0, 0, flag::TEST));
}

#[test]
fn visibility_as_written() {
    let facts = facts(
        "pub fn a() {}
pub(crate) fn b() {}
fn c() {}
pub(self) fn d() {}
pub trait T { fn e(); }
pub enum E { F }
pub(in crate::x) struct G { pub h: u8 }
",
    );
    let view = facts.view();
    let seen: Vec<(&str, &str, bool)> =
        view.defs.iter().map(|def| (view.str(def.name), def.visibility().as_str(), def.has(flag::EXPORTED))).collect();
    assert_eq!(
        seen,
        [
            ("a", "public", true),
            ("b", "internal", false),
            ("c", "private", false),
            ("d", "private", false),
            ("T", "public", true),
            ("e", "public", true),
            ("E", "public", true),
            ("F", "public", true),
            ("G", "internal", false),
            ("h", "public", true),
        ]
    );
}

#[test]
fn crlf_and_other_scripts() {
    let facts = facts("/// Fläche.\r\n#[inline]\r\nfn fläche(größe: Größe) -> u8 {\r\n    größe.maß()\r\n}");
    let view = facts.view();
    let found = def(&view, "fläche");
    assert_eq!((view.str(found.doc), found.start_line, found.end_line), ("Fläche.", 2, 5));
    assert!(shown(&view).contains(&"4:12 call %größe.maß".to_owned()), "{:#?}", shown(&view));
}

#[test]
fn facts_around_an_error_survive() {
    let facts = facts(
        "fn a() { one(); }
fn b( { two(); }
#[test]
fn c() { three(); }
",
    );
    let view = facts.view();
    assert!(view.header.parse_errors > 0);
    let names: Vec<&str> = view.defs.iter().map(|def| view.str(def.name)).collect();
    assert!(names.contains(&"a") && names.contains(&"c"), "{names:?}");
    let calls: Vec<&str> = view.refs.iter().map(|row| view.str(row.name)).collect();
    assert!(calls.contains(&"one") && calls.contains(&"three"), "{calls:?}");
}

#[test]
fn an_empty_file_has_no_facts() {
    let facts = facts("");
    assert!(facts.view().defs.is_empty() && facts.view().refs.is_empty());
}

#[test]
fn deep_nesting_is_cut_and_does_not_panic() {
    // Optimised, the depth limit fits a thread's usual 2 MiB; the frames of a debug build need up to 8.
    let deep = std::thread::Builder::new().stack_size(16 << 20).spawn(nest).expect("a thread");
    deep.join().expect("no panic");
}

fn nest() {
    let pairs = [("(", ")"), ("{", "}"), ("[", "]"), ("&", ""), ("m!(", ")"), ("if x { ", "}"), ("|a| ", ""), ("a.b(", ")")];
    for (open, close) in pairs {
        let facts = facts(&format!("fn f() {{ {}1{} }}", open.repeat(3000), close.repeat(3000)));
        let view = facts.view();
        assert_eq!(view.str(view.defs[0].name), "f", "{open}");
    }
    let types = format!("fn f(x: {}u8{}) {{}}", "Vec<".repeat(3000), ">".repeat(3000));
    let patterns = format!("fn f() {{ let {}x{} = 1; }}", "Some(".repeat(3000), ")".repeat(3000));
    let chain = format!("fn f() {{ a{}; }}", ".b()".repeat(3000));
    let tree = format!("use {}x{};", "a::{".repeat(3000), "}".repeat(3000));
    for source in [types, patterns, chain, tree] {
        assert!(facts(&source).view().header.lines == 1);
    }
}
