// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! From a source bundle to an object bundle.

use std::{sync::Arc, time::Instant};

use syclrtc_protocol::{Output, Request};

use super::{
    build::{BuildOptions, check_properties},
    cached::{Answer, make},
    job::Job,
    kernel_bundle::{Contents, KernelBundle, Report, Source, Units},
    language::can_compile,
    request::{next_main_name, request, write_time_trace},
    unit::ObjectUnit,
};
use crate::{
    backend::Aspect,
    error::{Error, Result},
    runtime::Device,
};

impl KernelBundle {
    /// Compiles the source to an object, which [`link`](Self::link) takes. `SYCL_EXTERNAL` functions and variables that
    /// are not defined stay open. One object serves all devices. A bundle in state input becomes an empty object.
    ///
    /// # Errors
    /// As [`build`](Self::build); [`Errc::Invalid`](crate::error::Errc::Invalid) too if a device lacks
    /// `aspect::online_linker`.
    pub fn compile(&self, devices: &[Arc<Device>], options: &BuildOptions) -> Result<Arc<Self>> {
        let begin = Instant::now();
        let mut report = Report::default();
        let units = self.compile_units(devices, options, &mut report);
        report.times.total = begin.elapsed();
        report
            .tell("compile", units.as_ref().map(|(_, units)| units.iter().map(|unit| unit.table.kernels.len()).sum()));
        let (devices, units) = units?;
        log::debug!("compiled in {:?}", report.times.total);
        Ok(Self::new(self.context(), devices, Contents::Object(units), report))
    }

    fn compile_units(
        &self,
        devices: &[Arc<Device>],
        options: &BuildOptions,
        report: &mut Report,
    ) -> Result<Units<ObjectUnit>> {
        Ok(match self.contents() {
            Contents::Source(source) => {
                let able = |device: &Device| can_compile(device, source.language);
                let devices = self.check_devices(devices, able, source.language)?;
                check_linker(&devices)?;
                check_properties(source.language, options)?;
                (devices, vec![Arc::new(compile_source(source, options, report)?)])
            }
            Contents::Input => (self.devices_of_input(devices)?, Vec::new()),
            Contents::Object(_) | Contents::Executable(_) => {
                return Err(Error::invalid(format!(
                    "only a bundle in state ext_oneapi_source or input can be compiled, and this one is in state {}",
                    self.state().name()
                )));
            }
        })
    }
}

/// State `object` needs the aspect.
pub(super) fn check_linker(devices: &[Arc<Device>]) -> Result<()> {
    match devices.iter().find(|device| !device.has(Aspect::OnlineLinker)) {
        None => Ok(()),
        Some(device) => Err(Error::invalid(format!(
            "device \"{}\" lacks aspect::online_linker, which bundle_state::object needs",
            device.name()
        ))),
    }
}

fn compile_source(source: &Source, options: &BuildOptions, report: &mut Report) -> Result<ObjectUnit> {
    let name = next_main_name();
    report.name.clone_from(&name);
    let request = Request::Compile(request(source, options, &name, Output::Object));
    let Answer { built, compiler } = make(&request, report, &Job::default())?;
    if let Some(trace) = &built.time_trace {
        write_time_trace(trace)?;
    }
    Ok(ObjectUnit::new(name, built.code.into(), compiler, built.table))
}
