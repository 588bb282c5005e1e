//! `gortex tools`: the catalogue. Opens nothing and changes nothing.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use gortex_core::{Registry, ToolDef, legacy_definitions, tool_definitions};

use super::{Failure, print_line};

/// Arguments of `gortex tools`.
#[derive(Debug, Args)]
pub(crate) struct ToolsArgs {
    #[command(subcommand)]
    verb: Option<Verb>,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// List the tools with a sentence each.
    List {
        /// The legacy tools instead.
        #[arg(long)]
        legacy: bool,
    },
    /// Print the definition of a tool and its operations.
    Describe {
        /// The tool.
        name: String,
        /// The legacy tool of a name that both surfaces have.
        #[arg(long)]
        legacy: bool,
    },
    /// Find tools and operations by words of their names and sentences.
    Search {
        /// The words; all of them must occur.
        #[arg(required = true)]
        words: Vec<String>,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Say what a model has to carry for these tools: nothing here, the list of a session elsewhere.
    Receipt,
}

/// Prints.
pub(crate) fn run(args: ToolsArgs) -> Result<ExitCode, Failure> {
    let registry = crate::registry::registry()?;
    match args.verb.unwrap_or(Verb::List { legacy: false }) {
        Verb::List { legacy } => {
            let tools = if legacy { legacy_definitions(&registry) } else { tool_definitions(&registry) };
            let wide = tools.iter().map(|tool| tool.name.len()).max().unwrap_or(0);
            let lines: Vec<String> = tools.iter().map(|tool| format!("{:wide$}  {}", tool.name, tool.description)).collect();
            print_line(&lines.join("\n"))?;
        }
        Verb::Search { words, json } => {
            let found = search(&registry, &words);
            if json {
                print_line(&serde_json::to_string(&found)?)?;
            } else {
                let lines: Vec<String> = found.iter().map(|row| format!("{}  {}", row.call, row.summary)).collect();
                print_line(&if lines.is_empty() { "nothing has all of these words".to_owned() } else { lines.join("\n") })?;
            }
        }
        Verb::Receipt => print_line(&receipt(&registry).to_string())?,
        Verb::Describe { name, legacy } => print_line(&describe(&registry, &name, legacy)?)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn describe(registry: &Registry, name: &str, legacy: bool) -> Result<String, Failure> {
    let compact = tool_definitions(registry).into_iter().filter(|_| !legacy);
    let found: Option<ToolDef> = compact.chain(legacy_definitions(registry)).find(|tool| tool.name == name);
    let tool = found.ok_or_else(|| Failure::usage(format!("there is no tool `{name}`; `gortex tools` lists them")))?;
    let mut out = tool.to_value();
    if let Some(spec) = registry.facade(name).filter(|_| !legacy) {
        let rows = registry.listings(spec).into_iter().map(|listing| {
            serde_json::json!({"operation": listing.name, "effect": listing.effect.as_str(), "available": listing.entry.is_some()})
        });
        out["operations"] = rows.collect();
    }
    Ok(serde_json::to_string_pretty(&out)?)
}

/// One thing that can be called.
#[derive(Debug, serde::Serialize)]
struct Found {
    /// `tool` or `tool operation`.
    call: String,
    /// The legacy name.
    #[serde(skip_serializing_if = "Option::is_none")]
    legacy: Option<&'static str>,
    summary: String,
    available: bool,
}

/// Tools and operations that have all of the words, sorted.
fn search(registry: &Registry, words: &[String]) -> Vec<Found> {
    let words: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
    let fits = |texts: &[&str]| words.iter().all(|word| texts.iter().any(|text| text.to_lowercase().contains(word)));
    let mut found = Vec::new();
    for tool in tool_definitions(registry) {
        let Some(spec) = registry.facade(&tool.name) else { continue };
        for listing in registry.listings(spec) {
            let operation = listing.entry.map(|entry| entry.operation);
            let (legacy, summary) = (listing.legacy, operation.map_or("", |operation| operation.summary));
            if fits(&[spec.name, &listing.name, legacy, summary]) {
                let call = format!("{} {}", spec.name, listing.name);
                found.push(Found { call, legacy: Some(legacy), summary: summary.to_owned(), available: operation.is_some() });
            }
        }
        if fits(&[&tool.name, &tool.description]) {
            found.push(Found { call: tool.name, legacy: None, summary: tool.description, available: true });
        }
    }
    found.sort_by(|a, b| a.call.cmp(&b.call));
    found
}

/// The command line mounts no schema into anybody's context.
fn receipt(registry: &Registry) -> serde_json::Value {
    let bytes = |tools: Vec<ToolDef>| tools.iter().map(|tool| tool.to_value().to_string().len()).sum::<usize>();
    serde_json::json!({
        "surface": "cli",
        "mounted_tools": 0,
        "mounted_schema_bytes": 0,
        "note": "the command line mounts no schemas; a session of the protocol carries its list",
        "session_lists": {
            "compact": {"tools": tool_definitions(registry).len(), "bytes": bytes(tool_definitions(registry))},
            "full": {"tools": legacy_definitions(registry).len(), "bytes": bytes(legacy_definitions(registry))},
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::partial_registry;

    #[test]
    fn a_tool_is_described_with_its_operations() {
        let registry = partial_registry();
        let text = describe(&registry, "workspace", false).map_err(|_| ()).expect("described");
        assert!(text.contains("\"inputSchema\"") && text.contains("\"info\""), "{text}");
        assert!(describe(&registry, "graph_stats", false).is_ok());
        assert!(describe(&registry, "é", false).is_err());
    }

    #[test]
    fn operations_are_found_by_words_and_nothing_is_mounted() {
        let registry = partial_registry();
        let calls = |words: &[&str]| -> Vec<String> {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            search(&registry, &words).into_iter().map(|row| row.call).collect()
        };
        assert!(calls(&["who", "CALLS"]).contains(&"relations callers".to_owned()), "{:?}", calls(&["who", "CALLS"]));
        assert!(calls(&["get_callers"]).contains(&"relations callers".to_owned()));
        assert!(calls(&["é"]).is_empty());
        let receipt = receipt(&registry);
        assert_eq!((&receipt["mounted_tools"], &receipt["session_lists"]["compact"]["tools"]), (&0.into(), &21.into()));
    }
}
