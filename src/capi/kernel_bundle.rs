// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Kernel bundles.

use std::{
    ffi::{c_char, c_void},
    ptr, str,
    sync::Arc,
    time::Duration,
};

use super::{
    border::{fallible, infallible},
    context::devices_of,
    handle::{
        self, Text, syclrtc_context_t, syclrtc_device_t, syclrtc_error_t, syclrtc_kernel_bundle_t, syclrtc_kernel_t,
        syclrtc_text_t,
    },
    input::{Out, OutList, Structure, elements, structure, structures, text, write_structure},
    results::known,
};
use crate::{
    bundle::{BuildOptions, IncludeFile, KernelBundle, Language},
    error::{Error, Result},
    runtime::Context,
};

/// SYCL free-function kernels.
pub const SYCLRTC_LANGUAGE_SYCL: u32 = 1;
/// OpenCL C.
pub const SYCLRTC_LANGUAGE_OPENCL: u32 = 2;
/// A SPIR-V module.
pub const SYCLRTC_LANGUAGE_SPIRV: u32 = 3;

/// `bundle_state::ext_oneapi_source`.
pub const SYCLRTC_BUNDLE_STATE_SOURCE: u32 = 1;
/// `bundle_state::object`.
pub const SYCLRTC_BUNDLE_STATE_OBJECT: u32 = 2;
/// `bundle_state::executable`.
pub const SYCLRTC_BUNDLE_STATE_EXECUTABLE: u32 = 3;
/// `bundle_state::input`.
pub const SYCLRTC_BUNDLE_STATE_INPUT: u32 = 4;

/// A text of the caller's: UTF-8 where nothing else is said, without a NUL at the end.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct syclrtc_string_view_t {
    /// The bytes; may be NULL if there are none.
    pub data: *const c_char,
    /// How many.
    pub length: usize,
}

/// A header that exists only for one source.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct syclrtc_include_file_t {
    /// `sizeof(syclrtc_include_file_t)`
    pub size: usize,
    /// Spelling inside `#include`.
    pub name: syclrtc_string_view_t,
    /// The text; may hold any byte.
    pub content: syclrtc_string_view_t,
}

/// Properties of a build.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct syclrtc_build_options_t {
    /// `sizeof(syclrtc_build_options_t)`
    pub size: usize,
    /// Command-line elements for the compiler; empty ones have no meaning.
    pub options: *const syclrtc_string_view_t,
    /// How many.
    pub option_count: usize,
    /// C++ expressions that name kernels.
    pub registered_names: *const syclrtc_string_view_t,
    /// How many.
    pub registered_name_count: usize,
}

/// Where the time of a build went, in nanoseconds.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct syclrtc_build_times_t {
    /// `sizeof(syclrtc_build_times_t)`, set by the caller.
    pub size: usize,
    /// From call to return.
    pub total: u64,
    /// In the compiler program.
    pub compiler: u64,
    /// In the driver.
    pub driver: u64,
}

// SAFETY: `repr(C)`, starts with the size, integers and pointers that may be NULL.
unsafe impl Structure for syclrtc_include_file_t {
    const NAME: &'static str = "syclrtc_include_file_t";
}

// SAFETY: `repr(C)`, starts with the size, integers and pointers that may be NULL.
unsafe impl Structure for syclrtc_build_options_t {
    const NAME: &'static str = "syclrtc_build_options_t";
}

// SAFETY: `repr(C)`, starts with the size, integers only.
unsafe impl Structure for syclrtc_build_times_t {
    const NAME: &'static str = "syclrtc_build_times_t";
}

/// A bundle of a source for all devices of a context. Nothing is compiled, and the source is not looked at. The first one of
/// language `SYCLRTC_LANGUAGE_SYCL` starts the compiler program, without waiting for it.
///
/// `context`: borrowed for the call. `language`: one of `SYCLRTC_LANGUAGE_*`. `source`: `source_bytes` bytes, any; copied.
/// `include_files`: `include_file_count` structures, copied. `bundle`: receives a new reference. Errors: `INVALID` for NULL, a
/// wrong handle, an unknown `language`, a bad structure, a name of an include file that is not UTF-8 or is given twice, no
/// device in the context that supports the language, or include files for a language that takes none; nothing is written
/// then. Threads: any. Since 0.1.0. sycl_ext_oneapi_kernel_compiler: `create_kernel_bundle_from_source`.
///
/// # Safety
/// `context` must not be released before this returns; `source` must be readable for `source_bytes`, `include_files` with
/// their texts as their sizes say; `bundle` must be writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syclrtc_kernel_bundle_create_from_source(
    context: *const syclrtc_context_t,
    language: u32,
    source: *const c_void,
    source_bytes: usize,
    include_files: *const syclrtc_include_file_t,
    include_file_count: usize,
    bundle: *mut *mut syclrtc_kernel_bundle_t,
) -> *mut syclrtc_error_t {
    fallible(|| {
        // SAFETY: not released meanwhile, readable and writable, says the header.
        let (context, source, files, out) = unsafe {
            (
                handle::share::<Context>(context, "context")?,
                elements(source.cast::<u8>(), source_bytes, "source")?,
                include_files_of(include_files, include_file_count)?,
                Out::new(bundle, "bundle")?,
            )
        };
        let language = known(Language::from_number(language), language, "language")?;
        out.write(handle::export(KernelBundle::create_from_source(&context, language, source.to_vec(), files)?));
        Ok(())
    })
}

/// Builds a source for some devices of its context. Each call compiles and gives an independent result.
///
/// `source`: borrowed for the call; one in state input, which holds nothing, gives a bundle without kernels. `devices`:
/// `device_count` handles, borrowed for the call. `options`: borrowed for the call; NULL for none. `executable`: receives a new
/// reference. `log`: receives a new reference to the warnings and notes;
/// NULL if it is not wanted.
///
/// Errors; nothing is written then:
/// `INVALID` for NULL, a wrong handle, a bad structure, a text that is not UTF-8, a bundle in another state, no device, a
/// device that is not in the context or does not support the language, or an option that is unknown, refused or lacks its
/// argument;
/// `BUILD` if the source does not compile, the driver refuses the code, or the compiler program is not found, fails, crashes or
/// exceeds its limits: the message and the log of the error say everything that is known.
/// Threads: any, also at the same time on the same source. Since 0.1.0. sycl_ext_oneapi_kernel_compiler: `build`.
///
/// # Safety
/// `source` and `devices` must not be released before this returns; `devices` must be readable for `device_count`
/// pointers, `options` with its texts as its size says; `executable` must be writable, `log` NULL or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syclrtc_kernel_bundle_build(
    source: *const syclrtc_kernel_bundle_t,
    devices: *const *const syclrtc_device_t,
    device_count: usize,
    options: *const syclrtc_build_options_t,
    executable: *mut *mut syclrtc_kernel_bundle_t,
    log: *mut *mut syclrtc_text_t,
) -> *mut syclrtc_error_t {
    fallible(|| {
        // SAFETY: not released meanwhile, readable and writable, says the header.
        let (source, devices, options, out, log) = unsafe {
            (
                handle::share::<KernelBundle>(source, "source")?,
                devices_of(devices, device_count)?,
                options_of(options)?,
                Out::new(executable, "executable")?,
                Out::optional(log, "log")?,
            )
        };
        let built = source.build(&devices, &options)?;
        if let Some(log) = log {
            log.write(handle::export(Arc::new(Text(built.log().to_owned()))));
        }
        out.write(handle::export(built));
        Ok(())
    })
}

/// The state of a bundle.
///
/// `bundle`: borrowed for the call. `state`: receives one of `SYCLRTC_BUNDLE_STATE_*`. Errors: `INVALID` for NULL or a wrong
/// handle; nothing is written then. Threads: any. Since 0.1.0. SYCL 2020: parameter of `kernel_bundle`.
///
/// # Safety
/// `bundle` must not be released before this returns; `state` must be writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syclrtc_kernel_bundle_state(
    bundle: *const syclrtc_kernel_bundle_t,
    state: *mut u32,
) -> *mut syclrtc_error_t {
    fallible(|| {
        // SAFETY: not released meanwhile and writable, says the header.
        let (bundle, out) = unsafe { (handle::get::<KernelBundle>(bundle, "bundle")?, Out::new(state, "state")?) };
        out.write(bundle.state() as u32);
        Ok(())
    })
}

/// The context of a bundle.
///
/// `bundle`: borrowed for the call. `context`: receives a new reference. Errors: `INVALID` for NULL or a wrong handle; nothing
/// is written then. Threads: any. Since 0.1.0. SYCL 2020: `kernel_bundle::get_context`.
///
/// # Safety
/// `bundle` must not be released before this returns; `context` must be writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syclrtc_kernel_bundle_context(
    bundle: *const syclrtc_kernel_bundle_t,
    context: *mut *mut syclrtc_context_t,
) -> *mut syclrtc_error_t {
    fallible(|| {
        // SAFETY: not released meanwhile and writable, says the header.
        let (bundle, out) = unsafe { (handle::get::<KernelBundle>(bundle, "bundle")?, Out::new(context, "context")?) };
        out.write(handle::export(Arc::clone(bundle.context())));
        Ok(())
    })
}

/// The devices associated with a bundle, each once.
///
/// `bundle`: borrowed for the call. `devices`: receives at most `capacity` new references; may be NULL if that is 0. `count`:
/// how many there are. Errors: `INVALID` for NULL or a wrong handle; nothing is written then. Threads: any.
/// Since 0.1.0. SYCL 2020: `kernel_bundle::get_devices`.
///
/// # Safety
/// `bundle` must not be released before this returns; `devices` must be writable for `capacity` pointers, `count` for one
/// number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syclrtc_kernel_bundle_devices(
    bundle: *const syclrtc_kernel_bundle_t,
    capacity: usize,
    devices: *mut *mut syclrtc_device_t,
    count: *mut usize,
) -> *mut syclrtc_error_t {
    fallible(|| {
        // SAFETY: not released meanwhile and writable, says the header.
        let (bundle, out) = unsafe {
            (handle::get::<KernelBundle>(bundle, "bundle")?, OutList::new(devices, capacity, count, "devices")?)
        };
        out.write(bundle.devices(), |device| handle::export(Arc::clone(device)));
        Ok(())
    })
}

/// Number of device images of a bundle: 0 for a source and for one without kernels.
///
/// `bundle`: borrowed for the call. `count`: receives the number. Errors: `INVALID` for NULL or a wrong handle; nothing is
/// written then. Threads: any. Since 0.1.0. SYCL 2020: distance of `kernel_bundle::begin` and `end`.
///
/// # Safety
/// `bundle` must not be released before this returns; `count` must be writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syclrtc_kernel_bundle_image_count(
    bundle: *const syclrtc_kernel_bundle_t,
    count: *mut usize,
) -> *mut syclrtc_error_t {
    fallible(|| {
        // SAFETY: not released meanwhile and writable, says the header.
        let (bundle, out) = unsafe { (handle::get::<KernelBundle>(bundle, "bundle")?, Out::new(count, "count")?) };
        out.write(bundle.image_count());
        Ok(())
    })
}

/// Whether a bundle has a kernel of some name: a registered string, the plain name of an `extern "C"` kernel, a raw name or a
/// mangled name. A source has none.
///
/// `bundle`: borrowed for the call. `name`: `name_length` bytes, any, borrowed for the call. `has`: receives the answer.
/// Errors: `INVALID` for NULL or a wrong handle; nothing is written then. Threads: any. Since 0.1.0.
/// sycl_ext_oneapi_kernel_compiler: `kernel_bundle::ext_oneapi_has_kernel`.
///
/// # Safety
/// `bundle` must not be released before this returns; `name` must be readable for `name_length`; `has` must be writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syclrtc_kernel_bundle_has_kernel(
    bundle: *const syclrtc_kernel_bundle_t,
    name: *const c_char,
    name_length: usize,
    has: *mut bool,
) -> *mut syclrtc_error_t {
    fallible(|| {
        // SAFETY: not released meanwhile, readable and writable, says the header.
        let (bundle, name, out) = unsafe {
            (
                handle::get::<KernelBundle>(bundle, "bundle")?,
                elements(name.cast::<u8>(), name_length, "name")?,
                Out::new(has, "has")?,
            )
        };
        // The names of kernels are UTF-8, so another one is none of them.
        out.write(str::from_utf8(name).is_ok_and(|name| bundle.has_kernel(name)));
        Ok(())
    })
}

/// A kernel of an executable bundle, by a name as for `syclrtc_kernel_bundle_has_kernel`. As long as a reference to a kernel
/// exists, its name gives the same pointer.
///
/// `bundle`: borrowed for the call. `name`: `name_length` bytes, borrowed for the call. `kernel`: receives a new reference; it
/// keeps the bundle alive. Errors: `INVALID` for NULL, a wrong handle, a bundle in another state, or a name that no kernel
/// has (the message lists the kernels); `RUNTIME` if the driver fails; nothing is written then. Threads: any.
/// Since 0.1.0. sycl_ext_oneapi_kernel_compiler: `kernel_bundle::ext_oneapi_get_kernel`.
///
/// # Safety
/// `bundle` must not be released before this returns; `name` must be readable for `name_length`; `kernel` must be
/// writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syclrtc_kernel_bundle_get_kernel(
    bundle: *const syclrtc_kernel_bundle_t,
    name: *const c_char,
    name_length: usize,
    kernel: *mut *mut syclrtc_kernel_t,
) -> *mut syclrtc_error_t {
    fallible(|| {
        // SAFETY: not released meanwhile, readable and writable, says the header.
        let (bundle, name, out) = unsafe {
            (
                handle::share::<KernelBundle>(bundle, "bundle")?,
                text(name, name_length, "name")?,
                Out::new(kernel, "kernel")?,
            )
        };
        out.write(handle::export(bundle.kernel(name)?));
        Ok(())
    })
}

/// The name of the entry point of a kernel, by a name as for `syclrtc_kernel_bundle_has_kernel`.
///
/// `bundle`: borrowed for the call. `name`: `name_length` bytes, borrowed for the call. `raw_name`: receives a new reference.
/// Errors: `INVALID` for NULL, a wrong handle, or a name that no kernel has (the message lists the kernels); nothing is
/// written then. Threads: any. Since 0.1.0. sycl_ext_oneapi_kernel_compiler:
/// `kernel_bundle::ext_oneapi_get_raw_kernel_name`.
///
/// # Safety
/// `bundle` must not be released before this returns; `name` must be readable for `name_length`; `raw_name` must be
/// writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syclrtc_kernel_bundle_raw_kernel_name(
    bundle: *const syclrtc_kernel_bundle_t,
    name: *const c_char,
    name_length: usize,
    raw_name: *mut *mut syclrtc_text_t,
) -> *mut syclrtc_error_t {
    fallible(|| {
        // SAFETY: not released meanwhile, readable and writable, says the header.
        let (bundle, name, out) = unsafe {
            (
                handle::get::<KernelBundle>(bundle, "bundle")?,
                text(name, name_length, "name")?,
                Out::new(raw_name, "raw_name")?,
            )
        };
        out.write(handle::export(Arc::new(Text(bundle.raw_kernel_name(name)?.to_owned()))));
        Ok(())
    })
}

/// Where the time of the build, compile or link that made a bundle went; zeros for a bundle that was made otherwise.
///
/// `bundle`: borrowed for the call; an object or executable one. `times`: the caller sets `size`; the rest is filled in. Errors:
/// `INVALID` for NULL, a wrong handle, a bad size, or a bundle in another state; nothing is written then.
/// Threads: any. Since 0.1.0.
///
/// # Safety
/// `bundle` must not be released before this returns; `times` must be writable as its size says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syclrtc_kernel_bundle_build_times(
    bundle: *const syclrtc_kernel_bundle_t,
    times: *mut syclrtc_build_times_t,
) -> *mut syclrtc_error_t {
    fallible(|| {
        // SAFETY: not released meanwhile, says the header.
        let seen = unsafe { handle::get::<KernelBundle>(bundle, "bundle") }?.build_times()?;
        let nanoseconds = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        let value = syclrtc_build_times_t {
            size: 0,
            total: nanoseconds(seen.total),
            compiler: nanoseconds(seen.compiler),
            driver: nanoseconds(seen.driver),
        };
        // SAFETY: writable as its size says, says the header.
        unsafe { write_structure(times, value, "times") }
    })
}

/// A new reference to a bundle: the same pointer. NULL for NULL and for what is no bundle.
///
/// `bundle`: borrowed for the call. Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn syclrtc_kernel_bundle_clone(bundle: *const syclrtc_kernel_bundle_t) -> *mut syclrtc_kernel_bundle_t {
    infallible(ptr::null_mut(), || handle::clone::<KernelBundle>(bundle, "bundle"))
}

/// Ends the caller's reference to a bundle. NULL is allowed; what is no bundle is left alone. Kernels keep their bundle.
///
/// `bundle`: transferred. Threads: any, while no other thread uses this reference. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn syclrtc_kernel_bundle_release(bundle: *mut syclrtc_kernel_bundle_t) {
    infallible((), || handle::release::<KernelBundle>(bundle, "bundle"));
}

/// # Safety
/// `files` must be readable for `count` structures of their size, with their texts.
unsafe fn include_files_of(files: *const syclrtc_include_file_t, count: usize) -> Result<Vec<IncludeFile>> {
    let mut converted = Vec::new();
    let each = |file: syclrtc_include_file_t| {
        // SAFETY: the texts of each structure are readable by the condition.
        let (name, content) = unsafe {
            (
                text(file.name.data, file.name.length, "include_files[].name")?,
                elements(file.content.data.cast::<u8>(), file.content.length, "include_files[].content")?,
            )
        };
        if name.contains('\0') {
            return Err(Error::invalid("`include_files[].name` contains a NUL"));
        }
        converted.push(IncludeFile { name: name.to_owned(), content: content.to_vec() });
        Ok(())
    };
    // SAFETY: the condition covers the structures.
    unsafe { structures(files, count, "include_files", each) }?;
    Ok(converted)
}

/// # Safety
/// `options` must be NULL or readable as its size says, with its lists and their texts.
pub(super) unsafe fn options_of(options: *const syclrtc_build_options_t) -> Result<BuildOptions> {
    if options.is_null() {
        return Ok(BuildOptions::default());
    }
    // SAFETY: the condition covers the structure, its lists and their texts.
    unsafe {
        let given = structure(options, "options")?;
        Ok(BuildOptions {
            options: texts_of(given.options, given.option_count, "options->options")?,
            registered_names: texts_of(
                given.registered_names,
                given.registered_name_count,
                "options->registered_names",
            )?,
        })
    }
}

/// # Safety
/// `list` must be readable for `count` views, and each view for its length.
unsafe fn texts_of(list: *const syclrtc_string_view_t, count: usize, name: &str) -> Result<Vec<String>> {
    // SAFETY: readable by the condition.
    let views = unsafe { elements(list, count, name) }?;
    let texts = views.iter().map(|view| {
        // SAFETY: readable by the condition.
        let text = unsafe { text(view.data, view.length, name) }?;
        if text.contains('\0') {
            return Err(Error::invalid(format!("`{name}` contains a NUL: {text:?}")));
        }
        Ok(text.to_owned())
    });
    texts.collect()
}
