// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Launches: everything is checked here, before a driver hears of it.

use std::{fmt, sync::Arc};

use smallvec::SmallVec;

use super::kernel::{Kernel, Limits};
use crate::{
    backend::{Address, Argument, Launch},
    error::{Errc, Error, Result},
    image::{KernelInfo, KernelKind, Parameter, ParameterKind},
    runtime::{Event, Queue},
};

/// Form of a launch. The numbers cross the C border and are never reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum LaunchKind {
    /// `single_task`
    SingleTask = 1,
    /// `parallel_for(range)`
    Range = 2,
    /// `parallel_for(nd_range)`
    NdRange = 3,
}

/// What a program asks to run. SYCL order of dimensions; those that are not used are not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LaunchSpec {
    /// Form.
    pub kind: LaunchKind,
    /// 1 to 3; 1 for a single task.
    pub dimensions: usize,
    /// Work-items.
    pub global: [usize; 3],
    /// Work-items of a work-group; read for [`LaunchKind::NdRange`] only.
    pub local: [usize; 3],
    /// Offset of the global ids.
    pub offset: [usize; 3],
}

impl LaunchSpec {
    pub(super) fn global(&self) -> &[usize] {
        &self.global[..self.dimensions]
    }

    pub(super) fn local(&self) -> &[usize] {
        &self.local[..self.dimensions]
    }
}

/// How an argument was given.
#[derive(Debug, Clone, Copy)]
pub enum ArgumentKind<'a> {
    /// The object itself.
    Value(&'a [u8]),
    /// A pointer.
    Pointer(Address),
    /// That many bytes of local memory.
    Local(usize),
    /// The bytes of an object, by `raw_kernel_arg`.
    Raw(&'a [u8]),
}

/// One argument as a program gave it.
#[derive(Debug, Clone, Copy)]
pub struct KernelArgument<'a> {
    /// Which parameter it is for.
    pub index: u32,
    /// What was given.
    pub kind: ArgumentKind<'a>,
}

/// Arguments without an allocation up to this number.
const USUAL: usize = 16;

impl Kernel {
    /// Checks the launch and hands it to the queue. Of several arguments for one parameter the last counts. A global
    /// range with a zero in it launches nothing, and its event completes in its turn.
    ///
    /// # Errors
    /// In this order: [`Errc::Invalid`] if the contexts differ; [`Errc::KernelNotSupported`] if the kernel was not
    /// built for the queue's device; [`Errc::Invalid`] if the form or the dimensions do not fit the kernel;
    /// [`Errc::KernelNotSupported`] for a required sub-group size that the device lacks; [`Errc::NdRange`] for a bad
    /// range; [`Errc::Invalid`] for missing or surplus arguments; [`Errc::KernelArgument`] for one that does not fit
    /// its parameter; [`Errc::MemoryAllocation`] for too much local memory; [`Errc::Kernel`] if the driver refuses.
    pub fn launch(
        &self,
        queue: &Queue,
        spec: &LaunchSpec,
        arguments: &[KernelArgument<'_>],
        deps: &[&Event],
    ) -> Result<Arc<Event>> {
        if !Arc::ptr_eq(queue.context(), self.context()) {
            return Err(Error::invalid(format!(
                "kernel '{}' belongs to another context than the queue that it is launched on",
                self.name()
            )));
        }
        let Some(on) = self.on(queue.device()) else {
            return Err(Error::new(Errc::KernelNotSupported, self.not_on(queue.device())));
        };
        let check = Check { kernel: self.info(), name: self.name(), limits: &on.limits };
        let range = check.range(spec)?;
        let arguments = check.arguments(spec, arguments)?;
        let launch = Launch { kernel: &*on.kernel, range: &range, arguments: &arguments };
        match &on.globals {
            None => queue.launch(launch, deps),
            Some(globals) => globals.launch(queue, launch, deps),
        }
    }
}

/// A kernel on a device, for the checks that need nothing else.
pub(super) struct Check<'a> {
    pub(super) kernel: &'a KernelInfo,
    pub(super) name: &'a str,
    pub(super) limits: &'a Limits,
}

impl<'a> Check<'a> {
    pub(super) fn error(&self, code: Errc, what: impl fmt::Display) -> Error {
        Error::new(code, format!("kernel '{}': {what}", self.name))
    }

    /// The arguments in the order of the parameters.
    fn arguments(&self, spec: &LaunchSpec, given: &[KernelArgument<'a>]) -> Result<SmallVec<[Argument<'a>; USUAL]>> {
        let parameters = &self.kernel.parameters;
        let mut slots: SmallVec<[Option<ArgumentKind<'a>>; USUAL]> = SmallVec::from_elem(None, parameters.len());
        for argument in given {
            match slots.get_mut(argument.index as usize) {
                Some(slot) => *slot = Some(argument.kind),
                None => return Err(self.surplus(argument.index)),
            }
        }
        let mut checked = SmallVec::with_capacity(slots.len());
        // Numbers first, so that a forgotten argument is not reported as one of the wrong size.
        if let Some(index) = slots.iter().position(Option::is_none) {
            return Err(self.error(
                Errc::Invalid,
                format_args!(
                    "argument {} was not set; it takes {}",
                    Place(index, &parameters[index]),
                    parameters.len()
                ),
            ));
        }
        for (index, (parameter, kind)) in parameters.iter().zip(slots.into_iter().flatten()).enumerate() {
            checked.push(self.argument(spec, Place(index, parameter), kind)?);
        }
        self.sizes(&checked)?;
        Ok(checked)
    }

    fn surplus(&self, index: u32) -> Error {
        let count = self.kernel.parameters.len();
        self.error(Errc::Invalid, format_args!("argument {index} was set, and it takes {count}"))
    }

    fn argument(&self, spec: &LaunchSpec, place: Place<'_>, kind: ArgumentKind<'a>) -> Result<Argument<'a>> {
        let bad =
            |what: fmt::Arguments<'_>| Err(self.error(Errc::KernelArgument, format_args!("argument {place}: {what}")));
        let parameter = place.1;
        match (kind, parameter.kind) {
            (
                ArgumentKind::Value(bytes) | ArgumentKind::Raw(bytes),
                ParameterKind::Scalar | ParameterKind::Aggregate,
            ) => {
                if bytes.len() as u64 == parameter.size {
                    return Ok(Argument::Value(bytes));
                }
                bad(format_args!("a value of {} bytes was given, the parameter has {}", bytes.len(), parameter.size))
            }
            (ArgumentKind::Value(bytes) | ArgumentKind::Raw(bytes), ParameterKind::Opaque) => {
                Ok(Argument::Value(bytes))
            }
            (ArgumentKind::Pointer(address), ParameterKind::Pointer) => Ok(Argument::Pointer(address)),
            // Kernels of other languages may share local memory whatever the form of the launch.
            (ArgumentKind::Local(_), ParameterKind::Local)
                if spec.kind != LaunchKind::NdRange && self.kernel.kind != KernelKind::Any =>
            {
                bad(format_args!("local memory needs a launch over an nd_range"))
            }
            // Drivers refuse an empty block; the kernel cannot tell one from a block that it must not touch.
            (ArgumentKind::Local(bytes), ParameterKind::Local) => Ok(Argument::Local(bytes.max(1))),
            (ArgumentKind::Raw(_), ParameterKind::Pointer | ParameterKind::Local) => {
                bad(format_args!("raw_kernel_arg is for parameters that are passed by value"))
            }
            (_, ParameterKind::Unsupported) => Err(self.error(
                Errc::Invalid,
                format_args!(
                    "argument {place}: parameters of this type are not supported, nothing can be given for it"
                ),
            )),
            (given, wanted) => bad(format_args!("{} was given, the parameter takes {}", Given(given), Wanted(wanted))),
        }
    }

    /// Limits on all arguments together.
    fn sizes(&self, arguments: &[Argument<'_>]) -> Result<()> {
        let mut bytes = 0_usize;
        let mut local = self.limits.static_local_memory;
        for argument in arguments {
            match argument {
                Argument::Value(value) => bytes = bytes.saturating_add(value.len()),
                Argument::Pointer(_) => bytes = bytes.saturating_add(size_of::<usize>()),
                Argument::Local(size) => local = local.saturating_add(*size as u64),
            }
        }
        if bytes > self.limits.parameter_size {
            let limit = self.limits.parameter_size;
            return Err(self.error(
                Errc::KernelArgument,
                format_args!("its arguments take {bytes} bytes, the device allows {limit}"),
            ));
        }
        if local > self.limits.local_memory {
            let limit = self.limits.local_memory;
            return Err(self.error(
                Errc::MemoryAllocation,
                format_args!("the launch takes {local} bytes of local memory, the device has {limit}"),
            ));
        }
        Ok(())
    }
}

/// A parameter in a message: number, name and type.
#[derive(Clone, Copy)]
struct Place<'a>(usize, &'a Parameter);

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(index, parameter) = self;
        match parameter.name.as_str() {
            "" => write!(f, "{index} ({})", parameter.type_name),
            name => write!(f, "{index} ('{name}', {})", parameter.type_name),
        }
    }
}

struct Given<'a>(ArgumentKind<'a>);

impl fmt::Display for Given<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            ArgumentKind::Value(bytes) => write!(f, "a value of {} bytes", bytes.len()),
            ArgumentKind::Raw(bytes) => write!(f, "a raw_kernel_arg of {} bytes", bytes.len()),
            ArgumentKind::Pointer(_) => f.write_str("a pointer"),
            ArgumentKind::Local(bytes) => write!(f, "local memory of {bytes} bytes"),
        }
    }
}

struct Wanted(ParameterKind);

impl fmt::Display for Wanted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            ParameterKind::Scalar => "a scalar",
            ParameterKind::Pointer => "a pointer",
            ParameterKind::Aggregate => "an object by value",
            ParameterKind::Local => "local memory",
            ParameterKind::Opaque => "a value",
            ParameterKind::Unsupported => "what cannot be given",
        })
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::image::KernelProperties;

    fn parameter(name: &str, type_name: &str, kind: ParameterKind, size: u64) -> Parameter {
        Parameter { name: name.into(), type_name: type_name.into(), kind, size, align: size.clamp(1, 8) }
    }

    pub(in crate::bundle) fn kernel(kind: KernelKind) -> KernelInfo {
        KernelInfo {
            raw_name: "__sycl_kernel_k".into(),
            plain_name: Some("k".into()),
            mangled_name: "k".into(),
            kind,
            parameters: vec![
                parameter("n", "int", ParameterKind::Scalar, 4),
                parameter("out", "float *", ParameterKind::Pointer, 8),
                parameter("", "S", ParameterKind::Aggregate, 24),
                parameter("scratch", "float", ParameterKind::Local, 0),
            ],
            properties: KernelProperties::default(),
            aspects: Vec::new(),
        }
    }

    pub(in crate::bundle) fn limits() -> Limits {
        Limits {
            work_item_sizes: [64, 256, 1024],
            work_group_size: 512,
            local_memory: 1 << 15,
            static_local_memory: 1 << 14,
            parameter_size: 1024,
            sub_group_sizes: vec![8, 16],
            work_items: u64::MAX,
        }
    }

    pub(in crate::bundle) fn nd(global: &[usize], local: &[usize]) -> LaunchSpec {
        let mut spec = LaunchSpec {
            kind: LaunchKind::NdRange,
            dimensions: global.len(),
            global: [1; 3],
            local: [1; 3],
            offset: [0; 3],
        };
        spec.global[..global.len()].copy_from_slice(global);
        spec.local[..local.len()].copy_from_slice(local);
        spec
    }

    pub(in crate::bundle) fn code<T: fmt::Debug>(result: Result<T>) -> Option<Errc> {
        result.err().map(|error| {
            assert!(error.message.starts_with("kernel 'k': "), "{}", error.message);
            error.code
        })
    }

    const POINTER: ArgumentKind<'_> = ArgumentKind::Pointer(Address::NULL);

    fn arguments(kernel: &KernelInfo, spec: &LaunchSpec, given: &[(u32, ArgumentKind<'_>)]) -> Result<usize> {
        let given: Vec<KernelArgument<'_>> =
            given.iter().map(|(index, kind)| KernelArgument { index: *index, kind: *kind }).collect();
        Check { kernel, name: "k", limits: &limits() }.arguments(spec, &given).map(|arguments| arguments.len())
    }

    #[test]
    fn arguments_are_checked_against_the_parameters() {
        let kernel = kernel(KernelKind::NdRange(1));
        let spec = nd(&[4], &[2]);
        let value = ArgumentKind::Value;
        let good = [(0, value(&[0; 4])), (1, POINTER), (2, ArgumentKind::Raw(&[0; 24])), (3, ArgumentKind::Local(64))];
        assert_eq!(arguments(&kernel, &spec, &good), Ok(4));
        let mut shuffled = good;
        shuffled.reverse();
        assert_eq!(arguments(&kernel, &spec, &shuffled), Ok(4));
        for (index, kind, expected) in [
            (0, value(&[0; 8]), Errc::KernelArgument),
            (0, value(&[]), Errc::KernelArgument),
            (0, ArgumentKind::Raw(&[0; 3]), Errc::KernelArgument),
            (0, POINTER, Errc::KernelArgument),
            (0, ArgumentKind::Local(4), Errc::KernelArgument),
            (1, value(&[0; 8]), Errc::KernelArgument),
            (1, ArgumentKind::Raw(&[0; 8]), Errc::KernelArgument),
            (2, value(&[0; 20]), Errc::KernelArgument),
            (3, value(&[0; 8]), Errc::KernelArgument),
            (3, ArgumentKind::Raw(&[0; 8]), Errc::KernelArgument),
            (3, ArgumentKind::Local(1 << 14 | 1), Errc::MemoryAllocation),
            (3, ArgumentKind::Local(usize::MAX), Errc::MemoryAllocation),
            (4, POINTER, Errc::Invalid),
            (u32::MAX, POINTER, Errc::Invalid),
        ] {
            // Set again: the last one counts.
            let given = [&good[..], &[(index, kind)]].concat();
            assert_eq!(code(arguments(&kernel, &spec, &given)), Some(expected), "{index} {kind:?}");
            let restored = [&given[..], &good[..]].concat();
            assert_eq!(arguments(&kernel, &spec, &restored).is_ok(), index < 4, "{index}");
        }
        for missing in 0..4 {
            let given: Vec<_> = good.into_iter().filter(|(index, _)| *index != missing).collect();
            assert_eq!(code(arguments(&kernel, &spec, &given)), Some(Errc::Invalid));
        }
        assert_eq!(
            arguments(&kernel, &spec, &[(3, ArgumentKind::Local(0))].into_iter().chain(good).collect::<Vec<_>>()),
            Ok(4)
        );
    }

    #[test]
    fn nothing_can_be_given_for_an_image() {
        let mut kernel = kernel(KernelKind::Any);
        kernel.parameters = vec![parameter("i", "image2d_t", ParameterKind::Unsupported, 0)];
        for kind in [POINTER, ArgumentKind::Value(&[0; 8]), ArgumentKind::Raw(&[0; 8]), ArgumentKind::Local(8)] {
            assert_eq!(code(arguments(&kernel, &nd(&[1], &[1]), &[(0, kind)])), Some(Errc::Invalid));
        }
        kernel.parameters = vec![parameter("v", "vec", ParameterKind::Opaque, 0)];
        assert_eq!(arguments(&kernel, &nd(&[1], &[1]), &[(0, ArgumentKind::Value(&[0; 12]))]), Ok(1));
    }

    #[test]
    fn local_memory_needs_work_groups() {
        let mut kernel = kernel(KernelKind::NdRange(1));
        kernel.parameters.drain(..3);
        let plain = LaunchSpec { kind: LaunchKind::Range, ..nd(&[4], &[0]) };
        assert_eq!(code(arguments(&kernel, &plain, &[(0, ArgumentKind::Local(4))])), Some(Errc::KernelArgument));
        // O8, V6
        kernel.kind = KernelKind::Any;
        assert_eq!(arguments(&kernel, &plain, &[(0, ArgumentKind::Local(4))]), Ok(1));
    }

    #[test]
    fn arguments_together_have_a_limit() {
        let mut kernel = kernel(KernelKind::SingleTask);
        kernel.parameters = vec![parameter("s", "Big", ParameterKind::Aggregate, 600); 2];
        let given = [(0, ArgumentKind::Value(&[0; 600])), (1, ArgumentKind::Value(&[0; 600]))];
        assert_eq!(code(arguments(&kernel, &nd(&[1], &[1]), &given)), Some(Errc::KernelArgument));
    }

    #[test]
    fn messages_name_index_parameter_type_and_both_sides() {
        let kernel = kernel(KernelKind::NdRange(1));
        let spec = nd(&[4], &[2]);
        let message = |given: &[(u32, ArgumentKind<'_>)]| arguments(&kernel, &spec, given).unwrap_err().message;
        let rest = [(1, POINTER), (2, ArgumentKind::Value(&[0; 24])), (3, ArgumentKind::Local(1))];
        let with = |index, kind| message(&[&[(index, kind)], &rest[..]].concat());
        assert_eq!(
            with(0, ArgumentKind::Value(&[0; 8])),
            "kernel 'k': argument 0 ('n', int): a value of 8 bytes was given, the parameter has 4"
        );
        assert_eq!(
            with(0, POINTER),
            "kernel 'k': argument 0 ('n', int): a pointer was given, the parameter takes a scalar"
        );
        assert_eq!(message(&rest), "kernel 'k': argument 0 ('n', int) was not set; it takes 4");
        assert_eq!(message(&[(9, POINTER)]), "kernel 'k': argument 9 was set, and it takes 4");
        assert_eq!(
            message(&[(0, ArgumentKind::Value(&[0; 4])), (1, POINTER), (2, POINTER), (3, ArgumentKind::Local(1))]),
            "kernel 'k': argument 2 (S): a pointer was given, the parameter takes an object by value"
        );
    }
}
