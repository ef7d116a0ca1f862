// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#![forbid(unsafe_code)]
//! What a device cannot do, found before a driver sees it.
//!
//! Intel's CPU driver binds undefined functions to the host process, hangs on guards of static variables and ends the
//! process on others; so this is a safety net, not a courtesy.

use std::collections::BTreeSet;

use llvm_sys::{LLVMOpcode, LLVMTypeKind, LLVMValueKind};

use syclrtc_protocol::Location;

use super::{
    graph,
    llvm::{Module, Value},
    problems::{Problems, demangle},
};

/// Checks optimised code: what the optimiser removed does no harm. `may_be_undefined` says which functions and variables
/// another object will define.
///
/// # Errors
/// All problems.
pub fn run(module: &Module, may_be_undefined: &dyn Fn(Value) -> bool) -> Result<(), Problems> {
    let mut problems = Problems::default();
    if let Some(list) = module.global("llvm.global_ctors") {
        let text = "a variable at namespace scope needs initialisation at run time, which a device does not do";
        problems.add(list.location(), text);
    }
    for function in module.functions() {
        if function.is_declaration() && !may_be_undefined(function) {
            check_declaration(function, &mut problems);
        }
        for instruction in function.instructions() {
            check_instruction(function, instruction, &mut problems);
        }
    }
    for global in module.globals().filter(|global| global.is_declaration() && global.is_used()) {
        if !may_be_undefined(global) {
            problems.add(global.location(), format!("undefined variable '{}'", demangle(&global.name())));
        }
    }
    problems.into_result()
}

/// Functions that only exist on a host, and what their use means in the source.
fn host_only(name: &str) -> Option<&'static str> {
    Some(match name {
        "__cxa_throw" | "__cxa_allocate_exception" | "__cxa_rethrow" | "__cxa_begin_catch" => "exceptions",
        "__cxa_guard_acquire" | "__cxa_guard_release" => "a static local variable that is initialised at run time",
        "__dynamic_cast" | "__cxa_bad_cast" | "__cxa_bad_typeid" => "run-time type information",
        "__cxa_pure_virtual" => "virtual functions",
        "__cxa_atexit" | "__cxa_thread_atexit" => "a variable with a destructor",
        "printf" | "puts" | "putchar" => "output",
        "_Znwm" | "_Znam" | "_ZdlPv" | "_ZdlPvm" | "_ZdaPv" | "_ZdaPvm" | "malloc" | "calloc" | "free" => {
            "memory allocation"
        }
        _ => return None,
    })
}

fn check_declaration(function: Value, problems: &mut Problems) {
    let name = function.name();
    if !function.is_used() || function.intrinsic_name().is_some() || name.contains("__spirv_") {
        return;
    }
    let users: Vec<Value> = function.users().into_iter().filter(|user| user.enclosing_function().is_some()).collect();
    let by: BTreeSet<String> = users.iter().filter_map(|user| user.enclosing_function()).map(describe).collect();
    let by = by.into_iter().collect::<Vec<_>>().join(", ");
    let text = match host_only(&name) {
        Some(what) => {
            // The fix that a user looks for.
            let instead = if what == "output" { "; sycl::ext::oneapi::experimental::printf prints" } else { "" };
            format!("{what} cannot be used in device code (used in {by}){instead}")
        }
        None => {
            let mut text = format!("undefined function '{}' (used in {by})", demangle(&name));
            if graph::is_external(function) {
                // Programs look for these words.
                text.push_str(&format!(": No device image found for external symbol {name}"));
            }
            text
        }
    };
    // Uses are listed the latest first.
    problems.add(users.last().map(|user| user.location()).unwrap_or_default(), text);
}

fn check_instruction(function: Value, instruction: Value, problems: &mut Problems) {
    let what = match instruction.opcode() {
        LLVMOpcode::LLVMCall if instruction.callee().kind() == LLVMValueKind::LLVMInlineAsmValueKind => {
            "inline assembly"
        }
        LLVMOpcode::LLVMCall if instruction.callee().kind() != LLVMValueKind::LLVMFunctionValueKind => {
            "a call through a pointer (function pointer or virtual function)"
        }
        LLVMOpcode::LLVMCallBr => "inline assembly",
        LLVMOpcode::LLVMInvoke | LLVMOpcode::LLVMLandingPad | LLVMOpcode::LLVMResume => "exceptions",
        LLVMOpcode::LLVMIndirectBr => "a computed goto",
        LLVMOpcode::LLVMAlloca if instruction.operand(0).constant_integer().is_none() => "an array of variable length",
        _ if instruction.ty().scalar().kind() == LLVMTypeKind::LLVMIntegerTypeKind
            && instruction.ty().integer_width().is_some_and(|width| width > 64) =>
        {
            "an integer of more than 64 bits"
        }
        _ => return,
    };
    problems
        .add(instruction.location(), format!("{what} cannot be used in device code (used in {})", describe(function)));
}

fn describe(function: Value) -> String {
    format!("'{}'", demangle(&function.name()))
}

/// Numbers of the SPIR-V specification.
const OP_DECORATE: u32 = 71;
const DECORATION_BUILT_IN: u32 = 11;
const DECORATION_LINKAGE: u32 = 41;
const LINKAGE_IMPORT: u32 = 1;

/// Refuses an image that would be linked against something: a function that the code generator was to turn into an
/// instruction and did not. Variables of the environment (`BuiltIn`) are imports in form only.
///
/// # Errors
/// The names.
pub fn no_imports(image: &[u8]) -> Result<(), Problems> {
    let words: Vec<u32> =
        image.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect();
    let mut imports: Vec<(u32, String)> = Vec::new();
    let mut built_in = BTreeSet::new();
    let mut rest = words.get(5..).unwrap_or_default();
    while let Some(&first) = rest.first() {
        let (opcode, length) = (first & 0xffff, (first >> 16) as usize);
        let Some(instruction) = rest.get(..length).filter(|instruction| !instruction.is_empty()) else { break };
        if opcode == OP_DECORATE {
            match *instruction {
                [_, id, DECORATION_BUILT_IN, ..] => drop(built_in.insert(id)),
                [_, id, DECORATION_LINKAGE, ref name @ .., LINKAGE_IMPORT] => imports.push((id, literal(name))),
                _ => {}
            }
        }
        rest = &rest[length..];
    }
    let names: BTreeSet<String> =
        imports.into_iter().filter(|(id, _)| !built_in.contains(id)).map(|(_, name)| name).collect();
    let mut problems = Problems::default();
    for name in names {
        problems.add(Location::default(), format!("undefined function '{}' in the device image", demangle(&name)));
    }
    problems.into_result()
}

/// A literal string of SPIR-V: NUL-terminated, padded to words.
fn literal(words: &[u32]) -> String {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).take_while(|byte| *byte != 0).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}
