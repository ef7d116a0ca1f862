// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The version of the library.

use super::border::infallible;
use crate::error::Result;

/// Version of the library that is loaded: `major << 16 | minor << 8 | patch`.
///
/// Compare it with `SYCLRTC_VERSION_MAJOR` and its companions, which say what the program was compiled for.
/// Threads: any. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn syclrtc_version() -> u32 {
    infallible(0, version)
}

fn version() -> Result<u32> {
    let part = |text: &str| text.parse::<u32>().map_err(|e| crate::error::Error::internal(e.to_string()));
    let major = part(env!("CARGO_PKG_VERSION_MAJOR"))?;
    let minor = part(env!("CARGO_PKG_VERSION_MINOR"))?;
    let patch = part(env!("CARGO_PKG_VERSION_PATCH"))?;
    Ok(major << 16 | minor << 8 | patch)
}
