// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! From a source bundle to an executable one, and from code to what devices have loaded.

use std::{sync::Arc, time::Instant};

use syclrtc_protocol::{Built, Output, Request, TargetFormat};

use super::{
    cached::make,
    globals::GlobalsBlock,
    job::{BuildStage, Job},
    kernel_bundle::{Contents, Executable, KernelBundle, Report, Source, Units},
    language::{Language, build_for, can_build, check_options},
    native::{Code, Loading},
    request::{COMPILATION_FAILED, next_main_name, request, write_time_trace},
    spirv, trace,
    unit::{Image, Loaded, Unit},
};
use crate::{
    backend::Aspect,
    error::{Errc, Error, Result},
    image::{CodeSplit, DeviceImage, Table, Target},
    runtime::{Context, Device},
};

pub(super) use super::request::detailed;

/// Properties of a compile or build.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BuildOptions {
    /// Command-line elements for the compiler. Empty ones have no meaning.
    pub options: Vec<String>,
    /// Expressions that name kernels and device globals.
    pub registered_names: Vec<String>,
}

impl KernelBundle {
    /// Builds the source for some devices of the context. Each call compiles anew and gives an independent result. A
    /// bundle in state input becomes an empty executable.
    ///
    /// # Errors
    /// [`Errc::Invalid`] if the bundle is neither source nor input, there is no device, a device is not in the context
    /// or does not support the language, the language does not support a property, or an option is unknown, refused,
    /// lacks its argument, or names a file that cannot be written; [`Errc::Build`] with the log if the source does not
    /// compile, the driver refuses the code, or the compiler program fails.
    pub fn build(&self, devices: &[Arc<Device>], options: &BuildOptions) -> Result<Arc<Self>> {
        self.build_job(devices, options, &Job::default())
    }

    /// A [`build`](Self::build) that others can look at and cancel.
    pub(super) fn build_job(&self, devices: &[Arc<Device>], options: &BuildOptions, job: &Job) -> Result<Arc<Self>> {
        let begin = Instant::now();
        let mut report = Report::default();
        let units = self.build_units(devices, options, job, &mut report);
        report.times.total = begin.elapsed();
        report.tell("build", units.as_ref().map(|(_, units)| units.iter().map(|unit| unit.kernel_count()).sum()));
        let (devices, units) = units?;
        log::debug!("built in {:?}: {:?}", report.times.total, report.times);
        Ok(Self::new(self.context(), devices, Contents::Executable(Executable::new(units)), report))
    }

    fn build_units(
        &self,
        devices: &[Arc<Device>],
        options: &BuildOptions,
        job: &Job,
        report: &mut Report,
    ) -> Result<Units<Unit>> {
        Ok(match self.contents() {
            Contents::Source(source) => {
                let devices =
                    self.check_devices(devices, |device| can_build(device, source.language), source.language)?;
                check_properties(source.language, options)?;
                check_options(source.language, &options.options)?;
                let unit = self.build_source(source, &devices, options, job, report)?;
                (devices, vec![Arc::new(unit)])
            }
            Contents::Input => (self.devices_of_input(devices)?, Vec::new()),
            Contents::Object(_) | Contents::Executable(_) => {
                return Err(Error::invalid(format!(
                    "only a bundle in state ext_oneapi_source or input can be built, and this one is in state {}",
                    self.state().name()
                )));
            }
        })
    }

    fn build_source(
        &self,
        source: &Source,
        devices: &[Arc<Device>],
        options: &BuildOptions,
        job: &Job,
        report: &mut Report,
    ) -> Result<Unit> {
        let name = next_main_name();
        report.name.clone_from(&name);
        let mut images = Vec::new();
        if source.language != Language::Sycl {
            let begin = Instant::now();
            for device in devices {
                job.enter(BuildStage::Loading)?;
                images.push(built_by_driver(self.context(), device, source, options, report)?);
            }
            report.times.driver += begin.elapsed();
            return Ok(Unit::new(name, images));
        }
        for (target, devices) in by_target(devices)? {
            let request = Request::Compile(request(source, options, &name, Output::Image(target.clone())));
            let mut built = make(&request, report, job)?.built;
            job.enter(BuildStage::Loading)?;
            if let Some(trace) = built.time_trace.take().filter(|_| images.is_empty()) {
                write_time_trace(&trace)?;
            }
            images.push(image(COMPILATION_FAILED, self.context(), built, (target, &devices), report)?);
        }
        Ok(Unit::new(name, images))
    }

    /// The devices without duplicates.
    pub(super) fn check_devices(
        &self,
        given: &[Arc<Device>],
        able: impl Fn(&Device) -> std::result::Result<(), String>,
        language: Language,
    ) -> Result<Vec<Arc<Device>>> {
        let devices = unique_devices(given)?;
        for device in &devices {
            if !self.context().contains(device) {
                return Err(Error::invalid(format!("device not part of kernel_bundle context: \"{}\"", device.name())));
            }
        }
        for device in &devices {
            if let Err(reason) = able(device) {
                return Err(Error::invalid(format!(
                    "device \"{}\" does not support source_language::{}: {reason}",
                    device.name(),
                    language.name()
                )));
            }
        }
        Ok(devices)
    }

    /// The devices without duplicates; they have to be the bundle's.
    pub(super) fn devices_of_input(&self, given: &[Arc<Device>]) -> Result<Vec<Arc<Device>>> {
        let devices = unique_devices(given)?;
        match devices.iter().find(|device| !self.has_device(device)) {
            None => Ok(devices),
            Some(device) => Err(Error::invalid(format!(
                "Not all devices are associated with the bundle: \"{}\" is not",
                device.name()
            ))),
        }
    }
}

/// Each device once.
pub(super) fn unique_devices(given: &[Arc<Device>]) -> Result<Vec<Arc<Device>>> {
    if given.is_empty() {
        return Err(Error::invalid(
            "Not all devices are associated with the context or vector of devices is empty: no device was given",
        ));
    }
    let mut devices: Vec<Arc<Device>> = Vec::with_capacity(given.len());
    for device in given {
        if !devices.iter().any(|known| Arc::ptr_eq(known, device)) {
            devices.push(Arc::clone(device));
        }
    }
    Ok(devices)
}

pub(super) fn check_properties(language: Language, options: &BuildOptions) -> Result<()> {
    if language == Language::Sycl || options.registered_names.is_empty() {
        return Ok(());
    }
    Err(Error::invalid(format!("source_language::{} does not support the property registered_names", language.name())))
}

/// The devices by what is compiled for them, in the order given.
pub(super) fn by_target(devices: &[Arc<Device>]) -> Result<Vec<(Target, Vec<Arc<Device>>)>> {
    let mut groups: Vec<(Target, Vec<Arc<Device>>)> = Vec::new();
    for device in devices {
        let target = target_of(device)?;
        match groups.iter_mut().find(|(known, _)| *known == target) {
            Some((_, group)) => group.push(Arc::clone(device)),
            None => groups.push((target, vec![Arc::clone(device)])),
        }
    }
    Ok(groups)
}

pub(super) fn target_of(device: &Device) -> Result<Target> {
    let Some(spirv) = &device.capabilities().spirv else {
        return Err(Error::internal("a device without SPIR-V passed the check"));
    };
    let format = TargetFormat::Spirv { version: spirv.version, extensions: spirv.extensions.clone() };
    let aspects = Aspect::ALL.iter().filter(|aspect| device.has(**aspect)).map(|aspect| aspect.number()).collect();
    Ok(Target { format, aspects })
}

/// Builds a source in another language than `sycl` for a device.
fn built_by_driver(
    context: &Context,
    device: &Arc<Device>,
    source: &Source,
    options: &BuildOptions,
    report: &mut Report,
) -> Result<Image> {
    let begin = Instant::now();
    let built = build_for(context, device, source.language, &source.text, &options.options)?;
    trace::load(&report.name, device, &built.image, built.code.origin, begin.elapsed());
    report.log.push_str(&built.code.log);
    Ok(Image {
        table: Table { kernels: built.image.kernels.to_vec(), code_split: CodeSplit::Off, ..Table::default() },
        code: built.image,
        flags: built.flags,
        target: target_of(device).ok(),
        final_ir: [].into(),
        loaded: vec![Loaded { device: Arc::clone(device), module: Some(built.code.module), globals: None }],
    })
}

/// Checks code that the compiler program made, and loads it for each device. `failed` begins messages.
pub(super) fn image(
    failed: &str,
    context: &Arc<Context>,
    built: Built,
    (target, devices): (Target, &[Arc<Device>]),
    report: &mut Report,
) -> Result<Image> {
    let kernels = built.table.kernels.clone();
    let mut image = Image {
        flags: built.table.driver_options.clone(),
        table: built.table,
        code: DeviceImage::spirv(built.code, kernels),
        target: Some(target),
        final_ir: built.final_ir.into(),
        loaded: Vec::new(),
    };
    if !image.code.bytes.is_empty() {
        spirv::check(&image.code.bytes).map_err(|fault| fault.into_error(failed, &report.log))?;
    }
    for device in devices {
        image.loaded.push(load(failed, context, device, &image, report)?);
    }
    Ok(image)
}

/// Gives the code of an image to the driver of a device.
fn load(
    failed: &str,
    context: &Arc<Context>,
    device: &Arc<Device>,
    image: &Image,
    report: &mut Report,
) -> Result<Loaded> {
    let mut code = None;
    if !image.code.bytes.is_empty() {
        let begin = Instant::now();
        let loading = Loading { context, device, image: &image.code, flags: &image.flags, describe: None };
        let loaded = loading.load().map_err(|error| refused_by(failed, device, error, &report.log))?;
        let time = begin.elapsed();
        report.times.driver += time;
        trace::load(&report.name, device, &image.code, loaded.origin, time);
        code = Some(loaded);
    }
    on_device(context, device, code, &image.table, report)
}

/// What a driver has loaded, ready for launches.
pub(super) fn on_device(
    context: &Arc<Context>,
    device: &Arc<Device>,
    code: Option<Code>,
    table: &Table,
    report: &mut Report,
) -> Result<Loaded> {
    let mut globals = None;
    if let Some(Code { module, log, .. }) = &code {
        report.log.push_str(log);
        if table.device_global_block > 0 {
            globals = Some(Arc::new(GlobalsBlock::new(context, device, module, table.device_global_block)?));
        }
    }
    Ok(Loaded { device: Arc::clone(device), module: code.map(|code| code.module), globals })
}

fn refused_by(failed: &str, device: &Device, error: Error, log: &str) -> Error {
    if error.code != Errc::Build {
        return error;
    }
    let said = error.log.as_deref().unwrap_or_default().trim_end();
    let mut details = format!("the driver of \"{}\" refused the code: {}", device.name(), error.message);
    if !said.is_empty() && !details.contains(said) {
        details.push_str(&format!("\n{said}"));
    }
    if !log.is_empty() {
        details.push_str(&format!("\n{log}"));
    }
    Error::build(detailed(failed, &details), details)
}

impl spirv::Fault {
    /// A module that must not reach a driver, as the error of the build. `log` is what the compiler said.
    fn into_error(self, failed: &str, log: &str) -> Error {
        let mut details = match self {
            Self::Undefined(names) => {
                format!("No device image found for external symbol {}", names.join(", "))
            }
            Self::Invalid(fault) => format!("internal error: the compiler made an invalid module: {fault}"),
        };
        if !log.is_empty() {
            details.push_str(&format!("\n{log}"));
        }
        Error::build(detailed(failed, &details), details)
    }
}
