//! Finding a text in bytes and putting another in its place.
//!
//! Both texts are literal bytes. Files and fragments are compared with `\r\n` counted as `\n`, so a fragment typed with one
//! kind of line end fits a file with the other; what is put in takes the ends of the place it goes to. Nothing outside the match
//! changes: no final newline, no byte-order mark, no byte that is not UTF-8.
//!
//! Knows nothing of files, locks or languages.

use super::EditError;
use std::ops::Range;

const BOM: &[u8] = b"\xef\xbb\xbf";

/// Lines of a file, counted from 1, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineRange {
    /// The first line.
    pub first: u32,
    /// The last line.
    pub last: u32,
}

/// What to look for and what to put in its place.
#[derive(Debug, Clone, Copy)]
pub(super) struct Request<'a> {
    /// The path as the caller knows it, for error texts.
    pub path: &'a str,
    pub old: &'a [u8],
    pub new: &'a [u8],
    pub replace_all: bool,
    /// The exact number of matches the caller expects.
    pub expected: Option<u32>,
    /// Only a match wholly inside these lines counts; widened upward when nothing matches.
    pub region: Option<LineRange>,
}

/// The new content and what was done to get it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Replaced {
    pub bytes: Vec<u8>,
    pub count: usize,
    /// True when the match, or what was put in, has other line ends than the caller wrote.
    pub eol_normalized: bool,
    /// The line of the first match, and how many lines it and its replacement span.
    pub start_line: u32,
    pub lines_before: u32,
    pub lines_after: u32,
}

/// Replaces `old` by `new` in `file` according to the request.
pub(super) fn replace(file: &[u8], request: &Request<'_>) -> Result<Replaced, EditError> {
    let path = request.path;
    let body_start = if file.starts_with(BOM) { BOM.len() } else { 0 };
    // The mark belongs to the file: a fragment that repeats it is compared without it, so it can't be lost or doubled.
    let old = without_mark(request.old, body_start > 0);
    let new = without_mark(request.new, body_start > 0);
    if old.is_empty() {
        return Err(EditError::invalid("old_string", "is empty"));
    }
    let (old_lf, new_lf) = (to_lf(old), to_lf(new));
    if old_lf == new_lf {
        return Err(EditError::Identical { path: path.to_owned() });
    }
    let (matches, searched) = find(file, body_start, &old_lf, request)?;
    check_count(file, &matches, request, &old_lf, &searched)?;
    for found in &matches {
        if let Some(at) = [found.start, found.end].into_iter().find(|at| splits_character(file, *at)) {
            return Err(EditError::SplitsCharacter { path: path.to_owned(), line: line_at(file, at) });
        }
    }
    Ok(splice(file, &matches, old, new, &old_lf, &new_lf))
}

/// All matches, and the part of the file that was searched.
fn find(
    file: &[u8],
    body_start: usize,
    old_lf: &[u8],
    request: &Request<'_>,
) -> Result<(Vec<Range<usize>>, Range<usize>), EditError> {
    let all = body_start..file.len();
    let Some(lines) = request.region else {
        return Ok((occurrences(file, all.clone(), old_lf), all));
    };
    let starts = line_starts(file);
    let region = byte_range(file, &starts, lines).ok_or_else(|| EditError::NoRange {
        symbol: String::new(),
        path: request.path.to_owned(),
        reason: format!("lines {}-{} are beyond the end of the file", lines.first, lines.last),
    })?;
    let region = region.start.max(body_start)..region.end;
    let inside = occurrences(file, region.clone(), old_lf);
    if !inside.is_empty() {
        return Ok((inside, region));
    }
    let first = widened(file, &starts, lines.first);
    let wide = starts[first as usize - 1].max(body_start)..region.end;
    // A match that lies in the comments above alone still counts: they are part of what the caller sees as the symbol.
    Ok((occurrences(file, wide.clone(), old_lf), wide))
}

fn check_count(
    file: &[u8],
    matches: &[Range<usize>],
    request: &Request<'_>,
    old_lf: &[u8],
    searched: &Range<usize>,
) -> Result<(), EditError> {
    let path = request.path.to_owned();
    let count = matches.len();
    if count == 0 {
        let (nearest, whitespace_only) = nearest_line(file, searched.clone(), old_lf);
        let region = request.region.map(|lines| (line_at(file, searched.start), lines.last));
        return Err(EditError::NoMatch { path, nearest, whitespace_only, region });
    }
    match request.expected {
        Some(expected) if expected as usize != count => {
            return Err(EditError::OccurrenceMismatch { path, expected, actual: count });
        }
        _ => {}
    }
    if count > 1 && !request.replace_all {
        let mut lines: Vec<u32> = Vec::new();
        for found in matches {
            let line = line_at(file, found.start);
            if lines.last() != Some(&line) {
                lines.push(line);
            }
            if lines.len() == 3 {
                break;
            }
        }
        return Err(EditError::Ambiguous { path, count, lines });
    }
    Ok(())
}

fn splice(file: &[u8], matches: &[Range<usize>], old: &[u8], new: &[u8], old_lf: &[u8], new_lf: &[u8]) -> Replaced {
    let mut bytes = Vec::with_capacity(file.len() + new.len() * matches.len());
    let mut copied = 0;
    let mut eol_normalized = false;
    for found in matches {
        let put = with_ends_of(file, found.clone(), old_lf, new_lf, new);
        eol_normalized |= file[found.clone()] != *old || put != new;
        bytes.extend_from_slice(&file[copied..found.start]);
        bytes.extend_from_slice(&put);
        copied = found.end;
    }
    bytes.extend_from_slice(&file[copied..]);
    Replaced {
        bytes,
        count: matches.len(),
        eol_normalized,
        start_line: matches.first().map_or(1, |found| line_at(file, found.start)),
        lines_before: line_count(old_lf),
        lines_after: line_count(new_lf),
    }
}

/// A fragment without the byte-order mark that the file already has.
fn without_mark(text: &[u8], file_has_it: bool) -> &[u8] {
    if file_has_it { text.strip_prefix(BOM).unwrap_or(text) } else { text }
}

/// `\r\n` becomes `\n`; a lone `\r` stays.
fn to_lf(text: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(text.len());
    for (at, byte) in text.iter().enumerate() {
        if !(*byte == b'\r' && text.get(at + 1) == Some(&b'\n')) {
            plain.push(*byte);
        }
    }
    plain
}

/// Where `needle` (with `\n` ends) occurs in a part of the file, left to right, without overlap, as ranges of the file.
fn occurrences(file: &[u8], part: Range<usize>, needle: &[u8]) -> Vec<Range<usize>> {
    let hay = &file[part.clone()];
    // Without a carriage return the plain text *is* the file, and there is nothing to map back.
    if memchr::memchr(b'\r', hay).is_none() {
        let finder = memchr::memmem::find_iter(hay, needle);
        return finder.map(|at| part.start + at..part.start + at + needle.len()).collect();
    }
    let plain = to_lf(hay);
    let found: Vec<usize> = memchr::memmem::find_iter(&plain, needle).collect();
    let mut ends = found.iter().flat_map(|at| [*at, at + needle.len()]).peekable();
    let mut mapped = Vec::with_capacity(found.len() * 2);
    let mut position = 0;
    for (at, byte) in hay.iter().enumerate() {
        let dropped = *byte == b'\r' && hay.get(at + 1) == Some(&b'\n');
        // A plain position stands for the first byte of its line end, so a match never begins between `\r` and `\n`.
        let after_dropped = at > 0 && *byte == b'\n' && hay[at - 1] == b'\r';
        while !after_dropped && ends.next_if_eq(&position).is_some() {
            mapped.push(part.start + at);
        }
        position += usize::from(!dropped);
    }
    for _ in ends {
        mapped.push(part.end);
    }
    mapped.chunks_exact(2).map(|pair| pair[0]..pair[1]).collect()
}

/// The replacement with the line ends of the place it goes to.
///
/// Lines that both texts share at the front and at the back keep their own ends, which matters where a file mixes them; the
/// lines between take the ends of the lines they replace, and further ones that of their predecessor.
fn with_ends_of(file: &[u8], found: Range<usize>, old_lf: &[u8], new_lf: &[u8], new: &[u8]) -> Vec<u8> {
    let ends = line_ends(&file[found.clone()]);
    let wanted = memchr::memchr_iter(b'\n', new_lf).count();
    if wanted == 0 {
        return new_lf.to_vec();
    }
    let Some(last) = ends.last() else {
        return match end_near(file, found).or_else(|| line_ends(new).first().copied()) {
            Some(true) => with_ends(new_lf, |_| true),
            _ => new_lf.to_vec(),
        };
    };
    let old_lines: Vec<&[u8]> = old_lf.split_inclusive(|byte| *byte == b'\n').collect();
    let new_lines: Vec<&[u8]> = new_lf.split_inclusive(|byte| *byte == b'\n').collect();
    let most = ends.len().min(wanted);
    let front = old_lines.iter().zip(&new_lines).take(most).take_while(|(old, new)| old == new).count();
    let back = old_lines.iter().rev().zip(new_lines.iter().rev()).take_while(|(old, new)| old == new).count();
    // A shared last line without an end does not take part in counting ends.
    let back = if old_lf.ends_with(b"\n") { back } else { back.saturating_sub(1) }.min(most - front);
    with_ends(new_lf, |index| {
        if index < front {
            ends[index]
        } else if index >= wanted - back {
            ends[ends.len() - (wanted - index)]
        } else {
            let limit = ends.len() - back;
            ends.get(index.min(limit.saturating_sub(1))).copied().unwrap_or(*last)
        }
    })
}

/// Writes `\r\n` for each line end for which `is_crlf` says so.
fn with_ends(text: &[u8], is_crlf: impl Fn(usize) -> bool) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() + 16);
    let mut index = 0;
    for byte in text {
        if *byte == b'\n' {
            if is_crlf(index) {
                out.push(b'\r');
            }
            index += 1;
        }
        out.push(*byte);
    }
    out
}

/// For each line end of a text, whether it is `\r\n`.
fn line_ends(text: &[u8]) -> Vec<bool> {
    memchr::memchr_iter(b'\n', text).map(|at| at > 0 && text[at - 1] == b'\r').collect()
}

/// The kind of the line end that follows a match, else of the one before it; `None` in a file of one line.
fn end_near(file: &[u8], found: Range<usize>) -> Option<bool> {
    let is_crlf = |at: usize| at > 0 && file[at - 1] == b'\r';
    memchr::memchr(b'\n', &file[found.end..])
        .map(|at| is_crlf(found.end + at))
        .or_else(|| memchr::memrchr(b'\n', &file[..found.start]).map(is_crlf))
}

/// True when a valid UTF-8 character of the file spans this position.
fn splits_character(file: &[u8], at: usize) -> bool {
    if at == 0 || at >= file.len() || file[at] & 0xC0 != 0x80 {
        return false;
    }
    (1..=3.min(at)).any(|back| {
        let lead = at - back;
        let length = match file[lead] {
            0xC2..=0xDF => 2,
            0xE0..=0xEF => 3,
            0xF0..=0xF4 => 4,
            _ => return false,
        };
        length > back && file.get(lead..lead + length).is_some_and(|bytes| std::str::from_utf8(bytes).is_ok())
    })
}

/// The line of a byte, counted from 1.
pub(super) fn line_at(file: &[u8], at: usize) -> u32 {
    memchr::memchr_iter(b'\n', &file[..at.min(file.len())]).count() as u32 + 1
}

/// How many lines a text spans; a final line end does not begin another one.
fn line_count(text: &[u8]) -> u32 {
    let ends = memchr::memchr_iter(b'\n', text).count() as u32;
    ends + u32::from(!text.is_empty() && !text.ends_with(b"\n"))
}

/// Where each line begins. Never empty; a final line end begins no line.
pub(super) fn line_starts(file: &[u8]) -> Vec<usize> {
    let after_ends = memchr::memchr_iter(b'\n', file).map(|at| at + 1).filter(|at| *at < file.len());
    std::iter::once(0).chain(after_ends).collect()
}

/// The bytes of some lines, with their ends; `None` when the file has fewer.
pub(super) fn byte_range(file: &[u8], starts: &[usize], lines: LineRange) -> Option<Range<usize>> {
    let (first, last) = (lines.first as usize, lines.last as usize);
    if first == 0 || last < first || last > starts.len() {
        return None;
    }
    Some(starts[first - 1]..starts.get(last).copied().unwrap_or(file.len()))
}

/// The first line of the comments, attributes and blank lines that stand directly above a line.
fn widened(file: &[u8], starts: &[usize], first: u32) -> u32 {
    let text = |line: usize| {
        let end = starts.get(line).copied().unwrap_or(file.len());
        file[starts[line - 1]..end].trim_ascii()
    };
    let mut top = first as usize;
    while top > 1 {
        let above = text(top - 1);
        if above.ends_with(b"*/") {
            // The inner lines of a block comment may look like anything, so its opening is sought.
            match (1..top).rev().find(|line| text(*line).starts_with(b"/*")) {
                Some(opening) => top = opening,
                None => break,
            }
        } else if is_companion(above) {
            top -= 1;
        } else {
            break;
        }
    }
    top as u32
}

/// True for a blank line, a line comment, an attribute or a decorator.
fn is_companion(line: &[u8]) -> bool {
    const DIRECTIVES: [&[u8]; 12] =
        [b"include", b"define", b"if", b"elif", b"else", b"endif", b"undef", b"pragma", b"error", b"warning", b"line", b"import"];
    match line {
        [] | [b'/', b'/', ..] | [b'-', b'-', ..] | [b'@' | b';' | b'%' | b'\'', ..] => true,
        [b'#', rest @ ..] => {
            // A directive of the C preprocessor is no comment; `# define it` with a space is one in Python.
            let word = rest.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
            !DIRECTIVES.contains(&&rest[..word])
        }
        [b'[', .., b']'] => true,
        _ => false,
    }
}

/// The line that resembles the first line of the text most, and whether it differs in white space only.
fn nearest_line(file: &[u8], searched: Range<usize>, old_lf: &[u8]) -> (Option<u32>, bool) {
    let wanted = old_lf.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).find(|line| !line.is_empty());
    let Some(wanted) = wanted else { return (None, false) };
    let squeezed = squeeze(wanted);
    let grams = Bigrams::of(&squeezed);
    let first = line_at(file, searched.start);
    let mut best = (0.45, None);
    for (index, line) in file[searched].split(|byte| *byte == b'\n').enumerate() {
        let line = squeeze(line);
        if line == squeezed {
            return (Some(first + index as u32), true);
        }
        let score = grams.likeness(&line);
        if score > best.0 {
            best = (score, Some(first + index as u32));
        }
    }
    (best.1, false)
}

fn squeeze(line: &[u8]) -> Vec<u8> {
    line.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect()
}

/// Which pairs of neighbouring bytes a line has.
struct Bigrams {
    seen: Vec<u64>,
    count: usize,
}

impl Bigrams {
    fn of(line: &[u8]) -> Self {
        let mut seen = vec![0_u64; 1024];
        for pair in line.windows(2) {
            let code = usize::from(pair[0]) << 8 | usize::from(pair[1]);
            seen[code >> 6] |= 1 << (code & 63);
        }
        Self { seen, count: line.len().saturating_sub(1) }
    }

    /// Between 0 and 1: the share of pairs that both lines have.
    fn likeness(&self, line: &[u8]) -> f64 {
        let pairs = line.len().saturating_sub(1);
        if self.count == 0 || pairs == 0 {
            return 0.0;
        }
        let shared = line
            .windows(2)
            .filter(|pair| {
                let code = usize::from(pair[0]) << 8 | usize::from(pair[1]);
                self.seen[code >> 6] >> (code & 63) & 1 == 1
            })
            .count();
        (2 * shared.min(self.count)) as f64 / (self.count + pairs) as f64
    }
}

#[cfg(test)]
#[path = "text_tests.rs"]
mod tests;
