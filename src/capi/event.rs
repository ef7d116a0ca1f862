// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Events.

use std::ptr;

use super::{
    border::{fallible, infallible},
    handle::{self, syclrtc_error_t, syclrtc_event_t},
    input::Out,
    results::known,
};
use crate::{backend::ProfilingPoint, runtime::Event};

/// The command was handed over.
pub const SYCLRTC_EVENT_STATUS_SUBMITTED: u32 = 1;
/// The command is at work.
pub const SYCLRTC_EVENT_STATUS_RUNNING: u32 = 2;
/// The command is done, also when it failed.
pub const SYCLRTC_EVENT_STATUS_COMPLETE: u32 = 3;

/// When the command was handed over.
pub const SYCLRTC_EVENT_PROFILING_SUBMIT: u32 = 1;
/// When the command began.
pub const SYCLRTC_EVENT_PROFILING_START: u32 = 2;
/// When the command ended.
pub const SYCLRTC_EVENT_PROFILING_END: u32 = 3;

/// Waits until a command has completed.
///
/// `event`: borrowed for the call. Errors: `INVALID` for NULL or a wrong handle; `RUNTIME` if the command failed.
/// Threads: any. Since 0.1.0. SYCL 2020: `event::wait`.
///
/// # Safety
/// `event` must not be released before this returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syclrtc_event_wait(event: *const syclrtc_event_t) -> *mut syclrtc_error_t {
    // SAFETY: not released meanwhile, says the header.
    fallible(|| unsafe { handle::get::<Event>(event, "event") }?.wait())
}

/// How far a command is.
///
/// `event`: borrowed for the call. `status`: receives one of `SYCLRTC_EVENT_STATUS_*`. Errors: `INVALID` for NULL or a wrong
/// handle; `RUNTIME` if the driver fails; nothing is written then. Threads: any. Since 0.1.0.
/// SYCL 2020: `info::event::command_execution_status`.
///
/// # Safety
/// `event` must not be released before this returns; `status` must be writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syclrtc_event_status(event: *const syclrtc_event_t, status: *mut u32) -> *mut syclrtc_error_t {
    fallible(|| {
        // SAFETY: not released meanwhile and writable, says the header.
        let (event, out) = unsafe { (handle::get::<Event>(event, "event")?, Out::new(status, "status")?) };
        out.write(event.status()?.number());
        Ok(())
    })
}

/// A time in the life of a command, in nanoseconds of the device's clock; waits until the command has completed.
///
/// `event`: borrowed for the call. `param`: one of `SYCLRTC_EVENT_PROFILING_*`. `nanoseconds`: receives the time. Errors:
/// `INVALID` for NULL, a wrong handle, an unknown `param`, or a queue without `SYCLRTC_QUEUE_PROFILING`; `RUNTIME` if the
/// command or the driver failed; nothing is written then. Threads: any. Since 0.1.0. SYCL 2020:
/// `event::get_profiling_info`.
///
/// # Safety
/// `event` must not be released before this returns; `nanoseconds` must be writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syclrtc_event_profiling(
    event: *const syclrtc_event_t,
    param: u32,
    nanoseconds: *mut u64,
) -> *mut syclrtc_error_t {
    fallible(|| {
        // SAFETY: not released meanwhile and writable, says the header.
        let (event, out) = unsafe { (handle::get::<Event>(event, "event")?, Out::new(nanoseconds, "nanoseconds")?) };
        out.write(event.profiling(known(ProfilingPoint::from_number(param), param, "param")?)?);
        Ok(())
    })
}

/// A new reference to an event: the same pointer. NULL for NULL and for what is no event.
///
/// `event`: borrowed for the call. Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn syclrtc_event_clone(event: *const syclrtc_event_t) -> *mut syclrtc_event_t {
    infallible(ptr::null_mut(), || handle::clone::<Event>(event, "event"))
}

/// Ends the caller's reference to an event. NULL is allowed; what is no event is left alone.
///
/// `event`: transferred. Threads: any, while no other thread uses this reference. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn syclrtc_event_release(event: *mut syclrtc_event_t) {
    infallible((), || handle::release::<Event>(event, "event"));
}
