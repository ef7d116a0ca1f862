// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Reading and describing functions, variables, constants and types. What is said in `llvm` of handles holds here too.

use std::ffi::{c_char, c_uint};

use llvm_sys::{LLVMAtomicOrdering, LLVMLinkage, LLVMOpcode, LLVMTypeKind, LLVMValueKind, core::*};
use syclrtc_protocol::Location;

use super::llvm::{Module, Type, Value, c_string, take_message};

#[expect(clippy::undocumented_unsafe_blocks, reason = "one condition holds for all of them and is stated in `llvm`")]
impl Value {
    /// For a function or variable: its linkage.
    pub fn linkage(self) -> LLVMLinkage {
        unsafe { LLVMGetLinkage(self.0) }
    }

    /// For a function or variable: other modules cannot mean it.
    pub fn is_local(self) -> bool {
        matches!(self.linkage(), LLVMLinkage::LLVMInternalLinkage | LLVMLinkage::LLVMPrivateLinkage)
    }

    /// For a function or variable: C++ lets several modules define it, and any of the definitions will do.
    pub fn is_foldable(self) -> bool {
        use LLVMLinkage::*;
        matches!(
            self.linkage(),
            LLVMLinkOnceAnyLinkage | LLVMLinkOnceODRLinkage | LLVMWeakAnyLinkage | LLVMWeakODRLinkage
        )
    }

    /// For a function or variable: takes it out of its group, which would otherwise be kept or dropped as a whole.
    pub fn leave_group(self) {
        unsafe { llvm_sys::comdat::LLVMSetComdat(self.0, std::ptr::null_mut()) };
    }

    /// Renames a function or variable; LLVM changes the name if it is taken.
    pub fn set_name(self, name: &str) {
        unsafe { LLVMSetValueName2(self.0, name.as_ptr().cast(), name.len()) };
    }

    /// For a function: the value of string attribute `name`.
    pub fn text_attribute(self, name: &str) -> Option<String> {
        unsafe {
            let attribute = LLVMGetStringAttributeAtIndex(
                self.0,
                llvm_sys::LLVMAttributeFunctionIndex,
                name.as_ptr().cast(),
                name.len() as c_uint,
            );
            if attribute.is_null() {
                return None;
            }
            let mut length = 0;
            let data = LLVMGetStringAttributeValue(attribute, &raw mut length);
            Some(text(data, length))
        }
    }

    /// For a call: promises that its result is at least 0 and less than `end`.
    pub fn promise_result_below(self, module: &Module, end: u64) {
        let Some(width) = self.ty().integer_width().filter(|width| *width <= 64) else { return };
        unsafe {
            let kind = Module::attribute_kind("range");
            let attribute = LLVMCreateConstantRangeAttribute(module.context, kind, width, &0, &raw const end);
            LLVMAddCallSiteAttribute(self.0, llvm_sys::LLVMAttributeReturnIndex, attribute);
        }
    }

    /// Number of operands of an instruction or constant.
    pub fn operand_count(self) -> u32 {
        unsafe { LLVMGetNumOperands(self.0) as u32 }
    }

    /// Operands of an instruction or constant.
    pub fn operands(self) -> impl Iterator<Item = Value> {
        (0..self.operand_count()).map(move |index| self.operand(index))
    }

    /// Replaces an operand.
    pub fn set_operand(self, index: u32, value: Value) {
        unsafe { LLVMSetOperand(self.0, index, value.0) };
    }

    /// True for a constant, functions and variables included.
    pub fn is_constant(self) -> bool {
        unsafe { LLVMIsConstant(self.0) != 0 }
    }

    /// True for a constant that is zero in all its bits, as far as LLVM says so.
    pub fn is_zero(self) -> bool {
        unsafe { LLVMIsNull(self.0) != 0 }
    }

    /// True for an instruction.
    pub fn is_instruction(self) -> bool {
        self.kind() == LLVMValueKind::LLVMInstructionValueKind
    }

    /// For a variable: what it begins with.
    pub fn initializer(self) -> Option<Value> {
        Value::new(unsafe { LLVMGetInitializer(self.0) })
    }

    /// For a variable: changes what it begins with.
    pub fn set_initializer(self, value: Value) {
        unsafe { LLVMSetInitializer(self.0, value.0) };
    }

    /// For a variable: what it begins with may be changed before code runs.
    pub fn set_externally_initialized(self) {
        unsafe { LLVMSetExternallyInitialized(self.0, 1) };
    }

    /// For a variable: it will never change.
    pub fn set_read_only(self) {
        unsafe { LLVMSetGlobalConstant(self.0, 1) };
    }

    /// For a variable: its alignment.
    pub fn set_alignment(self, align: u64) {
        unsafe { LLVMSetAlignment(self.0, align as c_uint) };
    }

    /// For a constant struct, array or vector: one of its parts.
    pub fn element(self, index: u32) -> Option<Value> {
        Value::new(unsafe { LLVMGetAggregateElement(self.0, index) })
    }

    /// For a constant number or vector: the same bits as another type.
    pub fn reinterpret(self, ty: Type) -> Value {
        Value(unsafe { LLVMConstBitCast(self.0, ty.0) })
    }

    /// For a variable: it never changes.
    pub fn is_read_only(self) -> bool {
        unsafe { LLVMIsGlobalConstant(self.0) != 0 }
    }

    /// For a pointer type's value: its address space.
    pub fn address_space(self) -> c_uint {
        unsafe { LLVMGetPointerAddressSpace(self.ty().0) }
    }

    /// For a memory access: others see it as a whole.
    pub fn is_atomic(self) -> bool {
        match self.opcode() {
            LLVMOpcode::LLVMAtomicRMW | LLVMOpcode::LLVMAtomicCmpXchg => true,
            LLVMOpcode::LLVMLoad | LLVMOpcode::LLVMStore => unsafe {
                LLVMGetOrdering(self.0) != LLVMAtomicOrdering::LLVMAtomicOrderingNotAtomic
            },
            _ => false,
        }
    }

    /// For an `alloca`: the type of what is allocated.
    pub fn allocated_type(self) -> Type {
        Type(unsafe { LLVMGetAllocatedType(self.0) })
    }

    /// The function that a call names; nothing for a call through a pointer, and for what is no call.
    pub fn called_function(self) -> Option<Value> {
        matches!(self.opcode(), LLVMOpcode::LLVMCall | LLVMOpcode::LLVMInvoke)
            .then(|| self.callee())
            .filter(|callee| callee.kind() == LLVMValueKind::LLVMFunctionValueKind)
    }

    /// Where an instruction, function or variable is in the source, if debug information tells.
    pub fn location(self) -> Location {
        unsafe {
            let located = self.is_instruction()
                || matches!(
                    self.kind(),
                    LLVMValueKind::LLVMFunctionValueKind | LLVMValueKind::LLVMGlobalVariableValueKind
                );
            if !located {
                return Location::default();
            }
            let mut length = 0;
            let data = LLVMGetDebugLocFilename(self.0, &raw mut length);
            if data.is_null() || length == 0 {
                return Location::default();
            }
            // Functions and variables have no column.
            let column = if self.is_instruction() { LLVMGetDebugLocColumn(self.0) } else { 1 };
            Location { file: text(data, length), line: LLVMGetDebugLocLine(self.0), column }
        }
    }
}

/// # Safety
/// `data` points at `length` bytes.
unsafe fn text(data: *const c_char, length: c_uint) -> String {
    // SAFETY: the caller's condition.
    String::from_utf8_lossy(unsafe { std::slice::from_raw_parts(data.cast(), length as usize) }).into_owned()
}

#[expect(clippy::undocumented_unsafe_blocks, reason = "one condition holds for all of them and is stated in `llvm`")]
impl Type {
    /// The types that a struct, array or vector is made of, each once if that is known to be enough.
    pub fn members(self) -> Vec<Type> {
        use LLVMTypeKind::*;
        match self.kind() {
            LLVMStructTypeKind => (0..unsafe { LLVMCountStructElementTypes(self.0) })
                .map(|index| Type(unsafe { LLVMStructGetTypeAtIndex(self.0, index) }))
                .collect(),
            LLVMArrayTypeKind | LLVMVectorTypeKind => vec![Type(unsafe { LLVMGetElementType(self.0) })],
            _ => Vec::new(),
        }
    }

    /// A constant struct or array that is laid out like this one; its parts may have other types of equal layout.
    pub fn constant_like(self, module: &Module, parts: &[Value]) -> Value {
        let mut raw: Vec<_> = parts.iter().map(|part| part.0).collect();
        unsafe {
            if self.kind() == LLVMTypeKind::LLVMStructTypeKind {
                let packed = LLVMIsPackedStruct(self.0);
                return Value(LLVMConstStructInContext(module.context, raw.as_mut_ptr(), raw.len() as c_uint, packed));
            }
            match parts.first() {
                Some(first) => Value(LLVMConstArray2(first.ty().0, raw.as_mut_ptr(), raw.len() as u64)),
                None => self.zero(),
            }
        }
    }

    /// Zero, null, or an aggregate of them.
    pub fn zero(self) -> Value {
        Value(unsafe { LLVMConstNull(self.0) })
    }

    /// Number of elements of an array.
    pub fn array_length(self) -> Option<u64> {
        (self.kind() == LLVMTypeKind::LLVMArrayTypeKind).then(|| unsafe { LLVMGetArrayLength2(self.0) })
    }

    /// For a function type: result and parameters.
    fn signature(self) -> Vec<Type> {
        unsafe {
            let mut raw = vec![std::ptr::null_mut(); LLVMCountParamTypes(self.0) as usize];
            LLVMGetParamTypes(self.0, raw.as_mut_ptr());
            std::iter::once(Type(LLVMGetReturnType(self.0))).chain(raw.into_iter().map(Type)).collect()
        }
    }

    /// True if values of both types are the same bytes: names of structs do not count.
    pub fn is_like(self, other: Type) -> bool {
        use LLVMTypeKind::*;
        if self == other {
            return true;
        }
        if self.kind() != other.kind() {
            return false;
        }
        let (mine, theirs) = match self.kind() {
            LLVMFunctionTypeKind => {
                if unsafe { LLVMIsFunctionVarArg(self.0) != LLVMIsFunctionVarArg(other.0) } {
                    return false;
                }
                (self.signature(), other.signature())
            }
            LLVMStructTypeKind => {
                if unsafe { LLVMIsPackedStruct(self.0) != LLVMIsPackedStruct(other.0) } {
                    return false;
                }
                (self.members(), other.members())
            }
            LLVMArrayTypeKind if self.array_length() == other.array_length() => (self.members(), other.members()),
            LLVMVectorTypeKind if self.lanes() == other.lanes() => (self.members(), other.members()),
            // Other types are the same if they are equal.
            _ => return false,
        };
        mine.len() == theirs.len() && mine.iter().zip(&theirs).all(|(a, b)| a.is_like(*b))
    }

    /// The type as LLVM writes it.
    pub fn spelling(self) -> String {
        unsafe { take_message(LLVMPrintTypeToString(self.0)) }
    }
}

#[expect(clippy::undocumented_unsafe_blocks, reason = "one condition holds for all of them and is stated in `llvm`")]
impl Module {
    /// Adds a variable in an address space.
    pub fn add_global(&self, name: &str, ty: Type, space: c_uint) -> Value {
        Value(unsafe { LLVMAddGlobalInAddressSpace(self.raw, ty.0, c_string(name).as_ptr(), space) })
    }

    /// Where member `index` of a struct begins, in bytes.
    pub fn offset_of(&self, ty: Type, index: u32) -> u64 {
        unsafe {
            llvm_sys::target::LLVMOffsetOfElement(llvm_sys::target::LLVMGetModuleDataLayout(self.raw), ty.0, index)
        }
    }
}
