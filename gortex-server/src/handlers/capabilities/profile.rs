//! `tool_profile`: what this session can really call.

use std::collections::{BTreeMap, BTreeSet};

use gortex_core::{Mode, Registry, State, policy};

use super::family;
use crate::handlers::shared::prelude::*;
use crate::session::SessionView;
use crate::surface::Reach;

/// Arguments of `tool_profile`.
#[derive(Debug, Deserialize, JsonSchema, FacadeArgs)]
pub(crate) struct ToolProfile {
    /// Ask about one tool only.
    tool: Option<String>,
}

/// What becomes of a tool in this session.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Status {
    Live,
    Deferred,
    Blocked,
}

impl Status {
    fn as_str(self) -> &'static str {
        match self {
            Status::Live => "live",
            Status::Deferred => "deferred",
            Status::Blocked => "blocked",
        }
    }
}

/// Tells which tools this session lists, which it can call besides, and which are blocked.
#[facade(domain = "capabilities", op = "legacy_profile", effect = "read", hidden)]
async fn tool_profile(session: SessionView, registry: State<Registry>, args: Args<ToolProfile>) -> Answer<Reply> {
    let all: BTreeSet<&'static str> = registry.legacy_names().collect();
    let status = |name: &str| status(&session, &registry, name);
    if let Some(tool) = args.tool.as_deref().map(str::trim).filter(|tool| !tool.is_empty()) {
        let Some(name) = all.get(tool) else {
            return Ok(Reply::json(json!({"tool": tool, "enabled": false, "status": "absent"})));
        };
        let (category, scope) = family::of(&registry, name);
        let status = status(name);
        let enabled = status != Status::Blocked;
        return Ok(Reply::json(
            json!({"tool": name, "enabled": enabled, "status": status.as_str(), "scope": scope, "category": category}),
        ));
    }
    let of = |wanted: Status| -> Vec<&str> { all.iter().copied().filter(|name| status(name) == wanted).collect() };
    let (live, deferred, blocked) = (of(Status::Live), of(Status::Deferred), of(Status::Blocked));
    let mut categories: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut scopes: BTreeMap<&str, &str> = BTreeMap::new();
    for name in &all {
        let (family, scope) = family::of(&registry, name);
        categories.entry(family).or_default().push(name);
        scopes.insert(name, scope);
    }
    let mut body = json!({
        "lazy_enabled": session.surface().is_some_and(|surface| surface.reach == Reach::Defer),
        "total": all.len(),
        "live_count": live.len(),
        "deferred_count": deferred.len(),
        "blocked_count": blocked.len(),
        "live": live,
        "deferred": deferred,
        "blocked": blocked,
        "scopes": scopes,
        "categories": categories,
    });
    if let Some(surface) = session.surface().filter(|surface| surface.preset != "full") {
        body["preset"] = surface.preset.as_str().into();
        body["preset_mode"] = if surface.reach == Reach::Defer { "defer" } else { "hide" }.into();
    }
    Ok(Reply::json(body))
}

fn status(session: &SessionView, registry: &Registry, name: &str) -> Status {
    let mode = if session.is_planning() { Mode::Planning } else { Mode::Normal };
    if !registry.legacy(name).iter().any(|entry| policy::permits(mode, entry.operation.effect)) {
        return Status::Blocked;
    }
    let Some(surface) = session.surface() else { return Status::Live };
    let listed = surface.names.as_ref().is_some_and(|names| names.contains(name)) || session.promoted().contains(name);
    match surface.reach {
        _ if listed => Status::Live,
        Reach::Defer if surface.names.is_some() => Status::Deferred,
        Reach::Defer | Reach::Hide => Status::Blocked,
    }
}
