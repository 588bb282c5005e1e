//! Data and documents: paths from one file to another, and the few name spaces that formats have.
//!
//! A Terraform module is a folder. Protocol buffers look a name up from the innermost scope outwards in packages that span
//! files. Targets, functions and macros of CMake are known in the whole build. A table or a GraphQL type is looked for in its
//! file, then in its folder, then as the only one of that name in the repository, which is told as inferred. In every other
//! format a name means nothing outside its file.
//!
//! Knows paths and full names, no trees.

use rustc_hash::FxHashMap;

use super::{Module, Modules, folder, join};
use crate::facts::model::{Kind, NONE};
use crate::graph::{FileEntry, NodeId, Tier};
use crate::lang::{self, Family};
use crate::link::table::Table;

/// Names by the space they are known in.
#[derive(Debug, Default)]
pub(crate) struct PlainNames {
    names: FxHashMap<String, Vec<NodeId>>,
}

/// How a format's names are known.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Space {
    /// In the files of a folder.
    Folder,
    /// In packages that the files declare.
    Package,
    /// In the repository.
    Repository,
    /// In the folder, and in the repository where there is only one.
    Schema,
}

fn space(language: &str) -> Option<Space> {
    Some(match language {
        "hcl" => Space::Folder,
        "protobuf" => Space::Package,
        "cmake" => Space::Repository,
        "sql" | "graphql" => Space::Schema,
        _ => return None,
    })
}

/// Whose mentions a definition of a file can be the meaning of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// Those of the file alone.
    File,
    /// Those of other files, by rules of the format.
    Files,
    /// Those of other files that hold its name.
    ByName,
}

/// How far the names of a file reach.
pub(crate) fn reach(file: &FileEntry) -> Reach {
    match format_of(file) {
        None => Reach::ByName,
        Some(language) if space(language).is_some() => Reach::Files,
        Some(_) => Reach::File,
    }
}

/// The format of a file whose names follow the rules here; none for code and what is linked like code.
pub(crate) fn format_of(file: &FileEntry) -> Option<&'static str> {
    let language = file.lang?.language();
    (language.family == Family::Plain && language.tier == lang::Tier::Format).then_some(language.name)
}

fn key(language: &str, repo: u16, place: &str, name: &str) -> String {
    format!("{language}\n{repo}\n{place}\n{name}")
}

impl PlainNames {
    pub fn new(table: &Table<'_>) -> PlainNames {
        let mut found = PlainNames::default();
        for (at, file) in table.files.iter().enumerate() {
            let Some(language) = format_of(file) else { continue };
            let Some(space) = space(language) else { continue };
            let view = &table.views[at];
            for (index, def) in view.defs.iter().enumerate() {
                let node = file.base + 1 + index as u32;
                let name = view.str(def.name);
                if space == Space::Package {
                    let inner = crate::graph::names::qualified(view, index as u32);
                    let package = view.str(view.header.package);
                    let full = if package.is_empty() { inner } else { format!("{package}.{inner}") };
                    found.add(key(language, file.repo, "", &full), node);
                    continue;
                }
                if def.parent != NONE {
                    continue;
                }
                match space {
                    Space::Folder => found.add(key(language, file.repo, folder(&file.path), name), node),
                    Space::Schema if language == "sql" && !is_relation(def.kind()) => {}
                    Space::Schema => {
                        let folded = fold(language, name);
                        found.add(key(language, file.repo, folder(&file.path), &folded), node);
                        found.add(key(language, file.repo, "*", &folded), node);
                    }
                    // A variable belongs to its folder and those below, which only the order of the build tells.
                    _ if def.kind() == Kind::Variable || def.kind() == Kind::Module => {}
                    _ => found.add(key(language, file.repo, "", name), node),
                }
            }
        }
        found
    }

    fn add(&mut self, key: String, node: NodeId) {
        self.names.entry(key).or_default().push(node);
    }

    fn get(&self, language: &str, repo: u16, place: &str, name: &str) -> &[NodeId] {
        self.names.get(&key(language, repo, place, name)).map_or(&[], Vec::as_slice)
    }

    /// What `text` means as it is written inside a definition of a file, with how that is known; in the language of the file
    /// or in that of a string in it.
    pub fn find(
        &self,
        table: &Table<'_>,
        (file, owner): (usize, NodeId),
        language: Option<&'static str>,
        text: &str,
    ) -> Option<(NodeId, Tier)> {
        let language = language.or_else(|| format_of(&table.files[file]))?;
        let space = space(language)?;
        let (repo, path) = (table.files[file].repo, table.files[file].path.as_str());
        let exact = |node| (node, Tier::AstResolved);
        match space {
            Space::Package => self.in_packages(table, file, owner, text).map(exact),
            Space::Folder => one(self.get(language, repo, folder(path), text)).map(exact),
            Space::Repository => {
                let own = table.members(table.files[file].base, table.name(text)).first().copied();
                own.or_else(|| one(self.get(language, repo, "", text))).map(exact)
            }
            Space::Schema => {
                let (schema, name) = text.rsplit_once('.').unwrap_or(("", text));
                let name = fold(language, name);
                let fits = |node: &NodeId| {
                    let Some(def) = table.def(*node) else { return false };
                    let other = table.str(table.file_of(*node), def.owner_type);
                    schema.is_empty() || other.is_empty() || other.eq_ignore_ascii_case(schema)
                };
                let near: Vec<NodeId> =
                    self.get(language, repo, folder(path), &name).iter().copied().filter(|node| fits(node)).collect();
                let here = near.iter().copied().find(|node| table.file_of(*node) == file);
                if let Some(node) = here.or_else(|| one(&near)) {
                    return Some(exact(node));
                }
                let all: Vec<NodeId> = self.get(language, repo, "*", &name).iter().copied().filter(|node| fits(node)).collect();
                one(&all).map(|node| (node, Tier::AstInferred))
            }
        }
    }

    /// Whether several definitions fit a text of which [`Self::find`] knows no one.
    pub fn is_ambiguous(&self, table: &Table<'_>, file: usize, language: Option<&'static str>, text: &str) -> bool {
        let Some(language) = language.or_else(|| format_of(&table.files[file])) else { return false };
        let (repo, path) = (table.files[file].repo, table.files[file].path.as_str());
        let fitting = match space(language) {
            Some(Space::Package | Space::Repository) => self.get(language, repo, "", text.trim_start_matches('.')),
            Some(Space::Folder) => self.get(language, repo, folder(path), text),
            Some(Space::Schema) => {
                let name = text.rsplit_once('.').map_or(text, |(_, name)| name);
                self.get(language, repo, "*", &fold(language, name))
            }
            None => &[],
        };
        fitting.len() > 1
    }

    /// By the rules of protocol buffers: a leading dot is the top, otherwise every scope outwards is tried.
    fn in_packages(&self, table: &Table<'_>, file: usize, owner: NodeId, text: &str) -> Option<NodeId> {
        let view = &table.views[file];
        let repo = table.files[file].repo;
        let get = |full: &str| {
            let found = self.get("protobuf", repo, "", full);
            let types: Vec<NodeId> =
                found.iter().copied().filter(|node| table.kind(*node).is_type() || table.kind(*node) == Kind::Service).collect();
            let here = types.iter().copied().find(|node| table.file_of(*node) == file);
            here.or_else(|| one(&types))
        };
        if let Some(full) = text.strip_prefix('.') {
            return get(full);
        }
        let index = owner.checked_sub(table.files[file].base + 1);
        let inner = index.map(|index| crate::graph::names::qualified(view, index)).unwrap_or_default();
        let package = view.str(view.header.package);
        let whole = [package, inner.as_str()].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(".");
        let mut scope = whole.as_str();
        loop {
            let full = if scope.is_empty() { text.to_owned() } else { format!("{scope}.{text}") };
            if let Some(found) = get(&full) {
                return Some(found);
            }
            if scope.is_empty() {
                return None;
            }
            scope = scope.rsplit_once('.').map_or("", |(outer, _)| outer);
        }
    }

    /// The file that a path in a file means: beside the file, or from the top of its repository.
    pub fn resolve(modules: &Modules, table: &Table<'_>, file: usize, text: &str) -> Module {
        let Some(language) = format_of(&table.files[file]) else {
            let found = super::written::find(modules, table.language(file), &table.files[file].path, text);
            return found.map_or(Module::Unknown, |found| Module::Node(table.files[found as usize].base));
        };
        let from = folder(&table.files[file].path);
        let endings: &[&str] = match language {
            "hcl" => &["/main.tf"],
            "cmake" => &["", ".cmake", "/CMakeLists.txt"],
            "yaml" => &["", "/action.yml", "/action.yaml"],
            "markdown" => &["", ".md", "/README.md", "/index.md"],
            "go_mod" => &["/go.mod"],
            "rst" => &["", ".rst"],
            "meson" => &["/meson.build"],
            "scss" | "sass" | "less" => &["", ".scss", ".sass", ".less", ".css", "/index.scss", "/_index.scss", "/_index.sass"],
            _ => &[""],
        };
        let at = |path: String| endings.iter().find_map(|ending| modules.path(&format!("{path}{ending}")));
        // Several repositories stand under their prefixes; the top is the first folder that has the path.
        let above = || std::iter::successors(Some(from), |at| (!at.is_empty()).then(|| folder(at)));
        let found = match text.strip_prefix('/') {
            Some(rooted) => above().filter_map(|at_folder| join(at_folder, rooted)).filter_map(at).last(),
            None if language == "protobuf" => above().filter_map(|at_folder| join(at_folder, text)).find_map(at),
            None => join(from, text).and_then(at).or_else(|| {
                // A partial of Sass is named without the mark that its file has.
                let partial = || {
                    let (within, name) = text.rsplit_once('/').map_or(("", text), |(within, name)| (within, name));
                    join(from, &format!("{within}/_{name}")).and_then(at)
                };
                matches!(language, "scss" | "sass").then(partial)?
            }),
        };
        found.map_or(Module::Unknown, |found| Module::Node(table.files[found as usize].base))
    }
}

fn is_relation(kind: Kind) -> bool {
    matches!(kind, Kind::Table | Kind::View)
}

/// Names of tables are compared without case.
fn fold(language: &str, name: &str) -> String {
    if language == "sql" { name.to_lowercase() } else { name.to_owned() }
}

fn one(nodes: &[NodeId]) -> Option<NodeId> {
    if let [one] = nodes { Some(*one) } else { None }
}

#[cfg(test)]
mod tests {
    use crate::graph::{EdgeKind, Graph, Tier};
    use crate::index::build::graph_of;

    /// `source -> target` of every edge that is no containment, weak ones marked.
    fn edges(graph: &Graph) -> Vec<String> {
        let mut rows: Vec<String> = graph
            .edges
            .iter()
            .filter(|edge| edge.kind() != EdgeKind::Contains)
            .map(|edge| {
                let weak = if edge.tier() == Tier::AstResolved { "" } else { " ~" };
                format!("{} -> {}{weak}", graph.id(edge.from), graph.id(edge.to))
            })
            .collect();
        rows.sort();
        rows
    }

    #[track_caller]
    fn check(files: &[(&str, &str)], expected: &[&str]) {
        assert_eq!(edges(&graph_of(files)), expected);
    }

    #[test]
    fn a_terraform_module_is_a_folder() {
        check(
            &[
                ("net/main.tf", "resource \"aws_vpc\" \"main\" { cidr = var.cidr }\nmodule \"sub\" { source = \"./sub\" }\n"),
                ("net/sub/main.tf", "output \"id\" { value = var.cidr }\n"),
                ("net/variables.tf", "variable \"cidr\" {}\n"),
                ("other/variables.tf", "variable \"cidr\" {}\n"),
            ],
            &["net/main.tf::aws_vpc.main -> net/variables.tf::var.cidr", "net/main.tf::module.sub -> net/sub/main.tf"],
        );
    }

    #[test]
    fn protocol_buffers_look_outwards_and_by_full_name() {
        check(
            &[
                (
                    "p/a.proto",
                    "package x.a;\nimport \"p/b.proto\";\nmessage M { b.N n = 1; .x.b.N o = 2; N p = 3; Q q = 4; message Q {} }\n",
                ),
                ("p/b.proto", "package x.b;\nmessage N {}\nmessage Q {}\n"),
            ],
            &[
                "p/a.proto -> p/b.proto",
                "p/a.proto::M.n -> p/b.proto::N",
                "p/a.proto::M.o -> p/b.proto::N",
                "p/a.proto::M.q -> p/a.proto::M.Q",
            ],
        );
    }

    // Two tables of a name and a query of neither's folder: nobody may say that the tables are not used.
    #[test]
    fn a_table_that_several_fit_is_counted() {
        let files = [
            ("a/schema.sql", "CREATE TABLE logs (id INT);\n"),
            ("b/schema.sql", "CREATE TABLE logs (id INT);\n"),
            ("c/query.sql", "SELECT id FROM logs;\nSELECT id FROM nowhere;\n"),
        ];
        let graph = graph_of(&files);
        assert_eq!(edges(&graph), Vec::<String>::new());
        let loose = graph.unbound().iter().map(|row| (graph.names().text(row.name), row.reason().as_str()));
        assert_eq!(loose.collect::<Vec<_>>(), [("logs", "ambiguous")]);
    }

    #[test]
    fn tables_are_bound_near_first_and_otherwise_only_where_there_is_one() {
        check(
            &[
                ("db/schema.sql", "CREATE TABLE users (id INT);\nCREATE TABLE app.orgs (id INT);\n"),
                ("db/view.sql", "CREATE VIEW v AS SELECT * FROM Users;\n"),
                ("q/one.sql", "CREATE VIEW w AS SELECT * FROM users;\nCREATE VIEW z AS SELECT * FROM other.orgs;\n"),
                ("q/two.sql", "CREATE VIEW x AS SELECT * FROM nowhere;\n"),
            ],
            &["db/view.sql::v -> db/schema.sql::users", "q/one.sql::w -> db/schema.sql::users ~"],
        );
        let twice = &[
            ("a/s.sql", "CREATE TABLE users (id INT);\n"),
            ("b/s.sql", "CREATE TABLE users (id INT);\n"),
            ("c/q.sql", "CREATE VIEW w AS SELECT * FROM users;\n"),
        ];
        check(twice, &[]);
    }

    #[test]
    fn targets_of_a_build_and_folders_that_are_taken_in() {
        check(
            &[
                ("CMakeLists.txt", "add_subdirectory(core)\nadd_executable(app main.c)\ntarget_link_libraries(app core m)\n"),
                ("core/CMakeLists.txt", "add_library(core a.c)\n"),
            ],
            &[
                "CMakeLists.txt -> CMakeLists.txt::app",
                "CMakeLists.txt -> core/CMakeLists.txt",
                "CMakeLists.txt -> core/CMakeLists.txt::core",
            ],
        );
    }

    #[test]
    fn components_import_and_render_each_other() {
        check(
            &[
                (
                    "src/App.vue",
                    "<template><Foo /><Other /></template>\n<script setup lang=\"ts\">\nimport Foo from '@/Foo'\nimport { go } from './lib'\ngo()\n</script>\n",
                ),
                ("src/Foo.vue", "<script setup>\nfunction inner() {}\n</script>\n"),
                ("src/lib.ts", "export function go() {}\n"),
            ],
            &[
                "src/App.vue -> src/Foo.vue",
                "src/App.vue -> src/Foo.vue",
                "src/App.vue -> src/lib.ts::go",
                "src/App.vue -> src/lib.ts::go",
            ],
        );
    }

    #[test]
    fn documents_link_to_files_and_pipelines_to_actions() {
        check(
            &[
                (".github/actions/setup/action.yml", "name: setup\n"),
                (".github/workflows/ci.yml", "on: push\njobs:\n  a:\n    steps:\n      - uses: ./.github/actions/setup\n"),
                ("README.md", "[guide](docs/guide.md#x) [far](https://x.y)\n"),
                ("docs/guide.md", "# Guide\n[up](../README.md) [none](missing.md)\n"),
            ],
            &[
                ".github/workflows/ci.yml::jobs.a -> .github/actions/setup/action.yml",
                "README.md -> docs/guide.md",
                "docs/guide.md::Guide -> README.md",
            ],
        );
    }

    #[test]
    fn a_key_never_stands_for_a_function() {
        use crate::query::symbol::{Resolved, resolve};
        let graph = graph_of(&[("a.json", "{\"build\": 1, \"only\": 2}"), ("a.py", "def build():\n    pass\n")]);
        assert_eq!(resolve(&graph, "build"), Resolved::One(graph.by_id("a.py::build").expect("the function")));
        assert_eq!(resolve(&graph, "only"), Resolved::One(graph.by_id("a.json::only").expect("the key")));
        assert_eq!(resolve(&graph, "a.json::build"), Resolved::One(graph.by_id("a.json::build").expect("the key")));
    }

    #[test]
    fn large_data_and_lock_files_have_no_symbols() {
        let big = format!("{{{}\"z\": 1}}", "\"key\": [1, 2, 3],\n".repeat(40_000));
        let graph = graph_of(&[
            ("big.json", &big),
            ("package-lock.json", "{\"a\": 1}"),
            ("keys.json", &big[..4]),
            ("s.json", "{\"a\": 1}"),
        ]);
        let count = |path: &str| graph.file(path).map(|file| file.facts.view().defs.len());
        assert_eq!((count("big.json"), count("package-lock.json"), count("s.json")), (Some(0), Some(0), Some(1)));
        let many = format!("{{{}}}", (0..2000).map(|at| format!("\"k{at}\": 1")).collect::<Vec<_>>().join(","));
        assert_eq!(graph_of(&[("m.json", &many)]).file("m.json").map(|file| file.facts.view().defs.len()), Some(400));
    }
}
