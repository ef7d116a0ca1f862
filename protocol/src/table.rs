// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The table of an object or image: what the run-time must know to find, link, check and launch.

use serde::{Deserialize, Serialize};

/// What an object or image holds.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Table {
    /// Kernels with a definition, in source order; those left out of an image are not among them.
    pub kernels: Vec<KernelInfo>,
    /// For each registered name, in the order of the request: [`KernelInfo::raw_name`] or [`DeviceGlobal::symbol`]. Of
    /// an image only those of kernels that are in it.
    pub registered_names: Vec<(String, String)>,
    /// Device globals with a definition.
    pub device_globals: Vec<DeviceGlobal>,
    /// Bytes of the block that holds all device globals without `device_image_scope`; 0 if there is none. Images only.
    /// The run-time allocates the block and runs [`Table::GLOBALS_KERNEL`] with its address before any other kernel.
    pub device_global_block: u64,
    /// Functions and variables that other objects may use. Objects only.
    pub exports: Vec<Export>,
    /// Functions and variables that have to come from other objects. Objects only.
    pub imports: Vec<Import>,
    /// Kernels that are declared with external linkage and not defined here. Objects only.
    pub declared_kernels: Vec<DeclaredKernel>,
    /// Kernels that the target cannot run. Images only.
    pub left_out: Vec<LeftOut>,
    /// 0 to 3; a link uses the highest of its objects.
    pub optimization_level: u8,
    /// Arguments of `-Xs`, joined by blanks, for the driver's compiler.
    pub driver_options: String,
    /// How the bundle is divided into images as far as a program can see.
    pub code_split: CodeSplit,
}

impl Table {
    /// Entry point of an image with device globals: a single task with one parameter, a pointer to the block in global
    /// memory, aligned to 128 bytes. Stores the initial values there and the block's address where kernels find it.
    pub const GLOBALS_KERNEL: &str = "__syclrtc_initialize_device_globals";
}

/// `-fsycl-device-code-split`
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum CodeSplit {
    /// Kernels whose needs differ are in different images.
    #[default]
    Auto,
    /// One image.
    Off,
    /// One image for each source.
    PerSource,
    /// One image for each kernel.
    PerKernel,
}

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
    /// What its source asks for.
    pub properties: KernelProperties,
    /// Numbers of the aspects that it needs, sorted: those it declares and those that its code uses.
    pub aspects: Vec<u32>,
    /// Its code asks for work-group scratch memory: one more native argument behind all others. Images only.
    pub scratch: bool,
}

impl KernelInfo {
    /// Arguments of the entry point.
    #[must_use]
    pub fn native_arguments(&self) -> usize {
        self.parameters.iter().map(Parameter::native_arguments).sum::<usize>() + usize::from(self.scratch)
    }
}

/// Properties that a source gives a kernel. Sizes are in SYCL order, one value for each dimension.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct KernelProperties {
    /// Required work-group size, if any.
    pub work_group_size: Option<Vec<u64>>,
    /// Usual work-group size, if any.
    pub work_group_size_hint: Option<Vec<u64>>,
    /// Required sub-group size, if any.
    pub sub_group_size: Option<u32>,
    /// Largest work-group size that it is launched with, if promised.
    pub max_work_group_size: Option<Vec<u64>>,
    /// Most work-items of a work-group that it is launched with, if promised.
    pub max_linear_work_group_size: Option<u64>,
    /// Most work-items that it is launched with, from `range_type`; `None` without the property.
    pub range_max: Option<u64>,
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
    /// A kernel of another language: any form of launch.
    Any,
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
    /// Objects in it that stand for local memory, by offset: the parameter itself, or members of a class. Empty for kernels
    /// of other languages than `sycl`.
    pub local: Vec<LocalObject>,
}

impl Parameter {
    /// Arguments of the entry point that it takes: first a pointer to local memory for each of [`Parameter::local`], then
    /// what is left of it by value.
    #[must_use]
    pub fn native_arguments(&self) -> usize {
        match self.kind {
            ParameterKind::LocalAccessor => 2,
            ParameterKind::Aggregate => self.local.len() + 1,
            _ => 1,
        }
    }
}

/// A `local_accessor` or `work_group_memory`. In the host's object stands, in the place of the pointer, how many bytes of local
/// memory it takes, as an integer of 8 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct LocalObject {
    /// Where its pointer is in the parameter, bytes.
    pub offset: u64,
    /// `sizeof` an element.
    pub element: u64,
    /// How many elements there are.
    pub extent: LocalExtent,
}

impl LocalObject {
    /// Bytes of the pointer, or of the size in its place.
    pub const POINTER: u64 = 8;
}

/// Number of elements of local memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum LocalExtent {
    /// One: `work_group_memory` of anything but an unbounded array.
    One,
    /// Any: `work_group_memory` of an unbounded array.
    Any,
    /// The product of a range of so many dimensions, at least 1, that stands behind the pointer: `local_accessor`.
    Range(
        /// Dimensions
        u8,
    ),
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
    /// `local_accessor`: a pointer to local memory, then its range by value.
    LocalAccessor,
    /// A value by bytes whose size is not known here; the driver checks it. [`Parameter::size`] is 0.
    Opaque,
    /// What no argument can be given for, such as an image.
    Unsupported,
}

/// A variable of type `device_global`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceGlobal {
    /// Qualified name, `ns::counter`, without a leading `::`.
    pub name: String,
    /// Mangled name; unique to the compilation if the linkage is internal.
    pub symbol: String,
    /// `sizeof` the stored object, bytes.
    pub size: u64,
    /// Its alignment, bytes, at most 128.
    pub align: u64,
    /// Its place in the block. Of an image, without `device_image_scope`; else 0.
    pub offset: u64,
    /// It has the property `device_image_scope`: it cannot be reached from the host.
    pub image_scope: bool,
}

/// What kind of thing a symbol is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum SymbolKind {
    /// A `SYCL_EXTERNAL` function.
    Function,
    /// A `SYCL_EXTERNAL` device global.
    Variable,
}

/// A symbol that an object defines for others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Export {
    /// Mangled name.
    pub symbol: String,
    /// What it is.
    pub kind: SymbolKind,
    /// C++ lets several objects define it (inline, template): copies are folded and are no conflict.
    pub foldable: bool,
}

/// A symbol that an object needs from others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Import {
    /// Mangled name.
    pub symbol: String,
    /// What it is.
    pub kind: SymbolKind,
}

/// A kernel that an object declares and does not define; the definition has to agree with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeclaredKernel {
    /// [`KernelInfo::raw_name`] of the definition.
    pub raw_name: String,
    /// How it may be launched.
    pub kind: KernelKind,
    /// Its properties.
    pub properties: KernelProperties,
}

/// A kernel that is not in an image because the device lacks what it needs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// [`KernelInfo::raw_name`]
    pub raw_name: String,
    /// Names under which it would have been found besides the raw name: plain, mangled and registered ones.
    pub names: Vec<String>,
    /// Numbers of the aspects that the target lacks.
    pub missing: Vec<u32>,
}
