// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#![forbid(unsafe_code)]
//! The grammar of `ONEAPI_DEVICE_SELECTOR`.
//!
//! ```text
//! selector = term { ";" term }            accept terms first, then discard terms
//! term     = [ "!" ] backend ":" device { "," device }
//! backend  = "*" | "level_zero" | "opencl" | "cuda" | "hip" | "native_cpu"      in any case
//! device   = "*" | "cpu" | "gpu" | "fpga" | index | sub-device
//! sub-device = place "." place [ "." place ]          place = index | "*"
//! ```
//!
//! An index counts the devices of a back end from zero. Accept terms add up; without any, everything is accepted.
//! Discard terms then take away.

use crate::backend::{BackendKind, DeviceType};
use crate::error::{Error, Result};

/// A parsed selector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selector {
    accept: Vec<Term>,
    discard: Vec<Term>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Term {
    /// `None` is `*`.
    backend: Option<BackendKind>,
    devices: Vec<Pattern>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pattern {
    Any,
    Type(DeviceType),
    Index(usize),
}

impl Selector {
    /// Parses the value of the variable; empty text accepts everything.
    ///
    /// # Errors
    /// [`Errc::Invalid`](crate::error::Errc::Invalid) for text that is not in the grammar, and
    /// [`Errc::FeatureNotSupported`](crate::error::Errc::FeatureNotSupported) for sub-devices.
    pub fn parse(text: &str) -> Result<Self> {
        let mut selector = Self { accept: Vec::new(), discard: Vec::new() };
        if text.is_empty() {
            return Ok(selector);
        }
        for part in text.split(';') {
            if let Some(rest) = part.strip_prefix('!') {
                selector.discard.push(Term::parse(rest).map_err(|fault| fault.explain(text, part))?);
            } else if selector.discard.is_empty() {
                selector.accept.push(Term::parse(part).map_err(|fault| fault.explain(text, part))?);
            } else {
                return Err(Fault::Order.explain(text, part));
            }
        }
        Ok(selector)
    }

    /// Whether a device can pass.
    #[must_use]
    pub fn accepts(&self, backend: BackendKind, device_type: DeviceType, index: usize) -> bool {
        let matches = |term: &Term| term.matches(backend, device_type, index);
        (self.accept.is_empty() || self.accept.iter().any(matches)) && !self.discard.iter().any(matches)
    }

    /// Whether any device of the back end might pass; if not, its driver need not be loaded.
    #[must_use]
    pub fn wants_backend(&self, backend: BackendKind) -> bool {
        let named = |term: &Term| term.backend.is_none_or(|named| named == backend);
        (self.accept.is_empty() || self.accept.iter().any(named))
            && !self.discard.iter().any(|term| named(term) && term.devices.contains(&Pattern::Any))
    }
}

impl Term {
    fn parse(text: &str) -> std::result::Result<Self, Fault> {
        let (backend, devices) = text.split_once(':').ok_or(Fault::Incomplete)?;
        let backend = match backend.to_ascii_lowercase().as_str() {
            "" => return Err(Fault::Incomplete),
            "*" => None,
            name => Some(BackendKind::ALL.iter().copied().find(|kind| kind.name() == name).ok_or(Fault::Backend)?),
        };
        let devices = devices.split(',').map(Pattern::parse).collect::<std::result::Result<_, _>>()?;
        Ok(Self { backend, devices })
    }

    fn matches(&self, backend: BackendKind, device_type: DeviceType, index: usize) -> bool {
        self.backend.is_none_or(|named| named == backend)
            && self.devices.iter().any(|pattern| match *pattern {
                Pattern::Any => true,
                Pattern::Type(named) => named == device_type,
                Pattern::Index(named) => named == index,
            })
    }
}

impl Pattern {
    fn parse(text: &str) -> std::result::Result<Self, Fault> {
        match text.to_ascii_lowercase().as_str() {
            "" => Err(Fault::Incomplete),
            "*" => Ok(Self::Any),
            "cpu" => Ok(Self::Type(DeviceType::Cpu)),
            "gpu" => Ok(Self::Type(DeviceType::Gpu)),
            "fpga" => Ok(Self::Type(DeviceType::Accelerator)),
            name if name.contains('.') => {
                let places: Vec<&str> = name.split('.').collect();
                let well_formed = places.len() <= 3 && places.iter().all(|place| *place == "*" || is_index(place));
                Err(if well_formed { Fault::SubDevice } else { Fault::Device })
            }
            name if is_index(name) => name.parse().map(Self::Index).map_err(|_| Fault::Device),
            _ => Err(Fault::Device),
        }
    }
}

fn is_index(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Why a term does not parse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    Incomplete,
    Backend,
    Device,
    SubDevice,
    Order,
}

impl Fault {
    fn explain(self, text: &str, term: &str) -> Error {
        let reason = match self {
            Self::Incomplete => "a term needs a back end and devices, as in opencl:gpu",
            Self::Backend => "the back end must be one of *, level_zero, opencl, cuda, hip, native_cpu",
            Self::Device => "a device must be *, cpu, gpu, fpga, or an index",
            Self::SubDevice => {
                return Error::feature_not_supported(format!(
                    "ONEAPI_DEVICE_SELECTOR={text}: term \"{term}\" selects sub-devices, which are not supported"
                ));
            }
            Self::Order => "terms that accept must come before terms that discard (\"!\")",
        };
        Error::invalid(format!("ONEAPI_DEVICE_SELECTOR={text}: term \"{term}\" is malformed: {reason}"))
    }
}

#[cfg(test)]
mod tests {
    use BackendKind::{Cuda, LevelZero, OpenCl};
    use DeviceType::{Accelerator, Cpu, Gpu};

    use super::*;
    use crate::error::Errc;

    /// The devices of the examples: each with its index within its back end.
    const DEVICES: &[(BackendKind, DeviceType, usize)] = &[
        (OpenCl, Cpu, 0),
        (OpenCl, Gpu, 1),
        (OpenCl, Accelerator, 2),
        (LevelZero, Gpu, 0),
        (LevelZero, Gpu, 1),
        (Cuda, Gpu, 0),
    ];

    /// Positions in [`DEVICES`] that pass.
    fn passing(text: &str) -> Vec<usize> {
        let selector = Selector::parse(text).unwrap();
        let accepts = |&position: &usize| {
            let (backend, device_type, index) = DEVICES[position];
            selector.accepts(backend, device_type, index)
        };
        (0..DEVICES.len()).filter(accepts).collect()
    }

    #[test]
    fn terms_select_devices() {
        let rows: &[(&str, &[usize])] = &[
            ("", &[0, 1, 2, 3, 4, 5]),
            ("*:*", &[0, 1, 2, 3, 4, 5]),
            ("opencl:*", &[0, 1, 2]),
            ("OpenCL:CPU", &[0]),
            ("LEVEL_ZERO:gpu", &[3, 4]),
            ("*:gpu", &[1, 3, 4, 5]),
            ("*:cpu,fpga", &[0, 2]),
            ("opencl:fpga", &[2]),
            ("opencl:1", &[1]),
            ("opencl:0,2", &[0, 2]),
            ("*:0", &[0, 3, 5]),
            ("opencl:7", &[]),
            ("hip:*", &[]),
            ("native_cpu:cpu", &[]),
            // accept terms add up
            ("opencl:cpu;level_zero:1", &[0, 4]),
            ("opencl:cpu;opencl:cpu", &[0]),
            // only discard terms: from everything
            ("!opencl:*", &[3, 4, 5]),
            ("!*:gpu", &[0, 2]),
            ("!*:*", &[]),
            ("!opencl:cpu", &[1, 2, 3, 4, 5]),
            ("!*:cpu", &[1, 2, 3, 4, 5]),
            ("!cuda:*;!level_zero:0", &[0, 1, 2, 4]),
            // discard after accept
            ("*:gpu;!cuda:*", &[1, 3, 4]),
            ("opencl:*;!opencl:cpu", &[1, 2]),
            ("level_zero:*;!*:1,0", &[]),
        ];
        for (text, expected) in rows {
            assert_eq!(passing(text), *expected, "{text}");
        }
    }

    #[test]
    fn malformed_values_are_invalid_and_quoted() {
        let rows = [
            "opencl",
            "opencl:",
            ":cpu",
            ":",
            "!",
            "!opencl",
            ";",
            "opencl:*;",
            ";opencl:*",
            "opencl:cpu;;cuda:*",
            "opencl:cpu,",
            "vulkan:gpu",
            "opencl:tpu",
            "opencl:-1",
            "opencl:1x",
            "opencl:99999999999999999999999",
            "opencl:cpu:gpu",
            " opencl:cpu",
            "opencl: cpu",
            "!!opencl:cpu",
            "opencl:1.",
            "opencl:.1",
            "opencl:1.2.3.4",
            "opencl:a.b",
            "!opencl:cpu;opencl:gpu",
            "cuda:*;!opencl:cpu;opencl:gpu",
        ];
        for text in rows {
            let error = Selector::parse(text).unwrap_err();
            assert_eq!(error.code, Errc::Invalid, "{text}");
            assert!(error.message.contains(text), "{}", error.message);
        }
    }

    #[test]
    fn sub_devices_are_not_supported_and_say_so() {
        for text in ["opencl:0.1", "opencl:*.*", "opencl:0.*", "level_zero:0.1.2", "opencl:*.1.*", "!opencl:0.0"] {
            let error = Selector::parse(text).unwrap_err();
            assert_eq!(error.code, Errc::FeatureNotSupported, "{text}");
            assert!(error.message.contains("sub-devices"), "{}", error.message);
        }
    }

    #[test]
    fn back_ends_that_nothing_can_select_are_not_wanted() {
        let rows: &[(&str, bool)] = &[
            ("", true),
            ("opencl:gpu", true),
            ("*:cpu", true),
            ("cuda:*", false),
            ("!opencl:*", false),
            ("!*:*", false),
            ("!opencl:gpu", true),
            ("opencl:cpu;!opencl:cpu", true),
            ("cuda:*;opencl:0", true),
            ("opencl:0;!opencl:cpu,*", false),
        ];
        for (text, wanted) in rows {
            assert_eq!(Selector::parse(text).unwrap().wants_backend(OpenCl), *wanted, "{text}");
        }
    }
}
