// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The pass pipeline and the code generator.

use std::{
    ffi::{CStr, CString},
    ptr, slice,
};

use llvm_sys::{
    core::*,
    error::{LLVMDisposeErrorMessage, LLVMGetErrorMessage},
    support::LLVMParseCommandLineOptions,
    target::{LLVMCopyStringRepOfTargetData, LLVMSetModuleDataLayout},
    target_machine::*,
    transforms::pass_builder::*,
};

use super::{
    llvm::{Module, c_string, take_message},
    problems::Problems,
};

// The bindings leave this target out.
unsafe extern "C" {
    fn LLVMInitializeSPIRVTargetInfo();
    fn LLVMInitializeSPIRVTarget();
    fn LLVMInitializeSPIRVTargetMC();
    fn LLVMInitializeSPIRVAsmPrinter();
}

/// The triple of objects: what the front end is set up for.
pub const OBJECT_TRIPLE: &str = "spirv64-unknown-unknown";

/// Highest SPIR-V version asked for. Drivers seldom take a newer one, and nothing that we emit needs it.
pub const MAX_VERSION: (u8, u8) = (1, 4);

/// Extensions that the code generator may use if the device takes them. It ends the process on names it does not know, so
/// this list is closed.
const EXTENSIONS: &[&str] = &[
    "SPV_EXT_shader_atomic_float16_add",
    "SPV_EXT_shader_atomic_float_add",
    "SPV_EXT_shader_atomic_float_min_max",
    "SPV_INTEL_bfloat16_conversion",
    "SPV_INTEL_split_barrier",
    "SPV_INTEL_subgroups",
    "SPV_KHR_bit_instructions",
    "SPV_KHR_expect_assume",
    "SPV_KHR_float_controls",
    "SPV_KHR_integer_dot_product",
    "SPV_KHR_no_integer_wrap_decoration",
    "SPV_KHR_shader_clock",
    "SPV_KHR_subgroup_rotate",
    "SPV_KHR_uniform_group_instructions",
];

/// By this extension the format of a `printf` may be in any address space. Ours are in the constant one; but the code generator
/// looks that up among the values of another function when there are several, and asks for the extension then, or ends the
/// process. So it always has the extension, and its name does not stay in the image.
const RELAXED_PRINTF: &str = "SPV_EXT_relaxed_printf_string_address_space";

/// A code generator for one module.
pub struct Machine {
    raw: LLVMTargetMachineRef,
}

impl Machine {
    /// Sets the module up for the SPIR-V version and extensions of the device.
    ///
    /// # Errors
    /// LLVM's message, if it has no such target.
    pub fn new(module: &Module, version: (u8, u8), extensions: &[String], level: u32) -> Result<Self, Problems> {
        let (major, minor) = version.min(MAX_VERSION);
        let triple = c_string(&format!("spirv64v{major}.{minor}-unknown-unknown"));
        choose_extensions(extensions);
        let raw = create(&triple, level).map_err(Problems::internal)?;
        // SAFETY: module and machine are live; the module copies triple and layout.
        unsafe {
            LLVMSetTarget(module.raw, triple.as_ptr());
            LLVMSetModuleDataLayout(module.raw, LLVMCreateTargetDataLayout(raw));
        }
        Ok(Self { raw })
    }

    /// Runs LLVM's pipeline for an optimisation level, 0 to 3.
    ///
    /// # Errors
    /// LLVM's message.
    pub fn optimise(&self, module: &Module, level: u32) -> Result<(), Problems> {
        self.run_passes(module, &format!("default<O{}>", level.min(3)))?;
        // The pipeline leaves pointers generic; a driver does better with the address spaces that they have.
        let tail = if level == 0 { "globaldce" } else { "function(infer-address-spaces,instsimplify),globaldce" };
        self.run_passes(module, tail)
    }

    /// Runs passes by their names.
    ///
    /// # Errors
    /// LLVM's message.
    pub fn run_passes(&self, module: &Module, passes: &str) -> Result<(), Problems> {
        let passes = c_string(passes);
        // SAFETY: the module and machine are live, the text is NUL-terminated, the error is consumed once.
        unsafe {
            let options = LLVMCreatePassBuilderOptions();
            // Work-items are the driver's to vectorise.
            LLVMPassBuilderOptionsSetLoopVectorization(options, 0);
            LLVMPassBuilderOptionsSetSLPVectorization(options, 0);
            LLVMPassBuilderOptionsSetVerifyEach(options, i32::from(cfg!(debug_assertions)));
            let error = LLVMRunPasses(module.raw, passes.as_ptr(), self.raw, options);
            LLVMDisposePassBuilderOptions(options);
            if error.is_null() {
                return Ok(());
            }
            let message = LLVMGetErrorMessage(error);
            let text = CStr::from_ptr(message).to_string_lossy().into_owned();
            LLVMDisposeErrorMessage(message);
            Err(Problems::internal(text))
        }
    }

    /// Generates the image.
    ///
    /// # Errors
    /// LLVM's message. Some failures end the process instead; the waiting process reports those.
    pub fn emit(&self, module: &Module) -> Result<Vec<u8>, Problems> {
        // SAFETY: the module and machine are live; the out-pointers are valid; the buffer is read before it is freed.
        unsafe {
            let mut message = ptr::null_mut();
            let mut buffer = ptr::null_mut();
            let failed = LLVMTargetMachineEmitToMemoryBuffer(
                self.raw,
                module.raw,
                LLVMCodeGenFileType::LLVMObjectFile,
                &raw mut message,
                &raw mut buffer,
            );
            if failed != 0 {
                return Err(Problems::internal(take_message(message)));
            }
            let start = LLVMGetBufferStart(buffer).cast::<u8>();
            let image = slice::from_raw_parts(start, LLVMGetBufferSize(buffer)).to_vec();
            LLVMDisposeMemoryBuffer(buffer);
            Ok(without_extension(image, RELAXED_PRINTF))
        }
    }
}

/// The module without the `OpExtension` of that name.
fn without_extension(mut image: Vec<u8>, name: &str) -> Vec<u8> {
    const HEADER: usize = 20;
    const OP_EXTENSION: u16 = 10;
    const OP_MEMORY_MODEL: u16 = 14;
    let mut at = HEADER;
    while let Some(&[a, b, c, d]) = image.get(at..at + 4) {
        let (opcode, words) = (u16::from_le_bytes([a, b]), usize::from(u16::from_le_bytes([c, d])));
        // Extensions stand in front of it.
        if opcode == OP_MEMORY_MODEL || words == 0 {
            break;
        }
        let end = at + words * 4;
        let text = image.get(at + 4..end).unwrap_or_default();
        if opcode == OP_EXTENSION && text.split(|byte| *byte == 0).next() == Some(name.as_bytes()) {
            image.drain(at..end);
        } else {
            at = end;
        }
    }
    image
}

/// Hands the code generator the extensions that both sides know. The option is global to the process, which is why each
/// compile has a process.
fn choose_extensions(device: &[String]) {
    let list: Vec<String> = EXTENSIONS
        .iter()
        .filter(|name| device.iter().any(|has| has == **name))
        .chain([&RELAXED_PRINTF])
        .map(|name| format!("+{name}"))
        .collect();
    let arguments: Vec<CString> =
        vec![c_string("syclrtc-compiler"), c_string(&format!("--spirv-ext={}", list.join(",")))];
    let pointers: Vec<_> = arguments.iter().map(|argument| argument.as_ptr()).collect();
    // SAFETY: as many NUL-terminated texts as said.
    unsafe { LLVMParseCommandLineOptions(pointers.len() as i32, pointers.as_ptr(), c"".as_ptr()) };
}

/// A code generator of LLVM's for the triple.
fn create(triple: &CStr, level: u32) -> Result<LLVMTargetMachineRef, String> {
    let level = match level {
        0 => LLVMCodeGenOptLevel::LLVMCodeGenLevelNone,
        1 => LLVMCodeGenOptLevel::LLVMCodeGenLevelLess,
        2 => LLVMCodeGenOptLevel::LLVMCodeGenLevelDefault,
        _ => LLVMCodeGenOptLevel::LLVMCodeGenLevelAggressive,
    };
    // SAFETY: one thread; the triple is NUL-terminated; out-pointers are valid.
    unsafe {
        LLVMInitializeSPIRVTargetInfo();
        LLVMInitializeSPIRVTarget();
        LLVMInitializeSPIRVTargetMC();
        LLVMInitializeSPIRVAsmPrinter();
        let mut target = ptr::null_mut();
        let mut message = ptr::null_mut();
        if LLVMGetTargetFromTriple(triple.as_ptr(), &raw mut target, &raw mut message) != 0 {
            return Err(take_message(message));
        }
        Ok(LLVMCreateTargetMachine(
            target,
            triple.as_ptr(),
            c"".as_ptr(),
            c"".as_ptr(),
            level,
            LLVMRelocMode::LLVMRelocDefault,
            LLVMCodeModel::LLVMCodeModelDefault,
        ))
    }
}

/// The data layout of objects.
///
/// # Errors
/// LLVM's message.
pub fn object_layout() -> Result<String, String> {
    let machine = create(&c_string(OBJECT_TRIPLE), 0)?;
    // SAFETY: the machine is live; the text is taken once.
    unsafe { Ok(take_message(LLVMCopyStringRepOfTargetData(LLVMCreateTargetDataLayout(machine)))) }
}
