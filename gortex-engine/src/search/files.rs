//! Finding files by name: a fragment, a glob, or both.
//!
//! The score says how the fragment sits in the path; the shallower of two equal files comes first. Works on a list of paths, so
//! it finds exactly what the index lists.
//!
//! Knows nothing of disks and of what is in a file.

use globset::{GlobBuilder, GlobMatcher};

use super::PathFilter;

/// Rows when the caller says nothing.
pub const DEFAULT_LIMIT: usize = 50;
/// Rows at most.
pub const MAX_LIMIT: usize = 500;
/// A longer glob is refused.
pub const MAX_GLOB_BYTES: usize = 512;
/// A glob of more segments is refused.
pub const MAX_GLOB_SEGMENTS: usize = 32;

/// What to look for; at least one of `query` and `glob` has to say something.
#[derive(Debug, Clone, Default)]
pub struct FileQuery<'a> {
    /// A fragment of the name or of the path, in any case.
    pub query: &'a str,
    /// `*` within a segment, `**` across segments, `dir/*` the whole folder; without a slash it is about the name alone.
    pub glob: &'a str,
    /// Also accepts the letters of `query` in this order with others between.
    pub fuzzy: bool,
    /// Narrows to these prefixes.
    pub paths: PathFilter,
    /// Rows at most; 0 stands for [`DEFAULT_LIMIT`].
    pub limit: usize,
}

/// A file found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileHit {
    /// Its place in the list that was searched.
    pub index: usize,
    /// How well it fits.
    pub score: u32,
}

/// The files found, best first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileAnswer {
    /// The best of them.
    pub hits: Vec<FileHit>,
    /// How many there are.
    pub total: usize,
}

/// Why nothing was searched.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// Neither a fragment nor a glob.
    #[error("give a `query`, a `glob` or both")]
    Nothing,
    /// The glob is too large.
    #[error(
        "the glob has {bytes} bytes and {segments} segments; at most {MAX_GLOB_BYTES} bytes and {MAX_GLOB_SEGMENTS} segments are allowed"
    )]
    TooLarge {
        /// Its bytes.
        bytes: usize,
        /// Its segments.
        segments: usize,
    },
    /// The glob can't be understood.
    #[error("the glob `{glob}` can't be understood: {reason}")]
    Glob {
        /// The glob.
        glob: String,
        /// What is wrong with it.
        reason: String,
    },
}

/// Searches a list of paths.
pub fn find(paths: &[&str], query: &FileQuery<'_>) -> Result<FileAnswer, FileError> {
    let fragment = query.query.trim().to_lowercase();
    let glob = query.glob.trim();
    if fragment.is_empty() && glob.is_empty() {
        return Err(FileError::Nothing);
    }
    let glob = if glob.is_empty() { None } else { Some(Pattern::parse(glob)?) };
    let mut hits = Vec::new();
    for (index, path) in paths.iter().enumerate() {
        if !query.paths.admits(path) || glob.as_ref().is_some_and(|glob| !glob.admits(path)) {
            continue;
        }
        let score = if fragment.is_empty() { Some(0) } else { score(path, &fragment, query.fuzzy) };
        if let Some(score) = score {
            hits.push(FileHit { index, score: score + if glob.is_some() { 5 } else { 0 } });
        }
    }
    hits.sort_by_cached_key(|hit| {
        let path = paths[hit.index];
        (std::cmp::Reverse(hit.score), path.matches('/').count(), path, hit.index)
    });
    let total = hits.len();
    hits.truncate(if query.limit == 0 { DEFAULT_LIMIT } else { query.limit.min(MAX_LIMIT) });
    Ok(FileAnswer { hits, total })
}

/// How well a path fits a fragment in lower case.
fn score(path: &str, fragment: &str, fuzzy: bool) -> Option<u32> {
    let path = path.to_lowercase();
    let name = path.rsplit('/').next().unwrap_or(&path);
    if name == fragment {
        Some(100)
    } else if name.starts_with(fragment) {
        Some(70)
    } else if name.contains(fragment) {
        Some(50)
    } else if path.contains(fragment) {
        Some(30)
    } else {
        (fuzzy && is_subsequence(fragment, name)).then_some(10)
    }
}

fn is_subsequence(letters: &str, name: &str) -> bool {
    let mut rest = name.chars();
    letters.chars().all(|letter| rest.any(|other| other == letter))
}

/// A glob ready to be asked.
struct Pattern {
    matcher: GlobMatcher,
    name_only: bool,
}

impl Pattern {
    fn parse(glob: &str) -> Result<Pattern, FileError> {
        let segments = glob.split('/').count();
        if glob.len() > MAX_GLOB_BYTES || segments > MAX_GLOB_SEGMENTS {
            return Err(FileError::TooLarge { bytes: glob.len(), segments });
        }
        let plain = glob.trim_start_matches("./");
        let anchored = plain.trim_start_matches('/');
        // A folder stands for all that is in it, however it is written.
        let whole = match anchored.strip_suffix("/*").or_else(|| anchored.strip_suffix('/')) {
            Some(dir) => format!("{dir}/**"),
            None => anchored.to_owned(),
        };
        let built = GlobBuilder::new(&whole).literal_separator(true).backslash_escape(true).build();
        let built = built.map_err(|error| FileError::Glob { glob: glob.to_owned(), reason: error.kind().to_string() })?;
        Ok(Pattern { matcher: built.compile_matcher(), name_only: !plain.contains('/') && plain != "**" })
    }

    fn admits(&self, path: &str) -> bool {
        let subject = if self.name_only { path.rsplit('/').next().unwrap_or(path) } else { path };
        self.matcher.is_match(subject)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TREE: &[&str] = &[
        ".gitignore",
        "README.md",
        "lib/user.py",
        "src/User.py",
        "src/deep/er/user.py",
        "src/models/user_model.py",
        "src/super_user.py",
        "src/データ/größe.py",
        "user/a.py",
        "user/b/c_test.go",
    ];

    #[track_caller]
    fn check(query: FileQuery<'_>, expected: &[&str]) {
        let answer = find(TREE, &query).expect("an answer");
        let rows: Vec<_> = answer.hits.iter().map(|hit| format!("{} {}", hit.score, TREE[hit.index])).collect();
        assert_eq!(rows, expected);
    }

    fn query(query: &str) -> FileQuery<'_> {
        FileQuery { query, ..FileQuery::default() }
    }

    fn glob(glob: &str) -> FileQuery<'_> {
        FileQuery { glob, ..FileQuery::default() }
    }

    #[test]
    fn the_fragment_decides_and_the_shallower_comes_first() {
        check(query("USER.py"), &["100 lib/user.py", "100 src/User.py", "100 src/deep/er/user.py", "50 src/super_user.py"]);
        check(
            query("user"),
            &[
                "70 lib/user.py",
                "70 src/User.py",
                "70 src/models/user_model.py",
                "70 src/deep/er/user.py",
                "50 src/super_user.py",
                "30 user/a.py",
                "30 user/b/c_test.go",
            ],
        );
        check(query("Größe"), &["70 src/データ/größe.py"]);
        check(query("データ/"), &["30 src/データ/größe.py"]);
        check(query("nothing"), &[]);
    }

    #[test]
    fn fuzzy_accepts_gaps_and_only_when_asked() {
        check(query("usmd"), &[]);
        check(FileQuery { fuzzy: true, ..query("usmd") }, &["10 src/models/user_model.py"]);
    }

    #[test]
    fn globs() {
        check(glob("*_test.go"), &["5 user/b/c_test.go"]);
        check(glob("src/*.py"), &["5 src/User.py", "5 src/super_user.py"]);
        check(glob("user/*"), &["5 user/a.py", "5 user/b/c_test.go"]);
        check(glob("user/"), &["5 user/a.py", "5 user/b/c_test.go"]);
        check(glob("/README.md"), &["5 README.md"]);
        check(glob("./src/**/user.py"), &["5 src/deep/er/user.py"]);
        check(glob("**/{user,größe}.py"), &["5 lib/user.py", "5 src/データ/größe.py", "5 src/deep/er/user.py"]);
        check(glob("a.py"), &["5 user/a.py"]);
        check(glob("b/*"), &[]);
        assert_eq!(find(TREE, &glob("**")).expect("an answer").total, TREE.len());
        assert_eq!(find(TREE, &glob("*")).expect("an answer").total, TREE.len());
    }

    #[test]
    fn a_glob_and_a_fragment_must_both_fit() {
        check(FileQuery { query: "user", glob: "lib/**", ..FileQuery::default() }, &["75 lib/user.py"]);
        check(FileQuery { query: "user", glob: "*.md", ..FileQuery::default() }, &[]);
    }

    #[test]
    fn the_path_narrows_and_the_limit_says_what_it_cut() {
        check(FileQuery { paths: PathFilter::parse("lib,user"), ..glob("*.py") }, &["5 lib/user.py", "5 user/a.py"]);
        let answer = find(TREE, &FileQuery { limit: 2, ..query("user") }).expect("an answer");
        assert_eq!((answer.hits.len(), answer.total), (2, 7));
    }

    proptest::proptest! {
        #[test]
        fn no_glob_is_too_odd(glob in "[a*?/\\[\\]{},!ü.\\\\-]{0,12}", query in "[aA/ü.İß]{0,4}") {
            // Whether it is understood is not the point.
            let _ = find(TREE, &FileQuery { query: &query, glob: &glob, fuzzy: true, ..FileQuery::default() });
        }
    }

    #[test]
    fn errors_say_what_is_allowed() {
        let error = |query: FileQuery<'_>| find(TREE, &query).expect_err("refused").to_string();
        assert_eq!(error(query(" ")), "give a `query`, a `glob` or both");
        assert!(error(glob("src/[a")).contains("`src/[a`"));
        let long = "ü".repeat(300);
        assert!(error(glob(&long)).contains("at most 512 bytes and 32 segments"));
        assert!(error(glob(&"a/".repeat(40))).contains("41 segments"));
    }
}
