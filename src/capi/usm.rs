// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Unified shared memory.

use std::{ffi::c_void, ptr, sync::Arc};

use super::{
    border::fallible,
    handle::{self, syclrtc_context_t, syclrtc_device_t, syclrtc_error_t},
    input::Out,
    results::known,
};
use crate::{
    backend::{Address, UsmKind, UsmRequest},
    runtime::{Context, Device},
};

/// Host memory that devices can read and write.
pub const SYCLRTC_USM_HOST: u32 = 1;
/// Memory of one device.
pub const SYCLRTC_USM_DEVICE: u32 = 2;
/// Moves between the host and one device.
pub const SYCLRTC_USM_SHARED: u32 = 3;
/// Not a USM allocation of the context.
pub const SYCLRTC_USM_UNKNOWN: u32 = 4;

/// Allocates USM.
///
/// `context`: borrowed for the call. `device`: borrowed for the call; NULL for host allocations without a device. `kind`:
/// `SYCLRTC_USM_HOST`, `_DEVICE` or `_SHARED`. `alignment`: in bytes, 0 for the default. `pointer`: receives the memory, to
/// be freed by `syclrtc_usm_free`; NULL if there is not enough, `bytes` is 0, or the alignment is not supported. Errors:
/// `INVALID` for NULL, a wrong handle, an unknown `kind`, or a device that is missing or not in the context;
/// `FEATURE_NOT_SUPPORTED` if the device (without one: each device of the context) lacks such allocations; `RUNTIME` if the
/// driver fails; nothing is written then. Threads: any. Since 0.1.0. SYCL 2020: `malloc`, `aligned_alloc`.
///
/// # Safety
/// `context` and `device` must not be released before this returns; `pointer` must be writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syclrtc_usm_allocate(
    context: *const syclrtc_context_t,
    device: *const syclrtc_device_t,
    kind: u32,
    bytes: usize,
    alignment: usize,
    pointer: *mut *mut c_void,
) -> *mut syclrtc_error_t {
    fallible(|| {
        // SAFETY: not released meanwhile and writable, says the header.
        let (context, out) = unsafe { (handle::get::<Context>(context, "context")?, Out::new(pointer, "pointer")?) };
        // SAFETY: not released meanwhile, says the header.
        let device = unsafe { (!device.is_null()).then(|| handle::get::<Device>(device, "device")).transpose() }?;
        let kind = known(UsmKind::from_number(kind), kind, "kind")?;
        let memory = context.usm_allocate(device, UsmRequest { kind, bytes, alignment })?;
        out.write(memory.map_or(ptr::null_mut(), Address::pointer));
        Ok(())
    })
}

/// Frees USM. NULL does nothing. Waits for nothing: freeing memory that a command uses is undefined.
///
/// `context`: borrowed for the call; the one that the memory was allocated for. `pointer`: transferred. Errors: `INVALID` for
/// NULL as context, a wrong handle, or a pointer that is not the start of an allocation of the context, as far as the driver
/// tells. Threads: any. Since 0.1.0. SYCL 2020: `free`.
///
/// # Safety
/// `context` must not be released before this returns; nothing may use the memory any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syclrtc_usm_free(
    context: *const syclrtc_context_t,
    pointer: *mut c_void,
) -> *mut syclrtc_error_t {
    fallible(|| {
        // SAFETY: the context is not released meanwhile, and the memory is the caller's to give back, says the header.
        let (context, pointer) = unsafe { (handle::get::<Context>(context, "context")?, Address::new(pointer)) };
        context.usm_free(pointer)
    })
}

/// The kind of the allocation that a pointer points into.
///
/// `context`: borrowed for the call. `pointer`: any. `kind`: receives one of `SYCLRTC_USM_*`. Errors: `INVALID` for NULL as
/// context or `kind`, or a wrong handle; `RUNTIME` if the driver fails; nothing is written then. Threads: any.
/// Since 0.1.0. SYCL 2020: `get_pointer_type`.
///
/// # Safety
/// `context` must not be released before this returns; `kind` must be writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syclrtc_usm_kind(
    context: *const syclrtc_context_t,
    pointer: *const c_void,
    kind: *mut u32,
) -> *mut syclrtc_error_t {
    fallible(|| {
        // SAFETY: not released meanwhile and writable, says the header.
        let (context, out) = unsafe { (handle::get::<Context>(context, "context")?, Out::new(kind, "kind")?) };
        out.write(context.usm_kind(pointer)?.number());
        Ok(())
    })
}

/// The device of the allocation that a pointer points into; for host allocations the first of the context.
///
/// `context`: borrowed for the call. `pointer`: any. `device`: receives a new reference. Errors: `INVALID` for NULL as context
/// or `device`, a wrong handle, or a pointer that does not point into an allocation of the context; `RUNTIME` if the driver
/// fails; nothing is written then. Threads: any. Since 0.1.0. SYCL 2020: `get_pointer_device`.
///
/// # Safety
/// `context` must not be released before this returns; `device` must be writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syclrtc_usm_device(
    context: *const syclrtc_context_t,
    pointer: *const c_void,
    device: *mut *mut syclrtc_device_t,
) -> *mut syclrtc_error_t {
    fallible(|| {
        // SAFETY: not released meanwhile and writable, says the header.
        let (context, out) = unsafe { (handle::get::<Context>(context, "context")?, Out::new(device, "device")?) };
        out.write(handle::export(Arc::clone(context.usm_device(pointer)?)));
        Ok(())
    })
}
