//! Answers of tools as data, and what tests ask of them.

use std::collections::BTreeSet;

use serde_json::Value;

/// The answer to one call.
#[derive(Clone, Debug)]
pub struct Reply {
    /// The text as data; an empty object where it is none.
    pub body: Value,
    /// The text.
    pub text: String,
    /// Whether the tool refused.
    pub is_error: bool,
    /// `_meta` of the result.
    pub meta: Value,
}

impl Reply {
    /// Reads the result of `tools/call`; a protocol error counts as a refusal.
    pub fn of_message(message: &Value) -> Reply {
        if let Some(error) = message.get("error") {
            return Reply { body: error.clone(), text: error.to_string(), is_error: true, meta: Value::Null };
        }
        let result = &message["result"];
        let blocks = result["content"].as_array().cloned().unwrap_or_default();
        let text = blocks.iter().filter_map(|block| block["text"].as_str()).collect::<Vec<_>>().join("\n");
        Reply {
            body: serde_json::from_str(&text).unwrap_or_else(|_| serde_json::json!({})),
            is_error: result["isError"] == true,
            meta: result["_meta"].clone(),
            text,
        }
    }

    /// The answer, which must not be a refusal.
    #[track_caller]
    pub fn ok(self) -> Reply {
        assert!(!self.is_error, "refused: {}", self.text);
        self
    }

    /// The refusal, which must carry this code.
    #[track_caller]
    pub fn refused(self, code: &str) -> Reply {
        assert!(self.is_error, "not refused: {}", self.text);
        assert_eq!(self.code(), code, "{}", self.text);
        self
    }

    /// The stable code of a refusal, or the condition of a recoverable answer.
    pub fn code(&self) -> &str {
        ["error_code", "code", "condition"].iter().find_map(|key| self.body[*key].as_str()).unwrap_or("")
    }

    /// All objects with a `name` in the lists of the answer, without the target.
    pub fn rows(&self) -> Vec<&Value> {
        let mut found = Vec::new();
        rows(&self.body, &mut found);
        let own = self.targets();
        found.retain(|row| row["id"].as_str().is_none_or(|id| !own.contains(id)));
        found
    }

    /// The names of the rows.
    pub fn names(&self) -> BTreeSet<&str> {
        self.rows().iter().filter_map(|row| row["name"].as_str()).collect()
    }

    /// `file:line` of the rows.
    pub fn places(&self) -> BTreeSet<String> {
        let place = |row: &&Value| {
            let file = row["file_path"].as_str().or(row["file"].as_str())?;
            let line = row["start_line"].as_u64().or(row["line"].as_u64())?;
            Some(format!("{file}:{line}"))
        };
        self.rows().iter().filter_map(place).collect()
    }

    /// Names of the nodes with an edge to the target.
    pub fn callers(&self) -> BTreeSet<String> {
        self.caller_ids().iter().map(|id| name_of(id).to_owned()).collect()
    }

    /// Ids of the nodes with an edge to the target; none where the answer is not one about relations.
    pub fn caller_ids(&self) -> BTreeSet<String> {
        let mut own = self.targets();
        if own.is_empty() {
            own.extend(self.body["nodes"][0]["id"].as_str());
        }
        let edges = self.body["edges"].as_array().into_iter().flatten();
        let into = edges.filter(|edge| edge["to"].as_str().is_some_and(|to| own.contains(to)));
        into.filter_map(|edge| edge["from"].as_str()).map(str::to_owned).collect()
    }

    fn targets(&self) -> BTreeSet<&str> {
        let mut ids = BTreeSet::new();
        for key in ["target", "symbol", "root"] {
            let value = &self.body[key];
            ids.extend(value["id"].as_str().or(value.as_str().filter(|text| text.contains("::"))));
        }
        if ids.is_empty() {
            ids.extend(self.body["id"].as_str());
        }
        ids
    }
}

fn rows<'v>(value: &'v Value, found: &mut Vec<&'v Value>) {
    match value {
        Value::Array(items) => {
            for item in items {
                if item.get("name").is_some() {
                    found.push(item);
                }
                rows(item, found);
            }
        }
        Value::Object(fields) => fields.values().for_each(|field| rows(field, found)),
        _ => {}
    }
}

/// The simple name at the end of an id.
fn name_of(id: &str) -> &str {
    let inside = id.split_once("::").map_or(id, |(_, inside)| inside);
    inside.rsplit(['.', ':', '#']).next().unwrap_or(inside)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn callers_are_the_sources_of_edges_into_the_first_node() {
        let body = json!({
            "nodes": [{"id": "a::T.f", "name": "f"}, {"id": "b::g", "name": "g"}],
            "edges": [{"from": "b::g", "to": "a::T.f"}, {"from": "a::T.f", "to": "c::h"}],
        });
        let reply = Reply { text: body.to_string(), body, is_error: false, meta: Value::Null };
        assert_eq!(reply.callers(), ["g".to_owned()].into());
    }
}
