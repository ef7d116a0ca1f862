// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Language `spirv`: a module of the program's own.
//!
//! The validator checks it by the universal rules of its version; what the OpenCL environment asks for besides is here,
//! since the validator knows that environment only up to SPIR-V 1.2 and from a fixed list of capabilities.

use rspirv::spirv::{AddressingModel, Capability, ExecutionModel, MemoryModel, Op};

use super::{
    build::detailed,
    language::Loaded,
    native::Loading,
    spirv::{self, Fault, instructions, text},
    spirv_lowering::lower,
    spirv_reflection::Module,
};
use crate::{
    backend::{Aspect, DeviceInfo, InfoValue, SpirvSupport},
    error::{Errc, Error, Result},
    image::DeviceImage,
    runtime::{Context, Device},
};

/// Options go to the driver, which knows what it takes.
pub(super) fn check_options(options: &[String]) -> Result<()> {
    match options.iter().find(|option| option.contains('\0')) {
        None => Ok(()),
        Some(option) => {
            let what = format!("option '{}' holds a NUL character", option.escape_debug());
            Err(Error::invalid(detailed("Parsing of user arguments failed", &what)))
        }
    }
}

/// Checks the module and loads it for one device.
pub(super) fn build(context: &Context, device: &Device, source: &[u8], options: &[String]) -> Result<Loaded> {
    check_options(options)?;
    let Some(support) = &device.capabilities().spirv else {
        return Err(Error::internal("a device without SPIR-V passed the check"));
    };
    let words = spirv::check_foreign(source, support.highest).map_err(|fault| invalid(device, fault))?;
    let needs = Needs { device, support };
    needs
        .check(&words)
        .map_err(|fault| failed(&format!("device \"{}\" cannot run the SPIR-V module: {fault}", device.name())))?;
    let reflected = Module::read(&words);
    let lowered = lower(&words, &reflected);
    let bytes: Vec<u8> = lowered.as_ref().unwrap_or(&words).iter().flat_map(|word| word.to_le_bytes()).collect();
    let image = DeviceImage::spirv(bytes, reflected.kernels());
    let options: Vec<&str> = options.iter().map(String::as_str).filter(|option| !option.is_empty()).collect();
    let flags = options.join(" ");
    let loading = Loading { context, device, image: &image, flags: &flags, describe: None };
    let code = loading.load().map_err(|error| refused(device, error))?;
    Ok(Loaded { code, image, flags })
}

fn failed(details: &str) -> Error {
    Error::build(detailed("Device compilation failed", details), details)
}

fn invalid(device: &Device, fault: Fault) -> Error {
    match fault {
        Fault::Invalid(what) => failed(&format!("the SPIR-V module is not valid for \"{}\": {what}", device.name())),
        Fault::Undefined(names) => failed(&format!("No device image found for external symbol {}", names.join(", "))),
    }
}

/// The driver's refusal in the form of all builds.
fn refused(device: &Device, error: Error) -> Error {
    if error.code != Errc::Build {
        return error;
    }
    let said = error.log.as_deref().unwrap_or_default().trim_end();
    let mut details = format!("the driver of \"{}\" refused the module: {}", device.name(), error.message);
    if !said.is_empty() {
        details.push('\n');
        details.push_str(said);
    }
    failed(&details)
}

/// Core capabilities have numbers below this; those above come with extensions, about which the driver decides.
const EXTENSIONS: u32 = 4096;

/// Names as compilers make them. Intel's driver ends the process over others, which it takes apart as mangled ones.
fn entry_point_name(name: &str) -> std::result::Result<(), String> {
    if !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$')) {
        return Ok(());
    }
    Err(format!("the name of its entry point {name:?} is none that drivers take: letters, digits, '_', '.' and '$'"))
}

/// What the OpenCL environment and the device are asked for.
struct Needs<'a> {
    device: &'a Device,
    support: &'a SpirvSupport,
}

impl Needs<'_> {
    fn check(&self, words: &[u32]) -> std::result::Result<(), String> {
        for (opcode, instruction) in instructions(words) {
            match (Op::from_u32(opcode.into()), instruction) {
                (Some(Op::Capability), [_, number]) => self.capability(*number)?,
                (Some(Op::ExtInstImport), [_, _, name @ ..]) => instruction_set(&text(name))?,
                (Some(Op::MemoryModel), [_, addressing, memory]) => self.model(*addressing, *memory)?,
                (Some(Op::EntryPoint), [_, model, _, name @ ..]) if *model != ExecutionModel::Kernel as u32 => {
                    return Err(format!("its entry point \"{}\" is no kernel", text(name)));
                }
                (Some(Op::EntryPoint), [_, _, _, name @ ..]) => entry_point_name(&text(name))?,
                (Some(Op::Function), _) => break,
                _ => {}
            }
        }
        Ok(())
    }

    fn capability(&self, number: u32) -> std::result::Result<(), String> {
        let name = || Capability::from_u32(number).map_or_else(|| number.to_string(), |known| format!("{known:?}"));
        if let Some((_, aspect, word)) = ASPECTS.iter().find(|(capability, ..)| *capability as u32 == number)
            && !self.device.has(*aspect)
        {
            return Err(format!("it needs the capability {}, and the device lacks aspect::{word}", name()));
        }
        let known = match &self.support.capabilities {
            Some(listed) => number >= EXTENSIONS || listed.contains(&number),
            None => Capability::from_u32(number).is_none_or(|capability| !NOT_OPENCL.contains(&capability)),
        };
        if known { Ok(()) } else { Err(format!("it needs the capability {}, which the device does not list", name())) }
    }

    fn model(&self, addressing: u32, memory: u32) -> std::result::Result<(), String> {
        if memory != MemoryModel::OpenCL as u32 {
            let name = MemoryModel::from_u32(memory).map_or_else(|| memory.to_string(), |known| format!("{known:?}"));
            return Err(format!("its memory model is {name} and not OpenCL"));
        }
        let wanted = match self.device.info(DeviceInfo::AddressBits) {
            Ok(InfoValue::U32(32)) => AddressingModel::Physical32,
            _ => AddressingModel::Physical64,
        };
        if addressing == wanted as u32 {
            return Ok(());
        }
        let name =
            AddressingModel::from_u32(addressing).map_or_else(|| addressing.to_string(), |known| format!("{known:?}"));
        Err(format!("its addressing model is {name}, and the device's is {wanted:?}"))
    }
}

/// Capabilities that SYCL has an aspect for.
const ASPECTS: &[(Capability, Aspect, &str)] = &[
    (Capability::Float16, Aspect::Fp16, "fp16"),
    (Capability::Float64, Aspect::Fp64, "fp64"),
    (Capability::Int64Atomics, Aspect::Atomic64, "atomic64"),
    (Capability::ImageBasic, Aspect::Image, "image"),
];

/// Capabilities that no OpenCL device has, for those that do not say what they have.
const NOT_OPENCL: &[Capability] =
    &[Capability::Shader, Capability::Matrix, Capability::Geometry, Capability::Tessellation];

/// Sets of extended instructions that OpenCL drivers may know. Those without semantics change nothing.
fn instruction_set(name: &str) -> std::result::Result<(), String> {
    let known = ["OpenCL.std", "OpenCL.DebugInfo.100", "DebugInfo", "SPIRV.debug"].contains(&name);
    if known || name.starts_with("NonSemantic.") {
        return Ok(());
    }
    Err(format!("it uses the instruction set \"{name}\", which is not OpenCL's"))
}
