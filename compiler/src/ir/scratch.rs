// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#![forbid(unsafe_code)]
//! Work-group scratch memory: an argument of the entry point that any function may ask for.
//!
//! The headers declare the question; kernels whose call tree holds it get one more native argument. The entry point leaves its
//! value in a variable in local memory, where the question finds it: all work-items of a group store the same, each before it
//! asks.

use llvm_sys::LLVMLinkage;
use syclrtc_protocol::Table;

use super::{
    graph,
    llvm::{LOCAL, Module, Value},
};

/// What `get_work_group_scratch_memory` calls.
const QUESTION: &str = "__syclrtc_work_group_scratch_memory";
const VARIABLE: &str = "__syclrtc_work_group_scratch";
/// As drivers align local memory that is an argument: to the largest type of OpenCL C.
const ALIGN: u64 = 128;

/// Gives kernels of the table that use scratch memory their argument, and says so in the table.
pub fn lower(module: &Module, table: &mut Table) {
    let Some(question) = module.function(QUESTION).filter(|question| question.is_declaration()) else { return };
    let pointer = module.pointer(LOCAL);
    let variable = module.add_global(VARIABLE, pointer, LOCAL);
    variable.set_initializer(pointer.poison());
    variable.set_linkage(LLVMLinkage::LLVMInternalLinkage);
    for kernel in &mut table.kernels {
        let Some(entry) = module.function(&kernel.raw_name) else { continue };
        if graph::reached_from(entry).contains(&question) {
            add_argument(module, entry, variable);
            kernel.scratch = true;
        }
    }
    module.fill_block(question, |builder| {
        let scratch = builder.load(variable, pointer);
        builder.return_value(scratch);
    });
    question.set_linkage(LLVMLinkage::LLVMInternalLinkage);
    question.add_attribute(module, None, "alwaysinline", 0);
}

fn add_argument(module: &Module, entry: Value, variable: Value) {
    let entry = module.append_parameter(entry, module.pointer(LOCAL));
    let Some(scratch) = entry.parameters().pop() else { return };
    entry.add_attribute(module, Some(entry.parameters().len() as u32 - 1), "align", ALIGN);
    let first = entry.blocks().next().and_then(|block| block.instructions().next());
    if let Some(first) = first {
        module.before(first, |builder| builder.store(scratch, variable));
    }
}
