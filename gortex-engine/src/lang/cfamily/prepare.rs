//! Another reading of a C or C++ file that a grammar can't parse as it stands.
//!
//! Two things break such files: branches of `#if` that open a brace and leave it open, and macros in places where the
//! grammar expects a type. Both are blanked with spaces of the same length, so every position stays. This is only tried
//! when the first parse has errors, and only kept when it has fewer.
//!
//! Knows tokens, no grammar: what it can't place it leaves alone.

mod macros;

use super::is_caps;
pub(super) use macros::braces_end;
use macros::{blank_conditions, blank_macros};

/// The file with what stands in the grammar's way blanked; `None` when there is nothing of that kind.
pub(in crate::lang) fn prepare(source: &[u8]) -> Option<Vec<u8>> {
    reading(source, false)
}

/// [`prepare`] for C, which also leaves out what only a C++ compiler is shown.
pub(in crate::lang) fn prepare_c(source: &[u8]) -> Option<Vec<u8>> {
    reading(source, true)
}

fn reading(source: &[u8], c_only: bool) -> Option<Vec<u8>> {
    let mut out = source.to_vec();
    let branches = blank_branches(&mut out, c_only);
    let macros = blank_macros(&mut out, c_only);
    let conditions = blank_conditions(&mut out);
    let guard = blank_guard(&mut out);
    (branches || macros || conditions || guard).then_some(out)
}

fn blank(out: &mut [u8], from: usize, to: usize) -> bool {
    let mut changed = false;
    for byte in &mut out[from..to] {
        if !byte.is_ascii_whitespace() {
            *byte = b' ';
            changed = true;
        }
    }
    changed
}

/// The length of the word at the start.
pub(super) fn word_len(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_' || **byte >= 0x80).count()
}

/// One past a string or character literal; an unterminated one ends with its line.
pub(super) fn skip_quoted(bytes: &[u8], at: usize) -> usize {
    let quote = bytes[at];
    if quote == b'"' && at > 0 && bytes[at - 1] == b'R' {
        return skip_raw(bytes, at);
    }
    let mut at = at + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 1,
            b'\n' => return at,
            byte if byte == quote => return at + 1,
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

fn skip_raw(bytes: &[u8], at: usize) -> usize {
    let Some(open) = memchr::memchr(b'(', &bytes[at..]).filter(|open| *open < 20) else { return at + 1 };
    let mut end = vec![b')'];
    end.extend_from_slice(&bytes[at + 1..at + open]);
    end.push(b'"');
    memchr::memmem::find(&bytes[at + open..], &end).map_or(bytes.len(), |found| at + open + found + end.len())
}

/// One past a comment.
pub(super) fn skip_comment(bytes: &[u8], at: usize) -> usize {
    if bytes[at + 1] == b'/' {
        return memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |end| at + end);
    }
    memchr::memmem::find(&bytes[(at + 2).min(bytes.len())..], b"*/").map_or(bytes.len(), |end| at + end + 4)
}

/// One past a preprocessor line, continuation lines included.
fn skip_directive(bytes: &[u8], at: usize) -> usize {
    let mut at = at;
    loop {
        let Some(end) = memchr::memchr(b'\n', &bytes[at..]) else { return bytes.len() };
        let line = bytes[at..at + end].trim_ascii_end();
        // A block comment that opens on the line may go on below it.
        if let Some(open) =
            memchr::memmem::rfind(line, b"/*").filter(|open| memchr::memmem::find(&line[*open..], b"*/").is_none())
        {
            at = skip_comment(bytes, at + open);
            continue;
        }
        at += end + 1;
        if !line.ends_with(b"\\") {
            return at;
        }
    }
}

/// What the scanner meets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Token {
    Word,
    Quoted,
    Directive,
    Mark(u8),
}

/// Reads tokens; comments and blanks are passed over.
struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
    line_start: bool,
}

impl<'a> Scanner<'a> {
    fn new(bytes: &'a [u8], at: usize) -> Self {
        Scanner { bytes, at, line_start: true }
    }

    fn next(&mut self) -> Option<(Token, usize, usize)> {
        while self.at < self.bytes.len() {
            let (at, byte) = (self.at, self.bytes[self.at]);
            if byte.is_ascii_whitespace() {
                self.line_start |= byte == b'\n';
                self.at += 1;
                continue;
            }
            if byte == b'/' && matches!(self.bytes.get(at + 1), Some(b'/' | b'*')) {
                self.at = skip_comment(self.bytes, at);
                continue;
            }
            let token = match byte {
                b'#' if self.line_start => {
                    self.at = skip_directive(self.bytes, at);
                    return Some((Token::Directive, at, self.at));
                }
                b'"' | b'\'' if !(byte == b'\'' && at > 0 && self.bytes[at - 1].is_ascii_digit()) => {
                    self.at = skip_quoted(self.bytes, at);
                    Token::Quoted
                }
                _ => match word_len(&self.bytes[at..]) {
                    0 => {
                        self.at += 1;
                        Token::Mark(byte)
                    }
                    len => {
                        self.at += len;
                        Token::Word
                    }
                },
            };
            self.line_start = false;
            return Some((token, at, self.at));
        }
        None
    }
}

// ----- branches

#[derive(Clone, Copy, Debug)]
struct Branch {
    start: usize,
    end: usize,
    braces: i32,
    parens: i32,
    last: u8,
    dead: bool,
}

#[derive(Debug)]
struct Group {
    directives: Vec<(usize, usize)>,
    branches: Vec<Branch>,
    has_else: bool,
    dead: bool,
    foreign: bool,
    braces: i32,
    parens: i32,
    before: u8,
    low: i32,
    start: usize,
}

fn blank_branches(out: &mut [u8], c_only: bool) -> bool {
    let source = out.to_vec();
    let mut scanner = Scanner::new(&source, 0);
    let mut stack: Vec<Group> = Vec::new();
    let (mut braces, mut parens, mut last) = (0i32, 0i32, 0u8);
    let mut changed = false;
    while let Some((token, from, to)) = scanner.next() {
        match token {
            Token::Word => last = b'a',
            Token::Quoted => last = b'"',
            Token::Mark(byte) => {
                match byte {
                    b'{' => braces += 1,
                    b'}' => {
                        braces -= 1;
                        for group in &mut stack {
                            group.low = group.low.min(braces - group.braces);
                        }
                    }
                    b'(' => parens += 1,
                    b')' => parens -= 1,
                    _ => {}
                }
                last = byte;
            }
            Token::Directive => {
                let line = source[from + 1..to].trim_ascii();
                let word = &line[..word_len(line)];
                match word {
                    b"if" | b"ifdef" | b"ifndef" => {
                        let never = word == b"if" && line[2..].trim_ascii() == b"0";
                        let foreign = c_only && word != b"ifndef" && is_cpp_only(&line[word.len()..]);
                        let dead = never || foreign;
                        stack.push(Group {
                            directives: vec![(from, to)],
                            branches: Vec::new(),
                            has_else: false,
                            dead,
                            foreign,
                            braces,
                            parens,
                            before: last,
                            low: 0,
                            start: to,
                        });
                    }
                    b"else" | b"elif" | b"elifdef" | b"elifndef" => {
                        let Some(group) = stack.last_mut() else { continue };
                        close(group, from, braces, parens, last);
                        group.directives.push((from, to));
                        group.has_else |= word == b"else";
                        group.start = to;
                        (braces, parens, last) = (group.braces, group.parens, group.before);
                    }
                    b"endif" => {
                        let Some(mut group) = stack.pop() else { continue };
                        close(&mut group, from, braces, parens, last);
                        group.directives.push((from, to));
                        let kept = settle(out, &group, &mut changed);
                        (braces, parens, last) = match kept {
                            Some(branch) => (group.braces + branch.braces, group.parens + branch.parens, branch.last),
                            None => (group.braces, group.parens, group.before),
                        };
                    }
                    _ => {}
                }
            }
        }
    }
    changed
}

/// Whether a condition holds for C++ compilers alone.
fn is_cpp_only(condition: &[u8]) -> bool {
    let text = condition.trim_ascii();
    let text = text.strip_prefix(b"defined").unwrap_or(text).trim_ascii_start();
    text.strip_prefix(b"(").unwrap_or(text).trim_ascii_start().starts_with(b"__cplusplus")
}

fn close(group: &mut Group, end: usize, braces: i32, parens: i32, last: u8) {
    group.branches.push(Branch {
        start: group.start,
        end,
        braces: braces - group.braces,
        parens: parens - group.parens,
        last,
        dead: group.dead && group.branches.is_empty(),
    });
}

/// Blanks what a grammar can't take of one `#if` .. `#endif`; returns the branch that the text goes on from.
fn settle(out: &mut [u8], group: &Group, changed: &mut bool) -> Option<Branch> {
    let first = group.branches.iter().find(|branch| !branch.dead).copied();
    let even = |branch: &Branch| branch.braces == 0 && branch.parens == 0;
    let balanced = group.low >= 0 && group.branches.iter().all(even);
    // In the middle of an expression, a list or a head; grammars know branches only between statements.
    let inside = group.parens > 0 || !matches!(group.before, 0 | b';' | b'{' | b'}' | b':');
    if group.foreign && !inside {
        let mut live = group.branches.iter().filter(|branch| !branch.dead);
        if live.all(even) {
            for (from, to) in
                group.directives.iter().copied().chain(group.branches.iter().filter(|it| it.dead).map(|it| (it.start, it.end)))
            {
                *changed |= blank(out, from, to);
            }
            return first;
        }
    }
    if balanced && !inside {
        return first;
    }
    for (from, to) in &group.directives {
        *changed |= blank(out, *from, *to);
    }
    let listed = balanced && matches!(group.before, b',' | b'{') && group.branches.iter().all(|branch| branch.last == b',');
    if listed {
        return first;
    }
    let alike = group
        .branches
        .iter()
        .all(|branch| group.branches.first().is_some_and(|other| other.braces == branch.braces && other.parens == branch.parens));
    let kept = match first {
        Some(first) if alike && (group.has_else || even(&first)) => Some(first),
        _ if group.has_else => group.branches.last().copied(),
        _ => None,
    };
    for branch in &group.branches {
        if kept.is_none_or(|kept| kept.start != branch.start) {
            *changed |= blank(out, branch.start, branch.end);
        }
    }
    kept
}

/// Blanks an include guard around the whole file: a grammar gives up on all of a broken branch sooner than on a file.
fn blank_guard(out: &mut [u8]) -> bool {
    let source = out.to_vec();
    let mut scanner = Scanner::new(&source, 0);
    let words = |from: usize, to: usize| {
        let mut words = source[from + 1..to].split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        [words.next().unwrap_or_default(), words.next().unwrap_or_default(), words.next().unwrap_or_default()]
    };
    let Some((Token::Directive, from, to)) = scanner.next() else { return false };
    let [b"ifndef", guard, _] = words(from, to) else { return false };
    let mut blanked = vec![(from, to)];
    let Some((Token::Directive, from, to)) = scanner.next() else { return false };
    if words(from, to) != [b"define".as_slice(), guard, b"".as_slice()] {
        return false;
    }
    blanked.push((from, to));
    let mut depth = 1;
    while let Some((token, from, to)) = scanner.next() {
        if depth == 0 {
            return false;
        }
        if token != Token::Directive {
            continue;
        }
        let line = source[from + 1..to].trim_ascii_start();
        match &line[..word_len(line)] {
            b"if" | b"ifdef" | b"ifndef" => depth += 1,
            b"else" | b"elif" if depth == 1 => return false,
            b"endif" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            blanked.push((from, to));
        }
    }
    depth == 0 && blanked.into_iter().fold(false, |changed, (from, to)| blank(out, from, to) | changed)
}
