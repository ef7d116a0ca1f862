// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#![forbid(unsafe_code)]
//! Memory by shared virtual memory (OpenCL 2.0), for drivers without cl_intel_unified_shared_memory.
//!
//! Device allocations are coarse-grained buffers, which the host does not touch; host and shared allocations are
//! fine-grained buffers. OpenCL answers no questions about pointers, so there is a table.

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::Arc;

use cl3::memory::{CL_MEM_READ_WRITE, CL_MEM_SVM_FINE_GRAIN_BUFFER};
use opencl3::device::Device as ClDevice;
use parking_lot::Mutex;

use super::memory::MemoryInterface;
use super::sys::{ClResult, OwnedContext, OwnedEvent, OwnedKernel, OwnedQueue, WaitList};
use super::sys_usm::{self, OwnedSvm};
use crate::backend::{Address, UsmKind, UsmPointer, UsmRequest};
use crate::error::{Error, Result};

/// The SVM allocations of one context.
#[derive(Debug)]
pub struct Svm {
    context: Arc<OwnedContext>,
    devices: Vec<ClDevice>,
    table: Mutex<Table>,
}

#[derive(Debug)]
struct Table {
    /// By address.
    allocations: BTreeMap<usize, Allocation>,
    /// Counts changes, from 1.
    state: u64,
}

#[derive(Debug)]
struct Allocation {
    memory: OwnedSvm,
    bytes: usize,
    kind: UsmKind,
    /// Index into the devices of the context.
    device: Option<usize>,
}

impl Svm {
    /// For a context and its devices.
    pub fn new(context: Arc<OwnedContext>, devices: Vec<ClDevice>) -> Self {
        Self { context, devices, table: Mutex::new(Table { allocations: BTreeMap::new(), state: 1 }) }
    }
}

impl MemoryInterface for Svm {
    fn allocate(&self, device: Option<ClDevice>, request: UsmRequest) -> Result<Option<Address>> {
        let Ok(alignment) = u32::try_from(request.alignment) else { return Ok(None) };
        let flags = match request.kind {
            UsmKind::Device => CL_MEM_READ_WRITE,
            _ => CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER,
        };
        let Some(memory) = OwnedSvm::allocate(&self.context, flags, request.bytes, alignment) else {
            log::debug!("clSVMAlloc of {} bytes failed", request.bytes);
            return Ok(None);
        };
        let address = memory.address();
        let device = device.and_then(|device| self.devices.iter().position(|known| known.id() == device.id()));
        let allocation = Allocation { memory, bytes: request.bytes, kind: request.kind, device };
        let mut table = self.table.lock();
        table.allocations.insert(address.pointer().addr(), allocation);
        table.state += 1;
        Ok(Some(address))
    }

    fn free(&self, pointer: Address) -> Result<()> {
        let mut table = self.table.lock();
        let removed = table.allocations.remove(&pointer.pointer().addr());
        table.state += u64::from(removed.is_some());
        drop(table);
        // The driver's work happens without the lock, when `removed` is dropped.
        removed.map(drop).ok_or_else(|| {
            Error::invalid(format!("{:p} is not the start of a USM allocation of this context", pointer.pointer()))
        })
    }

    fn query(&self, pointer: *const c_void) -> Result<UsmPointer> {
        let table = self.table.lock();
        let found = table.allocations.range(..=pointer.addr()).next_back();
        let inside = found.filter(|(start, allocation)| pointer.addr() - **start < allocation.bytes);
        Ok(inside.map_or(UsmPointer { kind: UsmKind::Unknown, device: None }, |(_, allocation)| UsmPointer {
            kind: allocation.kind,
            device: allocation.device,
        }))
    }

    fn prepare(&self, _kernel: &mut OwnedKernel) {}

    fn before_launch(&self, kernel: &mut OwnedKernel, known: &mut u64) -> ClResult<()> {
        let table = self.table.lock();
        if table.state == *known {
            return Ok(());
        }
        // Any of them may be reached through a pointer in memory or in a structure.
        let pointers: Vec<Address> = table.allocations.values().map(|allocation| allocation.memory.address()).collect();
        let state = table.state;
        drop(table);
        if !pointers.is_empty() {
            sys_usm::set_svm_pointers(kernel, &pointers)?;
        }
        *known = state;
        Ok(())
    }

    fn set_pointer(&self, kernel: &mut OwnedKernel, index: u32, pointer: Address) -> ClResult<()> {
        sys_usm::set_svm_pointer(kernel, index, pointer)
    }

    fn copy(
        &self,
        queue: &OwnedQueue,
        destination: Address,
        source: Address,
        bytes: usize,
        wait: &WaitList<'_>,
    ) -> ClResult<OwnedEvent> {
        sys_usm::enqueue_svm_copy(queue, destination, source, bytes, wait)
    }

    fn fill(
        &self,
        queue: &OwnedQueue,
        destination: Address,
        pattern: &[u8],
        bytes: usize,
        wait: &WaitList<'_>,
    ) -> ClResult<OwnedEvent> {
        sys_usm::enqueue_svm_fill(queue, destination, pattern, bytes, wait)
    }
}
