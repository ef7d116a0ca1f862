// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#![forbid(unsafe_code)]
//! Device images: compiled code in a format that a back end takes, with its kernel table.

use std::sync::Arc;

pub use syclrtc_protocol::{
    CodeSplit, DeviceGlobal, KernelInfo, KernelKind, KernelProperties, LeftOut, LocalExtent, LocalObject, Parameter,
    ParameterKind, Table, Target,
};

/// Format of [`DeviceImage::bytes`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ImageFormat {
    /// A SPIR-V module for the OpenCL environment.
    Spirv,
    /// A text in OpenCL C.
    OpenClC,
    /// What the driver of one device made of another format, for that device and version of the driver only.
    Native,
}

/// One compiled module. Cloning shares the contents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceImage {
    /// What the bytes are.
    pub format: ImageFormat,
    /// The module.
    pub bytes: Arc<[u8]>,
    /// The kernels in it.
    pub kernels: Arc<[KernelInfo]>,
}

impl DeviceImage {
    /// An image of SPIR-V.
    pub fn spirv(bytes: impl Into<Arc<[u8]>>, kernels: impl Into<Arc<[KernelInfo]>>) -> Self {
        Self { format: ImageFormat::Spirv, bytes: bytes.into(), kernels: kernels.into() }
    }

    /// The same kernels in another format.
    #[must_use]
    pub fn in_format(&self, format: ImageFormat, bytes: impl Into<Arc<[u8]>>) -> Self {
        Self { format, bytes: bytes.into(), kernels: Arc::clone(&self.kernels) }
    }
}
