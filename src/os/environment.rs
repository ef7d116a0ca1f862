// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Environment variables, also where the process runs with more rights than its user.

use std::ffi::OsString;

/// Whether the process got more rights from its program file than its user has (set-user-id and the like). What the
/// environment says must then not decide which code is run.
#[must_use]
pub fn is_secure_execution() -> bool {
    // SAFETY: no condition; it reads the auxiliary vector of the process.
    unsafe { libc::getauxval(libc::AT_SECURE) != 0 }
}

/// As `secure_getenv`: the value of a variable, or nothing under [`is_secure_execution`].
#[must_use]
pub fn secure_get(name: &str) -> Option<OsString> {
    if is_secure_execution() { None } else { std::env::var_os(name) }
}
