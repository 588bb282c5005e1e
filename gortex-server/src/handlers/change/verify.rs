//! `change.verify`: does a proposed signature fit its callers and its siblings?
//!
//! Only direct calls are looked at, each with its line. What can't be parsed or found is an error of the answer and never
//! counts as clean.

use std::collections::BTreeMap;

use gortex_core::Json;
use gortex_engine::facts::model::{ExprKind, flag};
use gortex_engine::facts::{ExtractLimits, Usage, walker};
use gortex_engine::graph::{EdgeKind, EdgeRow, NodeId};
use gortex_engine::lang::Family;
use gortex_engine::query::signature::{Difference, Signature, at_name, differences, parse_text, without_receiver};
use gortex_engine::query::symbol::{Resolved, resolve};

use crate::handlers::shared::prelude::*;

/// Violations listed; their number is always told.
const VIOLATIONS: usize = 200;

/// Arguments of `change.verify`.
#[derive(Debug, Deserialize, JsonSchema, FacadeArgs)]
pub(crate) struct VerifyChange {
    /// A list of `{symbol_id, new_signature}`.
    #[at(source)]
    changes: Json,
    /// Text instead of JSON: one line per violation.
    #[at(output)]
    #[serde(default)]
    compact: bool,
}

/// Checks proposed signatures against direct callers and against overridden and overriding members.
#[facade(domain = "change", op = "verify", effect = "read")]
async fn verify_change(graph: Graph, args: Args<VerifyChange>) -> Answer<Reply> {
    let args = args.into_inner();
    let proposals = proposals(&args.changes.0)?;
    graph.blocking(move |graph| verify(graph, &proposals, args.compact)).await
}

fn proposals(value: &Value) -> Result<Vec<(String, String)>, CallError> {
    let wrong =
        |text: String| CallError::invalid(text).data("field", "source.changes").data("expected", "[{symbol_id, new_signature}]");
    let list = value
        .as_array()
        .filter(|list| !list.is_empty())
        .ok_or_else(|| wrong("`source.changes` is no list with an item".to_owned()))?;
    let row = |(at, row): (usize, &Value)| {
        let text = |names: &[&str]| names.iter().find_map(|name| row.get(*name)).and_then(Value::as_str).map(str::to_owned);
        let symbol = text(&["symbol_id", "id", "symbol"]);
        let signature = text(&["new_signature", "signature"]);
        symbol
            .zip(signature)
            .ok_or_else(|| wrong(format!("`source.changes[{at}]` lacks `symbol_id` or `new_signature`")).data("index", at))
    };
    list.iter().enumerate().map(row).collect()
}

#[derive(Default)]
struct Report {
    violations: Vec<Value>,
    errors: Vec<Value>,
    usage: Vec<Value>,
    callers: usize,
    impls: usize,
}

fn verify(graph: &Graph, proposals: &[(String, String)], compact: bool) -> Result<Reply, CallError> {
    let mut report = Report::default();
    for (symbol, text) in proposals {
        match resolve(graph, symbol) {
            Resolved::One(node) => one(graph, node, text, &mut report),
            Resolved::Many(nodes) => {
                let ids: Vec<String> = nodes.iter().take(10).map(|node| graph.id(*node)).collect();
                report.errors.push(json!({"symbol_id": symbol, "code": "ambiguous_symbol", "candidates": ids}));
            }
            Resolved::None(near) => {
                let ids: Vec<String> = near.iter().map(|node| graph.id(*node)).collect();
                report.errors.push(json!({"symbol_id": symbol, "code": "symbol_not_found", "did_you_mean": ids}));
            }
        }
    }
    let mut seen = std::collections::BTreeSet::new();
    report.violations.retain(|row| seen.insert(row.to_string()));
    let clean = report.violations.is_empty() && report.errors.is_empty();
    if compact {
        let line = |row: &Value| {
            let text = |key: &str| row[key].as_str().unwrap_or("").to_owned();
            format!("{} {}:{} {}", text("kind"), text("file_path"), row["line"], text("description"))
        };
        let mut lines: Vec<String> = report.violations.iter().map(line).collect();
        lines.extend(report.errors.iter().map(|row| format!("error {} {}", row["code"], row["symbol_id"])));
        lines.push(format!("clean: {clean}"));
        return Ok(Reply::text(lines.join("\n")));
    }
    let total = report.violations.len();
    report.violations.truncate(VIOLATIONS);
    let mut answer = json!({
        "clean": clean,
        "violations": report.violations,
        "total_violations": total,
        "checked_callers": report.callers,
        "checked_impls": report.impls,
        "return_usage": report.usage,
    });
    if !report.errors.is_empty() {
        answer["errors"] = json!(report.errors);
    }
    Ok(Reply::new(&answer)?.rows("violations"))
}

/// The signature of a callable as its file has it now.
fn current(graph: &Graph, node: NodeId) -> Option<Signature> {
    let file = graph.file_of(node);
    let def = graph.def(node)?;
    let lang = file.lang?;
    let bytes = std::fs::read(graph.view().absolute(&file.path)?).ok()?;
    if gortex_engine::query::change::content_hash(&bytes) != file.hash {
        return None;
    }
    let tree = walker::parse(lang.compiled(), &bytes, ExtractLimits::default())?;
    at_name(lang, &tree, &bytes, def.name_at as usize).map(|found| receiverless(graph, node, found))
}

fn receiverless(graph: &Graph, node: NodeId, found: Signature) -> Signature {
    let python_member = graph.file_of(node).lang.is_some_and(|lang| lang.language().family == Family::Python)
        && graph.parent(node).is_some_and(|parent| graph.kind(parent).is_type());
    let is_static =
        graph.def(node).is_some_and(|def| def.has(flag::STATIC)) && found.params.first().is_none_or(|param| param.name != "cls");
    if python_member { without_receiver(found, is_static) } else { found }
}

fn one(graph: &Graph, node: NodeId, text: &str, report: &mut Report) {
    let id = graph.id(node);
    let mut error = |code: &str, message: String| report.errors.push(json!({"symbol_id": id, "code": code, "message": message}));
    let Some(lang) = graph.file_of(node).lang.filter(|_| graph.kind(node).is_callable()) else {
        return error("not_callable", format!("`{id}` is a {} and has no signature", graph.kind(node).node_kind()));
    };
    let Some(new) = parse_text(lang, text).map(|found| receiverless(graph, node, found)) else {
        return error("unparsed_signature", format!("the {} grammar does not take this as a signature", lang.language().name));
    };
    let Some(old) = current(graph, node) else {
        return error("unreadable_source", format!("the current signature of `{id}` could not be read"));
    };
    if !new.name.is_empty() && !old.name.is_empty() && simple(&new.name) != simple(&old.name) {
        return error(
            "name_changed",
            format!("the signature is of `{}`; refactor(operation=\"rename\") changes names", new.name),
        );
    }
    let changes = differences(&old, &new);
    callers(graph, node, &new, &changes, report);
    siblings(graph, node, &new, report);
}

/// The last segment of a name that may be qualified or a pointer's.
fn simple(name: &str) -> &str {
    name.rsplit([':', '.', '*', '&', ' ']).next().unwrap_or(name)
}

fn violation(graph: &Graph, target: NodeId, at: NodeId, line: u32, kind: &str, text: &str) -> Value {
    let mut row = json!({
        "symbol_id": graph.id(at),
        "name": graph.name(at),
        "file_path": graph.file_of(at).path,
        "line": line,
        "kind": kind,
        "description": text,
        "target": graph.id(target),
    });
    if graph.repos.len() > 1 {
        row["repo_prefix"] = json!(graph.repos.get(graph.file_of(at).repo as usize));
    }
    row
}

fn callers(graph: &Graph, node: NodeId, new: &Signature, changes: &[Difference], report: &mut Report) {
    let mut counts: BTreeMap<&'static str, usize> = BTreeMap::new();
    let mut unclassified = 0;
    let mut sites = 0;
    let calls = graph.incoming(node).filter(|edge| edge.kind() == EdgeKind::Calls);
    for edge in calls {
        sites += 1;
        match edge.usage() {
            Usage::Unknown => unclassified += 1,
            usage => *counts.entry(usage.as_str()).or_default() += 1,
        }
        let mut told = |kind: &str, text: &str| report.violations.push(violation(graph, node, edge.from, edge.line, kind, text));
        let given = arguments(graph, edge);
        if let Some(given) = given {
            let most = new.most();
            if given < new.least() {
                let text = format!("the call gives {given} arguments, the new signature needs at least {}", new.least());
                told("caller_mismatch", &text);
                continue;
            }
            if most.is_some_and(|most| given > most) {
                let removed = changes.iter().any(|change| matches!(change, Difference::Removed(_)));
                let kind = if removed { "removed_param" } else { "caller_mismatch" };
                told(kind, &format!("the call gives {given} arguments, the new signature takes at most {}", most.unwrap_or(0)));
                continue;
            }
        }
        for change in changes {
            let felt = match change {
                Difference::Retyped(at, ..) => given.is_none_or(|given| *at < given),
                Difference::Reordered => given.is_none_or(|given| given > 1),
                // Told by the counts where these are known.
                Difference::Removed(_) | Difference::Added(_) => given.is_none(),
                Difference::Result(..) => false,
            };
            if felt {
                told("caller_mismatch", &change.to_string());
            }
            if let Difference::Result(..) = change
                && edge.usage() != Usage::Discarded
            {
                told("return_mismatch", &change.to_string());
            }
        }
    }
    report.callers += sites;
    report.usage.push(json!({"symbol_id": graph.id(node), "call_sites": sites, "counts": counts, "unclassified": unclassified}));
}

/// The number of arguments of a call, without a receiver that is given as one.
fn arguments(graph: &Graph, edge: &EdgeRow) -> Option<usize> {
    let view = graph.view_of(edge.from);
    let at = view.refs.partition_point(|row| (row.line, row.col) < (edge.line, edge.col));
    // Rows are in the order of the text; a list that is not (macro bodies) is searched through.
    let found = view.refs.get(at).filter(|row| row.line == edge.line && row.col == edge.col);
    let row = found.or_else(|| view.refs.iter().find(|row| row.line == edge.line && row.col == edge.col))?;
    let given = usize::from(row.args()?);
    let by_path = view.expr(row.recv).is_some_and(|recv| recv.kind() == ExprKind::Path || recv.kind() == ExprKind::Name);
    let is_method = graph.def(edge.to).is_some_and(|def| !def.has(flag::STATIC)) && graph.kind(edge.to).node_kind() == "method";
    let through_type =
        is_method && by_path && graph.file_of(edge.from).lang.is_some_and(|lang| lang.language().family == Family::Rust);
    if through_type { given.checked_sub(1) } else { Some(given) }
}

/// Members that replace this one, are replaced by it, or replace the same one.
fn siblings(graph: &Graph, node: NodeId, new: &Signature, report: &mut Report) {
    let up = |node: NodeId| {
        graph.out(node).iter().filter(|edge| edge.kind() == EdgeKind::Overrides).map(|edge| edge.to).collect::<Vec<_>>()
    };
    let down = |node: NodeId| {
        graph.incoming(node).filter(|edge| edge.kind() == EdgeKind::Overrides).map(|edge| edge.from).collect::<Vec<_>>()
    };
    let bases = up(node);
    let mut others: Vec<NodeId> = down(node);
    others.extend(bases.iter().flat_map(|base| down(*base)));
    others.extend(bases);
    others.sort_unstable();
    others.dedup();
    for other in others.into_iter().filter(|other| *other != node) {
        report.impls += 1;
        let line = graph.def(other).map_or(1, |def| def.name_line);
        let Some(there) = current(graph, other) else {
            report.errors.push(
                json!({"symbol_id": graph.id(other), "code": "unreadable_source", "message": "its signature could not be read"}),
            );
            continue;
        };
        let counts_differ = there.params.len() != new.params.len() || there.most() != new.most();
        let told: Vec<String> = if counts_differ {
            vec![format!("it takes {} parameters, the new signature {}", there.params.len(), new.params.len())]
        } else {
            differences(&there, new).iter().map(ToString::to_string).collect()
        };
        if !told.is_empty() {
            report.violations.push(violation(graph, node, other, line, "interface_violation", &told.join("; ")));
        }
    }
}

#[cfg(test)]
mod unit {
    use crate::testing::Fixture;
    use serde_json::{Value, json};

    const FILES: &str =
        "//- m.py\ndef leaf(a, b=1):\n    return a\n\ndef mid():\n    x = leaf(1, 2)\n    leaf(3)\n\ndef top():\n    mid()\n";

    fn verify(fixture: &Fixture, symbol: &str, signature: &str) -> Value {
        fixture.json(
            "change",
            json!({"operation": "verify", "source": {"changes": [{"symbol_id": symbol, "new_signature": signature}]}}),
        )
    }

    fn lines(answer: &Value) -> Vec<(&str, u64)> {
        let rows = answer["violations"].as_array().expect("rows").iter();
        rows.map(|row| (row["kind"].as_str().unwrap_or(""), row["line"].as_u64().unwrap_or(0))).collect()
    }

    #[test]
    fn direct_callers_with_their_lines_and_nobody_else() {
        let fixture = Fixture::new(FILES);
        let answer = verify(&fixture, "m.py::leaf", "def leaf(a):");
        assert_eq!(lines(&answer), [("removed_param", 5)]);
        assert_eq!((&answer["checked_callers"], &answer["clean"]), (&json!(2), &json!(false)));
        assert_eq!(answer["return_usage"][0]["counts"], json!({"assigned": 1, "discarded": 1}));
        assert_eq!(lines(&verify(&fixture, "m.py::leaf", "def leaf(a, b, c)")), [("caller_mismatch", 5), ("caller_mismatch", 6)]);
        assert_eq!(verify(&fixture, "m.py::leaf", "def leaf(a, b=1, c=2)")["clean"], true);
        assert_eq!(lines(&verify(&fixture, "m.py::leaf", "def leaf(a, b=1) -> int")), [("return_mismatch", 5)]);
    }

    #[test]
    fn what_is_not_understood_is_never_clean() {
        let fixture = Fixture::new(FILES);
        let answer = verify(&fixture, "m.py::leaf", "def leaf(a");
        assert_eq!((&answer["errors"][0]["code"], &answer["clean"]), (&json!("unparsed_signature"), &json!(false)));
        assert_eq!(verify(&fixture, "nobody", "def nobody()")["errors"][0]["code"], "symbol_not_found");
        fixture.error("change", json!({"operation": "verify", "source": {"changes": []}}));
    }

    #[test]
    fn siblings_of_an_interface_are_told() {
        let fixture = Fixture::new(
            "//- go.mod\nmodule m\n//- a.go\npackage a\n\ntype R interface{ Run(n int) error }\n\ntype A struct{}\n\nfunc (A) Run(n int) error { return nil }\n\ntype B struct{}\n\nfunc (B) Run(n int) error { return nil }\n",
        );
        let answer = verify(&fixture, "a.go::A.Run", "func (A) Run(n int, deep bool) error");
        assert_eq!(lines(&answer), [("interface_violation", 3), ("interface_violation", 11)]);
        assert_eq!(answer["checked_impls"], 2);
    }
}
