// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! From clang's IR to objects and device images.
//!
//! A compile begins with [`entry`], which turns each kernel function into an entry point with the native interface. The
//! result, as bitcode, is an object; [`mod@link`] reads objects and joins them. From there, one road leads to an image:
//!
//! 1. [`aspects`] leaves out the kernels that the device cannot run.
//! 2. [`ranges`] lets the optimiser know what `range_type` promises, [`globals`] gives device globals their places,
//!    [`scratch`] gives kernels the argument for scratch memory.
//! 3. [`device_calls`] answers what the headers ask of the compiler, and LLVM's pipeline runs.
//! 4. [`legalise`] rewrites what the SPIR-V code generator cannot take; it comes after the pipeline because the pipeline
//!    itself makes such code.
//! 5. [`check`] finds what a device cannot do.
//! 6. [`emit`] generates the image.
//!
//! A compile to an object takes that road, too, up to the check, so that errors are found where they are made.
//!
//! All of it works on one context in a process that ends right after, so nothing here is freed.

mod aspects;
mod bitcode;
mod builder;
mod check;
mod device_calls;
mod emit;
mod entry;
mod globals;
mod graph;
mod inspect;
mod legalise;
mod link;
mod llvm;
mod problems;
mod ranges;
mod scratch;

use std::collections::HashMap;

use syclrtc_protocol::{Export, Import, LinkObject, SymbolKind, Table, Target, TargetFormat};

use self::{
    bitcode::Errors,
    llvm::{Module, Value},
};
use crate::frontend::{Compiled, SourceGlobal};

pub use problems::Problems;

/// Told when a stage ends.
pub type Stage<'a> = &'a mut dyn FnMut(&str);

/// An object or image.
#[derive(Default)]
pub struct Made {
    /// The bytes of it.
    pub code: Vec<u8>,
    /// Of an image: bitcode of what it was generated from.
    pub final_ir: Vec<u8>,
    /// What it holds.
    pub table: Table,
}

/// A module on the way.
struct Unit {
    module: Module,
    table: Table,
    errors: Errors,
}

/// Makes an object of what the front end made.
///
/// # Errors
/// What the code does that a device or `range_type` forbids.
pub fn object(compiled: &mut Compiled, stage: Stage<'_>) -> Result<Made, Problems> {
    let Unit { module, mut table, errors } = begin(compiled)?;
    let globals: HashMap<&str, &SourceGlobal> = compiled
        .device_globals
        .iter()
        .filter(|global| global.external)
        .map(|global| (global.row.symbol.as_str(), global))
        .collect();
    table.exports = exports(&module, &globals);
    entry::hide_functions(&module, &graph::is_external);
    entry::hide_variables(&module, &|variable| globals.contains_key(variable.name().as_str()));
    check_ranges(&module, &table)?;
    aspects::record(&module, &mut table);
    let code = bitcode::wrap(&module.bitcode());
    stage("object");
    if !table.kernels.is_empty() || !table.exports.is_empty() || !table.device_globals.is_empty() {
        // What follows is for the errors that it finds.
        let newest = TargetFormat::Spirv { version: emit::MAX_VERSION, extensions: Vec::new() };
        scratch::lower(&module, &mut table.clone());
        globals::lower(&module, &mut table.clone())?;
        optimise(&module, &newest, table.optimization_level, &errors)?;
        stage("optimiser");
        legalise::run(&module);
        let is_import = |symbol: Value| graph::is_external(symbol) || globals.contains_key(symbol.name().as_str());
        check::run(&module, &is_import)?;
        table.imports = imports(&module, &is_import);
        stage("check");
    }
    Ok(Made { code, final_ir: Vec::new(), table })
}

/// Makes an image of what the front end made.
///
/// # Errors
/// As [`object`]; and undefined functions, and what the code generator cannot do.
pub fn image(compiled: &mut Compiled, target: &Target, stage: Stage<'_>) -> Result<Made, Problems> {
    if compiled.table.kernels.is_empty() && compiled.table.device_globals.is_empty() {
        return Ok(Made { table: std::mem::take(&mut compiled.table), ..Made::default() });
    }
    let unit = begin(compiled)?;
    check_ranges(&unit.module, &unit.table)?;
    finish(unit, target, stage)
}

/// Makes one image of objects.
///
/// # Errors
/// As [`image`]; and objects that are damaged or do not fit.
pub fn link(objects: Vec<LinkObject>, target: &Target, stage: Stage<'_>) -> Result<Made, Problems> {
    let (module, table, errors) = link::run(objects)?;
    stage("linker");
    finish(Unit { module, table, errors }, target, stage)
}

/// Makes bitcode readable.
///
/// # Errors
/// It is not bitcode.
pub fn disassemble(code: &[u8]) -> Result<String, Problems> {
    let context = bitcode::new_context();
    let errors = Errors::collect(context);
    let module = bitcode::read_any(context, &errors, code).map_err(|why| Problems::one(format!("the code {why}")))?;
    Ok(module.text())
}

/// Makes the entry points.
fn begin(compiled: &mut Compiled) -> Result<Unit, Problems> {
    let module = Module::new(compiled.module);
    let errors = Errors::collect(module.context);
    let table = std::mem::take(&mut compiled.table);
    entry::copy_by_value_arguments(&module);
    for (function, info) in compiled.functions.iter().zip(&table.kernels) {
        entry::make(&module, function, info)?;
    }
    entry::drop_annotations(&module);
    Ok(Unit { module, table, errors })
}

fn check_ranges(module: &Module, table: &Table) -> Result<(), Problems> {
    if !ranges::are_declared(module, &table.kernels) {
        return Ok(());
    }
    let mut problems = Problems::default();
    ranges::check(module, &table.kernels, &|_| None, &mut problems);
    problems.into_result()
}

/// The road from a whole module to an image.
fn finish(unit: Unit, target: &Target, stage: Stage<'_>) -> Result<Made, Problems> {
    let Unit { module, mut table, errors } = unit;
    entry::hide_all_but_kernels(&module);
    aspects::record(&module, &mut table);
    aspects::leave_out(&module, &mut table, &target.aspects);
    globals::check_image_scope(&module, &table)?;
    ranges::promise(&module, &table, &errors)?;
    entry::hide_all_but_kernels(&module);
    scratch::lower(&module, &mut table);
    globals::lower(&module, &mut table)?;
    if table.kernels.is_empty() && table.device_global_block == 0 {
        return Ok(Made { table, ..Made::default() });
    }
    let machine = optimise(&module, &target.format, table.optimization_level, &errors)?;
    stage("optimiser");
    legalise::run(&module);
    check::run(&module, &|_| false)?;
    let final_ir = module.bitcode();
    stage("final code");
    let code = machine.emit(&module)?;
    errors.check()?;
    check::no_imports(&code)?;
    stage("code generator");
    Ok(Made { code, final_ir, table })
}

fn optimise(module: &Module, format: &TargetFormat, level: u8, errors: &Errors) -> Result<emit::Machine, Problems> {
    let TargetFormat::Spirv { version, extensions } = format;
    let machine = emit::Machine::new(module, *version, extensions, level.into())?;
    device_calls::lower(module, &machine)?;
    machine.optimise(module, level.into())?;
    errors.check()?;
    Ok(machine)
}

/// What an object defines for others.
fn exports(module: &Module, globals: &HashMap<&str, &SourceGlobal>) -> Vec<Export> {
    let row = |symbol: Value, kind| Export { symbol: symbol.name(), kind, foldable: symbol.is_foldable() };
    let functions = module.functions().filter(|function| !function.is_declaration() && graph::is_external(*function));
    let variables = module
        .globals()
        .filter(|variable| !variable.is_declaration() && globals.contains_key(variable.name().as_str()));
    functions
        .map(|function| row(function, SymbolKind::Function))
        .chain(variables.map(|variable| row(variable, SymbolKind::Variable)))
        .collect()
}

/// What an object needs of others.
fn imports(module: &Module, is_import: &dyn Fn(Value) -> bool) -> Vec<Import> {
    let open = |symbol: &Value| symbol.is_declaration() && symbol.is_used() && is_import(*symbol);
    let row = |symbol: Value, kind| Import { symbol: symbol.name(), kind };
    let functions = module.functions().filter(open).map(|symbol| row(symbol, SymbolKind::Function));
    functions.chain(module.globals().filter(open).map(|symbol| row(symbol, SymbolKind::Variable))).collect()
}
