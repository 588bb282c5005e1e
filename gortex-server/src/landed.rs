//! What a call has changed so far, for whoever gives up waiting for its answer.
//!
//! A transport puts one [`Landed`] into a call that may change something. The capabilities that change things write into it: that
//! they work, and what of it is on disk. When the time of the call is over, the transport asks it what to say.
//!
//! Knows names of files, not what was done to them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::watch;

/// The account of one call.
#[derive(Clone, Debug)]
pub struct Landed(Arc<Account>);

#[derive(Debug)]
struct Account {
    paths: Mutex<Vec<String>>,
    working: watch::Sender<usize>,
    begun: AtomicBool,
    unnamed: AtomicBool,
}

/// Work that may change something is under way while this lives.
#[derive(Debug)]
pub(crate) struct Working(Landed);

impl Default for Landed {
    fn default() -> Self {
        let working = watch::channel(0).0;
        Landed(Arc::new(Account {
            paths: Mutex::default(),
            working,
            begun: AtomicBool::default(),
            unnamed: AtomicBool::default(),
        }))
    }
}

impl Landed {
    /// Says that work begins which may change something.
    pub(crate) fn begin(&self) -> Working {
        self.0.begun.store(true, Ordering::Relaxed);
        self.0.working.send_modify(|working| *working += 1);
        Working(self.clone())
    }

    /// The same for work whose outcome is not told in files.
    pub(crate) fn begin_unnamed(&self) -> Working {
        self.0.unnamed.store(true, Ordering::Relaxed);
        self.begin()
    }

    /// Says that these files are on disk as the call wanted them.
    pub(crate) fn add(&self, paths: impl IntoIterator<Item = String>) {
        self.0.paths.lock().extend(paths);
    }

    /// Whether anything that may change something was begun.
    pub fn has_begun(&self) -> bool {
        self.0.begun.load(Ordering::Relaxed)
    }

    /// Whether the files are all that there is to say.
    pub fn is_told_in_files(&self) -> bool {
        !self.0.unnamed.load(Ordering::Relaxed)
    }

    /// What is on disk.
    pub fn paths(&self) -> Vec<String> {
        self.0.paths.lock().clone()
    }

    /// Waits until no work is under way; false when that takes longer.
    pub async fn settled(&self, patience: Duration) -> bool {
        let mut working = self.0.working.subscribe();
        let settled = working.wait_for(|working| *working == 0);
        tokio::time::timeout(patience, settled).await.is_ok()
    }
}

impl Drop for Working {
    fn drop(&mut self) {
        self.0.0.working.send_modify(|working| *working = working.saturating_sub(1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_is_under_way_is_waited_for() {
        let landed = Landed::default();
        assert!(!landed.has_begun() && landed.settled(Duration::ZERO).await);
        let working = landed.begin();
        assert!(landed.has_begun() && !landed.settled(Duration::from_millis(5)).await);
        landed.add(["é.py".to_owned()]);
        drop(working);
        assert!(landed.settled(Duration::from_secs(9)).await);
        assert_eq!(landed.paths(), ["é.py"]);
    }
}
