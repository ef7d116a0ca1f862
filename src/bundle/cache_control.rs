// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#![forbid(unsafe_code)]
//! To see and steer what is kept.

use std::{path::PathBuf, sync::Arc};

use syclrtc_protocol::{Output, Request};

use super::{
    build::{BuildOptions, by_target, check_properties},
    cached,
    kernel_bundle::{Contents, KernelBundle},
    language::{Language, can_build},
    request::request,
};
use crate::{
    cache::{Caches, Counts, Usage, caches, statistics},
    error::{Error, Result},
    runtime::Device,
};

/// A place where results are kept. The numbers cross the C border and are never reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Place {
    /// Memory of this process.
    Memory = 1,
    /// The persistent cache.
    Disk = 2,
}

impl Place {
    /// The place with this number.
    #[must_use]
    pub fn from_number(number: u32) -> Option<Self> {
        [Self::Memory, Self::Disk].into_iter().find(|place| *place as u32 == number)
    }
}

/// What this process has counted since its start.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CacheStatistics {
    /// Results of the compiler program in memory.
    pub memory: Counts,
    /// Results of the compiler program on disk. Only what is not in memory is looked for there.
    pub disk: Counts,
    /// Binaries of drivers on disk.
    pub native: Counts,
    /// Requests that got what an equal one got that was under way.
    pub shared: u64,
    /// Requests that the compiler program was given.
    pub compiles: u64,
    /// Those among them that it works at.
    pub compiles_running: u64,
    /// Keys that somebody works at, be it that he waits for another process.
    pub in_flight: u64,
}

/// The caches of this process, as a program sees them.
#[derive(Debug, Clone, Copy)]
pub struct Control(&'static Caches);

/// The caches of this process.
///
/// # Errors
/// [`Errc::Runtime`](crate::error::Errc::Runtime) if a limit in the environment is no number.
pub fn cache() -> Result<Control> {
    caches().map(Control)
}

impl Control {
    /// What has been counted.
    #[must_use]
    pub fn statistics(self) -> CacheStatistics {
        let counted = statistics();
        CacheStatistics {
            memory: counted.memory.read(),
            disk: counted.disk.read(),
            native: counted.native.read(),
            shared: counted.shared.get(),
            compiles: counted.compiles.get(),
            compiles_running: counted.in_flight.get(),
            in_flight: cached::in_flight() as u64,
        }
    }

    /// Whether results are kept there.
    ///
    /// # Errors
    /// [`Errc::Runtime`](crate::error::Errc::Runtime) if a limit in the environment is no number.
    pub fn is_on(self, place: Place) -> Result<bool> {
        Ok(match place {
            Place::Memory => self.0.memory().is_some(),
            Place::Disk => self.0.store()?.is_some(),
        })
    }

    /// Switches it on or off for later builds of this process. What is there stays there.
    ///
    /// # Errors
    /// [`Errc::Runtime`](crate::error::Errc::Runtime) if the persistent cache is to be on and has no folder, or a limit in
    /// the environment is no number.
    pub fn set_on(self, place: Place, on: bool) -> Result<()> {
        match place {
            Place::Memory => self.0.set_memory_on(on),
            Place::Disk => {
                if on && self.0.store_even_if_off()?.is_none() {
                    return Err(Error::runtime(
                        "there is no folder for the persistent cache: SYCL_CACHE_DIR names one",
                    ));
                }
                self.0.set_disk_on(on);
            }
        }
        Ok(())
    }

    /// How much is there. The persistent cache is counted with what other processes put there.
    ///
    /// # Errors
    /// As [`is_on`](Self::is_on).
    pub fn usage(self, place: Place) -> Result<Usage> {
        Ok(match place {
            Place::Memory => self.0.memory_even_if_off().usage(),
            Place::Disk => self.0.store_even_if_off()?.map(|store| store.usage()).unwrap_or_default(),
        })
    }

    /// Bytes that may be there; none: any number.
    ///
    /// # Errors
    /// As [`is_on`](Self::is_on).
    pub fn limit(self, place: Place) -> Result<Option<u64>> {
        Ok(match place {
            Place::Memory => self.0.memory_even_if_off().limit(),
            Place::Disk => self.0.store_even_if_off()?.and_then(|store| store.limit()),
        })
    }

    /// Changes the limit for this process, and removes what is too much, the least recently used first.
    ///
    /// # Errors
    /// As [`is_on`](Self::is_on).
    pub fn set_limit(self, place: Place, limit: Option<u64>) -> Result<()> {
        match place {
            Place::Memory => statistics().memory.evictions.add_many(self.0.memory_even_if_off().set_limit(limit)),
            Place::Disk => {
                if let Some(store) = self.0.store_even_if_off()? {
                    store.set_limit(limit);
                }
            }
        }
        Ok(())
    }

    /// Removes everything that is there.
    ///
    /// # Errors
    /// As [`is_on`](Self::is_on).
    pub fn clear(self, place: Place) -> Result<()> {
        match place {
            Place::Memory => self.0.memory_even_if_off().clear(),
            Place::Disk => {
                if let Some(store) = self.0.store_even_if_off()? {
                    store.clear();
                    cached::disk_was_cleared();
                }
            }
        }
        Ok(())
    }

    /// Folder of the persistent cache, also while it is off; none if there is none.
    ///
    /// # Errors
    /// As [`is_on`](Self::is_on).
    pub fn folder(self) -> Result<Option<PathBuf>> {
        Ok(self.0.store_even_if_off()?.map(|store| store.path().to_owned()))
    }

    /// Ends the compiler program once the jobs that it works at are done, and gives back its memory. The next compile starts
    /// another one.
    pub fn stop_compiler(self) {
        cached::stop_compiler(self.0);
    }
}

impl KernelBundle {
    /// The keys under which results of a build are looked for, one for each kind of device, in hexadecimal; an empty one
    /// where the result is not kept. Nothing is built.
    ///
    /// # Errors
    /// As [`build`](Self::build) for the arguments; [`Errc::Invalid`](crate::error::Errc::Invalid) for a language other than
    /// `sycl`.
    pub fn cache_keys(&self, devices: &[Arc<Device>], options: &BuildOptions) -> Result<Vec<String>> {
        let source = match self.contents() {
            Contents::Source(source) if source.language == Language::Sycl => source,
            _ => return Err(Error::invalid("only a source of language sycl has keys")),
        };
        let devices = self.check_devices(devices, |device| can_build(device, source.language), source.language)?;
        check_properties(source.language, options)?;
        let mut keys = Vec::new();
        for (target, _) in by_target(&devices)? {
            let compile = request(source, options, "", Output::Image(target));
            keys.push(cached::keys_as_text(&Request::Compile(compile))?);
        }
        Ok(keys)
    }
}
