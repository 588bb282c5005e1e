//! What a file's bytes are: source, text, or something that is not read as either, and why.
//!
//! All thresholds stand here, so that indexing, search and the health report agree. The verdict is a function of path and bytes
//! alone; nothing is decided by a name that the content contradicts.
//!
//! Knows nothing of disks and of parsing.

use memchr::{memchr_iter, memmem};

use crate::lang::{Lang, Tier};

/// A larger file is not parsed.
pub const MAX_SOURCE_BYTES: u64 = 4 << 20;
/// A larger file is not even searched as text.
pub const MAX_TEXT_BYTES: u64 = 64 << 20;
/// A larger file of data is searched as text, not parsed: what it holds is records, not names.
pub const MAX_DATA_BYTES: usize = 256 << 10;
/// Data that tools write for themselves; nothing in it is looked for by name.
const LOCK_FILES: &[&str] = &[
    "package-lock.json",
    "npm-shrinkwrap.json",
    "pnpm-lock.yaml",
    "composer.lock",
    "packages.lock.json",
    "deno.lock",
    ".terraform.lock.hcl",
    "Package.resolved",
];
/// A NUL this early makes a file binary.
const HEAD: usize = 8 << 10;
/// One NUL in so many bytes, anywhere, makes a file binary.
const BYTES_PER_NUL: usize = 1_000;
/// A line longer than this is not written by hand, if it makes up at least half of the file.
const LONGEST_LINE: usize = 20_000;
/// Nor are lines that long on average ...
const MEAN_LINE: usize = 400;
/// ... in a file at least that long.
const MEAN_LINE_FROM: usize = 8 << 10;
/// Endings of files that tools squeeze into few lines.
const SQUEEZED: &[&str] =
    &["js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx", "css", "scss", "less", "html", "htm", "svg", "vue", "svelte"];

/// What a file is taken for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Content {
    /// Text in a language that is parsed.
    Source,
    /// Other text; searched, not parsed.
    Text,
    /// No text.
    Binary,
    /// Text that a tool squeezed; searched, not parsed.
    Minified,
    /// Too large to be parsed; searched up to [`MAX_TEXT_BYTES`].
    Oversized,
}

impl Content {
    /// The stable word for answers, which is also the reason why a file is not indexed as source.
    pub fn as_str(self) -> &'static str {
        match self {
            Content::Source => "source",
            Content::Text => "text",
            Content::Binary => "binary",
            Content::Minified => "minified",
            Content::Oversized => "too_large",
        }
    }

    /// Whether text search looks into it.
    pub fn is_searched(self) -> bool {
        self != Content::Binary
    }
}

/// How the bytes spell characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Encoding {
    /// Valid UTF-8, with or without a byte order mark.
    Utf8,
    /// Some eight-bit encoding; which one can't be told.
    Latin,
    /// UTF-16 with a byte order mark.
    Utf16,
}

impl Encoding {
    /// The stable word for answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Encoding::Utf8 => "utf-8",
            Encoding::Latin => "unknown-8bit",
            Encoding::Utf16 => "utf-16",
        }
    }
}

/// The verdict on one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verdict {
    /// What it is.
    pub content: Content,
    /// How its characters are spelled; meaningless for a binary file.
    pub encoding: Encoding,
    /// Whether the file says that a program wrote it.
    pub generated: bool,
    /// Its language, told by the name, whatever the content.
    pub lang: Option<Lang>,
}

/// The verdict that a file's size alone allows, so that it need not be read.
pub fn by_size(size: u64) -> Option<Content> {
    (size > MAX_SOURCE_BYTES).then_some(Content::Oversized)
}

/// Decides what a file is. `bytes` are all of its bytes.
pub fn classify(path: &str, bytes: &[u8]) -> Verdict {
    let lang = Lang::of_file(path, bytes);
    let encoding = encoding(bytes);
    let content = if encoding != Encoding::Utf16 && is_binary(bytes) {
        Content::Binary
    } else if let Some(content) = by_size(bytes.len() as u64) {
        content
    } else if is_minified(path, bytes) {
        Content::Minified
    } else if lang.is_some_and(|lang| is_bulk(path, bytes, lang)) {
        Content::Text
    } else if lang.is_some() && encoding != Encoding::Utf16 {
        Content::Source
    } else {
        Content::Text
    };
    Verdict { content, encoding, generated: content != Content::Binary && is_generated(bytes), lang }
}

/// Whether the bytes are no text. A file in UTF-16 has to be told before, by [`encoding`].
pub fn is_binary(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(HEAD)];
    if memchr::memchr(0, head).is_some() {
        return true;
    }
    let allowed = bytes.len() / BYTES_PER_NUL;
    memchr_iter(0, bytes).take(allowed + 1).count() > allowed
}

/// How the bytes spell characters.
pub fn encoding(bytes: &[u8]) -> Encoding {
    if is_utf16(bytes) {
        Encoding::Utf16
    } else if std::str::from_utf8(bytes).is_ok() {
        Encoding::Utf8
    } else {
        Encoding::Latin
    }
}

/// A byte order mark, and what follows has the form of UTF-16 text: pairs, and hardly any of them NUL.
fn is_utf16(bytes: &[u8]) -> bool {
    let little = bytes.starts_with(&[0xff, 0xfe]);
    if !little && !bytes.starts_with(&[0xfe, 0xff]) || !bytes.len().is_multiple_of(2) {
        return false;
    }
    // `FF FE 00 00` is UTF-32; NUL characters are no text in any encoding.
    let pairs = bytes[2..bytes.len().min(HEAD)].chunks_exact(2);
    !pairs.into_iter().any(|pair| pair == [0, 0])
}

/// Whether a file of data is too large, or too little meant for people, to be worth parsing.
fn is_bulk(path: &str, bytes: &[u8], lang: Lang) -> bool {
    let language = lang.language();
    let base = path.rsplit('/').next().unwrap_or(path);
    let records = matches!(language.name, "json" | "yaml" | "xml" | "toml" | "html" | "css" | "sql");
    language.tier == Tier::Format && ((records && bytes.len() > MAX_DATA_BYTES) || LOCK_FILES.contains(&base))
}

fn is_minified(path: &str, bytes: &[u8]) -> bool {
    let ending = path.rsplit('/').next().and_then(|name| name.rsplit_once('.')).map(|(_, ending)| ending.to_ascii_lowercase());
    if !ending.is_some_and(|ending| SQUEEZED.contains(&ending.as_str())) {
        return false;
    }
    let (mut lines, mut other, mut in_long, mut start) = (0, 0, 0, 0);
    for end in memchr_iter(b'\n', bytes).chain(std::iter::once(bytes.len())) {
        let len = end - start;
        if len > LONGEST_LINE {
            in_long += len;
        } else if len > 0 {
            (lines, other) = (lines + 1, other + len);
        }
        start = end + 1;
    }
    // A long data string in a file that is otherwise written by hand hides nothing.
    let one_long = in_long > 0 && in_long * 2 >= bytes.len();
    let all_long = other > MEAN_LINE_FROM && other / lines.max(1) > MEAN_LINE;
    one_long || all_long
}

/// Looks for the usual marks in the comments at the head of a file.
fn is_generated(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(HEAD)];
    if memmem::find(head, b"@generated").is_none() && memmem::find(head, b"DO NOT EDIT").is_none() {
        return false;
    }
    head.split(|byte| *byte == b'\n').any(|line| {
        let line = line.trim_ascii();
        let is_comment =
            [&b"//"[..], b"#", b"/*", b"*", b"--", b"<!--", b";", b"\"\"\"", b"%"].iter().any(|mark| line.starts_with(mark));
        let go_mark =
            memmem::find(line, b"Code generated ").is_some_and(|at| memmem::find(&line[at..], b"DO NOT EDIT").is_some());
        is_comment && (go_mark || memmem::find(line, b"@generated").is_some())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, bytes: impl AsRef<[u8]>, expected: &str) {
        let verdict = classify(path, bytes.as_ref());
        let generated = if verdict.generated { " generated" } else { "" };
        assert_eq!(format!("{} {}{generated}", verdict.content.as_str(), verdict.encoding.as_str()), expected, "{path}");
    }

    #[test]
    fn ordinary_files() {
        check("a.py", "x = 1\r\ny = 'größe'", "source utf-8");
        check("a.py", "", "source utf-8");
        check("a.py", "\u{feff}x = 1\n", "source utf-8");
        check("README", "text", "text utf-8");
        check("a.py", b"s = 'gr\xf6\xdfe'\n", "source unknown-8bit");
    }

    #[test]
    fn nul_bytes_make_a_binary() {
        check("zero.py", vec![0; 300_000], "binary utf-8");
        check("a.py", b"x = 1\0", "binary utf-8");
        let mut late = vec![b'x'; 100_000];
        late[50_000] = 0;
        check("late.txt", &late, "text utf-8");
        for at in 0..101 {
            late[20_000 + at * 2] = 0;
        }
        check("late.txt", &late, "binary utf-8");
    }

    #[test]
    fn utf16_with_a_mark_is_text() {
        let spell = |text: &str, mark: [u8; 2], unit: fn(u16) -> [u8; 2]| -> Vec<u8> {
            mark.into_iter().chain(text.encode_utf16().flat_map(unit)).collect()
        };
        check("a.cs", spell("größe = 1", [0xff, 0xfe], u16::to_le_bytes), "text utf-16");
        check("a.py", spell("größe = 1", [0xfe, 0xff], u16::to_be_bytes), "text utf-16");
        check("a.bin", [0xff, 0xfe, 0, 0, 65, 0, 0, 0], "binary unknown-8bit");
        check("a.bin", [0xff, 0xfe, 65, 0, 7], "binary unknown-8bit");
    }

    #[test]
    fn bundles_are_minified() {
        let functions: Vec<String> = (0..9000).map(|i| format!("function f{i}(){{return f{}()}}", (i + 1) % 9000)).collect();
        let body = functions.concat();
        check("public/app.bundle.js", format!("!function(){{{body}}}();\n"), "minified utf-8");
        check("src/long.tsx", format!("const x = {}\n", "<a>".repeat(20_000)), "minified utf-8");
        check("src/deep.js", format!("x={}\n", "[".repeat(50_000)), "minified utf-8");
        check("both.js", format!("{}\n", "x();".repeat(200)).repeat(100) + &"y();".repeat(6_000), "minified utf-8");
        check("many.css", format!("{}\n", "a{b:c}".repeat(100)).repeat(20), "minified utf-8");
    }

    #[test]
    fn a_data_line_does_not_make_a_bundle() {
        let data = format!("const logo = \"{}\";\n", "A".repeat(30_000));
        check("logo.js", data.clone() + &"export function written(by) { return hand; }\n".repeat(1_000), "source utf-8");
        check("logo.js", &data, "minified utf-8");
        check("data.py", &data, "source utf-8");
        check("short.js", format!("{}\n", "x".repeat(5_000)), "source utf-8");
    }

    proptest::proptest! {
        #[test]
        fn no_bytes_are_too_odd(bytes in proptest::collection::vec(proptest::sample::select(&[0, 10, 13, 65, 0xc3, 0xb6, 0xfe, 0xff][..]), 0..50)) {
            for path in ["a.py", "a.js", "größe", "", "a."] {
                classify(path, &bytes);
            }
        }
    }

    #[test]
    fn very_large_files_are_not_source() {
        check("big.py", "x = 1\n".repeat(800_000), "too_large utf-8");
        assert_eq!(by_size(MAX_SOURCE_BYTES), None);
        assert_eq!(by_size(MAX_SOURCE_BYTES + 1), Some(Content::Oversized));
    }

    #[test]
    fn generated_files_say_so_in_a_comment() {
        check("a.go", "// Code generated by protoc. DO NOT EDIT.\n\npackage a\n", "source utf-8 generated");
        check("a.py", "# @generated by x\n", "source utf-8 generated");
        check("a.ts", "/**\n * @generated\n */\n", "source utf-8 generated");
        check("a.py", "marker = \"@generated\"\n", "source utf-8");
        check("a.go", "// DO NOT EDIT this lightly\npackage a\n", "source utf-8");
    }
}
