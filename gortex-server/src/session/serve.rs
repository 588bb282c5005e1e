//! One call of one session: the order in which everything happens that is not the operation itself.
//!
//! Surface, mode and gates come from the session; then the dispatch; an answer that names files that changed meanwhile is asked
//! for once more; what was answered is remembered; the answer says how current it is. Every transport goes this way. Bounds in
//! time, cancellation and queueing are the transport's.
//!
//! Knows no protocol.

use std::sync::Arc;

use gortex_core::{CallContext, CallError, CallOutput, Extensions, Format, Registry, dispatch};
use serde_json::Value;

use super::client::ClientInfo;
use super::state::Session;
use crate::freshness;
use crate::state::Server;
use crate::surface::{Policy, Selection, resolve};
use crate::wire;

/// What all calls of a process have in common.
#[derive(Clone, Debug)]
pub struct Road {
    /// The process.
    pub server: Arc<Server>,
    /// What can be called.
    pub registry: Arc<Registry>,
    /// What was set about surfaces.
    pub policy: Policy,
    shared: Arc<Extensions>,
}

/// An answer, and its text as it goes out.
#[derive(Clone, Debug)]
pub struct Served {
    /// The answer.
    pub output: CallOutput,
    /// Its one text block.
    pub text: String,
}

impl Served {
    /// An answer with its text written.
    pub fn new(output: CallOutput) -> Served {
        let text = output.text();
        Served { output, text }
    }

    /// A refusal.
    pub fn refused(error: CallError) -> Served {
        Served::new(CallOutput::refused(error))
    }
}

impl Road {
    /// The road of a server and its registry.
    pub fn new(server: Arc<Server>, registry: Arc<Registry>, policy: Policy) -> Road {
        let mut shared = Extensions::new();
        shared.insert_arc(Arc::clone(&server));
        shared.insert_arc(Arc::clone(&registry));
        Road { server, registry, policy, shared: Arc::new(shared) }
    }

    /// Which tools a session sees.
    pub fn surface<'s>(&self, session: &'s Session) -> &'s Selection {
        session.surface(|client| {
            let name = client.map(|client| client.name.as_str());
            let selection = resolve(&self.registry, &self.policy, name);
            if let Some(warning) = &selection.warning {
                tracing::warn!("{warning}");
            }
            tracing::debug!(session = %session.id(), preset = selection.preset, client = name, "the session's tools are chosen");
            selection
        })
    }

    /// Serves one call. `request` holds what the transport knows of it: the caller, where progress is heard.
    pub async fn call(&self, session: &Arc<Session>, request: Extensions, name: &str, arguments: Value) -> Served {
        session.touch();
        let selection = self.surface(session);
        if let Err(error) = selection.check(&self.registry, name) {
            return Served::refused(error);
        }
        let mut request = request;
        request.insert_arc(Arc::clone(session));
        let context = CallContext {
            surface: selection.view(),
            mode: session.mode(),
            unknown_options: self.policy.unknown_options,
            gate: Some(Arc::clone(session) as _),
            format: if session.client().is_some_and(ClientInfo::decodes_gcx) { Format::Gcx } else { Format::Json },
            layouts: wire::LAYOUTS,
            shared: Arc::clone(&self.shared),
            ..CallContext::default()
        }
        .with_request(request);
        let mut output = self.dispatch(&context, name, arguments).await;
        freshness::tell(&self.server, &mut output);
        let served = Served::new(output);
        session.remember(&served.output, &served.text);
        session.touch();
        served
    }

    async fn dispatch(&self, context: &CallContext, name: &str, arguments: Value) -> CallOutput {
        let output = dispatch(&self.registry, context, name, arguments.clone()).await;
        // A file of the answer changed and nobody told, or what was asked for is newer than the view: now it is known, so the
        // question is asked once more.
        let unknown = freshness::knows_nothing(&output) && freshness::look_again(&self.server).await;
        if unknown || freshness::names_stale_files(&self.server, &output) {
            return dispatch(&self.registry, context, name, arguments).await;
        }
        output
    }
}
