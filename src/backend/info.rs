// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#![forbid(unsafe_code)]
//! What can be asked of platforms, devices, queues and kernels. All numbers cross the C border and never change.

/// Declares an enumeration whose numbers are fixed, with the conversion from a number.
macro_rules! numbered {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $number:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u32)]
        pub enum $name {
            $($(#[$variant_doc])* $variant = $number,)*
        }

        impl $name {
            /// All values, in order of their numbers.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The value with this number.
            #[must_use]
            pub const fn from_number(number: u32) -> Option<Self> {
                match number {
                    $($number => Some(Self::$variant),)*
                    _ => None,
                }
            }

            /// The number.
            #[must_use]
            pub const fn number(self) -> u32 {
                self as u32
            }
        }
    };
}

numbered! {
    /// Driver interfaces, present and future.
    BackendKind {
        /// OpenCL
        OpenCl = 1,
        /// Level Zero
        LevelZero = 2,
        /// CUDA driver API
        Cuda = 3,
        /// HIP
        Hip = 4,
        /// The host processor, without a driver
        NativeCpu = 5,
    }
}

impl BackendKind {
    /// Name in `ONEAPI_DEVICE_SELECTOR`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::OpenCl => "opencl",
            Self::LevelZero => "level_zero",
            Self::Cuda => "cuda",
            Self::Hip => "hip",
            Self::NativeCpu => "native_cpu",
        }
    }
}

numbered! {
    /// Kind of a device.
    DeviceType {
        /// A processor that also runs the host program, or one like it
        Cpu = 1,
        /// Graphics processor
        Gpu = 2,
        /// Accelerator, FPGA
        Accelerator = 3,
        /// Runs built-in kernels only
        Custom = 4,
    }
}

numbered! {
    /// Text about a platform.
    PlatformInfo {
        /// Name
        Name = 1,
        /// Vendor
        Vendor = 2,
        /// Version of the interface, as the driver words it
        Version = 3,
    }
}

numbered! {
    /// Questions to a device; the shape of the answer is said at each.
    DeviceInfo {
        /// Text: name
        Name = 1,
        /// Text: vendor
        Vendor = 2,
        /// Text: version of the driver
        DriverVersion = 3,
        /// Text: version of the device, as the driver words it
        Version = 4,
        /// Text: version of the driver interface, `major.minor`
        BackendVersion = 5,
        /// U32: number of a [`DeviceType`]
        DeviceType = 16,
        /// U32: vendor number
        VendorId = 17,
        /// U32: parallel compute units
        MaxComputeUnits = 18,
        /// U32: dimensions of an index space
        MaxWorkItemDimensions = 19,
        /// U32: sub-groups in a work-group, 0 if unknown
        MaxNumSubGroups = 20,
        /// U32: MHz, 0 if unknown
        MaxClockFrequency = 21,
        /// U32: bits of an address
        AddressBits = 22,
        /// U32: bits
        MemBaseAddrAlign = 23,
        /// U32: bytes
        GlobalMemCacheLineSize = 24,
        /// U32: 0 none, 1 dedicated local memory, 2 global memory
        LocalMemType = 25,
        /// U32: 0 none, 1 read-only, 2 read-write
        GlobalMemCacheType = 26,
        /// U32: 0 or 1
        IsAvailable = 27,
        /// U32: 0 or 1
        ErrorCorrectionSupport = 28,
        /// Size: work-items in a work-group
        MaxWorkGroupSize = 48,
        /// Size: bytes of all arguments of a kernel
        MaxParameterSize = 49,
        /// Size: nanoseconds
        ProfilingTimerResolution = 50,
        /// Size: bytes
        PrintfBufferSize = 51,
        /// Sizes, three: work-items of a work-group in each dimension, SYCL order
        MaxWorkItemSizes = 52,
        /// Sizes: sub-group sizes, empty if unknown
        SubGroupSizes = 53,
        /// U64: bytes
        GlobalMemSize = 64,
        /// U64: bytes
        LocalMemSize = 65,
        /// U64: bytes
        MaxMemAllocSize = 66,
        /// U64: bytes
        GlobalMemCacheSize = 67,
    }
}

numbered! {
    /// Optional features of a device. The numbers are those of DPC++.
    Aspect {
        /// Is a CPU
        Cpu = 1,
        /// Is a GPU
        Gpu = 2,
        /// Is an accelerator
        Accelerator = 3,
        /// Runs built-in kernels only
        Custom = 4,
        /// `sycl::half`
        Fp16 = 5,
        /// `double`
        Fp64 = 6,
        /// Images
        Image = 9,
        /// This library can compile for the device
        OnlineCompiler = 10,
        /// This library can link for the device
        OnlineLinker = 11,
        /// Events can tell their times
        QueueProfiling = 12,
        /// USM device allocations
        UsmDeviceAllocations = 13,
        /// USM host allocations
        UsmHostAllocations = 14,
        /// USM shared allocations
        UsmSharedAllocations = 15,
        /// Any host memory may be used in a kernel
        UsmSystemAllocations = 17,
        /// Host and device may use atomics on host allocations at the same time
        UsmAtomicHostAllocations = 25,
        /// Host and device may use atomics on shared allocations at the same time
        UsmAtomicSharedAllocations = 26,
        /// 64-bit atomics
        Atomic64 = 27,
        /// Kernels can be debugged with a host debugger
        HostDebuggable = 31,
        /// Not real hardware
        Emulated = 38,
    }
}

numbered! {
    /// State of a command.
    EventStatus {
        /// Handed over
        Submitted = 1,
        /// At work
        Running = 2,
        /// Done, also when it failed
        Complete = 3,
    }
}

numbered! {
    /// Points in the life of a command.
    ProfilingPoint {
        /// Handed over
        Submit = 1,
        /// Began
        Start = 2,
        /// Ended
        End = 3,
    }
}

numbered! {
    /// Kind of a USM allocation.
    UsmKind {
        /// Host memory that devices can read and write
        Host = 1,
        /// Memory of one device
        Device = 2,
        /// Moves between host and one device
        Shared = 3,
        /// Not a USM allocation of the context
        Unknown = 4,
    }
}

impl UsmKind {
    /// SYCL's word.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Host => "host",
            Self::Device => "device",
            Self::Shared => "shared",
            Self::Unknown => "unknown",
        }
    }
}

/// Answer to a [`DeviceInfo`] question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InfoValue {
    /// Text
    Text(String),
    /// 32-bit number
    U32(u32),
    /// 64-bit number
    U64(u64),
    /// `size_t`
    Size(usize),
    /// List of `size_t`
    Sizes(Vec<usize>),
}

/// What a kernel needs and can do on one device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KernelDeviceInfo {
    /// Largest usable work-group, work-items.
    pub work_group_size: usize,
    /// Work-group sizes should be multiples of this.
    pub preferred_work_group_size_multiple: usize,
    /// Bytes for each work-item.
    pub private_mem_size: u64,
    /// Bytes of local memory that the kernel itself takes, local arguments not counted.
    pub local_mem_size: u64,
    /// Required work-group size, SYCL order of a three-dimensional range; zeros if none.
    pub compile_work_group_size: [usize; 3],
    /// Sub-groups in the largest work-group, at least 1.
    pub max_num_sub_groups: u32,
    /// Required number of sub-groups or 0.
    pub compile_num_sub_groups: u32,
    /// Largest sub-group, at least 1.
    pub max_sub_group_size: u32,
    /// Required sub-group size or 0.
    pub compile_sub_group_size: u32,
}

/// SPIR-V that a device takes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SpirvSupport {
    /// Highest version as (major, minor), at most 1.4, which is as high as the compiler goes.
    pub version: (u8, u8),
    /// Highest version that the driver takes.
    pub highest: (u8, u8),
    /// Numbers of the capabilities that the driver lists; `None` if it does not say.
    pub capabilities: Option<Vec<u32>>,
    /// SPIR-V extensions (`SPV_…`), sorted, each once.
    pub extensions: Vec<String>,
}

/// What code a device takes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Capabilities {
    /// SPIR-V, if it takes any.
    pub spirv: Option<SpirvSupport>,
    /// OpenCL C, if the driver compiles it.
    pub opencl_c: Option<OpenClCSupport>,
}

/// A version of OpenCL C, of one of its features or of an extension. Ordered by age.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ClVersion {
    /// Major
    pub major: u16,
    /// Minor
    pub minor: u16,
    /// Patch
    pub patch: u16,
}

impl ClVersion {
    /// A version without a patch number.
    #[must_use]
    pub const fn new(major: u16, minor: u16) -> Self {
        Self { major, minor, patch: 0 }
    }

    /// From a `cl_version`: 10, 10 and 12 bits.
    #[must_use]
    pub const fn from_number(number: u32) -> Self {
        Self { major: (number >> 22) as u16, minor: (number >> 12 & 0x3ff) as u16, patch: (number & 0xfff) as u16 }
    }
}

/// What a driver's OpenCL C compiler knows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OpenClCSupport {
    /// Versions of the language that can be asked for, sorted.
    pub versions: Vec<ClVersion>,
    /// Feature macros (`__opencl_c_…`) with their versions, sorted.
    pub features: Vec<(String, ClVersion)>,
    /// Extensions of the device with their versions, sorted.
    pub extensions: Vec<(String, ClVersion)>,
    /// `FULL_PROFILE` or `EMBEDDED_PROFILE`
    pub profile: String,
}

/// Where a kernel argument lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArgumentSpace {
    /// Behind a pointer to global memory, or an image, sampler or other object of the driver.
    Global,
    /// Behind a pointer to local memory.
    Local,
    /// Behind a pointer to constant memory.
    Constant,
    /// In the argument itself.
    Private,
}

/// A kernel argument as the driver describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArgumentInfo {
    /// Name in the source; empty if it has none.
    pub name: String,
    /// Type in the driver's spelling, such as `float4` or `uint*`.
    pub type_name: String,
    /// Where it lives.
    pub space: ArgumentSpace,
    /// It is an image.
    pub image: bool,
    /// It is a pipe.
    pub pipe: bool,
}
