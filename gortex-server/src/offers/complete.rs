//! Completions for the arguments of prompts and of resource addresses.

use gortex_core::Body;
use rmcp::ErrorData;
use rmcp::model::{CompleteResult, CompletionInfo, Reference};
use serde_json::{Value, json};

use super::{Asker, resources};

/// What one answer may hold.
const MOST: usize = 50;

/// Completes what stands in an argument. An argument that takes free text has no completions; one that does not exist is an
/// error.
pub async fn complete(asker: &Asker<'_>, of: &Reference, argument: &str, value: &str) -> Result<CompleteResult, ErrorData> {
    let owner = match of {
        Reference::Prompt(prompt) => prompt.name.as_str(),
        Reference::Resource(template) => template.uri.as_str(),
        _ => "",
    };
    let (values, total) = match (of, owner, argument) {
        (Reference::Prompt(_), "safe_to_change", "symbol") => found(asker, "symbols", value).await,
        (Reference::Prompt(_), "pre_commit", "scope") => words(["all", "staged", "unstaged"], value),
        (Reference::Prompt(_), "orientation", "task") => (Vec::new(), 0),
        (Reference::Resource(_), "gortex://guide/{topic}", "topic") => {
            let topics = resources::topics(value);
            let total = topics.len();
            (topics, total)
        }
        (Reference::Resource(_), "gortex://schema/{domain}", "domain") => {
            words(asker.registry.surface().facades.iter().map(|facade| facade.name), value)
        }
        (_, _, "path" | "file") => found(asker, "files", value).await,
        _ => {
            let data = json!({"ref": owner, "argument": argument});
            return Err(ErrorData::invalid_params(format!("`{owner}` has no argument `{argument}`"), Some(data)));
        }
    };
    let mut info = CompletionInfo::new(values.clone()).map_err(|error| ErrorData::internal_error(error, None))?;
    info.total = u32::try_from(total).ok();
    info.has_more = Some(total > values.len());
    Ok(CompleteResult::new(info))
}

fn words<'w>(all: impl IntoIterator<Item = &'w str>, prefix: &str) -> (Vec<String>, usize) {
    let prefix = prefix.to_lowercase();
    let mut out: Vec<String> = all.into_iter().filter(|word| word.starts_with(&prefix)).map(str::to_owned).collect();
    out.sort();
    let total = out.len();
    (out, total)
}

/// Ids of symbols, or paths of files, that a search for the beginning finds, in its order.
async fn found(asker: &Asker<'_>, operation: &str, value: &str) -> (Vec<String>, usize) {
    if value.trim().is_empty() {
        return (Vec::new(), 0);
    }
    let request = json!({"operation": operation, "query": value, "output": {"limit": MOST, "max_bytes": 0}});
    let output = asker.ask("search", request).await;
    let Body::Json(body) = &output.body else { return (Vec::new(), 0) };
    let lists = body.as_object().into_iter().flat_map(|fields| fields.values()).filter_map(Value::as_array);
    let key = if operation == "symbols" { "id" } else { "path" };
    let text = |row: &Value| row[key].as_str().or_else(|| row["file"].as_str()).or_else(|| row.as_str()).map(str::to_owned);
    let rows: Vec<String> = lists.max_by_key(|list| list.len()).into_iter().flatten().filter_map(text).take(MOST).collect();
    let total = body["total"].as_u64().map_or(rows.len(), |total| total as usize).max(rows.len());
    (rows, total)
}
