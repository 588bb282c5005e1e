//! Relinking gives the graph that linking everything gives.
//!
//! Small projects in which every name is used across files are edited at random, and after each edit the columns are compared
//! byte for byte with those of a cold link.

use proptest::prelude::*;

use super::*;
use crate::facts::{ExtractLimits, extract};
use crate::graph::FileStatus;
use crate::lang::Lang;

/// Pieces of source of one language; a file is some of them, in this order.
struct Pool {
    path: fn(usize) -> String,
    pieces: &'static [&'static str],
    fixed: &'static [(&'static str, &'static str)],
}

const FILES: usize = 4;

const PYTHON: Pool = Pool {
    path: |at| format!("p/m{at}.py"),
    pieces: &[
        "from p.m1 import a, B\n",
        "from p.m2 import B as D, C\n",
        "from p.m3 import *\n",
        "import p.m2\n",
        "class C:\n    def stop(self):\n        pass\n",
        "class C:\n    def __init__(self, x):\n        self.x = x\n    def stop(self):\n        return self.x\n",
        "class B(C):\n    def run(self) -> C:\n        return self\n",
        "class B:\n    def run(self):\n        self.stop()\n",
        "def a():\n    return B()\n",
        "def a(x) -> C:\n    return x\n",
        "v = a()\n",
        "def use(x: B):\n    x.run().stop()\n    a().run()\n    D().stop()\n    p.m2.a()\n    v.run()\n    B(1).stop()\n",
        "def more(y: C):\n    y.stop()\n    y.gone()\n    lib.call()\n",
        "\n\n# moved down\n",
    ],
    fixed: &[("p/__init__.py", "")],
};

const SCRIPT: Pool = Pool {
    path: |at| format!("s/m{at}.ts"),
    pieces: &[
        "import { a, B } from './m1';\n",
        "import D from './m2';\n",
        "import * as two from './m2';\n",
        "export * from './m3';\n",
        "export interface C { stop(): void; x: number }\n",
        "export class C { x = 1; stop() { return this.x } }\n",
        "export class B extends C { run(): C { return this } }\n",
        "export class B { constructor(private c: C) {} run() { this.c.stop() } }\n",
        "export default class E { go() { return new B() } }\n",
        "export function a(): B { return new B() }\n",
        "export const a = () => new C();\n",
        "export { a as other };\n",
        "function use(x: B) { x.run().stop(); a().run(); new D().go(); two.a(); }\n",
        "two.other(); lib.call(); new B(1);\n",
        "// moved\n\n",
    ],
    fixed: &[],
};

const GO: Pool = Pool {
    path: |at| format!("g{}/m{at}.go", at / 2),
    pieces: &[
        "package g\n",
        "import \"ex.org/x/g0\"\n",
        "import other \"ex.org/x/g1\"\n",
        "type Stopper interface { Stop() }\n",
        "type Stopper interface { Stop(); Run() Stopper }\n",
        "type C struct { Next *C }\n",
        "type B struct { C }\n",
        "func (c *C) Stop() { c.Next.Stop() }\n",
        "func (b *B) Run() Stopper { return b }\n",
        "func A() *B { return &B{} }\n",
        "func A(x int) C { return C{} }\n",
        "func use(s Stopper) { s.Stop(); A().Run(); A().Stop(); g.A(); other.A().Stop() }\n",
        "var v = A()\nfunc more() { v.Stop(); v.Next.Stop(); missing() }\n",
        "\n// moved\n",
    ],
    fixed: &[("go.mod", "module ex.org/x\n")],
};

const RUST: Pool = Pool {
    path: |at| if at == 0 { "src/lib.rs".to_owned() } else { format!("src/m{at}.rs") },
    pieces: &[
        "mod m1; pub mod m2; mod m3;\n",
        "use crate::m1::{a, B};\n",
        "pub use crate::m2::C as D;\n",
        "use super::*;\n",
        "pub trait Stop { fn stop(&self); fn twice(&self) { self.stop() } }\n",
        "pub struct C { pub next: Option<Box<C>> }\n",
        "pub struct B(pub C);\n",
        "impl C { pub fn new() -> C { C { next: None } } pub fn stop(&self) {} }\n",
        "impl Stop for B { fn stop(&self) { self.0.stop() } }\n",
        "pub fn a() -> B { B(C::new()) }\n",
        "pub fn a(x: u8) -> C { C::new() }\n",
        "pub mod inner { pub fn a() {} }\n",
        "macro_rules! m { () => {} }\n",
        "fn using(b: &B) { b.stop(); a().stop(); b.0.stop(); m!(); D::new().stop(); crate::m2::a(); inner::a(); }\n",
        "// moved\n\n",
    ],
    fixed: &[("Cargo.toml", "[package]\nname = \"x\"\n")],
};

const JAVA: Pool = Pool {
    path: |at| format!("j/M{at}.java"),
    pieces: &[
        "package j;\n",
        "import j.C;\n",
        "import static j.B.*;\n",
        "class C { C next; C() {} void stop() { next.stop(); } }\n",
        "class C { C(int x) {} static C of() { return new C(1); } void stop() {} void stop(int x) {} }\n",
        "interface R { C run(); }\n",
        "class B extends C implements R { public C run() { stop(); return this; } }\n",
        "class B { C c = C.of(); C run() { return c; } static void a() {} }\n",
        "class Use { void use(B b) { b.run().stop(); b.stop(1); new C().stop(); C.of().stop(); a(); R r = b; r.run(); } }\n",
        "// moved\n\n",
    ],
    fixed: &[],
};

const C: Pool = Pool {
    path: |at| format!("c/m{at}.{}", if at < 2 { "h" } else { "c" }),
    pieces: &[
        "#include \"m0.h\"\n",
        "#include \"m1.h\"\n",
        "struct c { struct c *next; };\n",
        "struct c { int x; };\n",
        "int a(struct c *x);\n",
        "int a(struct c *x) { return b(x->next); }\n",
        "static int b(struct c *x) { return a(x); }\n",
        "int b(struct c *x);\n",
        "#define M(x) a(x)\n",
        "void use(struct c *x) { a(x); b(x); M(x); missing(); }\n",
        "/* moved */\n\n",
    ],
    fixed: &[],
};

/// Names from outside, handed from file to file.
const PYTHON_OUTSIDE: Pool = Pool {
    path: |at| format!("p/m{at}.py"),
    pieces: &[
        "from requests import Session, get as load\n",
        "from httpx import Client as Session\n",
        "from p.m1 import Session\n",
        "from p.m2 import *\n",
        "import os.path\n",
        "from unittest import TestCase\n",
        "class A(TestCase):\n    s: Session\n    def t(self):\n        self.fail()\n        self.s.close()\n",
        "class A(Session):\n    def t(self):\n        self.fail()\n",
        "def make() -> Session:\n    return load()\n",
        "s = Session()\n",
        "def use(a: A):\n    make().send()\n    a.s.post()\n    s.get()\n    a.t()\n    os.path.join(len(a))\n    load()\n",
        "def len(x):\n    return x\n",
        "\n# moved\n",
    ],
    fixed: &[("p/__init__.py", "")],
};

const SCRIPT_OUTSIDE: Pool = Pool {
    path: |at| format!("s/m{at}.ts"),
    pieces: &[
        "import { Client, open } from 'lib';\n",
        "import { Client } from 'other';\n",
        "import { Client } from './m1';\n",
        "export { Client, open } from './m2';\n",
        "export * from 'lib';\n",
        "export { Client } from 'lib';\n",
        "export class A extends Client { c: Client = new Client(); }\n",
        "export class A { constructor(private c: Client) { this.c.close() } }\n",
        "export function make(): Client { return open() }\n",
        "function use(a: A) { make().send(); a.c.post(); new Client().get(); JSON.parse(open()) }\n",
        "const JSON = 1;\n",
        "// moved\n\n",
    ],
    fixed: &[],
};

const GO_OUTSIDE: Pool = Pool {
    path: |at| format!("g{}/m{at}.go", at / 2),
    pieces: &[
        "package g\n",
        "import \"github.com/a/lib\"\n",
        "import lib \"github.com/b/lib\"\n",
        "import \"fmt\"\n",
        "import other \"ex.org/x/g1\"\n",
        "type A struct { c *lib.Client }\n",
        "type A struct { lib.Client }\n",
        "func Make() *lib.Client { return lib.Open() }\n",
        "func Make() A { return A{} }\n",
        "func use(a A) { Make().Send(); a.c.Post(); fmt.Println(len(a)); other.Make().Get() }\n",
        "func len(a A) int { return 0 }\n",
        "\n// moved\n",
    ],
    fixed: &[("go.mod", "module ex.org/x\n")],
};

const RUST_OUTSIDE: Pool = Pool {
    path: |at| if at == 0 { "src/lib.rs".to_owned() } else { format!("src/m{at}.rs") },
    pieces: &[
        "mod m1; pub mod m2; mod m3;\n",
        "pub use lib::Client;\n",
        "pub use std::fs::File as Client;\n",
        "use crate::m1::Client;\n",
        "use super::*;\n",
        "use lib::{self, net};\n",
        "pub struct A { pub c: Client }\n",
        "pub struct A(pub Client);\n",
        "pub fn make() -> Client { lib::open() }\n",
        "fn using(a: &A) { make().send(); a.c.post(); a.0.put(); Client::new().get(); net::dial(); Vec::new(); }\n",
        "pub struct Vec;\n",
        "// moved\n\n",
    ],
    fixed: &[("Cargo.toml", "[package]\nname = \"x\"\n[dependencies]\nlib = \"1\"\n")],
};

const JAVA_OUTSIDE: Pool = Pool {
    path: |at| format!("j/M{at}.java"),
    pieces: &[
        "package j;\n",
        "import org.lib.Client;\n",
        "import java.net.Client;\n",
        "import static org.lib.Tool.open;\n",
        "import org.lib.*;\n",
        "class A extends Client { Client c; void t() { close(); c.post(); } }\n",
        "class A { Client c; String s; }\n",
        "class M { static Client make() { return open(); } }\n",
        "class Use { void use(A a) { M.make().send(); a.c.post(); new Client().get(); a.s.trim(); System.exit(0); } }\n",
        "class System { static void exit(int x) {} }\n",
        "// moved\n\n",
    ],
    fixed: &[],
};

fn entry(path: &str, text: &str) -> FileEntry {
    let lang = Lang::of_file(path, text.as_bytes());
    let facts = match lang {
        Some(lang) => extract(lang.compiled(), text.as_bytes(), ExtractLimits::default()),
        None => crate::facts::Facts::empty(0),
    };
    FileEntry {
        path: path.to_owned(),
        repo: 0,
        lang,
        status: FileStatus::Indexed,
        generated: false,
        size: text.len() as u64,
        mtime_ns: 0,
        hash: *blake3::hash(text.as_bytes()).as_bytes(),
        facts,
        grams: crate::graph::Section::default(),
        base: 0,
    }
}

fn entries(pool: &Pool, chosen: &[u32]) -> Vec<FileEntry> {
    let text = |bits: u32| -> String {
        let pieces = pool.pieces.iter().enumerate().filter(|(at, _)| bits & (1 << at) != 0);
        pieces.map(|(_, piece)| *piece).collect()
    };
    let written = chosen.iter().enumerate().map(|(at, bits)| entry(&(pool.path)(at), &text(*bits)));
    written.chain(pool.fixed.iter().map(|(path, text)| entry(path, text))).collect()
}

fn manifests(pool: &Pool) -> Vec<Manifest> {
    let listed = pool.fixed.iter().filter(|(path, _)| is_manifest(path));
    listed.map(|(path, text)| Manifest { path: (*path).to_owned(), text: (*text).to_owned() }).collect()
}

#[track_caller]
fn assert_same(a: &Graph, b: &Graph, context: &str) {
    let edges = |graph: &Graph| -> Vec<String> {
        let show = |edge: &EdgeRow| {
            let role =
                (edge.kind().as_str(), edge.role().as_str(), edge.tier().as_str(), edge.confidence, edge.usage, edge.flags);
            format!("{} -> {} at {}:{} {role:?}", graph.id(edge.from), graph.id(edge.to), edge.line, edge.col)
        };
        graph.edges.iter().map(show).collect()
    };
    let unbound = |graph: &Graph| -> Vec<String> {
        let show = |row: &crate::graph::UnboundRow| {
            format!(
                "{} {} at {}:{} {}",
                graph.id(row.owner),
                graph.names().text(row.name),
                row.line,
                row.col,
                row.reason().as_str()
            )
        };
        graph.unbound.iter().map(show).collect()
    };
    pretty(&edges(a), &edges(b), "edges", context);
    let externals = |graph: &Graph| -> Vec<String> {
        let show = |row: &crate::graph::ExternalRow| {
            let id = graph.externals().id(row.external);
            format!("{} {id} at {}:{} {} {}", graph.id(row.owner), row.line, row.col, row.role().as_str(), row.detail)
        };
        graph.externals().rows().iter().map(show).collect()
    };
    pretty(&unbound(a), &unbound(b), "unbound", context);
    pretty(&externals(a), &externals(b), "externals", context);
    assert_eq!(a.externals.rows.as_bytes(), b.externals.rows.as_bytes(), "external bytes {context}");
    assert_eq!(a.externals.ids.bytes.as_bytes(), b.externals.ids.bytes.as_bytes(), "external ids {context}");
    assert_eq!(a.externals.ids.nodes.as_bytes(), b.externals.ids.nodes.as_bytes(), "external order {context}");
    assert_eq!(a.parents.as_bytes(), b.parents.as_bytes(), "parents {context}");
    assert_eq!(a.edges.as_bytes(), b.edges.as_bytes(), "edge bytes {context}");
    assert_eq!(a.out_index.as_bytes(), b.out_index.as_bytes(), "out index {context}");
    assert_eq!(a.in_order.as_bytes(), b.in_order.as_bytes(), "in order {context}");
    assert_eq!(a.in_index.as_bytes(), b.in_index.as_bytes(), "in index {context}");
    assert_eq!(a.unbound.as_bytes(), b.unbound.as_bytes(), "unbound bytes {context}");
    assert_eq!(a.outside.as_bytes(), b.outside.as_bytes(), "outside {context}");
    let names = |graph: &Graph| -> Vec<(String, Vec<NodeId>)> {
        (0..graph.names().len() as u32).map(|at| (graph.names().text(at).to_owned(), graph.names().nodes(at).to_vec())).collect()
    };
    assert_eq!(names(a), names(b), "names {context}");
}

#[track_caller]
fn pretty(a: &[String], b: &[String], what: &str, context: &str) {
    let only_a: Vec<_> = a.iter().filter(|row| !b.contains(row)).collect();
    let only_b: Vec<_> = b.iter().filter(|row| !a.contains(row)).collect();
    assert!(only_a.is_empty() && only_b.is_empty(), "{what}, relinked only: {only_a:#?}\ncold only: {only_b:#?}\n{context}");
}

/// Runs a history of edits: of a file, which pieces it has.
fn run(pool: &Pool, start: [u32; FILES], edits: &[(usize, u32)]) -> Vec<Effort> {
    run_from(pool, start, edits, true)
}

/// The same; `keeps` says whether linking's state lives from edit to edit, as it does not where each starts from a snapshot.
fn run_from(pool: &Pool, start: [u32; FILES], edits: &[(usize, u32)], keeps: bool) -> Vec<Effort> {
    let manifests = manifests(pool);
    let repos = || vec!["repo".to_owned()];
    let mut chosen = start;
    let (mut graph, mut state) = link_keeping(entries(pool, &chosen), repos(), &manifests, 1);
    let mut efforts = Vec::new();
    for (step, (file, bits)) in edits.iter().enumerate() {
        chosen[*file] ^= bits;
        let files = entries(pool, &chosen);
        let generation = step as u64 + 2;
        let (next, kept, effort) = relink(&graph, keeps.then_some(state), files.clone(), &manifests, generation);
        let cold = link(files, repos(), &manifests, generation);
        assert_same(&next, &cold, &format!("after step {step} of {edits:?} from {start:?} ({effort:?})"));
        (graph, state) = (next, kept);
        efforts.push(effort);
    }
    efforts
}

fn history(pieces: usize) -> impl Strategy<Value = ([u32; FILES], Vec<(usize, u32)>)> {
    let mask = (1u32 << pieces) - 1;
    let edit = (0..FILES, prop_oneof![(0..pieces).prop_map(|bit| 1u32 << bit), any::<u32>().prop_map(move |bits| bits & mask)]);
    (prop::array::uniform4(any::<u32>().prop_map(move |bits| bits & mask)), prop::collection::vec(edit, 1..6))
}

macro_rules! relinks {
    ($($name:ident: $pool:expr;)*) => {
        $(proptest! {
            #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]
            #[test]
            fn $name((start, edits) in history($pool.pieces.len())) {
                run_from(&$pool, start, &edits, start[0] % 4 > 0);
            }
        })*
    };
}

relinks! {
    python_relinks_to_the_cold_graph: PYTHON;
    script_relinks_to_the_cold_graph: SCRIPT;
    go_relinks_to_the_cold_graph: GO;
    rust_relinks_to_the_cold_graph: RUST;
    java_relinks_to_the_cold_graph: JAVA;
    c_relinks_to_the_cold_graph: C;
    python_externals_relink: PYTHON_OUTSIDE;
    script_externals_relink: SCRIPT_OUTSIDE;
    go_externals_relink: GO_OUTSIDE;
    rust_externals_relink: RUST_OUTSIDE;
    java_externals_relink: JAVA_OUTSIDE;
}

#[test]
fn an_edit_inside_a_body_binds_one_file() {
    // The comment at the end moves nothing but lines.
    let all = (1 << PYTHON.pieces.len()) - 1;
    let moved = 1 << (PYTHON.pieces.len() - 1);
    assert_eq!(run(&PYTHON, [all & !moved; FILES], &[(1, moved)]), [Effort::Files(1)]);
}

#[test]
fn the_first_edit_after_a_snapshot_binds_no_more_than_the_next() {
    let all = (1 << PYTHON.pieces.len()) - 1;
    let moved = 1 << (PYTHON.pieces.len() - 1);
    assert_eq!(run_from(&PYTHON, [all & !moved; FILES], &[(1, moved)], false), [Effort::Files(1)]);
}

#[test]
fn a_new_function_binds_who_mentions_its_name() {
    // File 3 alone mentions `gone`'s sibling names; `v` is defined anew in file 0 and mentioned by the users of it.
    let efforts = run(&PYTHON, [0b1_0000, 0b10_0000_0000, 0b1_0000, 0b1_0000_0000_0000], &[(0, 1 << 10)]);
    assert_eq!(efforts, [Effort::Files(1)]);
}
