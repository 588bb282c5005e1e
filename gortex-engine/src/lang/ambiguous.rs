//! Endings that several languages claim: which one a file is of, its text tells.
//!
//! The rules look for what only one of the candidates writes, at the head of the file; where nothing is found the language
//! that the ending usually means stands. A language that is not understood here is none, never the other one.
//!
//! Knows marks of languages, no grammars.

use std::path::Path;

/// What the text says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Nothing against the ending.
    ByName,
    /// Another language.
    Is(&'static str),
    /// No language that is understood.
    None,
}

/// How much of a file is looked at.
const HEAD: usize = 16 << 10;

/// Endings that are looked into.
const SHARED: &[&str] =
    &["h", "pl", "pro", "m", "v", "cls", "cl", "pp", "ts", "cfg", "service", "socket", "timer", "mount", "target", "fx"];

/// Decides between the languages that share an ending.
pub(super) fn by_content(path: &str, bytes: &[u8]) -> Verdict {
    let Some(extension) = Path::new(path).extension().and_then(|extension| extension.to_str()) else { return Verdict::ByName };
    if !SHARED.iter().any(|shared| extension.eq_ignore_ascii_case(shared)) {
        return Verdict::ByName;
    }
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(HEAD)]);
    let text = head.as_ref();
    let lines = || text.lines().map(str::trim_start);
    match extension.to_ascii_lowercase().as_str() {
        "h" if super::cpp::looks_like_cpp(bytes) => Verdict::Is("cpp"),
        "pl" if is_prolog(text) => Verdict::Is("prolog"),
        "pro" if is_prolog(text) => Verdict::Is("prolog"),
        "pro" => Verdict::None,
        "m" if is_matlab(text) => Verdict::Is("matlab"),
        "v" if is_v(text) => Verdict::ByName,
        "v" => Verdict::None,
        "cls" if lines().any(|line| line.starts_with('\\') || line.starts_with("VERSION ")) => Verdict::None,
        "cl" if lines().any(|line| line.contains("__kernel") || line.starts_with("kernel ") || line.starts_with("#include")) => {
            Verdict::Is("c")
        }
        "pp" if is_pascal(text) => Verdict::Is("pascal"),
        "ts" if text.trim_start().starts_with("<?xml") || text.trim_start().starts_with("<!DOCTYPE TS") => Verdict::Is("xml"),
        "cfg" | "service" | "socket" | "timer" | "mount" | "target" if !has_section(text) => Verdict::None,
        "fx" if lines().any(|line| line.starts_with("import ") || line.starts_with('<')) => Verdict::None,
        _ => Verdict::ByName,
    }
}

/// `requirements-dev.txt`, `requirements/test.txt`: text files that pip reads.
pub(super) fn is_requirements(path: &str) -> bool {
    let Some(stem) = path.strip_suffix(".txt").or_else(|| path.strip_suffix(".in")) else { return false };
    let (folder, name) = stem.rsplit_once('/').unwrap_or(("", stem));
    let listed = folder == "requirements" || folder.ends_with("/requirements");
    listed
        || ["requirements-", "requirements_", "requirements."].iter().any(|start| name.starts_with(start))
        || name.ends_with("-requirements")
        || name.ends_with("_requirements")
}

/// Clauses and directives against the sigils and words of Perl.
fn is_prolog(text: &str) -> bool {
    let mut clauses = 0;
    for line in text.lines() {
        let line = line.trim();
        if line.starts_with("use ") || line.starts_with("package ") || line.starts_with("sub ") || line.starts_with("my $") {
            return false;
        }
        if line.starts_with('%') {
            continue;
        }
        let rule = line.contains(":-") || line.contains("-->");
        let fact = line.ends_with(").") && line.starts_with(|c: char| c.is_ascii_lowercase());
        clauses += usize::from(rule || fact);
    }
    clauses > 0
}

/// A comment of MATLAB or one of its own first words, and nothing of Objective-C.
fn is_matlab(text: &str) -> bool {
    let mut found = false;
    for line in text.lines() {
        let line = line.trim();
        if line.starts_with("#import") || line.starts_with("#include") || line.starts_with('@') || line.starts_with("//") {
            return false;
        }
        found |= line.starts_with('%') || line.starts_with("function ") || line.starts_with("classdef ") || line == "end";
    }
    found
}

/// V, not Verilog and not Coq.
fn is_v(text: &str) -> bool {
    let mut found = false;
    for line in text.lines() {
        let line = line.trim();
        if line == "endmodule" || line.starts_with("Require ") || line.starts_with("Theorem ") || line.starts_with("Definition ")
        {
            return false;
        }
        let word = line.strip_prefix("pub ").unwrap_or(line);
        found |= word.starts_with("fn ") || word.starts_with("struct ") && word.ends_with('{');
        found |= line.strip_prefix("module ").is_some_and(|name| name.chars().all(|c| c.is_alphanumeric() || c == '_'));
    }
    found
}

fn is_pascal(text: &str) -> bool {
    text.lines().map(|line| line.trim().to_ascii_lowercase()).any(|line| {
        ["unit ", "program ", "library "].iter().any(|word| line.strip_prefix(word).is_some_and(|rest| rest.ends_with(';')))
    })
}

fn has_section(text: &str) -> bool {
    text.lines().map(str::trim).any(|line| line.starts_with('[') && line.ends_with(']'))
}

#[cfg(test)]
mod tests {
    use crate::lang::Lang;

    #[track_caller]
    fn check(path: &str, text: &str, expected: Option<&str>) {
        assert_eq!(Lang::of_file(path, text.as_bytes()).map(|lang| lang.language().name), expected, "{path}: {text}");
    }

    #[test]
    fn prolog_or_perl() {
        check("a.pl", "parent(tom, bob).\n", Some("prolog"));
        check("a.pl", ":- module(a, []).\n", Some("prolog"));
        check("a.pl", "use strict;\nmy $x = f(1);\n", Some("perl"));
        check("a.pl", "print 1;\n", Some("perl"));
        check("a.pro", "grand(X) :- parent(X).\n", Some("prolog"));
        check("app.pro", "QT += core\n", None);
    }

    #[test]
    fn objective_c_or_matlab() {
        check("a.m", "function y = f(x)\ny = 1;\nend\n", Some("matlab"));
        check("a.m", "% A script\nx = 1;\n", Some("matlab"));
        check("a.m", "#import \"a.h\"\n@implementation A\n@end\n", Some("objc"));
        check("a.m", "int f(void);\n", Some("objc"));
    }

    #[test]
    fn v_and_what_is_called_alike() {
        check("a.v", "module main\n\nfn main() {}\n", Some("v"));
        check("a.v", "module top(input a);\nendmodule\n", None);
        check("a.v", "Theorem x : True.\n", None);
    }

    #[test]
    fn classes_shaders_units_and_translations() {
        check("Foo.cls", "public class Foo {}\n", Some("apex"));
        check("paper.cls", "\\NeedsTeXFormat{LaTeX2e}\n", None);
        check("Form.cls", "VERSION 1.0 CLASS\n", None);
        check("a.cl", "(defun f () 1)\n", Some("commonlisp"));
        check("a.cl", "__kernel void f() {}\n", Some("c"));
        check("init.pp", "class a { }\n", Some("puppet"));
        check("u.pp", "unit U;\ninterface\n", Some("pascal"));
        check("de.ts", "<?xml version=\"1.0\"?>\n<!DOCTYPE TS>\n", Some("xml"));
        check("a.ts", "const a = <number>1;\n", Some("typescript"));
        check("a.h", "namespace a {\nclass B {};\n}\n", Some("cpp"));
        check("a.h", "struct b { int c; };\n", Some("c"));
    }

    #[test]
    fn settings_only_where_sections_are() {
        check("setup.cfg", "[metadata]\nname = x\n", Some("ini"));
        check("haproxy.cfg", "global\n    daemon\n", None);
        check("a.service", "[Unit]\n", Some("ini"));
        check("a.target", "x = 1\n", None);
    }

    #[test]
    fn text_files_of_pip() {
        check("requirements-dev.txt", "", Some("requirements"));
        check("requirements/base.txt", "", Some("requirements"));
        check("docs/requirements_old.txt", "", Some("requirements"));
        check("notes/requirement.txt", "", None);
    }
}
