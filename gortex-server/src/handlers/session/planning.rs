//! `session.planning_mode`: a phase in which nothing can be written.

use std::collections::BTreeSet;

use gortex_core::{Registry, State};

use crate::handlers::shared::prelude::*;
use crate::session::SessionWriter;

/// Arguments of `session.planning_mode`.
#[derive(Debug, Deserialize, JsonSchema, FacadeArgs)]
pub(crate) struct SetPlanningMode {
    /// planning (also plan, read-only, readonly), or editing (also edit, write).
    #[at(arguments)]
    mode: String,
}

/// Switches this session between planning, in which nothing is written, and editing.
#[facade(domain = "session", op = "planning_mode", effect = "session_write")]
async fn set_planning_mode(session: SessionWriter, registry: State<Registry>, args: Args<SetPlanningMode>) -> Answer<Reply> {
    let planning = match args.mode.trim().to_lowercase().as_str() {
        "planning" | "plan" | "read-only" | "readonly" | "read_only" => true,
        "editing" | "edit" | "write" => false,
        _ => {
            return Err(CallError::invalid(format!("`{}` is no mode; it is planning or editing", args.mode))
                .data("field", "mode")
                .data("received", &args.mode)
                .data("valid_values", ["planning", "editing"]));
        }
    };
    session.set_planning(planning);
    let compact = session.session().chosen_surface().is_none_or(|surface| surface.names.is_none());
    let note = if planning {
        "calls that change files, settings or other machines are refused until the mode is editing"
    } else {
        "calls that change something run again"
    };
    Ok(Reply::json(json!({
        "mode": if planning { "planning" } else { "editing" },
        "editing_enabled": !planning,
        "editing_tools": editing_tools(&registry, compact),
        "note": note,
    })))
}

/// The names that the mode controls, told by their effect.
fn editing_tools(registry: &Registry, compact: bool) -> BTreeSet<String> {
    if compact {
        let facades = registry.surface().facades.iter().filter(|facade| facade.effect.is_mutating());
        return facades.map(|facade| facade.name.to_owned()).collect();
    }
    let mutating = |name: &&str| registry.legacy(name).iter().any(|entry| entry.operation.effect.is_mutating());
    registry.legacy_names().filter(mutating).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::testing::Fixture;

    #[test]
    fn a_planning_session_reads_leaves_and_does_not_write() {
        let fixture = Fixture::new("//- a.py\nx = 1\n");
        let client = fixture.client("any");
        let mode = |mode: &str| client.json("session", json!({"operation": "planning_mode", "arguments": {"mode": mode}}));
        let planning = mode("Plan");
        assert_eq!((&planning["mode"], &planning["editing_enabled"]), (&json!("planning"), &json!(false)));
        assert_eq!(planning["editing_tools"], json!(["edit", "publish_review", "refactor", "remember", "workspace_admin"]));
        let write = json!({"target": {"file": "a.py"}, "match": "1", "replacement": "2"});
        let refused = client.error("edit", write.clone());
        assert_eq!((&refused["error_code"], &refused["data"]["mode"]), (&json!("tool_blocked_by_mode"), &json!("planning")));
        client.json("read", json!({"target": {"file": "a.py"}}));
        // Another session is not concerned.
        assert_eq!(fixture.client("other").call("edit", write.clone()).output.error, None);
        mode("editing");
        assert_ne!(
            client.call("edit", write).output.error.and_then(|error| error.code()),
            Some(gortex_core::Code::ToolBlockedByMode)
        );
    }

    #[test]
    fn an_unknown_mode_is_refused() {
        let fixture = Fixture::new("");
        let error = fixture.error("session", json!({"operation": "planning_mode", "arguments": {"mode": "é"}}));
        assert_eq!(error["data"]["valid_values"], json!(["planning", "editing"]));
        fixture.error("session", json!({"operation": "planning_mode"}));
    }
}
