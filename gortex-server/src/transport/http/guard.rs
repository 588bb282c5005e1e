//! Who may ask: the host that is meant, the origin that asks, and the token.
//!
//! On this machine's own addresses the `Host` header must name this machine, or a page that made its own name mean this machine
//! could ask. A browser says where its page comes from; only pages of this server and those that were allowed may ask.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use subtle::ConstantTimeEq as _;

use super::{Web, contain, refuse};

/// Methods a page of another origin is told of.
const METHODS: &str = "GET, POST, PUT, DELETE, OPTIONS";
/// Headers it may send.
const HEADERS: &str = "authorization, content-type, accept, last-event-id, mcp-session-id, mcp-protocol-version, mcp-method, \
mcp-name, x-gortex-cwd, x-gortex-tools, x-gortex-overlay-session";

/// Stands before every route.
pub(super) async fn check(State(web): State<Arc<Web>>, request: Request, next: Next) -> Response {
    web.daemon.touch();
    let path = request.uri().path().to_owned();
    let origin = request.headers().get(header::ORIGIN).cloned();
    let mut response = match admit(&web, &request) {
        Ok(()) if request.method() == Method::OPTIONS => StatusCode::NO_CONTENT.into_response(),
        Ok(()) => contain(next.run(request)).await.unwrap_or_else(|never| match never {}),
        Err(refusal) => *refusal,
    };
    if response.status() != StatusCode::FORBIDDEN
        && let Some(origin) = origin
    {
        allow(response.headers_mut(), origin);
    }
    web.counters.count(&path, response.status());
    response
}

fn admit(web: &Web, request: &Request) -> Result<(), Box<Response>> {
    let headers = request.headers();
    if !host_is_meant(headers, request.uri().host(), web.address) {
        let words = "the `Host` header names another machine; use localhost or the address that is listened on";
        return Err(Box::new(refuse(StatusCode::FORBIDDEN, "host_not_allowed", words)));
    }
    if !origin_is_allowed(headers, &web.options.origins) {
        let words = "this origin may not ask; `gortex daemon start --cors-origin` allows one";
        return Err(Box::new(refuse(StatusCode::FORBIDDEN, "origin_not_allowed", words)));
    }
    let exempt = request.uri().path() == "/healthz" || request.method() == Method::OPTIONS;
    let Some(token) = web.options.token.as_deref().filter(|token| !token.is_empty() && !exempt) else { return Ok(()) };
    let asked = bearer(headers).or_else(|| {
        // A browser's stream of events can't send headers.
        (request.uri().path() == "/v1/events").then(|| query(request.uri().query(), "token")).flatten()
    });
    match asked {
        Some(asked) if bool::from(asked.as_bytes().ct_eq(token.as_bytes())) => Ok(()),
        asked => {
            let error = if asked.is_some() { "invalid_token" } else { "token_required" };
            let words = "send `Authorization: Bearer <token>` with the token that the daemon was started with";
            let mut refusal = refuse(StatusCode::UNAUTHORIZED, error, words);
            refusal.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            Err(Box::new(refusal))
        }
    }
}

/// The token of the usual header.
fn bearer(headers: &HeaderMap) -> Option<String> {
    let text = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = text.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim().to_owned())
}

/// A value of a query.
pub(super) fn query(query: Option<&str>, name: &str) -> Option<String> {
    let url = axum::http::Uri::builder().path_and_query(format!("/?{}", query?)).build().ok()?;
    let axum::extract::Query(pairs) = axum::extract::Query::<Vec<(String, String)>>::try_from_uri(&url).ok()?;
    pairs.into_iter().find(|(key, _)| key == name).map(|(_, value)| value)
}

/// Whether the request means this machine; asked only where nobody else can reach it.
fn host_is_meant(headers: &HeaderMap, target: Option<&str>, address: SocketAddr) -> bool {
    if !address.ip().is_loopback() {
        return true;
    }
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).or(target);
    host.is_some_and(|host| is_this_machine(host_of(host)))
}

/// A host without its port.
fn host_of(authority: &str) -> &str {
    match authority.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((host, _)) => host,
        None => authority.split(':').next().unwrap_or(authority),
    }
}

fn is_this_machine(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost") || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// Whether the page that asks may. A request without an origin is no browser's.
fn origin_is_allowed(headers: &HeaderMap, allowed: &[String]) -> bool {
    let Some(origin) = headers.get(header::ORIGIN) else { return true };
    let Ok(origin) = origin.to_str() else { return false };
    let own = headers.get(header::HOST).and_then(|host| host.to_str().ok());
    let is_own = own.is_some_and(|host| origin.strip_prefix("http://").is_some_and(|origin| origin.eq_ignore_ascii_case(host)));
    is_own || allowed.iter().any(|allowed| allowed == "*" || allowed.trim_end_matches('/').eq_ignore_ascii_case(origin))
}

fn allow(headers: &mut HeaderMap, origin: HeaderValue) {
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static(METHODS));
    headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static(HEADERS));
    headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static("mcp-session-id, mcp-session-idle-ttl"));
    headers.append(header::VARY, HeaderValue::from_static("origin"));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(host: &str, origin: Option<&str>) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, HeaderValue::from_str(host).expect("a header"));
        if let Some(origin) = origin {
            headers.insert(header::ORIGIN, HeaderValue::from_str(origin).expect("a header"));
        }
        headers
    }

    #[test]
    fn a_name_that_was_made_to_mean_this_machine_is_no_host() {
        let here: SocketAddr = "127.0.0.1:7".parse().expect("an address");
        for host in ["localhost:7", "127.0.0.1:7", "[::1]:7", "LOCALHOST", "127.9.9.9"] {
            assert!(host_is_meant(&headers(host, None), None, here), "{host}");
        }
        for host in ["evil.example", "localhost.evil.example:7", "127.0.0.1.evil.example", "10.0.0.1:7", ""] {
            assert!(!host_is_meant(&headers(host, None), None, here), "{host}");
        }
        assert!(!host_is_meant(&HeaderMap::new(), None, here));
        let everywhere: SocketAddr = "0.0.0.0:7".parse().expect("an address");
        assert!(host_is_meant(&headers("box.example", None), None, everywhere));
    }

    #[test]
    fn only_own_and_allowed_pages_may_ask() {
        let allowed = |origin: Option<&str>, list: &[&str]| {
            let list: Vec<String> = list.iter().map(|one| (*one).to_owned()).collect();
            origin_is_allowed(&headers("localhost:7", origin), &list)
        };
        assert!(allowed(None, &[]) && allowed(Some("http://localhost:7"), &[]));
        assert!(!allowed(Some("http://localhost:8"), &[]) && !allowed(Some("null"), &[]));
        assert!(!allowed(Some("https://evil.example"), &["https://app.example"]));
        assert!(allowed(Some("https://app.example"), &["https://app.example/"]) && allowed(Some("null"), &["*"]));
    }

    #[test]
    fn a_token_is_read_from_its_header() {
        let mut headers = HeaderMap::new();
        assert_eq!(bearer(&headers), None);
        headers.insert(header::AUTHORIZATION, HeaderValue::from_static("bearer  x y "));
        assert_eq!(bearer(&headers).as_deref(), Some("x y"));
        headers.insert(header::AUTHORIZATION, HeaderValue::from_static("Basic eA=="));
        assert_eq!(bearer(&headers), None);
        assert_eq!(query(Some("a=1&token=x%20y"), "token").as_deref(), Some("x y"));
        assert_eq!((query(None, "token"), query(Some("a"), "token")), (None, None));
    }
}
