// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The bundle: a source, or the executable code that was built from one.

use std::{
    fmt,
    sync::{Arc, Weak},
    time::Duration,
};

use parking_lot::Mutex;

use super::{
    Kernel,
    language::{Language, can_build, start_ahead},
};
use crate::{
    backend::Module,
    error::{Error, Result},
    image::KernelInfo,
    runtime::{Context, Device},
};

/// State of a bundle. The numbers cross the C border and are never reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum BundleState {
    /// `ext_oneapi_source`
    Source = 1,
    /// `object`
    Object = 2,
    /// `executable`
    Executable = 3,
}

/// One entry of the property `include_files`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IncludeFile {
    /// Spelling inside `#include`.
    pub name: String,
    /// The text.
    pub content: Vec<u8>,
}

/// Where the time of a build went.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BuildTimes {
    /// From call to return.
    pub total: Duration,
    /// In the compiler program, the way there and back included.
    pub compiler: Duration,
    /// In the driver.
    pub driver: Duration,
}

#[derive(Debug)]
pub(super) struct Source {
    pub(super) language: Language,
    pub(super) text: Vec<u8>,
    pub(super) include_files: Vec<IncludeFile>,
}

/// Code for the devices that take the same target: one compile, one image.
#[derive(Debug)]
pub(super) struct Unit {
    pub(super) kernels: Arc<[KernelInfo]>,
    /// Strings of `registered_names` with the raw name that each stands for.
    pub(super) registered: Vec<(String, String)>,
    /// The image loaded for each of its devices; none if it has no kernel.
    pub(super) modules: Vec<(Arc<Device>, Arc<dyn Module>)>,
}

impl Unit {
    /// The kernel that a string stands for: a registered string, the plain name of an `extern "C"` function, a raw
    /// name, or a plain mangled name.
    pub(super) fn find(&self, name: &str) -> Option<&KernelInfo> {
        let raw = self.registered.iter().find(|(string, _)| string == name).map(|(_, raw)| raw.as_str());
        let by_raw = |raw: &str| self.kernels.iter().find(|kernel| kernel.raw_name == raw);
        raw.and_then(by_raw)
            .or_else(|| self.kernels.iter().find(|kernel| kernel.plain_name.as_deref() == Some(name)))
            .or_else(|| by_raw(name))
            .or_else(|| self.kernels.iter().find(|kernel| kernel.mangled_name == name))
    }
}

#[derive(Debug)]
pub(super) struct Executable {
    pub(super) units: Vec<Unit>,
    pub(super) log: String,
    pub(super) times: BuildTimes,
    /// Kernels handed out, so that one kernel is one object. Weak, since a kernel keeps its bundle.
    pub(super) handed_out: Mutex<Vec<(String, Weak<Kernel>)>>,
}

#[derive(Debug)]
pub(super) enum Contents {
    Source(Source),
    Executable(Executable),
}

/// A kernel bundle. It keeps its context alive, and its kernels keep it.
#[derive(Debug)]
pub struct KernelBundle {
    context: Arc<Context>,
    devices: Vec<Arc<Device>>,
    contents: Contents,
}

impl KernelBundle {
    /// A bundle of a source for all devices of the context. The source is kept as it is and not looked at.
    ///
    /// # Errors
    /// [`Errc::Invalid`](crate::error::Errc::Invalid) if no device of the context supports the language, the language
    /// takes no include files and some are given, or two of them have the same name.
    pub fn create_from_source(
        context: &Arc<Context>,
        language: Language,
        text: Vec<u8>,
        include_files: Vec<IncludeFile>,
    ) -> Result<Arc<Self>> {
        check_support(context, language)?;
        check_include_files(language, &include_files)?;
        start_ahead(language);
        Ok(Self::new(
            Arc::clone(context),
            context.devices().to_vec(),
            Contents::Source(Source { language, text, include_files }),
        ))
    }

    pub(super) fn new(context: Arc<Context>, devices: Vec<Arc<Device>>, contents: Contents) -> Arc<Self> {
        Arc::new(Self { context, devices, contents })
    }

    /// Its context.
    #[must_use]
    pub fn context(&self) -> &Arc<Context> {
        &self.context
    }

    /// Devices associated with it, each once.
    #[must_use]
    pub fn devices(&self) -> &[Arc<Device>] {
        &self.devices
    }

    /// Its state.
    #[must_use]
    pub fn state(&self) -> BundleState {
        match self.contents {
            Contents::Source(_) => BundleState::Source,
            Contents::Executable(_) => BundleState::Executable,
        }
    }

    /// Number of device images. An image without kernels does not count: it is never loaded.
    #[must_use]
    pub fn image_count(&self) -> usize {
        match &self.contents {
            Contents::Source(_) => 0,
            Contents::Executable(code) => code.units.iter().filter(|unit| !unit.kernels.is_empty()).count(),
        }
    }

    /// Warnings and notes of the build; empty for a source.
    #[must_use]
    pub fn log(&self) -> &str {
        match &self.contents {
            Contents::Source(_) => "",
            Contents::Executable(code) => &code.log,
        }
    }

    /// Where the time of the build went.
    ///
    /// # Errors
    /// [`Errc::Invalid`](crate::error::Errc::Invalid) for a bundle that was not built.
    pub fn build_times(&self) -> Result<BuildTimes> {
        self.executable("build times are known of").map(|code| code.times)
    }

    /// Whether there is a kernel of this name; false for a source.
    #[must_use]
    pub fn has_kernel(&self, name: &str) -> bool {
        self.units().iter().any(|unit| unit.find(name).is_some())
    }

    /// The name of the entry point that `name` stands for.
    ///
    /// # Errors
    /// [`Errc::Invalid`](crate::error::Errc::Invalid) if there is no such kernel; the message lists those there are.
    pub fn raw_kernel_name(&self, name: &str) -> Result<&str> {
        self.find(name).map(|kernel| kernel.raw_name.as_str())
    }

    /// The kernel of this name; the same object as long as somebody holds it.
    ///
    /// # Errors
    /// [`Errc::Invalid`](crate::error::Errc::Invalid) if there is no such kernel (the message lists those there are)
    /// or the bundle is a source; what the driver says.
    pub fn kernel(self: &Arc<Self>, name: &str) -> Result<Arc<Kernel>> {
        let code = self.executable("kernels can be taken from")?;
        let info = self.find(name)?;
        let mut handed_out = code.handed_out.lock();
        let known = handed_out.iter().find(|(raw, _)| *raw == info.raw_name).and_then(|(_, kernel)| kernel.upgrade());
        if let Some(kernel) = known {
            return Ok(kernel);
        }
        handed_out.retain(|(_, kernel)| kernel.strong_count() > 0);
        let kernel = Arc::new(Kernel::new(self, info)?);
        handed_out.push((info.raw_name.clone(), Arc::downgrade(&kernel)));
        Ok(kernel)
    }

    fn find(&self, name: &str) -> Result<&KernelInfo> {
        self.units().iter().find_map(|unit| unit.find(name)).ok_or_else(|| {
            Error::invalid(format!("kernel '{name}' not found in kernel_bundle; {}", Existing(self.units())))
        })
    }

    pub(super) fn units(&self) -> &[Unit] {
        match &self.contents {
            Contents::Source(_) => &[],
            Contents::Executable(code) => &code.units,
        }
    }

    pub(super) fn source(&self) -> Result<&Source> {
        match &self.contents {
            Contents::Source(source) => Ok(source),
            Contents::Executable(_) => Err(Error::invalid("only a bundle in state ext_oneapi_source can be built")),
        }
    }

    fn executable(&self, what: &str) -> Result<&Executable> {
        match &self.contents {
            Contents::Executable(code) => Ok(code),
            Contents::Source(_) => Err(Error::invalid(format!("{what} a bundle in state executable only"))),
        }
    }
}

fn check_support(context: &Context, language: Language) -> Result<()> {
    let mut reasons = String::new();
    for device in context.devices() {
        match can_build(device, language) {
            Ok(()) => return Ok(()),
            Err(reason) => reasons.push_str(&format!("\n\t{}: {reason}", device.name())),
        }
    }
    Err(Error::invalid(format!("no device of the context supports source_language::{}:{reasons}", language.name())))
}

fn check_include_files(language: Language, files: &[IncludeFile]) -> Result<()> {
    if language != Language::Sycl && !files.is_empty() {
        return Err(Error::invalid(format!(
            "source_language::{} does not support the property include_files",
            language.name()
        )));
    }
    for (index, file) in files.iter().enumerate() {
        if files[..index].iter().any(|earlier| earlier.name == file.name) {
            return Err(Error::invalid(format!("Include file '{}' is already registered", file.name)));
        }
    }
    Ok(())
}

/// What there is instead of a kernel that was not found.
struct Existing<'a>(&'a [Unit]);

impl fmt::Display for Existing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lines: Vec<String> = Vec::new();
        for unit in self.0 {
            for kernel in unit.kernels.iter() {
                let strings = unit.registered.iter().filter(|(_, raw)| *raw == kernel.raw_name);
                let names: Vec<&str> =
                    strings.map(|(string, _)| string.as_str()).chain(kernel.plain_name.as_deref()).collect();
                let line = if names.is_empty() {
                    kernel.raw_name.clone()
                } else {
                    format!("{} (raw name {})", names.join(", "), kernel.raw_name)
                };
                if !lines.contains(&line) {
                    lines.push(line);
                }
            }
        }
        if lines.is_empty() {
            return f.write_str("it has no kernels");
        }
        f.write_str("its kernels are:")?;
        lines.iter().try_for_each(|line| write!(f, "\n\t{line}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::{KernelKind, KernelProperties};

    fn kernel(raw: &str, plain: Option<&str>, mangled: &str) -> KernelInfo {
        KernelInfo {
            raw_name: raw.into(),
            plain_name: plain.map(Into::into),
            mangled_name: mangled.into(),
            kind: KernelKind::SingleTask,
            parameters: Vec::new(),
            properties: KernelProperties::default(),
            aspects: Vec::new(),
        }
    }

    fn unit() -> Unit {
        Unit {
            kernels: vec![
                kernel("__sycl_kernel_iota", Some("iota"), "iota"),
                kernel("_Z18__sycl_kernel_iotafPf", None, "_Z4iotafPf"),
                kernel("_Z16__sycl_kernel_ffIiEvPT_", None, "_Z2ffIiEvPT_"),
            ]
            .into(),
            registered: vec![
                ("ff<int>".into(), "_Z16__sycl_kernel_ffIiEvPT_".into()),
                ("(void(*)(float, float*))iota".into(), "_Z18__sycl_kernel_iotafPf".into()),
            ],
            modules: Vec::new(),
        }
    }

    #[test]
    fn each_kind_of_name_finds_its_kernel() {
        let unit = unit();
        for (name, raw) in [
            ("iota", "__sycl_kernel_iota"),
            ("__sycl_kernel_iota", "__sycl_kernel_iota"),
            ("(void(*)(float, float*))iota", "_Z18__sycl_kernel_iotafPf"),
            ("_Z4iotafPf", "_Z18__sycl_kernel_iotafPf"),
            ("_Z18__sycl_kernel_iotafPf", "_Z18__sycl_kernel_iotafPf"),
            ("ff<int>", "_Z16__sycl_kernel_ffIiEvPT_"),
        ] {
            assert_eq!(unit.find(name).map(|kernel| kernel.raw_name.as_str()), Some(raw), "{name}");
        }
        for name in ["", "ff", "ff< int>", "iota ", "Iota", "_Z4iota"] {
            assert!(unit.find(name).is_none(), "{name}");
        }
    }

    #[test]
    fn the_kernels_that_exist_are_listed() {
        let text = Existing(&[unit()]).to_string();
        assert!(text.contains("\n\tiota (raw name __sycl_kernel_iota)"), "{text}");
        assert!(text.contains("\n\tff<int> (raw name _Z16__sycl_kernel_ffIiEvPT_)"), "{text}");
        assert_eq!(Existing(&[]).to_string(), "it has no kernels");
    }

    #[test]
    fn include_files_are_for_sycl_and_each_name_is_given_once() {
        let file = |name: &str| IncludeFile { name: name.into(), content: Vec::new() };
        assert!(check_include_files(Language::Sycl, &[file("a.h"), file("b.h")]).is_ok());
        assert!(check_include_files(Language::OpenCl, &[]).is_ok());
        assert!(check_include_files(Language::OpenCl, &[file("a.h")]).is_err());
        let twice = check_include_files(Language::Sycl, &[file("a.h"), file("a.h")]).unwrap_err();
        assert_eq!(twice.message, "Include file 'a.h' is already registered");
    }
}
