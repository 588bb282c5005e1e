//! Which repository may name what is in which other one.
//!
//! Repositories are worlds of their own: a name that exists in two of them means nothing. One reaches another where its build
//! files say so: a declared dependency (Go module path, npm package, Cargo package, Python distribution, Maven coordinates) that
//! exactly one other repository provides. Both directions follow from that, since the provider calls its users back.
//!
//! Knows manifests, not code.

use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::Value;

use super::{Manifest, folder};
use crate::lang::Family;

/// Where a name of a package means something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum World {
    Cargo,
    Go,
    Maven,
    Npm,
    Python,
}

/// The declared relations between repositories.
#[derive(Debug, Default)]
pub(crate) struct Ties {
    /// (world, user, provider)
    declared: FxHashSet<(World, u16, u16)>,
}

/// What the manifests of all repositories say.
#[derive(Debug, Default)]
struct Said {
    provided: FxHashMap<(World, String), FxHashSet<u16>>,
    wanted: Vec<(World, String, u16)>,
}

impl Ties {
    /// Reads the manifests; `repo_of` tells whose a manifest is.
    pub fn new(manifests: &[Manifest], repo_of: impl Fn(&str) -> Option<u16>) -> Ties {
        let mut said = Said::default();
        let groups = gradle_groups(manifests);
        for manifest in manifests {
            let Some(repo) = repo_of(&manifest.path) else { continue };
            let text = manifest.text.as_str();
            match manifest.path.rsplit('/').next().unwrap_or_default() {
                "go.mod" => said.go(text, repo),
                "package.json" => said.npm(text, repo),
                "Cargo.toml" => said.cargo(text, repo),
                "pyproject.toml" => said.pyproject(text, repo),
                "setup.cfg" => said.setup_cfg(text, repo),
                "setup.py" => said.setup_py(text, repo),
                "pom.xml" => said.pom(text, repo),
                "build.gradle" | "build.gradle.kts" => said.gradle(manifest, &groups, repo),
                name if is_requirements(name) => text.lines().for_each(|line| said.distribution(line, repo)),
                _ => {}
            }
        }
        let mut ties = Ties::default();
        for (world, name, user) in said.wanted {
            let Some(providers) = said.provided.get(&(world, name)) else { continue };
            // What a repository provides itself it takes from itself, and of two others nobody knows which is meant.
            if let (Some(provider), 1) = (providers.iter().next(), providers.len()) {
                ties.declared.insert((world, user, *provider));
            }
        }
        ties
    }

    /// Whether code of a family in `from` may name what is in `to`.
    pub fn reach(&self, family: Family, from: u16, to: u16) -> bool {
        from == to || world_of(family).is_some_and(|world| self.declared.contains(&(world, from, to)))
    }

    /// Whether code of a family in one of them may meet code of the other.
    pub fn meet(&self, family: Family, one: u16, other: u16) -> bool {
        self.reach(family, one, other) || self.reach(family, other, one)
    }
}

fn world_of(family: Family) -> Option<World> {
    match family {
        Family::Go => Some(World::Go),
        Family::Jvm => Some(World::Maven),
        Family::Python => Some(World::Python),
        Family::Rust => Some(World::Cargo),
        Family::Script => Some(World::Npm),
        _ => None,
    }
}

/// Whether a base name is that of a manifest that only says what is provided and wanted.
pub(super) fn is_tie_manifest(base: &str) -> bool {
    const NAMES: [&str; 8] = [
        "pyproject.toml",
        "setup.cfg",
        "setup.py",
        "pom.xml",
        "build.gradle",
        "build.gradle.kts",
        "settings.gradle",
        "settings.gradle.kts",
    ];
    NAMES.contains(&base) || is_requirements(base)
}

fn is_requirements(base: &str) -> bool {
    base.starts_with("requirements") && base.rsplit_once('.').is_some_and(|(_, ending)| ending == "txt")
}

impl Said {
    fn provide(&mut self, world: World, name: String, repo: u16) {
        self.provided.entry((world, name)).or_default().insert(repo);
    }

    fn want(&mut self, world: World, name: String, repo: u16) {
        self.wanted.push((world, name, repo));
    }

    fn go(&mut self, text: &str, repo: u16) {
        let mut block = "";
        for line in text.lines() {
            let line = line.split("//").next().unwrap_or_default().trim();
            let mut words = line.split_whitespace().map(|word| word.trim_matches('"'));
            match (block, words.next().unwrap_or_default()) {
                ("", word) if line.ends_with('(') => block = if word.starts_with("require") { "require" } else { "other" },
                (_, ")") => block = "",
                ("", "module") => words.next().into_iter().for_each(|name| self.provide(World::Go, name.to_owned(), repo)),
                ("", "require") => words.next().into_iter().for_each(|name| self.want(World::Go, name.to_owned(), repo)),
                ("require", name) if !name.is_empty() => self.want(World::Go, name.to_owned(), repo),
                _ => {}
            }
        }
    }

    fn npm(&mut self, text: &str, repo: u16) {
        let Ok(json) = serde_json::from_str::<Value>(text) else { return };
        if let Some(name) = json.get("name").and_then(Value::as_str) {
            self.provide(World::Npm, name.to_owned(), repo);
        }
        for key in ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"] {
            for name in json.get(key).and_then(Value::as_object).into_iter().flat_map(|map| map.keys()) {
                self.want(World::Npm, name.clone(), repo);
            }
        }
    }

    fn cargo(&mut self, text: &str, repo: u16) {
        let Ok(toml) = toml::from_str::<toml::Table>(text) else { return };
        let crate_name = |name: &str| name.replace('-', "_");
        let package = toml.get("package").and_then(toml::Value::as_table);
        if let Some(name) = package.and_then(|package| package.get("name")).and_then(toml::Value::as_str) {
            self.provide(World::Cargo, crate_name(name), repo);
        }
        let targets = toml.get("target").and_then(toml::Value::as_table);
        let inner = targets.into_iter().flat_map(|targets| targets.values()).filter_map(toml::Value::as_table);
        let workspace = toml.get("workspace").and_then(toml::Value::as_table);
        for table in inner.chain(workspace).chain([&toml]) {
            for section in ["dependencies", "dev-dependencies", "build-dependencies"] {
                for (alias, value) in table.get(section).and_then(toml::Value::as_table).into_iter().flatten() {
                    let name = value.get("package").and_then(toml::Value::as_str).unwrap_or(alias);
                    self.want(World::Cargo, crate_name(name), repo);
                }
            }
        }
    }

    /// Wants the distribution that a requirement (`name[extra]>=1; marker`) names.
    fn distribution(&mut self, requirement: &str, repo: u16) {
        if let Some(name) = distribution_of(requirement) {
            self.want(World::Python, name, repo);
        }
    }

    fn pyproject(&mut self, text: &str, repo: u16) {
        let Ok(toml) = toml::from_str::<toml::Table>(text) else { return };
        let at = |path: &[&str]| {
            let mut keys = path.iter();
            let first = toml.get(*keys.next()?)?;
            keys.try_fold(first, |value, key| value.get(*key)).cloned()
        };
        for path in [&["project", "name"][..], &["tool", "poetry", "name"]] {
            if let Some(name) = at(path).as_ref().and_then(toml::Value::as_str).and_then(distribution_of) {
                self.provide(World::Python, name, repo);
            }
        }
        let listed = [at(&["project", "dependencies"]), at(&["project", "optional-dependencies"]), at(&["dependency-groups"])];
        let mut requirements = Vec::new();
        listed.iter().flatten().for_each(|value| toml_texts(value, &mut requirements));
        for path in [&["tool", "poetry", "dependencies"][..], &["tool", "poetry", "dev-dependencies"]] {
            requirements
                .extend(at(path).as_ref().and_then(toml::Value::as_table).into_iter().flat_map(|map| map.keys().cloned()));
        }
        for group in at(&["tool", "poetry", "group"]).as_ref().and_then(toml::Value::as_table).into_iter().flatten() {
            let wanted = group.1.get("dependencies").and_then(toml::Value::as_table);
            requirements.extend(wanted.into_iter().flat_map(|map| map.keys().cloned()));
        }
        for requirement in &requirements {
            self.distribution(requirement, repo);
        }
    }

    fn setup_cfg(&mut self, text: &str, repo: u16) {
        let (mut section, mut key) = ("", "");
        for line in text.lines() {
            let indented = line.starts_with([' ', '\t']);
            let line = line.trim();
            if line.starts_with('[') {
                (section, key) = (line, "");
            } else if indented && (key == "install_requires" || section == "[options.extras_require]") {
                self.distribution(line, repo);
            } else if let Some((name, value)) = line.split_once('=').filter(|_| !indented) {
                key = name.trim();
                match (section, key) {
                    ("[metadata]", "name") => {
                        if let Some(name) = distribution_of(value) {
                            self.provide(World::Python, name, repo);
                        }
                    }
                    ("[options]", "install_requires") => self.distribution(value, repo),
                    _ => {}
                }
            }
        }
    }

    fn setup_py(&mut self, text: &str, repo: u16) {
        if let Some(name) = after_key(text, "name").and_then(|rest| quoted(rest).next()).and_then(distribution_of) {
            self.provide(World::Python, name, repo);
        }
        if let Some(rest) = after_key(text, "install_requires").filter(|rest| rest.starts_with('[')) {
            let list = rest.split(']').next().unwrap_or_default();
            quoted(list).for_each(|requirement| self.distribution(requirement, repo));
        }
    }

    fn pom(&mut self, text: &str, repo: u16) {
        let mut own = text.to_owned();
        let mut wanted = Vec::new();
        for element in ["dependencyManagement", "dependencies", "build", "profiles", "reporting"] {
            while let Some((before, inside, after)) = element_of(&own, element) {
                wanted.push(inside.to_owned());
                own = format!("{before}{after}");
            }
        }
        let parent = element_of(&own, "parent").map(|(before, inside, after)| (inside.to_owned(), format!("{before}{after}")));
        let (parent, own) = parent.map_or((String::new(), own.clone()), |(parent, rest)| (parent, rest));
        let value = |text: &str, element: &str| element_of(text, element).map(|(_, inside, _)| inside.trim().to_owned());
        let group = value(&own, "groupId").or_else(|| value(&parent, "groupId")).unwrap_or_default();
        if let Some(artifact) = value(&own, "artifactId").filter(|_| !group.is_empty()) {
            self.provide(World::Maven, format!("{group}:{artifact}"), repo);
        }
        for part in wanted {
            let mut rest = part.as_str();
            while let Some((_, inside, after)) = element_of(rest, "dependency") {
                if let (Some(of), Some(artifact)) = (value(inside, "groupId"), value(inside, "artifactId")) {
                    let of = if of == "${project.groupId}" { group.clone() } else { of };
                    self.want(World::Maven, format!("{of}:{artifact}"), repo);
                }
                rest = after;
            }
        }
    }

    fn gradle(&mut self, manifest: &Manifest, groups: &FxHashMap<String, (String, String)>, repo: u16) {
        if let Some((group, artifact)) = groups.get(folder(&manifest.path)) {
            self.provide(World::Maven, format!("{group}:{artifact}"), repo);
        }
        for text in quoted(&manifest.text) {
            let mut parts = text.split(':');
            if let (Some(group), Some(artifact), true) = (parts.next(), parts.next(), text.matches(':').count() <= 3) {
                self.want(World::Maven, format!("{group}:{artifact}"), repo);
            }
        }
    }
}

/// Folders of Gradle builds with their group and their artifact, which is the name of the root project or of the folder.
fn gradle_groups(manifests: &[Manifest]) -> FxHashMap<String, (String, String)> {
    let base = |manifest: &Manifest| manifest.path.rsplit('/').next().unwrap_or_default().to_owned();
    let names: FxHashMap<&str, &str> = manifests
        .iter()
        .filter(|manifest| base(manifest).starts_with("settings.gradle"))
        .filter_map(|manifest| Some((folder(&manifest.path), quoted(after_key(&manifest.text, "rootProject.name")?).next()?)))
        .collect();
    let mut found = FxHashMap::default();
    for manifest in manifests.iter().filter(|manifest| base(manifest).starts_with("build.gradle")) {
        let Some(group) = after_key(&manifest.text, "group").and_then(|rest| quoted(rest).next()) else { continue };
        let here = folder(&manifest.path);
        let artifact = names.get(here).copied().or_else(|| here.rsplit('/').next().filter(|name| !name.is_empty()));
        found.extend(artifact.map(|artifact| (here.to_owned(), (group.to_owned(), artifact.to_owned()))));
    }
    found
}

/// The normal form of the distribution a requirement names.
fn distribution_of(requirement: &str) -> Option<String> {
    let text = requirement.trim();
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))).unwrap_or(text.len());
    let name = text[..end].to_ascii_lowercase();
    let parts: Vec<&str> = name.split(['-', '_', '.']).filter(|part| !part.is_empty()).collect();
    (!parts.is_empty()).then(|| parts.join("-"))
}

fn toml_texts(value: &toml::Value, into: &mut Vec<String>) {
    match value {
        toml::Value::String(text) => into.push(text.clone()),
        toml::Value::Array(list) => list.iter().for_each(|value| toml_texts(value, into)),
        toml::Value::Table(map) => map.values().for_each(|value| toml_texts(value, into)),
        _ => {}
    }
}

/// What follows `key =`, `key:` or `key ` at the start of a line or argument.
fn after_key<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    text.match_indices(key).find_map(|(at, _)| {
        let before = text[..at].chars().next_back();
        let rest = text[at + key.len()..].trim_start();
        let starts = before.is_none_or(|c| c.is_whitespace() || matches!(c, '(' | ','));
        let value = rest.strip_prefix('=').unwrap_or(rest).trim_start();
        (starts && value.starts_with(['"', '\'', '['])).then_some(value)
    })
}

/// Texts in quotes, on one line each.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let at = rest.find(['"', '\''])?;
        let quote = rest[at..].chars().next()?;
        let inside = &rest[at + 1..];
        let end = inside.find([quote, '\n'])?;
        rest = &inside[end + 1..];
        Some(&inside[..end])
    })
}

/// The text before, inside and after the first element of this name.
fn element_of<'t>(text: &'t str, name: &str) -> Option<(&'t str, &'t str, &'t str)> {
    let (open, close) = (format!("<{name}>"), format!("</{name}>"));
    let at = text.find(&open)?;
    let inside = &text[at + open.len()..];
    let end = inside.find(&close)?;
    Some((&text[..at], &inside[..end], &inside[end + close.len()..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Which repository (by its first letter) reaches which, for a family.
    fn reaches(family: Family, files: &[(&str, &str)]) -> Vec<String> {
        let manifests: Vec<Manifest> =
            files.iter().map(|(path, text)| Manifest { path: (*path).to_owned(), text: (*text).to_owned() }).collect();
        let ties = Ties::new(&manifests, |path| Some(u16::from(path.as_bytes()[0] - b'a')));
        let letter = |repo: u16| char::from(b'a' + repo as u8);
        let pairs = (0..3u16).flat_map(|from| (0..3u16).map(move |to| (from, to)));
        let crossing = pairs.filter(|(from, to)| from != to && ties.reach(family, *from, *to));
        crossing.map(|(from, to)| format!("{}>{}", letter(from), letter(to))).collect()
    }

    #[test]
    fn a_declared_dependency_is_a_tie() {
        let go = [("a/go.mod", "module example.com/a // x\n"), ("b/go.mod", "module b\nrequire (\n\texample.com/a v1.0.0\n)\n")];
        assert_eq!(reaches(Family::Go, &go), ["b>a"]);
        let npm = [("a/package.json", r#"{"name":"@x/lib"}"#), ("b/app/package.json", r#"{"devDependencies":{"@x/lib":"1"}}"#)];
        assert_eq!(reaches(Family::Script, &npm), ["b>a"]);
        let cargo = [
            ("a/Cargo.toml", "[package]\nname = \"my-lib\"\n"),
            ("b/Cargo.toml", "[target.'cfg(unix)'.dependencies]\nl = { package = \"my_lib\", git = \"x\" }\n"),
        ];
        assert_eq!(reaches(Family::Rust, &cargo), ["b>a"]);
        assert_eq!(reaches(Family::Python, &cargo), [""; 0]);
    }

    #[test]
    fn python_says_it_in_many_ways() {
        let provider = ("a/pyproject.toml", "[project]\nname = \"My.Lib\"\n");
        let users = [
            ("b/pyproject.toml", "[project]\nname = \"b\"\ndependencies = [\"my_lib[x]>=1; python_version > '3'\"]\n"),
            ("b/pyproject.toml", "[tool.poetry.dependencies]\nmy-lib = \"^1\"\n"),
            ("b/pyproject.toml", "[dependency-groups]\ndev = [\"my-lib\"]\n"),
            ("b/requirements-dev.txt", "# all\nmy-lib==1\n"),
            ("b/setup.cfg", "[metadata]\nname = b\n[options]\ninstall_requires =\n    other\n    my-lib\n"),
            ("b/setup.py", "setup(\n    name='b',\n    install_requires=['my-lib>=1'],\n)\n"),
        ];
        for user in users {
            assert_eq!(reaches(Family::Python, &[provider, user]), ["b>a"], "{}", user.1);
        }
        let older = ("a/setup.py", "from setuptools import setup\nsetup(version='1', name = \"my-lib\")\n");
        assert_eq!(reaches(Family::Python, &[older, users[0]]), ["b>a"]);
        assert_eq!(reaches(Family::Python, &[provider, ("b/requirements.txt", "my-library\n")]), [""; 0]);
    }

    #[test]
    fn maven_coordinates_are_a_tie() {
        let dependency =
            "<dependencies><dependency><groupId>org.x</groupId><artifactId>lib</artifactId></dependency></dependencies>";
        let user = format!("<project><groupId>org.y</groupId><artifactId>app</artifactId>{dependency}</project>");
        let parent = "<project><parent><groupId>org.x</groupId><artifactId>top</artifactId></parent><artifactId>lib</artifactId></project>";
        assert_eq!(reaches(Family::Jvm, &[("a/pom.xml", parent), ("b/pom.xml", &user)]), ["b>a"]);
        let gradle = ("b/build.gradle", "dependencies {\n  implementation 'org.x:lib:1.0'\n}\n");
        assert_eq!(reaches(Family::Jvm, &[("a/pom.xml", parent), gradle]), ["b>a"]);
        let provider = [("a/build.gradle.kts", "group = \"org.x\"\n"), ("a/settings.gradle.kts", "rootProject.name = \"lib\"\n")];
        assert_eq!(reaches(Family::Jvm, &[provider[0], provider[1], gradle]), ["b>a"]);
        // The group alone is none.
        let other = ("b/build.gradle", "implementation 'org.x:other:1.0'\n");
        assert_eq!(reaches(Family::Jvm, &[("a/pom.xml", parent), other]), [""; 0]);
    }

    #[test]
    fn what_two_provide_ties_to_neither_and_to_itself_needs_none() {
        let name = r#"{"name":"lib"}"#;
        let user = ("c/package.json", r#"{"dependencies":{"lib":"1"}}"#);
        assert_eq!(reaches(Family::Script, &[("a/package.json", name), ("b/package.json", name), user]), [""; 0]);
        let own = ("c/lib/package.json", name);
        assert_eq!(reaches(Family::Script, &[("a/package.json", name), own, user]), [""; 0]);
        assert_eq!(reaches(Family::Script, &[("a/package.json", "{"), ("b/go.mod", ""), ("b/setup.py", "name=")]), [""; 0]);
    }
}
