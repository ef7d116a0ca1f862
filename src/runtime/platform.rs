// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#![forbid(unsafe_code)]
//! A platform.

use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;

use super::{Context, Device};
use crate::backend::{self, Aspect, BackendKind, PlatformInfo};
use crate::error::Result;

/// The selected devices of one driver.
///
/// Platform, devices and default context hold each other: they live as long as the process.
#[derive(Debug)]
pub struct Platform {
    inner: Arc<dyn backend::Platform>,
    devices: OnceLock<Vec<Arc<Device>>>,
    default_context: Mutex<Option<Arc<Context>>>,
}

impl Platform {
    pub(super) fn new(inner: Arc<dyn backend::Platform>, devices: Vec<Arc<dyn backend::Device>>) -> Arc<Self> {
        let platform = Arc::new(Self { inner, devices: OnceLock::new(), default_context: Mutex::new(None) });
        platform.devices.get_or_init(|| {
            devices.into_iter().map(|device| Arc::new(Device::new(device, Arc::clone(&platform)))).collect()
        });
        platform
    }

    /// The back end that it belongs to.
    #[must_use]
    pub fn backend(&self) -> BackendKind {
        self.inner.backend()
    }

    /// Text about it.
    #[must_use]
    pub fn info(&self, param: PlatformInfo) -> &str {
        self.inner.info(param)
    }

    /// Its devices that pass `ONEAPI_DEVICE_SELECTOR`, in the driver's order.
    #[must_use]
    pub fn devices(&self) -> &[Arc<Device>] {
        self.devices.get().map_or(&[], Vec::as_slice)
    }

    /// Whether all its devices have the feature.
    #[must_use]
    pub fn has(&self, aspect: Aspect) -> bool {
        self.devices().iter().all(|device| device.has(aspect))
    }

    /// The context of all its devices that queues share; always the same one.
    ///
    /// # Errors
    /// What the driver says when it is made.
    pub fn default_context(&self) -> Result<Arc<Context>> {
        let mut slot = self.default_context.lock();
        if let Some(context) = &*slot {
            return Ok(Arc::clone(context));
        }
        let context = Context::new(self.devices())?;
        *slot = Some(Arc::clone(&context));
        Ok(context)
    }

    pub(super) fn inner(&self) -> &dyn backend::Platform {
        &*self.inner
    }
}
