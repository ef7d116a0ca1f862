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
    cached::{compiler_name, make},
    job::Job,
    kernel_bundle::{Contents, Executable, KernelBundle, Report},
    request::{LINK_FAILED, detailed},
    unit::{ObjectUnit, Unit},
};
use crate::{
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
        let linked = link_units(bundles, devices, &mut report);
        report.times.total = begin.elapsed();
        report.tell("link", linked.as_ref().map(|(_, _, units)| units.iter().map(|unit| unit.kernel_count()).sum()));
        let (context, devices, units) = linked?;
        log::debug!("linked in {:?}: {:?}", report.times.total, report.times);
        Ok(Self::new(context, devices, Contents::Executable(Executable::new(units)), report))
    }
}

type Linked<'a> = (&'a Arc<Context>, Vec<Arc<Device>>, Vec<Arc<Unit>>);

fn link_units<'a>(
    bundles: &'a [Arc<KernelBundle>],
    devices: &[Arc<Device>],
    report: &mut Report,
) -> Result<Linked<'a>> {
    let (context, members) = members(bundles)?;
    let devices = common_devices(bundles, devices)?;
    check_kernels(&members)?;
    check_exports(&members)?;
    check_imports(&members)?;
    let mut units = Vec::new();
    if !members.is_empty() {
        check_compiler(&members)?;
        let names: Vec<&str> = members.iter().map(|member| member.unit.name.as_str()).collect();
        report.name = names.join(", ");
        let mut images = Vec::new();
        for (target, devices) in by_target(&devices)? {
            let objects = members.iter().map(Member::for_link).collect();
            let request = Request::Link(Link { objects, target: target.clone() });
            let built = make(&request, report, &Job::default())?.built;
            images.push(image(LINK_FAILED, context, built, (target, &devices), report)?);
        }
        units.push(Arc::new(Unit::new(report.name.clone(), images)));
    }
    Ok((context, devices, units))
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
        if device.capabilities().spirv.is_none() {
            return Err(Error::invalid(format!("link: the driver of device \"{}\" takes no SPIR-V", device.name())));
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
    let ours = compiler_name().map_err(|e| Error::build(detailed(LINK_FAILED, &e.message), e.message))?;
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
    // Without the prefix the demangler takes a name such as `c` for that of a type.
    let mangled = Some(symbol).filter(|symbol| symbol.starts_with("_Z"));
    match mangled.and_then(|symbol| cpp_demangle::Symbol::new(symbol).ok()?.demangle().ok()) {
        Some(name) => format!("{symbol} ({name})"),
        None => symbol.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use syclrtc_protocol::{Export, Import, SymbolKind};

    use super::*;
    use crate::{
        error::Errc,
        image::{KernelInfo, KernelKind, KernelProperties, Table},
    };

    const FUNCTION: SymbolKind = SymbolKind::Function;

    fn member(number: usize, kernels: &[&str], exports: &[(&str, bool)], imports: &[&str]) -> Member {
        let kernel = |name: &&str| KernelInfo {
            raw_name: (*name).into(),
            plain_name: None,
            mangled_name: String::new(),
            kind: KernelKind::SingleTask,
            parameters: Vec::new(),
            properties: KernelProperties::default(),
            aspects: Vec::new(),
            scratch: false,
        };
        let export = |(symbol, foldable): &(&str, bool)| Export {
            symbol: (*symbol).into(),
            kind: FUNCTION,
            foldable: *foldable,
        };
        let table = Table {
            kernels: kernels.iter().map(kernel).collect(),
            exports: exports.iter().map(export).collect(),
            imports: imports.iter().map(|symbol| Import { symbol: (*symbol).into(), kind: FUNCTION }).collect(),
            ..Table::default()
        };
        let name = format!("rtc_{number}.cpp");
        let label = format!("bundle {number} ({name})");
        Member { label, unit: Arc::new(ObjectUnit::new(name, [].into(), "clang".into(), table)) }
    }

    fn message(result: Result<()>) -> String {
        let error = result.unwrap_err();
        assert_eq!(error.code, Errc::Invalid);
        error.message
    }

    // D6
    #[test]
    fn kernels_of_one_raw_name_are_listed_with_their_bundles() {
        let members = [member(1, &["a", "k"], &[], &[]), member(2, &["b"], &[], &[]), member(3, &["k", "a"], &[], &[])];
        assert!(check_kernels(&members[..2]).is_ok());
        assert_eq!(
            message(check_kernels(&members)),
            "Conflicting kernel definitions:  k a\n\tk in bundle 1 (rtc_1.cpp) and bundle 3 (rtc_3.cpp)\
             \n\ta in bundle 1 (rtc_1.cpp) and bundle 3 (rtc_3.cpp)"
        );
    }

    // D5, C11
    #[test]
    fn strong_symbols_clash_and_foldable_ones_do_not() {
        let [strong, other, weak] = [(1, false), (2, false), (3, true)]
            .map(|(number, foldable)| member(number, &[], &[("_Z1fPi", foldable)], &[]));
        let weak_too = member(4, &[], &[("_Z1fPi", true)], &[]);
        let members = [weak, strong, weak_too];
        assert!(check_exports(&members).is_ok());
        let [_, strong, _] = members;
        assert_eq!(
            message(check_exports(&[strong, other])),
            "Conflicting definitions of exported symbols:\n\t_Z1fPi (f(int*)) in bundle 1 (rtc_1.cpp) and bundle 2 (rtc_2.cpp)"
        );
    }

    // D1, C20
    #[test]
    fn missing_symbols_are_named_with_all_their_users() {
        let exporter = member(1, &[], &[("_Z1gv", true)], &[]);
        let users = [member(2, &[], &[], &["_Z1fPi", "_Z1gv"]), member(3, &[], &[], &["_Z1fPi", "c"])];
        let [first, second] = users;
        assert_eq!(
            message(check_imports(&[exporter, first, second])),
            "No exported symbol \"_Z1fPi\" found in linked images.\
             \n\t_Z1fPi (f(int*)) is used in bundle 2 (rtc_2.cpp) and bundle 3 (rtc_3.cpp)\
             \nNo exported symbol \"c\" found in linked images.\n\tc is used in bundle 3 (rtc_3.cpp)"
        );
        let whole = [member(1, &[], &[("c", false)], &["d"]), member(2, &[], &[("d", false)], &["c"])];
        assert!(check_imports(&whole).is_ok());
    }
}
