// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Structures that kernels take as plain values, made `ByVal` pointers.
//!
//! SPIR-V has both ways, and compilers write the second; Intel's driver crashes on the first. The argument that the host
//! gives is the same bytes. The module has passed the validator.

use std::collections::{BTreeMap, HashMap};

use rspirv::spirv::{Decoration, FunctionParameterAttribute, MemoryAccess, Op, StorageClass};

use super::{
    spirv::{HEADER, instructions},
    spirv_reflection::Module,
};

/// A parameter to change.
struct Change {
    /// Type of the value.
    value: u32,
    /// The new parameter: its type and id.
    pointer: u32,
    parameter: u32,
    align: u32,
}

/// The module with the parameters changed; `None` if there is nothing to change.
pub(super) fn lower(words: &[u32], module: &Module<'_>) -> Option<Vec<u32>> {
    let mut plan = Plan::new(words);
    plan.find(words, module);
    (!plan.changes.is_empty()).then(|| plan.rewrite(words))
}

#[derive(Default)]
struct Plan {
    bound: u32,
    /// Pointers to private memory, by what they point to.
    pointers: HashMap<u32, u32>,
    /// Function types, by their operands.
    function_types: HashMap<Vec<u32>, u32>,
    /// By the id of the value, which its uses keep.
    changes: BTreeMap<u32, Change>,
    /// New types of functions.
    functions: HashMap<u32, u32>,
    /// Declarations to add behind the others.
    declarations: Vec<u32>,
}

fn instruction(op: Op, operands: &[u32]) -> Vec<u32> {
    let mut words = vec![((operands.len() as u32 + 1) << 16) | op as u32];
    words.extend(operands);
    words
}

impl Plan {
    fn new(words: &[u32]) -> Self {
        let mut plan = Self { bound: words[3], ..Self::default() };
        for (opcode, instruction) in instructions(words) {
            match (Op::from_u32(opcode.into()), instruction) {
                (Some(Op::TypePointer), [_, id, class, pointee]) if *class == StorageClass::Function as u32 => {
                    plan.pointers.insert(*pointee, *id);
                }
                (Some(Op::TypeFunction), [_, id, operands @ ..]) => {
                    plan.function_types.insert(operands.to_vec(), *id);
                }
                (Some(Op::Function), _) => break,
                _ => {}
            }
        }
        plan
    }

    fn new_id(&mut self) -> u32 {
        self.bound += 1;
        self.bound - 1
    }

    fn find(&mut self, words: &[u32], module: &Module<'_>) {
        let mut kernel = None;
        let mut signature: Vec<u32> = Vec::new();
        let mut changed = false;
        for (opcode, instruction) in instructions(words) {
            match (Op::from_u32(opcode.into()), instruction) {
                (Some(Op::Function), [_, result, id, ..]) => {
                    kernel = module.is_entry(*id).then_some(*id);
                    signature = vec![*result];
                    changed = false;
                }
                (Some(Op::FunctionParameter), [_, value, id]) if kernel.is_some() => {
                    let Some(align) = module.object_alignment(*value) else {
                        signature.push(*value);
                        continue;
                    };
                    let pointer = self.pointer(*value);
                    let parameter = self.new_id();
                    self.changes.insert(*id, Change { value: *value, pointer, parameter, align });
                    signature.push(pointer);
                    changed = true;
                }
                (Some(Op::Label | Op::FunctionEnd), _) => {
                    if let Some(kernel) = kernel.take().filter(|_| changed) {
                        let ty = self.function_type(&signature);
                        self.functions.insert(kernel, ty);
                    }
                }
                _ => {}
            }
        }
    }

    fn pointer(&mut self, pointee: u32) -> u32 {
        if let Some(known) = self.pointers.get(&pointee) {
            return *known;
        }
        let id = self.new_id();
        self.declarations.extend(instruction(Op::TypePointer, &[id, StorageClass::Function as u32, pointee]));
        self.pointers.insert(pointee, id);
        id
    }

    fn function_type(&mut self, signature: &[u32]) -> u32 {
        if let Some(known) = self.function_types.get(signature) {
            return *known;
        }
        let id = self.new_id();
        self.declarations.extend(instruction(Op::TypeFunction, &[&[id], signature].concat()));
        self.function_types.insert(signature.to_vec(), id);
        id
    }

    fn rewrite(&self, words: &[u32]) -> Vec<u32> {
        let mut out = words[..HEADER].to_vec();
        out[3] = self.bound;
        let mut decorated = false;
        let mut declared = false;
        // Values to load in the function at hand, once its variables are over.
        let mut loads: Vec<u32> = Vec::new();
        let mut in_body = false;
        for (opcode, words) in instructions(words) {
            let op = Op::from_u32(opcode.into());
            if !decorated && !op.is_some_and(comes_before_types) {
                self.decorate(&mut out);
                decorated = true;
            }
            match (op, words) {
                (Some(Op::Decorate), [_, id, decoration, ..])
                    if *decoration == Decoration::FuncParamAttr as u32 && self.change(*id).is_some() => {}
                (Some(Op::Function), [first, result, id, control, _]) => {
                    if !declared {
                        out.extend(&self.declarations);
                        declared = true;
                    }
                    let ty = self.functions.get(id).copied().unwrap_or(words[4]);
                    out.extend([*first, *result, *id, *control, ty]);
                    in_body = false;
                }
                (Some(Op::FunctionParameter), [first, _, id]) if self.change(*id).is_some() => {
                    if let Some(change) = self.change(*id) {
                        out.extend([*first, change.pointer, change.parameter]);
                        loads.extend(instruction(
                            Op::Load,
                            &[change.value, *id, change.parameter, MemoryAccess::ALIGNED.bits(), change.align],
                        ));
                    }
                }
                (op, words) => {
                    if in_body && !matches!(op, Some(Op::Variable | Op::Line | Op::NoLine)) {
                        out.append(&mut loads);
                        in_body = false;
                    }
                    out.extend(words);
                    in_body |= op == Some(Op::Label) && !loads.is_empty();
                }
            }
        }
        out
    }

    fn decorate(&self, out: &mut Vec<u32>) {
        for change in self.changes.values() {
            let by_value = [Decoration::FuncParamAttr as u32, FunctionParameterAttribute::ByVal as u32];
            out.extend(instruction(Op::Decorate, &[change.parameter, by_value[0], by_value[1]]));
            out.extend(instruction(Op::Decorate, &[change.parameter, Decoration::Alignment as u32, change.align]));
        }
    }

    fn change(&self, id: u32) -> Option<&Change> {
        self.changes.get(&id)
    }
}

/// Whether an instruction belongs to what stands before types, constants and variables.
fn comes_before_types(op: Op) -> bool {
    matches!(
        op,
        Op::Capability
            | Op::Extension
            | Op::ExtInstImport
            | Op::MemoryModel
            | Op::EntryPoint
            | Op::ExecutionMode
            | Op::ExecutionModeId
            | Op::String
            | Op::SourceExtension
            | Op::Source
            | Op::SourceContinued
            | Op::Name
            | Op::MemberName
            | Op::ModuleProcessed
            | Op::Decorate
            | Op::MemberDecorate
            | Op::DecorationGroup
            | Op::GroupDecorate
            | Op::GroupMemberDecorate
            | Op::DecorateId
            | Op::DecorateString
            | Op::MemberDecorateString
    )
}

#[cfg(test)]
mod tests {
    use spirv_tools::{
        TargetEnv,
        assembler::{Assembler, AssemblerOptions},
    };

    use super::*;
    use crate::{bundle::spirv::check_foreign, image::ParameterKind};

    fn lowered(text: &str) -> Option<Vec<u32>> {
        let assembler = spirv_tools::assembler::create(Some(TargetEnv::Universal_1_4));
        let binary = assembler.assemble(text, AssemblerOptions::default()).unwrap();
        let words = check_foreign(binary.as_bytes(), (1, 4)).unwrap();
        lower(&words, &Module::read(&words))
    }

    fn is_valid(words: &[u32]) -> bool {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        check_foreign(&bytes, (1, 4)).is_ok()
    }

    // Structures by value: both ways have to work.
    #[test]
    fn values_become_pointers_and_nothing_else_changes() {
        let words = lowered(include_str!("../../tests/data/spirv_language.spvasm")).unwrap();
        assert!(is_valid(&words));
        let kernels = Module::read(&words).kernels();
        let kernel = kernels.iter().find(|kernel| kernel.raw_name == "plain_structure").unwrap();
        let parameter = &kernel.parameters[1];
        assert_eq!((parameter.kind, parameter.size, parameter.align), (ParameterKind::Aggregate, 24, 8));
        assert_eq!(lower(&words, &Module::read(&words)), None);
    }

    #[test]
    fn variables_stay_in_front_and_types_are_made_once() {
        let text = "
            OpCapability Kernel
            OpCapability Addresses
            OpCapability Int64
            OpMemoryModel Physical64 OpenCL
            OpEntryPoint Kernel %k \"k\"
            OpEntryPoint Kernel %l \"l\"
            %file = OpString \"file\"
            OpDecorate %p FuncParamAttr NoWrite
            %void = OpTypeVoid
            %uint = OpTypeInt 32 0
            OpLine %file 1 1
            %two = OpConstant %uint 2
            %array = OpTypeArray %uint %two
            %struct = OpTypeStruct %uint %array
            %local = OpTypePointer Function %uint
            %type = OpTypeFunction %void %struct %array %struct
            %k = OpFunction %void None %type
            %p = OpFunctionParameter %struct
            %q = OpFunctionParameter %array
            %r = OpFunctionParameter %struct
            %body = OpLabel
            OpLine %file 2 2
            %v = OpVariable %local Function
            %x = OpCompositeExtract %uint %p 1 1
            OpStore %v %x Aligned 4
            OpBranch %next
            %next = OpLabel
            %y = OpCompositeExtract %uint %q 0
            OpReturn
            OpFunctionEnd
            %l = OpFunction %void None %type
            %s = OpFunctionParameter %struct
            %t = OpFunctionParameter %array
            %u = OpFunctionParameter %struct
            %only = OpLabel
            OpReturn
            OpFunctionEnd";
        let words = lowered(text).unwrap();
        assert!(is_valid(&words));
        let count = |op: Op| instructions(&words).filter(|(opcode, _)| *opcode == op as u16).count();
        // The pointer to `uint`, and one for each of the two types; the old function type and the new one.
        assert_eq!((count(Op::TypePointer), count(Op::TypeFunction), count(Op::Load)), (3, 2, 6));
    }
}
