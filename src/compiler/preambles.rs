// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#![forbid(unsafe_code)]
//! Where the compiler program keeps precompiled headers for later processes of the user.

use std::{ffi::OsString, path::absolute};

use crate::{cache::disk::cache_folder, env};

/// What the program is told about it on its command line: a program with more rights than its user hears nothing of the
/// environment that way.
pub(super) fn arguments() -> Vec<OsString> {
    if env::PREAMBLES.value().is_some_and(|value| value == "off") {
        return vec!["--no-preambles".into()];
    }
    // Several users may share the folder above. Relative names are the application's, not the program's.
    let folder = cache_folder().and_then(|folder| absolute(folder).ok());
    let folder = folder.map(|folder| folder.join(format!("preambles-{}", rustix::process::geteuid().as_raw())));
    folder
        .map(|folder| {
            let mut argument = OsString::from("--preambles=");
            argument.push(folder);
            argument
        })
        .into_iter()
        .collect()
}
