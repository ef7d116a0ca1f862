// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#![forbid(unsafe_code)]
//! Translation between OpenCL's numbers and words and those of the library.

use cl3::error_codes as codes;
use cl3::types::{cl_int, cl_ulong};

use crate::backend::{ArgumentSpace, ClVersion, DeviceType, EventStatus, ProfilingPoint, UsmKind};
use crate::error::{Errc, Error};

/// Highest SPIR-V version that the compiler makes.
pub const MAX_SPIRV_VERSION: (u8, u8) = (1, 4);

/// Name and number of an error code.
pub fn code_name(code: cl_int) -> String {
    match codes::error_text(code) {
        "UNKNOWN_ERROR" => format!("OpenCL error {code}"),
        "DLOPEN_RUNTIME_LOAD_FAILED" => "the OpenCL loader cannot be loaded".to_owned(),
        "DLOPEN_FUNCTION_NOT_AVAILABLE" => "the OpenCL loader lacks the function".to_owned(),
        name => format!("{name} ({code})"),
    }
}

/// The error for a call that failed with a code.
pub fn error(errc: Errc, call: &str, code: cl_int) -> Error {
    Error::new(errc, format!("{call} failed: {}", code_name(code)))
}

/// The error for a memory command or barrier that the driver refuses.
pub fn command_error(call: &str, code: cl_int) -> Error {
    let errc = match code {
        codes::CL_INVALID_VALUE | codes::CL_MEM_COPY_OVERLAP => Errc::Invalid,
        codes::CL_INVALID_OPERATION => Errc::FeatureNotSupported,
        codes::CL_MEM_OBJECT_ALLOCATION_FAILURE => Errc::MemoryAllocation,
        _ => Errc::Runtime,
    };
    error(errc, call, code)
}

/// The error for a launch that the driver refuses.
pub fn launch_error(call: &str, code: cl_int) -> Error {
    let errc = match code {
        codes::CL_INVALID_WORK_GROUP_SIZE
        | codes::CL_INVALID_WORK_ITEM_SIZE
        | codes::CL_INVALID_GLOBAL_WORK_SIZE
        | codes::CL_INVALID_GLOBAL_OFFSET => Errc::NdRange,
        codes::CL_MEM_OBJECT_ALLOCATION_FAILURE => Errc::MemoryAllocation,
        codes::CL_INVALID_KERNEL_ARGS
        | codes::CL_INVALID_ARG_INDEX
        | codes::CL_INVALID_ARG_SIZE
        | codes::CL_INVALID_ARG_VALUE => Errc::KernelArgument,
        _ => Errc::Kernel,
    };
    error(errc, call, code)
}

/// Whether an allocation failed because there is no room for it, or because of its size or alignment.
pub fn is_out_of_memory(code: cl_int) -> bool {
    matches!(
        code,
        codes::CL_OUT_OF_HOST_MEMORY
            | codes::CL_OUT_OF_RESOURCES
            | codes::CL_MEM_OBJECT_ALLOCATION_FAILURE
            | codes::CL_INVALID_BUFFER_SIZE
            | codes::CL_INVALID_VALUE
    )
}

/// Kind of a device from its type bits.
pub fn device_type(bits: cl_ulong) -> DeviceType {
    if bits & cl3::device::CL_DEVICE_TYPE_GPU != 0 {
        DeviceType::Gpu
    } else if bits & cl3::device::CL_DEVICE_TYPE_CPU != 0 {
        DeviceType::Cpu
    } else if bits & cl3::device::CL_DEVICE_TYPE_ACCELERATOR != 0 {
        DeviceType::Accelerator
    } else {
        DeviceType::Custom
    }
}

/// State of an event; failed commands have negative states and are over.
pub fn event_status(status: cl_int) -> EventStatus {
    if status <= cl3::event::CL_COMPLETE {
        EventStatus::Complete
    } else if status == cl3::event::CL_RUNNING {
        EventStatus::Running
    } else {
        EventStatus::Submitted
    }
}

/// Query number of a profiling point.
pub fn profiling_param(point: ProfilingPoint) -> u32 {
    match point {
        ProfilingPoint::Submit => cl3::event::CL_PROFILING_COMMAND_SUBMIT,
        ProfilingPoint::Start => cl3::event::CL_PROFILING_COMMAND_START,
        ProfilingPoint::End => cl3::event::CL_PROFILING_COMMAND_END,
    }
}

/// Kind of an allocation from `CL_MEM_ALLOC_TYPE_INTEL`.
pub fn usm_kind(allocation_type: u32) -> UsmKind {
    match allocation_type {
        opencl_sys::CL_MEM_TYPE_HOST_INTEL => UsmKind::Host,
        opencl_sys::CL_MEM_TYPE_DEVICE_INTEL => UsmKind::Device,
        opencl_sys::CL_MEM_TYPE_SHARED_INTEL => UsmKind::Shared,
        _ => UsmKind::Unknown,
    }
}

/// SYCL's dimension i of n is OpenCL's n-1-i. Elements from `dimensions` on are not used.
pub fn reversed(dimensions: usize, sycl: &[usize; 3]) -> [usize; 3] {
    let mut opencl = *sycl;
    opencl[..dimensions].reverse();
    opencl
}

/// Version numbers in texts such as `OpenCL 3.0 (Build 0)`, or (1, 0) if there are none.
pub fn opencl_version(text: &str) -> (u8, u8) {
    let numbers = text.strip_prefix("OpenCL ").and_then(|rest| rest.split(' ').next()).and_then(dotted_pair);
    numbers.unwrap_or((1, 0))
}

/// The versions of the language up to the one in `OpenCL C <major>.<minor> <vendor>`; none if it is not understood.
pub fn opencl_c_versions(text: &str) -> Vec<ClVersion> {
    let Some((major, minor)) = text.strip_prefix("OpenCL C ").and_then(|rest| {
        let number = rest.split_ascii_whitespace().next()?;
        dotted_pair(number)
    }) else {
        return Vec::new();
    };
    let highest = ClVersion::new(major.into(), minor.into());
    [ClVersion::new(1, 0), ClVersion::new(1, 1), ClVersion::new(1, 2), ClVersion::new(2, 0)]
        .into_iter()
        .filter(|version| *version <= highest)
        .collect()
}

/// CL_KERNEL_ARG_ADDRESS_*
pub fn argument_space(number: u64) -> ArgumentSpace {
    match u32::try_from(number) {
        Ok(cl3::kernel::CL_KERNEL_ARG_ADDRESS_GLOBAL) => ArgumentSpace::Global,
        Ok(cl3::kernel::CL_KERNEL_ARG_ADDRESS_LOCAL) => ArgumentSpace::Local,
        Ok(cl3::kernel::CL_KERNEL_ARG_ADDRESS_CONSTANT) => ArgumentSpace::Constant,
        _ => ArgumentSpace::Private,
    }
}

/// Highest version in a list such as `SPIR-V_1.0 SPIR-V_1.2`.
pub fn spirv_version(il_versions: &str) -> Option<(u8, u8)> {
    il_versions.split_ascii_whitespace().filter_map(|il| dotted_pair(il.strip_prefix("SPIR-V_")?)).max()
}

fn dotted_pair(text: &str) -> Option<(u8, u8)> {
    let (major, minor) = text.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

/// OpenCL extensions, each with a SPIR-V extension that a driver with it takes.
const SPIRV_EXTENSIONS: &[(&str, &str)] = &[
    ("cl_ext_float_atomics", "SPV_EXT_shader_atomic_float_add"),
    ("cl_ext_float_atomics", "SPV_EXT_shader_atomic_float_min_max"),
    ("cl_ext_float_atomics", "SPV_EXT_shader_atomic_float16_add"),
    ("cl_intel_bfloat16_conversions", "SPV_INTEL_bfloat16_conversion"),
    ("cl_intel_split_work_group_barrier", "SPV_INTEL_split_barrier"),
    ("cl_intel_spirv_media_block_io", "SPV_INTEL_media_block_io"),
    ("cl_intel_spirv_subgroups", "SPV_INTEL_subgroups"),
    ("cl_intel_subgroup_buffer_prefetch", "SPV_INTEL_subgroup_buffer_prefetch"),
    ("cl_intel_subgroup_matrix_multiply_accumulate", "SPV_INTEL_subgroup_matrix_multiply_accumulate"),
    ("cl_khr_expect_assume", "SPV_KHR_expect_assume"),
    ("cl_khr_extended_bit_ops", "SPV_KHR_bit_instructions"),
    ("cl_khr_integer_dot_product", "SPV_KHR_integer_dot_product"),
    ("cl_khr_kernel_clock", "SPV_KHR_shader_clock"),
    ("cl_khr_spirv_linkonce_odr", "SPV_KHR_linkonce_odr"),
    ("cl_khr_spirv_no_integer_wrap_decoration", "SPV_KHR_no_integer_wrap_decoration"),
    ("cl_khr_subgroup_rotate", "SPV_KHR_subgroup_rotate"),
    ("cl_khr_work_group_uniform_arithmetic", "SPV_KHR_uniform_group_instructions"),
];

/// SPIR-V extensions that follow from the OpenCL extensions, together with those that the driver lists itself.
pub fn spirv_extensions<'a>(opencl: &[String], listed: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let derived = SPIRV_EXTENSIONS.iter().filter(|(cl, _)| opencl.iter().any(|have| have == cl)).map(|(_, spv)| *spv);
    let mut extensions: Vec<String> =
        derived.chain(listed).filter(|name| name.starts_with("SPV_")).map(str::to_owned).collect();
    extensions.sort_unstable();
    extensions.dedup();
    extensions
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_of_the_standard_has_a_name() {
        let unassigned = -29..=-20;
        for code in -72..=-1 {
            let name = code_name(code);
            if unassigned.contains(&code) {
                assert_eq!(name, format!("OpenCL error {code}"));
            } else {
                assert!(name.starts_with("CL_") && name.ends_with(&format!("({code})")), "{name}");
            }
        }
        assert_eq!(code_name(-1001), "CL_PLATFORM_NOT_FOUND_KHR (-1001)");
        assert_eq!(code_name(-987_654), "OpenCL error -987654");
    }

    #[test]
    fn errors_name_call_and_code() {
        let error = launch_error("clEnqueueNDRangeKernel", codes::CL_INVALID_WORK_GROUP_SIZE);
        assert_eq!(error.code, Errc::NdRange);
        assert_eq!(error.message, "clEnqueueNDRangeKernel failed: CL_INVALID_WORK_GROUP_SIZE (-54)");
        assert_eq!(launch_error("x", codes::CL_INVALID_ARG_SIZE).code, Errc::KernelArgument);
        assert_eq!(launch_error("x", codes::CL_MEM_OBJECT_ALLOCATION_FAILURE).code, Errc::MemoryAllocation);
        assert_eq!(launch_error("x", codes::CL_OUT_OF_RESOURCES).code, Errc::Kernel);
    }

    #[test]
    fn dimensions_are_reversed() {
        assert_eq!(reversed(1, &[5, 9, 9]), [5, 9, 9]);
        assert_eq!(reversed(2, &[5, 6, 9]), [6, 5, 9]);
        assert_eq!(reversed(3, &[5, 6, 7]), [7, 6, 5]);
    }

    #[test]
    fn versions_are_read_from_text() {
        let rows = [
            ("OpenCL 3.0 (Build 0)", (3, 0)),
            ("OpenCL 1.2 ", (1, 2)),
            ("OpenCL 3.0 PoCL 3.1+debian  Linux, None+Asserts", (3, 0)),
            ("OpenCL 2.1", (2, 1)),
            ("", (1, 0)),
            ("OpenCL", (1, 0)),
            ("OpenCL x.y", (1, 0)),
            ("OpenCL 999.1", (1, 0)),
        ];
        for (text, version) in rows {
            assert_eq!(opencl_version(text), version, "{text}");
        }
        let rows = [
            ("", None),
            ("SPIR-V_1.2", Some((1, 2))),
            ("SPIR-V_1.0 SPIR-V_1.1 SPIR-V_1.4", Some((1, 4))),
            ("SPIR-V_1.4 SPIR-V_1.0", Some((1, 4))),
            ("SPIR-V_1.0 SPIR-V_1.6", Some((1, 6))),
            ("SPIR-V_1.10", Some((1, 10))),
            ("SPIR_1.2", None),
            ("SPIR-V", None),
            ("SPIR-V_1 SPIR-V_x.1", None),
        ];
        for (text, version) in rows {
            assert_eq!(spirv_version(text), version, "{text}");
        }
    }

    #[test]
    fn extensions_are_derived_sorted_and_single() {
        let opencl = ["cl_khr_fp64", "cl_khr_subgroup_rotate", "cl_ext_float_atomics"].map(str::to_owned);
        let found = spirv_extensions(&opencl, ["SPV_KHR_subgroup_rotate", "SPV_KHR_a", "nonsense"]);
        let expected = [
            "SPV_EXT_shader_atomic_float16_add",
            "SPV_EXT_shader_atomic_float_add",
            "SPV_EXT_shader_atomic_float_min_max",
            "SPV_KHR_a",
            "SPV_KHR_subgroup_rotate",
        ];
        assert_eq!(found, expected);
        assert!(spirv_extensions(&[], []).is_empty());
    }

    #[test]
    fn states_of_events() {
        assert_eq!(event_status(3), EventStatus::Submitted);
        assert_eq!(event_status(2), EventStatus::Submitted);
        assert_eq!(event_status(1), EventStatus::Running);
        assert_eq!(event_status(0), EventStatus::Complete);
        assert_eq!(event_status(-5), EventStatus::Complete);
    }

    #[test]
    fn device_types() {
        assert_eq!(device_type(1 << 1 | 1), DeviceType::Cpu);
        assert_eq!(device_type(1 << 2), DeviceType::Gpu);
        assert_eq!(device_type(1 << 3), DeviceType::Accelerator);
        assert_eq!(device_type(1 << 4), DeviceType::Custom);
    }
}
