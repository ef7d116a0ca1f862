// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#![forbid(unsafe_code)]
//! What the caches count.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::os::per_process::PerProcess;

/// Those of this process; a child of `fork` begins at zero.
pub fn statistics() -> &'static Statistics {
    static CURRENT: PerProcess<Statistics> = PerProcess::new();
    CURRENT.get(Statistics::default)
}

/// What is counted in one place where results are kept.
#[derive(Debug, Default)]
pub struct Counters {
    /// Looks that found a result.
    pub hits: Counter,
    /// Looks that found none, or one that is no longer true.
    pub misses: Counter,
    /// Results that were put there.
    pub stores: Counter,
    /// Results that had to go for others.
    pub evictions: Counter,
}

impl Counters {
    /// All at one time.
    #[must_use]
    pub fn read(&self) -> Counts {
        Counts {
            hits: self.hits.get(),
            misses: self.misses.get(),
            stores: self.stores.get(),
            evictions: self.evictions.get(),
        }
    }
}

/// The values of [`Counters`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Looks that found a result.
    pub hits: u64,
    /// Looks that found none, or one that is no longer true.
    pub misses: u64,
    /// Results that were put there.
    pub stores: u64,
    /// Results that had to go for others.
    pub evictions: u64,
}

/// A number that threads count up.
#[derive(Debug, Default)]
pub struct Counter(AtomicU64);

impl Counter {
    /// One more.
    pub fn add(&self) {
        self.add_many(1);
    }

    /// Several more.
    pub fn add_many(&self, count: u64) {
        self.0.fetch_add(count, Ordering::Relaxed);
    }

    /// How many there have been.
    #[must_use]
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// One more until the result is dropped.
    #[must_use]
    pub fn hold(&self) -> Held<'_> {
        self.add();
        Held(self)
    }
}

/// Something that is counted while it lasts.
#[derive(Debug)]
pub struct Held<'a>(&'a Counter);

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// What a process counts.
#[derive(Debug, Default)]
pub struct Statistics {
    /// Results of the compiler program in memory.
    pub memory: Counters,
    /// Results of the compiler program on disk. Asked for what is not in memory.
    pub disk: Counters,
    /// Binaries of drivers on disk.
    pub native: Counters,
    /// Requests that got what an equal one got that was under way.
    pub shared: Counter,
    /// Requests that were given to the compiler program.
    pub compiles: Counter,
    /// Those among them that it works at.
    pub in_flight: Counter,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_held_counts_while_it_lasts() {
        let statistics = Statistics::default();
        let held = statistics.in_flight.hold();
        let other = statistics.in_flight.hold();
        assert_eq!(statistics.in_flight.get(), 2);
        drop((held, other));
        assert_eq!(statistics.in_flight.get(), 0);
        statistics.memory.evictions.add_many(3);
        statistics.memory.hits.add();
        assert_eq!(statistics.memory.read(), Counts { hits: 1, evictions: 3, ..Counts::default() });
    }
}
