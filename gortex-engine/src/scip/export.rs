//! Our graph as a SCIP index.
//!
//! A document per file with facts: its definitions, every mention that has an edge, and what the symbols are. Mentions that are
//! not bound are left out, because SCIP has no word for "unknown". Lines and columns count from 0, columns in UTF-8 bytes.
//!
//! Reads no disk.

use std::io::Write;
use std::path::Path;

use rustc_hash::FxHashMap;
use scip::types::{
    Document, Index, Metadata, Occurrence, PositionEncoding, ProtocolVersion, Relationship, Signature, SymbolInformation,
    SymbolRole, TextEncoding, ToolInfo, symbol_information,
};

use super::symbols::{external, symbol};
use crate::facts::model::{DefRow, Kind, Role, flag};
use crate::graph::externals::Parts;
use crate::graph::{EdgeKind, FileEntry, Graph, NodeId, edge_flag, is_test_path};

/// The index of the graph's repository number `repo`, which lies at `root`. Mentions of other repositories keep their symbols.
pub fn export(graph: &Graph, repo: u16, root: &Path) -> Index {
    let symbols: Vec<String> = (0..graph.node_count()).map(|node| symbol(graph, node)).collect();
    let documents =
        graph.files.iter().filter(|file| file.lang.is_some() && file.repo == repo).map(|file| document(graph, file, &symbols));
    Index {
        metadata: Some(Metadata {
            version: ProtocolVersion::UnspecifiedProtocolVersion.into(),
            tool_info: Some(ToolInfo {
                name: "gortex".to_owned(),
                version: env!("CARGO_PKG_VERSION").to_owned(),
                ..ToolInfo::default()
            })
            .into(),
            project_root: format!("file://{}", root.display()),
            text_document_encoding: TextEncoding::UTF8.into(),
            ..Metadata::default()
        })
        .into(),
        documents: documents.collect(),
        external_symbols: externals(graph, repo),
        ..Index::default()
    }
}

/// Writes an index as the bytes of a `.scip` file.
pub fn write(index: &Index, out: &mut dyn Write) -> std::io::Result<()> {
    use protobuf::Message as _;
    index.write_to_writer(out).map_err(std::io::Error::other)
}

fn document(graph: &Graph, file: &FileEntry, symbols: &[String]) -> Document {
    let view = file.facts.view();
    let test = if is_test_path(&file.path) { SymbolRole::Test as i32 } else { 0 };
    let mut occurrences = Vec::new();
    let mut informations = Vec::new();
    for (index, def) in view.defs.iter().enumerate() {
        let node = file.base + 1 + index as u32;
        let name = view.str(def.name);
        let forward =
            if def.has(flag::DECLARATION) && def.kind() == Kind::Function { SymbolRole::ForwardDefinition as i32 } else { 0 };
        occurrences.push(Occurrence {
            range: range(def.name_line, def.name_col, name.len()),
            symbol: symbols[node as usize].clone(),
            symbol_roles: SymbolRole::Definition as i32 | forward | test,
            enclosing_range: vec![def.start_line.saturating_sub(1) as i32, 0, def.end_line as i32, 0],
            ..Occurrence::default()
        });
        informations.push(information(graph, node, def, symbols));
    }
    let lengths = lengths(file);
    let to = file.base + 1 + view.defs.len() as u32;
    for node in file.base..to {
        for edge in graph.out(node) {
            if edge.flags & (edge_flag::DERIVED | edge_flag::SYNTHESIZED) != 0 || edge.kind() == EdgeKind::Overrides {
                continue;
            }
            let Some(length) = lengths.get(&(edge.line, edge.col)) else { continue };
            occurrences.push(Occurrence {
                range: range(edge.line, edge.col, *length),
                symbol: symbols[edge.to as usize].clone(),
                symbol_roles: role(edge.role()) | test,
                ..Occurrence::default()
            });
        }
    }
    for row in (file.base..to).flat_map(|node| graph.externals().of(node)) {
        let (Some(length), Some(symbol)) = (lengths.get(&(row.line, row.col)), external(graph, row.external)) else { continue };
        let range = range(row.line, row.col, *length);
        occurrences.push(Occurrence { range, symbol, symbol_roles: role(row.role()) | test, ..Occurrence::default() });
    }
    occurrences.sort_by(|a, b| (&a.range, &a.symbol, a.symbol_roles).cmp(&(&b.range, &b.symbol, b.symbol_roles)));
    occurrences.dedup();
    Document {
        language: file.lang.map_or_else(String::new, |lang| lang.language().name.to_owned()),
        relative_path: super::symbols::relative(graph, file).to_owned(),
        occurrences,
        symbols: informations,
        position_encoding: PositionEncoding::UTF8CodeUnitOffsetFromLineStart.into(),
        ..Document::default()
    }
}

/// Names from outside that files of a repository mention.
fn externals(graph: &Graph, repo: u16) -> Vec<SymbolInformation> {
    let used = |at: &u32| graph.externals().mentions(*at).any(|row| graph.file_of(row.owner).repo == repo);
    let all = (0..graph.externals().len() as u32).filter(used);
    let information = all.filter_map(|at| {
        let id = graph.externals().id(at);
        let display_name = Parts::of(id).map_or(id, |parts| parts.name()).to_owned();
        Some(SymbolInformation { symbol: external(graph, at)?, display_name, ..SymbolInformation::default() })
    });
    information.collect()
}

fn range(line: u32, col: u16, length: usize) -> Vec<i32> {
    vec![line.saturating_sub(1) as i32, i32::from(col), i32::from(col) + length as i32]
}

/// How long the name at each place of mention is.
fn lengths(file: &FileEntry) -> FxHashMap<(u32, u16), usize> {
    let view = file.facts.view();
    let refs = view.refs.iter().map(|row| ((row.line, row.col), view.str(row.name).len()));
    let imports = view.imports.iter().map(|row| {
        let text = if row.name.0 == 0 { row.module } else { row.name };
        ((row.line, row.col), view.str(text).len())
    });
    let supers = view.supers.iter().map(|row| ((row.line, row.col), head(view.str(row.super_type)).len()));
    supers.chain(imports).chain(refs).filter(|(_, length)| *length > 0).collect()
}

/// The last name of a supertype's text.
fn head(text: &str) -> &str {
    let end = text.find(['<', '[', '(']).unwrap_or(text.len());
    text[..end].rsplit(['.', ':', ' ']).next().unwrap_or(text)
}

fn role(role: Role) -> i32 {
    match role {
        Role::Import | Role::ReExport => SymbolRole::Import as i32,
        Role::Write => SymbolRole::WriteAccess as i32,
        _ => SymbolRole::ReadAccess as i32,
    }
}

fn information(graph: &Graph, node: NodeId, def: &DefRow, symbols: &[String]) -> SymbolInformation {
    let view = graph.view_of(node);
    let mut relationships: Vec<Relationship> = graph
        .out(node)
        .iter()
        .filter(|edge| matches!(edge.kind(), EdgeKind::Extends | EdgeKind::Implements | EdgeKind::Composes | EdgeKind::Overrides))
        .map(|edge| Relationship {
            symbol: symbols[edge.to as usize].clone(),
            is_implementation: true,
            is_reference: edge.kind() == EdgeKind::Overrides,
            ..Relationship::default()
        })
        .collect();
    relationships.sort_by(|a, b| a.symbol.cmp(&b.symbol));
    relationships.dedup();
    let doc = view.str(def.doc);
    let signature = view.str(def.signature);
    let language = graph.file_of(node).lang.map_or("", |lang| lang.language().name);
    SymbolInformation {
        symbol: symbols[node as usize].clone(),
        documentation: if doc.is_empty() { Vec::new() } else { vec![doc.to_owned()] },
        relationships,
        kind: kind(def.kind()).into(),
        display_name: view.str(def.name).to_owned(),
        signature_documentation: (!signature.is_empty())
            .then(|| Signature { language: language.to_owned(), text: signature.to_owned(), ..Signature::default() })
            .into(),
        ..SymbolInformation::default()
    }
}

fn kind(kind: Kind) -> symbol_information::Kind {
    use symbol_information::Kind as To;
    match kind {
        Kind::File => To::File,
        Kind::Module => To::Module,
        Kind::Function => To::Function,
        Kind::Method => To::Method,
        Kind::Constructor => To::Constructor,
        Kind::Class | Kind::Record => To::Class,
        Kind::Struct => To::Struct,
        Kind::Enum => To::Enum,
        Kind::Union => To::Union,
        Kind::Interface | Kind::Annotation => To::Interface,
        Kind::Trait => To::Trait,
        Kind::TypeAlias => To::TypeAlias,
        Kind::Field => To::Field,
        Kind::Property => To::Property,
        Kind::Constant => To::Constant,
        Kind::Variable => To::Variable,
        Kind::EnumMember => To::EnumMember,
        Kind::Macro => To::Macro,
        Kind::Key => To::Key,
        Kind::Heading | Kind::Section => To::Namespace,
        // SCIP has no words for what data and documents hold.
        _ => To::Object,
    }
}
