// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What is kept of results: to see and to steer.

use std::sync::Arc;

use super::{
    border::fallible,
    context::devices_of,
    handle::{self, Text, syclrtc_device_t, syclrtc_error_t, syclrtc_kernel_bundle_t, syclrtc_text_t},
    input::{Out, Structure, write_structure},
    kernel_bundle::{options_of, syclrtc_build_options_t},
    results::known,
};
use crate::{
    bundle::{KernelBundle, Place, cache},
    error::Result,
};

/// Results of the compiler program in the memory of this process.
pub const SYCLRTC_CACHE_MEMORY: u32 = 1;
/// The persistent cache: results of the compiler program and binaries of drivers, for all processes of the user.
pub const SYCLRTC_CACHE_DISK: u32 = 2;

/// What this process has counted since its start, or since it was forked.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct syclrtc_cache_statistics_t {
    /// `sizeof(syclrtc_cache_statistics_t)`, set by the caller.
    pub size: usize,
    /// Results of the compiler program that were found in memory.
    pub memory_hits: u64,
    /// Those that were not, or were no longer true. Several equal requests at a time count once.
    pub memory_misses: u64,
    /// Those that were put there.
    pub memory_stores: u64,
    /// Those that had to go for others.
    pub memory_evictions: u64,
    /// Results of the compiler program that were found on disk. Only what is not in memory is looked for there.
    pub disk_hits: u64,
    /// Those that were not, or were no longer true.
    pub disk_misses: u64,
    /// Those that were put there.
    pub disk_stores: u64,
    /// Entries of any kind that this process removed from the disk for others.
    pub disk_evictions: u64,
    /// Binaries of drivers that were found on disk.
    pub native_hits: u64,
    /// Those that were not.
    pub native_misses: u64,
    /// Those that were put there.
    pub native_stores: u64,
    /// Requests that got what an equal one got that was under way.
    pub shared: u64,
    /// Requests that were given to the compiler program.
    pub compiles: u64,
    /// Those among them that it works at.
    pub compiles_running: u64,
    /// Different requests that are under way, be it that they wait for another process.
    pub in_flight: u64,
}

// SAFETY: `repr(C)`, starts with the size, integers only.
unsafe impl Structure for syclrtc_cache_statistics_t {
    const NAME: &'static str = "syclrtc_cache_statistics_t";
}

/// What has been counted.
///
/// `statistics`: the caller sets `size`; the rest is filled in. Errors: `INVALID` for NULL or a bad size; `RUNTIME` if a limit in
/// the environment is no number; nothing is written then. Threads: any. Since 0.1.0.
///
/// # Safety
/// `statistics` must be writable as its size says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syclrtc_cache_statistics(statistics: *mut syclrtc_cache_statistics_t) -> *mut syclrtc_error_t {
    fallible(|| {
        let counted = cache()?.statistics();
        let value = syclrtc_cache_statistics_t {
            size: 0,
            memory_hits: counted.memory.hits,
            memory_misses: counted.memory.misses,
            memory_stores: counted.memory.stores,
            memory_evictions: counted.memory.evictions,
            disk_hits: counted.disk.hits,
            disk_misses: counted.disk.misses,
            disk_stores: counted.disk.stores,
            disk_evictions: counted.disk.evictions,
            native_hits: counted.native.hits,
            native_misses: counted.native.misses,
            native_stores: counted.native.stores,
            shared: counted.shared,
            compiles: counted.compiles,
            compiles_running: counted.compiles_running,
            in_flight: counted.in_flight,
        };
        // SAFETY: writable as its size says, says the header.
        unsafe { write_structure(statistics, value, "statistics") }
    })
}

/// How much is kept in a place, whether or not it is on. The persistent cache is counted with what other processes put there.
///
/// `place`: one of `SYCLRTC_CACHE_*`. `entries`, `bytes`: receive the numbers; NULL for one that is not wanted. Errors: `INVALID`
/// for an unknown place; `RUNTIME` if a limit in the environment is no number; nothing is written then. Threads: any.
/// Since 0.1.0.
///
/// # Safety
/// `entries` and `bytes` must be NULL or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syclrtc_cache_usage(place: u32, entries: *mut u64, bytes: *mut u64) -> *mut syclrtc_error_t {
    fallible(|| {
        // SAFETY: writable, says the header.
        let (entries, bytes) = unsafe { (Out::optional(entries, "entries")?, Out::optional(bytes, "bytes")?) };
        let usage = cache()?.usage(place_of(place)?)?;
        if let Some(entries) = entries {
            entries.write(usage.entries);
        }
        if let Some(bytes) = bytes {
            bytes.write(usage.bytes);
        }
        Ok(())
    })
}

/// Whether results are kept in a place.
///
/// `place`: one of `SYCLRTC_CACHE_*`. `enabled`: receives the answer. Errors: `INVALID` for NULL or an unknown place; `RUNTIME`
/// if a limit in the environment is no number; nothing is written then. Threads: any. Since 0.1.0.
///
/// # Safety
/// `enabled` must be writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syclrtc_cache_is_enabled(place: u32, enabled: *mut bool) -> *mut syclrtc_error_t {
    fallible(|| {
        // SAFETY: writable, says the header.
        let out = unsafe { Out::new(enabled, "enabled") }?;
        out.write(cache()?.is_on(place_of(place)?)?);
        Ok(())
    })
}

/// Switches a place on or off for later builds of this process, whatever the environment says. What is kept there stays.
///
/// `place`: one of `SYCLRTC_CACHE_*`. `enabled`: 0 for off. Errors: `INVALID` for an unknown place; `RUNTIME` if the persistent
/// cache is to be on and has no folder, or a limit in the environment is no number. Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn syclrtc_cache_set_enabled(place: u32, enabled: u32) -> *mut syclrtc_error_t {
    fallible(|| cache()?.set_on(place_of(place)?, enabled != 0))
}

/// How many bytes may be kept in a place.
///
/// `place`: one of `SYCLRTC_CACHE_*`. `bytes`: receives the number; 0 stands for any. Errors: `INVALID` for NULL or an unknown
/// place; `RUNTIME` if a limit in the environment is no number; nothing is written then. Threads: any. Since 0.1.0.
///
/// # Safety
/// `bytes` must be writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syclrtc_cache_limit(place: u32, bytes: *mut u64) -> *mut syclrtc_error_t {
    fallible(|| {
        // SAFETY: writable, says the header.
        let out = unsafe { Out::new(bytes, "bytes") }?;
        out.write(cache()?.limit(place_of(place)?)?.unwrap_or(0));
        Ok(())
    })
}

/// Changes for this process how many bytes may be kept in a place, and removes what is too much, the least recently used
/// first.
///
/// `place`: one of `SYCLRTC_CACHE_*`. `bytes`: 0 stands for any number. Errors: `INVALID` for an unknown place; `RUNTIME` if a
/// limit in the environment is no number. Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn syclrtc_cache_set_limit(place: u32, bytes: u64) -> *mut syclrtc_error_t {
    fallible(|| cache()?.set_limit(place_of(place)?, (bytes != 0).then_some(bytes)))
}

/// Removes everything that is kept in a place; from the persistent cache what other processes put there, too. Builds that run
/// and bundles that exist are not touched.
///
/// `place`: one of `SYCLRTC_CACHE_*`. Errors: `INVALID` for an unknown place; `RUNTIME` if a limit in the environment is no
/// number. Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn syclrtc_cache_clear(place: u32) -> *mut syclrtc_error_t {
    fallible(|| cache()?.clear(place_of(place)?))
}

/// The folder of the persistent cache, whether or not that is on. Empty if there is none. What is no UTF-8 in its name is
/// replaced.
///
/// `folder`: receives a new reference. Errors: `INVALID` for NULL; `RUNTIME` if a limit in the environment is no number; nothing
/// is written then. Threads: any. Since 0.1.0.
///
/// # Safety
/// `folder` must be writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syclrtc_cache_folder(folder: *mut *mut syclrtc_text_t) -> *mut syclrtc_error_t {
    fallible(|| {
        // SAFETY: writable, says the header.
        let out = unsafe { Out::new(folder, "folder") }?;
        let path = cache()?.folder()?.unwrap_or_default();
        out.write(handle::export(Arc::new(Text(path.display().to_string()))));
        Ok(())
    })
}

/// The keys under which the results of a build are looked for, for those who want to know why two requests are not the same.
/// Nothing is built.
///
/// `source`, `devices`, `device_count`, `options`: as for `syclrtc_kernel_bundle_build`. `keys`: receives a new reference to 64
/// hexadecimal digits for each kind of device, each followed by a line feed; to an empty line where the result is not kept.
/// Errors: `INVALID` as for `syclrtc_kernel_bundle_build`, and for a source in another language than SYCL; `BUILD` if the
/// compiler program is not found; `RUNTIME` if a limit in the environment is no number; nothing is written then. Threads: any.
/// Since 0.1.0.
///
/// # Safety
/// As for `syclrtc_kernel_bundle_build`; `keys` must be writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syclrtc_kernel_bundle_cache_keys(
    source: *const syclrtc_kernel_bundle_t,
    devices: *const *const syclrtc_device_t,
    device_count: usize,
    options: *const syclrtc_build_options_t,
    keys: *mut *mut syclrtc_text_t,
) -> *mut syclrtc_error_t {
    fallible(|| {
        // SAFETY: not released meanwhile, readable and writable, says the header.
        let (source, devices, options, out) = unsafe {
            (
                handle::share::<KernelBundle>(source, "source")?,
                devices_of(devices, device_count)?,
                options_of(options)?,
                Out::new(keys, "keys")?,
            )
        };
        let lines = source.cache_keys(&devices, &options)?.into_iter().map(|key| key + "\n").collect();
        out.write(handle::export(Arc::new(Text(lines))));
        Ok(())
    })
}

/// Ends the compiler program of this process once it has done what it works at, which gives back its memory. The next build
/// that needs it starts another one. Nothing happens if none runs.
///
/// Errors: `RUNTIME` if a limit in the environment is no number. Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn syclrtc_compiler_stop() -> *mut syclrtc_error_t {
    fallible(|| {
        cache()?.stop_compiler();
        Ok(())
    })
}

fn place_of(number: u32) -> Result<Place> {
    known(Place::from_number(number), number, "place")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_of_the_header_are_those_inside() {
        assert_eq!(place_of(SYCLRTC_CACHE_MEMORY), Ok(Place::Memory));
        assert_eq!(place_of(SYCLRTC_CACHE_DISK), Ok(Place::Disk));
        assert!(place_of(0).is_err() && place_of(3).is_err());
    }
}
