// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What the tests of the languages share.
//!
//! Each test runs in a process of its own, since a driver that crashes must not hide what the other tests find.

#![allow(dead_code, reason = "each test program uses a part")]

use std::process::Command;
use std::sync::Arc;

use syclrtc::backend::{Address, QueueFlags, UsmKind, UsmRequest};
use syclrtc::bundle::{
    ArgumentKind, BuildOptions, Kernel, KernelArgument, KernelBundle, Language, LaunchKind, LaunchSpec, can_build,
};
use syclrtc::error::{Error, Result};
use syclrtc::runtime::{self, Context, Device, Queue};

/// Set in the process of a test.
const CHILD: &str = "SYCLRTC_TEST_CHILD";

/// Runs a test in a process of its own, with these variables.
pub fn isolated(test: &str, variables: &[(&str, &str)], body: impl FnOnce()) {
    if std::env::var_os(CHILD).is_some() {
        return body();
    }
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture", "--test-threads=1"])
        .env(CHILD, test)
        .envs(variables.iter().copied())
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{}\n{stdout}\n{stderr}", output.status);
    assert!(stdout.contains("1 passed"), "the child ran another number of tests:\n{stdout}");
    say(&stderr);
}

/// Declares tests that run in processes of their own.
#[macro_export]
macro_rules! isolated_tests {
    ($($(#[$doc:meta])* fn $name:ident() $body:block)*) => {
        $($(#[$doc])* #[test] fn $name() { $crate::support::isolated(stringify!($name), &[], || $body); })*
    };
}

/// A line for whoever reads the log of the tests.
#[expect(clippy::print_stderr, reason = "tests say what they skip, and what drivers say")]
pub fn say(line: &str) {
    if !line.trim().is_empty() {
        eprintln!("{line}");
    }
}

pub fn devices() -> Vec<Arc<Device>> {
    runtime::platforms().unwrap().iter().flat_map(|platform| platform.devices().to_vec()).collect()
}

/// All devices that pass; panics without one where drivers are to be there.
pub fn devices_that(what: &str, filter: impl Fn(&Device) -> bool) -> Vec<Arc<Device>> {
    let found: Vec<Arc<Device>> = devices().into_iter().filter(|device| filter(device)).collect();
    if found.is_empty() {
        let required = std::env::var_os("SYCLRTC_TEST_DEVICES").is_some_and(|value| value == "1");
        assert!(!required, "no device {what}:\n{}", runtime::discovery_report().unwrap());
        say(&format!("skipped: no device {what}"));
    }
    found
}

/// A device for which the language can be built, with what is needed to run something.
pub struct Setup {
    pub device: Arc<Device>,
    pub context: Arc<Context>,
    pub queue: Arc<Queue>,
    pub language: Language,
}

/// One for each device.
pub fn setups(language: Language) -> Vec<Setup> {
    let found = devices_that(&format!("for source_language::{}", language.name()), |d| can_build(d, language).is_ok());
    found.into_iter().map(|device| Setup::new(device, language)).collect()
}

pub const NO_OPTIONS: &[&str] = &[];

impl Setup {
    pub fn new(device: Arc<Device>, language: Language) -> Self {
        let context = Context::new(std::slice::from_ref(&device)).unwrap();
        let queue = Queue::new(&context, &device, QueueFlags { in_order: true, profiling: false }).unwrap();
        Self { device, context, queue, language }
    }

    pub fn source(&self, text: impl AsRef<[u8]>) -> Arc<KernelBundle> {
        let text = text.as_ref().to_vec();
        KernelBundle::create_from_source(&self.context, self.language, text, Vec::new()).unwrap()
    }

    pub fn try_build(&self, text: impl AsRef<[u8]>, options: &[&str]) -> Result<Arc<KernelBundle>> {
        self.source(text).build(std::slice::from_ref(&self.device), &with(options))
    }

    pub fn build(&self, text: impl AsRef<[u8]>) -> Arc<KernelBundle> {
        self.try_build(text, NO_OPTIONS).unwrap_or_else(|error| panic!("{}: {error}", self.device.name()))
    }

    pub fn fails(&self, text: impl AsRef<[u8]>, options: &[&str]) -> Error {
        match self.try_build(text, options) {
            Err(error) => error,
            Ok(bundle) => panic!("{}: it was built: {}", self.device.name(), bundle.log()),
        }
    }

    /// Shared memory where the device has it, else host memory.
    pub fn usm<T: Copy + Default>(&self, count: usize) -> Usm<T> {
        Usm::new(&self.context, &self.device, UsmKind::Shared, count)
    }

    pub fn try_run(&self, kernel: &Kernel, spec: &LaunchSpec, arguments: &[ArgumentKind<'_>]) -> Result<()> {
        let arguments: Vec<KernelArgument<'_>> =
            (0..).zip(arguments).map(|(index, kind)| KernelArgument { index, kind: *kind }).collect();
        kernel.launch(&self.queue, spec, &arguments, &[])?.wait()
    }

    pub fn run(&self, kernel: &Kernel, spec: &LaunchSpec, arguments: &[ArgumentKind<'_>]) {
        if let Err(error) = self.try_run(kernel, spec, arguments) {
            panic!("{}: {error}", self.device.name());
        }
    }
}

pub fn with(options: &[&str]) -> BuildOptions {
    BuildOptions { options: options.iter().map(|option| (*option).to_owned()).collect(), ..BuildOptions::default() }
}

/// USM that is freed with the test.
pub struct Usm<T> {
    context: Arc<Context>,
    pub address: Address,
    count: usize,
    element: std::marker::PhantomData<T>,
}

impl<T: Copy + Default> Usm<T> {
    pub fn new(context: &Arc<Context>, device: &Device, kind: UsmKind, count: usize) -> Self {
        let request = UsmRequest { kind, bytes: count * size_of::<T>(), alignment: align_of::<T>() };
        let address = context.usm_allocate(Some(device), request).unwrap().expect("enough memory");
        let usm = Self { context: Arc::clone(context), address, count, element: std::marker::PhantomData };
        usm.write(&vec![T::default(); count]);
        usm
    }

    pub fn pointer(&self) -> *mut T {
        self.address.pointer().cast()
    }

    /// The address as a number, for structures.
    pub fn number(&self) -> u64 {
        self.address.pointer().expose_provenance() as u64
    }

    pub fn argument(&self) -> ArgumentKind<'static> {
        ArgumentKind::Pointer(self.address)
    }

    /// A pointer to an element inside.
    pub fn argument_at(&self, index: usize) -> ArgumentKind<'static> {
        assert!(index < self.count);
        // SAFETY: inside the allocation.
        ArgumentKind::Pointer(unsafe { Address::new(self.pointer().add(index).cast()) })
    }

    pub fn write(&self, values: &[T]) {
        assert_eq!(values.len(), self.count);
        for (index, value) in values.iter().enumerate() {
            // SAFETY: inside the allocation, which the host can write and no command uses now.
            unsafe { self.pointer().add(index).write(*value) };
        }
    }

    /// The elements, once no command writes them any more.
    pub fn read(&self) -> Vec<T> {
        // SAFETY: inside the allocation, which the host can read; it is initialised in `new`.
        (0..self.count).map(|index| unsafe { self.pointer().add(index).read() }).collect()
    }
}

impl<T> Drop for Usm<T> {
    fn drop(&mut self) {
        self.context.usm_free(self.address).unwrap();
    }
}

fn spec(kind: LaunchKind, global: &[usize], local: &[usize]) -> LaunchSpec {
    let fill = |sizes: &[usize]| {
        let mut all = [1; 3];
        all[..sizes.len()].copy_from_slice(sizes);
        all
    };
    LaunchSpec { kind, dimensions: global.len(), global: fill(global), local: fill(local), offset: [0; 3], scratch: 0 }
}

pub fn single_task() -> LaunchSpec {
    spec(LaunchKind::SingleTask, &[1], &[1])
}

pub fn range(global: &[usize]) -> LaunchSpec {
    spec(LaunchKind::Range, global, &[])
}

pub fn nd_range(global: &[usize], local: &[usize]) -> LaunchSpec {
    spec(LaunchKind::NdRange, global, local)
}
