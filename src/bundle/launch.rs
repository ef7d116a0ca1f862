// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Launches: everything is checked here, before a driver hears of it.

use std::{fmt, sync::Arc};

use smallvec::SmallVec;

use super::kernel::{Kernel, Limits};
use crate::{
    backend::{Address, Argument, Launch},
    error::{Errc, Error, Result},
    image::{KernelInfo, KernelKind, LocalExtent, LocalObject, Parameter, ParameterKind},
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
    /// Bytes of scratch memory of a work-group; 0 for none.
    pub scratch: usize,
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
    /// A `local_accessor`: its size in bytes and its range, as numbers of 8 bytes.
    LocalAccessor(&'a [u8]),
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

/// Arguments in the driver's order.
type Natives<'a> = SmallVec<[Argument<'a>; USUAL]>;

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
    fn arguments(&self, spec: &LaunchSpec, given: &[KernelArgument<'a>]) -> Result<Natives<'a>> {
        let parameters = &self.kernel.parameters;
        let mut slots: SmallVec<[Option<ArgumentKind<'a>>; USUAL]> = SmallVec::from_elem(None, parameters.len());
        for argument in given {
            match slots.get_mut(argument.index as usize) {
                Some(slot) => *slot = Some(argument.kind),
                None => return Err(self.surplus(argument.index)),
            }
        }
        let mut checked = Natives::with_capacity(slots.len());
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
            self.argument(spec, Place(index, parameter), kind, &mut checked)?;
        }
        self.scratch(spec, &mut checked)?;
        self.sizes(&checked, if self.kernel.scratch { 0 } else { spec.scratch })?;
        Ok(checked)
    }

    fn surplus(&self, index: u32) -> Error {
        let count = self.kernel.parameters.len();
        self.error(Errc::Invalid, format_args!("argument {index} was set, and it takes {count}"))
    }

    fn argument(
        &self,
        spec: &LaunchSpec,
        place: Place<'_>,
        kind: ArgumentKind<'a>,
        natives: &mut Natives<'a>,
    ) -> Result<()> {
        let parameter = place.1;
        match (kind, parameter.kind) {
            (
                ArgumentKind::Value(bytes) | ArgumentKind::Raw(bytes),
                ParameterKind::Scalar | ParameterKind::Aggregate,
            ) => {
                self.size(place, bytes)?;
                for object in &parameter.local {
                    natives.push(self.local_object(spec, place, bytes, object)?);
                }
                natives.push(Argument::Value(bytes));
            }
            (ArgumentKind::Value(bytes) | ArgumentKind::Raw(bytes), ParameterKind::Opaque) => {
                natives.push(Argument::Value(bytes));
            }
            (ArgumentKind::Pointer(address), ParameterKind::Pointer) => natives.push(Argument::Pointer(address)),
            (ArgumentKind::Local(bytes), ParameterKind::Local) => {
                natives.push(match parameter.local.first() {
                    Some(object) => self.local_object(spec, place, &(bytes as u64).to_ne_bytes(), object)?,
                    None => self.local(spec, place, bytes as u64)?,
                });
            }
            (ArgumentKind::LocalAccessor(object), ParameterKind::Local) if parameter.local.is_empty() => {
                natives.push(self.local(spec, place, number(object, 0).unwrap_or(NO_LOCAL_MEMORY))?);
            }
            (ArgumentKind::LocalAccessor(bytes), ParameterKind::LocalAccessor) => {
                self.size(place, bytes)?;
                for object in &parameter.local {
                    natives.push(self.local_object(spec, place, bytes, object)?);
                }
                natives.push(Argument::Value(bytes.get(LocalObject::POINTER as usize..).unwrap_or_default()));
            }
            (ArgumentKind::Raw(_), ParameterKind::Pointer | ParameterKind::Local | ParameterKind::LocalAccessor) => {
                return Err(self.bad(place, "raw_kernel_arg is for parameters that are passed by value"));
            }
            (_, ParameterKind::Unsupported) => {
                let what = "parameters of this type are not supported, nothing can be given for it";
                return Err(self.error(Errc::Invalid, format_args!("argument {place}: {what}")));
            }
            (given, wanted) => {
                let what = format_args!("{} was given, the parameter takes {}", Given(given), Wanted(wanted));
                return Err(self.bad(place, what));
            }
        }
        Ok(())
    }

    fn bad(&self, place: Place<'_>, what: impl fmt::Display) -> Error {
        self.error(Errc::KernelArgument, format_args!("argument {place}: {what}"))
    }

    fn size(&self, place: Place<'_>, bytes: &[u8]) -> Result<()> {
        if bytes.len() as u64 == place.1.size {
            return Ok(());
        }
        let what = format_args!("a value of {} bytes was given, the parameter has {}", bytes.len(), place.1.size);
        Err(self.bad(place, what))
    }

    /// The local memory that an object in `bytes` stands for.
    fn local_object(
        &self,
        spec: &LaunchSpec,
        place: Place<'_>,
        bytes: &[u8],
        object: &LocalObject,
    ) -> Result<Argument<'a>> {
        let given = number(bytes, object.offset).unwrap_or(NO_LOCAL_MEMORY);
        let argument = self.local(spec, place, given)?;
        let (fits, wanted) = match object.extent {
            LocalExtent::One => (given == object.element, format!("{}", object.element)),
            LocalExtent::Any => {
                (given.checked_rem(object.element) == Some(0), format!("a multiple of {}", object.element))
            }
            LocalExtent::Range(dimensions) => {
                let mut extents = (1..=u64::from(dimensions)).map(|i| number(bytes, object.offset + 8 * i));
                let wanted = extents.try_fold(object.element, |bytes, extent| bytes.checked_mul(extent?));
                (wanted == Some(given), format!("elements of {} bytes, as many as its range says", object.element))
            }
        };
        if fits {
            return Ok(argument);
        }
        Err(self.bad(place, format_args!("local memory of {given} bytes was given, the parameter takes {wanted}")))
    }

    fn local(&self, spec: &LaunchSpec, place: Place<'_>, bytes: u64) -> Result<Argument<'a>> {
        if bytes == NO_LOCAL_MEMORY {
            return Err(self.bad(place, "the object stands for no local memory"));
        }
        // Kernels of other languages may share local memory whatever the form of the launch.
        if spec.kind != LaunchKind::NdRange && self.kernel.kind != KernelKind::Any {
            return Err(self.bad(place, "local memory needs a launch over an nd_range"));
        }
        // Drivers refuse an empty block; the kernel cannot tell one from a block that it must not touch.
        Ok(Argument::Local(usize::try_from(bytes).unwrap_or(usize::MAX).max(1)))
    }

    /// The argument behind all others of a kernel that uses scratch memory.
    fn scratch(&self, spec: &LaunchSpec, natives: &mut Natives<'a>) -> Result<()> {
        if !self.kernel.scratch {
            return Ok(());
        }
        if spec.scratch == 0 {
            return Err(self.error(
                Errc::MemoryAllocation,
                "it uses work-group scratch memory, and the launch has no property work_group_scratch_size that says how much",
            ));
        }
        natives.push(Argument::Local(spec.scratch));
        Ok(())
    }

    /// Limits on all arguments together. `unused` is local memory that is asked for and no argument.
    fn sizes(&self, arguments: &[Argument<'_>], unused: usize) -> Result<()> {
        let mut bytes = 0_usize;
        let mut local = self.limits.static_local_memory.saturating_add(unused as u64);
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

/// What a host object holds in the place of a size if it stands for nothing: a null accessor, an indeterminate object.
const NO_LOCAL_MEMORY: u64 = u64::MAX;

/// The number at an offset of an object.
fn number(bytes: &[u8], offset: u64) -> Option<u64> {
    let start = usize::try_from(offset).ok()?;
    Some(u64::from_ne_bytes(bytes.get(start..start.checked_add(8)?)?.try_into().ok()?))
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
            ArgumentKind::LocalAccessor(bytes) => {
                let dimensions = (bytes.len() / 8).saturating_sub(1);
                let size = number(bytes, 0).unwrap_or_default();
                write!(f, "a local_accessor of {dimensions} dimensions, of {size} bytes")
            }
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
            ParameterKind::LocalAccessor => "a local_accessor",
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
        let align = size.clamp(1, 8);
        Parameter { name: name.into(), type_name: type_name.into(), kind, size, align, local: Vec::new() }
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
            scratch: false,
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
            scratch: 0,
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
            (3, ArgumentKind::Local(usize::MAX - 1), Errc::MemoryAllocation),
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

    fn words(values: &[u64]) -> Vec<u8> {
        values.iter().flat_map(|value| value.to_ne_bytes()).collect()
    }

    // Section 7.2, row 11: what an object says of its local memory is compared with the parameter.
    #[test]
    fn local_objects_are_checked_against_the_parameter() {
        let mut kernel = kernel(KernelKind::NdRange(1));
        let object = |offset, extent| LocalObject { offset, element: 4, extent };
        let mut accessor = parameter("a", "local_accessor<int, 2>", ParameterKind::LocalAccessor, 24);
        accessor.local = vec![object(0, LocalExtent::Range(2))];
        let mut memory = parameter("m", "work_group_memory<int>", ParameterKind::Local, 8);
        memory.local = vec![object(0, LocalExtent::One)];
        let mut structure = parameter("s", "S", ParameterKind::Aggregate, 40);
        structure.local = vec![object(8, LocalExtent::Any), object(16, LocalExtent::Range(1))];
        kernel.parameters = vec![accessor, memory, structure];
        let spec = nd(&[4], &[2]);
        let check = |accessor: &[u64], memory: usize, structure: &[u64]| {
            let (accessor, structure) = (words(accessor), words(structure));
            let given = [
                (0, ArgumentKind::LocalAccessor(&accessor)),
                (1, ArgumentKind::Local(memory)),
                (2, ArgumentKind::Value(&structure)),
            ];
            arguments(&kernel, &spec, &given)
        };
        // A pointer and a range, a pointer, two pointers and the object.
        assert_eq!(check(&[24, 2, 3], 4, &[0, 8, 20, 5, 0]), Ok(6));
        assert_eq!(check(&[0, 0, 3], 4, &[0, 0, 0, 0, 0]), Ok(6));
        let null = u64::MAX;
        for (accessor, memory, structure) in [
            (&[20, 2, 3][..], 4, [0, 8, 20, 5, 0]),
            (&[24, 2], 4, [0, 8, 20, 5, 0]),
            (&[24, 2, 3, 1], 4, [0, 8, 20, 5, 0]),
            (&[null, 2, 3], 4, [0, 8, 20, 5, 0]),
            // The product wraps to 24.
            (&[24, 1 << 62, 3], 4, [0, 8, 20, 5, 0]),
            (&[24, 2, 3], 8, [0, 8, 20, 5, 0]),
            (&[24, 2, 3], 0, [0, 8, 20, 5, 0]),
            (&[24, 2, 3], usize::MAX, [0, 8, 20, 5, 0]),
            (&[24, 2, 3], 4, [0, 7, 20, 5, 0]),
            (&[24, 2, 3], 4, [0, 8, 16, 5, 0]),
            (&[24, 2, 3], 4, [0, null, 20, 5, 0]),
        ] {
            let failed = code(check(accessor, memory, &structure));
            assert_eq!(failed, Some(Errc::KernelArgument), "{accessor:?} {memory} {structure:?}");
        }
        assert_eq!(code(check(&[1 << 14, 1 << 6, 1 << 6], 4, &[0, 8, 20, 5, 0])), Some(Errc::MemoryAllocation));
        // Kernels of other languages take an accessor's size, and know no element.
        kernel.kind = KernelKind::Any;
        kernel.parameters = vec![parameter("l", "float", ParameterKind::Local, 0)];
        let accessor = words(&[20, 5]);
        let given = [(0, ArgumentKind::LocalAccessor(accessor.as_slice()))];
        assert_eq!(arguments(&kernel, &LaunchSpec { kind: LaunchKind::Range, ..spec }, &given), Ok(1));
        assert_eq!(
            code(arguments(&kernel, &spec, &[(0, ArgumentKind::LocalAccessor(&[]))])),
            Some(Errc::KernelArgument)
        );
    }

    // Section 6.3
    #[test]
    fn scratch_memory_is_the_last_argument() {
        let mut kernel = kernel(KernelKind::NdRange(1));
        kernel.parameters.truncate(1);
        let given = [(0, ArgumentKind::Value(&[0; 4]))];
        let with = |scratch| LaunchSpec { scratch, ..nd(&[4], &[2]) };
        // Of no use, but within the limit.
        assert_eq!(arguments(&kernel, &with(1 << 14), &given), Ok(1));
        assert_eq!(code(arguments(&kernel, &with(1 << 14 | 1), &given)), Some(Errc::MemoryAllocation));
        kernel.scratch = true;
        assert_eq!(arguments(&kernel, &with(1 << 14), &given), Ok(2));
        assert_eq!(code(arguments(&kernel, &with(1 << 14 | 1), &given)), Some(Errc::MemoryAllocation));
        assert_eq!(code(arguments(&kernel, &with(0), &given)), Some(Errc::MemoryAllocation));
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
