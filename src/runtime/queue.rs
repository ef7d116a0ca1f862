// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#![forbid(unsafe_code)]
//! A queue and the commands that go to it.

use std::sync::Arc;

use super::{Context, Device, Event};
use crate::backend::{self, Address, Aspect, Fill, Launch, QueueFlags};
use crate::error::{Error, Result};
use crate::os::process;

/// Commands for one device. Dropping it cancels nothing.
#[derive(Debug)]
pub struct Queue {
    inner: Arc<dyn backend::Queue>,
    context: Arc<Context>,
    device: Arc<Device>,
    flags: QueueFlags,
}

impl Queue {
    /// A queue of a context for one of its devices.
    ///
    /// # Errors
    /// [`Errc::Invalid`](crate::error::Errc::Invalid) if the device is not in the context;
    /// [`Errc::FeatureNotSupported`](crate::error::Errc::FeatureNotSupported) if profiling is asked for and the
    /// device has none; what the driver says.
    pub fn new(context: &Arc<Context>, device: &Arc<Device>, flags: QueueFlags) -> Result<Arc<Self>> {
        let _call = process::use_drivers()?;
        context.check_device(device)?;
        if flags.profiling && !device.has(Aspect::QueueProfiling) {
            return Err(Error::feature_not_supported(format!(
                "a queue with profiling was asked for, and device \"{}\" lacks aspect::queue_profiling",
                device.name()
            )));
        }
        let inner = context.inner().create_queue(device.inner(), flags)?;
        Ok(Arc::new(Self { inner, context: Arc::clone(context), device: Arc::clone(device), flags }))
    }

    /// Its context.
    #[must_use]
    pub fn context(&self) -> &Arc<Context> {
        &self.context
    }

    /// Its device.
    #[must_use]
    pub fn device(&self) -> &Arc<Device> {
        &self.device
    }

    /// Its properties.
    #[must_use]
    pub fn flags(&self) -> QueueFlags {
        self.flags
    }

    /// Waits until all commands given so far have completed. In exit handlers it returns at once.
    ///
    /// # Errors
    /// What the driver says.
    pub fn wait(&self) -> Result<()> {
        if process::is_exiting() {
            return Ok(());
        }
        let _call = process::use_drivers()?;
        self.inner.wait()
    }

    /// Copies bytes between host memory and USM of the context. Zero bytes are fine with any pointers.
    ///
    /// # Errors
    /// [`Errc::Invalid`](crate::error::Errc::Invalid) for a null pointer; what the driver says.
    pub fn memcpy(&self, destination: Address, source: Address, bytes: usize, deps: &[&Event]) -> Result<Arc<Event>> {
        if bytes == 0 {
            return self.nothing(deps);
        }
        for (name, pointer) in [("destination", destination), ("source", source)] {
            if pointer.is_null() {
                return Err(Error::invalid(format!("memcpy of {bytes} bytes: the {name} is a null pointer")));
            }
        }
        self.submit(deps, |deps| self.inner.memcpy(destination, source, bytes, deps))
    }

    /// Fills USM of the context. A count of zero is fine with any pointer.
    ///
    /// # Errors
    /// [`Errc::Invalid`](crate::error::Errc::Invalid) for an empty pattern, a null pointer, or more bytes than an
    /// address space holds; what the driver says.
    pub fn fill(&self, fill: Fill<'_>, deps: &[&Event]) -> Result<Arc<Event>> {
        if fill.pattern.is_empty() {
            return Err(Error::invalid("fill: the pattern has no bytes"));
        }
        if fill.count == 0 {
            return self.nothing(deps);
        }
        let length = fill.pattern.len();
        if fill.destination.is_null() {
            return Err(Error::invalid(format!(
                "fill of {} elements of {length} bytes: the destination is a null pointer",
                fill.count
            )));
        }
        if length.checked_mul(fill.count).is_none_or(|bytes| isize::try_from(bytes).is_err()) {
            return Err(Error::invalid(format!("fill of {} elements of {length} bytes: too many bytes", fill.count)));
        }
        self.submit(deps, |deps| self.inner.fill(fill, deps))
    }

    /// A barrier: completes when `deps` have completed, or all earlier commands if there are none; later commands
    /// wait for it.
    ///
    /// # Errors
    /// What the driver says.
    pub fn barrier(&self, deps: &[&Event]) -> Result<Arc<Event>> {
        let all = deps.is_empty();
        self.submit(deps, |deps| {
            // Events of other contexts have been waited for; an empty list would now mean "all earlier commands".
            if deps.is_empty() && !all { self.inner.marker(deps) } else { self.inner.barrier(deps) }
        })
    }

    /// Launches a kernel that was built for this queue's device, with arguments and range that were checked against
    /// it. A global range with a zero in it launches nothing.
    ///
    /// # Errors
    /// [`Errc::Kernel`](crate::error::Errc::Kernel) if the driver refuses.
    pub fn launch(&self, launch: Launch<'_>, deps: &[&Event]) -> Result<Arc<Event>> {
        let range = launch.range;
        if range.global[..range.dimensions].contains(&0) {
            return self.nothing(deps);
        }
        self.submit(deps, |deps| self.inner.launch(launch, deps))
    }

    /// An event that completes in its turn, for commands that have nothing to do.
    fn nothing(&self, deps: &[&Event]) -> Result<Arc<Event>> {
        self.submit(deps, |deps| self.inner.marker(deps))
    }

    fn submit(
        &self,
        deps: &[&Event],
        command: impl FnOnce(&[&dyn backend::Event]) -> Result<Arc<dyn backend::Event>>,
    ) -> Result<Arc<Event>> {
        let _call = process::use_drivers()?;
        let mut own: Vec<&dyn backend::Event> = Vec::with_capacity(deps.len());
        for dep in deps {
            if Arc::ptr_eq(dep.context(), &self.context) {
                own.push(dep.inner());
            } else {
                // Drivers know only events of their own context, so the host does the waiting.
                dep.wait()?;
            }
        }
        let inner = command(&own)?;
        Ok(Arc::new(Event::new(inner, Arc::clone(&self.context), self.flags.profiling)))
    }
}
