// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#![forbid(unsafe_code)]
//! What the caches tell on request: `SYCL_CACHE_TRACE`.

use std::{
    fmt,
    io::{self, Write},
    sync::OnceLock,
};

use crate::env;

/// Which cache speaks. The numbers are bits of `SYCL_CACHE_TRACE`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Channel {
    /// The store on disk as such, and native binaries in it.
    Disk = 1,
    /// What is kept in the memory of the process.
    Memory = 2,
    /// Results of the kernel compiler on disk.
    KernelCompiler = 4,
}

impl Channel {
    /// Begins each line; programs look for the text.
    fn prefix(self) -> &'static str {
        match self {
            Self::Disk => "[Persistent Cache]: ",
            Self::Memory => "[In-Memory Cache]: ",
            Self::KernelCompiler => "[kernel_compiler Persistent Cache]: ",
        }
    }

    /// Whether somebody reads its lines.
    #[must_use]
    pub fn is_on(self) -> bool {
        static MASK: OnceLock<u8> = OnceLock::new();
        let mask = MASK.get_or_init(|| env::CACHE_TRACE.value().map_or(0, |value| mask(&value.to_string_lossy())));
        mask & self as u8 != 0
    }

    /// Writes a line to standard error if the channel is on.
    pub fn say(self, line: fmt::Arguments<'_>) {
        if self.is_on() {
            // One write, so that lines of several processes do not mix. A line that is lost must not disturb the program.
            drop(io::stderr().write_all(format!("{}{line}\n", self.prefix()).as_bytes()));
        }
    }
}

/// 0 to 7 is a set of channels; anything else asks for the first one.
fn mask(value: &str) -> u8 {
    value.parse().ok().filter(|mask| *mask <= 7).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mask_is_a_number_below_eight() {
        assert_eq!(["0", "1", "5", "7", "8", "-1", "yes", "300"].map(mask), [0, 1, 5, 7, 1, 1, 1, 1]);
    }
}
