//! `docs/migration.md`: from a legacy name to the call on the compact surface.

use std::fmt::Write as _;

use gortex_core::{Registry, capabilities_of};
use serde_json::{Value, json};

use super::{COMMAND, cell, keep, registry};

/// What a reader needs to know before the table.
const HEAD: &str = "# From legacy names to the compact surface

Clients that give a name see 21 tools. The names of the fine-grained ones stay callable where a connection asks for a
legacy preset (`GORTEX_TOOLS=full gortex mcp`, `--tools`, `mcp.tools`), and answer the same bytes.

Four names exist on both surfaces with different arguments: `analyze`, `ask`, `explore`, `review`. A connection has one
meaning of them, fixed before its first list.
";

fn page(registry: &Registry) -> String {
    let mut out = format!("{HEAD}\nWritten from the registry by a test: `{COMMAND}`.\n");
    out.push_str("\n| legacy tool | call | effect |\n|---|---|---|\n");
    let mut rows: Vec<(String, String)> = Vec::new();
    for row in registry.baseline() {
        let call = if row.hidden { compatibility(row.legacy) } else { call(registry, &row.facade, &row.operation) };
        let fixed: Vec<String> = row.fixed.iter().map(|(key, value)| format!("{key}={value}")).collect();
        let with = if fixed.is_empty() { String::new() } else { format!(" with `{}`", fixed.join(", ")) };
        rows.push((row.legacy.to_owned(), format!("| `{}`{with} | {} | {} |\n", row.legacy, cell(&call), row.effect)));
    }
    rows.sort();
    rows.dedup();
    out.extend(rows.into_iter().map(|(_, row)| row));
    let _ = write!(
        out,
        "\nA variant that changes state has an operation of its own: the fixed arguments above are set by the server and can't be\nsent.\n"
    );
    out
}

fn compatibility(legacy: &str) -> String {
    match legacy {
        "tool_profile" | "tools_search" => "`capabilities()`".to_owned(),
        _ => "legacy name only; see `response`".to_owned(),
    }
}

fn call(registry: &Registry, facade: &str, operation: &str) -> String {
    let verb = registry
        .facade(facade)
        .and_then(|spec| spec.verbs.iter().find_map(|verb| Some((*verb, operation.strip_prefix(verb)?.strip_prefix('_')?))));
    if let Some((verb, channel)) = verb {
        return format!("`{facade}({})`", json!({"operation": verb, "channel": channel}));
    }
    let entry = capabilities_of(registry, facade, Some(operation), true);
    match entry.get("request_shape") {
        Some(shape) => format!("`{facade}({shape})`"),
        None => {
            let key = registry.facade(facade).map_or("operation", |spec| spec.discriminator_key());
            format!(
                "`{facade}({})`, not in this build",
                Value::Object([(key.to_owned(), operation.into())].into_iter().collect())
            )
        }
    }
}

#[test]
fn the_page_of_migration_is_current_and_complete() {
    let registry = registry();
    let page = page(&registry);
    for row in registry.baseline() {
        assert!(page.contains(&format!("| `{}`", row.legacy)), "{}", row.legacy);
    }
    keep("migration.md", &page);
}
