// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Shared libraries.

use std::ffi::{CStr, OsStr, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// What [`load_first`] found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Loaded {
    /// Loaded, and stays loaded.
    Found {
        /// The name that led to it.
        name: String,
        /// The file, as far as the dynamic linker tells.
        path: PathBuf,
    },
    /// Nothing loaded: each name with the dynamic linker's answer.
    NotFound(Vec<(String, String)>),
}

/// Loads the first library of the list that can be loaded, with symbols that only its users see. It is never unloaded.
///
/// `probe` is a symbol that it must have; its address tells the path.
///
/// # Safety
/// Loading runs the initialisers of the library: the names must be trusted.
pub unsafe fn load_first(names: &[&str], probe: &str) -> Loaded {
    let mut answers = Vec::new();
    for name in names {
        // SAFETY: the caller trusts the names.
        let library =
            match unsafe { libloading::os::unix::Library::open(Some(*name), libc::RTLD_LAZY | libc::RTLD_LOCAL) } {
                Ok(library) => library,
                Err(error) => {
                    answers.push(((*name).to_owned(), describe(&error)));
                    continue;
                }
            };
        // SAFETY: the symbol is only looked up; its address is used as an address, nothing is called.
        let symbol = unsafe { library.get::<*mut c_void>(probe) };
        let path = match symbol {
            Ok(symbol) => path_of(symbol.as_raw_ptr()),
            Err(error) => {
                answers.push(((*name).to_owned(), describe(&error)));
                continue;
            }
        };
        std::mem::forget(library);
        return Loaded::Found { name: (*name).to_owned(), path: path.unwrap_or_else(|| Path::new(name).to_owned()) };
    }
    Loaded::NotFound(answers)
}

/// The error and its causes: libloading keeps the dynamic linker's text in the source.
fn describe(error: &libloading::Error) -> String {
    use std::error::Error;
    error.source().map_or_else(|| error.to_string(), ToString::to_string)
}

/// File of the shared library (or program) that holds the address.
fn path_of(address: *const c_void) -> Option<PathBuf> {
    let mut info = std::mem::MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: dladdr takes any address and fills the structure if it returns non-zero.
    if unsafe { libc::dladdr(address, info.as_mut_ptr()) } == 0 {
        return None;
    }
    // SAFETY: filled, and every bit pattern of its fields is valid anyway (it was zeroed).
    let info = unsafe { info.assume_init() };
    if info.dli_fname.is_null() {
        return None;
    }
    // SAFETY: a NUL-terminated name that lives as long as the library is loaded; it is copied at once.
    let name = unsafe { CStr::from_ptr(info.dli_fname) };
    Some(PathBuf::from(OsStr::from_bytes(name.to_bytes())))
}

/// File of the library or program that holds this code, as it was named when it was loaded.
#[must_use]
pub fn own_path() -> Option<PathBuf> {
    path_of(own_path as *const c_void)
}

/// Keeps the library that holds this code in memory until the process ends, whatever `dlclose` is called: drivers call
/// back into it, and threads and exit handlers of drivers outlive any handle.
pub fn keep_own_library() {
    let Some(path) = own_path() else { return };
    let flags = libc::RTLD_LAZY | libc::RTLD_NOLOAD | libc::RTLD_NODELETE;
    // SAFETY: the library is loaded already, so no initialiser runs.
    match unsafe { libloading::os::unix::Library::open(Some(&path), flags) } {
        Ok(library) => std::mem::forget(library),
        // In a program that this code is linked into, there is nothing to keep.
        Err(error) => log::debug!("{} is not kept in memory: {}", path.display(), describe(&error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_library_is_reported_with_the_linkers_answer() {
        // SAFETY: no such library exists.
        let loaded = unsafe { load_first(&["libsyclrtc-no-such-library.so.1"], "main") };
        let Loaded::NotFound(answers) = loaded else { panic!("{loaded:?}") };
        assert_eq!(answers.len(), 1);
        assert!(answers[0].1.contains("No such file"), "{answers:?}");
    }

    #[test]
    fn a_library_without_the_symbol_does_not_count() {
        // SAFETY: the C library is loaded already.
        let loaded = unsafe { load_first(&["libc.so.6"], "syclrtc_no_such_symbol") };
        let Loaded::NotFound(answers) = loaded else { panic!("{loaded:?}") };
        assert!(answers[0].1.contains("syclrtc_no_such_symbol"), "{answers:?}");
    }

    #[test]
    fn the_file_of_a_loaded_library_is_known() {
        // SAFETY: the C library is loaded already.
        let loaded = unsafe { load_first(&["libsyclrtc-no-such-library.so.1", "libc.so.6"], "malloc") };
        let Loaded::Found { name, path } = loaded else { panic!("{loaded:?}") };
        assert_eq!(name, "libc.so.6");
        assert!(path.is_absolute() && path.ends_with("libc.so.6"), "{path:?}");
    }

    #[test]
    fn own_path_is_this_test_program() {
        let own = own_path().unwrap();
        let program = std::env::current_exe().unwrap();
        assert_eq!(own.file_name(), program.file_name());
    }
}
