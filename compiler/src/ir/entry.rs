// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#![forbid(unsafe_code)]
//! Entry points: the native interface of each kernel (`free-function-kernels` section 5.1).
//!
//! A kernel function stays an ordinary function, which device code may also call; an entry point with the raw name takes
//! the native arguments, brings them into the shape of the function's parameters and calls it. The optimiser inlines it.

use llvm_sys::{LLVMLinkage, LLVMTypeKind};
use syclrtc_protocol::{KernelInfo, LocalObject, Parameter, ParameterKind};

use super::{
    builder::Builder,
    llvm::{GLOBAL, LOCAL, Module, PRIVATE, SPIR_KERNEL, Type, Value},
    problems::Problems,
};

/// Makes a private copy of each `byval` parameter at the start of its function and drops the attribute.
///
/// A `byval` argument of an ordinary function arrives wrong on Intel's CPU driver when it vectorises; and a caller may pass
/// the address of its own object, since the attribute promises that the callee works on a copy.
pub fn copy_by_value_arguments(module: &Module) {
    let byval = Module::attribute_kind("byval");
    for function in module.functions() {
        for (index, parameter) in (0..).zip(function.parameters()) {
            let Some(ty) = function.type_attribute(index, byval) else { continue };
            function.remove_attribute(Some(index), "byval");
            for call in function.users().into_iter().filter(|user| user.is_call_of(function)) {
                call.remove_attribute(Some(index), "byval");
            }
            let Some(first) = function.blocks().next().and_then(|block| block.instructions().next()) else { continue };
            let align = module.alignment_of_parameter(function, index);
            module.before(first, |builder| {
                let copy = builder.alloca(ty, align);
                parameter.replace_uses(copy);
                builder.copy(copy, parameter, align, module.size_of(ty));
            });
        }
    }
}

/// Adds the entry point of one kernel.
///
/// # Errors
/// A message, if the function in the module does not have the parameters of the kernel table: a bug of ours.
pub fn make(module: &Module, function_name: &str, info: &KernelInfo) -> Result<(), Problems> {
    let bug = |what: &str| Problems::internal(format!("{what} of kernel '{}'", info.raw_name));
    let function = module.function(function_name).ok_or_else(|| bug("no function"))?;
    if function.is_declaration() {
        return Err(bug("no body"));
    }
    let parameters = function.parameters();
    if parameters.len() != info.parameters.len() {
        return Err(bug("wrong number of parameters"));
    }
    let natives: Vec<Native> =
        parameters.iter().zip(&info.parameters).flat_map(|(value, info)| natives_of(module, *value, info)).collect();
    let types: Vec<Type> = natives.iter().map(|native| native.ty).collect();
    let entry = module.add_function(&info.raw_name, module.void_function_type(&types));
    if entry.name() != info.raw_name {
        return Err(Problems::one(format!("'{}' is defined twice", info.raw_name)));
    }
    // -Os and -Oz hold for what becomes of the kernel's own code in here.
    let sizes = ["optsize", "minsize"].into_iter().filter(|size| function.has_attribute(size)).collect::<Vec<_>>();
    set_up(module, entry, &sizes);
    for (index, native) in (0..).zip(&natives) {
        if let Some(align) = native.by_value {
            entry.add_byval(module, index, module.bytes(native.size));
            entry.add_attribute(module, Some(index), "align", align);
        }
    }
    module.fill_block(entry, |builder| {
        let mut natives = entry.parameters().into_iter();
        let arguments: Vec<Value> = parameters
            .iter()
            .zip(&info.parameters)
            .map(|(wanted, info)| {
                let natives: Vec<Value> = natives.by_ref().take(info.native_arguments()).collect();
                adapt(builder, argument(builder, info, &natives), wanted.ty())
            })
            .collect();
        builder.call(function, &arguments);
        builder.return_void();
    });
    // Sub-group queries in a function that is not inlined give 0 on Intel's CPU driver.
    function.remove_attribute(None, "noinline");
    function.remove_attribute(None, "optnone");
    function.add_attribute(module, None, "alwaysinline", 0);
    attach_properties(module, entry, info);
    Ok(())
}

/// What every entry point is.
fn set_up(module: &Module, entry: Value, also: &[&str]) {
    entry.set_calling_convention(SPIR_KERNEL);
    for attribute in ["nounwind", "norecurse", "mustprogress", "convergent"].iter().chain(also) {
        entry.add_attribute(module, None, attribute, 0);
    }
}

/// One parameter of the entry point.
struct Native {
    ty: Type,
    /// For an object by value: its alignment, and its size.
    by_value: Option<u64>,
    size: u64,
}

/// The native parameters for a parameter of the function.
fn natives_of(module: &Module, value: Value, info: &Parameter) -> Vec<Native> {
    let plain = |ty| Native { ty, by_value: None, size: 0 };
    let object = |size, align| Native { ty: module.pointer(PRIVATE), by_value: Some(align), size };
    match info.kind {
        ParameterKind::Pointer => vec![plain(module.pointer(GLOBAL))],
        ParameterKind::Local => vec![plain(module.pointer(LOCAL))],
        ParameterKind::LocalAccessor => {
            vec![plain(module.pointer(LOCAL)), object(info.size - LocalObject::POINTER, LocalObject::POINTER)]
        }
        ParameterKind::Aggregate => {
            let pointers = info.local.iter().map(|_| plain(module.pointer(LOCAL)));
            pointers.chain([object(info.size, info.align)]).collect()
        }
        // A kernel parameter cannot be a boolean; the host passes one byte.
        _ if value.ty().integer_width() == Some(1) => vec![plain(value.ty().with_width(module, 8))],
        _ => vec![plain(value.ty())],
    }
}

/// The argument of the function, made of its native arguments. The driver's copy of an object is shared between work-items,
/// and the kernel may write to its parameter; so it gets one of its own.
fn argument(builder: &Builder, info: &Parameter, natives: &[Value]) -> Value {
    let (pointers, object) = match (info.kind, natives) {
        (ParameterKind::Local, [pointer]) => (std::slice::from_ref(pointer), None),
        (ParameterKind::LocalAccessor, [pointer, range]) => {
            (std::slice::from_ref(pointer), Some((*range, LocalObject::POINTER)))
        }
        (ParameterKind::Aggregate, [pointers @ .., object]) => (pointers, Some((*object, 0))),
        _ => return natives[0],
    };
    let copy = builder.alloca(builder.module.bytes(info.size), info.align);
    if let Some((object, offset)) = object {
        let align = info.align.min(if offset == 0 { u64::MAX } else { offset });
        builder.copy(builder.offset(copy, offset), object, align, info.size - offset);
    }
    for (pointer, object) in pointers.iter().zip(&info.local) {
        builder.store_aligned(*pointer, builder.offset(copy, object.offset), LocalObject::POINTER);
    }
    copy
}

/// Brings a native argument into the type of the function's parameter.
fn adapt(builder: &Builder, value: Value, wanted: Type) -> Value {
    if value.ty() == wanted {
        value
    } else if wanted.kind() == LLVMTypeKind::LLVMPointerTypeKind {
        builder.address_space_cast(value, wanted)
    } else {
        builder.truncate(value, wanted)
    }
}

/// Properties reach the code generator as metadata. OpenCL's dimensions run the other way round.
fn attach_properties(module: &Module, entry: Value, info: &KernelInfo) {
    if let Some(sizes) = &info.properties.work_group_size {
        let mut sizes: Vec<u64> = sizes.iter().rev().copied().collect();
        sizes.resize(3, 1);
        module.set_integer_metadata(entry, "reqd_work_group_size", &sizes);
    }
    if let Some(size) = info.properties.sub_group_size {
        module.set_integer_metadata(entry, "intel_reqd_sub_group_size", &[u64::from(size)]);
    }
}

/// Drops clang's tables of annotations, which would keep all that they mention.
pub fn drop_annotations(module: &Module) {
    for name in ["llvm.global.annotations", "llvm.used", "llvm.compiler.used"] {
        if let Some(table) = module.global(name) {
            table.erase();
        }
    }
}

/// Makes every function local that is neither an entry point nor to be kept.
pub fn hide_functions(module: &Module, keep: &dyn Fn(Value) -> bool) {
    for function in module.functions().filter(|function| !function.is_declaration()) {
        if function.calling_convention() != SPIR_KERNEL {
            show(function, keep(function));
        }
    }
}

/// Makes every variable local that is not to be kept.
pub fn hide_variables(module: &Module, keep: &dyn Fn(Value) -> bool) {
    for global in module.globals().filter(|global| !global.is_declaration() && !global.name().starts_with("llvm.")) {
        show(global, keep(global));
    }
}

fn show(symbol: Value, keep: bool) {
    // A group would make the linker drop what is local because of its neighbours.
    symbol.leave_group();
    symbol.set_linkage(match (keep, symbol.is_foldable()) {
        (false, _) => LLVMLinkage::LLVMInternalLinkage,
        (true, false) => LLVMLinkage::LLVMExternalLinkage,
        // Kept where nothing in the same object uses it.
        (true, true) => LLVMLinkage::LLVMWeakODRLinkage,
    });
}

/// Makes everything local that is not an entry point, so that what no kernel reaches goes away.
pub fn hide_all_but_kernels(module: &Module) {
    hide_functions(module, &|_| false);
    hide_variables(module, &|_| false);
    // Without it the code generator forbids contraction in every kernel.
    module.touch_named_metadata("opencl.enable.FP_CONTRACT");
}
