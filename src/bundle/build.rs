// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! From a source bundle to an executable one.

use std::{
    env,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use parking_lot::Mutex;
use syclrtc_protocol::{self as protocol, Built, Compile, Output, Reply, Request, Target, TargetFormat};

use super::{
    kernel_bundle::{BuildTimes, Contents, Executable, KernelBundle, Source, Unit},
    language::{Language, build_for, can_build, check_options},
    spirv,
};
use crate::{
    backend::Aspect,
    compiler::client,
    error::{Errc, Error, Result},
    image::DeviceImage,
    runtime::Device,
};

/// First line of a message about a source that does not compile; programs look for it.
const COMPILATION_FAILED: &str = "Device compilation failed";
/// First line of a message about an option; programs look for it.
const ARGUMENTS_FAILED: &str = "Parsing of user arguments failed";

/// Properties of a build.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BuildOptions {
    /// Command-line elements for the compiler. Empty ones have no meaning.
    pub options: Vec<String>,
    /// Expressions that name kernels.
    pub registered_names: Vec<String>,
}

impl KernelBundle {
    /// Builds the source for some devices of the context. Each call compiles anew and gives an independent result.
    ///
    /// # Errors
    /// [`Errc::Invalid`] if the bundle is no source, there is no device, a device is not in the context or does not
    /// support the language, or an option is unknown, refused or lacks its argument; [`Errc::Build`] with the log if
    /// the source does not compile, the driver refuses the code, or the compiler program fails.
    pub fn build(&self, devices: &[Arc<Device>], options: &BuildOptions) -> Result<Arc<Self>> {
        let begin = Instant::now();
        let source = self.source()?;
        let devices = self.check_devices(source, devices)?;
        if source.language != Language::Sycl {
            return self.build_by_driver(source, devices, options);
        }
        let main_name = next_main_name();
        let mut code = Executable {
            units: Vec::new(),
            log: String::new(),
            times: BuildTimes::default(),
            handed_out: Mutex::default(),
        };
        for (target, devices) in by_target(&devices)? {
            let request = request(source, options, &main_name, target);
            let (built, time) = compile(request)?;
            code.times.compiler += time;
            let unit = self.load(built, &devices, &mut code)?;
            code.units.push(unit);
        }
        code.times.total = begin.elapsed();
        log::debug!("built {main_name} in {:?}: {:?}", code.times.total, code.times);
        Ok(Self::new(Arc::clone(self.context()), devices, Contents::Executable(code)))
    }

    /// Builds a source in another language than `sycl`, for each device by itself.
    fn build_by_driver(&self, source: &Source, devices: Vec<Arc<Device>>, options: &BuildOptions) -> Result<Arc<Self>> {
        let begin = Instant::now();
        let name = source.language.name();
        if !options.registered_names.is_empty() {
            return Err(Error::invalid(format!(
                "source_language::{name} does not support the property registered_names"
            )));
        }
        check_options(source.language, &options.options)?;
        let mut code = Executable {
            units: Vec::new(),
            log: String::new(),
            times: BuildTimes::default(),
            handed_out: Mutex::default(),
        };
        for device in &devices {
            let loaded = build_for(self.context(), device, source.language, &source.text, &options.options)?;
            code.log.push_str(&loaded.log);
            code.units.push(Unit {
                kernels: loaded.image.kernels,
                registered: Vec::new(),
                modules: vec![(Arc::clone(device), loaded.module)],
            });
        }
        code.times.total = begin.elapsed();
        code.times.driver = code.times.total;
        Ok(Self::new(Arc::clone(self.context()), devices, Contents::Executable(code)))
    }

    /// The devices without duplicates.
    fn check_devices(&self, source: &Source, given: &[Arc<Device>]) -> Result<Vec<Arc<Device>>> {
        if given.is_empty() {
            return Err(Error::invalid(
                "Not all devices are associated with the context or vector of devices is empty: no device was given",
            ));
        }
        let mut devices: Vec<Arc<Device>> = Vec::with_capacity(given.len());
        for device in given {
            if !self.context().contains(device) {
                return Err(Error::invalid(format!("device not part of kernel_bundle context: \"{}\"", device.name())));
            }
            if !devices.iter().any(|known| Arc::ptr_eq(known, device)) {
                devices.push(Arc::clone(device));
            }
        }
        for device in &devices {
            if let Err(reason) = can_build(device, source.language) {
                return Err(Error::invalid(format!(
                    "device \"{}\" does not support source_language::{}: {reason}",
                    device.name(),
                    source.language.name()
                )));
            }
        }
        Ok(devices)
    }

    /// Checks the image and loads it for each device.
    fn load(&self, built: Built, devices: &[Arc<Device>], code: &mut Executable) -> Result<Unit> {
        code.log.push_str(&built.log);
        let mut unit =
            Unit { kernels: built.table.kernels.into(), registered: built.table.registered_names, modules: Vec::new() };
        if unit.kernels.is_empty() {
            return Ok(unit);
        }
        spirv::check(&built.code).map_err(|fault| fault.into_error(&code.log))?;
        let image = DeviceImage::spirv(built.code, Arc::clone(&unit.kernels));
        for device in devices {
            let begin = Instant::now();
            let module = self.context().load_image(device, &image, "").map_err(|e| refused_by(device, e, &code.log))?;
            code.times.driver += begin.elapsed();
            code.log.push_str(module.build_log());
            unit.modules.push((Arc::clone(device), module));
        }
        Ok(unit)
    }
}

/// `rtc_<n>.cpp`: n counts the builds of the process.
fn next_main_name() -> String {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    format!("rtc_{}.cpp", NUMBER.fetch_add(1, Ordering::Relaxed))
}

/// The devices by what is compiled for them, in the order given.
fn by_target(devices: &[Arc<Device>]) -> Result<Vec<(Target, Vec<Arc<Device>>)>> {
    let mut groups: Vec<(Target, Vec<Arc<Device>>)> = Vec::new();
    for device in devices {
        let Some(spirv) = &device.capabilities().spirv else {
            return Err(Error::internal("a device without SPIR-V passed the check"));
        };
        let format = TargetFormat::Spirv { version: spirv.version, extensions: spirv.extensions.clone() };
        let aspects = Aspect::ALL.iter().filter(|aspect| device.has(**aspect)).map(|aspect| aspect.number()).collect();
        let target = Target { format, aspects };
        match groups.iter_mut().find(|(known, _)| *known == target) {
            Some((_, group)) => group.push(Arc::clone(device)),
            None => groups.push((target, vec![Arc::clone(device)])),
        }
    }
    Ok(groups)
}

fn request(source: &Source, options: &BuildOptions, main_name: &str, target: Target) -> Compile {
    let mut registered_names: Vec<String> = Vec::with_capacity(options.registered_names.len());
    for name in &options.registered_names {
        if !registered_names.contains(name) {
            registered_names.push(name.clone());
        }
    }
    let include_files = source.include_files.iter();
    let mut request = Compile {
        main_name: main_name.to_owned(),
        source: source.text.clone(),
        include_files: include_files
            .map(|file| protocol::IncludeFile { name: file.name.clone(), content: file.content.clone() })
            .collect(),
        options: options.options.iter().filter(|option| !option.is_empty()).cloned().collect(),
        registered_names,
        working_directory: working_directory(),
        unit_id: String::new(),
        output: Output::Image(target),
    };
    request.unit_id = unit_id(&request);
    request
}

fn working_directory() -> String {
    match env::current_dir().map(|path| path.into_os_string().into_string()) {
        Ok(Ok(path)) => path,
        Ok(Err(path)) => {
            log::warn!("the current directory is not UTF-8 and is not searched for headers: {}", path.display());
            String::new()
        }
        Err(error) => {
            log::warn!("there is no current directory to search for headers: {error}");
            String::new()
        }
    }
}

/// Equal for equal input and different otherwise. Every field goes in with its length, every list with its count, so
/// that no two requests give the same bytes. Names that do not change the code of the source stay out: the main file's,
/// and those that are only registered.
fn unit_id(request: &Compile) -> String {
    let mut hash = blake3::Hasher::new_derive_key("syclrtc 0 unit id");
    let mut field = |bytes: &[u8]| {
        hash.update(&(bytes.len() as u64).to_le_bytes());
        hash.update(bytes);
    };
    field(env!("CARGO_PKG_VERSION").as_bytes());
    field(&request.source);
    field(&(request.include_files.len() as u64).to_le_bytes());
    for file in &request.include_files {
        field(file.name.as_bytes());
        field(&file.content);
    }
    field(&(request.options.len() as u64).to_le_bytes());
    for option in &request.options {
        field(option.as_bytes());
    }
    match &request.output {
        Output::Object => field(b"object"),
        Output::Image(Target { format: TargetFormat::Spirv { version: (major, minor), extensions }, aspects }) => {
            field(b"spirv");
            field(&[*major, *minor]);
            field(&(extensions.len() as u64).to_le_bytes());
            for extension in extensions {
                field(extension.as_bytes());
            }
            for aspect in aspects {
                field(&aspect.to_le_bytes());
            }
        }
    }
    // 128 bits: enough against chance, short enough for a name.
    hash.finalize().to_hex()[..32].to_owned()
}

fn compile(request: Compile) -> Result<(Built, Duration)> {
    let begin = Instant::now();
    let main_name = request.main_name.clone();
    let reply = client()
        .run(&Request::Compile(request))
        .map_err(|e| Error::build(detailed(COMPILATION_FAILED, &e.to_string()), e.to_string()))?;
    let time = begin.elapsed();
    match reply {
        Reply::Built(built) => {
            log::debug!("{main_name}: {:?}", built.stages);
            Ok((built, time))
        }
        Reply::Refused { message } => Err(Error::invalid(detailed(ARGUMENTS_FAILED, &message))),
        Reply::Failed { log, .. } => Err(Error::build(detailed(COMPILATION_FAILED, &log), log)),
        Reply::Text(_) => Err(Error::internal("the compiler program answered another question")),
        Reply::Died { message } => {
            let log = format!("internal error: the compile ended without a result: {message}");
            Err(Error::build(detailed(COMPILATION_FAILED, &log), log))
        }
    }
}

fn refused_by(device: &Device, error: Error, log: &str) -> Error {
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
    Error::build(detailed(COMPILATION_FAILED, &details), details)
}

pub(super) fn detailed(what: &str, details: &str) -> String {
    format!("{what}\nDetailed information:\n\t{details}")
}

impl spirv::Fault {
    /// A module that must not reach a driver, as the error of the build. `log` is what the compiler said.
    fn into_error(self, log: &str) -> Error {
        let mut details = match self {
            Self::Undefined(names) => {
                format!("No device image found for external symbol {}", names.join(", "))
            }
            Self::Invalid(fault) => format!("internal error: the compiler made an invalid module: {fault}"),
        };
        if !log.is_empty() {
            details.push_str(&format!("\n{log}"));
        }
        Error::build(detailed(COMPILATION_FAILED, &details), details)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundle::IncludeFile;

    fn source(text: &str, files: &[(&str, &str)]) -> Source {
        let include_files =
            files.iter().map(|(name, content)| IncludeFile { name: (*name).into(), content: (*content).into() });
        Source { language: Language::Sycl, text: text.into(), include_files: include_files.collect() }
    }

    fn id(source: &Source, options: &[&str], target: Target) -> String {
        let options = BuildOptions { options: options.iter().map(|o| (*o).into()).collect(), ..Default::default() };
        request(source, &options, "rtc_0.cpp", target).unit_id
    }

    fn spirv(minor: u8, extensions: &[&str]) -> Target {
        let extensions = extensions.iter().map(|e| (*e).into()).collect();
        Target { format: TargetFormat::Spirv { version: (1, minor), extensions }, aspects: vec![1, 6] }
    }

    #[test]
    fn near_requests_have_different_ids_and_equal_ones_the_same() {
        let plain = source("ab", &[]);
        let ids = [
            id(&plain, &[], spirv(4, &[])),
            id(&source("a", &[("b", "")]), &[], spirv(4, &[])),
            id(&source("", &[("ab", "")]), &[], spirv(4, &[])),
            id(&source("", &[("a", "b")]), &[], spirv(4, &[])),
            id(&source("", &[("a", ""), ("b", "")]), &[], spirv(4, &[])),
            id(&source("", &[("b", ""), ("a", "")]), &[], spirv(4, &[])),
            id(&plain, &["-DA=1", "-DB=2"], spirv(4, &[])),
            id(&plain, &["-DA=1 -DB=2"], spirv(4, &[])),
            id(&plain, &["-DA=1-DB=2"], spirv(4, &[])),
            id(&plain, &["-DB=2", "-DA=1"], spirv(4, &[])),
            id(&plain, &[], spirv(2, &[])),
            id(&plain, &[], spirv(4, &["SPV_A", "SPV_B"])),
            id(&plain, &[], spirv(4, &["SPV_ASPV_B"])),
        ];
        for (index, one) in ids.iter().enumerate() {
            assert!(one.len() == 32 && one.bytes().all(|b| b.is_ascii_hexdigit() && !b.is_ascii_uppercase()));
            assert!(!ids[..index].contains(one), "{index}");
        }
        assert_eq!(ids[0], id(&plain, &["", ""], spirv(4, &[])));
    }

    #[test]
    fn registered_names_are_sent_once_and_do_not_change_the_id() {
        let names = vec!["k<int>".to_owned(), "k".to_owned(), "k<int>".to_owned()];
        let options = BuildOptions { registered_names: names, ..Default::default() };
        let request = request(&source("", &[]), &options, "rtc_7.cpp", spirv(4, &[]));
        assert_eq!(request.registered_names, ["k<int>", "k"]);
        assert_eq!(request.unit_id, id(&source("", &[]), &[], spirv(4, &[])));
    }

    #[test]
    fn main_names_count_up() {
        let number = |name: String| name["rtc_".len()..name.len() - ".cpp".len()].parse::<u64>().unwrap();
        let first = number(next_main_name());
        assert!(number(next_main_name()) > first);
    }

    #[test]
    fn messages_have_the_shape_that_programs_look_for() {
        assert_eq!(
            detailed(COMPILATION_FAILED, "rtc_0.cpp:1:1: error: no"),
            "Device compilation failed\nDetailed information:\n\trtc_0.cpp:1:1: error: no"
        );
    }
}
