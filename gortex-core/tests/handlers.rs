//! Handlers as a server writes them: macros, extractors, capabilities and dispatch together.
//!
//! The facade table is the crate's own; the handlers are samples and know nothing of code.

use std::sync::Arc;

use gortex_core::{
    Answer, Args, Call, CallContext, CallError, CallOutput, Effect, Extensions, FACADE_V1, FacadeArgs, FromCall, Recoverable,
    Registry, Reply, State, Surface, dispatch, facade,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A capability as a server defines one: made only by its extractor.
struct FileWriter(());

impl FromCall for FileWriter {
    const NEEDS: Option<Effect> = Some(Effect::LocalWrite);

    async fn from_call(_: &Call) -> Result<Self, CallError> {
        Ok(Self(()))
    }
}

/// Another one, of the session.
struct OverlayWriter(());

impl FromCall for OverlayWriter {
    const NEEDS: Option<Effect> = Some(Effect::SessionWrite);

    async fn from_call(_: &Call) -> Result<Self, CallError> {
        Ok(Self(()))
    }
}

/// State of the process.
struct Names(Vec<&'static str>);

/// Where to look.
#[derive(Deserialize, JsonSchema, FacadeArgs)]
struct Scope {
    /// A repository.
    #[at(options)]
    repo: Option<String>,
}

/// Arguments of `relations.callers`.
#[derive(Deserialize, JsonSchema, FacadeArgs)]
struct GetCallers {
    /// An id, or a unique name.
    #[at(target = "symbol")]
    id: String,
    /// Steps to follow.
    #[at(options)]
    depth: Option<u32>,
    #[serde(flatten)]
    scope: Scope,
}

/// What `relations.callers` answers.
#[derive(Serialize)]
struct Callers {
    target: String,
    depth: u32,
    repo: Option<String>,
    callers: Vec<String>,
}

/// Lists who calls a function. More text.
#[facade(domain = "relations", op = "callers", effect = "read")]
async fn get_callers(names: State<Names>, args: Args<GetCallers>) -> Answer<Callers> {
    if !names.0.0.contains(&args.id.as_str()) {
        let found = Recoverable::new("symbol_not_found", format!("nothing is called `{}`", args.id));
        return Err(found.suggest("search_symbols").data("id", &args.id).into());
    }
    let Args(GetCallers { id, depth, scope }) = args;
    Ok(Callers { target: id, depth: depth.unwrap_or(2), repo: scope.repo, callers: vec![] })
}

/// Arguments of the two merges.
#[derive(Deserialize, JsonSchema, FacadeArgs)]
struct OverlayMerge {
    /// The branch to fold.
    from: String,
    /// Whether the disk is written.
    #[serde(default)]
    to_disk: bool,
}

/// Folds one overlay branch into another, or writes it to disk.
#[facade(domain = "overlay", op = "merge", effect = "session_write", fixed(to_disk = false))]
#[facade(domain = "edit", op = "apply_overlay", effect = "local_write", fixed(to_disk = true))]
async fn overlay_merge(overlays: OverlayWriter, files: Option<FileWriter>, args: Args<OverlayMerge>) -> Answer<Reply> {
    let OverlayWriter(()) = overlays;
    let wrote = files.map(|FileWriter(())| true);
    Reply::new(&json!({"from": args.from, "to_disk": args.to_disk, "files": wrote})).map(|reply| reply.meta("k", 1))
}

/// Arguments of `edit.file`.
#[derive(Deserialize, JsonSchema, FacadeArgs)]
struct EditFile {
    #[at(target = "file")]
    path: String,
    #[at(top = "match")]
    old_string: String,
    #[at(top = "replacement")]
    new_string: String,
    #[at(guard)]
    expected_occurrences: Option<u32>,
    #[at(top)]
    #[serde(default)]
    dry_run: bool,
}

/// Replaces text in a file.
#[facade(domain = "edit", op = "file", effect = "local_write")]
async fn edit_file(_files: FileWriter, args: Args<EditFile>) -> Answer<Value> {
    let EditFile { path, old_string, new_string, expected_occurrences, dry_run } = args.into_inner();
    Ok(json!([path, old_string, new_string, expected_occurrences, dry_run]))
}

/// Panics.
#[facade(domain = "trace", op = "walk", effect = "read")]
async fn walk_graph() -> Answer<Reply> {
    panic!("the grammar gave up");
}

fn registry() -> Registry {
    // Only a few of the 21 have operations here, so the roster rule speaks; every other rule must be silent.
    let surface = Surface::of(FACADE_V1, "facade-v1");
    let (registry, violations) = Registry::inspect(surface, gortex_core::inventory::iter::<gortex_core::Operation>);
    let others: Vec<String> = violations.iter().filter(|v| v.rule != "roster_mismatch").map(ToString::to_string).collect();
    assert!(others.is_empty(), "{others:#?}");
    registry
}

async fn call_with(context: CallContext, name: &str, arguments: Value) -> CallOutput {
    dispatch(&registry(), &context, name, arguments).await
}

async fn call(name: &str, arguments: Value) -> CallOutput {
    let shared = Arc::new(Extensions::new().with(Names(vec!["leaf"])));
    call_with(CallContext::compact(shared), name, arguments).await
}

async fn legacy(name: &str, arguments: Value) -> CallOutput {
    let shared = Arc::new(Extensions::new().with(Names(vec!["leaf"])));
    call_with(CallContext::legacy(shared), name, arguments).await
}

#[tokio::test]
async fn a_public_call_reaches_its_handler() {
    let output = call(
        "relations",
        json!({"operation": "Callers", "target": {"symbol": "leaf"}, "options": "{\"depth\":\"3\",\"repo\":\"r\"}"}),
    )
    .await;
    assert!(!output.is_error, "{}", output.text());
    assert_eq!(output.text(), r#"{"target":"leaf","depth":3,"repo":"r","callers":[]}"#);
    assert_eq!(
        output.meta["gortex_facade"],
        json!({
            "surface_version": "facade-v1", "facade": "relations", "operation": "callers", "canonical_tool": "get_callers"
        })
    );
}

#[tokio::test]
async fn a_recoverable_condition_is_no_error() {
    let output = call("relations", json!({"operation": "callers", "target": {"symbol": "é"}})).await;
    assert!(!output.is_error);
    assert!(output.text().contains(r#""condition":"symbol_not_found""#));
    assert!(output.meta.contains_key("gortex_facade"));
}

#[tokio::test]
async fn one_handler_two_effects() {
    let merged = call("overlay", json!({"operation": "merge", "arguments": {"from": "b", "to_disk": true}})).await;
    assert_eq!(merged.text(), r#"{"from":"b","to_disk":false,"files":null}"#);
    assert_eq!(merged.meta["k"], 1);
    let applied = call("edit", json!({"operation": "apply_overlay", "options": {"from": "b", "to_disk": false}})).await;
    assert_eq!(applied.text(), r#"{"from":"b","to_disk":true,"files":true}"#);
    let by_name = legacy("overlay_merge", json!({"from": "b", "to_disk": "true"})).await;
    assert_eq!(by_name.text(), r#"{"from":"b","to_disk":true,"files":true}"#);
    let in_memory = legacy("overlay_merge", json!({"from": "b"})).await;
    assert_eq!(in_memory.text(), r#"{"from":"b","to_disk":false,"files":null}"#);
}

#[tokio::test]
async fn friendly_names_lower_to_the_handlers_own() {
    let request = json!({
        "target": {"file": "ä.rs"}, "match": "a", "replacement": "b", "guard": {"expected_occurrences": "1"},
        "dry_run": "true",
    });
    assert_eq!(call("edit", request).await.text(), r#"["ä.rs","a","b",1,true]"#);
    let missing = call("edit", json!({"target": {"file": "a"}, "replacement": "b"})).await;
    assert!(missing.is_error && missing.text().contains("match is required"), "{}", missing.text());
    let missing = legacy("edit_file", json!({"path": "a", "new_string": "b"})).await;
    assert!(missing.text().contains("old_string is required"));
}

#[tokio::test]
async fn a_panic_is_an_error_of_that_call() {
    let output = call("trace", json!({"operation": "walk"})).await;
    assert!(output.is_error);
    assert!(output.text().contains("internal_error") && output.text().contains("the grammar gave up"));
}

#[tokio::test]
async fn planning_mode_stops_writers_and_no_reader() {
    let mut context = CallContext::compact(Arc::new(Extensions::new().with(Names(vec!["leaf"]))));
    context.mode = gortex_core::Mode::Planning;
    let refused = call_with(context.clone(), "edit", json!({"target": {"file": "a"}})).await;
    assert!(refused.text().contains("tool_blocked_by_mode"));
    let read = json!({"operation": "callers", "target": {"symbol": "leaf"}});
    assert!(!call_with(context.clone(), "relations", read).await.is_error);
    let merge = json!({"operation": "merge", "arguments": {"from": "b"}});
    assert!(!call_with(context, "overlay", merge).await.is_error);
}

#[tokio::test]
async fn each_surface_has_its_own_names() {
    let refused = call("get_callers", json!({"id": "leaf"})).await;
    assert!(refused.is_error && refused.text().contains(r#""recovery_tool":"capabilities""#));
    let refused = legacy("relations", json!({})).await;
    assert!(refused.is_error && refused.text().contains("required_preset"));
    let answered = legacy("get_callers", json!({"id": "leaf", "dept": 3})).await;
    assert!(answered.text().contains(r#""_ignored_options":{"names":["dept"]"#), "{}", answered.text());
}
