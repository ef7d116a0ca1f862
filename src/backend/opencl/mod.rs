// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! OpenCL, through the loader that the system has, found at run time.
//!
//! How SYCL's things map to OpenCL's:
//!
//! * Device code is SPIR-V, given to clCreateProgramWithIL (OpenCL 2.1) or clCreateProgramWithILKHR. Devices that take
//!   none are listed too. A module is a program built for one device.
//! * USM is cl_intel_unified_shared_memory where a platform has it. Otherwise it is shared virtual memory: see `svm`.
//!   Kernels may follow any pointer, so all of a context's memory is announced to every kernel.
//! * A launch takes a `cl_kernel` for itself, since OpenCL keeps arguments there: see `module`.
//! * Every command is flushed when it is enqueued: SYCL promises progress without a wait, and events may be waited for
//!   by other queues.
//! * SYCL's dimension i of n is OpenCL's n-1-i.
//! * The crate opencl3 lists platforms and devices; objects with a lifetime are owned in `sys` on top of cl3.

mod context;
mod conv;
mod device;
mod memory;
mod module;
mod queue;
mod svm;
mod sys;
mod sys_usm;
mod usm;

use std::sync::Arc;

use opencl3::device::Device as ClDevice;
use opencl3::platform::Platform as ClPlatform;

use self::device::{OpenClDevice, PlatformTraits};
use self::sys_usm::UsmFunctions;
use super::{Backend, BackendKind, Context, Device, Discovery, Platform, PlatformInfo};
use crate::env;
use crate::error::Result;

/// The OpenCL back end.
#[derive(Debug, Clone, Copy)]
pub struct OpenCl;

/// Oldest version with the functions that are always called.
const OLDEST: (u8, u8) = (1, 2);

/// The memory interface of a platform.
#[derive(Debug, Clone, Copy)]
enum MemoryKind {
    /// cl_intel_unified_shared_memory
    Usm(UsmFunctions),
    /// Shared virtual memory
    Svm,
    /// Nothing that kernels and host share by pointers
    None,
}

impl Backend for OpenCl {
    fn kind(&self) -> BackendKind {
        BackendKind::OpenCl
    }

    fn discover(&self) -> Discovery {
        let mut found = Discovery::default();
        match sys::load() {
            Ok(path) => {
                log::info!("OpenCL loader: {}", path.display());
                found.report.push(format!("opencl: loaded {}", path.display()));
            }
            Err(answers) => {
                found.report.extend(answers.iter().map(|answer| format!("opencl: {answer}")));
                return found;
            }
        }
        let platforms = match opencl3::platform::get_platforms() {
            Ok(platforms) => platforms,
            Err(error) => {
                found.report.push(format!("opencl: the loader lists no platforms: {}", conv::code_name(error.0)));
                return found;
            }
        };
        if platforms.is_empty() {
            found.report.push("opencl: the loader lists no platforms".to_owned());
        }
        for platform in platforms {
            if let Some(platform) = OpenClPlatform::new(platform, &mut found.report) {
                found.platforms.push(Arc::new(platform));
            }
        }
        found
    }
}

/// A platform.
#[derive(Debug)]
struct OpenClPlatform {
    name: String,
    vendor: String,
    version: String,
    memory: MemoryKind,
    devices: Vec<Arc<dyn Device>>,
}

impl OpenClPlatform {
    /// Asks a platform what it is. `None`, and a line in the report, if it does not say or has no devices.
    fn new(platform: ClPlatform, report: &mut Vec<String>) -> Option<Self> {
        let text = |param| platform.get_data(param).map(|bytes| sys::text(&bytes).trim().to_owned());
        let texts = [
            text(cl3::platform::CL_PLATFORM_NAME),
            text(cl3::platform::CL_PLATFORM_VENDOR),
            text(cl3::platform::CL_PLATFORM_VERSION),
        ];
        let [Ok(name), Ok(vendor), Ok(version)] = texts else {
            report.push("opencl: a platform does not tell its name, vendor or version".to_owned());
            return None;
        };
        let interface = conv::opencl_version(&version);
        if interface < OLDEST {
            report.push(format!("opencl: {name} ({version}): not used, older than OpenCL {}.{}", OLDEST.0, OLDEST.1));
            return None;
        }
        let ids = match platform.get_devices(cl3::device::CL_DEVICE_TYPE_ALL) {
            Ok(ids) => ids,
            Err(error) => {
                report.push(format!("opencl: {name} ({version}): no devices: {}", conv::code_name(error.0)));
                return None;
            }
        };
        let devices: Vec<ClDevice> = ids.into_iter().map(ClDevice::from).collect();
        if devices.is_empty() {
            report.push(format!("opencl: {name} ({version}): no devices"));
            return None;
        }
        let memory = memory_kind(platform, interface, &devices, report);
        let traits =
            PlatformTraits { version: interface, il_extension: sys::create_program_with_il_khr(platform.id()), memory };
        let mut known: Vec<Arc<dyn Device>> = Vec::new();
        for device in devices {
            match OpenClDevice::new(device, &traits) {
                Ok(device) => {
                    report.push(format!("opencl: {name} ({version}): {}", describe(&device)));
                    known.push(Arc::new(device));
                }
                Err(code) => report
                    .push(format!("opencl: {name} ({version}): a device does not answer: {}", conv::code_name(code))),
            }
        }
        (!known.is_empty()).then_some(Self { name, vendor, version, memory, devices: known })
    }
}

/// One device, for the report.
fn describe(device: &OpenClDevice) -> String {
    let spirv = match &device.capabilities().spirv {
        Some(spirv) => format!("takes SPIR-V up to {}.{}", spirv.version.0, spirv.version.1),
        None => "takes no SPIR-V".to_owned(),
    };
    format!("device \"{}\" {spirv}", device.name())
}

/// Chooses how memory is shared: by the extension if a device has it, else by SVM if each device has that.
fn memory_kind(
    platform: ClPlatform,
    interface: (u8, u8),
    devices: &[ClDevice],
    report: &mut Vec<String>,
) -> MemoryKind {
    let has_usm = |device: &ClDevice| {
        device::extensions(*device)
            .is_ok_and(|extensions| extensions.iter().any(|name| name == "cl_intel_unified_shared_memory"))
    };
    let prefer_svm = env::OPENCL_USM.value().is_some_and(|value| value == "svm");
    if !prefer_svm && devices.iter().any(has_usm) {
        match UsmFunctions::load(platform.id()) {
            Ok(functions) => return MemoryKind::Usm(functions),
            Err(missing) => report.push(format!("opencl: cl_intel_unified_shared_memory is there without {missing}")),
        }
    }
    if interface >= (2, 0) && devices.iter().all(|device| device::has_svm(*device)) {
        MemoryKind::Svm
    } else {
        MemoryKind::None
    }
}

impl Platform for OpenClPlatform {
    fn backend(&self) -> BackendKind {
        BackendKind::OpenCl
    }

    fn info(&self, param: PlatformInfo) -> &str {
        match param {
            PlatformInfo::Name => &self.name,
            PlatformInfo::Vendor => &self.vendor,
            PlatformInfo::Version => &self.version,
        }
    }

    fn devices(&self) -> &[Arc<dyn Device>] {
        &self.devices
    }

    fn create_context(&self, devices: &[&dyn Device]) -> Result<Arc<dyn Context>> {
        Ok(Arc::new(context::OpenClContext::new(devices, self.memory)?))
    }
}
