//! The routes: one table, which the router, the metrics and `docs/http.md` read.

use std::sync::Arc;

use axum::Router;
use axum::http::StatusCode;
use axum::routing::{MethodRouter, any, get, post};

use super::{Web, guard, mcp, metrics, refuse, tools, views};

/// One route as it is documented.
#[derive(Clone, Copy, Debug)]
pub struct Route {
    /// The methods.
    pub methods: &'static str,
    /// The path, with names in braces.
    pub path: &'static str,
    /// What it answers.
    pub what: &'static str,
}

const fn route(methods: &'static str, path: &'static str, what: &'static str) -> Route {
    Route { methods, path, what }
}

/// All routes.
pub const ROUTES: &[Route] = &[
    route("GET", "/healthz", "`{status, transport, spec}`; needs no token."),
    route("GET", "/metrics", "Counters and gauges in the text format of Prometheus."),
    route("POST, GET, DELETE", "/mcp", "MCP by Streamable HTTP."),
    route("GET", "/v1/health", "Status, size of the graph, versions, `capabilities`."),
    route("GET", "/v1/tools", "The tools that the caller sees: `[{name, description}]`, sorted."),
    route("POST", "/v1/tools/{name}", "Calls a tool: `{content, isError?}`."),
    route("GET", "/v1/stats", "What `workspace.graph` answers, with `server_id` and `started_at`."),
    route(
        "GET",
        "/v1/graph",
        "Nodes and edges: `?repo=`, `?project=`, `?limit=` (2000 nodes unless said otherwise, at most 20000).",
    ),
    route("GET", "/v1/subgraph", "What lies around a symbol: `?id=`, `?depth=`, `?direction=` (`trace.walk`)."),
    route("GET", "/v1/events", "Server-sent events: index and health as they change. Also takes `?token=`."),
    route("GET", "/v1/repos", "The tracked repositories (`workspace.repos`)."),
    route("GET", "/v1/workspaces/{ws}/repos", "The repositories of one workspace; a repository's name is its workspace."),
    route("GET", "/v1/dashboard", "Health, size and repositories in one answer."),
    route("GET", "/v1/caveats", "What the index could not understand or left out (`workspace.index`)."),
    route("GET", "/v1/activity", "Recent changes (`analyze.recent_changes`)."),
    route("GET", "/v1/processes", "Execution flows (`analyze.processes`)."),
    route("GET", "/v1/contracts", "Contracts between repositories (`analyze.contracts`)."),
    route("GET", "/v1/contracts/validate", "The same, checked."),
    route("GET", "/v1/communities", "Communities of the graph (`analyze.communities`)."),
    route("GET", "/v1/guards", "Guards of the repository (`change.guards`)."),
    route("POST", "/v1/overlay/sessions", "Opens an overlay session; 503 while overlays are off."),
    route("DELETE", "/v1/overlay/sessions/{id}", "Ends it; 503 while overlays are off."),
    route("PUT, GET, DELETE", "/v1/overlay/sessions/{id}/files", "Its files; 503 while overlays are off."),
];

/// The router with everything in front of it.
pub(super) fn router(web: Arc<Web>) -> Router {
    let mut router = Router::new();
    for route in ROUTES {
        router = router.route(route.path, served(route.path));
    }
    router
        .fallback(|| async { refuse(StatusCode::NOT_FOUND, "no_such_route", "there is no such route; docs/http.md lists them") })
        .method_not_allowed_fallback(|| async {
            refuse(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", "this route does not take that method")
        })
        .layer(axum::middleware::from_fn_with_state(Arc::clone(&web), guard::check))
        .with_state(web)
}

/// What serves a path of the table.
fn served(path: &'static str) -> MethodRouter<Arc<Web>> {
    match path {
        "/healthz" => get(views::alive),
        "/metrics" => get(metrics::page),
        "/mcp" => any(mcp::serve),
        "/v1/health" => get(views::health),
        "/v1/tools" => get(tools::list),
        "/v1/tools/{name}" => post(tools::call),
        "/v1/stats" => get(views::stats),
        "/v1/graph" => get(views::graph),
        "/v1/events" => get(views::events),
        "/v1/workspaces/{ws}/repos" => get(views::workspace_repos),
        "/v1/dashboard" => get(views::dashboard),
        "/v1/overlay/sessions" => post(views::overlays_are_off),
        "/v1/overlay/sessions/{id}" => axum::routing::delete(views::overlays_are_off),
        "/v1/overlay/sessions/{id}/files" => {
            get(views::overlays_are_off).put(views::overlays_are_off).delete(views::overlays_are_off)
        }
        _ => get(views::of_operation),
    }
}

/// The pattern of the route that a path belongs to.
pub(super) fn pattern_of(path: &str) -> &'static str {
    let fits = |pattern: &str| {
        let (mut these, mut those) = (pattern.split('/'), path.split('/'));
        loop {
            match (these.next(), those.next()) {
                (None, None) => return true,
                (Some(name), Some(part)) if name.starts_with('{') && !part.is_empty() || name == part => {}
                _ => return false,
            }
        }
    };
    ROUTES.iter().map(|route| route.path).find(|pattern| fits(pattern)).unwrap_or("other")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_belong_to_their_patterns() {
        assert_eq!(pattern_of("/v1/tools/search"), "/v1/tools/{name}");
        assert_eq!(pattern_of("/v1/workspaces/é/repos"), "/v1/workspaces/{ws}/repos");
        assert_eq!((pattern_of("/v1/tools"), pattern_of("/v1/tools/")), ("/v1/tools", "other"));
        assert_eq!(pattern_of("/etc/passwd"), "other");
    }
}
