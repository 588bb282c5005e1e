//! `read.source`: the source of exactly one symbol.

use gortex_engine::edit::git_blob_sha1;
use gortex_engine::graph::{Node, NodeId};

use super::text::{Reshape, located, object, reshape, sealed};
use crate::handlers::shared::prelude::*;

/// Lines above and below a symbol when the caller says nothing.
pub(super) const CONTEXT: u32 = 3;

/// Arguments of `read.source`.
#[derive(Debug, Deserialize, JsonSchema, FacadeArgs)]
pub(crate) struct GetSymbolSource {
    /// An id, or a name that is unique in the current view.
    #[at(target = "symbol")]
    id: String,
    /// Lines above and below; 3 when not given.
    #[at(context)]
    context_lines: Option<u32>,
    /// Show function bodies as stubs.
    #[at(context)]
    #[serde(default)]
    compress_bodies: bool,
    /// Above this many lines runs of plain statements are elided; 0 is off.
    #[at(context)]
    #[serde(default)]
    max_lines: usize,
    /// Show values that look secret in configuration files.
    #[at(options)]
    #[serde(default)]
    allow_secrets: bool,
    /// ETag of an answer already held.
    #[at(options)]
    if_none_match: Option<String>,
}

/// Returns the source of exactly one symbol, decorators and documentation included.
#[facade(domain = "read", op = "source", effect = "read")]
async fn get_symbol_source(graph: Graph, args: Args<GetSymbolSource>) -> Answer<Reply> {
    let args = args.into_inner();
    graph.blocking(move |graph| answer(graph, &args)).await
}

fn answer(graph: &Graph, args: &GetSymbolSource) -> Answer<Reply> {
    let (node, file) = located(graph, &args.id)?;
    let view = &file.view.graph;
    let Node::Def(entry, def) = view.node(node) else {
        return Err(CallError::invalid(format!("`{}` is a file", args.id))
            .data("field", "target.symbol")
            .data("suggested_field", "target.file")
            .hint("read it with target.file"));
    };
    let context = args.context_lines.unwrap_or(CONTEXT);
    let first = def.start_line.saturating_sub(context).max(1);
    let last = def.end_line.saturating_add(context);
    let how = Reshape {
        window: Some(first..=last),
        compress: args.compress_bodies,
        max_lines: args.max_lines,
        allow_secrets: args.allow_secrets,
        ..Reshape::default()
    };
    let mut shaped = reshape(&file, &how);
    // That a symbol is a part of its file goes without saying.
    shaped.omissions.retain(|note| note.kind != "windowed");
    let kind = def.kind();
    let mut body = object(json!({
        "id": view.id(node),
        "kind": kind.node_kind(),
        "name": view.name(node),
        "file_path": file.path,
        "start_line": def.start_line,
        "end_line": def.end_line,
        "from_line": first,
        "source": shaped.text,
        "base_sha": git_blob_sha1(&file.bytes),
    }));
    let signature = entry.facts.view().str(def.signature);
    if !signature.is_empty() {
        body.insert("signature".into(), json!(signature));
    }
    body.extend(shaped.flags);
    let omissions: Vec<_> = file.omissions.iter().chain(&shaped.omissions).collect();
    if !omissions.is_empty() {
        body.insert("omissions".into(), json!(omissions));
    }
    Ok(Reply::json(sealed(body, args.if_none_match.as_deref(), serde_json::Map::new())))
}

/// The source of a definition without anything around it, and its lines; `None` for a file.
pub(crate) fn source_of(graph: &Graph, node: NodeId) -> Answer<Option<(String, u32, u32)>> {
    if graph.def(node).is_none() {
        return Ok(None);
    }
    let (node, file) = located(graph, &graph.id(node))?;
    let Node::Def(_, def) = file.view.graph.node(node) else { return Ok(None) };
    let shaped = reshape(&file, &Reshape { window: Some(def.start_line..=def.end_line), ..Reshape::default() });
    Ok(Some((shaped.text, def.start_line, def.end_line)))
}

#[cfg(test)]
mod tests {
    use crate::testing::Fixture;
    use serde_json::json;

    #[test]
    fn case_05_attributes_belong_to_the_symbol() {
        let fixture = Fixture::new(
            "//- src/api.py\nimport functools\n\ndef cached(fn):\n    return functools.lru_cache(fn)\n\n@cached\n# keeps the last result\ndef total(items):\n    \"\"\"Adds up.\"\"\"\n    return sum(items)\n//- src/lib.rs\n/// Adds up.\n#[must_use]\n#[inline]\npub fn total(items: &[u32]) -> u32 {\n    items.iter().sum()\n}\n",
        );
        let read = |id: &str| fixture.json("read", json!({"target": {"symbol": id}, "context": {"context_lines": 0}}));
        let python = read("src/api.py::total");
        assert_eq!((python["start_line"].as_u64(), python["end_line"].as_u64()), (Some(6), Some(10)));
        assert!(python["source"].as_str().expect("text").starts_with("@cached\n"));
        let rust = read("src/lib.rs::total");
        assert!(rust["start_line"].as_u64().is_some_and(|line| line <= 2));
        assert_eq!(rust["end_line"], 6);
    }

    #[test]
    fn case_10_a_symbol_of_a_file_with_a_non_ascii_name() {
        let fixture = Fixture::new("//- src/データ/größe.py\nclass Ruta:\n    pass\n");
        let answer = fixture.json("read", json!({"target": {"symbol": "src/データ/größe.py::Ruta"}}));
        assert!(answer["source"].as_str().expect("text").contains("class Ruta"));
    }

    #[test]
    fn a_miss_names_the_nearest_and_a_tie_its_candidates() {
        let fixture = Fixture::new("//- a.py\ndef total():\n    pass\n//- b.py\ndef total():\n    pass\n");
        let missing = fixture.error("read", json!({"target": {"symbol": "totl"}}));
        assert_eq!(missing["error_code"], "symbol_not_found");
        assert!(missing.to_string().contains("a.py::total"));
        let several = fixture.error("read", json!({"target": {"symbol": "total"}}));
        assert_eq!(several["error_code"], "invalid_argument");
        assert!(several.to_string().contains("b.py::total"));
    }
}
