//! Subgraphs as drawings: Mermaid flowcharts and Graphviz.
//!
//! Nodes are numbered in the order of the answer, so equal answers give equal text.
//!
//! Knows the two languages' escapes and nothing else.

use std::collections::HashMap;
use std::fmt::Write as _;

use gortex_engine::graph::{Graph, NodeId};
use gortex_engine::query::subgraph::Subgraph;

use super::answer::label;

fn numbers(found: &Subgraph) -> HashMap<NodeId, usize> {
    found.nodes.iter().enumerate().map(|(at, (node, _))| (*node, at)).collect()
}

fn title(graph: &Graph, node: NodeId) -> (String, String) {
    let file = graph.file_of(node);
    let name = if node == file.base { file.path.clone() } else { graph.qualified(node) };
    let place = match graph.def(node) {
        Some(def) => format!("{}:{}", file.path, def.start_line),
        None => "file".to_owned(),
    };
    (name, place)
}

/// Rows drawn: one line between two nodes for each kind.
fn lines(found: &Subgraph) -> Vec<(usize, usize, &'static str, bool)> {
    let numbers = numbers(found);
    let mut drawn = Vec::new();
    for link in &found.links {
        let ends = numbers.get(&link.edge.from).zip(numbers.get(&link.edge.to));
        if let Some((from, to)) = ends {
            let line = (*from, *to, label(&link.edge), link.speculative);
            if !drawn.contains(&line) {
                drawn.push(line);
            }
        }
    }
    drawn
}

/// A Mermaid flowchart.
pub(crate) fn mermaid(graph: &Graph, found: &Subgraph) -> String {
    let escape = |text: &str| text.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;").replace('>', "&gt;");
    let mut out = String::from("flowchart LR\n");
    for (at, (node, _)) in found.nodes.iter().enumerate() {
        let (name, place) = title(graph, *node);
        let _ = writeln!(out, "  n{at}[\"{}<br/>{}\"]", escape(&name), escape(&place));
    }
    for (from, to, kind, speculative) in lines(found) {
        let arrow = if speculative { "-.->" } else { "-->" };
        let _ = writeln!(out, "  n{from} {arrow}|{kind}| n{to}");
    }
    if found.truncated {
        let _ = writeln!(out, "  %% {} of {} nodes", found.nodes.len(), found.total_nodes);
    }
    out
}

/// A Graphviz digraph.
pub(crate) fn dot(graph: &Graph, found: &Subgraph) -> String {
    let escape = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
    let mut out = String::from("digraph relations {\n  rankdir=LR;\n  node [shape=box];\n");
    for (at, (node, _)) in found.nodes.iter().enumerate() {
        let (name, place) = title(graph, *node);
        let _ = writeln!(out, "  n{at} [label=\"{}\\n{}\"];", escape(&name), escape(&place));
    }
    for (from, to, kind, speculative) in lines(found) {
        let style = if speculative { ", style=dashed" } else { "" };
        let _ = writeln!(out, "  n{from} -> n{to} [label=\"{kind}\"{style}];");
    }
    if found.truncated {
        let _ = writeln!(out, "  // {} of {} nodes", found.nodes.len(), found.total_nodes);
    }
    out.push_str("}\n");
    out
}
