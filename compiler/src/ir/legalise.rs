// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#![forbid(unsafe_code)]
//! Rewrites what LLVM 22's SPIR-V code generator does not take, or gets wrong, in terms that it does.

use llvm_sys::{LLVMIntPredicate, LLVMOpcode, LLVMTypeKind};

use super::{
    builder::Builder,
    llvm::{Module, SPIR_FUNC, Type, Value},
};

/// Rewrites the whole module.
pub fn run(module: &Module) {
    drop_empty_constructor_list(module);
    for function in module.functions() {
        let is_access = |i: &Value| matches!(i.opcode(), LLVMOpcode::LLVMLoad | LLVMOpcode::LLVMStore);
        function.instructions().filter(is_access).for_each(Value::limit_alignment);
        // Rewriting one erases others, but none of these.
        let candidates: Vec<Value> = function.instructions().filter(|instruction| is_candidate(*instruction)).collect();
        for instruction in candidates {
            rewrite(module, instruction);
        }
    }
}

fn is_candidate(instruction: Value) -> bool {
    match instruction.opcode() {
        LLVMOpcode::LLVMBitCast => true,
        LLVMOpcode::LLVMLoad => has_odd_width(instruction.ty()),
        LLVMOpcode::LLVMStore => has_odd_width(instruction.operand(0).ty()),
        _ => instruction.intrinsic().is_some(),
    }
}

/// Integers of 24, 40, 48 or 56 bits, which the optimiser makes of copies of so many bytes.
fn has_odd_width(ty: Type) -> bool {
    ty.kind() == LLVMTypeKind::LLVMIntegerTypeKind
        && ty.integer_width().is_some_and(|width| width % 8 == 0 && width < 64 && !width.is_power_of_two())
}

/// The optimiser leaves the list behind when it has folded all of it; the code generator rejects it even then.
fn drop_empty_constructor_list(module: &Module) {
    if let Some(list) = module.global("llvm.global_ctors")
        && !list.is_declaration()
        && list.is_empty_array()
    {
        list.erase();
    }
}

fn rewrite(module: &Module, instruction: Value) {
    match instruction.opcode() {
        LLVMOpcode::LLVMBitCast => {
            if let Some(new) = boolean_vector_to_integer(module, instruction) {
                replace(instruction, new);
            }
            return;
        }
        LLVMOpcode::LLVMLoad => return replace(instruction, load_in_parts(module, instruction)),
        LLVMOpcode::LLVMStore => return store_in_parts(module, instruction),
        _ => {}
    }
    let Some(name) = instruction.intrinsic() else { return };
    let base = name.strip_prefix("llvm.").unwrap_or(&name);
    if matches!(base, "assume" | "prefetch" | "experimental.noalias.scope.decl") {
        instruction.erase();
        return;
    }
    if matches!(base, "trap" | "ubsantrap" | "debugtrap") {
        // The code generator makes it "unreachable", upon which a driver drops the check that led here.
        module.before(instruction, Builder::fault);
        return;
    }
    let new = module.before(instruction, |builder| match base {
        "sadd.with.overflow" | "uadd.with.overflow" | "ssub.with.overflow" | "usub.with.overflow"
        | "smul.with.overflow" | "umul.with.overflow" => Some(with_overflow(builder, base, instruction)),
        "ldexp" => {
            Some(library_call(builder, "ldexp", instruction.ty(), &[instruction.operand(0), instruction.operand(1)]))
        }
        "exp10" => Some(library_call(builder, "exp10", instruction.ty(), &[instruction.operand(0)])),
        // Denormals are kept and signalling NaNs do not exist, so a value is its own canonical form.
        "canonicalize" => Some(instruction.operand(0)),
        "maximumnum" => {
            Some(library_call(builder, "fmax", instruction.ty(), &[instruction.operand(0), instruction.operand(1)]))
        }
        "minimumnum" => {
            Some(library_call(builder, "fmin", instruction.ty(), &[instruction.operand(0), instruction.operand(1)]))
        }
        "lrint" | "llrint" => {
            let value = instruction.operand(0);
            let rounded = library_call(builder, "rint", value.ty(), &[value]);
            Some(builder.float_to_signed(rounded, instruction.ty()))
        }
        "bitreverse" => Some(reverse_bits(builder, instruction.operand(0))),
        _ => None,
    });
    if let Some(new) = new {
        replace(instruction, new);
    }
}

fn replace(old: Value, new: Value) {
    old.replace_uses(new);
    old.erase();
}

/// Cuts `bytes` bytes into accesses that exist: offset and width in bytes, the widest first.
fn parts(bytes: u32) -> impl Iterator<Item = (u32, u32)> {
    let mut offset = 0;
    std::iter::from_fn(move || {
        let left = bytes - offset;
        if left == 0 {
            return None;
        }
        let width = 1 << left.ilog2();
        offset += width;
        Some((offset - width, width))
    })
}

/// The type to work in, and the size in bytes, for a memory access of `ty`. The code generator would touch the bytes up to
/// the next power of two.
fn wide_type(module: &Module, ty: Type) -> (Type, u32) {
    let bits = ty.integer_width().unwrap_or(64);
    (module.int(bits.next_power_of_two()), bits / 8)
}

fn load_in_parts(module: &Module, load: Value) -> Value {
    let (wide, bytes) = wide_type(module, load.ty());
    module.before(load, |builder| {
        let mut value = wide.constant(0);
        for (offset, width) in parts(bytes) {
            let part = builder.load_part(load, module.int(width * 8), offset);
            let part = builder.zext(part, wide);
            value = builder.or(value, builder.shl(part, wide.constant(u64::from(offset * 8))));
        }
        builder.truncate(value, load.ty())
    })
}

fn store_in_parts(module: &Module, store: Value) {
    let (wide, bytes) = wide_type(module, store.operand(0).ty());
    module.before(store, |builder| {
        let value = builder.zext(store.operand(0), wide);
        for (offset, width) in parts(bytes) {
            let part = builder.lshr(value, wide.constant(u64::from(offset * 8)));
            builder.store_part(store, builder.truncate(part, module.int(width * 8)), offset);
        }
    });
    store.erase();
}

/// Overflow as two's complement says it. `smul` of the code generator is wrong for negative products, the others do not exist
/// or need instructions that drivers lack.
fn with_overflow(builder: &Builder, name: &str, instruction: Value) -> Value {
    let (a, b) = (instruction.operand(0), instruction.operand(1));
    let (ty, zero) = (a.ty(), a.ty().constant(0));
    let less_unsigned = |x, y| builder.compare(LLVMIntPredicate::LLVMIntULT, x, y);
    let negative = |x| builder.compare(LLVMIntPredicate::LLVMIntSLT, x, zero);
    let (result, overflow) = match name {
        "uadd.with.overflow" => {
            let sum = builder.add(a, b);
            (sum, less_unsigned(sum, a))
        }
        "usub.with.overflow" => (builder.sub(a, b), less_unsigned(a, b)),
        "sadd.with.overflow" => {
            let sum = builder.add(a, b);
            (sum, negative(builder.and(builder.xor(sum, a), builder.xor(sum, b))))
        }
        "ssub.with.overflow" => {
            let difference = builder.sub(a, b);
            (difference, negative(builder.and(builder.xor(a, b), builder.xor(a, difference))))
        }
        _ => (builder.mul(a, b), multiply_overflows(builder, a, b, ty, name.starts_with('s'))),
    };
    let pair = builder.insert_value(instruction.ty().poison(), result, 0);
    builder.insert_value(pair, overflow, 1)
}

fn multiply_overflows(builder: &Builder, a: Value, b: Value, ty: Type, signed: bool) -> Value {
    let width = ty.integer_width().unwrap_or(64);
    let high_is = if width <= 32 {
        let wide = ty.with_width(&builder.module, (width * 2).max(16));
        let extend = |x| if signed { builder.sext(x, wide) } else { builder.zext(x, wide) };
        let product = builder.mul(extend(a), extend(b));
        let narrow = builder.truncate(product, ty);
        return builder.compare(LLVMIntPredicate::LLVMIntNE, product, extend(narrow));
    } else {
        library_call(builder, if signed { "s_mul_hi" } else { "u_mul_hi" }, ty, &[a, b])
    };
    let high_wants =
        if signed { builder.ashr(builder.mul(a, b), ty.constant(u64::from(width - 1))) } else { ty.constant(0) };
    builder.compare(LLVMIntPredicate::LLVMIntNE, high_is, high_wants)
}

/// `bitcast <N x i1> to iN`, which the optimiser makes of "any of" and "all of".
fn boolean_vector_to_integer(module: &Module, instruction: Value) -> Option<Value> {
    let vector = instruction.operand(0);
    let lanes = vector.ty().lanes().filter(|_| vector.ty().integer_width() == Some(1))?;
    let ty = instruction.ty();
    if ty.kind() != LLVMTypeKind::LLVMIntegerTypeKind || lanes > 64 {
        return None;
    }
    // An integer of one of the widths that exist on a device.
    let wide = module.int(lanes.next_power_of_two().max(8));
    Some(module.before(instruction, |builder| {
        let mut bits = wide.constant(0);
        for lane in 0..lanes {
            let bit = builder.zext(builder.extract_element(vector, lane), wide);
            bits = builder.or(bits, builder.shl(bit, wide.constant(u64::from(lane))));
        }
        // Comparisons of the odd width become comparisons of the wide one.
        for user in instruction.users() {
            widen_comparison(module, user, instruction, bits);
        }
        builder.truncate(bits, ty)
    }))
}

/// `icmp eq/ne iN old, constant` on the wide value, if that is what `user` is.
fn widen_comparison(module: &Module, user: Value, old: Value, wide: Value) {
    if user.opcode() != LLVMOpcode::LLVMICmp || user.operand(0) != old {
        return;
    }
    let (Some(predicate), Some(constant)) = (user.equality_predicate(), user.operand(1).constant_integer()) else {
        return;
    };
    let width = old.ty().integer_width().unwrap_or(64);
    let mask = if width >= 64 { u64::MAX } else { (1 << width) - 1 };
    let new =
        module.before(user, |builder| builder.compare(predicate, wide, wide.ty().constant(constant as u64 & mask)));
    replace(user, new);
}

/// Swaps halves, quarters, ... single bits.
fn reverse_bits(builder: &Builder, value: Value) -> Value {
    let ty = value.ty();
    let width = ty.integer_width().unwrap_or(64);
    let mut result = value;
    let mut step = width / 2;
    while step != 0 {
        // The bits whose index has the `step` bit clear.
        let mask = (0..width).filter(|bit| (bit / step).is_multiple_of(2)).fold(0_u64, |mask, bit| mask | 1 << bit);
        let (mask, amount) = (ty.constant(mask), ty.constant(u64::from(step)));
        let down = builder.and(builder.lshr(result, amount), mask);
        let up = builder.shl(builder.and(result, mask), amount);
        result = builder.or(down, up);
        step /= 2;
    }
    result
}

/// Calls the OpenCL extended instruction `name`, which the code generator knows by the mangled name of an overload.
fn library_call(builder: &Builder, name: &str, result: Type, arguments: &[Value]) -> Value {
    let types: Vec<Type> = arguments.iter().map(|argument| argument.ty()).collect();
    let base = format!("__spirv_ocl_{name}");
    let mut mangled = format!("_Z{}{base}", base.len());
    let mut vectors: Vec<Type> = Vec::new();
    for ty in &types {
        mangle(*ty, &mut mangled, &mut vectors);
    }
    let function = builder.module.get_or_add_function(&mangled, builder.module.function_type(result, &types));
    function.set_calling_convention(SPIR_FUNC);
    function.add_attribute(&builder.module, None, "nounwind", 0);
    function.add_attribute(&builder.module, None, "willreturn", 0);
    builder.call(function, arguments)
}

/// Itanium encoding of a scalar or vector type; a vector that came before is a substitution.
fn mangle(ty: Type, out: &mut String, vectors: &mut Vec<Type>) {
    let scalar = match ty.scalar().kind() {
        LLVMTypeKind::LLVMHalfTypeKind => "Dh",
        LLVMTypeKind::LLVMFloatTypeKind => "f",
        LLVMTypeKind::LLVMDoubleTypeKind => "d",
        _ => match ty.integer_width() {
            Some(8) => "c",
            Some(16) => "s",
            Some(64) => "l",
            _ => "i",
        },
    };
    let Some(lanes) = ty.lanes() else {
        out.push_str(scalar);
        return;
    };
    match vectors.iter().position(|known| *known == ty) {
        Some(0) => out.push_str("S_"),
        Some(index) => out.push_str(&format!("S{}_", index - 1)),
        None => {
            out.push_str(&format!("Dv{lanes}_{scalar}"));
            vectors.push(ty);
        }
    }
}
