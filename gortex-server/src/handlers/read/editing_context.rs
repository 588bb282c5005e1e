//! `read.editing_context`: what to know of a file before editing it.

use std::collections::BTreeSet;

use gortex_engine::edit::git_blob_sha1;
use gortex_engine::facts::model::import_flag;
use gortex_engine::graph::{EdgeKind, FileEntry, Graph as CodeGraph, NodeId};
use gortex_engine::query::source::Fidelity;
use serde_json::Map;

use super::summary::without_symbols;
use super::text::{Reshape, fidelity, list, load, object, only, reshape, sealed};
use crate::handlers::shared::prelude::*;

/// Neighbours in other files shown, each way.
const NEIGHBOURS: usize = 20;

/// How much is said of each definition.
#[derive(Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Detail {
    /// Places and signatures.
    #[default]
    Brief,
    /// Also end lines, columns and documentation.
    Full,
}

/// Arguments of `read.editing_context`.
#[derive(Debug, Deserialize, JsonSchema, FacadeArgs)]
pub(crate) struct GetEditingContext {
    /// Path of the file.
    #[at(target = "file")]
    path: Option<String>,
    /// A symbol whose file is meant.
    #[at(target = "symbol")]
    symbol: Option<String>,
    /// How much is said of each definition.
    #[at(options)]
    #[serde(default)]
    detail: Detail,
    /// Add the whole file with function bodies as stubs.
    #[at(context)]
    #[serde(default)]
    compress_bodies: bool,
    /// Names, ids or kinds whose bodies stay, separated by commas.
    #[at(options)]
    keep: Option<String>,
    /// Rules `glob:tier` separated by commas; tiers: full, compress, omit.
    #[at(options)]
    fidelity_globs: Option<String>,
    /// ETag of an answer already held.
    #[at(options)]
    if_none_match: Option<String>,
}

/// Shows what a file defines, imports, calls and is called by, before it is edited.
#[facade(domain = "read", op = "editing_context", effect = "read")]
async fn get_editing_context(graph: Graph, args: Args<GetEditingContext>) -> Answer<Reply> {
    let args = args.into_inner();
    graph.blocking(move |graph| answer(graph, &args)).await
}

fn answer(graph: &Graph, args: &GetEditingContext) -> Answer<Reply> {
    let path = match (args.path.as_deref().filter(|path| !path.is_empty()), &args.symbol) {
        (Some(path), _) => path.to_owned(),
        (None, Some(symbol)) => graph.file_of(only(&graph.view().graph, symbol)?).path.clone(),
        (None, None) => return Err(CallError::invalid("path is required").data("field", "target.file")),
    };
    let file = match load(graph, &path) {
        Ok(file) => file,
        Err(error) if error.code() == Some(Code::PathEscape) => return Err(error),
        Err(_) => {
            return Err(file_of(graph, &path).err().unwrap_or_else(|| CallError::new(Code::FileNotFound, "the file is gone")));
        }
    };
    let view = &file.view.graph;
    let entry = file_of(view, &file.path)?;
    if entry.facts.view().defs.is_empty() {
        return Err(without_symbols(&file.path, entry.status.as_str(), false));
    }
    let (called_by, callers) = neighbours(view, entry, true);
    let (calls, callees) = neighbours(view, entry, false);
    let mut body = object(json!({
        "file": {"id": file.path, "language": file.language(), "lines": entry.facts.view().header.lines},
        "base_sha": git_blob_sha1(&file.bytes),
        "defines": defines(view, entry, &args.detail),
        "imports": imports(view, entry),
        "called_by": called_by,
        "calls": calls,
    }));
    for (key, total) in [("called_by", callers), ("calls", callees)] {
        if total > NEIGHBOURS {
            body.insert(format!("{key}_truncated"), json!(true));
            body.insert(format!("{key}_total"), json!(total));
        }
    }
    let tier = fidelity(args.fidelity_globs.as_deref(), &file.path)?;
    let mut omissions = file.omissions.clone();
    if tier.map_or(args.compress_bodies, |tier| tier != Fidelity::Omit) && (args.compress_bodies || tier.is_some()) {
        let how = Reshape { compress: tier != Some(Fidelity::Full), keep: list(args.keep.as_deref()), ..Reshape::default() };
        let shaped = reshape(&file, &how);
        body.insert("source_compressed".into(), json!(shaped.text));
        body.extend(shaped.flags);
        omissions.extend(shaped.omissions);
    }
    if !omissions.is_empty() {
        body.insert("omissions".into(), json!(omissions));
    }
    Ok(Reply::json(sealed(body, args.if_none_match.as_deref(), Map::new())))
}

fn defines(view: &CodeGraph, entry: &FileEntry, detail: &Detail) -> Vec<Value> {
    let facts = entry.facts.view();
    let rows = facts.defs.iter().enumerate().map(|(index, def)| {
        let node = entry.base + 1 + index as u32;
        let mut row = object(json!({
            "id": view.id(node),
            "kind": def.kind().node_kind(),
            "name": view.name(node),
            "start_line": def.start_line,
        }));
        let signature = facts.str(def.signature);
        if !signature.is_empty() {
            row.insert("signature".into(), json!(signature));
        }
        if *detail == Detail::Full {
            row.insert("end_line".into(), json!(def.end_line));
            row.insert("start_column".into(), json!(def.name_col));
            let doc = facts.str(def.doc);
            if !doc.is_empty() {
                row.insert("doc".into(), json!(doc));
            }
        }
        Value::Object(row)
    });
    rows.collect()
}

/// What the file imports: files of this view by their id, everything else as it is written.
fn imports(view: &CodeGraph, entry: &FileEntry) -> Vec<Value> {
    let facts = entry.facts.view();
    let nodes = entry.base..=entry.base + facts.defs.len() as u32;
    let mut inside: BTreeSet<(u32, String)> = BTreeSet::new();
    for edge in
        nodes.flat_map(|node| view.out(node)).filter(|edge| matches!(edge.kind(), EdgeKind::Imports | EdgeKind::ReExports))
    {
        inside.insert((edge.line, view.file_of(edge.to).path.clone()));
    }
    let lines: BTreeSet<u32> = inside.iter().map(|(line, _)| *line).collect();
    let mut ids: BTreeSet<(String, bool)> = inside.into_iter().map(|(_, id)| (id, false)).collect();
    for import in
        facts.imports.iter().filter(|import| !lines.contains(&import.line) && import.flags & import_flag::SUBMODULE == 0)
    {
        let module = facts.str(import.module);
        if !module.is_empty() {
            ids.insert((module.to_owned(), true));
        }
    }
    ids.into_iter().filter(|(id, _)| *id != entry.path).map(|(id, external)| json!({"id": id, "external": external})).collect()
}

/// Symbols of other files one call away, and how many there are.
fn neighbours(view: &CodeGraph, entry: &FileEntry, incoming: bool) -> (Vec<Value>, usize) {
    let nodes = entry.base..=entry.base + entry.facts.view().defs.len() as u32;
    let mut found: BTreeSet<NodeId> = BTreeSet::new();
    for node in nodes.clone() {
        if incoming {
            found.extend(view.incoming(node).filter(|edge| edge.kind().is_call()).map(|edge| edge.from));
        } else {
            found.extend(view.out(node).iter().filter(|edge| edge.kind().is_call()).map(|edge| edge.to));
        }
    }
    found.retain(|node| !nodes.contains(node));
    // Production code before tests; within each the order of paths.
    let mut order: Vec<NodeId> = found.into_iter().collect();
    order.sort_by_key(|node| (view.is_test(*node), *node));
    let rows = order.iter().take(NEIGHBOURS).map(|node| {
        let row = brief(view, *node);
        json!({"id": row.id, "name": row.name, "file_path": row.file_path, "start_line": row.start_line})
    });
    (rows.collect(), order.len())
}

#[cfg(test)]
mod tests {
    use crate::testing::Fixture;
    use serde_json::json;

    const TREE: &str = "//- a.py\nimport os\nfrom b import leaf\n\ndef mid():\n    x = leaf()\n    return x\n//- b.py\ndef leaf():\n    return 1\n//- c.py\nfrom a import mid\n\ndef root():\n    return mid()\n";

    #[test]
    fn both_sides_of_a_file() {
        let fixture = Fixture::new(TREE);
        let answer = fixture.json("read", json!({"operation": "editing_context", "target": {"file": "a.py"}}));
        assert_eq!(answer["defines"][0]["id"], "a.py::mid");
        assert_eq!(answer["called_by"][0]["id"], "c.py::root");
        assert_eq!(answer["calls"][0]["id"], "b.py::leaf");
        assert_eq!(answer["imports"], json!([{"id": "b.py", "external": false}, {"id": "os", "external": true}]));
        let by_symbol = fixture.json("read", json!({"operation": "editing_context", "target": {"symbol": "mid"}}));
        assert_eq!(by_symbol["file"]["id"], "a.py");
    }

    #[test]
    fn stubs_on_request_and_guidance_otherwise() {
        let fixture = Fixture::new(TREE);
        let request = json!({"operation": "editing_context", "target": {"file": "a.py"}, "options": {"compress_bodies": true}});
        assert!(fixture.json("read", request)["source_compressed"].as_str().expect("text").contains("2 lines elided"));
        let missing = fixture.json("read", json!({"operation": "editing_context", "target": {"file": "nothing.py"}}));
        assert_eq!(missing["condition"], "file_not_indexed");
        fixture.error("read", json!({"operation": "editing_context", "target": {"symbol": "nothing"}}));
    }
}
