// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The OpenCL back end on a library that misbehaves, in ways that no driver at hand does.
//!
//! `data/opencl_stub.c` is built with the C compiler that also links Rust programs; each test runs once more as a child
//! that loads it.

use std::path::PathBuf;
use std::process::Command;
use std::sync::{Arc, OnceLock};

use syclrtc::backend::{Address, Aspect, DeviceInfo, QueueFlags, UsmKind, UsmRequest};
use syclrtc::error::Errc;
use syclrtc::image::DeviceImage;
use syclrtc::runtime::{self, Context, Device, Queue};

const CHILD: &str = "SYCLRTC_TEST_CHILD";

/// Path of the stub, built once.
fn stub() -> &'static PathBuf {
    static STUB: OnceLock<PathBuf> = OnceLock::new();
    STUB.get_or_init(|| {
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/opencl_stub.c");
        let library = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("libopencl_stub.so");
        let compiled = Command::new("cc")
            .args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o"])
            .arg(&library)
            .arg(source)
            .output()
            .unwrap();
        assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
        library
    })
}

/// Runs the test once more as a child with the stub in this mode; true in the child.
fn in_child(test: &str, mode: &str) -> bool {
    if std::env::var_os(CHILD).is_some() {
        return true;
    }
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture", "--test-threads=1"])
        .envs([(CHILD, test), ("STUB_MODE", mode)])
        .env("OPENCL_DYLIB_PATH", stub())
        .env_remove("ONEAPI_DEVICE_SELECTOR")
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}\n{}\n{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    false
}

fn device() -> Arc<Device> {
    let platforms = runtime::platforms().unwrap();
    assert!(runtime::discovery_report().unwrap().contains("libopencl_stub.so"));
    Arc::clone(&platforms[0].devices()[0])
}

fn assert_no_platform_because(reason: &str) {
    assert!(runtime::platforms().unwrap().is_empty());
    let report = runtime::discovery_report().unwrap();
    assert!(report.contains(reason), "{report}");
}

#[test]
fn spirv_by_the_extension_and_no_shared_memory() {
    if !in_child("spirv_by_the_extension_and_no_shared_memory", "") {
        return;
    }
    let device = device();
    let spirv = device.capabilities().spirv.as_ref().unwrap();
    assert_eq!((spirv.version, spirv.extensions.len()), ((1, 2), 0));
    assert!(device.has(Aspect::Gpu) && device.has(Aspect::Fp16) && !device.has(Aspect::UsmDeviceAllocations));
    let context = Context::new(std::slice::from_ref(&device)).unwrap();

    let error = context.load_image(&device, &DeviceImage::spirv([3, 2, 0x23, 7], []), "").unwrap_err();
    assert_eq!(error.code, Errc::Build);
    assert!(error.message.contains("CL_BUILD_PROGRAM_FAILURE (-11)"), "{error}");
    assert_eq!(error.log.as_deref(), Some("the stub builds nothing"));
    let error = context.load_image(&device, &DeviceImage::spirv([1, 2, 3, 4], []), "").unwrap_err();
    assert_eq!(error.code, Errc::Build);
    assert!(error.message.contains("refuses the SPIR-V module"), "{error}");

    let request = UsmRequest { kind: UsmKind::Device, bytes: 16, alignment: 0 };
    assert_eq!(context.usm_allocate(Some(&device), request).unwrap_err().code, Errc::FeatureNotSupported);
    let request = UsmRequest { kind: UsmKind::Host, bytes: 16, alignment: 0 };
    assert_eq!(context.usm_allocate(None, request).unwrap_err().code, Errc::FeatureNotSupported);
    let bytes = [0u8; 4];
    // SAFETY: alive for the call, and the stub copies nothing.
    let address = unsafe { Address::new(bytes.as_ptr().cast_mut().cast()) };
    assert_eq!(context.usm_kind(address.pointer()).unwrap(), UsmKind::Unknown);
    assert_eq!(context.usm_free(address).unwrap_err().code, Errc::Invalid);
    let queue = Queue::new(&context, &device, QueueFlags::default()).unwrap();
    assert_eq!(queue.memcpy(address, address, 4, &[]).unwrap_err().code, Errc::FeatureNotSupported);
    let error = Queue::new(&context, &device, QueueFlags { in_order: true, profiling: true }).unwrap_err();
    assert_eq!(error.code, Errc::FeatureNotSupported);
    assert!(error.message.contains("queue_profiling") && error.message.contains("Stub device"), "{error}");
    // The stub refuses to release contexts: dropping this one must not panic.
}

#[test]
fn failures_of_commands_name_the_code() {
    if !in_child("failures_of_commands_name_the_code", "") {
        return;
    }
    let device = device();
    let context = Context::new(std::slice::from_ref(&device)).unwrap();
    let queue = Queue::new(&context, &device, QueueFlags::default()).unwrap();
    let event = queue.memcpy(Address::NULL, Address::NULL, 0, &[]).unwrap();
    let errors = [event.wait().unwrap_err(), queue.wait().unwrap_err(), queue.barrier(&[&event]).unwrap_err()];
    for error in errors {
        assert_eq!(error.code, Errc::Runtime);
        assert!(error.message.contains("CL_OUT_OF_RESOURCES (-5)"), "{error}");
    }
    // A command that failed is over.
    assert_eq!(event.status().unwrap(), syclrtc::backend::EventStatus::Complete);
}

#[test]
fn an_extension_without_its_functions_is_not_used() {
    if !in_child("an_extension_without_its_functions_is_not_used", "claims-usm") {
        return;
    }
    assert!(!device().has(Aspect::UsmDeviceAllocations));
    assert!(device().capabilities().spirv.is_none());
    assert!(runtime::discovery_report().unwrap().contains("without clHostMemAllocINTEL"));
}

#[test]
fn an_answer_of_the_wrong_size_is_an_error() {
    if !in_child("an_answer_of_the_wrong_size_is_an_error", "short-answers") {
        return;
    }
    let error = device().info(DeviceInfo::MaxComputeUnits).unwrap_err();
    assert_eq!(error.code, Errc::Runtime);
    assert!(error.message.contains("MaxComputeUnits"), "{error}");
}

#[test]
fn a_context_that_cannot_be_made_can_be_tried_again() {
    if !in_child("a_context_that_cannot_be_made_can_be_tried_again", "context-fails") {
        return;
    }
    for _ in 0..2 {
        let error = device().platform().default_context().unwrap_err();
        assert_eq!(error.code, Errc::Runtime);
        assert!(error.message.contains("clCreateContext failed: CL_OUT_OF_RESOURCES"), "{error}");
    }
}

#[test]
fn an_old_platform_is_not_used() {
    if in_child("an_old_platform_is_not_used", "old") {
        assert_no_platform_because("Stub platform (OpenCL 1.1 old): not used, older than OpenCL 1.2");
    }
}

#[test]
fn a_platform_without_devices_is_not_listed() {
    if in_child("a_platform_without_devices_is_not_listed", "no-devices") {
        assert_no_platform_because("Stub platform (OpenCL 2.0 stub): no devices");
    }
}

#[test]
fn a_platform_that_fails_to_list_devices_is_not_listed() {
    if in_child("a_platform_that_fails_to_list_devices_is_not_listed", "devices-fail") {
        assert_no_platform_because("no devices: CL_OUT_OF_RESOURCES (-5)");
    }
}

#[test]
fn a_platform_that_does_not_answer_is_not_listed() {
    if in_child("a_platform_that_does_not_answer_is_not_listed", "nameless") {
        assert_no_platform_because("does not tell its name");
    }
}

#[test]
fn a_device_that_does_not_answer_is_not_listed() {
    if in_child("a_device_that_does_not_answer_is_not_listed", "mute") {
        assert_no_platform_because("a device does not answer: CL_OUT_OF_RESOURCES (-5)");
    }
}
