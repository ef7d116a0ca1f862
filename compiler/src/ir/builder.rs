// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Making instructions. What is said in `llvm` of handles holds here too.

use std::ffi::c_uint;

use llvm_sys::{
    LLVMOpcode, LLVMValueKind,
    core::*,
    prelude::{LLVMBuilderRef, LLVMValueRef},
};

use super::llvm::{GLOBAL, Module, Type, Value};

/// Inserts instructions at one place. Never disposed: see the module documentation.
pub struct Builder {
    /// LLVM's handle.
    pub raw: LLVMBuilderRef,
    /// The module it inserts into.
    pub module: Module,
}

/// Builder calls of the form `LLVMBuildX(builder, a, b, name)`.
macro_rules! binary {
    ($($(#[$doc:meta])* $name:ident = $raw:ident;)*) => { $(
        $(#[$doc])*
        pub fn $name(&self, a: Value, b: Value) -> Value {
            Value(unsafe { $raw(self.raw, a.0, b.0, c"".as_ptr()) })
        }
    )* };
}

/// Builder calls of the form `LLVMBuildX(builder, value, type, name)`.
macro_rules! cast {
    ($($(#[$doc:meta])* $name:ident = $raw:ident;)*) => { $(
        $(#[$doc])*
        pub fn $name(&self, value: Value, ty: Type) -> Value {
            Value(unsafe { $raw(self.raw, value.0, ty.0, c"".as_ptr()) })
        }
    )* };
}

#[expect(clippy::undocumented_unsafe_blocks, reason = "one condition holds for all of them and is stated above")]
impl Builder {
    binary! {
        /// `add`
        add = LLVMBuildAdd;
        /// `sub`
        sub = LLVMBuildSub;
        /// `mul`
        mul = LLVMBuildMul;
        /// `and`
        and = LLVMBuildAnd;
        /// `or`
        or = LLVMBuildOr;
        /// `xor`
        xor = LLVMBuildXor;
        /// `shl`
        shl = LLVMBuildShl;
        /// `lshr`
        lshr = LLVMBuildLShr;
        /// `ashr`
        ashr = LLVMBuildAShr;
    }
    cast! {
        /// `zext`
        zext = LLVMBuildZExt;
        /// `sext`
        sext = LLVMBuildSExt;
        /// `fptosi`
        float_to_signed = LLVMBuildFPToSI;
        /// `addrspacecast`
        address_space_cast = LLVMBuildAddrSpaceCast;
    }

    /// `trunc` to the same or a smaller width.
    pub fn truncate(&self, value: Value, ty: Type) -> Value {
        if value.ty() == ty { value } else { Value(unsafe { LLVMBuildTrunc(self.raw, value.0, ty.0, c"".as_ptr()) }) }
    }

    /// `icmp`
    pub fn compare(&self, predicate: llvm_sys::LLVMIntPredicate, a: Value, b: Value) -> Value {
        Value(unsafe { LLVMBuildICmp(self.raw, predicate, a.0, b.0, c"".as_ptr()) })
    }

    /// `extractelement` at a constant index.
    pub fn extract_element(&self, vector: Value, index: u32) -> Value {
        let index = self.module.int(32).constant(u64::from(index));
        Value(unsafe { LLVMBuildExtractElement(self.raw, vector.0, index.0, c"".as_ptr()) })
    }

    /// `insertvalue`
    pub fn insert_value(&self, aggregate: Value, element: Value, index: u32) -> Value {
        Value(unsafe { LLVMBuildInsertValue(self.raw, aggregate.0, element.0, index, c"".as_ptr()) })
    }

    /// `alloca`
    pub fn alloca(&self, ty: Type, align: u64) -> Value {
        unsafe {
            let value = LLVMBuildAlloca(self.raw, ty.0, c"".as_ptr());
            LLVMSetAlignment(value, align as c_uint);
            Value(value)
        }
    }

    /// `llvm.memcpy`
    pub fn copy(&self, to: Value, from: Value, align: u64, bytes: u64) {
        let size = self.module.int(64).constant(bytes);
        unsafe { LLVMBuildMemCpy(self.raw, to.0, align as c_uint, from.0, align as c_uint, size.0) };
    }

    /// `call` in the callee's convention.
    pub fn call(&self, function: Value, arguments: &[Value]) -> Value {
        let mut raw: Vec<_> = arguments.iter().map(|argument| argument.0).collect();
        let call = unsafe {
            LLVMBuildCall2(
                self.raw,
                function.value_type().0,
                function.0,
                raw.as_mut_ptr(),
                raw.len() as c_uint,
                c"".as_ptr(),
            )
        };
        let call = Value(call);
        call.set_calling_convention(function.calling_convention());
        call
    }

    /// `offset` bytes behind `pointer`.
    fn behind(&self, pointer: Value, offset: u64) -> LLVMValueRef {
        let mut offset = self.module.int(64).constant(offset).0;
        unsafe { LLVMBuildInBoundsGEP2(self.raw, self.module.int(8).0, pointer.0, &raw mut offset, 1, c"".as_ptr()) }
    }

    /// Makes `access` like `original`, of which it is a part.
    fn like(&self, access: LLVMValueRef, original: Value, offset: u32) {
        unsafe {
            let align = LLVMGetAlignment(original.0);
            // The part is as aligned as its offset lets it be.
            let align = if offset == 0 { align } else { align.min(1 << offset.trailing_zeros()) };
            LLVMSetAlignment(access, align);
            LLVMSetVolatile(access, LLVMGetVolatile(original.0));
        }
    }

    /// Loads a `ty` from `offset` bytes behind what `load` reads.
    pub fn load_part(&self, load: Value, ty: Type, offset: u32) -> Value {
        let pointer = self.behind(load.operand(0), offset.into());
        let part = unsafe { LLVMBuildLoad2(self.raw, ty.0, pointer, c"".as_ptr()) };
        self.like(part, load, offset);
        Value(part)
    }

    /// Stores `value` at `offset` bytes behind where `store` writes.
    pub fn store_part(&self, store: Value, value: Value, offset: u32) {
        let pointer = self.behind(store.operand(1), offset.into());
        let part = unsafe { LLVMBuildStore(self.raw, value.0, pointer) };
        self.like(part, store, offset);
    }

    /// `bytes` bytes behind `pointer`.
    pub fn offset(&self, pointer: Value, bytes: u64) -> Value {
        if bytes == 0 { pointer } else { Value(self.behind(pointer, bytes)) }
    }

    /// Loads a pointer that is the same whenever it is loaded.
    pub fn load_constant(&self, from: Value, ty: Type) -> Value {
        const KIND: &str = "invariant.load";
        unsafe {
            let load = LLVMBuildLoad2(self.raw, ty.0, from.0, c"".as_ptr());
            let kind = LLVMGetMDKindIDInContext(self.module.context, KIND.as_ptr().cast(), KIND.len() as c_uint);
            let node = LLVMMDNodeInContext2(self.module.context, std::ptr::null_mut(), 0);
            LLVMSetMetadata(load, kind, LLVMMetadataAsValue(self.module.context, node));
            Value(load)
        }
    }

    /// `store`
    pub fn store(&self, value: Value, to: Value) {
        unsafe { LLVMBuildStore(self.raw, value.0, to.0) };
    }

    /// `store` to an address of known alignment.
    pub fn store_aligned(&self, value: Value, to: Value, align: u64) {
        unsafe { LLVMSetAlignment(LLVMBuildStore(self.raw, value.0, to.0), align as c_uint) };
    }

    /// `llvm.memset` to 0
    pub fn fill_zero(&self, to: Value, align: u64, bytes: u64) {
        let (zero, size) = (self.module.int(8).constant(0), self.module.int(64).constant(bytes));
        unsafe { LLVMBuildMemSet(self.raw, to.0, zero.0, size.0, align as c_uint) };
    }

    /// The instruction, or the instructions, for a constant expression or aggregate whose operands were computed.
    pub fn constant_expression(&self, constant: Value, operands: &[Value]) -> Value {
        if constant.kind() != LLVMValueKind::LLVMConstantExprValueKind {
            return self.aggregate(constant, operands);
        }
        let mut raw: Vec<_> = operands.iter().map(|operand| operand.0).collect();
        unsafe {
            let opcode = LLVMGetConstOpcode(constant.0);
            Value(match raw.as_mut_slice() {
                [pointer, indices @ ..] if opcode == LLVMOpcode::LLVMGetElementPtr => LLVMBuildGEPWithNoWrapFlags(
                    self.raw,
                    LLVMGetGEPSourceElementType(constant.0),
                    *pointer,
                    indices.as_mut_ptr(),
                    indices.len() as c_uint,
                    c"".as_ptr(),
                    LLVMGEPGetNoWrapFlags(constant.0),
                ),
                [value] => LLVMBuildCast(self.raw, opcode, *value, constant.ty().0, c"".as_ptr()),
                [a, b] => LLVMBuildBinOp(self.raw, opcode, *a, *b, c"".as_ptr()),
                // No constant expression on an address has another shape.
                _ => constant.0,
            })
        }
    }

    fn aggregate(&self, constant: Value, operands: &[Value]) -> Value {
        let mut result = constant.ty().poison();
        for (index, operand) in (0..).zip(operands) {
            result = if constant.ty().lanes().is_some() {
                let index = self.module.int(32).constant(u64::from(index));
                Value(unsafe { LLVMBuildInsertElement(self.raw, result.0, operand.0, index.0, c"".as_ptr()) })
            } else {
                self.insert_value(result, *operand, index)
            };
        }
        result
    }

    /// A volatile store to the null address.
    pub fn fault(&self) {
        unsafe {
            let null = LLVMConstPointerNull(self.module.pointer(GLOBAL).0);
            let store = LLVMBuildStore(self.raw, self.module.int(32).constant(0).0, null);
            LLVMSetVolatile(store, 1);
        }
    }

    /// `load`
    pub fn load(&self, from: Value, ty: Type) -> Value {
        Value(unsafe { LLVMBuildLoad2(self.raw, ty.0, from.0, c"".as_ptr()) })
    }

    /// `ret`
    pub fn return_value(&self, value: Value) {
        unsafe { LLVMBuildRet(self.raw, value.0) };
    }

    /// `ret void`
    pub fn return_void(&self) {
        unsafe { LLVMBuildRetVoid(self.raw) };
    }
}
