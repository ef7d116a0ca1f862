// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The OpenCL back end and the run-time layer on real drivers.
//!
//! Every test runs on each device that the machine has. With `SYCLRTC_TEST_DEVICES=1` a machine without a device that
//! takes SPIR-V fails the tests; otherwise such tests say that they were skipped.

use std::ffi::c_void;
use std::process::{Command, Output};
use std::sync::Arc;

use spirv_tools::TargetEnv;
use spirv_tools::assembler::{Assembler, AssemblerOptions};
use syclrtc::backend::{
    Address, Argument, Aspect, BackendKind, DeviceInfo, EventStatus, Fill, InfoValue, Kernel, Launch, LaunchRange,
    Module, PlatformInfo, ProfilingPoint, QueueFlags, UsmKind, UsmRequest,
};
use syclrtc::error::{Errc, Error};
use syclrtc::image::DeviceImage;
use syclrtc::runtime::{self, Context, Device, Event, Queue};

const IN_ORDER: QueueFlags = QueueFlags { in_order: true, profiling: false };
const OUT_OF_ORDER: QueueFlags = QueueFlags { in_order: false, profiling: false };

/// A line for whoever reads the log of the tests.
#[expect(clippy::print_stderr, reason = "tests say what they skip")]
fn say(line: &str) {
    eprintln!("{line}");
}

fn devices() -> Vec<Arc<Device>> {
    runtime::platforms().unwrap().iter().flat_map(|platform| platform.devices().to_vec()).collect()
}

/// All devices that pass the filter; panics without one where drivers are to be there.
fn devices_that(what: &str, filter: impl Fn(&Device) -> bool) -> Vec<Arc<Device>> {
    let found: Vec<Arc<Device>> = devices().into_iter().filter(|device| filter(device)).collect();
    if found.is_empty() {
        let report = runtime::discovery_report().unwrap();
        assert!(
            std::env::var_os("SYCLRTC_TEST_DEVICES").is_none_or(|value| value != "1"),
            "no device {what}:\n{report}"
        );
        say(&format!("skipped: no device {what}"));
    }
    found
}

fn spirv_devices() -> Vec<Arc<Device>> {
    devices_that("takes SPIR-V", |device| device.capabilities().spirv.is_some())
}

fn usm_devices() -> Vec<Arc<Device>> {
    devices_that("has USM", |device| device.has(Aspect::UsmSharedAllocations))
}

fn context_of(device: &Arc<Device>) -> Arc<Context> {
    Context::new(std::slice::from_ref(device)).unwrap()
}

fn image() -> DeviceImage {
    let text = include_str!("data/opencl_backend.spvasm");
    let binary = spirv_tools::assembler::create(Some(TargetEnv::Universal_1_2))
        .assemble(text, AssemblerOptions::default())
        .unwrap();
    DeviceImage::spirv(binary.as_bytes(), [])
}

/// A device with a context, a queue and the kernels of the test module.
struct Setup {
    device: Arc<Device>,
    context: Arc<Context>,
    queue: Arc<Queue>,
    module: Arc<dyn Module>,
}

impl Setup {
    fn new(device: Arc<Device>, flags: QueueFlags) -> Self {
        let context = context_of(&device);
        let queue = Queue::new(&context, &device, flags).unwrap();
        let module = context.load_image(&device, &image(), "").unwrap();
        Self { device, context, queue, module }
    }

    fn kernel(&self, name: &str) -> Arc<dyn Kernel> {
        self.module.kernel(name).unwrap()
    }

    fn shared<T: Copy + Default>(&self, count: usize) -> Usm<T> {
        Usm::new(&self.context, Some(&self.device), UsmKind::Shared, count)
    }
}

/// USM that is freed with the test.
struct Usm<T> {
    context: Arc<Context>,
    address: Address,
    count: usize,
    element: std::marker::PhantomData<T>,
}

impl<T: Copy + Default> Usm<T> {
    fn new(context: &Arc<Context>, device: Option<&Device>, kind: UsmKind, count: usize) -> Self {
        let request = UsmRequest { kind, bytes: count * size_of::<T>(), alignment: align_of::<T>() };
        let address = context.usm_allocate(device, request).unwrap().expect("enough memory");
        let usm = Self { context: Arc::clone(context), address, count, element: std::marker::PhantomData };
        if kind != UsmKind::Device {
            for index in 0..count {
                // SAFETY: inside the allocation, which nobody else knows yet.
                unsafe { usm.pointer().add(index).write(T::default()) };
            }
        }
        usm
    }

    fn pointer(&self) -> *mut T {
        self.address.pointer().cast()
    }

    /// The elements, once no command writes them any more.
    fn read(&self) -> Vec<T> {
        // SAFETY: host and shared allocations are initialised in `new` and readable; the tests wait before.
        (0..self.count).map(|index| unsafe { self.pointer().add(index).read() }).collect()
    }
}

impl<T> Drop for Usm<T> {
    fn drop(&mut self) {
        self.context.usm_free(self.address).unwrap();
    }
}

fn host_address<T>(values: &[T]) -> Address {
    // SAFETY: the tests keep the memory until they have waited.
    unsafe { Address::new(values.as_ptr().cast_mut().cast()) }
}

fn host_address_mut<T>(values: &mut [T]) -> Address {
    // SAFETY: the tests keep the memory, and do not touch it, until they have waited.
    unsafe { Address::new(values.as_mut_ptr().cast()) }
}

fn range(sizes: &[usize], local: Option<&[usize]>) -> LaunchRange {
    let fill = |sizes: &[usize], rest| {
        let mut all = [rest; 3];
        all[..sizes.len()].copy_from_slice(sizes);
        all
    };
    LaunchRange {
        dimensions: sizes.len(),
        global: fill(sizes, 1),
        local: local.map(|local| fill(local, 1)),
        offset: [0; 3],
    }
}

fn launch(
    queue: &Queue,
    kernel: &dyn Kernel,
    range: &LaunchRange,
    arguments: &[Argument<'_>],
    deps: &[&Event],
) -> Arc<Event> {
    queue.launch(Launch { kernel, range, arguments }, deps).unwrap()
}

#[test]
fn the_report_says_what_was_loaded_and_found() {
    let report = runtime::discovery_report().unwrap();
    for platform in runtime::platforms().unwrap() {
        assert_eq!(platform.backend(), BackendKind::OpenCl);
        assert!(report.contains(platform.info(PlatformInfo::Name)), "{report}");
        assert!(platform.info(PlatformInfo::Version).starts_with("OpenCL "), "{platform:?}");
        for device in platform.devices() {
            assert!(report.contains(&device.name()), "{report}");
            assert!(Arc::ptr_eq(device.platform(), platform));
        }
    }
    assert!(report.contains("libOpenCL.so.1"), "{report}");
    spirv_devices();
}

#[test]
fn objects_are_the_same_each_time() {
    let (first, second) = (runtime::platforms().unwrap(), runtime::platforms().unwrap());
    for (one, other) in first.iter().zip(second) {
        assert!(Arc::ptr_eq(one, other));
        assert!(Arc::ptr_eq(&one.default_context().unwrap(), &other.default_context().unwrap()));
        assert_eq!(one.default_context().unwrap().devices().len(), one.devices().len());
    }
}

#[test]
fn every_question_is_answered_in_its_shape() {
    for device in devices() {
        for &param in DeviceInfo::ALL {
            let value = device.info(param).unwrap();
            let fits = match param.number() {
                1..16 => matches!(&value, InfoValue::Text(text) if !text.is_empty()),
                16..48 => matches!(value, InfoValue::U32(_)),
                48..52 => matches!(value, InfoValue::Size(_)),
                52 => matches!(&value, InfoValue::Sizes(sizes) if sizes.len() == 3),
                53 => matches!(value, InfoValue::Sizes(_)),
                _ => matches!(value, InfoValue::U64(_)),
            };
            assert!(fits, "{param:?}: {value:?}");
        }
        let InfoValue::Sizes(sizes) = device.info(DeviceInfo::MaxWorkItemSizes).unwrap() else { unreachable!() };
        assert!(sizes.iter().all(|size| *size > 0), "{sizes:?}");
        let kinds = [Aspect::Cpu, Aspect::Gpu, Aspect::Accelerator, Aspect::Custom];
        assert_eq!(kinds.iter().filter(|aspect| device.has(**aspect)).count(), 1);
        assert_eq!(device.has(Aspect::OnlineCompiler), device.capabilities().spirv.is_some());
        if let Some(spirv) = &device.capabilities().spirv {
            assert!(spirv.version >= (1, 0) && spirv.version <= (1, 4));
            assert!(spirv.extensions.is_sorted());
        }
    }
}

#[test]
fn a_device_without_spirv_refuses_a_module_with_a_reason() {
    for device in devices().into_iter().filter(|device| device.capabilities().spirv.is_none()) {
        let error = context_of(&device).load_image(&device, &image(), "").unwrap_err();
        assert_eq!(error.code, Errc::Build);
        assert!(error.message.contains("takes no SPIR-V") && error.message.contains(&device.name()), "{error}");
    }
}

#[test]
fn a_kernel_runs() {
    for device in spirv_devices() {
        let setup = Setup::new(device, OUT_OF_ORDER);
        let kernel = setup.kernel("iota");
        assert_eq!(kernel.argument_count(), 2);
        let out = setup.shared::<u32>(100);
        let arguments = [Argument::Pointer(out.address), Argument::Value(&7u32.to_ne_bytes())];
        for local in [None, Some(&[20][..])] {
            let event = launch(&setup.queue, &*kernel, &range(&[100], local), &arguments, &[]);
            event.wait().unwrap();
            assert_eq!(event.status().unwrap(), EventStatus::Complete);
            assert_eq!(out.read(), (7..107).collect::<Vec<u32>>());
        }
    }
}

#[test]
fn dimensions_arrive_in_opencl_order() {
    /// Global size, local size and offset in SYCL's order; what the kernel sees.
    type Row<'a> = (&'a [usize], &'a [usize], [usize; 3], [u64; 9]);
    let rows: &[Row<'_>] = &[
        (&[8], &[4], [3, 0, 0], [8, 1, 1, 4, 1, 1, 3, 0, 0]),
        (&[6, 8], &[3, 2], [0, 5, 0], [8, 6, 1, 2, 3, 1, 5, 0, 0]),
        (&[2, 3, 4], &[1, 3, 2], [7, 8, 9], [4, 3, 2, 2, 3, 1, 9, 8, 7]),
    ];
    for device in spirv_devices() {
        let setup = Setup::new(device, IN_ORDER);
        let kernel = setup.kernel("shape");
        let out = setup.shared::<u64>(9);
        for (global, local, offset, expected) in rows {
            let range = LaunchRange { offset: *offset, ..range(global, Some(local)) };
            launch(&setup.queue, &*kernel, &range, &[Argument::Pointer(out.address)], &[]).wait().unwrap();
            assert_eq!(out.read(), expected);
        }
    }
}

#[test]
fn memory_is_reached_through_pointers_in_memory_and_in_structures() {
    #[derive(Clone, Copy)]
    #[repr(C)]
    struct Chain {
        target: *mut c_void,
        value: u32,
    }
    impl Default for Chain {
        fn default() -> Self {
            Self { target: std::ptr::null_mut(), value: 0 }
        }
    }
    for device in spirv_devices() {
        let setup = Setup::new(device, IN_ORDER);
        let chain = setup.shared::<Chain>(1);
        for (kind, value) in [(UsmKind::Shared, 11u32), (UsmKind::Host, 12)] {
            // Made anew each time, after the kernel is known to the driver.
            let target = Usm::<u32>::new(&setup.context, Some(&setup.device), kind, 1);
            // SAFETY: one initialised element, which no command uses now.
            unsafe { chain.pointer().write(Chain { target: target.address.pointer(), value }) };
            let follow = setup.kernel("follow");
            launch(&setup.queue, &*follow, &range(&[1], None), &[Argument::Pointer(chain.address)], &[])
                .wait()
                .unwrap();
            assert_eq!(target.read(), [value]);

            let mut object = Vec::new();
            object.extend(target.address.pointer().expose_provenance().to_ne_bytes());
            object.extend((value + 100).to_ne_bytes());
            object.extend([0; 4]);
            let aggregate = setup.kernel("aggregate");
            launch(&setup.queue, &*aggregate, &range(&[1], None), &[Argument::Value(&object)], &[]).wait().unwrap();
            assert_eq!(target.read(), [value + 100]);
        }
    }
}

#[test]
fn local_memory_has_the_size_asked_for() {
    for device in spirv_devices() {
        let setup = Setup::new(device, IN_ORDER);
        let kernel = setup.kernel("local_sum");
        let out = setup.shared::<u32>(4);
        let arguments = [Argument::Pointer(out.address), Argument::Local(16 * 4)];
        launch(&setup.queue, &*kernel, &range(&[64], Some(&[16])), &arguments, &[]).wait().unwrap();
        assert_eq!(out.read(), [136; 4]);
    }
}

#[test]
fn kernels_tell_their_limits() {
    for device in spirv_devices() {
        let setup = Setup::new(device, IN_ORDER);
        let info = *setup.kernel("iota").device_info();
        assert!(info.work_group_size >= 1 && info.preferred_work_group_size_multiple >= 1, "{info:?}");
        assert!(info.max_num_sub_groups >= 1 && info.max_sub_group_size >= 1, "{info:?}");
        assert_eq!(info.compile_work_group_size, [0; 3]);
        assert_eq!((info.compile_num_sub_groups, info.compile_sub_group_size), (0, 0), "{info:?}");
        // 4 x 2 x 1 in OpenCL's order
        assert_eq!(setup.kernel("required").device_info().compile_work_group_size, [1, 2, 4]);
        let mut names = setup.module.kernel_names().to_vec();
        names.sort();
        assert_eq!(names, ["aggregate", "follow", "iota", "local_sum", "required", "shape"]);
    }
}

#[test]
fn an_unknown_kernel_is_invalid_and_the_known_ones_are_listed() {
    for device in spirv_devices() {
        let setup = Setup::new(device, IN_ORDER);
        for name in ["nonsense", "", "io\0ta"] {
            let error = setup.module.kernel(name).unwrap_err();
            assert_eq!(error.code, Errc::Invalid);
            assert!(error.message.contains("iota"), "{error}");
        }
    }
}

#[test]
fn bad_build_flags_fail_the_build_and_the_next_build_works() {
    for device in spirv_devices() {
        let context = context_of(&device);
        let error = context.load_image(&device, &image(), "-no-such-flag-anywhere").unwrap_err();
        assert_eq!(error.code, Errc::Build, "{error}");
        assert!(error.message.contains("CL_"), "{error}");
        assert!(error.log.is_some());
        assert_eq!(context.load_image(&device, &image(), "nul\0").unwrap_err().code, Errc::Invalid);
        context.load_image(&device, &image(), "-cl-opt-disable").unwrap();
    }
}

#[test]
fn launches_that_the_driver_refuses_are_errors() {
    for device in spirv_devices() {
        let setup = Setup::new(device, IN_ORDER);
        let out = setup.shared::<u32>(1);
        let pointer = [Argument::Pointer(out.address)];
        let refused = |name: &str, range: &LaunchRange, arguments: &[Argument<'_>]| -> Error {
            let kernel = setup.kernel(name);
            setup.queue.launch(Launch { kernel: &*kernel, range, arguments }, &[]).unwrap_err()
        };
        let error = refused("required", &range(&[8, 8, 8], Some(&[8, 1, 1])), &pointer);
        assert_eq!(error.code, Errc::NdRange, "{error}");
        assert!(error.message.contains("CL_INVALID_WORK_GROUP_SIZE"), "{error}");
        let error = refused("iota", &range(&[1], None), &[pointer[0], Argument::Value(&[0; 3])]);
        assert_eq!(error.code, Errc::KernelArgument, "{error}");
        assert!(error.message.contains("argument 1 of kernel iota"), "{error}");
        let error = refused("iota", &range(&[1], None), &pointer);
        assert_eq!(error.code, Errc::KernelArgument, "{error}");
        // The kernel is not harmed.
        launch(&setup.queue, &*setup.kernel("required"), &range(&[1, 2, 4], Some(&[1, 2, 4])), &pointer, &[])
            .wait()
            .unwrap();
        assert_eq!(out.read(), [1]);
    }
}

#[test]
fn commands_wait_for_their_dependencies() {
    for device in spirv_devices() {
        let setup = Setup::new(device, OUT_OF_ORDER);
        let other = Queue::new(&setup.context, &setup.device, OUT_OF_ORDER).unwrap();
        let kernel = setup.kernel("iota");
        const COUNT: usize = 1 << 16;
        let memory = Usm::<u32>::new(&setup.context, Some(&setup.device), UsmKind::Device, COUNT);
        let out = setup.shared::<u32>(COUNT);
        for round in 0..20u32 {
            let start = round * 1000;
            let value = start.to_ne_bytes();
            let arguments = [Argument::Pointer(memory.address), Argument::Value(&value)];
            let made = launch(&setup.queue, &*kernel, &range(&[COUNT], None), &arguments, &[]);
            let copied = other.memcpy(out.address, memory.address, COUNT * 4, &[&made]).unwrap();
            let barrier = setup.queue.barrier(&[&copied]).unwrap();
            let nothing = setup.queue.memcpy(Address::NULL, Address::NULL, 0, &[&barrier]).unwrap();
            nothing.wait().unwrap();
            let read = out.read();
            assert_eq!((read[0], read[COUNT - 1]), (start, start + u32::try_from(COUNT).unwrap() - 1));
        }
    }
}

#[test]
fn dependencies_may_be_of_another_context() {
    for device in usm_devices() {
        let (first, second) = (context_of(&device), context_of(&device));
        let queue = Queue::new(&first, &device, OUT_OF_ORDER).unwrap();
        let other = Queue::new(&second, &device, OUT_OF_ORDER).unwrap();
        let source = Usm::<u32>::new(&first, Some(&device), UsmKind::Shared, 1000);
        let target = Usm::<u32>::new(&second, Some(&device), UsmKind::Shared, 1000);
        let fill = Fill { destination: source.address, pattern: &5u32.to_ne_bytes(), count: 1000 };
        let filled = queue.fill(fill, &[]).unwrap();
        other.memcpy(target.address, source.address, 4000, &[&filled]).unwrap().wait().unwrap();
        assert_eq!(target.read(), [5; 1000]);
        let barrier = other.barrier(&[&filled]).unwrap();
        barrier.wait().unwrap();
    }
}

#[test]
fn an_in_order_queue_keeps_the_order() {
    for device in spirv_devices() {
        let setup = Setup::new(device, IN_ORDER);
        assert!(setup.queue.flags().in_order);
        let kernel = setup.kernel("iota");
        let out = setup.shared::<u32>(4096);
        let mut host = vec![0u32; 4096];
        for start in 0..50u32 {
            let value = start.to_ne_bytes();
            let arguments = [Argument::Pointer(out.address), Argument::Value(&value)];
            launch(&setup.queue, &*kernel, &range(&[4096], None), &arguments, &[]);
            setup.queue.memcpy(host_address_mut(&mut host), out.address, 4096 * 4, &[]).unwrap();
        }
        setup.queue.wait().unwrap();
        assert_eq!(host, (49..49 + 4096).collect::<Vec<u32>>());
    }
}

#[test]
fn threads_share_a_kernel_and_a_queue() {
    for device in spirv_devices() {
        let setup = Setup::new(device, OUT_OF_ORDER);
        let kernel = setup.kernel("iota");
        std::thread::scope(|scope| {
            for thread in 0..8u32 {
                let (setup, kernel) = (&setup, &kernel);
                scope.spawn(move || {
                    let out = setup.shared::<u32>(64);
                    for round in 0..100u32 {
                        let start = thread * 1_000_000 + round;
                        let value = start.to_ne_bytes();
                        let arguments = [Argument::Pointer(out.address), Argument::Value(&value)];
                        launch(&setup.queue, &**kernel, &range(&[64], None), &arguments, &[]).wait().unwrap();
                        assert_eq!(out.read(), (start..start + 64).collect::<Vec<u32>>());
                    }
                });
            }
        });
    }
}

#[test]
fn events_tell_their_times_when_the_queue_was_made_for_it() {
    for device in devices_that("has profiling and USM", |device| {
        device.has(Aspect::QueueProfiling) && device.has(Aspect::UsmSharedAllocations)
    }) {
        let context = context_of(&device);
        let memory = Usm::<u8>::new(&context, Some(&device), UsmKind::Shared, 1 << 20);
        let fill = Fill { destination: memory.address, pattern: &[1], count: 1 << 20 };
        let queue = Queue::new(&context, &device, QueueFlags { in_order: false, profiling: true }).unwrap();
        let event = queue.fill(fill, &[]).unwrap();
        let times = [ProfilingPoint::Submit, ProfilingPoint::Start, ProfilingPoint::End]
            .map(|point| event.profiling(point).unwrap());
        assert!(times.is_sorted() && times[0] > 0, "{times:?}");

        let queue = Queue::new(&context, &device, OUT_OF_ORDER).unwrap();
        let event = queue.fill(fill, &[]).unwrap();
        assert_eq!(event.profiling(ProfilingPoint::Start).unwrap_err().code, Errc::Invalid);
        event.wait().unwrap();
    }
}

/// Each kind of allocation that the device has, once.
fn all_kinds(context: &Arc<Context>, device: &Device, count: usize) -> Vec<Usm<u32>> {
    let kinds = [
        (UsmKind::Device, Aspect::UsmDeviceAllocations),
        (UsmKind::Shared, Aspect::UsmSharedAllocations),
        (UsmKind::Host, Aspect::UsmHostAllocations),
    ];
    let able = kinds.into_iter().filter(|(_, aspect)| device.has(*aspect));
    able.map(|(kind, _)| Usm::new(context, Some(device), kind, count)).collect()
}

fn device_memory_devices() -> Vec<Arc<Device>> {
    devices_that("has USM device memory", |device| device.has(Aspect::UsmDeviceAllocations))
}

#[test]
fn memory_is_copied_between_all_kinds() {
    for device in device_memory_devices() {
        let context = context_of(&device);
        let queue = Queue::new(&context, &device, IN_ORDER).unwrap();
        let source: Vec<u32> = (0..10_000).collect();
        let mut target = vec![0u32; 10_000];
        let usm = all_kinds(&context, &device, 10_000);
        queue.memcpy(usm[0].address, host_address(&source), 40_000, &[]).unwrap();
        for pair in usm.windows(2) {
            queue.memcpy(pair[1].address, pair[0].address, 40_000, &[]).unwrap();
        }
        queue.memcpy(host_address_mut(&mut target), usm[usm.len() - 1].address, 40_000, &[]).unwrap();
        queue.wait().unwrap();
        assert_eq!(target, source);
        for (destination, from) in [(Address::NULL, usm[0].address), (usm[0].address, Address::NULL)] {
            let error = queue.memcpy(destination, from, 1, &[]).unwrap_err();
            assert_eq!(error.code, Errc::Invalid);
        }
    }
}

#[test]
fn every_kind_of_memory_is_filled() {
    for device in device_memory_devices() {
        let context = context_of(&device);
        let queue = Queue::new(&context, &device, OUT_OF_ORDER).unwrap();
        for usm in all_kinds(&context, &device, 60_000) {
            for pattern in [&[5][..], &[1, 2, 3], &[1, 2, 3, 4], &[9; 16], &[1, 2, 3, 4, 5, 6]] {
                let mut target = vec![0u8; 240_000];
                let fill = Fill { destination: usm.address, pattern, count: 240_000 / pattern.len() };
                let filled = queue.fill(fill, &[]).unwrap();
                queue.memcpy(host_address_mut(&mut target), usm.address, 240_000, &[&filled]).unwrap().wait().unwrap();
                assert!(target.chunks(pattern.len()).all(|chunk| chunk == pattern), "{pattern:?}");
            }
        }
    }
}

#[test]
fn fills_take_any_pattern_count_and_address() {
    let patterns = [1, 2, 3, 4, 5, 7, 8, 12, 16, 24, 100, 128, 256, 1000];
    let counts = [1, 2, 3, 17, 1000, 70_001];
    for device in usm_devices() {
        let context = context_of(&device);
        for flags in [IN_ORDER, OUT_OF_ORDER] {
            let queue = Queue::new(&context, &device, flags).unwrap();
            for size in patterns {
                let pattern: Vec<u8> = (0..size).map(|index| u8::try_from(index * 7 % 251 + 1).unwrap()).collect();
                for count in counts.into_iter().filter(|count| count * size < 1_000_000) {
                    for shift in [0, 1] {
                        let memory = Usm::<u8>::new(&context, Some(&device), UsmKind::Shared, size * count + 2);
                        // SAFETY: inside the allocation, which lives until the event has been waited for.
                        let destination = unsafe { Address::new(memory.pointer().add(shift).cast()) };
                        queue.fill(Fill { destination, pattern: &pattern, count }, &[]).unwrap().wait().unwrap();
                        let bytes = memory.read();
                        let (filled, rest) = bytes[shift..].split_at(size * count);
                        assert!(filled.chunks(size).all(|chunk| chunk == pattern), "{size} x {count} + {shift}");
                        assert!(
                            rest.iter().chain(&bytes[..shift]).all(|byte| *byte == 0),
                            "{size} x {count} + {shift}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn bad_fills_and_empty_commands() {
    for device in usm_devices() {
        let context = context_of(&device);
        let queue = Queue::new(&context, &device, OUT_OF_ORDER).unwrap();
        let memory = Usm::<u8>::new(&context, Some(&device), UsmKind::Shared, 8);
        let bad = [
            Fill { destination: memory.address, pattern: &[], count: 1 },
            Fill { destination: Address::NULL, pattern: &[1], count: 1 },
            Fill { destination: memory.address, pattern: &[1, 2], count: usize::MAX },
        ];
        for fill in bad {
            assert_eq!(queue.fill(fill, &[]).unwrap_err().code, Errc::Invalid, "{fill:?}");
        }
        let empty = queue.fill(Fill { destination: Address::NULL, pattern: &[1], count: 0 }, &[]).unwrap();
        let copy = queue.memcpy(Address::NULL, memory.address, 0, &[&empty]).unwrap();
        queue.barrier(&[]).unwrap().wait().unwrap();
        copy.wait().unwrap();
        assert_eq!(copy.status().unwrap(), EventStatus::Complete);
    }
    for device in spirv_devices() {
        let setup = Setup::new(device, IN_ORDER);
        let out = setup.shared::<u32>(1);
        let arguments = [Argument::Pointer(out.address), Argument::Value(&[9, 0, 0, 0])];
        launch(&setup.queue, &*setup.kernel("iota"), &range(&[0], None), &arguments, &[]).wait().unwrap();
        launch(&setup.queue, &*setup.kernel("iota"), &range(&[4, 0, 2], Some(&[1, 1, 1])), &arguments, &[])
            .wait()
            .unwrap();
        assert_eq!(out.read(), [0]);
    }
}

#[test]
fn pointers_are_known_also_inside_an_allocation() {
    for device in usm_devices() {
        let context = context_of(&device);
        let other = context_of(&device);
        for kind in [UsmKind::Host, UsmKind::Device, UsmKind::Shared] {
            let memory = Usm::<u8>::new(&context, Some(&device), kind, 1000);
            for offset in [0, 1, 500, 999] {
                let pointer = memory.address.pointer().wrapping_byte_add(offset);
                assert_eq!(context.usm_kind(pointer).unwrap(), kind, "{kind:?} + {offset}");
                assert!(Arc::ptr_eq(context.usm_device(pointer).unwrap(), &device));
            }
            let pointer = memory.address.pointer();
            drop(memory);
            assert_eq!(context.usm_kind(pointer).unwrap(), UsmKind::Unknown);
        }
        let host = 0u8;
        for pointer in [std::ptr::null(), (&raw const host).cast()] {
            assert_eq!(context.usm_kind(pointer).unwrap(), UsmKind::Unknown);
            assert_eq!(other.usm_device(pointer).unwrap_err().code, Errc::Invalid);
        }
        context.usm_free(Address::NULL).unwrap();
    }
}

#[test]
fn allocations_that_cannot_be_made_are_none() {
    for device in usm_devices() {
        let context = context_of(&device);
        for kind in [UsmKind::Host, UsmKind::Device, UsmKind::Shared] {
            for (bytes, alignment) in [(0, 0), (usize::MAX, 0), (usize::MAX / 4, 0), (64, 3), (64, 1 << 62)] {
                let request = UsmRequest { kind, bytes, alignment };
                assert_eq!(context.usm_allocate(Some(&device), request).unwrap(), None, "{request:?}");
            }
            for alignment in [1, 2, 8, 64] {
                let request = UsmRequest { kind, bytes: 100, alignment };
                let address = context.usm_allocate(Some(&device), request).unwrap().unwrap();
                assert!(address.pointer().addr().is_multiple_of(alignment));
                context.usm_free(address).unwrap();
            }
        }
        let request = UsmRequest { kind: UsmKind::Unknown, bytes: 1, alignment: 0 };
        assert_eq!(context.usm_allocate(Some(&device), request).unwrap_err().code, Errc::Invalid);
        let request = UsmRequest { kind: UsmKind::Device, bytes: 1, alignment: 0 };
        assert_eq!(context.usm_allocate(None, request).unwrap_err().code, Errc::Invalid);
    }
}

#[test]
fn devices_and_contexts_must_fit_together() {
    assert_eq!(Context::new(&[]).unwrap_err().code, Errc::Invalid);
    let all = devices();
    for device in &all {
        let twice = Context::new(&[Arc::clone(device), Arc::clone(device)]).unwrap();
        assert_eq!(twice.devices().len(), 1);
        assert!(twice.contains(device) && Arc::ptr_eq(twice.platform(), device.platform()));
    }
    let Some(stranger) = all.iter().find(|device| !Arc::ptr_eq(device.platform(), all[0].platform())) else {
        say("skipped in part: there are no two platforms");
        return;
    };
    let error = Context::new(&[Arc::clone(&all[0]), Arc::clone(stranger)]).unwrap_err();
    assert_eq!(error.code, Errc::Invalid);
    assert!(error.message.contains(stranger.platform().info(PlatformInfo::Name)), "{error}");
    let context = context_of(&all[0]);
    let error = Queue::new(&context, stranger, IN_ORDER).unwrap_err();
    assert_eq!(error.code, Errc::Invalid);
    assert!(error.message.contains(&stranger.name()) && error.message.contains(&all[0].name()), "{error}");
    assert_eq!(context.load_image(stranger, &image(), "").unwrap_err().code, Errc::Invalid);
    let request = UsmRequest { kind: UsmKind::Device, bytes: 1, alignment: 0 };
    assert_eq!(context.usm_allocate(Some(stranger), request).unwrap_err().code, Errc::Invalid);
}

#[test]
fn work_goes_on_after_the_queue_is_gone() {
    for device in usm_devices() {
        let context = context_of(&device);
        let memory = Usm::<u32>::new(&context, Some(&device), UsmKind::Shared, 1 << 20);
        let queue = Queue::new(&context, &device, OUT_OF_ORDER).unwrap();
        let event =
            queue.fill(Fill { destination: memory.address, pattern: &[3, 0, 0, 0], count: 1 << 20 }, &[]).unwrap();
        drop(queue);
        event.wait().unwrap();
        assert!(memory.read().iter().all(|value| *value == 3));
    }
}

// ---- other processes: the environment decides what they see ----

const CHILD: &str = "SYCLRTC_TEST_CHILD";

/// Runs one test of this program in a process of its own.
fn run_child(test: &str, environment: &[(&str, &str)]) -> Output {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", test, "--nocapture", "--test-threads=1"]).env(CHILD, test);
    command.envs(environment.iter().copied()).output().unwrap()
}

fn is_child(test: &str) -> bool {
    std::env::var_os(CHILD).is_some_and(|value| value == test)
}

fn assert_good(output: &Output) {
    assert!(
        output.status.success(),
        "{}\n{}\n{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}

/// A directory for one test.
fn scratch(name: &str) -> std::path::PathBuf {
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&path).unwrap();
    path
}

#[test]
fn without_a_loader_there_is_no_platform() {
    if is_child("without_a_loader_there_is_no_platform") {
        assert!(runtime::platforms().unwrap().is_empty());
        let report = runtime::discovery_report().unwrap();
        assert!(report.contains("libOpenCL.so.1: "), "{report}");
        assert!(report.contains("file too short") || report.contains("cannot open"), "{report}");
        return;
    }
    // What is found first is no library.
    let directory = scratch("no-loader");
    std::fs::write(directory.join("libOpenCL.so.1"), "").unwrap();
    let path = directory.to_str().unwrap();
    assert_good(&run_child("without_a_loader_there_is_no_platform", &[("LD_LIBRARY_PATH", path)]));
}

#[test]
fn without_a_driver_there_is_no_platform() {
    if is_child("without_a_driver_there_is_no_platform") {
        assert!(runtime::platforms().unwrap().is_empty());
        let report = runtime::discovery_report().unwrap();
        assert!(report.contains("loaded ") && report.contains("no platforms"), "{report}");
        return;
    }
    let directory = scratch("no-driver");
    let path = directory.to_str().unwrap();
    assert_good(&run_child("without_a_driver_there_is_no_platform", &[("OCL_ICD_VENDORS", path)]));
}

#[test]
fn a_broken_driver_does_not_hide_the_loader() {
    if is_child("a_broken_driver_does_not_hide_the_loader") {
        assert!(runtime::platforms().unwrap().is_empty());
        assert!(runtime::discovery_report().unwrap().contains("no platforms"));
        return;
    }
    let directory = scratch("broken-driver");
    std::fs::write(directory.join("broken.icd"), "/no/such/driver.so\n").unwrap();
    let path = directory.to_str().unwrap();
    assert_good(&run_child("a_broken_driver_does_not_hide_the_loader", &[("OCL_ICD_VENDORS", path)]));
}

#[test]
fn the_selector_decides_what_is_seen() {
    if is_child("the_selector_decides_what_is_seen") {
        let selector = std::env::var("ONEAPI_DEVICE_SELECTOR").unwrap();
        match selector.as_str() {
            "opencl:*" => assert!(!devices().is_empty()),
            "cuda:*" => {
                assert!(devices().is_empty());
                assert!(runtime::discovery_report().unwrap().contains("not looked for"));
            }
            "opencl:0" => assert_eq!(devices().len(), 1),
            "!opencl:0" | "opencl:4096" => {
                let report = runtime::discovery_report().unwrap();
                assert!(report.contains("opencl:0: hidden by ONEAPI_DEVICE_SELECTOR"), "{report}");
            }
            "nonsense" => {
                for _ in 0..2 {
                    let error = runtime::platforms().unwrap_err();
                    assert_eq!(error.code, Errc::Invalid);
                    assert!(error.message.contains("nonsense"), "{error}");
                }
            }
            other => panic!("{other}"),
        }
        return;
    }
    if devices_that("exists", |_| true).is_empty() {
        return;
    }
    for selector in ["opencl:*", "cuda:*", "opencl:0", "!opencl:0", "opencl:4096", "nonsense"] {
        assert_good(&run_child("the_selector_decides_what_is_seen", &[("ONEAPI_DEVICE_SELECTOR", selector)]));
    }
}

/// All tests of this file once more where the back end is told to use shared virtual memory.
#[test]
fn shared_virtual_memory_serves_as_well() {
    if std::env::var_os("SYCLRTC_OPENCL_USM").is_some() {
        return;
    }
    let output = Command::new(std::env::current_exe().unwrap())
        .env("SYCLRTC_OPENCL_USM", "svm")
        .args(["--test-threads=1"])
        .output()
        .unwrap();
    assert_good(&output);
}

#[test]
fn a_child_of_fork_gets_errors_and_does_not_hang() {
    if is_child("a_child_of_fork_gets_errors_and_does_not_hang") {
        let Some(device) = devices().pop() else { return };
        let context = context_of(&device);
        let queue = Queue::new(&context, &device, IN_ORDER).unwrap();
        let event = queue.barrier(&[]).unwrap();
        event.wait().unwrap();
        // SAFETY: the child uses what this test is about, and leaves by `_exit`.
        let child = unsafe { libc::fork() };
        if child == 0 {
            let refused = [
                queue.wait().is_err(),
                event.wait().is_err(),
                Context::new(std::slice::from_ref(&device)).is_err(),
                runtime::platforms().is_err(),
            ];
            drop((event, queue, context));
            // SAFETY: ends the child without the exit handlers of the parent's drivers.
            unsafe { libc::_exit(i32::from(!refused.iter().all(|refused| *refused))) };
        }
        let mut status = 0;
        // SAFETY: a child of this process that nobody else waits for.
        assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
        assert!(libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0, "status {status:#x}");
        queue.wait().unwrap();
        return;
    }
    assert_good(&run_child("a_child_of_fork_gets_errors_and_does_not_hang", &[]));
}

static LEFT_OVER: parking_lot::Mutex<Option<(Arc<Queue>, Arc<Event>)>> = parking_lot::Mutex::new(None);

extern "C" fn use_late() {
    // Registered before the drivers were loaded, so this runs after they went down.
    if let Some((queue, event)) = LEFT_OVER.lock().take() {
        let waited = queue.wait().is_ok() && event.wait().is_ok();
        let refused = event.status().is_err() && queue.barrier(&[]).is_err();
        // SAFETY: never followed, since nothing is freed any more.
        let freed = queue.context().usm_free(unsafe { Address::new(std::ptr::dangling_mut()) }).is_ok();
        drop((queue, event));
        if !(waited && refused && freed) {
            // SAFETY: ends the process with a code that the parent sees as a failure.
            unsafe { libc::_exit(99) };
        }
    }
}

extern "C" fn use_early() {
    // Registered after the drivers were loaded, as the destructor of an object that was made then would be.
    if let Some((queue, event)) = &*LEFT_OVER.lock() {
        let good = queue.wait().is_ok() && event.status().is_ok();
        if !good {
            // SAFETY: as in `use_late`.
            unsafe { libc::_exit(98) };
        }
    }
}

#[test]
fn objects_can_be_used_and_dropped_while_the_process_exits() {
    if is_child("objects_can_be_used_and_dropped_while_the_process_exits") {
        // SAFETY: a plain function that lives as long as the program.
        assert_eq!(unsafe { libc::atexit(use_late) }, 0);
        let Some(device) = devices().pop() else { return };
        let context = context_of(&device);
        let queue = Queue::new(&context, &device, IN_ORDER).unwrap();
        let event = queue.barrier(&[]).unwrap();
        *LEFT_OVER.lock() = Some((queue, event));
        // SAFETY: as above.
        assert_eq!(unsafe { libc::atexit(use_early) }, 0);
        return;
    }
    assert_good(&run_child("objects_can_be_used_and_dropped_while_the_process_exits", &[]));
}
