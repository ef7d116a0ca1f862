// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Source languages and the devices that can be built for.

use crate::{compiler::client, runtime::Device};

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
pub fn can_build(device: &Device, language: Language) -> Result<(), String> {
    if language != Language::Sycl {
        return Err(format!("source_language::{} is a feature that is not there yet", language.name()));
    }
    if device.capabilities().spirv.is_none() {
        return Err("its driver takes no SPIR-V".into());
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
pub fn can_compile(_device: &Device, _language: Language) -> Result<(), String> {
    Err("bundle_state::object is a feature that is not there yet".into())
}

/// Starts the compiler program for later builds, if the language needs it; takes about a millisecond.
pub fn start_ahead(language: Language) {
    if language == Language::Sycl {
        client().start_ahead();
    }
}
