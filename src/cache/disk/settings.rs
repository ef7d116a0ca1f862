// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#![forbid(unsafe_code)]
//! What the environment says about the persistent store.

use std::{fmt, ops::RangeInclusive, path::PathBuf};

use crate::{
    cache::trace::Channel,
    env::{self, Variable},
    error::Result,
};

/// Bytes that entries may have together where nothing else is said: thousands of kernels, and no more than what other
/// compilers' caches take without being asked.
pub const DEFAULT_LIMIT: u64 = 1 << 30;
/// Bytes that one may have.
const DEFAULT_SIZES: RangeInclusive<u64> = 0..=1 << 30;

/// Where and how a [`Store`](super::Store) keeps its entries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// The folder.
    pub root: PathBuf,
    /// The variable that names the folder, for messages.
    pub named_by: &'static str,
    /// Bytes that all entries may have together; `None`: any number.
    pub limit: Option<u64>,
    /// Payloads with fewer or more bytes are not stored.
    pub entry_sizes: RangeInclusive<u64>,
}

impl Settings {
    /// With the defaults for all but the folder.
    #[must_use]
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self {
            root: root.into(),
            named_by: env::CACHE_DIR.name(),
            limit: Some(DEFAULT_LIMIT),
            entry_sizes: DEFAULT_SIZES,
        }
    }

    /// Those of the environment; `None` where it does not switch the store on, or names no folder.
    ///
    /// # Errors
    /// [`Errc::Runtime`](crate::error::Errc::Runtime) if `SYCL_CACHE_MAX_SIZE` is no number of bytes.
    pub(super) fn of_environment() -> Result<Option<Self>> {
        if env::CACHE_PERSISTENT.value().is_none_or(|value| value != "1") {
            return Ok(None);
        }
        let limit = match env::CACHE_MAX_SIZE.number()? {
            Some(0) => None,
            given => Some(given.unwrap_or(DEFAULT_LIMIT)),
        };
        let limit = limit.filter(|_| env::CACHE_EVICTION_DISABLE.value().is_none());
        let size = |variable: Variable, default: u64| variable.number().ok().flatten().unwrap_or(default);
        let entry_sizes = size(env::CACHE_MIN_DEVICE_IMAGE_SIZE, *DEFAULT_SIZES.start())
            ..=size(env::CACHE_MAX_DEVICE_IMAGE_SIZE, *DEFAULT_SIZES.end());
        let folder = folder();
        if folder.is_none() {
            let names = [env::CACHE_DIR, env::XDG_CACHE_HOME, env::HOME].map(|variable| variable.name());
            off(format_args!("none of {} names a folder", names.join(", ")));
        }
        Ok(folder.map(|(named_by, root)| Self { root, named_by, limit, entry_sizes }))
    }
}

/// Tells that there is no store though it was asked for.
pub(super) fn off(reason: fmt::Arguments<'_>) {
    log::warn!("the persistent cache is off: {reason}");
    Channel::Disk.say(format_args!("off: {reason}"));
}

/// The folder, and the variable that says so.
fn folder() -> Option<(&'static str, PathBuf)> {
    let path = |variable: Variable| variable.value().map(|value| (variable.name(), PathBuf::from(value)));
    // That of the user may be relative to the current directory; in the others that would be a mistake.
    path(env::CACHE_DIR).or_else(|| {
        let inside = |variable, folder: &str| {
            path(variable).filter(|(_, path)| path.is_absolute()).map(|(name, path)| (name, path.join(folder)))
        };
        inside(env::XDG_CACHE_HOME, "syclrtc_cache").or_else(|| inside(env::HOME, ".cache/syclrtc_cache"))
    })
}

/// The folder of caches of this user, whether or not the persistent cache is on; `None` if no variable names one.
#[must_use]
pub fn cache_folder() -> Option<PathBuf> {
    folder().map(|(_, path)| path)
}
