// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Diagnostics as data.

use std::{ffi::c_char, ptr, sync::Arc};

use super::{
    border::{fallible, infallible},
    handle::{self, Diagnostics, syclrtc_diagnostics_t, syclrtc_error_t, syclrtc_kernel_bundle_t},
    input::{Out, Structure, write_structure},
    kernel_bundle::syclrtc_string_view_t,
};
use crate::{
    bundle::KernelBundle,
    error::{Diagnostic, Error, Result},
};

/// Something was noticed.
pub const SYCLRTC_SEVERITY_REMARK: u32 = 1;
/// Likely a mistake.
pub const SYCLRTC_SEVERITY_WARNING: u32 = 2;
/// The build fails.
pub const SYCLRTC_SEVERITY_ERROR: u32 = 3;
/// The build fails at once.
pub const SYCLRTC_SEVERITY_FATAL: u32 = 4;

/// One diagnostic. The texts belong to the list that it is from.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct syclrtc_diagnostic_t {
    /// `sizeof(syclrtc_diagnostic_t)`, set by the caller.
    pub size: usize,
    /// One of `SYCLRTC_SEVERITY_*`.
    pub severity: u32,
    /// Line, from 1; 0 if the place is unknown.
    pub line: u32,
    /// Column, from 1, in bytes; 0 if the place is unknown.
    pub column: u32,
    /// How many notes belong to it.
    pub note_count: u32,
    /// Name of the file as the log shows it; empty if the place is unknown.
    pub file: syclrtc_string_view_t,
    /// What there is to say, without severity and place.
    pub text: syclrtc_string_view_t,
    /// The option that switches it, such as `-Wunused-variable`; empty if there is none.
    pub option: syclrtc_string_view_t,
}

/// A note on a diagnostic. The texts belong to the list that it is from.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct syclrtc_diagnostic_note_t {
    /// `sizeof(syclrtc_diagnostic_note_t)`, set by the caller.
    pub size: usize,
    /// Line, from 1; 0 if the place is unknown.
    pub line: u32,
    /// Column, from 1, in bytes; 0 if the place is unknown.
    pub column: u32,
    /// Name of the file as the log shows it; empty if the place is unknown.
    pub file: syclrtc_string_view_t,
    /// What there is to say.
    pub text: syclrtc_string_view_t,
}

// SAFETY: `repr(C)`, starts with the size, integers and pointers that may be NULL.
unsafe impl Structure for syclrtc_diagnostic_t {
    const NAME: &'static str = "syclrtc_diagnostic_t";
}

// SAFETY: `repr(C)`, starts with the size, integers and pointers that may be NULL.
unsafe impl Structure for syclrtc_diagnostic_note_t {
    const NAME: &'static str = "syclrtc_diagnostic_note_t";
}

/// The diagnostics of a failed build, compile or link; none for other errors.
///
/// `error`: borrowed for the call. `diagnostics`: receives a new reference. Errors: `INVALID` for NULL or a wrong handle; nothing
/// is written then. Threads: any. Since 0.1.0.
///
/// # Safety
/// `error` must not be released before this returns; `diagnostics` must be writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syclrtc_error_diagnostics(
    error: *const syclrtc_error_t,
    diagnostics: *mut *mut syclrtc_diagnostics_t,
) -> *mut syclrtc_error_t {
    fallible(|| {
        // SAFETY: not released meanwhile and writable, says the header.
        let (error, out) = unsafe { (handle::get::<Error>(error, "error")?, Out::new(diagnostics, "diagnostics")?) };
        out.write(handle::export(Arc::new(Diagnostics(error.diagnostics.clone()))));
        Ok(())
    })
}

/// The diagnostics of the build, compile or link that made a bundle: warnings and remarks. None for a source.
///
/// `bundle`: borrowed for the call. `diagnostics`: receives a new reference. Errors: `INVALID` for NULL or a wrong handle;
/// nothing is written then. Threads: any. Since 0.1.0.
///
/// # Safety
/// `bundle` must not be released before this returns; `diagnostics` must be writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syclrtc_kernel_bundle_diagnostics(
    bundle: *const syclrtc_kernel_bundle_t,
    diagnostics: *mut *mut syclrtc_diagnostics_t,
) -> *mut syclrtc_error_t {
    fallible(|| {
        // SAFETY: not released meanwhile and writable, says the header.
        let (bundle, out) =
            unsafe { (handle::get::<KernelBundle>(bundle, "bundle")?, Out::new(diagnostics, "diagnostics")?) };
        out.write(handle::export(Arc::new(Diagnostics(bundle.diagnostics().to_vec()))));
        Ok(())
    })
}

/// How many diagnostics a list has.
///
/// `diagnostics`: borrowed for the call. `count`: receives the number. Errors: `INVALID` for NULL or a wrong handle; nothing is
/// written then. Threads: any. Since 0.1.0.
///
/// # Safety
/// `diagnostics` must not be released before this returns; `count` must be writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syclrtc_diagnostics_count(
    diagnostics: *const syclrtc_diagnostics_t,
    count: *mut usize,
) -> *mut syclrtc_error_t {
    fallible(|| {
        // SAFETY: not released meanwhile and writable, says the header.
        let (list, out) =
            unsafe { (handle::get::<Diagnostics>(diagnostics, "diagnostics")?, Out::new(count, "count")?) };
        out.write(list.0.len());
        Ok(())
    })
}

/// One diagnostic of a list, which is in the order of the log.
///
/// `diagnostics`: borrowed until the last use of the texts. `index`: from 0. `diagnostic`: the caller sets `size`; the rest is
/// filled in. Errors: `INVALID` for NULL, a wrong handle, a bad size, or an index beyond the last; nothing is written then.
/// Threads: any. Since 0.1.0.
///
/// # Safety
/// `diagnostics` must not be released before the last use of the texts; `diagnostic` must be writable as its size says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syclrtc_diagnostics_get(
    diagnostics: *const syclrtc_diagnostics_t,
    index: usize,
    diagnostic: *mut syclrtc_diagnostic_t,
) -> *mut syclrtc_error_t {
    fallible(|| {
        // SAFETY: not released meanwhile, says the header.
        let found = at(&unsafe { handle::get::<Diagnostics>(diagnostics, "diagnostics") }?.0, index, "index")?;
        let value = syclrtc_diagnostic_t {
            size: 0,
            severity: found.severity as u32,
            line: found.location.line,
            column: found.location.column,
            note_count: u32::try_from(found.notes.len()).unwrap_or(u32::MAX),
            file: view(&found.location.file),
            text: view(&found.text),
            option: view(&found.option),
        };
        // SAFETY: writable as its size says, says the header.
        unsafe { write_structure(diagnostic, value, "diagnostic") }
    })
}

/// One note of a diagnostic.
///
/// `diagnostics`: borrowed until the last use of the texts. `index`: of the diagnostic, from 0. `note_index`: from 0. `note`:
/// the caller sets `size`; the rest is filled in. Errors: `INVALID` for NULL, a wrong handle, a bad size, or an index beyond
/// the last; nothing is written then. Threads: any. Since 0.1.0.
///
/// # Safety
/// `diagnostics` must not be released before the last use of the texts; `note` must be writable as its size says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syclrtc_diagnostics_get_note(
    diagnostics: *const syclrtc_diagnostics_t,
    index: usize,
    note_index: usize,
    note: *mut syclrtc_diagnostic_note_t,
) -> *mut syclrtc_error_t {
    fallible(|| {
        // SAFETY: not released meanwhile, says the header.
        let list: &[Diagnostic] = &unsafe { handle::get::<Diagnostics>(diagnostics, "diagnostics") }?.0;
        let found = at(&at(list, index, "index")?.notes, note_index, "note_index")?;
        let value = syclrtc_diagnostic_note_t {
            size: 0,
            line: found.location.line,
            column: found.location.column,
            file: view(&found.location.file),
            text: view(&found.text),
        };
        // SAFETY: writable as its size says, says the header.
        unsafe { write_structure(note, value, "note") }
    })
}

/// A new reference to a list: the same pointer. NULL for NULL and for what is no list of diagnostics.
///
/// `diagnostics`: borrowed for the call. Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn syclrtc_diagnostics_clone(diagnostics: *const syclrtc_diagnostics_t) -> *mut syclrtc_diagnostics_t {
    infallible(ptr::null_mut(), || handle::clone::<Diagnostics>(diagnostics, "diagnostics"))
}

/// Ends the caller's reference to a list. NULL is allowed; what is no list of diagnostics is left alone.
///
/// `diagnostics`: transferred. Threads: any, while no other thread uses this reference. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn syclrtc_diagnostics_release(diagnostics: *mut syclrtc_diagnostics_t) {
    infallible((), || handle::release::<Diagnostics>(diagnostics, "diagnostics"));
}

fn at<'a, T>(list: &'a [T], index: usize, name: &str) -> Result<&'a T> {
    list.get(index).ok_or_else(|| Error::invalid(format!("`{name}` is {index}, and there are {}", list.len())))
}

fn view(text: &str) -> syclrtc_string_view_t {
    syclrtc_string_view_t { data: text.as_ptr().cast::<c_char>(), length: text.len() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Severity;

    #[test]
    fn the_numbers_of_the_header_are_those_inside() {
        for (number, inside) in [
            (SYCLRTC_SEVERITY_REMARK, Severity::Remark),
            (SYCLRTC_SEVERITY_WARNING, Severity::Warning),
            (SYCLRTC_SEVERITY_ERROR, Severity::Error),
            (SYCLRTC_SEVERITY_FATAL, Severity::Fatal),
        ] {
            assert_eq!(number, inside as u32);
        }
    }
}
