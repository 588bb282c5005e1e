//! What the reading operations share: bytes as they are on disk now, text made of them, and what was withheld.
//!
//! A path is resolved inside the tracked roots, links included, before anything is read; an error never carries content. When
//! the bytes are not those of the index, the index is brought up to date first, so lines and ids fit the text.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::sync::Arc;

use gortex_engine::edit::{EditError, Target, sha256};
use gortex_engine::engine::View;
use gortex_engine::facts::Facts;
use gortex_engine::graph::{FileEntry, NodeId};
use gortex_engine::index::classify::{self, Content, Encoding, MAX_TEXT_BYTES};
use gortex_engine::lang::Lang;
use gortex_engine::query::source::{self, Fidelity};
use serde_json::Map;

use crate::handlers::shared::prelude::*;

/// Files named in the dependents hint.
const DEPENDENTS: usize = 10;

/// A note about content that was reshaped or withheld.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Omission {
    pub kind: &'static str,
    pub detail: String,
}

/// Makes an omission note.
pub(super) fn omission(kind: &'static str, detail: impl Into<String>) -> Omission {
    Omission { kind, detail: detail.into() }
}

/// One file as it is now.
pub(super) struct Loaded {
    /// The path as answers give it.
    pub path: String,
    pub target: Target,
    pub bytes: Vec<u8>,
    /// The bytes as text; empty for binary content.
    pub text: String,
    pub encoding: Encoding,
    pub content: Content,
    pub lang: Option<Lang>,
    /// The view that has seen these bytes, as far as one could be had.
    pub view: Arc<View>,
    /// What was withheld or read otherwise.
    pub omissions: Vec<Omission>,
}

/// The error of a path that can't be read; its text never holds content.
pub(super) fn refused(error: &EditError) -> CallError {
    let code = match error {
        EditError::PathEscape { .. } | EditError::Protected { .. } => Code::PathEscape,
        EditError::FileNotFound { .. } => Code::FileNotFound,
        EditError::TooLarge { .. } => Code::FileTooLarge,
        EditError::Io { .. } => Code::Io,
        _ => Code::InvalidArgument,
    };
    CallError::new(code, error.to_string()).data("reason", error.code()).hint("find files with search(operation=\"files\")")
}

/// Reads the file a path of a caller means.
pub(super) fn load(graph: &Graph, path: &str) -> Result<Loaded, CallError> {
    if path.trim().is_empty() {
        return Err(CallError::invalid("the path is empty").data("field", "target.file"));
    }
    let roots = graph.engine().roots().map_err(|error| refused(&error))?;
    let target = roots.resolve_existing(path).map_err(|error| refused(&error))?;
    let view = Arc::clone(graph.view());
    let shown = view.shown(target.root, &target.rel);
    let size = std::fs::metadata(&target.abs).map_or(0, |meta| meta.len());
    if size > MAX_TEXT_BYTES {
        return Err(CallError::new(Code::FileTooLarge, format!("`{shown}` has {size} bytes; at most {MAX_TEXT_BYTES} are read")));
    }
    let bytes = read(&target, &shown)?;
    let known = view.graph.file(&shown);
    let drifted = known.is_some_and(|entry| classify::by_size(entry.size).is_none() && !entry.is_of(&bytes));
    let view = if drifted { graph.engine().fresh(true) } else { view };
    let verdict = classify::classify(&shown, &bytes);
    let mut omissions = Vec::new();
    if let Some(link) = &target.link {
        omissions.push(omission("symlink", format!("`{link}` is a link to `{}`", target.rel)));
    }
    let (text, lossless) = decode(&bytes, verdict.content, verdict.encoding);
    if verdict.content == Content::Binary {
        omissions.push(omission("binary", format!("{} bytes of binary content are not shown", bytes.len())));
    } else if !lossless {
        let detail = "the file is not UTF-8; bytes that are none are shown as U+FFFD, and edits elsewhere keep them";
        omissions.push(omission("encoding", detail));
    }
    if verdict.generated || verdict.content == Content::Minified {
        omissions.push(omission("generated", "the file says or looks as if it was made by a program"));
    }
    Ok(Loaded {
        path: shown,
        target,
        text,
        encoding: verdict.encoding,
        content: verdict.content,
        lang: verdict.lang,
        bytes,
        view,
        omissions,
    })
}

fn read(target: &Target, shown: &str) -> Result<Vec<u8>, CallError> {
    std::fs::read(&target.abs).map_err(|error| CallError::new(Code::Io, format!("could not read `{shown}`: {}", error.kind())))
}

/// The text of bytes, and whether it has lost nothing.
fn decode(bytes: &[u8], content: Content, encoding: Encoding) -> (String, bool) {
    if encoding == Encoding::Utf16 {
        let little = bytes.first() != Some(&0xfe);
        let body = bytes.strip_prefix(&[0xff, 0xfe]).or_else(|| bytes.strip_prefix(&[0xfe, 0xff])).unwrap_or(bytes);
        let units = body.chunks(2).map(|pair| {
            let pair = [pair[0], pair.get(1).copied().unwrap_or(0)];
            if little { u16::from_le_bytes(pair) } else { u16::from_be_bytes(pair) }
        });
        let decoded: String = char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
        return (decoded, false);
    }
    if content == Content::Binary {
        return (String::new(), false);
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => (text.to_owned(), true),
        Err(_) => (String::from_utf8_lossy(bytes).into_owned(), false),
    }
}

impl Loaded {
    /// The entry of the index.
    pub fn entry(&self) -> Option<&FileEntry> {
        self.view.graph.file(&self.path)
    }

    /// The facts of exactly these bytes.
    pub fn facts(&self) -> Facts {
        let lang = self.lang.filter(|_| self.content == Content::Source);
        source::facts_of(self.entry(), lang, &self.bytes)
    }

    /// The language's name.
    pub fn language(&self) -> &'static str {
        self.lang.map_or("text", |lang| lang.language().name)
    }

    /// What starts a comment here.
    pub fn comment(&self) -> &'static str {
        self.lang.map_or("#", |lang| lang.language().line_comment)
    }

    /// Who outside this file uses what is in it.
    pub fn dependents(&self) -> Option<Value> {
        let graph = &self.view.graph;
        let entry = self.entry()?;
        let nodes = entry.base..=entry.base + entry.facts.view().defs.len() as u32;
        let mine = |node: NodeId| nodes.contains(&node);
        let files: BTreeSet<usize> = nodes
            .clone()
            .flat_map(|node| graph.incoming(node))
            .filter(|edge| !mine(edge.from))
            .map(|edge| graph.file_index(edge.from))
            .collect();
        let shown: Vec<&str> = files.iter().take(DEPENDENTS).map(|at| graph.files[*at].path.as_str()).collect();
        Some(json!({"files": shown, "count": files.len()}))
    }
}

/// How text is reshaped, in the order of the steps.
#[derive(Debug, Default)]
pub(super) struct Reshape {
    /// Lines to show, from 1.
    pub window: Option<RangeInclusive<u32>>,
    pub compress: bool,
    pub keep: Vec<String>,
    pub max_lines: usize,
    pub max_chars: usize,
    pub allow_secrets: bool,
}

/// Reshaped text with the flags that say what was done.
#[derive(Debug, Default)]
pub(super) struct Shaped {
    pub text: String,
    pub flags: Map<String, Value>,
    pub omissions: Vec<Omission>,
}

/// Window, compression, salience, secrets, size: in this order.
pub(super) fn reshape(file: &Loaded, how: &Reshape) -> Shaped {
    let mut out = Shaped::default();
    let window = how.window.clone().unwrap_or(1..=u32::MAX);
    if how.window.is_some() {
        out.omissions.push(omission("windowed", format!("lines {} to {} of the file", window.start(), window.end())));
    }
    let plain = |window: RangeInclusive<u32>| -> String {
        source::numbered(&file.text).filter(|(number, _)| window.contains(number)).map(|(_, line)| line).collect()
    };
    out.text = match file.lang.filter(|_| how.compress && file.content == Content::Source) {
        None => plain(window),
        Some(lang) => {
            let keep: Vec<&str> = how.keep.iter().map(String::as_str).collect();
            let bodies = source::bodies(lang, &file.bytes, &file.facts(), &keep);
            let count = bodies
                .elided
                .iter()
                .filter(|body| body.lines.start() <= window.end() && body.lines.end() >= window.start())
                .count();
            if count > 0 {
                out.flags.insert("bodies_elided".into(), json!(count));
                out.omissions
                    .push(omission("compressed", format!("{count} function bodies are elided; `keep` pins one by name")));
            }
            if !bodies.kept.is_empty() {
                out.flags.insert("kept_symbols".into(), json!(bodies.kept));
            }
            source::with_stubs(&file.text, window, &bodies.elided, file.comment())
        }
    };
    let code = file.lang.is_some() && file.content == Content::Source;
    if let Some(short) = source::salient(&out.text, how.max_lines, file.comment(), code) {
        out.text = short;
        out.flags.insert("salience_truncated".into(), json!(true));
        out.omissions.push(omission("truncated", format!("plain statements are elided to keep about {} lines", how.max_lines)));
    }
    if !how.allow_secrets && source::is_config_like(&file.path) {
        let (text, count) = source::redact(&out.text);
        if count > 0 {
            out.text = text;
            out.flags.insert("secrets_redacted".into(), json!(count));
            out.omissions.push(omission(
                "secrets_withheld",
                format!("{count} values that look secret are shown as ***; allow_secrets shows them"),
            ));
        }
    }
    if how.max_chars > 0 && out.text.len() > how.max_chars {
        // At least one character: an empty text would read as an empty file.
        let first = out.text.chars().next().map_or(0, char::len_utf8);
        out.text.truncate(out.text.floor_char_boundary(how.max_chars).max(first));
        out.flags.insert("content_truncated".into(), json!(true));
        out.flags.insert("max_chars".into(), json!(how.max_chars));
        out.omissions.push(omission("content_truncated", format!("cut after {} bytes at a character's end", out.text.len())));
    }
    out
}

/// Seals an answer with its ETag, or says that the caller has it already. `outside` is added after the hash is taken.
pub(super) fn sealed(mut body: Map<String, Value>, if_none_match: Option<&str>, outside: Map<String, Value>) -> Value {
    let etag = sha256(Value::Object(body.clone()).to_string().as_bytes())[..32].to_owned();
    if if_none_match.map(|held| held.trim_matches('"')) == Some(etag.as_str()) {
        return json!({"not_modified": true, "etag": etag});
    }
    body.insert("etag".into(), json!(etag));
    body.extend(outside);
    Value::Object(body)
}

/// An object value as a map.
pub(super) fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        other => Map::from_iter([("value".to_owned(), other)]),
    }
}

/// A list separated by commas.
pub(super) fn list(text: Option<&str>) -> Vec<String> {
    text.unwrap_or_default().split(',').map(str::trim).filter(|item| !item.is_empty()).map(str::to_owned).collect()
}

/// What a list of fidelity rules says of a path.
pub(super) fn fidelity(rules: Option<&str>, path: &str) -> Result<Option<Fidelity>, CallError> {
    source::fidelity(rules.unwrap_or_default(), path).map_err(|problem| {
        CallError::invalid(format!("`fidelity_globs` can't be used: {problem}")).data("field", "fidelity_globs")
    })
}

/// The symbol a call means, its file as it is now, and the view that fits both. Several fitting symbols are an error that
/// lists them, none is an error with the nearest.
pub(super) fn located(graph: &Graph, text: &str) -> Result<(NodeId, Loaded), CallError> {
    let node = only(&graph.view().graph, text)?;
    let path = graph.file_of(node).path.clone();
    let file = load(graph, &path)?;
    if file.view.graph.generation == graph.generation {
        return Ok((node, file));
    }
    let node = only(&file.view.graph, text)?;
    let now = file.view.graph.file_of(node).path.clone();
    if now == file.path {
        return Ok((node, file));
    }
    let view = Arc::clone(&file.view);
    let file = load(graph, &now)?;
    Ok((node, Loaded { view, ..file }))
}

/// The only symbol a text means.
pub(super) fn only(graph: &gortex_engine::graph::Graph, text: &str) -> Result<NodeId, CallError> {
    use crate::handlers::shared::symbol::{candidate, missing_symbol};
    use gortex_engine::query::symbol::{Resolved, resolve};
    match resolve(graph, text) {
        Resolved::One(node) => Ok(node),
        Resolved::Many(nodes) => {
            let rows: Vec<Value> = nodes.iter().take(20).map(|node| candidate(graph, *node)).collect();
            Err(CallError::invalid(format!("`{text}` names {} symbols; say which by its id", nodes.len()))
                .data("symbol", text)
                .data("total", nodes.len())
                .data("candidates", rows))
        }
        Resolved::None(_) => Err(missing_symbol(graph, text)),
    }
}
