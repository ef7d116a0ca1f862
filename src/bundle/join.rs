// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Unions of bundles, and bundles that hold nothing.

use std::sync::Arc;

use super::{
    build::unique_devices,
    kernel_bundle::{BundleState, Contents, Executable, KernelBundle, Report},
    object::check_linker,
};
use crate::{
    backend::Aspect,
    error::{Error, Result},
    runtime::{Context, Device},
};

impl KernelBundle {
    /// One bundle with the images of all: each image once, in the order of the bundles. A name that several of them have
    /// finds what the first one has.
    ///
    /// # Errors
    /// [`Errc::Invalid`](crate::error::Errc::Invalid) if there is no bundle, one is a source, or their states, contexts or
    /// sets of devices differ.
    pub fn join(bundles: &[Arc<Self>]) -> Result<Arc<Self>> {
        let Some((first, rest)) = bundles.split_first() else {
            return Err(Error::invalid("join: no bundle was given, so there is no context for the result"));
        };
        for (index, bundle) in rest.iter().enumerate() {
            let differs = |what: &str| Err(Error::invalid(format!("join: bundle 1 and bundle {} {what}", index + 2)));
            if bundle.state() != first.state() {
                return differs(&format!("are in states {} and {}", first.state().name(), bundle.state().name()));
            }
            if !Arc::ptr_eq(bundle.context(), first.context()) {
                return differs("belong to different contexts");
            }
            if !first.has_devices_of(bundle) {
                return differs("are for different sets of devices");
            }
        }
        let contents = match first.contents() {
            Contents::Source(_) => {
                return Err(Error::invalid("join: bundles in state ext_oneapi_source cannot be joined"));
            }
            Contents::Input => Contents::Input,
            Contents::Object(_) => Contents::Object(union(bundles, |bundle| match bundle.contents() {
                Contents::Object(units) => units,
                _ => &[],
            })),
            Contents::Executable(_) => Contents::Executable(Executable::new(union(bundles, Self::units))),
        };
        Ok(Self::new(first.context(), first.devices().to_vec(), contents, Report::default()))
    }

    /// A bundle without images, which is all that there is of kernels of the application.
    ///
    /// # Errors
    /// [`Errc::Invalid`](crate::error::Errc::Invalid) if there is no device, one is not in the context, the state is
    /// source, or a device lacks `aspect::online_compiler` for state input or `aspect::online_linker` for state object.
    pub fn empty(context: &Arc<Context>, devices: &[Arc<Device>], state: BundleState) -> Result<Arc<Self>> {
        let devices = check_state(context, devices, state)?;
        let contents = match state {
            BundleState::Source => return Err(Error::internal("a state that was refused")),
            BundleState::Input => Contents::Input,
            BundleState::Object => Contents::Object(Vec::new()),
            BundleState::Executable => Contents::Executable(Executable::default()),
        };
        Ok(Self::new(context, devices, contents, Report::default()))
    }
}

/// The devices without duplicates, if a bundle of that state can be for them.
pub(super) fn check_state(context: &Context, devices: &[Arc<Device>], state: BundleState) -> Result<Vec<Arc<Device>>> {
    let devices = unique_devices(devices)?;
    if let Some(device) = devices.iter().find(|device| !context.contains(device)) {
        return Err(Error::invalid(format!(
            "Not all devices are associated with the context or vector of devices is empty: \"{}\" is not in the context",
            device.name()
        )));
    }
    check_aspects(&devices, state)?;
    Ok(devices)
}

/// The aspects that a state needs of devices.
pub(super) fn check_aspects(devices: &[Arc<Device>], state: BundleState) -> Result<()> {
    match state {
        BundleState::Source => Err(Error::invalid("a bundle in state ext_oneapi_source is made from a source only")),
        BundleState::Input => match devices.iter().find(|device| !device.has(Aspect::OnlineCompiler)) {
            None => Ok(()),
            Some(device) => Err(Error::invalid(format!(
                "device \"{}\" lacks aspect::online_compiler, which bundle_state::input needs",
                device.name()
            ))),
        },
        BundleState::Object => check_linker(devices),
        BundleState::Executable => Ok(()),
    }
}

/// All units, each once.
pub(super) fn union<T>(bundles: &[Arc<KernelBundle>], of: impl Fn(&KernelBundle) -> &[Arc<T>]) -> Vec<Arc<T>> {
    let mut all: Vec<Arc<T>> = Vec::new();
    for unit in bundles.iter().flat_map(|bundle| of(bundle)) {
        if !all.iter().any(|known| Arc::ptr_eq(known, unit)) {
            all.push(Arc::clone(unit));
        }
    }
    all
}
