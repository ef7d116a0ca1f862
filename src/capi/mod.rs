// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The C ABI. `include/syclrtc/syclrtc.h` is generated from here by `cargo xtask header`.
//!
//! An export is thin: it checks what came over the border, calls one safe function and converts the result, all inside
//! `border`. Handles and their casts are in [`handle`], slices, structures and results in `input`. The doc comments
//! of exports are the documentation of the header and speak to C programmers.
//!
//! `exports.txt` lists the exported symbols with the version that introduced each. A line that is removed or changed
//! breaks programs.

mod border;
pub mod cache;
pub mod context;
pub mod device;
pub mod device_global;
pub mod diagnostics;
pub mod error;
pub mod event;
pub mod handle;
mod input;
pub mod kernel;
pub mod kernel_bundle;
pub mod linking;
pub mod pending_build;
pub mod platform;
pub mod queue;
mod results;
pub mod storage;
pub mod usm;
pub mod version;
