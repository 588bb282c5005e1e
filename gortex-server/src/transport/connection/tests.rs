//! A connection over in-memory streams, driven line by line.

use std::time::Duration;

use serde_json::json;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream};

use super::*;
use crate::surface::Policy;
use crate::testing::Fixture;

struct Client {
    write: DuplexStream,
    read: tokio::io::Lines<BufReader<DuplexStream>>,
    run: tokio::task::JoinHandle<()>,
}

impl Client {
    async fn connect(fixture: &Fixture, policy: Policy) -> Client {
        let (write, theirs_read) = tokio::io::duplex(1 << 16);
        let (theirs_write, read) = tokio::io::duplex(1 << 16);
        let road = Road::new(Arc::clone(&fixture.server), fixture.registry(), policy);
        let connection = Connection::new(road, Bounds::default(), CancellationToken::new()).expect("opens");
        let lines = Lines::new(theirs_read, theirs_write, CancellationToken::new());
        let run = tokio::spawn(async move {
            if let Ok(running) = connection.serve(lines).await {
                running.waiting().await.expect("ends well");
            }
        });
        Client { write, read: BufReader::new(read).lines(), run }
    }

    async fn hello(&mut self, name: &str) -> Value {
        let client = json!({"name": name, "version": "1"});
        let answer =
            self.ask(1, "initialize", json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client})).await;
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string()).await;
        answer
    }

    async fn send(&mut self, line: &str) {
        self.write.write_all(line.as_bytes()).await.expect("writes");
        self.write.write_all(b"\n").await.expect("writes");
    }

    async fn next(&mut self) -> Value {
        let line = tokio::time::timeout(Duration::from_secs(30), self.read.next_line()).await.expect("an answer").expect("text");
        serde_json::from_str(&line.expect("a line")).expect("JSON")
    }

    async fn ask(&mut self, id: u64, method: &str, params: Value) -> Value {
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()).await;
        let answer = self.next().await;
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    async fn names(&mut self) -> Vec<String> {
        let list = self.ask(2, "tools/list", json!({})).await;
        list["result"]["tools"]
            .as_array()
            .expect("tools")
            .iter()
            .map(|tool| tool["name"].as_str().expect("a name").to_owned())
            .collect()
    }
}

fn on(fixture: &Fixture, test: impl Future<Output = ()>) {
    fixture.block_on(test);
}

#[test]
fn a_named_client_gets_the_compact_tools_and_nothing_else() {
    let fixture = Fixture::new("//- a.py\ndef f():\n    pass\n");
    on(&fixture, async {
        let mut client = Client::connect(&fixture, Policy::default()).await;
        let hello = client.hello("any-host").await;
        assert_eq!(hello["result"]["protocolVersion"], "2025-06-18");
        assert!(hello["result"]["instructions"].as_str().is_some_and(|text| text.starts_with("Gortex answers")));
        let names = client.names().await;
        assert!(names.len() == 21 && names.is_sorted(), "{names:?}");
        let hidden = client.ask(3, "tools/call", json!({"name": "graph_stats", "arguments": {}})).await;
        assert_eq!(hidden["result"]["isError"], true);
        assert!(hidden["result"]["content"][0]["text"].as_str().is_some_and(|text| text.contains("tool_blocked_by_mode")));
        let served = client.ask(4, "tools/call", json!({"name": "workspace", "arguments": {"operation": "graph"}})).await;
        assert_eq!(served["result"]["_meta"]["gortex_facade"]["canonical_tool"], "graph_stats");
        assert!(served["result"].get("structuredContent").is_none());
    });
}

#[test]
fn a_forwarded_selection_serves_legacy_names() {
    let fixture = Fixture::new("//- a.py\nx = 1\n");
    on(&fixture, async {
        let policy = Policy { forwarded: Some("full".to_owned()), ..Policy::default() };
        let mut client = Client::connect(&fixture, policy).await;
        client.hello("any-host").await;
        let names = client.names().await;
        assert!(names.contains(&"graph_stats".to_owned()) && !names.contains(&"relations".to_owned()), "{names:?}");
        let stats = client.ask(3, "tools/call", json!({"name": "graph_stats", "arguments": {}})).await;
        assert_ne!(stats["result"]["isError"], true);
    });
}

#[test]
fn malformed_calls_are_answered_by_their_codes() {
    let fixture = Fixture::new("//- a.py\nx = 1\n");
    on(&fixture, async {
        let mut client = Client::connect(&fixture, Policy::default()).await;
        client.hello("any-host").await;
        assert_eq!(client.ask(3, "no/such", json!({})).await["error"]["code"], -32601);
        assert_eq!(client.ask(4, "tools/call", json!({})).await["error"]["code"], -32602);
        assert_eq!(client.ask(5, "tools/call", json!({"name": 5})).await["error"]["code"], -32602);
        client.send("{\"jsonrpc\": é").await;
        assert_eq!(client.next().await["error"]["code"], -32700);
        assert_eq!(client.names().await.len(), 21);
    });
}

#[test]
fn progress_is_told_rising_and_before_the_answer() {
    let fixture = Fixture::new("//- a.py\nx = 1\n//- b.py\ny = 1\n");
    on(&fixture, async {
        let mut client = Client::connect(&fixture, Policy::default()).await;
        client.hello("any-host").await;
        let call = json!({"name": "workspace_admin", "arguments": {"operation": "index", "arguments": {"path": "repo"}},
            "_meta": {"progressToken": "é"}});
        client.send(&json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": call}).to_string()).await;
        let mut told = Vec::new();
        let answer = loop {
            let message = client.next().await;
            if message.get("id").is_some() {
                break message;
            }
            assert_eq!(
                (message["method"].as_str(), message["params"]["progressToken"].as_str()),
                (Some("notifications/progress"), Some("é"))
            );
            told.push(message["params"]["progress"].as_f64().expect("a number"));
        };
        assert_eq!(answer["id"], 7);
        assert!(!told.is_empty() && told.is_sorted_by(|a, b| a < b), "{told:?}");
    });
}

#[test]
fn a_connection_without_initialize_is_served() {
    let fixture = Fixture::new("//- a.py\nx = 1\n");
    on(&fixture, async {
        let mut client = Client::connect(&fixture, Policy::default()).await;
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": {"name": "any-host", "version": "1"},
        });
        let found = client.ask(1, "server/discover", json!({"_meta": meta})).await;
        assert!(found["result"]["instructions"].is_string(), "{found}");
        let list = client.ask(2, "tools/list", json!({"_meta": meta})).await;
        assert_eq!(list["result"]["tools"].as_array().map(Vec::len), Some(21));
    });
}

#[test]
fn the_end_of_the_input_ends_the_connection() {
    let fixture = Fixture::new("//- a.py\nx = 1\n");
    on(&fixture, async {
        let mut client = Client::connect(&fixture, Policy::default()).await;
        client.hello("any-host").await;
        let Client { write, run, .. } = client;
        drop(write);
        tokio::time::timeout(Duration::from_secs(30), run).await.expect("ends").expect("ends well");
    });
}
