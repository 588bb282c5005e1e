//! Arbitrary arguments into every tool of both surfaces: a structured answer always comes back, and a tool that reads writes
//! nothing.
//!
//! The generator is seeded with the tool's name, so that a failure is found again.

use gortex_core::Effect;
use gortex_tests::{Client, Folder, Options, Reply};
use serde_json::{Map, Value, json};

use crate::{SERVER, serve};

/// Requests for each public tool, and for each legacy one.
const PUBLIC: usize = 40;
const LEGACY: usize = 8;

/// A small generator of numbers: Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014).
struct Dice(u64);

impl Dice {
    fn of(name: &str) -> Dice {
        Dice(name.bytes().fold(0x9e37_79b9_7f4a_7c15, |seed, byte| (seed ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)))
    }

    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % sides as u64) as usize
    }

    fn pick<'w>(&mut self, words: &[&'w str]) -> &'w str {
        words[self.roll(words.len())]
    }

    fn value(&mut self, depth: usize) -> Value {
        match self.roll(if depth > 2 { 7 } else { 10 }) {
            0 => Value::Null,
            1 => (self.roll(2) == 0).into(),
            2 => json!([0, 1, -1, i64::MAX, i64::MIN][self.roll(5)]),
            3 => json!([0.5, -1e300, 3.0][self.roll(3)]),
            4..=6 => self.pick(TEXTS).into(),
            7 => (0..self.roll(4)).map(|_| self.value(depth + 1)).collect(),
            _ => Value::Object(self.object(depth + 1, &[])),
        }
    }

    fn object(&mut self, depth: usize, keys: &[&str]) -> Map<String, Value> {
        let mut out = Map::new();
        for _ in 0..self.roll(5) {
            let key = if keys.is_empty() || self.roll(4) == 0 { self.pick(KEYS) } else { self.pick(keys) };
            out.insert(key.to_owned(), self.value(depth));
        }
        out
    }
}

const TEXTS: &[&str] = &[
    "",
    " ",
    "a.py",
    "a.py::leaf",
    "leaf",
    "../../etc/passwd",
    "/etc/passwd",
    "größe\u{202e}",
    "\0",
    "(((",
    "[1, 2",
    "{\"a\": 1}",
    "-1",
    "json",
    "kind:function",
    "dep::x::y",
    "%s%n",
    "long long long long long long long long long long long long long long long long long long long long long long",
];

const KEYS: &[&str] = &[
    "operation",
    "kind",
    "target",
    "to",
    "options",
    "arguments",
    "source",
    "context",
    "guard",
    "output",
    "query",
    "id",
    "ids",
    "path",
    "file",
    "symbol",
    "symbols",
    "repo",
    "limit",
    "depth",
    "format",
    "cursor",
    "max_bytes",
    "dry_run",
    "match",
    "replacement",
    "content",
    "changes",
    "task",
    "channel",
    "action",
    "mode",
    "ö",
];

#[track_caller]
fn check(call: &str, reply: &Reply) {
    assert!(!reply.text.contains("stopped unexpectedly"), "{call}: {}", reply.text);
    assert!(!reply.text.is_empty(), "{call} said nothing");
    // A message of the protocol instead of an answer would hide the reason from the model.
    assert!(
        reply.body.get("jsonrpc").is_none() && reply.body.get("code").is_none_or(|code| !code.is_i64()),
        "{call}: {}",
        reply.text
    );
    if reply.is_error {
        let told = !reply.code().is_empty() && reply.body["message"].is_string();
        assert!(told || reply.body == json!({}), "{call}: {}", reply.text);
    }
}

#[test]
fn arbitrary_requests_to_public_tools_are_answered_and_readers_write_nothing() {
    let folder = Folder::with("//- a.py\ndef leaf():\n    return 1\n\ndef root():\n    return leaf()\n");
    let mut server = serve(&folder);
    let registry = gortex_server::registry::registry().unwrap_or_else(|failure| panic!("{failure}"));
    for facade in registry.surface().facades.iter().filter(|facade| facade.effect == Effect::Read) {
        let operations = registry.operation_names(facade);
        let operations: Vec<&str> = operations.iter().map(String::as_str).collect();
        let mut dice = Dice::of(facade.name);
        let before = Folder::state(&folder.repo);
        for _ in 0..PUBLIC {
            let mut arguments = dice.object(0, &[]);
            if !operations.is_empty() && dice.roll(4) > 0 {
                let key = if facade.name == "analyze" { "kind" } else { "operation" };
                arguments.insert(key.to_owned(), dice.pick(&operations).into());
            }
            let call = format!("{} {}", facade.name, Value::Object(arguments.clone()));
            check(&call, &server.call(facade.name, Value::Object(arguments)));
        }
        assert_eq!(Folder::state(&folder.repo), before, "{} wrote", facade.name);
    }
    assert!(server.close().0.success());
}

#[test]
fn arbitrary_requests_to_legacy_tools_are_answered_and_readers_write_nothing() {
    let folder = Folder::with("//- a.py\ndef leaf():\n    return 1\n\ndef root():\n    return leaf()\n");
    let env = [("GORTEX_TOOLS", "full")];
    let mut server = Client::start_with(SERVER, &folder, &Options { env: &env, track: false, ..Options::default() });
    server.call("track_repository", json!({"path": folder.repo.to_string_lossy()})).ok();
    let registry = gortex_server::registry::registry().unwrap_or_else(|failure| panic!("{failure}"));
    let before = Folder::state(&folder.repo);
    for tool in server.tools() {
        let name = tool["name"].as_str().unwrap_or_default().to_owned();
        if registry.legacy(&name).iter().any(|entry| entry.operation.effect != Effect::Read) {
            continue;
        }
        let keys: Vec<&str> = tool["inputSchema"]["properties"]
            .as_object()
            .into_iter()
            .flat_map(|fields| fields.keys())
            .map(String::as_str)
            .collect();
        let mut dice = Dice::of(&name);
        for _ in 0..LEGACY {
            let arguments = Value::Object(dice.object(0, &keys));
            let call = format!("{name} {arguments}");
            check(&call, &server.call(&name, arguments));
        }
    }
    assert_eq!(Folder::state(&folder.repo), before);
    assert!(server.close().0.success());
}

#[test]
fn arbitrary_requests_to_writers_are_answered() {
    let folder = Folder::with("//- a.py\ndef leaf():\n    return 1\n");
    let mut server = serve(&folder);
    let registry = gortex_server::registry::registry().unwrap_or_else(|failure| panic!("{failure}"));
    let outside = Folder::state(&folder.home).into_iter().filter(|line| line.contains("passwd")).count();
    for facade in registry.surface().facades.iter().filter(|facade| facade.effect != Effect::Read) {
        let mut dice = Dice::of(facade.name);
        for _ in 0..PUBLIC {
            // Tracking a folder of this machine is a person's decision; here nothing may be named that exists.
            let mut arguments = dice.object(0, &[]);
            arguments.retain(|key, _| key != "path");
            let call = format!("{} {}", facade.name, Value::Object(arguments.clone()));
            check(&call, &server.call(facade.name, Value::Object(arguments)));
        }
    }
    assert_eq!(Folder::state(&folder.home).into_iter().filter(|line| line.contains("passwd")).count(), outside);
    assert!(server.close().0.success());
}
