// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The C ABI in the wrong hands: what can be told is an error, and nothing crashes. Needs no device.

use std::{
    collections::BTreeSet,
    ffi::c_void,
    fs,
    path::Path,
    ptr::{self, null, null_mut},
    slice,
};

use syclrtc::capi::{
    cache::*, context::*, device::*, device_global::*, diagnostics::*, error::*, event::*, handle::*, kernel::*,
    kernel_bundle::*, linking::*, pending_build::*, platform::*, queue::*, storage::*, usm::*, version::*,
};

/// What a call said.
#[derive(Debug)]
enum Answer {
    /// Code and message of the error; 0 for success.
    Error(u32, String),
    /// A pointer that is NULL or not.
    Pointer(bool),
    /// Nothing.
    Nothing,
}

trait Tell {
    fn tell(self) -> Answer;
}

impl Tell for *mut syclrtc_error_t {
    fn tell(self) -> Answer {
        let mut length = 0;
        // SAFETY: the error is ours until it is released below.
        unsafe {
            let code = syclrtc_error_code(self);
            let message = syclrtc_error_message(self, &raw mut length);
            let text = String::from_utf8_lossy(slice::from_raw_parts(message.cast(), length)).into_owned();
            syclrtc_error_release(self);
            Answer::Error(code, text)
        }
    }
}

macro_rules! tell_pointer {
    ($($handle:ty),*) => {$(
        impl Tell for *mut $handle {
            fn tell(self) -> Answer {
                Answer::Pointer(self.is_null())
            }
        }
    )*};
}
tell_pointer!(
    syclrtc_platform_t,
    syclrtc_device_t,
    syclrtc_context_t,
    syclrtc_queue_t,
    syclrtc_event_t,
    syclrtc_kernel_bundle_t,
    syclrtc_kernel_t,
    syclrtc_pending_build_t,
    syclrtc_diagnostics_t
);

impl Tell for () {
    fn tell(self) -> Answer {
        Answer::Nothing
    }
}

/// Each export with a bad handle as its first one and good values for the rest as far as that is possible.
type Call = (&'static str, fn(*mut c_void) -> Answer);

macro_rules! calls {
    ($h:ident; $($name:ident($($argument:expr),*);)*) => {
        &[$((stringify!($name), |$h| {
            // SAFETY: the handle is bad in a way that has to be found out; all other pointers are NULL or good.
            #[allow(unused_unsafe, reason = "some of the functions are safe")]
            unsafe { $name($($argument),*).tell() }
        })),*]
    };
}

fn calls() -> &'static [Call] {
    calls!(h;
        syclrtc_platform_devices(h.cast(), 0, null_mut(), &mut 0);
        syclrtc_platform_default_context(h.cast(), &mut null_mut());
        syclrtc_platform_backend(h.cast(), &mut 0);
        syclrtc_platform_info(h.cast(), 1, 0, null_mut(), &mut 0);
        syclrtc_platform_clone(h.cast());
        syclrtc_platform_release(h.cast());
        syclrtc_device_platform(h.cast(), &mut null_mut());
        syclrtc_device_info(h.cast(), 1, 0, null_mut(), &mut 0);
        syclrtc_device_has(h.cast(), 1, &mut false);
        syclrtc_device_can_build(h.cast(), 1, &mut false);
        syclrtc_device_can_compile(h.cast(), 1, &mut false);
        syclrtc_device_supports_cl_c_version(h.cast(), 1, 2, 0, &mut false);
        syclrtc_device_supports_cl_c_feature(h.cast(), null(), 0, &mut false);
        syclrtc_device_supports_cl_extension(h.cast(), null(), 0, &mut false, null_mut());
        syclrtc_device_cl_profile(h.cast(), &mut null_mut());
        syclrtc_device_clone(h.cast());
        syclrtc_device_release(h.cast());
        syclrtc_context_create(&h.cast_const().cast(), 1, &mut null_mut());
        syclrtc_context_devices(h.cast(), 0, null_mut(), &mut 0);
        syclrtc_context_platform(h.cast(), &mut null_mut());
        syclrtc_context_clone(h.cast());
        syclrtc_context_release(h.cast());
        syclrtc_queue_create(h.cast(), null(), 0, &mut null_mut());
        syclrtc_queue_context(h.cast(), &mut null_mut());
        syclrtc_queue_device(h.cast(), &mut null_mut());
        syclrtc_queue_flags(h.cast(), &mut 0);
        syclrtc_queue_wait(h.cast());
        syclrtc_queue_memcpy(h.cast(), null_mut(), null(), 0, null(), 0, null_mut());
        syclrtc_queue_fill(h.cast(), null_mut(), [0_u8].as_ptr().cast(), 1, 0, null(), 0, null_mut());
        syclrtc_queue_barrier(h.cast(), null(), 0, null_mut());
        syclrtc_queue_launch(h.cast(), null(), null(), null(), 0, null(), 0, null_mut());
        syclrtc_queue_clone(h.cast());
        syclrtc_queue_release(h.cast());
        syclrtc_event_wait(h.cast());
        syclrtc_event_status(h.cast(), &mut 0);
        syclrtc_event_profiling(h.cast(), 1, &mut 0);
        syclrtc_event_clone(h.cast());
        syclrtc_event_release(h.cast());
        syclrtc_usm_allocate(h.cast(), null(), 1, 1, 0, &mut null_mut());
        syclrtc_usm_free(h.cast(), null_mut());
        syclrtc_usm_kind(h.cast(), null(), &mut 0);
        syclrtc_usm_device(h.cast(), null(), &mut null_mut());
        syclrtc_kernel_bundle_create_from_source(h.cast(), 1, null(), 0, null(), 0, &mut null_mut());
        syclrtc_kernel_bundle_build(h.cast(), null(), 0, null(), &mut null_mut(), null_mut());
        syclrtc_kernel_bundle_build_async(h.cast(), null(), 0, null(), &mut null_mut());
        syclrtc_kernel_bundle_cache_keys(h.cast(), null(), 0, null(), &mut null_mut());
        syclrtc_pending_build_wait(h.cast(), 0, &mut false);
        syclrtc_pending_build_result(h.cast(), &mut null_mut(), null_mut());
        syclrtc_pending_build_status(h.cast(), &mut 0);
        syclrtc_pending_build_stage(h.cast(), &mut 0);
        syclrtc_pending_build_cancel(h.cast());
        syclrtc_pending_build_clone(h.cast());
        syclrtc_pending_build_release(h.cast());
        syclrtc_kernel_bundle_state(h.cast(), &mut 0);
        syclrtc_kernel_bundle_context(h.cast(), &mut null_mut());
        syclrtc_kernel_bundle_devices(h.cast(), 0, null_mut(), &mut 0);
        syclrtc_kernel_bundle_image_count(h.cast(), &mut 0);
        syclrtc_kernel_bundle_has_kernel(h.cast(), null(), 0, &mut false);
        syclrtc_kernel_bundle_get_kernel(h.cast(), null(), 0, &mut null_mut());
        syclrtc_kernel_bundle_raw_kernel_name(h.cast(), null(), 0, &mut null_mut());
        syclrtc_kernel_bundle_build_times(
            h.cast(),
            &mut syclrtc_build_times_t { size: size_of::<syclrtc_build_times_t>(), total: 0, compiler: 0, driver: 0 }
        );
        syclrtc_kernel_bundle_compile(h.cast(), null(), 0, null(), &mut null_mut(), null_mut());
        syclrtc_kernel_bundle_link(&h.cast_const().cast(), 1, null(), 0, null(), &mut null_mut());
        syclrtc_kernel_bundle_join(&h.cast_const().cast(), 1, &mut null_mut());
        syclrtc_kernel_bundle_create_empty(h.cast(), null(), 0, SYCLRTC_BUNDLE_STATE_INPUT, &mut null_mut());
        syclrtc_kernel_bundle_images(h.cast(), 0, null_mut(), &mut 0);
        syclrtc_kernel_bundle_equal(h.cast(), null(), &mut false);
        syclrtc_kernel_bundle_content(h.cast(), &mut null_mut());
        syclrtc_kernel_bundle_create_from_content(
            h.cast(),
            null(),
            0,
            SYCLRTC_BUNDLE_STATE_OBJECT,
            null(),
            0,
            &mut null_mut()
        );
        syclrtc_kernel_bundle_code(h.cast(), SYCLRTC_CODE_FORMAT_SPIRV, null(), &mut null_mut());
        syclrtc_kernel_bundle_has_device_global(h.cast(), null(), 0, &mut false);
        syclrtc_kernel_bundle_device_global_size(h.cast(), null(), 0, &mut 0);
        syclrtc_kernel_bundle_device_global_address(h.cast(), null(), 0, null(), &mut null_mut());
        syclrtc_kernel_bundle_diagnostics(h.cast(), &mut null_mut());
        syclrtc_diagnostics_count(h.cast(), &mut 0);
        syclrtc_diagnostics_get(h.cast(), 0, &mut diagnostic());
        syclrtc_diagnostics_get_note(h.cast(), 0, 0, &mut note());
        syclrtc_diagnostics_clone(h.cast());
        syclrtc_diagnostics_release(h.cast());
        syclrtc_kernel_bundle_clone(h.cast());
        syclrtc_kernel_bundle_release(h.cast());
        syclrtc_kernel_bundle_of(h.cast(), &mut null_mut());
        syclrtc_kernel_context(h.cast(), &mut null_mut());
        syclrtc_kernel_info(h.cast(), null(), 1, 0, null_mut(), &mut 0);
        syclrtc_kernel_clone(h.cast());
        syclrtc_kernel_release(h.cast());
    )
}

fn diagnostic() -> syclrtc_diagnostic_t {
    // SAFETY: integers and pointers that may be NULL.
    let zeros: syclrtc_diagnostic_t = unsafe { std::mem::zeroed() };
    syclrtc_diagnostic_t { size: size_of::<syclrtc_diagnostic_t>(), ..zeros }
}

fn note() -> syclrtc_diagnostic_note_t {
    // SAFETY: integers and pointers that may be NULL.
    let zeros: syclrtc_diagnostic_note_t = unsafe { std::mem::zeroed() };
    syclrtc_diagnostic_note_t { size: size_of::<syclrtc_diagnostic_note_t>(), ..zeros }
}

/// Functions whose handle is an error, a text or bytes, and those without one.
const OTHERS: [&str; 22] = [
    "syclrtc_bytes_data",
    "syclrtc_bytes_release",
    "syclrtc_cache_clear",
    "syclrtc_cache_folder",
    "syclrtc_cache_is_enabled",
    "syclrtc_cache_limit",
    "syclrtc_cache_set_enabled",
    "syclrtc_cache_set_limit",
    "syclrtc_cache_statistics",
    "syclrtc_cache_usage",
    "syclrtc_compiler_stop",
    "syclrtc_error_clone",
    "syclrtc_error_code",
    "syclrtc_error_diagnostics",
    "syclrtc_error_log",
    "syclrtc_error_message",
    "syclrtc_error_release",
    "syclrtc_platform_discovery_report",
    "syclrtc_platform_list",
    "syclrtc_text_data",
    "syclrtc_text_release",
    "syclrtc_version",
];

#[test]
fn the_list_of_calls_is_complete() {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("exports.txt")).unwrap();
    let listed: BTreeSet<&str> =
        text.lines().filter(|line| !line.starts_with('#')).map(|line| line.split(' ').next().unwrap()).collect();
    let called: BTreeSet<&str> = calls().iter().map(|(name, _)| *name).chain(OTHERS).collect();
    assert_eq!(called, listed);
}

/// An error object, as a handle of a kind that none of the calls takes.
fn error() -> *mut syclrtc_error_t {
    // SAFETY: NULL in place of a result is an error.
    unsafe { syclrtc_platform_discovery_report(null_mut()) }
}

fn expect(handle: *mut c_void, words: &str) {
    for (name, call) in calls() {
        match call(handle) {
            Answer::Error(code, text) => {
                assert_eq!(code, SYCLRTC_ERROR_INVALID, "{name}: {text}");
                assert!(text.contains(words), "{name}: {text}");
            }
            Answer::Pointer(null) => assert!(null, "{name}"),
            Answer::Nothing => assert!(name.ends_with("_release"), "{name}"),
        }
    }
}

#[test]
fn bad_handles_are_errors() {
    expect(null_mut(), "is NULL");
    let place = [0_u64; 8];
    expect(place.as_ptr().cast_mut().cast(), "is not a handle");
    for stray in [1, 8, 4096, usize::MAX] {
        expect(ptr::without_provenance_mut(stray), "is not a handle");
    }
    let other = error();
    expect(other.cast(), "is a handle of an error");
    expect(other.wrapping_byte_add(8).cast(), "is not a handle");
    syclrtc_error_release(other);
    expect(other.cast(), "was released");
    // Once more: releasing what is released does nothing.
    syclrtc_error_release(other);
}

#[test]
fn errors_and_texts_answer_for_what_they_are_not() {
    let mut length = 77;
    let number = 0_u64;
    let good = error();
    let mut texts = 0;
    for bad in [null_mut(), (&raw const number).cast_mut().cast::<c_void>(), good.cast()] {
        let is_error = bad == good.cast();
        // SAFETY: bad in a way that has to be found out; the texts are not read beyond their length.
        unsafe {
            if !is_error {
                assert_eq!(syclrtc_error_code(bad.cast()), 0);
                for text in
                    [syclrtc_error_message(bad.cast(), &raw mut length), syclrtc_error_log(bad.cast(), null_mut())]
                {
                    assert!(!text.is_null() && *text == 0);
                }
                assert_eq!(length, 0);
                syclrtc_error_release(bad.cast());
            }
            let text = syclrtc_text_data(bad.cast(), &raw mut length);
            assert!(!text.is_null() && length == 0);
            syclrtc_text_release(bad.cast());
            length = 77;
            let bytes = syclrtc_bytes_data(bad.cast(), &raw mut length);
            assert!(!bytes.is_null() && length == 0);
            syclrtc_bytes_release(bad.cast());
            let mut list = null_mut();
            let Answer::Error(code, text) = syclrtc_error_diagnostics(bad.cast(), &raw mut list).tell() else {
                panic!()
            };
            assert_eq!((code == 0, list.is_null()), (is_error, !is_error), "{text}");
            syclrtc_diagnostics_release(list);
            let copy = syclrtc_error_clone(bad.cast());
            assert_eq!(copy, if is_error { bad.cast() } else { null_mut() });
            syclrtc_error_release(copy);
            texts += 1;
        }
    }
    assert_eq!(texts, 3);
    // SAFETY: still ours.
    unsafe {
        assert_eq!(syclrtc_error_code(good), SYCLRTC_ERROR_INVALID);
        syclrtc_error_log(good, &raw mut length);
    }
    assert_eq!(length, 0);
    syclrtc_error_release(good);
}

#[test]
fn caches_are_asked_for_in_known_places() {
    // SAFETY: integers.
    let zeros: syclrtc_cache_statistics_t = unsafe { std::mem::zeroed() };
    let mut statistics = syclrtc_cache_statistics_t { size: size_of::<syclrtc_cache_statistics_t>(), ..zeros };
    let mut bytes = 77;
    // SAFETY: all places are good or NULL.
    let (good, bad) = unsafe {
        let good = [
            syclrtc_cache_statistics(&raw mut statistics),
            syclrtc_cache_usage(SYCLRTC_CACHE_MEMORY, null_mut(), &raw mut bytes),
            syclrtc_cache_limit(SYCLRTC_CACHE_MEMORY, &mut 0),
            syclrtc_compiler_stop(),
        ];
        let bad = [
            syclrtc_cache_statistics(null_mut()),
            syclrtc_cache_statistics(&mut { zeros }),
            syclrtc_cache_usage(0, &mut 0, &mut 0),
            syclrtc_cache_limit(SYCLRTC_CACHE_MEMORY, null_mut()),
            syclrtc_cache_limit(3, &mut 0),
            syclrtc_cache_is_enabled(SYCLRTC_CACHE_DISK, null_mut()),
            syclrtc_cache_is_enabled(u32::MAX, &mut false),
            syclrtc_cache_set_enabled(0, 1),
            syclrtc_cache_set_limit(3, 0),
            syclrtc_cache_clear(3),
            syclrtc_cache_folder(null_mut()),
        ];
        (good, bad)
    };
    for answer in good {
        let Answer::Error(0, _) = answer.tell() else { panic!() };
    }
    assert_eq!((bytes, statistics.compiles), (0, 0));
    for answer in bad {
        let Answer::Error(code, text) = answer.tell() else { panic!() };
        assert_eq!(code, SYCLRTC_ERROR_INVALID, "{text}");
    }
}

#[test]
fn a_list_of_diagnostics_has_bounds() {
    let failure = error();
    let mut list = null_mut();
    let mut count = 77;
    // SAFETY: the handles are ours until they are released below; all places are good.
    let answers = unsafe {
        assert!(syclrtc_error_diagnostics(failure, &raw mut list).is_null());
        assert!(syclrtc_diagnostics_count(list, &raw mut count).is_null());
        assert_eq!(count, 0);
        let short = syclrtc_diagnostic_t { size: 1, ..diagnostic() };
        [
            syclrtc_diagnostics_get(list, 0, &mut diagnostic()),
            syclrtc_diagnostics_get(list, usize::MAX, &mut diagnostic()),
            syclrtc_diagnostics_get(list, 0, &mut { short }),
            syclrtc_diagnostics_get(list, 0, null_mut()),
            syclrtc_diagnostics_get_note(list, 0, 0, &mut note()),
        ]
    };
    for answer in answers {
        let Answer::Error(code, text) = answer.tell() else { panic!() };
        assert_eq!(code, SYCLRTC_ERROR_INVALID, "{text}");
    }
    syclrtc_diagnostics_release(syclrtc_diagnostics_clone(list));
    syclrtc_diagnostics_release(list);
    syclrtc_error_release(failure);
}

#[test]
fn unions_of_nothing_are_errors() {
    let mut bundle = null_mut();
    // SAFETY: all places are good, and no list has an element.
    let answers = unsafe {
        [
            syclrtc_kernel_bundle_join(null(), 0, &raw mut bundle),
            syclrtc_kernel_bundle_join(null(), 2, &raw mut bundle),
            syclrtc_kernel_bundle_link(null(), 0, null(), 0, null(), &raw mut bundle),
            syclrtc_kernel_bundle_link(null(), usize::MAX, null(), 0, null(), &raw mut bundle),
        ]
    };
    for answer in answers {
        let Answer::Error(code, text) = answer.tell() else { panic!() };
        assert_eq!(code, SYCLRTC_ERROR_INVALID, "{text}");
    }
    assert!(bundle.is_null());
}

#[test]
fn results_without_a_place_are_errors() {
    // SAFETY: NULL in place of a result is an error.
    let answers = unsafe {
        [
            syclrtc_platform_list(0, null_mut(), null_mut()),
            syclrtc_platform_list(1, null_mut(), &mut 0),
            syclrtc_platform_discovery_report(null_mut()),
            syclrtc_context_create(null(), 0, null_mut()),
            syclrtc_context_create(null(), 1, &mut null_mut()),
            syclrtc_context_create(null(), usize::MAX, &mut null_mut()),
        ]
    };
    for (index, answer) in answers.into_iter().enumerate() {
        let Answer::Error(code, text) = answer.tell() else { panic!() };
        assert_eq!(code, SYCLRTC_ERROR_INVALID, "{index}: {text}");
    }
}

#[test]
fn the_version_is_that_of_the_package() {
    let part = |text: &str| text.parse::<u32>().unwrap();
    let expected = part(env!("CARGO_PKG_VERSION_MAJOR")) << 16
        | part(env!("CARGO_PKG_VERSION_MINOR")) << 8
        | part(env!("CARGO_PKG_VERSION_PATCH"));
    assert_eq!(syclrtc_version(), expected);
}
