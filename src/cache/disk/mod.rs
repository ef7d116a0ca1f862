// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#![forbid(unsafe_code)]
//! The persistent store: entries are files that the processes of one user share.
//!
//! ```text
//! <root>/<version>-<user>/intermediate/<group>/<key>    an entry
//!                         native/<group>/<key>
//!                         record/<group>/<key>
//!                         locks/<kind>-<key>            who is about to make one
//!                         tmp/<random>                  what is being written
//!                         size, eviction                bytes of all entries; locked by who evicts
//! ```
//!
//! An entry is written under a random name, synchronised and renamed, so readers see the whole of it or nothing. Nothing in
//! it is used before its length, its key and its hash have been checked.

mod claim;
mod entry;
mod folder;
mod settings;
mod space;

use std::{
    io::{self, ErrorKind},
    path::{Path, PathBuf},
    sync::{
        OnceLock,
        atomic::{AtomicBool, Ordering},
    },
};

use parking_lot::Mutex;
use rustix::fs::{Timespec, Timestamps, UTIME_NOW, UTIME_OMIT, futimens};

pub use claim::Claim;
pub use settings::{DEFAULT_LIMIT, Settings, cache_folder};

use super::{
    key::{Digest, Key, hex},
    trace::Channel,
};
use crate::error::Result;
use folder::{Create, Folder, TEMPORARY};

/// Kind of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Tier {
    /// What the compiler program made.
    Intermediate,
    /// What a driver made.
    Native,
    /// What else is worth to be known in the next process, e.g. about compilers and headers. No trace tells of it.
    Record,
}

impl Tier {
    const ALL: [Self; 3] = [Self::Intermediate, Self::Native, Self::Record];

    fn name(self) -> &'static str {
        match self {
            Self::Intermediate => "intermediate",
            Self::Native => "native",
            Self::Record => "record",
        }
    }
}

/// How much is in a [`Store`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Number of entries.
    pub entries: u64,
    /// Bytes that count for the limit.
    pub bytes: u64,
}

/// Why there is no entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Miss {
    /// No entry of this group.
    New,
    /// The parts of the key that the nearest entry of the group does not share; none if it was damaged or came just now.
    Differs(Vec<&'static str>),
}

/// A persistent store. No failure of it (full, read-only, damaged, gone) reaches the caller: it only finds less.
///
/// Threads: any. Processes of one user share the entries.
#[derive(Debug)]
pub struct Store {
    settings: Settings,
    limit: Mutex<Option<u64>>,
    /// Whether the log has told that something was not stored.
    told: AtomicBool,
}

impl Store {
    /// The store that the environment asks for; `None` where the persistent cache is off, or no folder can be used (which
    /// the log tells once).
    ///
    /// # Errors
    /// [`Errc::Runtime`](crate::error::Errc::Runtime) if `SYCL_CACHE_MAX_SIZE` is no number of bytes.
    pub fn of_process() -> Result<Option<&'static Self>> {
        static STORE: OnceLock<Result<Option<Store>>> = OnceLock::new();
        let store = STORE.get_or_init(|| Ok(Settings::of_environment()?.and_then(Self::open)));
        store.as_ref().map(Option::as_ref).map_err(Clone::clone)
    }

    /// A store in a folder, which is made if it is missing. `None` if it cannot be used, which log and trace tell.
    #[must_use]
    pub fn open(mut settings: Settings) -> Option<Self> {
        let opened = std::path::absolute(&settings.root).and_then(|root| {
            settings.root = root;
            Folder::open(&settings.root, Create::Yes)
        });
        if let Err(error) = opened {
            let path = shortened(&settings.root);
            settings::off(format_args!("the folder {path}, named by {}, cannot be used: {error}", settings.named_by));
            return None;
        }
        Channel::Disk.say(format_args!("enabled"));
        log::debug!("the persistent cache is in {}", settings.root.display());
        let limit = Mutex::new(settings.limit);
        Some(Self { settings, limit, told: AtomicBool::new(false) })
    }

    /// The payload of an entry, if it is there and whole. The entry counts as used.
    #[must_use]
    pub fn get(&self, tier: Tier, key: &Key) -> Option<Vec<u8>> {
        let payload = match self.read(tier, key) {
            Ok(payload) => payload,
            Err(error) if error.kind() == ErrorKind::NotFound => return None,
            Err(error) => {
                log::debug!("the cache entry {key} is not used: {error}");
                return None;
            }
        };
        match tier {
            Tier::Intermediate => Channel::KernelCompiler
                .say(format_args!("using cached device code IR: {}", self.entry_path(tier, key).display())),
            Tier::Native => Channel::Disk.say(format_args!("using cached device binary")),
            Tier::Record => {}
        }
        Some(payload)
    }

    fn read(&self, tier: Tier, key: &Key) -> io::Result<Vec<u8>> {
        let group = self.group(tier, &key.group(), Create::No)?;
        let (file, stat) = group.file(&key.hex())?;
        let now = Timespec { tv_sec: 0, tv_nsec: UTIME_NOW };
        let as_it_is = Timespec { tv_sec: 0, tv_nsec: UTIME_OMIT };
        // Where nothing can be written, nothing is evicted either.
        let _ = futimens(&file, &Timestamps { last_access: now, last_modification: as_it_is });
        entry::read(file, &stat, tier, key)
    }

    fn base(&self, create: Create) -> io::Result<Folder> {
        Folder::open(&self.settings.root, create)
    }

    fn group(&self, tier: Tier, group: &Digest, create: Create) -> io::Result<Folder> {
        self.base(create)?.folder(tier.name(), create)?.folder(&hex(group), create)
    }

    /// Stores a payload, unless it cannot be done or the size is out of bounds; returns whether it was done. An entry that is
    /// there is replaced.
    pub fn put(&self, tier: Tier, key: &Key, payload: &[u8]) -> bool {
        let size = space::occupied(entry::file_size(tier, key, payload.len()));
        if !self.settings.entry_sizes.contains(&(payload.len() as u64)) || self.limit().is_some_and(|most| size > most)
        {
            log::debug!("an entry of {} bytes is not cached: the size is out of bounds", payload.len());
            return false;
        }
        if tier == Tier::Intermediate {
            let path = self.entry_path(tier, key);
            Channel::KernelCompiler.say(format_args!("storing device code IR: {}", path.display()));
        }
        let before = match self.write(tier, key, payload) {
            Ok(before) => before,
            Err(error) => {
                self.not_stored(&error);
                return false;
            }
        };
        if tier == Tier::Native {
            Channel::Disk.say(format_args!("device binary has been cached"));
        }
        if let Err(error) = self.make_room(space::difference(size, before)) {
            log::debug!("the size of the persistent cache was not looked after: {error}");
        }
        true
    }

    /// Returns the bytes of the entry that was there before.
    fn write(&self, tier: Tier, key: &Key, payload: &[u8]) -> io::Result<u64> {
        let temporary = self.base(Create::Yes)?.folder(TEMPORARY, Create::Yes)?;
        let (name, mut file) = temporary.temporary_file()?;
        let written =
            entry::write(&mut file, tier, key, payload).and_then(|()| self.publish(&temporary, &name, tier, key));
        if written.is_err() {
            drop(temporary.remove(&name));
        }
        written
    }

    fn publish(&self, temporary: &Folder, name: &str, tier: Tier, key: &Key) -> io::Result<u64> {
        let mut attempts = 0;
        loop {
            attempts += 1;
            let group = self.group(tier, &key.group(), Create::Yes)?;
            let before = group.stat(&key.hex()).map_or(0, |stat| space::bytes_of(&stat));
            match group.take(temporary, name, &key.hex()) {
                Ok(()) => return Ok(before),
                // Whoever evicts removes the folder that it emptied.
                Err(error) if error.kind() == ErrorKind::NotFound && attempts < 4 => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn make_room(&self, grown: i64) -> io::Result<()> {
        let base = self.base(Create::Yes)?;
        let now = space::grew(&base, grown)?;
        match self.limit() {
            Some(limit) if now > limit => space::evict(&self.settings.root, &base, limit),
            _ => Ok(()),
        }
    }

    fn not_stored(&self, error: &io::Error) {
        let level = if self.told.swap(true, Ordering::Relaxed) { log::Level::Debug } else { log::Level::Warn };
        let (path, variable) = (shortened(&self.settings.root), self.settings.named_by);
        log::log!(level, "the persistent cache in {path}, named by {variable}, cannot store an entry: {error}");
        Channel::Disk.say(format_args!("an entry was not stored in {path}, named by {variable}: {error}"));
    }

    /// Why [`Self::get`] found nothing. Reads the heads of all entries of the group, so it is for traces.
    #[must_use]
    pub fn why_missing(&self, tier: Tier, key: &Key) -> Miss {
        let Ok(group) = self.group(tier, &key.group(), Create::No) else { return Miss::New };
        let names = group.names().unwrap_or_default();
        let differences = names.iter().filter_map(|name| {
            let (file, stat) = group.file(name).ok()?;
            entry::with_head(file, &stat, |head| key.difference_from(head.parts().iter().copied())).ok()
        });
        differences.min_by_key(Vec::len).map_or(Miss::New, Miss::Differs)
    }

    /// Asks for the right to make an entry that [`get`](Self::get) did not find, so that of several processes one makes it.
    /// Waits for whoever has the right, as long as `patient` says so (it is asked every few milliseconds).
    ///
    /// In every case [`get`](Self::get) is to be called again then: who had the right may have made the entry. If there is
    /// still none, make it, [`put`](Self::put) it and drop the claim, whether or not it [is held](Claim::is_held).
    pub fn claim(&self, tier: Tier, key: &Key, patient: &mut dyn FnMut() -> bool) -> Claim {
        if tier == Tier::Intermediate {
            Channel::KernelCompiler.say(format_args!("cache miss: {key}"));
        }
        let name = space::lock_name(tier, &key.hex());
        let claim = self.base(Create::Yes).and_then(|base| Claim::acquire(&base, &name, patient));
        claim.unwrap_or_else(|error| {
            log::debug!("the cache entry {key} is made without a lock: {error}");
            Claim::not_held()
        })
    }

    /// Whether there are entries of the kernel compiler for the group (the hash of a source): then it may not be needed.
    #[must_use]
    pub fn has_source(&self, group: &Digest) -> bool {
        self.group(Tier::Intermediate, group, Create::No).is_ok()
    }

    /// Where the entry is, or would be.
    #[must_use]
    pub fn entry_path(&self, tier: Tier, key: &Key) -> PathBuf {
        space::path_of(&self.settings.root, tier, &hex(&key.group()), &key.hex())
    }

    /// Counts the entries of all processes.
    #[must_use]
    pub fn usage(&self) -> Usage {
        self.base(Create::No).map_or_else(|_| Usage::default(), |base| space::usage(&base))
    }

    /// Removes all entries that no process is about to make.
    pub fn clear(&self) {
        if let Err(error) = self.base(Create::No).and_then(|base| space::clear(&self.settings.root, &base)) {
            log::debug!("the persistent cache was not cleared: {error}");
        }
    }

    /// How many bytes all entries may have together; `None`: any number.
    #[must_use]
    pub fn limit(&self) -> Option<u64> {
        *self.limit.lock()
    }

    /// Changes the limit for this process, and removes what is too much.
    pub fn set_limit(&self, limit: Option<u64>) {
        *self.limit.lock() = limit;
        if let Err(error) = self.make_room(0) {
            log::debug!("the persistent cache was not brought to its limit: {error}");
        }
    }

    /// The folder that was named; the entries are in one inside.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.settings.root
    }
}

/// A path for a message; one of thousands of characters says no more than its begin.
fn shortened(path: &Path) -> String {
    const MOST: usize = 200;
    let text = path.display().to_string();
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}… ({} bytes)", &text[..end], text.len()),
        None => text,
    }
}
