//! What a legacy tool belongs to, and how far it reaches: both follow from the facade that serves it.

use gortex_core::Registry;

/// The family of a facade's tools, and how far they reach.
const FACADES: &[(&str, &str, &str)] = &[
    ("analyze", "analysis", "workspace"),
    ("change", "analysis", "workspace"),
    ("edit", "edit", "repo"),
    ("explore", "nav", "repo"),
    ("overlay", "overlay", "repo"),
    ("pr", "pr", "repo"),
    ("publish_review", "review", "repo"),
    ("read", "read", "repo"),
    ("recall", "memory", "workspace"),
    ("refactor", "edit", "repo"),
    ("relations", "nav", "fan-out"),
    ("remember", "memory", "workspace"),
    ("review", "review", "repo"),
    ("search", "nav", "repo"),
    ("trace", "nav", "fan-out"),
    ("workspace", "workspace", "workspace"),
    ("workspace_admin", "admin", "workspace"),
];

/// (family, reach) of a legacy tool.
pub(super) fn of(registry: &Registry, tool: &str) -> (&'static str, &'static str) {
    let row = registry.baseline().iter().find(|row| row.legacy == tool);
    let Some(row) = row else { return ("other", "repo") };
    let is_verb = |verb: &&str| row.operation.starts_with(&format!("{verb}_"));
    if registry.facade(&row.facade).is_some_and(|facade| facade.verbs.iter().any(is_verb)) {
        return ("subscription", "workspace");
    }
    if row.operation.starts_with("enrich") {
        return ("enrich", "workspace");
    }
    let known = FACADES.iter().find(|(facade, ..)| *facade == row.facade);
    known.map_or(("other", "repo"), |(_, family, reach)| (family, reach))
}
