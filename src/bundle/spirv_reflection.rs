// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The kernels of a SPIR-V module and what arguments they take, read from the module.
//!
//! Nothing here trusts the module: what does not make sense is left out or becomes a parameter that no argument fits.

use std::collections::{HashMap, HashSet};

use rspirv::spirv::{Decoration, ExecutionMode, ExecutionModel, FunctionParameterAttribute, Op, StorageClass};

use super::spirv::{instructions, text};
use crate::image::{KernelInfo, KernelKind, KernelProperties, Parameter, ParameterKind};

/// Size and alignment, bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Layout {
    size: u64,
    align: u64,
}

#[derive(Debug, Clone)]
enum Shape {
    /// An integer or a floating-point number, with its description.
    Number(String),
    Vector,
    /// A structure or an array.
    Aggregate,
    Pointer {
        class: u32,
        pointee: Option<u32>,
    },
    /// Anything else, such as an image.
    Other(&'static str),
}

#[derive(Debug, Clone)]
struct Type {
    shape: Shape,
    /// `None` for what has no bytes, or more than can be counted.
    layout: Option<Layout>,
}

/// What of a module says which kernels there are.
#[derive(Debug, Default)]
pub(super) struct Module<'a> {
    /// 8 or 4, from the addressing model.
    pointer_size: u64,
    /// Function and name.
    entries: Vec<(u32, String)>,
    /// Execution modes: function, mode, operands; ids instead of numbers if the flag is set.
    modes: Vec<(u32, u32, &'a [u32], bool)>,
    names: HashMap<u32, &'a [u32]>,
    packed: HashSet<u32>,
    by_value: HashSet<u32>,
    alignments: HashMap<u32, u64>,
    types: HashMap<u32, Type>,
    constants: HashMap<u32, u64>,
    /// Parameters of the functions that are entry points: type and id.
    parameters: HashMap<u32, Vec<(u32, u32)>>,
}

impl<'a> Module<'a> {
    /// The kernels in the order of their entry points.
    pub(super) fn kernels(&self) -> Vec<KernelInfo> {
        self.entries.iter().map(|(function, name)| self.kernel(*function, name)).collect()
    }

    /// Whether the function is the entry point of a kernel.
    pub(super) fn is_entry(&self, function: u32) -> bool {
        self.parameters.contains_key(&function)
    }

    /// Alignment of a structure or array type whose size is known.
    pub(super) fn object_alignment(&self, ty: u32) -> Option<u32> {
        match self.types.get(&ty)? {
            Type { shape: Shape::Aggregate, layout: Some(layout) } => u32::try_from(layout.align).ok(),
            _ => None,
        }
    }

    pub(super) fn read(words: &'a [u32]) -> Self {
        let mut module = Self { pointer_size: 8, ..Self::default() };
        let mut function = None;
        for (opcode, instruction) in instructions(words) {
            match (Op::from_u32(opcode.into()), instruction) {
                (Some(Op::MemoryModel), [_, addressing, ..]) => {
                    module.pointer_size = if *addressing == 1 { 4 } else { 8 };
                }
                (Some(Op::EntryPoint), [_, model, id, name @ ..]) if *model == ExecutionModel::Kernel as u32 => {
                    module.entries.push((*id, text(name)));
                }
                (Some(Op::ExecutionMode), [_, id, mode, operands @ ..]) => {
                    module.modes.push((*id, *mode, operands, false));
                }
                (Some(Op::ExecutionModeId), [_, id, mode, operands @ ..]) => {
                    module.modes.push((*id, *mode, operands, true));
                }
                (Some(Op::Name), [_, id, name @ ..]) => {
                    module.names.insert(*id, name);
                }
                (Some(Op::Decorate), [_, id, decoration, operands @ ..]) => {
                    module.decorate(*id, *decoration, operands);
                }
                (Some(Op::Constant | Op::SpecConstant), [_, _, id, value @ ..]) => {
                    module.constant(*id, value);
                }
                (Some(Op::Function), [_, _, id, ..]) => {
                    let is_entry = module.entries.iter().any(|(entry, _)| entry == id);
                    function = is_entry.then_some(*id);
                    if is_entry {
                        module.parameters.insert(*id, Vec::new());
                    }
                }
                (Some(Op::FunctionParameter), [_, ty, id]) => {
                    let parameters = function.and_then(|function| module.parameters.get_mut(&function));
                    if let Some(parameters) = parameters {
                        parameters.push((*ty, *id));
                    }
                }
                (Some(op), [_, id, operands @ ..]) => {
                    if let Some(ty) = module.declared(op, *id, operands) {
                        module.types.insert(*id, ty);
                    }
                }
                _ => {}
            }
        }
        module
    }

    fn decorate(&mut self, id: u32, decoration: u32, operands: &[u32]) {
        match (Decoration::from_u32(decoration), operands) {
            (Some(Decoration::CPacked), []) => drop(self.packed.insert(id)),
            (Some(Decoration::Alignment), [bytes]) => drop(self.alignments.insert(id, u64::from(*bytes))),
            (Some(Decoration::FuncParamAttr), [attribute])
                if *attribute == FunctionParameterAttribute::ByVal as u32 =>
            {
                self.by_value.insert(id);
            }
            _ => {}
        }
    }

    fn constant(&mut self, id: u32, value: &[u32]) {
        let value = match value {
            [low] => u64::from(*low),
            [low, high] => u64::from(*high) << 32 | u64::from(*low),
            _ => return,
        };
        self.constants.insert(id, value);
    }

    /// The type that an instruction declares. Members are declared before it, so nothing here is recursive.
    fn declared(&self, op: Op, id: u32, operands: &[u32]) -> Option<Type> {
        let number = |width: u32, word: &str| {
            let size = u64::from(width / 8);
            let usual = width.is_multiple_of(8) && size.is_power_of_two() && size <= 8;
            Type {
                shape: Shape::Number(format!("{width}-bit {word}")),
                layout: usual.then_some(Layout { size, align: size }),
            }
        };
        let pointer = Layout { size: self.pointer_size, align: self.pointer_size };
        let ty = match (op, operands) {
            (Op::TypeInt, [width, ..]) => number(*width, "integer"),
            (Op::TypeFloat, [width, ..]) => number(*width, "floating-point number"),
            (Op::TypeVector, [element, count]) => Type { shape: Shape::Vector, layout: self.vector(*element, *count) },
            (Op::TypeArray, [element, count]) => Type { shape: Shape::Aggregate, layout: self.array(*element, *count) },
            (Op::TypeStruct, members) => {
                Type { shape: Shape::Aggregate, layout: self.structure(members, self.packed.contains(&id)) }
            }
            (Op::TypePointer, [class, pointee]) => {
                Type { shape: Shape::Pointer { class: *class, pointee: Some(*pointee) }, layout: Some(pointer) }
            }
            (Op::TypeUntypedPointerKHR, [class]) => {
                Type { shape: Shape::Pointer { class: *class, pointee: None }, layout: Some(pointer) }
            }
            (op, _) => Type { shape: Shape::Other(object(op)?), layout: None },
        };
        Some(ty)
    }

    fn layout(&self, id: u32) -> Option<Layout> {
        self.types.get(&id)?.layout
    }

    fn vector(&self, element: u32, count: u32) -> Option<Layout> {
        let count = match count {
            // Three elements have the layout of four.
            3 => 4,
            2 | 4 | 8 | 16 => u64::from(count),
            _ => return None,
        };
        let size = self.layout(element)?.size.checked_mul(count)?;
        Some(Layout { size, align: size })
    }

    fn array(&self, element: u32, count: u32) -> Option<Layout> {
        let element = self.layout(element)?;
        Some(Layout { size: element.size.checked_mul(*self.constants.get(&count)?)?, align: element.align })
    }

    fn structure(&self, members: &[u32], packed: bool) -> Option<Layout> {
        let mut layout = Layout { size: 0, align: 1 };
        for member in members {
            let member = self.layout(*member)?;
            let align = if packed { 1 } else { member.align };
            layout.align = layout.align.max(align);
            layout.size = layout.size.checked_next_multiple_of(align)?.checked_add(member.size)?;
        }
        layout.size = layout.size.checked_next_multiple_of(layout.align)?;
        Some(layout)
    }

    fn kernel(&self, function: u32, name: &str) -> KernelInfo {
        let parameters = self.parameters.get(&function).map(Vec::as_slice).unwrap_or_default();
        KernelInfo {
            raw_name: name.to_owned(),
            plain_name: None,
            mangled_name: name.to_owned(),
            kind: KernelKind::Any,
            parameters: parameters.iter().map(|(ty, id)| self.parameter(*ty, *id)).collect(),
            properties: self.properties(function),
            aspects: Vec::new(),
            scratch: false,
        }
    }

    fn parameter(&self, ty: u32, id: u32) -> Parameter {
        let by_value = self.by_value.contains(&id);
        let (kind, layout) = match self.types.get(&ty) {
            Some(Type { shape: Shape::Number(_), layout: Some(layout) }) => (ParameterKind::Scalar, Some(*layout)),
            Some(Type { shape: Shape::Vector | Shape::Aggregate, layout }) => by_size(*layout),
            Some(Type { shape: Shape::Pointer { class, pointee }, layout }) => match StorageClass::from_u32(*class) {
                Some(StorageClass::Function) if by_value => by_size(pointee.and_then(|pointee| self.layout(pointee))),
                Some(StorageClass::Workgroup) => (ParameterKind::Local, None),
                Some(
                    StorageClass::CrossWorkgroup
                    | StorageClass::UniformConstant
                    | StorageClass::DeviceOnlyALTERA
                    | StorageClass::HostOnlyALTERA,
                ) => (ParameterKind::Pointer, *layout),
                _ => (ParameterKind::Unsupported, None),
            },
            _ => (ParameterKind::Unsupported, None),
        };
        let layout = layout.unwrap_or(Layout { size: 0, align: 1 });
        Parameter {
            name: self.name(id),
            type_name: self.describe(ty, by_value),
            kind,
            size: layout.size,
            align: self.alignments.get(&id).copied().filter(|_| by_value).unwrap_or(layout.align),
            local: Vec::new(),
        }
    }

    fn name(&self, id: u32) -> String {
        self.names.get(&id).map(|name| text(name)).unwrap_or_default()
    }

    /// A type in a message.
    fn describe(&self, id: u32, by_value: bool) -> String {
        let Some(ty) = self.types.get(&id) else { return "a type that is not known".to_owned() };
        let size = |layout: Option<Layout>| match layout {
            Some(layout) => format!(" of {} bytes", layout.size),
            None => String::new(),
        };
        match &ty.shape {
            Shape::Number(text) => text.clone(),
            Shape::Vector => format!("vector{}", size(ty.layout)),
            Shape::Aggregate => match &*self.name(id) {
                "" => format!("structure{}", size(ty.layout)),
                name => format!("structure {name}{}", size(ty.layout)),
            },
            Shape::Pointer { pointee: Some(pointee), class } if by_value && *class == StorageClass::Function as u32 => {
                match &*self.name(*pointee) {
                    "" => format!("structure{}", size(self.layout(*pointee))),
                    name => format!("structure {name}{}", size(self.layout(*pointee))),
                }
            }
            Shape::Pointer { class, .. } => match StorageClass::from_u32(*class) {
                Some(class) => format!("pointer to {class:?}"),
                None => format!("pointer to storage class {class}"),
            },
            Shape::Other(text) => (*text).to_owned(),
        }
    }

    /// Sizes are in SYCL's order, which is the reverse.
    fn properties(&self, function: u32) -> KernelProperties {
        let mut properties = KernelProperties::default();
        for (_, mode, operands, by_id) in self.modes.iter().filter(|(id, ..)| *id == function) {
            let numbers: Option<Vec<u64>> = operands
                .iter()
                .map(|word| if *by_id { self.constants.get(word).copied() } else { Some(u64::from(*word)) })
                .collect();
            let Some(mut numbers) = numbers else { continue };
            numbers.reverse();
            match ExecutionMode::from_u32(*mode) {
                Some(ExecutionMode::LocalSize | ExecutionMode::LocalSizeId) if numbers.len() == 3 => {
                    properties.work_group_size = Some(numbers);
                }
                Some(ExecutionMode::LocalSizeHint | ExecutionMode::LocalSizeHintId) if numbers.len() == 3 => {
                    properties.work_group_size_hint = Some(numbers);
                }
                Some(ExecutionMode::MaxWorkgroupSizeINTEL) if numbers.len() == 3 => {
                    properties.max_work_group_size = Some(numbers);
                }
                Some(ExecutionMode::SubgroupSize) => {
                    properties.sub_group_size = numbers.first().and_then(|size| u32::try_from(*size).ok());
                }
                _ => {}
            }
        }
        properties
    }
}

/// A value whose size the driver checks where the module does not tell it.
fn by_size(layout: Option<Layout>) -> (ParameterKind, Option<Layout>) {
    (if layout.is_some() { ParameterKind::Aggregate } else { ParameterKind::Opaque }, layout)
}

/// What a type of the driver's own is called.
fn object(op: Op) -> Option<&'static str> {
    Some(match op {
        Op::TypeBool => "bool",
        Op::TypeImage => "image",
        Op::TypeSampler => "sampler",
        Op::TypeSampledImage => "sampled image",
        Op::TypeEvent => "event",
        Op::TypeDeviceEvent => "device event",
        Op::TypeReserveId => "reservation id",
        Op::TypeQueue => "queue",
        Op::TypePipe => "pipe",
        Op::TypeOpaque => "opaque type",
        Op::TypeRuntimeArray => "array without a size",
        Op::TypeMatrix => "matrix",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use spirv_tools::{
        TargetEnv,
        assembler::{Assembler, AssemblerOptions},
    };

    use super::*;
    use crate::bundle::{spirv::check_foreign, spirv_lowering::lower};

    fn assembled(text: &str) -> Vec<u32> {
        let assembler = spirv_tools::assembler::create(Some(TargetEnv::Universal_1_4));
        let binary = assembler.assemble(text, AssemblerOptions::default()).unwrap();
        binary.as_words().to_vec()
    }

    const MODULE: &str = include_str!("../../tests/data/spirv_language.spvasm");

    // V4, V5, and the table of parameters of section 16.
    #[test]
    fn parameters_are_read_with_exact_sizes() {
        let words = assembled(MODULE);
        let kernels = Module::read(&words).kernels();
        let kernel = |name: &str| kernels.iter().find(|kernel| kernel.raw_name == name).unwrap();
        let parameters = |name: &str| -> Vec<(ParameterKind, u64, u64)> {
            kernel(name).parameters.iter().map(|p| (p.kind, p.size, p.align)).collect()
        };
        use ParameterKind::{Aggregate, Local, Pointer, Scalar, Unsupported};
        assert_eq!(
            parameters("scalars"),
            [(Pointer, 8, 8), (Scalar, 1, 1), (Scalar, 2, 2), (Scalar, 4, 4), (Scalar, 8, 8), (Scalar, 4, 4),]
        );
        assert_eq!(parameters("by_value"), [(Pointer, 8, 8), (Aggregate, 24, 8)]);
        assert_eq!(parameters("plain_structure"), [(Pointer, 8, 8), (Aggregate, 24, 8)]);
        assert_eq!(parameters("packed"), [(Pointer, 8, 8), (Aggregate, 5, 1)]);
        assert_eq!(parameters("vector3"), [(Pointer, 8, 8), (Aggregate, 16, 16)]);
        assert_eq!(parameters("shared"), [(Pointer, 8, 8), (Local, 0, 1)]);
        assert_eq!(parameters("table"), [(Pointer, 8, 8), (Pointer, 8, 8)]);
        assert_eq!(parameters("takes_sampler"), [(Unsupported, 0, 1)]);
        let kernel = kernel("by_value");
        assert_eq!(kernel.parameters[1].name, "by_value_object");
        assert_eq!(kernel.parameters[1].type_name, "structure chain of 24 bytes");
        assert_eq!(kernel.parameters[0].type_name, "pointer to CrossWorkgroup");
        assert_eq!(kernel.kind, KernelKind::Any);
    }

    #[test]
    fn execution_modes_are_properties_in_sycl_order() {
        let words = assembled(MODULE);
        let kernels = Module::read(&words).kernels();
        let required = kernels.iter().find(|kernel| kernel.raw_name == "required").unwrap();
        assert_eq!(required.properties.work_group_size.as_deref(), Some(&[1, 2, 4][..]));
        assert_eq!(required.properties.sub_group_size, None);
    }

    // V1: no module of any kind does more than be refused.
    #[test]
    fn cut_and_changed_modules_never_panic() {
        let words = assembled(MODULE);
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        assert!(check_foreign(&bytes, (1, 4)).is_ok());
        let tried = |bytes: &[u8]| {
            // Reflection has to stand modules that no check has seen.
            let loose: Vec<u32> = bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
            drop(Module::read(&loose).kernels());
            if let Ok(words) = check_foreign(bytes, (1, 4))
                && let Some(lowered) = lower(&words, &Module::read(&words))
            {
                let bytes: Vec<u8> = lowered.iter().flat_map(|word| word.to_le_bytes()).collect();
                assert!(check_foreign(&bytes, (1, 4)).is_ok());
            }
        };
        for cut in 0..bytes.len() {
            tried(&bytes[..cut]);
        }
        for word in 0..words.len() {
            // One bit of each byte of every word, a different one for each; all bits of the first 64 words.
            for bit in 0..32 {
                if word < 64 || bit % 8 == word % 8 {
                    let mut changed = bytes.clone();
                    changed[word * 4 + bit / 8] ^= 1 << (bit % 8);
                    tried(&changed);
                }
            }
        }
    }

    #[test]
    fn sizes_that_cannot_be_counted_are_no_sizes() {
        let text = "
            OpCapability Kernel
            OpCapability Addresses
            OpCapability Int64
            OpCapability Linkage
            OpMemoryModel Physical64 OpenCL
            OpEntryPoint Kernel %k \"k\"
            OpDecorate %p FuncParamAttr ByVal
            %void = OpTypeVoid
            %ulong = OpTypeInt 64 0
            %huge = OpConstant %ulong 0x4000000000000000
            %array = OpTypeArray %ulong %huge
            %more = OpTypeArray %array %huge
            %pointer = OpTypePointer Function %more
            %type = OpTypeFunction %void %pointer
            %k = OpFunction %void None %type
            %p = OpFunctionParameter %pointer
            %body = OpLabel
            OpReturn
            OpFunctionEnd";
        let words = assembled(text);
        let kernels = Module::read(&words).kernels();
        assert_eq!((kernels[0].parameters[0].kind, kernels[0].parameters[0].size), (ParameterKind::Opaque, 0));
    }
}
