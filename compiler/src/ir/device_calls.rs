// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#![forbid(unsafe_code)]
//! Calls that the headers make for this pass to answer: local memory that belongs to a place in the source, and output.
//!
//! Both depend on what stands at the place of the call, so the headers' functions around them are inlined first, at every level
//! of optimisation.

use std::collections::HashMap;

use llvm_sys::{LLVMLinkage, LLVMOpcode, LLVMValueKind};

use super::{
    emit::Machine,
    llvm::{CONSTANT, LOCAL, Module, SPIR_FUNC, Value},
    problems::Problems,
};

/// `local void *(size, alignment)`: a block of local memory, another one for each call.
const ALLOCATE: &str = "__syclrtc_allocate_local_memory";
/// `int (const char *, ...)`
const PRINT: &str = "__syclrtc_printf";
/// The name by which the code generator knows OpenCL's function: of a `constant char *` and more.
const PRINTF: &str = "_Z18__spirv_ocl_printfPU3AS2Kcz";
/// What shrinks the headers' functions to a call, and brings that to its place.
const PASSES: &str = "function(sroa),always-inline";

/// Answers all such calls in the module.
///
/// # Errors
/// A format that is no constant; LLVM's message.
pub fn lower(module: &Module, machine: &Machine) -> Result<(), Problems> {
    let is_open = |name: &str| module.function(name).filter(|function| function.is_declaration() && function.is_used());
    let (allocate, print) = (is_open(ALLOCATE), is_open(PRINT));
    if allocate.is_none() && print.is_none() {
        return Ok(());
    }
    machine.run_passes(module, PASSES)?;
    let mut problems = Problems::default();
    for (index, call) in allocate.iter().flat_map(|function| calls_of(*function)).enumerate() {
        if let (Some(size), Some(align)) = (call.operand(0).constant_integer(), call.operand(1).constant_integer()) {
            let block = local_block(module, index, size as u64, align as u64);
            call.replace_uses(block);
            call.erase();
        }
    }
    if let Some(print) = print {
        let mut texts = HashMap::new();
        for call in calls_of(print) {
            match constant_text(call.operand(0)) {
                Some(format) => print_with(module, call, format, &mut texts),
                None => problems.add(call.location(), "the format of printf has to be a literal or a constant array"),
            }
        }
    }
    problems.into_result()
}

fn calls_of(function: Value) -> Vec<Value> {
    let mut calls: Vec<Value> = function.users().into_iter().filter(|user| user.is_call_of(function)).collect();
    // Uses are listed the latest first.
    calls.reverse();
    calls
}

fn local_block(module: &Module, index: usize, size: u64, align: u64) -> Value {
    let ty = module.bytes(size.max(1));
    let block = module.add_global(&format!("__syclrtc_local.{index}"), ty, LOCAL);
    block.set_initializer(ty.poison());
    block.set_linkage(LLVMLinkage::LLVMInternalLinkage);
    block.set_alignment(align.max(1));
    block
}

/// The constant variable that a pointer is the start of.
fn constant_text(pointer: Value) -> Option<Value> {
    match pointer.kind() {
        LLVMValueKind::LLVMGlobalVariableValueKind => {
            Some(pointer).filter(|text| text.is_read_only() && text.initializer().is_some())
        }
        LLVMValueKind::LLVMConstantExprValueKind if pointer.constant_opcode() == LLVMOpcode::LLVMAddrSpaceCast => {
            constant_text(pointer.operand(0))
        }
        _ => None,
    }
}

/// Puts OpenCL's `printf` in the place of a call. It wants its format, and strings for `%s`, in the constant address space.
fn print_with(module: &Module, call: Value, format: Value, texts: &mut HashMap<Value, Value>) {
    let int = module.int(32);
    let printf = module.function(PRINTF).unwrap_or_else(|| {
        let printf = module.add_function(PRINTF, module.variadic_function_type(int, &[module.pointer(CONSTANT)]));
        printf.set_calling_convention(SPIR_FUNC);
        printf.add_attribute(module, None, "nounwind", 0);
        printf
    });
    let mut in_constant_space = |text: Value| *texts.entry(text).or_insert_with(|| copy_of(module, text));
    let mut arguments = vec![in_constant_space(format)];
    for index in 1..call.argument_count() {
        let argument = call.operand(index);
        arguments.push(constant_text(argument).map_or(argument, &mut in_constant_space));
    }
    let result = module.before(call, |builder| builder.call(printf, &arguments));
    call.replace_uses(result);
    call.erase();
}

fn copy_of(module: &Module, text: Value) -> Value {
    let copy = module.add_global(&format!("{}.constant", text.name()), text.value_type(), CONSTANT);
    if let Some(initial) = text.initializer() {
        copy.set_initializer(initial);
    }
    copy.set_linkage(LLVMLinkage::LLVMInternalLinkage);
    copy.set_read_only();
    copy
}
