// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Device globals of a bundle.

use std::{
    ffi::{c_char, c_void},
    str,
};

use super::{
    border::fallible,
    handle::{self, syclrtc_device_t, syclrtc_error_t, syclrtc_kernel_bundle_t},
    input::{Out, elements, text},
};
use crate::{bundle::KernelBundle, runtime::Device};

/// Whether a bundle has a device global of some name that the host can reach, i.e. without the property
/// `device_image_scope`. The name is qualified if the variable is in a namespace, or a registered string.
///
/// `bundle`: borrowed for the call. `name`: `name_length` bytes, any, borrowed for the call. `has`: receives the answer.
/// Errors: `INVALID` for NULL or a wrong handle; nothing is written then. Threads: any. Since 0.1.0.
/// sycl_ext_oneapi_kernel_compiler: `kernel_bundle::ext_oneapi_has_device_global`.
///
/// # Safety
/// `bundle` must not be released before this returns; `name` must be readable for `name_length`; `has` must be writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syclrtc_kernel_bundle_has_device_global(
    bundle: *const syclrtc_kernel_bundle_t,
    name: *const c_char,
    name_length: usize,
    has: *mut bool,
) -> *mut syclrtc_error_t {
    fallible(|| {
        // SAFETY: not released meanwhile, readable and writable, says the header.
        let (bundle, name, out) = unsafe {
            (
                handle::get::<KernelBundle>(bundle, "bundle")?,
                elements(name.cast::<u8>(), name_length, "name")?,
                Out::new(has, "has")?,
            )
        };
        // The names are UTF-8, so another one is none of them.
        out.write(str::from_utf8(name).is_ok_and(|name| bundle.has_device_global(name)));
        Ok(())
    })
}

/// Size of the object that a device global holds.
///
/// `bundle`: borrowed for the call. `name`: as for `syclrtc_kernel_bundle_has_device_global`. `bytes`: receives the size.
/// Errors: `INVALID` for NULL, a wrong handle, or a name that no device global has; nothing is written then. Threads: any.
/// Since 0.1.0. sycl_ext_oneapi_kernel_compiler: `kernel_bundle::ext_oneapi_get_device_global_size`.
///
/// # Safety
/// `bundle` must not be released before this returns; `name` must be readable for `name_length`; `bytes` must be writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syclrtc_kernel_bundle_device_global_size(
    bundle: *const syclrtc_kernel_bundle_t,
    name: *const c_char,
    name_length: usize,
    bytes: *mut usize,
) -> *mut syclrtc_error_t {
    fallible(|| {
        // SAFETY: not released meanwhile, readable and writable, says the header.
        let (bundle, name, out) = unsafe {
            (
                handle::get::<KernelBundle>(bundle, "bundle")?,
                text(name, name_length, "name")?,
                Out::new(bytes, "bytes")?,
            )
        };
        let size = bundle.device_global_size(name)?;
        // More than the address space has cannot be allocated either.
        out.write(usize::try_from(size).unwrap_or(usize::MAX));
        Ok(())
    })
}

/// Where a device global is on a device: memory for `syclrtc_queue_memcpy` and the like. It exists and holds its initial value
/// when the call returns, belongs to the bundle, and is shared by all of its kernels on this device.
///
/// `bundle`: borrowed for the call; an executable one. `name`: as for `syclrtc_kernel_bundle_has_device_global`. `device`:
/// borrowed for the call. `address`: receives the address, which is valid as long as the bundle or one of its kernels exists.
/// Errors: `INVALID` for NULL, a wrong handle, a bundle in another state, a name that no device global has, one with the
/// property `device_image_scope`, or a device that the bundle does not have; `MEMORY_ALLOCATION` if there is no memory for it
/// or it cannot be initialised; nothing is written then. Threads: any. Since 0.1.0.
/// sycl_ext_oneapi_kernel_compiler: `kernel_bundle::ext_oneapi_get_device_global_address`.
///
/// # Safety
/// `bundle` and `device` must not be released before this returns; `name` must be readable for `name_length`; `address`
/// must be writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syclrtc_kernel_bundle_device_global_address(
    bundle: *const syclrtc_kernel_bundle_t,
    name: *const c_char,
    name_length: usize,
    device: *const syclrtc_device_t,
    address: *mut *mut c_void,
) -> *mut syclrtc_error_t {
    fallible(|| {
        // SAFETY: not released meanwhile, readable and writable, says the header.
        let (bundle, name, device, out) = unsafe {
            (
                handle::share::<KernelBundle>(bundle, "bundle")?,
                text(name, name_length, "name")?,
                handle::get::<Device>(device, "device")?,
                Out::new(address, "address")?,
            )
        };
        out.write(bundle.device_global_address(name, device)?.pointer());
        Ok(())
    })
}
