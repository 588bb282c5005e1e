//! `change.tests`: which tests exercise symbols, and how to run them.

use gortex_engine::query::tests::{Command, commands, find};

use super::shape;
use crate::handlers::shared::prelude::*;

/// Arguments of `change.tests`.
#[derive(Debug, Deserialize, JsonSchema, FacadeArgs)]
pub(crate) struct GetTestTargets {
    /// The symbols that change: ids or unique names.
    #[at(target = "symbols", target = "symbol")]
    #[serde(default)]
    ids: Vec<String>,
    /// How many caller steps to follow upward.
    #[at(options)]
    #[schemars(range(min = 1, max = 10))]
    depth: Option<u32>,
    /// Text instead of JSON: files, commands, uncovered symbols.
    #[at(output)]
    #[serde(default)]
    compact: bool,
}

/// Lists the tests that exercise symbols, with the commands that run them.
#[facade(domain = "change", op = "tests", effect = "read")]
async fn get_test_targets(graph: Graph, args: Args<GetTestTargets>) -> Answer<Reply> {
    let args = args.into_inner();
    graph.blocking(move |graph| targets(graph, &args)).await
}

fn targets(graph: &Graph, args: &GetTestTargets) -> Result<Reply, CallError> {
    let picked = shape::pick(graph, &args.ids)?;
    let tests = find(graph, &picked.nodes, args.depth.unwrap_or(3).clamp(1, 10));
    let view = graph.view();
    let read = |path: &str| view.absolute(path).and_then(|path| std::fs::read_to_string(path).ok());
    let (commands, without) = commands(graph, &tests, &read);
    let lines: Vec<String> = commands.iter().map(Command::shell).collect();
    let uncovered: Vec<String> = tests.uncovered.iter().map(|node| graph.id(*node)).collect();
    let note = format!("{}/{}", tests.asked - uncovered.len(), tests.asked);
    if args.compact {
        let mut text: Vec<String> = Vec::new();
        if tests.files.is_empty() {
            text.push("no tests found".to_owned());
        }
        text.extend(tests.files.keys().cloned());
        text.extend(lines.iter().map(|line| format!("run: {line}")));
        text.extend(uncovered.iter().map(|id| format!("uncovered: {id}")));
        return Ok(Reply::text(text.join("\n")));
    }
    let rows: Vec<Value> = tests
        .files
        .iter()
        .map(|(file, nodes)| {
            let mut names: Vec<&str> = nodes.iter().map(|node| graph.name(*node)).collect();
            names.sort_unstable();
            let ids: Vec<String> = nodes.iter().map(|node| graph.id(*node)).collect();
            json!({"file": file, "functions": names, "ids": ids})
        })
        .collect();
    let argv: Vec<&Vec<String>> = commands.iter().map(|command| &command.argv).collect();
    let runs: Vec<Value> = commands
        .iter()
        .map(|command| json!({"runner": command.runner, "repo": graph.repos.get(command.repo as usize), "cwd": command.cwd, "argv": command.argv}))
        .collect();
    let mut answer = json!({
        "total_files": rows.len(),
        "test_targets": rows,
        "run_commands": lines,
        "run_argv": argv,
        "runs": runs,
        "uncovered": uncovered,
        "coverage_note": note,
    });
    if !without.is_empty() {
        answer["without_runner"] = json!(without);
    }
    if !picked.unresolved.is_empty() {
        answer["unresolved"] = json!(picked.unresolved);
    }
    Reply::new(&answer)
}

#[cfg(test)]
mod unit {
    use crate::testing::Fixture;
    use serde_json::json;

    #[test]
    fn tests_commands_and_what_is_not_covered() {
        let fixture = Fixture::new(
            "//- m.py\ndef leaf():\n    pass\n\ndef lonely():\n    pass\n//- test_m.py\nfrom m import leaf\n\ndef test_leaf():\n    leaf()\n",
        );
        let request = |symbols: &[&str]| json!({"operation": "tests", "target": {"symbols": symbols}});
        let answer = fixture.json("change", request(&["m.py::leaf", "m.py::lonely", "nobody"]));
        assert_eq!(answer["test_targets"][0]["functions"], json!(["test_leaf"]));
        assert_eq!(answer["run_argv"], json!([["python", "-m", "pytest", "test_m.py::test_leaf"]]));
        assert_eq!((&answer["uncovered"], &answer["coverage_note"]), (&json!(["m.py::lonely"]), &json!("1/2")));
        assert_eq!(answer["unresolved"], json!(["nobody"]));
        let none = fixture.json("change", request(&["m.py::lonely"]));
        assert_eq!((&none["total_files"], &none["run_commands"]), (&json!(0), &json!([])));
        assert_eq!(fixture.error("change", request(&["nobody"]))["error_code"], "symbol_not_found");
    }
}
