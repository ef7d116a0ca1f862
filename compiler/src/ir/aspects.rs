// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#![forbid(unsafe_code)]
//! Which aspects a kernel needs: those that it and the functions it reaches declare, and those that their code uses.
//!
//! Looked at before the optimiser runs, so that the answer does not depend on what it can remove.

use std::collections::{BTreeSet, HashMap, HashSet};

use llvm_sys::{LLVMOpcode, LLVMTypeKind, LLVMValueKind};
use syclrtc_protocol::{LeftOut, Table};

use super::llvm::{Module, Type, Value};
use crate::frontend::Compiled;

/// Numbers of `sycl::aspect`.
const FP16: u32 = 5;
const FP64: u32 = 6;
const ATOMIC64: u32 = 27;

/// Fills in the aspects of all kernels of `table`, whose entry points are in the module.
pub fn record(module: &Module, table: &mut Table) {
    let mut finder = Finder::default();
    for kernel in &mut table.kernels {
        let Some(entry) = module.function(&kernel.raw_name) else { continue };
        let needs = finder.of_tree(entry);
        kernel.aspects = kernel.aspects.iter().copied().chain(needs).collect::<BTreeSet<u32>>().into_iter().collect();
    }
}

/// Takes the kernels out of module and table that need what the target lacks.
pub fn leave_out(module: &Module, table: &mut Table, target: &[u32]) {
    let (kept, left): (Vec<_>, Vec<_>) = std::mem::take(&mut table.kernels)
        .into_iter()
        .partition(|kernel| kernel.aspects.iter().all(|aspect| target.contains(aspect)));
    table.kernels = kept;
    for kernel in left {
        if let Some(entry) = module.function(&kernel.raw_name) {
            entry.erase();
        }
        let registered = table.registered_names.extract_if(.., |(_, raw_name)| *raw_name == kernel.raw_name);
        let mut names: Vec<String> = kernel.plain_name.into_iter().chain([kernel.mangled_name]).collect();
        names.extend(registered.map(|(name, _)| name));
        names.dedup();
        let missing = kernel.aspects.into_iter().filter(|aspect| !target.contains(aspect)).collect();
        table.left_out.push(LeftOut { raw_name: kernel.raw_name, names, missing });
    }
}

/// What one function needs, and whom it calls.
#[derive(Default)]
struct Facts {
    needs: BTreeSet<u32>,
    callees: Vec<Value>,
}

/// Remembers what was found out.
#[derive(Default)]
struct Finder {
    functions: HashMap<Value, Facts>,
    types: HashMap<Type, (bool, bool)>,
}

impl Finder {
    /// What is needed when `root` is called.
    fn of_tree(&mut self, root: Value) -> BTreeSet<u32> {
        let mut needs = BTreeSet::new();
        let (mut seen, mut open) = (HashSet::from([root]), vec![root]);
        while let Some(function) = open.pop() {
            let facts = self.of_function(function);
            needs.extend(&facts.needs);
            open.extend(facts.callees.iter().filter(|callee| seen.insert(**callee)));
        }
        needs
    }

    fn of_function(&mut self, function: Value) -> &Facts {
        if !self.functions.contains_key(&function) {
            let facts = self.look_at(function);
            self.functions.insert(function, facts);
        }
        &self.functions[&function]
    }

    fn look_at(&mut self, function: Value) -> Facts {
        let mut facts = Facts::default();
        if let Some(list) = function.text_attribute(Compiled::ASPECTS) {
            facts.needs.extend(list.split(',').filter_map(|number| number.trim().parse::<u32>().ok()));
        }
        for parameter in function.parameters() {
            self.of_type(parameter.ty(), &mut facts.needs);
        }
        for instruction in function.instructions() {
            self.of_instruction(instruction, &mut facts.needs);
            facts.callees.extend(instruction.called_function());
        }
        facts
    }

    fn of_instruction(&mut self, instruction: Value, needs: &mut BTreeSet<u32>) {
        self.of_type(instruction.ty(), needs);
        if instruction.opcode() == LLVMOpcode::LLVMAlloca {
            self.of_type(instruction.allocated_type(), needs);
        }
        let mut widest = bits(instruction.ty());
        for operand in instruction.operands() {
            match operand.kind() {
                LLVMValueKind::LLVMBasicBlockValueKind | LLVMValueKind::LLVMFunctionValueKind => continue,
                LLVMValueKind::LLVMGlobalVariableValueKind => self.of_type(operand.value_type(), needs),
                LLVMValueKind::LLVMConstantExprValueKind => self.of_address(operand, needs),
                _ => self.of_type(operand.ty(), needs),
            }
            widest = widest.max(bits(operand.ty()));
        }
        if widest == 64 && is_atomic(instruction) {
            needs.insert(ATOMIC64);
        }
    }

    /// The variables that a constant expression mentions.
    fn of_address(&mut self, constant: Value, needs: &mut BTreeSet<u32>) {
        for operand in constant.operands() {
            match operand.kind() {
                LLVMValueKind::LLVMGlobalVariableValueKind => self.of_type(operand.value_type(), needs),
                LLVMValueKind::LLVMConstantExprValueKind => self.of_address(operand, needs),
                _ => {}
            }
        }
    }

    fn of_type(&mut self, ty: Type, needs: &mut BTreeSet<u32>) {
        let (half, double) = self.floats_in(ty);
        needs.extend(half.then_some(FP16));
        needs.extend(double.then_some(FP64));
    }

    /// Whether a value of the type holds a `half`, a `double`.
    fn floats_in(&mut self, ty: Type) -> (bool, bool) {
        match ty.kind() {
            LLVMTypeKind::LLVMHalfTypeKind => return (true, false),
            LLVMTypeKind::LLVMDoubleTypeKind => return (false, true),
            LLVMTypeKind::LLVMStructTypeKind | LLVMTypeKind::LLVMArrayTypeKind | LLVMTypeKind::LLVMVectorTypeKind => {}
            _ => return (false, false),
        }
        if let Some(known) = self.types.get(&ty) {
            return *known;
        }
        let found = ty
            .members()
            .into_iter()
            .map(|member| self.floats_in(member))
            .fold((false, false), |(half, double), (a, b)| (half | a, double | b));
        self.types.insert(ty, found);
        found
    }
}

/// Width of a number; 0 for what is none.
fn bits(ty: Type) -> u32 {
    match ty.kind() {
        LLVMTypeKind::LLVMDoubleTypeKind => 64,
        LLVMTypeKind::LLVMIntegerTypeKind => ty.integer_width().unwrap_or(0),
        _ => 0,
    }
}

/// An atomic instruction, or a call of the function that becomes one.
fn is_atomic(instruction: Value) -> bool {
    instruction.is_atomic()
        || instruction.called_function().is_some_and(|callee| callee.is_declaration() && is_atomic_name(&callee.name()))
}

fn is_atomic_name(name: &str) -> bool {
    // `_Z<length>__spirv_Atomic...`
    name.trim_start_matches("_Z").trim_start_matches(|c: char| c.is_ascii_digit()).starts_with("__spirv_Atomic")
}
