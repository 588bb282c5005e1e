//! Trigram filters: which files can't contain a text, told without reading them.
//!
//! A filter is the set of all runs of three bytes within the lines of a file, ASCII letters in lower case, hashed into a bit
//! table whose size follows their number. It is a pure function of the bytes, so it is taken over with a file's facts, and a
//! changed file costs its own filter only. A filter errs on one side: a file that it rules out does not contain the text; one
//! that it lets pass has to be read.
//!
//! [`Need`] is the other half: which runs every match of an expression must contain. It is read off the parsed expression, so a
//! literal, an expression and one that ignores case go the same road. Knows bytes and expressions, no files.

use std::collections::BTreeSet;

use regex_syntax::hir::{Class, Hir, HirKind};

/// The largest table, in bits: 64 KiB. A file that fills it is read more often, nothing else.
const MAX_BITS: usize = 1 << 19;
/// A table is folded in half as long as at most so many of a hundred bits are set afterwards.
const FULL: usize = 30;
/// Alternatives that are followed letter by letter; more are given up together.
const MAX_EXACT: usize = 16;
/// Bytes of an alternative before it is closed and a new one begun.
const MAX_LEN: usize = 64;
/// Characters of a class that are followed one by one.
const MAX_CLASS: usize = 12;

/// The filter of a file's bytes, as they lie on disk. Text that search decodes first (UTF-16) has none.
pub fn build(bytes: &[u8]) -> Vec<u64> {
    let bits = bytes.len().saturating_mul(4).next_power_of_two().clamp(64, MAX_BITS);
    let mut table = vec![0u64; bits / 64];
    let mask = bits as u32 - 1;
    let (mut window, mut run) = (0u32, 0u32);
    for byte in bytes {
        if matches!(byte, b'\n' | b'\r') {
            run = 0;
            continue;
        }
        window = (window << 8 | u32::from(byte.to_ascii_lowercase())) & 0xff_ffff;
        run += 1;
        if run > 2 {
            let at = hash(window) & mask;
            table[at as usize / 64] |= 1 << (at % 64);
        }
    }
    fold(&mut table);
    table
}

/// Lays the halves of a table over each other while it stays thin: an index taken by mask stays right.
fn fold(table: &mut Vec<u64>) {
    while table.len() > 1 {
        let half = table.len() / 2;
        let (low, high) = table.split_at(half);
        let ones: usize = low.iter().zip(high).map(|(low, high)| (low | high).count_ones() as usize).sum();
        if ones * 100 > FULL * half * 64 {
            break;
        }
        for at in 0..half {
            table[at] |= table[at + half];
        }
        table.truncate(half);
    }
    table.shrink_to_fit();
}

/// Spreads a run of three bytes; the low bits are used.
fn hash(gram: u32) -> u32 {
    let mixed = gram.wrapping_mul(0x9e37_79b1);
    mixed ^ mixed >> 15
}

/// What a file must contain to be worth reading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Need {
    /// Nothing is known.
    Anything,
    /// The run with this hash.
    Gram(u32),
    /// All of these.
    All(Vec<Need>),
    /// One of these.
    Any(Vec<Need>),
}

impl Need {
    /// What every match of an expression contains. One that can't be parsed needs nothing.
    pub fn of(pattern: &str, ignore_case: bool) -> Need {
        let mut builder = regex_syntax::ParserBuilder::new();
        builder.utf8(false).multi_line(true).crlf(true).case_insensitive(ignore_case);
        builder.build().parse(pattern).map_or(Need::Anything, |hir| read(&hir).need())
    }

    /// Whether a file with this filter may contain a match. A file without a filter may contain anything.
    pub fn admits(&self, table: &[u64]) -> bool {
        if table.is_empty() {
            return true;
        }
        match self {
            Need::Anything => true,
            Need::Gram(hash) => {
                let at = *hash as usize & (table.len() * 64 - 1);
                table.get(at / 64).is_none_or(|word| word >> (at % 64) & 1 == 1)
            }
            Need::All(needs) => needs.iter().all(|need| need.admits(table)),
            Need::Any(needs) => needs.iter().any(|need| need.admits(table)),
        }
    }

    fn all(needs: Vec<Need>) -> Need {
        let mut kept: Vec<Need> = needs.into_iter().filter(|need| *need != Need::Anything).collect();
        match kept.len() {
            0 => Need::Anything,
            1 => kept.remove(0),
            _ => Need::All(kept),
        }
    }

    fn any(mut needs: Vec<Need>) -> Need {
        if needs.is_empty() || needs.contains(&Need::Anything) {
            return Need::Anything;
        }
        if needs.len() == 1 { needs.remove(0) } else { Need::Any(needs) }
    }

    /// The runs of one of these texts. The texts are in lower case as far as they are ASCII.
    fn one_of(texts: &BTreeSet<Vec<u8>>) -> Need {
        Need::any(texts.iter().map(|text| Need::all(grams(text))).collect())
    }
}

fn grams(text: &[u8]) -> Vec<Need> {
    let windows = text.windows(3).filter(|run| !run.iter().any(|byte| matches!(byte, b'\n' | b'\r')));
    let hashes: BTreeSet<u32> =
        windows.map(|run| hash(u32::from(run[0]) << 16 | u32::from(run[1]) << 8 | u32::from(run[2]))).collect();
    hashes.into_iter().map(Need::Gram).collect()
}

/// What is known of a part of an expression.
enum Part {
    /// It matches one of these texts and nothing else.
    Exact(BTreeSet<Vec<u8>>),
    /// Whatever it matches contains this.
    Loose(Need),
}

impl Part {
    fn empty() -> Part {
        Part::Exact(BTreeSet::from([Vec::new()]))
    }

    fn need(&self) -> Need {
        match self {
            Part::Exact(texts) => Need::one_of(texts),
            Part::Loose(need) => need.clone(),
        }
    }
}

/// Depth is bounded by the parser's own limit on nesting.
fn read(hir: &Hir) -> Part {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => Part::empty(),
        HirKind::Literal(literal) => Part::Exact(BTreeSet::from([literal.0.to_ascii_lowercase()])),
        HirKind::Class(class) => letters(class).map_or(Part::Loose(Need::Anything), Part::Exact),
        HirKind::Capture(capture) => read(&capture.sub),
        HirKind::Concat(parts) => sequence(parts.iter().map(read)),
        HirKind::Alternation(parts) => alternatives(parts.iter().map(read).collect()),
        HirKind::Repetition(repetition) => {
            let part = read(&repetition.sub);
            match (repetition.min, repetition.max, part) {
                (1, Some(1), part) => part,
                (0, Some(1), Part::Exact(mut texts)) if texts.len() < MAX_EXACT => {
                    texts.insert(Vec::new());
                    Part::Exact(texts)
                }
                (0, _, _) => Part::Loose(Need::Anything),
                (_, _, part) => Part::Loose(part.need()),
            }
        }
    }
}

/// The characters of a small class.
fn letters(class: &Class) -> Option<BTreeSet<Vec<u8>>> {
    let mut texts = BTreeSet::new();
    match class {
        Class::Unicode(class) => {
            let count: usize = class.ranges().iter().map(|range| range.len()).sum();
            let chars = class.ranges().iter().flat_map(|range| range.start()..=range.end());
            texts.extend(chars.take(MAX_CLASS + 1).map(|one| one.to_ascii_lowercase().to_string().into_bytes()));
            (1..=MAX_CLASS).contains(&count).then_some(texts)
        }
        Class::Bytes(class) => {
            let count: usize = class.ranges().iter().map(|range| range.len()).sum();
            let bytes = class.ranges().iter().flat_map(|range| range.start()..=range.end());
            texts.extend(bytes.take(MAX_CLASS + 1).map(|one| vec![one.to_ascii_lowercase()]));
            (1..=MAX_CLASS).contains(&count).then_some(texts)
        }
    }
}

fn alternatives(parts: Vec<Part>) -> Part {
    let mut union = BTreeSet::new();
    for part in &parts {
        match part {
            Part::Exact(texts) => union.extend(texts.iter().cloned()),
            Part::Loose(_) => return Part::Loose(Need::any(parts.iter().map(Part::need).collect())),
        }
    }
    if union.len() <= MAX_EXACT { Part::Exact(union) } else { Part::Loose(Need::one_of(&union)) }
}

fn sequence(parts: impl Iterator<Item = Part>) -> Part {
    let mut texts = BTreeSet::from([Vec::new()]);
    let mut needs = Vec::new();
    let mut exact = true;
    for part in parts {
        match part {
            Part::Exact(next) => {
                let long = texts.iter().any(|text: &Vec<u8>| text.len() > MAX_LEN);
                if long || texts.len() * next.len() > MAX_EXACT {
                    exact = false;
                    needs.push(Need::one_of(&texts));
                    // The last two bytes make runs with what follows.
                    texts = texts.iter().map(|text| text[text.len().saturating_sub(2)..].to_vec()).collect();
                    if texts.len() * next.len() > MAX_EXACT {
                        texts = BTreeSet::from([Vec::new()]);
                    }
                }
                texts = texts.iter().flat_map(|text| next.iter().map(|next| [text.as_slice(), next].concat())).collect();
            }
            Part::Loose(need) => {
                exact = false;
                needs.push(Need::one_of(&texts));
                needs.push(need);
                texts = BTreeSet::from([Vec::new()]);
            }
        }
    }
    if exact {
        return Part::Exact(texts);
    }
    needs.push(Need::one_of(&texts));
    Part::Loose(Need::all(needs))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn admits(pattern: &str, ignore_case: bool, text: &str) -> bool {
        Need::of(pattern, ignore_case).admits(&build(text.as_bytes()))
    }

    const TEXT: &str = "def resolve_url(to):\r\n    Größe = ['left', \"right\"]\n";

    #[test]
    fn what_is_there_passes() {
        for pattern in [
            "resolve_url",
            "ve_url\\(to",
            "Größe",
            "to\\):\\r?\\n    Gr",
            "(left|right)'",
            "l.*t",
            "res[aeiou]lve",
            "(?i)RESOLVE",
        ] {
            assert!(admits(pattern, false, TEXT), "{pattern}");
        }
        assert!(admits("RESOLVE_URL", true, TEXT) && admits("gRÖẞE", true, TEXT));
    }

    #[test]
    fn what_is_not_there_is_ruled_out() {
        for pattern in
            ["reserve_url", "(lifting|wronged)'", "resolve.*nothing", "no+thing", "[xyz]esalvo_", "Grösse", "(a|bcd|efg)hijk"]
        {
            assert!(!admits(pattern, false, TEXT), "{pattern}");
        }
        assert!(!admits("NOTHING", true, TEXT));
    }

    #[test]
    fn what_says_nothing_needs_nothing() {
        for pattern in ["a", "ab", ".*", "x*", "(abc)?", "[a-z]+", "a.b.c", "^$", "(", "abc|.", "\\bab\\b", "a\nb\nc"] {
            assert_eq!(Need::of(pattern, false), Need::Anything, "{pattern}");
        }
    }

    #[test]
    fn letters_that_fold_beyond_ascii_are_followed() {
        // `ſ` and the Kelvin sign are an s and a k to an expression that ignores case.
        assert!(admits("task", true, "ta\u{17f}\u{212a}") && admits("TASKSKSKSKSK", true, "tas\u{212a}s\u{212a}skskſk"));
    }

    #[test]
    fn a_filter_is_small_and_thin() {
        let words: Vec<String> = (0..20_000).map(|n: u32| format!("{:x}", n.wrapping_mul(2_654_435_761))).collect();
        let text = words.join(" ");
        let table = build(text.as_bytes());
        let ones: u32 = table.iter().map(|word| word.count_ones()).sum();
        assert!(table.len() * 64 <= MAX_BITS && ones as usize * 100 <= 60 * table.len() * 64);
        assert_eq!((build(b"").len(), build(b"abc").len()), (1, 1));
        assert!(!Need::of("xyz", false).admits(&build(b"")) && Need::of("xyz", false).admits(&[]));
    }

    proptest::proptest! {
        #![proptest_config(proptest::test_runner::Config::with_cases(800))]

        // The one promise: a text that matches is never ruled out.
        #[test]
        fn a_match_is_never_ruled_out(
            pattern in "([abkS]|\\.|\\(a\\|bk\\)|\\(ab\\)\\?|\\[\\^a\\]|\\[sS\\]|b\\+|S\\{2\\}|ß|\\\\n|\\^|\\$){1,9}|[abkSß]{1,12}",
            text in "[abkſsSßB\u{212a}\n\r]{0,40}", ignore_case: bool,
        ) {
            let built = regex::bytes::RegexBuilder::new(&pattern).multi_line(true).crlf(true).case_insensitive(ignore_case).build();
            if let Ok(regex) = built && regex.is_match(text.as_bytes()) {
                proptest::prop_assert!(admits(&pattern, ignore_case, &text), "{pattern:?} in {text:?}");
            }
        }
    }
}
