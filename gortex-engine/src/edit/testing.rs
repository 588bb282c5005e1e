//! A checkout to edit in tests, with a clock that stands still and a toy language for the parse gate.

use super::{Content, Context, Edit, EditError, Editor, FileAuthority, Mode, Outcome, Roots, SyntaxHealth};
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A folder with a checkout `repo/` and the editor's `state/`.
pub(super) struct Sandbox {
    pub dir: tempfile::TempDir,
    pub roots: Roots,
    pub editor: Editor,
    pub authority: FileAuthority,
    pub clock: Arc<AtomicU64>,
}

impl Sandbox {
    pub fn new(files: &[(&str, &str)]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("repo")).unwrap();
        for (path, content) in files {
            let path = dir.path().join("repo").join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        let roots = Roots::new([("repo", dir.path().join("repo"))]).unwrap();
        let clock = Arc::new(AtomicU64::new(1_000_000));
        let shared = Arc::clone(&clock);
        let editor = Editor::with_clock(dir.path().join("state"), Box::new(move || shared.load(Ordering::SeqCst)));
        let authority = editor.authority().unwrap();
        Self { dir, roots, editor, authority, clock }
    }

    pub fn at(&self, path: &str) -> PathBuf {
        self.dir.path().join("repo").join(path)
    }

    pub fn disk(&self, path: &str) -> String {
        fs::read_to_string(self.at(path)).unwrap()
    }

    pub fn listing(&self) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(self.at("")).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    pub fn run(&self, edit: &Edit<'_>) -> Result<Outcome, EditError> {
        self.editor.edit(&self.context(), Mode::Commit(&self.authority), edit)
    }

    pub fn show(&self, edit: &Edit<'_>) -> Result<Outcome, EditError> {
        self.editor.edit(&self.context(), Mode::Preview, edit)
    }

    /// The checkout with the toy language.
    pub fn context(&self) -> Context<'_> {
        Context { gate: Some(&marks), ..Context::new(&self.roots) }
    }
}

/// A language whose errors are its question marks, for files ending in `.q`.
pub(super) fn marks(path: &str, bytes: &[u8]) -> Option<SyntaxHealth> {
    let errors = memchr::memchr_iter(b'?', bytes).count() as u32;
    (path.rsplit('.').next() == Some("q")).then_some(SyntaxHealth { language: "marks", errors })
}

pub(super) fn replace(path: &str, old: &str, new: &str) -> Edit<'static> {
    let content = Content::Replace {
        old: old.to_owned(),
        new: new.to_owned(),
        replace_all: false,
        expected_occurrences: None,
        within: None,
    };
    Edit::new(path, content)
}

pub(super) fn whole(path: &str, content: &str) -> Edit<'static> {
    Edit::new(path, Content::Whole(content.into()))
}
