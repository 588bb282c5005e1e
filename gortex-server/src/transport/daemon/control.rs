//! Orders to the daemon: one line, one answer, in order.
//!
//! Knows orders; a call among them is answered as `gortex call` answers it without a daemon.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncBufRead, AsyncWrite};

use super::Daemon;
use super::hosts::HostState;
use super::wire::{self, Hello, ORDER_BYTES, Order, Outcome, WireError};
use crate::operator::{CallAnswer, CallOrder, answer, policy, unknown_options};
use crate::session::{ClientInfo, Opening, ProgressSink, Road};
use crate::transport::bounds::{Bounded, GivenUp};

/// How long an order that only looks may take.
const LOOK_TIME: Duration = Duration::from_secs(30);

/// Serves the orders of one connection until it ends.
pub(super) async fn serve(
    daemon: &Arc<Daemon>,
    hello: &Hello,
    read: &mut (impl AsyncBufRead + Unpin),
    write: &mut (impl AsyncWrite + Unpin),
) -> Result<(), WireError> {
    loop {
        let order: Order = match wire::read(read, ORDER_BYTES).await {
            Ok(order) => order,
            Err(WireError::Ended { started: false }) => return Ok(()),
            Err(WireError::Malformed(error)) => {
                wire::write(write, &Outcome::refused("malformed", error.to_string())).await?;
                continue;
            }
            Err(error) => {
                wire::write(write, &Outcome::refused("malformed", error.to_string())).await?;
                return Err(error);
            }
        };
        let outcome = match order.kind.as_str() {
            "call" => call(daemon, hello, order.params, read).await?,
            "shutdown" | "reload" => obey(daemon, &order).await,
            _ => tokio::time::timeout(LOOK_TIME, obey(daemon, &order))
                .await
                .unwrap_or_else(|_| Outcome::refused("timeout", format!("`{}` took longer than 30 seconds", order.kind))),
        };
        wire::write(write, &outcome).await?;
    }
}

async fn obey(daemon: &Arc<Daemon>, order: &Order) -> Outcome {
    match order.kind.as_str() {
        "probe" => Outcome::done(probe(daemon)),
        "status" => {
            let exact = order.params["exact"] == true;
            let asked = Arc::clone(daemon);
            match tokio::task::spawn_blocking(move || status(&asked, exact)).await {
                Ok(status) => Outcome::done(status),
                Err(error) => Outcome::refused("internal", error.to_string()),
            }
        }
        "reload" => {
            let hosts = daemon.hosts.clone();
            match tokio::task::spawn_blocking(move || hosts.reload()).await {
                Ok(looked) => Outcome::done(json!({"servers": looked})),
                Err(error) => Outcome::refused("internal", error.to_string()),
            }
        }
        "shutdown" => {
            let others = daemon.sessions();
            if order.params["if_idle"] == true && others > 0 {
                return Outcome::refused("busy", format!("{others} sessions are open"));
            }
            daemon.stop.cancel();
            Outcome::done(json!({"pid": std::process::id(), "sessions": others, "start": daemon.start_flags()}))
        }
        other => Outcome::refused("unknown_order", format!("there is no order `{other}`; there are: {}", ORDERS.join(", "))),
    }
}

/// What can be ordered.
const ORDERS: [&str; 5] = ["call", "probe", "reload", "shutdown", "status"];

/// What costs nothing to say.
fn probe(daemon: &Daemon) -> Value {
    let hosts = daemon.hosts.all();
    let ready = hosts.iter().all(|host| host.server.readiness().as_str() != "indexing");
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "instance": daemon.instance,
        "pid": std::process::id(),
        "uptime_seconds": daemon.uptime().as_secs(),
        "ready": ready,
        "tracked_repos": hosts.iter().map(|host| host.server.engine().view().repos.len()).sum::<usize>(),
        "sessions": daemon.sessions(),
    })
}

/// Everything; `exact` looks at the disk first. Blocks.
fn status(daemon: &Daemon, exact: bool) -> Value {
    let mut status = probe(daemon);
    status["socket"] = daemon.place.socket.display().to_string().into();
    status["log"] = daemon.place.log.display().to_string().into();
    status["http"] = daemon.http_address().map_or(Value::Null, |address| address.to_string().into());
    status["exact"] = exact.into();
    status["servers"] = daemon.hosts.all().iter().map(|host| host_status(host, exact)).collect();
    status["start"] = daemon.start_flags();
    status
}

fn host_status(host: &HostState, exact: bool) -> Value {
    let engine = host.server.engine();
    let view = if exact { engine.fresh(true) } else { engine.view() };
    let repos: Vec<Value> = view
        .repos
        .iter()
        .map(|repo| json!({"name": repo.name, "path": repo.root.display().to_string(), "missing": !repo.root.is_dir()}))
        .collect();
    let readiness = host.server.readiness();
    json!({
        "repos": repos,
        "readiness": readiness.as_str(),
        "reason": readiness.reason(),
        "files": view.graph.files.len(),
        "nodes": view.graph.node_count(),
        "edges": view.graph.edges().len(),
        "generation": view.graph.generation,
        "sessions": host.server.sessions().count(),
        "calls_waiting": host.server.queue().waiting(),
        "idle_seconds": if host.users == 0 { host.idle.as_secs() } else { 0 },
    })
}

/// Serves a call. The client may hang up meanwhile, which cancels it.
async fn call(
    daemon: &Arc<Daemon>,
    hello: &Hello,
    params: Value,
    read: &mut (impl AsyncBufRead + Unpin),
) -> Result<Outcome, WireError> {
    let order: CallOrder = match serde_json::from_value(params) {
        Ok(order) => order,
        Err(error) => return Ok(Outcome::refused("malformed", error.to_string())),
    };
    let lease = match daemon.open(hello) {
        Ok(lease) => lease,
        Err(error) => return Ok(Outcome::refused("internal", error.to_string())),
    };
    let policy = policy(&order, unknown_options(hello.arg_guard.as_deref()));
    let road = Road::new(Arc::clone(&lease.server), Arc::clone(daemon.hosts.registry()), policy);
    let client = Some(ClientInfo::new("gortex", env!("CARGO_PKG_VERSION")));
    let session = match road.server.sessions().open(Opening { client, cwd: hello.cwd.clone(), ..Opening::default() }) {
        Ok(session) => session,
        Err(error) => return Ok(Outcome::refused("internal", error.to_string())),
    };
    let lane = road.server.queue().lane(1);
    let gone = async {
        use tokio::io::AsyncBufReadExt as _;
        // Orders wait for their turn; only the end of the connection says something now.
        match read.fill_buf().await {
            Ok([]) | Err(_) => GivenUp::Cancelled,
            Ok(_) => std::future::pending().await,
        }
    };
    let give_up = async {
        tokio::select! {
            why = gone => why,
            () = daemon.closing.cancelled() => GivenUp::Closing,
        }
    };
    let bounded = Bounded { road: &road, session: &session, lane: &lane, bounds: daemon.bounds };
    let served = answer(bounded, &order, ProgressSink::default(), give_up).await;
    Ok(serde_json::to_value(CallAnswer::of(served))
        .map_or_else(|error| Outcome::refused("internal", error.to_string()), Outcome::done))
}
