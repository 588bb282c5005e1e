//! JavaScript and TypeScript: relative specifiers, `tsconfig` paths, workspace packages.

use rustc_hash::FxHashMap;
use serde_json::Value;

use super::{Manifest, Module, Modules, folder, join};
use crate::lang::Family;
use crate::link::table::Table;

const ENDINGS: &[&str] = &["", ".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts", ".vue", ".svelte"];

#[derive(Debug, Default)]
pub(crate) struct ScriptModules {
    /// Folder of a config to its alias rules.
    configs: FxHashMap<String, Config>,
    packages: FxHashMap<String, Vec<ScriptPackage>>,
}

/// A package of the tree.
#[derive(Debug, Default)]
struct ScriptPackage {
    folder: String,
    repo: u16,
    /// Entry specifiers, best first.
    entries: Vec<String>,
    /// Sub-path (`v3`, `utils/*`) to its targets, best first.
    exports: Vec<(String, Vec<String>)>,
}

#[derive(Debug, Default)]
struct Config {
    base: Option<String>,
    /// (pattern, targets relative to the paths' base).
    paths: Vec<(String, Vec<String>)>,
}

impl ScriptModules {
    pub fn new(manifests: &[Manifest], repo_of: impl Fn(&str) -> Option<u16>) -> Self {
        let mut found = ScriptModules::default();
        let texts: FxHashMap<&str, &str> = manifests.iter().map(|m| (m.path.as_str(), m.text.as_str())).collect();
        for manifest in manifests {
            let base = manifest.path.rsplit('/').next().unwrap_or("");
            let Some(json) = parse_jsonc(&manifest.text) else { continue };
            if base == "package.json" {
                found.add_package(folder(&manifest.path), &json, repo_of(&manifest.path).unwrap_or_default());
            } else if super::is_script_config(base) {
                let mut config = Config::default();
                read_config(&texts, &manifest.path, &json, &mut config, 0);
                let slot = found.configs.entry(folder(&manifest.path).to_owned()).or_default();
                // `tsconfig.json` itself stands before its variants (`tsconfig.build.json`).
                if base == "tsconfig.json" || (slot.paths.is_empty() && slot.base.is_none()) {
                    *slot = config;
                }
            }
        }
        found
    }

    fn add_package(&mut self, folder: &str, json: &Value, repo: u16) {
        let Some(name) = json.get("name").and_then(Value::as_str) else { return };
        let mut entries: Vec<String> = Vec::new();
        for key in ["source", "types", "module", "main"] {
            entries.extend(json.get(key).and_then(Value::as_str).map(str::to_owned));
        }
        if let Some(exports) = json.get("exports") {
            collect_strings(exports.get(".").unwrap_or(exports), &mut entries);
        }
        // Built output is usually not checked in: its source by custom is.
        entries.extend(["src/index", "index", "lib/index", "src/main"].map(str::to_owned));
        let mut exports = Vec::new();
        for (key, value) in json.get("exports").and_then(Value::as_object).into_iter().flatten() {
            let Some(sub) = key.strip_prefix("./") else { continue };
            let mut targets = Vec::new();
            collect_strings(value, &mut targets);
            // Sources stand before what is built from them, which is usually not checked in.
            targets.sort_by_key(|target| !target.contains("src/"));
            exports.push((sub.to_owned(), targets));
        }
        let package = ScriptPackage { folder: folder.to_owned(), repo, entries, exports };
        let same = self.packages.entry(name.to_owned()).or_default();
        // Within a repository the last one of a name stands, as ever.
        same.retain(|other| other.repo != repo);
        same.push(package);
    }

    pub fn resolve(&self, modules: &Modules, table: &Table<'_>, file: usize, text: &str) -> Module {
        let from = folder(&table.files[file].path);
        let node = |at: u32| Module::Node(table.files[at as usize].base);
        if text.starts_with('.') {
            let found = join(from, text).and_then(|path| lookup(modules, &path));
            return found.map_or(Module::Unknown, node);
        }
        if let Some(at) = self.aliased(modules, from, text) {
            return node(at);
        }
        // `@/x` can be no package: builders of components mean the sources by it, and only a file that is there counts.
        if let Some(rest) = text.strip_prefix("@/") {
            let above = std::iter::successors(Some(from), |at| (!at.is_empty()).then(|| folder(at)));
            let found = above.filter_map(|at| join(at, &format!("src/{rest}"))).find_map(|path| lookup(modules, &path));
            return found.map_or(Module::Unknown, node);
        }
        let name_end = if text.starts_with('@') { text.match_indices('/').nth(1).map(|(at, _)| at) } else { text.find('/') };
        let (name, rest) = text.split_at(name_end.unwrap_or(text.len()));
        let own = table.files[file].repo;
        let offered = self.packages.get(name).map_or(&[][..], Vec::as_slice);
        let tied = |package: &&ScriptPackage| modules.ties.reach(Family::Script, own, package.repo);
        let package = offered.iter().find(|package| package.repo == own).or_else(|| offered.iter().find(tied));
        if let Some(ScriptPackage { folder, entries, exports, .. }) = package {
            let rest = rest.trim_start_matches('/');
            let inside = |path: &str| join(folder, path).and_then(|path| lookup(modules, &path));
            let found = if rest.is_empty() {
                entries.iter().find_map(|entry| inside(entry))
            } else {
                let listed = exports.iter().find_map(|(pattern, targets)| {
                    let star = matches(pattern, rest)?;
                    targets.iter().find_map(|target| inside(&target.replacen('*', star, 1)))
                });
                listed.or_else(|| inside(rest)).or_else(|| inside(&format!("src/{rest}")))
            };
            return found.map_or(Module::Unknown, node);
        }
        Module::External
    }

    fn aliased(&self, modules: &Modules, from: &str, text: &str) -> Option<u32> {
        let mut at = from;
        loop {
            if let Some(config) = self.configs.get(at) {
                for (pattern, targets) in &config.paths {
                    let Some(star) = matches(pattern, text) else { continue };
                    let found = targets.iter().find_map(|target| lookup(modules, &target.replacen('*', star, 1)));
                    if found.is_some() {
                        return found;
                    }
                }
                if let Some(base) = &config.base
                    && let Some(found) = join(base, text).and_then(|path| lookup(modules, &path))
                {
                    return Some(found);
                }
            }
            if at.is_empty() {
                return None;
            }
            at = folder(at);
        }
    }
}

/// The text that `*` stands for, when the pattern fits.
fn matches<'t>(pattern: &str, text: &'t str) -> Option<&'t str> {
    match pattern.split_once('*') {
        Some((head, tail)) => text.strip_prefix(head)?.strip_suffix(tail),
        None => (pattern == text).then_some(""),
    }
}

/// The file a path without ending stands for.
fn lookup(modules: &Modules, path: &str) -> Option<u32> {
    for ending in ENDINGS {
        if let Some(at) = modules.path(&format!("{path}{ending}")) {
            return Some(at);
        }
    }
    // TypeScript sources are imported by the name of what they compile to.
    for (built, sources) in
        [(".js", [".ts", ".tsx"]), (".jsx", [".tsx", ".ts"]), (".mjs", [".mts", ".ts"]), (".cjs", [".cts", ".ts"])]
    {
        if let Some(stem) = path.strip_suffix(built) {
            let found = sources.iter().find_map(|source| modules.path(&format!("{stem}{source}")));
            if found.is_some() {
                return found;
            }
        }
    }
    let index = if path.is_empty() { "index".to_owned() } else { format!("{path}/index") };
    ENDINGS[1..].iter().find_map(|ending| modules.path(&format!("{index}{ending}")))
}

fn read_config(texts: &FxHashMap<&str, &str>, path: &str, json: &Value, config: &mut Config, depth: u32) {
    let here = folder(path);
    let options = json.get("compilerOptions");
    let base = options.and_then(|options| options.get("baseUrl")).and_then(Value::as_str).and_then(|base| join(here, base));
    if config.base.is_none() {
        config.base.clone_from(&base);
    }
    if config.paths.is_empty()
        && let Some(paths) = options.and_then(|options| options.get("paths")).and_then(Value::as_object)
    {
        let root = base.unwrap_or_else(|| here.to_owned());
        for (pattern, targets) in paths {
            let targets = targets.as_array().into_iter().flatten().filter_map(Value::as_str);
            config.paths.push((pattern.clone(), targets.filter_map(|target| join(&root, target)).collect()));
        }
        // The most specific pattern wins, as the compiler has it.
        config.paths.sort_by_key(|(pattern, _)| std::cmp::Reverse(pattern.split('*').next().map_or(0, str::len)));
    }
    let parents = match json.get("extends") {
        Some(Value::String(one)) => vec![one.as_str()],
        Some(Value::Array(many)) => many.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    for parent in parents.into_iter().filter(|parent| parent.starts_with('.') && depth < 8) {
        let Some(target) = join(here, parent) else { continue };
        for candidate in [target.clone(), format!("{target}.json")] {
            if let Some(json) = texts.get(candidate.as_str()).and_then(|text| parse_jsonc(text)) {
                read_config(texts, &candidate, &json, config, depth + 1);
            }
        }
    }
}

fn collect_strings(value: &Value, into: &mut Vec<String>) {
    match value {
        Value::String(text) => into.push(text.clone()),
        Value::Object(map) => map.values().for_each(|value| collect_strings(value, into)),
        Value::Array(list) => list.iter().for_each(|value| collect_strings(value, into)),
        _ => {}
    }
}

/// JSON with comments and trailing commas, as compilers of this family read their configuration.
fn parse_jsonc(text: &str) -> Option<Value> {
    let text = text.trim_start_matches('\u{feff}');
    let mut out = String::with_capacity(text.len());
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => {
                out.push(c);
                while let Some((_, inner)) = chars.next() {
                    out.push(inner);
                    if inner == '\\' {
                        out.extend(chars.next().map(|(_, escaped)| escaped));
                    } else if inner == '"' {
                        break;
                    }
                }
            }
            '/' if text[at..].starts_with("//") => while chars.next_if(|(_, c)| *c != '\n').is_some() {},
            '/' if text[at..].starts_with("/*") => {
                let end = text[at + 2..].find("*/").map_or(text.len(), |end| at + 2 + end + 2);
                while chars.next_if(|(at, _)| *at < end).is_some() {}
            }
            ']' | '}' => {
                let kept = out.trim_end().len();
                if out[..kept].ends_with(',') {
                    out.truncate(kept - 1);
                }
                out.push(c);
            }
            other => out.push(other),
        }
    }
    serde_json::from_str(&out).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_trailing_commas_are_read() {
        let json = parse_jsonc("{ // c\n \"a\": \"x//y\", /* b */ \"p\": [1, 2,], }").expect("valid");
        assert_eq!(json["a"], "x//y");
        assert_eq!(json["p"][1], 2);
        assert!(parse_jsonc("{").is_none());
        assert!(parse_jsonc("").is_none());
    }
}
