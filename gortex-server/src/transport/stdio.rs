//! MCP over the standard streams of the process.
//!
//! The connection is one session. The handshake waits for nothing. Every call is bounded in time, may be cancelled, and ends with one text block. The end
//! of the input is the end of the process: what is on its way gets a moment, the rest is dropped.
//!
//! Standard output carries the protocol and nothing else.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use gortex_core::{CallError, Code, Extensions, Registry};
use parking_lot::Mutex;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomNotification, CustomRequest, CustomResult,
    DiscoverResult, ErrorCode, Implementation, InitializeRequestParams, InitializeResult, JsonObject, ListToolsResult,
    MetaObject, PaginatedRequestParams, ProtocolVersion, ServerCapabilities, ServerConfig, Tool, ToolAnnotations,
};
use rmcp::service::{Peer, RequestContext, ServerInitializeError};
use rmcp::transport::stdio_pipes;
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt as _};
use serde_json::Value;
use tokio::sync::{Semaphore, mpsc};
use tokio_util::sync::CancellationToken;

use super::lines::Lines;
use super::progress::Forwarding;
use crate::session::{
    Caller, ClientInfo, Notification, Opening, ProgressSink, Road, Served, SessionHandle, TooManySessions, notifications,
};
use crate::state::{Readiness, Server};
use crate::surface::{Policy, Selection, resolve};

/// How long one call may take.
const CALL_TIME: Duration = Duration::from_mins(1);
/// How many calls of one connection run at the same time.
const CONCURRENT: usize = 8;
/// What answers that are on their way get when the input ends.
const GRACE: Duration = Duration::from_millis(900);
/// What writing the snapshot gets at the end.
const FLUSH: Duration = Duration::from_millis(600);

/// One connection.
pub struct Connection {
    road: Road,
    session: SessionHandle,
    /// What is to be sent without being asked; taken by the first request, which knows the peer.
    outbox: Mutex<Option<mpsc::Receiver<Notification>>>,
    slots: Semaphore,
    closing: CancellationToken,
}

impl Connection {
    /// A connection to a server. `closing` ends its calls.
    pub fn new(road: Road, closing: CancellationToken) -> Result<Connection, TooManySessions> {
        let (notifier, outbox) = notifications();
        let session = road.server.sessions().open(Opening { notifier: Some(notifier), ..Opening::default() })?;
        Ok(Connection { road, session, outbox: Mutex::new(Some(outbox)), slots: Semaphore::new(CONCURRENT), closing })
    }

    /// What the connection sees: decided by the first request that needs it, then fixed.
    fn selection(&self, cx: &RequestContext<RoleServer>) -> &Selection {
        if let Some(client) = cx.client_info() {
            self.session.introduce(ClientInfo::new(client.name, client.version));
        }
        self.listen(cx);
        self.road.surface(&self.session)
    }

    /// Forwards the session's notifications from now on.
    fn listen(&self, cx: &RequestContext<RoleServer>) {
        if let Some(outbox) = self.outbox.lock().take() {
            tokio::spawn(forward(outbox, cx.peer.clone()));
        }
    }

    fn instructions(&self, compact: bool) -> String {
        let guide = if compact { COMPACT_GUIDE } else { LEGACY_GUIDE };
        match self.road.server.readiness() {
            Readiness::Inactive { reason } => format!("Gortex is inactive here: {reason}.\n\n{guide}"),
            _ => guide.to_owned(),
        }
    }

    /// Runs one call within its bounds.
    async fn serve_call(&self, name: &str, arguments: Option<JsonObject>, cx: &RequestContext<RoleServer>) -> Served {
        self.selection(cx);
        let (sink, forwarding) = match cx.meta.get_progress_token() {
            Some(token) => {
                let (sink, forwarding) = Forwarding::start(cx.peer.clone(), token);
                (sink, Some(forwarding))
            }
            None => (ProgressSink::default(), None),
        };
        let request = Extensions::new().with(Caller::Agent).with(sink);
        let arguments = arguments.map_or(Value::Null, Value::Object);
        let work = async {
            let _slot = self.slots.acquire().await;
            self.road.call(&self.session, request, name, arguments).await
        };
        let served = tokio::select! {
            served = tokio::time::timeout(CALL_TIME, work) => served.unwrap_or_else(|_| Served::refused(timed_out(name))),
            () = cx.ct.cancelled() => Served::refused(CallError::new(Code::Cancelled, "the client cancelled the call")),
            () = self.closing.cancelled() => Served::refused(CallError::new(Code::Cancelled, "the server is shutting down")),
        };
        if let Some(forwarding) = forwarding {
            forwarding.finish().await;
        }
        served
    }
}

/// Sends what a session has to say until the session or the client is gone.
async fn forward(mut outbox: mpsc::Receiver<Notification>, peer: Peer<RoleServer>) {
    while let Some(Notification { method, params }) = outbox.recv().await {
        let message = CustomNotification::new(method, Some(params));
        if let Err(error) = peer.send_notification(message.into()).await {
            tracing::debug!(%error, "notifications end");
            return;
        }
    }
}

/// What an agent is told once, instead of in every description.
const COMPACT_GUIDE: &str = "Gortex answers questions about the code of this workspace from a graph of files, symbols and \
their relations that follows the working tree; it replaces grep, find and reading whole files.\n\
Loop: explore(task) finds where to work -> search, read and relations(target={\"symbol\": ..}) give exact places, source and \
callers or usages -> change(operation=\"impact\" or \"tests\") says what an edit would reach -> edit and refactor write (with \
dry_run first when unsure) -> change(operation=\"detect\") checks what was changed.\n\
Each tool takes an operation; capabilities(domain, operation, detail=\"schema\") gives its exact arguments. An ambiguous name \
is answered with candidates: call again with an id. Counts are totals; a cut answer carries next_cursor.";

/// The same for sessions of legacy names.
const LEGACY_GUIDE: &str = "Gortex answers questions about the code of this workspace from a graph of files, symbols and their \
relations that follows the working tree; it replaces grep, find and reading whole files. An ambiguous name is answered with \
candidates: call again with an id.";

fn timed_out(name: &str) -> CallError {
    CallError::new(Code::Timeout, format!("`{name}` took longer than {} seconds and was given up", CALL_TIME.as_secs()))
        .retriable(true)
        .hint("narrow the question, or ask again when the index is ready")
}

fn result_of(served: Served) -> CallToolResult {
    let block = vec![ContentBlock::text(served.text)];
    let mut result = if served.output.is_error { CallToolResult::error(block) } else { CallToolResult::success(block) };
    if !served.output.meta.is_empty() {
        result.meta = Some(MetaObject(served.output.meta));
    }
    result
}

fn tool_of(tool: gortex_core::ToolDef) -> Tool {
    let meta = tool.meta();
    // As `Annotations::to_value`: `idempotentHint` says nothing new, and 21 of them are a fiftieth of the list.
    let hints = ToolAnnotations::new()
        .read_only(tool.annotations.read_only)
        .destructive(tool.annotations.destructive)
        .open_world(tool.annotations.open_world);
    let out = Tool::new(tool.name, tool.description, Arc::new(tool.input_schema)).with_annotations(hints);
    match meta {
        Some(meta) => out.with_meta(MetaObject(meta)),
        None => out,
    }
}

impl ServerHandler for Connection {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("gortex", env!("CARGO_PKG_VERSION")))
            .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        self.session.introduce(ClientInfo::new(&request.client_info.name, &request.client_info.version));
        let selection = self.selection(&cx);
        let mut answer = self.negotiate_initialize(&request)?;
        answer.instructions = Some(self.instructions(selection.names.is_none()));
        cx.peer.set_peer_info(request);
        Ok(answer)
    }

    async fn discover(&self, cx: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        // A probe: it shows what its sender would see and decides nothing yet.
        let compact = resolve(&self.road.registry, &self.road.policy, cx.client_info().map(|client| client.name).as_deref())
            .names
            .is_none();
        let mut answer = DiscoverResult::from_server_info(self.supported_protocol_versions().into_owned(), self.get_info());
        answer.instructions = Some(self.instructions(compact));
        Ok(answer)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        cx: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let selection = self.selection(&cx);
        let tools = selection.definitions(&self.road.registry).into_iter().map(tool_of).collect();
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        Ok(result_of(self.serve_call(&request.name, request.arguments, &cx).await).into())
    }

    async fn on_custom_request(&self, request: CustomRequest, _: RequestContext<RoleServer>) -> Result<CustomResult, ErrorData> {
        // A known method whose parameters did not fit arrives here as well.
        if matches!(request.method.as_str(), "initialize" | "ping" | "tools/call" | "tools/list" | "server/discover") {
            return Err(ErrorData::invalid_params(format!("the parameters of `{}` are malformed", request.method), None));
        }
        let words = format!("the method `{}` does not exist here", request.method);
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, words, None))
    }
}

/// Serves the process's standard streams until either end is gone or the process is told to stop.
pub async fn serve(server: Arc<Server>, registry: Arc<Registry>, policy: Policy) -> ExitCode {
    let closing = CancellationToken::new();
    let ended = CancellationToken::new();
    let road = Road::new(Arc::clone(&server), registry, policy);
    let connection = match Connection::new(road, closing.clone()) {
        Ok(connection) => connection,
        Err(error) => {
            tracing::error!(%error, "the connection could not be opened");
            return ExitCode::FAILURE;
        }
    };
    let (read, write) = stdio_pipes();
    let lines = Lines::new(read, write, ended.clone());
    let mut run = tokio::spawn(async move {
        match connection.serve(lines).await {
            Ok(running) => running.waiting().await.map(drop).map_err(|error| error.to_string()),
            Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
            Err(error) => Err(error.to_string()),
        }
    });
    let outcome = tokio::select! {
        outcome = &mut run => Some(outcome),
        () = ended.cancelled() => tokio::time::timeout(GRACE, &mut run).await.ok(),
        () = told_to_stop() => None,
    };
    closing.cancel();
    let last = Arc::clone(&server);
    if tokio::time::timeout(FLUSH, server.blocking(move |_| last.shut_down())).await.is_err() {
        tracing::warn!("the snapshot was not written in time; the next start reads the changed files again");
    }
    match outcome {
        Some(Ok(Err(error))) if !ended.is_cancelled() => {
            tracing::error!(error, "the connection could not be served");
            ExitCode::FAILURE
        }
        Some(Err(error)) => {
            tracing::error!(%error, "the connection ended badly");
            ExitCode::FAILURE
        }
        _ => ExitCode::SUCCESS,
    }
}

/// Waits for an interrupt, or for the request to end that service managers send.
async fn told_to_stop() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut end) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = end.recv() => return,
                _ = tokio::signal::ctrl_c() => return,
            }
        }
    }
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}

#[cfg(test)]
mod tests;
