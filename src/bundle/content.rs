// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Bundles as bytes.

use std::sync::Arc;

use super::kernel_bundle::{BundleState, KernelBundle};
use crate::{
    error::{Error, Result},
    runtime::{Context, Device},
};

impl KernelBundle {
    /// The bundle as bytes that [`from_content`](Self::from_content) takes, in this process or another.
    ///
    /// # Errors
    /// [`Errc::Invalid`](crate::error::Errc::Invalid) for a bundle in state source.
    pub fn content(&self) -> Result<Vec<u8>> {
        Err(Error::feature_not_supported("saving a bundle is a feature that is not there yet"))
    }

    /// A bundle from what [`content`](Self::content) gave.
    ///
    /// # Errors
    /// [`Errc::Invalid`](crate::error::Errc::Invalid) if the bytes are damaged or of something else, or their state is
    /// another one.
    pub fn from_content(
        _context: &Arc<Context>,
        _devices: &[Arc<Device>],
        _state: BundleState,
        _content: &[u8],
    ) -> Result<Arc<Self>> {
        Err(Error::feature_not_supported("loading a bundle is a feature that is not there yet"))
    }
}
