//! What the server counts, in the text format that Prometheus reads.
//!
//! No metric carries a path of a repository, a symbol or a client's name: routes are named by their pattern.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use parking_lot::Mutex;

use super::{Web, routes};

/// Requests by route and status.
#[derive(Default)]
pub(super) struct Counters(Mutex<BTreeMap<(&'static str, u16), u64>>);

impl Counters {
    /// Counts one request.
    pub(super) fn count(&self, path: &str, status: StatusCode) {
        *self.0.lock().entry((routes::pattern_of(path), status.as_u16())).or_default() += 1;
    }
}

/// The page.
pub(super) async fn page(State(web): State<Arc<Web>>) -> Response {
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text(&web)).into_response()
}

fn text(web: &Web) -> String {
    let mut out = String::new();
    let hosts = web.daemon.hosts().all();
    let sum = |of: &dyn Fn(&super::super::daemon::hosts::HostState) -> u64| hosts.iter().map(of).sum::<u64>();
    let mut gauge = |name: &str, help: &str, value: u64| {
        let _ = write!(out, "# HELP gortex_{name} {help}\n# TYPE gortex_{name} gauge\ngortex_{name} {value}\n");
    };
    gauge("uptime_seconds", "How long the daemon runs.", web.daemon.uptime().as_secs());
    gauge("sessions", "Open sessions of clients.", web.daemon.sessions() as u64);
    gauge("servers", "Sets of repositories that are served.", hosts.len() as u64);
    gauge("repositories", "Repositories that are served.", sum(&|host| host.server.engine().view().repos.len() as u64));
    gauge("files", "Files of all graphs.", sum(&|host| host.server.engine().view().graph.files.len() as u64));
    gauge("nodes", "Nodes of all graphs.", sum(&|host| u64::from(host.server.engine().view().graph.node_count())));
    gauge("edges", "Edges of all graphs.", sum(&|host| host.server.engine().view().graph.edges().len() as u64));
    gauge("calls_waiting", "Calls that stand in line.", sum(&|host| host.server.queue().waiting() as u64));
    if let Some(bytes) = resident_bytes() {
        gauge("resident_memory_bytes", "Memory of the process that is in use.", bytes);
    }
    let _ = write!(
        out,
        "# HELP gortex_build_info The version that runs.\n# TYPE gortex_build_info gauge\ngortex_build_info{{version=\"{}\"}} 1\n",
        env!("CARGO_PKG_VERSION")
    );
    out.push_str(
        "# HELP gortex_http_requests_total HTTP requests by route and status.\n# TYPE gortex_http_requests_total counter\n",
    );
    for ((route, status), count) in web.counters.0.lock().iter() {
        let _ = writeln!(out, "gortex_http_requests_total{{route=\"{route}\",status=\"{status}\"}} {count}");
    }
    out
}

/// Resident memory of this process, where the system tells it.
pub(super) fn resident_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|kib| kib << 10)
}
