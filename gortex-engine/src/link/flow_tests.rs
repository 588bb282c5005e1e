//! Types that come from elsewhere than a declaration at hand: what a callee hands to a function it is given, what a function
//! without a declared result returns, who stands behind `super()`, which of two same-named things a value can be.
//!
//! Every case has its twin: the same shape where the type can't be known, which must bind nothing.

use super::tests::check;

const SOURCE: &str = "
//- src/source.ts
export class Sink { next(value: number): void {} }
export class Bin { next(value: number): void {} }
export class Source {
  constructor(start?: (this: Source, sink: Sink) => void) {}
  each(visit: (sink: Sink, at: number) => void, rest = 1): void {}
  anything(visit: Function): void {}
  list(): Sink[] { return []; }
}
export function operate<T>(init: (from: Source, to: Sink) => (() => void) | void): void {}
export type Visit = (sink: Sink) => void;
export function later(visit: Visit | undefined): void {}
";

fn with_source(file: &str) -> String {
    format!("{SOURCE}//- src/use.ts\nimport {{ Source, Sink, Bin, operate, later }} from './source';\n{file}")
}

#[test]
fn a_callback_gets_the_types_of_its_callees_parameter() {
    check(
        &with_source("export function a(s: Source) { s.each((x, at) => { x.next(at); }); }\n"),
        "src/source.ts::Sink.next",
        &["a:2"],
    );
    check(&with_source("export function b() { operate((from, to) => to.next(1)); }\n"), "src/source.ts::Sink.next", &["b:2"]);
    check(
        &with_source("export function c() { return new Source(function (x) { x.next(1); }); }\n"),
        "src/source.ts::Sink.next",
        &["c:2"],
    );
    check(&with_source("export function d() { later(x => x.next(1)); }\n"), "src/source.ts::Sink.next", &["d:2"]);
    check(
        &with_source("export function e(s: Source) { s.list().forEach(x => x.next(1)); }\n"),
        "src/source.ts::Sink.next",
        &["e:2"],
    );
    check(&with_source("export function f(s: Source) { s.each(x => x.next(1)); }\n"), "src/source.ts::Bin.next", &[]);
}

#[test]
fn a_callback_of_an_unknown_callee_or_another_position_gets_nothing() {
    for code in [
        "export function a(s: any) { s.each(x => x.next(1)); }\n",
        "export function b(s: Source) { s.anything(x => x.next(1)); }\n",
        "export function c(s: Source) { s.each((sink, x) => x.next(1)); }\n",
        "export function d(s: Source) { s.each(s, x => x.next(1)); }\n",
        "export function e() { operate((x, to) => x.next(1)); }\n",
    ] {
        check(&with_source(code), "src/source.ts::Sink.next", &[]);
    }
    // A written type says more than the place.
    check(&with_source("export function f(s: Source) { s.each((x: Bin) => x.next(1)); }\n"), "src/source.ts::Sink.next", &[]);
}

#[test]
fn an_undeclared_result_follows_from_what_is_returned() {
    let made = "export function make() { if (!ready) { return; } return new Sink(); }\nexport const arrow = () => new Sink();\n";
    check(&with_source(&format!("{made}export function a() {{ make().next(1); }}\n")), "src/source.ts::Sink.next", &["a:4"]);
    check(&with_source(&format!("{made}export function b() {{ arrow().next(1); }}\n")), "src/source.ts::Sink.next", &["b:4"]);
    // What an inner function returns is not what the outer one does.
    let inner = "export function make() { list.map(() => { return new Sink(); }); }\n";
    check(&with_source(&format!("{inner}export function c() {{ make().next(1); }}\n")), "src/source.ts::Sink.next", &[]);
    let declared = "export function make(): Bin { return other as Sink; }\n";
    check(&with_source(&format!("{declared}export function d() {{ make().next(1); }}\n")), "src/source.ts::Sink.next", &[]);
}

const PYTHON: &str = "
//- app/box.py
from typing import Callable


class Item:
    def run(self):
        pass


class Lid:
    def run(self):
        pass


class Box:
    def make(self):
        return Item()

    def all(self):
        yield Item()

    def visit(self, each: Callable[[Item, int], None]):
        pass
";

#[test]
fn python_results_and_lambdas_are_followed() {
    let with = |code: &str| format!("{PYTHON}//- app/use.py\nfrom app.box import Box\n\n\n{code}");
    check(&with("def a(box: Box):\n    box.make().run()\n"), "app/box.py::Item.run", &["a:5"]);
    check(&with("def b(box: Box):\n    box.visit(lambda item, n: item.run())\n"), "app/box.py::Item.run", &["b:5"]);
    check(&with("def c(box: Box):\n    box.visit(lambda n, item: item.run())\n"), "app/box.py::Item.run", &[]);
    // A generator is no item.
    check(&with("def d(box: Box):\n    box.all().run()\n"), "app/box.py::Item.run", &[]);
    check(&with("def e(box: Box):\n    box.make().run()\n"), "app/box.py::Lid.run", &[]);
}

#[test]
fn super_looks_at_all_supertypes_in_order() {
    let tree = "
//- app/base.py
class Mixin:
    def help(self):
        pass


class Base:
    def start(self):
        pass

    def help(self):
        pass


class Own(Mixin, Base):
    def start(self):
        super().start()
        super().help()
        super().stop()

    def stop(self):
        pass
";
    check(tree, "app/base.py::Base.start", &["start:16"]);
    check(tree, "app/base.py::Mixin.help", &["start:17"]);
    check(tree, "app/base.py::Base.help", &[]);
    check(tree, "app/base.py::Own.stop", &[]);
}

#[test]
fn a_value_is_never_the_interface_of_its_name() {
    let tree = "
//- src/schema.ts
export interface Maker { init(a: number): void }
export interface Text { length(): number }
export const Text: Maker = make();
//- src/use.ts
import { Text } from './schema';
import * as all from './schema';
export function a() { Text.init(1); }
export function b(t: Text) { t.length(); }
export function c() { all.Text.init(1); }
";
    check(tree, "src/schema.ts::Maker.init", &["a:3", "c:5"]);
    check(tree, "src/schema.ts::Text.length", &["b:4"]);
}

const RUST: &str = "
//- Cargo.toml
[package]
name = \"app\"
//- src/lib.rs
pub struct Dir;
pub struct Cmd;
impl Dir { pub fn command(&self) -> Cmd { Cmd } pub fn each<F>(&self, f: F) where F: FnMut(&Cmd) {} }
impl Cmd { pub fn arg(&mut self) -> &mut Cmd { self } }
macro_rules! case { ($e:expr) => {}; }
";

#[test]
fn closures_and_locals_among_tokens_have_types() {
    check(&format!("{RUST}case!(|dir: Dir, mut cmd: Cmd| {{ cmd.arg(); }});\n"), "src/lib.rs::Cmd.arg", &["lib.rs:6"]);
    check(
        &format!("{RUST}case!(|dir: Dir| {{ let mut cmd = dir.command(); cmd.arg(); }});\n"),
        "src/lib.rs::Cmd.arg",
        &["lib.rs:6"],
    );
    // An operator makes something else of it.
    check(&format!("{RUST}case!(|dir: Dir| {{ let cmd = dir.command() + 1; cmd.arg(); }});\n"), "src/lib.rs::Cmd.arg", &[]);
    check(&format!("{RUST}case!(|dir, cmd| {{ cmd.arg(); }});\n"), "src/lib.rs::Cmd.arg", &[]);
}

#[test]
fn rust_closures_get_what_the_bound_says() {
    check(&format!("{RUST}pub fn a(d: &Dir) {{ d.each(|c| {{ c.arg(); }}); }}\n"), "src/lib.rs::Cmd.arg", &["a:6"]);
    check(&format!("{RUST}pub fn b(d: &Dir) {{ let m = |n: u8| d.command(); m(1).arg(); }}\n"), "src/lib.rs::Cmd.arg", &["b:6"]);
    check(&format!("{RUST}pub fn c(d: &Unknown) {{ d.each(|c| {{ c.arg(); }}); }}\n"), "src/lib.rs::Cmd.arg", &[]);
}

#[test]
fn macros_are_bound_by_where_they_are_written() {
    let tree = "
//- Cargo.toml
[workspace]
members = [\"one\", \"two\"]
//- one/Cargo.toml
[package]
name = \"one\"
//- one/src/lib.rs
mod macros;
pub fn a() { check!(1); }
pub fn b() { matches!(1, 2); }
//- one/src/macros.rs
macro_rules! check { ($e:expr) => {}; }
//- two/Cargo.toml
[package]
name = \"two\"
//- two/src/lib.rs
macro_rules! check { ($e:expr) => {}; }
pub fn c() { check!(1); }
mod inner { macro_rules! matches { ($e:expr) => {}; } fn d() { matches!(1); } }
";
    check(tree, "one/src/macros.rs::check", &["a:2"]);
    check(tree, "two/src/lib.rs::check", &["c:2"]);
    check(tree, "two/src/lib.rs::inner.matches", &["d:3"]);
}

#[test]
fn an_exported_macro_is_reached_through_its_crate() {
    let tree = "
//- Cargo.toml
[package]
name = \"app\"
//- src/lib.rs
mod macros;
//- src/macros.rs
#[macro_export]
macro_rules! pick { ($e:expr) => {}; }
macro_rules! hidden { ($e:expr) => {}; }
//- tests/t.rs
fn a() { app::pick!(1); }
fn b() { app::hidden!(1); }
";
    check(tree, "src/macros.rs::pick", &["a:1"]);
    check(tree, "src/macros.rs::hidden", &[]);
}

#[test]
fn a_function_and_the_module_of_its_name_are_told_apart() {
    let tree = "
//- Cargo.toml
[package]
name = \"app\"
//- src/lib.rs
pub mod task;
pub use task::spawn;
pub fn a() { crate::task::spawn(1); }
pub fn b() { task::spawn::other(1); }
//- src/task/mod.rs
mod spawn;
pub use spawn::spawn;
//- src/task/spawn.rs
pub fn spawn(a: u8) {}
pub fn other(a: u8) {}
//- tests/t.rs
fn c() { app::spawn(1); }
fn d() { app::task::spawn(1); }
fn e() { app::task(1); }
";
    check(tree, "src/task/spawn.rs::spawn", &["a:3", "c:1", "d:2"]);
    check(tree, "src/task/spawn.rs::other", &["b:4"]);
}

#[test]
fn a_declared_type_comes_before_the_literal_it_is_given() {
    let tree = "
//- src/clock.ts
export interface Clock { now(): number }
export const clock: Clock = { now() { return 1; } };
export const plain = { now() { return 1; } };
//- src/use.ts
import { clock, plain } from './clock';
export function a() { clock.now(); }
export function b() { plain.now(); }
";
    check(tree, "src/clock.ts::Clock.now", &["a:2"]);
    check(tree, "src/clock.ts::plain.now", &["b:3"]);
    check(tree, "src/clock.ts::clock.now", &[]);
}

#[test]
fn headers_of_the_standard_library_are_the_compilers() {
    let tree = "
//- shim/string.h
static int copy(int a) { return a; }
//- lib/own.h
static int own(int a) { return a; }
//- lib/use.c
#include <string.h>
#include <own.h>
int a(void) { return own(1); }
";
    check(tree, "lib/own.h::own", &["a:3"]);
    let graph = super::tests::linked(tree);
    let shim = graph.by_id("shim/string.h").expect("the header");
    assert_eq!(graph.incoming(shim).count(), 0);
}
