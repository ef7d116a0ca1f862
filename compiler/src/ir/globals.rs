// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#![forbid(unsafe_code)]
//! Device globals. Those that a host can reach live in one block of device memory that the run-time allocates; an image
//! reaches it through a pointer, which [`Table::GLOBALS_KERNEL`] sets when it has stored the initial values. Those of image
//! scope stay variables of the image.

use std::collections::{HashMap, HashSet};

use llvm_sys::{LLVMLinkage, LLVMOpcode, LLVMTypeKind, LLVMValueKind};
use syclrtc_protocol::{CodeSplit, DeviceGlobal, KernelInfo, Table};

use super::{
    builder::Builder,
    graph,
    llvm::{GLOBAL, Module, SPIR_KERNEL, Type, Value},
    problems::{Problems, demangle},
};

/// Where the image keeps the address of the block.
const BLOCK_POINTER: &str = "__syclrtc_device_globals";
/// Alignment of the block, and the most that a device global can have.
const BLOCK_ALIGN: u64 = 128;
/// Initial values of up to so many numbers are stored one by one; others are copied from a constant.
const MAX_STORES: u64 = 32;

/// Moves the device globals of the table into the block, and fills in where they are there.
///
/// # Errors
/// A constant holds the address of one of them, which is not known before the image runs.
pub fn lower(module: &Module, table: &mut Table) -> Result<(), Problems> {
    let mut places = HashMap::new();
    let mut end = 0;
    for row in table.device_globals.iter_mut().filter(|row| !row.image_scope) {
        let Some(variable) = module.global(&row.symbol) else { continue };
        row.offset = place(module, row, variable, &mut end);
        places.insert(variable, row.offset);
    }
    table.device_global_block = end;
    if places.is_empty() {
        return Ok(());
    }
    let pointer = module.add_global(BLOCK_POINTER, module.pointer(GLOBAL), GLOBAL);
    pointer.set_initializer(module.pointer(GLOBAL).zero());
    pointer.set_linkage(LLVMLinkage::LLVMInternalLinkage);
    // Set by one kernel for all others, which the optimiser could not know.
    pointer.set_externally_initialized();
    let lowering = Lowering { module: *module, pointer, places };
    lowering.refuse_constants()?;
    for function in module.functions().filter(|function| !function.is_declaration()) {
        lowering.rewrite(function, None);
    }
    lowering.add_kernel(table);
    Ok(())
}

/// The offset of the next device global, and the new end of the block.
fn place(module: &Module, row: &DeviceGlobal, variable: Value, end: &mut u64) -> u64 {
    let align = row.align.clamp(1, BLOCK_ALIGN);
    let offset = end.next_multiple_of(align);
    *end = offset + row.size.max(module.size_of(variable.value_type())).max(1);
    offset
}

/// Refuses a variable of image scope that kernels of different images use: it would be one variable for each of them.
///
/// # Errors
/// Such variables.
pub fn check_image_scope(module: &Module, table: &Table) -> Result<(), Problems> {
    let scoped: Vec<_> = table.device_globals.iter().filter(|row| row.image_scope).collect();
    let mut problems = Problems::default();
    // What a program sees as one image is one for each kernel only if it asked for that.
    if scoped.is_empty() || table.code_split != CodeSplit::PerKernel {
        return Ok(());
    }
    for row in scoped {
        let Some(variable) = module.global(&row.symbol) else { continue };
        let users = functions_that_use(variable);
        let reaches = |kernel: &&KernelInfo| {
            let entry = module.function(&kernel.raw_name);
            entry.is_some_and(|entry| graph::reached_from(entry).iter().any(|function| users.contains(function)))
        };
        let mut kernels = table.kernels.iter().filter(reaches).map(|kernel| demangle(&kernel.mangled_name));
        if let (Some(first), Some(second)) = (kernels.next(), kernels.next()) {
            let text = format!(
                "device_global '{}' has the property device_image_scope and is used by kernels of different images: \
                 '{first}' and '{second}'",
                row.name
            );
            problems.add(variable.location(), text);
        }
    }
    problems.into_result()
}

/// The functions in which the variable occurs, also as part of a constant.
fn functions_that_use(variable: Value) -> HashSet<Value> {
    let mut functions = HashSet::new();
    let (mut seen, mut open) = (HashSet::from([variable]), vec![variable]);
    while let Some(value) = open.pop() {
        for user in value.users() {
            match user.enclosing_function() {
                Some(function) => drop(functions.insert(function)),
                None if user.is_constant() && seen.insert(user) => open.push(user),
                None => {}
            }
        }
    }
    functions
}

struct Lowering {
    module: Module,
    pointer: Value,
    /// Offsets in the block.
    places: HashMap<Value, u64>,
}

/// What was computed at the start of a function.
#[derive(Default)]
struct Known {
    block: Option<Value>,
    values: HashMap<Value, Value>,
}

impl Lowering {
    /// True if the address of a device global is part of the constant.
    fn depends(&self, constant: Value) -> bool {
        match constant.kind() {
            LLVMValueKind::LLVMGlobalVariableValueKind => self.places.contains_key(&constant),
            LLVMValueKind::LLVMConstantExprValueKind
            | LLVMValueKind::LLVMConstantStructValueKind
            | LLVMValueKind::LLVMConstantArrayValueKind
            | LLVMValueKind::LLVMConstantVectorValueKind => constant.operands().any(|operand| self.depends(operand)),
            _ => false,
        }
    }

    /// Initial values of other variables are fixed when the image is made.
    fn refuse_constants(&self) -> Result<(), Problems> {
        let mut problems = Problems::default();
        for variable in self.module.globals().filter(|variable| !self.places.contains_key(variable)) {
            let Some(initial) = variable.initializer().filter(|_| variable.is_used()) else { continue };
            if self.depends(initial) {
                let text = format!(
                    "the initial value of '{}' holds the address of a device_global, which is not a constant",
                    demangle(&variable.name())
                );
                problems.add(variable.location(), text);
            }
        }
        problems.into_result()
    }

    /// Replaces the addresses of device globals in a function; `block` is that of the block if the function has it.
    fn rewrite(&self, function: Value, block: Option<Value>) {
        let mut known = Known { block, ..Known::default() };
        let uses: Vec<(Value, u32, Value)> = function
            .instructions()
            .flat_map(|user| (0..user.operand_count()).map(move |index| (user, index, user.operand(index))))
            .filter(|(_, _, operand)| operand.is_constant() && self.depends(*operand))
            .collect();
        if uses.is_empty() {
            return;
        }
        // Constants depend on nothing in the function, so all are computed where it begins, behind its variables.
        let Some(start) = function
            .blocks()
            .next()
            .and_then(|block| block.instructions().find(|first| first.opcode() != LLVMOpcode::LLVMAlloca))
        else {
            return;
        };
        for (user, index, constant) in uses {
            let value = self.module.before(start, |builder| self.compute(builder, constant, &mut known));
            user.set_operand(index, value);
        }
    }

    /// Instructions for a constant.
    fn compute(&self, builder: &Builder, constant: Value, known: &mut Known) -> Value {
        if !self.depends(constant) {
            return constant;
        }
        if let Some(value) = known.values.get(&constant) {
            return *value;
        }
        let value = if let Some(offset) = self.places.get(&constant) {
            let block =
                *known.block.get_or_insert_with(|| builder.load_constant(self.pointer, self.module.pointer(GLOBAL)));
            let address = builder.offset(block, *offset);
            // The variable may have been declared in the generic space.
            if address.ty() == constant.ty() { address } else { builder.address_space_cast(address, constant.ty()) }
        } else {
            let operands: Vec<Value> = constant.operands().map(|part| self.compute(builder, part, known)).collect();
            builder.constant_expression(constant, &operands)
        };
        known.values.insert(constant, value);
        value
    }

    /// Adds the kernel that stores the initial values and the address of the block.
    fn add_kernel(&self, table: &Table) {
        let module = &self.module;
        let kernel = module.add_function(Table::GLOBALS_KERNEL, module.void_function_type(&[module.pointer(GLOBAL)]));
        kernel.set_calling_convention(SPIR_KERNEL);
        kernel.add_attribute(module, None, "nounwind", 0);
        kernel.add_attribute(module, Some(0), "align", BLOCK_ALIGN);
        let block = kernel.parameters()[0];
        module.fill_block(kernel, |builder| {
            for row in table.device_globals.iter().filter(|row| !row.image_scope) {
                let Some(variable) = module.global(&row.symbol) else { continue };
                let Some(initial) = variable.initializer() else { continue };
                let align = row.align.clamp(1, BLOCK_ALIGN);
                self.store_initial(builder, &row.symbol, initial, builder.offset(block, row.offset), align);
            }
            builder.store(block, self.pointer);
            builder.return_void();
        });
        self.rewrite(kernel, Some(block));
    }

    /// The same bytes without `half` and `double`, which the device may lack: kernels that use them are left out, and this
    /// one must not be.
    fn as_integers(&self, value: Value) -> Value {
        let ty = value.ty();
        let bits = match ty.scalar().kind() {
            LLVMTypeKind::LLVMHalfTypeKind => 16,
            LLVMTypeKind::LLVMDoubleTypeKind => 64,
            LLVMTypeKind::LLVMStructTypeKind | LLVMTypeKind::LLVMArrayTypeKind if holds_optional_floats(ty) => {
                let parts: Vec<Value> =
                    (0..).map_while(|index| value.element(index)).map(|part| self.as_integers(part)).collect();
                return ty.constant_like(&self.module, &parts);
            }
            _ => return value,
        };
        value.reinterpret(ty.with_width(&self.module, bits))
    }

    fn store_initial(&self, builder: &Builder, symbol: &str, initial: Value, to: Value, align: u64) {
        let ty = initial.ty();
        if initial.is_zero() && !ty.members().is_empty() {
            return builder.fill_zero(to, align, self.module.size_of(ty));
        }
        let initial = self.as_integers(initial);
        if count(ty) <= MAX_STORES || self.depends(initial) {
            self.store_parts(builder, initial, to, align);
        } else {
            let source = self.module.add_global(&format!("{symbol}.initial"), initial.ty(), GLOBAL);
            source.set_initializer(initial);
            source.set_linkage(LLVMLinkage::LLVMInternalLinkage);
            source.set_read_only();
            source.set_alignment(align);
            builder.copy(to, source, align, self.module.size_of(ty));
        }
    }

    /// Stores each number of a constant.
    fn store_parts(&self, builder: &Builder, value: Value, to: Value, align: u64) {
        let ty = value.ty();
        if matches!(value.kind(), LLVMValueKind::LLVMUndefValueValueKind | LLVMValueKind::LLVMPoisonValueKind) {
            return;
        }
        let stride = |index: u64| match ty.kind() {
            LLVMTypeKind::LLVMStructTypeKind => self.module.offset_of(ty, index as u32),
            _ => index * ty.members().first().map_or(0, |element| self.module.size_of(*element)),
        };
        let parts = match ty.kind() {
            LLVMTypeKind::LLVMStructTypeKind => ty.members().len() as u64,
            LLVMTypeKind::LLVMArrayTypeKind => ty.array_length().unwrap_or(0),
            _ => return builder.store_aligned(value, to, align),
        };
        for index in 0..parts {
            let Some(part) = value.element(index as u32) else { continue };
            let offset = stride(index);
            let align = if offset == 0 { align } else { align.min(1 << offset.trailing_zeros().min(7)) };
            self.store_parts(builder, part, builder.offset(to, offset), align);
        }
    }
}

fn holds_optional_floats(ty: Type) -> bool {
    matches!(ty.kind(), LLVMTypeKind::LLVMHalfTypeKind | LLVMTypeKind::LLVMDoubleTypeKind)
        || ty.members().into_iter().any(holds_optional_floats)
}

/// Numbers, pointers and vectors in a value of the type.
fn count(ty: Type) -> u64 {
    let of_members = |members: Vec<Type>| members.into_iter().map(count).fold(0, u64::saturating_add);
    match ty.kind() {
        LLVMTypeKind::LLVMStructTypeKind => of_members(ty.members()),
        LLVMTypeKind::LLVMArrayTypeKind => of_members(ty.members()).saturating_mul(ty.array_length().unwrap_or(0)),
        _ => 1,
    }
}
