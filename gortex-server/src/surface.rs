//! Which tools a connection sees.
//!
//! Resolved once per connection, before its first list, and never changed: a selection that was handed over wins, then the
//! operator's setting, then the active instruction profile, then the client's name (any name means the compact surface), then
//! the server's default.
//!
//! A preset is a list of legacy names or follows from effects; names without a handler in this build drop out.

use std::collections::BTreeSet;
use std::path::Path;

use gortex_core::{
    CallError, Code, Effect, Registry, SurfaceView, ToolDef, UnknownOptions, legacy_definitions, tool_definitions,
};

use crate::config::{Config, Dirs};

/// What becomes of a tool outside the preset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Neither listed nor callable.
    Hide,
    /// Not listed, but callable by who knows it.
    Defer,
}

impl Reach {
    /// Reads `hide`, or `defer` (also lazy, search).
    pub fn parse(word: &str) -> Option<Reach> {
        match word.trim().to_lowercase().as_str() {
            "hide" => Some(Reach::Hide),
            "defer" | "lazy" | "search" => Some(Reach::Defer),
            _ => None,
        }
    }
}

/// The preset that an instruction profile brings; `core` and unknown ones bring none.
pub fn preset_of_profile(name: &str) -> Option<&'static str> {
    match name.trim().to_lowercase().as_str() {
        "localization" => Some("localization"),
        "full" => Some("core"),
        _ => None,
    }
}

/// What the process was told, weakest last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    /// `GORTEX_TOOLS`, or else `--tools`.
    pub forwarded: Option<String>,
    /// `--tools-mode` or `GORTEX_TOOLS_MODE`: what becomes of the tools outside a forwarded selection.
    pub forwarded_reach: Option<Reach>,
    /// `mcp.tools` of the settings.
    pub pinned: Option<String>,
    /// `mcp.tools_mode` of the settings.
    pub pinned_reach: Option<Reach>,
    /// The preset of the active instruction profile, if that has one.
    pub profile: Option<&'static str>,
    /// What happens to arguments that a legacy tool does not have.
    pub unknown_options: UnknownOptions,
    /// Whether arguments and answers are screened for text that instructs a model.
    pub screening: bool,
}

impl Policy {
    /// What settings, folders and environment say. What a client forwards is added by the road it comes on.
    pub fn of(config: &Config, dirs: &Dirs, var: impl Fn(&str) -> Option<String>) -> Policy {
        let named = var("GORTEX_INSTRUCTIONS_PROFILE").filter(|name| !name.trim().is_empty());
        let named = named.or_else(|| active_profile(&dirs.config));
        // An older switch: the usual tools listed, the others on demand.
        let lazy = var("GORTEX_LAZY_TOOLS").is_some_and(|word| word.trim() == "1");
        let pinned = config.mcp.tools.clone().or_else(|| lazy.then(|| "core".to_owned()));
        let reach = config.mcp.tools_mode.as_deref().and_then(|word| {
            let known = Reach::parse(word);
            if known.is_none() {
                tracing::warn!("mcp.tools_mode = `{word}` is not known; it is hide or defer");
            }
            known
        });
        Policy {
            pinned,
            pinned_reach: reach.or_else(|| lazy.then_some(Reach::Defer)),
            profile: named.as_deref().and_then(preset_of_profile),
            unknown_options: unknown_options(var("GORTEX_TOOL_ARG_GUARD").as_deref()),
            screening: crate::screening::is_on(&var),
            ..Policy::default()
        }
    }
}

/// What `GORTEX_TOOL_ARG_GUARD` asks for.
pub fn unknown_options(word: Option<&str>) -> UnknownOptions {
    match word.map(str::trim) {
        Some("reject") => UnknownOptions::Reject,
        Some("0") => UnknownOptions::Ignore,
        _ => UnknownOptions::Report,
    }
}

/// The instruction profile that was switched to, if that was ever done and can be read.
fn active_profile(config: &Path) -> Option<String> {
    #[derive(serde::Deserialize)]
    struct Active {
        name: String,
    }
    let bytes = std::fs::read(config.join("instructions").join("active.json")).ok()?;
    serde_json::from_slice::<Active>(&bytes).ok().map(|active| active.name)
}

/// What one connection sees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    /// The preset's name, or `custom`.
    pub preset: String,
    /// What became of the others.
    pub reach: Reach,
    /// The legacy names; `None` on the compact surface.
    pub names: Option<BTreeSet<String>>,
    /// What was odd about the setting.
    pub warning: Option<String>,
}

/// Always there on a legacy surface, so that a narrow one can be widened.
const ALWAYS: [&str; 2] = ["tool_profile", "tools_search"];

/// The fixed presets: aliases, then legacy names.
const PRESETS: [(&[&str], &[&str]); 5] = [
    (
        &["agent", "coding-agent"],
        &[
            "explore",
            "smart_context",
            "index_health",
            "search_symbols",
            "find_usages",
            "find_implementations",
            "get_callers",
            "get_call_chain",
            "get_dependencies",
            "get_dependents",
            "get_symbol_source",
            "batch_symbols",
            "get_file_summary",
            "get_editing_context",
            "read_file",
            "edit_file",
            "write_file",
            "verify_change",
        ],
    ),
    (
        &["core", "default", "classic"],
        &[
            "explore",
            "smart_context",
            "get_repo_outline",
            "graph_stats",
            "index_health",
            "search_symbols",
            "search_text",
            "find_files",
            "find_usages",
            "find_implementations",
            "get_callers",
            "get_call_chain",
            "get_dependencies",
            "get_dependents",
            "read_file",
            "get_symbol",
            "get_symbol_source",
            "get_file_summary",
            "get_editing_context",
            "edit_file",
            "edit_symbol",
            "write_file",
            "batch_edit",
            "rename_symbol",
            "verify_change",
            "get_diagnostics",
            "check_guards",
            "get_test_targets",
            "analyze",
            "detect_changes",
            "diff_context",
            "review",
            "surface_memories",
            "save_note",
            "store_memory",
        ],
    ),
    (
        &["edit", "editor", "edit-harness"],
        &[
            "smart_context",
            "get_editing_context",
            "read_file",
            "get_symbol_source",
            "get_file_summary",
            "get_symbol",
            "search_symbols",
            "search_text",
            "find_files",
            "find_usages",
            "get_callers",
            "edit_file",
            "edit_symbol",
            "write_file",
            "batch_edit",
            "rename_symbol",
            "verify_change",
            "get_test_targets",
            "check_guards",
            "get_diagnostics",
            "graph_stats",
        ],
    ),
    (
        &["nav", "navigate", "explore"],
        &[
            "explore",
            "smart_context",
            "get_editing_context",
            "read_file",
            "get_symbol_source",
            "get_file_summary",
            "get_symbol",
            "search_symbols",
            "search_text",
            "find_files",
            "find_usages",
            "find_implementations",
            "find_overrides",
            "get_callers",
            "get_call_chain",
            "get_dependencies",
            "get_dependents",
            "get_repo_outline",
            "graph_stats",
        ],
    ),
    (
        &["localization", "locate", "find"],
        &[
            "smart_context",
            "explore",
            "search_symbols",
            "search_text",
            "find_files",
            "find_usages",
            "get_callers",
            "get_call_chain",
            "get_symbol_source",
            "read_file",
        ],
    ),
];

/// The names of the compact preset.
const COMPACT: [&str; 4] = ["facade-v1", "compact", "facade", "agent-v2"];
/// The names of the preset that has everything.
const FULL: [&str; 2] = ["full", "all"];
/// The names of the preset without writers.
const READ_ONLY: [&str; 3] = ["readonly", "read-only", "read_only"];

/// What a bare word of a setting means.
enum Preset {
    Compact,
    Legacy(String, BTreeSet<String>),
}

fn preset(registry: &Registry, word: &str) -> Option<Preset> {
    if COMPACT.contains(&word) {
        return Some(Preset::Compact);
    }
    let all = || registry.legacy_names().map(str::to_owned);
    if FULL.contains(&word) {
        return Some(Preset::Legacy(FULL[0].to_owned(), all().collect()));
    }
    if READ_ONLY.contains(&word) {
        let reads = |name: &String| registry.legacy(name).iter().all(|entry| entry.operation.effect == Effect::Read);
        return Some(Preset::Legacy(READ_ONLY[0].to_owned(), all().filter(reads).collect()));
    }
    let (aliases, names) = PRESETS.iter().find(|(aliases, _)| aliases.contains(&word))?;
    let names: BTreeSet<String> = all().filter(|name| names.contains(&name.as_str())).collect();
    Some(Preset::Legacy(aliases[0].to_owned(), names))
}

/// Decides what a connection sees. `client` is the name it gave, if any.
pub fn resolve(registry: &Registry, policy: &Policy, client: Option<&str>) -> Selection {
    let said = |setting: &Option<String>| setting.as_deref().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned);
    let pinned_reach = policy.pinned_reach.unwrap_or(Reach::Hide);
    if let Some(setting) = said(&policy.forwarded) {
        return parse(registry, &setting, policy.forwarded_reach.unwrap_or(pinned_reach));
    }
    if let Some(setting) = said(&policy.pinned) {
        return parse(registry, &setting, pinned_reach);
    }
    if let Some(preset) = policy.profile {
        return parse(registry, preset, Reach::Defer);
    }
    if client.is_some_and(|name| !name.trim().is_empty()) {
        return compact();
    }
    parse(registry, "core", policy.pinned_reach.unwrap_or(Reach::Defer))
}

fn compact() -> Selection {
    Selection { preset: COMPACT[0].to_owned(), reach: Reach::Hide, names: None, warning: None }
}

/// Reads a setting: a preset or a list of names, with `+name` and `-name`.
fn parse(registry: &Registry, setting: &str, reach: Reach) -> Selection {
    let words: Vec<&str> = setting.split(',').map(str::trim).filter(|word| !word.is_empty()).collect();
    let bare: Vec<&str> = words.iter().copied().filter(|word| !word.starts_with(['+', '-'])).collect();
    let known = |name: &str| !registry.legacy(name).is_empty();
    let base = bare.first().map(|word| (*word, preset(registry, &word.to_lowercase())));
    let (name, mut names, added) = match base {
        Some((_, Some(Preset::Compact))) => return compact(),
        Some((_, Some(Preset::Legacy(name, names)))) => (name, names, &bare[1..]),
        // A misspelt preset must not leave an agent without tools.
        Some((word, None)) if bare.iter().all(|name| !known(name)) => {
            let warning = format!("`{word}` is neither a preset nor a tool of this build; all tools are served");
            let all = registry.legacy_names().map(str::to_owned).collect();
            return Selection { preset: FULL[0].to_owned(), reach, names: Some(all), warning: Some(warning) };
        }
        Some((_, None)) => ("custom".to_owned(), BTreeSet::new(), &bare[..]),
        None => (FULL[0].to_owned(), registry.legacy_names().map(str::to_owned).collect(), &bare[..]),
    };
    let plus = words.iter().filter_map(|word| word.strip_prefix('+'));
    let wanted: Vec<&str> = added.iter().copied().chain(plus).collect();
    let unknown: Vec<&str> = wanted.iter().copied().filter(|name| !known(name)).collect();
    names.extend(wanted.iter().chain(&ALWAYS).filter(|name| known(name)).map(|name| (*name).to_owned()));
    for denied in words.iter().filter_map(|word| word.strip_prefix('-')) {
        names.remove(denied);
    }
    let warning = (!unknown.is_empty()).then(|| format!("no tool of this build is called {}", unknown.join(", ")));
    Selection { preset: name, reach, names: Some(names), warning }
}

impl Selection {
    /// Which names `dispatch` knows.
    pub fn view(&self) -> SurfaceView {
        if self.names.is_none() { SurfaceView::Compact } else { SurfaceView::Legacy }
    }

    /// The tools of the list, sorted by name.
    pub fn definitions(&self, registry: &Registry) -> Vec<ToolDef> {
        self.definitions_with(registry, &BTreeSet::new())
    }

    /// The same with deferred tools that a session was shown. The compact list never grows.
    pub fn definitions_with(&self, registry: &Registry, promoted: &BTreeSet<String>) -> Vec<ToolDef> {
        let Some(names) = &self.names else { return tool_definitions(registry) };
        let listed = |tool: &ToolDef| names.contains(&tool.name) || promoted.contains(&tool.name);
        legacy_definitions(registry).into_iter().filter(listed).collect()
    }

    /// Refuses a legacy tool that the preset hides; everything else is for `dispatch` to judge.
    pub fn check(&self, registry: &Registry, name: &str) -> Result<(), CallError> {
        let Some(names) = &self.names else { return Ok(()) };
        if self.reach == Reach::Defer || names.contains(name) || registry.legacy(name).is_empty() {
            return Ok(());
        }
        Err(CallError::new(Code::ToolBlockedByMode, format!("`{name}` is not part of the preset `{}`", self.preset))
            .data("tool", name)
            .data("current_preset", &self.preset)
            .data("required_preset", FULL[0])
            .data("recovery_setting", format!("GORTEX_TOOLS={},+{name}", self.preset)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::partial_registry;

    fn policy(forwarded: &str, pinned: &str) -> Policy {
        Policy { forwarded: Some(forwarded.to_owned()), pinned: Some(pinned.to_owned()), ..Policy::default() }
    }

    /// Preset, reach and whether it is compact.
    #[track_caller]
    fn check(policy: &Policy, client: Option<&str>, expected: (&str, Reach, bool)) {
        let found = resolve(&partial_registry(), policy, client);
        assert_eq!((found.preset.as_str(), found.reach, found.names.is_none()), expected);
    }

    #[test]
    fn any_name_means_the_compact_surface_and_none_the_default() {
        let none = Policy::default();
        check(&none, Some("any-host"), ("facade-v1", Reach::Hide, true));
        check(&none, Some("é"), ("facade-v1", Reach::Hide, true));
        for nameless in [None, Some(""), Some("  ")] {
            check(&none, nameless, ("core", Reach::Defer, false));
        }
    }

    #[test]
    fn a_profile_wins_over_the_name_and_loses_to_what_was_said() {
        let profile = Policy { profile: preset_of_profile(" Localization"), ..Policy::default() };
        check(&profile, Some("x"), ("localization", Reach::Defer, false));
        check(&Policy { pinned: Some("compact".to_owned()), ..profile.clone() }, Some("x"), ("facade-v1", Reach::Hide, true));
        check(&Policy { forwarded: Some("nav".to_owned()), ..profile }, None, ("nav", Reach::Hide, false));
        assert_eq!(preset_of_profile("core"), None);
    }

    #[test]
    fn a_mode_is_inherited_and_the_compact_surface_has_one() {
        let lazy = Policy { pinned_reach: Reach::parse("lazy"), ..policy("nav", "") };
        check(&lazy, Some("x"), ("nav", Reach::Defer, false));
        check(&Policy { forwarded_reach: Some(Reach::Hide), ..lazy.clone() }, Some("x"), ("nav", Reach::Hide, false));
        check(&Policy { forwarded: Some("facade".to_owned()), ..lazy }, Some("x"), ("facade-v1", Reach::Hide, true));
        assert_eq!(Reach::parse("eager"), None);
    }

    #[test]
    fn what_was_handed_over_wins_over_settings_and_those_over_the_name() {
        check(&policy("full", "compact"), Some("x"), ("full", Reach::Hide, false));
        check(&policy("", "nav"), Some("x"), ("nav", Reach::Hide, false));
        check(&policy(" agent-v2 ", "core"), None, ("facade-v1", Reach::Hide, true));
        check(&policy("Coding-Agent", ""), None, ("agent", Reach::Hide, false));
    }

    #[test]
    fn a_misspelt_preset_serves_everything_with_a_warning() {
        let registry = partial_registry();
        let found = resolve(&registry, &policy("fulll", ""), Some("x"));
        assert_eq!(
            (found.preset.as_str(), found.names.as_ref().map(BTreeSet::len)),
            ("full", Some(registry.legacy_names().count()))
        );
        assert!(found.warning.is_some_and(|warning| warning.contains("fulll")));
    }

    #[test]
    fn lists_add_and_remove_names() {
        let registry = partial_registry();
        let names = |setting: &str| -> Vec<String> {
            resolve(&registry, &policy(setting, ""), None).names.expect("a legacy surface").into_iter().collect()
        };
        assert_eq!(names("list_repos, graph_stats"), ["graph_stats", "list_repos", "tool_profile", "tools_search"]);
        assert_eq!(names("list_repos,-tools_search,-tool_profile"), ["list_repos"]);
        assert!(names("core,+list_repos,-graph_stats").contains(&"list_repos".to_owned()));
        assert!(!names("core,-graph_stats").contains(&"graph_stats".to_owned()));
        // The compact contract is closed: it takes no changes.
        assert_eq!(resolve(&registry, &policy("compact,+list_repos", ""), None), compact());
    }

    #[test]
    fn readers_only_leaves_no_writer() {
        let registry = partial_registry();
        let found = resolve(&registry, &policy("readonly", ""), None);
        let names = found.names.clone().expect("a legacy surface");
        assert!(names.contains("index_health") && !names.contains("track_repository"), "{names:?}");
        let refused = found.check(&registry, "track_repository").expect_err("hidden");
        assert_eq!(refused.code(), Some(Code::ToolBlockedByMode));
        assert!(found.check(&registry, "index_health").is_ok() && found.check(&registry, "relations").is_ok());
    }

    #[test]
    fn a_deferred_tool_is_callable_but_not_listed() {
        let registry = partial_registry();
        let found = resolve(&registry, &Policy::default(), None);
        assert!(found.check(&registry, "track_repository").is_ok());
        assert!(found.definitions(&registry).iter().all(|tool| tool.name != "track_repository"));
        assert_eq!(compact().definitions(&registry).len(), 21);
    }
}
