// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#![forbid(unsafe_code)]
//! Contexts.

use std::any::Any;
use std::ffi::c_void;
use std::sync::Arc;

use opencl3::device::Device as ClDevice;

use super::MemoryKind;
use super::conv;
use super::device::OpenClDevice;
use super::memory::{MemoryInterface, NoSharedMemory};
use super::module::OpenClModule;
use super::queue::OpenClQueue;
use super::svm::Svm;
use super::sys::{self, OwnedContext};
use super::usm::Usm;
use crate::backend::{Address, Context, Device, Module, Queue, QueueFlags, UsmPointer, UsmRequest};
use crate::error::{Errc, Result};
use crate::image::DeviceImage;

/// A context, as its queues and kernels see it.
#[derive(Debug)]
pub struct Shared {
    /// The driver's object.
    pub context: Arc<OwnedContext>,
    /// How memory is shared.
    pub memory: Box<dyn MemoryInterface>,
}

/// A context.
#[derive(Debug)]
pub struct OpenClContext {
    shared: Arc<Shared>,
}

/// The OpenCL side of a device.
pub fn own(device: &dyn Device) -> &OpenClDevice {
    let any: &dyn Any = device;
    match any.downcast_ref() {
        Some(device) => device,
        None => unreachable!("a device of another back end"),
    }
}

impl OpenClContext {
    /// A context for devices of one platform.
    pub fn new(devices: &[&dyn Device], memory: MemoryKind) -> Result<Self> {
        let devices: Vec<ClDevice> = devices.iter().map(|device| own(*device).cl()).collect();
        let context =
            sys::create_context(&devices).map_err(|code| conv::error(Errc::Runtime, "clCreateContext", code))?;
        let context = Arc::new(context);
        let memory: Box<dyn MemoryInterface> = match memory {
            MemoryKind::Usm(functions) => Box::new(Usm::new(functions, Arc::clone(&context), devices)),
            MemoryKind::Svm => Box::new(Svm::new(Arc::clone(&context), devices)),
            MemoryKind::None => Box::new(NoSharedMemory),
        };
        Ok(Self { shared: Arc::new(Shared { context, memory }) })
    }
}

impl Context for OpenClContext {
    fn create_queue(&self, device: &dyn Device, flags: QueueFlags) -> Result<Arc<dyn Queue>> {
        let device = own(device);
        let mut properties = 0;
        // A device whose queues are all in-order serves an out-of-order queue too: it only promises less.
        if !flags.in_order && device.has_out_of_order_queues() {
            properties |= cl3::command_queue::CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
        }
        if flags.profiling {
            properties |= cl3::command_queue::CL_QUEUE_PROFILING_ENABLE;
        }
        let queue = sys::create_queue(&self.shared.context, device.cl(), properties, device.version() >= (2, 0))
            .map_err(|code| conv::error(Errc::Runtime, "creating a command queue", code))?;
        Ok(Arc::new(OpenClQueue::new(queue, Arc::clone(&self.shared))))
    }

    fn load_image(&self, device: &dyn Device, image: &DeviceImage, build_flags: &str) -> Result<Arc<dyn Module>> {
        Ok(Arc::new(OpenClModule::build(&self.shared, own(device), image, build_flags)?))
    }

    fn usm_allocate(&self, device: Option<&dyn Device>, request: UsmRequest) -> Result<Option<Address>> {
        self.shared.memory.allocate(device.map(|device| own(device).cl()), request)
    }

    fn usm_free(&self, pointer: Address) -> Result<()> {
        self.shared.memory.free(pointer)
    }

    fn usm_query(&self, pointer: *const c_void) -> Result<UsmPointer> {
        self.shared.memory.query(pointer)
    }
}
