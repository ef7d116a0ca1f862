// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#![forbid(unsafe_code)]
//! What is kept in the memory of the process: a bounded number of bytes, of which the least recently used go first.

use std::sync::Arc;

use lru::LruCache;
use parking_lot::Mutex;

use super::{Digest, Key, Usage, trace::Channel};

/// Bytes that an entry costs beside its payload: key, links, counts and what the allocator adds.
const OVERHEAD: u64 = 192;

/// A cache in memory.
///
/// Threads: any. Nothing waits longer than a look into a table takes.
#[derive(Debug)]
pub struct Memory {
    inner: Mutex<Inner>,
}

#[derive(Debug)]
struct Inner {
    entries: LruCache<Digest, Arc<[u8]>>,
    bytes: u64,
    limit: Option<u64>,
}

impl Memory {
    /// An empty cache. `limit`: bytes that all entries may have together; `None`: any number.
    #[must_use]
    pub fn new(limit: Option<u64>) -> Self {
        Self { inner: Mutex::new(Inner { entries: LruCache::unbounded(), bytes: 0, limit }) }
    }

    /// The payload of an entry, which counts as used.
    #[must_use]
    pub fn get(&self, key: &Key) -> Option<Arc<[u8]>> {
        let found = self.inner.lock().entries.get(&key.digest()).cloned();
        if found.is_some() {
            Channel::Memory.say(format_args!("using cached result: {key}"));
        }
        found
    }

    /// Keeps a payload, in place of one of the same key, and says how many others had to go for it. One that is over the limit
    /// alone is not kept.
    pub fn put(&self, key: &Key, payload: Arc<[u8]>) -> u64 {
        let mut inner = self.inner.lock();
        let cost = cost(&payload);
        if inner.limit.is_some_and(|limit| cost > limit) {
            Channel::Memory.say(format_args!("{cost} bytes are over the limit: {key}"));
            return 0;
        }
        if let Some(before) = inner.entries.put(key.digest(), payload) {
            inner.bytes -= self::cost(&before);
        }
        inner.bytes += cost;
        Channel::Memory.say(format_args!("storing result: {key}"));
        inner.evict()
    }

    /// Forgets an entry.
    pub fn remove(&self, key: &Key) {
        let mut inner = self.inner.lock();
        if let Some(before) = inner.entries.pop(&key.digest()) {
            inner.bytes -= cost(&before);
        }
    }

    /// Forgets everything.
    pub fn clear(&self) {
        let mut inner = self.inner.lock();
        inner.entries.clear();
        inner.bytes = 0;
    }

    /// Bytes that all entries may have together; `None`: any number.
    #[must_use]
    pub fn limit(&self) -> Option<u64> {
        self.inner.lock().limit
    }

    /// Changes the limit, and says how many entries had to go.
    pub fn set_limit(&self, limit: Option<u64>) -> u64 {
        let mut inner = self.inner.lock();
        inner.limit = limit;
        inner.evict()
    }

    /// What is in it.
    #[must_use]
    pub fn usage(&self) -> Usage {
        let inner = self.inner.lock();
        Usage { entries: inner.entries.len() as u64, bytes: inner.bytes }
    }
}

impl Inner {
    fn evict(&mut self) -> u64 {
        let mut evicted = 0;
        while self.limit.is_some_and(|limit| self.bytes > limit) {
            let Some((_, payload)) = self.entries.pop_lru() else { break };
            self.bytes -= cost(&payload);
            evicted += 1;
        }
        if evicted > 0 {
            Channel::Memory.say(format_args!("Cache eviction triggered. {evicted} entries removed"));
        }
        evicted
    }
}

fn cost(payload: &[u8]) -> u64 {
    payload.len() as u64 + OVERHEAD
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cache::{KeyBuilder, digest_of};

    fn key(number: u32) -> Key {
        KeyBuilder::new("syclrtc test", digest_of(&number.to_le_bytes())).finish()
    }

    fn payload(bytes: usize) -> Arc<[u8]> {
        vec![7; bytes].into()
    }

    const ROOM_FOR_THREE: u64 = 3 * (100 + OVERHEAD);

    #[test]
    fn the_least_recently_used_go_first() {
        let memory = Memory::new(Some(ROOM_FOR_THREE));
        for number in 0..3 {
            assert_eq!(memory.put(&key(number), payload(100)), 0);
        }
        assert!(memory.get(&key(0)).is_some());
        assert_eq!(memory.put(&key(3), payload(100)), 1);
        let there: Vec<bool> = (0..4).map(|number| memory.get(&key(number)).is_some()).collect();
        assert_eq!(there, [true, false, true, true]);
        assert_eq!(memory.usage(), Usage { entries: 3, bytes: ROOM_FOR_THREE });
        assert_eq!(memory.set_limit(Some(ROOM_FOR_THREE - 1)), 1);
        assert!(memory.get(&key(0)).is_none(), "used before the others");
    }

    // T7: the bound holds, however much is stored.
    #[test]
    fn any_number_of_entries_stays_within_the_limit() {
        let limit = 50_000;
        let memory = Memory::new(Some(limit));
        let mut evicted = 0;
        for number in 0..10_000 {
            evicted += memory.put(&key(number), payload(number as usize % 2000));
            assert!(memory.usage().bytes <= limit);
        }
        assert_eq!(evicted + memory.usage().entries, 10_000);
        memory.clear();
        assert_eq!(memory.usage(), Usage::default());
    }

    #[test]
    fn without_a_limit_nothing_goes() {
        let memory = Memory::new(None);
        for number in 0..1000 {
            assert_eq!(memory.put(&key(number), payload(1000)), 0);
        }
        assert_eq!(memory.usage().entries, 1000);
        assert!((0..1000).all(|number| memory.get(&key(number)).is_some()));
    }

    #[test]
    fn what_is_replaced_removed_or_too_large_does_not_count() {
        let memory = Memory::new(Some(ROOM_FOR_THREE));
        memory.put(&key(0), payload(100));
        memory.put(&key(0), payload(50));
        assert_eq!(memory.usage(), Usage { entries: 1, bytes: 50 + OVERHEAD });
        assert_eq!(memory.put(&key(1), payload(10_000)), 0);
        assert!(memory.get(&key(1)).is_none() && memory.get(&key(0)).is_some());
        memory.remove(&key(0));
        memory.remove(&key(0));
        assert_eq!(memory.usage(), Usage::default());
        assert_eq!(memory.limit(), Some(ROOM_FOR_THREE));
    }
}
