// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#![forbid(unsafe_code)]
//! Programs and kernels.

use std::ffi::{CStr, CString};
use std::sync::Arc;

use opencl_sys::CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL;
use opencl3::device::Device as ClDevice;
use parking_lot::Mutex;

use super::context::Shared;
use super::conv;
use super::device::OpenClDevice;
use super::sys::{self, ClResult, NdRange, OwnedEvent, OwnedKernel, OwnedProgram, OwnedQueue, WaitList};
use crate::backend::{Argument, ArgumentInfo, Kernel, KernelDeviceInfo, LaunchRange, Module};
use crate::error::{Errc, Error, Result};
use crate::image::{DeviceImage, ImageFormat};

/// A program that was built for one device.
#[derive(Debug)]
pub struct OpenClModule {
    shared: Arc<Shared>,
    program: Arc<OwnedProgram>,
    device: ClDevice,
    sub_groups: SubGroups,
    names: Vec<String>,
    log: String,
}

/// Which questions about sub-groups the device answers.
#[derive(Debug, Clone, Copy)]
pub struct SubGroups {
    /// clGetKernelSubGroupInfo can be called.
    pub queries: bool,
    /// cl_intel_required_subgroup_size
    pub required_size: bool,
}

impl OpenClModule {
    /// Creates and builds the program.
    pub fn build(shared: &Arc<Shared>, device: &OpenClDevice, image: &DeviceImage, build_flags: &str) -> Result<Self> {
        let flags = CString::new(build_flags).map_err(|_| {
            Error::invalid(format!("the build flags hold a NUL character: {}", build_flags.escape_debug()))
        })?;
        let program = create(shared, device, image)?;
        let id = device.cl();
        let built = sys::build(&program, id, &flags);
        let log = sys::build_log(&program, id);
        if let Err(code) = built {
            if image.format == ImageFormat::Native && code == cl3::error_codes::CL_INVALID_BINARY {
                return Err(not_for(device, "clBuildProgram", code));
            }
            if image.format == ImageFormat::OpenClC && code == cl3::error_codes::CL_INVALID_BUILD_OPTIONS {
                let error = conv::error(Errc::Invalid, "clBuildProgram", code);
                return Err(Error { log: Some(log), ..error });
            }
            return Err(Error::build(
                format!("clBuildProgram for device \"{}\" failed: {}", device.name(), conv::code_name(code)),
                log,
            ));
        }
        let names = match sys::kernel_names(&program) {
            Ok(names) => names,
            // So Intel's driver answers for a program that has none.
            Err(cl3::error_codes::CL_INVALID_PROGRAM_EXECUTABLE) => Vec::new(),
            Err(code) => {
                return Err(conv::error(Errc::Runtime, "clGetProgramInfo(CL_PROGRAM_KERNEL_NAMES)", code));
            }
        };
        Ok(Self {
            shared: Arc::clone(shared),
            program: Arc::new(program),
            device: id,
            sub_groups: device.sub_groups(),
            names,
            log,
        })
    }
}

/// The program before it is built.
fn create(shared: &Shared, device: &OpenClDevice, image: &DeviceImage) -> Result<OwnedProgram> {
    match image.format {
        ImageFormat::Spirv => {
            let Some(function) = device.il_function() else {
                return Err(Error::new(Errc::Build, format!("device \"{}\" takes no SPIR-V", device.name())));
            };
            sys::create_program(&shared.context, &image.bytes, function).map_err(|code| {
                let error = conv::error(Errc::Build, "clCreateProgramWithIL", code);
                Error::build(format!("device \"{}\" refuses the SPIR-V module: {error}", device.name()), "")
            })
        }
        ImageFormat::OpenClC => sys::create_program_from_source(&shared.context, &image.bytes)
            .map_err(|code| conv::error(Errc::Runtime, "clCreateProgramWithSource", code)),
        // OpenCL has no empty binaries, and drivers need not check for them.
        ImageFormat::Native if image.bytes.is_empty() => {
            Err(not_for(device, "loading no bytes", cl3::error_codes::CL_INVALID_BINARY))
        }
        ImageFormat::Native => sys::create_program_from_binary(&shared.context, device.cl(), &image.bytes)
            .map_err(|code| not_for(device, "clCreateProgramWithBinary", code)),
    }
}

fn not_for(device: &OpenClDevice, call: &str, code: cl3::types::cl_int) -> Error {
    let error = conv::error(Errc::FeatureNotSupported, call, code);
    Error::new(error.code, format!("the native code is not for device \"{}\" and its driver: {error}", device.name()))
}

impl OpenClModule {
    fn missing(&self, name: &str) -> Error {
        Error::invalid(format!("the module has no kernel \"{name}\"; its kernels are: {}", self.names.join(", ")))
    }

    fn create_kernel(&self, name: &CStr) -> Result<OwnedKernel> {
        sys::create_kernel(&self.program, name).map_err(|code| match code {
            cl3::error_codes::CL_INVALID_KERNEL_NAME => self.missing(&name.to_string_lossy()),
            code => conv::error(Errc::Runtime, "clCreateKernel", code),
        })
    }
}

impl Module for OpenClModule {
    fn kernel_names(&self) -> &[String] {
        &self.names
    }

    fn kernel(&self, name: &str) -> Result<Arc<dyn Kernel>> {
        let c_name = CString::new(name).map_err(|_| self.missing(name))?;
        let first = self.create_kernel(&c_name)?;
        let failed = |code| conv::error(Errc::Runtime, "a query about the kernel", code);
        let argument_count = sys::argument_count(&first).map_err(failed)?;
        let info = kernel_device_info(&first, self.device, self.sub_groups).map_err(failed)?;
        let slot = Slot::new(&self.shared, first);
        Ok(Arc::new(OpenClKernel {
            shared: Arc::clone(&self.shared),
            program: Arc::clone(&self.program),
            name: c_name,
            free: Mutex::new(vec![slot]),
            argument_count,
            info,
        }))
    }

    fn build_log(&self) -> &str {
        &self.log
    }

    fn binary(&self) -> Result<Vec<u8>> {
        sys::program_binary(&self.program, self.device)
            .map_err(|code| conv::error(Errc::Runtime, "clGetProgramInfo(CL_PROGRAM_BINARIES)", code))
    }

    fn arguments(&self, kernel: &str) -> Result<Vec<ArgumentInfo>> {
        let name = CString::new(kernel).map_err(|_| self.missing(kernel))?;
        let object = self.create_kernel(&name)?;
        let count = sys::argument_count(&object)
            .map_err(|code| conv::error(Errc::Runtime, "clGetKernelInfo(CL_KERNEL_NUM_ARGS)", code))?;
        let arguments: ClResult<_> = (0..count).map(|index| argument_info(&object, index)).collect();
        arguments.map_err(|code| {
            let error = conv::error(Errc::Runtime, "clGetKernelArgInfo", code);
            Error::new(error.code, format!("the arguments of kernel {kernel}: {error}"))
        })
    }
}

/// A kernel.
///
/// OpenCL keeps arguments in the kernel object until the launch, so a launch needs an object of its own: it takes a
/// free one, or makes another if other threads have them all. There are never more than threads that launch at once.
#[derive(Debug)]
pub struct OpenClKernel {
    shared: Arc<Shared>,
    program: Arc<OwnedProgram>,
    name: CString,
    free: Mutex<Vec<Slot>>,
    argument_count: u32,
    info: KernelDeviceInfo,
}

#[derive(Debug)]
struct Slot {
    kernel: OwnedKernel,
    /// State of the memory interface that the kernel was last told.
    known: u64,
}

impl Slot {
    fn new(shared: &Shared, mut kernel: OwnedKernel) -> Self {
        shared.memory.prepare(&mut kernel);
        Self { kernel, known: 0 }
    }
}

impl OpenClKernel {
    /// Sets the arguments and enqueues.
    pub fn launch(
        &self,
        queue: &OwnedQueue,
        range: &LaunchRange,
        arguments: &[Argument<'_>],
        wait: &WaitList<'_>,
    ) -> Result<OwnedEvent> {
        let free = self.free.lock().pop();
        let mut slot = match free {
            Some(slot) => slot,
            None => {
                let kernel = sys::create_kernel(&self.program, &self.name)
                    .map_err(|code| conv::launch_error("clCreateKernel", code))?;
                Slot::new(&self.shared, kernel)
            }
        };
        let result = self.launch_with(&mut slot, queue, range, arguments, wait);
        self.free.lock().push(slot);
        result
    }

    fn launch_with(
        &self,
        slot: &mut Slot,
        queue: &OwnedQueue,
        range: &LaunchRange,
        arguments: &[Argument<'_>],
        wait: &WaitList<'_>,
    ) -> Result<OwnedEvent> {
        for (index, argument) in (0..).zip(arguments) {
            let set = match *argument {
                Argument::Value(bytes) => sys::set_value(&mut slot.kernel, index, bytes),
                Argument::Local(bytes) => sys::set_local(&mut slot.kernel, index, bytes),
                Argument::Pointer(address) => self.shared.memory.set_pointer(&mut slot.kernel, index, address),
            };
            set.map_err(|code| {
                let error = conv::error(Errc::KernelArgument, "setting it", code);
                Error::new(error.code, format!("argument {index} of kernel {}: {error}", self.name.to_string_lossy()))
            })?;
        }
        self.shared
            .memory
            .before_launch(&mut slot.kernel, &mut slot.known)
            .map_err(|code| conv::launch_error("clSetKernelExecInfo", code))?;
        let dimensions = range.dimensions;
        let used = |sizes: &[usize; 3]| conv::reversed(dimensions, sizes);
        let nd_range = NdRange {
            dimensions,
            global: used(&range.global),
            local: range.local.as_ref().map(used),
            offset: (range.offset[..dimensions] != [0; 3][..dimensions]).then(|| used(&range.offset)),
        };
        sys::enqueue_kernel(queue, &mut slot.kernel, &nd_range, wait)
            .map_err(|code| conv::launch_error("clEnqueueNDRangeKernel", code))
    }
}

impl Kernel for OpenClKernel {
    fn argument_count(&self) -> u32 {
        self.argument_count
    }

    fn device_info(&self) -> &KernelDeviceInfo {
        &self.info
    }
}

fn argument_info(kernel: &OwnedKernel, index: u32) -> ClResult<ArgumentInfo> {
    use cl3::kernel as cl;
    let address = sys::argument_number(kernel, index, cl::CL_KERNEL_ARG_ADDRESS_QUALIFIER)?;
    let access = sys::argument_number(kernel, index, cl::CL_KERNEL_ARG_ACCESS_QUALIFIER)?;
    let qualifiers = sys::argument_number(kernel, index, cl::CL_KERNEL_ARG_TYPE_QUALIFIER)?;
    Ok(ArgumentInfo {
        name: sys::argument_text(kernel, index, cl::CL_KERNEL_ARG_NAME)?,
        type_name: sys::argument_text(kernel, index, cl::CL_KERNEL_ARG_TYPE_NAME)?,
        space: conv::argument_space(address),
        image: access != u64::from(cl::CL_KERNEL_ARG_ACCESS_NONE),
        pipe: qualifiers & u64::from(cl::CL_KERNEL_ARG_TYPE_PIPE) != 0,
    })
}

#[expect(clippy::cast_possible_truncation, reason = "counts and sizes of work-items that drivers report are small")]
fn kernel_device_info(kernel: &OwnedKernel, device: ClDevice, sub_groups: SubGroups) -> ClResult<KernelDeviceInfo> {
    let numbers = |param| sys::work_group_info(kernel, device, param);
    let number = |param| numbers(param).map(|values| values.first().copied().unwrap_or(0));
    let work_group_size = number(cl3::kernel::CL_KERNEL_WORK_GROUP_SIZE)? as usize;
    let required = numbers(cl3::kernel::CL_KERNEL_COMPILE_WORK_GROUP_SIZE)?;
    let required = [2, 1, 0].map(|dimension| required.get(dimension).copied().unwrap_or(0) as usize);
    let sub_group = |param, input: &[usize]| {
        if !sub_groups.queries {
            return 0;
        }
        sys::sub_group_info(kernel, device, param, input).unwrap_or_else(|code| {
            log::debug!("clGetKernelSubGroupInfo({param:#x}): {}", conv::code_name(code));
            0
        }) as u32
    };
    Ok(KernelDeviceInfo {
        work_group_size,
        preferred_work_group_size_multiple: number(cl3::kernel::CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE)? as usize,
        private_mem_size: number(cl3::kernel::CL_KERNEL_PRIVATE_MEM_SIZE)?,
        local_mem_size: number(cl3::kernel::CL_KERNEL_LOCAL_MEM_SIZE)?,
        compile_work_group_size: required,
        max_num_sub_groups: sub_group(cl3::kernel::CL_KERNEL_MAX_NUM_SUB_GROUPS, &[]).max(1),
        compile_num_sub_groups: sub_group(cl3::kernel::CL_KERNEL_COMPILE_NUM_SUB_GROUPS, &[]),
        max_sub_group_size: sub_group(cl3::kernel::CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, &[work_group_size, 1, 1])
            .max(1),
        compile_sub_group_size: if sub_groups.required_size {
            sub_group(CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL, &[])
        } else {
            0
        },
    })
}
