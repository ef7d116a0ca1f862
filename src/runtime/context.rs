// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#![forbid(unsafe_code)]
//! A context, its memory and its code.

use std::ffi::c_void;
use std::sync::Arc;

use super::{Device, Platform, modules::Modules};
use crate::backend::{self, Address, Aspect, Module, UsmKind, UsmPointer, UsmRequest};
use crate::error::{Error, Result};
use crate::image::DeviceImage;
use crate::os::process;

/// Devices of one platform that share memory and code.
#[derive(Debug)]
pub struct Context {
    inner: Arc<dyn backend::Context>,
    devices: Vec<Arc<Device>>,
    platform: Arc<Platform>,
    modules: Modules,
}

impl Context {
    /// A context for these devices, in this order, each once.
    ///
    /// # Errors
    /// [`Errc::Invalid`](crate::error::Errc::Invalid) if there is no device or they belong to different platforms;
    /// what the driver says.
    pub fn new(devices: &[Arc<Device>]) -> Result<Arc<Self>> {
        let _call = process::use_drivers()?;
        let Some(first) = devices.first() else {
            return Err(Error::invalid("a context needs at least one device, and none was given"));
        };
        let platform = first.platform();
        let mut unique: Vec<Arc<Device>> = Vec::with_capacity(devices.len());
        for device in devices {
            if !Arc::ptr_eq(device.platform(), platform) {
                return Err(Error::invalid(format!(
                    "the devices of a context must belong to one platform: \"{}\" belongs to \"{}\", \"{}\" to \"{}\"",
                    first.name(),
                    platform.info(backend::PlatformInfo::Name),
                    device.name(),
                    device.platform().info(backend::PlatformInfo::Name),
                )));
            }
            if !unique.iter().any(|known| Arc::ptr_eq(known, device)) {
                unique.push(Arc::clone(device));
            }
        }
        let inner_devices: Vec<&dyn backend::Device> = unique.iter().map(|device| device.inner()).collect();
        let inner = platform.inner().create_context(&inner_devices)?;
        Ok(Arc::new(Self { inner, devices: unique, platform: Arc::clone(platform), modules: Modules::default() }))
    }

    /// Its devices, in the order given, each once.
    #[must_use]
    pub fn devices(&self) -> &[Arc<Device>] {
        &self.devices
    }

    /// The platform of its devices.
    #[must_use]
    pub fn platform(&self) -> &Arc<Platform> {
        &self.platform
    }

    /// Whether the device is one of its devices.
    #[must_use]
    pub fn contains(&self, device: &Device) -> bool {
        self.index(device).is_some()
    }

    /// Makes the code of an image usable on a device.
    ///
    /// # Errors
    /// [`Errc::Invalid`](crate::error::Errc::Invalid) if the device is not in the context;
    /// [`Errc::Build`](crate::error::Errc::Build) with the driver's log if the driver refuses the code.
    pub fn load_image(&self, device: &Device, image: &DeviceImage, build_flags: &str) -> Result<Arc<dyn Module>> {
        let _call = process::use_driver_compilers()?;
        self.check_device(device)?;
        let module = self.inner.load_image(device.inner(), image, build_flags);
        process::driver_compilers_are_loaded();
        module
    }

    /// A module that was [kept](Self::keep) for the device under this hash, with its log, if somebody has it still.
    #[must_use]
    pub fn alive(&self, device: &Device, hash: &[u8; 32]) -> Option<(Arc<dyn Module>, Arc<str>)> {
        self.modules.get(&(self.index(device)?, *hash))
    }

    /// Lets a module of the device be found as long as somebody has it. A kernel may leave something in the variables of a
    /// module; whoever finds one has to know whether it has any.
    pub fn keep(&self, device: &Device, hash: [u8; 32], module: &Arc<dyn Module>, log: &Arc<str>) {
        if let Some(index) = self.index(device) {
            self.modules.insert((index, hash), module, log);
        }
    }

    fn index(&self, device: &Device) -> Option<usize> {
        self.devices.iter().position(|known| std::ptr::eq(Arc::as_ptr(known), device))
    }

    /// Allocates USM. `None` when there is not enough memory, nothing was asked for, or the alignment is not
    /// supported (as one that is no power of two never is).
    ///
    /// # Errors
    /// [`Errc::Invalid`](crate::error::Errc::Invalid) if the kind is unknown, or a device is missing or not in the
    /// context; [`Errc::FeatureNotSupported`](crate::error::Errc::FeatureNotSupported) if the device (for host
    /// allocations without a device: each device of the context) cannot do it.
    pub fn usm_allocate(&self, device: Option<&Device>, request: UsmRequest) -> Result<Option<Address>> {
        let _call = process::use_drivers()?;
        if let Some(device) = device {
            self.check_device(device)?;
        }
        let aspect = match request.kind {
            UsmKind::Host => Aspect::UsmHostAllocations,
            UsmKind::Device => Aspect::UsmDeviceAllocations,
            UsmKind::Shared => Aspect::UsmSharedAllocations,
            UsmKind::Unknown => return Err(Error::invalid("USM kind \"unknown\" cannot be allocated")),
        };
        let able = match (device, request.kind) {
            (Some(device), _) => device.has(aspect),
            (None, UsmKind::Host) => self.devices.iter().any(|device| device.has(aspect)),
            (None, kind) => {
                return Err(Error::invalid(format!("a USM {} allocation needs a device", kind.name())));
            }
        };
        if !able {
            let who = device.map_or_else(|| "no device of the context".to_owned(), |d| format!("\"{}\"", d.name()));
            return Err(Error::feature_not_supported(format!(
                "USM {} allocations are not supported: {who} {} the aspect",
                request.kind.name(),
                if device.is_some() { "lacks" } else { "has" },
            )));
        }
        if request.bytes == 0 || (request.alignment != 0 && !request.alignment.is_power_of_two()) {
            return Ok(None);
        }
        let device = if request.kind == UsmKind::Host { None } else { device };
        self.inner.usm_allocate(device.map(Device::inner), request)
    }

    /// Frees a USM allocation of this context; null does nothing. Where drivers cannot be used any more (after `fork`,
    /// at exit), the memory is left to the operating system.
    ///
    /// # Errors
    /// [`Errc::Invalid`](crate::error::Errc::Invalid) if it is not the start of an allocation of the context, as far
    /// as the driver tells.
    pub fn usm_free(&self, pointer: Address) -> Result<()> {
        if pointer.is_null() {
            return Ok(());
        }
        let Some(_call) = process::may_release() else {
            return Ok(());
        };
        self.inner.usm_free(pointer)
    }

    /// Kind of the allocation that the pointer points into.
    ///
    /// # Errors
    /// What the driver says.
    pub fn usm_kind(&self, pointer: *const c_void) -> Result<UsmKind> {
        Ok(self.usm_query(pointer)?.kind)
    }

    /// Device of the allocation that the pointer points into; for host allocations the first of the context.
    ///
    /// # Errors
    /// [`Errc::Invalid`](crate::error::Errc::Invalid) if it does not point into an allocation of the context.
    pub fn usm_device(&self, pointer: *const c_void) -> Result<&Arc<Device>> {
        let found = self.usm_query(pointer)?;
        if found.kind == UsmKind::Unknown {
            return Err(Error::invalid(format!("{pointer:p} does not point into a USM allocation of this context")));
        }
        let index = found.device.unwrap_or(0);
        self.devices.get(index).ok_or_else(|| {
            Error::internal(format!("the driver named device {index} of a context of {}", self.devices.len()))
        })
    }

    fn usm_query(&self, pointer: *const c_void) -> Result<UsmPointer> {
        if pointer.is_null() {
            return Ok(UsmPointer { kind: UsmKind::Unknown, device: None });
        }
        let _call = process::use_drivers()?;
        self.inner.usm_query(pointer)
    }

    pub(super) fn check_device(&self, device: &Device) -> Result<()> {
        if self.contains(device) {
            return Ok(());
        }
        let known: Vec<String> = self.devices.iter().map(|device| format!("\"{}\"", device.name())).collect();
        Err(Error::invalid(format!(
            "device \"{}\" (platform \"{}\") is not in the context, whose devices are {} (platform \"{}\")",
            device.name(),
            device.platform().info(backend::PlatformInfo::Name),
            known.join(", "),
            self.platform.info(backend::PlatformInfo::Name),
        )))
    }

    pub(super) fn inner(&self) -> &dyn backend::Context {
        &*self.inner
    }
}
