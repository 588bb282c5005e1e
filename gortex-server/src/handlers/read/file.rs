//! `read.file`: the text of a file by path.

use std::time::{SystemTime, UNIX_EPOCH};

use gortex_engine::edit::{git_blob_sha1, is_secret_shaped, sha256, timestamp};
use gortex_engine::query::source::{Fidelity, is_config_like};
use serde_json::Map;

use super::text::{Loaded, Reshape, fidelity, list, load, object, omission, reshape, sealed};
use crate::handlers::shared::prelude::*;

/// The digest of physical evidence.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Digest {
    /// SHA-256.
    #[default]
    Sha256,
}

/// Arguments of `read.file`.
#[derive(Debug, Deserialize, JsonSchema, FacadeArgs)]
pub(crate) struct ReadFile {
    /// Path of the file: relative to its repository, with the repository's prefix, or absolute.
    #[at(target = "file")]
    path: String,
    /// First line to show, from 1.
    #[at(context)]
    #[serde(default)]
    offset: u32,
    /// Number of lines; 0 reads to the end.
    #[at(context)]
    #[serde(default)]
    limit: u32,
    /// Show function bodies as stubs.
    #[at(context)]
    #[serde(default)]
    compress_bodies: bool,
    /// Names, ids or kinds whose bodies stay, separated by commas.
    #[at(options)]
    keep: Option<String>,
    /// Rules `glob:tier` separated by commas; tiers: full, compress, omit.
    #[at(options)]
    fidelity_globs: Option<String>,
    /// Above this many lines runs of plain statements are elided; 0 is off.
    #[at(context)]
    #[serde(default)]
    max_lines: usize,
    /// Most bytes of content, cut at a character's end; 0 is off.
    #[at(options)]
    #[serde(default)]
    max_chars: usize,
    /// Show values that look secret in configuration files.
    #[at(options)]
    #[serde(default)]
    allow_secrets: bool,
    /// Add the SHA-256 of the full file on disk.
    #[at(options)]
    #[serde(default)]
    physical_evidence: bool,
    /// Digest of the evidence.
    #[at(options)]
    #[serde(default)]
    digest: Digest,
    /// ETag of an answer already held.
    #[at(options)]
    if_none_match: Option<String>,
}

/// Returns a file's text by path.
#[facade(domain = "read", op = "file", effect = "read")]
async fn read_file(graph: Graph, args: Args<ReadFile>) -> Answer<Reply> {
    let args = args.into_inner();
    graph.blocking(move |graph| answer(graph, &args)).await
}

fn answer(graph: &Graph, args: &ReadFile) -> Answer<Reply> {
    let file = load(graph, &args.path)?;
    let total = file.text.split_inclusive('\n').count() as u32;
    let windowed = args.offset > 1 || args.limit > 0;
    let first = args.offset.max(1);
    let last = if args.limit > 0 { first.saturating_add(args.limit - 1) } else { u32::MAX }.min(total.max(first));
    let tier = fidelity(args.fidelity_globs.as_deref(), &file.path)?;
    let how = Reshape {
        window: windowed.then_some(first..=last),
        compress: tier.map_or(args.compress_bodies, |tier| tier == Fidelity::Compress),
        keep: list(args.keep.as_deref()),
        max_lines: args.max_lines,
        max_chars: args.max_chars,
        allow_secrets: args.allow_secrets,
    };
    let mut shaped = reshape(&file, &how);
    if tier == Some(Fidelity::Omit) {
        shaped.text.clear();
        shaped.omissions.push(omission("omitted", "a fidelity rule leaves this file out"));
    }
    if windowed && first > total {
        shaped.omissions.push(omission("empty_window", format!("the file has {total} lines; the window starts after them")));
    }
    let mut body = object(json!({
        "path": file.path,
        "language": file.language(),
        "bytes": shaped.text.len(),
        "original_bytes": file.bytes.len(),
        "content": shaped.text,
        "base_sha": git_blob_sha1(&file.bytes),
    }));
    if windowed {
        body.insert("window".into(), json!({"start_line": first, "end_line": last.min(total), "total_lines": total}));
    }
    if !file.omissions.is_empty() && file.omissions.iter().any(|note| note.kind == "encoding") {
        body.insert("encoding".into(), json!(file.encoding.as_str()));
    }
    body.extend(shaped.flags);
    let omissions: Vec<_> = file.omissions.iter().chain(&shaped.omissions).collect();
    if !omissions.is_empty() {
        body.insert("omissions".into(), json!(omissions));
    }
    match file.dependents() {
        Some(dependents) => body.insert("dependents".into(), dependents),
        None => body.insert("indexed".into(), json!(false)),
    };
    let mut outside = Map::new();
    if args.physical_evidence {
        let Digest::Sha256 = args.digest;
        body.extend(evidence(&file, args.allow_secrets)?);
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64);
        outside.insert("read_at".into(), json!(timestamp(now)));
    }
    Ok(Reply::json(sealed(body, args.if_none_match.as_deref(), outside)))
}

/// Proof of what the disk holds: the file is read a second time and must be the same.
fn evidence(file: &Loaded, allow_secrets: bool) -> Result<Map<String, Value>, CallError> {
    if !allow_secrets && (is_secret_shaped(&file.path) || is_config_like(&file.path)) {
        return Err(CallError::invalid(format!("a digest of `{}` could give a secret away", file.path))
            .data("field", "options.physical_evidence")
            .hint("set allow_secrets to take the digest all the same"));
    }
    let again = std::fs::read(&file.target.abs).ok();
    if again.as_deref() != Some(file.bytes.as_slice()) {
        return Err(CallError::new(Code::StaleBase, format!("`{}` changed while it was read", file.path))
            .retriable(true)
            .hint("read it again"));
    }
    Ok(object(json!({
        "resolved_path": file.target.abs.display().to_string(),
        "file_kind": "regular",
        "byte_count": file.bytes.len(),
        "content_sha256": sha256(&file.bytes),
        "hash_algorithm": "sha256",
        "hash_scope": "full_file",
        "hash_source": "disk",
        "content_source": "disk",
        "disk_verified": true,
        "same_buffer_as_content": true,
        "symlink_resolved": !file.target.direct,
    })))
}

#[cfg(test)]
mod tests {
    use crate::testing::Fixture;
    use serde_json::json;

    const ROUTES: &str = "//- src/a.py\ndef one():\n    x = 1\n    return x\n\ndef größe():\n    y = 2\n    return y\n//- src/b.py\nfrom src.a import one\none()\n//- .env\nAPI_KEY=abcdef\nNAME=x\n";

    #[test]
    fn a_file_by_path_with_its_guard_hash() {
        let fixture = Fixture::new(ROUTES);
        let answer = fixture.json("read", json!({"target": {"file": "src/b.py"}}));
        assert_eq!(answer["content"], "from src.a import one\none()\n");
        assert_eq!(answer["base_sha"], gortex_engine::edit::git_blob_sha1(b"from src.a import one\none()\n"));
        assert_eq!(answer["language"], "python");
        let held = json!({"target": {"file": "src/b.py"}, "options": {"if_none_match": answer["etag"]}});
        assert_eq!(fixture.json("read", held)["not_modified"], true);
    }

    #[test]
    fn windows_stubs_and_dependents() {
        let fixture = Fixture::new(ROUTES);
        let window = fixture.json("read", json!({"target": {"file": "src/a.py"}, "context": {"start_line": 5, "end_line": 5}}));
        assert_eq!(window["content"], "def größe():\n");
        assert_eq!(window["window"], json!({"start_line": 5, "end_line": 5, "total_lines": 7}));
        assert_eq!(window["dependents"], json!({"files": ["src/b.py"], "count": 1}));
        let short =
            fixture.json("read", json!({"target": {"file": "src/a.py"}, "options": {"compress_bodies": true, "keep": "one"}}));
        assert_eq!(short["content"], "def one():\n    x = 1\n    return x\n\ndef größe():\n    # … 2 lines elided\n");
        assert_eq!(short["kept_symbols"], json!(["one"]));
        let after = fixture.json("read", json!({"target": {"file": "src/a.py"}, "options": {"offset": 99}}));
        assert_eq!(after["content"], "");
        assert!(after["omissions"].to_string().contains("empty_window"));
    }

    #[test]
    fn secrets_are_withheld_unless_asked_for() {
        let fixture = Fixture::new(ROUTES);
        let answer = fixture.json("read", json!({"target": {"file": ".env"}}));
        assert_eq!(answer["content"], "API_KEY=***\nNAME=x\n");
        let open = fixture.json("read", json!({"target": {"file": ".env"}, "options": {"allow_secrets": true}}));
        assert_eq!(open["content"], "API_KEY=abcdef\nNAME=x\n");
        fixture.error("read", json!({"target": {"file": ".env"}, "options": {"physical_evidence": true}}));
        let proof = fixture.json("read", json!({"target": {"file": "src/a.py"}, "options": {"physical_evidence": true}}));
        assert_eq!(proof["disk_verified"], true);
    }

    #[test]
    fn case_03_bytes_that_are_no_utf8_are_told() {
        let fixture =
            Fixture::laid(|root| std::fs::write(root.join("latin.c"), b"char *s = \"caf\xe9\";\nint n = 1;\n").expect("written"));
        let answer = fixture.json("read", json!({"target": {"file": "latin.c"}}));
        assert!(answer["content"].as_str().expect("text").contains("int n = 1;"));
        assert_eq!(answer["encoding"], "unknown-8bit");
        assert!(answer["omissions"].to_string().contains("not UTF-8"));
    }

    // A file that was changed after the index was built was answered with the old lines.
    #[test]
    fn a_changed_file_is_read_as_it_is_now() {
        let fixture = Fixture::new(ROUTES);
        std::fs::write(fixture.root.join("src/a.py"), "# new\n\ndef one():\n    x = 1\n    return x\n").expect("written");
        let answer = fixture.json("read", json!({"target": {"symbol": "src/a.py::one"}, "context": {"context_lines": 0}}));
        assert_eq!(answer["start_line"], 3);
        assert_eq!(answer["source"], "def one():\n    x = 1\n    return x\n");
    }

    #[cfg(unix)]
    #[test]
    fn case_13_a_link_out_of_the_root_is_refused_without_content() {
        let fixture = Fixture::laid(|root| {
            std::fs::write(root.join("../outside.txt"), "TOP-SECRET-1234\n").expect("written");
            std::fs::create_dir(root.join("src")).expect("made");
            std::os::unix::fs::symlink("../../outside.txt", root.join("src/notes.txt")).expect("linked");
            std::os::unix::fs::symlink("..", root.join("up")).expect("linked");
        });
        for path in ["src/notes.txt", "up/outside.txt", "../outside.txt", "/etc/passwd"] {
            let error = fixture.error("read", json!({"target": {"file": path}}));
            assert_eq!(error["error_code"], "path_escape", "{path}: {error}");
            assert!(!error.to_string().contains("TOP-SECRET"));
        }
        let found = fixture.json("search", json!({"operation": "text", "query": "TOP-SECRET"}));
        assert_eq!(found["count"], 0);
    }

    #[test]
    fn case_38_numbers_arrive_in_any_form() {
        let fixture = Fixture::new("//- a.py\none = 1\ntwo = 2\nthree = 3\n");
        let forms = [json!({"offset": 2, "limit": 1}), json!({"offset": "2", "limit": "1"}), json!({"offset": 2.0, "limit": 1})];
        for options in forms {
            let answer = fixture.json("read", json!({"target": {"file": "a.py"}, "options": options}));
            assert_eq!(answer["content"], "two = 2\n");
        }
        fixture.error("read", json!({"target": {"file": "a.py"}, "options": {"offset": "two"}}));
    }

    #[test]
    fn case_39_no_limit_cuts_a_character() {
        let line = "→日本🏴‍☠️é".repeat(40) + "\n";
        let fixture = Fixture::new(&format!("//- wide.txt\n{}", line.repeat(30)));
        let whole = line.repeat(30);
        for most in (1..400).step_by(7) {
            let answer = fixture.json("read", json!({"target": {"file": "wide.txt"}, "options": {"max_chars": most}}));
            let content = answer["content"].as_str().expect("text");
            assert!(whole.starts_with(content) && !content.is_empty() && content.len() <= most.max(3));
            let answer = fixture.json("read", json!({"target": {"file": "wide.txt"}, "output": {"max_bytes": 200 + most}}));
            if let Some(content) = answer["content"].as_str() {
                assert!(whole.starts_with(content), "{content}");
            }
        }
    }

    #[test]
    fn binary_and_empty_files_are_answered() {
        let fixture = Fixture::laid(|root| {
            std::fs::write(root.join("a.bin"), [0u8, 1, 2, 0]).expect("written");
            std::fs::write(root.join("empty.py"), "").expect("written");
        });
        let binary = fixture.json("read", json!({"target": {"file": "a.bin"}}));
        assert_eq!(binary["content"], "");
        assert_eq!(binary["omissions"][0]["kind"], "binary");
        assert_eq!(fixture.json("read", json!({"target": {"file": "empty.py"}}))["content"], "");
        assert_eq!(fixture.error("read", json!({"target": {"file": "none.py"}}))["error_code"], "file_not_found");
        fixture.error("read", json!({"target": {"file": "."}}));
    }
}
