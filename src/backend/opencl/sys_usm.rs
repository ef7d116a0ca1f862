// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The calls of cl_intel_unified_shared_memory and of shared virtual memory: the unsafe side of `usm` and `svm`.

use std::ffi::c_void;
use std::ptr;
use std::sync::Arc;

use cl3::error_codes::CL_SUCCESS;
use cl3::types::{cl_command_queue, cl_context, cl_device_id, cl_event, cl_int, cl_kernel, cl_platform_id, cl_uint};
use opencl3::device::Device as ClDevice;

use super::sys::{self, ClResult, OwnedContext, OwnedEvent, OwnedKernel, OwnedQueue, WaitList};
use crate::backend::{Address, UsmKind};
use crate::os::process;

type HostAlloc = unsafe extern "C" fn(cl_context, *const u64, usize, cl_uint, *mut cl_int) -> *mut c_void;
type DeviceAlloc =
    unsafe extern "C" fn(cl_context, cl_device_id, *const u64, usize, cl_uint, *mut cl_int) -> *mut c_void;
type Free = unsafe extern "C" fn(cl_context, *mut c_void) -> cl_int;
type AllocInfo = unsafe extern "C" fn(cl_context, *const c_void, cl_uint, usize, *mut c_void, *mut usize) -> cl_int;
type SetPointer = unsafe extern "C" fn(cl_kernel, cl_uint, *const c_void) -> cl_int;
type EnqueueFill = unsafe extern "C" fn(
    cl_command_queue,
    *mut c_void,
    *const c_void,
    usize,
    usize,
    cl_uint,
    *const cl_event,
    *mut cl_event,
) -> cl_int;
type EnqueueCopy = unsafe extern "C" fn(
    cl_command_queue,
    cl_uint,
    *mut c_void,
    *const c_void,
    usize,
    cl_uint,
    *const cl_event,
    *mut cl_event,
) -> cl_int;

/// The functions of cl_intel_unified_shared_memory. None is null.
#[derive(Debug, Clone, Copy)]
pub struct UsmFunctions {
    host_alloc: HostAlloc,
    device_alloc: DeviceAlloc,
    shared_alloc: DeviceAlloc,
    free: Free,
    alloc_info: AllocInfo,
    set_pointer: SetPointer,
    enqueue_fill: EnqueueFill,
    enqueue_copy: EnqueueCopy,
}

/// Looks a function up; the type must be that of opencl-sys, which is an `Option`, so that null becomes `None`.
macro_rules! function {
    ($platform:expr, $name:literal, $type:ty) => {{
        let address = sys::extension_function($platform, $name);
        // SAFETY: the extension documents this type for that name; null is `None`.
        unsafe { std::mem::transmute::<*mut c_void, $type>(address) }
    }};
}

impl UsmFunctions {
    /// The functions of a platform.
    ///
    /// # Errors
    /// Name of the first function that is missing.
    pub fn load(platform: cl_platform_id) -> Result<Self, &'static str> {
        Ok(Self {
            host_alloc: function!(platform, c"clHostMemAllocINTEL", opencl_sys::clHostMemAllocINTEL_fn)
                .ok_or("clHostMemAllocINTEL")?,
            device_alloc: function!(platform, c"clDeviceMemAllocINTEL", opencl_sys::clDeviceMemAllocINTEL_fn)
                .ok_or("clDeviceMemAllocINTEL")?,
            shared_alloc: function!(platform, c"clSharedMemAllocINTEL", opencl_sys::clSharedMemAllocINTEL_fn)
                .ok_or("clSharedMemAllocINTEL")?,
            free: function!(platform, c"clMemFreeINTEL", opencl_sys::clMemFreeINTEL_fn).ok_or("clMemFreeINTEL")?,
            alloc_info: function!(platform, c"clGetMemAllocInfoINTEL", opencl_sys::clGetMemAllocInfoINTEL_fn)
                .ok_or("clGetMemAllocInfoINTEL")?,
            set_pointer: function!(
                platform,
                c"clSetKernelArgMemPointerINTEL",
                opencl_sys::clSetKernelArgMemPointerINTEL_fn
            )
            .ok_or("clSetKernelArgMemPointerINTEL")?,
            enqueue_fill: function!(platform, c"clEnqueueMemFillINTEL", opencl_sys::clEnqueueMemFillINTEL_fn)
                .ok_or("clEnqueueMemFillINTEL")?,
            enqueue_copy: function!(platform, c"clEnqueueMemcpyINTEL", opencl_sys::clEnqueueMemcpyINTEL_fn)
                .ok_or("clEnqueueMemcpyINTEL")?,
        })
    }

    /// clHostMemAllocINTEL, clDeviceMemAllocINTEL or clSharedMemAllocINTEL.
    pub fn allocate(
        &self,
        context: &OwnedContext,
        device: Option<ClDevice>,
        kind: UsmKind,
        bytes: usize,
        alignment: cl_uint,
    ) -> ClResult<*mut c_void> {
        let id = device.map_or(ptr::null_mut(), |device| device.id());
        let mut code = cl3::error_codes::CL_INVALID_VALUE;
        // SAFETY: context and device live; no properties are given; `code` is written.
        let pointer = unsafe {
            match kind {
                UsmKind::Host => (self.host_alloc)(context.raw(), ptr::null(), bytes, alignment, &raw mut code),
                UsmKind::Device => (self.device_alloc)(context.raw(), id, ptr::null(), bytes, alignment, &raw mut code),
                UsmKind::Shared => (self.shared_alloc)(context.raw(), id, ptr::null(), bytes, alignment, &raw mut code),
                UsmKind::Unknown => unreachable!("checked above"),
            }
        };
        if code != CL_SUCCESS {
            Err(code)
        } else if pointer.is_null() {
            Err(cl3::error_codes::CL_OUT_OF_RESOURCES)
        } else {
            Ok(pointer)
        }
    }

    /// clMemFreeINTEL
    pub fn free(&self, context: &OwnedContext, pointer: Address) -> ClResult<()> {
        // SAFETY: the context lives; the driver checks the pointer.
        check(unsafe { (self.free)(context.raw(), pointer.pointer()) })
    }

    /// clGetMemAllocInfoINTEL for an answer of a number's size.
    pub fn alloc_info<const N: usize>(
        &self,
        context: &OwnedContext,
        pointer: *const c_void,
        param: cl_uint,
    ) -> ClResult<[u8; N]> {
        let mut answer = [0; N];
        // SAFETY: the context lives; any pointer may be asked about; the answer has the size that is said.
        check(unsafe {
            (self.alloc_info)(context.raw(), pointer, param, N, answer.as_mut_ptr().cast(), ptr::null_mut())
        })?;
        Ok(answer)
    }

    /// clSetKernelArgMemPointerINTEL
    pub fn set_pointer(&self, kernel: &mut OwnedKernel, index: cl_uint, pointer: Address) -> ClResult<()> {
        // SAFETY: the kernel lives, and `&mut` keeps other threads out.
        check(unsafe { (self.set_pointer)(kernel.raw(), index, pointer.pointer()) })
    }

    /// clEnqueueMemcpyINTEL
    pub fn enqueue_copy(
        &self,
        queue: &OwnedQueue,
        destination: Address,
        source: Address,
        bytes: usize,
        wait: &WaitList<'_>,
    ) -> ClResult<OwnedEvent> {
        let mut event = ptr::null_mut();
        // SAFETY: queue and events live; the makers of the addresses promised that the memory is good.
        unsafe {
            check((self.enqueue_copy)(
                queue.raw(),
                cl3::types::CL_NON_BLOCKING,
                destination.pointer(),
                source.pointer(),
                bytes,
                wait.count(),
                wait.pointer(),
                &raw mut event,
            ))?;
            Ok(OwnedEvent::from_raw(event))
        }
    }

    /// clEnqueueMemFillINTEL; the pattern is copied.
    pub fn enqueue_fill(
        &self,
        queue: &OwnedQueue,
        destination: Address,
        pattern: &[u8],
        bytes: usize,
        wait: &WaitList<'_>,
    ) -> ClResult<OwnedEvent> {
        let mut event = ptr::null_mut();
        // SAFETY: queue and events live; the maker of the address promised that the memory is good.
        unsafe {
            check((self.enqueue_fill)(
                queue.raw(),
                destination.pointer(),
                pattern.as_ptr().cast(),
                pattern.len(),
                bytes,
                wait.count(),
                wait.pointer(),
                &raw mut event,
            ))?;
            Ok(OwnedEvent::from_raw(event))
        }
    }
}

fn check(code: cl_int) -> ClResult<()> {
    if code == CL_SUCCESS { Ok(()) } else { Err(code) }
}

/// One SVM allocation, freed when it is dropped.
#[derive(Debug)]
pub struct OwnedSvm {
    context: Arc<OwnedContext>,
    address: Address,
}

impl OwnedSvm {
    /// clSVMAlloc; `None` if the driver refuses, which it does without a reason.
    pub fn allocate(context: &Arc<OwnedContext>, flags: u64, bytes: usize, alignment: cl_uint) -> Option<Self> {
        // SAFETY: the context lives, and the flags are those of clSVMAlloc.
        let pointer = unsafe { cl3::memory::svm_alloc(context.raw(), flags, bytes, alignment) }.ok()?;
        Some(Self { context: Arc::clone(context), address: Address::of_allocation(pointer) })
    }

    /// Its start.
    pub fn address(&self) -> Address {
        self.address
    }
}

impl Drop for OwnedSvm {
    fn drop(&mut self) {
        let Some(_call) = process::may_release() else {
            return;
        };
        // SAFETY: an allocation of this context, and this is the one place where it is freed.
        if let Err(code) = unsafe { cl3::memory::svm_free(self.context.raw(), self.address.pointer()) } {
            log::warn!("clSVMFree failed: {}", super::conv::code_name(code));
        }
    }
}

/// CL_KERNEL_EXEC_INFO_SVM_PTRS
pub fn set_svm_pointers(kernel: &mut OwnedKernel, pointers: &[Address]) -> ClResult<()> {
    let raw: Vec<*mut c_void> = pointers.iter().map(|address| address.pointer()).collect();
    sys::set_exec_info(kernel, cl3::kernel::CL_KERNEL_EXEC_INFO_SVM_PTRS, &raw)
}

/// clSetKernelArgSVMPointer
pub fn set_svm_pointer(kernel: &mut OwnedKernel, index: cl_uint, pointer: Address) -> ClResult<()> {
    // SAFETY: the kernel lives, and `&mut` keeps other threads out.
    unsafe { cl3::kernel::set_kernel_arg_svm_pointer(kernel.raw(), index, pointer.pointer()) }
}

/// clEnqueueSVMMemcpy
pub fn enqueue_svm_copy(
    queue: &OwnedQueue,
    destination: Address,
    source: Address,
    bytes: usize,
    wait: &WaitList<'_>,
) -> ClResult<OwnedEvent> {
    // SAFETY: queue and events live; the makers of the addresses promised that the memory is good. The event returned
    // is ours.
    unsafe {
        cl3::command_queue::enqueue_svm_mem_cpy(
            queue.raw(),
            cl3::types::CL_NON_BLOCKING,
            destination.pointer(),
            source.pointer(),
            bytes,
            wait.count(),
            wait.pointer(),
        )
        .map(|event| OwnedEvent::from_raw(event))
    }
}

/// clEnqueueSVMMemFill; the pattern is copied.
pub fn enqueue_svm_fill(
    queue: &OwnedQueue,
    destination: Address,
    pattern: &[u8],
    bytes: usize,
    wait: &WaitList<'_>,
) -> ClResult<OwnedEvent> {
    // SAFETY: as for the copy.
    unsafe {
        cl3::command_queue::enqueue_svm_mem_fill(
            queue.raw(),
            destination.pointer(),
            pattern.as_ptr().cast(),
            pattern.len(),
            bytes,
            wait.count(),
            wait.pointer(),
        )
        .map(|event| OwnedEvent::from_raw(event))
    }
}
