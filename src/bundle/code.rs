// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The code of a bundle in a form that other programs read.

use std::sync::Arc;

use super::{
    kernel_bundle::{Contents, KernelBundle},
    request::disassemble,
    unit::{Image, Loaded},
};
use crate::{
    error::{Error, Result},
    image::ImageFormat,
    runtime::Device,
};

/// Form of the code. The numbers cross the C border and are never reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum CodeFormat {
    /// A SPIR-V module.
    Spirv = 1,
    /// PTX text.
    Ptx = 2,
    /// LLVM IR as text.
    LlvmIr = 3,
    /// What the device's driver made of it.
    Native = 4,
}

impl CodeFormat {
    /// The format with this number.
    #[must_use]
    pub fn from_number(number: u32) -> Option<Self> {
        [Self::Spirv, Self::Ptx, Self::LlvmIr, Self::Native].into_iter().find(|format| *format as u32 == number)
    }

    fn name(self) -> &'static str {
        match self {
            Self::Spirv => "SPIR-V",
            Self::Ptx => "PTX",
            Self::LlvmIr => "LLVM IR",
            Self::Native => "a native binary",
        }
    }
}

/// Which code is wanted.
#[derive(Debug, Clone, Copy)]
pub struct CodeRequest<'a> {
    /// In which form.
    pub format: CodeFormat,
    /// For which device; the first of the bundle if none is given.
    pub device: Option<&'a Device>,
}

impl KernelBundle {
    /// The code of the bundle. An object has LLVM IR; an executable has what its language and devices make.
    ///
    /// # Errors
    /// [`Errc::Invalid`](crate::error::Errc::Invalid) if the device is not one of the bundle's, or the bundle holds no code
    /// or that of several compiles (as after a join); [`Errc::FeatureNotSupported`](crate::error::Errc::FeatureNotSupported)
    /// if the code does not exist in that form; [`Errc::Build`](crate::error::Errc::Build) if the compiler program fails;
    /// what the driver says.
    pub fn code(&self, request: &CodeRequest<'_>) -> Result<Vec<u8>> {
        if let Some(device) = request.device
            && !self.has_device(device)
        {
            return Err(Error::invalid(format!("device \"{}\" is not one of the bundle's devices", device.name())));
        }
        match self.contents() {
            Contents::Source(_) | Contents::Input => Err(Error::invalid(format!(
                "a bundle in state {} holds no code; compile or build it",
                self.state().name()
            ))),
            Contents::Object(units) => {
                let unit = only(units)?;
                match request.format {
                    CodeFormat::LlvmIr => Ok(disassemble(&unit.bitcode)?.into_bytes()),
                    format => Err(Error::feature_not_supported(format!(
                        "a bundle in state object holds LLVM IR and not {}; link it",
                        format.name()
                    ))),
                }
            }
            Contents::Executable(code) => {
                let unit = only(&code.units)?;
                let device = request.device.or(self.devices().first().map(|device| &**device));
                let on = |device| unit.images.iter().find_map(|image| Some((image, image.on(device)?)));
                let (image, loaded) =
                    device.and_then(on).ok_or_else(|| Error::invalid("the bundle holds no code for the device"))?;
                image_code(image, loaded, request.format)
            }
        }
    }
}

fn only<T>(units: &[Arc<T>]) -> Result<&T> {
    match units {
        [unit] => Ok(unit),
        [] => Err(Error::invalid("the bundle holds no code")),
        _ => Err(Error::invalid(format!(
            "the bundle was joined from {} with code of their own; ask each for its code",
            units.len()
        ))),
    }
}

fn image_code(image: &Image, loaded: &Loaded, format: CodeFormat) -> Result<Vec<u8>> {
    let missing = |why: &str| Error::feature_not_supported(format!("there is no {}: {why}", format.name()));
    let Some(module) = &loaded.module else {
        return Err(Error::invalid("the bundle holds no code for the device: it has no kernels there"));
    };
    match format {
        CodeFormat::Spirv if image.code.format == ImageFormat::Spirv => Ok(image.code.bytes.to_vec()),
        CodeFormat::Spirv => Err(missing("the device's driver compiles the source itself")),
        CodeFormat::Ptx => Err(missing("the device takes none")),
        CodeFormat::LlvmIr if image.final_ir.is_empty() => Err(missing("it was not made by the compiler program")),
        CodeFormat::LlvmIr => Ok(disassemble(&image.final_ir)?.into_bytes()),
        CodeFormat::Native => module.binary(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_have_their_numbers() {
        for number in 1..=4 {
            assert_eq!(CodeFormat::from_number(number).unwrap() as u32, number);
        }
        assert!(CodeFormat::from_number(0).is_none() && CodeFormat::from_number(5).is_none());
    }
}
