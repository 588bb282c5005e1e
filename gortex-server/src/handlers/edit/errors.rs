//! Refusals of the edit room as call errors: one place, one `match` without a wildcard.
//!
//! The code is the stable word of the protocol; `reason` in the data is the edit room's own, finer word.

use gortex_engine::edit::EditError;

use crate::handlers::shared::prelude::*;

/// The call error of a refusal.
pub(crate) fn call_error(error: EditError) -> CallError {
    let message = error.to_string();
    let with = |code| CallError::new(code, &message).data("reason", error.code());
    match &error {
        EditError::Invalid { field, item, .. } => {
            let error = with(Code::InvalidArgument).data("field", field);
            match item {
                Some(item) => error.data("item_index", item),
                None => error,
            }
        }
        EditError::PathEscape { path } => with(Code::PathEscape).data("path", path),
        EditError::Protected { path } => with(Code::PathEscape).data("path", path),
        EditError::ParentIsFile { path, parent } => with(Code::InvalidArgument).data("path", path).data("parent", parent),
        EditError::NotAFile { path, kind } => with(Code::InvalidArgument).data("path", path).data("kind", kind),
        EditError::FileNotFound { path } => with(Code::FileNotFound)
            .data("path", path)
            .hint("edit(operation=\"write\", target={\"file\"}, content) makes a new file"),
        EditError::AmbiguousPath { candidates, .. } => with(Code::InvalidArgument).data("candidates", candidates),
        EditError::TooLarge { size, limit, .. } => with(Code::FileTooLarge).data("size", size).data("limit", limit),
        EditError::NoMatch { nearest, whitespace_only, region, .. } => {
            let mut error = with(Code::MatchNotFound).data("nearest_line", nearest).data("whitespace_only", whitespace_only);
            if let Some((first, last)) = region {
                error = error.data("searched_lines", [first, last]);
            }
            error.hint("read the place again and copy the text as it is")
        }
        EditError::Ambiguous { count, lines, .. } => with(Code::MatchAmbiguous)
            .data("count", count)
            .data("lines", lines)
            .hint("add surrounding lines to `match`, or set `options.replace_all`"),
        EditError::OccurrenceMismatch { expected, actual, .. } => {
            with(Code::OccurrenceMismatch).data("expected", expected).data("count", actual)
        }
        EditError::Identical { .. } => with(Code::NoEdits),
        EditError::SplitsCharacter { line, .. } => with(Code::InvalidArgument).data("line", line),
        EditError::Stale { expected, current, .. } => with(Code::StaleBase)
            .data("expected_sha", expected)
            .data("current_sha", current)
            .hint("read the file again and repeat the edit on what it says now"),
        EditError::StaleIndex { path, line } => with(Code::StaleIndex).data("file", path).data("line", line).retriable(true),
        EditError::NoRange { symbol, path, reason } => with(Code::SymbolNotFound)
            .data("symbol", symbol)
            .data("path", path)
            .data("detail", reason)
            .hint("search(operation=\"symbols\") shows what the file defines now"),
        EditError::ParseBlocked { gate, .. } => {
            with(Code::ParseGate).data("parse_gate", gate).hint("mend the replacement, or set `options.allow_parse_errors`")
        }
        EditError::IdempotencyConflict { id } => with(Code::IdempotencyConflict).data("key", id),
        EditError::Overlap { .. } => with(Code::EditConflict),
        EditError::DestinationExists { path } => with(Code::FileExists).data("path", path),
        EditError::DestinationBehindLink { path } => with(Code::PathEscape).data("path", path),
        EditError::Sha256Mismatch { path, actual } => with(Code::StaleBase).data("path", path).data("current_sha256", actual),
        EditError::EvidenceRefused { path } => with(Code::InvalidArgument).data("field", "physical_evidence").data("path", path),
        EditError::Cancelled => with(Code::Cancelled).retriable(true),
        EditError::Busy { path } => with(Code::Unavailable).data("path", path).retriable(true),
        EditError::RecoveryConflict { id, paths } => with(Code::EditConflict).data("transaction_id", id).data("paths", paths),
        EditError::RollbackFailed { id, paths } => with(Code::Io).data("transaction_id", id).data("paths", paths),
        EditError::Io { path, .. } => with(Code::Io).data("path", path).retriable(true),
    }
}
