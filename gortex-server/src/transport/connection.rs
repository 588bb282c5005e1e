//! One MCP connection, whatever carries its messages.
//!
//! The connection is one session. The handshake waits for nothing. Every call is bounded in time, may be cancelled, and ends
//! with one text block.
//!
//! Knows the protocol through `rmcp`; streams, sockets and HTTP are its callers.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use axum::http::request::Parts;
use gortex_core::Extensions;
use parking_lot::Mutex;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestParams, CompleteResult, ContentBlock,
    CustomNotification, CustomRequest, CustomResult, DiscoverResult, ErrorCode, GetPromptRequestParams, GetPromptResponse,
    Implementation, InitializeRequestParams, InitializeResult, JsonObject, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, MetaObject, PaginatedRequestParams, ProtocolVersion, ReadResourceRequestParams,
    ReadResourceResponse, ServerCapabilities, ServerConfig, SubscribeRequestParams, Tool, ToolAnnotations,
    UnsubscribeRequestParams,
};
use rmcp::service::{NotificationContext, Peer, RequestContext, ServerInitializeError};
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt as _};
use serde_json::Value;
use tokio::io::AsyncRead;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::bounds::{Bounded, Bounds, GivenUp};
use super::lines::Lines;
use super::progress::Forwarding;
use super::queue::Lane;
use crate::offers::{Asker, complete, prompts, resources};
use crate::session::{
    Caller, ClientInfo, Notification, Opening, ProgressSink, Road, Served, Session, SessionHandle, TooManySessions, notifications,
};
use crate::state::Readiness;
use crate::surface::{Selection, resolve};

/// What answers that are on their way get when the input ends.
const GRACE: Duration = Duration::from_millis(900);

/// What serves a connection, and what keeps it there.
pub struct Attachment {
    /// The way to dispatch.
    pub road: Road,
    /// How the session begins; the notifier is the connection's own.
    pub opening: Opening,
    /// Held as long as the connection lives.
    pub lease: Option<Box<dyn Send + Sync>>,
}

/// Finds what serves a connection when its first request is there, which over HTTP says where its client works.
pub type Finder = Arc<dyn Fn(Option<&Parts>) -> Result<Attachment, String> + Send + Sync>;

/// What a connection is attached to.
struct Attached {
    road: Road,
    session: SessionHandle,
    lane: Lane,
    /// What is to be sent without being asked; taken by the first request, which knows the peer.
    outbox: Mutex<Option<mpsc::Receiver<Notification>>>,
    _lease: Option<Box<dyn Send + Sync>>,
}

/// One connection.
pub struct Connection {
    attached: OnceLock<Attached>,
    find: Option<Finder>,
    /// For connections whose transport names them.
    keyed: Option<Keyed>,
    bounds: Bounds,
    closing: CancellationToken,
}

/// Hears which session a transport's key stands for.
type Naming = dyn Fn(&str, &Arc<Session>, &Road) + Send + Sync;

/// What a transport that names its sessions wants of them.
#[derive(Clone)]
pub struct Keyed {
    /// Hears which session a key stands for.
    pub hear: Arc<Naming>,
    /// When an idle session ends, which the client is told.
    pub idle_ttl: Option<Duration>,
}

/// The header that names a session over HTTP.
pub const SESSION_HEADER: &str = "mcp-session-id";

impl Connection {
    /// A connection to a server. `closing` ends its calls.
    pub fn new(road: Road, bounds: Bounds, closing: CancellationToken) -> Result<Connection, TooManySessions> {
        Connection::attached(Attachment { road, opening: Opening::default(), lease: None }, bounds, closing)
    }

    /// The same for what was found for it.
    pub fn attached(attachment: Attachment, bounds: Bounds, closing: CancellationToken) -> Result<Connection, TooManySessions> {
        let attached = OnceLock::from(attach(attachment, bounds)?);
        Ok(Connection { attached, find: None, keyed: None, bounds, closing })
    }

    /// A connection that finds its server by its first request.
    pub fn found_by(find: Finder, keyed: Keyed, bounds: Bounds, closing: CancellationToken) -> Connection {
        Connection { attached: OnceLock::new(), find: Some(find), keyed: Some(keyed), bounds, closing }
    }

    /// The name of its session, once it has one.
    pub fn session_id(&self) -> Option<String> {
        self.attached.get().map(|attached| attached.session.id().to_string())
    }

    /// What serves this connection, with the client introduced.
    fn at(&self, cx: &RequestContext<RoleServer>) -> Result<&Attached, ErrorData> {
        let parts = cx.extensions.get::<Parts>();
        if self.attached.get().is_none()
            && let Some(find) = &self.find
        {
            let refused = |words: String| ErrorData::new(ErrorCode::INTERNAL_ERROR, words, None);
            let attachment = find(parts).map_err(refused)?;
            let attached = attach(attachment, self.bounds).map_err(|error| refused(error.to_string()))?;
            // Two first requests at once may both find one; the first stays.
            let _ = self.attached.set(attached);
        }
        let lost = || ErrorData::new(ErrorCode::INTERNAL_ERROR, "the connection has no server", None);
        let attached = self.attached.get().ok_or_else(lost)?;
        if let Some(client) = cx.client_info() {
            attached.session.introduce(ClientInfo::new(client.name, client.version));
        }
        self.name(attached, parts);
        if let Some(outbox) = attached.outbox.lock().take() {
            tokio::spawn(forward(outbox, cx.peer.clone()));
        }
        Ok(attached)
    }

    /// Tells the transport which session the key of a message stands for.
    fn name(&self, attached: &Attached, parts: Option<&Parts>) {
        let key = parts.and_then(|parts| parts.headers.get(SESSION_HEADER)).and_then(|key| key.to_str().ok());
        if let (Some(keyed), Some(key)) = (&self.keyed, key) {
            (keyed.hear)(key, &attached.session, &attached.road);
        }
    }

    /// Runs one call within its bounds.
    async fn serve_call(
        &self,
        attached: &Attached,
        name: &str,
        arguments: Option<JsonObject>,
        cx: &RequestContext<RoleServer>,
    ) -> Served {
        let (sink, forwarding) = match cx.meta.get_progress_token() {
            Some(token) => {
                let (sink, forwarding) = Forwarding::start(cx.peer.clone(), token);
                (sink, Some(forwarding))
            }
            None => (ProgressSink::default(), None),
        };
        let request = Extensions::new().with(Caller::Agent).with(sink);
        let arguments = arguments.map_or(Value::Null, Value::Object);
        let give_up = async {
            tokio::select! {
                () = cx.ct.cancelled() => GivenUp::Cancelled,
                () = self.closing.cancelled() => GivenUp::Closing,
            }
        };
        let Attached { road, session, lane, .. } = attached;
        let served = Bounded { road, session, lane, bounds: self.bounds }.run(request, name, arguments, give_up).await;
        if let Some(forwarding) = forwarding {
            forwarding.finish().await;
        }
        served
    }
}

impl Connection {
    /// Bounds a view of the protocol in time, as a call is.
    async fn within<T>(&self, what: &str, work: impl Future<Output = Result<T, ErrorData>>) -> Result<T, ErrorData> {
        let late = |_| Err(ErrorData::internal_error(format!("`{what}` took too long and was given up"), None));
        match self.bounds.time {
            Some(time) => tokio::time::timeout(time, work).await.unwrap_or_else(late),
            None => work.await,
        }
    }
}

impl Attached {
    /// What the connection sees: decided by the first request that needs it, then fixed.
    fn selection(&self) -> &Selection {
        self.road.surface(&self.session)
    }

    fn instructions(&self, compact: bool) -> String {
        let guide = if compact { COMPACT_GUIDE } else { LEGACY_GUIDE };
        match self.road.server.readiness() {
            Readiness::Inactive { reason } => format!("Gortex is inactive here: {reason}.\n\n{guide}"),
            _ => guide.to_owned(),
        }
    }
}

fn attach(attachment: Attachment, bounds: Bounds) -> Result<Attached, TooManySessions> {
    let Attachment { road, mut opening, lease } = attachment;
    let (notifier, outbox) = notifications();
    opening.notifier = Some(notifier);
    let session = road.server.sessions().open(opening)?;
    let lane = road.server.queue().lane(bounds.concurrent);
    Ok(Attached { road, session, lane, outbox: Mutex::new(Some(outbox)), _lease: lease })
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
        ServerConfig::new(
            ServerCapabilities::builder()
                .enable_tools()
                .enable_tool_list_changed()
                .enable_resources()
                .enable_resources_subscribe()
                .enable_prompts()
                .enable_completions()
                .build(),
        )
        .with_server_info(Implementation::new("gortex", env!("CARGO_PKG_VERSION")))
        .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let attached = self.at(&cx)?;
        attached.session.introduce(ClientInfo::new(&request.client_info.name, &request.client_info.version));
        let mut answer = self.negotiate_initialize(&request)?;
        answer.instructions = Some(attached.instructions(attached.selection().names.is_none()));
        if let Some(keyed) = &self.keyed {
            let ttl = keyed.idle_ttl.map_or(Value::from(-1), |ttl| Value::from(ttl.as_secs()));
            answer.meta.get_or_insert_with(MetaObject::new).insert("gortex/session_idle_ttl_seconds".to_owned(), ttl);
        }
        cx.peer.set_peer_info(request);
        Ok(answer)
    }

    /// The first message that carries the key of its session.
    async fn on_initialized(&self, cx: NotificationContext<RoleServer>) {
        if let Some(attached) = self.attached.get() {
            self.name(attached, cx.extensions.get::<Parts>());
        }
    }

    async fn discover(&self, cx: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        // A probe: it shows what its sender would see and decides nothing yet.
        let attached = self.at(&cx)?;
        let client = cx.client_info().map(|client| client.name);
        let compact = resolve(&attached.road.registry, &attached.road.policy, client.as_deref()).names.is_none();
        let mut answer = DiscoverResult::from_server_info(self.supported_protocol_versions().into_owned(), self.get_info());
        answer.instructions = Some(attached.instructions(compact));
        Ok(answer)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        cx: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let attached = self.at(&cx)?;
        let definitions = attached.selection().definitions_with(&attached.road.registry, &attached.session.promoted());
        let tools: Vec<Tool> = definitions.into_iter().map(tool_of).collect();
        attached.road.listed(&attached.session, &tools);
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        cx: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let Attached { road, session, .. } = self.at(&cx)?;
        Ok(ListResourcesResult::with_all_items(road.offer(session, async |asker| resources::list(asker)).await))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(resources::templates()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let Attached { road, session, .. } = self.at(&cx)?;
        let read = road.offer(session, async |asker| resources::read(asker, &request.uri).await);
        self.within(&request.uri, read).await.map(Into::into)
    }

    async fn subscribe(&self, request: SubscribeRequestParams, cx: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        let Attached { road, session, .. } = self.at(&cx)?;
        road.offer(session, async |asker| resources::check(asker, &request.uri)).await?;
        session.follow_resource(&request.uri, true);
        Ok(())
    }

    async fn unsubscribe(&self, request: UnsubscribeRequestParams, cx: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        self.at(&cx)?.session.follow_resource(&request.uri, false);
        Ok(())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(prompts::list()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let Attached { road, session, .. } = self.at(&cx)?;
        let arguments = request.arguments.unwrap_or_default().into_iter().collect();
        let get = road.offer(session, async |asker| prompts::get(asker, &request.name, &arguments).await);
        self.within(&request.name, get).await.map(Into::into)
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let Attached { road, session, .. } = self.at(&cx)?;
        let CompleteRequestParams { r#ref, argument, .. } = request;
        let work = async |asker: &Asker<'_>| complete::complete(asker, &r#ref, &argument.name, &argument.value).await;
        self.within(&argument.name, road.offer(session, work)).await
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let attached = self.at(&cx)?;
        Ok(result_of(self.serve_call(attached, &request.name, request.arguments, &cx).await).into())
    }

    async fn on_custom_request(&self, request: CustomRequest, _: RequestContext<RoleServer>) -> Result<CustomResult, ErrorData> {
        // A known method whose parameters did not fit arrives here as well.
        if matches!(
            request.method.as_str(),
            "initialize"
                | "ping"
                | "tools/call"
                | "tools/list"
                | "server/discover"
                | "resources/read"
                | "prompts/get"
                | "completion/complete"
        ) {
            return Err(ErrorData::invalid_params(format!("the parameters of `{}` are malformed", request.method), None));
        }
        let words = format!("the method `{}` does not exist here", request.method);
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, words, None))
    }
}

/// Serves a connection over lines until its client is gone or `stop` says so. `ended` is the token of the lines.
pub async fn run<R: AsyncRead + Unpin + Send + 'static>(
    connection: Connection,
    lines: Lines<R>,
    ended: CancellationToken,
    stop: impl Future<Output = ()>,
) -> Result<(), String> {
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
        () = stop => None,
    };
    match outcome {
        Some(Ok(Err(error))) if !ended.is_cancelled() => Err(error),
        Some(Err(error)) => Err(format!("the connection ended badly: {error}")),
        Some(Ok(_)) => Ok(()),
        None => {
            run.abort();
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests;
