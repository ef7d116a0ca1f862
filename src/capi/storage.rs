// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Bundles as bytes: save, load, and the code that they hold.

use std::{ffi::c_void, sync::Arc};

use super::{
    border::fallible,
    context::devices_of,
    handle::{
        self, Bytes, syclrtc_bytes_t, syclrtc_context_t, syclrtc_device_t, syclrtc_error_t, syclrtc_kernel_bundle_t,
    },
    input::{Out, elements},
    results::known,
};
use crate::{
    bundle::{BundleState, CodeFormat, CodeRequest, KernelBundle},
    runtime::{Context, Device},
};

/// A SPIR-V module.
pub const SYCLRTC_CODE_FORMAT_SPIRV: u32 = 1;
/// PTX text, for devices of CUDA.
pub const SYCLRTC_CODE_FORMAT_PTX: u32 = 2;
/// LLVM IR, as text.
pub const SYCLRTC_CODE_FORMAT_LLVM_IR: u32 = 3;
/// What the driver made of the code for one device, in the driver's own format.
pub const SYCLRTC_CODE_FORMAT_NATIVE: u32 = 4;

/// A bundle as bytes, for `syclrtc_kernel_bundle_create_from_content` in this process or another: code, names, parameters,
/// properties and device globals.
///
/// `bundle`: borrowed for the call; not a source. `content`: receives a new reference. Errors: `INVALID` for NULL, a wrong
/// handle or a source; nothing is written then. Threads: any. Since 0.1.0.
/// sycl_ext_oneapi_syclbin: `kernel_bundle::ext_oneapi_get_content`.
///
/// # Safety
/// `bundle` must not be released before this returns; `content` must be writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syclrtc_kernel_bundle_content(
    bundle: *const syclrtc_kernel_bundle_t,
    content: *mut *mut syclrtc_bytes_t,
) -> *mut syclrtc_error_t {
    fallible(|| {
        // SAFETY: not released meanwhile and writable, says the header.
        let (bundle, out) = unsafe { (handle::get::<KernelBundle>(bundle, "bundle")?, Out::new(content, "content")?) };
        out.write(handle::export(Arc::new(Bytes(bundle.content()?))));
        Ok(())
    })
}

/// A bundle from the bytes of one. It has the kernels that fit at least one of the devices; if none fits, it is empty.
///
/// `context`: borrowed for the call. `devices`: `device_count` handles, at least one, borrowed for the call. `state`: one of
/// `SYCLRTC_BUNDLE_STATE_*`, which has to be the state in the bytes. `content`: `content_bytes` bytes, any; copied. `bundle`:
/// receives a new reference.
///
/// Errors; nothing is written then:
/// `INVALID` for NULL, a wrong handle, an unknown state or that of a source, no device, a device that is not in the context,
/// bytes that are damaged, of another format or of an unknown version, another state in them, or, for `INPUT` and `OBJECT`, a
/// device of the context without the aspect `online_compiler` or `online_linker`;
/// `BUILD` if the driver refuses the code, with its log.
/// Threads: any. Since 0.1.0. sycl_ext_oneapi_syclbin: `get_kernel_bundle`.
///
/// # Safety
/// `context` and `devices` must not be released before this returns; `devices` must be readable for `device_count`
/// pointers, `content` for `content_bytes`; `bundle` must be writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syclrtc_kernel_bundle_create_from_content(
    context: *const syclrtc_context_t,
    devices: *const *const syclrtc_device_t,
    device_count: usize,
    state: u32,
    content: *const c_void,
    content_bytes: usize,
    bundle: *mut *mut syclrtc_kernel_bundle_t,
) -> *mut syclrtc_error_t {
    fallible(|| {
        // SAFETY: not released meanwhile, readable and writable, says the header.
        let (context, devices, content, out) = unsafe {
            (
                handle::share::<Context>(context, "context")?,
                devices_of(devices, device_count)?,
                elements(content.cast::<u8>(), content_bytes, "content")?,
                Out::new(bundle, "bundle")?,
            )
        };
        let state = known(BundleState::from_number(state), state, "state")?;
        out.write(handle::export(KernelBundle::from_content(&context, &devices, state, content)?));
        Ok(())
    })
}

/// Code of a bundle.
///
/// `bundle`: borrowed for the call; not a source. `format`: one of `SYCLRTC_CODE_FORMAT_*`. `device`: borrowed for the call, a
/// device of the bundle; NULL for the first one. `code`: receives a new reference. Errors: `INVALID` for NULL, a wrong handle,
/// an unknown format, a source, a device that is not the bundle's, or a bundle without code or with that of several compiles,
/// as after a join; `FEATURE_NOT_SUPPORTED` if there is no code in this format; `BUILD` if the compiler program fails;
/// `RUNTIME` if the driver fails; nothing is written then. Threads: any. Since 0.1.0.
///
/// # Safety
/// `bundle` and `device` must not be released before this returns; `code` must be writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syclrtc_kernel_bundle_code(
    bundle: *const syclrtc_kernel_bundle_t,
    format: u32,
    device: *const syclrtc_device_t,
    code: *mut *mut syclrtc_bytes_t,
) -> *mut syclrtc_error_t {
    fallible(|| {
        // SAFETY: not released meanwhile and writable, says the header.
        let (bundle, out) = unsafe { (handle::get::<KernelBundle>(bundle, "bundle")?, Out::new(code, "code")?) };
        let format = known(CodeFormat::from_number(format), format, "format")?;
        // SAFETY: not released meanwhile, says the header.
        let device = if device.is_null() { None } else { Some(unsafe { handle::get::<Device>(device, "device") }?) };
        out.write(handle::export(Arc::new(Bytes(bundle.code(&CodeRequest { format, device })?))));
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_of_the_header_are_those_inside() -> crate::error::Result<()> {
        for (number, inside) in [
            (SYCLRTC_CODE_FORMAT_SPIRV, CodeFormat::Spirv),
            (SYCLRTC_CODE_FORMAT_PTX, CodeFormat::Ptx),
            (SYCLRTC_CODE_FORMAT_LLVM_IR, CodeFormat::LlvmIr),
            (SYCLRTC_CODE_FORMAT_NATIVE, CodeFormat::Native),
        ] {
            assert_eq!(known(CodeFormat::from_number(number), number, "format")?, inside);
        }
        Ok(())
    }
}
