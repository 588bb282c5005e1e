//! Calls in tests: a fixture on a real disk, a real engine, and the one dispatch.
//!
//! A fixture is one string: `//- path` starts a file, everything else is the file's bytes.

use std::cell::RefCell;
use std::path::PathBuf;
use std::sync::Arc;

use gortex_core::{CallContext, CallOutput, Extensions, Registry, Surface, SurfaceView, dispatch};
use gortex_engine::engine::{Options, RepoInfo, Silent};
use serde_json::Value;

use crate::session::{ClientInfo, Notification, Opening, Road, Served, SessionHandle, notifications};
use crate::state::Server;

/// A tracked folder with a server over it.
pub(crate) struct Fixture {
    pub server: Arc<Server>,
    pub root: PathBuf,
    registry: Arc<Registry>,
    runtime: tokio::runtime::Runtime,
    _folder: tempfile::TempDir,
}

impl Fixture {
    /// Lays the files and indexes them.
    pub fn new(files: &str) -> Fixture {
        Fixture::laid(|root| lay(root, files))
    }

    /// Runs `lay` in an empty folder and indexes what it left there.
    pub fn laid(lay: impl FnOnce(&std::path::Path)) -> Fixture {
        let folder = tempfile::tempdir().expect("a folder");
        let top = folder.path().canonicalize().expect("a real folder");
        let root = top.join("repo");
        std::fs::create_dir(&root).expect("a folder");
        lay(&root);
        let options =
            Options { cache_dir: top.join("cache"), state_dir: top.join("state"), threads: 1, persist: false, bulk: None };
        let server = Server::open(options, top.join("config")).expect("opens");
        let repo = RepoInfo { name: "repo".to_owned(), root: root.clone() };
        server.start_now(&[repo], &Silent).expect("indexes");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        Fixture { server, root, registry: Arc::new(partial_registry()), runtime, _folder: folder }
    }

    /// Calls a compact tool.
    pub fn call(&self, tool: &str, arguments: Value) -> CallOutput {
        self.dispatch(SurfaceView::Compact, tool, arguments)
    }

    /// Calls an operation of a cold facade as a person at the command line.
    pub fn operator(&self, tool: &str, operation: &str, arguments: Value) -> CallOutput {
        let request = Extensions::new().with(crate::session::Caller::Operator);
        let arguments = serde_json::json!({"operation": operation, "arguments": arguments});
        self.dispatch_with(SurfaceView::Compact, request, tool, arguments)
    }

    /// Calls a legacy tool.
    pub fn legacy(&self, tool: &str, arguments: Value) -> CallOutput {
        self.dispatch(SurfaceView::Legacy, tool, arguments)
    }

    /// Calls a compact tool and reads the answer as JSON; an error is a failed test.
    #[track_caller]
    pub fn json(&self, tool: &str, arguments: Value) -> Value {
        let output = self.call(tool, arguments);
        assert!(!output.is_error, "{}", output.text());
        serde_json::from_str(&output.text()).expect("JSON")
    }

    /// Calls a compact tool that must refuse, and reads the error.
    #[track_caller]
    pub fn error(&self, tool: &str, arguments: Value) -> Value {
        let output = self.call(tool, arguments);
        assert!(output.is_error, "{}", output.text());
        serde_json::from_str(&output.text()).expect("JSON")
    }

    /// A connection of a client with this name, as transports have them.
    pub fn client(&self, name: &str) -> Client<'_> {
        self.client_with(name, crate::surface::Policy::default())
    }

    /// The same under a policy for surfaces.
    pub fn client_with(&self, name: &str, policy: crate::surface::Policy) -> Client<'_> {
        let (notifier, heard) = notifications();
        let client = Some(ClientInfo::new(name, "1"));
        let opening = Opening { client, notifier: Some(notifier), ..Opening::default() };
        let session = self.server.sessions().open(opening).expect("opens");
        let road = Road::new(Arc::clone(&self.server), self.registry(), policy);
        Client { fixture: self, road, session, heard: RefCell::new(heard) }
    }

    /// The registry that calls go through.
    pub fn registry(&self) -> Arc<Registry> {
        Arc::clone(&self.registry)
    }

    /// Runs a future on the fixture's runtime.
    pub fn block_on<T>(&self, future: impl Future<Output = T>) -> T {
        self.runtime.block_on(future)
    }

    /// The bytes of a file.
    pub fn disk(&self, path: &str) -> Vec<u8> {
        std::fs::read(self.root.join(path)).expect("a file")
    }

    fn dispatch(&self, surface: SurfaceView, tool: &str, arguments: Value) -> CallOutput {
        self.dispatch_with(surface, Extensions::new(), tool, arguments)
    }

    fn dispatch_with(&self, surface: SurfaceView, request: Extensions, tool: &str, arguments: Value) -> CallOutput {
        let mut shared = Extensions::new();
        shared.insert_arc(Arc::clone(&self.server));
        shared.insert_arc(Arc::clone(&self.registry));
        let shared = Arc::new(shared);
        let context = match surface {
            SurfaceView::Compact => CallContext::compact(shared),
            SurfaceView::Legacy => CallContext::legacy(shared),
        };
        let context = context.with_request(request);
        self.runtime.block_on(dispatch(&self.registry, &context, tool, arguments))
    }
}

/// A session over a fixture.
pub(crate) struct Client<'f> {
    fixture: &'f Fixture,
    road: Road,
    pub session: SessionHandle,
    heard: RefCell<tokio::sync::mpsc::Receiver<Notification>>,
}

impl Client<'_> {
    /// Calls a tool of the session's surface.
    pub fn call(&self, tool: &str, arguments: Value) -> Served {
        self.fixture.block_on(self.road.call(&self.session, Extensions::new(), tool, arguments))
    }

    /// Calls and reads the answer as JSON; an error is a failed test.
    #[track_caller]
    pub fn json(&self, tool: &str, arguments: Value) -> Value {
        let served = self.call(tool, arguments);
        assert!(!served.output.is_error, "{}", served.text);
        serde_json::from_str(&served.text).expect("JSON")
    }

    /// Calls what must refuse, and reads the error.
    #[track_caller]
    pub fn error(&self, tool: &str, arguments: Value) -> Value {
        let served = self.call(tool, arguments);
        assert!(served.output.is_error, "{}", served.text);
        serde_json::from_str(&served.text).expect("JSON")
    }

    /// The notifications that have arrived, without the time they carry.
    pub fn heard(&self) -> Vec<(String, Value)> {
        let mut all = Vec::new();
        while let Ok(Notification { method, mut params }) = self.heard.borrow_mut().try_recv() {
            let time = params.as_object_mut().and_then(|params| params.shift_remove("ts"));
            assert!(time.is_some_and(|time| time.as_str().is_some_and(|time| time.ends_with('Z'))), "{method}");
            all.push((method, params));
        }
        all
    }
}

/// Writes the files of a fixture text.
pub(crate) fn lay(root: &std::path::Path, files: &str) {
    let mut current: Option<(PathBuf, String)> = None;
    let write = |file: Option<(PathBuf, String)>| {
        if let Some((path, text)) = file {
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
            std::fs::write(path, text).expect("a file");
        }
    };
    for line in files.split_inclusive('\n') {
        if let Some(path) = line.strip_prefix("//- ") {
            write(current.replace((root.join(path.trim()), String::new())));
        } else if let Some((_, text)) = &mut current {
            text.push_str(line);
        }
    }
    write(current);
}

/// The registry with everything unregistered counted as pending, so that a domain can be tested while others are written.
pub(crate) fn partial_registry() -> Registry {
    Registry::inspect(Surface::v1(crate::registry::PENDING), gortex_core::inventory::iter::<gortex_core::Operation>).0
}
