//! Languages: one file each, a table from node kinds to actions and the few hooks a table can't express.
//!
//! Adding a language is one file with its [`Language`] and one line in [`LANGUAGES`]. At first use a table is compiled into an
//! array indexed by node kind, so that the walk pays one look-up per node.
//!
//! Knows syntax, nothing of other files.

mod ambiguous;
mod bash;
mod c;
mod cfamily;
pub(crate) mod common;
mod cpp;
mod csharp;
mod dart;
#[cfg(test)]
mod docs;
mod elixir;
mod formats;
mod go;
mod haskell;
pub mod health;
mod java;
mod javascript;
mod kotlin;
mod lua;
pub(crate) mod marked;
mod nodes;
mod ocaml;
mod php;
mod python;
#[cfg(test)]
mod raises_tests;
mod ruby;
mod rust;
mod scala;
mod script;
mod structure;
mod swift;
mod tree;
mod typescript;
mod zig;

use std::path::Path;
use std::sync::OnceLock;

use tree_sitter::Node;

use self::common::UsageKinds;
use crate::facts::model::{Kind, Role, Usage};
use crate::facts::walker::Walker;

/// What the walk does at a node kind.
#[derive(Clone, Copy)]
pub enum Action {
    /// Visits the children; the default.
    Descend,
    /// Passes the node over with all that is in it.
    Skip,
    /// Opens a lexical scope and visits the children.
    Scope,
    /// Enters a definition named by the field `name`, with signature up to the field `body`, and visits the rest inside it.
    Define(Kind),
    /// The node is a name used in this role.
    Name(Role),
    /// Calls a function of the language's file, which visits what it wants visited.
    Hook(fn(&mut Walker<'_>, Node<'_>)),
}

impl std::fmt::Debug for Action {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Action::Descend => "Descend",
            Action::Skip => "Skip",
            Action::Scope => "Scope",
            Action::Define(_) => "Define",
            Action::Name(_) => "Name",
            Action::Hook(_) => "Hook",
        })
    }
}

/// Another reading of a file's bytes, of the same length.
pub type Prepare = fn(&[u8]) -> Option<Vec<u8>>;

/// The questions a table can't answer.
#[derive(Clone, Copy, Default)]
pub struct Hooks {
    /// The expression row of a node, or [`crate::facts::NONE`].
    pub expr: Option<fn(&mut Walker<'_>, Node<'_>) -> u32>,
    /// Where the signature of a definition begins, given its node and the node of its name (after attributes).
    pub signature_start: Option<fn(Node<'_>, Node<'_>) -> usize>,
    /// Whether a sibling above a definition is an attribute of it, so that a comment above that is still its documentation.
    pub is_attribute: Option<fn(Node<'_>) -> bool>,
    /// Another reading of a file whose parse has errors: the same length, with what stands in the grammar's way blanked.
    /// The tree with fewer errors is walked, over the file's own bytes.
    pub prepare: Option<Prepare>,
    /// Runs after the walk, with the root.
    pub finish: Option<fn(&mut Walker<'_>, Node<'_>)>,
}

impl std::fmt::Debug for Hooks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Hooks")
    }
}

impl Hooks {
    /// No hooks.
    pub const NONE: Hooks = Hooks { expr: None, signature_start: None, is_attribute: None, prepare: None, finish: None };
}

/// The family that shares import rules and name spaces; `link` has one policy per family.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord, Hash)]
pub enum Family {
    /// C and C++.
    C,
    /// C#.
    CSharp,
    /// Dart.
    Dart,
    /// Elixir.
    Elixir,
    /// Go.
    Go,
    /// Haskell.
    Haskell,
    /// Java, Kotlin and Scala.
    Jvm,
    /// Lua.
    Lua,
    /// OCaml.
    Ocaml,
    /// PHP.
    Php,
    /// Languages whose names never cross files, and formats of data and documents.
    Plain,
    /// JavaScript and TypeScript.
    Script,
    /// Bash and its relatives.
    Shell,
    /// Swift.
    Swift,
    /// Python.
    Python,
    /// Ruby.
    Ruby,
    /// Rust.
    Rust,
    /// Zig.
    Zig,
}

/// How much of a language is understood.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord, Hash)]
pub enum Tier {
    /// Definitions, types, imports, receivers and roles; linked across files by the language's own rules.
    Deep,
    /// Definitions, containment and calls, linked as far as names allow.
    Structure,
    /// Data and documents: headings, keys, tables, stages, targets.
    Format,
}

/// One language, declaratively.
#[derive(Debug)]
pub struct Language {
    /// The stable lower-case name used in answers and arguments.
    pub name: &'static str,
    /// How much of it is understood.
    pub tier: Tier,
    /// Which names its files can see.
    pub family: Family,
    /// File name endings without the dot.
    pub extensions: &'static [&'static str],
    /// Whole file names that are of this language whatever their ending.
    pub file_names: &'static [&'static str],
    /// What starts a line comment.
    pub line_comment: &'static str,
    /// Words that can't be names, separated by blanks.
    pub keywords: &'static str,
    /// Sources in which a bare signature parses; it stands at the `$`.
    pub signatures: &'static [&'static str],
    /// Whether a local name may be used before its declaration.
    pub hoists: bool,
    /// Whether a bare name inside a type may be one of the type's members.
    pub implicit_self: bool,
    /// The grammar.
    pub grammar: fn() -> tree_sitter::Language,
    /// Node kind to action; kinds not listed are descended into.
    pub table: &'static [(&'static str, Action)],
    /// What a call's surroundings say about its result.
    pub usage: UsageKinds,
    /// What the table can't say.
    pub hooks: Hooks,
}

/// A language with its grammar loaded and its table compiled.
#[derive(Debug)]
pub struct Compiled {
    /// The declaration.
    pub language: &'static Language,
    /// The loaded grammar.
    pub grammar: tree_sitter::Language,
    actions: Vec<Action>,
    around: Vec<Around>,
    raising: Vec<bool>,
}

/// What a node kind around a call says about the call's result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Around {
    /// Look further out.
    Transparent,
    /// This is what becomes of it.
    Use(Usage),
}

impl Compiled {
    fn new(language: &'static Language) -> Compiled {
        let grammar = (language.grammar)();
        let mut actions = vec![Action::Descend; grammar.node_kind_count()];
        for (kind, action) in language.table {
            // One visible name may stand for several kinds, aliases included.
            for id in 0..grammar.node_kind_count() {
                let id = id as u16;
                if grammar.node_kind_is_named(id) && grammar.node_kind_for_id(id) == Some(kind) {
                    actions[id as usize] = *action;
                }
            }
        }
        let around = (0..grammar.node_kind_count())
            .map(|id| {
                grammar.node_kind_for_id(id as u16).map_or(Around::Use(Usage::Unknown), |kind| around(&language.usage, kind))
            })
            .collect();
        let is_raising = |id: usize| grammar.node_kind_for_id(id as u16).is_some_and(crate::facts::walker::raise::is_raising);
        let raising = (0..grammar.node_kind_count()).map(is_raising).collect();
        Compiled { language, grammar, actions, around, raising }
    }

    /// What a node kind around a call says about the call's result.
    pub(crate) fn around(&self, kind: u16) -> Around {
        self.around.get(kind as usize).copied().unwrap_or(Around::Use(Usage::Unknown))
    }

    /// Whether a node kind may raise what stands in it.
    pub(crate) fn is_raising(&self, kind: u16) -> bool {
        self.raising.get(kind as usize).copied().unwrap_or(false)
    }

    /// What to do at a node kind.
    pub fn action(&self, kind: u16) -> Action {
        self.actions.get(kind as usize).copied().unwrap_or(Action::Descend)
    }
}

fn around(kinds: &UsageKinds, kind: &str) -> Around {
    if kinds.transparent.contains(&kind) {
        return Around::Transparent;
    }
    let table = [
        (kinds.statement, Usage::Discarded),
        (kinds.assignment, Usage::Assigned),
        (kinds.returns, Usage::Returned),
        (kinds.argument, Usage::Argument),
        (kinds.condition, Usage::Condition),
        (kinds.spawn, Usage::Goroutine),
        (kinds.defer, Usage::Deferred),
    ];
    let found = table.iter().find(|(names, _)| names.contains(&kind));
    Around::Use(found.map_or(Usage::Unknown, |(_, usage)| *usage))
}

/// Number of languages.
pub const COUNT: usize = 108;

/// Every language, in the order of [`Lang`] numbers.
pub static LANGUAGES: [&Language; COUNT] = [
    &bash::BASH,
    &c::C,
    &cpp::CPP,
    &csharp::CSHARP,
    &dart::DART,
    &elixir::ELIXIR,
    &go::GO,
    &haskell::HASKELL,
    &java::JAVA,
    &javascript::JAVASCRIPT,
    &javascript::JSX,
    &kotlin::KOTLIN,
    &lua::LUA,
    &lua::LUAU,
    &ocaml::OCAML,
    &ocaml::OCAML_INTERFACE,
    &php::PHP,
    &python::PYTHON,
    &ruby::RUBY,
    &rust::RUST,
    &scala::SCALA,
    &swift::SWIFT,
    &typescript::TYPESCRIPT,
    &typescript::TSX,
    &zig::ZIG,
    &structure::ADA,
    &structure::APEX,
    &structure::AWK,
    &structure::BICEP,
    &structure::CAPNP,
    &structure::CLOJURE,
    &structure::COMMON_LISP,
    &structure::ELISP,
    &structure::ELM,
    &structure::ERLANG,
    &structure::FISH,
    &structure::GDSCRIPT,
    &structure::GLEAM,
    &structure::GLSL,
    &structure::GROOVY,
    &structure::HLSL,
    &structure::IDRIS,
    &structure::JSONNET,
    &structure::JULIA,
    &structure::JUST,
    &structure::MATLAB,
    &structure::NIX,
    &structure::OBJC,
    &structure::ODIN,
    &structure::PASCAL,
    &structure::PERL,
    &structure::POWERSHELL,
    &structure::PRISMA,
    &structure::PROLOG,
    &structure::PUPPET,
    &structure::QML,
    &structure::R,
    &structure::RACKET,
    &structure::REGO,
    &structure::RESCRIPT,
    &structure::SCHEME,
    &structure::SOLIDITY,
    &structure::STARLARK,
    &structure::TCL,
    &structure::TEMPL,
    &structure::THRIFT,
    &structure::V,
    &structure::VHDL,
    &structure::VIM,
    &structure::VISUAL_BASIC,
    // Data, documents, and what holds code of other languages.
    &formats::asciidoc::ASCIIDOC,
    &formats::component::ASTRO,
    &formats::cmake::CMAKE,
    &formats::owners::CODEOWNERS,
    &formats::css::CSS,
    &formats::csv::CSV,
    &formats::docker::DOCKERFILE,
    &formats::env::DOTENV,
    &formats::embedded::EJS,
    &formats::embedded::ERB,
    &formats::owners::GIT_ATTRIBUTES,
    &formats::gomod::GO_MOD,
    &formats::graphql::GRAPHQL,
    &formats::hcl::HCL,
    &formats::html::HTML,
    &formats::ini::INI,
    &formats::jinja::JINJA,
    &formats::json::JSON,
    &formats::kdl::KDL,
    &formats::style::LESS,
    &formats::make::MAKE,
    &formats::markdown::MARKDOWN,
    &formats::meson::MESON,
    &formats::notebook::NOTEBOOK,
    &formats::properties::PROPERTIES,
    &formats::proto::PROTO,
    &formats::requirements::REQUIREMENTS,
    &formats::kdl::RON,
    &formats::rst::RST,
    &formats::style::SASS,
    &formats::style::SCSS,
    &formats::sql::SQL,
    &formats::component::SVELTE,
    &formats::toml::TOML,
    &formats::typst::TYPST,
    &formats::component::VUE,
    &formats::xml::XML,
    &formats::yaml::YAML,
];

/// A language's number: its place in [`LANGUAGES`]. Part of the snapshot format.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord, Hash)]
pub struct Lang(pub u8);

impl Lang {
    /// The language of a path by its whole file name, else by its ending.
    pub fn of_path(path: &str) -> Option<Lang> {
        let base = Path::new(path).file_name()?.to_str()?;
        if let Some(found) = LANGUAGES.iter().position(|language| language.file_names.contains(&base)) {
            return Some(Lang(found as u8));
        }
        if ambiguous::is_requirements(path) {
            return Lang::named("requirements");
        }
        let extension = Path::new(path).extension()?.to_str()?;
        let lower = extension.to_ascii_lowercase();
        // `.C` and `.H` are C++ by custom; everything else is told without case.
        if extension == "C" || extension == "H" {
            return Lang::named("cpp");
        }
        let found = LANGUAGES.iter().position(|language| language.extensions.contains(&lower.as_str()));
        found.map(|found| Lang(found as u8)).or_else(|| Lang::of_variant(base))
    }

    /// `Dockerfile.dev`, `Makefile.in`: a whole file name with an ending of its own that is no language's.
    fn of_variant(base: &str) -> Option<Lang> {
        if base.starts_with(".env.") {
            return Lang::named("dotenv");
        }
        let (stem, _) = base.split_once('.')?;
        ["Dockerfile", "Containerfile", "Makefile", "GNUmakefile"].contains(&stem).then(|| Lang::of_path(stem))?
    }

    /// The language of a path and its bytes: a header is C++ when its text is, a file without an ending is what its first
    /// line asks to be run with.
    pub fn of_file(path: &str, bytes: &[u8]) -> Option<Lang> {
        let Some(lang) = Lang::of_path(path) else {
            let bare = Path::new(path).extension().is_none();
            return if bare { shebang(bytes).and_then(Lang::named) } else { None };
        };
        match ambiguous::by_content(path, bytes) {
            ambiguous::Verdict::ByName => Some(lang),
            ambiguous::Verdict::Is(name) => Lang::named(name),
            ambiguous::Verdict::None => None,
        }
    }

    /// The language of this stable name.
    pub fn named(name: &str) -> Option<Lang> {
        LANGUAGES.iter().position(|language| language.name == name).map(|index| Lang(index as u8))
    }

    /// The declaration.
    pub fn language(self) -> &'static Language {
        LANGUAGES[(self.0 as usize).min(COUNT - 1)]
    }

    /// The compiled table, built at first use.
    pub fn compiled(self) -> &'static Compiled {
        static TABLES: [OnceLock<Compiled>; COUNT] = [const { OnceLock::new() }; COUNT];
        TABLES[(self.0 as usize).min(COUNT - 1)].get_or_init(|| Compiled::new(self.language()))
    }
}

/// The language of the interpreter that a `#!` line names.
fn shebang(bytes: &[u8]) -> Option<&'static str> {
    let line = bytes.strip_prefix(b"#!")?;
    let line = &line[..memchr::memchr(b'\n', line).unwrap_or(line.len()).min(256)];
    let mut words = std::str::from_utf8(line).ok()?.split_ascii_whitespace();
    let base = |word: &str| word.rsplit('/').next().unwrap_or(word).to_owned();
    let mut program = base(words.next()?);
    if program == "env" {
        // Options and settings of `env` come before the program.
        program = base(words.find(|word| !word.starts_with('-') && !word.contains('='))?);
    }
    let program = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    Some(match program {
        "sh" | "bash" | "dash" | "ash" | "ksh" | "mksh" | "zsh" | "bats" => "bash",
        "python" | "pypy" => "python",
        "ruby" | "jruby" => "ruby",
        "node" | "nodejs" | "bun" => "javascript",
        "deno" | "ts-node" | "tsx" => "typescript",
        "lua" | "luajit" | "resty" => "lua",
        "elixir" => "elixir",
        "runghc" | "runhaskell" | "stack" => "haskell",
        "php" => "php",
        "perl" => "perl",
        "scala" => "scala",
        "swift" => "swift",
        "dart" => "dart",
        "ocaml" => "ocaml",
        "kotlin" => "kotlin",
        "awk" | "gawk" | "mawk" | "nawk" => "awk",
        "just" => "just",
        "swipl" => "prolog",
        "guile" => "scheme",
        "racket" => "racket",
        "sbcl" | "ecl" | "clisp" => "commonlisp",
        "emacs" => "elisp",
        "v" => "v",
        "Rscript" => "r",
        "julia" => "julia",
        "tclsh" | "wish" => "tcl",
        "groovy" => "groovy",
        "fish" => "fish",
        "pwsh" => "powershell",
        "make" => "make",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_without_an_ending_is_what_it_is_run_with() {
        let name = |path, text: &str| Lang::of_file(path, text.as_bytes()).map(|lang| lang.language().name);
        assert_eq!(name("bin/tool", "#!/bin/sh\necho\n"), Some("bash"));
        assert_eq!(name("bin/tool", "#!/usr/bin/env -S FOO=1 python3.11 -u\n"), Some("python"));
        assert_eq!(name("bin/tool", "#! /usr/bin/env ruby"), Some("ruby"));
        assert_eq!(name("bin/tool", "#!/usr/bin/env node\n"), Some("javascript"));
        assert_eq!(name("bin/tool", "#!/opt/unknown\n"), None);
        assert_eq!(name("bin/tool", "echo\n"), None);
        assert_eq!(name("tool.txt", "#!/bin/sh\n"), None);
        assert_eq!(name("tool.py", "#!/bin/sh\n"), Some("python"));
    }

    #[test]
    fn every_kind_in_a_table_exists_in_its_grammar() {
        for language in LANGUAGES {
            let grammar = (language.grammar)();
            for (kind, _) in language.table {
                assert_ne!(grammar.id_for_node_kind(kind, true), 0, "{}: no node kind `{kind}`", language.name);
            }
        }
    }

    #[test]
    fn a_header_is_read_as_what_it_holds() {
        let name = |path, text: &str| Lang::of_file(path, text.as_bytes()).map(|lang| lang.language().name);
        assert_eq!(name("a.h", "namespace a {\nclass B {};\n}\n"), Some("cpp"));
        assert_eq!(name("a.h", "struct b { int c; };\n"), Some("c"));
        assert_eq!(name("a.c", "namespace a {\n}\n"), Some("c"));
        assert_eq!(name("a.txt", "class B {};\n"), None);
    }

    #[test]
    fn extensions_are_claimed_once() {
        let mut seen = std::collections::BTreeMap::new();
        for language in LANGUAGES {
            for extension in language.extensions {
                let other = seen.insert(*extension, language.name);
                assert_eq!(other, None, ".{extension} is claimed twice");
            }
        }
    }
}
