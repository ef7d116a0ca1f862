// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! From a source string to results, through the C ABI, on every device that can build language `sycl`.
//!
//! With `SYCLRTC_TEST_DEVICES=1` a machine without such a device fails; otherwise the tests say that they were skipped.

use std::{
    env,
    ffi::{c_char, c_void},
    ptr::{self, null, null_mut},
    slice, thread,
};

use syclrtc::capi::{
    context::*, device::*, error::*, event::*, handle::*, kernel::*, kernel_bundle::*, platform::*, queue::*, usm::*,
};

/// An error as the program sees it.
#[derive(Debug)]
struct Failure {
    code: u32,
    message: String,
    log: String,
}

fn check(error: *mut syclrtc_error_t) -> Result<(), Failure> {
    if error.is_null() {
        return Ok(());
    }
    let text = |get: unsafe extern "C" fn(*const syclrtc_error_t, *mut usize) -> *const c_char| {
        let mut length = 0;
        // SAFETY: the error is ours until it is released below; the text is as long as the call says.
        unsafe {
            let data = get(error, &raw mut length);
            String::from_utf8(slice::from_raw_parts(data.cast(), length).to_vec()).unwrap()
        }
    };
    // SAFETY: as above.
    let code = unsafe { syclrtc_error_code(error) };
    let failure = Failure { code, message: text(syclrtc_error_message), log: text(syclrtc_error_log) };
    syclrtc_error_release(error);
    Err(failure)
}

/// Runs a call of the C ABI. All handles and memory in this program are good unless a test says otherwise.
macro_rules! c {
    ($call:expr) => {
        // SAFETY: handles are kept over the call by their owners, and memory is as long as is said.
        check(unsafe { $call })
    };
}

/// Owner of one reference.
macro_rules! owner {
    ($($name:ident, $handle:ty, $clone:ident, $release:ident;)*) => {$(
        struct $name(*mut $handle);
        // SAFETY: the C ABI may be used from any thread.
        unsafe impl Send for $name {}
        // SAFETY: as for `Send`.
        unsafe impl Sync for $name {}
        impl Clone for $name {
            fn clone(&self) -> Self {
                Self($clone(self.0))
            }
        }
        impl Drop for $name {
            fn drop(&mut self) {
                $release(self.0);
            }
        }
    )*};
}
owner!(
    Device, syclrtc_device_t, syclrtc_device_clone, syclrtc_device_release;
    Context, syclrtc_context_t, syclrtc_context_clone, syclrtc_context_release;
    Queue, syclrtc_queue_t, syclrtc_queue_clone, syclrtc_queue_release;
    Bundle, syclrtc_kernel_bundle_t, syclrtc_kernel_bundle_clone, syclrtc_kernel_bundle_release;
    Kernel, syclrtc_kernel_t, syclrtc_kernel_clone, syclrtc_kernel_release;
    Event, syclrtc_event_t, syclrtc_event_clone, syclrtc_event_release;
);

fn all_devices() -> Vec<Device> {
    let mut count = 0;
    c!(syclrtc_platform_list(0, null_mut(), &raw mut count)).unwrap();
    let mut platforms = vec![null_mut(); count];
    c!(syclrtc_platform_list(count, platforms.as_mut_ptr(), &raw mut count)).unwrap();
    let mut devices = Vec::new();
    for platform in platforms {
        let mut list = [null_mut(); 64];
        c!(syclrtc_platform_devices(platform, 64, list.as_mut_ptr(), &raw mut count)).unwrap();
        devices.extend(list[..count].iter().map(|device| Device(*device)));
        syclrtc_platform_release(platform);
    }
    devices
}

impl Device {
    fn can_build(&self) -> bool {
        let mut can = false;
        c!(syclrtc_device_can_build(self.0, SYCLRTC_LANGUAGE_SYCL, &raw mut can)).unwrap();
        can
    }
}

#[expect(clippy::print_stderr, reason = "tests say what they skip")]
fn setups() -> Vec<Setup> {
    let setups: Vec<Setup> = all_devices().into_iter().filter(Device::can_build).map(Setup::new).collect();
    if setups.is_empty() {
        assert!(env::var_os("SYCLRTC_TEST_DEVICES").is_none_or(|value| value != "1"), "no device can build");
        eprintln!("skipped: no device can build source_language::sycl");
    }
    setups
}

/// A device with a context and a queue.
struct Setup {
    device: Device,
    context: Context,
    queue: Queue,
}

impl Setup {
    fn new(device: Device) -> Self {
        let mut context = null_mut();
        c!(syclrtc_context_create(&device.0.cast_const(), 1, &raw mut context)).unwrap();
        let mut queue = null_mut();
        c!(syclrtc_queue_create(context, device.0, SYCLRTC_QUEUE_IN_ORDER, &raw mut queue)).unwrap();
        Self { device, context: Context(context), queue: Queue(queue) }
    }

    fn source(&self, text: &str, files: &[(&str, &str)]) -> Result<Bundle, Failure> {
        let size = size_of::<syclrtc_include_file_t>();
        let files: Vec<syclrtc_include_file_t> = files
            .iter()
            .map(|(name, content)| syclrtc_include_file_t { size, name: view(name), content: view(content) })
            .collect();
        let mut bundle = null_mut();
        c!(syclrtc_kernel_bundle_create_from_source(
            self.context.0,
            SYCLRTC_LANGUAGE_SYCL,
            text.as_ptr().cast(),
            text.len(),
            files.as_ptr(),
            files.len(),
            &raw mut bundle,
        ))?;
        Ok(Bundle(bundle))
    }

    /// The executable and the log.
    fn build_with(&self, source: &Bundle, options: &[&str], names: &[&str]) -> Result<(Bundle, String), Failure> {
        let views = |texts: &[&str]| texts.iter().map(|text| view(text)).collect::<Vec<_>>();
        let (options, names) = (views(options), views(names));
        let given = syclrtc_build_options_t {
            size: size_of::<syclrtc_build_options_t>(),
            options: options.as_ptr(),
            option_count: options.len(),
            registered_names: names.as_ptr(),
            registered_name_count: names.len(),
        };
        let (mut bundle, mut log) = (null_mut(), null_mut());
        c!(syclrtc_kernel_bundle_build(
            source.0,
            &self.device.0.cast_const(),
            1,
            &raw const given,
            &raw mut bundle,
            &raw mut log
        ))?;
        Ok((Bundle(bundle), take_text(log)))
    }

    fn build(&self, text: &str, names: &[&str]) -> Result<Bundle, Failure> {
        Ok(self.build_with(&self.source(text, &[])?, &[], names)?.0)
    }

    fn shared<T: 'static>(&self, count: usize) -> &'static mut [T] {
        let mut memory = null_mut();
        c!(syclrtc_usm_allocate(
            self.context.0,
            self.device.0,
            SYCLRTC_USM_SHARED,
            count * size_of::<T>(),
            0,
            &raw mut memory
        ))
        .unwrap();
        assert!(!memory.is_null());
        // SAFETY: fresh memory of that size, of integers or floats; the tests leave it to the end of the process.
        unsafe {
            ptr::write_bytes(memory.cast::<T>(), 0, count);
            slice::from_raw_parts_mut(memory.cast(), count)
        }
    }

    fn launch(
        &self,
        kernel: &Kernel,
        launch: &syclrtc_launch_t,
        arguments: &[syclrtc_argument_t],
    ) -> Result<(), Failure> {
        c!(syclrtc_queue_launch(
            self.queue.0,
            kernel.0,
            launch,
            arguments.as_ptr(),
            arguments.len(),
            null(),
            0,
            null_mut()
        ))?;
        c!(syclrtc_queue_wait(self.queue.0))
    }
}

impl Bundle {
    fn kernel(&self, name: &str) -> Result<Kernel, Failure> {
        let mut kernel = null_mut();
        c!(syclrtc_kernel_bundle_get_kernel(self.0, name.as_ptr().cast(), name.len(), &raw mut kernel))?;
        Ok(Kernel(kernel))
    }

    fn has(&self, name: &str) -> bool {
        let mut has = false;
        c!(syclrtc_kernel_bundle_has_kernel(self.0, name.as_ptr().cast(), name.len(), &raw mut has)).unwrap();
        has
    }

    fn raw_name(&self, name: &str) -> Result<String, Failure> {
        let mut text = null_mut();
        c!(syclrtc_kernel_bundle_raw_kernel_name(self.0, name.as_ptr().cast(), name.len(), &raw mut text))?;
        Ok(take_text(text))
    }

    fn images(&self) -> usize {
        let mut count = 77;
        c!(syclrtc_kernel_bundle_image_count(self.0, &raw mut count)).unwrap();
        count
    }
}

fn view(text: &str) -> syclrtc_string_view_t {
    syclrtc_string_view_t { data: text.as_ptr().cast(), length: text.len() }
}

fn take_text(text: *mut syclrtc_text_t) -> String {
    let mut length = 0;
    // SAFETY: ours until it is released; as long as the call says.
    let copy = unsafe {
        let data = syclrtc_text_data(text, &raw mut length);
        String::from_utf8(slice::from_raw_parts(data.cast(), length).to_vec()).unwrap()
    };
    syclrtc_text_release(text);
    copy
}

fn nd_range(global: usize, local: usize) -> syclrtc_launch_t {
    syclrtc_launch_t {
        size: size_of::<syclrtc_launch_t>(),
        kind: SYCLRTC_LAUNCH_ND_RANGE,
        dimensions: 1,
        global: [global, 1, 1],
        local: [local, 1, 1],
        offset: [0; 3],
        scratch: 0,
    }
}

fn argument(index: u32, kind: u32, data: *const c_void, bytes: usize) -> syclrtc_argument_t {
    syclrtc_argument_t { size: size_of::<syclrtc_argument_t>(), index, kind, data, bytes }
}

fn value<T>(index: u32, value: &T) -> syclrtc_argument_t {
    argument(index, SYCLRTC_ARGUMENT_VALUE, ptr::from_ref(value).cast(), size_of::<T>())
}

fn pointer<T>(index: u32, pointer: &*mut T) -> syclrtc_argument_t {
    argument(index, SYCLRTC_ARGUMENT_POINTER, ptr::from_ref(pointer).cast(), size_of::<*mut T>())
}

const IOTA: &str = r#"
#include <sycl/sycl.hpp>
namespace syclext = sycl::ext::oneapi;
namespace syclexp = sycl::ext::oneapi::experimental;

extern "C"
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::nd_range_kernel<1>))
void iota(float start, float *ptr) {
  size_t id = syclext::this_work_item::get_nd_item<1>().get_global_linear_id();
  ptr[id] = start + static_cast<float>(id);
}
"#;

const OVERLOADS: &str = r"
#include <sycl/sycl.hpp>
namespace syclext = sycl::ext::oneapi;
namespace syclexp = sycl::ext::oneapi::experimental;

SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::nd_range_kernel<1>))
void iota(float start, float *ptr) {
  size_t id = syclext::this_work_item::get_nd_item<1>().get_global_linear_id();
  ptr[id] = start + static_cast<float>(id);
}

SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::nd_range_kernel<1>))
void iota(int start, int *ptr) {
  size_t id = syclext::this_work_item::get_nd_item<1>().get_global_linear_id();
  ptr[id] = start + static_cast<int>(id);
}
";

const TEMPLATE: &str = r"
#include <sycl/sycl.hpp>
namespace syclext = sycl::ext::oneapi;
namespace syclexp = sycl::ext::oneapi::experimental;

template<typename T>
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::nd_range_kernel<1>))
void iota(T start, T *ptr) {
  size_t id = syclext::this_work_item::get_nd_item<1>().get_global_linear_id();
  ptr[id] = start + static_cast<T>(id);
}
";

/// Runs an iota kernel and checks what it wrote.
fn iota<T: Copy + PartialEq + std::fmt::Debug + 'static>(
    setup: &Setup,
    kernel: &Kernel,
    start: T,
    expected: impl Fn(usize) -> T,
) {
    let memory = setup.shared::<T>(1024);
    let address = memory.as_mut_ptr();
    setup.launch(kernel, &nd_range(1024, 16), &[value(0, &start), pointer(1, &address)]).unwrap();
    for (index, got) in memory.iter().enumerate() {
        assert_eq!(*got, expected(index), "{index}");
    }
}

#[test]
fn the_programs_of_the_specification_run() {
    for setup in setups() {
        let bundle = setup.build(IOTA, &[]).unwrap();
        assert_eq!(bundle.images(), 1);
        iota(&setup, &bundle.kernel("iota").unwrap(), 3.25_f32, |i| 3.25 + i as f32);

        let (float, int) = ("(void(*)(float, float*))iota", "(void(*)(int, int*))iota");
        let bundle = setup.build(OVERLOADS, &[float, int]).unwrap();
        iota(&setup, &bundle.kernel(float).unwrap(), 1.5_f32, |i| 1.5 + i as f32);
        iota(&setup, &bundle.kernel(int).unwrap(), 7_i32, |i| 7 + i as i32);

        let bundle = setup.build(TEMPLATE, &["iota<float>", "iota<int>"]).unwrap();
        iota(&setup, &bundle.kernel("iota<float>").unwrap(), 2.5_f32, |i| 2.5 + i as f32);
        iota(&setup, &bundle.kernel("iota<int>").unwrap(), -5_i32, |i| i as i32 - 5);
    }
}

#[test]
fn names_find_kernels_and_others_are_answered_by_a_list() {
    for setup in setups() {
        let bundle = setup.build(IOTA, &[]).unwrap();
        assert_eq!(bundle.raw_name("iota").unwrap(), "__sycl_kernel_iota");
        assert_eq!(bundle.raw_name("__sycl_kernel_iota").unwrap(), "__sycl_kernel_iota");
        assert_eq!(bundle.kernel("iota").unwrap().0, bundle.kernel("__sycl_kernel_iota").unwrap().0);
        let bundle = setup.build(OVERLOADS, &["(void(*)(int, int*))iota"]).unwrap();
        assert!(bundle.has("_Z4iotafPf") && bundle.has("_Z18__sycl_kernel_iotafPf"));
        for name in ["iota", "", "(void(*)(float, float*))iota", "(void(*)(unsignedint, int*))iota"] {
            assert!(!bundle.has(name), "{name}");
            let failure = bundle.kernel(name).err().unwrap();
            assert_eq!(failure.code, SYCLRTC_ERROR_INVALID);
            for part in
                [name, "(void(*)(int, int*))iota (raw name _Z18__sycl_kernel_iotaiPi)", "_Z18__sycl_kernel_iotafPf"]
            {
                assert!(failure.message.contains(part), "{}", failure.message);
            }
        }
    }
}

#[test]
fn a_source_without_kernels_is_fine() {
    for setup in setups() {
        for text in ["", "\n", "// nothing\n", "#include <sycl/sycl.hpp>\nint helper(int x) { return x; }\n"] {
            let bundle = setup.build(text, &[]).unwrap();
            assert_eq!(bundle.images(), 0);
            assert!(!bundle.has("helper"));
            assert!(bundle.kernel("helper").err().unwrap().message.contains("it has no kernels"));
        }
    }
}

#[test]
fn a_failed_compile_shows_clangs_words_at_the_users_line() {
    for setup in setups() {
        let text = IOTA.replace("ptr[id] = start", "ptr[id] = no_such_name");
        let failure = setup.build(&text, &[]).err().unwrap();
        assert_eq!(failure.code, SYCLRTC_ERROR_BUILD, "{failure:?}");
        assert!(failure.message.starts_with("Device compilation failed\nDetailed information:\n\t"), "{failure:?}");
        let line = 1 + text.lines().position(|line| line.contains("no_such_name")).unwrap();
        for shown in [&failure.message, &failure.log] {
            assert!(shown.contains("error: use of undeclared identifier 'no_such_name'"), "{shown}");
            assert!(shown.contains("rtc_") && shown.contains(&format!(".cpp:{line}:")), "{shown}");
        }
        let failure = setup.build(IOTA, &["nowhere"]).err().unwrap();
        assert_eq!(failure.code, SYCLRTC_ERROR_BUILD);
        assert!(failure.message.contains("nowhere"), "{failure:?}");
        let broken = setup.source("#include \"a.h\"\n", &[("a.h", "\nnonsense;\n")]).unwrap();
        let failure = setup.build_with(&broken, &[], &[]).err().unwrap();
        assert!(failure.message.contains("a.h:2:1: error:"), "{failure:?}");
    }
}

#[test]
fn options_and_include_files_reach_the_compiler() {
    for setup in setups() {
        let text = IOTA
            .replace("#include <sycl/sycl.hpp>", "#include <sycl/sycl.hpp>\n#include \"dir/add.hpp\"")
            .replace("static_cast<float>(id)", "ADD(id)");
        let source = setup.source(&text, &[("dir/add.hpp", "#define ADD(id) (FACTOR * id)\n")]).unwrap();
        for factor in [2, 3] {
            let (bundle, _) = setup.build_with(&source, &[&format!("-DFACTOR={factor}"), ""], &[]).unwrap();
            iota(&setup, &bundle.kernel("iota").unwrap(), 0_f32, |i| (factor * i) as f32);
        }
        for option in ["-nosuch", "-c", "-fsycl-targets=spir64", "-o"] {
            let failure = setup.build_with(&source, &[option], &[]).err().unwrap();
            assert_eq!(failure.code, SYCLRTC_ERROR_INVALID, "{failure:?}");
            assert!(
                failure.message.starts_with("Parsing of user arguments failed\nDetailed information:\n\t"),
                "{failure:?}"
            );
            assert!(failure.message.contains(option), "{failure:?}");
        }
        let warned = setup.source(&format!("#warning \"look here\"\n{IOTA}"), &[]).unwrap();
        let (_, log) = setup.build_with(&warned, &[], &[]).unwrap();
        assert!(log.contains("warning: \"look here\""), "{log}");
        let twice = setup.source("", &[("a.h", ""), ("a.h", "")]).err().unwrap();
        assert_eq!((twice.code, twice.message.as_str()), (8, "Include file 'a.h' is already registered"));
    }
}

#[test]
fn launches_are_checked_before_the_driver_sees_them() {
    for setup in setups() {
        let bundle = setup.build(IOTA, &[]).unwrap();
        let kernel = bundle.kernel("iota").unwrap();
        drop(bundle);
        let memory = setup.shared::<f32>(64);
        let address = memory.as_mut_ptr();
        let (start, good) = (1.0_f32, nd_range(64, 16));
        let arguments = [value(0, &start), pointer(1, &address)];
        let code = |launch: &syclrtc_launch_t, arguments: &[syclrtc_argument_t]| {
            let failure = setup.launch(&kernel, launch, arguments).err();
            failure.map_or((0, String::new()), |failure| (failure.code, failure.message))
        };
        let bad_range = [nd_range(64, 15), nd_range(64, 0), nd_range(1 << 40, 1 << 39)];
        for launch in bad_range {
            assert_eq!(code(&launch, &arguments).0, SYCLRTC_ERROR_ND_RANGE);
        }
        let single = syclrtc_launch_t { kind: SYCLRTC_LAUNCH_SINGLE_TASK, ..good };
        assert_eq!(code(&single, &arguments).0, SYCLRTC_ERROR_INVALID);
        assert_eq!(code(&syclrtc_launch_t { dimensions: 2, ..good }, &arguments).0, SYCLRTC_ERROR_INVALID);
        for launch in [
            syclrtc_launch_t { kind: 9, ..good },
            syclrtc_launch_t { dimensions: 0, ..good },
            syclrtc_launch_t { dimensions: 4, ..good },
            syclrtc_launch_t { size: 3, ..good },
        ] {
            assert_eq!(code(&launch, &arguments).0, SYCLRTC_ERROR_INVALID);
        }
        assert_eq!(code(&good, &arguments[..1]).0, SYCLRTC_ERROR_INVALID);
        assert_eq!(code(&good, &[arguments[0], arguments[1], value(2, &start)]).0, SYCLRTC_ERROR_INVALID);
        let (wrong, text) = code(&good, &[value(0, &1.0_f64), arguments[1]]);
        assert_eq!(wrong, SYCLRTC_ERROR_KERNEL_ARGUMENT);
        assert_eq!(
            text,
            "kernel 'iota': argument 0 ('start', float): a value of 8 bytes was given, the parameter has 4"
        );
        assert_eq!(code(&good, &[arguments[0], value(1, &address)]).0, SYCLRTC_ERROR_KERNEL_ARGUMENT);
        assert_eq!(code(&good, &[argument(0, 9, null(), 0), arguments[1]]).0, SYCLRTC_ERROR_INVALID);
        assert_eq!(code(&good, &[argument(0, 1, null(), 4), arguments[1]]).0, SYCLRTC_ERROR_INVALID);
        assert_eq!(code(&nd_range(0, 16), &arguments).0, 0);
        assert!(memory.iter().all(|x| *x == 0.0), "a refused launch ran");
        assert_eq!(code(&good, &arguments).0, 0);
        assert_eq!(memory[63], 64.0);
        let plain = syclrtc_launch_t { kind: SYCLRTC_LAUNCH_RANGE, ..good };
        memory.fill(0.0);
        assert_eq!(code(&plain, &arguments).0, 0);
        assert_eq!(memory[63], 64.0);
    }
}

#[test]
fn kernels_answer_questions() {
    for setup in setups() {
        let kernel = setup.build(IOTA, &[]).unwrap().kernel("iota").unwrap();
        let mut count = 0_u32;
        let mut size = 0;
        let info =
            |param: u32, device: *const syclrtc_device_t, place: *mut c_void, capacity: usize, size: *mut usize| {
                c!(syclrtc_kernel_info(kernel.0, device, param, capacity, place, size))
            };
        info(SYCLRTC_KERNEL_INFO_NUM_ARGS, null(), (&raw mut count).cast(), 4, &raw mut size).unwrap();
        assert_eq!((count, size), (2, 4));
        let mut group = 0_usize;
        let device = setup.device.0.cast_const();
        info(SYCLRTC_KERNEL_INFO_WORK_GROUP_SIZE, device, (&raw mut group).cast(), 8, &raw mut size).unwrap();
        assert!(group >= 1);
        let mut range = [7_usize; 3];
        info(SYCLRTC_KERNEL_INFO_COMPILE_WORK_GROUP_SIZE, device, (&raw mut range).cast(), 24, &raw mut size).unwrap();
        assert_eq!(range, [0; 3]);
        for (param, device, capacity) in [
            (SYCLRTC_KERNEL_INFO_WORK_GROUP_SIZE, null(), 8),
            (99, device, 8),
            (SYCLRTC_KERNEL_INFO_NUM_ARGS, null(), 3),
        ] {
            let mut place = [0_u8; 8];
            let failure = info(param, device, place.as_mut_ptr().cast(), capacity, &raw mut size).unwrap_err();
            assert_eq!(failure.code, SYCLRTC_ERROR_INVALID, "{failure:?}");
        }
    }
}

#[test]
fn objects_are_the_same_on_every_way() {
    for setup in setups() {
        let source = setup.source(IOTA, &[]).unwrap();
        let (bundle, _) = setup.build_with(&source, &[], &[]).unwrap();
        let kernel = bundle.kernel("iota").unwrap();
        let (mut of, mut context, mut queue_context) = (null_mut(), null_mut(), null_mut());
        c!(syclrtc_kernel_bundle_of(kernel.0, &raw mut of)).unwrap();
        c!(syclrtc_kernel_context(kernel.0, &raw mut context)).unwrap();
        c!(syclrtc_queue_context(setup.queue.0, &raw mut queue_context)).unwrap();
        let (of, context, queue_context) = (Bundle(of), Context(context), Context(queue_context));
        assert!(of.0 == bundle.0 && context.0 == setup.context.0 && queue_context.0 == setup.context.0);
        for (bundle, expected) in [(&source, SYCLRTC_BUNDLE_STATE_SOURCE), (&bundle, SYCLRTC_BUNDLE_STATE_EXECUTABLE)] {
            let mut state = 0;
            c!(syclrtc_kernel_bundle_state(bundle.0, &raw mut state)).unwrap();
            assert_eq!(state, expected);
        }
        let mut times = syclrtc_build_times_t { size: 32, total: 0, compiler: 0, driver: 0 };
        c!(syclrtc_kernel_bundle_build_times(bundle.0, &raw mut times)).unwrap();
        // The compiler program took no time if the text is known from another test.
        assert!(times.driver > 0 && times.total >= times.compiler + times.driver);
        let failure = c!(syclrtc_kernel_bundle_build_times(source.0, &raw mut times)).unwrap_err();
        assert_eq!(failure.code, SYCLRTC_ERROR_INVALID);
        assert_eq!(setup.build_with(&bundle, &[], &[]).err().unwrap().code, SYCLRTC_ERROR_INVALID);
        // Another build is another bundle, and the first one does not need its source.
        let (again, _) = setup.build_with(&source, &[], &[]).unwrap();
        assert!(again.0 != bundle.0 && again.kernel("iota").unwrap().0 != kernel.0);
        drop((source, again));
        iota(&setup, &kernel, 1_f32, |i| 1.0 + i as f32);
    }
}

#[test]
fn devices_are_checked_before_anything_is_compiled() {
    for setup in setups() {
        let source = setup.source("this does not compile", &[]).unwrap();
        let mut bundle = null_mut();
        let build = |devices: &[*const syclrtc_device_t], bundle: *mut *mut syclrtc_kernel_bundle_t| {
            c!(syclrtc_kernel_bundle_build(source.0, devices.as_ptr(), devices.len(), null(), bundle, null_mut()))
        };
        assert_eq!(build(&[], &raw mut bundle).unwrap_err().code, SYCLRTC_ERROR_INVALID);
        let device = setup.device.0.cast_const();
        assert_eq!(build(&[device, null()], &raw mut bundle).unwrap_err().code, SYCLRTC_ERROR_INVALID);
        for other in all_devices().iter().filter(|other| other.0.cast_const() != device) {
            let failure = build(&[device, other.0], &raw mut bundle).unwrap_err();
            assert_eq!(failure.code, SYCLRTC_ERROR_INVALID);
            assert!(failure.message.contains("device not part of kernel_bundle context"), "{failure:?}");
        }
        assert_eq!(build(&[device, device], &raw mut bundle).unwrap_err().code, SYCLRTC_ERROR_BUILD);
        assert!(bundle.is_null());
    }
}

#[test]
fn devices_and_languages_without_support_are_refused_with_the_reason() {
    for device in all_devices() {
        let answer = |query: unsafe extern "C" fn(*const syclrtc_device_t, u32, *mut bool) -> *mut syclrtc_error_t,
                      language| {
            let mut can = false;
            c!(query(device.0, language, &raw mut can)).unwrap();
            can
        };
        let able = [1, 2, 3].map(|language| answer(syclrtc_device_can_build, language));
        let compiles = [1, 2, 3].map(|language| answer(syclrtc_device_can_compile, language));
        assert_eq!(compiles, [able[0], false, false]);
        let setup = Setup::new(device);
        for (language, refused) in (1..).zip(able.map(|able| !able)) {
            let mut bundle = null_mut();
            let result = c!(syclrtc_kernel_bundle_create_from_source(
                setup.context.0,
                language,
                null(),
                0,
                null(),
                0,
                &raw mut bundle
            ));
            assert_eq!(result.is_err(), refused);
            if let Err(failure) = result {
                assert_eq!(failure.code, SYCLRTC_ERROR_INVALID);
                assert!(failure.message.starts_with("no device of the context supports"), "{failure:?}");
                assert!(failure.message.contains("\n\t"), "{failure:?}");
            }
            syclrtc_kernel_bundle_release(bundle);
        }
    }
}

#[test]
fn a_compile_that_crashes_is_an_error_and_the_next_one_works() {
    for setup in setups() {
        for _ in 0..2 {
            let failure = setup.build("#pragma clang __debug crash\n", &[]).err().unwrap();
            assert_eq!(failure.code, SYCLRTC_ERROR_BUILD);
            assert!(failure.message.contains("internal error"), "{failure:?}");
            let kernel = setup.build(IOTA, &[]).unwrap().kernel("iota").unwrap();
            iota(&setup, &kernel, 1_f32, |i| 1.0 + i as f32);
        }
    }
}

#[test]
fn many_threads_build_and_launch_at_once() {
    for setup in setups() {
        let setup = &setup;
        thread::scope(|scope| {
            for thread in 0..8_u32 {
                scope.spawn(move || {
                    for round in 0..3_u32 {
                        let number = (thread * 10 + round) as f32;
                        let text = IOTA.replace("start +", &format!("start + {number:?}f +"));
                        let kernel = setup.build(&text, &[]).unwrap().kernel("iota").unwrap();
                        iota(setup, &kernel, 1_f32, |i| 1.0 + number + i as f32);
                        let wrong = format!("int f() {{ return wrong_{thread}_{round}; }}");
                        let failure = setup.build(&wrong, &[]).err().unwrap();
                        assert!(failure.message.contains(&format!("'wrong_{thread}_{round}'")), "{failure:?}");
                    }
                });
            }
        });
    }
}

#[test]
fn a_launch_waits_for_its_events() {
    for setup in setups() {
        let kernel = setup.build(IOTA, &[]).unwrap().kernel("iota").unwrap();
        let mut queue = null_mut();
        c!(syclrtc_queue_create(setup.context.0, setup.device.0, 0, &raw mut queue)).unwrap();
        let queue = Queue(queue);
        let memory = setup.shared::<f32>(4096);
        let address = memory.as_mut_ptr();
        let mut last = None::<Event>;
        for start in 0..10_u8 {
            let start = f32::from(start);
            let deps: Vec<*const syclrtc_event_t> = last.iter().map(|event| event.0.cast_const()).collect();
            let arguments = [value(0, &start), pointer(1, &address)];
            let mut event = null_mut();
            c!(syclrtc_queue_launch(
                queue.0,
                kernel.0,
                &nd_range(4096, 16),
                arguments.as_ptr(),
                2,
                deps.as_ptr(),
                deps.len(),
                &raw mut event
            ))
            .unwrap();
            last = Some(Event(event));
        }
        let last = last.unwrap();
        c!(syclrtc_event_wait(last.0)).unwrap();
        let mut status = 0;
        c!(syclrtc_event_status(last.0, &raw mut status)).unwrap();
        assert_eq!(status, SYCLRTC_EVENT_STATUS_COMPLETE);
        assert_eq!((memory[0], memory[4095]), (9.0, 4104.0));
        let mut time = 0;
        let failure = c!(syclrtc_event_profiling(last.0, SYCLRTC_EVENT_PROFILING_END, &raw mut time)).unwrap_err();
        assert_eq!(failure.code, SYCLRTC_ERROR_INVALID);
    }
}
