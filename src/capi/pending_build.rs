// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Builds in the background.

use std::{ptr, sync::Arc, time::Duration};

use super::{
    border::{fallible, infallible},
    context::devices_of,
    handle::{
        self, Text, syclrtc_device_t, syclrtc_error_t, syclrtc_kernel_bundle_t, syclrtc_pending_build_t, syclrtc_text_t,
    },
    input::Out,
    kernel_bundle::{options_of, syclrtc_build_options_t},
};
use crate::bundle::{KernelBundle, PendingBuild};

/// There is no result yet.
pub const SYCLRTC_BUILD_STATUS_RUNNING: u32 = 1;
/// The result is a bundle.
pub const SYCLRTC_BUILD_STATUS_SUCCEEDED: u32 = 2;
/// The result is an error.
pub const SYCLRTC_BUILD_STATUS_FAILED: u32 = 3;
/// The result is the error of a build that was cancelled.
pub const SYCLRTC_BUILD_STATUS_CANCELLED: u32 = 4;

/// Other builds have to make room first.
pub const SYCLRTC_BUILD_STAGE_QUEUED: u32 = 1;
/// It looks whether the result is known.
pub const SYCLRTC_BUILD_STAGE_LOOKING_UP: u32 = 2;
/// An equal request is under way, in this process or another.
pub const SYCLRTC_BUILD_STAGE_WAITING: u32 = 3;
/// The compiler program works.
pub const SYCLRTC_BUILD_STAGE_COMPILING: u32 = 4;
/// The driver works.
pub const SYCLRTC_BUILD_STAGE_LOADING: u32 = 5;
/// There is a result.
pub const SYCLRTC_BUILD_STAGE_DONE: u32 = 6;

/// Waits without a limit.
pub const SYCLRTC_WAIT_FOREVER: u64 = u64::MAX;

/// Starts to build a source for some devices of its context, in a thread of the library, and returns at once. What
/// `syclrtc_kernel_bundle_build` would return is the result; errors in the arguments that need a look into them, such as a wrong
/// state or device, are errors of the result, too.
///
/// A few builds for each core run at a time, the others are queued. Nobody has to wait: a build whose last reference is
/// released goes on and its result is dropped, and a process may exit at any time. In a child of `fork` a build of the parent's
/// cannot be used: each call but `_clone` and `_release` is a `RUNTIME` error there.
///
/// `source`, `devices`, `device_count`, `options`: as for `syclrtc_kernel_bundle_build`; all is copied or shared. `pending`:
/// receives a new reference. Errors: `INVALID` for NULL, a wrong handle, a bad structure or a text that is not UTF-8; `RUNTIME`
/// if there can be no thread; nothing is written then. Threads: any. Since 0.1.0.
///
/// # Safety
/// `source` and `devices` must not be released before this returns; `devices` must be readable for `device_count`
/// pointers, `options` with its texts as its size says; `pending` must be writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syclrtc_kernel_bundle_build_async(
    source: *const syclrtc_kernel_bundle_t,
    devices: *const *const syclrtc_device_t,
    device_count: usize,
    options: *const syclrtc_build_options_t,
    pending: *mut *mut syclrtc_pending_build_t,
) -> *mut syclrtc_error_t {
    fallible(|| {
        // SAFETY: not released meanwhile, readable and writable, says the header.
        let (source, devices, options, out) = unsafe {
            (
                handle::share::<KernelBundle>(source, "source")?,
                devices_of(devices, device_count)?,
                options_of(options)?,
                Out::new(pending, "pending")?,
            )
        };
        out.write(handle::export(source.build_async(devices, options)?));
        Ok(())
    })
}

/// Waits until there is a result, good or bad.
///
/// `pending`: borrowed for the call. `nanoseconds`: how long at most; `SYCLRTC_WAIT_FOREVER` for no limit. `done`: whether there
/// is a result; NULL if it is not wanted. Errors: `INVALID` for NULL or a wrong handle; `RUNTIME` in a child of `fork`; nothing
/// is written then. Threads: any, any number at the same time. Since 0.1.0.
///
/// # Safety
/// `pending` must not be released before this returns; `done` must be NULL or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syclrtc_pending_build_wait(
    pending: *const syclrtc_pending_build_t,
    nanoseconds: u64,
    done: *mut bool,
) -> *mut syclrtc_error_t {
    fallible(|| {
        // SAFETY: not released meanwhile and writable, says the header.
        let (pending, out) =
            unsafe { (handle::share::<PendingBuild>(pending, "pending")?, Out::optional(done, "done")?) };
        let at_most = (nanoseconds != SYCLRTC_WAIT_FOREVER).then(|| Duration::from_nanos(nanoseconds));
        let there = pending.wait(at_most)?;
        if let Some(out) = out {
            out.write(there);
        }
        Ok(())
    })
}

/// Waits for the result, which is the same whenever and by whomever it is asked for.
///
/// `pending`: borrowed for the call. `executable`: receives a new reference. `log`: receives a new reference to the warnings and
/// notes; NULL if it is not wanted. Errors: `INVALID` for NULL or a wrong handle; those of `syclrtc_kernel_bundle_build`;
/// `RUNTIME` if it was cancelled, and in a child of `fork`; nothing is written then. Threads: any. Since 0.1.0.
///
/// # Safety
/// `pending` must not be released before this returns; `executable` must be writable, `log` NULL or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syclrtc_pending_build_result(
    pending: *const syclrtc_pending_build_t,
    executable: *mut *mut syclrtc_kernel_bundle_t,
    log: *mut *mut syclrtc_text_t,
) -> *mut syclrtc_error_t {
    fallible(|| {
        // SAFETY: not released meanwhile and writable, says the header.
        let (pending, out, log) = unsafe {
            (
                handle::share::<PendingBuild>(pending, "pending")?,
                Out::new(executable, "executable")?,
                Out::optional(log, "log")?,
            )
        };
        let built = pending.result()?;
        if let Some(log) = log {
            log.write(handle::export(Arc::new(Text(built.log().to_owned()))));
        }
        out.write(handle::export(built));
        Ok(())
    })
}

/// Whether there is a result, and of what kind.
///
/// `pending`: borrowed for the call. `status`: receives one of `SYCLRTC_BUILD_STATUS_*`. Errors: `INVALID` for NULL or a wrong
/// handle; `RUNTIME` in a child of `fork`; nothing is written then. Threads: any. Since 0.1.0.
///
/// # Safety
/// `pending` must not be released before this returns; `status` must be writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syclrtc_pending_build_status(
    pending: *const syclrtc_pending_build_t,
    status: *mut u32,
) -> *mut syclrtc_error_t {
    fallible(|| {
        // SAFETY: not released meanwhile and writable, says the header.
        let (pending, out) = unsafe { (handle::get::<PendingBuild>(pending, "pending")?, Out::new(status, "status")?) };
        out.write(pending.status()? as u32);
        Ok(())
    })
}

/// What a build is doing.
///
/// `pending`: borrowed for the call. `stage`: receives one of `SYCLRTC_BUILD_STAGE_*`. A build for several kinds of device goes
/// through the stages for each. Errors: `INVALID` for NULL or a wrong handle; `RUNTIME` in a child of `fork`; nothing is written
/// then. Threads: any. Since 0.1.0.
///
/// # Safety
/// `pending` must not be released before this returns; `stage` must be writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syclrtc_pending_build_stage(
    pending: *const syclrtc_pending_build_t,
    stage: *mut u32,
) -> *mut syclrtc_error_t {
    fallible(|| {
        // SAFETY: not released meanwhile and writable, says the header.
        let (pending, out) = unsafe { (handle::get::<PendingBuild>(pending, "pending")?, Out::new(stage, "stage")?) };
        out.write(pending.stage()? as u32);
        Ok(())
    })
}

/// Asks a build to stop, and does not wait for that. A compile that runs is ended; equal builds that wait for it go on, and one
/// of them compiles. A driver at work cannot be stopped, and its code is dropped. No half-made result is kept, and nothing happens
/// to a build that has a result.
///
/// `pending`: borrowed for the call. Errors: `INVALID` for NULL or a wrong handle; `RUNTIME` in a child of `fork`. Threads: any.
/// Since 0.1.0.
///
/// # Safety
/// `pending` must not be released before this returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syclrtc_pending_build_cancel(pending: *const syclrtc_pending_build_t) -> *mut syclrtc_error_t {
    fallible(|| {
        // SAFETY: not released meanwhile, says the header.
        unsafe { handle::get::<PendingBuild>(pending, "pending") }?.cancel()
    })
}

/// A new reference to a build: the same pointer. NULL for NULL and for what is no build.
///
/// `pending`: borrowed for the call. Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn syclrtc_pending_build_clone(pending: *const syclrtc_pending_build_t) -> *mut syclrtc_pending_build_t {
    infallible(ptr::null_mut(), || handle::clone::<PendingBuild>(pending, "pending"))
}

/// Ends the caller's reference to a build, which goes on. NULL is allowed; what is no build is left alone.
///
/// `pending`: transferred. Threads: any, while no other thread uses this reference. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn syclrtc_pending_build_release(pending: *mut syclrtc_pending_build_t) {
    infallible((), || handle::release::<PendingBuild>(pending, "pending"));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundle::{BuildStage, BuildStatus};

    #[test]
    fn the_numbers_of_the_header_are_those_inside() {
        for (number, inside) in [
            (SYCLRTC_BUILD_STATUS_RUNNING, BuildStatus::Running),
            (SYCLRTC_BUILD_STATUS_SUCCEEDED, BuildStatus::Succeeded),
            (SYCLRTC_BUILD_STATUS_FAILED, BuildStatus::Failed),
            (SYCLRTC_BUILD_STATUS_CANCELLED, BuildStatus::Cancelled),
        ] {
            assert_eq!(number, inside as u32);
        }
        for (number, inside) in [
            (SYCLRTC_BUILD_STAGE_QUEUED, BuildStage::Queued),
            (SYCLRTC_BUILD_STAGE_LOOKING_UP, BuildStage::LookingUp),
            (SYCLRTC_BUILD_STAGE_WAITING, BuildStage::Waiting),
            (SYCLRTC_BUILD_STAGE_COMPILING, BuildStage::Compiling),
            (SYCLRTC_BUILD_STAGE_LOADING, BuildStage::Loading),
            (SYCLRTC_BUILD_STAGE_DONE, BuildStage::Done),
        ] {
            assert_eq!(number, inside as u32);
        }
    }
}
