// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! LLVM's C API in the few shapes that the passes need.
//!
//! The module, its context and all values live until the process ends, and the process has one thread; so handles are
//! `Copy` and the functions safe to call with handles of that module. What could still go wrong (a call on a value of the
//! wrong kind) is guarded where the kind is not known from the handle's type.

use std::ffi::{CStr, CString, c_char, c_uint};

use llvm_sys::{
    LLVMLinkage, LLVMOpcode, LLVMTypeKind, LLVMValueKind,
    core::*,
    prelude::{LLVMBasicBlockRef, LLVMContextRef, LLVMModuleRef, LLVMTypeRef, LLVMValueRef},
};

use super::builder::Builder;

/// Calling convention numbers of `llvm/IR/CallingConv.h`.
pub const SPIR_FUNC: c_uint = 75;
/// Entry points.
pub const SPIR_KERNEL: c_uint = 76;

/// Address spaces of the SPIR-V target.
pub const PRIVATE: c_uint = 0;
/// Memory that all work-items see.
pub const GLOBAL: c_uint = 1;
/// Memory that nobody writes.
pub const CONSTANT: c_uint = 2;
/// Memory of a work-group.
pub const LOCAL: c_uint = 3;

/// The module of this process.
#[derive(Clone, Copy)]
pub struct Module {
    /// LLVM's handle.
    pub raw: LLVMModuleRef,
    /// Its context.
    pub context: LLVMContextRef,
}

/// Text that LLVM wants NUL-terminated; a NUL inside ends it, as LLVM would see it.
pub fn c_string(text: &str) -> CString {
    CString::new(text.split('\0').next().unwrap_or_default()).unwrap_or_default()
}

/// Copies a message that LLVM allocated, and frees it.
///
/// # Safety
/// `message` is null or a message that `LLVMDisposeMessage` takes.
pub unsafe fn take_message(message: *mut c_char) -> String {
    if message.is_null() {
        return String::new();
    }
    // SAFETY: the caller's condition.
    unsafe {
        let text = CStr::from_ptr(message).to_string_lossy().into_owned();
        LLVMDisposeMessage(message);
        text
    }
}

macro_rules! handle {
    ($($(#[$doc:meta])* $name:ident($raw:ty);)*) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash)]
        pub struct $name(pub $raw);
        impl $name {
            /// None for null.
            pub fn new(raw: $raw) -> Option<Self> {
                (!raw.is_null()).then_some(Self(raw))
            }
        }
    )* };
}

handle! {
    /// A value of any kind.
    Value(LLVMValueRef);
    /// A type.
    Type(LLVMTypeRef);
    /// A basic block.
    Block(LLVMBasicBlockRef);
}

/// Walks one of LLVM's intrusive lists. The next element is fetched before the current one is handed out, which may then be
/// erased.
fn list<T: Copy>(first: Option<T>, next: impl Fn(T) -> Option<T>) -> impl Iterator<Item = T> {
    let mut upcoming = first;
    std::iter::from_fn(move || {
        let current = upcoming?;
        upcoming = next(current);
        Some(current)
    })
}

// SAFETY of this file, once: every handle belongs to the one live module (module documentation), and each call below gets
// handles of the kind that it wants.
#[expect(clippy::undocumented_unsafe_blocks, reason = "one condition holds for all of them and is stated above")]
impl Module {
    /// Wraps clang's module.
    pub fn new(raw: LLVMModuleRef) -> Self {
        Self { raw, context: unsafe { LLVMGetModuleContext(raw) } }
    }

    /// Functions, declarations included.
    pub fn functions(&self) -> impl Iterator<Item = Value> + use<> {
        list(Value::new(unsafe { LLVMGetFirstFunction(self.raw) }), |f| Value::new(unsafe { LLVMGetNextFunction(f.0) }))
    }

    /// Variables.
    pub fn globals(&self) -> impl Iterator<Item = Value> + use<> {
        list(Value::new(unsafe { LLVMGetFirstGlobal(self.raw) }), |g| Value::new(unsafe { LLVMGetNextGlobal(g.0) }))
    }

    /// The function of that name.
    pub fn function(&self, name: &str) -> Option<Value> {
        Value::new(unsafe { LLVMGetNamedFunction(self.raw, c_string(name).as_ptr()) })
    }

    /// The variable of that name.
    pub fn global(&self, name: &str) -> Option<Value> {
        Value::new(unsafe { LLVMGetNamedGlobal(self.raw, c_string(name).as_ptr()) })
    }

    /// Adds a function, or gives the one of that name.
    pub fn get_or_add_function(&self, name: &str, ty: Type) -> Value {
        self.function(name).unwrap_or_else(|| self.add_function(name, ty))
    }

    /// Adds a function; LLVM renames it if the name is taken.
    pub fn add_function(&self, name: &str, ty: Type) -> Value {
        Value(unsafe { LLVMAddFunction(self.raw, c_string(name).as_ptr(), ty.0) })
    }

    /// Puts a function with one more parameter in the place of one that nothing calls.
    pub fn append_parameter(&self, function: Value, ty: Type) -> Value {
        let name = function.name();
        let mut types: Vec<Type> = function.parameters().into_iter().map(Value::ty).collect();
        types.push(ty);
        let longer = self.add_function("", self.void_function_type(&types));
        unsafe {
            LLVMSetFunctionCallConv(longer.0, LLVMGetFunctionCallConv(function.0));
            LLVMSetLinkage(longer.0, LLVMGetLinkage(function.0));
            let mut count = 0;
            let entries = LLVMGlobalCopyAllMetadata(function.0, &raw mut count);
            for index in 0..count as c_uint {
                let kind = LLVMValueMetadataEntriesGetKind(entries, index);
                LLVMGlobalSetMetadata(longer.0, kind, LLVMValueMetadataEntriesGetMetadata(entries, index));
            }
            LLVMDisposeValueMetadataEntries(entries);
            // The attributes of the function, and those of its parameters behind its result's.
            let last = types.len() as c_uint;
            for index in (1..last).chain([llvm_sys::LLVMAttributeFunctionIndex]) {
                let count = LLVMGetAttributeCountAtIndex(function.0, index);
                let mut attributes = vec![std::ptr::null_mut(); count as usize];
                LLVMGetAttributesAtIndex(function.0, index, attributes.as_mut_ptr());
                for attribute in attributes {
                    LLVMAddAttributeAtIndex(longer.0, index, attribute);
                }
            }
        }
        for block in function.blocks().collect::<Vec<_>>() {
            unsafe {
                LLVMRemoveBasicBlockFromParent(block.0);
                LLVMAppendExistingBasicBlock(longer.0, block.0);
            }
        }
        for (old, new) in function.parameters().into_iter().zip(longer.parameters()) {
            old.replace_uses(new);
        }
        function.erase();
        longer.set_name(&name);
        longer
    }

    /// Makes a named metadata node exist, without operands.
    pub fn touch_named_metadata(&self, name: &str) {
        unsafe { LLVMGetOrInsertNamedMetadata(self.raw, name.as_ptr().cast(), name.len()) };
    }

    /// `iN`
    pub fn int(&self, bits: u32) -> Type {
        Type(unsafe { LLVMIntTypeInContext(self.context, bits) })
    }

    /// `ptr addrspace(space)`
    pub fn pointer(&self, space: c_uint) -> Type {
        Type(unsafe { LLVMPointerTypeInContext(self.context, space) })
    }

    /// `[count x i8]` in a struct, as the type of memory whose real type is not known.
    pub fn bytes(&self, count: u64) -> Type {
        let mut member = unsafe { LLVMArrayType2(self.int(8).0, count) };
        Type(unsafe { LLVMStructTypeInContext(self.context, &raw mut member, 1, 0) })
    }

    /// Function type returning `result`.
    pub fn function_type(&self, result: Type, parameters: &[Type]) -> Type {
        let mut raw: Vec<_> = parameters.iter().map(|ty| ty.0).collect();
        Type(unsafe { LLVMFunctionType(result.0, raw.as_mut_ptr(), raw.len() as c_uint, 0) })
    }

    /// Function type with an ellipsis.
    pub fn variadic_function_type(&self, result: Type, parameters: &[Type]) -> Type {
        let mut raw: Vec<_> = parameters.iter().map(|ty| ty.0).collect();
        Type(unsafe { LLVMFunctionType(result.0, raw.as_mut_ptr(), raw.len() as c_uint, 1) })
    }

    /// Function type without a result.
    pub fn void_function_type(&self, parameters: &[Type]) -> Type {
        self.function_type(Type(unsafe { LLVMVoidTypeInContext(self.context) }), parameters)
    }

    /// Bytes that a value of `ty` takes in memory.
    pub fn size_of(&self, ty: Type) -> u64 {
        unsafe { llvm_sys::target::LLVMABISizeOfType(llvm_sys::target::LLVMGetModuleDataLayout(self.raw), ty.0) }
    }

    /// The `align` attribute of a parameter (from 0), or 1.
    pub fn alignment_of_parameter(&self, function: Value, index: u32) -> u64 {
        unsafe {
            let attribute = LLVMGetEnumAttributeAtIndex(function.0, index + 1, Self::attribute_kind("align"));
            if attribute.is_null() { 1 } else { LLVMGetEnumAttributeValue(attribute).max(1) }
        }
    }

    /// Number of the enum attribute `name`.
    pub fn attribute_kind(name: &str) -> c_uint {
        unsafe { LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len()) }
    }

    /// Attaches `!name !{i32 ...}` to a function.
    pub fn set_integer_metadata(&self, function: Value, name: &str, values: &[u64]) {
        unsafe {
            let kind = LLVMGetMDKindIDInContext(self.context, name.as_ptr().cast(), name.len() as c_uint);
            let mut nodes: Vec<_> =
                values.iter().map(|value| LLVMValueAsMetadata(LLVMConstInt(self.int(32).0, *value, 0))).collect();
            let node = LLVMMDNodeInContext2(self.context, nodes.as_mut_ptr(), nodes.len());
            LLVMGlobalSetMetadata(function.0, kind, node);
        }
    }

    /// Calls `change` with a builder that inserts before `at`.
    pub fn before<R>(&self, at: Value, change: impl FnOnce(&Builder) -> R) -> R {
        let builder = Builder { raw: unsafe { LLVMCreateBuilderInContext(self.context) }, module: *self };
        unsafe { LLVMPositionBuilderBefore(builder.raw, at.0) };
        change(&builder)
    }

    /// Adds a block to `function` and calls `fill` with a builder at its end.
    pub fn fill_block<R>(&self, function: Value, fill: impl FnOnce(&Builder) -> R) -> R {
        unsafe {
            let block = LLVMAppendBasicBlockInContext(self.context, function.0, c"entry".as_ptr());
            let builder = Builder { raw: LLVMCreateBuilderInContext(self.context), module: *self };
            LLVMPositionBuilderAtEnd(builder.raw, block);
            fill(&builder)
        }
    }
}

#[expect(clippy::undocumented_unsafe_blocks, reason = "one condition holds for all of them and is stated above")]
impl Value {
    /// The name, empty if it has none.
    pub fn name(self) -> String {
        let mut length = 0;
        unsafe {
            let data = LLVMGetValueName2(self.0, &raw mut length);
            String::from_utf8_lossy(std::slice::from_raw_parts(data.cast(), length)).into_owned()
        }
    }

    /// Its type.
    pub fn ty(self) -> Type {
        Type(unsafe { LLVMTypeOf(self.0) })
    }

    /// What kind of value it is.
    pub fn kind(self) -> LLVMValueKind {
        unsafe { LLVMGetValueKind(self.0) }
    }

    /// True for a function or variable without a body.
    pub fn is_declaration(self) -> bool {
        unsafe { LLVMIsDeclaration(self.0) != 0 }
    }

    /// True if something refers to it.
    pub fn is_used(self) -> bool {
        unsafe { !LLVMGetFirstUse(self.0).is_null() }
    }

    /// Users, one entry for each use; complete before the first is handed out, so that uses may change meanwhile.
    pub fn users(self) -> Vec<Value> {
        let uses = list(unsafe { Some(LLVMGetFirstUse(self.0)).filter(|u| !u.is_null()) }, |u| unsafe {
            Some(LLVMGetNextUse(u)).filter(|u| !u.is_null())
        });
        uses.map(|u| Value(unsafe { LLVMGetUser(u) })).collect()
    }

    /// For a function or variable: its own type, not that of its address.
    pub fn value_type(self) -> Type {
        Type(unsafe { LLVMGlobalGetValueType(self.0) })
    }

    /// For a function: its parameters.
    pub fn parameters(self) -> Vec<Value> {
        (0..unsafe { LLVMCountParams(self.0) }).map(|i| Value(unsafe { LLVMGetParam(self.0, i) })).collect()
    }

    /// For a function: its blocks.
    pub fn blocks(self) -> impl Iterator<Item = Block> {
        list(Block::new(unsafe { LLVMGetFirstBasicBlock(self.0) }), |b| {
            Block::new(unsafe { LLVMGetNextBasicBlock(b.0) })
        })
    }

    /// For a function: all instructions.
    pub fn instructions(self) -> impl Iterator<Item = Value> {
        self.blocks().flat_map(Block::instructions)
    }

    /// For an instruction: what it does.
    pub fn opcode(self) -> LLVMOpcode {
        unsafe { LLVMGetInstructionOpcode(self.0) }
    }

    /// Operand `index`.
    pub fn operand(self, index: u32) -> Value {
        Value(unsafe { LLVMGetOperand(self.0, index) })
    }

    /// For a call: number of its arguments, which are its first operands.
    pub fn argument_count(self) -> u32 {
        unsafe { LLVMGetNumArgOperands(self.0) }
    }

    /// For a constant expression: what it does.
    pub fn constant_opcode(self) -> LLVMOpcode {
        unsafe { LLVMGetConstOpcode(self.0) }
    }

    /// For a load or store: gives it an alignment if what it has is beyond all numbers, as that of the null pointer is.
    pub fn limit_alignment(self) {
        unsafe {
            if LLVMGetAlignment(self.0) == 0 {
                LLVMSetAlignment(self.0, 1);
            }
        }
    }

    /// For a call: what is called.
    pub fn callee(self) -> Value {
        Value(unsafe { LLVMGetCalledValue(self.0) })
    }

    /// For an instruction that may be a call of an intrinsic: the intrinsic's name without types, e.g. `llvm.ldexp`.
    pub fn intrinsic(self) -> Option<String> {
        if self.opcode() != LLVMOpcode::LLVMCall {
            return None;
        }
        let callee = self.callee();
        if callee.kind() != LLVMValueKind::LLVMFunctionValueKind {
            return None;
        }
        callee.intrinsic_name()
    }

    /// For a function that is an intrinsic: its name without types.
    pub fn intrinsic_name(self) -> Option<String> {
        unsafe {
            let id = LLVMGetIntrinsicID(self.0);
            if id == 0 {
                return None;
            }
            let mut length = 0;
            let data = LLVMIntrinsicGetName(id, &raw mut length);
            Some(String::from_utf8_lossy(std::slice::from_raw_parts(data.cast(), length)).into_owned())
        }
    }

    /// Puts `other` in the place of this one everywhere.
    pub fn replace_uses(self, other: Value) {
        unsafe { LLVMReplaceAllUsesWith(self.0, other.0) };
    }

    /// Removes an instruction, function or variable that nothing uses.
    pub fn erase(self) {
        unsafe {
            match self.kind() {
                LLVMValueKind::LLVMFunctionValueKind => LLVMDeleteFunction(self.0),
                LLVMValueKind::LLVMGlobalVariableValueKind => LLVMDeleteGlobal(self.0),
                _ => LLVMInstructionEraseFromParent(self.0),
            }
        }
    }

    /// For a function or variable.
    pub fn set_linkage(self, linkage: LLVMLinkage) {
        unsafe { LLVMSetLinkage(self.0, linkage) };
    }

    /// For a function: its calling convention.
    pub fn calling_convention(self) -> c_uint {
        unsafe { LLVMGetFunctionCallConv(self.0) }
    }

    /// Sets the convention of a function or of a call.
    pub fn set_calling_convention(self, convention: c_uint) {
        unsafe {
            if self.kind() == LLVMValueKind::LLVMFunctionValueKind {
                LLVMSetFunctionCallConv(self.0, convention);
            } else {
                LLVMSetInstructionCallConv(self.0, convention);
            }
        }
    }

    /// For a function: the type of enum attribute `kind` at parameter `index` (from 0), if it is there.
    pub fn type_attribute(self, index: u32, kind: c_uint) -> Option<Type> {
        unsafe {
            let attribute = LLVMGetEnumAttributeAtIndex(self.0, index + 1, kind);
            if attribute.is_null() { None } else { Type::new(LLVMGetTypeAttributeValue(attribute)) }
        }
    }

    /// For a function: whether it has enum attribute `name`.
    pub fn has_attribute(self, name: &str) -> bool {
        // SAFETY: a live function; the index is LLVM's for the function itself.
        unsafe {
            !LLVMGetEnumAttributeAtIndex(self.0, llvm_sys::LLVMAttributeFunctionIndex, Module::attribute_kind(name))
                .is_null()
        }
    }

    /// Adds enum attribute `name` to the function (`None`) or to a parameter, from 0.
    pub fn add_attribute(self, module: &Module, parameter: Option<u32>, name: &str, value: u64) {
        let index = parameter.map_or(llvm_sys::LLVMAttributeFunctionIndex, |index| index + 1);
        unsafe {
            let attribute = LLVMCreateEnumAttribute(module.context, Module::attribute_kind(name), value);
            LLVMAddAttributeAtIndex(self.0, index, attribute);
        }
    }

    /// Adds `byval(ty)` to a parameter, from 0.
    pub fn add_byval(self, module: &Module, parameter: u32, ty: Type) {
        unsafe {
            let attribute = LLVMCreateTypeAttribute(module.context, Module::attribute_kind("byval"), ty.0);
            LLVMAddAttributeAtIndex(self.0, parameter + 1, attribute);
        }
    }

    /// Removes enum attribute `name` from the function (`None`) or a parameter (from 0) of a function or call.
    pub fn remove_attribute(self, parameter: Option<u32>, name: &str) {
        let index = parameter.map_or(llvm_sys::LLVMAttributeFunctionIndex, |index| index + 1);
        let kind = Module::attribute_kind(name);
        unsafe {
            if self.kind() == LLVMValueKind::LLVMFunctionValueKind {
                LLVMRemoveEnumAttributeAtIndex(self.0, index, kind);
            } else {
                LLVMRemoveCallSiteEnumAttribute(self.0, index, kind);
            }
        }
    }

    /// True if this is a call, and of `function`.
    pub fn is_call_of(self, function: Value) -> bool {
        self.kind() == LLVMValueKind::LLVMInstructionValueKind
            && matches!(self.opcode(), LLVMOpcode::LLVMCall | LLVMOpcode::LLVMInvoke)
            && self.callee() == function
    }

    /// For an instruction: the function that it is in.
    pub fn enclosing_function(self) -> Option<Value> {
        if self.kind() != LLVMValueKind::LLVMInstructionValueKind {
            return None;
        }
        unsafe { Block::new(LLVMGetInstructionParent(self.0)).and_then(|b| Value::new(LLVMGetBasicBlockParent(b.0))) }
    }

    /// For an `icmp`: its predicate, if that is `eq` or `ne`.
    pub fn equality_predicate(self) -> Option<llvm_sys::LLVMIntPredicate> {
        let predicate = unsafe { LLVMGetICmpPredicate(self.0) };
        use llvm_sys::LLVMIntPredicate::{LLVMIntEQ, LLVMIntNE};
        matches!(predicate, LLVMIntEQ | LLVMIntNE).then_some(predicate)
    }

    /// For a variable with an initialiser: true if that is an array without elements.
    pub fn is_empty_array(self) -> bool {
        let ty = self.value_type();
        ty.kind() == LLVMTypeKind::LLVMArrayTypeKind && unsafe { LLVMGetArrayLength2(ty.0) } == 0
    }

    /// For an integer constant of at most 64 bits: its value, sign-extended.
    pub fn constant_integer(self) -> Option<i64> {
        (self.kind() == LLVMValueKind::LLVMConstantIntValueKind).then(|| unsafe { LLVMConstIntGetSExtValue(self.0) })
    }
}

#[expect(clippy::undocumented_unsafe_blocks, reason = "one condition holds for all of them and is stated above")]
impl Block {
    /// Its instructions.
    pub fn instructions(self) -> impl Iterator<Item = Value> {
        list(Value::new(unsafe { LLVMGetFirstInstruction(self.0) }), |i| {
            Value::new(unsafe { LLVMGetNextInstruction(i.0) })
        })
    }
}

#[expect(clippy::undocumented_unsafe_blocks, reason = "one condition holds for all of them and is stated above")]
impl Type {
    /// What kind of type it is.
    pub fn kind(self) -> LLVMTypeKind {
        unsafe { LLVMGetTypeKind(self.0) }
    }

    /// The element type of a vector, else the type itself.
    pub fn scalar(self) -> Type {
        if self.kind() == LLVMTypeKind::LLVMVectorTypeKind { Type(unsafe { LLVMGetElementType(self.0) }) } else { self }
    }

    /// Number of elements of a fixed vector.
    pub fn lanes(self) -> Option<u32> {
        (self.kind() == LLVMTypeKind::LLVMVectorTypeKind).then(|| unsafe { LLVMGetVectorSize(self.0) })
    }

    /// Width of an integer type or vector of them.
    pub fn integer_width(self) -> Option<u32> {
        let scalar = self.scalar();
        (scalar.kind() == LLVMTypeKind::LLVMIntegerTypeKind).then(|| unsafe { LLVMGetIntTypeWidth(scalar.0) })
    }

    /// The same shape with integers of another width.
    pub fn with_width(self, module: &Module, bits: u32) -> Type {
        match self.lanes() {
            Some(lanes) => Type(unsafe { LLVMVectorType(module.int(bits).0, lanes) }),
            None => module.int(bits),
        }
    }

    /// An integer constant, splat for a vector.
    pub fn constant(self, value: u64) -> Value {
        let scalar = unsafe { LLVMConstInt(self.scalar().0, value, 0) };
        match self.lanes() {
            Some(lanes) => {
                let mut elements = vec![scalar; lanes as usize];
                Value(unsafe { LLVMConstVector(elements.as_mut_ptr(), lanes) })
            }
            None => Value(scalar),
        }
    }

    /// No particular value.
    pub fn poison(self) -> Value {
        Value(unsafe { LLVMGetPoison(self.0) })
    }
}
