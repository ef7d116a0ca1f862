// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#![forbid(unsafe_code)]
//! The platforms of the process.

use std::sync::{Arc, OnceLock};

use super::Platform;
use super::selector::Selector;
use crate::backend::opencl::OpenCl;
use crate::backend::{self, Backend};
use crate::env;
use crate::error::{Error, Result};
use crate::os::{dylib, process};

/// What discovery found.
#[derive(Debug)]
struct Registry {
    platforms: Vec<Arc<Platform>>,
    report: Vec<String>,
}

static REGISTRY: OnceLock<Result<Registry>> = OnceLock::new();

/// The platforms that have at least one device which passes `ONEAPI_DEVICE_SELECTOR`. None if there is no driver.
///
/// # Errors
/// [`Errc::Invalid`](crate::error::Errc::Invalid) if the variable does not parse.
pub fn platforms() -> Result<&'static [Arc<Platform>]> {
    registry().map(|registry| registry.platforms.as_slice())
}

/// What was looked for and what each driver loader answered, for messages about missing devices.
///
/// # Errors
/// As [`platforms`].
pub fn discovery_report() -> Result<String> {
    registry().map(|registry| registry.report.join("\n"))
}

fn registry() -> Result<&'static Registry> {
    let _call = process::use_drivers()?;
    let result = REGISTRY.get_or_init(|| {
        let text = env::ONEAPI_DEVICE_SELECTOR.text()?.unwrap_or_default();
        dylib::keep_own_library();
        let registry = Registry::discover(&text, &[&OpenCl]);
        process::drivers_are_loaded();
        registry
    });
    result.as_ref().map_err(Error::clone)
}

impl Registry {
    fn discover(selector_text: &str, backends: &[&dyn Backend]) -> Result<Self> {
        let selector = Selector::parse(selector_text)?;
        let mut registry = Self { platforms: Vec::new(), report: Vec::new() };
        for backend in backends {
            registry.add(*backend, &selector);
        }
        if !selector_text.is_empty() {
            registry.report.push(format!("ONEAPI_DEVICE_SELECTOR={selector_text} is in effect"));
        }
        for line in &registry.report {
            log::debug!("discovery: {line}");
        }
        Ok(registry)
    }

    fn add(&mut self, backend: &dyn Backend, selector: &Selector) {
        let kind = backend.kind();
        if !selector.wants_backend(kind) {
            self.report
                .push(format!("{}: not looked for, ONEAPI_DEVICE_SELECTOR accepts no device of it", kind.name()));
            return;
        }
        let found = backend.discover();
        self.report.extend(found.report);
        let mut index = 0;
        for platform in found.platforms {
            let mut selected: Vec<Arc<dyn backend::Device>> = Vec::new();
            for device in platform.devices() {
                if selector.accepts(kind, device.device_type(), index) {
                    selected.push(Arc::clone(device));
                } else {
                    self.report.push(format!(
                        "{}:{index}: hidden by ONEAPI_DEVICE_SELECTOR ({})",
                        kind.name(),
                        platform.info(backend::PlatformInfo::Name)
                    ));
                }
                index += 1;
            }
            if !selected.is_empty() {
                self.platforms.push(Platform::new(platform, selected));
            }
        }
    }
}
