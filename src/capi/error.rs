// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Error objects, texts and bytes.

use std::{
    ffi::{c_char, c_void},
    ptr,
};

use super::{
    border::infallible,
    handle::{self, Bytes, Text, syclrtc_bytes_t, syclrtc_error_t, syclrtc_text_t},
    input::Out,
};
use crate::error::{Error, Result};

/// General error; no device matches; the driver failed without a better code. SYCL: `errc::runtime`.
pub const SYCLRTC_ERROR_RUNTIME: u32 = 1;
/// Error before or while enqueuing a kernel. SYCL: `errc::kernel`.
pub const SYCLRTC_ERROR_KERNEL: u32 = 2;
/// Accessor misuse. SYCL: `errc::accessor`.
pub const SYCLRTC_ERROR_ACCESSOR: u32 = 3;
/// The range of a launch does not fit the kernel or the device. SYCL: `errc::nd_range`.
pub const SYCLRTC_ERROR_ND_RANGE: u32 = 4;
/// Event misuse. SYCL: `errc::event`.
pub const SYCLRTC_ERROR_EVENT: u32 = 5;
/// A kernel argument does not fit its parameter. SYCL: `errc::kernel_argument`.
pub const SYCLRTC_ERROR_KERNEL_ARGUMENT: u32 = 6;
/// A build failed; the error has a log. SYCL: `errc::build`.
pub const SYCLRTC_ERROR_BUILD: u32 = 7;
/// Bad parameter or call. SYCL: `errc::invalid`.
pub const SYCLRTC_ERROR_INVALID: u32 = 8;
/// Memory for a kernel or an object could not be had. SYCL: `errc::memory_allocation`.
pub const SYCLRTC_ERROR_MEMORY_ALLOCATION: u32 = 9;
/// Error of the platform. SYCL: `errc::platform`.
pub const SYCLRTC_ERROR_PLATFORM: u32 = 10;
/// Error with profiling information. SYCL: `errc::profiling`.
pub const SYCLRTC_ERROR_PROFILING: u32 = 11;
/// The device lacks a feature that the program asked for. SYCL: `errc::feature_not_supported`.
pub const SYCLRTC_ERROR_FEATURE_NOT_SUPPORTED: u32 = 12;
/// The device lacks a feature that the kernel needs, or the kernel was not built for it. SYCL:
/// `errc::kernel_not_supported`.
pub const SYCLRTC_ERROR_KERNEL_NOT_SUPPORTED: u32 = 13;
/// Interoperability with the wrong backend. SYCL: `errc::backend_mismatch`.
pub const SYCLRTC_ERROR_BACKEND_MISMATCH: u32 = 14;
/// A fault of the library itself. SYCL has no code for it; `errc::runtime` comes closest.
pub const SYCLRTC_ERROR_INTERNAL: u32 = 15;

/// Code of an error: one of `SYCLRTC_ERROR_*`; 0 for NULL and for what is no error object.
///
/// `error`: borrowed for the call. Threads: any. Since 0.1.0. SYCL 2020: `exception::code`.
///
/// # Safety
/// `error` must not be released before this returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syclrtc_error_code(error: *const syclrtc_error_t) -> u32 {
    infallible(0, || {
        if error.is_null() {
            return Ok(0);
        }
        // SAFETY: not released meanwhile, says the header.
        Ok(unsafe { handle::get::<Error>(error, "error") }?.code as u32)
    })
}

/// Message of an error, UTF-8 without a NUL at the end; never NULL, empty for what is no error object.
///
/// `error`: borrowed for the call. `length`: the number of bytes; NULL is allowed. The text belongs to the error and is
/// valid until its last reference is released. Threads: any. Since 0.1.0. SYCL 2020: `exception::what`.
///
/// # Safety
/// `error` must not be released before the last use of the text; `length` must be NULL or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syclrtc_error_message(error: *const syclrtc_error_t, length: *mut usize) -> *const c_char {
    // SAFETY: as the header asks.
    infallible(EMPTY, || unsafe { borrowed::<Error>(error, length, "error", |error| error.message.as_bytes()) })
}

/// Log of a build error, UTF-8 without a NUL at the end; never NULL, empty for all other errors.
///
/// `error`: borrowed for the call. `length`: the number of bytes; NULL is allowed. The text belongs to the error and is
/// valid until its last reference is released. Threads: any. Since 0.1.0.
///
/// # Safety
/// `error` must not be released before the last use of the text; `length` must be NULL or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syclrtc_error_log(error: *const syclrtc_error_t, length: *mut usize) -> *const c_char {
    let log = |error: &'static Error| error.log.as_deref().unwrap_or_default().as_bytes();
    // SAFETY: as the header asks.
    infallible(EMPTY, || unsafe { borrowed::<Error>(error, length, "error", log) })
}

/// A new reference to an error: the same pointer. NULL for NULL and for what is no error object.
///
/// `error`: borrowed for the call. Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn syclrtc_error_clone(error: *const syclrtc_error_t) -> *mut syclrtc_error_t {
    infallible(ptr::null_mut(), || handle::clone::<Error>(error, "error"))
}

/// Ends the caller's reference to an error. NULL is allowed; what is no error object is left alone.
///
/// `error`: transferred. Threads: any, while no other thread uses this reference. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn syclrtc_error_release(error: *mut syclrtc_error_t) {
    infallible((), || handle::release::<Error>(error, "error"));
}

/// The bytes of a text, UTF-8 without a NUL at the end; never NULL, empty for NULL and for what is no text.
///
/// `text`: borrowed for the call. `length`: the number of bytes; NULL is allowed. The bytes belong to the text and are
/// valid until it is released. Threads: any. Since 0.1.0.
///
/// # Safety
/// `text` must not be released before the last use of the bytes; `length` must be NULL or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syclrtc_text_data(text: *const syclrtc_text_t, length: *mut usize) -> *const c_char {
    // SAFETY: as the header asks.
    infallible(EMPTY, || unsafe { borrowed::<Text>(text, length, "text", |text| text.0.as_bytes()) })
}

/// Ends the caller's reference to a text. NULL is allowed; what is no text is left alone.
///
/// `text`: transferred. Threads: any, while no other thread uses this reference. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn syclrtc_text_release(text: *mut syclrtc_text_t) {
    infallible((), || handle::release::<Text>(text, "text"));
}

/// The bytes themselves; never NULL, none for NULL and for what is no object of bytes.
///
/// `bytes`: borrowed for the call. `length`: how many; NULL is allowed. They belong to the object and are valid until it is
/// released. Threads: any. Since 0.1.0.
///
/// # Safety
/// `bytes` must not be released before the last use of the bytes; `length` must be NULL or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syclrtc_bytes_data(bytes: *const syclrtc_bytes_t, length: *mut usize) -> *const c_void {
    // SAFETY: as the header asks.
    infallible(EMPTY.cast(), || unsafe {
        borrowed::<Bytes>(bytes, length, "bytes", |bytes| &bytes.0).map(<*const c_char>::cast)
    })
}

/// Ends the caller's reference to bytes. NULL is allowed; what is no object of bytes is left alone.
///
/// `bytes`: transferred. Threads: any, while no other thread uses this reference. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn syclrtc_bytes_release(bytes: *mut syclrtc_bytes_t) {
    infallible((), || handle::release::<Bytes>(bytes, "bytes"));
}

/// An empty text that is not NULL.
const EMPTY: *const c_char = c"".as_ptr();

/// Bytes inside an object, with their number; none for NULL and for other things than the object.
///
/// # Safety
/// `handle` must not be released before the last use of the bytes; `length` must be NULL or writable.
unsafe fn borrowed<T: handle::Object>(
    handle: *const T::Handle,
    length: *mut usize,
    name: &str,
    bytes: impl FnOnce(&'static T) -> &'static [u8],
) -> Result<*const c_char> {
    // SAFETY: `length` is as this function's own condition says.
    let length = unsafe { Out::optional(length, "length") }?;
    // SAFETY: the caller keeps the object until the last use of the bytes, which is what the lifetime stands for.
    let found = if handle.is_null() { Ok(None) } else { unsafe { handle::get::<T>(handle, name) }.map(Some) };
    let found = found.inspect_err(|error| log::error!("{}", error.message)).ok().flatten();
    let bytes = found.map_or(&[][..], bytes);
    if let Some(length) = length {
        length.write(bytes.len());
    }
    Ok(if bytes.is_empty() { EMPTY } else { bytes.as_ptr().cast() })
}
