// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#![forbid(unsafe_code)]
//! A device.

use std::sync::Arc;

use super::Platform;
use crate::backend::{self, Aspect, Capabilities, ClVersion, DeviceInfo, DeviceType, InfoValue, OpenClCSupport};
use crate::error::Result;
use crate::os::process;

/// A device that passes `ONEAPI_DEVICE_SELECTOR`.
#[derive(Debug)]
pub struct Device {
    inner: Arc<dyn backend::Device>,
    platform: Arc<Platform>,
}

impl Device {
    pub(super) fn new(inner: Arc<dyn backend::Device>, platform: Arc<Platform>) -> Self {
        Self { inner, platform }
    }

    /// The platform that it belongs to.
    #[must_use]
    pub fn platform(&self) -> &Arc<Platform> {
        &self.platform
    }

    /// Kind of the device.
    #[must_use]
    pub fn device_type(&self) -> DeviceType {
        self.inner.device_type()
    }

    /// Its name, for messages.
    #[must_use]
    pub fn name(&self) -> String {
        match self.inner.info(DeviceInfo::Name) {
            Ok(InfoValue::Text(name)) => name,
            Ok(_) | Err(_) => "(device without a name)".to_owned(),
        }
    }

    /// Answers a question in the shape that [`DeviceInfo`] says.
    ///
    /// # Errors
    /// What the driver says.
    pub fn info(&self, param: DeviceInfo) -> Result<InfoValue> {
        let _call = process::use_drivers()?;
        self.inner.info(param)
    }

    /// Whether it has an optional feature.
    #[must_use]
    pub fn has(&self, aspect: Aspect) -> bool {
        self.inner.has(aspect)
    }

    /// What code it takes.
    #[must_use]
    pub fn capabilities(&self) -> &Capabilities {
        self.inner.capabilities()
    }

    /// Whether sources in this version of OpenCL C can be built.
    #[must_use]
    pub fn supports_cl_c_version(&self, version: ClVersion) -> bool {
        self.opencl_c().is_some_and(|opencl_c| opencl_c.versions.contains(&version))
    }

    /// Whether the feature of OpenCL C with this macro (`__opencl_c_…`) can be used.
    #[must_use]
    pub fn supports_cl_c_feature(&self, name: &str) -> bool {
        self.opencl_c().is_some_and(|opencl_c| opencl_c.features.iter().any(|(known, _)| known == name))
    }

    /// The version of the OpenCL extension that it has; `None` without the extension.
    #[must_use]
    pub fn cl_extension(&self, name: &str) -> Option<ClVersion> {
        self.opencl_c()?.extensions.iter().find(|(known, _)| known == name).map(|(_, version)| *version)
    }

    /// `FULL_PROFILE` or `EMBEDDED_PROFILE`; empty without OpenCL C.
    #[must_use]
    pub fn cl_profile(&self) -> &str {
        self.opencl_c().map_or("", |opencl_c| &opencl_c.profile)
    }

    fn opencl_c(&self) -> Option<&OpenClCSupport> {
        self.capabilities().opencl_c.as_ref()
    }

    pub(super) fn inner(&self) -> &dyn backend::Device {
        &*self.inner
    }
}
