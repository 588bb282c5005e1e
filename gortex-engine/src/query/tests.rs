//! Which tests exercise a symbol, and how they are run.
//!
//! Tests are found by walking up from the symbol along its uses until test code is met. How they are run is told by the
//! nearest manifest above a test file; a file without a known runner is said to have none.
//!
//! Knows the graph and manifests' texts; nothing is run here.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashSet;

use crate::facts::model::flag;
use crate::graph::{EdgeKind, Graph, NodeId};
use crate::lang::Family;

/// Tests by file, and what none of them reaches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tests {
    /// Test functions by file; a test file that mentions the symbol outside of any test function has none.
    pub files: BTreeMap<String, BTreeSet<NodeId>>,
    /// Symbols that no test reaches.
    pub uncovered: Vec<NodeId>,
    /// Symbols asked for.
    pub asked: usize,
}

/// Nodes visited per symbol before the walk gives up.
const VISITS: usize = 5_000;

/// Finds the tests of symbols, following callers for `depth` steps.
pub fn find(graph: &Graph, symbols: &[NodeId], depth: u32) -> Tests {
    let mut found = Tests { asked: symbols.len(), ..Tests::default() };
    for symbol in symbols {
        if !reach(graph, *symbol, depth, &mut found.files) {
            found.uncovered.push(*symbol);
        }
    }
    found
}

fn reach(graph: &Graph, symbol: NodeId, depth: u32, files: &mut BTreeMap<String, BTreeSet<NodeId>>) -> bool {
    let mut seen: FxHashSet<NodeId> = FxHashSet::from_iter([symbol]);
    let mut level = vec![symbol];
    // A type is exercised through its members.
    if graph.kind(symbol).is_type() {
        level.extend(graph.children(symbol).into_iter().filter(|child| seen.insert(*child)));
    }
    let mut covered = false;
    for step in 0..=depth {
        let mut next = Vec::new();
        for at in level {
            if graph.is_test(at) {
                covered = true;
                let tests = files.entry(graph.file_of(at).path.clone()).or_default();
                let test = std::iter::once(at).chain(graph.ancestors(at)).find(|node| is_test_function(graph, *node));
                match test {
                    Some(test) => drop(tests.insert(test)),
                    // A helper of tests: whoever calls it is the test.
                    None => next.extend(users(graph, at).filter(|node| seen.insert(*node))),
                }
            } else if step < depth {
                next.extend(users(graph, at).filter(|node| seen.insert(*node)));
            }
        }
        if next.is_empty() || seen.len() > VISITS {
            break;
        }
        next.sort_unstable();
        level = next;
    }
    covered
}

fn is_test_function(graph: &Graph, node: NodeId) -> bool {
    graph.def(node).is_some_and(|def| def.has(flag::TEST) && def.kind().is_callable())
}

fn users(graph: &Graph, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
    let carries = |kind| !matches!(kind, EdgeKind::Imports | EdgeKind::ReExports | EdgeKind::Contains);
    let direct = graph.incoming(node).filter(move |edge| carries(edge.kind())).map(|edge| edge.from);
    let through = graph.out(node).iter().filter(|edge| edge.kind() == EdgeKind::Overrides);
    direct.chain(through.flat_map(|edge| graph.incoming(edge.to).filter(|call| call.kind().is_call()).map(|call| call.from)))
}

/// A command that runs some tests.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Command {
    /// The runner: `cargo`, `go`, `pytest`, `vitest`, …
    pub runner: &'static str,
    /// The repository, by its number in the graph; the command is given relative to its root.
    pub repo: u16,
    /// The folder in the repository to run it in; empty for its root.
    pub cwd: String,
    /// Program and arguments.
    pub argv: Vec<String>,
}

impl Command {
    /// The command for a POSIX shell.
    pub fn shell(&self) -> String {
        let words: Vec<String> = self.argv.iter().map(|word| quote(word)).collect();
        let line = words.join(" ");
        if self.cwd.is_empty() { line } else { format!("(cd {} && {line})", quote(&self.cwd)) }
    }
}

/// A word for a POSIX shell, quoted where it must be.
pub fn quote(word: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./:=,@%+".contains(&byte);
    if !word.is_empty() && word.bytes().all(plain) { word.to_owned() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

/// Reads a text file by its path as the graph has it.
pub type ReadText<'a> = &'a dyn Fn(&str) -> Option<String>;

/// One command per runner and package, sorted, and the files for which no runner is known.
pub fn commands(graph: &Graph, tests: &Tests, read: ReadText<'_>) -> (Vec<Command>, Vec<String>) {
    let mut groups: BTreeMap<(&'static str, u16, String), Vec<Wanted>> = BTreeMap::new();
    let mut without = Vec::new();
    for (path, functions) in &tests.files {
        let Some(file) = graph.file(path) else { continue };
        let prefix = if graph.repos.len() > 1 { graph.repos.get(file.repo as usize).map_or(0, |name| name.len() + 1) } else { 0 };
        let rel = path.get(prefix..).unwrap_or(path);
        let place = Placed { graph, prefix: path.get(..prefix).unwrap_or(""), rel };
        let family = file.lang.map(|lang| lang.language().family);
        let found = match family {
            Some(Family::Rust) => place.above("Cargo.toml").map(|dir| ("cargo", dir)),
            Some(Family::Go) => place.above("go.mod").map(|dir| ("go", dir)),
            Some(Family::Python) => Some(("pytest", String::new())),
            Some(Family::Script) => {
                place.above("package.json").and_then(|dir| script_runner(&place, &dir, read).map(|name| (name, dir)))
            }
            Some(Family::Jvm) => java_runner(&place),
            Some(Family::Php | Family::Swift | Family::Dart | Family::Ocaml) => other_runner(family, &place, read),
            Some(Family::Ruby) if rel.ends_with("_spec.rb") => Some(("rspec", place.above("Gemfile").unwrap_or_default())),
            Some(Family::Ruby) => Some(("minitest", place.above("Rakefile").unwrap_or_default())),
            Some(Family::Elixir) if rel.ends_with("_test.exs") => place.above("mix.exs").map(|dir| ("mix", dir)),
            Some(Family::Lua) if rel.ends_with("_spec.lua") => Some(("busted", place.above(".busted").unwrap_or_default())),
            Some(Family::Shell) if rel.rsplit('.').next() == Some("bats") => Some(("bats", String::new())),
            _ => None,
        };
        let names = functions.iter().map(|node| (graph.name(*node).to_owned(), graph.qualified(*node))).collect();
        match found {
            Some((runner, dir)) => {
                groups.entry((runner, file.repo, dir)).or_default().push(Wanted { rel: rel.to_owned(), names });
            }
            None => without.push(path.clone()),
        }
    }
    let mut list = Vec::new();
    for ((runner, repo, dir), wanted) in groups {
        let prefix = if graph.repos.len() > 1 { format!("{}/", graph.repos[repo as usize]) } else { String::new() };
        let (cwd, argv) = match runner {
            "cargo" => cargo(&dir, &wanted, graph, &prefix, read),
            "go" => go(&dir, &wanted),
            "pytest" => pytest(&wanted),
            "rspec" => by_file(&["bundle", "exec", "rspec"], &dir, &wanted),
            "minitest" => minitest(&dir, &wanted),
            "mix" => by_file(&["mix", "test"], &dir, &wanted),
            "busted" => by_file(&["busted"], &dir, &wanted),
            "bats" => by_file(&["bats"], &dir, &wanted),
            "maven" | "gradle" => java(runner, &dir, &wanted, graph, &prefix),
            "phpunit" | "swift" | "pest" | "dart" | "flutter" | "dune" => other(runner, &dir, &wanted),
            _ => script(runner, &dir, &wanted),
        };
        list.push(Command { runner, repo, cwd, argv });
    }
    list.sort();
    (list, without)
}

/// One test file: its path in the repository, its tests by simple and by qualified name.
struct Wanted {
    rel: String,
    names: Vec<(String, String)>,
}

struct Placed<'g> {
    graph: &'g Graph,
    prefix: &'g str,
    rel: &'g str,
}

impl Placed<'_> {
    /// The nearest folder at or above the file that holds a file of this name.
    fn above(&self, name: &str) -> Option<String> {
        let mut dir = self.rel.rsplit_once('/').map_or("", |(dir, _)| dir);
        loop {
            let path = if dir.is_empty() { format!("{}{name}", self.prefix) } else { format!("{}{dir}/{name}", self.prefix) };
            if self.graph.file(&path).is_some() {
                return Some(dir.to_owned());
            }
            if dir.is_empty() {
                return None;
            }
            dir = dir.rsplit_once('/').map_or("", |(dir, _)| dir);
        }
    }
}

fn join(dir: &str, name: &str) -> String {
    if dir.is_empty() { name.to_owned() } else { format!("{dir}/{name}") }
}

/// The path of a file seen from a folder above it.
fn from(dir: &str, rel: &str) -> String {
    if dir.is_empty() {
        rel.to_owned()
    } else {
        rel.strip_prefix(dir).map_or(rel, |rest| rest.trim_start_matches('/')).to_owned()
    }
}

fn words(list: &[&str]) -> Vec<String> {
    list.iter().map(|word| (*word).to_owned()).collect()
}

fn cargo(dir: &str, wanted: &[Wanted], graph: &Graph, prefix: &str, read: ReadText<'_>) -> (String, Vec<String>) {
    let manifest = read(&format!("{prefix}{}", join(dir, "Cargo.toml")));
    let package = manifest
        .and_then(|text| text.parse::<toml::Table>().ok())
        .and_then(|table| Some(table.get("package")?.get("name")?.as_str()?.to_owned()));
    let at_root = graph.file(&format!("{prefix}Cargo.toml")).is_some();
    let mut argv = words(&["cargo", "test"]);
    match package {
        Some(package) if at_root => argv.extend(["-p".to_owned(), package]),
        _ if !dir.is_empty() => argv.extend(["--manifest-path".to_owned(), join(dir, "Cargo.toml")]),
        _ => {}
    }
    let names: BTreeSet<&str> = wanted.iter().flat_map(|file| &file.names).map(|(name, _)| name.as_str()).collect();
    // A file of which no single test is known runs whole, and then a filter would hide it.
    if !names.is_empty() && wanted.iter().all(|file| !file.names.is_empty()) {
        argv.push("--".to_owned());
        argv.extend(names.into_iter().map(str::to_owned));
    }
    (String::new(), argv)
}

fn go(dir: &str, wanted: &[Wanted]) -> (String, Vec<String>) {
    let packages: BTreeSet<String> = wanted
        .iter()
        .map(|file| from(dir, &file.rel))
        .map(|rel| rel.rsplit_once('/').map_or_else(|| ".".to_owned(), |(package, _)| format!("./{package}")))
        .collect();
    let names: BTreeSet<&str> = wanted.iter().flat_map(|file| &file.names).map(|(name, _)| name.as_str()).collect();
    let mut argv = words(&["go", "test"]);
    argv.extend(packages);
    if !names.is_empty() && wanted.iter().all(|file| !file.names.is_empty()) {
        argv.push("-run".to_owned());
        argv.push(format!("^({})$", names.into_iter().collect::<Vec<_>>().join("|")));
    }
    (dir.to_owned(), argv)
}

fn pytest(wanted: &[Wanted]) -> (String, Vec<String>) {
    let mut argv = words(&["python", "-m", "pytest"]);
    for file in wanted {
        if file.names.is_empty() {
            argv.push(file.rel.clone());
        }
        argv.extend(file.names.iter().map(|(_, qualified)| format!("{}::{}", file.rel, qualified.replace('.', "::"))));
    }
    (String::new(), argv)
}

/// A runner that takes files.
fn by_file(runner: &[&str], dir: &str, wanted: &[Wanted]) -> (String, Vec<String>) {
    let mut argv = words(runner);
    argv.extend(wanted.iter().map(|file| from(dir, &file.rel)));
    (dir.to_owned(), argv)
}

/// Minitest runs when its files are loaded; several are loaded one after another.
fn minitest(dir: &str, wanted: &[Wanted]) -> (String, Vec<String>) {
    let mut argv = words(&["ruby", "-Ilib", "-Itest"]);
    let files = wanted.iter().map(|file| from(dir, &file.rel));
    if let [one] = wanted {
        argv.push(from(dir, &one.rel));
    } else {
        argv.extend(["-e".to_owned(), "ARGV.each { |file| load file }".to_owned()]);
        argv.extend(files);
    }
    (dir.to_owned(), argv)
}

fn script_runner(place: &Placed<'_>, dir: &str, read: ReadText<'_>) -> Option<&'static str> {
    let text = read(&format!("{}{}", place.prefix, join(dir, "package.json")))?;
    let json: serde_json::Value = serde_json::from_str(&text).ok()?;
    let depends = |name: &str| ["devDependencies", "dependencies"].iter().any(|group| json[*group].get(name).is_some());
    let command = json["scripts"]["test"].as_str().unwrap_or("");
    let known = ["vitest", "jest", "mocha", "ava"];
    // What the test script calls decides; packages that merely lie around do not.
    let called = known.iter().find(|name| command.contains(*name));
    if let Some(name) = called.or_else(|| known.iter().find(|name| depends(name))) {
        return Some(name);
    }
    if command.contains("node --test") || command.contains("node:test") {
        return Some("node");
    }
    (!command.is_empty()).then_some("npm")
}

fn script(runner: &str, dir: &str, wanted: &[Wanted]) -> (String, Vec<String>) {
    let files = wanted.iter().map(|file| from(dir, &file.rel));
    let mut argv = match runner {
        "vitest" => words(&["npx", "vitest", "run"]),
        "node" => words(&["node", "--test"]),
        "npm" => words(&["npm", "test"]),
        other => words(&["npx", other]),
    };
    // What an unknown script would do with file names is not known either.
    if runner != "npm" {
        argv.extend(files);
    }
    (dir.to_owned(), argv)
}

/// Runners that the nearest manifest tells alone.
fn other_runner(family: Option<Family>, place: &Placed<'_>, read: ReadText<'_>) -> Option<(&'static str, String)> {
    let (manifest, usual, word, special) = match family? {
        Family::Php => ("composer.json", "phpunit", "pestphp/pest", "pest"),
        Family::Swift => ("Package.swift", "swift", "", ""),
        Family::Dart => ("pubspec.yaml", "dart", "sdk: flutter", "flutter"),
        Family::Ocaml => ("dune-project", "dune", "", ""),
        _ => return None,
    };
    let dir = place.above(manifest)?;
    let is_special =
        !word.is_empty() && read(&format!("{}{}", place.prefix, join(&dir, manifest))).is_some_and(|text| text.contains(word));
    Some((if is_special { special } else { usual }, dir))
}

fn other(runner: &str, dir: &str, wanted: &[Wanted]) -> (String, Vec<String>) {
    let files = wanted.iter().map(|file| from(dir, &file.rel));
    let named = wanted.iter().all(|file| !file.names.is_empty());
    let names: BTreeSet<&str> = wanted.iter().flat_map(|file| &file.names).map(|(_, qualified)| qualified.as_str()).collect();
    let mut argv = match runner {
        "phpunit" => words(&["vendor/bin/phpunit"]),
        "pest" => words(&["vendor/bin/pest"]),
        "dune" => words(&["dune", "test"]),
        program => words(&[program, "test"]),
    };
    match runner {
        "phpunit" if named => {
            let list: Vec<String> = names.iter().map(|name| name.replace('.', "::")).collect();
            argv.extend(["--filter".to_owned(), list.join("|")]);
        }
        "swift" if named => {
            argv.extend(names.iter().flat_map(|name| ["--filter".to_owned(), name.replacen('.', "/", 1)]));
        }
        // The program runs one file or all; without names all is the answer that leaves nothing out.
        "phpunit" | "swift" => {}
        "dune" => {
            let folders: BTreeSet<String> =
                files.map(|rel| rel.rsplit_once('/').map_or(".", |(folder, _)| folder).to_owned()).collect();
            argv.extend(folders);
        }
        _ => argv.extend(files),
    }
    (dir.to_owned(), argv)
}

fn java_runner(place: &Placed<'_>) -> Option<(&'static str, String)> {
    let maven = place.above("pom.xml").map(|dir| ("maven", dir));
    let gradle = place.above("build.gradle").or_else(|| place.above("build.gradle.kts")).map(|dir| ("gradle", dir));
    match (maven, gradle) {
        (Some(maven), Some(gradle)) => Some(if gradle.1.len() > maven.1.len() { gradle } else { maven }),
        (maven, gradle) => maven.or(gradle),
    }
}

fn java(runner: &str, dir: &str, wanted: &[Wanted], graph: &Graph, prefix: &str) -> (String, Vec<String>) {
    let class = |file: &Wanted| file.rel.rsplit('/').next().unwrap_or("").trim_end_matches(".java").to_owned();
    if runner == "maven" {
        let mut argv = words(&["mvn", "-q"]);
        if !dir.is_empty() {
            argv.extend(["-f".to_owned(), join(dir, "pom.xml")]);
        }
        let picks: Vec<String> = wanted
            .iter()
            .map(|file| {
                let names: Vec<&str> = file.names.iter().map(|(name, _)| name.as_str()).collect();
                if names.is_empty() { class(file) } else { format!("{}#{}", class(file), names.join("+")) }
            })
            .collect();
        argv.extend(["test".to_owned(), format!("-Dtest={}", picks.join(","))]);
        return (String::new(), argv);
    }
    let wrapper = graph.file(&format!("{prefix}gradlew")).is_some();
    let mut argv = words(&[if wrapper { "./gradlew" } else { "gradle" }]);
    if !dir.is_empty() {
        argv.extend(["-p".to_owned(), dir.to_owned()]);
    }
    argv.push("test".to_owned());
    for file in wanted {
        let names: Vec<String> = file.names.iter().map(|(name, _)| format!("*{}.{name}", class(file))).collect();
        let picks = if names.is_empty() { vec![format!("*{}", class(file))] } else { names };
        argv.extend(picks.into_iter().flat_map(|pick| ["--tests".to_owned(), pick]));
    }
    (String::new(), argv)
}

#[cfg(test)]
mod unit {
    use super::*;
    use crate::index::build::graph_of;

    #[track_caller]
    fn check(files: &[(&str, &str)], symbol: &str, expected: &[&str]) {
        let graph = graph_of(files);
        let node = graph.by_id(symbol).expect("a symbol");
        let tests = find(&graph, &[node], 3);
        let read = |path: &str| files.iter().find(|(name, _)| *name == path).map(|(_, text)| (*text).to_owned());
        let lines: Vec<String> = commands(&graph, &tests, &read).0.iter().map(Command::shell).collect();
        assert_eq!(lines, expected);
    }

    #[test]
    fn rust_tests_by_package_and_name() {
        let files = [
            ("Cargo.toml", "[package]\nname = \"top\"\nversion = \"0.1.0\"\n"),
            (
                "src/lib.rs",
                "pub fn leaf() {}\npub fn mid() { leaf() }\n#[cfg(test)]\nmod tests {\n    use super::*;\n    #[test]\n    fn works() { mid() }\n}\n",
            ),
        ];
        check(&files, "src/lib.rs::leaf", &["cargo test -p top -- works"]);
    }

    #[test]
    fn runners_that_take_files() {
        let files = [
            ("mix.exs", "defmodule M.MixProject do\nend\n"),
            ("lib/a.ex", "defmodule A do\n  def leaf, do: 1\nend\n"),
            ("test/a_test.exs", "defmodule ATest do\n  test \"leaf\" do\n    A.leaf()\n  end\nend\n"),
        ];
        check(&files, "lib/a.ex::A.leaf", &["mix test test/a_test.exs"]);
        let files = [
            ("lib/a.rb", "class A\n  def leaf; end\nend\n"),
            ("spec/a_spec.rb", "describe A do\n  it 'leaf' do\n    A.new.leaf\n  end\nend\n"),
        ];
        check(&files, "lib/a.rb::A.leaf", &["bundle exec rspec spec/a_spec.rb"]);
        let files = [
            ("lib/a.rb", "class A\n  def leaf; end\nend\n"),
            ("test/a_test.rb", "class ATest < Minitest::Test\n  def test_leaf\n    A.new.leaf\n  end\nend\n"),
        ];
        check(&files, "lib/a.rb::A.leaf", &["ruby -Ilib -Itest test/a_test.rb"]);
        let files = [("a.sh", "leaf() { :; }\n"), ("test/a.bats", "source ../a.sh\n@test \"leaf\" {\n  leaf\n}\n")];
        check(&files, "a.sh::leaf", &["bats test/a.bats"]);
    }

    #[test]
    fn go_tests_by_package_and_name() {
        let files = [
            ("go.mod", "module example.org/m\n"),
            ("a/a.go", "package a\n\nfunc Leaf() int { return 1 }\n"),
            ("a/a_test.go", "package a\n\nimport \"testing\"\n\nfunc TestLeaf(t *testing.T) { Leaf() }\n"),
        ];
        check(&files, "a/a.go::Leaf", &["go test ./a -run '^(TestLeaf)$'"]);
    }

    #[test]
    fn python_tests_by_node_id() {
        let files = [
            ("m.py", "def leaf():\n    pass\n\ndef lonely():\n    pass\n"),
            (
                "tests/test_m.py",
                "from m import leaf\n\ndef helper():\n    leaf()\n\nclass TestIt:\n    def test_leaf(self):\n        helper()\n",
            ),
        ];
        check(&files, "m.py::leaf", &["python -m pytest tests/test_m.py::TestIt::test_leaf"]);
        check(&files, "m.py::lonely", &[]);
    }

    #[test]
    fn script_tests_by_what_the_package_calls() {
        let files = [
            ("web/package.json", "{\"scripts\": {\"test\": \"vitest\"}}"),
            ("web/a.ts", "export function leaf() {}\n"),
            ("web/it's.test.ts", "import { leaf } from './a';\ntest('x', () => { leaf(); });\n"),
        ];
        check(&files, "web/a.ts::leaf", &[r"(cd web && npx vitest run 'it'\''s.test.ts')"]);
    }

    #[test]
    fn php_swift_dart_and_ocaml_by_their_manifests() {
        let php = [
            ("composer.json", "{}"),
            ("src/a.php", "<?php\nclass A { static function leaf() {} }\n"),
            ("tests/ATest.php", "<?php\nclass ATest extends TestCase { function testLeaf() { A::leaf(); } }\n"),
        ];
        check(&php, "src/a.php::A.leaf", &["vendor/bin/phpunit --filter ATest::testLeaf"]);
        let swift = [
            ("Package.swift", "let package = Package(targets: [.target(name: \"A\"), .testTarget(name: \"ATests\")])\n"),
            ("Sources/A/a.swift", "func leaf() {}\n"),
            ("Tests/ATests/a.swift", "@testable import A\nclass T: XCTestCase { func testLeaf() { leaf() } }\n"),
        ];
        check(&swift, "Sources/A/a.swift::leaf", &["swift test --filter T/testLeaf"]);
        let dart = [
            ("app/pubspec.yaml", "name: app\n"),
            ("app/lib/a.dart", "void leaf() {}\n"),
            ("app/test/a_test.dart", "import 'package:app/a.dart';\nvoid main() { test('x', () { leaf(); }); }\n"),
        ];
        check(&dart, "app/lib/a.dart::leaf", &["(cd app && dart test test/a_test.dart)"]);
        let ocaml = [
            ("dune-project", "(lang dune 3.0)\n"),
            ("lib/dune", "(library (name lib))\n"),
            ("lib/a.ml", "let leaf () = 1\n"),
            ("test/test_a.ml", "let () = ignore (Lib.A.leaf ())\n"),
        ];
        check(&ocaml, "lib/a.ml::leaf", &["dune test test"]);
    }

    #[test]
    fn words_are_quoted_for_a_shell() {
        assert_eq!(quote("a/b.py::T"), "a/b.py::T");
        assert_eq!(quote("$(rm x)"), "'$(rm x)'");
        assert_eq!(quote(""), "''");
    }
}
