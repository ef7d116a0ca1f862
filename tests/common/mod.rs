// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Sources, builds and launches on every device that can build language `sycl`, for tests of bundles.
//!
//! With `SYCLRTC_TEST_DEVICES=1` a machine without such a device fails; otherwise the tests say that they were skipped.
#![allow(dead_code, reason = "each test program uses a part")]

use std::{env, slice, sync::Arc};

use syclrtc::{
    backend::{Address, QueueFlags, UsmKind, UsmRequest},
    bundle::{
        ArgumentKind, BuildOptions, BundleState, IncludeFile, Kernel, KernelArgument, KernelBundle, Language,
        LaunchKind, LaunchSpec, LinkOptions, can_build,
    },
    error::{Errc, Error, Result},
    runtime::{self, Context, Device, Queue},
};

pub const IN_ORDER: QueueFlags = QueueFlags { in_order: true, profiling: false };

/// Begins every source.
pub const HEAD: &str = "\
#include <sycl/sycl.hpp>
namespace syclext = sycl::ext::oneapi;
namespace syclexp = sycl::ext::oneapi::experimental;
#define TASK SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::single_task_kernel))
#define ND1 SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::nd_range_kernel<1>))
";

/// A device with a context and a queue.
pub struct Setup {
    pub device: Arc<Device>,
    pub context: Arc<Context>,
    pub queue: Arc<Queue>,
}

pub type Bundle = Arc<KernelBundle>;

#[expect(clippy::print_stderr, reason = "tests say what they skip")]
pub fn setups() -> Vec<Setup> {
    let all = runtime::platforms().unwrap().iter().flat_map(|platform| platform.devices().to_vec());
    let setups: Vec<Setup> = all.filter(|device| can_build(device, Language::Sycl).is_ok()).map(Setup::new).collect();
    if setups.is_empty() {
        assert!(env::var_os("SYCLRTC_TEST_DEVICES").is_none_or(|value| value != "1"), "no device can build");
        eprintln!("skipped: no device can build source_language::sycl");
    }
    setups
}

impl Setup {
    pub fn new(device: Arc<Device>) -> Self {
        let context = Context::new(slice::from_ref(&device)).unwrap();
        let queue = Queue::new(&context, &device, IN_ORDER).unwrap();
        Self { device, context, queue }
    }

    /// The device as a list.
    pub fn devices(&self) -> &[Arc<Device>] {
        slice::from_ref(&self.device)
    }

    /// A source that begins with [`HEAD`].
    pub fn source(&self, text: &str) -> Bundle {
        self.source_with(text, &[])
    }

    pub fn source_with(&self, text: &str, files: &[(&str, &str)]) -> Bundle {
        let files = files.iter().map(|(name, text)| IncludeFile { name: (*name).into(), content: (*text).into() });
        let text = format!("{HEAD}{text}").into_bytes();
        KernelBundle::create_from_source(&self.context, Language::Sycl, text, files.collect()).unwrap()
    }

    pub fn build(&self, text: &str) -> Bundle {
        self.try_build(text, &[], &[]).unwrap_or_else(|error| panic!("{error}"))
    }

    pub fn build_named(&self, text: &str, names: &[&str]) -> Bundle {
        self.try_build(text, &[], names).unwrap_or_else(|error| panic!("{error}"))
    }

    pub fn try_build(&self, text: &str, options: &[&str], names: &[&str]) -> Result<Bundle> {
        self.source(text).build(self.devices(), &with(options, names))
    }

    pub fn compile(&self, text: &str) -> Bundle {
        self.try_compile(text, &[], &[]).unwrap_or_else(|error| panic!("{error}"))
    }

    pub fn try_compile(&self, text: &str, options: &[&str], names: &[&str]) -> Result<Bundle> {
        self.source(text).compile(self.devices(), &with(options, names))
    }

    pub fn link(&self, bundles: &[&Bundle]) -> Bundle {
        self.try_link(bundles).unwrap_or_else(|error| panic!("{error}"))
    }

    pub fn try_link(&self, bundles: &[&Bundle]) -> Result<Bundle> {
        KernelBundle::link(&clones(bundles), self.devices(), &LinkOptions::default())
    }

    /// Saves and loads a bundle.
    pub fn reload(&self, bundle: &Bundle) -> Bundle {
        let content = bundle.content().unwrap();
        KernelBundle::from_content(&self.context, self.devices(), bundle.state(), &content).unwrap()
    }

    /// Zeroed shared memory that is never freed: tests are short.
    pub fn shared(&self, count: usize) -> &'static mut [i32] {
        let request = UsmRequest { kind: UsmKind::Shared, bytes: count * size_of::<i32>(), alignment: 0 };
        let memory = self.context.usm_allocate(Some(&self.device), request).unwrap().unwrap();
        // SAFETY: fresh memory of that size, which nobody frees.
        let memory = unsafe { slice::from_raw_parts_mut(memory.pointer().cast::<i32>(), count) };
        memory.fill(0);
        memory
    }

    /// Runs a single task `k(int *)` and returns what it left in the first element.
    pub fn run(&self, kernel: &Kernel) -> i32 {
        self.run_many(kernel, 1)[0]
    }

    /// Runs a single task `k(int *)` and returns the memory.
    pub fn run_many(&self, kernel: &Kernel, count: usize) -> &'static [i32] {
        let memory = self.shared(count);
        self.launch(kernel, &single_task(), memory).unwrap_or_else(|error| panic!("{error}"));
        memory
    }

    /// Runs the kernel of that name of a bundle, a single task `k(int *)`.
    pub fn result(&self, bundle: &Bundle, name: &str) -> i32 {
        self.run(&bundle.kernel(name).unwrap_or_else(|error| panic!("{error}")))
    }

    pub fn launch(&self, kernel: &Kernel, spec: &LaunchSpec, memory: &mut [i32]) -> Result<()> {
        // SAFETY: the memory is never freed, and this waits.
        let address = unsafe { Address::new(memory.as_mut_ptr().cast()) };
        let arguments = [KernelArgument { index: 0, kind: ArgumentKind::Pointer(address) }];
        kernel.launch(&self.queue, spec, &arguments, &[])?.wait()
    }

    /// The `int` at an address of the device.
    pub fn read(&self, address: Address) -> i32 {
        let memory = self.shared(1);
        // SAFETY: as in `launch`.
        let to = unsafe { Address::new(memory.as_mut_ptr().cast()) };
        self.queue.memcpy(to, address, size_of::<i32>(), &[]).unwrap().wait().unwrap();
        memory[0]
    }

    pub fn write(&self, address: Address, value: i32) {
        let memory = self.shared(1);
        memory[0] = value;
        // SAFETY: as in `launch`.
        let from = unsafe { Address::new(memory.as_mut_ptr().cast()) };
        self.queue.memcpy(address, from, size_of::<i32>(), &[]).unwrap().wait().unwrap();
    }
}

pub fn with(options: &[&str], names: &[&str]) -> BuildOptions {
    let owned = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect();
    BuildOptions { options: owned(options), registered_names: owned(names) }
}

pub fn clones(bundles: &[&Bundle]) -> Vec<Bundle> {
    bundles.iter().map(|bundle| Arc::clone(bundle)).collect()
}

pub fn single_task() -> LaunchSpec {
    LaunchSpec {
        kind: LaunchKind::SingleTask,
        dimensions: 1,
        global: [1; 3],
        local: [1; 3],
        offset: [0; 3],
        scratch: 0,
    }
}

pub fn nd_range(global: usize, local: usize) -> LaunchSpec {
    LaunchSpec { kind: LaunchKind::NdRange, global: [global, 1, 1], local: [local, 1, 1], ..single_task() }
}

/// The error of a call that has to fail with that code and those words.
pub fn refused<T>(result: Result<T>, code: Errc, words: &[&str]) -> Error {
    let Err(error) = result else { panic!("no error; expected {code:?} with {words:?}") };
    assert_eq!(error.code, code, "{error}");
    for word in words {
        assert!(error.message.contains(word), "{word:?} is not in: {error}");
    }
    error
}

/// States of objects and executables.
pub const STATES: [BundleState; 2] = [BundleState::Object, BundleState::Executable];
