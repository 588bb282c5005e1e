//! `session.workflow`: explore, implement, verify, with edits waiting for the second.

use crate::handlers::shared::prelude::*;
use crate::session::{Gating, PHASES, SessionWriter, Workflow};

/// What to do with the workflow.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Action {
    /// Begin, in place of one under way.
    Start,
    /// Go to the next phase.
    Advance,
    /// Tell where it is.
    Status,
    /// End it.
    Stop,
}

/// What happens to an edit before its phase.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Early {
    /// Refuse it.
    #[default]
    Block,
    /// Move on to the phase and let it pass.
    Warn,
}

/// Arguments of `session.workflow`.
#[derive(Debug, Deserialize, JsonSchema, FacadeArgs)]
pub(crate) struct WorkflowArgs {
    /// What to do.
    #[at(arguments)]
    action: Action,
    /// With start: what happens to an edit before its phase.
    #[at(arguments)]
    #[serde(default)]
    mode: Early,
}

/// Starts, advances, shows or stops a workflow whose edits wait for the implement phase.
#[facade(domain = "session", op = "workflow", effect = "session_write")]
async fn workflow(session: SessionWriter, args: Args<WorkflowArgs>) -> Answer<Reply> {
    let gating = match args.mode {
        Early::Block => Gating::Block,
        Early::Warn => Gating::Warn,
    };
    session.change_workflow(|slot| {
        match args.action {
            Action::Start => *slot = Some(Workflow::start(gating)),
            Action::Stop => *slot = None,
            Action::Status => {}
            Action::Advance => match slot.as_mut() {
                Some(workflow) => workflow.advance(),
                None => {
                    return Err(CallError::invalid("no workflow is under way to advance")
                        .data("field", "action")
                        .hint("start one with action=\"start\""));
                }
            },
        }
        Ok(Reply::json(state(slot.as_ref())))
    })
}

fn state(workflow: Option<&Workflow>) -> Value {
    match workflow {
        None => json!({"active": false}),
        Some(workflow) => json!({
            "active": true,
            "mode": workflow.gating,
            "current_phase": workflow.phase(),
            "phases": PHASES,
            "edits_allowed": workflow.edits_allowed(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::testing::{Client, Fixture};

    fn act(client: &Client<'_>, arguments: Value) -> Value {
        client.json("session", json!({"operation": "workflow", "arguments": arguments}))
    }

    fn edit(client: &Client<'_>) -> Value {
        serde_json::from_str(&client.call("edit", json!({"target": {"file": "a.py"}, "match": "x", "replacement": "x"})).text)
            .expect("JSON")
    }

    #[test]
    fn an_early_edit_is_refused_with_the_way_out() {
        let fixture = Fixture::new("//- a.py\nx = 1\n");
        let client = fixture.client("any");
        assert_eq!(act(&client, json!({"action": "start"}))["current_phase"], "explore");
        let refused = edit(&client);
        assert_eq!((&refused["error_code"], &refused["retriable"]), (&json!("tool_out_of_phase"), &json!(true)));
        assert_eq!(refused["data"]["recovery"]["tool"], "session");
        assert_eq!(refused["data"]["recovery"]["arguments"]["operation"], "workflow");
        client.json("session", refused["data"]["recovery"]["arguments"].clone());
        assert_ne!(edit(&client)["error_code"], "tool_out_of_phase");
        assert_eq!(act(&client, json!({"action": "advance"}))["current_phase"], "verify");
        assert_eq!(act(&client, json!({"action": "advance"}))["current_phase"], "verify");
        assert_eq!(act(&client, json!({"action": "stop"})), json!({"active": false}));
    }

    #[test]
    fn a_warning_workflow_moves_on_with_the_edit() {
        let fixture = Fixture::new("//- a.py\nx = 1\n");
        let client = fixture.client("any");
        act(&client, json!({"action": "start", "mode": "warn"}));
        assert_ne!(edit(&client)["error_code"], "tool_out_of_phase");
        assert_eq!(act(&client, json!({"action": "status"}))["current_phase"], "implement");
    }

    #[test]
    fn nothing_to_advance_and_unknown_actions_are_errors() {
        let fixture = Fixture::new("");
        let client = fixture.client("any");
        let ask = |action: &str| client.error("session", json!({"operation": "workflow", "arguments": {"action": action}}));
        assert_eq!(ask("advance")["error_code"], "invalid_argument");
        assert_eq!(ask("é")["data"]["valid_values"], json!(["start", "advance", "status", "stop"]));
    }
}
