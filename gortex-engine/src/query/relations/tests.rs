//! Relations over small trees, in several languages.

use super::*;
use crate::index::build::graph_of;

const DEEP: Reach = Reach { depth: 3, limit: 0, merge: false };

/// `from kind line` of each row, in the order of the answer.
fn told(graph: &Graph, found: &Subgraph) -> Vec<String> {
    found
        .links
        .iter()
        .map(|link| format!("{} {} {}", graph.name(link.edge.from), link.edge.kind().as_str(), link.edge.line))
        .collect()
}

const GO: &[(&str, &str)] = &[
    ("go.mod", "module demo\n\ngo 1.22\n"),
    ("store/store.go", "package store\n\ntype Store interface {\n\tDrop(id string) error\n}\n"),
    ("store/disk.go", "package store\n\ntype Disk struct{}\n\nfunc (d *Disk) Drop(id string) error {\n\treturn nil\n}\n"),
    (
        "svc/svc.go",
        "package svc\n\nimport \"demo/store\"\n\ntype S struct {\n\torders store.Store\n\tdisk *store.Disk\n}\n\nfunc (s *S) Cancel() error {\n\treturn s.orders.Drop(\"\")\n}\n\nfunc (s *S) Wipe() error {\n\treturn s.disk.Drop(\"\")\n}\n",
    ),
];

#[test]
fn case_17_dispatch_is_kept_apart() {
    let graph = graph_of(GO);
    let drop = graph.by_id("store/disk.go::Disk.Drop").expect("Drop");
    let found = callers(&graph, drop, &Lens::OPEN, DEEP);
    assert_eq!(told(&graph, &found), ["Wipe calls 15"]);
    assert_eq!(found.hidden.len(), 1);
    let all = callers(&graph, drop, &Lens { speculative: true, ..Lens::OPEN }, DEEP);
    assert_eq!(told(&graph, &all), ["Wipe calls 15", "Cancel calls 11"]);
    assert!(all.links[1].speculative && all.hidden.is_empty());
    let store = graph.by_id("store/store.go::Store").expect("Store");
    let (found, _) = implementations(&graph, store, &Lens::OPEN);
    assert_eq!(found.iter().map(|one| (graph.name(one.node), one.concrete)).collect::<Vec<_>>(), [("Disk", true)]);
}

#[test]
fn a_super_call_does_not_come_back_down() {
    let text = "class A:\n    def f(self):\n        return 1\n\nclass B(A):\n    def f(self):\n        return super().f()\n\nclass C(A):\n    def f(self):\n        return 3\n";
    let graph = graph_of(&[("a.py", text)]);
    let target = graph.by_id("a.py::C.f").expect("f");
    let found = callers(&graph, target, &Lens::OPEN, DEEP);
    assert!(found.links.is_empty() && found.hidden.is_empty(), "{found:?}");
}

#[test]
fn a_caller_at_module_level_is_the_file_and_recursion_is_a_row() {
    let graph = graph_of(&[("a.py", "def f(n):\n    return f(n - 1)\n\nf(3)\n")]);
    let target = graph.by_id("a.py::f").expect("f");
    let found = callers(&graph, target, &Lens::OPEN, DEEP);
    assert_eq!(told(&graph, &found), ["a.py calls 4", "f calls 2"]);
    assert_eq!(found.nodes.len(), 2);
}

#[test]
fn a_file_depends_on_what_lies_outside_of_it() {
    let files = [
        ("a.py", "from b import g\n\ndef f():\n    return h() + g()\n\ndef h():\n    return 1\n"),
        ("b.py", "def g():\n    return 1\n"),
    ];
    let graph = graph_of(&files);
    let node = |id: &str| graph.by_id(id).expect("a node");
    let once = Reach { depth: 1, limit: 0, merge: true };
    let found = dependencies(&graph, node("a.py"), &Lens::OPEN, once);
    assert_eq!(told(&graph, &found), ["a.py imports 1", "f calls 4"]);
    let found = dependents(&graph, node("b.py"), &Lens::OPEN, once);
    assert_eq!(told(&graph, &found), ["a.py imports 1", "f calls 4"]);
    let found = dependents(&graph, node("a.py"), &Lens::OPEN, once);
    assert!(found.links.is_empty(), "{found:?}");
}

#[test]
fn accessors_are_called_by_reading() {
    let text = "class A:\n    @property\n    def p(self):\n        return 1\n\ndef f(a: A):\n    return a.p\n";
    let graph = graph_of(&[("a.py", text)]);
    let found = callers(&graph, graph.by_id("a.py::A.p").expect("p"), &Lens::OPEN, DEEP);
    assert_eq!(told(&graph, &found).len(), 1, "{:?}", told(&graph, &found));
}

#[test]
fn a_hierarchy_has_no_siblings() {
    let text = "class A:\n    def f(self): pass\n\nclass B(A):\n    def f(self): pass\n\nclass C(B):\n    pass\n\nclass D(A):\n    pass\n";
    let graph = graph_of(&[("a.py", text)]);
    let names = |found: &Subgraph| found.nodes.iter().map(|(node, _)| graph.name(*node).to_owned()).collect::<Vec<_>>();
    let b = graph.by_id("a.py::B").expect("B");
    let both = Ways { up: true, down: true };
    assert_eq!(names(&hierarchy(&graph, b, both, false, &Lens::OPEN, 5)), ["B", "A", "C"]);
    assert_eq!(names(&hierarchy(&graph, b, Ways { up: false, down: true }, false, &Lens::OPEN, 5)), ["B", "C"]);
    let full = hierarchy(&graph, b, both, true, &Lens::OPEN, 5);
    assert!(full.links.iter().any(|link| link.edge.kind() == EdgeKind::Overrides), "{full:?}");
    let method = graph.by_id("a.py::B.f").expect("f");
    assert_eq!(hierarchy(&graph, method, both, false, &Lens::OPEN, 5).nodes.len(), 2);
}

#[test]
fn a_class_that_is_a_whole_module_has_subclasses() {
    let files = [
        ("base.js", "class Base {\n  fail() { return 1 }\n}\nmodule.exports = Base\n"),
        ("sub.js", "const Base = require('./base.js')\nclass Sub extends Base {\n  run() { return this.fail() }\n}\n"),
    ];
    let graph = graph_of(&files);
    let base = graph.by_id("base.js::Base").expect("Base");
    let down = hierarchy(&graph, base, Ways { up: false, down: true }, false, &Lens::OPEN, 5);
    assert_eq!(told(&graph, &down), ["Sub extends 2"]);
    let fail = graph.by_id("base.js::Base.fail").expect("fail");
    assert_eq!(told(&graph, &callers(&graph, fail, &Lens::OPEN, DEEP)), ["run calls 3"]);
}

#[test]
fn an_id_of_a_re_export_stands_for_the_definition() {
    let files = [
        ("src/format.ts", "export function formatDate() { return 1; }\nexport function other() { return 2; }\n"),
        ("src/index.ts", "export { formatDate as fmt, other } from \"./format\";\n"),
    ];
    let graph = graph_of(&files);
    let id = |text: &str| through_export(&graph, text).map(|node| graph.id(node));
    assert_eq!(id("src/index.ts::fmt").as_deref(), Some("src/format.ts::formatDate"));
    assert_eq!(id("src/index.ts::other").as_deref(), Some("src/format.ts::other"));
    assert_eq!(id("src/index.ts::none"), None);
    assert_eq!(id("missing.ts::fmt"), None);
}

#[test]
fn traces_tell_why_a_zero_is_uncertain() {
    let text = "def handed():\n    return 1\n\ndef unused():\n    return 2\n\ndef use(f):\n    return f\n\nuse(handed)\n\nclass A:\n    def __str__(self):\n        return ''\n";
    let graph = graph_of(&[("a.py", text)]);
    let of = |name: &str| traces(&graph, graph.by_id(&format!("a.py::{name}")).expect("a node"));
    assert_eq!(of("handed").handed_over.len(), 1);
    assert_eq!(of("unused"), Traces::default());
    assert!(of("A.__str__").from_outside.is_some());
}

#[test]
fn the_innermost_definition_encloses_a_line() {
    let graph = graph_of(&[("a.py", "def f():\n    def g():\n        return 1\n    return g\n\nx = 1\n")]);
    let file = graph.by_id("a.py").expect("a file");
    let name = |line| graph.name(enclosing(&graph, file, line)).to_owned();
    assert_eq!([name(1), name(3), name(4), name(5)], ["f", "g", "f", "a.py"]);
}
