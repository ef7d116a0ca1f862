// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Kernels.

use std::{ffi::c_void, ptr, sync::Arc};

use super::{
    border::{fallible, infallible},
    handle::{self, syclrtc_context_t, syclrtc_device_t, syclrtc_error_t, syclrtc_kernel_bundle_t, syclrtc_kernel_t},
    input::{Out, OutBytes},
    results::{known, write_info},
};
use crate::{
    backend::InfoValue,
    bundle::{Kernel, KernelDeviceParam},
    runtime::Device,
};

/// uint32_t: number of formal parameters.
pub const SYCLRTC_KERNEL_INFO_NUM_ARGS: u32 = 1;
/// Text: name of the entry point.
pub const SYCLRTC_KERNEL_INFO_FUNCTION_NAME: u32 = 2;
/// Text: properties that the source gave it, such as `reqd_work_group_size(32,1)`, separated by blanks.
pub const SYCLRTC_KERNEL_INFO_ATTRIBUTES: u32 = 3;
/// size_t, needs a device: work-items of a work-group at most.
pub const SYCLRTC_KERNEL_INFO_WORK_GROUP_SIZE: u32 = 16;
/// size_t, needs a device: work-group sizes should be multiples of it.
pub const SYCLRTC_KERNEL_INFO_PREFERRED_WORK_GROUP_SIZE_MULTIPLE: u32 = 17;
/// size_t, needs a device: bytes for each work-item.
pub const SYCLRTC_KERNEL_INFO_PRIVATE_MEM_SIZE: u32 = 18;
/// `size_t[3]`, needs a device: required work-group size as a range of three dimensions, zeros if there is none.
pub const SYCLRTC_KERNEL_INFO_COMPILE_WORK_GROUP_SIZE: u32 = 19;
/// uint32_t, needs a device: sub-groups of a work-group at most.
pub const SYCLRTC_KERNEL_INFO_MAX_NUM_SUB_GROUPS: u32 = 20;
/// uint32_t, needs a device: required number of sub-groups or 0.
pub const SYCLRTC_KERNEL_INFO_COMPILE_NUM_SUB_GROUPS: u32 = 21;
/// uint32_t, needs a device: work-items of a sub-group at most.
pub const SYCLRTC_KERNEL_INFO_MAX_SUB_GROUP_SIZE: u32 = 22;
/// uint32_t, needs a device: required sub-group size or 0.
pub const SYCLRTC_KERNEL_INFO_COMPILE_SUB_GROUP_SIZE: u32 = 23;

/// The bundle that a kernel came from.
///
/// `kernel`: borrowed for the call. `bundle`: receives a new reference. Errors: `INVALID` for NULL or a wrong handle; nothing
/// is written then. Threads: any. Since 0.1.0. SYCL 2020: `kernel::get_kernel_bundle`.
///
/// # Safety
/// `kernel` must not be released before this returns; `bundle` must be writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syclrtc_kernel_bundle_of(
    kernel: *const syclrtc_kernel_t,
    bundle: *mut *mut syclrtc_kernel_bundle_t,
) -> *mut syclrtc_error_t {
    fallible(|| {
        // SAFETY: not released meanwhile and writable, says the header.
        let (kernel, out) = unsafe { (handle::get::<Kernel>(kernel, "kernel")?, Out::new(bundle, "bundle")?) };
        out.write(handle::export(Arc::clone(kernel.bundle())));
        Ok(())
    })
}

/// The context of a kernel.
///
/// `kernel`: borrowed for the call. `context`: receives a new reference. Errors: `INVALID` for NULL or a wrong handle; nothing
/// is written then. Threads: any. Since 0.1.0. SYCL 2020: `kernel::get_context`.
///
/// # Safety
/// `kernel` must not be released before this returns; `context` must be writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syclrtc_kernel_context(
    kernel: *const syclrtc_kernel_t,
    context: *mut *mut syclrtc_context_t,
) -> *mut syclrtc_error_t {
    fallible(|| {
        // SAFETY: not released meanwhile and writable, says the header.
        let (kernel, out) = unsafe { (handle::get::<Kernel>(kernel, "kernel")?, Out::new(context, "context")?) };
        out.write(handle::export(Arc::clone(kernel.context())));
        Ok(())
    })
}

/// Answers a question about a kernel.
///
/// `kernel`: borrowed for the call. `device`: borrowed for the call; NULL is allowed where the parameter needs none. `param`:
/// one of `SYCLRTC_KERNEL_INFO_*`, where the type of the answer is said; texts come without a NUL. `value`: receives the
/// answer; may be NULL if `capacity` is 0. `size`: how many bytes it has. Errors: `INVALID` for NULL, a wrong handle, an
/// unknown `param`, a device that the kernel was not built for, or a capacity that is too small and not 0; nothing is
/// written then. Threads: any. Since 0.1.0. SYCL 2020: `kernel::get_info`.
///
/// # Safety
/// `kernel` and `device` must not be released before this returns; `value` must be writable for `capacity` bytes, `size`
/// for one number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syclrtc_kernel_info(
    kernel: *const syclrtc_kernel_t,
    device: *const syclrtc_device_t,
    param: u32,
    capacity: usize,
    value: *mut c_void,
    size: *mut usize,
) -> *mut syclrtc_error_t {
    fallible(|| {
        // SAFETY: not released meanwhile and writable, says the header.
        let (kernel, out) =
            unsafe { (handle::get::<Kernel>(kernel, "kernel")?, OutBytes::new(value, capacity, size)?) };
        if let Some(answer) = general_info(kernel, param) {
            return write_info(&answer, out);
        }
        let param = known(KernelDeviceParam::from_number(param), param, "param")?;
        // SAFETY: not released meanwhile, says the header.
        let device = unsafe { handle::get::<Device>(device, "device") }?;
        write_info(&kernel.device_info(device, param)?, out)
    })
}

fn general_info(kernel: &Kernel, param: u32) -> Option<InfoValue> {
    let info = kernel.info();
    match param {
        SYCLRTC_KERNEL_INFO_NUM_ARGS => Some(InfoValue::U32(u32::try_from(info.parameters.len()).unwrap_or(u32::MAX))),
        SYCLRTC_KERNEL_INFO_FUNCTION_NAME => Some(InfoValue::Text(info.raw_name.clone())),
        SYCLRTC_KERNEL_INFO_ATTRIBUTES => Some(InfoValue::Text(kernel.attributes())),
        _ => None,
    }
}

/// A new reference to a kernel: the same pointer. NULL for NULL and for what is no kernel.
///
/// `kernel`: borrowed for the call. Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn syclrtc_kernel_clone(kernel: *const syclrtc_kernel_t) -> *mut syclrtc_kernel_t {
    infallible(ptr::null_mut(), || handle::clone::<Kernel>(kernel, "kernel"))
}

/// Ends the caller's reference to a kernel. NULL is allowed; what is no kernel is left alone.
///
/// `kernel`: transferred. Threads: any, while no other thread uses this reference. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn syclrtc_kernel_release(kernel: *mut syclrtc_kernel_t) {
    infallible((), || handle::release::<Kernel>(kernel, "kernel"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_of_the_header_are_those_inside() -> crate::error::Result<()> {
        for (number, inside) in [
            (SYCLRTC_KERNEL_INFO_WORK_GROUP_SIZE, KernelDeviceParam::WorkGroupSize),
            (SYCLRTC_KERNEL_INFO_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, KernelDeviceParam::PreferredWorkGroupSizeMultiple),
            (SYCLRTC_KERNEL_INFO_PRIVATE_MEM_SIZE, KernelDeviceParam::PrivateMemSize),
            (SYCLRTC_KERNEL_INFO_COMPILE_WORK_GROUP_SIZE, KernelDeviceParam::CompileWorkGroupSize),
            (SYCLRTC_KERNEL_INFO_MAX_NUM_SUB_GROUPS, KernelDeviceParam::MaxNumSubGroups),
            (SYCLRTC_KERNEL_INFO_COMPILE_NUM_SUB_GROUPS, KernelDeviceParam::CompileNumSubGroups),
            (SYCLRTC_KERNEL_INFO_MAX_SUB_GROUP_SIZE, KernelDeviceParam::MaxSubGroupSize),
            (SYCLRTC_KERNEL_INFO_COMPILE_SUB_GROUP_SIZE, KernelDeviceParam::CompileSubGroupSize),
        ] {
            assert_eq!(known(KernelDeviceParam::from_number(number), number, "param")?, inside);
        }
        Ok(())
    }
}
