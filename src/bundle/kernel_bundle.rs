// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The bundle: a source, objects or executable code, for some devices of a context.

use std::{
    fmt,
    sync::{Arc, Weak},
    time::Duration,
};

use parking_lot::Mutex;

use super::{
    Kernel,
    aspects::{aspect_names, missing_aspects},
    language::{Language, can_build, start_ahead},
    names,
    trace::{self, Event, Made},
    unit::{ObjectUnit, Unit},
};
use crate::{
    error::{Diagnostic, Error, Result},
    image::{KernelInfo, LeftOut, Table},
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
    /// `input`; such a bundle never holds anything here, since there are no kernels of the application.
    Input = 4,
}

impl BundleState {
    /// The state with this number.
    #[must_use]
    pub fn from_number(number: u32) -> Option<Self> {
        [Self::Source, Self::Object, Self::Executable, Self::Input].into_iter().find(|state| *state as u32 == number)
    }

    /// SYCL's word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Source => "ext_oneapi_source",
            Self::Object => "object",
            Self::Executable => "executable",
            Self::Input => "input",
        }
    }
}

/// One entry of the property `include_files`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IncludeFile {
    /// Spelling inside `#include`.
    pub name: String,
    /// The text.
    pub content: Vec<u8>,
}

/// Where the time of a compile, build or link went.
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

#[derive(Debug, Default)]
pub(super) struct Executable {
    pub(super) units: Vec<Arc<Unit>>,
    /// Kernels handed out, by unit and raw name, so that one kernel is one object. Weak, since a kernel keeps its bundle.
    handed_out: Mutex<Vec<(usize, String, Weak<Kernel>)>>,
}

impl Executable {
    pub(super) fn new(units: Vec<Arc<Unit>>) -> Self {
        Self { units, handed_out: Mutex::default() }
    }
}

#[derive(Debug)]
pub(super) enum Contents {
    Source(Source),
    Input,
    Object(Vec<Arc<ObjectUnit>>),
    Executable(Executable),
}

/// The devices of a new bundle, each once, and what it holds for them.
pub(super) type Units<U> = (Vec<Arc<Device>>, Vec<Arc<U>>);

/// What was said and how long it took to make a bundle.
#[derive(Debug, Default)]
pub(super) struct Report {
    pub(super) log: String,
    pub(super) diagnostics: Vec<Diagnostic>,
    pub(super) times: BuildTimes,
    /// Name of the main file, or of those of a link.
    pub(super) name: String,
    /// How the answers of the compiler program came.
    pub(super) made: Vec<Made>,
}

impl Report {
    /// Writes the line of a trace. `kernels`: how many there are.
    pub(super) fn tell(&mut self, what: &str, kernels: std::result::Result<usize, &Error>) {
        let BuildTimes { total, compiler, driver } = self.times;
        trace::event(&Event { what, name: &self.name, made: &self.made, outcome: kernels, compiler, driver, total });
        // Nobody reads it any more, and bundles live long.
        (self.name, self.made) = Default::default();
    }
}

/// A kernel bundle. It keeps its context alive, and its kernels keep it.
#[derive(Debug)]
pub struct KernelBundle {
    context: Arc<Context>,
    devices: Vec<Arc<Device>>,
    contents: Contents,
    report: Report,
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
        start_ahead(language, &text);
        let source = Source { language, text, include_files };
        Ok(Self::new(context, context.devices().to_vec(), Contents::Source(source), Report::default()))
    }

    pub(super) fn new(
        context: &Arc<Context>,
        devices: Vec<Arc<Device>>,
        contents: Contents,
        report: Report,
    ) -> Arc<Self> {
        Arc::new(Self { context: Arc::clone(context), devices, contents, report })
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

    /// Whether the device is associated with it.
    #[must_use]
    pub fn has_device(&self, device: &Device) -> bool {
        self.devices.iter().any(|known| std::ptr::eq(Arc::as_ptr(known), device))
    }

    /// Its state.
    #[must_use]
    pub fn state(&self) -> BundleState {
        match self.contents {
            Contents::Source(_) => BundleState::Source,
            Contents::Input => BundleState::Input,
            Contents::Object(_) => BundleState::Object,
            Contents::Executable(_) => BundleState::Executable,
        }
    }

    /// Number of device images: for an object one for each compile; for an executable as the code is split, where code
    /// without anything to run does not count.
    #[must_use]
    pub fn image_count(&self) -> usize {
        self.image_ids().len()
    }

    /// Numbers of the device images. Equal numbers stand for the same image, in this bundle or another.
    #[must_use]
    pub fn image_ids(&self) -> Vec<u64> {
        match &self.contents {
            Contents::Source(_) | Contents::Input => Vec::new(),
            Contents::Object(units) => units.iter().flat_map(|unit| unit.image_ids.clone()).collect(),
            Contents::Executable(code) => code.units.iter().flat_map(|unit| unit.image_ids.clone()).collect(),
        }
    }

    /// Whether both have the same state, context, devices and images, in any order. A source is equal to itself only.
    #[must_use]
    pub fn is_equal(&self, other: &Self) -> bool {
        if std::ptr::eq(self, other) {
            return true;
        }
        let sorted = |bundle: &Self| {
            let mut ids = bundle.image_ids();
            ids.sort_unstable();
            ids
        };
        self.state() != BundleState::Source
            && self.state() == other.state()
            && Arc::ptr_eq(&self.context, &other.context)
            && self.has_devices_of(other)
            && sorted(self) == sorted(other)
    }

    /// Whether both have the same devices, in any order.
    pub(super) fn has_devices_of(&self, other: &Self) -> bool {
        let within = |a: &Self, b: &Self| a.devices.iter().all(|device| b.has_device(device));
        within(self, other) && within(other, self)
    }

    /// Warnings and notes of the compile, build or link; empty for bundles that come otherwise.
    #[must_use]
    pub fn log(&self) -> &str {
        &self.report.log
    }

    /// The compiler's diagnostics in [`log`](Self::log) as data.
    #[must_use]
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.report.diagnostics
    }

    /// Where the time of the compile, build or link went; zeros for bundles that come otherwise.
    ///
    /// # Errors
    /// [`Errc::Invalid`](crate::error::Errc::Invalid) for a bundle in state source or input.
    pub fn build_times(&self) -> Result<BuildTimes> {
        match self.contents {
            Contents::Object(_) | Contents::Executable(_) => Ok(self.report.times),
            Contents::Source(_) | Contents::Input => Err(Error::invalid(format!(
                "build times are known of a bundle in state object or executable only, and this one is in state {}",
                self.state().name()
            ))),
        }
    }

    /// Whether there is a kernel of this name; false for a source.
    #[must_use]
    pub fn has_kernel(&self, name: &str) -> bool {
        self.find_kernel(name).is_some()
    }

    fn find_kernel(&self, name: &str) -> Option<&KernelInfo> {
        self.tables().filter_map(|table| names::kernel(table, name)).find(|kernel| self.can_run(kernel))
    }

    /// An object serves all devices, so it keeps the kernels that none of the bundle's can run; a program sees none of
    /// those. From an image they are gone.
    fn can_run(&self, kernel: &KernelInfo) -> bool {
        !matches!(self.contents, Contents::Object(_))
            || self.devices.iter().any(|device| missing_aspects(device, &kernel.aspects).is_empty())
    }

    /// The name of the entry point that `name` stands for.
    ///
    /// # Errors
    /// [`Errc::Invalid`](crate::error::Errc::Invalid) if there is no such kernel; the message lists those there are, or
    /// says which device lacks what the kernel needs.
    pub fn raw_kernel_name(&self, name: &str) -> Result<&str> {
        self.find_kernel(name).map(|kernel| kernel.raw_name.as_str()).ok_or_else(|| self.no_kernel(name))
    }

    /// The kernel of this name; the same object as long as somebody holds it.
    ///
    /// # Errors
    /// As [`raw_kernel_name`](Self::raw_kernel_name); [`Errc::Invalid`](crate::error::Errc::Invalid) too if the bundle
    /// is not executable; what the driver says.
    pub fn kernel(self: &Arc<Self>, name: &str) -> Result<Arc<Kernel>> {
        let code = self.executable("kernels can be taken from")?;
        let found = code.units.iter().enumerate().find_map(|(index, unit)| {
            unit.tables().find_map(|table| names::kernel(table, name)).map(|info| (index, unit, info))
        });
        let (index, unit, info) = found.ok_or_else(|| self.no_kernel(name))?;
        let mut handed_out = code.handed_out.lock();
        let same = |(of, raw, _): &&(usize, String, Weak<Kernel>)| *of == index && *raw == info.raw_name;
        if let Some(kernel) = handed_out.iter().find(same).and_then(|(_, _, kernel)| kernel.upgrade()) {
            return Ok(kernel);
        }
        handed_out.retain(|(_, _, kernel)| kernel.strong_count() > 0);
        let kernel = Arc::new(Kernel::new(self, unit, info)?);
        handed_out.push((index, info.raw_name.clone(), Arc::downgrade(&kernel)));
        Ok(kernel)
    }

    fn no_kernel(&self, name: &str) -> Error {
        let mut reasons = String::new();
        let mut lacks = |device: &Device, missing: &[u32]| {
            let (device, missing) = (device.name(), aspect_names(missing));
            reasons.push_str(&format!("\n\tdevice \"{device}\" lacks {missing}, which the kernel needs"));
        };
        if matches!(self.contents, Contents::Object(_))
            && let Some(kernel) = self.tables().find_map(|table| names::kernel(table, name))
        {
            self.devices.iter().for_each(|device| lacks(device, &missing_aspects(device, &kernel.aspects)));
        }
        for image in self.units().iter().flat_map(|unit| &unit.images) {
            if let Some(LeftOut { missing, .. }) = names::left_out(&image.table, name) {
                image.loaded.iter().for_each(|loaded| lacks(&loaded.device, missing));
            }
        }
        let what = format!("kernel '{name}' not found in kernel_bundle");
        Error::invalid(if reasons.is_empty() {
            format!("{what}; {}", Existing(&self.tables().collect::<Vec<_>>()))
        } else {
            format!("{what}; it is in the source, but no device of the bundle can run it:{reasons}")
        })
    }

    /// The tables of all images, in the order in which names are looked up.
    pub(super) fn tables(&self) -> Box<dyn Iterator<Item = &Table> + '_> {
        match &self.contents {
            Contents::Source(_) | Contents::Input => Box::new(std::iter::empty()),
            Contents::Object(units) => Box::new(units.iter().map(|unit| &unit.table)),
            Contents::Executable(code) => Box::new(code.units.iter().flat_map(|unit| unit.tables())),
        }
    }

    /// Executable units; none in other states.
    pub(super) fn units(&self) -> &[Arc<Unit>] {
        match &self.contents {
            Contents::Executable(code) => &code.units,
            _ => &[],
        }
    }

    pub(super) fn contents(&self) -> &Contents {
        &self.contents
    }

    fn executable(&self, what: &str) -> Result<&Executable> {
        match &self.contents {
            Contents::Executable(code) => Ok(code),
            _ => Err(Error::invalid(format!(
                "{what} a bundle in state executable only, and this one is in state {}",
                self.state().name()
            ))),
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
struct Existing<'a>(&'a [&'a Table]);

impl fmt::Display for Existing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lines: Vec<String> = Vec::new();
        for table in self.0 {
            for kernel in &table.kernels {
                let strings = table.registered_names.iter().filter(|(_, raw)| *raw == kernel.raw_name);
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
    use crate::image::{KernelInfo, KernelKind, KernelProperties};

    fn kernel(raw: &str, plain: Option<&str>) -> KernelInfo {
        KernelInfo {
            raw_name: raw.into(),
            plain_name: plain.map(Into::into),
            mangled_name: String::new(),
            kind: KernelKind::SingleTask,
            parameters: Vec::new(),
            properties: KernelProperties::default(),
            aspects: Vec::new(),
            scratch: false,
        }
    }

    #[test]
    fn the_kernels_that_exist_are_listed() {
        let table = Table {
            kernels: vec![kernel("__sycl_kernel_iota", Some("iota")), kernel("_Z16__sycl_kernel_ffIiEvPT_", None)],
            registered_names: vec![("ff<int>".into(), "_Z16__sycl_kernel_ffIiEvPT_".into())],
            ..Table::default()
        };
        let text = Existing(&[&table, &table]).to_string();
        assert_eq!(
            text,
            "its kernels are:\n\tiota (raw name __sycl_kernel_iota)\n\tff<int> (raw name _Z16__sycl_kernel_ffIiEvPT_)"
        );
        assert_eq!(Existing(&[]).to_string(), "it has no kernels");
    }

    #[test]
    fn states_have_their_numbers() {
        for number in 1..=4 {
            assert_eq!(BundleState::from_number(number).unwrap() as u32, number);
        }
        assert!(BundleState::from_number(0).is_none() && BundleState::from_number(5).is_none());
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
