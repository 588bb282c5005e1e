//! Resources: read-only views under `gortex://`.

use std::collections::BTreeSet;

use gortex_core::Body;
use rmcp::ErrorData;
use rmcp::model::{ReadResourceResult, Resource, ResourceContents, ResourceTemplate};
use serde_json::{Value, json};

use super::guides::GUIDES;
use super::{Asker, failed};

/// A view with a fixed address.
struct ViewSpec {
    uri: &'static str,
    name: &'static str,
    about: &'static str,
    tool: &'static str,
    operation: Option<&'static str>,
    /// Whether it says something else after the index changed.
    follows_index: bool,
}

const fn view(
    uri: &'static str,
    name: &'static str,
    about: &'static str,
    tool: &'static str,
    operation: &'static str,
) -> ViewSpec {
    ViewSpec { uri, name, about, tool, operation: Some(operation), follows_index: true }
}

/// The views, sorted by address.
const VIEWS: &[ViewSpec] = &[
    ViewSpec {
        follows_index: false,
        ..view("gortex://active-project", "active project", "The project that calls work on.", "workspace", "active_project")
    },
    view("gortex://communities", "communities", "Groups of files that belong together.", "analyze", "communities"),
    view("gortex://index-health", "index health", "What is indexed, how completely, how current.", "workspace", "index"),
    view("gortex://processes", "processes", "Chains of calls from entry points.", "analyze", "processes"),
    view("gortex://report", "report", "Shape and layers of the code base.", "analyze", "architecture"),
    view("gortex://repos", "repositories", "The tracked repositories.", "workspace", "repos"),
    ViewSpec {
        operation: None,
        follows_index: false,
        ..view("gortex://schema", "schema", "Every tool and how many operations it has.", "capabilities", "")
    },
    view("gortex://stats", "statistics", "Size and composition of the graph.", "workspace", "graph"),
    view("gortex://workspace", "workspace", "What this server serves and how.", "workspace", "info"),
];

const GUIDE: &str = "gortex://guide/";
const SCHEMA: &str = "gortex://schema/";
const JSON: &str = "application/json";

/// The resources of this build.
pub fn list(asker: &Asker<'_>) -> Vec<Resource> {
    let views = VIEWS.iter().filter(|view| asker.has(view.tool, view.operation));
    let views = views.map(|view| described(view.uri, view.name, view.about, JSON));
    let guides = GUIDES
        .iter()
        .map(|(topic, about, _)| described(&format!("{GUIDE}{topic}"), &format!("guide: {topic}"), about, "text/markdown"));
    views.chain(guides).collect()
}

fn described(uri: &str, name: &str, about: &str, mime: &str) -> Resource {
    let mut out = Resource::new(uri, name);
    out.description = Some(about.to_owned());
    out.mime_type = Some(mime.to_owned());
    out
}

/// The addresses with a variable part.
pub fn templates() -> Vec<ResourceTemplate> {
    let template = |uri: &str, name: &str, about: &str, mime: &str| {
        let mut out = ResourceTemplate::new(uri, name);
        out.description = Some(about.to_owned());
        out.mime_type = Some(mime.to_owned());
        out
    };
    vec![
        template("gortex://guide/{topic}", "guide", "How to go about something.", "text/markdown"),
        template("gortex://schema/{domain}", "schema of a tool", "The exact arguments of every operation of a tool.", JSON),
    ]
}

/// The topics of guides that begin so.
pub(super) fn topics(prefix: &str) -> Vec<String> {
    GUIDES.iter().map(|(topic, ..)| (*topic).to_owned()).filter(|topic| topic.starts_with(prefix)).collect()
}

/// Reads one.
pub async fn read(asker: &Asker<'_>, uri: &str) -> Result<ReadResourceResult, ErrorData> {
    if let Some(topic) = uri.strip_prefix(GUIDE) {
        let guide = GUIDES.iter().find(|(known, ..)| *known == topic);
        return guide.map(|(_, _, text)| contents(uri, (*text).to_owned(), "text/markdown")).ok_or_else(|| unknown(asker, uri));
    }
    let (tool, arguments) = if let Some(domain) = uri.strip_prefix(SCHEMA) {
        ("capabilities", json!({"domain": domain, "detail": "schema", "output": {"max_bytes": 0}}))
    } else {
        let view = VIEWS.iter().find(|view| view.uri == uri).filter(|view| asker.has(view.tool, view.operation));
        let view = view.ok_or_else(|| unknown(asker, uri))?;
        let key = if view.tool == "analyze" { "kind" } else { "operation" };
        (view.tool, view.operation.map_or(Value::Null, |operation| json!({ key: operation })))
    };
    let output = asker.ask(tool, arguments).await;
    if output.is_error {
        return Err(failed(&output));
    }
    let mime = if matches!(output.body, Body::Json(_)) { JSON } else { "text/plain" };
    Ok(contents(uri, output.text(), mime))
}

fn contents(uri: &str, text: String, mime: &str) -> ReadResourceResult {
    let part = ResourceContents::TextResourceContents { uri: uri.to_owned(), mime_type: Some(mime.to_owned()), text, meta: None };
    ReadResourceResult::new(vec![part])
}

/// Refuses an address that can't be subscribed to.
pub fn check(asker: &Asker<'_>, uri: &str) -> Result<(), ErrorData> {
    if exists(asker, uri) { Ok(()) } else { Err(unknown(asker, uri)) }
}

fn unknown(asker: &Asker<'_>, uri: &str) -> ErrorData {
    let valid: Vec<String> = list(asker).into_iter().map(|resource| resource.uri).collect();
    ErrorData::resource_not_found(format!("there is no resource `{uri}`"), Some(json!({"uri": uri, "valid_uris": valid})))
}

/// Which of these addresses say something else after the index changed.
pub fn following_index(uris: &BTreeSet<String>) -> impl Iterator<Item = &String> {
    uris.iter().filter(|uri| VIEWS.iter().any(|view| view.uri == uri.as_str() && view.follows_index))
}

/// Whether an address can be read or subscribed to.
pub(super) fn exists(asker: &Asker<'_>, uri: &str) -> bool {
    list(asker).iter().any(|resource| resource.uri == uri)
        || uri.strip_prefix(SCHEMA).is_some_and(|domain| asker.registry.facade(domain).is_some())
}
