// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#![forbid(unsafe_code)]
//! Equal requests in flight share one.
//!
//! The first that asks for a key leads: it does the work. Who asks for the same key meanwhile waits, and gets what the leader
//! got. A leader that gives up, or panics, hands over to one of those that wait. No lock is held while somebody works, so
//! that other keys never wait.

use std::{collections::HashMap, sync::Arc};

use parking_lot::{Condvar, Mutex};

use super::Digest;
use crate::os::cancel::Cancel;

/// The work that is being done.
#[derive(Debug)]
pub struct Flights<V> {
    current: Mutex<HashMap<Digest, Arc<Flight<V>>>>,
}

#[derive(Debug)]
struct Flight<V> {
    state: Mutex<State<V>>,
    changed: Condvar,
}

#[derive(Debug)]
enum State<V> {
    Running,
    Done(V),
    /// The leader gave up.
    Abandoned,
}

/// What [`Flights::join`] says.
#[derive(Debug)]
#[must_use]
pub enum Turn<'a, V> {
    /// Do the work.
    Lead(Leader<'a, V>),
    /// It was done meanwhile.
    Shared(V),
    /// The one who asked does not want it any more.
    Cancelled,
}

impl<V: Clone + Send + 'static> Flights<V> {
    /// None yet.
    #[must_use]
    pub fn new() -> Self {
        Self { current: Mutex::default() }
    }

    /// Takes the lead for a key, or waits for whoever has it.
    pub fn join(&self, key: Digest, cancel: &Cancel) -> Turn<'_, V> {
        loop {
            if cancel.is_cancelled() {
                return Turn::Cancelled;
            }
            let flight = {
                let mut current = self.current.lock();
                match current.get(&key) {
                    Some(flight) => Arc::clone(flight),
                    None => {
                        let flight = Arc::new(Flight { state: Mutex::new(State::Running), changed: Condvar::new() });
                        current.insert(key, Arc::clone(&flight));
                        return Turn::Lead(Leader { flights: self, key, flight });
                    }
                }
            };
            let woken = Arc::clone(&flight);
            let wake = move || {
                // Under the lock, so that nobody is between looking and falling asleep.
                let _state = woken.state.lock();
                woken.changed.notify_all();
            };
            let result = cancel.while_waiting(wake, || flight.wait(cancel));
            match result {
                Some(value) => return Turn::Shared(value),
                // Abandoned or cancelled; the next round tells.
                None => continue,
            }
        }
    }

    /// How many keys somebody works at.
    #[must_use]
    pub fn count(&self) -> usize {
        self.current.lock().len()
    }
}

impl<V: Clone + Send + 'static> Default for Flights<V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<V: Clone> Flight<V> {
    fn wait(&self, cancel: &Cancel) -> Option<V> {
        let mut state = self.state.lock();
        loop {
            match &*state {
                State::Done(value) => return Some(value.clone()),
                State::Abandoned => return None,
                State::Running if cancel.is_cancelled() => return None,
                State::Running => self.changed.wait(&mut state),
            }
        }
    }

    fn end(&self, how: State<V>) {
        *self.state.lock() = how;
        self.changed.notify_all();
    }
}

/// The right to do the work for a key. Dropping it without a result hands it over.
#[derive(Debug)]
pub struct Leader<'a, V> {
    flights: &'a Flights<V>,
    key: Digest,
    flight: Arc<Flight<V>>,
}

impl<V: Clone> Leader<'_, V> {
    /// Gives everybody who waits the result. Who asks later starts anew: results that are to be kept have to be stored
    /// before.
    pub fn finish(self, value: V) {
        self.flights.current.lock().remove(&self.key);
        self.flight.end(State::Done(value));
    }
}

impl<V> Drop for Leader<'_, V> {
    fn drop(&mut self) {
        let mut current = self.flights.current.lock();
        // After `finish` the key may be somebody else's already.
        if current.get(&self.key).is_some_and(|flight| Arc::ptr_eq(flight, &self.flight)) {
            current.remove(&self.key);
            drop(current);
            *self.flight.state.lock() = State::Abandoned;
            self.flight.changed.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        panic::{self, AssertUnwindSafe},
        sync::atomic::{AtomicUsize, Ordering},
        thread,
        time::{Duration, Instant},
    };

    use super::*;
    use crate::cache::digest_of;

    fn key(text: &str) -> Digest {
        digest_of(text.as_bytes())
    }

    fn wait_until(mut what: impl FnMut() -> bool) {
        let end = Instant::now() + Duration::from_secs(20);
        while !what() {
            assert!(Instant::now() < end, "nothing happened");
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// Those that wait hold the flight twice, once for being woken; the map and the leader hold it, too.
    fn waiting<V>(leader: &Leader<'_, V>) -> usize {
        Arc::strong_count(&leader.flight).saturating_sub(2) / 2
    }

    // D-17
    #[test]
    fn eight_threads_that_ask_for_one_key_do_the_work_once() {
        let flights: Flights<Result<u32, String>> = Flights::new();
        for outcome in [Ok(7), Err("no".to_owned())] {
            let worked = AtomicUsize::new(0);
            let asked = AtomicUsize::new(0);
            thread::scope(|scope| {
                for _ in 0..8 {
                    scope.spawn(|| {
                        asked.fetch_add(1, Ordering::SeqCst);
                        let got = match flights.join(key("a"), &Cancel::default()) {
                            Turn::Shared(value) => value,
                            Turn::Lead(leader) => {
                                worked.fetch_add(1, Ordering::SeqCst);
                                // All others hold the flight by now, and a wake each.
                                wait_until(|| asked.load(Ordering::SeqCst) == 8 && waiting(&leader) >= 7);
                                leader.finish(outcome.clone());
                                outcome.clone()
                            }
                            Turn::Cancelled => panic!("nobody cancels"),
                        };
                        assert_eq!(got, outcome);
                    });
                }
            });
            assert_eq!(worked.load(Ordering::SeqCst), 1);
            assert_eq!(flights.count(), 0);
        }
    }

    // D-17
    #[test]
    fn another_key_never_waits() {
        let flights: Flights<u32> = Flights::new();
        let Turn::Lead(_slow) = flights.join(key("slow"), &Cancel::default()) else { panic!() };
        let Turn::Lead(quick) = flights.join(key("quick"), &Cancel::default()) else { panic!() };
        assert_eq!(flights.count(), 2);
        quick.finish(1);
        assert_eq!(flights.count(), 1);
    }

    #[test]
    fn one_that_waits_takes_over_from_a_leader_that_gives_up_or_panics() {
        let flights: Flights<u32> = Flights::new();
        for panics in [false, true] {
            thread::scope(|scope| {
                let Turn::Lead(leader) = flights.join(key("a"), &Cancel::default()) else { panic!() };
                let others: Vec<_> = (0..3)
                    .map(|_| {
                        scope.spawn(|| match flights.join(key("a"), &Cancel::default()) {
                            Turn::Lead(leader) => {
                                thread::sleep(Duration::from_millis(20));
                                leader.finish(5);
                                true
                            }
                            Turn::Shared(value) => {
                                assert_eq!(value, 5);
                                false
                            }
                            Turn::Cancelled => panic!("nobody cancels"),
                        })
                    })
                    .collect();
                wait_until(|| waiting(&leader) >= 3);
                if panics {
                    let fall = panic::catch_unwind(AssertUnwindSafe(move || {
                        let _leader = leader;
                        panic::resume_unwind(Box::new("a fault while it works"));
                    }));
                    assert!(fall.is_err());
                } else {
                    drop(leader);
                }
                let led = others.into_iter().map(|other| other.join().unwrap()).filter(|led| *led).count();
                assert!(led >= 1, "somebody has to take over");
            });
            assert_eq!(flights.count(), 0);
        }
    }

    #[test]
    fn one_that_waits_can_be_cancelled_and_disturbs_nobody() {
        let flights: Flights<u32> = Flights::new();
        let Turn::Lead(leader) = flights.join(key("a"), &Cancel::default()) else { panic!() };
        let cancel = Cancel::default();
        thread::scope(|scope| {
            let cancelled = scope.spawn(|| matches!(flights.join(key("a"), &cancel), Turn::Cancelled));
            let other = scope.spawn(|| flights.join(key("a"), &Cancel::default()));
            wait_until(|| waiting(&leader) >= 2);
            cancel.cancel();
            assert!(cancelled.join().unwrap());
            leader.finish(3);
            assert!(matches!(other.join().unwrap(), Turn::Shared(3)));
        });
        assert!(matches!(flights.join(key("a"), &cancel), Turn::Cancelled));
    }
}
