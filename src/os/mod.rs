// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What is asked of the operating system directly.

pub mod cancel;
pub mod dylib;
pub mod environment;
pub mod per_process;
pub mod process;
