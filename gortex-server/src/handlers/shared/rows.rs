//! Row shapes of answers: brief nodes, nodes, edges.
//!
//! One place decides what a row carries, so that the same symbol looks the same in every answer.

use gortex_engine::facts::model::flag;
use gortex_engine::facts::{Kind, Usage, Visibility};
use gortex_engine::graph::{EdgeRow, Graph, Node, NodeId};
use serde::Serialize;

/// Bytes of documentation in a brief row.
const BRIEF_DOC: usize = 80;

/// A symbol in a list.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Brief {
    pub id: String,
    pub name: String,
    pub kind: &'static str,
    pub file_path: String,
    pub start_line: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub type_flavor: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub visibility: Option<&'static str>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_test: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enclosing: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doc: Option<String>,
}

/// A symbol with all that is stored of it.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct NodeOut {
    #[serde(flatten)]
    pub brief: Brief,
    pub end_line: u32,
    pub start_column: u16,
    pub language: &'static str,
    pub qual_name: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub signature: String,
    /// Its signature says that it may fail.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub may_fail: bool,
}

/// A relation in a list.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct EdgeOut {
    pub from: String,
    pub to: String,
    pub kind: &'static str,
    pub file_path: String,
    pub line: u32,
    pub confidence: f64,
    pub confidence_label: &'static str,
    pub tier: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub return_usage: Option<&'static str>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub cross_repo: bool,
    /// The rule of a framework that the edge follows from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provenance: Option<&'static str>,
}

/// The brief row of a node.
pub(crate) fn brief(graph: &Graph, node: NodeId) -> Brief {
    let (kind, line, visibility, doc) = match graph.node(node) {
        Node::File(file) => {
            let view = file.facts.view();
            (Kind::File, 1, Visibility::Unknown, view.str(view.header.doc))
        }
        Node::Def(file, def) => (def.kind(), def.start_line, def.visibility(), file.facts.view().str(def.doc)),
    };
    let owner = graph.parent(node).filter(|parent| graph.kind(*parent) != Kind::File);
    Brief {
        id: graph.id(node),
        name: graph.name(node).to_owned(),
        kind: kind.node_kind(),
        file_path: graph.file_of(node).path.clone(),
        start_line: line,
        type_flavor: kind.flavor(),
        visibility: (visibility != Visibility::Unknown).then(|| visibility.as_str()),
        is_test: graph.is_test(node),
        enclosing: owner.map(|owner| graph.name(owner).to_owned()),
        doc: first_line(doc),
    }
}

fn first_line(doc: &str) -> Option<String> {
    let line = doc.lines().find(|line| !line.trim().is_empty())?.trim();
    Some(line[..line.floor_char_boundary(BRIEF_DOC)].to_owned())
}

/// The full row of a node.
pub(crate) fn node_out(graph: &Graph, node: NodeId) -> NodeOut {
    let file = graph.file_of(node);
    let view = file.facts.view();
    let (end_line, column, signature) = match graph.def(node) {
        None => (view.header.lines, 0, ""),
        Some(def) => (def.end_line, def.name_col, view.str(def.signature)),
    };
    NodeOut {
        brief: brief(graph, node),
        end_line,
        start_column: column,
        language: file.lang.map_or("text", |lang| lang.language().name),
        qual_name: graph.qualified(node),
        signature: signature.to_owned(),
        may_fail: graph.def(node).is_some_and(|def| def.has(flag::MAY_FAIL)),
    }
}

/// The row of an edge.
pub(crate) fn edge_out(graph: &Graph, edge: &EdgeRow) -> EdgeOut {
    let usage = edge.usage();
    EdgeOut {
        from: graph.id(edge.from),
        to: graph.id(edge.to),
        kind: edge.kind().as_str(),
        file_path: graph.file_of(edge.from).path.clone(),
        line: edge.line,
        confidence: f64::from(edge.confidence) / 100.0,
        confidence_label: edge.tier().label(),
        tier: edge.tier().as_str(),
        context: Some(edge.role().as_str()),
        return_usage: (usage != Usage::Unknown).then(|| usage.as_str()),
        cross_repo: edge.flags & gortex_engine::graph::edge_flag::CROSS_REPO != 0,
        provenance: edge.provenance(),
    }
}
