// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The kernel table: what the run-time must know of a kernel to find, check and launch it.

use serde::{Deserialize, Serialize};

/// One kernel of an image.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelInfo {
    /// Entry-point name in the image, e.g. `__sycl_kernel_iota`.
    pub raw_name: String,
    /// For a kernel declared `extern "C"`: its plain name.
    pub plain_name: Option<String>,
    /// Itanium mangling of the function without a prefix; equals the plain name for `extern "C"`.
    pub mangled_name: String,
    /// How it may be launched.
    pub kind: KernelKind,
    /// Formal parameters in order.
    pub parameters: Vec<Parameter>,
    /// Required work-group size in SYCL order, if any; one value per dimension.
    pub work_group_size: Option<Vec<u64>>,
    /// Required sub-group size, if any.
    pub sub_group_size: Option<u32>,
}

/// The property that makes a function a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum KernelKind {
    /// `nd_range_kernel<N>`
    NdRange(
        /// N, 1 to 3
        u8,
    ),
    /// `single_task_kernel`
    SingleTask,
}

/// One formal parameter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parameter {
    /// Name in the source; empty if it has none.
    pub name: String,
    /// The type as the compiler spells it.
    pub type_name: String,
    /// How the argument is passed.
    pub kind: ParameterKind,
    /// `sizeof` the parameter type, bytes.
    pub size: u64,
    /// Alignment of the parameter type, bytes.
    pub align: u64,
}

/// How an argument reaches the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ParameterKind {
    /// Scalar, enumeration or `bool`: bytes of the value.
    Scalar,
    /// Object pointer: the address, global address space.
    Pointer,
    /// Class or union by value: object representation.
    Aggregate,
    /// Pointer to local memory: a size in bytes, no value.
    Local,
}
