// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#![forbid(unsafe_code)]
//! Command queues and events.

use std::any::Any;
use std::sync::Arc;

use super::context::Shared;
use super::module::OpenClKernel;
use super::sys::{self, ClResult, OwnedEvent, OwnedQueue, WaitList};
use super::{conv, memory};
use crate::backend::{Address, Event, EventStatus, Fill, Launch, ProfilingPoint, Queue};
use crate::error::{Errc, Error, Result};

/// A command queue.
#[derive(Debug)]
pub struct OpenClQueue {
    queue: OwnedQueue,
    shared: Arc<Shared>,
}

impl OpenClQueue {
    pub(super) fn new(queue: OwnedQueue, shared: Arc<Shared>) -> Self {
        Self { queue, shared }
    }

    /// Starts what was enqueued, and wraps its event.
    fn started(&self, call: &str, enqueued: ClResult<OwnedEvent>) -> Result<Arc<dyn Event>> {
        let event = enqueued.map_err(|code| conv::command_error(call, code))?;
        self.start(event)
    }

    fn start(&self, event: OwnedEvent) -> Result<Arc<dyn Event>> {
        sys::flush(&self.queue).map_err(|code| conv::error(Errc::Runtime, "clFlush", code))?;
        Ok(Arc::new(OpenClEvent(event)))
    }
}

/// The list of an enqueue call.
fn wait_list<'a>(deps: &'a [&dyn Event]) -> WaitList<'a> {
    WaitList::new(deps.iter().map(|dep| {
        let dep: &dyn Any = *dep;
        match dep.downcast_ref::<OpenClEvent>() {
            Some(OpenClEvent(event)) => event,
            None => unreachable!("an event of another back end"),
        }
    }))
}

impl Queue for OpenClQueue {
    fn wait(&self) -> Result<()> {
        sys::finish(&self.queue).map_err(|code| conv::error(Errc::Runtime, "clFinish", code))
    }

    fn memcpy(
        &self,
        destination: Address,
        source: Address,
        bytes: usize,
        deps: &[&dyn Event],
    ) -> Result<Arc<dyn Event>> {
        let copied = self.shared.memory.copy(&self.queue, destination, source, bytes, &wait_list(deps));
        self.started("memcpy", copied)
    }

    fn fill(&self, fill: Fill<'_>, deps: &[&dyn Event]) -> Result<Arc<dyn Event>> {
        let filled = memory::fill(&*self.shared.memory, &self.queue, &fill, &wait_list(deps));
        self.started("fill", filled)
    }

    fn barrier(&self, deps: &[&dyn Event]) -> Result<Arc<dyn Event>> {
        self.started("clEnqueueBarrierWithWaitList", sys::enqueue_barrier(&self.queue, &wait_list(deps)))
    }

    fn marker(&self, deps: &[&dyn Event]) -> Result<Arc<dyn Event>> {
        self.started("clEnqueueMarkerWithWaitList", sys::enqueue_marker(&self.queue, &wait_list(deps)))
    }

    fn launch(&self, launch: Launch<'_>, deps: &[&dyn Event]) -> Result<Arc<dyn Event>> {
        let kernel: &dyn Any = launch.kernel;
        let Some(kernel) = kernel.downcast_ref::<OpenClKernel>() else { unreachable!("a kernel of another back end") };
        self.start(kernel.launch(&self.queue, launch.range, launch.arguments, &wait_list(deps))?)
    }
}

/// An event.
#[derive(Debug)]
pub struct OpenClEvent(OwnedEvent);

impl Event for OpenClEvent {
    fn wait(&self) -> Result<()> {
        let Err(code) = sys::wait(&self.0) else { return Ok(()) };
        // The code of the wait says only that some command failed; the event knows how.
        match sys::event_status(&self.0) {
            Ok(status) if status < 0 => Err(Error::runtime(format!("a command failed: {}", conv::code_name(status)))),
            _ => Err(conv::error(Errc::Runtime, "clWaitForEvents", code)),
        }
    }

    fn status(&self) -> Result<EventStatus> {
        let status = sys::event_status(&self.0).map_err(|code| conv::error(Errc::Runtime, "clGetEventInfo", code))?;
        Ok(conv::event_status(status))
    }

    fn profiling(&self, point: ProfilingPoint) -> Result<u64> {
        sys::event_profiling(&self.0, conv::profiling_param(point))
            .map_err(|code| conv::error(Errc::Profiling, "clGetEventProfilingInfo", code))
    }
}
