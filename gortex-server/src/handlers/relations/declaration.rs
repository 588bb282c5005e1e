//! From the text of a use back to what it binds to.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use gortex_engine::facts::{Kind, Role};
use gortex_engine::graph::{Graph as Linked, NodeId};
use gortex_engine::query::relations::{enclosing, rows_on_line};
use gortex_engine::query::subgraph::is_call;
use gortex_engine::search::text::{Known, TextError, TextFile, TextMatch, TextQuery, search};

use crate::handlers::shared::args::path_filter;
use crate::handlers::shared::prelude::*;

/// Lines looked at, at most.
const HITS: usize = 1000;
/// Use sites shown of one declaration.
const SITES: usize = 20;

/// Arguments of `relations.declaration`.
#[derive(Debug, Deserialize, JsonSchema, FacadeArgs)]
pub(crate) struct FindDeclaration {
    /// Text of a use, such as `store.Save(`; a pattern when `regex` is set.
    #[at(target = "query")]
    use_site: String,
    /// Take the text as a regular expression.
    #[at(options)]
    #[serde(default)]
    regex: bool,
    /// Look for uses in these folders and files only, separated by commas.
    #[at(options)]
    path_prefix: Option<String>,
    /// Keep declarations of these kinds, separated by commas: function, method, type, interface, variable, …
    #[at(options)]
    kind: Option<String>,
    /// Declarations at most; 20 by default.
    #[at(options)]
    limit: Option<usize>,
}

/// Finds what the places that hold a text bind to.
#[facade(domain = "relations", op = "declaration", effect = "read")]
async fn find_declaration(graph: Graph, args: Args<FindDeclaration>) -> Answer<Reply> {
    graph.blocking(move |graph| answer(graph, &args)).await
}

fn answer(graph: &Graph, args: &FindDeclaration) -> Answer<Reply> {
    if args.use_site.trim().is_empty() {
        return Err(CallError::invalid("use_site is required").data("field", "target.query"));
    }
    let files: Vec<(&str, TextFile<'_>)> = graph
        .files
        .iter()
        .filter(|file| file.status.is_text())
        .filter_map(|file| {
            let (repo, rel) = graph.view().split(&file.path)?;
            Some((file.path.as_str(), TextFile { root: &repo.root, rel, buffer: None, known: Some(Known::of(file)) }))
        })
        .collect();
    let filter = path_filter(args.path_prefix.as_deref());
    let files: Vec<(&str, TextFile<'_>)> = files.into_iter().filter(|(path, _)| filter.admits(path)).collect();
    let list: Vec<TextFile<'_>> = files.iter().map(|(_, file)| *file).collect();
    let query = TextQuery { pattern: &args.use_site, regexp: args.regex, limit: HITS, ..TextQuery::default() };
    let hits =
        graph.engine().run(|| search(&list, &query, &AtomicBool::new(false))).map_err(|error| refused(&error, &args.use_site))?;
    let mut by_target: BTreeMap<NodeId, Vec<(&str, &TextMatch)>> = BTreeMap::new();
    for hit in &hits.matches {
        let Some((path, _)) = files.get(hit.file) else { continue };
        let Some(file) = graph.file(path) else { continue };
        for target in bound_at(graph, file.base, hit.line as u32, &args.use_site, args.regex, &hit.text) {
            by_target.entry(target).or_default().push((*path, hit));
        }
    }
    let mut note = None;
    if by_target.is_empty() {
        let name = called_name(&args.use_site);
        for node in graph.named(name).iter().filter(|node| declares(graph.kind(**node))) {
            by_target.insert(*node, Vec::new());
        }
        note = Some(if by_target.is_empty() {
            "no place that holds this text is bound to a definition of the tracked repositories".to_owned()
        } else {
            format!("no use was bound; these are the definitions called `{name}`")
        });
    }
    let kinds: Vec<&str> = args.kind.as_deref().unwrap_or("").split(',').map(str::trim).filter(|kind| !kind.is_empty()).collect();
    let fits = |node: &NodeId| {
        kinds.is_empty() || kinds.contains(&graph.kind(*node).node_kind()) || kinds.contains(&graph.kind(*node).as_str())
    };
    let mut rows: Vec<(NodeId, Vec<(&str, &TextMatch)>)> = by_target.into_iter().filter(|(node, _)| fits(node)).collect();
    rows.sort_by_key(|(node, sites)| (std::cmp::Reverse(sites.len()), *node));
    Ok(told(graph, args, &rows, hits.matches.len(), hits.total_is_exact, note))
}

type Site<'a> = (&'a str, &'a TextMatch);

fn told(
    graph: &Linked,
    args: &FindDeclaration,
    rows: &[(NodeId, Vec<Site<'_>>)],
    scanned: usize,
    exact: bool,
    note: Option<String>,
) -> Reply {
    let limit = args.limit.filter(|limit| *limit > 0).unwrap_or(20);
    let mut body = json!({"use_site": args.use_site, "count": rows.len(), "use_sites_scanned": scanned});
    if rows.len() > limit || !exact {
        body["_truncated_by_limit"] = true.into();
        body["_limit_applied"] = if rows.len() > limit { limit } else { HITS }.into();
        body["count_is_exact"] = exact.into();
        body["truncation_note"] = if exact {
            format!("{} of {} declarations are shown", limit, rows.len())
        } else {
            format!("only the first {HITS} places that hold the text were looked at; narrow with path_prefix")
        }
        .into();
    }
    if let Some(note) = note {
        body["note"] = note.into();
    }
    let declarations = rows.iter().take(limit).map(|(node, sites)| {
        let shown: Vec<Value> = sites
            .iter()
            .take(SITES)
            .map(|(path, hit)| json!({"file": path, "line": hit.line, "text": hit.text.trim()}))
            .collect();
        json!({"declaration": node_out(graph, *node), "use_site_count": sites.len(), "use_sites": shown})
    });
    body["declarations"] = declarations.collect();
    Reply::json(body).rows("declarations").generation(graph.generation)
}

fn refused(error: &TextError, text: &str) -> CallError {
    CallError::invalid(error.to_string()).data("field", "target.query").data("received", text)
}

/// What the rows of a line bind that the text speaks of: calls before other uses.
fn bound_at(graph: &Linked, file: NodeId, line: u32, use_site: &str, regex: bool, shown: &str) -> Vec<NodeId> {
    let around = enclosing(graph, file, line);
    // A pattern does not spell the name; the line that it matched does.
    let spelled = if regex { shown } else { use_site };
    let mut rows = rows_on_line(graph, file, line);
    rows.retain(|edge| {
        let aliased = edge.flags & gortex_engine::graph::edge_flag::ALIASED != 0;
        graph.def(edge.to).is_some()
            && !matches!(edge.role(), Role::Import | Role::ReExport)
            && (has_word(spelled, graph.name(edge.to)) || aliased)
    });
    // An alias counts only where nothing is called by its own name.
    if rows.iter().any(|edge| has_word(spelled, graph.name(edge.to))) {
        rows.retain(|edge| has_word(spelled, graph.name(edge.to)));
    }
    if rows.iter().any(|edge| edge.from == around) {
        rows.retain(|edge| edge.from == around);
    }
    if rows.iter().any(|edge| is_call(graph, edge)) {
        rows.retain(|edge| is_call(graph, edge));
    }
    let mut targets: Vec<NodeId> = rows.iter().map(|edge| edge.to).collect();
    targets.sort_unstable();
    targets.dedup();
    targets
}

/// Whether a text holds a word, not a part of a longer one.
fn has_word(text: &str, word: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    !word.is_empty()
        && text.match_indices(word).any(|(at, _)| {
            !text[..at].chars().next_back().is_some_and(part) && !text[at + word.len()..].chars().next().is_some_and(part)
        })
}

/// The identifier in front of the first parenthesis.
fn called_name(text: &str) -> &str {
    let head = text.split('(').next().unwrap_or(text).trim_end_matches(|c: char| !(c.is_alphanumeric() || c == '_'));
    head.rsplit(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or("")
}

fn declares(kind: Kind) -> bool {
    kind.is_callable() || kind.is_type() || matches!(kind, Kind::Variable | Kind::Constant)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_front_of_a_parenthesis() {
        assert_eq!(called_name("store.Save("), "Save");
        assert_eq!(called_name("größe (x)"), "größe");
        assert_eq!(called_name("new Foo<T>(x)"), "T");
        assert_eq!(called_name("("), "");
    }

    #[test]
    fn words_are_whole() {
        assert!(has_word("store.Save(", "Save"));
        assert!(!has_word("store.SaveAll(", "Save"));
        assert!(!has_word("überSave(", "Save"));
    }
}
