use super::*;
use crate::index::build::graph_of;

fn plan_of(files: &[(&str, &str)], id: &str, new: &str) -> Result<Vec<String>, RenameError> {
    let graph = graph_of(files);
    let node = graph.by_id(id).unwrap_or_else(|| panic!("no symbol {id}"));
    let read = |entry: &FileEntry| {
        let found = files.iter().find(|(path, _)| *path == entry.path);
        found.map(|(_, text)| text.as_bytes().to_vec())
    };
    let plan = plan(&graph, node, new, &read)?;
    Ok(plan
        .edits
        .iter()
        .map(|edit| format!("{}:{}:{} {}", edit.path, edit.place.line, edit.place.cols.start, edit.place.new))
        .collect())
}

#[track_caller]
fn check(files: &[(&str, &str)], id: &str, new: &str, expected: &[&str]) {
    assert_eq!(plan_of(files, id, new).expect("a plan"), expected);
}

#[track_caller]
fn check_conflict(files: &[(&str, &str)], id: &str, new: &str, expected: &[(&str, u32)]) {
    match plan_of(files, id, new) {
        Err(RenameError::Conflict { at, .. }) => {
            let at: Vec<(&str, u32)> = at.iter().map(|one| (one.path.as_str(), one.line)).collect();
            assert_eq!(at, expected);
        }
        other => panic!("no conflict: {other:?}"),
    }
}

#[test]
fn a_go_type_with_its_receivers() {
    let text = "package a\n\n// Disk is one.\ntype Disk struct{ n int }\n\n// Size of a Disk.\nfunc (d *Disk) Size() int { return d.n }\n\nfunc New() *Disk { return &Disk{} }\n";
    check(&[("a.go", text)], "a.go::Disk", "Drive", &["a.go:4:5 Drive", "a.go:7:9 Drive", "a.go:9:12 Drive", "a.go:9:27 Drive"]);
}

#[test]
fn a_rust_type_with_its_impls() {
    let text = "pub struct Disk;\nimpl Disk {\n    pub fn new() -> Disk { Disk }\n}\nimpl Clone for Disk {\n    fn clone(&self) -> Self { Disk }\n}\n";
    check(
        &[("src/lib.rs", text)],
        "src/lib.rs::Disk",
        "Drive",
        &[
            "src/lib.rs:1:11 Drive",
            "src/lib.rs:2:5 Drive",
            "src/lib.rs:3:20 Drive",
            "src/lib.rs:3:27 Drive",
            "src/lib.rs:5:15 Drive",
            "src/lib.rs:6:30 Drive",
        ],
    );
}

#[test]
fn a_java_class_with_its_constructor() {
    let text = "class Disk {\n    Disk() {}\n    static Disk make() { return new Disk(); }\n}\n";
    check(
        &[("Disk.java", text)],
        "Disk.java::Disk",
        "Drive",
        &["Disk.java:1:6 Drive", "Disk.java:2:4 Drive", "Disk.java:3:11 Drive", "Disk.java:3:36 Drive"],
    );
}

#[test]
fn an_aliased_import_changes_its_left_side_only() {
    let files = [
        ("a.ts", "export function load() {}\n"),
        ("b.ts", "import { load as get } from './a';\nget();\n"),
        ("c.ts", "import { load } from './a';\nload();\nexport const o = { load };\n"),
    ];
    check(
        &files,
        "a.ts::load",
        "fetchAll",
        &["a.ts:1:16 fetchAll", "b.ts:1:9 fetchAll", "c.ts:1:9 fetchAll", "c.ts:2:0 fetchAll", "c.ts:3:19 load: fetchAll"],
    );
}

#[test]
fn case_19_a_renaming_barrel_keeps_the_outer_name() {
    let files = [
        ("format.ts", "export function formatDate(d: Date) {\n  return d;\n}\n"),
        ("index.ts", "export { formatDate as fmt } from './format';\n"),
        ("use.ts", "import { fmt } from './index';\nexport function show(d: Date) {\n  return fmt(d);\n}\n"),
    ];
    check(&files, "format.ts::formatDate", "printDate", &["format.ts:1:16 printDate", "index.ts:1:9 printDate"]);
}

#[test]
fn an_override_family_moves_together() {
    let text = "class A:\n    def run(self):\n        pass\nclass B(A):\n    def run(self):\n        pass\ndef go(b: B):\n    b.run()\nclass C:\n    def run(self):\n        pass\n";
    check(&[("a.py", text)], "a.py::B.run", "start", &["a.py:2:8 start", "a.py:5:8 start", "a.py:8:6 start"]);
}

#[test]
fn case_26_the_body_of_a_macro_counts() {
    let text = "pub fn side(n: u32) -> u32 {\n    n * n\n}\nmacro_rules! frame {\n    ($w:expr) => {\n        $crate::side($w)\n    };\n}\npub fn plain() -> u32 {\n    side(3)\n}\n";
    check(
        &[("src/lib.rs", text)],
        "src/lib.rs::side",
        "edge",
        &["src/lib.rs:1:7 edge", "src/lib.rs:6:16 edge", "src/lib.rs:10:4 edge"],
    );
}

#[test]
fn a_test_named_after_the_symbol_follows() {
    let text = "def scale(x):\n    return x\n";
    let test = "from a import scale\n\ndef test_scale_up():\n    scale(1)\n\ndef test_rescale():\n    scale(2)\n";
    check(
        &[("a.py", text), ("test_a.py", test)],
        "a.py::scale",
        "grow",
        &["a.py:1:4 grow", "test_a.py:1:14 grow", "test_a.py:3:4 test_grow_up", "test_a.py:4:4 grow", "test_a.py:7:4 grow"],
    );
}

#[test]
fn a_taken_name_is_told_with_its_place() {
    let text = "def a():\n    pass\ndef b():\n    pass\n";
    check_conflict(&[("m.py", text)], "m.py::a", "b", &[("m.py", 3)]);
    let local = "def a():\n    pass\ndef c():\n    b = 1\n    a()\n    return b\n";
    check_conflict(&[("m.py", local)], "m.py::a", "b", &[("m.py", 4), ("m.py", 6)]);
    check(&[("m.py", "def a():\n    pass\ndef c(o):\n    o.b()\n    a()\n")], "m.py::a", "b", &["m.py:1:4 b", "m.py:5:4 b"]);
}

#[test]
fn odd_requests_are_refused() {
    let files = [("m.py", "def a():\n    pass\n")];
    assert!(matches!(plan_of(&files, "m.py::a", "a"), Err(RenameError::SameName { .. })));
    assert!(matches!(plan_of(&files, "m.py::a", "class"), Err(RenameError::Illegal { why: Illegal::Keyword, .. })));
    assert!(matches!(plan_of(&files, "m.py", "b"), Err(RenameError::Unnamed { .. })));
    let java = [("A.java", "class A {\n    @Override\n    public String toString() { return \"\"; }\n}\n")];
    assert!(matches!(plan_of(&java, "A.java::A.toString", "text"), Err(RenameError::OutsideReach { .. })));
}

#[test]
fn a_default_import_and_an_export_list_stay_whole() {
    let files = [
        ("a.ts", "function load() {}\nexport { load };\nexport default load;\n"),
        ("b.ts", "import load from './a';\nload();\n"),
        ("c.ts", "import other from './a';\nother();\n"),
    ];
    check(&files, "a.ts::load", "get", &["a.ts:1:9 get", "a.ts:2:9 get", "a.ts:3:15 get", "b.ts:1:7 get", "b.ts:2:0 get"]);
}

#[test]
fn a_shadowing_local_of_the_same_name_stays() {
    let text = "def scale(x):\n    return x\n\ndef f(scale):\n    return scale(1)\n\ndef g():\n    return scale(1)\n";
    check(&[("a.py", text)], "a.py::scale", "grow", &["a.py:1:4 grow", "a.py:8:11 grow"]);
}

#[test]
fn a_rust_field_written_short_is_written_out() {
    let text = "pub struct P { pub x: u32 }\npub fn make(x: u32) -> P { P { x } }\npub fn get(p: P) -> u32 { p.x }\n";
    check(
        &[("src/lib.rs", text)],
        "src/lib.rs::P.x",
        "left",
        &["src/lib.rs:1:19 left", "src/lib.rs:2:31 left: x", "src/lib.rs:3:28 left"],
    );
}

#[test]
fn a_go_interface_method_moves_with_its_implementations() {
    let text = "package a\n\ntype R interface{ Run() }\n\ntype A struct{}\n\nfunc (A) Run() {}\n\nfunc do(r R) { r.Run() }\n";
    check(
        &[("go.mod", "module m\n"), ("a.go", text)],
        "a.go::A.Run",
        "Start",
        &["a.go:3:18 Start", "a.go:7:9 Start", "a.go:9:17 Start"],
    );
}

#[test]
fn a_cpp_class_with_members_elsewhere() {
    let header = "class Disk {\npublic:\n  Disk();\n  ~Disk();\n  int size(int n);\n};\n";
    let source = "#include \"disk.hpp\"\nDisk::Disk() {}\nDisk::~Disk() {}\nint Disk::size(int n) { return n; }\n";
    check(
        &[("disk.hpp", header), ("disk.cpp", source)],
        "disk.hpp::Disk",
        "Drive",
        &[
            "disk.cpp:2:0 Drive",
            "disk.cpp:2:6 Drive",
            "disk.cpp:3:0 Drive",
            "disk.cpp:3:7 Drive",
            "disk.cpp:4:4 Drive",
            "disk.hpp:1:6 Drive",
            "disk.hpp:3:2 Drive",
            "disk.hpp:4:3 Drive",
        ],
    );
}

#[test]
fn a_c_function_with_its_prototype() {
    let files = [
        ("a.h", "int leaf(int n);\n"),
        ("a.c", "#include \"a.h\"\nint leaf(int n) { return n; }\n"),
        ("b.c", "#include \"a.h\"\nint go(void) { return leaf(1); }\n"),
    ];
    check(&files, "a.c::leaf", "stem", &["a.c:2:4 stem", "a.h:1:4 stem", "b.c:2:22 stem"]);
}

#[test]
fn an_import_that_repeats_its_name_changes_both_words() {
    let files = [
        ("pkg/__init__.py", "from .x import f as f\nfrom .x import g as f2\n"),
        ("pkg/x.py", "def f():\n    pass\n\ndef g():\n    pass\n"),
        ("use.py", "from pkg import f\n\ndef go():\n    f()\n"),
    ];
    check(
        &files,
        "pkg/x.py::f",
        "h",
        &["pkg/__init__.py:1:15 h", "pkg/__init__.py:1:20 h", "pkg/x.py:1:4 h", "use.py:1:16 h", "use.py:4:4 h"],
    );
    // Another word behind `as` is an alias and stays.
    check(&files, "pkg/x.py::g", "k", &["pkg/__init__.py:2:15 k", "pkg/x.py:4:4 k"]);
}

/// The places left over in the one file of a fixture: line, column and reason.
#[track_caller]
fn check_left(path: &str, text: &str, id: &str, expected: &[&str]) {
    let graph = graph_of(&[(path, text)]);
    let node = graph.by_id(id).unwrap_or_else(|| panic!("no symbol {id}"));
    let read = |_: &FileEntry| Some(text.as_bytes().to_vec());
    let plan = plan(&graph, node, "renamed", &read).expect("a plan");
    let edited = plan.edits.iter().map(|edit| (edit.place.line, edit.place.cols.start)).collect();
    let entry = graph.file(path).expect("a file");
    let left = unproven(&graph, entry, text.as_bytes(), &plan.old, &edited);
    let left: Vec<String> = left.iter().map(|one| format!("{}:{} {}", one.line, one.col, one.reason)).collect();
    assert_eq!(left, expected);
}

#[test]
fn a_member_of_a_local_is_left_and_told() {
    let text = "class S:\n    def get(self):\n        pass\n\ndef f(session):\n    session.get()\n    get = 1\n    return get\n";
    check_left("a.py", text, "a.py::S.get", &["6:12 unbound_mention"]);
    let local = "def get():\n    pass\n\ndef f(get):\n    return get()\n";
    check_left("a.py", local, "a.py::get", &[]);
}

#[test]
fn words_in_code_that_are_no_mention_are_told() {
    let text = "export function load() {}\ng({ load: 1 });\nexport function f(o: any, load: any) {\n  const { load: x } = o;\n  return x;\n}\n";
    check_left("a.ts", text, "a.ts::load", &["2:4 not_proven", "4:10 not_proven"]);
    let rust = "pub fn load() {}\nmod inner {\n    pub struct S;\n    impl S {\n        pub fn load(&self) {}\n    }\n}\npub fn g() {\n    odd!(load => 1);\n}\n";
    // The method of that name is another definition, and the text of the macro is edited.
    check_left("src/lib.rs", rust, "src/lib.rs::load", &[]);
}
