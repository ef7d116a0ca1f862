// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#![forbid(unsafe_code)]
//! Objects to one module with one table.

use std::collections::{HashMap, HashSet};

use syclrtc_protocol::{LinkObject, Location, SymbolKind, Table};

use super::{
    bitcode::{self, Errors},
    emit, graph,
    llvm::{Module, Value},
    problems::{Problems, describe_symbol},
    ranges,
};

/// An object that was read.
struct Object {
    label: String,
    module: Module,
    table: Table,
}

/// Reads, compares and joins the objects.
///
/// # Errors
/// What is wrong with one of them, or does not fit between two.
pub fn run(objects: Vec<LinkObject>) -> Result<(Module, Table, Errors), Problems> {
    let context = bitcode::new_context();
    let errors = Errors::collect(context);
    let mut problems = Problems::default();
    let mut read = Vec::new();
    for LinkObject { label, bitcode, table } in objects {
        let module = bitcode::read_object(context, &errors, &bitcode);
        match module.and_then(|module| match_table(&module, &table).map(|()| module)) {
            Ok(module) => read.push(Object { label, module, table }),
            Err(why) => problems.add(Location::default(), format!("{label}: {why}")),
        }
    }
    problems.into_result()?;
    compare(&read)?;
    let mut objects = read.into_iter();
    let Some(Object { module, mut table, .. }) = objects.next() else {
        return Err(Problems::internal("nothing to link"));
    };
    for (index, mut object) in objects.enumerate() {
        rename_own_globals(&mut object, &module, index + 1);
        module.absorb(object.module, &errors)?;
        merge(&mut table, object.table);
    }
    table.exports.clear();
    table.imports.clear();
    table.declared_kernels.clear();
    Ok((module, table, errors))
}

/// Checks that an object is for this compiler's target and holds what its table says.
fn match_table(module: &Module, table: &Table) -> Result<(), String> {
    let (triple, layout) = module.layout();
    let expected = emit::object_layout()?;
    if triple != emit::OBJECT_TRIPLE {
        return Err(format!("is for target '{triple}', not '{}'", emit::OBJECT_TRIPLE));
    }
    if layout != expected {
        return Err(format!("has data layout '{layout}', not '{expected}'"));
    }
    for kernel in &table.kernels {
        let entry = module.function(&kernel.raw_name).filter(|entry| !entry.is_declaration() && !entry.is_local());
        if entry.is_none_or(|entry| entry.parameters().len() != kernel.native_arguments()) {
            return Err(format!("does not define kernel {}", describe_symbol(&kernel.raw_name)));
        }
    }
    for global in &table.device_globals {
        if module.global(&global.symbol).is_none_or(|global| global.is_declaration()) {
            return Err(format!("does not define device global {}", describe_symbol(&global.symbol)));
        }
    }
    Ok(())
}

/// Finds what two objects say differently of one symbol.
fn compare(objects: &[Object]) -> Result<(), Problems> {
    let mut problems = Problems::default();
    compare_types(objects, &mut problems);
    compare_kernels(objects, &mut problems);
    problems.into_result()?;
    let mut problems = Problems::default();
    compare_ranges(objects, &mut problems);
    problems.into_result()
}

fn symbols(module: &Module) -> impl Iterator<Item = Value> + use<> {
    module
        .functions()
        .filter(|function| function.intrinsic_name().is_none())
        .chain(module.globals())
        .filter(|symbol| !symbol.is_local() && !symbol.name().starts_with("llvm."))
}

fn compare_types(objects: &[Object], problems: &mut Problems) {
    let mut first: HashMap<String, (Value, &str)> = HashMap::new();
    for object in objects {
        for symbol in symbols(&object.module) {
            let name = symbol.name();
            let Some((other, label)) = first.get(&name) else {
                first.insert(name, (symbol, &object.label));
                continue;
            };
            if symbol.kind() != other.kind() || !symbol.value_type().is_like(other.value_type()) {
                let text = format!(
                    "conflicting types of {}: '{}' in {label} and '{}' in {}",
                    describe_symbol(&name),
                    other.value_type().spelling(),
                    symbol.value_type().spelling(),
                    object.label
                );
                problems.add(Location::default(), text);
            }
        }
    }
}

fn compare_kernels(objects: &[Object], problems: &mut Problems) {
    let mut defined = HashMap::new();
    for object in objects {
        for kernel in &object.table.kernels {
            if let Some((_, label)) = defined.insert(kernel.raw_name.as_str(), (kernel, &object.label)) {
                let text =
                    format!("Conflicting kernel definitions:  {} in {label} and {}", kernel.raw_name, object.label);
                problems.add(Location::default(), text);
            }
        }
    }
    for object in objects {
        for declared in &object.table.declared_kernels {
            let Some((kernel, label)) = defined.get(declared.raw_name.as_str()) else { continue };
            let what = if declared.kind != kernel.kind {
                format!("{:?} and {:?}", declared.kind, kernel.kind)
            } else if declared.properties != kernel.properties {
                "its properties differ".to_owned()
            } else {
                continue;
            };
            let text = format!(
                "kernel {} is declared in {} otherwise than it is defined in {label}: {what}",
                describe_symbol(&declared.raw_name),
                object.label
            );
            problems.add(Location::default(), text);
        }
    }
}

fn compare_ranges(objects: &[Object], problems: &mut Problems) {
    if !objects.iter().any(|object| ranges::are_declared(&object.module, &object.table.kernels)) {
        return;
    }
    let mut definitions: HashMap<String, (Value, &str)> = HashMap::new();
    for object in objects {
        for function in object.module.functions().filter(|function| graph::is_external(*function)) {
            if !function.is_declaration() {
                definitions.entry(function.name()).or_insert((function, &object.label));
            }
        }
    }
    for object in objects {
        let used = object
            .module
            .functions()
            .filter(|function| function.is_declaration() && function.is_used() && graph::is_external(*function));
        for declaration in used {
            let Some((definition, label)) = definitions.get(&declaration.name()) else { continue };
            let (declared, defined) = (graph::declared_limit(declaration), graph::declared_limit(*definition));
            // No limit and that of size_t are the same, unless the definition leaves a promise out.
            if declared == defined || (declared.is_none() && defined == Some(u64::MAX)) {
                continue;
            }
            let text = format!(
                "{} is declared with {} in {} and defined with {} in {label}",
                describe_symbol(&declaration.name()),
                ranges::spell(declared),
                object.label,
                ranges::spell(defined)
            );
            problems.add(Location::default(), text);
        }
    }
    let resolve = |declaration: Value| definitions.get(&declaration.name()).map(|(definition, _)| *definition);
    for object in objects {
        let mut found = Problems::default();
        ranges::check(&object.module, &object.table.kernels, &resolve, &mut found);
        problems.extend(found, |text| format!("{text} (in {})", object.label));
    }
}

/// Gives device globals of the object that are its own names that the module does not have yet.
fn rename_own_globals(object: &mut Object, into: &Module, index: usize) {
    let Object { module, table, .. } = object;
    let exported: HashSet<&str> = table
        .exports
        .iter()
        .filter(|export| export.kind == SymbolKind::Variable)
        .map(|export| export.symbol.as_str())
        .collect();
    for row in table.device_globals.iter_mut().filter(|row| !exported.contains(row.symbol.as_str())) {
        let Some(variable) = module.global(&row.symbol) else { continue };
        if into.global(&row.symbol).is_none() {
            continue;
        }
        variable.set_name(&format!("{}.{index}", row.symbol));
        for (_, symbol) in table.registered_names.iter_mut().filter(|(_, symbol)| *symbol == row.symbol) {
            *symbol = variable.name();
        }
        row.symbol = variable.name();
    }
}

fn merge(table: &mut Table, other: Table) {
    table.kernels.extend(other.kernels);
    for (name, symbol) in other.registered_names {
        if table.registered_names.iter().all(|(known, _)| *known != name) {
            table.registered_names.push((name, symbol));
        }
    }
    for row in other.device_globals {
        if table.device_globals.iter().all(|known| known.symbol != row.symbol) {
            table.device_globals.push(row);
        }
    }
    table.optimization_level = table.optimization_level.max(other.optimization_level);
    if table.driver_options.is_empty() {
        table.driver_options = other.driver_options;
    } else if !other.driver_options.is_empty() && table.driver_options != other.driver_options {
        table.driver_options = format!("{} {}", table.driver_options, other.driver_options);
    }
}
