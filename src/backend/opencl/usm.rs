// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#![forbid(unsafe_code)]
//! Memory by cl_intel_unified_shared_memory.

use std::ffi::c_void;
use std::sync::Arc;

use opencl3::device::Device as ClDevice;

use super::conv;
use super::memory::MemoryInterface;
use super::sys::{self, ClResult, OwnedContext, OwnedEvent, OwnedKernel, OwnedQueue, WaitList};
use super::sys_usm::UsmFunctions;
use crate::backend::{Address, UsmKind, UsmPointer, UsmRequest};
use crate::error::{Errc, Result};

/// The extension in one context.
#[derive(Debug)]
pub struct Usm {
    functions: UsmFunctions,
    context: Arc<OwnedContext>,
    devices: Vec<ClDevice>,
}

impl Usm {
    /// For a context and its devices.
    pub fn new(functions: UsmFunctions, context: Arc<OwnedContext>, devices: Vec<ClDevice>) -> Self {
        Self { functions, context, devices }
    }
}

impl MemoryInterface for Usm {
    fn allocate(&self, device: Option<ClDevice>, request: UsmRequest) -> Result<Option<Address>> {
        let Ok(alignment) = u32::try_from(request.alignment) else { return Ok(None) };
        match self.functions.allocate(&self.context, device, request.kind, request.bytes, alignment) {
            Ok(pointer) => Ok(Some(Address::of_allocation(pointer))),
            Err(code) if conv::is_out_of_memory(code) => {
                log::debug!("USM allocation of {} bytes: {}", request.bytes, conv::code_name(code));
                Ok(None)
            }
            Err(code) => Err(conv::error(Errc::Runtime, "USM allocation", code)),
        }
    }

    fn free(&self, pointer: Address) -> Result<()> {
        self.functions.free(&self.context, pointer).map_err(|code| conv::error(Errc::Invalid, "clMemFreeINTEL", code))
    }

    fn query(&self, pointer: *const c_void) -> Result<UsmPointer> {
        let failed = |code| conv::error(Errc::Runtime, "clGetMemAllocInfoINTEL", code);
        let kind = self
            .functions
            .alloc_info(&self.context, pointer, opencl_sys::CL_MEM_ALLOC_TYPE_INTEL)
            .map(|answer| conv::usm_kind(u32::from_ne_bytes(answer)))
            .map_err(failed)?;
        let device = match kind {
            UsmKind::Device | UsmKind::Shared => {
                let id = self
                    .functions
                    .alloc_info(&self.context, pointer, opencl_sys::CL_MEM_ALLOC_DEVICE_INTEL)
                    .map(usize::from_ne_bytes)
                    .map_err(failed)?;
                self.devices.iter().position(|device| device.id().addr() == id)
            }
            UsmKind::Host | UsmKind::Unknown => None,
        };
        Ok(UsmPointer { kind, device })
    }

    fn prepare(&self, kernel: &mut OwnedKernel) {
        for param in [
            opencl_sys::CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL,
            opencl_sys::CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL,
            opencl_sys::CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL,
        ] {
            // A device that lacks one kind of allocation refuses its flag.
            if let Err(code) = sys::set_exec_info(kernel, param, &[cl3::types::CL_TRUE]) {
                log::debug!("clSetKernelExecInfo({param:#x}): {}", conv::code_name(code));
            }
        }
    }

    fn set_pointer(&self, kernel: &mut OwnedKernel, index: u32, pointer: Address) -> ClResult<()> {
        self.functions.set_pointer(kernel, index, pointer)
    }

    fn copy(
        &self,
        queue: &OwnedQueue,
        destination: Address,
        source: Address,
        bytes: usize,
        wait: &WaitList<'_>,
    ) -> ClResult<OwnedEvent> {
        self.functions.enqueue_copy(queue, destination, source, bytes, wait)
    }

    fn fill(
        &self,
        queue: &OwnedQueue,
        destination: Address,
        pattern: &[u8],
        bytes: usize,
        wait: &WaitList<'_>,
    ) -> ClResult<OwnedEvent> {
        self.functions.enqueue_fill(queue, destination, pattern, bytes, wait)
    }
}
