//! An effect-safe compact surface over handlers of one's own, served over stdio.
//!
//! Two public tools, two handlers, one capability. `shelf_read` can't be given a writer: try it, it does not compile. The
//! upper half is all a server says; the lower half is the glue to the protocol crate.

use std::sync::{Arc, Mutex};

use gortex_core::facade::{FieldKind, PublicField};
use gortex_core::{
    Answer, Args, Call, CallContext, CallError, Effect, Extensions, FacadeArgs, FacadeSpec, FromCall, Registry, State, Surface,
    dispatch, facade, tool_definitions,
};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation, ListToolsResult, MetaObject,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt, transport};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// The books; shared by all calls.
#[derive(Default)]
struct Shelf(Mutex<Vec<String>>);

/// Lets a handler put books on the shelf.
struct ShelfWriter(Arc<Shelf>);

impl FromCall for ShelfWriter {
    const NEEDS: Option<Effect> = Some(Effect::LocalWrite);

    async fn from_call(call: &Call) -> Result<Self, CallError> {
        call.get::<Shelf>().map(Self).ok_or_else(|| CallError::internal("there is no shelf"))
    }
}

const FIELDS: &[PublicField] = &[PublicField::new("options", FieldKind::Object, "")];
const TOOLS: &[FacadeSpec] = &[
    FacadeSpec::new("shelf_read", Effect::Read, "Look at the shelf.").fields(FIELDS).default_operation("list"),
    FacadeSpec::new("shelf_write", Effect::LocalWrite, "Change the shelf.").fields(FIELDS),
];

/// Lists the books on the shelf.
#[facade(domain = "shelf_read", op = "list", effect = "read", surface = TOOLS)]
async fn list_books(shelf: State<Shelf>) -> Answer<Value> {
    let books = shelf.0.0.lock().map_err(|_| CallError::internal("the shelf is broken"))?;
    Ok(json!({"books": *books}))
}

/// Arguments of `shelf_write.add`.
#[derive(Deserialize, JsonSchema, FacadeArgs)]
struct AddBook {
    /// The book's title.
    title: String,
}

/// Adds a book to the shelf.
#[facade(domain = "shelf_write", op = "add", effect = "local_write", surface = TOOLS)]
async fn add_book(shelf: ShelfWriter, args: Args<AddBook>) -> Answer<Value> {
    let mut books = shelf.0.0.lock().map_err(|_| CallError::internal("the shelf is broken"))?;
    books.push(args.into_inner().title);
    Ok(json!({"count": books.len()}))
}

/// The glue: a registry behind the protocol crate's trait.
struct Server {
    registry: Registry,
    context: CallContext,
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("shelf", "1.0.0"))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = tool_definitions(&self.registry).into_iter();
        let tools = tools.map(|tool| Tool::new(tool.name, tool.description, Arc::new(tool.input_schema)));
        Ok(ListToolsResult::with_all_items(tools.collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.map_or(Value::Null, Value::Object);
        let output = dispatch(&self.registry, &self.context, &request.name, arguments).await;
        let content = vec![ContentBlock::text(output.text())];
        let mut result = if output.is_error { CallToolResult::error(content) } else { CallToolResult::success(content) };
        let mut meta = MetaObject::new();
        for (key, value) in output.meta {
            meta.insert(key, value);
        }
        result.meta = Some(meta);
        Ok(result.into())
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let registry = Registry::collect(Surface::of(TOOLS, "shelf-v1"))?;
    let context = CallContext::compact(Arc::new(Extensions::new().with(Shelf::default())));
    Server { registry, context }.serve(transport::stdio()).await?.waiting().await?;
    Ok(())
}
