//! A snapshot of the process.
//!
//! Memory and threads are what the system says of the process; where it says nothing they are left out.

use std::sync::Arc;
use std::time::Instant;

use serde_json::{Map, Value, json};

use crate::state::Server;

/// What is told of the process now.
pub(super) fn snapshot(server: &Arc<Server>, started: Instant) -> Value {
    let view = server.engine().view();
    let mut out = json!({
        "uptime_seconds": started.elapsed().as_secs(),
        "num_gc": 0,
        "tracked_repos": view.repos.len(),
        "sessions": server.sessions().count(),
        "lsp_alive": 0,
        "node_count": view.graph.node_count(),
        "edge_count": view.graph.edges().len(),
    });
    if let Value::Object(out) = &mut out {
        out.extend(memory(std::fs::read_to_string("/proc/self/status").unwrap_or_default().as_str()));
    }
    out
}

/// Memory and threads out of the system's word about a process.
fn memory(status: &str) -> Map<String, Value> {
    let number = |key: &str| -> Option<u64> {
        let line = status.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'))?;
        line.split_whitespace().next()?.parse().ok()
    };
    let bytes = |key: &str| number(key).map(|kilo| kilo * 1024);
    let mut out = Map::new();
    let mut put = |key: &str, value: Option<u64>| {
        if let Some(value) = value {
            out.insert(key.to_owned(), value.into());
        }
    };
    put("alloc_bytes", bytes("VmRSS"));
    put("sys_bytes", bytes("VmSize"));
    put("num_goroutine", number("Threads"));
    let heap: Map<String, Value> = [("resident_bytes", "RssAnon"), ("peak_bytes", "VmHWM"), ("data_bytes", "VmData")]
        .into_iter()
        .filter_map(|(name, key)| Some((name.to_owned(), bytes(key)?.into())))
        .collect();
    if !heap.is_empty() {
        out.insert("heap".to_owned(), Value::Object(heap));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_the_systems_and_missing_ones_are_left_out() {
        let told = memory("Name:\tgortex\nVmRSS:\t  12 kB\nThreads:\t7\nRssAnon:\t 3 kB\n");
        assert_eq!(Value::Object(told), json!({"alloc_bytes": 12288, "num_goroutine": 7, "heap": {"resident_bytes": 3072}}));
        assert!(memory("").is_empty());
    }
}
