//! A queue that is fair to connections: whoever asks for much waits behind whoever asks for little.
//!
//! A few calls run at once; the others wait in one line per connection, and lines are served in turn. A connection has a limit of
//! its own as well.
//!
//! Knows nothing of what the calls are.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

/// What one place of the queue is handed over by.
type Ticket = oneshot::Sender<Place>;

/// The queue.
#[derive(Clone, Debug)]
pub struct Queue(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    next: AtomicU64,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    free: usize,
    /// Lines with somebody in them, the one to be served next at the front.
    lines: VecDeque<(u64, VecDeque<Ticket>)>,
}

/// One connection's way into the queue.
#[derive(Debug)]
pub struct Lane {
    queue: Queue,
    number: u64,
    own: Arc<Semaphore>,
}

/// The right to run, given back when dropped.
#[derive(Debug)]
pub struct Slot {
    _place: Place,
    _own: OwnedSemaphorePermit,
}

#[derive(Debug)]
struct Place(Option<Queue>);

impl Drop for Place {
    fn drop(&mut self) {
        if let Some(queue) = self.0.take() {
            queue.pass_on();
        }
    }
}

impl Queue {
    /// A queue that lets so many run at once.
    pub fn new(places: usize) -> Queue {
        let state = State { free: places.max(1), lines: VecDeque::new() };
        Queue(Arc::new(Inner { next: AtomicU64::new(0), state: Mutex::new(state) }))
    }

    /// A lane for one connection, of whose calls at most `own` run at once.
    pub fn lane(&self, own: usize) -> Lane {
        let number = self.0.next.fetch_add(1, Ordering::Relaxed);
        Lane { queue: self.clone(), number, own: Arc::new(Semaphore::new(own.max(1))) }
    }

    /// How many wait.
    pub fn waiting(&self) -> usize {
        self.0.state.lock().lines.iter().map(|(_, line)| line.len()).sum()
    }

    /// Gives a free place to the next in turn, or keeps it.
    fn pass_on(&self) {
        loop {
            let ticket = {
                let mut state = self.0.state.lock();
                let Some((number, mut line)) = state.lines.pop_front() else {
                    state.free += 1;
                    return;
                };
                let ticket = line.pop_front();
                if !line.is_empty() {
                    state.lines.push_back((number, line));
                }
                ticket
            };
            let Some(ticket) = ticket else { continue };
            match ticket.send(Place(Some(self.clone()))) {
                Ok(()) => return,
                // Whoever waited is gone; the place is for the next one here, and not once more by being dropped.
                Err(mut place) => drop(place.0.take()),
            }
        }
    }

    /// Takes a place, or stands in line for one.
    fn stand(&self, number: u64) -> Result<Place, oneshot::Receiver<Place>> {
        let mut state = self.0.state.lock();
        if state.free > 0 {
            state.free -= 1;
            return Ok(Place(Some(self.clone())));
        }
        let (ticket, called) = oneshot::channel();
        match state.lines.iter_mut().find(|(other, _)| *other == number) {
            Some((_, line)) => line.push_back(ticket),
            None => state.lines.push_back((number, VecDeque::from([ticket]))),
        }
        Err(called)
    }
}

impl Lane {
    /// Waits for the right to run. Who stops waiting leaves no trace.
    pub async fn slot(&self) -> Option<Slot> {
        let own = Arc::clone(&self.own).acquire_owned().await.ok()?;
        let place = match self.queue.stand(self.number) {
            Ok(place) => place,
            Err(called) => called.await.ok()?,
        };
        Some(Slot { _place: place, _own: own })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lets everything that can go on go on.
    async fn breathe() {
        for _ in 0..50 {
            tokio::task::yield_now().await;
        }
    }

    #[tokio::test]
    async fn a_busy_connection_does_not_keep_out_a_quiet_one() {
        let queue = Queue::new(1);
        let (busy, quiet) = (Arc::new(queue.lane(64)), Arc::new(queue.lane(64)));
        let first = busy.slot().await.expect("free");
        let order = Arc::new(Mutex::new(Vec::new()));
        for at in 0..6 {
            let (lane, name) = if at < 5 { (Arc::clone(&busy), "busy") } else { (Arc::clone(&quiet), "quiet") };
            let order = Arc::clone(&order);
            tokio::spawn(async move {
                let _slot = lane.slot().await;
                order.lock().push(name);
            });
            breathe().await;
        }
        assert_eq!(queue.waiting(), 6);
        drop(first);
        breathe().await;
        assert_eq!(*order.lock(), ["busy", "quiet", "busy", "busy", "busy", "busy"]);
        assert_eq!(queue.waiting(), 0);
    }

    #[tokio::test]
    async fn who_stops_waiting_leaves_the_place_to_others() {
        let queue = Queue::new(1);
        let lane = queue.lane(8);
        let first = lane.slot().await.expect("free");
        for _ in 0..3 {
            let wait = tokio::time::timeout(std::time::Duration::from_millis(1), lane.slot());
            assert!(wait.await.is_err());
        }
        drop(first);
        breathe().await;
        assert!(lane.slot().await.is_some());
        assert!(lane.slot().await.is_some(), "a place was lost");
    }

    #[tokio::test]
    async fn a_connection_has_a_limit_of_its_own() {
        let lane = Queue::new(8).lane(2);
        let held = (lane.slot().await, lane.slot().await);
        let third = tokio::time::timeout(std::time::Duration::from_millis(1), lane.slot());
        assert!(third.await.is_err());
        drop(held);
        assert!(lane.slot().await.is_some());
    }
}
