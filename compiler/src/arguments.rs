// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#![forbid(unsafe_code)]
//! The command line.

use std::{
    ffi::{OsStr, OsString},
    os::unix::ffi::OsStrExt,
    path::PathBuf,
};

/// What the program is to do.
#[derive(Debug, PartialEq, Eq)]
pub enum Arguments {
    /// Say which program it is.
    Version,
    /// Write the precompiled preamble for this program and this machine's headers to a folder.
    Precompile(PathBuf),
    /// Wait for compiles on standard input.
    Serve {
        /// Where precompiled preambles may come from.
        preambles: PreambleSource,
    },
}

/// Which files with precompiled preambles may be used.
#[derive(Debug, PartialEq, Eq)]
pub enum PreambleSource {
    /// None.
    Off,
    /// The one beside the program, and those in a folder of the user's, which are made when they are missing.
    On {
        /// The user's folder
        folder: Option<PathBuf>,
    },
}

impl Arguments {
    /// `None` if they make no sense.
    pub fn of(mut given: impl Iterator<Item = OsString>) -> Option<Self> {
        let mut preambles = PreambleSource::On { folder: None };
        while let Some(argument) = given.next() {
            match argument.to_str() {
                Some("--version") => return Some(Self::Version),
                Some("--precompile") => return Some(Self::Precompile(given.next()?.into())),
                Some("--no-preambles") => preambles = PreambleSource::Off,
                _ => {
                    let folder = OsStr::from_bytes(argument.as_bytes().strip_prefix(b"--preambles=")?);
                    preambles = PreambleSource::On { folder: Some(folder.into()) };
                }
            }
        }
        Some(Self::Serve { preambles })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(given: &[&str]) -> Option<Arguments> {
        Arguments::of(given.iter().map(OsString::from))
    }

    #[test]
    fn the_command_line_is_understood() {
        let serve = |folder: Option<&str>| {
            Some(Arguments::Serve { preambles: PreambleSource::On { folder: folder.map(PathBuf::from) } })
        };
        assert_eq!(of(&[]), serve(None));
        assert_eq!(of(&["--preambles=/a b"]), serve(Some("/a b")));
        assert_eq!(of(&["--no-preambles"]), Some(Arguments::Serve { preambles: PreambleSource::Off }));
        assert_eq!(of(&["--version"]), Some(Arguments::Version));
        assert_eq!(of(&["--precompile", "x"]), Some(Arguments::Precompile("x".into())));
        assert_eq!(of(&["--precompile"]), None);
        assert_eq!(of(&["input.cpp"]), None);
    }
}
