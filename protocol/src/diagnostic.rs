// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Diagnostics as data.

use serde::{Deserialize, Serialize};

/// Weight of a diagnostic. The numbers cross the C border and are never reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[repr(u32)]
pub enum Severity {
    /// Something was noticed (`-R...`).
    Remark = 1,
    /// Likely a mistake.
    Warning = 2,
    /// The build fails.
    Error = 3,
    /// The build fails at once.
    Fatal = 4,
}

/// Where something is in a source, as it is shown in the log.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Location {
    /// Name of the file; empty if the place is unknown, and then line and column are 0.
    pub file: String,
    /// From 1.
    pub line: u32,
    /// From 1, in bytes.
    pub column: u32,
}

/// One diagnostic with its notes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// Weight.
    pub severity: Severity,
    /// Where.
    pub location: Location,
    /// What, without severity and place.
    pub text: String,
    /// The option that switches it, e.g. `-Wunused-variable`; empty if there is none.
    pub option: String,
    /// Notes that belong to it, in order.
    pub notes: Vec<Note>,
}

/// A note on a diagnostic.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// Where.
    pub location: Location,
    /// What.
    pub text: String,
}
