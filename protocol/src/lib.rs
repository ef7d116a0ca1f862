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
//! * a **job socket**, a `SOCK_STREAM` pair for one compile. The client writes one [`Request`] frame; the forked
//!   compile process reads it and writes one [`Reply`] frame. Closing the client's end cancels the compile.
//!
//! A packet of the control socket is the postcard of its value and nothing else ([`encode_packet`]).
//! A frame is a little-endian `u64` length followed by that many bytes of postcard. Nothing in a frame is trusted:
//! lengths are bounded by [`MAX_FRAME`], and a frame that does not decode is an error, never a panic.

mod frame;
mod table;

pub use frame::{FrameError, MAX_FRAME, MAX_PACKET, decode_packet, encode_packet, read_frame, write_frame};
pub use table::{KernelInfo, KernelKind, Parameter, ParameterKind};

use serde::{Deserialize, Serialize};

/// Version of everything in this crate. A client refuses a helper that says another one.
pub const PROTOCOL_VERSION: u32 = 1;

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

/// One compile, language `sycl`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// Name under which diagnostics show the main file, e.g. `rtc_0.cpp`.
    pub main_name: String,
    /// The text. May hold any byte.
    #[serde(with = "serde_bytes")]
    pub source: Vec<u8>,
    /// Virtual files, in the order given.
    pub include_files: Vec<IncludeFile>,
    /// Command-line elements as the user gave them, empty ones removed. The compiler checks them against its table.
    pub options: Vec<String>,
    /// Expressions that name kernel functions.
    pub registered_names: Vec<String>,
    /// Current directory of the application at the time of the call; empty if it has none.
    pub working_directory: String,
    /// Unique per compilation and deterministic for equal requests; goes into raw names of kernels with internal linkage.
    /// Lower-case hexadecimal digits.
    pub unit_id: String,
    /// What to emit.
    pub target: Target,
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

/// Format of the device image wanted.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Target {
    /// SPIR-V for the OpenCL environment, 64-bit physical addressing.
    Spirv {
        /// Highest version the device takes, as (major, minor); the compiler emits at most 1.4.
        version: (u8, u8),
        /// SPIR-V extensions (`SPV_...`) the device takes.
        extensions: Vec<String>,
    },
}

/// Answer to a [`Request`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reply {
    /// An image was made.
    Built(Built),
    /// The request itself is at fault: an option that is unknown, refused or lacks its argument (`errc::invalid`).
    Refused {
        /// Text for the user, naming the option.
        message: String,
    },
    /// The compile failed (`errc::build`).
    Failed {
        /// All diagnostics, clang's text untouched.
        log: String,
    },
    /// The compile process ended without an answer: crash, exit, limit (`errc::build`). Sent by the helper itself.
    Died {
        /// What is known: signal, exit status, which limit, last stage, what the process printed.
        message: String,
    },
}

/// A finished compile.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Built {
    /// The image in the format of [`Request::target`]. Empty if there is no kernel.
    #[serde(with = "serde_bytes")]
    pub image: Vec<u8>,
    /// Kernels of the image.
    pub kernels: Vec<KernelInfo>,
    /// For each registered name, in the order of the request: raw name of its kernel.
    pub registered_names: Vec<(String, String)>,
    /// Warnings, remarks and notes.
    pub log: String,
    /// Microseconds spent in the stages, in order, for traces.
    pub stages: Vec<(String, u64)>,
}
