//! What is raised: the error that a `throw`, a `raise`, a failing return or a `throws` clause names.
//!
//! An error in raising position is mentioned like anything else (its class is called or instantiated, its value read); here that
//! mention is told a second time, in the role it plays. Where only a local variable is raised, nothing is told: what it holds is
//! not known. Which definitions may fail is read from their signatures, by each language's own word for it.
//!
//! Knows spellings of a few node kinds and functions, no types.

use tree_sitter::Node;

use super::Walker;
use crate::facts::model::*;
use crate::lang::Family;

/// Node kinds that raise what stands in them. Some stand for other jumps as well, the text tells.
const KINDS: [&str; 8] = [
    "raise_statement",
    "throw_statement",
    "throw_expression",
    "throws",
    // Kotlin and Swift.
    "jump_expression",
    "control_transfer_statement",
    // Go and Zig.
    "return_statement",
    "return_expression",
];

/// Whether a node kind may raise something.
pub(crate) fn is_raising(kind: &str) -> bool {
    KINDS.contains(&kind)
}

/// Functions that raise what they are given, or themselves say what happens.
fn raises_by_call(family: Family, name: &str) -> bool {
    match family {
        Family::Ruby => matches!(name, "raise" | "fail"),
        Family::Elixir => matches!(name, "raise" | "reraise" | "throw"),
        Family::Ocaml => matches!(name, "raise" | "raise_notrace" | "failwith" | "invalid_arg"),
        Family::Haskell => {
            matches!(name, "throwIO" | "throw" | "throwM" | "throwError" | "throwE" | "throwSTM" | "ioError" | "error")
        }
        Family::Lua => name == "error",
        Family::Go => name == "panic",
        Family::Rust => matches!(name, "bail" | "panic"),
        Family::Shell => matches!(name, "exit" | "return"),
        _ => false,
    }
}

/// Whether such a function is given the error itself, not a message of it.
fn takes_error(name: &str) -> bool {
    matches!(name, "raise" | "reraise" | "raise_notrace" | "throw" | "throwIO" | "throwM" | "throwError" | "throwE" | "throwSTM")
}

/// Longest stretch in which a signature is looked for a result type.
const SIGNATURE: usize = 1500;

impl Walker<'_> {
    /// Notes what a node raises; its mention is looked up when all are known.
    pub(super) fn note_raise(&mut self, node: Node<'_>) {
        let family = self.language.language.family;
        match node.kind() {
            "throws" => self.for_children(node, |walker, child| walker.raised.push((child.start_byte() as u32, NONE))),
            "return_statement" | "return_expression" if matches!(family, Family::Go | Family::Zig) => {
                let list = last_named(node);
                let last = list.filter(|list| list.kind() == "expression_list").and_then(last_named).or(list);
                if let Some(last) = last {
                    self.raised.push((last.start_byte() as u32, self.returning));
                }
            }
            "return_statement" | "return_expression" => {}
            "jump_expression" | "control_transfer_statement" => {
                if self.text(node).starts_with("throw")
                    && let Some(value) = last_named(node)
                {
                    self.raised.push((value.start_byte() as u32, NONE));
                }
            }
            _ => {
                if let Some(value) = node.named_child(0) {
                    self.raised.push((value.start_byte() as u32, NONE));
                }
            }
        }
    }

    /// Tells the noted mentions again in their role, and marks what may fail. Mentions are in the order of the text.
    pub(super) fn settle_raises(&mut self) {
        let family = self.language.language.family;
        let mut found: Vec<RefRow> = Vec::new();
        for (at, within) in std::mem::take(&mut self.raised) {
            if family == Family::Zig {
                found.extend(self.zig_error(at as usize));
            } else if let Some(row) = self.raised_at(at as usize)
                && (within == NONE || self.fails_by_return(within, &row))
            {
                found.push(row);
            }
        }
        if matches!(family, Family::Ruby | Family::Elixir | Family::Ocaml | Family::Haskell | Family::Lua)
            || matches!(family, Family::Go | Family::Rust | Family::Shell)
        {
            self.raised_by_calls(family, &mut found);
        }
        if family == Family::Rust {
            found.extend(self.rust_errors());
        }
        self.mark_failing(family, &mut found);
        if !found.is_empty() {
            self.rows.refs.extend(found.into_iter().map(|row| RefRow { role: Role::Throws as u8, detail: 0xe0, ..row }));
            self.rows.refs.sort_by_key(|row| row.at);
            self.rows.refs.dedup_by_key(|row| (row.at, row.role, row.name));
        }
    }

    fn raised_by_calls(&self, family: Family, found: &mut Vec<RefRow>) {
        let calls = self.rows.refs.iter().filter(|row| row.role() == Role::Call && row.recv == NONE);
        for row in calls {
            let name = self.string(row.name);
            if !raises_by_call(family, name) {
                continue;
            }
            let after = row.at as usize + name.len();
            match self.raised_at(after) {
                // A status of zero is success.
                _ if family == Family::Shell => found.extend(self.fails_with_status(after).then_some(*row)),
                Some(error) if error.at as usize - after < 256 => found.push(error),
                // A message: the function itself is what raises. What a variable holds is not known.
                _ if !takes_error(name) || path_at(self.source, after).is_empty() => found.push(*row),
                _ => {}
            }
        }
    }

    fn fails_with_status(&self, after: usize) -> bool {
        let rest = self.source.get(after..).unwrap_or_default();
        let line = rest.split(|byte| matches!(byte, b'\n' | b';' | b'}' | b'#' | b'|' | b'&')).next().unwrap_or_default();
        let status = line.trim_ascii();
        !status.is_empty() && status != b"0"
    }

    /// The mention that the expression at a byte leads to: its last name, or the type before a making function.
    fn raised_at(&self, at: usize) -> Option<RefRow> {
        let starts = path_at(self.source, at);
        let (last, before) = (starts.last()?, starts.len().checked_sub(2).and_then(|at| starts.get(at)));
        let letter = |at: usize| self.source.get(at).copied().unwrap_or_default();
        let made = matches!(self.language.language.family, Family::Rust | Family::Ruby);
        let makes = made && letter(*last).is_ascii_lowercase();
        let typed = before.filter(|at| makes && letter(**at).is_ascii_uppercase());
        self.mention_at(*typed.unwrap_or(last))
    }

    fn mention_at(&self, at: usize) -> Option<RefRow> {
        let from = self.rows.refs.partition_point(|row| (row.at as usize) < at);
        let same = self.rows.refs[from..].iter().take_while(|row| row.at as usize == at);
        { same }.find(|row| !matches!(row.role(), Role::Import | Role::ReExport | Role::Throws | Role::Write)).copied()
    }

    /// Go: what is returned in the place of the error, unless it passes on the error of another call.
    fn fails_by_return(&self, function: u32, row: &RefRow) -> bool {
        let Some(def) = self.rows.defs.get(function as usize) else { return false };
        let (ty, name) = (self.string(def.ty), self.string(row.name));
        match self.language.language.family {
            Family::Go => {
                let makes = matches!(name, "New" | "Errorf" | "Join" | "Wrap" | "Wrapf" | "WithStack" | "WithMessage");
                let makes = makes || name.contains("Err");
                ty.trim_end_matches(')').ends_with("error") && (row.role() != Role::Call || makes) && name != "nil"
            }
            _ => false,
        }
    }

    /// Rust: what stands in `Err(..)`, where that is made and not matched.
    fn rust_errors(&self) -> Vec<RefRow> {
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        let mut found = Vec::new();
        for at in memchr::memmem::find_iter(self.source, b"Err(") {
            let word = at.checked_sub(1).and_then(|before| self.source.get(before)).is_some_and(|byte| is_name(*byte));
            let line = memchr::memrchr(b'\n', &self.source[..at]).map_or(0, |end| end + 1);
            let checked = ["matches!(", "assert", "let Err("].iter();
            let checked =
                checked.into_iter().any(|mark| memchr::memmem::find(&self.source[line..at + 4], mark.as_bytes()).is_some());
            if !word && !checked && !is_pattern(self.source, at + 4) {
                found.extend(self.raised_at(at + 4));
            }
        }
        found
    }

    /// Zig: `error.Name` is no name of anything, only of itself.
    fn zig_error(&mut self, at: usize) -> Option<RefRow> {
        let rest = self.source.get(at..)?.strip_prefix(b"error.")?;
        let length = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
        let start = at + b"error.".len();
        let name = self.slice(start, start + length).to_owned();
        if name.is_empty() {
            return None;
        }
        let line_start = memchr::memrchr(b'\n', self.source.get(..start)?).map_or(0, |end| end + 1);
        let line = memchr::memchr_iter(b'\n', self.source.get(..start)?).count() as u32 + 1;
        let owner = self.rows.defs.iter().rposition(|def| (def.start as usize..def.end as usize).contains(&start));
        let name = self.intern(&name);
        self.rows.exprs.push(ExprRow { kind: ExprKind::Unknown as u8, slot: 0, reserved: 0, name: Str::EMPTY, base: NONE });
        let recv = self.rows.exprs.len() as u32 - 1;
        let owner = owner.map_or(NONE, |owner| owner as u32);
        let col = (start - line_start).min(usize::from(u16::MAX)) as u16;
        Some(RefRow { name, owner, recv, at: start as u32, line, col, role: Role::Throws as u8, detail: 0xe0 })
    }

    /// Marks definitions whose signature says that they may fail, and takes the error types that it names.
    fn mark_failing(&mut self, family: Family, found: &mut Vec<RefRow>) {
        let language = self.language.language.name;
        for at in 0..self.rows.defs.len() {
            let def = self.rows.defs[at];
            if !def.kind().is_callable() || def.kind() == Kind::Macro {
                continue;
            }
            let head = || self.slice(def.start as usize, def.name_at.max(def.start) as usize);
            let (signature, ty, doc) = (self.string(def.signature), self.string(def.ty), self.string(def.doc));
            let fails = match family {
                Family::Go => ty.trim_end_matches(')').ends_with("error"),
                Family::Rust => ty.contains("Result<") || ty.ends_with("Result"),
                Family::Swift => signature.contains(" throws") || signature.contains(" rethrows"),
                Family::Zig => signature.rsplit(')').next().is_some_and(|result| result.contains('!')),
                Family::Haskell => ty.contains("Either ") || ty.contains("ExceptT ") || signature.contains("-> Either "),
                Family::Ocaml => ty.ends_with("result"),
                Family::Elixir => self.string(def.name).ends_with('!'),
                Family::Php => doc.contains("@throws"),
                Family::CSharp => doc.contains("<exception"),
                Family::Jvm if language == "java" => signature.contains(" throws "),
                Family::Jvm if language == "scala" => {
                    ["Try[", "Either["].iter().any(|name| ty.starts_with(name)) || head().contains("@throws")
                }
                Family::Jvm => ty.starts_with("Result<") || head().contains("@Throws"),
                _ => false,
            };
            if fails {
                self.rows.defs[at].flags |= flag::MAY_FAIL;
                if family == Family::Rust {
                    found.extend(self.error_of_result(def.name_at as usize));
                }
            }
        }
    }

    /// Rust: the mention of `E` in a result `Result<T, E>`.
    fn error_of_result(&self, name_at: usize) -> Option<RefRow> {
        let text = self.source.get(name_at..self.source.len().min(name_at + SIGNATURE))?;
        let arrow = memchr::memmem::find(text, b"->")?;
        let end = text.iter().position(|byte| matches!(byte, b'{' | b';')).unwrap_or(text.len());
        let open = arrow + memchr::memmem::find(text.get(arrow..end)?, b"Result<")? + b"Result<".len();
        let mut depth = 0i32;
        for (at, byte) in text.iter().enumerate().take(end).skip(open) {
            match byte {
                b'<' | b'(' | b'[' => depth += 1,
                b'>' if text[at - 1] == b'-' => {}
                b'>' | b')' | b']' => depth -= 1,
                b',' if depth == 0 => return self.raised_at(name_at + at + 1),
                _ => {}
            }
            if depth < 0 {
                return None;
            }
        }
        None
    }
}

/// Whether the bracket that is open at a byte belongs to a pattern: an arm, its guard or another alternative follows.
fn is_pattern(source: &[u8], open: usize) -> bool {
    let mut depth = 1;
    let rest = source.get(open..).unwrap_or_default();
    let close = rest.iter().position(|byte| {
        depth += match byte {
            b'(' => 1,
            b')' => -1,
            _ => 0,
        };
        depth == 0
    });
    let after = close.and_then(|close| rest.get(close + 1..)).unwrap_or_default().trim_ascii_start();
    let assigned = after.starts_with(b"=") && !after.starts_with(b"==");
    assigned || after.starts_with(b"|") && !after.starts_with(b"||") || after.starts_with(b"if ")
}

/// Where the names of the path begin that stands at a byte, after words and signs that only hand it on.
fn path_at(source: &[u8], mut at: usize) -> Vec<usize> {
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || byte >= 0x80;
    loop {
        let rest = source.get(at..).unwrap_or_default();
        let blank =
            rest.iter().take_while(|byte| byte.is_ascii_whitespace() || matches!(byte, b'(' | b'&' | b'*' | b'%')).count();
        let word = ["new ", "await ", "const ", "dyn ", "$ "].iter().find(|word| rest[blank..].starts_with(word.as_bytes()));
        if blank == 0 && word.is_none() {
            break;
        }
        at += blank + word.map_or(0, |word| word.len());
    }
    let mut starts = Vec::new();
    while source.get(at).is_some_and(|byte| is_name(*byte) && !byte.is_ascii_digit() || *byte == b'\\') {
        if source[at] == b'\\' {
            at += 1;
            continue;
        }
        starts.push(at);
        at += source[at..].iter().take_while(|byte| is_name(**byte)).count();
        let rest = &source[at..];
        let joint = ["::", ".", "\\", "->"].iter().find(|joint| rest.starts_with(joint.as_bytes()));
        let Some(joint) = joint.filter(|joint| rest.get(joint.len()).is_some_and(|byte| is_name(*byte))) else { break };
        at += joint.len();
    }
    starts
}

/// The last child that is no comment.
fn last_named(node: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|child| !child.is_extra()).last()
}
