// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#![forbid(unsafe_code)]
//! Kernel bundles and their kernels: from a source text to a launch.
//!
//! This is where a program's wishes are checked: languages, devices, options' form, names, arguments and ranges. What
//! passes here is handed to the compiler client and to the run-time, which check no more. Nothing below a driver's trait
//! is seen, and the text of a source is not looked at, but for words that make its result another one each time.

mod aspects;
mod build;
mod cache_control;
mod cache_entry;
mod cache_keys;
mod cached;
mod code;
mod content;
mod globals;
mod job;
mod join;
mod kernel;
mod kernel_bundle;
mod language;
mod launch;
mod launch_range;
mod link;
mod names;
mod native;
mod object;
mod opencl_c;
mod opencl_options;
mod pending;
mod preambles;
mod request;
mod spirv;
mod spirv_lowering;
mod spirv_reflection;
mod spirv_source;
mod trace;
mod unit;

pub use build::BuildOptions;
pub use cache_control::{CacheStatistics, Place, cache};
pub use code::{CodeFormat, CodeRequest};
pub use job::BuildStage;
pub use kernel::{Kernel, KernelDeviceParam};
pub use kernel_bundle::{BuildTimes, BundleState, IncludeFile, KernelBundle};
pub use language::{Language, can_build, can_compile, start_ahead};
pub use launch::{ArgumentKind, KernelArgument, LaunchKind, LaunchSpec};
pub use link::LinkOptions;
pub use pending::{BuildStatus, PendingBuild};
