// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! From clang's IR to a device image.
//!
//! 1. [`entry`] turns each kernel function into an entry point with the native interface.
//! 2. LLVM's pipeline runs.
//! 3. [`legalise`] rewrites what the SPIR-V code generator cannot take; it comes after the pipeline because the pipeline
//!    itself makes such code.
//! 4. [`check`] finds what a device cannot do.
//! 5. [`emit`] generates the image.
//!
//! All of it works on one module in a process that ends right after, so nothing here is freed.

mod builder;
mod check;
mod emit;
mod entry;
mod legalise;
mod llvm;

use llvm_sys::prelude::LLVMModuleRef;
use syclrtc_protocol::KernelInfo;

/// Makes a SPIR-V module of `module`. `stage` is told when a stage ends.
///
/// # Errors
/// Lines in the form of clang's diagnostics.
pub fn spirv(
    module: LLVMModuleRef,
    kernels: &[(String, KernelInfo)],
    optimization_level: u32,
    version: (u8, u8),
    extensions: &[String],
    stage: &mut dyn FnMut(&str),
) -> Result<Vec<u8>, String> {
    if kernels.is_empty() {
        return Ok(Vec::new());
    }
    let module = llvm::Module::new(module);
    let machine = emit::Machine::new(&module, version, extensions, optimization_level)?;
    entry::copy_by_value_arguments(&module);
    for (function, info) in kernels {
        entry::make(&module, function, info)?;
    }
    entry::hide_all_but_kernels(&module);
    machine.optimise(&module, optimization_level)?;
    stage("optimiser");
    legalise::run(&module);
    check::run(&module)?;
    let image = machine.emit(&module)?;
    check::no_imports(&image)?;
    stage("code generator");
    Ok(image)
}
