//! Symbol strings of scheme `gortex`: stable as long as a definition keeps its place in the tree of names.
//!
//! `gortex . <repository> . <path segments>/<Owner>#<member>().`; a second definition of the same name gets a disambiguator
//! where the grammar of symbols has one, and `~2` in its name elsewhere.
//!
//! Knows names and kinds, no occurrences.

use crate::facts::model::Kind;
use crate::graph::{FileEntry, Graph, NodeId};

/// The symbol of a node.
pub(super) fn symbol(graph: &Graph, node: NodeId) -> String {
    let file = graph.file_of(node);
    let repo = graph.repos.get(file.repo as usize).map_or("", String::as_str);
    let mut out = format!("gortex . {} . ", package(repo));
    for segment in relative(graph, file).split('/') {
        name(&mut out, segment);
        out.push('/');
    }
    let mut chain: Vec<NodeId> = graph.ancestors(node).filter(|above| graph.def(*above).is_some()).collect();
    chain.reverse();
    if graph.def(node).is_some() {
        chain.push(node);
    }
    for at in chain {
        descriptor(&mut out, graph, at);
    }
    out
}

/// A file's path inside its repository.
pub(super) fn relative<'g>(graph: &Graph, file: &'g FileEntry) -> &'g str {
    let several = graph.repos.len() > 1;
    if several { file.path.split_once('/').map_or(file.path.as_str(), |(_, rest)| rest) } else { &file.path }
}

fn package(repo: &str) -> String {
    // A space ends a part of the symbol unless it is doubled.
    if repo.is_empty() { ".".to_owned() } else { repo.replace(' ', "  ") }
}

fn name(out: &mut String, text: &str) {
    if !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '+' | '-' | '$')) {
        out.push_str(text);
    } else {
        out.push('`');
        out.push_str(&text.replace('`', "``"));
        out.push('`');
    }
}

fn descriptor(out: &mut String, graph: &Graph, node: NodeId) {
    let text = graph.name(node);
    let id = graph.id(node);
    let nth = id.rsplit_once('~').and_then(|(_, digits)| digits.parse::<u32>().ok()).filter(|nth| *nth > 1);
    let kind = graph.kind(node);
    match kind {
        Kind::Function | Kind::Method | Kind::Constructor => {
            name(out, text);
            out.push('(');
            if let Some(nth) = nth {
                out.push('+');
                out.push_str(&(nth - 1).to_string());
            }
            out.push_str(").");
        }
        _ => {
            match nth {
                Some(nth) => name(out, &format!("{text}~{nth}")),
                None => name(out, text),
            }
            out.push(match kind {
                Kind::Module => '/',
                Kind::Macro => '!',
                kind if kind.is_type() => '#',
                _ => '.',
            });
        }
    }
}
