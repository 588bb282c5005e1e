//! Externals: which ids the mentions of small projects bind to.

use super::tests::linked;
use crate::graph::Graph;

/// `line role id` of each mention, with `~` where it was inferred.
fn mentions(graph: &Graph) -> Vec<String> {
    let rows = graph.externals().rows().iter();
    let mut rows: Vec<String> = rows
        .map(|row| {
            let weak = if row.tier() == crate::graph::Tier::AstResolved { "" } else { " ~" };
            let path = &graph.file_of(row.owner).path;
            let file = path.rsplit_once('.').map_or(path.as_str(), |(stem, _)| stem);
            format!("{file}:{} {} {}{weak}", row.line, row.role().as_str(), graph.externals().id(row.external))
        })
        .collect();
    rows.sort();
    rows
}

#[track_caller]
fn check(fixture: &str, expected: &[&str]) {
    let found = mentions(&linked(fixture));
    let missing: Vec<_> = expected.iter().filter(|row| !found.iter().any(|one| one == **row)).collect();
    let extra: Vec<_> = found.iter().filter(|row| !expected.contains(&row.as_str())).collect();
    assert!(missing.is_empty() && extra.is_empty(), "missing: {missing:#?}\nextra: {extra:#?}");
}

#[test]
fn go_packages_and_typed_receivers() {
    check(
        "//- go.mod\nmodule example.com/app\n\nrequire github.com/spf13/cobra v1.8.0\n//- a.go\npackage app\n\nimport (\n\t\"fmt\"\n\n\t\"github.com/spf13/cobra\"\n)\n\ntype Root struct {\n\tcmd *cobra.Command\n}\n\nfunc (r *Root) Run(c *cobra.Command) {\n\tfmt.Println(len(\"x\"))\n\tc.Execute()\n\tr.cmd.Execute()\n\tr.cmd.Root().Help()\n}\n",
        &[
            "a:4 import stdlib::go/fmt",
            "a:6 import dep::github.com/spf13/cobra",
            "a:10 field dep::github.com/spf13/cobra::Command",
            "a:13 parameter_type dep::github.com/spf13/cobra::Command",
            "a:14 call stdlib::go/builtin::len",
            "a:14 call stdlib::go/fmt::Println",
            "a:15 call dep::github.com/spf13/cobra::Command.Execute",
            "a:16 call dep::github.com/spf13/cobra::Command.Execute",
            "a:17 call dep::github.com/spf13/cobra::Command.Root",
        ],
    );
}

#[test]
fn python_names_through_a_file_of_ours_and_values_of_classes() {
    check(
        "//- p/__init__.py\n//- p/compat.py\nfrom urllib.parse import urlparse\nimport os.path\n//- p/a.py\nimport requests\nfrom .compat import urlparse\nfrom unittest import TestCase\n\nclass A(TestCase):\n    def test_it(self):\n        s = requests.Session()\n        s.get('x')\n        requests.get('x').json()\n        urlparse('x')\n        self.assertEqual(1, 2)\n        self.helper()\n\n    def helper(self):\n        print(len([]))\n",
        &[
            "p/a:1 import dep::requests",
            "p/a:2 import stdlib::python/urllib.parse::urlparse",
            "p/a:3 import stdlib::python/unittest::TestCase",
            "p/a:5 extends stdlib::python/unittest::TestCase",
            "p/a:7 call dep::requests::Session",
            "p/a:8 call dep::requests::Session.get ~",
            "p/a:9 call dep::requests::get",
            "p/a:10 call stdlib::python/urllib.parse::urlparse",
            "p/a:11 call stdlib::python/unittest::TestCase.assertEqual ~",
            "p/a:15 call stdlib::python/builtins::len",
            "p/a:15 call stdlib::python/builtins::print",
            "p/compat:1 import stdlib::python/urllib.parse::urlparse",
            "p/compat:2 import stdlib::python/os",
        ],
    );
}

#[test]
fn scripts_import_by_name_by_namespace_and_by_require() {
    check(
        "//- a.tsx\nimport React, { useState as state } from 'react';\nimport * as fs from 'node:fs';\nclass A extends React.Component {}\nexport function f() { const [x] = state(0); fs.readFile('a'); React.memo(f); return x }\n//- b.js\nconst { join } = require('path');\nconst own = require('./own');\njoin('a'); JSON.parse('1'); own.x();\n//- own.js\nexports.x = () => 1;\n",
        &[
            "a:1 import dep::react",
            "a:1 import dep::react::useState",
            "a:2 import stdlib::node/fs",
            "a:3 extends dep::react::Component",
            "a:4 call dep::react::memo",
            "a:4 call dep::react::useState",
            "a:4 call stdlib::node/fs::readFile",
            "b:1 import stdlib::node/path::join",
            "b:3 call stdlib::js::JSON.parse",
            "b:3 value stdlib::js::JSON",
            "b:3 call stdlib::node/path::join",
        ],
    );
}

#[test]
fn rust_paths_are_crates_only_where_a_manifest_says_so() {
    check(
        "//- Cargo.toml\n[package]\nname = \"app\"\n[dependencies]\nserde_json = \"1\"\n//- src/lib.rs\nmod own;\nuse std::collections::HashMap;\nuse std::fs;\npub fn f(m: HashMap<u8, u8>) {\n    serde_json::from_str(\"1\");\n    fs::read(\"x\");\n    m.get(&1);\n    made_by_macro::call();\n    own::g();\n    Vec::new().push(1);\n}\n//- src/own.rs\npub fn g() {}\n",
        &[
            "src/lib:2 import stdlib::rust/std::collections::HashMap",
            "src/lib:3 import stdlib::rust/std::fs",
            "src/lib:4 parameter_type stdlib::rust/std::collections::HashMap",
            "src/lib:5 call dep::serde_json::from_str",
            "src/lib:6 call stdlib::rust/std::fs::read",
            "src/lib:7 call stdlib::rust/std::collections::HashMap::get",
            "src/lib:10 call stdlib::rust/std::vec::Vec::new",
            "src/lib:10 type stdlib::rust/std::vec::Vec",
            "src/lib:10 call stdlib::rust/std::vec::Vec::push ~",
        ],
    );
}

#[test]
fn java_classes_by_import_and_c_by_header() {
    check(
        "//- A.java\npackage a;\nimport java.util.List;\nimport com.google.gson.Gson;\nimport java.io.*;\nclass A implements Runnable {\n  Gson gson;\n  void run(List<String> l) { l.size(); gson.toJson(l); new Gson(); System.exit(1); Objects.hash(); }\n}\n//- b.c\n#include <stdio.h>\n#include \"own.h\"\nvoid f(void) { printf(\"x\"); g(); }\n//- own.h\nvoid g(void);\n",
        &[
            "A:2 import stdlib::java/java.util::List",
            "A:3 import dep::com.google.gson::Gson",
            "A:4 import stdlib::java/java.io",
            "A:5 implements stdlib::java/java.lang::Runnable",
            "A:6 field dep::com.google.gson::Gson",
            "A:7 call dep::com.google.gson::Gson.toJson",
            "A:7 call stdlib::java/java.lang::System.exit",
            "A:7 call stdlib::java/java.util::List.size",
            "A:7 generic_arg stdlib::java/java.lang::String",
            "A:7 instantiate dep::com.google.gson::Gson",
            "A:7 type stdlib::java/java.lang::System",
            "A:7 parameter_type stdlib::java/java.util::List",
            "b:1 import stdlib::c/stdio.h",
            "b:3 call stdlib::c/stdio.h::printf",
        ],
    );
}
