//! Which manifests ask for a package, and in which version.
//!
//! The manifests are those that linking reads. Names are compared as each ecosystem does; where the name of a distribution and that
//! of what it installs differ (`PyYAML`, `yaml`), nothing is said rather than guessed.
//!
//! Knows manifests, no code.

use serde::Serialize;
use serde_json::Value;

use crate::link::Manifest;

/// A manifest's word on a package.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Declared {
    /// The manifest's path.
    pub manifest: String,
    /// The name it is asked for by.
    pub package: String,
    /// The version as written; empty where none is.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub version: String,
}

/// The manifests that ask for a package, by path.
pub fn declared(manifests: &[Manifest], package: &str) -> Vec<Declared> {
    let mut found: Vec<Declared> = Vec::new();
    for manifest in manifests {
        let wanted = match manifest.path.rsplit('/').next().unwrap_or_default() {
            "go.mod" => go(&manifest.text, package),
            "package.json" => npm(&manifest.text, package),
            "Cargo.toml" => cargo(&manifest.text, package),
            "pyproject.toml" => pyproject(&manifest.text, package),
            "pubspec.yaml" => pubspec(&manifest.text, package),
            "pom.xml" => pom(&manifest.text, package),
            name if name.starts_with("requirements") || name == "setup.cfg" || name == "setup.py" => {
                python(&manifest.text, package)
            }
            _ => None,
        };
        if let Some((name, version)) = wanted {
            found.push(Declared { manifest: manifest.path.clone(), package: name, version });
        }
    }
    found.sort_by(|a, b| a.manifest.cmp(&b.manifest));
    found
}

/// The required module with the longest path that the package lies in.
fn go(text: &str, package: &str) -> Option<(String, String)> {
    let mut best: Option<(String, String)> = None;
    for line in text.lines() {
        let line = line.split("//").next().unwrap_or_default().trim();
        let mut words = line.strip_prefix("require ").unwrap_or(line).split_whitespace();
        let (Some(module), Some(version)) = (words.next(), words.next()) else { continue };
        let inside = package.strip_prefix(module).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        if inside && version.starts_with('v') && best.as_ref().is_none_or(|(other, _)| other.len() < module.len()) {
            best = Some((module.to_owned(), version.to_owned()));
        }
    }
    best
}

/// The package of a specifier: two segments where there is a scope, else one.
fn npm(text: &str, specifier: &str) -> Option<(String, String)> {
    let segments = if specifier.starts_with('@') { 2 } else { 1 };
    let name: String = specifier.split('/').take(segments).collect::<Vec<_>>().join("/");
    let json: Value = serde_json::from_str(text).ok()?;
    let keys = ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"];
    let version = keys.iter().find_map(|key| json.get(key)?.get(&name)?.as_str())?;
    Some((name, version.to_owned()))
}

fn cargo(text: &str, package: &str) -> Option<(String, String)> {
    let toml: toml::Table = toml::from_str(text).ok()?;
    cargo_in(&toml, package, 0)
}

fn cargo_in(table: &toml::Table, package: &str, depth: u8) -> Option<(String, String)> {
    table.iter().find_map(|(key, value)| {
        let inner = value.as_table()?;
        if matches!(key.as_str(), "dependencies" | "dev-dependencies" | "build-dependencies") {
            let (name, value) = inner.iter().find(|(name, _)| name.replace('-', "_") == package)?;
            let version = value.as_str().or_else(|| value.get("version")?.as_str()).unwrap_or_default();
            return Some((name.clone(), version.to_owned()));
        }
        let deeper = depth > 0 || matches!(key.as_str(), "target" | "workspace");
        (deeper && depth < 2).then(|| cargo_in(inner, package, depth + 1)).flatten()
    })
}

/// Python distributions are compared without case, with `-`, `_` and `.` alike.
fn normal(name: &str) -> String {
    name.trim().to_lowercase().replace(['_', '.'], "-")
}

/// `name[extra]>=1,<2; marker` as name and version.
fn requirement(text: &str, package: &str) -> Option<(String, String)> {
    let text = text.split(['#', ';']).next().unwrap_or_default().trim().trim_matches(['"', '\'', ',']);
    let end = text.find(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_' | '.'))).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    let rest = rest.trim();
    let rest = rest.strip_prefix('[').and_then(|inner| inner.split_once(']')).map_or(rest, |(_, after)| after);
    let versioned = rest.trim().is_empty() || rest.trim().starts_with(['=', '>', '<', '~', '!', '^', '@']);
    (!name.is_empty() && versioned && normal(name) == normal(package)).then(|| (name.to_owned(), rest.trim().to_owned()))
}

fn python(text: &str, package: &str) -> Option<(String, String)> {
    text.lines().find_map(|line| requirement(line.trim(), package))
}

fn pyproject(text: &str, package: &str) -> Option<(String, String)> {
    let toml: toml::Table = toml::from_str(text).ok()?;
    let project = toml.get("project").and_then(toml::Value::as_table);
    let listed = project.and_then(|project| project.get("dependencies")).into_iter();
    let optional = project.and_then(|project| project.get("optional-dependencies")).and_then(toml::Value::as_table);
    let groups = toml.get("dependency-groups").and_then(toml::Value::as_table);
    let lists = listed.chain(optional.into_iter().chain(groups).flat_map(|table| table.values()));
    let mut words = lists.filter_map(toml::Value::as_array).flatten().filter_map(toml::Value::as_str);
    let found = words.find_map(|word| requirement(word, package));
    found.or_else(|| {
        let poetry = toml.get("tool")?.get("poetry")?.get("dependencies")?.as_table()?;
        let (name, value) = poetry.iter().find(|(name, _)| normal(name) == normal(package))?;
        let version = value.as_str().or_else(|| value.get("version")?.as_str()).unwrap_or_default();
        Some((name.clone(), version.to_owned()))
    })
}

fn pubspec(text: &str, package: &str) -> Option<(String, String)> {
    let mut inside = false;
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        if !line.starts_with(' ') {
            inside = matches!(line.trim_end(), "dependencies:" | "dev_dependencies:");
        } else if let Some((name, version)) = line.split_once(':').filter(|_| inside && !line.starts_with("   "))
            && name.trim() == package
        {
            return Some((name.trim().to_owned(), version.trim().to_owned()));
        }
    }
    None
}

/// The dependency whose group is the beginning of the package; the longest one counts.
fn pom(text: &str, package: &str) -> Option<(String, String)> {
    let field = |block: &str, name: &str| -> Option<String> {
        let (_, rest) = block.split_once(&format!("<{name}>"))?;
        Some(rest.split_once(&format!("</{name}>"))?.0.trim().to_owned())
    };
    let mut best: Option<(String, String, usize)> = None;
    for block in text.split("<dependency>").skip(1) {
        let block = block.split("</dependency>").next().unwrap_or_default();
        let (Some(group), Some(artifact)) = (field(block, "groupId"), field(block, "artifactId")) else { continue };
        let inside = package.strip_prefix(group.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        if inside && best.as_ref().is_none_or(|(.., length)| *length < group.len()) {
            best = Some((format!("{group}:{artifact}"), field(block, "version").unwrap_or_default(), group.len()));
        }
    }
    best.map(|(name, version, _)| (name, version))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, text: &str, package: &str, expected: Option<(&str, &str)>) {
        let manifest = Manifest { path: path.to_owned(), text: text.to_owned() };
        let found = declared(&[manifest], package);
        let found = found.first().map(|one| (one.package.as_str(), one.version.as_str()));
        assert_eq!(found, expected);
    }

    #[test]
    fn manifests_are_read_as_their_ecosystems_do() {
        let go = "module a\nrequire (\n\tgithub.com/spf13/cobra v1.8.0 // indirect\n)\nrequire golang.org/x/net v0.1.0\n";
        check("go.mod", go, "github.com/spf13/cobra/doc", Some(("github.com/spf13/cobra", "v1.8.0")));
        check("go.mod", go, "golang.org/x/net", Some(("golang.org/x/net", "v0.1.0")));
        check("go.mod", go, "github.com/spf13/cobra2", None);
        let npm = r#"{"devDependencies": {"@scope/a": "^1.0.0"}, "dependencies": {"lodash": "4"}}"#;
        check("web/package.json", npm, "@scope/a/sub", Some(("@scope/a", "^1.0.0")));
        check("web/package.json", npm, "lodash/fp", Some(("lodash", "4")));
        check("web/package.json", npm, "a", None);
        let cargo = "[target.'cfg(unix)'.dependencies]\nserde-json = { version = \"1.0\" }\n";
        check("Cargo.toml", cargo, "serde_json", Some(("serde-json", "1.0")));
        check("requirements.txt", "Requests[socks]>=2.8 ; python_version > '3'\n", "requests", Some(("Requests", ">=2.8")));
        check("requirements.txt", "requests-toolbelt\n", "requests", None);
        let project = "[project]\ndependencies = [\"flask>=2\"]\n[tool.poetry.dependencies]\nhttpx = \"^0.2\"\n";
        check("pyproject.toml", project, "flask", Some(("flask", ">=2")));
        check("pyproject.toml", project, "httpx", Some(("httpx", "^0.2")));
        let pom =
            "<dependency><groupId>com.google.gson</groupId><artifactId>gson</artifactId><version>2.9</version></dependency>";
        check("pom.xml", pom, "com.google.gson.reflect", Some(("com.google.gson:gson", "2.9")));
        check("pubspec.yaml", "name: a\ndependencies:\n  http: ^1.0.0\n", "http", Some(("http", "^1.0.0")));
        check("pubspec.yaml", "name: http\n", "http", None);
        check("package.json", "{", "a", None);
    }
}
