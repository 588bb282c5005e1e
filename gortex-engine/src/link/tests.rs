//! Linking, from source to callers: each case is a small tree and who calls what in it.

use crate::graph::{EdgeKind, Graph, NodeId, Tier};
use crate::index::build::graph_of;

mod csharp;
mod generics;
mod jvm;
mod zig;

/// Splits a fixture into files and links them.
pub(super) fn linked(fixture: &str) -> Graph {
    let mut files: Vec<(&str, &str)> = Vec::new();
    let mut rest = fixture.trim_start();
    while let Some(after) = rest.strip_prefix("//- ") {
        let (path, body) = after.split_once('\n').expect("a path line");
        let end = if body.starts_with("//- ") { 0 } else { body.find("\n//- ").map_or(body.len(), |at| at + 1) };
        files.push((path.trim(), &body[..end]));
        rest = &body[end..];
    }
    graph_of(&files)
}

pub(super) fn node(graph: &Graph, id: &str) -> NodeId {
    graph.by_id(id).unwrap_or_else(|| {
        let ids: Vec<String> = (0..graph.node_count()).map(|node| graph.id(node)).collect();
        panic!("no node `{id}` among {ids:#?}")
    })
}

/// `name:line tier` of each call and instantiation that reaches a symbol.
pub(super) fn callers(graph: &Graph, id: &str) -> Vec<String> {
    let target = node(graph, id);
    let mut rows: Vec<String> = graph
        .incoming(target)
        .filter(|edge| edge.kind().is_call())
        .map(|edge| {
            let weak = if edge.tier() == Tier::AstResolved { "" } else { " ~" };
            format!("{}:{}{weak}", graph.name(edge.from), edge.line)
        })
        .collect();
    rows.sort();
    rows
}

#[track_caller]
pub(super) fn check(fixture: &str, id: &str, expected: &[&str]) {
    let graph = linked(fixture);
    assert_eq!(callers(&graph, id), expected, "callers of {id}");
}

/// `kind target` of each edge that leaves a symbol.
pub(super) fn leaves(graph: &Graph, id: &str, kind: EdgeKind) -> Vec<String> {
    let mut rows: Vec<String> =
        graph.out(node(graph, id)).iter().filter(|edge| edge.kind() == kind).map(|edge| graph.id(edge.to)).collect();
    rows.sort();
    rows.dedup();
    rows
}

const LISTS: &str = "
//- app/__init__.py
//- app/log.py
def append(line):
    return line

def path():
    return 'x'
//- app/main.py
from app import log

def real():
    log.append('x')
    return log.path()

def fake():
    box = {}
    box.setdefault('k', []).append(1)
    items = []
    items.append(2)
    [].append(3)
";

// A function called `append` got every list's `.append(..)` as a caller and lost its own.
#[test]
fn case_15_a_collection_method_is_not_ours() {
    check(LISTS, "app/log.py::append", &["real:4"]);
    check(LISTS, "app/log.py::path", &["real:5"]);
}

const VENDOR: &str = "
//- src/demo/Report.java
package demo;

import org.vendor.Client;

class Report {
    private final Client client = new Client();

    void publish() {
        client.send(\"x\");
    }
}
//- src/demo/Mailer.java
package demo;

class Mailer {
    void send(String text) {
    }
}
//- web/poem.ts
export class Poem {
  describe() { return \"a poem\"; }
}
//- web/poem.spec.ts
import { take } from \"rxjs\";
describe(\"poem\", () => { take(1); });
//- web/shift.ts
export class Shift {
  take() { return 1; }
}
";

#[test]
fn case_16_a_call_into_a_library_stays_outside() {
    check(VENDOR, "src/demo/Mailer.java::Mailer.send", &[]);
    check(VENDOR, "web/poem.ts::Poem.describe", &[]);
    check(VENDOR, "web/shift.ts::Shift.take", &[]);
}

const STORE: &str = "
//- go.mod
module demo

go 1.22
//- store/store.go
package store

type Store interface {
	Drop(id string) error
}
//- store/disk.go
package store

type Disk struct{}

func (d *Disk) Drop(id string) error {
	return nil
}
//- svc/svc.go
package svc

import \"demo/store\"

type Service struct {
	orders store.Store
	disk   *store.Disk
}

func (s *Service) Cancel(id string) error {
	return s.orders.Drop(id)
}

func (s *Service) Wipe(id string) error {
	return s.disk.Drop(id)
}
";

#[test]
fn case_17_go_interfaces_are_satisfied_and_called() {
    check(STORE, "store/disk.go::Disk.Drop", &["Wipe:15"]);
    check(STORE, "store/store.go::Store.Drop", &["Cancel:11"]);
    let graph = linked(STORE);
    assert_eq!(leaves(&graph, "store/disk.go::Disk", EdgeKind::Implements), ["store/store.go::Store"]);
    assert_eq!(leaves(&graph, "store/disk.go::Disk.Drop", EdgeKind::Overrides), ["store/store.go::Store.Drop"]);
}

// A type that lacks a method, or has it with other parameters, is no implementation.
#[test]
fn go_types_without_all_methods_satisfy_nothing() {
    let graph = linked(
        "
//- a.go
package a

type Both interface {
	One()
	Two(x int)
}

type Half struct{}

func (h Half) One() {}

type Odd struct{}

func (o Odd) One() {}
func (o Odd) Two() {}

type Base struct{}

func (b Base) One() {}

type Whole struct{ Base }

func (w *Whole) Two(x int) {}
",
    );
    assert_eq!(leaves(&graph, "a.go::Half", EdgeKind::Implements), [""; 0]);
    assert_eq!(leaves(&graph, "a.go::Odd", EdgeKind::Implements), [""; 0]);
    assert_eq!(leaves(&graph, "a.go::Whole", EdgeKind::Implements), ["a.go::Both"]);
}

const LIST: &str = "
//- src/list.h
int list_len(void);
//- src/list.c
#include \"list.h\"

int list_len(void)
{
    return 0;
}

int near_caller(void)
{
    return list_len();
}
//- src/app.c
#include \"list.h\"

int far_caller(void)
{
    return list_len();
}
";

#[test]
fn case_18_callers_in_other_files_and_through_prototypes() {
    check(LIST, "src/list.c::list_len", &["far_caller:5", "near_caller:10"]);
}

const BARREL: &str = "
//- src/format.ts
export function formatDate(d: Date) {
  return d.toISOString();
}
//- src/index.ts
export { formatDate as fmt } from \"./format\";
export * from \"./extra\";
//- src/extra.ts
export * as tools from \"./format\";
//- src/use.ts
import { fmt } from \"./index\";
import { tools } from \"./index\";

export function show(d: Date) {
  return fmt(d);
}

export function viaSpace(d: Date) {
  return tools.formatDate(d);
}
";

#[test]
fn case_19_renaming_reexports_are_followed() {
    check(BARREL, "src/format.ts::formatDate", &["show:5", "viaSpace:9"]);
}

const ALIASES: &str = "
//- src/impl.ts
function work() {
  return 1;
}
export const run = work;
export { work as go };
export default work;
export const api = { start: work };
//- src/use.ts
import anything, { run, go, api } from \"./impl\";

export function a() { return run(); }
export function b() { return go(); }
export function c() { return anything(); }
export function d() { return api.start(); }
";

#[test]
fn case_20_a_function_keeps_its_callers_under_other_names() {
    check(ALIASES, "src/impl.ts::work", &["a:3 ~", "b:4", "c:5", "d:6 ~"]);
}

const PATHS: &str = "
//- tsconfig.json
{
  // comments and trailing commas are allowed here
  \"compilerOptions\": {
    \"baseUrl\": \"./src\",
    \"paths\": {
      \"@/*\": [\"*\"],
      \"@lib\": [\"lib/index.ts\"],
    },
  },
}
//- src/lib/tax.ts
export function tax(n: number) { return n / 5; }
//- src/lib/index.ts
export { tax } from \"./tax\";
//- src/app/cart.ts
import { tax } from \"@/lib/tax\";
export function cart() { return tax(5); }
//- src/app/bill.ts
import { tax } from \"@lib\";
export function bill() { return tax(6); }
//- src/app/near.ts
import { tax } from \"../lib/tax\";
export function near() { return tax(7); }
//- src/app/foreign.ts
import { tax } from \"taxes\";
export function foreign() { return tax(8); }
";

#[test]
fn case_21_configured_path_aliases() {
    check(PATHS, "src/lib/tax.ts::tax", &["bill:2", "cart:2", "near:2"]);
}

const JSX: &str = "
//- src/Footer.tsx
export function Footer({ note }: { note: string }) {
  return <p>{note}</p>;
}
export function footer() { return 1; }
//- src/Home.tsx
import { Footer } from \"./Footer\";
import * as UI from \"./Footer\";

export function Home() { return <Footer note=\"x\" />; }
export function Page() { return <UI.Footer note=\"y\"></UI.Footer>; }
export function Plain() { return <footer>no</footer>; }
";

#[test]
fn case_22_rendered_components_are_used() {
    check(JSX, "src/Footer.tsx::Footer", &["Home:4", "Page:5"]);
    check(JSX, "src/Footer.tsx::footer", &[]);
}

const JOBS: &str = "
//- demo/Jobs.java
package demo;

interface Hook {
    void fire();
}

class Jobs {
    Hook make() {
        return new Hook() {
            public void fire() {
                tick();
            }
        };
    }

    void fire() {
    }

    void tick() {
    }
}
";

#[test]
fn case_24_members_of_an_anonymous_class() {
    let graph = linked(JOBS);
    let target = node(&graph, "demo/Jobs.java::Jobs.tick");
    let from: Vec<String> = graph.incoming(target).map(|edge| graph.id(edge.from)).collect();
    assert_eq!(from.len(), 1);
    assert!(
        from[0].starts_with("demo/Jobs.java::Jobs.make.") && from[0].rsplit_once('.').is_some_and(|(_, last)| last == "fire"),
        "{from:?}"
    );
}

const MACRO: &str = "
//- Cargo.toml
[package]
name = \"m\"
//- src/lib.rs
pub const MARGIN: u32 = 4;

pub fn side(n: u32) -> u32 {
    n * n
}

#[macro_export]
macro_rules! frame {
    ($w:expr) => {
        $crate::side($w) + 2 * $crate::MARGIN
    };
}

pub fn plain() -> u32 {
    side(3) - MARGIN
}
";

#[test]
fn case_26_uses_in_a_macro_body() {
    check(MACRO, "src/lib.rs::side", &["frame:10", "plain:15"]);
    let graph = linked(MACRO);
    let margin = node(&graph, "src/lib.rs::MARGIN");
    let lines: Vec<u32> = graph.incoming(margin).map(|edge| edge.line).collect();
    assert_eq!(lines, [10, 15]);
}

const CRATES: &str = "
//- Cargo.toml
[workspace]
members = [\"a\", \"b\"]
//- a/Cargo.toml
[package]
name = \"my-lib\"
//- a/src/lib.rs
mod deep;
pub mod shapes;
pub use deep::inner::helper as renamed;
pub struct Point { pub x: i32 }
impl Point {
    pub fn new(x: i32) -> Self { Point { x } }
    pub fn shift(&self, by: i32) -> Option<Point> { Some(Point::new(self.x + by)) }
}
pub fn start() { deep::run(); }
//- a/src/deep.rs
pub mod inner;
pub fn run() { inner::helper(); self::inner::helper(); super::start(); crate::deep::inner::helper() }
//- a/src/deep/inner.rs
use super::super::Point;
pub fn helper() { let p = Point::new(1); p.shift(2).unwrap().shift(3); }
//- a/src/shapes.rs
pub trait Shape { fn area(&self) -> f64; fn twice(&self) -> f64 { self.area() * 2.0 } }
pub struct Square(pub f64);
impl Shape for Square { fn area(&self) -> f64 { self.0 } }
pub fn all(shapes: &[Box<dyn Shape>]) -> f64 { shapes.iter().map(|s| s.area()).sum() }
pub fn one(s: Square) -> f64 { s.area() + s.twice() }
//- b/Cargo.toml
[package]
name = \"b\"
//- b/src/main.rs
use my_lib::{renamed, Point};
fn main() { renamed(); let p = Point::new(5); p.shift(1); my_lib::start(); }
";

#[test]
fn rust_paths_methods_and_crates() {
    check(CRATES, "a/src/deep/inner.rs::helper", &["main:2", "run:2", "run:2", "run:2"]);
    check(CRATES, "a/src/lib.rs::start", &["main:2", "run:2"]);
    check(CRATES, "a/src/lib.rs::Point.shift", &["helper:2", "helper:2", "main:2"]);
    check(CRATES, "a/src/lib.rs::Point.new", &["helper:2", "main:2", "shift:7"]);
    check(CRATES, "a/src/shapes.rs::Square.area", &["one:5"]);
    check(CRATES, "a/src/shapes.rs::Shape.twice", &["one:5"]);
    check(CRATES, "a/src/shapes.rs::Shape.area", &["all:4", "twice:1"]);
}

const CHAIN: &str = "
//- pkg/__init__.py
from .core import Engine
//- pkg/core.py
from __future__ import annotations
from typing import Optional

class Base:
    def stop(self):
        self.log()

    def log(self):
        pass

class Engine(Base):
    def __init__(self, size: int):
        self.size = size
        self.next = Part()

    def run(self) -> Part:
        self.stop()
        self.next.turn()
        return self.next

    def log(self):
        super().log()

class Part:
    def turn(self) -> 'Part':
        return self
//- use.py
import pkg
from pkg import Engine
from pkg import core as c

def typed(engine: Engine, maybe: 'Optional[Engine]' = None):
    engine.run().turn().turn()
    maybe.stop()

def made():
    engine = Engine(3)
    engine.run()
    pkg.core.Engine(4).run()
    c.Part().turn()
    with Engine(5) as other:
        pass

def unknown(thing):
    thing.run()
    thing.turn()
";

#[test]
fn python_receivers_from_hints_constructors_and_chains() {
    check(CHAIN, "pkg/core.py::Engine.run", &["made:11", "made:12", "typed:6"]);
    check(CHAIN, "pkg/core.py::Part.turn", &["made:13", "run:18", "typed:6", "typed:6"]);
    check(CHAIN, "pkg/core.py::Base.stop", &["run:17", "typed:7"]);
    check(CHAIN, "pkg/core.py::Base.log", &["log:22", "stop:6"]);
    check(CHAIN, "pkg/core.py::Engine", &["made:10", "made:12", "made:14"]);
    check(CHAIN, "pkg/core.py::Engine.__init__", &["made:10", "made:12", "made:14"]);
    let graph = linked(CHAIN);
    let unknown = graph.unbound_of(node(&graph, "use.py::unknown"));
    let names: Vec<&str> = unknown.iter().map(|row| graph.names().text(row.name)).collect();
    assert_eq!(names, ["run", "turn"]);
}

const OVERLOADS: &str = "
//- demo/A.java
package demo;

import static demo.Util.help;
import java.util.List;

public class A extends Base {
    private final Repo repo;
    A(Repo repo) { this.repo = repo; }
    void go(List<Item> items) {
        repo.find(1).name();
        repo.find(1, 2);
        help();
        inherited();
        for (Item item : items) { item.name(); }
        var made = new Item();
        made.name();
        Util.help();
    }
}
//- demo/Base.java
package demo;
class Base { void inherited() {} }
//- demo/Repo.java
package demo;
class Repo {
    Item find(int a) { return null; }
    Item find(int a, int b) { return null; }
}
//- demo/Item.java
package demo;
class Item { String name() { return null; } }
//- demo/Util.java
package demo;
class Util { static void help() {} }
//- other/Item.java
package other;
class Item { String name() { return null; } }
";

#[test]
fn java_fields_overloads_imports_and_packages() {
    check(OVERLOADS, "demo/Item.java::Item.name", &["go:10", "go:14", "go:16"]);
    check(OVERLOADS, "other/Item.java::Item.name", &[]);
    check(OVERLOADS, "demo/Repo.java::Repo.find", &["go:10"]);
    check(OVERLOADS, "demo/Repo.java::Repo.find~2", &["go:11"]);
    check(OVERLOADS, "demo/Util.java::Util.help", &["go:12", "go:17"]);
    check(OVERLOADS, "demo/Base.java::Base.inherited", &["go:13"]);
}

const CPP: &str = "
//- shape.hpp
#pragma once
namespace geo {
class Shape {
 public:
  virtual double area() const = 0;
  double twice() const;
};
class Square : public Shape {
 public:
  explicit Square(double s);
  double area() const override;
 private:
  double side_;
};
double total(const Shape& shape);
}
//- shape.cpp
#include \"shape.hpp\"
namespace geo {
Square::Square(double s) : side_(s) {}
double Square::area() const { return side_ * side_; }
double Shape::twice() const { return area() * 2; }
double total(const Shape& shape) { return shape.twice(); }
}
//- main.cpp
#include \"shape.hpp\"
#include <memory>
int main() {
  geo::Square s(2);
  auto p = std::make_unique<geo::Square>(3);
  return s.area() + geo::total(s) + p->area();
}
";

#[test]
fn cpp_members_namespaces_and_headers() {
    check(CPP, "shape.cpp::geo.total", &["main:6"]);
    check(CPP, "shape.cpp::geo.Shape.twice", &["total:6"]);
    let graph = linked(CPP);
    let square = node(&graph, "shape.hpp::geo.Square");
    assert_eq!(graph.children(square).len(), 5, "{:?}", graph.children(square).iter().map(|n| graph.id(*n)).collect::<Vec<_>>());
}

#[test]
fn linking_is_deterministic() {
    let (one, two) = (linked(CHAIN), linked(CHAIN));
    assert_eq!(one.edges(), two.edges());
    assert_eq!(one.unbound(), two.unbound());
}

#[test]
fn an_empty_tree_links() {
    assert_eq!(graph_of(&[]).node_count(), 0);
    assert_eq!(graph_of(&[("a.py", "")]).node_count(), 1);
}

// Looking up an alias's own text asked the alias for its members, without end.
#[test]
fn aliases_of_each_other_end() {
    let fixture = "
//- a.go
package a

type One Two
type Two One
type Chain []Handler
type Handler func(*Ctx)
type Ctx struct{ chain Chain }

func (c Chain) Last() Handler { return c[0] }
func (o One) Run() {}
func use(c *Ctx, o One, t Two) { c.chain.Last(); o.Run(); t.Missing() }
";
    check(fixture, "a.go::Chain.Last", &["use:11"]);
    check(fixture, "a.go::One.Run", &["use:11"]);
}

#[test]
fn go_named_results_and_named_collections() {
    let fixture = "
//- a.go
package a

type Ctx struct{}

func (c *Ctx) Json() {}

type List []*Ctx

func make2() (c *Ctx, err error) { return nil, nil }

func use(l List) {
	c, _ := make2()
	c.Json()
	for _, one := range l {
		one.Json()
	}
	l[0].Json()
}
";
    check(fixture, "a.go::Ctx.Json", &["use:13", "use:15", "use:17"]);
}

// Modules, impls and imports inside `cfg_…! { }` were only seen as loose tokens.
#[test]
fn rust_items_inside_item_macros_are_linked() {
    let fixture = "
//- Cargo.toml
[package]
name = \"m\"
//- src/lib.rs
macro_rules! cfg_rt { ($($item:item)*) => { $($item)* } }
cfg_rt! {
    pub mod notify;
    pub use notify::Notify;

    impl Notify {
        pub fn twice(&self) { self.once(); self.once() }
    }
}
pub fn user(n: Notify) { n.twice() }
//- src/notify.rs
pub struct Notify;
impl Notify { pub fn once(&self) {} }
";
    check(fixture, "src/lib.rs::Notify.twice", &["user:10"]);
    check(fixture, "src/notify.rs::Notify.once", &["twice:7", "twice:7"]);
}

// `it("combine")` defined a function that took the calls of the imported one.
#[test]
fn test_titles_capture_no_calls() {
    let fixture = "
//- src/combine.ts
export function combine() {}
//- src/combine.test.ts
import { combine } from './combine';
describe('all', () => {
  it('combine', () => { combine(); });
  it('twice', () => { combine(); });
});
";
    check(fixture, "src/combine.ts::combine", &["combine:3", "twice:4"]);
}

const EQUALS: &str = "
//- a/A.java
package a;
class A {
    A() {}
    A self(A a) { return (A) a; }
    void f(String s) {}
    void f(int i) {}
    void f(int i, int j) {}
    void go() { f(1); f(1, 2); new A(); }
}
";

// Overloads of one parameter count were all taken for the first.
#[test]
fn java_overloads_that_fit_alike_are_all_named_as_inferred() {
    check(EQUALS, "a/A.java::A.f", &["go:8 ~"]);
    check(EQUALS, "a/A.java::A.f~2", &["go:8 ~"]);
    check(EQUALS, "a/A.java::A.f~3", &["go:8"]);
    check(EQUALS, "a/A.java::A", &["go:8"]);
    let graph = linked(EQUALS);
    let types = graph.incoming(node(&graph, "a/A.java::A")).filter(|edge| !edge.kind().is_call()).count();
    assert_eq!(types, 3, "parameter, result and cast");
}

#[test]
fn commonjs_modules_pass_on_what_they_are() {
    let fixture = "
//- index.js
module.exports = require('./lib/core');
//- lib/core.js
var View = require('./view');
exports = module.exports = createApp;
function createApp() { return new View(View); }
//- lib/view.js
module.exports = View;
function View() { this.name = 1; this.lookup(); }
View.prototype.lookup = function lookup() { return this.again(); };
View.prototype.again = function () {};
//- test/app.js
var app = require('../');
function t() { app(); }
";
    check(fixture, "lib/core.js::createApp", &["t:2"]);
    check(fixture, "lib/view.js::View.lookup", &["View:2"]);
    check(fixture, "lib/view.js::View.again", &["lookup:3"]);
    let graph = linked(fixture);
    let read =
        graph.incoming(node(&graph, "lib/view.js::View")).any(|edge| edge.role() == crate::facts::Role::Read && edge.line == 3);
    assert!(read, "the module handed over as a value");
}

#[test]
fn sub_path_exports_of_workspace_packages() {
    let fixture = "
//- packages/zod/package.json
{ \"name\": \"zod\", \"exports\": { \".\": \"./index.js\", \"./v3\": { \"@zod/source\": \"./src/v3/index.ts\", \"import\": \"./v3/index.js\" } } }
//- packages/zod/src/v3/index.ts
export function parse() {}
//- packages/zod/test.ts
import * as z from 'zod/v3';
export function use() { z.parse(); }
";
    check(fixture, "packages/zod/src/v3/index.ts::parse", &["use:2"]);
}

// An impl in another file, or on a type that is not ours, lost its mention of the trait.
#[test]
fn rust_impls_elsewhere_mention_their_trait() {
    let fixture = "
//- Cargo.toml
[package]
name = \"m\"
//- src/lib.rs
mod a;
mod b;
pub trait Tr { fn go(&self); }
//- src/a.rs
pub struct S;
//- src/b.rs
use crate::{Tr, a::S};
impl Tr for S { fn go(&self) {} }
impl Tr for str { fn go(&self) {} }
";
    let graph = linked(fixture);
    let mut places: Vec<(String, u32)> = graph
        .incoming(node(&graph, "src/lib.rs::Tr"))
        .filter(|edge| edge.flags & crate::graph::edge_flag::DERIVED == 0)
        .map(|edge| (graph.file_of(edge.from).path.clone(), edge.line))
        .collect();
    places.sort();
    let b = "src/b.rs".to_owned();
    assert_eq!(places, [(b.clone(), 1), (b.clone(), 2), (b, 3)]);
    assert_eq!(leaves(&graph, "src/a.rs::S", EdgeKind::Implements), ["src/lib.rs::Tr"]);
    let replaced = graph.incoming(node(&graph, "src/lib.rs::Tr.go")).filter(|edge| edge.kind() == EdgeKind::Overrides).count();
    assert_eq!(replaced, 2);
}
