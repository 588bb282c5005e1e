//! How the published view keeps up with the disk: by events where the system reports them, by looking where it does not.
//!
//! A reader asks before it reads. With a watcher that costs the echo of one small file and, if something was told, the paths
//! told; without one it costs a walk now and then. Whoever tends the watcher does the same in quiet moments, and compares
//! everything once in a while.
//!
//! Knows when to build a view, not how.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::MutexGuard;

use super::{Base, Engine, IndexError, RepoInfo, Silent, View};
use crate::index::build::{self, Built, Inputs, Reuse};
use crate::index::take::UNSETTLED;
use crate::index::watch::{Live, Pending, Wake, WatchError};

/// A freshness check may take this share of the time: after one that took 5 ms the next is at least 50 ms later.
const CHECK_SHARE: u32 = 10;
/// How long a reader waits for one who takes in changes already; then it answers from the view before, and says so.
const READER_PATIENCE: Duration = Duration::from_secs(3);
/// Looks in a row for one reader.
const LOOKS: usize = 4;

/// How current the published view is.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Freshness {
    /// The view's generation.
    pub generation: u64,
    /// False until the first run over the tracked repositories has ended.
    pub complete: bool,
    /// How changes are noticed: `events`, or `looking` where nothing reports them.
    pub noticed_by: &'static str,
    /// Paths reported as changed and not taken in yet.
    pub pending: usize,
    /// Whether more than the pending paths may have changed.
    pub catching_up: bool,
    /// Why nothing reports changes although it should.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl Engine {
    /// The view that knows of every change made before the call.
    ///
    /// With a watcher only what it reports is looked at. Without one the disk is, and looks are spaced so that they take at most
    /// a tenth of the time, unless `now` is set; a look that finds nothing new publishes nothing.
    pub fn fresh(&self, now: bool) -> Arc<View> {
        let current = self.view();
        if !current.complete {
            return current;
        }
        if let Some(live) = self.live.load_full() {
            if live.sync() {
                return self.take_in(&live);
            }
            self.give_up(&live);
        }
        if !now && self.checked.lock().is_some_and(|last| last.at.elapsed() < last.took * CHECK_SHARE) {
            return current;
        }
        // Whoever indexes already will publish; a reader does not queue behind it.
        let writer = if now { Some(self.writer.lock()) } else { self.writer.try_lock() };
        let Some(writer) = writer else { return current };
        self.look(&writer).unwrap_or_else(|error| {
            tracing::warn!(%error, "the look for changed files failed");
            current
        })
    }

    /// A look at everything.
    fn look(&self, writer: &MutexGuard<'_, ()>) -> Result<Arc<View>, IndexError> {
        let current = self.view();
        let base = Base::Published(Arc::clone(&current));
        self.rebuild(writer, &current.repos, base, Reuse::Unchanged, &Silent, &AtomicBool::new(false))
    }

    /// Takes in what the watcher has been told.
    fn take_in(&self, live: &Live) -> Arc<View> {
        if live.is_quiet() {
            return self.view();
        }
        let Some(writer) = self.writer.try_lock_for(READER_PATIENCE) else { return self.view() };
        // New folders are watched after they were found, which asks for one more look.
        for _ in 0..LOOKS {
            let Some(taken) = live.take() else { break };
            let outcome = if taken.pending.everything {
                self.look(&writer).map(|_| true)
            } else {
                self.rebuild_changed(&writer, &taken.pending)
            };
            match outcome {
                Ok(true) => taken.done(),
                // Given back, and with it comes a look at everything.
                Ok(false) => drop(taken),
                Err(error) => {
                    tracing::warn!(%error, "changed files could not be taken in");
                    break;
                }
            }
        }
        self.view()
    }

    /// A view with these paths looked at. False when they can't be looked at alone.
    fn rebuild_changed(&self, _writer: &MutexGuard<'_, ()>, pending: &Pending) -> Result<bool, IndexError> {
        let current = self.view();
        let place = |path: &PathBuf| {
            let of = |(at, repo): (usize, &RepoInfo)| Some((at, path.strip_prefix(&repo.root).ok()?));
            let (at, rel) = current.repos.iter().enumerate().find_map(of)?;
            // A name that is not UTF-8 is never in the list.
            Some((at, rel.to_str()?.to_owned()))
        };
        let paths: Vec<(usize, String)> = pending.paths.iter().filter_map(place).filter(|(_, rel)| !rel.is_empty()).collect();
        let never = AtomicBool::new(false);
        let inputs = self.inputs(&current.repos, Some(&current), Reuse::Unchanged, &Silent, &never);
        let (snapshot, journal, evidence) = (self.snapshot_path(&current.repos), self.journal(), self.evidence(&current.repos));
        let inputs = Inputs {
            kept: Some(&self.kept),
            evidence: Some(&evidence),
            snapshot: &snapshot,
            journal: journal.as_deref(),
            ..inputs
        };
        let Some(built) = self.pool.install(|| build::build_changed(&inputs, &paths))? else { return Ok(false) };
        if let Built::New(view) | Built::Touched(view) = built {
            self.dirty.store(true, Ordering::Relaxed);
            self.publish(Arc::new(*view));
        }
        Ok(true)
    }

    /// Starts to listen for changes. Everything is looked at once more by the next who asks or tends.
    pub fn watch(&self) -> Result<Arc<Live>, WatchError> {
        let made = Live::new(&self.options.cache_dir).map(Arc::new);
        *self.deaf.lock() = made.as_ref().err().map(ToString::to_string);
        let live = made?;
        self.live.store(Some(Arc::clone(&live)));
        Ok(live)
    }

    /// Ends the watch that there may be.
    pub fn stop_watching(&self) {
        if let Some(live) = self.live.swap(None) {
            live.end();
        }
    }

    /// Stops listening; changes are looked for from now on.
    pub(super) fn give_up(&self, live: &Arc<Live>) {
        let Some(reason) = live.failure() else { return };
        let current = self.live.load_full();
        if current.is_some_and(|current| Arc::ptr_eq(&current, live)) {
            self.live.store(None);
            live.end();
            tracing::warn!("changes are looked for from now on, because they are not reported: {reason}");
            self.notice(format!("changed files are looked for at every call, because events are not to be had: {reason}"));
            *self.deaf.lock() = Some(reason);
        }
    }

    /// Does what the watcher was woken for; false when there is nothing more to tend.
    pub fn tend(&self, live: &Arc<Live>, wake: &Wake) -> bool {
        match wake {
            Wake::Changes => {
                self.take_in(live);
                if !live.is_quiet() {
                    // It failed, or there is more than one go can do.
                    live.rest();
                }
            }
            Wake::Janitor => self.reconcile(live),
            Wake::End => self.give_up(live),
        }
        *wake != Wake::End
    }

    /// Looks at everything although nothing was told, and counts what should have been.
    fn reconcile(&self, live: &Live) {
        if !live.sync() {
            return;
        }
        let before = self.take_in(live).graph.generation;
        let Some(writer) = self.writer.try_lock() else { return };
        let Ok(after) = self.look(&writer).map(|view| view.graph.generation) else { return };
        // What was told meanwhile is no miss.
        if after != before && live.sync() && live.is_quiet() {
            tracing::warn!("files had changed and nothing reported it");
            live.missed();
        }
    }

    /// How current the published view is.
    pub fn freshness(&self) -> Freshness {
        let view = self.view();
        let live = self.live.load_full();
        let waiting = live.as_ref().map(|live| live.waiting());
        Freshness {
            generation: view.graph.generation,
            complete: view.complete,
            noticed_by: if live.is_some() { "events" } else { "looking" },
            pending: waiting.flatten().unwrap_or(0),
            catching_up: waiting == Some(None) || !view.complete && !view.repos.is_empty(),
            reason: self.deaf.lock().clone(),
        }
    }

    /// Those of the paths whose files are not as the view has them. They are taken in by the next call that asks.
    pub fn stale<'p>(&self, view: &View, paths: impl IntoIterator<Item = &'p str>) -> Vec<&'p str> {
        let differs = |path: &&str| {
            let (Some(file), Some(place)) = (view.graph.file(path), view.absolute(path)) else { return false };
            let Ok(meta) = place.symlink_metadata() else { return true };
            let (size, time) = crate::index::walk::size_and_time(&meta);
            size != file.size || time != file.mtime_ns && file.mtime_ns != UNSETTLED
        };
        let stale: Vec<&str> = paths.into_iter().filter(differs).collect();
        if !stale.is_empty() {
            let live = self.live.load_full();
            let places = stale.iter().filter_map(|path| view.absolute(path));
            places.for_each(|place| {
                if let Some(live) = &live {
                    live.tell(place);
                }
            });
            *self.checked.lock() = None;
        }
        stale
    }
}
