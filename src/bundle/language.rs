// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Source languages and the devices that can be built for.

use super::{native::Code, opencl_c, opencl_options, spirv_source};
use crate::{
    backend::Aspect,
    cache::{caches, digest_of},
    compiler::client,
    error::{Error, Result},
    image::DeviceImage,
    runtime::{Context, Device},
};

/// Language of a source bundle. The numbers cross the C border and are never reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Language {
    /// SYCL free-function kernels
    Sycl = 1,
    /// OpenCL C
    OpenCl = 2,
    /// A SPIR-V module
    Spirv = 3,
}

impl Language {
    /// The language with this number.
    #[must_use]
    pub fn from_number(number: u32) -> Option<Self> {
        [Self::Sycl, Self::OpenCl, Self::Spirv].into_iter().find(|language| *language as u32 == number)
    }

    /// SYCL's word for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Sycl => "sycl",
            Self::OpenCl => "opencl",
            Self::Spirv => "spirv",
        }
    }
}

/// Whether a source of this language can be built for the device; if not, why.
///
/// # Errors
/// The reason, for a message after the device's name.
pub fn can_build(device: &Device, language: Language) -> std::result::Result<(), String> {
    if language == Language::OpenCl {
        let has_compiler = device.capabilities().opencl_c.is_some();
        return if has_compiler { Ok(()) } else { Err("its driver has no compiler for OpenCL C".into()) };
    }
    if device.capabilities().spirv.is_none() {
        return Err("its driver takes no SPIR-V".into());
    }
    if language == Language::Spirv {
        return Ok(());
    }
    match client().locate() {
        Ok(_) => Ok(()),
        Err(error) => Err(error.to_string()),
    }
}

/// Whether a source of this language can be compiled to object state for the device; if not, why.
///
/// # Errors
/// The reason, for a message after the device's name.
pub fn can_compile(device: &Device, language: Language) -> std::result::Result<(), String> {
    if language != Language::Sycl {
        return Err("objects exist for source_language::sycl only".into());
    }
    can_build(device, language)?;
    if device.has(Aspect::OnlineLinker) { Ok(()) } else { Err("it lacks aspect::online_linker".into()) }
}

/// Code of a language that needs no compiler program, loaded for one device.
#[derive(Debug)]
pub(super) struct Loaded {
    pub(super) code: Code,
    /// What was loaded, with its kernels, each of which is of [`KernelKind::Any`](crate::image::KernelKind::Any).
    pub(super) image: DeviceImage,
    /// The flags that it was loaded with.
    pub(super) flags: String,
}

/// Refuses options that the language does not have, before anything is built. Options of `sycl` are the compiler
/// program's business.
///
/// # Errors
/// [`Errc::Invalid`](crate::error::Errc::Invalid) with the option in the message.
pub(super) fn check_options(language: Language, options: &[String]) -> Result<()> {
    match language {
        Language::Sycl => Ok(()),
        Language::OpenCl => opencl_options::parse(options).map(drop),
        Language::Spirv => spirv_source::check_options(options),
    }
}

/// Builds a source in a language other than `sycl` for one device of the context. Options that are empty have no
/// meaning.
///
/// # Errors
/// As [`check_options`]; [`Errc::Build`](crate::error::Errc::Build) with the log if the module is not valid or the driver
/// refuses it.
pub(super) fn build_for(
    context: &Context,
    device: &Device,
    language: Language,
    source: &[u8],
    options: &[String],
) -> Result<Loaded> {
    match language {
        Language::Sycl => Err(Error::internal("language sycl is built by the compiler program")),
        Language::OpenCl => opencl_c::build(context, device, source, options),
        Language::Spirv => spirv_source::build(context, device, source, options),
    }
}

/// Starts the compiler program for later builds of a source, if the language needs it and no results for the source are kept
/// on disk; takes about a millisecond.
pub fn start_ahead(language: Language, text: &[u8]) {
    if language != Language::Sycl {
        return;
    }
    // A limit that is no number is the build's to report.
    let store = caches().and_then(|caches| caches.store()).unwrap_or_default();
    if !store.is_some_and(|store| store.has_source(&digest_of(text))) {
        client().start_ahead();
    }
}
