//! Changes between two states of the files, as files and line ranges.
//!
//! One call of git prints names with status, counts and a patch without context. The patch is read only for its line ranges:
//! bodies are passed over by count, so no line of a file can be taken for a header. Changes of line ends alone are left out of
//! the ranges.

use std::collections::{BTreeMap, BTreeSet};

use super::{GitError, Repo};

/// Which two states are compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// Index against files on disk.
    Unstaged,
    /// `HEAD` against index.
    Staged,
    /// `HEAD` against files on disk.
    All,
    /// The common ancestor of `base` and `HEAD` against `HEAD`.
    Compare {
        /// A branch, a tag or a commit.
        base: String,
    },
}

impl Scope {
    /// The stable word for answers.
    pub fn as_str(&self) -> &'static str {
        match self {
            Scope::Unstaged => "unstaged",
            Scope::Staged => "staged",
            Scope::All => "all",
            Scope::Compare { .. } => "compare",
        }
    }
}

/// What happened to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// It is new.
    Added,
    /// Its content or its mode is another, or it is in conflict.
    Modified,
    /// It is gone.
    Deleted,
    /// It has another path, and perhaps another content.
    Renamed,
}

impl Status {
    /// The stable word for answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Status::Added => "added",
            Status::Modified => "modified",
            Status::Deleted => "deleted",
            Status::Renamed => "renamed",
        }
    }
}

/// Lines that were replaced. A side without lines names the line after which the other side's lines stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hunk {
    /// First line before, from 1.
    pub old_start: u32,
    /// Number of lines before.
    pub old_lines: u32,
    /// First line after, from 1.
    pub new_start: u32,
    /// Number of lines after.
    pub new_lines: u32,
}

/// One file that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// Path after the change; of a deleted file the path it had.
    pub path: String,
    /// Path before, when that is another one.
    pub old_path: Option<String>,
    /// What happened.
    pub status: Status,
    /// The lines that differ, by position; line ends count for nothing here.
    pub hunks: Vec<Hunk>,
    /// Whether nothing but line ends differs.
    pub eol_only: bool,
    /// Whether git takes it for no text, so that there are no lines.
    pub binary: bool,
    /// Whether it is a submodule, so that there are no lines.
    pub submodule: bool,
}

/// Hunks by path after the change (before, for a deleted file), and the paths with a carriage return in a changed line.
#[derive(Default)]
struct Patch {
    hunks: BTreeMap<Vec<u8>, Vec<Hunk>>,
    with_cr: BTreeSet<Vec<u8>>,
}

impl Repo {
    /// The files that differ, sorted by path. New files that git does not track are not among them: see [`Repo::untracked`].
    pub fn changes(&self, scope: &Scope) -> Result<Vec<FileChange>, GitError> {
        let sides = self.sides(scope)?;
        let printed = self.diff(&sides, &["--raw", "--numstat", "-z"])?;
        let (mut files, rest) = names(&printed);
        if files.is_empty() {
            return Ok(Vec::new());
        }
        let first = patch(rest);
        let ignoring = if first.with_cr.is_empty() { None } else { Some(patch(&self.diff(&sides, &["--ignore-cr-at-eol"])?)) };
        for (name, file) in &mut files {
            let all = first.hunks.get(name).cloned().unwrap_or_default();
            if file.submodule {
                continue;
            }
            file.hunks = match &ignoring {
                Some(other) if first.with_cr.contains(name) && matches!(file.status, Status::Modified | Status::Renamed) => {
                    other.hunks.get(name).cloned().unwrap_or_default()
                }
                _ => all.clone(),
            };
            file.eol_only = file.status == Status::Modified && file.hunks.is_empty() && !all.is_empty();
        }
        Ok(files.into_values().collect())
    }

    /// The arguments that name the two sides.
    fn sides(&self, scope: &Scope) -> Result<Vec<String>, GitError> {
        Ok(match scope {
            // A file in conflict is compared with our side of it.
            Scope::Unstaged => vec!["--ours".to_owned()],
            Scope::Staged => vec!["--cached".to_owned()],
            Scope::All => vec![match self.head()?.commit {
                Some(commit) => commit,
                None => self.empty_tree()?,
            }],
            Scope::Compare { base } => vec![self.merge_base(base, "HEAD")?, self.commit("HEAD")?],
        })
    }

    /// Before the first commit everything is compared with no files at all.
    fn empty_tree(&self) -> Result<String, GitError> {
        let output = self.ask_with(&["hash-object", "-t", "tree", "--stdin"], Some(Vec::new()))?;
        if output.code == 0 { Ok(output.text().trim_end().to_owned()) } else { Err(output.failed("hash-object")) }
    }

    fn diff(&self, sides: &[String], form: &[&str]) -> Result<Vec<u8>, GitError> {
        let mut args = vec![
            "diff",
            "--no-ext-diff",
            "--no-textconv",
            "--no-color",
            "--no-relative",
            "--src-prefix=a/",
            "--dst-prefix=b/",
            "--ignore-submodules=dirty",
            "--find-renames",
            "--abbrev=40",
            "-U0",
            "--patch",
        ];
        args.extend(form);
        args.extend(sides.iter().map(String::as_str));
        args.push("--");
        let output = self.ask(&args)?;
        if output.code == 0 { Ok(output.stdout) } else { Err(output.failed("diff")) }
    }
}

/// Reads names and counts, keyed by the path's bytes; gives back what follows, which is the patch.
fn names(printed: &[u8]) -> (BTreeMap<Vec<u8>, FileChange>, &[u8]) {
    let mut files = BTreeMap::new();
    let mut rest = printed;
    let mut field = || -> &[u8] {
        let end = memchr::memchr(0, rest).unwrap_or(rest.len());
        let (field, tail) = rest.split_at(end);
        rest = tail.get(1..).unwrap_or_default();
        field
    };
    loop {
        let head = field();
        if let Some(record) = head.strip_prefix(b":") {
            // `:100644 100755 <hash> <hash> R100`, then one path, or two.
            let record = String::from_utf8_lossy(record);
            let words: Vec<&str> = record.split(' ').collect();
            let letter = words.get(4).and_then(|word| word.chars().next()).unwrap_or('M');
            let first = field();
            let (old, new) = if matches!(letter, 'R' | 'C') { (Some(first), field()) } else { (None, first) };
            let status = match letter {
                'A' | 'C' => Status::Added,
                'D' => Status::Deleted,
                'R' => Status::Renamed,
                _ => Status::Modified,
            };
            let shown = |name: &[u8]| String::from_utf8_lossy(name).into_owned();
            let change = FileChange {
                path: shown(new),
                old_path: old.filter(|_| letter == 'R').map(shown),
                status,
                hunks: Vec::new(),
                eol_only: false,
                binary: false,
                submodule: words.iter().take(2).any(|mode| *mode == "160000"),
            };
            // A file in conflict has two records; the one with content comes last.
            files.insert(new.to_vec(), change);
        } else if head.is_empty() {
            return (files, rest);
        } else {
            // `12<tab>3<tab>path`, or with an empty path and the two paths of a rename after it; `-` counts a binary file.
            let mut parts = head.splitn(3, |byte| *byte == b'\t');
            let binary = parts.next() == Some(b"-");
            let path = parts.nth(1).unwrap_or_default();
            let path = if path.is_empty() {
                field();
                field()
            } else {
                path
            };
            if let Some(file) = files.get_mut(path) {
                file.binary = binary;
            }
        }
    }
}

/// Reads the line ranges of a patch.
fn patch(printed: &[u8]) -> Patch {
    let mut patch = Patch::default();
    let (mut old, mut new): (Option<Vec<u8>>, Option<Vec<u8>>) = (None, None);
    let mut lines = printed.split(|byte| *byte == b'\n');
    while let Some(line) = lines.next() {
        if line.starts_with(b"diff --git ") {
            (old, new) = (None, None);
        } else if let Some(name) = line.strip_prefix(b"--- ") {
            old = path_of(name, b"a/");
        } else if let Some(name) = line.strip_prefix(b"+++ ") {
            new = path_of(name, b"b/");
        } else if let Some(hunk) = line.strip_prefix(b"@@ ").and_then(hunk) {
            let mut left = u64::from(hunk.old_lines) + u64::from(hunk.new_lines);
            let mut cr = false;
            while left > 0 {
                let Some(body) = lines.next() else { break };
                left -= u64::from(!body.starts_with(b"\\"));
                cr |= body.ends_with(b"\r");
            }
            let Some(name) = new.as_ref().or(old.as_ref()) else { continue };
            if cr && !patch.with_cr.contains(name) {
                patch.with_cr.insert(name.clone());
            }
            patch.hunks.entry(name.clone()).or_default().push(hunk);
        }
    }
    patch
}

/// `-12,3 +14 @@ ...`; a count left out is one.
fn hunk(line: &[u8]) -> Option<Hunk> {
    let line = std::str::from_utf8(line.get(..line.len().min(80))?.split(|byte| *byte == b'@').next()?).ok()?;
    let mut sides = line.split(' ');
    let mut side = |mark: char| -> Option<(u32, u32)> {
        let range = sides.next()?.strip_prefix(mark)?;
        let (start, count) = range.split_once(',').unwrap_or((range, "1"));
        Some((start.parse().ok()?, count.parse().ok()?))
    };
    let ((old_start, old_lines), (new_start, new_lines)) = (side('-')?, side('+')?);
    Some(Hunk { old_start, old_lines, new_start, new_lines })
}

/// The path of a `---` or `+++` line: perhaps quoted, perhaps with a tab after it; `None` for the missing side.
fn path_of(line: &[u8], prefix: &[u8]) -> Option<Vec<u8>> {
    if line == b"/dev/null" {
        return None;
    }
    let quoted = line.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\"").or_else(|| rest.strip_suffix(b"\"\t")));
    let path = match quoted {
        Some(inner) => unquote(inner),
        None => line.strip_suffix(b"\t").unwrap_or(line).to_vec(),
    };
    path.strip_prefix(prefix).map(<[u8]>::to_vec)
}

/// Undoes the quoting of a name that holds quotes, backslashes or control characters.
fn unquote(inner: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(inner.len());
    let mut bytes = inner.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        match bytes.next() {
            Some(digit @ b'0'..=b'7') => {
                let mut value = u32::from(digit - b'0');
                for _ in 0..2 {
                    if let Some(digit) = bytes.next_if(|byte| (b'0'..=b'7').contains(byte)) {
                        value = value * 8 + u32::from(digit - b'0');
                    }
                }
                out.push(value as u8);
            }
            Some(letter) => out.push(match letter {
                b'a' => 7,
                b'b' => 8,
                b't' => b'\t',
                b'n' => b'\n',
                b'v' => 11,
                b'f' => 12,
                b'r' => b'\r',
                other => other,
            }),
            None => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Quotes as git does.
    fn quote(name: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        for byte in name {
            match byte {
                b'"' | b'\\' => out.extend([b'\\', *byte]),
                b'\n' => out.extend(b"\\n"),
                0..=31 | 127.. => out.extend(format!("\\{byte:03o}").into_bytes()),
                _ => out.push(*byte),
            }
        }
        out
    }

    proptest! {
        #[test]
        fn quoting_is_undone(name in proptest::collection::vec(any::<u8>(), 0..40)) {
            prop_assert_eq!(unquote(&quote(&name)), name);
        }

        #[test]
        fn no_output_of_git_is_too_odd(
            parts in proptest::collection::vec(
                prop_oneof![
                    Just("diff --git a/x b/x\n"), Just("--- a/x\n"), Just("+++ b/x\n"), Just("@@ -1,2 +3 @@"), Just("\n"), Just("\0"),
                    Just(":100644 100644 a b R50\0"), Just("\\ No newline"), Just("-\t-\t"), Just("+++ \""), Just("@@ -0,4294967295 +1,4294967295 @@\n"),
                    Just("größe\r\n"), Just("@@ -99999999999 +1 @@\n"), Just("1\t2\t\0"),
                ],
                0..30,
            )
        ) {
            let text = parts.concat();
            names(text.as_bytes());
            patch(text.as_bytes());
        }
    }
}
