//! `response.export_context`: a briefing for a task that stands by itself, to paste where no server is.
//!
//! What it is made from is what `explore` finds; what is left out for want of room is said.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use gortex_engine::graph::NodeId;
use gortex_engine::query::localize::Task;
use gortex_engine::query::tests;

use crate::handlers::explore::{fenced_source, localized};
use crate::handlers::shared::prelude::*;

/// Bytes of a token, for the budget.
const TOKEN: usize = 4;
/// The largest budget.
const MOST_TOKENS: i64 = 8000;
/// Neighbours listed each way for one symbol.
const NEIGHBOURS: usize = 8;
/// Test files listed.
const TESTS: usize = 10;
/// Words of the task that are shown.
const WORDS: usize = 12;

/// Forms of a briefing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Form {
    /// Text to paste.
    #[default]
    Markdown,
    /// The same as data.
    Json,
}

/// Arguments of `response.export_context`.
#[derive(Debug, Deserialize, JsonSchema, FacadeArgs)]
pub(crate) struct ExportContext {
    /// What the reader wants to do.
    #[at(arguments)]
    task: String,
    /// Symbol or file to start from.
    #[at(arguments)]
    entry_point: Option<String>,
    /// Symbols in the briefing; 5 when not given.
    #[at(arguments)]
    max_symbols: Option<i64>,
    /// Form of the briefing.
    #[at(arguments)]
    #[serde(default)]
    format: Form,
    /// Tokens of the briefing, about; 2000 when not given, 8000 at most.
    #[at(arguments)]
    token_budget: Option<i64>,
}

/// Writes a briefing for a task that can be read without a server.
#[facade(domain = "response", op = "export_context", effect = "read")]
async fn export_context(graph: Graph, args: Args<ExportContext>) -> Answer<Reply> {
    let args = args.into_inner();
    graph.blocking(move |graph| answer(graph, &args)).await
}

/// A symbol in the briefing.
#[derive(Debug, Serialize)]
struct Key {
    #[serde(flatten)]
    row: NodeOut,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    source_omitted: bool,
}

/// What a briefing says.
#[derive(Debug, Serialize)]
struct Briefing {
    task: String,
    keywords: Vec<String>,
    relevant_symbols: Vec<Key>,
    callers: Vec<Brief>,
    callees: Vec<Brief>,
    cross_repo: Vec<Brief>,
    test_files: Vec<String>,
    files_to_edit: Vec<String>,
}

fn answer(graph: &Graph, args: &ExportContext) -> Answer<Reply> {
    if args.task.trim().is_empty() {
        return Err(CallError::invalid("task is required: it is empty").data("field", "task"));
    }
    let most = args.max_symbols.unwrap_or(5).clamp(1, 30) as usize;
    let budget = args.token_budget.filter(|tokens| *tokens > 0).unwrap_or(2000).min(MOST_TOKENS) as usize * TOKEN;
    let briefing = briefing(graph, args, most, budget)?;
    match args.format {
        Form::Json => Reply::new(&briefing),
        Form::Markdown => Ok(Reply::text(markdown(graph, &briefing))),
    }
}

fn briefing(graph: &Graph, args: &ExportContext, most: usize, budget: usize) -> Answer<Briefing> {
    let mut task = Task::of(&args.task);
    let mut nodes: Vec<NodeId> = Vec::new();
    if let Some(entry) = args.entry_point.as_deref().map(str::trim).filter(|entry| !entry.is_empty()) {
        match graph.file(entry) {
            Some(_) => task.paths = crate::handlers::shared::args::path_filter(Some(entry)),
            None => nodes.push(node_of(graph, "export_context", entry)?),
        }
    }
    let found = localized(graph, &task, most);
    nodes.extend(found.symbols.iter().map(|one| one.node));
    let mut seen = BTreeSet::new();
    nodes.retain(|node| seen.insert(*node));
    nodes.truncate(most);

    let mut room = budget / 2;
    let keys = nodes.iter().map(|node| {
        let source = fenced_source(graph, *node).filter(|text| text.len() <= room);
        room -= source.as_ref().map_or(0, String::len);
        Key { row: node_out(graph, *node), source_omitted: source.is_none(), source }
    });
    let relevant_symbols = keys.collect();
    let (callers, callees) = (neighbours(graph, &nodes, true), neighbours(graph, &nodes, false));
    let home: BTreeSet<u16> = nodes.iter().map(|node| graph.file_of(*node).repo).collect();
    let foreign = |node: &&NodeId| !home.contains(&graph.file_of(**node).repo);
    let cross: BTreeSet<NodeId> = callers.iter().chain(&callees).filter(foreign).copied().collect();
    let rows = |nodes: &[NodeId]| nodes.iter().map(|node| brief(graph, *node)).collect();
    let mut files: Vec<String> = nodes.iter().map(|node| graph.file_of(*node).path.clone()).collect();
    files.extend(found.files.iter().take(most).map(|(at, _)| graph.files[*at].path.clone()));
    let mut listed = BTreeSet::new();
    files.retain(|path| listed.insert(path.clone()));
    files.truncate(most);
    Ok(Briefing {
        task: args.task.trim().to_owned(),
        keywords: keywords(&task),
        relevant_symbols,
        cross_repo: rows(&cross.into_iter().collect::<Vec<_>>()),
        callers: rows(&callers),
        callees: rows(&callees),
        test_files: tests::find(graph, &nodes, 3).files.into_keys().take(TESTS).collect(),
        files_to_edit: files,
    })
}

/// The words of a task that were looked for, the weightiest first.
fn keywords(task: &Task) -> Vec<String> {
    let mut all: Vec<&(String, f32)> = task.shape.identifiers.iter().chain(&task.shape.words).collect();
    all.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let mut seen = BTreeSet::new();
    all.into_iter().map(|(word, _)| word.clone()).filter(|word| seen.insert(word.to_lowercase())).take(WORDS).collect()
}

/// Who calls the symbols, or what they call, without themselves.
fn neighbours(graph: &Graph, nodes: &[NodeId], callers: bool) -> Vec<NodeId> {
    let code: &gortex_engine::graph::Graph = graph;
    let mut found: BTreeSet<NodeId> = BTreeSet::new();
    for node in nodes {
        let of_one: BTreeSet<NodeId> = if callers {
            code.incoming(*node).filter(|edge| edge.kind().is_call()).map(|edge| edge.from).collect()
        } else {
            code.out(*node).iter().filter(|edge| edge.kind().is_call()).map(|edge| edge.to).collect()
        };
        found.extend(of_one.into_iter().filter(|other| !nodes.contains(other)).take(NEIGHBOURS));
    }
    found.into_iter().collect()
}

fn markdown(graph: &Graph, briefing: &Briefing) -> String {
    let title: String = briefing.task.split_whitespace().collect::<Vec<_>>().join(" ");
    let title = &title[..title.floor_char_boundary(120)];
    let mut out = format!("# Context: {title}\n\n## Task\n\n{}\n", briefing.task);
    if !briefing.keywords.is_empty() {
        let _ = write!(out, "\n## Keywords\n\n{}\n", briefing.keywords.join(", "));
    }
    out.push_str("\n## Key symbols\n");
    if briefing.relevant_symbols.is_empty() {
        out.push_str("\nNone of the words of the task occurs in names, documentation or text here.\n");
    }
    for key in &briefing.relevant_symbols {
        let row = &key.row;
        let place = format!("{}:{}", row.brief.file_path, row.brief.start_line);
        let _ = write!(out, "\n### {} ({})\n\n- id: `{}`\n- at: {place}\n", row.brief.name, row.brief.kind, row.brief.id);
        if !row.signature.is_empty() {
            let _ = writeln!(out, "- signature: `{}`", row.signature);
        }
        match &key.source {
            Some(source) => {
                let _ = write!(out, "\n{source}");
            }
            None => out.push_str("\n_Source left out: it does not fit the budget._\n"),
        }
    }
    for (title, rows) in
        [("Callers", &briefing.callers), ("Callees", &briefing.callees), ("Cross-repository dependencies", &briefing.cross_repo)]
    {
        list(&mut out, title, rows.iter().map(|row| format!("`{}` — {}:{}", row.id, row.file_path, row.start_line)));
    }
    list(&mut out, "Related tests", briefing.test_files.iter().cloned());
    list(&mut out, "Files to edit", briefing.files_to_edit.iter().cloned());
    let name = crate::handlers::workspace::workspace_name(&graph.view().repos).unwrap_or_default();
    let _ = write!(out, "\n---\nFrom the index of {name}; ranked, not proven complete.\n");
    out
}

fn list(out: &mut String, title: &str, rows: impl Iterator<Item = String>) {
    let rows: Vec<String> = rows.map(|row| format!("- {row}\n")).collect();
    if !rows.is_empty() {
        let _ = write!(out, "\n## {title}\n\n{}", rows.concat());
    }
}

#[cfg(test)]
mod unit {
    use serde_json::json;

    use crate::testing::Fixture;

    const TREE: &str = "//- src/router.py\ndef compile_path(path):\n    return path\n\ndef add_route(path):\n    return compile_path(path)\n//- tests/test_router.py\nfrom src.router import add_route\n\ndef test_add():\n    add_route('é')\n";

    #[test]
    fn a_briefing_has_its_sections_in_order_and_the_language_of_the_source() {
        let fixture = Fixture::new(TREE);
        let arguments = json!({"task": "compile the path of a route", "max_symbols": 1, "entry_point": "compile_path"});
        let text = fixture.call("response", json!({"operation": "export_context", "arguments": arguments})).text();
        let titles = ["## Task", "## Keywords", "## Key symbols", "## Callers", "## Related tests", "## Files to edit"];
        let places: Vec<Option<usize>> = titles.iter().map(|title| text.find(title)).collect();
        assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?}\n{text}");
        assert!(text.contains("```python\n") && text.contains("`src/router.py::add_route`"), "{text}");
    }

    #[test]
    fn what_does_not_fit_is_left_out_with_a_word() {
        let body = "    x = 'größe größe größe'\n".repeat(100);
        let fixture = Fixture::new(&format!("//- a.py\ndef handle(thing):\n{body}    return thing\n"));
        let arguments = json!({"task": "handle the thing", "token_budget": 100});
        let text = fixture.call("response", json!({"operation": "export_context", "arguments": arguments})).text();
        assert!(text.contains("Source left out") && text.len() < 1000, "{text}");
    }

    #[test]
    fn the_same_comes_as_data_and_an_unknown_start_is_refused() {
        let fixture = Fixture::new(TREE);
        let arguments = json!({"task": "compile the path", "format": "json"});
        let data = fixture.json("response", json!({"operation": "export_context", "arguments": arguments}));
        assert_eq!(data["relevant_symbols"][0]["id"], "src/router.py::compile_path", "{data}");
        let unknown = json!({"task": "x", "entry_point": "no_such"});
        let found = fixture.call("response", json!({"operation": "export_context", "arguments": unknown}));
        assert!(found.text().contains("symbol_not_found"), "{}", found.text());
        let error = fixture.error("response", json!({"operation": "export_context", "arguments": {"task": " "}}));
        assert_eq!(error["error_code"], "invalid_argument");
    }
}
