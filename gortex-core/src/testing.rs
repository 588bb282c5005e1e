//! Tools of this crate's own tests: sample handlers over the table of the 21, and sound operations to break.
//!
//! Every sample echoes its lowered arguments, so a test states a request and what the handler was given.

use std::sync::{Arc, OnceLock};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::extract::schema_of;
use crate::operation::{ArgsInfo, Running};
use crate::registry::BASELINE_V1;
use crate::{
    Answer, Args, Call, CallContext, CallError, CallOutput, Effect, FACADE_V1, FacadeArgs, FromCall, Json, Operation, Registry,
    Reply, Surface, dispatch, facade,
};

/// The lowered arguments as an answer.
pub(crate) struct Echo(Map<String, Value>);

impl FromCall for Echo {
    async fn from_call(call: &Call) -> Result<Self, CallError> {
        Ok(Self(call.arguments().clone()))
    }
}

/// Declares a sample: an argument struct and a handler that echoes.
macro_rules! sample {
    ($(#[facade($($key:tt)*)])+ $name:ident { $($(#[$meta:meta])* $field:ident: $ty:ty,)* }) => {
        paste_struct! { $name { $($(#[$meta])* $field: $ty,)* } $(#[facade($($key)*)])+ }
    };
}

/// The struct lives in a module of the handler's name, so that no name has to be pasted together.
macro_rules! paste_struct {
    ($name:ident { $($(#[$meta:meta])* $field:ident: $ty:ty,)* } $(#[facade($($key:tt)*)])+) => {
        mod $name {
            use super::*;

            #[derive(Deserialize, JsonSchema, FacadeArgs)]
            #[allow(dead_code)] // samples are decoded and echoed, not read
            pub(super) struct Arguments { $($(#[$meta])* $field: $ty,)* }

            /// Echoes. Nothing else.
            $(#[facade($($key)*)])+
            async fn $name(args: Args<Arguments>, echo: Echo) -> Answer<Value> {
                let _ = args.into_inner();
                Ok(Value::Object(echo.0))
            }
        }
    };
}

/// How sure a search is about what was meant.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum QueryClass {
    /// A word.
    Word,
    /// A path.
    Path,
}

sample! {
    #[facade(domain = "read", op = "file", effect = "read", legacy = "read_file")]
    read_file {
        /// A path.
        #[at(target = "file")]
        path: String,
        offset: Option<u32>,
        limit: Option<u32>,
    }
}
sample! {
    #[facade(domain = "read", op = "source", effect = "read")]
    get_symbol_source { #[at(target = "symbol")] id: String, context_lines: Option<u32>, }
}
sample! {
    #[facade(domain = "read", op = "symbols", effect = "read")]
    batch_symbols { #[at(target = "symbols")] ids: Vec<String>, include_source: Option<bool>, }
}
sample! {
    #[facade(domain = "read", op = "symbol_metadata_compat", effect = "read", hidden)]
    get_symbol { #[at(target = "symbol")] id: String, }
}
sample! {
    #[facade(domain = "search", op = "symbols", effect = "read", fixed(assist = "off"))]
    search_symbols { query: String, assist: Option<String>, query_class: Option<QueryClass>, repo: Option<String>, limit: Option<u32>, }
}
sample! {
    #[facade(domain = "search", op = "ast", effect = "read")]
    search_ast { #[at(top = "query")] pattern: Option<String>, detector: Option<String>, }
}
sample! {
    #[facade(domain = "explore", op = "task", effect = "read")]
    explore { task: String, path: Option<String>, repo: Option<String>, }
}
sample! {
    #[facade(domain = "explore", op = "outline", effect = "read")]
    get_repo_outline { top: Option<u32>, }
}
sample! {
    #[facade(domain = "edit", op = "file", effect = "local_write")]
    edit_file {
        #[at(target = "file")] path: String,
        #[at(top = "match")] old_string: String,
        #[at(top = "replacement")] new_string: String,
        base_sha: Option<String>,
        dry_run: Option<bool>,
    }
}
sample! {
    #[facade(domain = "edit", op = "symbol", effect = "local_write")]
    edit_symbol {
        #[at(target = "symbol")] id: String,
        #[at(top = "match")] old_source: String,
        #[at(top = "replacement")] new_source: String,
    }
}
sample! {
    #[facade(domain = "edit", op = "write", effect = "local_write")]
    write_file { #[at(target = "file")] path: String, content: String, }
}
sample! {
    #[facade(domain = "edit", op = "batch", effect = "local_write")]
    batch_edit { #[at(top = "changes")] edits: Option<Vec<Json>>, dry_run: Option<bool>, }
}
sample! {
    #[facade(domain = "refactor", op = "move", effect = "local_write")]
    move_symbol { #[at(target = "symbol")] id: String, #[at(top = "destination")] target_file: String, dry_run: Option<bool>, }
}
sample! {
    #[facade(domain = "change", op = "edit_plan", effect = "read")]
    get_edit_plan { #[at(target = "symbols")] ids: Vec<String>, }
}
sample! {
    #[facade(domain = "change", op = "contract", effect = "read", fixed(ack = false))]
    #[facade(domain = "remember", op = "risk_ack", effect = "local_write", fixed(ack = true))]
    change_contract {
        source: Option<String>,
        #[at(target = "symbols")] symbols: Option<String>,
        ranges: Option<Json>,
        ack: Option<bool>,
    }
}
sample! {
    #[facade(domain = "change", op = "impact", effect = "read")]
    explain_change_impact { #[at(target = "symbol")] ids: Option<Vec<String>>, #[at(target = "file")] path: Option<String>, depth: Option<u32>, }
}
sample! {
    #[facade(domain = "change", op = "pattern", effect = "read")]
    suggest_pattern { #[at(target = "symbol")] id: String, }
}
sample! {
    #[facade(domain = "change", op = "diagnostics", effect = "read")]
    get_diagnostics { #[at(source = "file", target = "file")] path: String, #[at(source)] start_line: Option<u32>, }
}
sample! {
    #[facade(domain = "trace", op = "flow", effect = "read")]
    flow_between {
        #[at(target = "symbol", target = "query")] source_id: String,
        #[at(to = "symbol", to = "query")] sink_id: String,
    }
}
sample! {
    #[facade(domain = "relations", op = "usages", effect = "read")]
    find_usages { #[at(target = "symbol")] id: String, limit: Option<u32>, }
}
sample! {
    #[facade(domain = "relations", op = "declaration", effect = "read")]
    find_declaration { #[at(target = "query")] use_site: String, }
}
sample! {
    #[facade(domain = "analyze", op = "help", legacy = "analyze", effect = "read", fixed(kind = "help"))]
    #[facade(domain = "analyze", op = "hotspots", legacy = "analyze", effect = "read", fixed(kind = "hotspots"))]
    #[facade(domain = "workspace_admin", op = "blame", legacy = "analyze", effect = "control_write", fixed(kind = "blame"))]
    analyze { kind: String, path: Option<String>, limit: Option<u32>, }
}
sample! {
    #[facade(domain = "analyze", op = "processes", effect = "read")]
    get_processes { id: Option<String>, }
}
sample! {
    #[facade(domain = "session", op = "subscribe_diagnostics", effect = "session_write")]
    subscribe_diagnostics { filter: Option<String>, }
}
sample! {
    #[facade(domain = "recall", op = "surface", effect = "read", fixed(mark_accessed = false))]
    #[facade(effect = "local_write", legacy_only(rationale = "counts accesses", removal = "2.0"))]
    surface_memories { task: Option<String>, mark_accessed: Option<bool>, }
}
sample! {
    #[facade(domain = "workspace_admin", op = "track", effect = "control_write")]
    track_repository { path: String, workspace: Option<String>, }
}

/// Lists many rows.
#[facade(domain = "relations", op = "callers", effect = "read")]
async fn get_callers() -> Answer<Reply> {
    let mut nodes = vec![json!({"id": "hub", "name": "hub"})];
    let mut edges = Vec::new();
    for at in 0..3000 {
        let id = format!("p{:02}/m.py::caller_{at:04}", at / 100);
        nodes.push(json!({"id": id, "name": format!("caller_{at:04}"), "kind": "function", "start_line": at % 97}));
        edges.push(json!({"from": id, "to": "hub", "kind": "calls", "confidence": 1.0}));
    }
    let body = json!({"nodes": nodes, "edges": edges, "total_edges": 3000, "truncated": false});
    Ok(Reply::json(body).rows("edges"))
}

/// The registry of all samples; only what is missing may be wrong with it.
pub(crate) fn registry() -> &'static Registry {
    static REGISTRY: OnceLock<Registry> = OnceLock::new();
    REGISTRY.get_or_init(collected)
}

/// Collects the samples.
fn collected() -> Registry {
    let surface = Surface { facades: FACADE_V1, baseline: Some(BASELINE_V1), pending: &[], version: "facade-v1" };
    let (registry, violations) = Registry::inspect(surface, inventory::iter::<Operation>);
    let others: Vec<String> =
        violations.iter().filter(|found| found.rule != "unmapped_legacy").map(ToString::to_string).collect();
    assert!(others.is_empty(), "{others:#?}");
    registry
}

/// Serves one call, synchronously.
pub(crate) fn call_in(context: &CallContext, name: &str, arguments: Value) -> CallOutput {
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    runtime.block_on(dispatch(registry(), context, name, arguments))
}

/// Serves one call on the compact surface.
pub(crate) fn call(name: &str, arguments: Value) -> CallOutput {
    call_in(&CallContext::compact(Arc::default()), name, arguments)
}

/// Serves one call on the legacy surface.
pub(crate) fn legacy(name: &str, arguments: Value) -> CallOutput {
    call_in(&CallContext::legacy(Arc::default()), name, arguments)
}

/// The body of an answer that is JSON.
pub(crate) fn body(output: &CallOutput) -> Value {
    serde_json::from_str(&output.text()).expect("a JSON body")
}

/// A sound operation, to be broken by `..SOUND`.
pub(crate) const SOUND: Operation = Operation {
    facade: "look",
    name: "near",
    legacy: "look_near",
    effect: Effect::Read,
    fixed: &[],
    hidden: false,
    legacy_only: None,
    summary: "Looks near.",
    doc: "Looks near.",
    args: Some(ArgsInfo { fields: Places::FIELDS, schema: schema_of::<Places> }),
    needs: &[],
    uses: &[],
    run: never,
    module: "samples",
    at: "samples.rs:1",
};

/// Arguments of [`SOUND`].
#[derive(Deserialize, JsonSchema, FacadeArgs)]
#[allow(dead_code)] // only its schema and its fields are used
pub(crate) struct Places {
    #[at(options)]
    deep: Option<bool>,
    #[at(options)]
    how: Option<String>,
}

/// Runs nothing.
fn never(_: Arc<Call>) -> Running {
    Box::pin(async { Err(CallError::internal("not meant to run")) })
}
