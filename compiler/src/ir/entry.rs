// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#![forbid(unsafe_code)]
//! Entry points: the native interface of each kernel (`free-function-kernels` section 5.1).
//!
//! A kernel function stays an ordinary function, which device code may also call; an entry point with the raw name takes
//! the native arguments, brings them into the shape of the function's parameters and calls it. The optimiser inlines it.

use llvm_sys::{LLVMLinkage, LLVMTypeKind};
use syclrtc_protocol::{KernelInfo, Parameter, ParameterKind};

use super::{
    llvm::{GLOBAL, Module, PRIVATE, SPIR_KERNEL, Type, Value},
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
    let byval_types: Vec<Option<Type>> = info.parameters.iter().map(|p| by_value_type(module, p)).collect();
    let types: Vec<Type> =
        parameters.iter().zip(&info.parameters).map(|(value, info)| native_type(module, *value, info)).collect();
    let entry = module.add_function(&info.raw_name, module.void_function_type(&types));
    if entry.name() != info.raw_name {
        return Err(Problems::one(format!("'{}' is defined twice", info.raw_name)));
    }
    entry.set_calling_convention(SPIR_KERNEL);
    entry.add_attribute(module, None, "nounwind", 0);
    entry.add_attribute(module, None, "norecurse", 0);
    entry.add_attribute(module, None, "mustprogress", 0);
    entry.add_attribute(module, None, "convergent", 0);
    // -Os and -Oz hold for what becomes of the kernel's own code in here.
    for size in ["optsize", "minsize"].into_iter().filter(|size| function.has_attribute(size)) {
        entry.add_attribute(module, None, size, 0);
    }
    for (index, ty) in (0..).zip(&byval_types) {
        if let Some(ty) = ty {
            entry.add_byval(module, index, *ty);
            entry.add_attribute(module, Some(index), "align", info.parameters[index as usize].align);
        }
    }
    module.fill_block(entry, |builder| {
        let natives = entry.parameters();
        let arguments: Vec<Value> = natives
            .iter()
            .zip(&parameters)
            .zip(&info.parameters)
            .zip(&byval_types)
            .map(|(((native, wanted), info), byval)| {
                let value = match byval {
                    Some(ty) => {
                        // The driver's copy is shared between work-items; the kernel may write to its parameter.
                        let copy = builder.alloca(*ty, info.align);
                        builder.copy(copy, *native, info.align, info.size);
                        copy
                    }
                    None => *native,
                };
                adapt(builder, value, wanted.ty())
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

/// The native parameter for a parameter of the function.
fn native_type(module: &Module, value: Value, info: &Parameter) -> Type {
    match info.kind {
        ParameterKind::Pointer => module.pointer(GLOBAL),
        ParameterKind::Aggregate => module.pointer(PRIVATE),
        // A kernel parameter cannot be a boolean; the host passes one byte.
        _ if value.ty().integer_width() == Some(1) => value.ty().with_width(module, 8),
        _ => value.ty(),
    }
}

fn by_value_type(module: &Module, info: &Parameter) -> Option<Type> {
    (info.kind == ParameterKind::Aggregate).then(|| module.bytes(info.size))
}

/// Brings a native argument into the type of the function's parameter.
fn adapt(builder: &super::builder::Builder, value: Value, wanted: Type) -> Value {
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
