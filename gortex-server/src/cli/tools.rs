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
}
