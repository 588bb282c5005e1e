//! Streamable HTTP: `rmcp`'s service, with the answers of this server around it.
//!
//! What the service refuses in plain words becomes an error of JSON-RPC with the id of the request, so that a client sees one
//! shape. A session of the older revisions is a connection; requests of 2026-07-28 stand alone.

use std::sync::{Arc, Weak};

use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use rmcp::model::ProtocolVersion;
use rmcp::transport::streamable_http_server::session::local::{LocalSessionManager, SessionConfig};
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{HttpOptions, Web, answer};
use crate::transport::connection::{Connection, Finder, Keyed, SESSION_HEADER};
use crate::transport::daemon::Daemon;

/// The longest message.
const BODY_BYTES: usize = 4 << 20;
/// The longest refusal of the service that is read to be told again.
const REFUSAL_BYTES: usize = 64 << 10;
const VERSION_HEADER: &str = "mcp-protocol-version";
/// The header that says when an idle session ends.
const TTL_HEADER: HeaderName = HeaderName::from_static("mcp-session-idle-ttl");

/// The service below the route.
pub(super) type Service = StreamableHttpService<Connection, LocalSessionManager>;

/// Makes the service of a server that is being made.
pub(super) fn service(web: Weak<Web>, options: &HttpOptions, daemon: &Daemon) -> Service {
    let ended = || "the server is shutting down".to_owned();
    let finder = web.clone();
    let find: Finder = Arc::new(move |parts| {
        let none = HeaderMap::new();
        let headers = parts.map_or(&none, |parts| &parts.headers);
        finder.upgrade().ok_or_else(ended)?.attach(headers)
    });
    let keyed = Keyed {
        hear: Arc::new(move |key, session, road| {
            if let Some(web) = web.upgrade() {
                web.name_session(key, session, road);
            }
        }),
        idle_ttl: options.idle_ttl,
    };
    let (bounds, closing) = (daemon.bounds(), daemon.closing().clone());
    let factory = move || Ok(Connection::found_by(Arc::clone(&find), keyed.clone(), bounds, closing.clone()));
    let mut sessions = LocalSessionManager::default();
    sessions.session_config = SessionConfig::default();
    sessions.session_config.keep_alive = options.idle_ttl;
    let config = StreamableHttpServerConfig::default()
        // The guard before all routes has looked already, and knows the address that is listened on.
        .disable_allowed_hosts()
        .with_json_response(true)
        .with_max_request_body_bytes(BODY_BYTES)
        .with_cancellation_token(daemon.closing().clone());
    StreamableHttpService::new(factory, Arc::new(sessions), config)
}

/// The part of a message that a refusal needs.
#[derive(Deserialize)]
struct Head {
    id: Option<Value>,
    method: Option<String>,
}

/// Serves `/mcp`.
pub(super) async fn serve(State(web): State<Arc<Web>>, request: Request) -> Response {
    let version = request.headers().get(VERSION_HEADER).cloned();
    let (parts, body) = request.into_parts();
    let (id, body) = if parts.method == Method::POST {
        let bytes = match Limited::new(body, BODY_BYTES).collect().await {
            Ok(collected) => collected.to_bytes(),
            Err(error) if error.is::<LengthLimitError>() => {
                let words = format!("the body is longer than {BODY_BYTES} bytes");
                return error_of(StatusCode::PAYLOAD_TOO_LARGE, None, -32600, &words, "body_too_large");
            }
            Err(_) => return error_of(StatusCode::BAD_REQUEST, None, -32700, "the body ended early", "body_incomplete"),
        };
        let id = match look(&parts.headers, &bytes) {
            Ok(id) => id,
            Err(refusal) => return *refusal,
        };
        (id, Body::from(bytes))
    } else {
        (None, body)
    };
    let (method, asked) = (parts.method.clone(), parts.headers.contains_key(SESSION_HEADER));
    let response = web.mcp.handle(Request::from_parts(parts, body)).await.map(Body::new);
    let mut response = told(response, &method, id).await;
    let served = response.status().is_success();
    let headers = response.headers_mut();
    if let Some(version) = version {
        headers.insert(VERSION_HEADER, version);
    }
    let in_session = (asked || headers.contains_key(SESSION_HEADER)) && method != Method::DELETE;
    if served && in_session {
        let ttl = web.options.idle_ttl.map_or(-1, |ttl| i64::try_from(ttl.as_secs()).unwrap_or(i64::MAX));
        if let Ok(ttl) = HeaderValue::from_str(&ttl.to_string()) {
            headers.insert(TTL_HEADER, ttl);
        }
    }
    response
}

/// The id of a message; a refusal where it can't be one.
fn look(headers: &HeaderMap, bytes: &Bytes) -> Result<Option<Value>, Box<Response>> {
    let refuse = |status, code, words: &str, word| Err(Box::new(error_of(status, None, code, words, word)));
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    if !kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/json") {
        let words = "the content type must be application/json";
        return refuse(StatusCode::UNSUPPORTED_MEDIA_TYPE, -32600, words, "content_type");
    }
    match serde_json::from_slice::<Value>(bytes) {
        Err(error) => refuse(StatusCode::BAD_REQUEST, -32700, &format!("the body is no JSON: {error}"), "malformed"),
        Ok(Value::Array(_)) => {
            let words = "batches are not part of this protocol any more; send one message a request";
            refuse(StatusCode::BAD_REQUEST, -32600, words, "batch")
        }
        Ok(value) => {
            let Ok(Head { id, method }) = Head::deserialize(&value) else { return Ok(None) };
            Ok(id.filter(|_| method.is_some()))
        }
    }
}

/// The service's answer, its refusals in the shape of everybody else's.
async fn told(response: Response, method: &Method, id: Option<Value>) -> Response {
    let status = response.status();
    if method == Method::DELETE && (status.is_success() || status == StatusCode::NOT_FOUND) {
        return StatusCode::NO_CONTENT.into_response();
    }
    let is_json =
        response.headers().get(header::CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"));
    if status.is_success() || is_json {
        return response;
    }
    let allow = response.headers().get(header::ALLOW).cloned();
    let words = match Limited::new(response.into_body(), REFUSAL_BYTES).collect().await {
        Ok(collected) => String::from_utf8_lossy(&collected.to_bytes()).into_owned(),
        Err(_) => String::new(),
    };
    let (code, word) = match status {
        StatusCode::NOT_FOUND => (-32001, "session_not_found"),
        StatusCode::NOT_ACCEPTABLE => (-32600, "not_acceptable"),
        StatusCode::METHOD_NOT_ALLOWED => (-32600, "method_not_allowed"),
        _ if words.contains("Unsupported MCP-Protocol-Version") => (-32022, "unsupported_protocol_version"),
        _ if words.contains("Session ID is required") => (-32600, "session_required"),
        _ => (-32600, "invalid_request"),
    };
    let mut refusal = error_of(status, id, code, words.trim(), word);
    if let Some(allow) = allow {
        refusal.headers_mut().insert(header::ALLOW, allow);
    }
    refusal
}

fn error_of(status: StatusCode, id: Option<Value>, code: i32, words: &str, word: &str) -> Response {
    let mut data = json!({"error_code": word});
    match word {
        "session_not_found" => {
            data["hint"] = "the session is unknown or has expired: send `initialize` without a session id".into();
        }
        "unsupported_protocol_version" => {
            data["supported"] = ProtocolVersion::KNOWN_VERSIONS.iter().map(|known| known.as_str()).collect();
        }
        _ => {}
    }
    let body = json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": words, "data": data}});
    answer(status, &body)
}
