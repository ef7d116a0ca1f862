// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#![forbid(unsafe_code)]
//! Who calls whom, and what the front end says about functions.

use std::collections::HashSet;

use llvm_sys::LLVMValueKind;

use super::llvm::{Module, SPIR_KERNEL, Value};
use crate::frontend::Compiled;

/// True for a `SYCL_EXTERNAL` function with external linkage; variables do not carry the attribute.
pub fn is_external(symbol: Value) -> bool {
    symbol.kind() == LLVMValueKind::LLVMFunctionValueKind
        && !symbol.is_local()
        && symbol.text_attribute(Compiled::EXTERNAL).is_some()
}

/// The limit that a function declares.
pub fn declared_limit(function: Value) -> Option<u64> {
    function.text_attribute(Compiled::RANGE_MAX)?.parse().ok()
}

/// The functions that a function calls, in order, each once.
pub fn callees(function: Value) -> Vec<Value> {
    let mut seen = HashSet::new();
    function.instructions().filter_map(Value::called_function).filter(|callee| seen.insert(*callee)).collect()
}

/// All functions that are called when `root` is, itself included.
pub fn reached_from(root: Value) -> Vec<Value> {
    let mut seen = HashSet::from([root]);
    let mut order = vec![root];
    let mut next = 0;
    while let Some(function) = order.get(next).copied() {
        order.extend(callees(function).into_iter().filter(|callee| seen.insert(*callee)));
        next += 1;
    }
    order
}

/// The functions that kernels enter by.
pub fn entries(module: &Module) -> impl Iterator<Item = Value> + use<> {
    module.functions().filter(|function| !function.is_declaration() && function.calling_convention() == SPIR_KERNEL)
}
