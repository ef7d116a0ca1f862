// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Client of the compiler program.
//!
//! clang and LLVM live in a process of their own, `syclrtc-compiler`, that forks once per compile. This module finds the
//! program, starts it, checks that both speak the same protocol, and carries requests and replies. It never interprets
//! a source text and knows nothing of devices.
//!
//! * No lock is held while a compile runs: each has a socket of its own, and any number run side by side.
//! * A helper that died, lied or fell silent is forgotten; the next compile starts another one.
//! * After a fork of the application the child has a client of its own. It takes no lock of its parent's, since another
//!   thread may have held it when the fork happened.
//! * Nothing is printed, no signal disposition is touched, and none of our descriptors is inherited or lies on 0 to 2.

mod client;
mod helper;
mod job;
mod locate;
mod preambles;

pub use client::{Answer, Client, Settings, client};
pub use locate::Tried;

use std::{fmt, path::PathBuf, sync::Arc};

/// Why a request got no reply.
#[derive(Debug, Clone, thiserror::Error)]
pub enum CompileError {
    /// There is no compiler program where it is looked for.
    #[error("the compiler program syclrtc-compiler was not found; tried:{}", List(.0))]
    NotFound(Arc<[Tried]>),
    /// The program could not be started.
    #[error("the compiler program {} could not be started: {reason}", path.display())]
    Start {
        /// The program.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// The program is not the one that belongs to this library.
    #[error("{} does not belong to this library: {reason}", path.display())]
    Mismatch {
        /// The program.
        path: PathBuf,
        /// Which side says what.
        reason: String,
    },
    /// The program started and did not introduce itself.
    #[error("{} did not introduce itself: {reason}", path.display())]
    NoHello {
        /// The program.
        path: PathBuf,
        /// What happened instead.
        reason: String,
    },
    /// The connection ended or broke before the reply was complete.
    #[error("the compiler program {} gave no answer: {reason}", path.display())]
    NoReply {
        /// The program.
        path: PathBuf,
        /// What is known about it.
        reason: String,
    },
    /// The request is larger than a frame may be.
    #[error("the source text and its include files are too large: {0} bytes")]
    TooLarge(u64),
    /// Nobody wants the reply any more.
    #[error("the compile was cancelled")]
    Cancelled,
}

/// One candidate a line, with what was wrong with it.
struct List<'a>(&'a [Tried]);

impl fmt::Display for List<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|tried| write!(f, "\n\t{}: {}", tried.path.display(), tried.reason))
    }
}
