//! `docs/languages.md`, from the registry and from the expectations that stand beside each language.
//!
//! Nothing in that page is written by hand: the texts that tests check are extracted here once more, and what they yield is what
//! the language is said to have. A language without expectations is shown as one that nothing proves.
//!
//! Knows how tests of this folder are written: `check_facts("name", source)`, or a function around it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::{LANGUAGES, Lang, Language, Tier};
use crate::facts::{ExtractLimits, extract};

/// Regenerates the page.
const COMMAND: &str = "GORTEX_WRITE_DOCS=1 cargo test -p gortex-engine --lib lang::docs";

/// What the expectations of one language yield.
#[derive(Default)]
struct Proof {
    kinds: BTreeSet<&'static str>,
    roles: BTreeSet<&'static str>,
    files: BTreeSet<String>,
}

/// The text of a string literal that a source begins with, and what follows it.
fn literal(source: &str) -> Option<(String, &str)> {
    let source = source.trim_start().trim_start_matches('&');
    if let Some(raw) = source.strip_prefix('r') {
        let marks = raw.len() - raw.trim_start_matches('#').len();
        let body = raw[marks..].strip_prefix('"')?;
        let close = format!("\"{}", "#".repeat(marks));
        let end = body.find(&close)?;
        return Some((body[..end].to_owned(), &body[end + close.len()..]));
    }
    let body = source.strip_prefix('"')?;
    let mut text = String::new();
    let mut chars = body.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Some((text, &body[at + 1..])),
            '\\' => match chars.next()?.1 {
                'n' => text.push('\n'),
                't' => text.push('\t'),
                '\n' => {
                    let rest = chars.as_str();
                    let skipped = rest.len() - rest.trim_start().len();
                    chars.by_ref().take(rest[..skipped].chars().count()).for_each(drop);
                }
                other => text.push(other),
            },
            other => text.push(other),
        }
    }
    None
}

/// (language, text) of every expectation in a file of tests.
fn expectations(source: &str) -> Vec<(String, String)> {
    let mut callers: Vec<(String, Option<String>)> = vec![("check_facts".to_owned(), None), ("check_raises".to_owned(), None)];
    let mut found = Vec::new();
    for (at, _) in source.match_indices("check_facts(\"") {
        let Some((lang, rest)) = literal(&source[at + "check_facts(".len()..]) else { continue };
        if literal(rest.trim_start().trim_start_matches(',')).is_none() {
            // A function around it, which is given the text.
            let head = source[..at].rfind("fn ").map(|start| &source[start + 3..at]);
            let name = head.and_then(|head| head.split(['(', '<']).next()).unwrap_or("");
            if !name.is_empty() {
                callers.push((name.to_owned(), Some(lang)));
            }
        }
    }
    for (name, known) in &callers {
        let call = format!("{name}(");
        for (at, _) in source.match_indices(&call) {
            let whole = !source[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
            let Some((first, rest)) = literal(&source[at + call.len()..]).filter(|_| whole) else { continue };
            match known {
                Some(lang) => found.push((lang.clone(), first)),
                None => found.extend(literal(rest.trim_start().trim_start_matches(',')).map(|(text, _)| (first, text))),
            }
        }
    }
    found
}

fn sources(folder: &Path, into: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            sources(&path, into);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            into.push(path);
        }
    }
}

fn proofs(root: &Path) -> BTreeMap<&'static str, Proof> {
    let mut files = Vec::new();
    sources(&root.join("src/lang"), &mut files);
    let mut found: BTreeMap<&'static str, Proof> = BTreeMap::new();
    for path in files {
        let text = std::fs::read_to_string(&path).expect("a source");
        for (name, sample) in expectations(&text) {
            let Some(lang) = Lang::named(&name) else { continue };
            let proof = found.entry(lang.language().name).or_default();
            let facts = extract(lang.compiled(), sample.as_bytes(), ExtractLimits::default());
            let view = facts.view();
            proof.kinds.extend(view.defs.iter().map(|def| def.kind().as_str()));
            proof.roles.extend(view.refs.iter().map(|row| row.role().as_str()));
            if !view.imports.is_empty() {
                proof.roles.insert("import");
            }
            proof.roles.extend(view.supers.iter().map(|row| crate::facts::Role::from_byte(row.role).as_str()));
            let shown = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().replace('\\', "/");
            proof.files.insert(shown.trim_start_matches("src/").to_owned());
        }
    }
    found
}

fn joined<'s>(words: impl Iterator<Item = &'s str>) -> String {
    words.collect::<Vec<_>>().join(", ")
}

fn row(page: &mut String, language: &Language, proof: Option<&Proof>) {
    let endings = language.extensions.iter().map(|extension| format!("`.{extension}`"));
    let names = language.file_names.iter().map(|name| format!("`{name}`"));
    let files = endings.chain(names).collect::<Vec<_>>().join(" ");
    let line = match proof {
        None => format!("| {} | {files} | nothing proven | | |", language.name),
        Some(proof) => {
            let tests = proof.files.iter().map(|file| format!("`{file}`")).collect::<Vec<_>>().join(" ");
            let (kinds, roles) = (joined(proof.kinds.iter().copied()), joined(proof.roles.iter().copied()));
            format!("| {} | {files} | {kinds} | {roles} | {tests} |", language.name)
        }
    };
    let _ = writeln!(page, "{line}");
}

/// Languages whose grammar crates were tried and are not linked, and why.
const LEFT_OUT: &[(&str, &str)] = &[
    ("agda", "the grammar reads `data` declarations as errors"),
    ("angular", "the crate needs a tree-sitter of its own (0.25)"),
    ("batch", "the grammar reads `call` and `goto` as errors"),
    (
        "bibtex, cairo, cue, smithy, wgsl, po",
        "the crates need an older tree-sitter (0.20 to 0.22), of which only one can be linked",
    ),
    ("cobol, d, fortran, fsharp, latex, lean, systemverilog, tlaplus", "22 to 104 MB of generated C each"),
    ("crystal, nim", "versions 0.1.0 read modules, types or imports as errors"),
    ("cuda", "30 MB of generated C for what is C++ with a few words more"),
    ("gherkin, robot framework", "no crate of that name"),
    ("jq", "GPL"),
];

fn page() -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let proofs = proofs(root);
    let mut page = format!(
        "# Languages\n\n\
         Generated from the registry in `gortex-engine/src/lang/` and from what the expectations beside each language yield when \
         they are\nextracted; a test fails when this page is out of date. To write it anew:\n\n```sh\n{COMMAND}\n```\n\n\
         Every text file that is no language's is a file node that text search sees. Paths of tests are inside \
         `gortex-engine/src/`.\n"
    );
    let tiers = [
        (
            Tier::Deep,
            "Deep",
            "Definitions, types, imports, receivers and roles, linked across files by the language's own rules.",
        ),
        (Tier::Structure, "Structure", "Definitions, containment and calls, linked as far as names allow."),
        (
            Tier::Format,
            "Formats",
            "Data and documents. Keys are told to the third level, at most 400 definitions a file. Data beyond 256 KiB and lock \
             files\nare text without symbols. Symbols of formats come after program code in searches unless a kind or language is \
             asked for, and a\nname means one only where no code has it. Scripts and styles in pages, fenced code and notebook \
             cells are walked in their own\nlanguage at their place in the file; code in documents defines, but mentions nothing.",
        ),
    ];
    for (tier, title, text) in tiers {
        let mut languages: Vec<&Language> = LANGUAGES.iter().copied().filter(|language| language.tier == tier).collect();
        languages.sort_by_key(|language| language.name);
        if languages.is_empty() {
            continue;
        }
        let _ = writeln!(
            page,
            "\n## {title}\n\n{text}\n\n| language | files | definitions | mentions | proven by |\n|---|---|---|---|---|"
        );
        for language in languages {
            row(&mut page, language, proofs.get(language.name));
        }
    }
    page.push_str("\n## Tried and left out\n\n| language | why |\n|---|---|\n");
    for (language, why) in LEFT_OUT {
        let _ = writeln!(page, "| {language} | {why} |");
    }
    page
}

#[test]
fn the_page_of_languages_is_current() {
    super::common::with_stack(|| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/languages.md");
        let page = page();
        if std::env::var_os("GORTEX_WRITE_DOCS").is_some() {
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            std::fs::write(&path, &page).expect("the page");
        }
        let there = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(there.replace("\r\n", "\n") == page, "docs/languages.md is out of date: {COMMAND}");
    });
}

#[test]
fn expectations_are_found_however_they_are_given() {
    let source = "fn check(source: &str) {\n    check_facts(\"go\", source);\n}\nfn a() { check(\n r#\"x \"y\" z\"#); }\nfn b() { check_facts(\n\"json\",\n\"a\\n\\\"b\"); recheck(\"no\"); }\n";
    let expected = [("json", "a\n\"b"), ("go", "x \"y\" z")].map(|(lang, text)| (lang.to_owned(), text.to_owned()));
    assert_eq!(expectations(source), expected);
}
