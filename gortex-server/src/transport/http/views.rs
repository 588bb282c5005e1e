//! Plain read views: what dashboards and scripts ask without a protocol.
//!
//! Most are the answer of an operation. One whose operation this build does not have says so with 501 and the operation's name.

use std::convert::Infallible;
use std::path::Path as FilePath;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Path, Query, Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::IntoResponse as _;
use axum::response::Response;
use axum::response::sse::{Event, KeepAlive, Sse};
use gortex_core::Code;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Web, answer, metrics, refuse, tools};
use crate::handlers::rows::{brief, edge_out};
use crate::session::{ClientInfo, Notifier, Opening, Road, Served, notifications};
use crate::state::Server;
use crate::surface::Policy;

/// Nodes of a graph when nothing is said.
const NODES: usize = 2000;
/// The most that may be asked for.
const MOST_NODES: usize = 20_000;

/// Path, legacy operation, and arguments that the path means.
const OPERATIONS: &[(&str, &str, &str)] = &[
    ("/v1/subgraph", "walk_graph", "{}"),
    ("/v1/repos", "list_repos", "{}"),
    ("/v1/caveats", "index_health", "{}"),
    ("/v1/activity", "get_recent_changes", "{}"),
    ("/v1/processes", "get_processes", "{}"),
    ("/v1/contracts", "contracts", "{}"),
    ("/v1/contracts/validate", "contracts", "{\"action\":\"validate\"}"),
    ("/v1/communities", "get_communities", "{}"),
    ("/v1/guards", "check_guards", "{}"),
];

/// Says that it lives.
pub(super) async fn alive() -> Response {
    answer(StatusCode::OK, &json!({"status": "ok", "transport": "streamable-http", "spec": "2026-07-28"}))
}

/// An operation's way and its session, for one view.
async fn ask(web: &Web, headers: &HeaderMap, tool: &str, arguments: Value) -> Result<Served, Box<Response>> {
    let (road, _lease) = full(web, headers)?;
    let session = open(&road, None)?;
    Ok(tools::run(web, &road, &session, tool, arguments).await)
}

/// The way to everything, for the folder that a request means.
fn full(web: &Web, headers: &HeaderMap) -> Result<(Road, super::Lease), Box<Response>> {
    let (road, lease) =
        web.road(headers, None).map_err(|words| Box::new(refuse(StatusCode::BAD_REQUEST, "bad_folder", words)))?;
    let policy = Policy { forwarded: Some("full".to_owned()), ..Policy::default() };
    Ok((Road::new(Arc::clone(&road.server), Arc::clone(&road.registry), policy), lease))
}

fn open(road: &Road, notifier: Option<Notifier>) -> Result<crate::session::SessionHandle, Box<Response>> {
    let client = Some(ClientInfo::new("http", env!("CARGO_PKG_VERSION")));
    let full = |error: crate::session::TooManySessions| {
        Box::new(refuse(StatusCode::SERVICE_UNAVAILABLE, "too_many_sessions", error.to_string()))
    };
    road.server.sessions().open(Opening { client, notifier, ..Opening::default() }).map_err(full)
}

/// An operation's answer as the answer of a route.
fn shown(served: &Served) -> Response {
    let body = serde_json::from_str::<Value>(&served.text).unwrap_or_else(|_| json!({"text": served.text}));
    let status = match served.output.error.as_ref() {
        None => StatusCode::OK,
        Some(error) if error.get("reason").is_some_and(|reason| reason == "unavailable") => {
            let mut missing = json!({"error": "unavailable", "message": error.message()});
            missing["missing"] = error.get("legacy_tool").cloned().unwrap_or_default();
            return answer(StatusCode::NOT_IMPLEMENTED, &missing);
        }
        Some(error) => match error.code() {
            Some(Code::InvalidArgument) => StatusCode::BAD_REQUEST,
            Some(Code::Timeout) => StatusCode::GATEWAY_TIMEOUT,
            Some(Code::Cancelled | Code::Unavailable) => StatusCode::SERVICE_UNAVAILABLE,
            Some(Code::InternalError) => StatusCode::INTERNAL_SERVER_ERROR,
            Some(_) => StatusCode::UNPROCESSABLE_ENTITY,
            // Not found, or not ready: an ordinary answer that says so.
            None => StatusCode::OK,
        },
    };
    answer(status, &body)
}

/// A view that is the answer of one operation; the query holds its arguments.
pub(super) async fn of_operation(State(web): State<Arc<Web>>, request: Request) -> Response {
    let path = request.uri().path();
    let Some((_, tool, fixed)) = OPERATIONS.iter().find(|(route, _, _)| *route == path) else {
        return refuse(StatusCode::NOT_FOUND, "no_such_route", "there is no such route");
    };
    let mut arguments: Value = serde_json::from_str(fixed).unwrap_or_default();
    if let Ok(Query(pairs)) = Query::<Vec<(String, String)>>::try_from_uri(request.uri()) {
        for (key, value) in pairs {
            if key != "session_id" && arguments.get(&key).is_none() {
                arguments[key] = value.into();
            }
        }
    }
    match ask(&web, request.headers(), tool, arguments).await {
        Ok(served) => shown(&served),
        Err(refusal) => *refusal,
    }
}

/// How the server is.
pub(super) async fn health(State(web): State<Arc<Web>>, request: Request) -> Response {
    match full(&web, request.headers()) {
        Ok((road, _lease)) => answer(StatusCode::OK, &health_of(&web, &road.server)),
        Err(refusal) => *refusal,
    }
}

fn health_of(web: &Web, server: &Server) -> Value {
    let view = server.engine().view();
    let readiness = server.readiness();
    json!({
        "status": readiness.as_str(),
        "reason": readiness.reason(),
        "indexed": view.complete,
        "nodes": view.graph.node_count(),
        "edges": view.graph.edges().len(),
        "version": env!("CARGO_PKG_VERSION"),
        "uptime_seconds": web.daemon.uptime().as_secs(),
        "schema_version": 1,
        "api_version": 1,
        "read_only": false,
        "capabilities": ["events", "mcp", "metrics", "tools"],
    })
}

/// The size of the graph.
pub(super) async fn stats(State(web): State<Arc<Web>>, request: Request) -> Response {
    match ask(&web, request.headers(), "graph_stats", json!({})).await {
        Ok(mut served) => {
            if let Ok(mut body) = serde_json::from_str::<Value>(&served.text)
                && served.output.error.is_none()
            {
                body["server_id"] = web.daemon.instance().into();
                body["started_at"] = web.started_at.into();
                served.text = body.to_string();
            }
            shown(&served)
        }
        Err(refusal) => *refusal,
    }
}

/// Which part of the graph.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Part {
    repo: Option<String>,
    project: Option<String>,
    limit: Option<usize>,
}

/// Nodes and the edges between them.
pub(super) async fn graph(State(web): State<Arc<Web>>, request: Request) -> Response {
    let part = match Query::<Part>::try_from_uri(request.uri()) {
        Ok(Query(part)) => part,
        Err(error) => return refuse(StatusCode::BAD_REQUEST, "invalid_query", error.to_string()),
    };
    let (road, lease) = match full(&web, request.headers()) {
        Ok(found) => found,
        Err(refusal) => return *refusal,
    };
    // A graph of some files would look like the whole one.
    if tokio::time::timeout(Duration::from_secs(50), road.server.settled()).await.is_err() {
        return refuse(StatusCode::SERVICE_UNAVAILABLE, "index_not_ready", "the first index is still being built");
    }
    let drawn = road.server.blocking(move |server| draw(server, &part)).await;
    drop(lease);
    match drawn {
        Ok(Ok(body)) => answer(StatusCode::OK, &body),
        Ok(Err(refusal)) => *refusal,
        Err(error) => refuse(StatusCode::INTERNAL_SERVER_ERROR, "internal_error", error.to_string()),
    }
}

fn draw(server: &Server, part: &Part) -> Result<Value, Box<Response>> {
    let view = server.engine().fresh(false);
    let graph = &view.graph;
    let named = part.repo.as_deref().or(part.project.as_deref());
    let repo = match named {
        None => None,
        Some(name) => Some(view.repos.iter().position(|repo| repo.name == name).ok_or_else(|| {
            let names: Vec<&str> = view.repos.iter().map(|repo| repo.name.as_str()).collect();
            let body = json!({"error": "repo_not_tracked", "message": format!("`{name}` is not tracked"), "tracked": names});
            Box::new(answer(StatusCode::NOT_FOUND, &body))
        })?),
    };
    let limit = part.limit.unwrap_or(NODES).clamp(1, MOST_NODES);
    let wanted = |node: &u32| repo.is_none_or(|repo| usize::from(graph.file_of(*node).repo) == repo);
    let all: Vec<u32> = (0..graph.node_count()).filter(wanted).collect();
    let kept = &all[..limit.min(all.len())];
    let inside = |node: u32| kept.binary_search(&node).is_ok();
    let nodes: Vec<Value> = kept.iter().filter_map(|node| serde_json::to_value(brief(graph, *node)).ok()).collect();
    let between = kept.iter().flat_map(|node| graph.out(*node)).filter(|row| inside(row.to));
    let edges: Vec<Value> = between.filter_map(|row| serde_json::to_value(edge_out(graph, row)).ok()).collect();
    Ok(json!({
        "generation": graph.generation,
        "total_nodes": all.len(),
        "truncated": kept.len() < all.len(),
        "nodes": nodes,
        "edges": edges,
    }))
}

/// The repositories of one workspace. No settings name workspaces yet: each repository is its own.
pub(super) async fn workspace_repos(State(web): State<Arc<Web>>, Path(name): Path<String>, request: Request) -> Response {
    let (road, _lease) = match full(&web, request.headers()) {
        Ok(found) => found,
        Err(refusal) => return *refusal,
    };
    let view = road.server.engine().view();
    let rows: Vec<Value> = view.repos.iter().filter(|repo| repo.name == name).map(|repo| row(&repo.name, &repo.root)).collect();
    if rows.is_empty() {
        let names: Vec<&str> = view.repos.iter().map(|repo| repo.name.as_str()).collect();
        let body =
            json!({"error": "workspace_unknown", "message": format!("there is no workspace `{name}`"), "workspaces": names});
        return answer(StatusCode::NOT_FOUND, &body);
    }
    answer(StatusCode::OK, &json!({"workspace": name, "repos": rows}))
}

fn row(name: &str, root: &FilePath) -> Value {
    json!({"name": name, "path": root.display().to_string()})
}

/// What a first page shows.
pub(super) async fn dashboard(State(web): State<Arc<Web>>, request: Request) -> Response {
    let (road, _lease) = match full(&web, request.headers()) {
        Ok(found) => found,
        Err(refusal) => return *refusal,
    };
    let view = road.server.engine().view();
    let repos: Vec<Value> = view.repos.iter().map(|repo| row(&repo.name, &repo.root)).collect();
    let body = json!({
        "health": health_of(&web, &road.server),
        "freshness": serde_json::to_value(road.server.engine().freshness()).unwrap_or_default(),
        "repos": repos,
        "files": view.graph.files.len(),
        "sessions": road.server.sessions().count(),
        "resident_bytes": metrics::resident_bytes(),
    });
    answer(StatusCode::OK, &body)
}

/// Channels that a stream of events listens to.
const CHANNELS: [&str; 3] = ["subscribe_workspace_readiness", "subscribe_graph_invalidated", "subscribe_daemon_health"];

/// What happens, as it happens.
pub(super) async fn events(State(web): State<Arc<Web>>, request: Request) -> Response {
    let (road, lease) = match full(&web, request.headers()) {
        Ok(found) => found,
        Err(refusal) => return *refusal,
    };
    let (notifier, heard) = notifications();
    let session = match open(&road, Some(notifier)) {
        Ok(session) => session,
        Err(refusal) => return *refusal,
    };
    let mut channels = Vec::new();
    for channel in CHANNELS {
        let served = tools::run(&web, &road, &session, channel, json!({})).await;
        if served.output.error.is_none() {
            channels.push(channel.trim_start_matches("subscribe_"));
        }
    }
    let hello = json!({"server_id": web.daemon.instance(), "channels": channels, "health": health_of(&web, &road.server)});
    let closing = web.daemon.closing().clone();
    let first = futures::stream::iter([Ok::<Event, Infallible>(Event::default().event("hello").data(hello.to_string()))]);
    // The session and its server live as long as somebody listens.
    let rest = futures::stream::unfold((heard, session, lease, closing), |(mut heard, session, lease, closing)| async move {
        let notification = tokio::select! {
            notification = heard.recv() => notification?,
            () = closing.cancelled() => return None,
        };
        let name = notification.method.trim_start_matches("notifications/").to_owned();
        let event = Event::default().event(name).data(notification.params.to_string());
        Some((Ok(event), (heard, session, lease, closing)))
    });
    Sse::new(futures::StreamExt::chain(first, rest)).keep_alive(KeepAlive::default()).into_response()
}

/// Overlays are a later part of this server.
pub(super) async fn overlays_are_off() -> Response {
    let words = "overlays are off: this build has no overlay layer";
    let body = json!({"error": "overlays_off", "message": words, "missing": "overlay"});
    answer(StatusCode::SERVICE_UNAVAILABLE, &body)
}
