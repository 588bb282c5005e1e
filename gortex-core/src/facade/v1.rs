//! The 21 public tools of Gortex, `facade-v1`.
//!
//! A table: sentences here are product text that every session pays for, so each is short and none repeats another.
//! Request shapes stand here only where they can't be derived from the handlers' fields.

use super::FieldKind::{Flag, Object, Objects, Target, Text};
use super::{Condition, Discriminator, FacadeSpec, Inference, PublicField, Redirect};
use crate::effect::Effect::{ControlWrite, ExternalWrite, LocalWrite, Read, SessionWrite};
use crate::envelope::rules;

const TARGET: PublicField = PublicField::new("target", Target, "");
const TO: PublicField = PublicField::new("to", Target, "");
const OPTIONS: PublicField = PublicField::new("options", Object, "");
const ARGUMENTS: PublicField = PublicField::new("arguments", Object, "");
const DRY_RUN: PublicField = PublicField::new("dry_run", Flag, "");
const COLD: &[PublicField] = &[ARGUMENTS];

/// The table, sorted by name.
pub const FACADE_V1: &[FacadeSpec] = &[
    FacadeSpec {
        discriminator: Discriminator::Kind,
        featured: &[
            "architecture",
            "churn",
            "clones",
            "contracts",
            "coupling",
            "cycles",
            "dead_code",
            "health",
            "hotspots",
            "impact",
            "inspections",
            "processes",
            "sast",
            "todos",
            "untested",
            "why",
        ],
        shapes: &[
            ("citation", r#"{"kind":"citation","options":{"span":"<quoted text>","file_path":"<file>"}}"#),
            ("co_change", r#"{"kind":"co_change","target":{"symbol":"<symbol>"},"options":{}}"#),
            ("def_use", r#"{"kind":"def_use","target":{"symbol":"<symbol>"},"options":{}}"#),
            ("impact", r#"{"kind":"impact","target":{"symbol":"<symbol>"},"options":{}}"#),
            ("why", r#"{"kind":"why","target":{"symbol":"<symbol>"},"options":{}}"#),
            ("would_create_cycle", r#"{"kind":"would_create_cycle","options":{"from_id":"<from>","to_id":"<to>"}}"#),
        ],
        ..FacadeSpec::new("analyze", Read, "Deterministic code graph analysis.")
            .fields(&[TARGET, OPTIONS])
            .default_operation("help")
            .always_load()
    },
    FacadeSpec {
        discriminator: Discriminator::Quiet,
        shapes: &[("research", r#"{"question":"<question>"}"#)],
        ..FacadeSpec::new("ask", Read, "Research question answered by a configured model.")
            .fields(&[PublicField::new("question", Text, "").required(), OPTIONS])
            .default_operation("research")
            .open_world()
    },
    FacadeSpec {
        discriminator: Discriminator::Catalogue,
        ..FacadeSpec::new("capabilities", Read, "List operations, or one operation's exact schema.")
            .fields(&[
                PublicField::new("domain", Text, "Tool name; omit to list all"),
                PublicField::new("operation", Text, ""),
                PublicField::new("detail", Text, "summary | schema"),
            ])
            .always_load()
    },
    FacadeSpec {
        shapes: &[
            ("api_impact", r#"{"source":{"file":"<file>"}}"#),
            ("code_actions", r#"{"source":{"file":"<file>"}}"#),
            ("contract", r#"{"target":{"symbols":["<symbol>"]}}"#),
            ("detect", r#"{"source":{"scope":"unstaged"}}"#),
            ("diagnostics", r#"{"source":{"file":"<file>"}}"#),
            ("edit_plan", r#"{"target":{"symbols":["<symbol>"]}}"#),
            ("guards", r#"{"target":{"symbols":["<symbol>"]}}"#),
            ("impact", r#"{"target":{"symbol":"<symbol>"}}"#),
            ("pattern", r#"{"source":{"symbols":["<symbol>"]}}"#),
            ("preview", r#"{"source":{"workspace_edit":{"changes":{}}}}"#),
            ("ranges", r#"{"source":{"file":"<file>","ranges":[{"start_line":1,"end_line":1}]}}"#),
            ("simulate", r#"{"source":{"steps":[{"changes":{}}]}}"#),
            ("tests", r#"{"target":{"symbols":["<symbol>"]}}"#),
            ("verify", r#"{"source":{"changes":[{"symbol_id":"<symbol>","new_signature":"<signature>"}]}}"#),
        ],
        rules: rules::CHANGE,
        ..FacadeSpec::new("change", Read, "Detect, predict and verify changes.")
            .fields(&[TARGET, PublicField::new("source", Object, "diff, tree, ranges, symbols, edits"), OPTIONS])
            .default_operation("contract")
            .always_load()
    },
    FacadeSpec {
        infer: &[
            Inference { when: &[Condition::NonEmpty("changes")], operation: "batch" },
            Inference { when: &[Condition::Target("symbol")], operation: "symbol" },
            Inference {
                when: &[Condition::Target("file"), Condition::Present("content"), Condition::Absent("match")],
                operation: "write",
            },
            Inference { when: &[Condition::Target("file")], operation: "file" },
        ],
        shapes: &[
            (
                "batch",
                r#"{"changes":[{"op":"edit_file","path":"<file>","old_string":"<old text>","new_string":"<new text>"},{"op":"edit_symbol","id":"<symbol>","old_source":"<old text>","new_source":"<new text>"},{"op":"move_file","source":"<file>","destination":"<new file>"},{"op":"delete_file","path":"<other file>"}],"dry_run":true}"#,
            ),
            ("file", r#"{"target":{"file":"<file>"},"match":"<old text>","replacement":"<new text>","dry_run":true}"#),
            ("skill", r#"{"options":{"directory":"<directory>"},"dry_run":true}"#),
            ("symbol", r#"{"target":{"symbol":"<symbol>"},"match":"<old text>","replacement":"<new text>","dry_run":true}"#),
            ("write", r#"{"target":{"file":"<file>"},"content":"<whole text>","dry_run":true}"#),
        ],
        ..FacadeSpec::new("edit", LocalWrite, "Edit text and files, one or an atomic batch.")
            .fields(&[
                TARGET,
                PublicField::new("match", Text, "Exact text"),
                PublicField::new("replacement", Text, ""),
                PublicField::new("content", Text, "Whole file"),
                PublicField::new("guard", Object, "base_sha, expected_occurrences"),
                PublicField::new("changes", Objects, ""),
                DRY_RUN,
                OPTIONS,
            ])
            .default_operation("file")
            .always_load()
    },
    FacadeSpec {
        renames: &[("path", "repo")],
        shapes: &[
            ("closure", r#"{"options":{"files":"<file>"}}"#),
            ("context", r#"{"task":"<task>"}"#),
            ("task", r#"{"task":"<task>"}"#),
        ],
        ..FacadeSpec::new("explore", Read, "Start here: the code that matters for a task.")
            .fields(&[PublicField::new("task", Text, ""), PublicField::new("path", Text, "Repository anchor"), OPTIONS])
            .default_operation("task")
            .always_load()
    },
    FacadeSpec::new("overlay", SessionWrite, "Speculative edits in memory.").fields(COLD),
    FacadeSpec::new("pr", Read, "Read and analyze pull requests of a forge.").fields(COLD).default_operation("list").open_world(),
    FacadeSpec::new("publish_review", ExternalWrite, "Post review results to a forge.")
        .fields(COLD)
        .default_operation("post")
        .open_world(),
    FacadeSpec {
        aliases: &[("symbol", "source"), ("symbol_source", "source")],
        infer: &[
            Inference { when: &[Condition::Target("file")], operation: "file" },
            Inference { when: &[Condition::Target("symbol")], operation: "source" },
            Inference { when: &[Condition::Target("symbols")], operation: "symbols" },
            Inference { when: &[Condition::Target("artifact")], operation: "artifact" },
        ],
        redirects: &[
            Redirect { operation: "source", selector: "symbols", runs: "symbols" },
            Redirect { operation: "symbols", selector: "symbol", runs: "source" },
            Redirect { operation: "source", selector: "file", runs: "file" },
            Redirect { operation: "symbols", selector: "file", runs: "file" },
        ],
        shapes: &[
            ("artifact", r#"{"target":{"artifact":"<artifact>"},"options":{}}"#),
            ("editing_context", r#"{"target":{"file":"<file>"},"options":{}}"#),
            ("file", r#"{"target":{"file":"<file>"},"options":{}}"#),
            ("history", r#"{"target":{"symbol":"<symbol>"},"options":{}}"#),
            ("summary", r#"{"target":{"file":"<file>"},"options":{}}"#),
            ("symbols", r#"{"target":{"symbols":["<symbol>"]},"options":{}}"#),
            ("source", r#"{"target":{"symbol":"<symbol>"},"options":{}}"#),
        ],
        rules: rules::READ,
        ..FacadeSpec::new("read", Read, "Read a file, one or more symbols, or an artifact.")
            .fields(&[TARGET, PublicField::new("context", Object, "start_line, end_line, context_lines"), OPTIONS])
            .default_operation("source")
            .always_load()
    },
    FacadeSpec::new("recall", Read, "Notes, memories and notebooks.").fields(COLD).default_operation("surface"),
    FacadeSpec {
        shapes: &[
            ("apply_code_action", r#"{"target":{"file":"<file>"},"dry_run":true}"#),
            ("fix_all", r#"{"target":{"file":"<file>"},"dry_run":true}"#),
            ("move", r#"{"target":{"symbol":"<symbol>"},"destination":"<new file>","dry_run":true}"#),
            ("rename", r#"{"target":{"symbol":"<symbol>"},"new_name":"<new name>","dry_run":true}"#),
        ],
        ..FacadeSpec::new("refactor", LocalWrite, "Semantic changes that keep all references right.")
            .fields(&[
                TARGET,
                PublicField::new("new_name", Text, ""),
                PublicField::new("destination", Text, "Target file"),
                DRY_RUN,
                OPTIONS,
            ])
            .default_operation("rename")
            .always_load()
    },
    FacadeSpec {
        shapes: &[
            ("declaration", r#"{"target":{"query":"<use text>"},"options":{}}"#),
            ("references", r#"{"target":{"symbol":"<symbol>"},"options":{}}"#),
        ],
        ..FacadeSpec::new("relations", Read, "Who uses, calls, implements or depends on what.")
            .fields(&[TARGET, TO, OPTIONS])
            .default_operation("usages")
            .always_load()
    },
    FacadeSpec {
        shapes: &[("risk_ack", r#"{"arguments":{"source":"symbols","symbols":"<symbol>"}}"#)],
        ..FacadeSpec::new("remember", LocalWrite, "Store or update durable knowledge.").fields(COLD).default_operation("memory")
    },
    FacadeSpec::new("response", Read, "Re-cut or export buffered answers.").fields(COLD).default_operation("stats"),
    FacadeSpec::new("review", Read, "Review a change; review context and questions.")
        .fields(&[PublicField::new("source", Object, ""), OPTIONS])
        .default_operation("run")
        .open_world(),
    FacadeSpec {
        shapes: &[("artifacts", r#"{"query":"<words>","options":{}}"#), ("files", r#"{"query":"<file name>","options":{}}"#)],
        ..FacadeSpec::new("search", Read, "Find symbols, text, files or syntax patterns.")
            .fields(&[PublicField::new("query", Text, ""), OPTIONS])
            .default_operation("symbols")
            .always_load()
    },
    FacadeSpec {
        verbs: &["subscribe", "unsubscribe"],
        ..FacadeSpec::new("session", SessionWrite, "State of this connection.")
            .fields(&[PublicField::new("channel", Text, ""), ARGUMENTS])
    },
    FacadeSpec {
        shapes: &[
            ("flow", r#"{"target":{"symbol":"<source>"},"to":{"symbol":"<sink>"},"options":{}}"#),
            ("graph", r#"{"options":{"query":"<graph query>"}}"#),
            ("path", r#"{"target":{"symbol":"<from>"},"to":{"symbol":"<to>"},"options":{}}"#),
            ("taint", r#"{"target":{"query":"<source pattern>"},"to":{"query":"<sink pattern>"},"options":{}}"#),
        ],
        ..FacadeSpec::new("trace", Read, "Follow calls, paths, control flow and data flow.")
            .fields(&[TARGET, TO, OPTIONS])
            .default_operation("call_chain")
            .always_load()
    },
    FacadeSpec::new("workspace", Read, "What is tracked, indexed and configured.").fields(COLD).default_operation("info"),
    FacadeSpec {
        shapes: &[("coverage", r#"{"operation":"coverage","arguments":{"profile":"<coverage file>"}}"#)],
        ..FacadeSpec::new("workspace_admin", ControlWrite, "Track, index and configure repositories.").fields(COLD).open_world()
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_has_21_names() {
        let names: Vec<&str> = FACADE_V1.iter().map(|facade| facade.name).collect();
        assert_eq!(names.len(), 21);
        assert!(names.is_sorted());
    }

    #[test]
    fn every_shape_is_an_object() {
        for facade in FACADE_V1 {
            for (operation, shape) in facade.shapes {
                let value: serde_json::Value = serde_json::from_str(shape).expect(operation);
                assert!(value.is_object(), "{}.{operation}", facade.name);
            }
        }
    }
}
