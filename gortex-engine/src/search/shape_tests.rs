//! Tests of code-shaped patterns: what fits, what does not, and that every language has them.

use std::sync::atomic::AtomicBool;

use crate::lang::{LANGUAGES, Tier};
use crate::search::ast::{Pattern, search};

#[track_caller]
fn check(language: &str, path: &str, pattern: &str, source: &str, expected: &[&str]) {
    let pattern = Pattern::of(language, pattern).expect("a pattern");
    let answer = search(&pattern, [(path, source)], 0, &AtomicBool::new(false)).expect("an answer");
    let rows: Vec<String> = answer
        .matches
        .iter()
        .map(|row| {
            let bound: Vec<String> = row.captures.iter().map(|(name, text)| format!("{name}={text}")).collect();
            [vec![format!("{}:{}", row.start_line, row.text)], bound].concat().join(" ")
        })
        .collect();
    assert_eq!(rows, expected);
}

#[test]
fn placeholders_stand_for_one_or_many() {
    let source = "open('ü', 'w')\nopen(f(x))\nopen()\nclose('a')\nx.open('b')\n";
    check("python", "a.py", "open($X, $$$REST)", source, &["1:open('ü', 'w') X='ü' REST='w'", "2:open(f(x)) X=f(x) REST="]);
    check("python", "a.py", "open($$$)", source, &["1:open('ü', 'w')", "2:open(f(x))", "3:open()"]);
    check("python", "a.py", "open($_)", source, &["2:open(f(x))"]);
    check("python", "a.py", "$R.open($A)", source, &["5:x.open('b') R=x A='b'"]);
    check("python", "a.py", "open('ü', 'w')", source, &["1:open('ü', 'w')"]);
}

#[test]
fn a_name_used_twice_is_the_same_text() {
    check("python", "a.py", "$A == $A", "x == x\nx == y\nf(1) == f(1)\n", &["1:x == x A=x", "3:f(1) == f(1) A=f(1)"]);
    check("javascript", "a.js", "$A && $A()", "a && a(); a && b();", &["1:a && a() A=a"]);
}

#[test]
fn operators_and_literals_are_compared_and_comments_are_not() {
    check(
        "javascript",
        "a.js",
        "$A + $B",
        "a + b; a - b; a /* c */ + // d\n b;",
        &["1:a + b A=a B=b", "1:a /* c */ + // d\n b A=a B=b"],
    );
    check(
        "go",
        "a.go",
        "f(\"x y\")",
        "package p\nfunc g() { f(\"x y\"); f(\"xy\"); f(\"x y\",) }\n",
        &["2:f(\"x y\")", "2:f(\"x y\",)"],
    );
    check("python", "a.py", "f(\"a\")", "f(\"a\")\nf(\"b\")\nf('a')\n", &["1:f(\"a\")"]);
}

#[test]
fn statements_definitions_and_rows_of_them() {
    check(
        "python",
        "a.py",
        "def $F($$$):\n    return $X",
        "def f(a, b):\n    return a\ndef g():\n    pass\n    return 1\n",
        &["1:def f(a, b):\n    return a F=f X=a"],
    );
    check(
        "python",
        "a.py",
        "$L.acquire()\n$$$\n$L.release()",
        "def f():\n    a.acquire()\n    x()\n    b.release()\n    a.release()\n",
        &["2:a.acquire()\n    x()\n    b.release()\n    a.release() L=a"],
    );
    check(
        "go",
        "a.go",
        "if err != nil { return $$$R }",
        "package p\nfunc f() error {\n\tif err != nil {\n\t\treturn err\n\t}\n\tif e != nil {\n\t\treturn e\n\t}\n\treturn nil\n}\n",
        &["3:if err != nil {\n\t\treturn err\n\t} R=err"],
    );
    check(
        "rust",
        "a.rs",
        "fn $F($$$) -> $R { $$$ }",
        "fn a(x: u8) -> u8 { x }\nfn b() {}\npub fn c() -> String { let x = 1; todo!() }\n",
        &["1:fn a(x: u8) -> u8 { x } F=a R=u8"],
    );
    check(
        "java",
        "A.java",
        "class $C { $$$ }",
        "class A { int x; void f() {} }\ninterface B {}\n",
        &["1:class A { int x; void f() {} } C=A"],
    );
    check(
        "javascript",
        "a.js",
        "async function $F($$$) { $$$ }",
        "async function f(a) { b(); }\nfunction g() {}\n",
        &["1:async function f(a) { b(); } F=f"],
    );
}

#[test]
fn a_call_in_every_deep_language() {
    for (language, path, pattern, source, found) in [
        ("bash", "a.sh", "rm $$$A", "rm -r x\nls x\n", "rm -r x"),
        ("c", "a.c", "free($X)", "void f() { free(a->b); fred(a); }", "free(a->b)"),
        ("cpp", "a.cpp", "$X->reset($$$)", "void f() { p->reset(1); p.reset(); }", "p->reset(1)"),
        ("csharp", "a.cs", "$X.ToList()", "class A { void F() { a.ToList(); a.To(); } }", "a.ToList()"),
        ("dart", "a.dart", "print($X)", "void f() { print(1); prin(1); }", "print(1)"),
        (
            "elixir",
            "a.ex",
            "Enum.map($X, $F)",
            "defmodule A do\n  def f(x) do\n    Enum.map(x, g)\n    Enum.each(x, g)\n  end\nend\n",
            "Enum.map(x, g)",
        ),
        ("haskell", "a.hs", "map $F $X", "f x = map g x\ng x = fmap h x\n", "map g x"),
        ("java", "A.java", "$X.equals($Y)", "class A { void f() { a.equals(b); a.equal(b); } }", "a.equals(b)"),
        ("kotlin", "a.kt", "println($X)", "fun f() {\n    println(1)\n    print(1)\n}\n", "println(1)"),
        ("lua", "a.lua", "print($X)", "print(1)\nprin(1)\n", "print(1)"),
        ("ocaml", "a.ml", "List.map $F $X", "let f x = List.map g x\nlet h x = List.iter g x\n", "List.map g x"),
        ("php", "a.php", "foo($X)", "<?php\nfoo(1);\nbar(1);\n", "foo(1)"),
        ("ruby", "a.rb", "puts($X)", "puts(1)\nputs(1, 2)\n", "puts(1)"),
        ("rust", "a.rs", "$X.unwrap()", "fn f() { a().unwrap(); b.expect(\"\"); }", "a().unwrap()"),
        ("scala", "a.scala", "foo($X)", "object A { def f() = { foo(1); bar(1) } }", "foo(1)"),
        ("swift", "a.swift", "print($X)", "func f() {\n    print(1)\n    prin(1)\n}\n", "print(1)"),
        ("typescript", "a.ts", "$X as any", "let a = b as any; let c = d as string;", "b as any"),
        ("tsx", "a.tsx", "<Foo $$$A />", "const a = <Foo b={1} />;\n", "<Foo b={1} />"),
        ("zig", "a.zig", "foo($X)", "fn f() void { foo(1); bar(1); }", "foo(1)"),
    ] {
        let compiled = Pattern::of(language, pattern);
        let compiled = compiled.unwrap_or_else(|error| panic!("{language}: {error}"));
        let answer = search(&compiled, [(path, source)], 0, &AtomicBool::new(false)).expect("an answer");
        let texts: Vec<&str> = answer.matches.iter().map(|row| row.text.as_str()).collect();
        assert_eq!(texts, [found], "{language}");
    }
}

// A language added later must not be without patterns.
#[test]
fn every_language_with_calls_reads_one() {
    let forms = ["foo($X)", "foo $X", "(foo $X)", "foo($X);", "foo: $X", "foo = $X"];
    let reads = |name: &str| forms.iter().any(|form| Pattern::code(name, form).is_ok());
    // Interfaces declare and components hold code of other languages: their own grammars have no calls.
    let callless = ["astro", "capnp", "ocaml_interface", "prisma", "svelte", "thrift", "vue"];
    let coded = LANGUAGES.iter().filter(|one| one.tier != Tier::Format && !callless.contains(&one.name));
    let without: Vec<&str> = coded.map(|language| language.name).filter(|name| !reads(name)).collect();
    assert!(without.is_empty(), "{without:?}");
}

#[test]
fn what_is_no_code_is_refused_and_queries_stay_queries() {
    for pattern in ["def (", "$X", "$$$", "", "return return", "foo($"] {
        assert!(Pattern::of("python", pattern).is_err(), "{pattern}");
    }
    check("python", "a.py", "((identifier) @match (#eq? @match \"$X\"))", "x = 1\n", &[]);
    check("javascript", "a.js", "($A, $B)", "f = (a, b);", &["1:(a, b) A=a B=b"]);
    check("javascript", "a.js", "$foo($X)", "$foo(1); foo(1);", &["1:$foo(1) X=1"]);
}
