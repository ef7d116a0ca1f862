// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#![forbid(unsafe_code)]
//! The persistent store: entries are files that processes of one user share.

use std::path::{Path, PathBuf};

use super::key::{Digest, Key};
use crate::error::Result;

/// Kind of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Tier {
    /// What the compiler program made.
    Intermediate,
    /// What a driver made.
    Native,
}

/// Where and how a [`Store`] keeps its entries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// The folder.
    pub root: PathBuf,
    /// Where the folder was named, for messages: `SYCL_CACHE_DIR`, `HOME`.
    pub named_by: &'static str,
    /// Bytes that all entries may have together; `None`: any number.
    pub limit: Option<u64>,
    /// Payloads with fewer or more bytes are not stored.
    pub entry_sizes: std::ops::RangeInclusive<u64>,
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
    /// The parts of the key that the nearest entry of the group does not share.
    Differs(Vec<&'static str>),
}

/// A persistent store. No failure of it (full, read-only, damaged, gone) reaches the caller: it only finds less.
///
/// Threads: any. Processes of one user share the entries.
#[derive(Debug)]
pub struct Store {
    settings: Settings,
}

impl Store {
    /// The store that the environment asks for; `None` where the persistent cache is off, or no folder can be used (which
    /// the log tells once).
    ///
    /// # Errors
    /// [`Errc::Runtime`](crate::error::Errc::Runtime) if `SYCL_CACHE_MAX_SIZE` is no number of bytes.
    pub fn of_process() -> Result<Option<&'static Self>> {
        Ok(None)
    }

    /// A store in a folder. `None` if it cannot be used, which the log tells.
    #[must_use]
    pub fn open(settings: Settings) -> Option<Self> {
        Some(Self { settings })
    }

    /// The payload of an entry, if it is there and whole. The entry counts as used.
    #[must_use]
    pub fn get(&self, _tier: Tier, _key: &Key) -> Option<Vec<u8>> {
        None
    }

    /// Stores a payload, unless it cannot be done or the size is out of bounds. An entry that is there is replaced.
    pub fn put(&self, _tier: Tier, _key: &Key, _payload: &[u8]) {}

    /// Why [`Self::get`] found nothing. Reads the heads of all entries of the group, so it is for traces.
    #[must_use]
    pub fn why_missing(&self, _tier: Tier, _key: &Key) -> Miss {
        Miss::New
    }

    /// Asks for the right to make an entry, so that of several processes one does it. Waits for whoever has it, as long as
    /// `patient` says so (it is asked every few milliseconds).
    ///
    /// In every case [`Self::get`] is to be called again then: who had the right may have made the entry. If there is still
    /// none, make it, [`put`](Self::put) it and drop the claim, whether or not it [is held](Claim::is_held).
    pub fn claim(&self, _tier: Tier, _key: &Key, _patient: &mut dyn FnMut() -> bool) -> Claim {
        Claim { held: false }
    }

    /// Whether there are entries of the kernel compiler for the group (the hash of a source): then it may not be needed.
    #[must_use]
    pub fn has_source(&self, _group: &Digest) -> bool {
        false
    }

    /// Where the entry is, or would be.
    #[must_use]
    pub fn entry_path(&self, _tier: Tier, key: &Key) -> PathBuf {
        self.settings.root.join(key.hex())
    }

    /// Counts the entries of all processes.
    #[must_use]
    pub fn usage(&self) -> Usage {
        Usage::default()
    }

    /// Removes all entries that no process is about to make.
    pub fn clear(&self) {}

    /// How many bytes all entries may have together; `None`: any number.
    #[must_use]
    pub fn limit(&self) -> Option<u64> {
        self.settings.limit
    }

    /// Changes the limit for this process, and removes what is too much.
    pub fn set_limit(&self, _limit: Option<u64>) {}

    /// The folder that the entries are in.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.settings.root
    }
}

/// The right to make an entry, or the answer that there is no need to wait for it any more.
#[derive(Debug)]
#[must_use = "others wait until it is dropped"]
pub struct Claim {
    held: bool,
}

impl Claim {
    /// Whether others wait for this process. If not, another process finished with or without an entry, the caller lost its
    /// patience, or locks do not work in the folder.
    #[must_use]
    pub fn is_held(&self) -> bool {
        self.held
    }
}
