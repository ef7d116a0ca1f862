// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Devices.

use std::{
    ffi::{c_char, c_void},
    ptr, str,
    sync::Arc,
};

use super::{
    border::{fallible, infallible},
    handle::{self, Text, syclrtc_device_t, syclrtc_error_t, syclrtc_platform_t, syclrtc_text_t},
    input::{Out, OutBytes, Structure, elements, write_structure},
    results::{known, write_info},
};
use crate::{
    backend::{Aspect, ClVersion, DeviceInfo},
    bundle::{self, Language},
    runtime::Device,
};

/// A processor that also runs the host program, or one like it.
pub const SYCLRTC_DEVICE_TYPE_CPU: u32 = 1;
/// Graphics processor.
pub const SYCLRTC_DEVICE_TYPE_GPU: u32 = 2;
/// Accelerator, FPGA.
pub const SYCLRTC_DEVICE_TYPE_ACCELERATOR: u32 = 3;
/// Runs built-in kernels only.
pub const SYCLRTC_DEVICE_TYPE_CUSTOM: u32 = 4;

/// Text: name.
pub const SYCLRTC_DEVICE_INFO_NAME: u32 = 1;
/// Text: vendor.
pub const SYCLRTC_DEVICE_INFO_VENDOR: u32 = 2;
/// Text: version of the driver.
pub const SYCLRTC_DEVICE_INFO_DRIVER_VERSION: u32 = 3;
/// Text: version of the device, as the driver words it.
pub const SYCLRTC_DEVICE_INFO_VERSION: u32 = 4;
/// Text: version of the driver interface, `major.minor`.
pub const SYCLRTC_DEVICE_INFO_BACKEND_VERSION: u32 = 5;
/// uint32_t: one of `SYCLRTC_DEVICE_TYPE_*`.
pub const SYCLRTC_DEVICE_INFO_DEVICE_TYPE: u32 = 16;
/// uint32_t: number of the vendor.
pub const SYCLRTC_DEVICE_INFO_VENDOR_ID: u32 = 17;
/// uint32_t: parallel compute units.
pub const SYCLRTC_DEVICE_INFO_MAX_COMPUTE_UNITS: u32 = 18;
/// uint32_t: dimensions of an index space.
pub const SYCLRTC_DEVICE_INFO_MAX_WORK_ITEM_DIMENSIONS: u32 = 19;
/// uint32_t: sub-groups of a work-group, 0 if unknown.
pub const SYCLRTC_DEVICE_INFO_MAX_NUM_SUB_GROUPS: u32 = 20;
/// uint32_t: MHz, 0 if unknown.
pub const SYCLRTC_DEVICE_INFO_MAX_CLOCK_FREQUENCY: u32 = 21;
/// uint32_t: bits of an address.
pub const SYCLRTC_DEVICE_INFO_ADDRESS_BITS: u32 = 22;
/// uint32_t: bits.
pub const SYCLRTC_DEVICE_INFO_MEM_BASE_ADDR_ALIGN: u32 = 23;
/// uint32_t: bytes.
pub const SYCLRTC_DEVICE_INFO_GLOBAL_MEM_CACHE_LINE_SIZE: u32 = 24;
/// uint32_t: 0 none, 1 dedicated local memory, 2 global memory.
pub const SYCLRTC_DEVICE_INFO_LOCAL_MEM_TYPE: u32 = 25;
/// uint32_t: 0 none, 1 read-only, 2 read-write.
pub const SYCLRTC_DEVICE_INFO_GLOBAL_MEM_CACHE_TYPE: u32 = 26;
/// uint32_t: 0 or 1.
pub const SYCLRTC_DEVICE_INFO_IS_AVAILABLE: u32 = 27;
/// uint32_t: 0 or 1.
pub const SYCLRTC_DEVICE_INFO_ERROR_CORRECTION_SUPPORT: u32 = 28;
/// size_t: work-items of a work-group.
pub const SYCLRTC_DEVICE_INFO_MAX_WORK_GROUP_SIZE: u32 = 48;
/// size_t: bytes of all arguments of a kernel.
pub const SYCLRTC_DEVICE_INFO_MAX_PARAMETER_SIZE: u32 = 49;
/// size_t: nanoseconds.
pub const SYCLRTC_DEVICE_INFO_PROFILING_TIMER_RESOLUTION: u32 = 50;
/// size_t: bytes.
pub const SYCLRTC_DEVICE_INFO_PRINTF_BUFFER_SIZE: u32 = 51;
/// `size_t[3]`: work-items of a work-group in each dimension, SYCL order of a range of three dimensions.
pub const SYCLRTC_DEVICE_INFO_MAX_WORK_ITEM_SIZES: u32 = 52;
/// `size_t[]`: sub-group sizes, none if unknown.
pub const SYCLRTC_DEVICE_INFO_SUB_GROUP_SIZES: u32 = 53;
/// uint64_t: bytes.
pub const SYCLRTC_DEVICE_INFO_GLOBAL_MEM_SIZE: u32 = 64;
/// uint64_t: bytes.
pub const SYCLRTC_DEVICE_INFO_LOCAL_MEM_SIZE: u32 = 65;
/// uint64_t: bytes.
pub const SYCLRTC_DEVICE_INFO_MAX_MEM_ALLOC_SIZE: u32 = 66;
/// uint64_t: bytes.
pub const SYCLRTC_DEVICE_INFO_GLOBAL_MEM_CACHE_SIZE: u32 = 67;

/// Is a CPU.
pub const SYCLRTC_ASPECT_CPU: u32 = 1;
/// Is a GPU.
pub const SYCLRTC_ASPECT_GPU: u32 = 2;
/// Is an accelerator.
pub const SYCLRTC_ASPECT_ACCELERATOR: u32 = 3;
/// Runs built-in kernels only.
pub const SYCLRTC_ASPECT_CUSTOM: u32 = 4;
/// `sycl::half`.
pub const SYCLRTC_ASPECT_FP16: u32 = 5;
/// `double`.
pub const SYCLRTC_ASPECT_FP64: u32 = 6;
/// Images.
pub const SYCLRTC_ASPECT_IMAGE: u32 = 9;
/// The library can compile for the device.
pub const SYCLRTC_ASPECT_ONLINE_COMPILER: u32 = 10;
/// The library can link for the device.
pub const SYCLRTC_ASPECT_ONLINE_LINKER: u32 = 11;
/// Events can tell their times.
pub const SYCLRTC_ASPECT_QUEUE_PROFILING: u32 = 12;
/// USM device allocations.
pub const SYCLRTC_ASPECT_USM_DEVICE_ALLOCATIONS: u32 = 13;
/// USM host allocations.
pub const SYCLRTC_ASPECT_USM_HOST_ALLOCATIONS: u32 = 14;
/// USM shared allocations.
pub const SYCLRTC_ASPECT_USM_SHARED_ALLOCATIONS: u32 = 15;
/// Any host memory may be used in a kernel.
pub const SYCLRTC_ASPECT_USM_SYSTEM_ALLOCATIONS: u32 = 17;
/// Host and device may use atomics on host allocations at the same time.
pub const SYCLRTC_ASPECT_USM_ATOMIC_HOST_ALLOCATIONS: u32 = 25;
/// Host and device may use atomics on shared allocations at the same time.
pub const SYCLRTC_ASPECT_USM_ATOMIC_SHARED_ALLOCATIONS: u32 = 26;
/// 64-bit atomics.
pub const SYCLRTC_ASPECT_ATOMIC64: u32 = 27;
/// Kernels can be debugged with a host debugger.
pub const SYCLRTC_ASPECT_HOST_DEBUGGABLE: u32 = 31;
/// Not real hardware.
pub const SYCLRTC_ASPECT_EMULATED: u32 = 38;

/// A version of OpenCL, of OpenCL C or of an extension.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct syclrtc_cl_version_t {
    /// `sizeof(syclrtc_cl_version_t)`, set by the caller.
    pub size: usize,
    /// The first number.
    pub major: u32,
    /// The second one.
    pub minor: u32,
    /// The third one.
    pub patch: u32,
}

// SAFETY: `repr(C)`, starts with the size, integers only.
unsafe impl Structure for syclrtc_cl_version_t {
    const NAME: &'static str = "syclrtc_cl_version_t";
}

/// The platform of a device.
///
/// `device`: borrowed for the call. `platform`: receives a new reference. Errors: `INVALID` for NULL or a wrong handle;
/// nothing is written then. Threads: any. Since 0.1.0. SYCL 2020: `device::get_platform`.
///
/// # Safety
/// `device` must not be released before this returns; `platform` must be writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syclrtc_device_platform(
    device: *const syclrtc_device_t,
    platform: *mut *mut syclrtc_platform_t,
) -> *mut syclrtc_error_t {
    fallible(|| {
        // SAFETY: not released meanwhile and writable, says the header.
        let (device, out) = unsafe { (handle::get::<Device>(device, "device")?, Out::new(platform, "platform")?) };
        out.write(handle::export(Arc::clone(device.platform())));
        Ok(())
    })
}

/// Answers a question about a device.
///
/// `device`: borrowed for the call. `param`: one of `SYCLRTC_DEVICE_INFO_*`, where the type of the answer is said; texts come
/// without a NUL. `value`: receives the answer; may be NULL if `capacity` is 0. `size`: how many bytes it has. Errors:
/// `INVALID` for NULL, a wrong handle, an unknown `param`, or a capacity that is too small and not 0; `RUNTIME` if the driver
/// fails; nothing is written then. Threads: any. Since 0.1.0. SYCL 2020: `device::get_info`.
///
/// # Safety
/// `device` must not be released before this returns; `value` must be writable for `capacity` bytes, `size` for one
/// number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syclrtc_device_info(
    device: *const syclrtc_device_t,
    param: u32,
    capacity: usize,
    value: *mut c_void,
    size: *mut usize,
) -> *mut syclrtc_error_t {
    fallible(|| {
        // SAFETY: not released meanwhile and writable, says the header.
        let (device, out) =
            unsafe { (handle::get::<Device>(device, "device")?, OutBytes::new(value, capacity, size)?) };
        let param = known(DeviceInfo::from_number(param), param, "param")?;
        write_info(&device.info(param)?, out)
    })
}

/// Whether a device has an optional feature. No device has one that this version does not know.
///
/// `device`: borrowed for the call. `aspect`: one of `SYCLRTC_ASPECT_*`. `has`: receives the answer. Errors: `INVALID` for
/// NULL or a wrong handle; nothing is written then. Threads: any. Since 0.1.0. SYCL 2020: `device::has`.
///
/// # Safety
/// `device` must not be released before this returns; `has` must be writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syclrtc_device_has(
    device: *const syclrtc_device_t,
    aspect: u32,
    has: *mut bool,
) -> *mut syclrtc_error_t {
    fallible(|| {
        // SAFETY: not released meanwhile and writable, says the header.
        let (device, out) = unsafe { (handle::get::<Device>(device, "device")?, Out::new(has, "has")?) };
        out.write(Aspect::from_number(aspect).is_some_and(|aspect| device.has(aspect)));
        Ok(())
    })
}

/// Whether a source of a language can be built to executable state for a device. Looks for the compiler program, too.
///
/// `device`: borrowed for the call. `language`: one of `SYCLRTC_LANGUAGE_*`. `can`: receives the answer. Errors: `INVALID`
/// for NULL, a wrong handle or an unknown `language`; nothing is written then. Threads: any. Since 0.1.0.
/// sycl_ext_oneapi_kernel_compiler: `device::ext_oneapi_can_build`.
///
/// # Safety
/// `device` must not be released before this returns; `can` must be writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syclrtc_device_can_build(
    device: *const syclrtc_device_t,
    language: u32,
    can: *mut bool,
) -> *mut syclrtc_error_t {
    fallible(|| {
        // SAFETY: not released meanwhile and writable, says the header.
        let (device, out) = unsafe { (handle::get::<Device>(device, "device")?, Out::new(can, "can")?) };
        let language = known(Language::from_number(language), language, "language")?;
        out.write(bundle::can_build(device, language).is_ok());
        Ok(())
    })
}

/// Whether a source of a language can be compiled to object state for a device.
///
/// `device`: borrowed for the call. `language`: one of `SYCLRTC_LANGUAGE_*`. `can`: receives the answer. Errors: `INVALID`
/// for NULL, a wrong handle or an unknown `language`; nothing is written then. Threads: any. Since 0.1.0.
/// sycl_ext_oneapi_kernel_compiler: `device::ext_oneapi_can_compile`.
///
/// # Safety
/// `device` must not be released before this returns; `can` must be writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syclrtc_device_can_compile(
    device: *const syclrtc_device_t,
    language: u32,
    can: *mut bool,
) -> *mut syclrtc_error_t {
    fallible(|| {
        // SAFETY: not released meanwhile and writable, says the header.
        let (device, out) = unsafe { (handle::get::<Device>(device, "device")?, Out::new(can, "can")?) };
        let language = known(Language::from_number(language), language, "language")?;
        out.write(bundle::can_compile(device, language).is_ok());
        Ok(())
    })
}

/// Whether bundles of `SYCLRTC_LANGUAGE_OPENCL` can be built for a device in a version of OpenCL C.
///
/// `device`: borrowed for the call. `major`, `minor`, `patch`: the version. `supports`: receives the answer. Errors: `INVALID` for
/// NULL or a wrong handle; nothing is written then. Threads: any. Since 0.1.0.
/// sycl_ext_oneapi_kernel_compiler_opencl: `device::ext_oneapi_supports_cl_c_version`.
///
/// # Safety
/// `device` must not be released before this returns; `supports` must be writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syclrtc_device_supports_cl_c_version(
    device: *const syclrtc_device_t,
    major: u32,
    minor: u32,
    patch: u32,
    supports: *mut bool,
) -> *mut syclrtc_error_t {
    fallible(|| {
        // SAFETY: not released meanwhile and writable, says the header.
        let (device, out) = unsafe { (handle::get::<Device>(device, "device")?, Out::new(supports, "supports")?) };
        // A number beyond those of OpenCL is of no version.
        let number = |part: u32| u16::try_from(part).unwrap_or(u16::MAX);
        let version = ClVersion { major: number(major), minor: number(minor), patch: number(patch) };
        out.write(device.supports_cl_c_version(version));
        Ok(())
    })
}

/// Whether bundles of `SYCLRTC_LANGUAGE_OPENCL` can use a feature of OpenCL C on a device.
///
/// `device`: borrowed for the call. `name`: `name_length` bytes, any, borrowed for the call: the feature's macro, such as
/// `__opencl_c_fp64`. `supports`: receives the answer. Errors: `INVALID` for NULL or a wrong handle; nothing is written then.
/// Threads: any. Since 0.1.0. sycl_ext_oneapi_kernel_compiler_opencl: `device::ext_oneapi_supports_cl_c_feature`.
///
/// # Safety
/// `device` must not be released before this returns; `name` must be readable for `name_length`; `supports` must be
/// writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syclrtc_device_supports_cl_c_feature(
    device: *const syclrtc_device_t,
    name: *const c_char,
    name_length: usize,
    supports: *mut bool,
) -> *mut syclrtc_error_t {
    fallible(|| {
        // SAFETY: not released meanwhile, readable and writable, says the header.
        let (device, name, out) = unsafe {
            (
                handle::get::<Device>(device, "device")?,
                elements(name.cast::<u8>(), name_length, "name")?,
                Out::new(supports, "supports")?,
            )
        };
        out.write(str::from_utf8(name).is_ok_and(|name| device.supports_cl_c_feature(name)));
        Ok(())
    })
}

/// Whether a device supports an extension of OpenCL, and which version of it.
///
/// `device`: borrowed for the call. `name`: `name_length` bytes, any, borrowed for the call. `supports`: receives the answer.
/// `version`: NULL, or the caller sets `size`, and the rest is filled in if the answer is true. Errors: `INVALID` for NULL, a
/// wrong handle or a bad size; nothing is written then. Threads: any. Since 0.1.0.
/// sycl_ext_oneapi_kernel_compiler_opencl: `device::ext_oneapi_supports_cl_extension`.
///
/// # Safety
/// `device` must not be released before this returns; `name` must be readable for `name_length`; `supports` must be
/// writable, `version` NULL or writable as its size says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syclrtc_device_supports_cl_extension(
    device: *const syclrtc_device_t,
    name: *const c_char,
    name_length: usize,
    supports: *mut bool,
    version: *mut syclrtc_cl_version_t,
) -> *mut syclrtc_error_t {
    fallible(|| {
        // SAFETY: not released meanwhile, readable and writable, says the header.
        let (device, name, out) = unsafe {
            (
                handle::get::<Device>(device, "device")?,
                elements(name.cast::<u8>(), name_length, "name")?,
                Out::new(supports, "supports")?,
            )
        };
        let found = str::from_utf8(name).ok().and_then(|name| device.cl_extension(name));
        if let Some(found) = found
            && !version.is_null()
        {
            let value = syclrtc_cl_version_t {
                size: 0,
                major: found.major.into(),
                minor: found.minor.into(),
                patch: found.patch.into(),
            };
            // SAFETY: writable as its size says, says the header.
            unsafe { write_structure(version, value, "version") }?;
        }
        out.write(found.is_some());
        Ok(())
    })
}

/// Profile of OpenCL: `FULL_PROFILE` or `EMBEDDED_PROFILE`; empty if the device does not support `SYCLRTC_LANGUAGE_OPENCL`.
///
/// `device`: borrowed for the call. `profile`: receives a new reference. Errors: `INVALID` for NULL or a wrong handle; nothing is
/// written then. Threads: any. Since 0.1.0. sycl_ext_oneapi_kernel_compiler_opencl: `device::ext_oneapi_cl_profile`.
///
/// # Safety
/// `device` must not be released before this returns; `profile` must be writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syclrtc_device_cl_profile(
    device: *const syclrtc_device_t,
    profile: *mut *mut syclrtc_text_t,
) -> *mut syclrtc_error_t {
    fallible(|| {
        // SAFETY: not released meanwhile and writable, says the header.
        let (device, out) = unsafe { (handle::get::<Device>(device, "device")?, Out::new(profile, "profile")?) };
        out.write(handle::export(Arc::new(Text(device.cl_profile().to_owned()))));
        Ok(())
    })
}

/// A new reference to a device: the same pointer. NULL for NULL and for what is no device.
///
/// `device`: borrowed for the call. Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn syclrtc_device_clone(device: *const syclrtc_device_t) -> *mut syclrtc_device_t {
    infallible(ptr::null_mut(), || handle::clone::<Device>(device, "device"))
}

/// Ends the caller's reference to a device. NULL is allowed; what is no device is left alone.
///
/// `device`: transferred. Threads: any, while no other thread uses this reference. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn syclrtc_device_release(device: *mut syclrtc_device_t) {
    infallible((), || handle::release::<Device>(device, "device"));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::DeviceType;

    #[test]
    fn the_numbers_of_the_header_are_those_inside() {
        let types = [
            (SYCLRTC_DEVICE_TYPE_CPU, DeviceType::Cpu),
            (SYCLRTC_DEVICE_TYPE_GPU, DeviceType::Gpu),
            (SYCLRTC_DEVICE_TYPE_ACCELERATOR, DeviceType::Accelerator),
            (SYCLRTC_DEVICE_TYPE_CUSTOM, DeviceType::Custom),
        ];
        assert!(
            types.iter().all(|(number, inside)| *number == inside.number()) && types.len() == DeviceType::ALL.len()
        );
        let infos = [
            (SYCLRTC_DEVICE_INFO_NAME, DeviceInfo::Name),
            (SYCLRTC_DEVICE_INFO_VENDOR, DeviceInfo::Vendor),
            (SYCLRTC_DEVICE_INFO_DRIVER_VERSION, DeviceInfo::DriverVersion),
            (SYCLRTC_DEVICE_INFO_VERSION, DeviceInfo::Version),
            (SYCLRTC_DEVICE_INFO_BACKEND_VERSION, DeviceInfo::BackendVersion),
            (SYCLRTC_DEVICE_INFO_DEVICE_TYPE, DeviceInfo::DeviceType),
            (SYCLRTC_DEVICE_INFO_VENDOR_ID, DeviceInfo::VendorId),
            (SYCLRTC_DEVICE_INFO_MAX_COMPUTE_UNITS, DeviceInfo::MaxComputeUnits),
            (SYCLRTC_DEVICE_INFO_MAX_WORK_ITEM_DIMENSIONS, DeviceInfo::MaxWorkItemDimensions),
            (SYCLRTC_DEVICE_INFO_MAX_NUM_SUB_GROUPS, DeviceInfo::MaxNumSubGroups),
            (SYCLRTC_DEVICE_INFO_MAX_CLOCK_FREQUENCY, DeviceInfo::MaxClockFrequency),
            (SYCLRTC_DEVICE_INFO_ADDRESS_BITS, DeviceInfo::AddressBits),
            (SYCLRTC_DEVICE_INFO_MEM_BASE_ADDR_ALIGN, DeviceInfo::MemBaseAddrAlign),
            (SYCLRTC_DEVICE_INFO_GLOBAL_MEM_CACHE_LINE_SIZE, DeviceInfo::GlobalMemCacheLineSize),
            (SYCLRTC_DEVICE_INFO_LOCAL_MEM_TYPE, DeviceInfo::LocalMemType),
            (SYCLRTC_DEVICE_INFO_GLOBAL_MEM_CACHE_TYPE, DeviceInfo::GlobalMemCacheType),
            (SYCLRTC_DEVICE_INFO_IS_AVAILABLE, DeviceInfo::IsAvailable),
            (SYCLRTC_DEVICE_INFO_ERROR_CORRECTION_SUPPORT, DeviceInfo::ErrorCorrectionSupport),
            (SYCLRTC_DEVICE_INFO_MAX_WORK_GROUP_SIZE, DeviceInfo::MaxWorkGroupSize),
            (SYCLRTC_DEVICE_INFO_MAX_PARAMETER_SIZE, DeviceInfo::MaxParameterSize),
            (SYCLRTC_DEVICE_INFO_PROFILING_TIMER_RESOLUTION, DeviceInfo::ProfilingTimerResolution),
            (SYCLRTC_DEVICE_INFO_PRINTF_BUFFER_SIZE, DeviceInfo::PrintfBufferSize),
            (SYCLRTC_DEVICE_INFO_MAX_WORK_ITEM_SIZES, DeviceInfo::MaxWorkItemSizes),
            (SYCLRTC_DEVICE_INFO_SUB_GROUP_SIZES, DeviceInfo::SubGroupSizes),
            (SYCLRTC_DEVICE_INFO_GLOBAL_MEM_SIZE, DeviceInfo::GlobalMemSize),
            (SYCLRTC_DEVICE_INFO_LOCAL_MEM_SIZE, DeviceInfo::LocalMemSize),
            (SYCLRTC_DEVICE_INFO_MAX_MEM_ALLOC_SIZE, DeviceInfo::MaxMemAllocSize),
            (SYCLRTC_DEVICE_INFO_GLOBAL_MEM_CACHE_SIZE, DeviceInfo::GlobalMemCacheSize),
        ];
        assert!(
            infos.iter().all(|(number, inside)| *number == inside.number()) && infos.len() == DeviceInfo::ALL.len()
        );
        let aspects = [
            (SYCLRTC_ASPECT_CPU, Aspect::Cpu),
            (SYCLRTC_ASPECT_GPU, Aspect::Gpu),
            (SYCLRTC_ASPECT_ACCELERATOR, Aspect::Accelerator),
            (SYCLRTC_ASPECT_CUSTOM, Aspect::Custom),
            (SYCLRTC_ASPECT_FP16, Aspect::Fp16),
            (SYCLRTC_ASPECT_FP64, Aspect::Fp64),
            (SYCLRTC_ASPECT_IMAGE, Aspect::Image),
            (SYCLRTC_ASPECT_ONLINE_COMPILER, Aspect::OnlineCompiler),
            (SYCLRTC_ASPECT_ONLINE_LINKER, Aspect::OnlineLinker),
            (SYCLRTC_ASPECT_QUEUE_PROFILING, Aspect::QueueProfiling),
            (SYCLRTC_ASPECT_USM_DEVICE_ALLOCATIONS, Aspect::UsmDeviceAllocations),
            (SYCLRTC_ASPECT_USM_HOST_ALLOCATIONS, Aspect::UsmHostAllocations),
            (SYCLRTC_ASPECT_USM_SHARED_ALLOCATIONS, Aspect::UsmSharedAllocations),
            (SYCLRTC_ASPECT_USM_SYSTEM_ALLOCATIONS, Aspect::UsmSystemAllocations),
            (SYCLRTC_ASPECT_USM_ATOMIC_HOST_ALLOCATIONS, Aspect::UsmAtomicHostAllocations),
            (SYCLRTC_ASPECT_USM_ATOMIC_SHARED_ALLOCATIONS, Aspect::UsmAtomicSharedAllocations),
            (SYCLRTC_ASPECT_ATOMIC64, Aspect::Atomic64),
            (SYCLRTC_ASPECT_HOST_DEBUGGABLE, Aspect::HostDebuggable),
            (SYCLRTC_ASPECT_EMULATED, Aspect::Emulated),
        ];
        assert!(
            aspects.iter().all(|(number, inside)| *number == inside.number()) && aspects.len() == Aspect::ALL.len()
        );
    }
}
