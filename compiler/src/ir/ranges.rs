// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#![forbid(unsafe_code)]
//! `range_type`: that calls respect it, and what the optimiser may assume of ids because of it.

use std::collections::{BTreeMap, HashSet};

use llvm_sys::LLVMLinkage;
use syclrtc_protocol::{KernelInfo, Location, Note, Table};

use super::{
    bitcode::Errors,
    graph::{self, callees, declared_limit, is_external},
    llvm::{LOCAL, Module, Value},
    problems::{Problems, demangle},
};

/// No limit: that of `std::size_t`.
const NO_LIMIT: u64 = u64::MAX;

/// The property as a source would spell it.
pub fn spell(limit: Option<u64>) -> String {
    const TYPES: &[(u64, &str)] = &[
        (i8::MAX as u64, "signed char"),
        (u8::MAX as u64, "unsigned char"),
        (i16::MAX as u64, "short"),
        (u16::MAX as u64, "unsigned short"),
        (i32::MAX as u64, "int"),
        (u32::MAX as u64, "unsigned int"),
        (i64::MAX as u64, "long"),
        (u64::MAX, "unsigned long"),
    ];
    match limit {
        None => "no range_type".to_owned(),
        Some(limit) => match TYPES.iter().find(|(max, _)| *max == limit) {
            Some((_, name)) => format!("range_type<{name}>"),
            None => format!("a range_type of {limit}"),
        },
    }
}

/// True if something in the module declares a limit. If nothing does, there is nothing to check.
pub fn are_declared(module: &Module, kernels: &[KernelInfo]) -> bool {
    kernels.iter().any(|kernel| kernel.properties.range_max.is_some())
        || module.functions().any(|function| declared_limit(function).is_some())
}

/// Adds an error for each call that the limits of caller and callee forbid, and for each function of another object that a
/// kernel with a limit reaches and that does not say its own. `resolve` gives the definition of an undefined function,
/// where it is known.
pub fn check(
    module: &Module,
    kernels: &[KernelInfo],
    resolve: &dyn Fn(Value) -> Option<Value>,
    problems: &mut Problems,
) {
    for kernel in kernels {
        if let Some(entry) = module.function(&kernel.raw_name) {
            let limit = kernel.properties.range_max;
            let root = Root { name: format!("kernel '{}'", demangle(&kernel.mangled_name)), limit, is_kernel: true };
            Walk { root, resolve, problems, seen: HashSet::new(), path: Vec::new() }.visit(entry, limit);
        }
    }
    for function in module.functions().filter(|function| !function.is_declaration()) {
        if let Some(limit) = declared_limit(function) {
            let name = format!("'{}'", demangle(&function.name()));
            let root = Root { name, limit: Some(limit), is_kernel: false };
            Walk { root, resolve, problems, seen: HashSet::new(), path: Vec::new() }.visit(function, Some(limit));
        }
    }
}

/// Where a walk began.
struct Root {
    name: String,
    limit: Option<u64>,
    is_kernel: bool,
}

struct Walk<'a> {
    root: Root,
    resolve: &'a dyn Fn(Value) -> Option<Value>,
    problems: &'a mut Problems,
    seen: HashSet<(Value, Option<u64>)>,
    /// The calls that led here: place and callee.
    path: Vec<(Location, Value)>,
}

impl Walk<'_> {
    /// `limit` is that of the function's own, or of the nearest caller that has one.
    fn visit(&mut self, function: Value, limit: Option<u64>) {
        if !self.seen.insert((function, limit)) {
            return;
        }
        for callee in callees(function) {
            if callee.intrinsic_name().is_some() {
                continue;
            }
            self.path.push((place_of_call(function, callee), callee));
            self.call(callee, limit);
            self.path.pop();
        }
    }

    fn call(&mut self, callee: Value, caller_limit: Option<u64>) {
        let declared = declared_limit(callee);
        if let Some(own) = declared
            && caller_limit.unwrap_or(NO_LIMIT) > own
        {
            self.report_narrow(callee, caller_limit, own);
            return;
        }
        let limit = declared.or(caller_limit);
        if !callee.is_declaration() {
            // A decorated function is the root of a walk of its own; a kernel goes on for what only kernels ask for.
            if declared.is_none() || self.root.is_kernel {
                self.visit(callee, limit);
            }
            return;
        }
        if !is_external(callee) {
            return;
        }
        let definition = (self.resolve)(callee);
        if self.root.is_kernel && self.root.limit.is_some() && declared.is_none() {
            self.report_undecorated(callee);
        } else if let Some(definition) = definition {
            self.visit(definition, declared_limit(definition).or(limit));
        }
    }

    fn report_narrow(&mut self, callee: Value, caller_limit: Option<u64>, own: u64) {
        let text = format!(
            "{} with {} cannot call '{}' with {}: {}",
            self.root.name,
            spell(self.root.limit.or(caller_limit)),
            demangle(&callee.name()),
            spell(Some(own)),
            self.chain(),
        );
        self.add(text);
    }

    fn report_undecorated(&mut self, callee: Value) {
        let text = format!(
            "{} with {} reaches '{}', which is defined elsewhere and is declared with {}: {}",
            self.root.name,
            spell(self.root.limit),
            demangle(&callee.name()),
            spell(None),
            self.chain(),
        );
        self.add(text);
    }

    fn add(&mut self, text: String) {
        let location = self.path.last().map(|(location, _)| location.clone()).unwrap_or_default();
        let notes = self.path[..self.path.len().saturating_sub(1)].iter().rev();
        let notes = notes.filter(|(location, _)| !location.file.is_empty()).map(|(location, callee)| Note {
            location: location.clone(),
            text: format!("'{}' is called here", demangle(&callee.name())),
        });
        self.problems.add_with_notes(location, text, notes.collect());
    }

    /// `k calls a calls b`.
    fn chain(&self) -> String {
        let names: Vec<String> =
            self.path.iter().map(|(_, callee)| format!("'{}'", demangle(&callee.name()))).collect();
        // The first call of a kernel is that of its entry point.
        let skip = usize::from(self.root.is_kernel && names.len() > 1);
        format!("{} calls {}", self.root.name, names[skip..].join(" calls "))
    }
}

fn place_of_call(caller: Value, callee: Value) -> Location {
    let call = caller.instructions().find(|instruction| instruction.called_function() == Some(callee));
    call.map(Value::location).unwrap_or_default()
}

/// Queries whose result is less than the limit, and those whose result is at most the limit.
const IDS: &[&str] =
    &["GlobalInvocationId", "GlobalLinearId", "LocalInvocationId", "LocalInvocationIndex", "WorkgroupId"];
const RANGES: &[&str] = &["GlobalSize", "WorkgroupSize", "EnqueuedWorkgroupSize", "NumWorkgroups"];

/// Promises the optimiser what the limits of the kernels say of their ids. Where kernels of different limits share code,
/// each limit gets a copy of it. Does nothing at all if no kernel has a limit.
///
/// # Errors
/// LLVM's messages.
pub fn promise(module: &Module, table: &Table, errors: &Errors) -> Result<(), Problems> {
    let limit = |kernel: &KernelInfo| kernel.properties.range_max.unwrap_or(NO_LIMIT);
    let mut groups: BTreeMap<u64, HashSet<&str>> = BTreeMap::new();
    for kernel in &table.kernels {
        groups.entry(limit(kernel)).or_default().insert(&kernel.raw_name);
    }
    let mut groups = groups.into_iter();
    let Some((first_limit, first)) = groups.next() else { return Ok(()) };
    let others: Vec<_> = groups.collect();
    if !others.is_empty() {
        share_variables(module);
    }
    let copies: Vec<_> = others
        .into_iter()
        .map(|(limit, kernels)| {
            let copy = module.copy();
            keep_entries(&copy, &kernels);
            promise_everywhere(&copy, limit);
            copy
        })
        .collect();
    if !copies.is_empty() {
        keep_entries(module, &first);
    }
    promise_everywhere(module, first_limit);
    copies.into_iter().try_for_each(|copy| module.absorb(copy, errors))
}

/// Makes variables that a kernel may change the same in all copies of the module.
fn share_variables(module: &Module) {
    let shared = module.globals().filter(|global| {
        !global.is_declaration()
            && !global.is_read_only()
            && global.address_space() != LOCAL
            && !global.name().starts_with("llvm.")
    });
    for (index, global) in shared.enumerate() {
        if global.name().is_empty() {
            global.set_name(&format!("__syclrtc_shared.{index}"));
        }
        global.leave_group();
        global.set_linkage(LLVMLinkage::LLVMWeakODRLinkage);
    }
}

/// Leaves those entry points and makes all other functions local to the module.
fn keep_entries(module: &Module, kernels: &HashSet<&str>) {
    for entry in graph::entries(module).filter(|entry| !kernels.contains(entry.name().as_str())).collect::<Vec<_>>() {
        entry.erase();
    }
    super::entry::hide_functions(module, &|_| false);
    for global in module.globals().filter(|global| !global.is_declaration() && global.is_read_only()) {
        if !global.name().starts_with("llvm.") {
            global.leave_group();
            global.set_linkage(LLVMLinkage::LLVMInternalLinkage);
        }
    }
}

fn promise_everywhere(module: &Module, limit: u64) {
    if limit == NO_LIMIT {
        return;
    }
    for query in module.functions().filter(|function| function.is_declaration()) {
        let name = query.name();
        let Some(name) = built_in(&name) else { continue };
        let end = if IDS.contains(&name) {
            limit
        } else if RANGES.contains(&name) {
            limit + 1
        } else {
            continue;
        };
        for call in query.users().into_iter().filter(|user| user.is_call_of(query)) {
            call.promise_result_below(module, end);
        }
    }
}

/// `X` of `_Z<length>__spirv_BuiltInX<parameters>`.
fn built_in(mangled: &str) -> Option<&str> {
    let rest = mangled.strip_prefix("_Z")?;
    let digits = rest.find(|c: char| !c.is_ascii_digit())?;
    rest[digits..].get(..rest[..digits].parse().ok()?)?.strip_prefix("__spirv_BuiltIn")
}
