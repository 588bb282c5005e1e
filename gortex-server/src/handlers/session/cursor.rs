//! `session.cursor`: one symbol at a time, from hop to hop.

use gortex_engine::graph::NodeId;
use gortex_engine::query::subgraph::is_handed_over;

use crate::handlers::read::source_of;
use crate::handlers::shared::prelude::*;
use crate::session::{Cursor, SessionWriter};

/// How to move.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Action {
    /// To the symbol `id`.
    Goto,
    /// To a callee.
    Into,
    /// To a caller.
    Up,
    /// To another member of the same parent.
    Sibling,
    /// To where it stood before.
    Back,
    /// Nowhere: say where it stands.
    Where,
    /// Nowhere: show the source.
    Read,
}

/// Arguments of `session.cursor`.
#[derive(Debug, Deserialize, JsonSchema, FacadeArgs)]
pub(crate) struct Nav {
    /// How to move.
    #[at(arguments)]
    action: Action,
    /// With goto: the symbol.
    #[at(arguments)]
    id: Option<String>,
    /// With into, up, sibling: which one, by its number from 0 or a part of its name; the first when not given.
    #[at(arguments)]
    select: Option<String>,
}

/// Moves this session's cursor along calls and members, one hop at a time.
#[facade(domain = "session", op = "cursor", effect = "session_write")]
async fn nav(graph: Graph, session: SessionWriter, args: Args<Nav>) -> Answer<Reply> {
    let args = args.into_inner();
    graph.blocking(move |graph| session.change_cursor(|cursor| moved(graph, cursor, &args))).await
}

fn moved(graph: &Graph, cursor: &mut Cursor, args: &Nav) -> Answer<Reply> {
    let reset = cursor.forget_gone(|id| graph.by_id(id).is_some());
    match args.action {
        Action::Goto => {
            let id = args.id.as_deref().map(str::trim).filter(|id| !id.is_empty());
            let id = id.ok_or_else(|| CallError::invalid("goto needs the id of a symbol").data("field", "id"))?;
            cursor.go(graph.id(node_of(graph, "nav", id)?));
        }
        _ if reset => {}
        Action::Into | Action::Up | Action::Sibling => {
            let found = neighbours(graph, standing(graph, cursor)?, args.action);
            cursor.go(graph.id(select(graph, &found, args)?));
        }
        Action::Back => {
            if !cursor.back(|id| graph.by_id(id).is_some()) {
                return Err(CallError::invalid("there is no place to go back to").data("field", "action"));
            }
        }
        Action::Where | Action::Read => drop(standing(graph, cursor)?),
    }
    tell(graph, cursor, args.action, reset)
}

/// The symbol that the cursor stands on.
fn standing(graph: &Graph, cursor: &Cursor) -> Answer<NodeId> {
    cursor.current().and_then(|id| graph.by_id(id)).ok_or_else(|| {
        CallError::invalid("the cursor stands nowhere yet")
            .data("field", "action")
            .hint("go somewhere with action=\"goto\" and an id")
    })
}

/// Where one hop leads, in the order of the source.
fn neighbours(graph: &Graph, node: NodeId, action: Action) -> Vec<NodeId> {
    let code: &gortex_engine::graph::Graph = graph;
    let mut found = match action {
        Action::Into => {
            let mut calls: Vec<_> = code.out(node).iter().filter(|edge| edge.kind().is_call()).collect();
            calls.sort_by_key(|edge| (edge.line, edge.col, edge.to));
            calls.into_iter().map(|edge| edge.to).collect()
        }
        Action::Up => {
            let from = code.incoming(node).filter(|edge| edge.kind().is_call() || is_handed_over(code, edge));
            let mut from: Vec<NodeId> = from.map(|edge| edge.from).collect();
            from.sort_unstable();
            from
        }
        _ => code.parent(node).map(|parent| code.children(parent)).unwrap_or_default(),
    };
    let mut seen = std::collections::HashSet::from([node]);
    found.retain(|other| seen.insert(*other));
    found
}

/// The neighbour that was asked for.
fn select(graph: &Graph, found: &[NodeId], args: &Nav) -> Answer<NodeId> {
    let what = match args.action {
        Action::Into => "callee",
        Action::Up => "caller",
        _ => "sibling",
    };
    let Some(first) = found.first() else {
        return Err(CallError::new(Code::NotFound, format!("there is no {what} to go to")).data("field", "action"));
    };
    let Some(wanted) = args.select.as_deref().map(str::trim).filter(|wanted| !wanted.is_empty()) else { return Ok(*first) };
    let names = || found.iter().take(20).map(|node| graph.id(*node)).collect::<Vec<_>>();
    if let Ok(at) = wanted.parse::<usize>() {
        return found.get(at).copied().ok_or_else(|| {
            CallError::invalid(format!("there is no {what} number {at}; there are {}, counted from 0", found.len()))
                .data("field", "select")
                .data("candidates", names())
        });
    }
    let wanted_low = wanted.to_lowercase();
    found.iter().find(|node| graph.name(**node).to_lowercase().contains(&wanted_low)).copied().ok_or_else(|| {
        CallError::new(Code::NotFound, format!("no {what} has `{wanted}` in its name"))
            .data("field", "select")
            .data("candidates", names())
    })
}

fn tell(graph: &Graph, cursor: &Cursor, action: Action, reset: bool) -> Answer<Reply> {
    let word = match action {
        Action::Goto => "goto",
        Action::Into => "into",
        Action::Up => "up",
        Action::Sibling => "sibling",
        Action::Back => "back",
        Action::Where => "where",
        Action::Read => "read",
    };
    let node = cursor.current().and_then(|id| graph.by_id(id));
    let mut place = json!({"current": cursor.current()});
    let mut counts = [0; 3];
    if let Some(node) = node {
        let row = brief(graph, node);
        place["kind"] = row.kind.into();
        place["name"] = row.name.into();
        place["file_path"] = row.file_path.into();
        place["start_line"] = row.start_line.into();
        counts = [Action::Into, Action::Up, Action::Sibling].map(|way| neighbours(graph, node, way).len());
    }
    place["history_size"] = cursor.history_size().into();
    let [callees, callers, siblings] = counts;
    let mut body = json!({
        "action": word,
        "cursor": place,
        "adjacency": {"callees": callees, "callers": callers, "siblings": siblings},
    });
    if reset {
        body["stale_cursor_reset"] = true.into();
    }
    if action == Action::Read
        && let Some(node) = node
    {
        match source_of(graph, node)? {
            Some((text, first, last)) => {
                body["source"] = text.into();
                body["start_line"] = first.into();
                body["end_line"] = last.into();
            }
            None => {
                body["source"] = "".into();
                body["note"] = "a file as a whole has no line range; read(target={\"file\": ..}) shows it".into();
            }
        }
    }
    Ok(Reply::json(body))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::testing::{Client, Fixture};

    const TREE: &str = "//- a.py\ndef zwei():\n    pass\n\ndef eins():\n    zwei()\n    drei()\n\ndef drei():\n    pass\n";

    fn go(client: &Client<'_>, arguments: Value) -> Value {
        client.json("session", json!({"operation": "cursor", "arguments": arguments}))
    }

    #[test]
    fn hops_lead_along_calls_and_members_and_back() {
        let fixture = Fixture::new(TREE);
        let client = fixture.client("any");
        let start = go(&client, json!({"action": "goto", "id": "eins"}));
        assert_eq!(start["adjacency"], json!({"callees": 2, "callers": 0, "siblings": 2}));
        assert_eq!(go(&client, json!({"action": "into"}))["cursor"]["current"], "a.py::zwei");
        assert_eq!(go(&client, json!({"action": "up"}))["cursor"]["current"], "a.py::eins");
        assert_eq!(go(&client, json!({"action": "into", "select": "DREI"}))["cursor"]["current"], "a.py::drei");
        assert_eq!(go(&client, json!({"action": "sibling", "select": 1}))["cursor"]["current"], "a.py::eins");
        assert_eq!(go(&client, json!({"action": "back"}))["cursor"]["current"], "a.py::drei");
        let read = go(&client, json!({"action": "read"}));
        assert_eq!((&read["source"], &read["start_line"]), (&json!("def drei():\n    pass\n"), &json!(8)));
    }

    #[test]
    fn moves_that_lead_nowhere_are_errors() {
        let fixture = Fixture::new(TREE);
        let client = fixture.client("any");
        let error = |arguments: Value| client.error("session", json!({"operation": "cursor", "arguments": arguments}));
        assert_eq!(error(json!({"action": "where"}))["error_code"], "invalid_argument");
        assert_eq!(error(json!({"action": "back"}))["error_code"], "invalid_argument");
        assert_eq!(error(json!({"action": "goto"}))["data"]["field"], "id");
        go(&client, json!({"action": "goto", "id": "eins"}));
        assert_eq!(error(json!({"action": "up"}))["error_code"], "not_found");
        assert_eq!(error(json!({"action": "into", "select": "9"}))["data"]["field"], "select");
        assert_eq!(error(json!({"action": "into", "select": "é"}))["error_code"], "not_found");
        assert!(error(json!({"action": "fly"}))["data"]["valid_values"].is_array());
        let unknown = client.call("session", json!({"operation": "cursor", "arguments": {"action": "goto", "id": "no_such"}}));
        assert!(unknown.text.contains("symbol_not_found"));
    }

    #[test]
    fn a_symbol_that_is_gone_resets_the_cursor_with_a_word() {
        let fixture = Fixture::new(TREE);
        let client = fixture.client("any");
        go(&client, json!({"action": "goto", "id": "zwei"}));
        go(&client, json!({"action": "goto", "id": "drei"}));
        std::fs::write(fixture.root.join("a.py"), "def zwei():\n    pass\n").expect("a file");
        fixture.server.engine().fresh(true);
        let gone = go(&client, json!({"action": "where"}));
        assert_eq!((&gone["stale_cursor_reset"], &gone["cursor"]["current"]), (&json!(true), &Value::Null));
        assert_eq!(go(&client, json!({"action": "back"}))["cursor"]["current"], "a.py::zwei");
    }
}
