// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#![forbid(unsafe_code)]
//! The error of every fallible function of the library.

use std::fmt;

pub use syclrtc_protocol::{Diagnostic, Location, Note, Severity};

/// `Result` with [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

/// Kind of an error: SYCL's `errc`. The numbers cross the C border and are never reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Errc {
    /// General; no device matches; the driver failed without a better code.
    Runtime = 1,
    /// Error before or while enqueuing a kernel.
    Kernel = 2,
    /// Accessor misuse.
    Accessor = 3,
    /// The `nd_range` does not fit the kernel.
    NdRange = 4,
    /// Event misuse.
    Event = 5,
    /// Bad kernel argument.
    KernelArgument = 6,
    /// Online compile, link or build failed.
    Build = 7,
    /// Bad parameter or call.
    Invalid = 8,
    /// A device allocation failed.
    MemoryAllocation = 9,
    /// Error of the platform.
    Platform = 10,
    /// Error with profiling information.
    Profiling = 11,
    /// An optional feature was asked for that the device lacks.
    FeatureNotSupported = 12,
    /// A kernel uses an optional feature that the device lacks, or was not built for it.
    KernelNotSupported = 13,
    /// Interoperability with the wrong back end.
    BackendMismatch = 14,
    /// A fault of this library.
    Internal = 15,
}

impl Errc {
    /// SYCL's spelling, for messages and logs.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Runtime => "runtime",
            Self::Kernel => "kernel",
            Self::Accessor => "accessor",
            Self::NdRange => "nd_range",
            Self::Event => "event",
            Self::KernelArgument => "kernel_argument",
            Self::Build => "build",
            Self::Invalid => "invalid",
            Self::MemoryAllocation => "memory_allocation",
            Self::Platform => "platform",
            Self::Profiling => "profiling",
            Self::FeatureNotSupported => "feature_not_supported",
            Self::KernelNotSupported => "kernel_not_supported",
            Self::BackendMismatch => "backend_mismatch",
            Self::Internal => "internal",
        }
    }
}

/// An error: code, message and, for builds, the log of compiler or driver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// Kind.
    pub code: Errc,
    /// What was given, what is allowed, what went wrong. Never empty.
    pub message: String,
    /// Log of the compiler or the driver, for [`Errc::Build`].
    pub log: Option<String>,
    /// The compiler's diagnostics as data, for [`Errc::Build`]; empty where there is only text.
    pub diagnostics: Vec<Diagnostic>,
}

impl Error {
    /// An error without a log.
    pub fn new(code: Errc, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), log: None, diagnostics: Vec::new() }
    }

    /// A build error with the log that explains it.
    pub fn build(message: impl Into<String>, log: impl Into<String>) -> Self {
        Self { log: Some(log.into()), ..Self::new(Errc::Build, message) }
    }

    /// The same with diagnostics.
    #[must_use]
    pub fn with_diagnostics(self, diagnostics: Vec<Diagnostic>) -> Self {
        Self { diagnostics, ..self }
    }

    /// [`Errc::Invalid`]
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(Errc::Invalid, message)
    }

    /// [`Errc::Runtime`]
    pub fn runtime(message: impl Into<String>) -> Self {
        Self::new(Errc::Runtime, message)
    }

    /// [`Errc::FeatureNotSupported`]
    pub fn feature_not_supported(message: impl Into<String>) -> Self {
        Self::new(Errc::FeatureNotSupported, message)
    }

    /// [`Errc::Internal`]
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(Errc::Internal, message)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
