// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! From object bundles to one executable bundle.
//!
//! What the tables of the objects can tell is checked here, before the compiler program is asked: names that clash or
//! are missing. It checks what needs the code: types and ranges.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
    time::Instant,
};

use syclrtc_protocol::{Link, LinkObject, Request};

use super::{
    build::{by_target, image, unique_devices},
    kernel_bundle::{Contents, Executable, KernelBundle, Report},
    language::{Language, can_build},
    request::{LINK_FAILED, detailed, make},
    unit::{ObjectUnit, Unit},
};
use crate::{
    compiler::client,
    error::{Error, Result},
    runtime::{Context, Device},
};

/// Properties of a link.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LinkOptions {
    /// Native code is wanted where an object has some. Objects never have any here, so it changes nothing.
    pub fast_link: bool,
}

/// An object with its place in the call.
struct Member {
    /// What messages call it: `bundle 1 (rtc_0.cpp)`.
    label: String,
    unit: Arc<ObjectUnit>,
}

impl KernelBundle {
    /// Links the objects of the bundles to an executable bundle for some of their common devices. An object that is
    /// reached through several bundles counts once.
    ///
    /// # Errors
    /// [`Errc::Invalid`](crate::error::Errc::Invalid) if there is no bundle, one is not in state object, the contexts
    /// differ, there is no device, a device is not one of every bundle, two objects define a kernel of the same raw name
    /// or the same exported symbol, or none exports a symbol that another one imports;
    /// [`Errc::Build`](crate::error::Errc::Build) with the log if definitions and declarations do not agree, code
    /// generation fails, or the driver refuses the code.
    pub fn link(bundles: &[Arc<Self>], devices: &[Arc<Device>], _options: &LinkOptions) -> Result<Arc<Self>> {
        let begin = Instant::now();
        let mut report = Report::default();
        let (context, members) = members(bundles)?;
        let devices = common_devices(bundles, devices)?;
        check_kernels(&members)?;
        check_exports(&members)?;
        check_imports(&members)?;
        let mut units = Vec::new();
        if !members.is_empty() {
            check_compiler(&members)?;
            let names: Vec<&str> = members.iter().map(|member| member.unit.name.as_str()).collect();
            let mut images = Vec::new();
            for (target, devices) in by_target(&devices)? {
                let objects = members.iter().map(Member::for_link).collect();
                let built = make(&Request::Link(Link { objects, target: target.clone() }), &mut report)?;
                images.push(image(context, built, target, &devices, &mut report)?);
            }
            units.push(Arc::new(Unit::new(names.join(", "), images)));
        }
        report.times.total = begin.elapsed();
        log::debug!("linked in {:?}: {:?}", report.times.total, report.times);
        Ok(Self::new(context, devices, Contents::Executable(Executable::new(units)), report))
    }
}

impl Member {
    fn for_link(&self) -> LinkObject {
        LinkObject { label: self.label.clone(), bitcode: self.unit.bitcode.to_vec(), table: self.unit.table.clone() }
    }
}

/// The context and the objects, each once.
fn members(bundles: &[Arc<KernelBundle>]) -> Result<(&Arc<Context>, Vec<Member>)> {
    let Some(first) = bundles.first() else {
        return Err(Error::invalid("link: no bundle was given, so there is no context for the result"));
    };
    let mut members: Vec<Member> = Vec::new();
    for (number, bundle) in (1..).zip(bundles) {
        let Contents::Object(units) = bundle.contents() else {
            return Err(Error::invalid(format!(
                "link: bundle {number} is in state {}; only bundles in state object can be linked",
                bundle.state().name()
            )));
        };
        if !Arc::ptr_eq(bundle.context(), first.context()) {
            return Err(Error::invalid(format!("link: bundle 1 and bundle {number} belong to different contexts")));
        }
        for unit in units {
            if !members.iter().any(|known| Arc::ptr_eq(&known.unit, unit)) {
                let label = format!("bundle {number} ({})", unit.name);
                members.push(Member { label, unit: Arc::clone(unit) });
            }
        }
    }
    Ok((first.context(), members))
}

/// The devices without duplicates; each has to be one of every bundle.
fn common_devices(bundles: &[Arc<KernelBundle>], given: &[Arc<Device>]) -> Result<Vec<Arc<Device>>> {
    let devices = unique_devices(given)?;
    for device in &devices {
        if let Some(index) = bundles.iter().position(|bundle| !bundle.has_device(device)) {
            return Err(Error::invalid(format!(
                "link: device \"{}\" is not one of the devices of bundle {}",
                device.name(),
                index + 1
            )));
        }
        if let Err(reason) = can_build(device, Language::Sycl) {
            return Err(Error::invalid(format!("link: device \"{}\" cannot be linked for: {reason}", device.name())));
        }
    }
    Ok(devices)
}

/// No two objects may define a kernel of the same raw name.
fn check_kernels(members: &[Member]) -> Result<()> {
    let mut owners: HashMap<&str, &Member> = HashMap::new();
    let (mut names, mut places) = (String::new(), String::new());
    for member in members {
        for kernel in &member.unit.table.kernels {
            if let Some(owner) = owners.insert(&kernel.raw_name, member) {
                names.push_str(&format!(" {}", kernel.raw_name));
                places.push_str(&format!("\n\t{} in {} and {}", kernel.raw_name, owner.label, member.label));
            }
        }
    }
    if names.is_empty() {
        return Ok(());
    }
    Err(Error::invalid(format!("Conflicting kernel definitions: {names}{places}")))
}

/// No two objects may define the same symbol, unless C++ lets them.
fn check_exports(members: &[Member]) -> Result<()> {
    let mut owners: HashMap<&str, &Member> = HashMap::new();
    let mut conflicts = String::new();
    for member in members {
        for export in member.unit.table.exports.iter().filter(|export| !export.foldable) {
            if let Some(owner) = owners.insert(&export.symbol, member) {
                let symbol = readable(&export.symbol);
                conflicts.push_str(&format!("\n\t{symbol} in {} and {}", owner.label, member.label));
            }
        }
    }
    if conflicts.is_empty() {
        return Ok(());
    }
    Err(Error::invalid(format!("Conflicting definitions of exported symbols:{conflicts}")))
}

/// Each imported symbol must be exported by somebody.
fn check_imports(members: &[Member]) -> Result<()> {
    let exports: HashSet<&str> =
        members.iter().flat_map(|member| &member.unit.table.exports).map(|export| export.symbol.as_str()).collect();
    let mut missing: Vec<(&str, Vec<&str>)> = Vec::new();
    for member in members {
        for import in &member.unit.table.imports {
            if exports.contains(import.symbol.as_str()) {
                continue;
            }
            match missing.iter_mut().find(|(symbol, _)| *symbol == import.symbol) {
                Some((_, users)) => users.push(&member.label),
                None => missing.push((&import.symbol, vec![&member.label])),
            }
        }
    }
    if missing.is_empty() {
        return Ok(());
    }
    let lines = missing.iter().map(|(symbol, users)| {
        let users = users.join(" and ");
        format!("No exported symbol \"{symbol}\" found in linked images.\n\t{} is used in {users}", readable(symbol))
    });
    Err(Error::invalid(lines.collect::<Vec<_>>().join("\n")))
}

/// Bitcode is only good for the compiler that wrote it: another one may read it and mean something else.
fn check_compiler(members: &[Member]) -> Result<()> {
    let ours = client().compiler().map_err(|e| Error::build(detailed(LINK_FAILED, &e.to_string()), e.to_string()))?;
    match members.iter().find(|member| member.unit.compiler != ours) {
        None => Ok(()),
        Some(Member { label, unit }) => {
            let text = format!("{label} was compiled by {}, and the compiler here is {ours}", unit.compiler);
            Err(Error::build(detailed(LINK_FAILED, &text), text))
        }
    }
}

/// A symbol, and what it is called in C++ if that is something else.
fn readable(symbol: &str) -> String {
    match cpp_demangle::Symbol::new(symbol).ok().and_then(|parsed| parsed.demangle().ok()) {
        Some(name) if name != symbol => format!("{symbol} ({name})"),
        _ => symbol.to_owned(),
    }
}
