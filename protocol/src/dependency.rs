// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What a compile depended on outside its request.

use serde::{Deserialize, Serialize};

/// A BLAKE3 hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Digest(pub [u8; 32]);

/// A place in the file system where a compile looked, and what it found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dependency {
    /// Absolute path, as the compiler spelled it. Not UTF-8: the bytes, so that it is looked at again under the same name.
    #[serde(with = "serde_bytes")]
    pub path: Vec<u8>,
    /// What was there.
    pub state: FileState,
}

/// What is at a path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum FileState {
    /// Nothing that can be read as a file. The compile would have taken a file here.
    Missing,
    /// A file whose content was read.
    File {
        /// Of the content that the compiler saw.
        digest: Digest,
        /// Taken from the descriptor that was read. `None` where it does not prove anything: the file had been changed so
        /// shortly before that another change could leave the stamp as it is.
        stamp: Option<Stamp>,
    },
    /// A file that was looked for and is there, but was not read, e.g. by `__has_include`.
    Present,
}

/// What the file system says about a file. A program can set neither the time of change nor the number of a file, so that a
/// file with an equal stamp was not written to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Stamp {
    /// Device
    pub device: u64,
    /// Number of the file on it
    pub inode: u64,
    /// Bytes
    pub size: u64,
    /// Nanoseconds since the epoch of the last write
    pub modified: i64,
    /// Nanoseconds since the epoch of the last change of the file or of what is said about it
    pub changed: i64,
}
