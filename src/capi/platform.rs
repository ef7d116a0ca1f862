// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Platforms.

use std::{ffi::c_void, ptr, sync::Arc};

use super::{
    border::{fallible, infallible},
    handle::{self, Text, syclrtc_context_t, syclrtc_device_t, syclrtc_error_t, syclrtc_platform_t, syclrtc_text_t},
    input::{Out, OutBytes, OutList},
    results::known,
};
use crate::{
    backend::PlatformInfo,
    runtime::{self, Platform},
};

/// OpenCL.
pub const SYCLRTC_BACKEND_OPENCL: u32 = 1;
/// Level Zero.
pub const SYCLRTC_BACKEND_LEVEL_ZERO: u32 = 2;
/// CUDA driver API.
pub const SYCLRTC_BACKEND_CUDA: u32 = 3;
/// HIP.
pub const SYCLRTC_BACKEND_HIP: u32 = 4;
/// The host processor, without a driver.
pub const SYCLRTC_BACKEND_NATIVE_CPU: u32 = 5;

/// Text: name of the platform.
pub const SYCLRTC_PLATFORM_INFO_NAME: u32 = 1;
/// Text: vendor.
pub const SYCLRTC_PLATFORM_INFO_VENDOR: u32 = 2;
/// Text: version of the driver interface, as the driver words it.
pub const SYCLRTC_PLATFORM_INFO_VERSION: u32 = 3;

/// The platforms that have a device which passes `ONEAPI_DEVICE_SELECTOR`. None is no error.
///
/// `platforms`: receives at most `capacity` new references; may be NULL if that is 0. `count`: how many there are.
/// Errors: `INVALID` if a pointer is NULL or `ONEAPI_DEVICE_SELECTOR` does not parse; `RUNTIME` in a child of `fork` whose
/// parent had used devices. Nothing is written then.
/// Threads: any. Since 0.1.0. SYCL 2020: `platform::get_platforms`.
///
/// # Safety
/// `platforms` must be writable for `capacity` pointers, `count` for one number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syclrtc_platform_list(
    capacity: usize,
    platforms: *mut *mut syclrtc_platform_t,
    count: *mut usize,
) -> *mut syclrtc_error_t {
    fallible(|| {
        // SAFETY: writable, says the header.
        let out = unsafe { OutList::new(platforms, capacity, count, "platforms") }?;
        out.write(runtime::platforms()?, |platform| handle::export(Arc::clone(platform)));
        Ok(())
    })
}

/// The devices of a platform that pass `ONEAPI_DEVICE_SELECTOR`, in the driver's order; at least one.
///
/// `platform`: borrowed for the call. `devices`: receives at most `capacity` new references; may be NULL if that is 0.
/// `count`: how many there are. Errors: `INVALID` for NULL or a wrong handle; nothing is written then.
/// Threads: any. Since 0.1.0. SYCL 2020: `platform::get_devices`.
///
/// # Safety
/// `platform` must not be released before this returns; `devices` must be writable for `capacity` pointers, `count` for
/// one number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syclrtc_platform_devices(
    platform: *const syclrtc_platform_t,
    capacity: usize,
    devices: *mut *mut syclrtc_device_t,
    count: *mut usize,
) -> *mut syclrtc_error_t {
    fallible(|| {
        // SAFETY: not released meanwhile and writable, says the header.
        let (platform, out) = unsafe {
            (handle::get::<Platform>(platform, "platform")?, OutList::new(devices, capacity, count, "devices")?)
        };
        out.write(platform.devices(), |device| handle::export(Arc::clone(device)));
        Ok(())
    })
}

/// The context of all devices of a platform that queues made from a device alone share; always the same one.
///
/// `platform`: borrowed for the call. `context`: receives a new reference. Errors: `INVALID` for NULL or a wrong handle;
/// `RUNTIME` if the driver fails; nothing is written then.
/// Threads: any. Since 0.1.0. Extension: `platform::ext_oneapi_get_default_context`.
///
/// # Safety
/// `platform` must not be released before this returns; `context` must be writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syclrtc_platform_default_context(
    platform: *const syclrtc_platform_t,
    context: *mut *mut syclrtc_context_t,
) -> *mut syclrtc_error_t {
    fallible(|| {
        // SAFETY: not released meanwhile and writable, says the header.
        let (platform, out) =
            unsafe { (handle::get::<Platform>(platform, "platform")?, Out::new(context, "context")?) };
        out.write(handle::export(platform.default_context()?));
        Ok(())
    })
}

/// The driver interface of a platform.
///
/// `platform`: borrowed for the call. `backend`: receives one of `SYCLRTC_BACKEND_*`. Errors: `INVALID` for NULL or a wrong
/// handle; nothing is written then. Threads: any. Since 0.1.0. SYCL 2020: `platform::get_backend`.
///
/// # Safety
/// `platform` must not be released before this returns; `backend` must be writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syclrtc_platform_backend(
    platform: *const syclrtc_platform_t,
    backend: *mut u32,
) -> *mut syclrtc_error_t {
    fallible(|| {
        // SAFETY: not released meanwhile and writable, says the header.
        let (platform, out) =
            unsafe { (handle::get::<Platform>(platform, "platform")?, Out::new(backend, "backend")?) };
        out.write(platform.backend().number());
        Ok(())
    })
}

/// Text about a platform.
///
/// `platform`: borrowed for the call. `param`: one of `SYCLRTC_PLATFORM_INFO_*`. `value`: receives the bytes, without a NUL;
/// may be NULL if `capacity` is 0. `size`: how many bytes there are. Errors: `INVALID` for NULL, a wrong handle, an
/// unknown `param`, or a capacity that is too small and not 0; nothing is written then.
/// Threads: any. Since 0.1.0. SYCL 2020: `platform::get_info`.
///
/// # Safety
/// `platform` must not be released before this returns; `value` must be writable for `capacity` bytes, `size` for one
/// number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syclrtc_platform_info(
    platform: *const syclrtc_platform_t,
    param: u32,
    capacity: usize,
    value: *mut c_void,
    size: *mut usize,
) -> *mut syclrtc_error_t {
    fallible(|| {
        // SAFETY: not released meanwhile and writable, says the header.
        let (platform, out) =
            unsafe { (handle::get::<Platform>(platform, "platform")?, OutBytes::new(value, capacity, size)?) };
        let param = known(PlatformInfo::from_number(param), param, "param")?;
        out.write(platform.info(param).as_bytes())
    })
}

/// What was looked for and what each driver loader answered, one line each: for messages about missing devices.
///
/// `text`: receives a new reference. Errors: `INVALID` if it is NULL or `ONEAPI_DEVICE_SELECTOR` does not parse; `RUNTIME` in
/// a child of `fork` whose parent had used devices; nothing is written then. Threads: any. Since 0.1.0.
///
/// # Safety
/// `text` must be writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syclrtc_platform_discovery_report(text: *mut *mut syclrtc_text_t) -> *mut syclrtc_error_t {
    fallible(|| {
        // SAFETY: writable, says the header.
        let out = unsafe { Out::new(text, "text") }?;
        out.write(handle::export(Arc::new(Text(runtime::discovery_report()?))));
        Ok(())
    })
}

/// A new reference to a platform: the same pointer. NULL for NULL and for what is no platform.
///
/// `platform`: borrowed for the call. Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn syclrtc_platform_clone(platform: *const syclrtc_platform_t) -> *mut syclrtc_platform_t {
    infallible(ptr::null_mut(), || handle::clone::<Platform>(platform, "platform"))
}

/// Ends the caller's reference to a platform. NULL is allowed; what is no platform is left alone.
///
/// `platform`: transferred. Threads: any, while no other thread uses this reference. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn syclrtc_platform_release(platform: *mut syclrtc_platform_t) {
    infallible((), || handle::release::<Platform>(platform, "platform"));
}
