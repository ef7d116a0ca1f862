// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#![forbid(unsafe_code)]
//! Caches: bytes under keys. This part knows neither compilers nor drivers; what the bytes mean is the caller's business.

pub mod disk;
mod flight;
mod key;
mod memory;
mod process;
mod stats;
pub mod trace;

pub use disk::{Claim, Miss, Settings, Store, Tier, Usage};
pub use flight::{Flights, Leader, Turn};
pub use key::{Digest, Key, KeyBuilder, Part, digest_of};
pub use memory::Memory;
pub use process::{Caches, MEMORY_LIMIT, caches};
pub use stats::{Counter, Counters, Counts, Held, Statistics, statistics};
