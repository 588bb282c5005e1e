//! Progress on a terminal; silence where there is none.

use std::io::IsTerminal as _;
use std::sync::Arc;

use gortex_engine::engine::{Phase, Progress, Silent};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::session::percent;

struct Bar(ProgressBar);

impl Progress for Bar {
    fn report(&self, phase: Phase, done: u64, total: u64) {
        self.0.set_position(percent(phase, done, total));
        if total > 0 {
            self.0.set_message(format!("{} {done}/{total}", phase.as_str()));
        } else {
            self.0.set_message(phase.as_str());
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// A bar on standard error when that is a terminal.
pub(crate) fn progress(quiet: bool) -> Arc<dyn Progress + Send + Sync> {
    if quiet || !std::io::stderr().is_terminal() {
        return Arc::new(Silent);
    }
    let bar = ProgressBar::with_draw_target(Some(100), ProgressDrawTarget::stderr_with_hz(10));
    if let Ok(style) = ProgressStyle::with_template("indexing [{bar:30}] {percent:>3}% {msg}") {
        bar.set_style(style.progress_chars("=> "));
    }
    Arc::new(Bar(bar))
}
