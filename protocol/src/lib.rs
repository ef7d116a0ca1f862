// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#![forbid(unsafe_code)]
//! What `libsyclrtc` and `syclrtc-compiler` say to each other.
//!
//! Two kinds of socket connect them:
//!
//! * the **control socket**, a `SOCK_SEQPACKET` pair made when the helper is started (the helper's end is file
//!   descriptor [`CONTROL_FD`]). The helper first sends one [`Hello`]. After that the client sends one [`Start`]
//!   packet for each compile, with the helper's end of a fresh **job socket** attached (`SCM_RIGHTS`). End of file
//!   ends the helper.
//! * a **job socket**, a `SOCK_STREAM` pair for one job. The client writes one [`Request`] frame; the forked process
//!   reads it and writes one [`Reply`] frame. Closing the client's end cancels the job.
//!
//! A packet of the control socket is the postcard of its value and nothing else ([`encode_packet`]).
//! A frame is a little-endian `u64` length followed by that many bytes of postcard. Nothing in a frame is trusted:
//! lengths are bounded by [`MAX_FRAME`], and a frame that does not decode is an error, never a panic.

mod dependency;
mod diagnostic;
mod frame;
mod identity;
mod table;

pub use dependency::{Dependency, Digest, FileState, Stamp};
pub use diagnostic::{Diagnostic, Location, Note, Severity};
pub use frame::{FrameError, MAX_FRAME, MAX_PACKET, decode_packet, encode_packet, read_frame, write_frame};
pub use identity::program_identity;
pub use table::{
    CodeSplit, DeclaredKernel, DeviceGlobal, Export, Import, KernelInfo, KernelKind, KernelProperties, LeftOut,
    LocalExtent, LocalObject, Parameter, ParameterKind, SymbolKind, Table,
};

use serde::{Deserialize, Serialize};

/// Version of everything in this crate. A client refuses a helper that says another one.
pub const PROTOCOL_VERSION: u32 = 4;

/// The helper finds its end of the control socket at this descriptor. It is standard input: so the client needs nothing
/// between fork and exec, and the helper is started with `posix_spawn` whatever the size of the application. Standard
/// output and error are `/dev/null`.
pub const CONTROL_FD: i32 = 0;

/// First packet from the helper, sent before it has loaded its headers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// [`PROTOCOL_VERSION`] of the helper.
    pub protocol: u32,
    /// `CARGO_PKG_VERSION` of the helper; has to equal the library's.
    pub version: String,
    /// Compiler inside, for logs and cache keys, e.g. `clang 22.1.8`.
    pub compiler: String,
}

/// Packet on the control socket: start one compile on the attached job socket.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Start {
    /// Wall-clock limit in milliseconds, counted from the fork; 0 = none.
    pub time_limit_ms: u64,
    /// Limit on the memory the compile may add to what the helper holds already, in bytes; 0 = none.
    pub memory_limit: u64,
}

/// One job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Request {
    /// Source text to object or image. Answered by [`Reply::Built`] or a failure.
    Compile(Compile),
    /// Objects to one image. Answered by [`Reply::Built`] or a failure.
    Link(Link),
    /// What the files behind [`Built::preamble`] were. Answered by [`Reply::Files`], empty if the digest is not known.
    PreambleFiles(
        /// The preamble.
        Digest,
    ),
    /// LLVM bitcode to readable LLVM IR. Answered by [`Reply::Text`] or a failure.
    Disassemble(
        /// The bitcode.
        #[serde(with = "serde_bytes")]
        Vec<u8>,
    ),
}

/// One compile, language `sycl`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compile {
    /// Name under which diagnostics show the main file, e.g. `rtc_0.cpp`.
    pub main_name: String,
    /// The text. May hold any byte.
    #[serde(with = "serde_bytes")]
    pub source: Vec<u8>,
    /// Virtual files, in the order given.
    pub include_files: Vec<IncludeFile>,
    /// Command-line elements as the user gave them, empty ones removed. The compiler checks them against its table.
    pub options: Vec<String>,
    /// Expressions that name kernel functions or device globals.
    pub registered_names: Vec<String>,
    /// Current directory of the application at the time of the call; empty if it has none.
    pub working_directory: String,
    /// Unique per compilation and deterministic for equal requests; goes into raw names of kernels with internal linkage.
    /// Lower-case hexadecimal digits.
    pub unit_id: String,
    /// Whether work of earlier compiles may be used: parsed and precompiled preambles. It changes the time, not the result.
    pub reuse: bool,
    /// What to make.
    pub output: Output,
}

/// One entry of the `include_files` property.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct IncludeFile {
    /// Spelling inside `#include`.
    pub name: String,
    /// The text.
    #[serde(with = "serde_bytes")]
    pub content: Vec<u8>,
}

/// What a compile makes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Output {
    /// An object: LLVM bitcode that a [`Link`] takes. Undefined `SYCL_EXTERNAL` symbols stay open.
    Object,
    /// A device image, complete.
    Image(Target),
}

/// What an image is for.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Target {
    /// Format of the image.
    pub format: TargetFormat,
    /// Numbers of the aspects (`sycl::aspect`) that the device has, sorted. A kernel that needs another one is left out.
    pub aspects: Vec<u32>,
}

/// Format of a device image.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum TargetFormat {
    /// SPIR-V for the OpenCL environment, 64-bit physical addressing.
    Spirv {
        /// Highest version the device takes, as (major, minor); the compiler emits at most 1.4.
        version: (u8, u8),
        /// SPIR-V extensions (`SPV_...`) the device takes.
        extensions: Vec<String>,
    },
}

/// Objects to be made one image. That symbols resolve and nothing is defined twice has been checked on the tables.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    /// The objects, each once, in the order of the bundles.
    pub objects: Vec<LinkObject>,
    /// What to make.
    pub target: Target,
}

/// One object of a [`Link`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkObject {
    /// What messages call it, e.g. `bundle 1 (rtc_0.cpp)`.
    pub label: String,
    /// [`Built::code`] of an object.
    #[serde(with = "serde_bytes")]
    pub bitcode: Vec<u8>,
    /// Its table.
    pub table: Table,
}

/// Answer to a [`Request`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(clippy::large_enum_variant, reason = "one exists at a time, and the large one is the usual one")]
pub enum Reply {
    /// An object or image was made.
    Built(Built),
    /// Text that was asked for.
    Text(String),
    /// Files that were asked for.
    Files(Vec<Dependency>),
    /// The request itself is at fault: an option that is unknown, refused or lacks its argument (`errc::invalid`).
    Refused {
        /// Text for the user, naming the option.
        message: String,
    },
    /// The job failed (`errc::build`).
    Failed {
        /// All diagnostics, clang's text untouched.
        log: String,
        /// The same as data, in order.
        diagnostics: Vec<Diagnostic>,
    },
    /// The process ended without an answer: crash, exit, limit (`errc::build`). Sent by the helper itself.
    Died {
        /// What is known: signal, exit status, which limit, last stage, what the process printed.
        message: String,
    },
}

/// A finished compile or link.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Built {
    /// The image in the format of the target, empty if there is no kernel; or the bitcode of an object.
    #[serde(with = "serde_bytes")]
    pub code: Vec<u8>,
    /// For an image: bitcode of the module that it was generated from. Empty for an object.
    #[serde(with = "serde_bytes")]
    pub final_ir: Vec<u8>,
    /// What the code holds.
    pub table: Table,
    /// Warnings, remarks and notes.
    pub log: String,
    /// The same as data, in order.
    pub diagnostics: Vec<Diagnostic>,
    /// JSON of `-ftime-trace`, with where the user wants it (`-` is standard output).
    pub time_trace: Option<TimeTrace>,
    /// Files outside the request that this compile read or looked for, each once, without those of the preamble. Empty for a
    /// link. Headers that the compiler program carries and entries of `include_files` are no dependencies.
    pub dependencies: Vec<Dependency>,
    /// The files that were read or looked for before the request came, if the compile stood behind a parsed preamble; equal
    /// digest, equal files. [`Request::PreambleFiles`] tells them.
    pub preamble: Option<Digest>,
    /// Microseconds spent in the stages, in order, for traces.
    pub stages: Vec<(String, u64)>,
}

/// Result of `-ftime-trace=`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeTrace {
    /// A path as the user gave it, relative to the application's current directory; `-` for standard output.
    pub file: String,
    /// Chrome-style trace.
    pub json: String,
}
