// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Queues and their commands.

use std::{ffi::c_void, ptr, sync::Arc};

use smallvec::SmallVec;

use super::{
    border::{fallible, infallible},
    handle::{
        self, syclrtc_context_t, syclrtc_device_t, syclrtc_error_t, syclrtc_event_t, syclrtc_kernel_t, syclrtc_queue_t,
    },
    input::{Out, Structure, elements, structure, structures},
    results::known,
};
use crate::{
    backend::{Address, Fill, QueueFlags},
    bundle::{ArgumentKind, Kernel, KernelArgument, LaunchKind, LaunchSpec},
    error::{Error, Result},
    runtime::{Context, Device, Event, Queue},
};

/// Commands run one after the other, in the order of submission.
pub const SYCLRTC_QUEUE_IN_ORDER: u32 = 1;
/// Events tell their times.
pub const SYCLRTC_QUEUE_PROFILING: u32 = 2;

/// The kernel runs once.
pub const SYCLRTC_LAUNCH_SINGLE_TASK: u32 = 1;
/// The kernel runs over a range; work-groups are the library's choice.
pub const SYCLRTC_LAUNCH_RANGE: u32 = 2;
/// The kernel runs over a range in work-groups.
pub const SYCLRTC_LAUNCH_ND_RANGE: u32 = 3;

/// How often a kernel runs. Dimensions in SYCL order: the last one varies fastest.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct syclrtc_launch_t {
    /// `sizeof(syclrtc_launch_t)`
    pub size: usize,
    /// One of `SYCLRTC_LAUNCH_*`.
    pub kind: u32,
    /// 1 to 3; for a single task 1 (or 0).
    pub dimensions: u32,
    /// Work-items; not read for a single task.
    pub global: [usize; 3],
    /// Work-items of a work-group; read for `SYCLRTC_LAUNCH_ND_RANGE`.
    pub local: [usize; 3],
    /// Offset of the global ids; not read for a single task.
    pub offset: [usize; 3],
    /// Bytes of scratch memory of each work-group; 0 for none.
    pub scratch: usize,
}

/// An object by value: `data` and `bytes`.
pub const SYCLRTC_ARGUMENT_VALUE: u32 = 1;
/// A pointer: `data` points to it, `bytes` is `sizeof(void *)`.
pub const SYCLRTC_ARGUMENT_POINTER: u32 = 2;
/// Local memory: `data` is NULL, `bytes` is how much; `SIZE_MAX` stands for an object without memory.
pub const SYCLRTC_ARGUMENT_LOCAL: u32 = 3;
/// The bytes of an object by `raw_kernel_arg`: `data` and `bytes`.
pub const SYCLRTC_ARGUMENT_RAW: u32 = 4;
/// A `local_accessor`: `data` points to `bytes` bytes, which are integers of 8 bytes each: how many bytes of local memory, then
/// its range, in SYCL's order.
pub const SYCLRTC_ARGUMENT_LOCAL_ACCESSOR: u32 = 5;

/// An argument of a kernel.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct syclrtc_argument_t {
    /// `sizeof(syclrtc_argument_t)`
    pub size: usize,
    /// Number of the parameter, from 0.
    pub index: u32,
    /// One of `SYCLRTC_ARGUMENT_*`.
    pub kind: u32,
    /// What `kind` says; need not be aligned.
    pub data: *const c_void,
    /// What `kind` says.
    pub bytes: usize,
}

// SAFETY: `repr(C)`, starts with the size, integers only.
unsafe impl Structure for syclrtc_launch_t {
    const NAME: &'static str = "syclrtc_launch_t";
}

// SAFETY: `repr(C)`, starts with the size, integers and a pointer that may be NULL.
unsafe impl Structure for syclrtc_argument_t {
    const NAME: &'static str = "syclrtc_argument_t";
}

/// Events without an allocation up to this number.
type Events<'a> = SmallVec<[&'a Event; 8]>;
/// Arguments without an allocation up to this number.
type Arguments<'a> = SmallVec<[KernelArgument<'a>; 16]>;

/// # Safety
/// `deps` must be readable for `count` pointers; none of the handles may be released before the last use.
unsafe fn events_of<'a>(deps: *const *const syclrtc_event_t, count: usize) -> Result<Events<'a>> {
    // SAFETY: readable by the condition.
    let handles = unsafe { elements(deps, count, "deps") }?;
    // SAFETY: not released meanwhile by the condition.
    handles.iter().map(|event| unsafe { handle::get::<Event>(*event, "deps[]") }).collect()
}

/// A queue of a context for one of its devices.
///
/// `context`, `device`: borrowed for the call. `flags`: `SYCLRTC_QUEUE_IN_ORDER`, `SYCLRTC_QUEUE_PROFILING`, both or 0. `queue`:
/// receives a new reference. Errors: `INVALID` for NULL, a wrong handle, an unknown flag, or a device that is not in the
/// context; `FEATURE_NOT_SUPPORTED` for profiling on a device without it; `RUNTIME` if the driver fails; nothing is written
/// then. Threads: any. Since 0.1.0. SYCL 2020: constructors of `queue`.
///
/// # Safety
/// `context` and `device` must not be released before this returns; `queue` must be writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syclrtc_queue_create(
    context: *const syclrtc_context_t,
    device: *const syclrtc_device_t,
    flags: u32,
    queue: *mut *mut syclrtc_queue_t,
) -> *mut syclrtc_error_t {
    fallible(|| {
        // SAFETY: not released meanwhile and writable, says the header.
        let (context, device, out) = unsafe {
            (
                handle::share::<Context>(context, "context")?,
                handle::share::<Device>(device, "device")?,
                Out::new(queue, "queue")?,
            )
        };
        known((flags & !(SYCLRTC_QUEUE_IN_ORDER | SYCLRTC_QUEUE_PROFILING) == 0).then_some(()), flags, "flags")?;
        let flags = QueueFlags {
            in_order: flags & SYCLRTC_QUEUE_IN_ORDER != 0,
            profiling: flags & SYCLRTC_QUEUE_PROFILING != 0,
        };
        out.write(handle::export(Queue::new(&context, &device, flags)?));
        Ok(())
    })
}

/// The context of a queue.
///
/// `queue`: borrowed for the call. `context`: receives a new reference. Errors: `INVALID` for NULL or a wrong handle; nothing
/// is written then. Threads: any. Since 0.1.0. SYCL 2020: `queue::get_context`.
///
/// # Safety
/// `queue` must not be released before this returns; `context` must be writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syclrtc_queue_context(
    queue: *const syclrtc_queue_t,
    context: *mut *mut syclrtc_context_t,
) -> *mut syclrtc_error_t {
    fallible(|| {
        // SAFETY: not released meanwhile and writable, says the header.
        let (queue, out) = unsafe { (handle::get::<Queue>(queue, "queue")?, Out::new(context, "context")?) };
        out.write(handle::export(Arc::clone(queue.context())));
        Ok(())
    })
}

/// The device of a queue.
///
/// `queue`: borrowed for the call. `device`: receives a new reference. Errors: `INVALID` for NULL or a wrong handle; nothing
/// is written then. Threads: any. Since 0.1.0. SYCL 2020: `queue::get_device`.
///
/// # Safety
/// `queue` must not be released before this returns; `device` must be writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syclrtc_queue_device(
    queue: *const syclrtc_queue_t,
    device: *mut *mut syclrtc_device_t,
) -> *mut syclrtc_error_t {
    fallible(|| {
        // SAFETY: not released meanwhile and writable, says the header.
        let (queue, out) = unsafe { (handle::get::<Queue>(queue, "queue")?, Out::new(device, "device")?) };
        out.write(handle::export(Arc::clone(queue.device())));
        Ok(())
    })
}

/// The properties of a queue.
///
/// `queue`: borrowed for the call. `flags`: receives the flags of its creation. Errors: `INVALID` for NULL or a wrong handle;
/// nothing is written then. Threads: any. Since 0.1.0. SYCL 2020: `queue::has_property`.
///
/// # Safety
/// `queue` must not be released before this returns; `flags` must be writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syclrtc_queue_flags(queue: *const syclrtc_queue_t, flags: *mut u32) -> *mut syclrtc_error_t {
    fallible(|| {
        // SAFETY: not released meanwhile and writable, says the header.
        let (queue, out) = unsafe { (handle::get::<Queue>(queue, "queue")?, Out::new(flags, "flags")?) };
        let set = queue.flags();
        let flag = |on: bool, flag: u32| if on { flag } else { 0 };
        out.write(flag(set.in_order, SYCLRTC_QUEUE_IN_ORDER) | flag(set.profiling, SYCLRTC_QUEUE_PROFILING));
        Ok(())
    })
}

/// Waits until all commands given to a queue so far have completed.
///
/// `queue`: borrowed for the call. Errors: `INVALID` for NULL or a wrong handle; `RUNTIME` if the driver fails.
/// Threads: any. Since 0.1.0. SYCL 2020: `queue::wait`.
///
/// # Safety
/// `queue` must not be released before this returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syclrtc_queue_wait(queue: *const syclrtc_queue_t) -> *mut syclrtc_error_t {
    // SAFETY: not released meanwhile, says the header.
    fallible(|| unsafe { handle::get::<Queue>(queue, "queue") }?.wait())
}

/// Copies bytes between host memory and USM of the queue's context.
///
/// `queue`, `deps`: borrowed for the call; the copy starts when the `dep_count` events have completed. `destination`, `source`:
/// used until the copy has completed; with 0 bytes any pointers. `event`: receives a new reference to its completion; NULL
/// if it is not wanted. Errors: `INVALID` for NULL or a wrong handle; `RUNTIME` if the driver fails; nothing is written then.
/// Threads: any. Since 0.1.0. SYCL 2020: `queue::memcpy`.
///
/// # Safety
/// `queue` and `deps` must not be released before this returns; the memory must be valid until the copy has completed;
/// `event` must be NULL or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syclrtc_queue_memcpy(
    queue: *const syclrtc_queue_t,
    destination: *mut c_void,
    source: *const c_void,
    bytes: usize,
    deps: *const *const syclrtc_event_t,
    dep_count: usize,
    event: *mut *mut syclrtc_event_t,
) -> *mut syclrtc_error_t {
    fallible(|| {
        // SAFETY: not released meanwhile and writable, says the header.
        let (queue, deps, out) = unsafe {
            (handle::get::<Queue>(queue, "queue")?, events_of(deps, dep_count)?, Out::optional(event, "event")?)
        };
        // SAFETY: valid until the copy has completed, says the header.
        let (destination, source) = unsafe { (Address::new(destination), Address::new(source.cast_mut())) };
        deliver(queue.memcpy(destination, source, bytes, &deps)?, out);
        Ok(())
    })
}

/// Fills USM of the queue's context with `count` copies of a pattern; a memset has a pattern of one byte.
///
/// `queue`, `pattern`, `deps`: borrowed for the call; the fill starts when the `dep_count` events have completed.
/// `destination`: used until the fill has completed; with a count of 0 any pointer. `event`: receives a new reference to its
/// completion; NULL if it is not wanted. Errors: `INVALID` for NULL, a wrong handle, a pattern without bytes, or more bytes
/// than an address space holds; `RUNTIME` if the driver fails; nothing is written then. Threads: any. Since 0.1.0.
/// SYCL 2020: `queue::fill`, `queue::memset`.
///
/// # Safety
/// `queue` and `deps` must not be released before this returns; `pattern` must be readable for `pattern_bytes`; the
/// memory must be valid until the fill has completed; `event` must be NULL or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syclrtc_queue_fill(
    queue: *const syclrtc_queue_t,
    destination: *mut c_void,
    pattern: *const c_void,
    pattern_bytes: usize,
    count: usize,
    deps: *const *const syclrtc_event_t,
    dep_count: usize,
    event: *mut *mut syclrtc_event_t,
) -> *mut syclrtc_error_t {
    fallible(|| {
        // SAFETY: not released meanwhile, readable and writable, says the header.
        let (queue, pattern, deps, out) = unsafe {
            (
                handle::get::<Queue>(queue, "queue")?,
                elements(pattern.cast::<u8>(), pattern_bytes, "pattern")?,
                events_of(deps, dep_count)?,
                Out::optional(event, "event")?,
            )
        };
        // SAFETY: valid until the fill has completed, says the header.
        let destination = unsafe { Address::new(destination) };
        deliver(queue.fill(Fill { destination, pattern, count }, &deps)?, out);
        Ok(())
    })
}

/// A barrier: completes when the `dep_count` events have completed, or all earlier commands if there are none; later
/// commands of the queue wait for it.
///
/// `queue`, `deps`: borrowed for the call. `event`: receives a new reference to its completion; NULL if it is not wanted.
/// Errors: `INVALID` for NULL or a wrong handle; `RUNTIME` if the driver fails; nothing is written then.
/// Threads: any. Since 0.1.0. Extension: `queue::ext_oneapi_submit_barrier`.
///
/// # Safety
/// `queue` and `deps` must not be released before this returns; `event` must be NULL or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syclrtc_queue_barrier(
    queue: *const syclrtc_queue_t,
    deps: *const *const syclrtc_event_t,
    dep_count: usize,
    event: *mut *mut syclrtc_event_t,
) -> *mut syclrtc_error_t {
    fallible(|| {
        // SAFETY: not released meanwhile and writable, says the header.
        let (queue, deps, out) = unsafe {
            (handle::get::<Queue>(queue, "queue")?, events_of(deps, dep_count)?, Out::optional(event, "event")?)
        };
        deliver(queue.barrier(&deps)?, out);
        Ok(())
    })
}

/// Launches a kernel. Everything is checked before the driver is called.
///
/// `queue`, `kernel`, `launch`, `arguments` with what they point to, `deps`: borrowed for the call; the kernel starts when the
/// `dep_count` events have completed. Of several arguments with one index the last counts. `event`: receives a new reference
/// to the kernel's completion; NULL if it is not wanted. A global range with a zero in it runs nothing.
///
/// Errors, in the order of the checks; nothing is written and nothing runs then:
/// `INVALID` for NULL, a wrong handle, an unknown kind, a bad structure size or a bad number of dimensions;
/// `INVALID` if the contexts of kernel and queue differ;
/// `KERNEL_NOT_SUPPORTED` if the kernel was not built for the queue's device;
/// `INVALID` if the kind of the launch or its dimensions do not fit the kernel;
/// `KERNEL_NOT_SUPPORTED` if the device lacks the sub-group size that the kernel requires;
/// `ND_RANGE` if the local range has a zero, does not divide the global range, is over a limit of kernel or device, or is
/// not what the kernel requires, or if the global range overflows;
/// `INVALID` if arguments are missing or there are too many;
/// `KERNEL_ARGUMENT` if one has the wrong size or kind, if there is local memory without work-groups, or if all together are
/// larger than the device allows;
/// `MEMORY_ALLOCATION` if it takes more local memory than the device has;
/// `KERNEL` if the driver refuses.
/// Threads: any. Since 0.1.0. SYCL 2020: `handler::parallel_for`, `handler::single_task` with a kernel object.
///
/// # Safety
/// `queue`, `kernel` and `deps` must not be released before this returns; `launch` and `arguments` must be readable as
/// their sizes say, their data as `bytes` says; memory that the kernel touches must be valid until it has completed;
/// `event` must be NULL or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syclrtc_queue_launch(
    queue: *const syclrtc_queue_t,
    kernel: *const syclrtc_kernel_t,
    launch: *const syclrtc_launch_t,
    arguments: *const syclrtc_argument_t,
    argument_count: usize,
    deps: *const *const syclrtc_event_t,
    dep_count: usize,
    event: *mut *mut syclrtc_event_t,
) -> *mut syclrtc_error_t {
    fallible(|| {
        // SAFETY: not released meanwhile, readable and writable, says the header.
        let (queue, kernel, launch, deps, out) = unsafe {
            (
                handle::get::<Queue>(queue, "queue")?,
                handle::get::<Kernel>(kernel, "kernel")?,
                structure(launch, "launch")?,
                events_of(deps, dep_count)?,
                Out::optional(event, "event")?,
            )
        };
        // SAFETY: readable, and pointers valid for the kernel, says the header.
        let arguments = unsafe { arguments_of(arguments, argument_count) }?;
        deliver(kernel.launch(queue, &spec_of(&launch)?, &arguments, &deps)?, out);
        Ok(())
    })
}

/// A new reference to a queue: the same pointer. NULL for NULL and for what is no queue.
///
/// `queue`: borrowed for the call. Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn syclrtc_queue_clone(queue: *const syclrtc_queue_t) -> *mut syclrtc_queue_t {
    infallible(ptr::null_mut(), || handle::clone::<Queue>(queue, "queue"))
}

/// Ends the caller's reference to a queue. NULL is allowed; what is no queue is left alone. Commands go on.
///
/// `queue`: transferred. Threads: any, while no other thread uses this reference. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn syclrtc_queue_release(queue: *mut syclrtc_queue_t) {
    infallible((), || handle::release::<Queue>(queue, "queue"));
}

fn deliver(event: Arc<Event>, out: Option<Out<*mut syclrtc_event_t>>) {
    if let Some(out) = out {
        out.write(handle::export(event));
    }
}

fn spec_of(launch: &syclrtc_launch_t) -> Result<LaunchSpec> {
    let kind = match launch.kind {
        SYCLRTC_LAUNCH_SINGLE_TASK => Some(LaunchKind::SingleTask),
        SYCLRTC_LAUNCH_RANGE => Some(LaunchKind::Range),
        SYCLRTC_LAUNCH_ND_RANGE => Some(LaunchKind::NdRange),
        _ => None,
    };
    let kind = known(kind, launch.kind, "launch->kind")?;
    let scratch = launch.scratch;
    let dimensions = match (kind, launch.dimensions) {
        (LaunchKind::SingleTask, 0 | 1) => {
            return Ok(LaunchSpec { kind, dimensions: 1, global: [1; 3], local: [1; 3], offset: [0; 3], scratch });
        }
        (LaunchKind::Range | LaunchKind::NdRange, 1..=3) => launch.dimensions as usize,
        (_, other) => {
            return Err(Error::invalid(format!("`launch->dimensions` is {other}, which does not fit its kind")));
        }
    };
    let used = |sizes: &[usize; 3], rest: usize| {
        let mut used = [rest; 3];
        used[..dimensions].copy_from_slice(&sizes[..dimensions]);
        used
    };
    let (global, local) = (used(&launch.global, 1), used(&launch.local, 1));
    Ok(LaunchSpec { kind, dimensions, global, local, offset: used(&launch.offset, 0), scratch })
}

/// # Safety
/// `arguments` must be readable for `count` structures of their size, and the data of each for its bytes, until the last
/// use. Memory behind pointers must be valid until the kernel has completed.
unsafe fn arguments_of<'a>(arguments: *const syclrtc_argument_t, count: usize) -> Result<Arguments<'a>> {
    let mut converted = Arguments::new();
    let each = |argument: syclrtc_argument_t| {
        // SAFETY: the data of each argument is as the condition says.
        let kind = unsafe { argument_kind(&argument) }?;
        converted.push(KernelArgument { index: argument.index, kind });
        Ok(())
    };
    // SAFETY: the condition covers the structures.
    unsafe { structures(arguments, count, "arguments", each) }?;
    Ok(converted)
}

/// # Safety
/// The data must be readable for its bytes until the last use; a pointer's memory must be valid for the kernel.
unsafe fn argument_kind<'a>(argument: &syclrtc_argument_t) -> Result<ArgumentKind<'a>> {
    let index = argument.index;
    let data = argument.data.cast::<u8>();
    match argument.kind {
        SYCLRTC_ARGUMENT_VALUE | SYCLRTC_ARGUMENT_RAW => {
            // SAFETY: readable by the condition.
            let bytes = unsafe { elements(data, argument.bytes, "arguments[].data") }?;
            let raw = argument.kind == SYCLRTC_ARGUMENT_RAW;
            Ok(if raw { ArgumentKind::Raw(bytes) } else { ArgumentKind::Value(bytes) })
        }
        SYCLRTC_ARGUMENT_POINTER if argument.bytes == size_of::<*mut c_void>() && !data.is_null() => {
            // SAFETY: readable for the size of a pointer by the condition, which also vouches for its memory.
            Ok(ArgumentKind::Pointer(unsafe { Address::new(data.cast::<*mut c_void>().read_unaligned()) }))
        }
        SYCLRTC_ARGUMENT_POINTER => Err(Error::invalid(format!(
            "argument {index}: for a pointer `data` points to it and `bytes` is {}, not {}",
            size_of::<*mut c_void>(),
            argument.bytes
        ))),
        SYCLRTC_ARGUMENT_LOCAL_ACCESSOR => {
            // SAFETY: readable by the condition.
            Ok(ArgumentKind::LocalAccessor(unsafe { elements(data, argument.bytes, "arguments[].data") }?))
        }
        SYCLRTC_ARGUMENT_LOCAL if data.is_null() => Ok(ArgumentKind::Local(argument.bytes)),
        SYCLRTC_ARGUMENT_LOCAL => {
            Err(Error::invalid(format!("argument {index}: for local memory `data` has to be NULL")))
        }
        other => Err(Error::invalid(format!("argument {index}: `kind` is {other}, which is not one of its values"))),
    }
}
