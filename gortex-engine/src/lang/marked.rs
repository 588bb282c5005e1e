//! Strings of program code that say they are SQL: `/* sql */ ".."`, a template tagged `sql`, a comment `language=sql` above.
//!
//! Only what is marked is read, and only tables that it mentions are told: a string defines nothing, and whether it is run
//! is not known here. What is put into it while the program runs stands for a value.
//!
//! Knows bytes and marks; the grammar of SQL is a format's.

use memchr::memmem;
use tree_sitter::{Point, Range};

use super::{Family, Lang, Tier};
use crate::facts::model::NONE;
use crate::facts::walker::{Embed, Walker};

/// The expression in front of a table that a string mentions; no type of any language is written like this.
pub(crate) const SQL_TEXT: &str = "language:sql";
/// How far behind a comment its string begins.
const REACH: usize = 200;

/// Reads the marked strings of a file that was walked.
pub(crate) fn read(walker: &mut Walker<'_>) {
    let source = walker.source;
    if walker.language.language.tier != Tier::Deep {
        return;
    }
    let mut places: Vec<usize> = memmem::find_iter(source, b"sql").chain(memmem::find_iter(source, b"SQL")).collect();
    places.sort_unstable();
    let mut end = 0;
    for at in places {
        // A mark inside of a string that was read is part of it.
        let Some((from, to)) = string_of(walker, at).filter(|_| at >= end) else { continue };
        end = to;
        embed(walker, from, to);
    }
}

/// The inner range of the string that a mark at `at` speaks of.
fn string_of(walker: &Walker<'_>, at: usize) -> Option<(usize, usize)> {
    let source = walker.source;
    let (before, after) = (&source[..at], &source[at + 3..]);
    if after.first() == Some(&b'`') {
        let script = walker.language.language.family == Family::Script;
        let whole = !before.last().is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$'));
        return (script && whole).then(|| string_at(source, at + 3))?;
    }
    if before.trim_ascii_end().ends_with(b"/*") {
        let rest = after.trim_ascii_start().strip_prefix(b"*/")?;
        return string_at(source, source.len() - rest.trim_ascii_start().len());
    }
    let word = before.iter().rev().take_while(|byte| byte.is_ascii_alphabetic()).count();
    if !before[..at - word].ends_with(b"language=") {
        return None;
    }
    let near = &after[..after.len().min(REACH)];
    let quote = near.iter().position(|byte| matches!(byte, b'"' | b'\'' | b'`'))?;
    // The string of the next statement, not of one behind it.
    let lines = memchr::memchr_iter(b'\n', &near[..quote]).count();
    (lines <= 2).then(|| string_at(source, at + 3 + quote))?
}

/// The inner range of the string literal that begins at `at`, letters of its kind in front of it passed over.
fn string_at(source: &[u8], at: usize) -> Option<(usize, usize)> {
    let prefix = source[at..].iter().take(8).take_while(|byte| byte.is_ascii_alphabetic() || **byte == b'#').count();
    let open = at + prefix;
    let quote = *source.get(open).filter(|byte| matches!(byte, b'"' | b'\'' | b'`'))?;
    let triple = source[open..].starts_with(&[quote; 3]);
    let marks = memchr::memchr_iter(b'#', &source[at..open]).count();
    let mut close = vec![quote; if triple { 3 } else { 1 }];
    close.extend(std::iter::repeat_n(b'#', marks));
    let from = open + if triple { 3 } else { 1 };
    let mut end = from;
    while end < source.len() {
        match source[end] {
            b'\\' if marks == 0 => end += 2,
            b'\n' if !triple && quote == b'\'' => return None,
            _ if source[end..].starts_with(&close) => return Some((from, end)),
            _ => end += 1,
        }
    }
    None
}

fn embed(walker: &mut Walker<'_>, from: usize, to: usize) {
    let Some(sql) = Lang::named("sql") else { return };
    let source = walker.source;
    let point = |at: usize| {
        let before = &source[..at];
        let line = memchr::memrchr(b'\n', before).map_or(0, |end| end + 1);
        Point::new(memchr::memchr_iter(b'\n', before).count(), at - line)
    };
    let range = Range { start_byte: from, start_point: point(from), end_byte: to, end_point: point(to) };
    let mut text = source.to_vec();
    fill(&mut text[from..to]);
    let owner = walker.innermost_at(from);
    let run = |walker: &mut Walker<'_>| {
        walker.embed_text(sql, &text, &[range], Embed::Sound);
    };
    if owner == NONE { run(walker) } else { walker.owned_by(owner, run) }
}

/// Puts a number where the program puts a value, and blanks where an escape stands.
fn fill(text: &mut [u8]) {
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let length = match rest {
            [b'$' | b'#', b'{', ..] | [b'{', ..] => rest.iter().position(|byte| *byte == b'}').map_or(1, |end| end + 1),
            [b'%', b's' | b'd' | b'v', ..] => 2,
            [b'\\', ..] => {
                let end = (at + 2).min(text.len());
                text[at..end].fill(b' ');
                at = end;
                continue;
            }
            _ => {
                at += 1;
                continue;
            }
        };
        text[at..at + length].fill(b' ');
        text[at] = b'1';
        at += length;
    }
}

#[cfg(test)]
mod tests {
    use crate::facts::testing::check_facts;
    use crate::graph::Graph;
    use crate::index::build::graph_of;

    #[test]
    fn marked_strings_mention_tables() {
        check_facts(
            "typescript",
            r#"
function load(id: number) { return db.all(sql`SELECT * FROM users WHERE id = ${id}`); }
//       ^ def function load
//                                    ^ call db.all
//                                        ^ call sql
//                                                          ^ value language:sql:.users
const q = /* sql */ "UPDATE orgs SET a = 1";
//    ^ def constant q
//                          ^ write language:sql:.orgs
const plain = "SELECT * FROM users";
//    ^ def constant plain
"#,
        );
        check_facts(
            "python",
            r#"
def load():
#   ^ def function load
    # language=sql
    q = """SELECT * FROM users WHERE a = %s"""
#                        ^ value language:sql:.users
"#,
        );
    }

    fn into(graph: &Graph, id: &str) -> Vec<String> {
        graph.incoming(graph.by_id(id).expect("a node")).map(|edge| format!("{}:{}", graph.id(edge.from), edge.line)).collect()
    }

    #[test]
    fn a_table_is_never_a_variable_of_the_program() {
        let graph = graph_of(&[
            ("db/schema.sql", "CREATE TABLE users (id INT);\n"),
            (
                "src/a.ts",
                "const users = 1;\nexport function f() { return sql`SELECT 1 FROM users`; }\nexport function g() { return sql`SELECT 1 FROM other`; }\nconst other = 2;\n",
            ),
        ]);
        assert_eq!(into(&graph, "db/schema.sql::users"), ["src/a.ts::f:2"]);
        assert_eq!(into(&graph, "src/a.ts::users"), Vec::<String>::new());
        assert_eq!(into(&graph, "src/a.ts::other"), Vec::<String>::new());
    }
}
