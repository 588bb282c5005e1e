//! `tools_search`: finding deferred tools and putting them on this session's list.
//!
//! The answer is one block that both kinds of clients can read: `text` holds the `<functions>` block that a model is shown, the other
//! fields say the same as data.

use std::collections::BTreeSet;

use gortex_core::{Registry, State, ToolDef, legacy_definitions};

use crate::handlers::shared::prelude::*;
use crate::session::SessionView;
use crate::surface::Reach;

/// Bytes of definitions in one answer.
const MOST_BYTES: usize = 36_000;

/// Arguments of `tools_search`.
#[derive(Debug, Deserialize, JsonSchema, FacadeArgs)]
pub(crate) struct ToolsSearch {
    /// Empty lists names; `select:a,b` takes these; `+word rest` wants the word in the name; other words are ranked.
    #[serde(default)]
    query: String,
    /// Hits at most; 10 by default.
    max_results: Option<usize>,
    /// Put the hits on this session's list; true by default.
    promote: Option<bool>,
}

/// Finds tools that this session can call but does not list, and lists them from now on.
#[facade(domain = "capabilities", op = "legacy_search", effect = "read", hidden)]
async fn tools_search(session: SessionView, registry: State<Registry>, args: Args<ToolsSearch>) -> Answer<Reply> {
    let deferred = deferred(&session, &registry);
    let query = args.query.trim();
    if query.is_empty() || deferred.is_empty() {
        let names: Vec<&str> = deferred.iter().map(|tool| tool.name.as_str()).collect();
        let text = if names.is_empty() { "nothing is deferred in this session".to_owned() } else { names.join("\n") };
        return Ok(Reply::json(json!({
            "query": query, "deferred": names.len(), "browse_names": names, "promoted": [], "tools": [], "omitted_count": 0, "text": text,
        })));
    }
    let most = args.max_results.filter(|most| *most > 0).unwrap_or(10);
    let (found, cut) = match query.strip_prefix("select:") {
        Some(names) => (selected(&deferred, names), usize::MAX),
        None => (ranked(&deferred, query), most),
    };
    let mut shown: Vec<&ToolDef> = Vec::new();
    let mut bytes = 0;
    for tool in found.iter().take(cut) {
        bytes += tool.to_value().to_string().len();
        // One hit always ships: an answer without any would look like nothing was found.
        if bytes > MOST_BYTES && !shown.is_empty() {
            break;
        }
        shown.push(tool);
    }
    let names: BTreeSet<String> = shown.iter().map(|tool| tool.name.clone()).collect();
    let promoted = if args.promote.unwrap_or(true) { session.promote(&names) } else { BTreeSet::new() };
    let tools: Vec<Value> = shown
        .iter()
        .map(|tool| json!({"name": tool.name, "description": tool.description, "input_schema": tool.input_schema}))
        .collect();
    Ok(Reply::json(json!({
        "query": query,
        "deferred": deferred.len() - promoted.len(),
        "browse_names": [],
        "promoted": promoted,
        "omitted_count": found.len() - shown.len(),
        "text": block(&shown),
        "tools": tools,
    })))
}

/// The tools that the session can call and does not list.
fn deferred(session: &SessionView, registry: &Registry) -> Vec<ToolDef> {
    let Some(surface) = session.surface().filter(|surface| surface.reach == Reach::Defer) else { return Vec::new() };
    let Some(names) = &surface.names else { return Vec::new() };
    let promoted = session.promoted();
    legacy_definitions(registry)
        .into_iter()
        .filter(|tool| !names.contains(&tool.name) && !promoted.contains(&tool.name))
        .collect()
}

fn selected<'t>(deferred: &'t [ToolDef], names: &str) -> Vec<&'t ToolDef> {
    let wanted: Vec<String> = names.split(',').map(|name| name.trim().to_lowercase()).collect();
    deferred.iter().filter(|tool| wanted.contains(&tool.name)).collect()
}

/// Tools that match, best first: a token of the name 10, one of the description 1, a required word 12, all of it inside the
/// name 25; ties by name.
fn ranked<'t>(deferred: &'t [ToolDef], query: &str) -> Vec<&'t ToolDef> {
    let query = query.to_lowercase();
    let words: Vec<&str> = query.split_whitespace().collect();
    let score = |tool: &ToolDef| -> Option<u32> {
        let about = tool.description.to_lowercase();
        let has = |word: &str| tool.name.split('_').any(|part| part == word);
        let mut score = if tool.name.contains(&query.replace(' ', "_")) { 25 } else { 0 };
        for word in &words {
            if let Some(required) = word.strip_prefix('+') {
                if !tool.name.contains(required) {
                    return None;
                }
                score += 12;
            } else {
                score += if has(word) { 10 } else { 0 };
                score += u32::from(about.split(|c: char| !c.is_alphanumeric()).any(|part| part == *word));
            }
        }
        (score > 0).then_some(score)
    };
    let mut found: Vec<(u32, &ToolDef)> = deferred.iter().filter_map(|tool| Some((score(tool)?, tool))).collect();
    found.sort_by(|(a, left), (b, right)| b.cmp(a).then_with(|| left.name.cmp(&right.name)));
    found.into_iter().map(|(_, tool)| tool).collect()
}

/// The hits as a model is shown them.
fn block(tools: &[&ToolDef]) -> String {
    if tools.is_empty() {
        return "no deferred tool matches".to_owned();
    }
    let line = |tool: &&ToolDef| {
        let one = json!({"description": tool.description, "name": tool.name, "parameters": tool.input_schema});
        format!("<function>{one}</function>\n")
    };
    format!("<functions>\n{}</functions>", tools.iter().map(line).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(name: &str, about: &str) -> ToolDef {
        let annotations = legacy_definitions(&crate::testing::partial_registry()).remove(0).annotations;
        ToolDef {
            name: name.to_owned(),
            description: about.to_owned(),
            input_schema: serde_json::Map::new(),
            annotations,
            always_load: false,
        }
    }

    #[test]
    fn names_weigh_more_than_words_and_a_required_word_is_required() {
        let all = [tool("list_repos", "Lists graphs."), tool("graph_stats", "Size of things."), tool("walk_graph", "Walks.")];
        let names = |query: &str| ranked(&all, query).iter().map(|tool| tool.name.clone()).collect::<Vec<_>>();
        assert_eq!(names("graph"), ["graph_stats", "walk_graph"]);
        assert_eq!(names("+walk graph"), ["walk_graph"]);
        assert_eq!(names("graphs"), ["list_repos"]);
        assert!(names("é").is_empty());
        assert_eq!(selected(&all, " walk_graph , nothing").len(), 1);
    }
}
