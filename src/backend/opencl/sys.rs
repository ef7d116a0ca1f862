// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The driver's objects, and the calls on them.
//!
//! All unsafe code of the back end is here and in `sys_usm`. The types below own one reference to a driver object each,
//! so a `&` to one proves that the object lives; that is what the driver's functions ask of their handles. What they
//! ask of memory addresses was promised by whoever made the [`Address`](crate::backend::Address).
//!
//! Unlike the owners of the crate opencl3, these do not panic when a release fails, and do not call into drivers that
//! are gone (after `fork`, at exit).

use std::ffi::{CStr, c_char, c_void};
use std::marker::PhantomData;
use std::path::PathBuf;
use std::ptr;

use cl3::types::{
    cl_command_queue, cl_context, cl_device_id, cl_event, cl_int, cl_kernel, cl_platform_id, cl_program, cl_uint,
    cl_ulong,
};
use opencl3::device::Device as ClDevice;
use smallvec::SmallVec;

use crate::os::dylib::{self, Loaded};
use crate::os::{environment, process};

/// Result of a driver call.
pub type ClResult<T> = Result<T, cl_int>;

/// Declares the owner of one reference to a driver object.
macro_rules! owner {
    ($(#[$doc:meta])* $name:ident, $raw:ty, $release:path) => {
        $(#[$doc])*
        #[derive(Debug, PartialEq, Eq)]
        pub struct $name($raw);

        // SAFETY: the handle is the problem. OpenCL objects may be used from any thread.
        unsafe impl Send for $name {}
        // SAFETY: OpenCL calls are thread-safe except clSetKernelArg and its kin, which take `&mut OwnedKernel` here.
        unsafe impl Sync for $name {}

        impl $name {
            /// The handle, valid as long as `self`.
            pub fn raw(&self) -> $raw {
                self.0
            }
        }

        impl Drop for $name {
            fn drop(&mut self) {
                let Some(_call) = process::may_release() else {
                    return;
                };
                // SAFETY: gives back the one reference that `self` owns.
                if let Err(code) = unsafe { $release(self.0) } {
                    log::warn!("{} failed: {}", stringify!($release), super::conv::code_name(code));
                }
            }
        }
    };
}

owner!(
    /// A context.
    OwnedContext, cl_context, cl3::context::release_context
);
owner!(
    /// A command queue.
    OwnedQueue, cl_command_queue, cl3::command_queue::release_command_queue
);
owner!(
    /// An event.
    OwnedEvent, cl_event, cl3::event::release_event
);
owner!(
    /// A program.
    OwnedProgram, cl_program, cl3::program::release_program
);
owner!(
    /// A kernel.
    OwnedKernel, cl_kernel, cl3::kernel::release_kernel
);

impl OwnedEvent {
    /// Takes over the reference that an enqueue function outside this module returned.
    ///
    /// # Safety
    /// `event` is a valid event, and the caller owns a reference to it that nobody else gives back.
    pub unsafe fn from_raw(event: cl_event) -> Self {
        Self(event)
    }
}

/// Events to wait for, alive as long as the list.
#[derive(Debug)]
pub struct WaitList<'a> {
    events: SmallVec<[cl_event; 8]>,
    lifetime: PhantomData<&'a OwnedEvent>,
}

impl<'a> WaitList<'a> {
    /// A list of these events.
    pub fn new(events: impl Iterator<Item = &'a OwnedEvent>) -> Self {
        Self { events: events.map(OwnedEvent::raw).collect(), lifetime: PhantomData }
    }

    /// Length, as OpenCL wants it. More than 2³² events do not fit into memory.
    #[expect(clippy::cast_possible_truncation, reason = "bounded by memory")]
    pub fn count(&self) -> cl_uint {
        self.events.len() as cl_uint
    }

    /// First element, null for an empty list, as OpenCL demands.
    pub fn pointer(&self) -> *const cl_event {
        if self.events.is_empty() { ptr::null() } else { self.events.as_ptr() }
    }
}

/// The crate cl3 loads what this variable lists before it tries the usual name.
const CL3_PATH_VARIABLE: &str = "OPENCL_DYLIB_PATH";
/// The loader's versioned name.
const LOADER: &str = "libOpenCL.so.1";

/// Loads the OpenCL loader and tells its file. On success cl3 uses the same library.
///
/// # Errors
/// One line for each library tried.
pub fn load() -> Result<PathBuf, Vec<String>> {
    let listed = std::env::var(CL3_PATH_VARIABLE).ok();
    if listed.is_some() && environment::is_secure_execution() {
        // cl3 would follow the variable.
        return Err(vec![format!(
            "not loaded: {CL3_PATH_VARIABLE} is set in a process that has more rights than its user"
        )]);
    }
    let mut names: Vec<&str> = listed.as_deref().map(|list| list.split(';').collect()).unwrap_or_default();
    names.push(LOADER);
    // SAFETY: the names are the system's OpenCL loader and what the user put in its place, which a process without
    // extra rights may trust.
    let path = match unsafe { dylib::load_first(&names, "clGetPlatformIDs") } {
        Loaded::Found { path, .. } => path,
        Loaded::NotFound(answers) => {
            return Err(answers.into_iter().map(|(name, answer)| format!("{name}: {answer}")).collect());
        }
    };
    match cl3::load_library() {
        Ok(_) => Ok(path),
        Err(error) => Err(vec![format!("{} is loaded, but not a second time: {error}", path.display())]),
    }
}

/// The functions of the loader, for those that cl3 wraps too narrowly.
fn loader() -> ClResult<&'static cl3::OpenClRuntime> {
    cl3::load_library().as_ref().map_err(|_| cl3::error_codes::DLOPEN_RUNTIME_LOAD_FAILED)
}

/// Address of an extension function of a platform; null if it has none of that name.
pub fn extension_function(platform: cl_platform_id, name: &CStr) -> *mut c_void {
    let Ok(runtime) = cl3::load_library() else { return ptr::null_mut() };
    // The platform comes from the loader and lives for ever; the name is NUL-terminated.
    runtime.clGetExtensionFunctionAddressForPlatform(platform, name.as_ptr()).unwrap_or(ptr::null_mut())
}

/// Names of the SPIR-V extensions of a device with cl_khr_spirv_queries.
pub fn spirv_extensions(device: ClDevice) -> ClResult<Vec<String>> {
    let bytes = cl3::device::get_device_data(device.id(), opencl_sys::CL_DEVICE_SPIRV_EXTENSIONS_KHR)?;
    let pointers = bytes.chunks_exact(size_of::<usize>()).filter_map(|chunk| chunk.try_into().ok());
    let names = pointers.map(usize::from_ne_bytes).filter(|address| *address != 0).map(|address| {
        // SAFETY: the query answers with pointers to NUL-terminated texts that live as long as the driver.
        unsafe { CStr::from_ptr(ptr::with_exposed_provenance(address)) }.to_string_lossy().into_owned()
    });
    Ok(names.collect())
}

/// clCreateContext
pub fn create_context(devices: &[ClDevice]) -> ClResult<OwnedContext> {
    let ids: Vec<cl_device_id> = devices.iter().map(ClDevice::id).collect();
    cl3::context::create_context(&ids, ptr::null(), None, ptr::null_mut()).map(OwnedContext)
}

/// clCreateCommandQueueWithProperties, or clCreateCommandQueue before OpenCL 2.0.
pub fn create_queue(
    context: &OwnedContext,
    device: ClDevice,
    properties: cl_ulong,
    since_2_0: bool,
) -> ClResult<OwnedQueue> {
    let raw = if since_2_0 {
        let list = [cl_ulong::from(cl3::command_queue::CL_QUEUE_PROPERTIES), properties, 0];
        // SAFETY: the list ends with 0; the context lives.
        unsafe { cl3::command_queue::create_command_queue_with_properties(context.raw(), device.id(), list.as_ptr()) }
    } else {
        // SAFETY: the context lives.
        unsafe { cl3::command_queue::create_command_queue(context.raw(), device.id(), properties) }
    };
    raw.map(OwnedQueue)
}

/// clFlush
pub fn flush(queue: &OwnedQueue) -> ClResult<()> {
    cl3::command_queue::flush(queue.raw())
}

/// clFinish
pub fn finish(queue: &OwnedQueue) -> ClResult<()> {
    cl3::command_queue::finish(queue.raw())
}

/// clEnqueueMarkerWithWaitList
pub fn enqueue_marker(queue: &OwnedQueue, wait: &WaitList<'_>) -> ClResult<OwnedEvent> {
    // SAFETY: the list is as long as it says, and its events live.
    unsafe { cl3::command_queue::enqueue_marker_with_wait_list(queue.raw(), wait.count(), wait.pointer()) }
        .map(OwnedEvent)
}

/// clEnqueueBarrierWithWaitList
pub fn enqueue_barrier(queue: &OwnedQueue, wait: &WaitList<'_>) -> ClResult<OwnedEvent> {
    // SAFETY: as for the marker.
    unsafe { cl3::command_queue::enqueue_barrier_with_wait_list(queue.raw(), wait.count(), wait.pointer()) }
        .map(OwnedEvent)
}

/// Index space in OpenCL's order.
#[derive(Debug)]
pub struct NdRange {
    /// 1 to 3
    pub dimensions: usize,
    /// Work-items
    pub global: [usize; 3],
    /// Work-group, or the driver's choice
    pub local: Option<[usize; 3]>,
    /// Offset, or none
    pub offset: Option<[usize; 3]>,
}

/// clEnqueueNDRangeKernel; the kernel's arguments are captured.
pub fn enqueue_kernel(
    queue: &OwnedQueue,
    kernel: &mut OwnedKernel,
    range: &NdRange,
    wait: &WaitList<'_>,
) -> ClResult<OwnedEvent> {
    let dimensions = if (1..=3).contains(&range.dimensions) { range.dimensions } else { unreachable!("checked above") };
    let pointer = |sizes: &Option<[usize; 3]>| sizes.as_ref().map_or(ptr::null(), |sizes| sizes.as_ptr());
    // SAFETY: the arrays have three elements, at least `dimensions`; the events live. That the kernel touches only
    // memory that is valid is what its arguments' makers promised.
    unsafe {
        cl3::command_queue::enqueue_nd_range_kernel(
            queue.raw(),
            kernel.raw(),
            dimensions as cl_uint,
            pointer(&range.offset),
            range.global.as_ptr(),
            pointer(&range.local),
            wait.count(),
            wait.pointer(),
        )
    }
    .map(OwnedEvent)
}

/// clSetKernelArg with a value.
pub fn set_value(kernel: &mut OwnedKernel, index: cl_uint, value: &[u8]) -> ClResult<()> {
    // SAFETY: the driver copies as many bytes as the slice has; `&mut` keeps other threads out.
    unsafe { cl3::kernel::set_kernel_arg(kernel.raw(), index, value.len(), value.as_ptr().cast()) }
}

/// clSetKernelArg with a size of local memory.
pub fn set_local(kernel: &mut OwnedKernel, index: cl_uint, bytes: usize) -> ClResult<()> {
    // SAFETY: a null value asks for local memory; `&mut` keeps other threads out.
    unsafe { cl3::kernel::set_kernel_arg(kernel.raw(), index, bytes, ptr::null()) }
}

/// clSetKernelExecInfo with a list or a number.
pub fn set_exec_info<T: Copy>(kernel: &mut OwnedKernel, param: cl_uint, values: &[T]) -> ClResult<()> {
    // SAFETY: the driver copies as many bytes as the slice has; `&mut` keeps other threads out.
    unsafe { cl3::kernel::set_kernel_exec_info(kernel.raw(), param, size_of_val(values), values.as_ptr().cast()) }
}

/// clWaitForEvents for one event.
pub fn wait(event: &OwnedEvent) -> ClResult<()> {
    cl3::event::wait_for_events(&[event.raw()])
}

/// CL_EVENT_COMMAND_EXECUTION_STATUS
pub fn event_status(event: &OwnedEvent) -> ClResult<cl_int> {
    number(&cl3::event::get_event_data(event.raw(), cl3::event::CL_EVENT_COMMAND_EXECUTION_STATUS)?)
        .map(cl_int::from_ne_bytes)
}

/// clGetEventProfilingInfo
pub fn event_profiling(event: &OwnedEvent, param: cl_uint) -> ClResult<cl_ulong> {
    number(&cl3::event::get_event_profiling_data(event.raw(), param)?).map(cl_ulong::from_ne_bytes)
}

/// An answer of exactly N bytes.
pub fn number<const N: usize>(answer: &[u8]) -> ClResult<[u8; N]> {
    answer.try_into().map_err(|_| cl3::error_codes::CL_INVALID_VALUE)
}

/// The function of cl_khr_il_program.
pub type CreateProgramWithIl = unsafe extern "C" fn(cl_context, *const c_void, usize, *mut cl_int) -> cl_program;

/// clCreateProgramWithILKHR of a platform, if it has one.
pub fn create_program_with_il_khr(platform: cl_platform_id) -> Option<CreateProgramWithIl> {
    let address = extension_function(platform, c"clCreateProgramWithILKHR");
    // SAFETY: the driver documents this type for that name; null is None.
    unsafe { std::mem::transmute::<*mut c_void, Option<CreateProgramWithIl>>(address) }
}

/// Which function makes programs from SPIR-V.
#[derive(Debug, Clone, Copy)]
pub enum IlFunction {
    /// clCreateProgramWithIL of OpenCL 2.1
    Core,
    /// clCreateProgramWithILKHR of cl_khr_il_program
    Extension(CreateProgramWithIl),
}

/// Creates a program from SPIR-V.
pub fn create_program(context: &OwnedContext, spirv: &[u8], function: IlFunction) -> ClResult<OwnedProgram> {
    let IlFunction::Extension(create) = function else {
        return cl3::program::create_program_with_il(context.raw(), spirv).map(OwnedProgram);
    };
    let mut code = cl3::error_codes::CL_INVALID_VALUE;
    // SAFETY: the context lives, the bytes are as many as the length says, and the driver copies them.
    let program = unsafe { create(context.raw(), spirv.as_ptr().cast(), spirv.len(), &raw mut code) };
    if code == cl3::error_codes::CL_SUCCESS { Ok(OwnedProgram(program)) } else { Err(code) }
}

/// clCreateProgramWithSource. The text may hold any byte.
pub fn create_program_from_source(context: &OwnedContext, source: &[u8]) -> ClResult<OwnedProgram> {
    let runtime = loader()?;
    let (text, length) = (source.as_ptr().cast::<c_char>(), source.len());
    // OpenCL takes a length of 0 for text that ends with a NUL.
    let (text, length) = if length == 0 { (c" ".as_ptr(), 1) } else { (text, length) };
    let mut code = cl3::error_codes::CL_INVALID_VALUE;
    // Declared safe, and so it is: the context lives; the one text is as long as its length says and is copied.
    let program = runtime
        .clCreateProgramWithSource(context.raw(), 1, &raw const text, &raw const length, &raw mut code)
        .unwrap_or(ptr::null_mut());
    if code == cl3::error_codes::CL_SUCCESS { Ok(OwnedProgram(program)) } else { Err(code) }
}

/// clCreateProgramWithBinary for one device.
pub fn create_program_from_binary(context: &OwnedContext, device: ClDevice, binary: &[u8]) -> ClResult<OwnedProgram> {
    let runtime = loader()?;
    let (device, bytes, length) = (device.id(), binary.as_ptr(), binary.len());
    let mut status = cl3::error_codes::CL_SUCCESS;
    let mut code = cl3::error_codes::CL_INVALID_VALUE;
    // Declared safe, and so it is: context and device live; the one binary is as long as its length says and is copied.
    let program = runtime
        .clCreateProgramWithBinary(
            context.raw(),
            1,
            &raw const device,
            &raw const length,
            &raw const bytes,
            &raw mut status,
            &raw mut code,
        )
        .unwrap_or(ptr::null_mut());
    if code != cl3::error_codes::CL_SUCCESS {
        return Err(code);
    }
    let program = OwnedProgram(program);
    if status == cl3::error_codes::CL_SUCCESS { Ok(program) } else { Err(status) }
}

/// CL_PROGRAM_BINARIES: the one of this device.
pub fn program_binary(program: &OwnedProgram, device: ClDevice) -> ClResult<Vec<u8>> {
    use cl3::program::{CL_PROGRAM_BINARIES, CL_PROGRAM_BINARY_SIZES, CL_PROGRAM_DEVICES};
    let words = |param| -> ClResult<Vec<usize>> {
        let bytes = cl3::program::get_program_data(program.raw(), param)?;
        Ok(bytes.as_chunks().0.iter().map(|word| usize::from_ne_bytes(*word)).collect())
    };
    // A program belongs to all devices of its context; those that it was not built for have no binary.
    let sizes = words(CL_PROGRAM_BINARY_SIZES)?;
    let devices = words(CL_PROGRAM_DEVICES)?;
    let index =
        devices.iter().position(|id| *id == device.id().addr()).filter(|index| sizes[..].get(*index) > Some(&0));
    let Some(index) = index else { return Err(cl3::error_codes::CL_INVALID_PROGRAM_EXECUTABLE) };
    let mut binary = vec![0_u8; sizes[index]];
    let mut pointers = vec![ptr::null_mut(); sizes.len()];
    pointers[index] = binary.as_mut_ptr();
    let runtime = loader()?;
    // Declared safe, and so it is: the driver writes to pointers that are not null, as many bytes as it said.
    let code = runtime
        .clGetProgramInfo(
            program.raw(),
            CL_PROGRAM_BINARIES,
            size_of_val(&pointers[..]),
            pointers.as_mut_ptr().cast(),
            ptr::null_mut(),
        )
        .unwrap_or(cl3::error_codes::CL_INVALID_VALUE);
    if code == cl3::error_codes::CL_SUCCESS { Ok(binary) } else { Err(code) }
}

/// clBuildProgram for one device, waiting for the end.
pub fn build(program: &OwnedProgram, device: ClDevice, flags: &CStr) -> ClResult<()> {
    cl3::program::build_program(program.raw(), &[device.id()], flags, None, ptr::null_mut())
}

/// CL_PROGRAM_BUILD_LOG; empty if the driver has none.
pub fn build_log(program: &OwnedProgram, device: ClDevice) -> String {
    cl3::program::get_program_build_data(program.raw(), device.id(), cl3::program::CL_PROGRAM_BUILD_LOG)
        .map_or_else(|_| String::new(), |bytes| text(&bytes))
}

/// CL_PROGRAM_KERNEL_NAMES
pub fn kernel_names(program: &OwnedProgram) -> ClResult<Vec<String>> {
    let count = cl3::program::get_program_data(program.raw(), cl3::program::CL_PROGRAM_NUM_KERNELS)?;
    // PoCL writes nothing where there are no names, not even their end.
    if usize::from_ne_bytes(number(&count)?) == 0 {
        return Ok(Vec::new());
    }
    let names = text(&cl3::program::get_program_data(program.raw(), cl3::program::CL_PROGRAM_KERNEL_NAMES)?);
    Ok(names.split(';').filter(|name| !name.is_empty()).map(str::to_owned).collect())
}

/// clCreateKernel
pub fn create_kernel(program: &OwnedProgram, name: &CStr) -> ClResult<OwnedKernel> {
    cl3::kernel::create_kernel(program.raw(), name).map(OwnedKernel)
}

/// CL_KERNEL_NUM_ARGS
pub fn argument_count(kernel: &OwnedKernel) -> ClResult<cl_uint> {
    number(&cl3::kernel::get_kernel_data(kernel.raw(), cl3::kernel::CL_KERNEL_NUM_ARGS)?).map(cl_uint::from_ne_bytes)
}

/// clGetKernelArgInfo with a text for an answer.
pub fn argument_text(kernel: &OwnedKernel, index: cl_uint, param: cl_uint) -> ClResult<String> {
    cl3::kernel::get_kernel_arg_data(kernel.raw(), index, param).map(|bytes| text(&bytes))
}

/// clGetKernelArgInfo with a number for an answer.
pub fn argument_number(kernel: &OwnedKernel, index: cl_uint, param: cl_uint) -> ClResult<u64> {
    let bytes = cl3::kernel::get_kernel_arg_data(kernel.raw(), index, param)?;
    number(&bytes).map(|word| u64::from(u32::from_ne_bytes(word))).or_else(|_| number(&bytes).map(u64::from_ne_bytes))
}

/// clGetKernelWorkGroupInfo: a list of `size_t` or `cl_ulong`, which are the same on every 64-bit system.
pub fn work_group_info(kernel: &OwnedKernel, device: ClDevice, param: cl_uint) -> ClResult<Vec<u64>> {
    let bytes = cl3::kernel::get_kernel_work_group_data(kernel.raw(), device.id(), param)?;
    Ok(bytes.chunks_exact(8).filter_map(|chunk| chunk.try_into().ok()).map(u64::from_ne_bytes).collect())
}

/// clGetKernelSubGroupInfo with a work-group size as input (empty for queries that take none).
pub fn sub_group_info(kernel: &OwnedKernel, device: ClDevice, param: cl_uint, input: &[usize]) -> ClResult<u64> {
    let pointer = if input.is_empty() { ptr::null() } else { input.as_ptr().cast() };
    let answer = cl3::kernel::get_kernel_sub_group_info(kernel.raw(), device.id(), param, size_of_val(input), pointer)?;
    match answer {
        cl3::info_type::InfoType::Size(value) => Ok(value as u64),
        cl3::info_type::InfoType::VecUchar(bytes) => number(&bytes).map(u64::from_ne_bytes),
        _ => Err(cl3::error_codes::CL_INVALID_VALUE),
    }
}

/// Text of an answer, without the terminating NUL.
pub fn text(answer: &[u8]) -> String {
    let end = answer.iter().position(|byte| *byte == 0).unwrap_or(answer.len());
    String::from_utf8_lossy(&answer[..end]).into_owned()
}

extern "C" fn drop_staging(_event: cl_event, _status: cl_int, staging: *mut c_void) {
    // SAFETY: `keep_until_complete` made this pointer with `Box::into_raw`, for this one call.
    drop(unsafe { Box::from_raw(staging.cast::<Vec<u8>>()) });
}

/// Keeps memory that a command reads until the command has completed.
pub fn keep_until_complete(event: &OwnedEvent, staging: Vec<u8>) {
    let raw = Box::into_raw(Box::new(staging));
    let set = cl3::event::set_event_callback(event.raw(), cl3::event::CL_COMPLETE, drop_staging, raw.cast());
    if set.is_ok() {
        return;
    }
    let waited = wait(event);
    if waited.is_ok() || matches!(event_status(event), Ok(status) if status <= cl3::event::CL_COMPLETE) {
        // SAFETY: made above, and the driver did not take it.
        drop(unsafe { Box::from_raw(raw) });
    }
    // Otherwise the command may still read the memory: better lost than freed.
}
