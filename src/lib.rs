// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! SYCL kernels from source strings, built and launched at run time from plain C++.
//!
//! The product is the shared library `libsyclrtc.so` behind `include/syclrtc/syclrtc.h`; the Rust names here are for
//! its own tests and carry no promise. Dependencies between the modules point one way, from [`capi`] down:
//! `capi → bundle → {compiler, runtime} → {backend, cache} → {image, os, error, env}`; a test holds the `use` lines to it.

pub mod backend;
pub mod bundle;
pub mod cache;
pub mod capi;
pub mod compiler;
pub mod env;
pub mod error;
pub mod image;
pub mod logging;
pub mod os;
pub mod runtime;
