//! Source text for readers: which lines of a file stay when bodies, plain statements or secrets are left out.
//!
//! All of it works on whole lines with their numbers, so that what is left can be cut to a window afterwards and every elision
//! names how many lines it stands for.
//!
//! Knows bytes, facts and syntax trees; no disk and no tools.

use std::fmt::Write as _;
use std::ops::RangeInclusive;

use globset::GlobBuilder;
use tree_sitter::{Node, Tree};

use crate::edit::is_secret_shaped;
use crate::facts::walker::parse;
use crate::facts::{ExtractLimits, Facts, extract};
use crate::graph::FileEntry;
use crate::lang::Lang;

/// Bodies with fewer inner lines stay.
const MIN_ELIDED: u32 = 2;
/// Rules in a list of globs.
pub const MAX_RULES: usize = 32;

/// The facts of these bytes: those of the index when it has seen the same bytes, otherwise read now.
pub fn facts_of(entry: Option<&FileEntry>, lang: Option<Lang>, bytes: &[u8]) -> Facts {
    match (entry.filter(|entry| entry.is_of(bytes)), lang) {
        (Some(entry), _) => entry.facts.clone(),
        (None, Some(lang)) => extract(lang.compiled(), bytes, ExtractLimits::default()),
        (None, None) => Facts::empty(0),
    }
}

/// A body that is left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Elision {
    /// Its inner lines, from 1.
    pub lines: RangeInclusive<u32>,
}

/// What `keep` pinned.
#[derive(Clone, Debug, Default)]
pub struct Bodies {
    /// Bodies left out, in the order of the text; none inside another.
    pub elided: Vec<Elision>,
    /// Names of definitions whose bodies were kept on request.
    pub kept: Vec<String>,
}

/// Finds the bodies of functions and methods. `keep` pins names, ids and kinds; what contains something pinned is kept too.
pub fn bodies(lang: Lang, bytes: &[u8], facts: &Facts, keep: &[&str]) -> Bodies {
    let Some(tree) = parse(lang.compiled(), bytes, ExtractLimits::default()) else { return Bodies::default() };
    let view = facts.view();
    let mut found = Bodies::default();
    let mut pinned: Vec<(u32, u32)> = Vec::new();
    let mut ranges: Vec<(u32, u32, RangeInclusive<u32>)> = Vec::new();
    for (index, def) in view.defs.iter().enumerate() {
        if !keep.is_empty() {
            let qualified = crate::graph::names::qualified(&view, index as u32);
            let name = view.str(def.name);
            let wanted = |word: &&str| {
                *word == name
                    || *word == qualified
                    || word.rsplit_once("::").is_some_and(|(_, tail)| tail == qualified)
                    || *word == def.kind().as_str()
                    || *word == def.kind().node_kind()
            };
            if keep.iter().any(wanted) {
                pinned.push((def.start, def.end));
                found.kept.push(qualified);
            }
        }
        if def.kind().is_callable()
            && let Some(body) = body_of(&tree, def.name_at as usize, def.start as usize, def.end as usize)
            && let Some(lines) = inner_lines(bytes, body)
        {
            ranges.push((def.start, def.end, lines));
        }
    }
    ranges.sort_by_key(|(start, end, _)| (*start, std::cmp::Reverse(*end)));
    let mut last = 0;
    for (start, end, lines) in ranges {
        // What lies inside a pinned definition stays, and so does what lies around one.
        let touches = pinned.iter().any(|(from, to)| (*from <= start && end <= *to) || (start <= *from && *to <= end));
        if !touches && *lines.start() > last {
            last = *lines.end();
            found.elided.push(Elision { lines });
        }
    }
    found
}

/// The body of the definition that is named at a place.
fn body_of(tree: &Tree, name_at: usize, start: usize, end: usize) -> Option<Node<'_>> {
    let mut node = tree.root_node().descendant_for_byte_range(name_at, name_at + 1)?;
    loop {
        let inside = node.start_byte() >= start && node.end_byte() <= end;
        if !inside && node.start_byte() < start {
            return None;
        }
        let direct = node.child_by_field_name("body");
        let value = ["value", "right"].iter().find_map(|field| node.child_by_field_name(field)?.child_by_field_name("body"));
        if let Some(body) = direct.or(value).filter(|body| body.start_byte() > name_at && body.start_byte() < end) {
            return Some(body);
        }
        node = node.parent()?;
    }
}

/// The lines of a body without the ones its braces stand on.
fn inner_lines(bytes: &[u8], body: Node<'_>) -> Option<RangeInclusive<u32>> {
    let braced = bytes.get(body.start_byte()) == Some(&b'{');
    let first = body.start_position().row as u32 + 1;
    let end = body.end_position();
    let last = if end.column == 0 { end.row as u32 } else { end.row as u32 + 1 };
    let (first, last) = if braced { (first + 1, last.saturating_sub(1)) } else { (first, last) };
    // A body that starts on the line of the signature stays.
    let own_line = braced || {
        let line_start = body.start_byte() - body.start_position().column;
        bytes[line_start..body.start_byte()].iter().all(u8::is_ascii_whitespace)
    };
    (own_line && last >= first && last - first + 1 >= MIN_ELIDED).then_some(first..=last)
}

/// Lines of a text, each with its number.
pub fn numbered(text: &str) -> impl Iterator<Item = (u32, &str)> {
    text.split_inclusive('\n').zip(1u32..).map(|(line, number)| (number, line))
}

/// The lines of a window with stubs in the place of elided bodies.
pub fn with_stubs(text: &str, window: RangeInclusive<u32>, bodies: &[Elision], comment: &str) -> String {
    let mut out = String::new();
    let mut at = 0;
    let mut stubbed = usize::MAX;
    for (number, line) in numbered(text).filter(|(number, _)| window.contains(number)) {
        while bodies.get(at).is_some_and(|body| *body.lines.end() < number) {
            at += 1;
        }
        match bodies.get(at).filter(|body| body.lines.contains(&number)) {
            None => out.push_str(line),
            Some(_) if stubbed == at => {}
            Some(body) => {
                stubbed = at;
                let last = (*body.lines.end()).min(*window.end());
                let indent: String = line.chars().take_while(|c| *c == ' ' || *c == '\t').collect();
                let end = if line.ends_with("\r\n") { "\r\n" } else { "\n" };
                let _ = write!(out, "{indent}{comment} … {} lines elided{end}", last - number + 1);
            }
        }
    }
    out
}

/// Words that begin a line worth keeping when there is room for few.
const SALIENT: &[&str] = &[
    "#[",
    "#define",
    "#include",
    "@",
    "async",
    "await",
    "break",
    "case",
    "catch",
    "class",
    "const",
    "continue",
    "def",
    "default",
    "defer",
    "do",
    "elif",
    "else",
    "enum",
    "except",
    "export",
    "extern",
    "finally",
    "fn",
    "for",
    "from",
    "func",
    "function",
    "go",
    "goto",
    "if",
    "impl",
    "import",
    "interface",
    "loop",
    "match",
    "mod",
    "namespace",
    "package",
    "panic",
    "private",
    "protected",
    "pub",
    "public",
    "raise",
    "return",
    "select",
    "static",
    "struct",
    "switch",
    "throw",
    "trait",
    "try",
    "type",
    "typedef",
    "union",
    "use",
    "while",
    "with",
    "yield",
];

/// Cuts a text to about `max` lines: runs of plain statements become markers, then the tail is cut. `None` when it fits.
pub fn salient(text: &str, max: usize, comment: &str, code: bool) -> Option<String> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    if max == 0 || lines.len() <= max {
        return None;
    }
    let mut kept: Vec<String> = Vec::new();
    let mut run: Vec<&str> = Vec::new();
    let flush = |run: &mut Vec<&str>, kept: &mut Vec<String>| {
        if run.len() < 2 {
            kept.extend(run.drain(..).map(str::to_owned));
        } else {
            let indent: String = run[0].chars().take_while(|c| *c == ' ' || *c == '\t').collect();
            kept.push(format!("{indent}{comment} … {} lines elided\n", run.len()));
            run.clear();
        }
    };
    for line in &lines {
        if code && !is_salient(line) {
            run.push(line);
        } else {
            flush(&mut run, &mut kept);
            kept.push((*line).to_owned());
        }
    }
    flush(&mut run, &mut kept);
    if kept.len() > max {
        let cut = kept.len() - (max - 1);
        kept.truncate(max - 1);
        kept.push(format!("{comment} … {cut} more lines cut\n"));
    }
    Some(kept.concat())
}

fn is_salient(line: &str) -> bool {
    let text = line.trim();
    if text.contains("lines elided") || text.starts_with(['}', ')', ']']) {
        return true;
    }
    SALIENT.iter().any(|word| {
        text.strip_prefix(word)
            .is_some_and(|rest| word.starts_with(['@', '#']) || !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
    })
}

/// Whether a file is one that people keep settings, and by mistake secrets, in.
pub fn is_config_like(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    is_secret_shaped(path)
        || matches!(extension, "yaml" | "yml" | "toml" | "properties" | "ini" | "cfg" | "conf" | "env" | "tfvars")
        || matches!(name.as_str(), "appsettings.json" | "config.json" | "settings.json" | ".dockercfg")
}

/// Words in a key that mark its value as secret.
const SECRET_KEYS: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "secret",
    "token",
    "apikey",
    "api_key",
    "api-key",
    "privatekey",
    "private_key",
    "private-key",
    "accesskey",
    "access_key",
    "access-key",
    "credential",
    "auth_key",
    "encryption_key",
    "signing_key",
    "pwd",
];

/// Beginnings of well-known tokens.
const SECRET_MARKS: &[&str] =
    &["AKIA", "ASIA", "ghp_", "gho_", "ghs_", "github_pat_", "glpat-", "sk-", "sk_live_", "xoxb-", "xoxp-", "AIza"];

/// Replaces values that look like secrets; keys stay. Returns the text and how many values were replaced.
pub fn redact(text: &str) -> (String, usize) {
    let mut out = String::with_capacity(text.len());
    let mut count = 0;
    let mut in_key = false;
    for line in text.split_inclusive('\n') {
        let body = line.trim_end_matches(['\n', '\r']);
        let end = &line[body.len()..];
        if in_key || body.contains("PRIVATE KEY-----") {
            let border = body.contains("-----BEGIN") || body.contains("-----END");
            in_key = !body.contains("-----END");
            if border {
                out += body;
            } else {
                out += "***";
                count += 1;
            }
            out += end;
            continue;
        }
        match secret_value(body) {
            Some(range) => {
                out += &body[..range.start];
                out += "***";
                out += &body[range.end..];
                count += 1;
            }
            None => out += body,
        }
        out += end;
    }
    (out, count)
}

/// Where on a line of `key = value` a secret stands.
fn secret_value(line: &str) -> Option<std::ops::Range<usize>> {
    let split = line.find(['=', ':'])?;
    let key = line[..split].trim().trim_matches(['"', '\'', '-', ' ']).to_ascii_lowercase();
    let rest = &line[split + 1..];
    let value = rest.trim().trim_end_matches(',').trim_matches(['"', '\'']);
    let plain = ["", "true", "false", "null", "~", "none", "|", ">", "{", "["].contains(&value.to_ascii_lowercase().as_str());
    let reference = value.starts_with("${") || value.starts_with("$(") || value.starts_with("{{") || value.starts_with('<');
    if plain || reference {
        return None;
    }
    let named = SECRET_KEYS.iter().any(|word| key.contains(word));
    let marked = SECRET_MARKS.iter().any(|mark| value.starts_with(mark) && value.len() > mark.len() + 8);
    // `scheme://user:password@host`
    let in_url = value.find("://").is_some_and(|at| {
        let authority = value[at + 3..].split(['/', '?']).next().unwrap_or("");
        authority.split_once('@').is_some_and(|(user, _)| user.contains(':'))
    });
    if !(named || marked || in_url) {
        return None;
    }
    let from = split + 1 + rest.find(value)?;
    Some(from..from + value.len())
}

/// How much of a file a rule lets through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fidelity {
    /// All of it.
    Full,
    /// Without bodies.
    Compress,
    /// Nothing.
    Omit,
}

/// The tier of the first rule of `glob:tier, ..` that fits a path; an error says what is wrong with the list.
pub fn fidelity(rules: &str, path: &str) -> Result<Option<Fidelity>, String> {
    let rules: Vec<&str> = rules.split(',').map(str::trim).filter(|rule| !rule.is_empty()).collect();
    if rules.len() > MAX_RULES {
        return Err(format!("{} rules; at most {MAX_RULES} are allowed", rules.len()));
    }
    let mut first = None;
    for rule in rules {
        let (glob, tier) = rule.rsplit_once(':').ok_or_else(|| format!("`{rule}` is not `glob:tier`"))?;
        let tier = match tier.trim() {
            "full" => Fidelity::Full,
            "compress" => Fidelity::Compress,
            "omit" => Fidelity::Omit,
            other => return Err(format!("`{other}` is no tier; tiers are full, compress, omit")),
        };
        let built = GlobBuilder::new(glob.trim()).literal_separator(true).build().map_err(|error| error.to_string())?;
        let name_only = !glob.contains('/');
        let subject = if name_only { path.rsplit('/').next().unwrap_or(path) } else { path };
        if first.is_none() && built.compile_matcher().is_match(subject) {
            first = Some(tier);
        }
    }
    Ok(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn compressed(path: &str, text: &str, keep: &[&str]) -> String {
        let lang = Lang::of_path(path).expect("a language");
        let facts = facts_of(None, Some(lang), text.as_bytes());
        let found = bodies(lang, text.as_bytes(), &facts, keep);
        with_stubs(text, 1..=u32::MAX, &found.elided, lang.language().line_comment)
    }

    #[test]
    fn bodies_become_stubs() {
        let text = "import os\n\n@cached\ndef total(a):\n    x = 1\n    y = 2\n    return x\n\nclass A:\n    def m(self): return 1\n    def n(self):\n        a = 1\n        return a\n";
        let short = "import os\n\n@cached\ndef total(a):\n    # … 3 lines elided\n\nclass A:\n    def m(self): return 1\n    def n(self):\n        # … 2 lines elided\n";
        assert_eq!(compressed("a.py", text, &[]), short);
        assert!(compressed("a.py", text, &["A.n"]).contains("return a"));
        assert!(!compressed("a.py", text, &["A.n"]).contains("return x"));
        assert!(compressed("a.py", text, &["method"]).contains("return a"));
    }

    #[test]
    fn braces_stay_where_they_are() {
        let text = "fn a() -> u32 {\r\n    let x = 1;\r\n    x\r\n}\r\nstruct S {\r\n    a: u32,\r\n    b: u32,\r\n}\r\n";
        assert_eq!(
            compressed("a.rs", text, &[]),
            "fn a() -> u32 {\r\n    // … 2 lines elided\r\n}\r\nstruct S {\r\n    a: u32,\r\n    b: u32,\r\n}\r\n"
        );
        let arrow = "export const f = (a) => {\n  const b = a;\n  return b;\n};\n";
        assert_eq!(compressed("a.ts", arrow, &[]), "export const f = (a) => {\n  // … 2 lines elided\n};\n");
        assert_eq!(compressed("a.py", "", &[]), "");
        assert_eq!(compressed("a.go", "func f() { return }", &[]), "func f() { return }");
    }

    #[test]
    fn few_lines_keep_what_steers() {
        let text = "fn a() {\n    x();\n    y();\n    z();\n    if b {\n        q();\n    }\n}\n";
        let cut = salient(text, 6, "//", true).expect("cut");
        assert_eq!(cut, "fn a() {\n    // … 3 lines elided\n    if b {\n        q();\n    }\n}\n");
        assert_eq!(salient("a\nb\nc\n", 2, "#", false).expect("cut"), "a\n# … 2 more lines cut\n");
        assert!(salient(text, 8, "//", true).is_none());
        assert!(salient(text, 0, "//", true).is_none());
    }

    #[test]
    fn secrets_go_and_keys_stay() {
        let text = "DB_PASSWORD=hunter2\nname: größe\r\napi_key: \"abc\"\nurl=postgres://u:p@h/d\ntoken: ${TOKEN}\ndebug=true\n";
        let (out, count) = redact(text);
        assert_eq!(out, "DB_PASSWORD=***\nname: größe\r\napi_key: \"***\"\nurl=***\ntoken: ${TOKEN}\ndebug=true\n");
        assert_eq!(count, 3);
        assert!(!is_config_like("src/main.rs") && is_config_like("a/.env") && is_config_like("k8s/app.yaml"));
        let pem = "-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabcd\n-----END RSA PRIVATE KEY-----\nx";
        assert_eq!(redact(pem).0, "-----BEGIN RSA PRIVATE KEY-----\n***\n***\n-----END RSA PRIVATE KEY-----\nx");
    }

    #[test]
    fn the_first_fitting_rule_counts() {
        assert_eq!(fidelity("*_test.go:omit, src/**:compress", "src/a_test.go"), Ok(Some(Fidelity::Omit)));
        assert_eq!(fidelity("*_test.go:omit,src/**:compress", "src/a.go"), Ok(Some(Fidelity::Compress)));
        assert_eq!(fidelity("", "src/a.go"), Ok(None));
        assert!(fidelity("a:b", "x").is_err() && fidelity("a", "x").is_err() && fidelity(&"a:full,".repeat(40), "x").is_err());
    }
}
