// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#![forbid(unsafe_code)]
//! The files that the parsed preamble came from. They are the same for most compiles, so that replies name them by a digest.

use syclrtc_protocol::{Dependency, Digest};

/// A list of files and its digest.
#[derive(Debug, Default)]
pub struct PreambleFiles {
    /// `None` if there is no parsed preamble.
    pub digest: Option<Digest>,
    files: Vec<Dependency>,
}

impl PreambleFiles {
    /// `files`, sorted by path; empty if nothing is parsed.
    pub fn new(files: Vec<Dependency>) -> Self {
        // A list of plain values can always be encoded.
        let encoded = (!files.is_empty()).then(|| postcard::to_stdvec(&files).ok()).flatten();
        Self { digest: encoded.map(|bytes| Digest::of(&bytes)), files }
    }

    /// The files, if `digest` is theirs.
    pub fn find(&self, digest: Digest) -> &[Dependency] {
        if self.digest == Some(digest) { &self.files } else { &[] }
    }
}
