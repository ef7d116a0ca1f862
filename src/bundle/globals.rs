// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Storage of device globals.
//!
//! All device globals of a unit that are not bound to an image lie in one block of USM device memory for each device.
//! The block is allocated on first need (a launch of one of the unit's kernels on the device, or a question for an
//! address). Then the image's hidden kernel stores the initial values, and the block's address where the other kernels
//! find it.

use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;

use super::{KernelBundle, names};
use crate::{
    backend::{Address, Argument, EventStatus, Launch, LaunchRange, Module, QueueFlags, UsmKind, UsmRequest},
    error::{Errc, Error, Result},
    image::{DeviceGlobal, Table},
    runtime::{Context, Device, Event, Queue},
};

/// Alignment of the block, bytes: that which the compiler lays the variables out for.
const ALIGNMENT: usize = 128;

/// The device globals of a unit on one device.
#[derive(Debug)]
pub(super) struct GlobalsBlock {
    context: Arc<Context>,
    device: Arc<Device>,
    module: Arc<dyn Module>,
    bytes: usize,
    /// Set once the values are there.
    address: OnceLock<Address>,
    /// Held while the block is made, so that others wait for it.
    making: Mutex<()>,
    /// Launches that may not have completed; the block outlives them.
    launches: Mutex<Vec<Arc<Event>>>,
}

impl GlobalsBlock {
    /// The block of an image on a device; nothing is allocated yet.
    pub(super) fn new(
        context: &Arc<Context>,
        device: &Arc<Device>,
        module: &Arc<dyn Module>,
        bytes: u64,
    ) -> Result<Self> {
        let bytes = usize::try_from(bytes)
            .map_err(|_| Error::new(Errc::MemoryAllocation, format!("device globals take {bytes} bytes")))?;
        Ok(Self {
            context: Arc::clone(context),
            device: Arc::clone(device),
            module: Arc::clone(module),
            bytes,
            address: OnceLock::new(),
            making: Mutex::default(),
            launches: Mutex::default(),
        })
    }

    /// Launches a kernel that may use the variables.
    pub(super) fn launch(&self, queue: &Queue, launch: Launch<'_>, deps: &[&Event]) -> Result<Arc<Event>> {
        self.address()?;
        let event = queue.launch(launch, deps)?;
        let mut launches = self.launches.lock();
        if launches.len() == launches.capacity() {
            launches.retain(|event| !matches!(event.status(), Ok(EventStatus::Complete)));
            let more = launches.len().max(8);
            launches.reserve(more);
        }
        launches.push(Arc::clone(&event));
        Ok(event)
    }

    /// Where the block lies. The values are there when this returns. After a failure the next call tries again.
    fn address(&self) -> Result<Address> {
        if let Some(address) = self.address.get() {
            return Ok(*address);
        }
        let _making = self.making.lock();
        if let Some(address) = self.address.get() {
            return Ok(*address);
        }
        let failed = |error: Error| {
            Error::new(
                Errc::MemoryAllocation,
                format!("the device globals could not be initialised on \"{}\": {error}", self.device.name()),
            )
        };
        let request = UsmRequest { kind: UsmKind::Device, bytes: self.bytes, alignment: ALIGNMENT };
        let allocated = self.context.usm_allocate(Some(&self.device), request).map_err(failed)?;
        let address = allocated.ok_or_else(|| {
            Error::new(
                Errc::MemoryAllocation,
                format!("{} bytes for device globals could not be allocated on \"{}\"", self.bytes, self.device.name()),
            )
        })?;
        if let Err(error) = self.initialise(address) {
            self.free(address);
            return Err(failed(error));
        }
        Ok(*self.address.get_or_init(|| address))
    }

    fn initialise(&self, address: Address) -> Result<()> {
        let queue = Queue::new(&self.context, &self.device, QueueFlags { in_order: true, profiling: false })?;
        let kernel = self.module.kernel(Table::GLOBALS_KERNEL)?;
        if kernel.argument_count() != 1 {
            return Err(Error::invalid(
                "the kernel that initialises device globals takes other arguments than an address",
            ));
        }
        let range = LaunchRange { dimensions: 1, global: [1; 3], local: Some([1; 3]), offset: [0; 3] };
        let arguments = [Argument::Pointer(address)];
        queue.launch(Launch { kernel: &*kernel, range: &range, arguments: &arguments }, &[])?.wait()
    }

    fn free(&self, address: Address) {
        if let Err(error) = self.context.usm_free(address) {
            log::warn!("device globals of \"{}\" were not freed: {error}", self.device.name());
        }
    }
}

impl Drop for GlobalsBlock {
    fn drop(&mut self) {
        let Some(address) = self.address.take() else { return };
        for event in self.launches.get_mut().drain(..) {
            if let Err(error) = event.wait() {
                log::debug!("a launch that used device globals: {error}");
            }
        }
        self.free(address);
    }
}

impl KernelBundle {
    /// Whether there is a device global of this name that the host can reach.
    #[must_use]
    pub fn has_device_global(&self, name: &str) -> bool {
        self.device_global(name).is_some_and(|global| !global.image_scope)
    }

    /// Size of the variable, bytes.
    ///
    /// # Errors
    /// [`Errc::Invalid`] if [`has_device_global`](Self::has_device_global) is false.
    pub fn device_global_size(&self, name: &str) -> Result<u64> {
        match self.device_global(name) {
            Some(global) if !global.image_scope => Ok(global.size),
            Some(_) => Err(Error::invalid(format!(
                "device global '{name}' has the property 'device_image_scope' and cannot be reached from the host"
            ))),
            None => Err(self.no_device_global(name)),
        }
    }

    /// Address of the variable on a device, in USM device memory. It has its initial value, or what kernels wrote there.
    ///
    /// # Errors
    /// [`Errc::Invalid`] if the name is unknown, the variable has the property `device_image_scope`, the device is not
    /// in the context or not one of the bundle's, or the bundle is not executable; [`Errc::MemoryAllocation`] if the
    /// storage cannot be made.
    pub fn device_global_address(self: &Arc<Self>, name: &str, device: &Device) -> Result<Address> {
        let global = self.device_global(name).ok_or_else(|| self.no_device_global(name))?;
        if global.image_scope {
            return Err(Error::invalid(format!(
                "Cannot query USM pointer for device global with 'device_image_scope' property: '{name}'"
            )));
        }
        if !self.context().contains(device) {
            return Err(Error::invalid(format!("device not part of kernel_bundle context: \"{}\"", device.name())));
        }
        if !self.has_device(device) {
            return Err(Error::invalid(format!(
                "device \"{}\" is in the context of the bundle, but the bundle was not built for it",
                device.name()
            )));
        }
        for image in self.units().iter().flat_map(|unit| &unit.images) {
            let found = names::device_global(&image.table, name).filter(|global| !global.image_scope);
            if let (Some(global), Some(loaded)) = (found, image.on(device)) {
                let globals =
                    loaded.globals.as_ref().ok_or_else(|| Error::internal("device globals without a block"))?;
                let offset = usize::try_from(global.offset)
                    .map_err(|_| Error::internal("a device global lies outside its block"))?;
                return Ok(globals.address()?.offset(offset));
            }
        }
        Err(Error::invalid(format!(
            "device global '{name}' has no storage on device \"{}\": the bundle is in state {}",
            device.name(),
            self.state().name()
        )))
    }

    fn device_global(&self, name: &str) -> Option<&DeviceGlobal> {
        self.tables().find_map(|table| names::device_global(table, name))
    }

    fn no_device_global(&self, name: &str) -> Error {
        let mut known: Vec<&str> = Vec::new();
        for global in self.tables().flat_map(|table| &table.device_globals) {
            if !known.contains(&global.name.as_str()) {
                known.push(&global.name);
            }
        }
        let rest = match known.as_slice() {
            [] => "it has none".to_owned(),
            _ => format!("it has {}", known.join(", ")),
        };
        Error::invalid(format!("device global '{name}' not found in kernel_bundle; {rest}"))
    }
}
