//! Symbol strings of scheme `gortex`: stable as long as a definition keeps its place in the tree of names.
//!
//! `gortex . <repository> . <path segments>/<Owner>#<member>().`; a second definition of the same name gets a disambiguator
//! where the grammar of symbols has one, and `~2` in its name elsewhere.
//!
//! Knows names and kinds, no occurrences.

use crate::facts::model::{Kind, Role};
use crate::graph::externals::{LIBRARIES, Parts};
use crate::graph::{ExternalId, FileEntry, Graph, NodeId};

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

/// The symbol of a library's name: its package in the place of ours, the steps into it as what their mentions show; `None` for
/// names that are of no library.
pub(super) fn external(graph: &Graph, at: ExternalId) -> Option<String> {
    let id = graph.externals().id(at);
    let parts = Parts::of(id).filter(|parts| LIBRARIES.contains(&parts.prefix))?;
    let mut out = format!("gortex {} {} . ", parts.prefix, package(parts.package));
    if parts.path.is_empty() {
        name(&mut out, parts.package);
        out.push('/');
        return Some(out);
    }
    let steps: Vec<&str> = parts.path.split(['.', ':']).filter(|step| !step.is_empty()).collect();
    for (index, step) in steps.iter().enumerate() {
        name(&mut out, step);
        let last = index + 1 == steps.len();
        let called = last && graph.externals().mentions(at).any(|row| row.role() == Role::Call);
        out.push_str(match () {
            () if step.starts_with(char::is_uppercase) => "#",
            () if called => "().",
            () if last => ".",
            () => "/",
        });
    }
    Some(out)
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
