// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#![forbid(unsafe_code)]
//! The environment variables of the library: all of them, in one table.

use std::ffi::OsString;

use crate::error::{Error, Result};
use crate::os::environment;

/// One environment variable.
#[derive(Debug, Clone, Copy)]
pub struct Variable {
    name: &'static str,
    /// Chooses code, paths or limits: ignored where the process has more rights than its user.
    secure: bool,
    /// One line for the documentation.
    pub purpose: &'static str,
}

/// Filters the devices that the library shows.
pub const ONEAPI_DEVICE_SELECTOR: Variable =
    Variable { name: "ONEAPI_DEVICE_SELECTOR", secure: false, purpose: "which devices are shown" };

/// Path of the compiler program.
pub const COMPILER: Variable =
    Variable { name: "SYCLRTC_COMPILER", secure: true, purpose: "path of the program syclrtc-compiler" };

/// Log level and sink.
pub const LOG: Variable =
    Variable { name: "SYCLRTC_LOG", secure: true, purpose: "log level and sink: LEVEL or LEVEL:FILE" };

/// Wall-clock limit of a compile.
pub const COMPILE_TIMEOUT: Variable =
    Variable { name: "SYCLRTC_COMPILE_TIMEOUT", secure: true, purpose: "time limit of a compile in seconds" };

/// Memory limit of a compile.
pub const COMPILE_MEMORY: Variable =
    Variable { name: "SYCLRTC_COMPILE_MEMORY", secure: true, purpose: "memory limit of a compile in bytes" };

/// Which of the two OpenCL memory interfaces is used where a driver has both.
pub const OPENCL_USM: Variable = Variable {
    name: "SYCLRTC_OPENCL_USM",
    secure: true,
    purpose: "`svm`: use shared virtual memory even where OpenCL has cl_intel_unified_shared_memory (for tests)",
};

/// Full check of the modules that the compiler makes.
pub const VALIDATE: Variable = Variable {
    name: "SYCLRTC_VALIDATE",
    secure: false,
    purpose: "any value: validate every module before a driver sees it, also in release builds",
};

/// All variables.
pub const ALL: &[Variable] =
    &[ONEAPI_DEVICE_SELECTOR, COMPILER, LOG, COMPILE_TIMEOUT, COMPILE_MEMORY, OPENCL_USM, VALIDATE];

impl Variable {
    /// Its name.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The value, if it is set and not empty.
    #[must_use]
    pub fn value(&self) -> Option<OsString> {
        let value = if self.secure { environment::secure_get(self.name) } else { std::env::var_os(self.name) };
        value.filter(|value| !value.is_empty())
    }

    /// The value as text.
    ///
    /// # Errors
    /// [`Errc::Invalid`](crate::error::Errc::Invalid) if it is not UTF-8.
    pub fn text(&self) -> Result<Option<String>> {
        match self.value().map(OsString::into_string) {
            None => Ok(None),
            Some(Ok(text)) => Ok(Some(text)),
            Some(Err(raw)) => {
                Err(Error::invalid(format!("{} is not valid UTF-8: {}", self.name(), raw.to_string_lossy())))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_text_and_differ() {
        for (index, variable) in ALL.iter().enumerate() {
            assert!(!variable.name().is_empty());
            assert!(!variable.purpose.is_empty());
            assert!(ALL[..index].iter().all(|earlier| earlier.name() != variable.name()));
        }
    }

    #[test]
    fn a_variable_that_is_not_set_has_no_value() {
        let variable = Variable { name: "SYCLRTC_TEST_NEVER_SET", secure: false, purpose: "test" };
        assert_eq!(variable.value(), None);
        assert_eq!(variable.text(), Ok(None));
        assert_eq!(Variable { secure: true, ..variable }.value(), None);
    }

    #[test]
    fn the_path_is_read_both_ways() {
        let variable = Variable { name: "PATH", secure: false, purpose: "test" };
        assert_eq!(variable.value(), std::env::var_os("PATH"));
        assert_eq!(Variable { secure: true, ..variable }.value(), std::env::var_os("PATH"));
    }
}
