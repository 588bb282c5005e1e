//! Calls by plain HTTP: `POST /v1/tools/{name}`, and the list of what can be called.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use gortex_core::{Extensions, SurfaceView};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use serde_json::{Map, Value, json};

use super::guard::query;
use super::{Web, answer, refuse};
use crate::session::{Caller, Opening, Road, Served, Session};
use crate::surface::Selection;
use crate::transport::bounds::{Bounded, GivenUp};
use crate::transport::connection::SESSION_HEADER;

/// The longest body.
const BODY_BYTES: usize = 1 << 20;

/// Who calls: a session that the request names, or one that ends with it.
struct Called {
    road: Road,
    session: Arc<Session>,
    /// Held until the answer is there.
    _held: Box<dyn Send + Sync>,
}

fn caller(web: &Web, headers: &HeaderMap, url: Option<&str>, cwd: Option<&str>) -> Result<Called, Box<Response>> {
    let key =
        headers.get(SESSION_HEADER).and_then(|key| key.to_str().ok()).map(str::to_owned).or_else(|| query(url, "session_id"));
    if let Some(key) = key {
        let found = web.session(&key).ok_or_else(|| {
            let words = "the session is unknown or has expired; `initialize` at /mcp opens one";
            Box::new(refuse(StatusCode::NOT_FOUND, "session_not_found", words))
        });
        return found.map(|(session, road)| Called { road, session, _held: Box::new(()) });
    }
    let (road, lease) = web.road(headers, cwd).map_err(|words| Box::new(refuse(StatusCode::BAD_REQUEST, "bad_folder", words)))?;
    let session = road.server.sessions().open(Opening { cwd: cwd.map(Into::into), ..Opening::default() });
    let session =
        session.map_err(|error| Box::new(refuse(StatusCode::SERVICE_UNAVAILABLE, "too_many_sessions", error.to_string())))?;
    Ok(Called { road, session: Arc::clone(&session), _held: Box::new((session, lease)) })
}

/// Names that a caller may call, sorted.
fn names(road: &Road, selection: &Selection) -> Vec<String> {
    selection.definitions(&road.registry).into_iter().map(|tool| tool.name).collect()
}

/// The tools that the caller sees.
pub(super) async fn list(State(web): State<Arc<Web>>, request: Request) -> Response {
    match caller(&web, request.headers(), request.uri().query(), None) {
        Ok(called) => {
            let tools = called.road.surface(&called.session).definitions(&called.road.registry);
            let rows = tools.into_iter().map(|tool| json!({"name": tool.name, "description": tool.description}));
            answer(StatusCode::OK, &rows.collect())
        }
        Err(refusal) => *refusal,
    }
}

/// Calls a tool.
pub(super) async fn call(State(web): State<Arc<Web>>, Path(name): Path<String>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let bytes = match Limited::new(body, BODY_BYTES).collect().await {
        Ok(collected) => collected.to_bytes(),
        Err(error) if error.is::<LengthLimitError>() => {
            let words = format!("the body is longer than {BODY_BYTES} bytes");
            return refuse(StatusCode::PAYLOAD_TOO_LARGE, "body_too_large", words);
        }
        Err(_) => return refuse(StatusCode::BAD_REQUEST, "body_incomplete", "the body ended early"),
    };
    let url = parts.uri.query();
    let wanted = match read(&parts.headers, &bytes) {
        Ok(wanted) => wanted,
        Err(refusal) => return *refusal,
    };
    let called = match caller(&web, &parts.headers, url, wanted.cwd.as_deref()) {
        Ok(called) => called,
        Err(refusal) => return *refusal,
    };
    let Called { road, session, .. } = &called;
    let selection = road.surface(session);
    let known = road.registry.facade(&name).is_some() || road.registry.baseline().iter().any(|row| row.legacy == name);
    if !known {
        let words = format!("there is no tool `{name}`");
        let body = json!({"error": "tool_not_found", "message": words, "available_tools": names(road, selection)});
        return answer(StatusCode::NOT_FOUND, &body);
    }
    let mut arguments = wanted.arguments;
    if let Some(format) = query(url, "format").or(wanted.format) {
        crate::cli::set_format(&mut arguments, &format, selection.view() == SurfaceView::Compact);
    }
    let served = run(&web, road, session, &name, Value::Object(arguments)).await;
    let mut body = json!({"content": [{"type": "text", "text": served.text}]});
    if served.output.is_error {
        body["isError"] = true.into();
    }
    if !served.output.meta.is_empty() {
        body["_meta"] = Value::Object(served.output.meta);
    }
    answer(StatusCode::OK, &body)
}

/// Runs one call; a client that goes away takes it along.
pub(super) async fn run(web: &Web, road: &Road, session: &Arc<Session>, name: &str, arguments: Value) -> Served {
    let lane = road.server.queue().lane(1);
    let bounded = Bounded { road, session, lane: &lane, bounds: web.daemon.bounds() };
    let closing = async {
        web.daemon.closing().cancelled().await;
        GivenUp::Closing
    };
    bounded.run(Extensions::new().with(Caller::Agent), name, arguments, closing).await
}

/// What a body asks for.
struct Wanted {
    arguments: Map<String, Value>,
    format: Option<String>,
    cwd: Option<String>,
}

/// Reads `{arguments, format?}` or the arguments themselves; an empty body has none.
fn read(headers: &HeaderMap, bytes: &Bytes) -> Result<Wanted, Box<Response>> {
    let refuse = |status, word: &str, words: String| Err(Box::new(super::refuse(status, word, words)));
    if bytes.trim_ascii().is_empty() {
        return Ok(Wanted { arguments: Map::new(), format: None, cwd: None });
    }
    let kind = headers.get(axum::http::header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    if !kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/json") {
        let words = "the content type must be application/json".to_owned();
        return refuse(StatusCode::UNSUPPORTED_MEDIA_TYPE, "content_type", words);
    }
    let mut body = match serde_json::from_slice::<Value>(bytes) {
        Ok(Value::Object(body)) => body,
        Ok(_) => return refuse(StatusCode::BAD_REQUEST, "invalid_body", "the body must be a JSON object".to_owned()),
        Err(error) => return refuse(StatusCode::BAD_REQUEST, "malformed", format!("the body is no JSON: {error}")),
    };
    let is_envelope = body.keys().all(|key| ["arguments", "format", "cwd"].contains(&key.as_str()));
    if !is_envelope || !body.contains_key("arguments") {
        let cwd = body.shift_remove("cwd").and_then(|cwd| cwd.as_str().map(str::to_owned));
        return Ok(Wanted { arguments: body, format: None, cwd });
    }
    let text = |value: Option<Value>| value.and_then(|value| value.as_str().map(str::to_owned));
    let (format, cwd) = (text(body.shift_remove("format")), text(body.shift_remove("cwd")));
    match body.shift_remove("arguments") {
        Some(Value::Object(arguments)) => Ok(Wanted { arguments, format, cwd }),
        _ => refuse(StatusCode::BAD_REQUEST, "invalid_body", "`arguments` must be an object".to_owned()),
    }
}
