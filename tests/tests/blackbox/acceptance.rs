//! The acceptance criteria of the specification, each by its number.
//!
//! 15.3 is about answers and lives with the tools; here are the surface, its economy, names of clients, safety and what may be
//! observed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use gortex_core::{Effect, Mode, Surface, policy};
use gortex_tests::{Client, Folder, Options, command};
use serde_json::{Value, json};

use crate::SERVER;

const CODE: &str = "//- a.py\ndef leaf():\n    return 1\n\ndef root():\n    return leaf()\n";

/// Names that hosts give, their aliases, and names that nobody knows.
const CLIENTS: [&str; 12] = [
    "claude-code",
    "Claude Code 1.4",
    "codex",
    "codex/0.142",
    "openai-codex@2",
    "cursor",
    "Visual Studio Code",
    "zed",
    "windsurf",
    "IntelliJ IDEA",
    "not-codex",
    "größe",
];

fn open(folder: &Folder, client: &str) -> Client {
    Client::start_with(SERVER, folder, &Options { client: Some(client), track: false, ..Options::default() })
}

fn registry() -> gortex_core::Registry {
    gortex_server::registry::registry().unwrap_or_else(|failure| panic!("{failure}"))
}

#[test]
fn criterion_15_1_every_one_of_the_178_tools_is_mapped_once() {
    let registry = registry();
    let legacy: BTreeSet<&str> = registry.baseline().iter().map(|row| row.legacy).collect();
    assert_eq!(legacy.len(), 178);
    let mut places: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for row in registry.baseline() {
        *places.entry((&row.facade, &row.operation)).or_default() += 1;
    }
    assert!(places.values().all(|count| *count == 1), "{places:?}");
    // One legacy tool with several effects has them told apart by arguments that callers can't send.
    for name in legacy {
        let rows: Vec<_> = registry.baseline().iter().filter(|row| row.legacy == name).collect();
        let effects: BTreeSet<&str> = rows.iter().map(|row| row.effect.as_str()).collect();
        assert!(effects.len() == 1 || rows.iter().all(|row| !row.fixed.is_empty()), "{name} has effects {effects:?}");
    }
}

#[test]
fn criterion_15_2_the_list_is_21_tools_in_at_most_12000_bytes_and_the_guidance_stands_once() {
    let folder = Folder::new();
    let mut server = open(&folder, "any-host");
    let guide = server.hello["instructions"].as_str().expect("instructions").to_owned();
    let tools = server.tools();
    let bytes = serde_json::to_vec(&tools).expect("JSON").len();
    assert!(tools.len() == 21 && bytes <= 12_000, "{} tools, {bytes} bytes", tools.len());
    let descriptions: Vec<&str> = tools.iter().filter_map(|tool| tool["description"].as_str()).collect();
    let total: usize = descriptions.iter().map(|text| text.len()).sum();
    // Sentences that several descriptions share, or that the instructions say already.
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    for sentence in descriptions.iter().flat_map(|text| text.split_inclusive(". ")) {
        *seen.entry(sentence.trim()).or_default() += 1;
    }
    let repeated: usize =
        seen.iter().filter(|(text, count)| **count > 1 || guide.contains(*text)).map(|(t, n)| t.len() * n).sum();
    assert!(repeated * 10 <= total, "{repeated} of {total} characters are repeated");
}

#[test]
fn criterion_15_4_every_named_client_gets_the_same_bytes() {
    let folder = Folder::new();
    let expected: BTreeSet<String> = registry().surface().facades.iter().map(|facade| facade.name.to_owned()).collect();
    let mut bytes = BTreeSet::new();
    for client in CLIENTS {
        let mut server = open(&folder, client);
        let tools = server.tools();
        let names: BTreeSet<String> = tools.iter().map(|tool| tool["name"].as_str().unwrap_or_default().to_owned()).collect();
        assert_eq!(names, expected, "{client}");
        bytes.insert(serde_json::to_string(&tools).expect("JSON"));
    }
    assert_eq!(bytes.len(), 1, "lists differ between clients");
}

#[test]
fn criterion_15_4_a_nameless_client_keeps_the_server_default_unless_the_operator_says_otherwise() {
    let folder = Folder::new();
    let names = |client: &str, env: &[(&str, &str)]| -> BTreeSet<String> {
        let options = Options { client: Some(client), env, track: false, ..Options::default() };
        Client::start_with(SERVER, &folder, &options).tool_names().into_iter().collect()
    };
    let default = names("", &[]);
    assert!(default.contains("search_symbols") && !default.contains("relations"), "{default:?}");
    assert_eq!(names("   ", &[]), default);
    assert_eq!(names("", &[("GORTEX_TOOLS", "compact")]).len(), 21);
    assert_eq!(names("claude-code", &[("GORTEX_TOOLS", "agent")]), names("", &[("GORTEX_TOOLS", "agent")]));
}

#[test]
fn criterion_15_4_reading_works_at_once_and_hidden_names_are_blocked_in_the_same_session() {
    let folder = Folder::with(CODE);
    let mut server = open(&folder, "unheard-of");
    server.track(&folder);
    let before = server.tool_names();
    let source = server.call("read", json!({"target": {"symbol": "leaf"}})).ok();
    assert!(source.text.contains("return 1"), "{}", source.text);
    assert_eq!(source.meta["gortex_facade"]["canonical_tool"], "get_symbol_source");
    let schema = server.call("capabilities", json!({"domain": "read", "operation": "file", "detail": "schema"})).ok().body;
    assert_eq!((&schema["available"], schema["schema_hash"].as_str().map(str::len)), (&json!(true), Some(64)));
    let advertised = server.tools().into_iter().find(|tool| tool["name"] == "read").expect("read")["inputSchema"].clone();
    let shape = &schema["request_shape"];
    for (name, accepts) in [("its own", &schema["input_schema"]), ("the advertised", &advertised)] {
        let validator = jsonschema::validator_for(accepts).expect("a schema");
        assert!(validator.is_valid(shape), "{shape} does not fit {name} schema");
    }
    server.call("read_file", json!({"path": "a.py"})).refused("tool_blocked_by_mode");
    server.call("get_symbol_source", json!({"id": "a.py::leaf"})).refused("tool_blocked_by_mode");
    // A client that ignores `list_changed` misses nothing: the list stays as it was.
    assert_eq!(server.tool_names(), before);
}

#[test]
fn criterion_15_4_a_shell_calls_the_same_names_with_the_same_arguments() {
    let folder = Folder::with(CODE);
    folder.commit_all();
    let arguments = json!({"operation": "callers", "target": {"symbol": "a.py::leaf"}});
    let mut shell = command(SERVER, &folder);
    shell.args(["call", "relations", "--quiet", "--json"]).arg(arguments.to_string());
    let told = shell.output().expect("runs");
    let told: Value = serde_json::from_slice(&told.stdout).expect("JSON");
    let mut server = open(&folder, "any-host");
    server.track(&folder);
    assert_eq!(server.call("relations", arguments).ok().body["edges"], told["edges"]);
}

#[test]
fn criterion_15_5_policy_follows_from_effects_over_the_whole_registry() {
    let registry = registry();
    for facade in registry.surface().facades {
        for row in registry.baseline().iter().filter(|row| row.facade == facade.name) {
            assert_eq!(row.effect, facade.effect, "{}.{}", row.facade, row.operation);
        }
        let writes = matches!(facade.effect, Effect::LocalWrite | Effect::ControlWrite | Effect::ExternalWrite);
        for mode in [Mode::Planning, Mode::ReadOnly] {
            assert_eq!(policy::permits(mode, facade.effect), !writes, "{} in {mode:?}", facade.name);
        }
        assert_eq!(policy::is_gated(facade.effect), writes, "{}", facade.name);
        let leaves = policy::federation(facade.effect) == policy::Federation::Allowed;
        assert_eq!(leaves, facade.effect == Effect::Read, "{}", facade.name);
    }
    let forge: Vec<&str> =
        registry.surface().facades.iter().filter(|facade| facade.effect == Effect::ExternalWrite).map(|f| f.name).collect();
    assert_eq!(forge, ["publish_review"]);
}

// A list of names beside the registry is a list that is wrong one day.
#[test]
fn criterion_15_5_policy_and_dispatch_name_no_tool() {
    let core = Path::new(env!("CARGO_MANIFEST_DIR")).join("../gortex-core/src");
    let server = Path::new(env!("CARGO_MANIFEST_DIR")).join("../gortex-server/src");
    let registry = registry();
    let mut names: BTreeSet<&str> = registry.baseline().iter().map(|row| row.legacy).collect();
    names.extend(registry.surface().facades.iter().map(|facade| facade.name).filter(|name| *name != "capabilities"));
    for file in
        [core.join("policy.rs"), core.join("dispatch.rs"), core.join("dispatch/legacy.rs"), server.join("session/serve.rs")]
    {
        let text = std::fs::read_to_string(&file).expect("a source");
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        let code: String = code.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
        let named: Vec<&&str> = names.iter().filter(|name| code.contains(&format!("\"{name}\""))).collect();
        assert!(named.is_empty(), "{} names {named:?}", file.display());
    }
}

#[test]
fn criterion_15_5_planning_blocks_every_writer_and_leaves_a_way_out() {
    let folder = Folder::with(CODE);
    let mut server = open(&folder, "any-host");
    server.track(&folder);
    let mode = |mode: &str| json!({"operation": "planning_mode", "arguments": {"mode": mode}});
    server.call("session", mode("planning")).ok();
    for facade in registry().surface().facades {
        if facade.effect.is_mutating() {
            let reply = server.call(facade.name, json!({}));
            assert_eq!(reply.code(), "tool_blocked_by_mode", "{}: {}", facade.name, reply.text);
        }
    }
    assert_eq!(server.tool_names().len(), 21, "the roster is static");
    server.call("session", mode("editing")).ok();
    let edit = json!({"target": {"file": "a.py"}, "match": "return 1", "replacement": "return 2", "dry_run": true});
    server.call("edit", edit).ok();
}

#[test]
fn criterion_15_5_one_symbol_and_a_list_of_it_have_the_same_impact() {
    let folder = Folder::with(CODE);
    let mut server = open(&folder, "any-host");
    server.track(&folder);
    let mut ask = |target: Value| server.call("change", json!({"operation": "impact", "target": target})).ok().body;
    let one = ask(json!({"symbol": "a.py::leaf"}));
    for _ in 0..3 {
        assert_eq!(ask(json!({"symbols": ["a.py::leaf"]})), one);
    }
    assert!(one.to_string().contains("a.py::root"), "{one}");
}

/// Everything in a folder, as text.
fn everything(folder: &Path) -> String {
    let mut out = String::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            out.push_str(&everything(&path));
        } else {
            out.push_str(&path.display().to_string());
            out.push_str(&String::from_utf8_lossy(&std::fs::read(&path).unwrap_or_default()));
        }
    }
    out
}

#[test]
fn criterion_15_6_counts_hold_no_word_of_the_user() {
    let code = "//- canary_dir/canary_file.py\ndef canary_symbol():\n    return 'canary_text'\n";
    let folder = Folder::with(code);
    folder.commit_all();
    let home = folder.home.join("counted");
    let place = home.to_string_lossy().into_owned();
    let env = [("GORTEX_TELEMETRY", "on"), ("GORTEX_HOME", place.as_str())];
    let options = Options { client: Some("canary-client"), env: &env, ..Options::default() };
    let mut server = Client::start_with(SERVER, &folder, &options);
    server.call("explore", json!({"task": "find the canary_symbol"})).ok();
    server.call("search", json!({"operation": "text", "query": "canary_text"})).ok();
    server.call("read", json!({"target": {"file": "canary_dir/canary_file.py"}})).ok();
    for (tool, arguments) in [
        ("read", json!({"operation": "canary_operation"})),
        ("canary_tool", json!({"canary_field": "canary_value"})),
        ("search", json!({"operation": "symbols", "query": 5, "options": {"canary_option": 1}})),
        ("relations", json!({"target": {"symbol": "canary_missing"}})),
        ("capabilities", json!({"domain": "canary_domain"})),
        ("analyze", json!({"kind": "canary_kind"})),
    ] {
        server.call(tool, arguments);
    }
    let _ = server.close();
    let counted = everything(&home.join("telemetry"));
    assert!(counted.contains("mcp_facade_call:explore.task") && counted.contains("client:other"), "{counted}");
    assert!(counted.contains("mcp_facade_outcome:read.unknown.invalid_operation"), "{counted}");
    let name = folder.repo.file_name().expect("a name").to_string_lossy().into_owned();
    for canary in ["canary", name.as_str()] {
        let inside: Vec<&str> = counted.split(['{', ',']).filter(|part| part.contains(canary)).collect();
        let inside: Vec<&&str> = inside.iter().filter(|part| part.contains(':') && !part.contains("/telemetry/")).collect();
        assert!(inside.is_empty(), "{canary} in {inside:?}");
    }
}

#[test]
fn criterion_15_6_nothing_is_counted_by_default() {
    let folder = Folder::with(CODE);
    let home = folder.home.join("quiet");
    let place = home.to_string_lossy().into_owned();
    let env = [("GORTEX_HOME", place.as_str())];
    let mut server = Client::start_with(SERVER, &folder, &Options { env: &env, ..Options::default() });
    server.call("search", json!({"operation": "symbols", "query": "leaf"})).ok();
    let _ = server.close();
    assert!(!home.join("telemetry").exists(), "{}", everything(&home.join("telemetry")));
}

#[test]
fn criterion_15_1_a_surface_with_a_hole_is_not_served() {
    let (_, violations) = gortex_core::Registry::inspect(Surface::v1(&[]), std::iter::empty::<&'static gortex_core::Operation>());
    assert!(violations.len() >= 178, "{} violations", violations.len());
}
