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

/// Switches files with precompiled headers off.
pub const PREAMBLES: Variable =
    Variable { name: "SYCLRTC_PREAMBLES", secure: true, purpose: "`off`: no files with precompiled headers" };

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

/// Switches the persistent cache on.
pub const CACHE_PERSISTENT: Variable = Variable {
    name: "SYCL_CACHE_PERSISTENT",
    secure: true,
    purpose: "`1`: results are kept on disk for later processes",
};

/// Folder of the persistent cache.
pub const CACHE_DIR: Variable =
    Variable { name: "SYCL_CACHE_DIR", secure: true, purpose: "folder of the persistent cache" };

/// Base of the default folder.
pub const XDG_CACHE_HOME: Variable =
    Variable { name: "XDG_CACHE_HOME", secure: true, purpose: "the default folder is `syclrtc_cache` in it" };

/// Base of the default folder without the one above.
pub const HOME: Variable =
    Variable { name: "HOME", secure: true, purpose: "the default folder is `.cache/syclrtc_cache` in it" };

/// Limit of the persistent cache.
pub const CACHE_MAX_SIZE: Variable =
    Variable { name: "SYCL_CACHE_MAX_SIZE", secure: true, purpose: "bytes of the persistent cache; 0: no limit" };

/// Switches eviction off.
pub const CACHE_EVICTION_DISABLE: Variable = Variable {
    name: "SYCL_CACHE_EVICTION_DISABLE",
    secure: true,
    purpose: "any value: nothing is removed from the persistent cache",
};

/// An age in days that older implementations removed entries by.
pub const CACHE_THRESHOLD: Variable =
    Variable { name: "SYCL_CACHE_THRESHOLD", secure: true, purpose: "accepted and ignored" };

/// Smallest entry of the persistent cache.
pub const CACHE_MIN_DEVICE_IMAGE_SIZE: Variable = Variable {
    name: "SYCL_CACHE_MIN_DEVICE_IMAGE_SIZE",
    secure: true,
    purpose: "bytes: smaller images are not kept on disk",
};

/// Largest entry of the persistent cache.
pub const CACHE_MAX_DEVICE_IMAGE_SIZE: Variable = Variable {
    name: "SYCL_CACHE_MAX_DEVICE_IMAGE_SIZE",
    secure: true,
    purpose: "bytes: larger images are not kept on disk",
};

/// Switches the cache in memory off.
pub const CACHE_IN_MEM: Variable =
    Variable { name: "SYCL_CACHE_IN_MEM", secure: false, purpose: "`0`: results are not kept in memory" };

/// Limit of the cache in memory.
pub const IN_MEM_CACHE_EVICTION_THRESHOLD: Variable = Variable {
    name: "SYCL_IN_MEM_CACHE_EVICTION_THRESHOLD",
    secure: false,
    purpose: "bytes of results kept in memory; 0: no limit",
};

/// What the caches tell.
pub const CACHE_TRACE: Variable =
    Variable { name: "SYCL_CACHE_TRACE", secure: false, purpose: "bits: 1 disk, 2 memory, 4 kernel compiler" };

/// Where traces of compiles, builds, links and loads go.
pub const TRACE: Variable = Variable {
    name: "SYCLRTC_TRACE",
    secure: true,
    purpose: "`stderr` or a file: one line for each compile, build, link and load",
};

/// Variables that clang reads for itself, with their values: they shape what is compiled.
#[must_use]
pub fn compiler_inputs() -> [(&'static str, Option<String>); 5] {
    let names = ["CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "SOURCE_DATE_EPOCH", "GCC_EXEC_PREFIX"];
    names.map(|name| (name, std::env::var_os(name).map(|value| value.to_string_lossy().into_owned())))
}

/// All variables.
pub const ALL: &[Variable] = &[
    ONEAPI_DEVICE_SELECTOR,
    COMPILER,
    PREAMBLES,
    LOG,
    COMPILE_TIMEOUT,
    COMPILE_MEMORY,
    OPENCL_USM,
    VALIDATE,
    CACHE_PERSISTENT,
    CACHE_DIR,
    XDG_CACHE_HOME,
    HOME,
    CACHE_MAX_SIZE,
    CACHE_EVICTION_DISABLE,
    CACHE_THRESHOLD,
    CACHE_MIN_DEVICE_IMAGE_SIZE,
    CACHE_MAX_DEVICE_IMAGE_SIZE,
    CACHE_IN_MEM,
    IN_MEM_CACHE_EVICTION_THRESHOLD,
    CACHE_TRACE,
    TRACE,
];

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

    /// The value as a number that is not negative.
    ///
    /// # Errors
    /// [`Errc::Runtime`](crate::error::Errc::Runtime) if it is something else.
    pub fn number(&self) -> Result<Option<u64>> {
        let Some(value) = self.value() else { return Ok(None) };
        match value.to_str().and_then(|text| text.trim().parse().ok()) {
            Some(number) => Ok(Some(number)),
            None => Err(Error::runtime(format!(
                "{} must be a number that is not negative, and is \"{}\"",
                self.name(),
                value.to_string_lossy()
            ))),
        }
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
        assert_eq!(variable.number(), Ok(None));
        assert_eq!(Variable { secure: true, ..variable }.value(), None);
    }

    #[test]
    fn a_value_that_is_no_number_is_an_error() {
        let variable = Variable { name: "PATH", secure: false, purpose: "test" };
        let error = variable.number().unwrap_err();
        assert_eq!(error.code, crate::error::Errc::Runtime);
        assert!(error.message.starts_with("PATH must be a number"), "{error}");
    }

    #[test]
    fn the_path_is_read_both_ways() {
        let variable = Variable { name: "PATH", secure: false, purpose: "test" };
        assert_eq!(variable.value(), std::env::var_os("PATH"));
        assert_eq!(Variable { secure: true, ..variable }.value(), std::env::var_os("PATH"));
    }
}
