// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#![forbid(unsafe_code)]
//! An event.

use std::sync::Arc;

use super::Context;
use crate::backend::{self, EventStatus, ProfilingPoint};
use crate::error::{Error, Result};
use crate::os::process;

/// Completion of a command.
#[derive(Debug)]
pub struct Event {
    inner: Arc<dyn backend::Event>,
    context: Arc<Context>,
    profiling: bool,
}

impl Event {
    pub(super) fn new(inner: Arc<dyn backend::Event>, context: Arc<Context>, profiling: bool) -> Self {
        Self { inner, context, profiling }
    }

    /// Context of the queue that the command went to.
    #[must_use]
    pub fn context(&self) -> &Arc<Context> {
        &self.context
    }

    /// Waits until the command has completed. In exit handlers it returns at once.
    ///
    /// # Errors
    /// The command failed.
    pub fn wait(&self) -> Result<()> {
        if process::is_exiting() {
            return Ok(());
        }
        let _call = process::use_drivers()?;
        self.inner.wait()
    }

    /// How far the command is.
    ///
    /// # Errors
    /// What the driver says.
    pub fn status(&self) -> Result<EventStatus> {
        let _call = process::use_drivers()?;
        self.inner.status()
    }

    /// Nanoseconds on the device's clock, with submit ≤ start ≤ end. Start and end wait until they are known.
    ///
    /// # Errors
    /// [`Errc::Invalid`](crate::error::Errc::Invalid) if the queue was made without profiling; what the driver says.
    pub fn profiling(&self, point: ProfilingPoint) -> Result<u64> {
        let _call = process::use_drivers()?;
        if !self.profiling {
            return Err(Error::invalid(
                "profiling information was asked of an event whose queue was made without \
                 property::queue::enable_profiling",
            ));
        }
        // Drivers need not know any of the times before the end.
        self.inner.wait()?;
        let submit = self.inner.profiling(ProfilingPoint::Submit)?;
        if point == ProfilingPoint::Submit {
            return Ok(submit);
        }
        let start = self.inner.profiling(ProfilingPoint::Start)?.max(submit);
        if point == ProfilingPoint::Start {
            return Ok(start);
        }
        Ok(self.inner.profiling(ProfilingPoint::End)?.max(start))
    }

    pub(super) fn inner(&self) -> &dyn backend::Event {
        &*self.inner
    }
}
