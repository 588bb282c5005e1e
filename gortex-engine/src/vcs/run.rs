//! The one door to the `git` program: a clean environment, pinned settings, bounded time and bounded output.
//!
//! Knows nothing of what is asked.

use std::io::{Read, Write as _};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use super::GitError;

/// A question that takes longer is given up.
const LIMIT: Duration = Duration::from_secs(10);
/// More output than this is refused.
const MAX_OUTPUT: usize = 256 << 20;
/// More of what git complains about is not kept.
const MAX_COMPLAINT: usize = 64 << 10;

/// Settings that could change the form of an answer, or run a program of the repository's choice.
const PINNED: &[&str] = &[
    "core.quotepath=false",
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.excludesFile=/dev/null",
    "core.attributesFile=/dev/null",
    "core.pager=cat",
    "color.ui=false",
    "diff.noprefix=false",
    "diff.mnemonicPrefix=false",
    "diff.external=",
    "diff.algorithm=myers",
    "diff.indentHeuristic=true",
    "diff.renames=true",
    "diff.renameLimit=1000",
    "diff.interHunkContext=0",
    "diff.relative=false",
    "diff.submodule=short",
    "diff.suppressBlankEmpty=false",
    "diff.wsErrorHighlight=none",
    "diff.colorMoved=no",
    "diff.orderFile=/dev/null",
    "log.showSignature=false",
];

/// What git answered.
#[derive(Debug)]
pub(super) struct Output {
    /// Exit code; -1 when a signal ended it.
    pub code: i32,
    /// Everything printed.
    pub stdout: Vec<u8>,
    /// What it complained about, trimmed.
    pub stderr: String,
}

impl Output {
    /// What was printed, as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    /// What was printed, as a list of names ended by NUL.
    pub fn names(&self) -> Vec<String> {
        let names = self.stdout.split(|byte| *byte == 0).filter(|name| !name.is_empty());
        names.map(|name| String::from_utf8_lossy(name).into_owned()).collect()
    }

    /// The complaint as an error.
    pub fn failed(&self, command: &str) -> GitError {
        let reason = if self.stderr.is_empty() { format!("exit code {}", self.code) } else { self.stderr.clone() };
        GitError::Failed { command: command.to_owned(), reason }
    }
}

/// Asks git in a folder.
pub(super) fn git(folder: &Path, args: &[&str], input: Option<Vec<u8>>) -> Result<Output, GitError> {
    run("git", folder, args, input, LIMIT, MAX_OUTPUT)
}

fn run(
    program: &str,
    folder: &Path,
    args: &[&str],
    input: Option<Vec<u8>>,
    limit: Duration,
    max_output: usize,
) -> Result<Output, GitError> {
    let command = args.first().copied().unwrap_or_default().to_owned();
    let deadline = Instant::now() + limit;
    let mut child = spawn(program, folder, args, input.is_some()).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound if folder.is_dir() => GitError::Missing,
        _ => GitError::Failed { command: command.clone(), reason: error.to_string() },
    })?;
    if let (Some(bytes), Some(mut stdin)) = (input, child.stdin.take()) {
        // Git may answer before it has read all, so writing must not wait for it. That it stops reading is its own affair.
        std::thread::spawn(move || stdin.write_all(&bytes).ok());
    }
    // The readers are not joined: a grandchild may hold the pipe open long after git was stopped.
    let stdout = collect(child.stdout.take(), max_output);
    let stderr = collect(child.stderr.take(), MAX_COMPLAINT);
    let timeout = || GitError::Timeout { command: command.clone(), seconds: limit.as_secs() };
    let finish = |child: &mut Child| {
        let left = || deadline.saturating_duration_since(Instant::now());
        let (out, cut) = stdout.recv_timeout(left()).map_err(|_| timeout())?;
        if cut {
            return Err(GitError::TooLarge { command: command.clone(), limit: max_output });
        }
        let (complaint, _) = stderr.recv_timeout(left()).map_err(|_| timeout())?;
        let status = wait_until(child, deadline).ok_or_else(timeout)?;
        let stderr = String::from_utf8_lossy(&complaint).trim().to_owned();
        Ok(Output { code: status.code().unwrap_or(-1), stdout: out, stderr })
    };
    let result = finish(&mut child);
    if result.is_err() {
        // It may have ended by itself meanwhile; either way it is not to be left behind.
        let _ = child.kill();
        let _ = child.wait();
    }
    result
}

fn spawn(program: &str, folder: &Path, args: &[&str], with_input: bool) -> std::io::Result<Child> {
    let mut command = Command::new(program);
    command.current_dir(folder);
    // A hook's or a shell's `GIT_DIR` would make git answer for another repository.
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("GIT_") {
            command.env_remove(&name);
        }
    }
    command
        .env("LC_ALL", "C")
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_NO_LAZY_FETCH", "1")
        .env("GIT_NO_REPLACE_OBJECTS", "1");
    command.arg("--no-pager");
    for setting in PINNED {
        command.args(["-c", setting]);
    }
    let stdin = if with_input { Stdio::piped() } else { Stdio::null() };
    command.args(args).stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()
}

/// Reads a pipe to its end in the background, but keeps no more than `max` bytes; tells whether there were more.
fn collect(pipe: Option<impl Read + Send + 'static>, max: usize) -> mpsc::Receiver<(Vec<u8>, bool)> {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let mut cut = false;
        if let Some(pipe) = pipe {
            // What a broken pipe gave so far is judged by the exit code.
            let _ = pipe.take(max as u64 + 1).read_to_end(&mut bytes);
            cut = bytes.len() > max;
            bytes.truncate(max);
        }
        // Nobody waits any more when the time is over.
        let _ = sender.send((bytes, cut));
    });
    receiver
}

/// Waits for a process that has closed its pipes already, which is a matter of microseconds.
fn wait_until(child: &mut Child, deadline: Instant) -> Option<ExitStatus> {
    let mut pause = Duration::from_micros(20);
    loop {
        if let Ok(Some(status)) = child.try_wait() {
            return Some(status);
        }
        if Instant::now() >= deadline {
            return None;
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(5));
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// Runs a script in git's place; the pinned settings become its arguments.
    fn check(script: &str, limit: Duration, max: usize, input: Option<Vec<u8>>) -> Result<Output, GitError> {
        use std::os::unix::fs::PermissionsExt as _;
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("fake");
        std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("a script");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("a mode");
        run(path.to_str().expect("UTF-8"), dir.path(), &["status"], input, limit, max)
    }

    #[test]
    fn a_program_that_hangs_is_given_up() {
        let error = check("exec sleep 60", Duration::from_millis(50), 10, None).expect_err("no answer");
        assert!(matches!(error, GitError::Timeout { .. }), "{error}");
        // One that holds its pipes through a child is given up as well.
        let error = check("sleep 60 & exit 0", Duration::from_millis(50), 10, None).expect_err("no answer");
        assert!(matches!(error, GitError::Timeout { .. }), "{error}");
    }

    #[test]
    fn endless_output_is_refused() {
        let error = check("exec yes", Duration::from_secs(10), 1000, None).expect_err("no answer");
        assert!(matches!(error, GitError::TooLarge { limit: 1000, .. }), "{error}");
    }

    #[test]
    fn a_complaint_is_kept_and_input_is_written() {
        let output = check("cat; echo ' fatal: x ' >&2; exit 3", LIMIT, 2_000_000, Some(vec![b'a'; 1_000_000])).expect("ends");
        assert_eq!((output.code, output.stdout.len(), output.stderr.as_str()), (3, 1_000_000, "fatal: x"));
        assert_eq!(output.failed("status").to_string(), "git status failed: fatal: x");
    }

    #[test]
    fn a_missing_program_is_told_from_a_failing_one() {
        let error = run("no-such-program-here", Path::new("/"), &["status"], None, LIMIT, 10).expect_err("no program");
        assert!(matches!(error, GitError::Missing), "{error}");
    }
}
