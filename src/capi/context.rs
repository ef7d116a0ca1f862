// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Contexts.

use std::{ptr, sync::Arc};

use super::{
    border::{fallible, infallible},
    handle::{self, syclrtc_context_t, syclrtc_device_t, syclrtc_error_t, syclrtc_platform_t},
    input::{Out, OutList, elements},
};
use crate::{
    error::Result,
    runtime::{Context, Device},
};

/// The devices behind a list of handles.
///
/// # Safety
/// `devices` must be readable for `count` pointers; none of the handles may be released before this returns.
pub(super) unsafe fn devices_of(devices: *const *const syclrtc_device_t, count: usize) -> Result<Vec<Arc<Device>>> {
    // SAFETY: readable by the condition.
    let handles = unsafe { elements(devices, count, "devices") }?;
    // SAFETY: not released meanwhile by the condition.
    handles.iter().map(|device| unsafe { handle::share::<Device>(*device, "devices[]") }).collect()
}

/// A context of some devices of one platform, in this order, each once.
///
/// `devices`: `device_count` handles, borrowed for the call. `context`: receives a new reference. Errors: `INVALID` for NULL,
/// a wrong handle, no device, or devices of different platforms; `RUNTIME` if the driver fails; nothing is written then.
/// Threads: any. Since 0.1.0. SYCL 2020: constructors of `context`.
///
/// # Safety
/// `devices` must be readable for `device_count` pointers; the handles must not be released before this returns;
/// `context` must be writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syclrtc_context_create(
    devices: *const *const syclrtc_device_t,
    device_count: usize,
    context: *mut *mut syclrtc_context_t,
) -> *mut syclrtc_error_t {
    fallible(|| {
        // SAFETY: readable, not released meanwhile and writable, says the header.
        let (devices, out) = unsafe { (devices_of(devices, device_count)?, Out::new(context, "context")?) };
        out.write(handle::export(Context::new(&devices)?));
        Ok(())
    })
}

/// The devices of a context, in the order given at its creation, each once.
///
/// `context`: borrowed for the call. `devices`: receives at most `capacity` new references; may be NULL if that is 0.
/// `count`: how many there are. Errors: `INVALID` for NULL or a wrong handle; nothing is written then.
/// Threads: any. Since 0.1.0. SYCL 2020: `context::get_devices`.
///
/// # Safety
/// `context` must not be released before this returns; `devices` must be writable for `capacity` pointers, `count` for
/// one number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syclrtc_context_devices(
    context: *const syclrtc_context_t,
    capacity: usize,
    devices: *mut *mut syclrtc_device_t,
    count: *mut usize,
) -> *mut syclrtc_error_t {
    fallible(|| {
        // SAFETY: not released meanwhile and writable, says the header.
        let (context, out) = unsafe {
            (handle::get::<Context>(context, "context")?, OutList::new(devices, capacity, count, "devices")?)
        };
        out.write(context.devices(), |device| handle::export(Arc::clone(device)));
        Ok(())
    })
}

/// The platform of a context.
///
/// `context`: borrowed for the call. `platform`: receives a new reference. Errors: `INVALID` for NULL or a wrong handle;
/// nothing is written then. Threads: any. Since 0.1.0. SYCL 2020: `context::get_platform`.
///
/// # Safety
/// `context` must not be released before this returns; `platform` must be writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syclrtc_context_platform(
    context: *const syclrtc_context_t,
    platform: *mut *mut syclrtc_platform_t,
) -> *mut syclrtc_error_t {
    fallible(|| {
        // SAFETY: not released meanwhile and writable, says the header.
        let (context, out) = unsafe { (handle::get::<Context>(context, "context")?, Out::new(platform, "platform")?) };
        out.write(handle::export(Arc::clone(context.platform())));
        Ok(())
    })
}

/// A new reference to a context: the same pointer. NULL for NULL and for what is no context.
///
/// `context`: borrowed for the call. Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn syclrtc_context_clone(context: *const syclrtc_context_t) -> *mut syclrtc_context_t {
    infallible(ptr::null_mut(), || handle::clone::<Context>(context, "context"))
}

/// Ends the caller's reference to a context. NULL is allowed; what is no context is left alone.
///
/// `context`: transferred. Threads: any, while no other thread uses this reference. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn syclrtc_context_release(context: *mut syclrtc_context_t) {
    infallible((), || handle::release::<Context>(context, "context"));
}
