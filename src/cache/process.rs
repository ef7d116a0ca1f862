// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#![forbid(unsafe_code)]
//! The caches of this process: what the environment asks for, and what the program has changed since.

use std::sync::{
    OnceLock,
    atomic::{AtomicBool, AtomicU8, Ordering},
};

use super::{Memory, Store, disk};
use crate::{env, error::Result, os::per_process::PerProcess};

/// What is kept in memory unless somebody says otherwise: results of some hundred usual kernels, and less than a kilobyte for
/// each of ten thousand.
pub const MEMORY_LIMIT: u64 = 8 << 20;

/// The caches of one process.
#[derive(Debug)]
pub struct Caches {
    memory: Memory,
    memory_on: AtomicBool,
    /// One of the constants below.
    disk: AtomicU8,
    /// Where the environment does not ask for a store and the program does.
    opened: OnceLock<Option<Store>>,
}

const AS_ENVIRONMENT_SAYS: u8 = 0;
const ON: u8 = 1;
const OFF: u8 = 2;

/// The caches of this process; a child of `fork` begins with empty ones.
///
/// # Errors
/// [`Errc::Runtime`](crate::error::Errc::Runtime) if `SYCL_IN_MEM_CACHE_EVICTION_THRESHOLD` is no number of bytes.
pub fn caches() -> Result<&'static Caches> {
    static CURRENT: PerProcess<Result<Caches>> = PerProcess::new();
    CURRENT.get(Caches::of_environment).as_ref().map_err(Clone::clone)
}

impl Caches {
    fn of_environment() -> Result<Self> {
        let limit = match env::IN_MEM_CACHE_EVICTION_THRESHOLD.number()? {
            Some(0) => None,
            given => Some(given.unwrap_or(MEMORY_LIMIT)),
        };
        let off = env::CACHE_IN_MEM.value().is_some_and(|value| value == "0");
        Ok(Self {
            memory: Memory::new(limit),
            memory_on: AtomicBool::new(!off),
            disk: AtomicU8::new(AS_ENVIRONMENT_SAYS),
            opened: OnceLock::new(),
        })
    }

    /// The cache in memory, unless it is off.
    #[must_use]
    pub fn memory(&self) -> Option<&Memory> {
        self.memory_on.load(Ordering::Relaxed).then_some(&self.memory)
    }

    /// The same, also while it is off.
    #[must_use]
    pub fn memory_even_if_off(&self) -> &Memory {
        &self.memory
    }

    /// The persistent cache, unless it is off or has no folder.
    ///
    /// # Errors
    /// As [`Store::of_process`].
    pub fn store(&self) -> Result<Option<&Store>> {
        match self.disk.load(Ordering::Relaxed) {
            OFF => Ok(None),
            ON => self.store_even_if_off(),
            _ => Store::of_process(),
        }
    }

    /// The same, also while it is off: the one in the folder that it would have.
    ///
    /// # Errors
    /// As [`Store::of_process`].
    pub fn store_even_if_off(&self) -> Result<Option<&Store>> {
        if let Some(store) = Store::of_process()? {
            return Ok(Some(store));
        }
        let open = || Store::open(disk::Settings::new(disk::cache_folder()?));
        Ok(self.opened.get_or_init(open).as_ref())
    }

    /// Switches the cache in memory on or off. What it holds stays.
    pub fn set_memory_on(&self, on: bool) {
        self.memory_on.store(on, Ordering::Relaxed);
    }

    /// Switches the persistent cache on or off, whatever the environment says.
    pub fn set_disk_on(&self, on: bool) {
        self.disk.store(if on { ON } else { OFF }, Ordering::Relaxed);
    }
}
