//! Several repositories: what one may name in another, per ecosystem, with the negative twin beside each case.

use crate::graph::{Graph, edge_flag};
use crate::index::build::graph_of_repos;

/// Edges that leave a repository, as `from > to`, and none that does so unmarked.
fn crossings(files: &[(&str, &str)]) -> Vec<String> {
    let graph: Graph = graph_of_repos(&["app", "lib"], files);
    let repo = |node| graph.file_of(node).repo;
    let mut rows: Vec<String> = Vec::new();
    for edge in graph.edges() {
        assert_eq!(repo(edge.from) != repo(edge.to), edge.flags & edge_flag::CROSS_REPO != 0);
        if edge.kind().is_call() && repo(edge.from) != repo(edge.to) {
            rows.push(format!("{} > {}", graph.id(edge.from), graph.id(edge.to)));
        }
    }
    rows.sort();
    rows.dedup();
    rows
}

/// The files with and without the dependency that `declared` is: with it these calls cross, without it none.
#[track_caller]
fn check(files: &[(&str, &str)], declared: (&str, &str), undeclared: &str, expected: &[&str]) {
    let with: Vec<(&str, &str)> = files.iter().copied().chain([declared]).collect();
    assert_eq!(crossings(&with), expected);
    let without: Vec<(&str, &str)> = files.iter().copied().chain([(declared.0, undeclared)]).collect();
    assert_eq!(crossings(&without), [""; 0]);
}

#[test]
fn go_modules() {
    let files = [
        ("lib/go.mod", "module example.com/lib\n"),
        ("lib/kit/kit.go", "package kit\n\nfunc Do() {}\n"),
        ("app/main.go", "package main\n\nimport \"example.com/lib/kit\"\n\nfunc main() { kit.Do() }\n"),
    ];
    let declared = "module example.com/app\n\nrequire example.com/lib v1.2.0\n";
    check(&files, ("app/go.mod", declared), "module example.com/app\n", &["app/main.go::main > lib/kit/kit.go::Do"]);
}

#[test]
fn npm_packages() {
    let files = [
        ("lib/package.json", "{\"name\": \"@x/lib\", \"main\": \"src/index.ts\"}"),
        ("lib/src/index.ts", "export function load() { return 1 }\n"),
        ("app/src/main.ts", "import { load } from '@x/lib'\nexport function run() { return load() }\n"),
    ];
    let declared = "{\"name\": \"app\", \"dependencies\": {\"@x/lib\": \"^1.0.0\"}}";
    check(&files, ("app/package.json", declared), "{\"name\": \"app\"}", &["app/src/main.ts::run > lib/src/index.ts::load"]);
}

#[test]
fn cargo_packages() {
    let files = [
        ("lib/Cargo.toml", "[package]\nname = \"my-lib\"\n"),
        ("lib/src/lib.rs", "pub fn load() {}\n"),
        ("app/src/main.rs", "use my_lib::load;\n\nfn main() {\n    load();\n}\n"),
    ];
    let declared = "[package]\nname = \"app\"\n\n[dependencies]\nmy-lib = \"1\"\n";
    check(&files, ("app/Cargo.toml", declared), "[package]\nname = \"app\"\n", &["app/src/main.rs::main > lib/src/lib.rs::load"]);
}

#[test]
fn python_distributions() {
    let files = [
        ("lib/pyproject.toml", "[project]\nname = \"my-lib\"\n"),
        ("lib/src/mylib/__init__.py", "def load():\n    return 1\n"),
        ("app/app/__init__.py", ""),
        ("app/app/main.py", "from mylib import load\n\ndef run():\n    return load()\n"),
    ];
    let expected = ["app/app/main.py::run > lib/src/mylib/__init__.py::load"];
    check(&files, ("app/requirements.txt", "my_lib>=1.0\n"), "requests\n", &expected);
}

#[test]
fn maven_coordinates() {
    let files = [
        ("lib/pom.xml", "<project><groupId>org.x</groupId><artifactId>lib</artifactId></project>"),
        ("lib/src/main/java/org/x/Kit.java", "package org.x;\n\npublic class Kit {\n    public static void load() {}\n}\n"),
        (
            "app/src/main/java/org/y/Main.java",
            "package org.y;\n\nimport org.x.Kit;\n\nclass Main {\n    void run() { Kit.load(); }\n}\n",
        ),
    ];
    let declared = "<project><groupId>org.y</groupId><artifactId>app</artifactId><dependencies><dependency>\
                    <groupId>org.x</groupId><artifactId>lib</artifactId></dependency></dependencies></project>";
    let alone = "<project><groupId>org.y</groupId><artifactId>app</artifactId></project>";
    let expected = ["app/src/main/java/org/y/Main.java::Main.run > lib/src/main/java/org/x/Kit.java::Kit.load"];
    check(&files, ("app/pom.xml", declared), alone, &expected);
}

// Two checkouts that both have a `utils` module were woven into one.
#[test]
fn a_name_alone_crosses_no_border() {
    let files = [
        ("lib/utils.py", "def load():\n    return 1\n"),
        ("app/main.py", "from utils import load\nimport utils\n\ndef run():\n    utils.load()\n    return load()\n"),
        ("lib/util.h", "void c_load(void);\n"),
        ("lib/util.c", "#include \"util.h\"\nvoid c_load(void) {}\n"),
        ("app/main.c", "#include \"util.h\"\nint main(void) { c_load(); return 0; }\n"),
        ("lib/x.ts", "export function tload() {}\n"),
        ("app/y.ts", "import { tload } from '../lib/x'\ntload()\n"),
        ("lib/i.go", "package p\n\ntype Reader interface { ReadAll() int }\n"),
        ("app/t.go", "package p\n\ntype File struct{}\n\nfunc (f File) ReadAll() int { return 1 }\n"),
        ("lib/A.java", "package same;\n\nclass A { static void load() {} }\n"),
        ("app/B.java", "package same;\n\nclass B { void run() { A.load(); } }\n"),
    ];
    assert_eq!(crossings(&files), [""; 0]);
    let graph = graph_of_repos(&["app", "lib"], &files);
    assert!(graph.edges().iter().all(|edge| edge.flags & edge_flag::CROSS_REPO == 0));
}
