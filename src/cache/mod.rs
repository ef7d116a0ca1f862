// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#![forbid(unsafe_code)]
//! Caches: bytes under keys. This part knows neither compilers nor drivers; what the bytes mean is the caller's business.

pub mod disk;
mod key;
pub mod trace;

pub use disk::{Claim, Store, Tier};
pub use key::{Digest, Key, KeyBuilder, Part, digest_of};
