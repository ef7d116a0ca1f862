// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Bundles out of bundles: compile, link, join, empty ones, and comparison.

use std::sync::Arc;

use super::{
    border::fallible,
    context::devices_of,
    handle::{
        self, Text, syclrtc_context_t, syclrtc_device_t, syclrtc_error_t, syclrtc_kernel_bundle_t, syclrtc_text_t,
    },
    input::{Out, OutList, Structure, elements, structure},
    kernel_bundle::{options_of, syclrtc_build_options_t},
    results::known,
};
use crate::{
    bundle::{BundleState, KernelBundle, LinkOptions},
    error::Result,
    runtime::Context,
};

/// Properties of a link.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct syclrtc_link_options_t {
    /// `sizeof(syclrtc_link_options_t)`
    pub size: usize,
    /// Not 0: link as fast as possible, at the price of slower kernels. Kernels and results are the same.
    pub fast_link: u32,
}

// SAFETY: `repr(C)`, starts with the size, integers only.
unsafe impl Structure for syclrtc_link_options_t {
    const NAME: &'static str = "syclrtc_link_options_t";
}

/// Compiles a source for some devices of its context to an object bundle. What it uses and does not define, being
/// `SYCL_EXTERNAL`, stays open until the link. Each call compiles and gives an independent result.
///
/// `source`: borrowed for the call; one in state input, which holds nothing, gives a bundle without kernels. `devices`:
/// `device_count` handles, borrowed for the call. `options`: borrowed for the call; NULL for none. `object`: receives a new reference. `log`: receives a new reference to the warnings and notes; NULL
/// if it is not wanted. Errors: as for `syclrtc_kernel_bundle_build`, but symbols that are left open are none, and
/// `INVALID` also for a device that supports the language for `build` only; nothing is written then. Threads: any, also at
/// the same time on the same source. Since 0.1.0. sycl_ext_oneapi_kernel_compiler: `compile`.
///
/// # Safety
/// `source` and `devices` must not be released before this returns; `devices` must be readable for `device_count`
/// pointers, `options` with its texts as its size says; `object` must be writable, `log` NULL or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syclrtc_kernel_bundle_compile(
    source: *const syclrtc_kernel_bundle_t,
    devices: *const *const syclrtc_device_t,
    device_count: usize,
    options: *const syclrtc_build_options_t,
    object: *mut *mut syclrtc_kernel_bundle_t,
    log: *mut *mut syclrtc_text_t,
) -> *mut syclrtc_error_t {
    fallible(|| {
        // SAFETY: not released meanwhile, readable and writable, says the header.
        let (source, devices, options, out, log) = unsafe {
            (
                handle::share::<KernelBundle>(source, "source")?,
                devices_of(devices, device_count)?,
                options_of(options)?,
                Out::new(object, "object")?,
                Out::optional(log, "log")?,
            )
        };
        let compiled = source.compile(&devices, &options)?;
        if let Some(log) = log {
            log.write(handle::export(Arc::new(Text(compiled.log().to_owned()))));
        }
        out.write(handle::export(compiled));
        Ok(())
    })
}

/// Links object bundles for some devices that all of them have. The bundles stay as they are; an image that several of them
/// share counts once.
///
/// `objects`: `object_count` handles, at least one, borrowed for the call. `devices`: `device_count` handles, at least one,
/// borrowed for the call. `options`: borrowed for the call; NULL for none. `executable`: receives a new reference.
///
/// Errors; nothing is written then:
/// `INVALID` for NULL, a wrong handle, a bad structure, no bundle, a bundle in another state, bundles of different contexts, no
/// device, a device that some bundle does not have, a symbol that no bundle defines, or a symbol or kernel that two images
/// define: the message names the symbol and the bundles;
/// `BUILD` if the parts do not fit each other, or if code generation or the driver fails, with the log.
/// Threads: any, also at the same time on the same bundles. Since 0.1.0. sycl_ext_oneapi_kernel_compiler: `link`.
///
/// # Safety
/// `objects` and `devices` must not be released before this returns, and must be readable for their counts; `options`
/// must be readable as its size says; `executable` must be writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syclrtc_kernel_bundle_link(
    objects: *const *const syclrtc_kernel_bundle_t,
    object_count: usize,
    devices: *const *const syclrtc_device_t,
    device_count: usize,
    options: *const syclrtc_link_options_t,
    executable: *mut *mut syclrtc_kernel_bundle_t,
) -> *mut syclrtc_error_t {
    fallible(|| {
        // SAFETY: not released meanwhile, readable and writable, says the header.
        let (objects, devices, options, out) = unsafe {
            (
                bundles_of(objects, object_count, "objects")?,
                devices_of(devices, device_count)?,
                link_options_of(options)?,
                Out::new(executable, "executable")?,
            )
        };
        out.write(handle::export(KernelBundle::link(&objects, &devices, &options)?));
        Ok(())
    })
}

/// One bundle with the images of several of the same state. Where several have a kernel of some name, the first bundle's
/// is found.
///
/// `bundles`: `bundle_count` handles, at least one, borrowed for the call. `joined`: receives a new reference. Errors:
/// `INVALID` for NULL, a wrong handle, no bundle, a source, or bundles whose states, contexts or sets of devices differ;
/// nothing is written then. Threads: any. Since 0.1.0. SYCL 2020: `join`.
///
/// # Safety
/// `bundles` must not be released before this returns, and must be readable for `bundle_count` pointers; `joined` must be
/// writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syclrtc_kernel_bundle_join(
    bundles: *const *const syclrtc_kernel_bundle_t,
    bundle_count: usize,
    joined: *mut *mut syclrtc_kernel_bundle_t,
) -> *mut syclrtc_error_t {
    fallible(|| {
        // SAFETY: not released meanwhile, readable and writable, says the header.
        let (bundles, out) = unsafe { (bundles_of(bundles, bundle_count, "bundles")?, Out::new(joined, "joined")?) };
        out.write(handle::export(KernelBundle::join(&bundles)?));
        Ok(())
    })
}

/// A bundle without images: what SYCL's `get_kernel_bundle` gives for the application's kernels, of which there are none.
///
/// `context`: borrowed for the call. `devices`: `device_count` handles, at least one, borrowed for the call. `state`: one of
/// `SYCLRTC_BUNDLE_STATE_*`, but not `SOURCE`. `bundle`: receives a new reference. Errors: `INVALID` for NULL, a wrong handle,
/// an unknown state or that of a source, no device, a device that is not in the context, or one that lacks the aspect
/// `online_compiler` (for `INPUT`) or `online_linker` (for `OBJECT`); nothing is written then. Threads: any. Since 0.1.0.
/// SYCL 2020: `get_kernel_bundle`.
///
/// # Safety
/// `context` and `devices` must not be released before this returns; `devices` must be readable for `device_count`
/// pointers; `bundle` must be writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syclrtc_kernel_bundle_create_empty(
    context: *const syclrtc_context_t,
    devices: *const *const syclrtc_device_t,
    device_count: usize,
    state: u32,
    bundle: *mut *mut syclrtc_kernel_bundle_t,
) -> *mut syclrtc_error_t {
    fallible(|| {
        // SAFETY: not released meanwhile, readable and writable, says the header.
        let (context, devices, out) = unsafe {
            (
                handle::share::<Context>(context, "context")?,
                devices_of(devices, device_count)?,
                Out::new(bundle, "bundle")?,
            )
        };
        let state = known(BundleState::from_number(state), state, "state")?;
        out.write(handle::export(KernelBundle::empty(&context, &devices, state)?));
        Ok(())
    })
}

/// Numbers of the device images of a bundle: equal numbers, in this bundle or another that exists at the same time, stand for
/// the same image.
///
/// `bundle`: borrowed for the call. `images`: receives at most `capacity` numbers; may be NULL if that is 0. `count`: how many
/// there are. Errors: `INVALID` for NULL or a wrong handle; nothing is written then. Threads: any. Since 0.1.0. SYCL 2020:
/// comparison of `device_image`.
///
/// # Safety
/// `bundle` must not be released before this returns; `images` must be writable for `capacity` numbers, `count` for one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syclrtc_kernel_bundle_images(
    bundle: *const syclrtc_kernel_bundle_t,
    capacity: usize,
    images: *mut u64,
    count: *mut usize,
) -> *mut syclrtc_error_t {
    fallible(|| {
        // SAFETY: not released meanwhile and writable, says the header.
        let (bundle, out) = unsafe {
            (handle::get::<KernelBundle>(bundle, "bundle")?, OutList::new(images, capacity, count, "images")?)
        };
        out.write(&bundle.image_ids(), |id| *id);
        Ok(())
    })
}

/// Whether two bundles are equal: of the same state and context, with the same devices and the same images in any order. A
/// source is equal to itself only.
///
/// `bundle`, `other`: borrowed for the call. `equal`: receives the answer. Errors: `INVALID` for NULL or a wrong handle;
/// nothing is written then. Threads: any. Since 0.1.0. SYCL 2020: `operator==` of `kernel_bundle`.
///
/// # Safety
/// `bundle` and `other` must not be released before this returns; `equal` must be writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syclrtc_kernel_bundle_equal(
    bundle: *const syclrtc_kernel_bundle_t,
    other: *const syclrtc_kernel_bundle_t,
    equal: *mut bool,
) -> *mut syclrtc_error_t {
    fallible(|| {
        // SAFETY: not released meanwhile and writable, says the header.
        let (bundle, other, out) = unsafe {
            (
                handle::get::<KernelBundle>(bundle, "bundle")?,
                handle::get::<KernelBundle>(other, "other")?,
                Out::new(equal, "equal")?,
            )
        };
        out.write(bundle.is_equal(other));
        Ok(())
    })
}

/// # Safety
/// `list` must be readable for `count` handles, none of which is released meanwhile.
unsafe fn bundles_of(
    list: *const *const syclrtc_kernel_bundle_t,
    count: usize,
    name: &str,
) -> Result<Vec<Arc<KernelBundle>>> {
    // SAFETY: readable by the condition.
    let handles = unsafe { elements(list, count, name) }?;
    // SAFETY: not released meanwhile by the condition.
    handles.iter().map(|bundle| unsafe { handle::share::<KernelBundle>(*bundle, name) }).collect()
}

/// # Safety
/// `options` must be NULL or readable as its size says.
unsafe fn link_options_of(options: *const syclrtc_link_options_t) -> Result<LinkOptions> {
    if options.is_null() {
        return Ok(LinkOptions::default());
    }
    // SAFETY: readable by the condition.
    let given = unsafe { structure(options, "options") }?;
    Ok(LinkOptions { fast_link: given.fast_link != 0 })
}
