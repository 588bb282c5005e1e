//! Type parameters: bounds, arguments of receivers, what blanket implementations and `deref` give.
//!
//! Every case has its twin: the same shape where the compiler would go elsewhere, which must bind nothing.

use super::check;

const READERS: &str = "
//- Cargo.toml
[package]
name = \"io\"
//- src/lib.rs
pub mod ext;
pub mod use_it;
pub trait Reader { fn poll(&self) {} }
pub trait Closer { fn close(&self) {} }
pub trait Other { fn poll(&self) {} }
pub struct File;
impl Reader for File {}
pub struct Lone;
//- src/ext.rs
use crate::Reader;
pub trait ReaderExt: Reader { fn fill(&self) {} }
impl<R: Reader + ?Sized> ReaderExt for R {}
";

fn with_readers(code: &str) -> String {
    format!("{READERS}//- src/use_it.rs\nuse crate::{{ext::ReaderExt, Closer, File, Lone, Other, Reader}};\n{code}")
}

#[test]
fn a_parameter_has_the_members_of_all_its_bounds() {
    check(&with_readers("fn a<T: Closer + Reader>(x: &T) { x.poll(); }\n"), "src/lib.rs::Reader.poll", &["a:2"]);
    check(&with_readers("fn b<T>(x: T) where T: Send + Reader { x.poll(); }\n"), "src/lib.rs::Reader.poll", &["b:2"]);
    check(&with_readers("fn c<T: Other>(x: &T) { x.poll(); }\n"), "src/lib.rs::Reader.poll", &[]);
    check(&with_readers("fn d<T: Clone>(x: &T) { x.poll(); }\n"), "src/lib.rs::Reader.poll", &[]);
    // The parameter hides a type of its name.
    check(&with_readers("fn e<File: Closer>(x: &File) { x.poll(); }\n"), "src/lib.rs::Reader.poll", &[]);
}

#[test]
fn a_blanket_implementation_gives_its_trait_to_what_has_the_bound() {
    check(&with_readers("fn a(x: &File) { x.fill(); }\n"), "src/ext.rs::ReaderExt.fill", &["a:2"]);
    check(&with_readers("fn b<T: Reader>(x: &T) { x.fill(); }\n"), "src/ext.rs::ReaderExt.fill", &["b:2"]);
    check(&with_readers("fn c(x: &dyn Reader) { x.fill(); }\n"), "src/ext.rs::ReaderExt.fill", &["c:2"]);
    check(&with_readers("fn d(x: &Lone) { x.fill(); }\n"), "src/ext.rs::ReaderExt.fill", &[]);
    check(&with_readers("fn e<T: Closer>(x: &T) { x.fill(); }\n"), "src/ext.rs::ReaderExt.fill", &[]);
}

const SHELF: &str = "
//- src/lib.rs
use std::ops::Deref;
use std::sync::Arc;
pub struct Book;
impl Book { pub fn open(&self) {} }
pub struct Coin;
impl Coin { pub fn open(&self) {} }
pub struct Shelf<'a, K, T> { pub first: T, pub key: K, mark: &'a str }
impl<'a, K, T> Shelf<'a, K, T> {
    pub fn top(&self) -> Option<&T> { None }
    pub fn same(&self) -> &Self { self }
}
pub struct Guard<T> { inner: T }
impl<T> Deref for Guard<T> {
    type Target = T;
    fn deref(&self) -> &Self::Target { &self.inner }
}
";

#[test]
fn the_arguments_of_a_receiver_fill_the_parameters_of_its_type() {
    let shelf = |code: &str| format!("{SHELF}{code}");
    check(&shelf("fn a(x: &Shelf<'_, Coin, Book>) { x.top().unwrap().open(); }\n"), "src/lib.rs::Book.open", &["a:17"]);
    check(&shelf("fn b(x: Arc<Shelf<'_, Coin, Book>>) { x.same().first.open(); }\n"), "src/lib.rs::Book.open", &["b:17"]);
    check(&shelf("fn c(x: &Shelf<'_, Coin, Book>) { x.key.open(); }\n"), "src/lib.rs::Book.open", &[]);
    check(&shelf("fn d<B>(x: &Shelf<'_, Coin, B>) { x.first.open(); }\n"), "src/lib.rs::Book.open", &[]);
}

#[test]
fn what_a_type_dereferences_to_has_its_members() {
    let guard = |code: &str| format!("{SHELF}{code}");
    check(&guard("fn a(x: Guard<Book>) { x.open(); }\n"), "src/lib.rs::Book.open", &["a:17"]);
    check(&guard("fn b(x: Guard<Coin>) { x.open(); }\n"), "src/lib.rs::Book.open", &[]);
    check(&guard("fn c(x: Shelf<'_, Book, Book>) { x.open(); }\n"), "src/lib.rs::Book.open", &[]);
}

#[test]
fn a_wrapper_of_the_library_is_used_like_what_it_was_made_of() {
    let wrap = |code: &str| format!("{SHELF}{code}");
    check(
        &wrap("fn a() { let x = Arc::new(make()); x.open(); }\nfn make() -> Book { Book }\n"),
        "src/lib.rs::Book.open",
        &["a:17"],
    );
    check(&wrap("fn b() { ready!(Arc::new(make()).open()); }\nfn make() -> Book { Book }\n"), "src/lib.rs::Book.open", &["b:17"]);
    // One of ours is itself.
    let own = "mod own { pub struct Box; impl Box { pub fn new<T>(t: T) -> Box { Box } } }\nuse own::Box;\n";
    let code = format!("{own}fn c() {{ let x = Box::new(make()); x.open(); }}\nfn make() -> Book {{ Book }}\n");
    check(&wrap(&code), "src/lib.rs::Book.open", &[]);
}

#[test]
fn a_macro_around_members_leaves_them_members() {
    let code = "
//- src/lib.rs
macro_rules! when { ($($item:item)*) => { $($item)* } }
pub struct Handle { time: u8 }
impl Handle { when! { pub fn time(&self) -> &Clock { loop {} } } }
pub struct Clock;
impl Clock { pub fn now(&self) {} }
fn a(x: &Handle) { x.time().now(); }
fn b(time: fn() -> u8) { time().now(); }
";
    check(code, "src/lib.rs::Handle.time~2", &["a:6"]);
    check(code, "src/lib.rs::Clock.now", &["a:6"]);
}

#[test]
fn modules_by_path_and_inside_inline_modules() {
    let code = "
//- src/lib.rs
mod support { pub mod alarm; }
#[path = \"unix/mod.rs\"]
mod imp;
use support::alarm::ring;
fn a() { ring(); imp::start(); }
//- src/support/alarm.rs
pub fn ring() {}
//- src/unix/mod.rs
pub fn start() {}
//- src/imp.rs
pub fn start() {}
";
    check(code, "src/support/alarm.rs::ring", &["a:5"]);
    check(code, "src/unix/mod.rs::start", &["a:5"]);
    check(code, "src/imp.rs::start", &[]);
}

#[test]
fn variants_have_their_own_fields() {
    let code = "
//- src/lib.rs
pub struct Leaf;
impl Leaf { pub fn fall(&self) {} }
pub enum Tree { One(Leaf), Two { left: Leaf }, Number(u8) }
fn a(t: &Tree) { match t { Tree::One(x) => x.fall(), Tree::Two { left } => left.fall(), Tree::Number(x) => x.fall() } }
";
    check(code, "src/lib.rs::Leaf.fall", &["a:4", "a:4"]);
}

const BOXES: &str = "
//- box.ts
export class Cat { purr(): void {} }
export class Dog { purr(): void {} }
export interface Box<K, T extends Cat | Dog> { get(): T; key: K; }
export function open(): { cat: Cat; dogs: Map<string, Dog> } { throw 1; }
";

#[test]
fn script_type_arguments_and_written_out_objects() {
    let boxes = |code: &str| format!("{BOXES}//- use.ts\nimport {{ Box, Cat, Dog, open }} from './box';\n{code}");
    check(&boxes("export function a(b: Box<string, Cat>) { b.get().purr(); }\n"), "box.ts::Cat.purr", &["a:2"]);
    check(&boxes("export function b(b: Box<Cat, Dog>) { b.get().purr(); }\n"), "box.ts::Cat.purr", &[]);
    check(&boxes("export function c<T extends Cat>(t: T) { t.purr(); }\n"), "box.ts::Cat.purr", &["c:2"]);
    check(&boxes("export function d<T>(t: T) { t.purr(); }\n"), "box.ts::Cat.purr", &[]);
    check(&boxes("export function e() { const { cat } = open(); cat.purr(); }\n"), "box.ts::Cat.purr", &["e:2"]);
    check(&boxes("export function f() { const { dogs } = open(); dogs.purr(); }\n"), "box.ts::Cat.purr", &[]);
}

#[test]
fn java_type_arguments() {
    let code = "
//- a/Cat.java
package a;
class Cat { void purr() {} }
//- a/Dog.java
package a;
class Dog { void purr() {} }
//- a/Box.java
package a;
class Box<K, T> { T get() { return null; } K key; }
//- a/Use.java
package a;
class Use {
  void a(Box<Dog, Cat> b) { b.get().purr(); }
  void b(Box<Cat, Dog> b) { b.get().purr(); }
  void c(Box<Dog, Cat> b) { b.key.purr(); }
}
";
    check(code, "a/Cat.java::Cat.purr", &["a:3"]);
}

#[test]
fn a_namespace_opened_again_is_one() {
    let code = "
//- base.hpp
namespace lib { namespace detail { int sign(int x) { return x; } } }
//- other.hpp
namespace other { namespace detail { int sign(int x) { return x; } } }
//- more.cpp
#include \"base.hpp\"
#include \"other.hpp\"
namespace lib { namespace detail { int more() { return 1; } }
int use() { return detail::sign(2) + detail::more(); } }
";
    check(code, "base.hpp::lib.detail.sign", &["use:4"]);
    check(code, "other.hpp::other.detail.sign", &[]);
}
