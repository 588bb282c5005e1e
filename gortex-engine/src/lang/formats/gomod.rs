//! Modules of Go: what `go.mod` and `go.work` name, and folders of the tree that stand in for modules.

use super::super::{Action, Hooks, Language};
use super::{FORMAT, LINES, MOST};
use crate::facts::model::Kind;
use crate::facts::walker::{Span, Walker};

/// `go.mod`, `go.work`.
pub(in crate::lang) static GO_MOD: Language = Language {
    name: "go_mod",
    file_names: &["go.mod", "go.work"],
    line_comment: "//",
    grammar: LINES,
    table: &[("template", Action::Hook(|walker, _| directives(walker)))],
    hooks: Hooks::NONE,
    ..FORMAT
};

fn directives(walker: &mut Walker<'_>) {
    let mut block = "";
    let mut left = MOST;
    for (span, text) in walker.lines() {
        let line = text.split("//").next().unwrap_or("").trim();
        if line == ")" {
            block = "";
            continue;
        }
        let (verb, rest) = match line.split_once(char::is_whitespace) {
            _ if !block.is_empty() => (block, line),
            Some((verb, rest)) => (verb, rest.trim()),
            None => continue,
        };
        if rest == "(" {
            block = verb;
            continue;
        }
        if !rest.is_empty() && left > 0 {
            left -= 1;
            directive(walker, (span, text), verb, rest);
        }
    }
}

fn directive(walker: &mut Walker<'_>, (span, text): (Span, &str), verb: &str, rest: &str) {
    let whole = span.of(text, rest);
    let first = rest.split_whitespace().next().unwrap_or(rest).trim_matches('"');
    let place = span.of(text, first);
    match verb {
        "module" => {
            walker.define_span(Kind::Module, whole, place, first);
        }
        "require" | "tool" | "exclude" => {
            let def = walker.define_span(Kind::Key, whole, place, first);
            let group = walker.intern(verb);
            walker.def_mut(def).ty = group;
        }
        "use" => folder(walker, span.of(text, first), first),
        "replace" => {
            if let Some((_, target)) = rest.split_once("=>") {
                let target = target.split_whitespace().next().unwrap_or("");
                folder(walker, span.of(text, target), target);
            }
        }
        _ => {}
    }
}

fn folder(walker: &mut Walker<'_>, place: Span, path: &str) {
    if path.starts_with('.') {
        walker.import_span(place, path);
    }
}

#[cfg(test)]
mod tests {
    use crate::facts::testing::check_facts;
    use crate::index::build::graph_of;

    #[test]
    fn modules_and_requirements() {
        check_facts(
            "go_mod",
            r"
module example.com/app
//     ^ def module example.com/app
go 1.22
require github.com/a/b v1.0.0
//      ^ def key github.com/a/b
require (
	github.com/c/d/v2 v2.1.0 // indirect
// <- def key github.com/c/d/v2
)
replace github.com/a/b => ./local/b
//                        ^ import ./local/b||
replace github.com/x/y => github.com/z/y v1.0.0
",
        );
    }

    #[test]
    fn a_replaced_module_is_the_manifest_of_its_folder() {
        let graph =
            graph_of(&[("go.mod", "module a\nreplace x.y/b => ./b\nreplace x.y/c => ../c\n"), ("b/go.mod", "module x.y/b\n")]);
        let from = graph.by_id("go.mod").expect("the file");
        let to: Vec<String> = graph.out(from).iter().filter(|edge| edge.line > 0).map(|edge| graph.id(edge.to)).collect();
        assert!(to.iter().any(|to| to == "b/go.mod"), "{to:?}");
    }
}
