//! `response.stats`, `peek`, `slice`, `grep`, `head_compat`, `grep_compat`: large answers looked at again, by lines.
//!
//! The answers are the session's; nothing is asked of the index again.

use std::fmt::Write as _;
use std::ops::Range;
use std::time::SystemTime;

use regex::RegexBuilder;

use crate::handlers::shared::prelude::*;
use crate::session::{Buffered, SessionView, timestamp};

/// Tokens per byte of text, as everywhere: 3.5 bytes each.
fn approx_tokens(bytes: usize) -> usize {
    (bytes * 2).div_ceil(7)
}

/// A buffered answer in a list.
#[derive(Serialize)]
struct Entry {
    response_id: String,
    tool: String,
    lines: usize,
    bytes: usize,
    approx_tokens: usize,
    captured_at: String,
    age_seconds: u64,
}

impl Entry {
    fn of(one: &Buffered) -> Entry {
        Entry {
            response_id: one.id.clone(),
            tool: one.tool.clone(),
            lines: one.text.lines().count(),
            bytes: one.text.len(),
            approx_tokens: approx_tokens(one.text.len()),
            captured_at: timestamp(one.at),
            age_seconds: SystemTime::now().duration_since(one.at).unwrap_or_default().as_secs(),
        }
    }
}

/// The answer of a handle.
fn buffered(session: &SessionView, id: Option<&str>) -> Answer<Buffered> {
    session.ring(|ring| ring.get(id.unwrap_or_default()).cloned()).map_err(|error| {
        CallError::new(Code::NotFound, error.to_string())
            .data("field", "response_id")
            .hint("response(operation=\"stats\") lists what is buffered")
    })
}

/// A number of lines; nothing and less than one is the default.
fn lines_or(asked: Option<i64>, default: usize) -> usize {
    asked.and_then(|lines| usize::try_from(lines).ok()).filter(|lines| *lines > 0).unwrap_or(default)
}

/// Lines of a text, joined.
fn join(lines: &[&str], range: Range<usize>) -> String {
    lines.get(range).unwrap_or_default().join("\n")
}

/// Which buffered answer.
#[derive(Debug, Default, Deserialize, JsonSchema, FacadeArgs)]
pub(crate) struct Handle {
    /// Handle of a buffered answer, such as `resp_3`; the latest when not given.
    #[at(arguments)]
    response_id: Option<String>,
}

/// Lists the large answers that this session can look at again.
#[facade(domain = "response", op = "stats", effect = "read")]
async fn ctx_stats(session: SessionView, args: Args<Handle>) -> Answer<Reply> {
    match args.response_id.as_deref().map(str::trim).filter(|id| !id.is_empty()) {
        Some(id) => Reply::new(&Entry::of(&buffered(&session, Some(id))?)),
        None => {
            let entries: Vec<Entry> = session.ring(|ring| ring.all().map(Entry::of).collect());
            Ok(Reply::json(json!({"count": entries.len(), "buffered": entries})).rows("buffered"))
        }
    }
}

/// Arguments of `response.peek` and `response.head_compat`.
#[derive(Debug, Deserialize, JsonSchema, FacadeArgs)]
pub(crate) struct Peek {
    #[serde(flatten)]
    handle: Handle,
    /// Lines of each end.
    #[at(arguments)]
    lines: Option<i64>,
}

#[derive(Serialize)]
struct Ends {
    response_id: String,
    tool: String,
    total_lines: usize,
    bytes: usize,
    head: String,
    elided_lines: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    tail: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tail_from_line: Option<usize>,
}

/// Shows the first and the last lines of a buffered answer.
#[facade(domain = "response", op = "peek", effect = "read")]
async fn ctx_peek(session: SessionView, args: Args<Peek>) -> Answer<Reply> {
    let one = buffered(&session, args.handle.response_id.as_deref())?;
    let lines: Vec<&str> = one.text.lines().collect();
    let most = lines_or(args.lines, 20);
    let head = most.min(lines.len());
    let tail = lines.len().saturating_sub(most).max(head);
    let has_tail = tail < lines.len();
    Reply::new(&Ends {
        total_lines: lines.len(),
        bytes: one.text.len(),
        head: join(&lines, 0..head),
        elided_lines: tail - head,
        tail: has_tail.then(|| join(&lines, tail..lines.len())),
        tail_from_line: has_tail.then_some(tail + 1),
        response_id: one.id,
        tool: one.tool,
    })
}

/// Arguments of `response.slice`.
#[derive(Debug, Deserialize, JsonSchema, FacadeArgs)]
pub(crate) struct Slice {
    #[serde(flatten)]
    handle: Handle,
    /// First line, from 1.
    #[at(arguments)]
    from: Option<i64>,
    /// Last line, included.
    #[at(arguments)]
    to: Option<i64>,
}

/// Shows a range of lines of a buffered answer.
#[facade(domain = "response", op = "slice", effect = "read")]
async fn ctx_slice(session: SessionView, args: Args<Slice>) -> Answer<Reply> {
    let one = buffered(&session, args.handle.response_id.as_deref())?;
    let lines: Vec<&str> = one.text.lines().collect();
    let (asked_from, asked_to) = (args.from.unwrap_or(1), args.to.unwrap_or(i64::MAX));
    let from = usize::try_from(asked_from).unwrap_or(1).max(1);
    let to = usize::try_from(asked_to).unwrap_or(0).min(lines.len());
    if from > lines.len() || to < from {
        let shown = if asked_to == i64::MAX { "the end".to_owned() } else { asked_to.to_string() };
        return Err(CallError::invalid(format!(
            "lines {asked_from} to {shown} of `{}` are none: it has {}",
            one.id,
            lines.len()
        ))
        .data("field", if from > lines.len() { "from" } else { "to" })
        .data("total_lines", lines.len()));
    }
    let content = join(&lines, from - 1..to);
    Ok(Reply::json(json!({
        "response_id": one.id,
        "tool": one.tool,
        "from_line": from,
        "to_line": to,
        "total_lines": lines.len(),
        "content": content,
    })))
}

/// Shows the first lines of a buffered answer.
#[facade(domain = "response", op = "head_compat", effect = "read", hidden)]
async fn head_results(session: SessionView, args: Args<Peek>) -> Answer<Reply> {
    let one = buffered(&session, args.handle.response_id.as_deref())?;
    let lines: Vec<&str> = one.text.lines().collect();
    let to = lines_or(args.lines, 40).min(lines.len());
    Ok(Reply::json(json!({
        "response_id": one.id,
        "tool": one.tool,
        "from_line": 1,
        "to_line": to,
        "total_lines": lines.len(),
        "truncated": to < lines.len(),
        "content": join(&lines, 0..to),
    })))
}

/// Arguments of `response.grep`.
#[derive(Debug, Deserialize, JsonSchema, FacadeArgs)]
pub(crate) struct Grep {
    /// Regular expression, or text with `literal`.
    #[at(arguments)]
    pattern: String,
    #[serde(flatten)]
    handle: Handle,
    /// Take the pattern as text.
    #[at(arguments)]
    #[serde(default)]
    literal: bool,
    /// Upper and lower case are the same.
    #[at(arguments)]
    #[serde(default)]
    ignore_case: bool,
    /// Lines to show around each match.
    #[at(arguments)]
    context: Option<i64>,
    /// Lines to show before each match, instead of `context`.
    #[at(arguments)]
    before: Option<i64>,
    /// Lines to show after each match, instead of `context`.
    #[at(arguments)]
    after: Option<i64>,
    /// Matches to return; 100 when not given.
    #[at(arguments)]
    max_matches: Option<i64>,
}

/// Searches a buffered answer by regular expression or text.
#[facade(domain = "response", op = "grep", effect = "read")]
async fn ctx_grep(session: SessionView, args: Args<Grep>) -> Answer<Reply> {
    grep(&session, &args)
}

/// Searches a buffered answer, as `ctx_grep` does.
#[facade(domain = "response", op = "grep_compat", effect = "read", hidden)]
async fn grep_results(session: SessionView, args: Args<Grep>) -> Answer<Reply> {
    grep(&session, &args)
}

fn grep(session: &SessionView, args: &Grep) -> Answer<Reply> {
    if args.pattern.is_empty() {
        return Err(CallError::invalid("pattern is required: it is empty").data("field", "pattern"));
    }
    let source = if args.literal { regex::escape(&args.pattern) } else { args.pattern.clone() };
    let pattern = RegexBuilder::new(&source).case_insensitive(args.ignore_case).build().map_err(|error| {
        CallError::invalid(format!("the pattern is no regular expression: {error}"))
            .data("field", "pattern")
            .data("received", &args.pattern)
            .hint("set literal to search for it as text")
    })?;
    let one = buffered(session, args.handle.response_id.as_deref())?;
    let lines: Vec<&str> = one.text.lines().collect();
    let hits: Vec<usize> = lines.iter().enumerate().filter(|(_, line)| pattern.is_match(line)).map(|(at, _)| at).collect();
    let shown = &hits[..hits.len().min(lines_or(args.max_matches, 100))];
    let around = |own: Option<i64>| own.or(args.context).and_then(|lines| usize::try_from(lines).ok()).unwrap_or(0);
    let matches: Vec<Value> = shown.iter().map(|at| json!({"line": at + 1, "text": lines[*at]})).collect();
    Ok(Reply::json(json!({
        "response_id": one.id,
        "tool": one.tool,
        "pattern": args.pattern,
        "match_count": hits.len(),
        "returned": shown.len(),
        "truncated": shown.len() < hits.len(),
        "total_lines": lines.len(),
        "matches": matches,
        "block": block(&lines, shown, around(args.before), around(args.after)),
    })))
}

/// The hits with lines around them as grep prints them; windows that touch are one.
fn block(lines: &[&str], hits: &[usize], before: usize, after: usize) -> String {
    let mut out = String::new();
    let mut next = 0;
    for (nth, at) in hits.iter().enumerate() {
        let first = at.saturating_sub(before).max(next);
        // What comes after reaches at most to the next hit, which has lines of its own.
        let until = hits.get(nth + 1).copied().unwrap_or(lines.len());
        let last = at.saturating_add(after).saturating_add(1).min(lines.len()).min(until);
        if nth > 0 && first > next && before + after > 0 {
            out.push_str("--\n");
        }
        for (line, text) in lines.iter().enumerate().take(last).skip(first) {
            let sign = if line == *at { ':' } else { '-' };
            let _ = writeln!(out, "{}{sign}{text}", line + 1);
        }
        next = last;
    }
    out
}

#[cfg(test)]
mod tests {
    use gortex_core::Effect;
    use serde_json::{Value, json};

    use super::block;
    use crate::session::QUOTING;
    use crate::testing::{Client, Fixture};

    /// A tree of which one question gives a large answer.
    fn tree() -> String {
        (0..40).map(|at| format!("//- m{at}.py\ndef größe_{at}():\n    return 1\n")).collect::<Vec<_>>().concat()
    }

    fn ask(client: &Client<'_>, operation: &str, arguments: Value) -> Value {
        client.json("response", json!({"operation": operation, "arguments": arguments}))
    }

    #[test]
    fn a_large_answer_is_listed_peeked_sliced_and_searched() {
        let fixture = Fixture::new(&tree());
        let client = fixture.client("any");
        let answer = client.json("search", json!({"operation": "symbols", "query": "größe"}));
        let pretty = serde_json::to_string_pretty(&answer).expect("JSON");
        let stats = ask(&client, "stats", json!({}));
        assert_eq!((&stats["count"], &stats["buffered"][0]["tool"]), (&json!(1), &json!("search_symbols")));
        assert_eq!(stats["buffered"][0]["bytes"], pretty.len());
        assert_eq!(stats["buffered"][0]["lines"], pretty.lines().count());

        let peek = ask(&client, "peek", json!({"lines": 2}));
        assert_eq!(peek["head"], pretty.lines().take(2).collect::<Vec<_>>().join("\n"));
        assert_eq!(peek["tail_from_line"], pretty.lines().count() - 1);
        assert_eq!(peek["elided_lines"], pretty.lines().count() - 4);

        let slice = ask(&client, "slice", json!({"from": 2, "to": 3}));
        assert_eq!(slice["content"], pretty.lines().skip(1).take(2).collect::<Vec<_>>().join("\n"));

        let grep = ask(&client, "grep", json!({"pattern": "\"name\": \"GRÖSSE", "ignore_case": true, "max_matches": 1}));
        assert_eq!(grep["match_count"], 0, "ß is not SS");
        let grep = ask(&client, "grep", json!({"pattern": "\"name\": \"GRÖßE_\\d", "ignore_case": true, "max_matches": 1}));
        assert_eq!((&grep["returned"], &grep["truncated"]), (&json!(1), &json!(true)));
        // Quoting an answer does not buffer another one.
        assert_eq!(ask(&client, "stats", json!({}))["count"], 1);
    }

    #[test]
    fn nothing_buffered_and_unknown_handles_are_errors() {
        let fixture = Fixture::new(&tree());
        let client = fixture.client("any");
        let empty = client.error("response", json!({"operation": "peek"}));
        assert_eq!(empty["message"], "no tool responses are buffered in this session yet");
        client.json("search", json!({"operation": "symbols", "query": "größe"}));
        let unknown = client.error("response", json!({"operation": "slice", "arguments": {"response_id": "resp_9"}}));
        assert!(unknown["message"].as_str().expect("words").starts_with("no buffered response with id `resp_9`"), "{unknown}");
        let range = client.error("response", json!({"operation": "slice", "arguments": {"from": 99_999}}));
        assert_eq!(range["error_code"], "invalid_argument");
        let pattern = client.error("response", json!({"operation": "grep", "arguments": {"pattern": "("}}));
        assert_eq!(pattern["data"]["field"], "pattern");
    }

    #[test]
    fn sessions_do_not_see_each_others_answers() {
        let fixture = Fixture::new(&tree());
        let (one, other) = (fixture.client("one"), fixture.client("other"));
        one.json("search", json!({"operation": "symbols", "query": "größe"}));
        assert_eq!(ask(&one, "stats", json!({}))["count"], 1);
        assert_eq!(ask(&other, "stats", json!({}))["count"], 0);
    }

    #[test]
    fn the_quoting_tools_are_the_readers_of_the_ring() {
        let registry = crate::testing::partial_registry();
        let mut names: Vec<&str> = registry
            .legacy_names()
            .filter(|name| registry.legacy(name).iter().any(|entry| entry.operation.module.ends_with("response::ring")))
            .collect();
        names.sort_unstable();
        let mut quoting = QUOTING.to_vec();
        quoting.sort_unstable();
        assert_eq!(names, quoting);
        assert!(names.iter().all(|name| registry.legacy(name)[0].operation.effect == Effect::Read));
    }

    #[test]
    fn windows_that_touch_are_one_group() {
        let lines = ["a", "b", "c", "d", "e", "f", "g", "h"];
        assert_eq!(block(&lines, &[1, 3], 1, 1), "1-a\n2:b\n3-c\n4:d\n5-e\n");
        assert_eq!(block(&lines, &[0, 7], 1, 1), "1:a\n2-b\n--\n7-g\n8:h\n");
        assert_eq!(block(&lines, &[0, 7], 0, 0), "1:a\n8:h\n");
        assert_eq!(block(&lines, &[2, 3], 0, 9), "3:c\n4:d\n5-e\n6-f\n7-g\n8-h\n");
        assert_eq!(block(&lines, &[], 3, 3), "");
    }
}
