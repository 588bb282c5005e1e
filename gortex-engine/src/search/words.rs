//! Words: how identifiers, paths and prose become comparable terms.
//!
//! A term is a lower-case word with its commonest English endings taken off, so that `Routing`, `routes` and `route` are one.
//! The same function is applied to what is indexed and to what is asked, so nothing depends on the stem being a real word.
//!
//! Knows letters only; what a term weighs is for its callers.

/// Longest term kept, in bytes; longer ones are data, not words.
const MAX_TERM: usize = 40;

/// Calls `each` with every word of a text as written: runs of letters and digits, split where the case changes.
pub fn split<'t>(text: &'t str, mut each: impl FnMut(&'t str)) {
    let mut start = None;
    let mut before: Option<char> = None;
    let mut chars = text.char_indices().peekable();
    while let Some((at, letter)) = chars.next() {
        if !letter.is_alphanumeric() {
            if let Some(from) = start.take() {
                each(&text[from..at]);
            }
            before = None;
            continue;
        }
        if let (Some(from), Some(last)) = (start, before) {
            let rises = letter.is_uppercase() && !last.is_uppercase();
            // `HTTPServer`: the last capital belongs to the word that follows.
            let follows = letter.is_uppercase() && chars.peek().is_some_and(|(_, next)| next.is_lowercase());
            if rises || follows {
                each(&text[from..at]);
                start = Some(at);
            }
        }
        start.get_or_insert(at);
        before = Some(letter);
    }
    if let Some(from) = start {
        each(&text[from..]);
    }
}

/// Calls `each` with every term of a text. Single ASCII letters are left out.
pub fn terms(text: &str, scratch: &mut String, mut each: impl FnMut(&str)) {
    split(text, |word| {
        term(word, scratch);
        if scratch.len() > 1 && scratch.len() <= MAX_TERM {
            each(scratch);
        }
    });
}

/// The terms of a text, in its order.
pub fn terms_of(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    terms(text, &mut String::new(), |term| found.push(term.to_owned()));
    found
}

/// Writes the term of one word.
pub fn term(word: &str, into: &mut String) {
    into.clear();
    if word.is_ascii() {
        into.push_str(word);
        into.make_ascii_lowercase();
        stem(into);
    } else {
        into.extend(word.chars().flat_map(char::to_lowercase));
    }
}

/// Takes off plural, `-ing`, `-ed` and a closing `e` of an ASCII word.
fn stem(word: &mut String) {
    let cut = |word: &mut String, by: usize| word.truncate(word.len() - by);
    if word.len() > 4 && word.ends_with("ies") {
        cut(word, 3);
        word.push('y');
    } else if word.len() > 4
        && (word.ends_with("sses") || word.ends_with("xes") || word.ends_with("ches") || word.ends_with("shes"))
    {
        cut(word, 2);
    } else if word.len() > 3 && word.ends_with('s') && !["ss", "us", "is"].iter().any(|end| word.ends_with(end)) {
        cut(word, 1);
    }
    // `string` is no form of `str`: what is left must be a word that can be spoken.
    let spoken = |word: &str, by: usize| word[..word.len() - by].contains(['a', 'e', 'i', 'o', 'u', 'y']);
    if word.len() > 5 && word.ends_with("ing") && spoken(word, 3) {
        cut(word, 3);
        undouble(word);
    } else if word.len() > 4 && word.ends_with("ed") && !word.ends_with("eed") && spoken(word, 2) {
        cut(word, 2);
        undouble(word);
    }
    if word.len() > 3 && word.ends_with('e') {
        cut(word, 1);
    }
}

/// `runn` becomes `run`; `call` and `pass` stay.
fn undouble(word: &mut String) {
    let bytes = word.as_bytes();
    if let [.., a, b] = bytes
        && a == b
        && !matches!(b, b'l' | b's' | b'z' | b'e' | b'o')
    {
        word.pop();
    }
}

/// Words that say nothing about code: English function words and the small talk of bug reports.
const STOP: &[&str] = &[
    "about",
    "above",
    "actual",
    "actually",
    "after",
    "again",
    "all",
    "also",
    "although",
    "always",
    "am",
    "an",
    "and",
    "any",
    "anyone",
    "are",
    "as",
    "at",
    "be",
    "because",
    "been",
    "before",
    "behavior",
    "behaviour",
    "being",
    "below",
    "between",
    "both",
    "bug",
    "but",
    "by",
    "can",
    "cannot",
    "code",
    "could",
    "currently",
    "describe",
    "did",
    "do",
    "does",
    "doesn",
    "doing",
    "don",
    "done",
    "down",
    "each",
    "either",
    "else",
    "etc",
    "even",
    "every",
    "example",
    "expected",
    "feature",
    "few",
    "fix",
    "following",
    "for",
    "from",
    "get",
    "gets",
    "getting",
    "give",
    "given",
    "gives",
    "goes",
    "got",
    "had",
    "happen",
    "happens",
    "has",
    "have",
    "having",
    "hello",
    "help",
    "here",
    "hi",
    "how",
    "however",
    "if",
    "implement",
    "in",
    "instead",
    "into",
    "is",
    "isn",
    "issue",
    "it",
    "its",
    "just",
    "know",
    "let",
    "like",
    "look",
    "looks",
    "make",
    "makes",
    "making",
    "many",
    "may",
    "maybe",
    "me",
    "might",
    "more",
    "most",
    "much",
    "must",
    "my",
    "need",
    "needs",
    "never",
    "no",
    "nor",
    "not",
    "now",
    "of",
    "off",
    "often",
    "ok",
    "on",
    "once",
    "one",
    "only",
    "or",
    "other",
    "our",
    "out",
    "over",
    "own",
    "please",
    "possible",
    "problem",
    "question",
    "really",
    "reproduce",
    "same",
    "see",
    "seem",
    "seems",
    "should",
    "shouldn",
    "since",
    "so",
    "some",
    "something",
    "still",
    "such",
    "sure",
    "than",
    "thank",
    "thanks",
    "that",
    "the",
    "their",
    "them",
    "then",
    "there",
    "these",
    "they",
    "thing",
    "things",
    "this",
    "those",
    "though",
    "through",
    "to",
    "too",
    "try",
    "trying",
    "two",
    "under",
    "until",
    "up",
    "us",
    "use",
    "used",
    "uses",
    "using",
    "very",
    "via",
    "want",
    "wants",
    "was",
    "way",
    "we",
    "well",
    "were",
    "what",
    "when",
    "where",
    "whether",
    "which",
    "while",
    "who",
    "why",
    "will",
    "with",
    "within",
    "without",
    "won",
    "work",
    "working",
    "works",
    "would",
    "wrong",
    "yes",
    "yet",
    "you",
    "your",
];

/// Whether a word, in lower case, says nothing about code.
pub fn is_stop(word: &str) -> bool {
    STOP.binary_search(&word).is_ok()
}

/// Stems, by the rules of English, of words that say what is done to code and not where it is.
const CHANGE: &[&str] = &[
    "add",
    "allow",
    "avoid",
    "better",
    "chang",
    "clean",
    "cleanup",
    "correct",
    "deprec",
    "disabl",
    "enabl",
    "ensur",
    "extract",
    "handl",
    "improv",
    "includ",
    "incorrect",
    "initi",
    "introduc",
    "leverag",
    "minor",
    "miss",
    "move",
    "optim",
    "optimis",
    "permit",
    "prefer",
    "prevent",
    "proper",
    "reduc",
    "redund",
    "refactor",
    "remov",
    "renam",
    "replac",
    "resolv",
    "restor",
    "revert",
    "robust",
    "simplif",
    "simplifi",
    "smarter",
    "support",
    "tweak",
    "unnecessari",
    "unus",
    "updat",
    "upgrad",
];

/// Whether a stem as [`super::contents::stem`] gives it names a kind of change: `improve`, `unused`, `properly`.
pub fn is_change(stem: &str) -> bool {
    CHANGE.binary_search(&stem).is_ok()
}

/// Words that programmers use for each other.
const SAME: &[&[&str]] = &[
    &["arg", "argument", "param", "parameter"],
    &["async", "asynchronous"],
    &["auth", "authenticate", "authentication", "authorize", "authorization", "login"],
    &["attr", "attribute"],
    &["buf", "buffer"],
    &["cache", "memo"],
    &["cfg", "conf", "config", "configuration", "setting"],
    &["cmd", "command"],
    &["conn", "connection"],
    &["create", "new", "build", "make"],
    &["ctx", "context"],
    &["db", "database"],
    &["decode", "unmarshal", "deserialize", "parse"],
    &["delete", "remove", "drop"],
    &["dir", "directory", "folder"],
    &["doc", "document", "documentation"],
    &["elem", "element"],
    &["encode", "marshal", "serialize"],
    &["env", "environment"],
    &["err", "error", "exception", "failure"],
    &["exec", "execute", "run"],
    &["fetch", "retrieve", "load"],
    &["fmt", "format"],
    &["fn", "func", "function"],
    &["id", "identifier"],
    &["impl", "implementation"],
    &["info", "information"],
    &["init", "initialize", "initialise", "setup"],
    &["len", "length", "size"],
    &["lib", "library"],
    &["max", "maximum"],
    &["min", "minimum"],
    &["mid", "middleware"],
    &["msg", "message"],
    &["num", "number", "count"],
    &["obj", "object"],
    &["pkg", "package"],
    &["prev", "previous"],
    &["recv", "receive"],
    &["ref", "reference"],
    &["regex", "regexp"],
    &["repo", "repository"],
    &["req", "request"],
    &["res", "resp", "response"],
    &["spec", "specification"],
    &["src", "source"],
    &["str", "string"],
    &["sync", "synchronize"],
    &["tmp", "temp", "temporary"],
    &["url", "uri"],
    &["util", "utility"],
    &["val", "value"],
    &["var", "variable"],
];

/// The other terms that mean the same as a term.
pub fn equivalents(term: &str) -> Vec<String> {
    let mut scratch = String::new();
    let mut found = Vec::new();
    for group in SAME {
        let stems: Vec<String> = group
            .iter()
            .map(|word| {
                self::term(word, &mut scratch);
                scratch.clone()
            })
            .collect();
        if stems.iter().any(|stem| stem == term) {
            found.extend(stems.into_iter().filter(|stem| stem != term));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        assert_eq!(terms_of(text), expected);
    }

    #[test]
    fn identifiers_split_at_case_and_punctuation() {
        check("getUserByName", &["get", "user", "by", "nam"]);
        check("HTTPServer_v2.parseURL", &["http", "server", "v2", "pars", "url"]);
        check("SCREAMING_CASE", &["scream", "cas"]);
        check("größeBerechnen 日本", &["größe", "berechnen", "日本"]);
        check("", &[]);
        check("a.b", &[]);
    }

    #[test]
    fn forms_of_a_word_meet() {
        for (left, right) in [
            ("routing", "routes"),
            ("route", "routed"),
            ("entries", "entry"),
            ("classes", "class"),
            ("running", "run"),
            ("caches", "caching"),
        ] {
            assert_eq!(terms_of(left), terms_of(right), "{left} {right}");
        }
        for (left, right) in [("status", "stat"), ("string", "str"), ("need", "ne"), ("process", "proce")] {
            assert_ne!(terms_of(left), terms_of(right), "{left} {right}");
        }
    }

    #[test]
    fn the_stop_list_is_sorted() {
        assert!(STOP.is_sorted(), "{:?}", STOP.windows(2).find(|pair| pair[0] > pair[1]));
        assert!(is_stop("the") && !is_stop("router"));
        assert!(CHANGE.is_sorted() && is_change(&crate::search::contents::stem("Improving")) && !is_change("router"));
    }

    #[test]
    fn equivalents_meet_both_ways() {
        assert!(equivalents("config").contains(&"cfg".to_owned()));
        assert!(equivalents("cfg").contains(&"config".to_owned()));
        assert!(equivalents("router").is_empty());
    }
}
