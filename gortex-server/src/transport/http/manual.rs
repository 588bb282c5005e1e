//! `docs/http.md`, from the table of routes.
//!
//! The page is generated; a test fails when a route is not on it.

use std::fmt::Write as _;
use std::path::Path;

use super::routes::ROUTES;

/// Regenerates the page.
const COMMAND: &str = "GORTEX_WRITE_DOCS=1 cargo test -p gortex-server --lib manual";

const HEAD: &str = "# HTTP

<!-- Generated from the table in gortex-server/src/transport/http/routes.rs: do not edit. -->

`gortex daemon start --http-addr 127.0.0.1:7411` offers HTTP beside the daemon's socket; port 0 takes a free one, which `gortex daemon
status` names. On this machine's own addresses no token is needed. An address that other machines reach needs one, in
`GORTEX_DAEMON_HTTP_TOKEN` or `--http-auth-token`, or the daemon does not start. There is no TLS: put a proxy in front of it.

## Who may ask

| check | refusal |
|---|---|
| On a loopback address, `Host` names this machine | 403 `host_not_allowed` |
| `Origin`, where there is one, is this server or was given by `--cors-origin` | 403 `origin_not_allowed` |
| `Authorization: Bearer <token>`, where there is a token; `/healthz` and preflights are exempt, `/v1/events` also takes `?token=` | 401 `token_required`, `invalid_token` |

The token is compared in constant time. Refusals of `/v1/*` are `{\"error\": code, \"message\": text}`; those of `/mcp` are errors of JSON-RPC
with the id of the request and the word in `error.data.error_code`.

## Headers

| header | meaning |
|---|---|
| `X-Gortex-Cwd` | the folder that is meant; without it, the one the daemon was started in |
| `X-Gortex-Tools` | which tools the caller sees, as for `GORTEX_TOOLS`; fixed for a session by its first request |
| `Mcp-Session-Id` | the session; `/v1/tools` takes it, or `?session_id=`, too |
| `Mcp-Session-Idle-Ttl` | in answers: after how many seconds of silence the session ends; -1 is never |

## MCP

`/mcp` is Streamable HTTP for all revisions of the protocol from 2024-11-05 to 2026-07-28. In the older ones `initialize` opens a session,
every later request carries its id, `GET` opens the stream of the server's messages and `DELETE` ends the session (204, also when it is
gone). Requests of 2026-07-28 stand alone: what a session would remember is not there for the next one.

| input | answer |
|---|---|
| an unknown or expired session | 404, code -32001, `session_not_found`; send `initialize` again |
| no session where one is needed | 400, `session_required` |
| a revision that nobody knows in `Mcp-Protocol-Version` | 400, code -32022, `unsupported_protocol_version` with the known ones |
| no JSON | 400, code -32700, `malformed` |
| a batch | 400, `batch`: it left the protocol with revision 2025-06-18 |
| another content type than `application/json` | 415, `content_type` |
| `Accept` without `application/json` and `text/event-stream` | 406, `not_acceptable` |
| more than 4 MiB | 413, `body_too_large` |

## Routes

| method | path | answer |
|---|---|---|
";

const TAIL: &str = "
Query parameters of a view that is an operation's answer are the arguments of that operation. One whose operation this build does not
have answers 501 with `{\"error\": \"unavailable\", \"missing\": tool}`.

`POST /v1/tools/{name}` takes `{\"arguments\": {…}, \"format\"?, \"cwd\"?}` or the arguments themselves, up to 1 MiB, and answers
`{\"content\": […], \"isError\"?}` with status 200 also when the tool refuses. A name nobody has is 404 `tool_not_found` with
`available_tools`. Without a session the caller sees what the daemon was started with; `X-Gortex-Tools: compact` asks for the 21.

Every call has 60 seconds, `GORTEX_MCP_TOOL_TIMEOUT` makes that less. A client that hangs up cancels its call of `/v1/tools`; a stream of
`/mcp` may be resumed, so its call goes on. A write that is given up is refused if nothing was written yet, and names the files
otherwise.
";

fn page() -> String {
    let mut page = HEAD.to_owned();
    for route in ROUTES {
        let _ = writeln!(page, "| {} | `{}` | {} |", route.methods, route.path, route.what);
    }
    page + TAIL
}

#[test]
fn the_page_of_http_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/http.md");
    let page = page();
    if std::env::var_os("GORTEX_WRITE_DOCS").is_some() {
        std::fs::write(&path, &page).expect("the page");
    }
    let there = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(there.replace("\r\n", "\n") == page, "docs/http.md is out of date: {COMMAND}");
}
