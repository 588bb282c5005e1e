//! Files that the languages of the structure tier name: by a path, or by a dotted name that stands for one.
//!
//! Every rule ends in the exact path of a file that is there; a name that several files could stand for is none. Search paths
//! that a build file or an option sets are not known here.
//!
//! Knows paths, no trees.

use super::{Modules, folder, join};

/// The file that `text` means in a file at `path`.
pub(super) fn find(modules: &Modules, language: &str, path: &str, text: &str) -> Option<u32> {
    let from = folder(path);
    let at = |path: String| modules.path(&path);
    let beside = |relative: &str| join(from, relative).and_then(at);
    let above = || std::iter::successors(Some(from), |at| (!at.is_empty()).then(|| folder(at)));
    // The nearest folder upwards under which the path is.
    let upwards = |relative: &str| above().filter_map(|folder| join(folder, relative)).find_map(at);
    let rooted = |roots: &[&str], relative: &str, endings: &[&str]| {
        endings.iter().find_map(|ending| roots.iter().find_map(|root| upwards(&format!("{root}{relative}{ending}"))))
    };
    match language {
        "awk" | "bicep" | "capnp" | "fish" | "just" | "qml" | "racket" | "scheme" | "tcl" | "vim" => {
            beside(text.trim_start_matches('/'))
        }
        "glsl" | "hlsl" | "jsonnet" | "objc" | "thrift" => beside(text).or_else(|| upwards(text)),
        "solidity" if text.starts_with('.') => beside(text),
        "solidity" => upwards(text),
        "nix" => beside(text).or_else(|| beside(&format!("{text}/default.nix"))),
        "erlang" => beside(text).or_else(|| beside(&format!("../include/{text}"))),
        "gdscript" => match text.strip_prefix("res://") {
            Some(rest) => upwards(rest),
            None => beside(text),
        },
        "starlark" => label(text).and_then(|(rooted, file)| if rooted { upwards(&file) } else { beside(&file) }),
        "gleam" => rooted(&["src/", "test/"], text, &[".gleam"]),
        "elm" => rooted(&["src/", ""], &text.replace('.', "/"), &[".elm"]),
        "idris" => rooted(&["src/", ""], &text.replace('.', "/"), &[".idr"]),
        "clojure" => rooted(&["src/", "test/", "src/clj/", "src/cljs/", "src/cljc/"], &dotted(text), &[".clj", ".cljc", ".cljs"]),
        "perl" => rooted(&["lib/", ""], &text.replace("::", "/"), &[".pm"]),
        "elisp" => [".el", "/init.el"].iter().find_map(|ending| beside(&format!("{text}{ending}"))),
        "pascal" => [".pas", ".pp"].iter().find_map(|ending| beside(&format!("{text}{ending}"))),
        "ada" => {
            let unit = text.to_ascii_lowercase().replace('.', "-");
            [".ads", ".adb"].iter().find_map(|ending| beside(&format!("{unit}{ending}")))
        }
        "prolog" => [".pl", ".prolog", ""].iter().find_map(|ending| beside(&format!("{}{ending}", text.trim_matches('\'')))),
        _ => None,
    }
}

/// The path of a name space of Clojure.
fn dotted(text: &str) -> String {
    text.replace('.', "/").replace('-', "_")
}

/// `//pkg:file` of the repository or `:file` of the package; labels of other repositories are none.
fn label(text: &str) -> Option<(bool, String)> {
    match text.strip_prefix("//") {
        Some(rest) => Some((true, rest.replace(':', "/").trim_start_matches('/').to_owned())),
        None => text.strip_prefix(':').map(|file| (false, file.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use crate::graph::{EdgeKind, Graph};
    use crate::index::build::graph_of;

    /// `source -> target` of every edge that is no containment.
    fn edges(graph: &Graph) -> Vec<String> {
        let named = graph.edges.iter().filter(|edge| edge.kind() != EdgeKind::Contains);
        let mut rows: Vec<String> = named.map(|edge| format!("{} -> {}", graph.id(edge.from), graph.id(edge.to))).collect();
        rows.sort();
        rows.dedup();
        rows
    }

    #[track_caller]
    fn check(files: &[(&str, &str)], expected: &[&str]) {
        assert_eq!(edges(&graph_of(files)), expected);
    }

    #[test]
    fn what_is_loaded_is_called() {
        check(
            &[
                ("tools/defs.bzl", "def my_rule(name):\n    pass\ndef hidden():\n    pass\n"),
                ("app/BUILD", "load(\"//tools:defs.bzl\", \"my_rule\")\nmy_rule(name = \"x\")\nhidden()\n"),
            ],
            &["app/BUILD -> tools/defs.bzl::my_rule", "app/BUILD::x -> tools/defs.bzl::my_rule"],
        );
    }

    #[test]
    fn what_is_included_is_seen() {
        check(
            &[
                ("lib/noise.glsl", "float noise(float x) { return x; }\n"),
                ("lib/other.glsl", "float other(float x) { return x; }\n"),
                ("main.frag", "#include \"lib/noise.glsl\"\nvoid main() { noise(1.0); other(1.0); }\n"),
            ],
            &["main.frag -> lib/noise.glsl", "main.frag::main -> lib/noise.glsl::noise"],
        );
        check(
            &[
                ("a/util.el", "(defun util-go () 1)\n(provide 'util)\n"),
                ("a/main.el", "(require 'util)\n(defun run () (util-go))\n"),
                ("b/else.el", "(defun run2 () (util-go))\n"),
            ],
            &["a/main.el -> a/util.el", "a/main.el::run -> a/util.el::util-go"],
        );
    }

    #[test]
    fn an_include_is_not_handed_on() {
        check(
            &[
                ("a.awk", "function low() { return 1 }\n"),
                ("b.awk", "@include \"a.awk\"\nfunction mid() { return low() }\n"),
                ("c.awk", "@include \"b.awk\"\nBEGIN { mid(); low() }\n"),
            ],
            &["b.awk -> a.awk", "b.awk::mid -> a.awk::low", "c.awk -> b.awk", "c.awk -> b.awk::mid"],
        );
    }

    #[test]
    fn named_imports_bring_in_no_more_than_they_name() {
        check(
            &[
                ("a.sol", "contract A {}\ncontract B {}\n"),
                ("b.sol", "import { A } from \"./a.sol\";\ncontract C is A { }\ncontract D is B { }\n"),
            ],
            &["b.sol -> a.sol::A", "b.sol::C -> a.sol::A"],
        );
    }

    #[test]
    fn dotted_names_are_paths() {
        check(
            &[
                ("src/app/list.gleam", "pub fn map() { 1 }\n"),
                ("src/app.gleam", "import app/list\nimport gleam/io\nfn run() { map() }\n"),
                ("lib/My/Util.pm", "package My::Util;\n"),
                ("bin/run.pl", "use My::Util;\nuse My::None;\n"),
            ],
            &["bin/run.pl -> lib/My/Util.pm", "src/app.gleam -> src/app/list.gleam"],
        );
    }
}
