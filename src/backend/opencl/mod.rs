// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#![forbid(unsafe_code)]
//! OpenCL.

use super::{Backend, BackendKind, Discovery};

/// The OpenCL back end.
#[derive(Debug, Clone, Copy)]
pub struct OpenCl;

impl Backend for OpenCl {
    fn kind(&self) -> BackendKind {
        BackendKind::OpenCl
    }

    fn discover(&self) -> Discovery {
        todo!()
    }
}
