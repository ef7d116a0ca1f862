// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#![forbid(unsafe_code)]
//! Devices: what they are and can do.

use std::collections::BTreeSet;

use cl3::device as cl;
use opencl3::device::Device as ClDevice;

use super::module::SubGroups;
use super::sys::{self, ClResult, IlFunction};
use super::{MemoryKind, conv};
use crate::backend::{
    Aspect, Capabilities, ClVersion, Device, DeviceInfo, DeviceType, InfoValue, OpenClCSupport, SpirvSupport,
};
use crate::error::{Errc, Result};

/// A device.
#[derive(Debug)]
pub struct OpenClDevice {
    device: ClDevice,
    name: String,
    device_type: DeviceType,
    version: (u8, u8),
    platform_version: (u8, u8),
    extensions: Vec<String>,
    out_of_order: bool,
    il_function: Option<IlFunction>,
    capabilities: Capabilities,
    aspects: BTreeSet<Aspect>,
}

/// What a device takes over from its platform.
#[derive(Debug, Clone, Copy)]
pub struct PlatformTraits {
    /// Version of the interface.
    pub version: (u8, u8),
    /// The extension function for SPIR-V, if there is one.
    pub il_extension: Option<sys::CreateProgramWithIl>,
    /// The memory interface used.
    pub memory: MemoryKind,
}

impl OpenClDevice {
    /// Asks a device what it is.
    ///
    /// # Errors
    /// The driver's code, if it does not answer what every device must.
    pub fn new(device: ClDevice, platform: &PlatformTraits) -> ClResult<Self> {
        let query = Query(device);
        let extensions = extensions(device)?;
        let queue_bits = query.u64(cl::CL_DEVICE_QUEUE_ON_HOST_PROPERTIES).unwrap_or(0);
        let mut this = Self {
            device,
            name: query.text(cl::CL_DEVICE_NAME)?.trim().to_owned(),
            device_type: conv::device_type(query.u64(cl::CL_DEVICE_TYPE)?),
            // A function exists only if the platform knows the version too.
            version: conv::opencl_version(&query.text(cl::CL_DEVICE_VERSION)?).min(platform.version),
            platform_version: platform.version,
            extensions,
            out_of_order: queue_bits & cl3::command_queue::CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE != 0,
            il_function: None,
            capabilities: Capabilities::default(),
            aspects: BTreeSet::new(),
        };
        this.find_il(platform);
        this.capabilities.opencl_c = this.find_opencl_c();
        this.find_aspects(platform);
        Ok(this)
    }

    /// The driver's object.
    pub fn cl(&self) -> ClDevice {
        self.device
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Version whose functions can be called.
    pub fn version(&self) -> (u8, u8) {
        self.version
    }

    /// Whether its queues can run commands out of order.
    pub fn has_out_of_order_queues(&self) -> bool {
        self.out_of_order
    }

    /// How it takes SPIR-V, if it does.
    pub fn il_function(&self) -> Option<IlFunction> {
        self.il_function
    }

    /// Which questions about sub-groups it answers.
    pub fn sub_groups(&self) -> SubGroups {
        // From 3.0 on sub-groups are optional, and a device without them has none in a work-group.
        let queries = self.version >= (2, 1) && self.max_num_sub_groups() > 0;
        SubGroups { queries, required_size: queries && self.has_extension("cl_intel_required_subgroup_size") }
    }

    fn has_extension(&self, name: &str) -> bool {
        self.extensions.iter().any(|extension| extension == name)
    }

    fn max_num_sub_groups(&self) -> u32 {
        if self.version < (2, 1) { 0 } else { Query(self.device).u32(cl::CL_DEVICE_MAX_NUM_SUB_GROUPS).unwrap_or(0) }
    }

    fn find_il(&mut self, platform: &PlatformTraits) {
        let function = if self.version >= (2, 1) {
            Some(IlFunction::Core)
        } else if self.has_extension("cl_khr_il_program") {
            platform.il_extension.map(IlFunction::Extension)
        } else {
            None
        };
        let Some(function) = function else { return };
        let versions = Query(self.device).text(cl::CL_DEVICE_IL_VERSION).unwrap_or_default();
        let Some(highest) = conv::spirv_version(&versions) else { return };
        let answers = self.version >= (3, 1) || self.has_extension("cl_khr_spirv_queries");
        let failed = |query: &str, code| log::debug!("{query} of \"{}\": {}", self.name, conv::code_name(code));
        let listed = if answers {
            sys::spirv_extensions(self.device).unwrap_or_else(|code| {
                failed("CL_DEVICE_SPIRV_EXTENSIONS", code);
                Vec::new()
            })
        } else {
            Vec::new()
        };
        let capabilities = if answers {
            let numbers = Query(self.device).numbers(opencl_sys::CL_DEVICE_SPIRV_CAPABILITIES_KHR);
            numbers.inspect_err(|code| failed("CL_DEVICE_SPIRV_CAPABILITIES", *code)).ok()
        } else {
            None
        };
        let extensions = conv::spirv_extensions(&self.extensions, listed.iter().map(String::as_str));
        self.il_function = Some(function);
        self.capabilities.spirv = Some(SpirvSupport {
            version: highest.min(conv::MAX_SPIRV_VERSION),
            highest,
            capabilities: capabilities.filter(|numbers| !numbers.is_empty()),
            extensions,
        });
    }

    fn find_opencl_c(&self) -> Option<OpenClCSupport> {
        let query = Query(self.device);
        if !query.flag(cl::CL_DEVICE_COMPILER_AVAILABLE) {
            return None;
        }
        let profile = query.text(cl::CL_DEVICE_PROFILE).unwrap_or_default();
        // Before 3.0 a driver tells the highest version only, and features have no macros.
        let named = |param| if self.version >= (3, 0) { query.names(param).unwrap_or_default() } else { Vec::new() };
        let mut versions: Vec<ClVersion> =
            named(cl::CL_DEVICE_OPENCL_C_ALL_VERSIONS).into_iter().map(|(_, version)| version).collect();
        if versions.is_empty() {
            versions = conv::opencl_c_versions(&query.text(cl::CL_DEVICE_OPENCL_C_VERSION).unwrap_or_default());
        }
        versions.sort_unstable();
        versions.dedup();
        let mut features = named(cl::CL_DEVICE_OPENCL_C_FEATURES);
        features.sort_unstable();
        let mut extensions = named(cl::CL_DEVICE_EXTENSIONS_WITH_VERSION);
        for name in &self.extensions {
            if !extensions.iter().any(|(known, _)| known == name) {
                extensions.push((name.clone(), ClVersion::new(1, 0)));
            }
        }
        extensions.sort_unstable();
        Some(OpenClCSupport { versions, features, extensions, profile })
    }

    fn find_aspects(&mut self, platform: &PlatformTraits) {
        let query = Query(self.device);
        let is_fpga_emulation = self.name.contains("FPGA Emulation");
        let has_double = query.u64(cl::CL_DEVICE_DOUBLE_FP_CONFIG).is_ok_and(|bits| bits != 0);
        let queue_bits = query.u64(cl::CL_DEVICE_QUEUE_ON_HOST_PROPERTIES).unwrap_or(0);
        let atomic64 = ["cl_khr_int64_base_atomics", "cl_khr_int64_extended_atomics"];
        let rows = [
            (Aspect::Cpu, self.device_type == DeviceType::Cpu),
            (Aspect::Gpu, self.device_type == DeviceType::Gpu),
            (Aspect::Accelerator, self.device_type == DeviceType::Accelerator),
            (Aspect::Custom, self.device_type == DeviceType::Custom),
            (Aspect::Emulated, is_fpga_emulation),
            (Aspect::Fp16, self.has_extension("cl_khr_fp16")),
            (Aspect::Fp64, has_double || self.has_extension("cl_khr_fp64")),
            (Aspect::Atomic64, atomic64.iter().all(|name| self.has_extension(name))),
            (Aspect::Image, query.flag(cl::CL_DEVICE_IMAGE_SUPPORT)),
            (Aspect::OnlineCompiler, self.capabilities.spirv.is_some()),
            // Objects are linked here, before a driver sees them.
            (Aspect::OnlineLinker, self.capabilities.spirv.is_some()),
            (Aspect::QueueProfiling, queue_bits & cl3::command_queue::CL_QUEUE_PROFILING_ENABLE != 0),
        ];
        self.aspects = rows.into_iter().filter(|(_, has)| *has).map(|(aspect, _)| aspect).collect();
        self.aspects.extend(match platform.memory {
            MemoryKind::Usm(_) if self.has_extension("cl_intel_unified_shared_memory") => usm_aspects(query),
            MemoryKind::Svm => svm_aspects(query),
            MemoryKind::Usm(_) | MemoryKind::None => Vec::new(),
        });
    }
}

fn usm_aspects(query: Query) -> Vec<Aspect> {
    let rows = [
        (Aspect::UsmHostAllocations, opencl_sys::CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL, ACCESS),
        (Aspect::UsmAtomicHostAllocations, opencl_sys::CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL, CONCURRENT_ATOMIC),
        (Aspect::UsmDeviceAllocations, opencl_sys::CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL, ACCESS),
        (Aspect::UsmSharedAllocations, opencl_sys::CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL, ACCESS),
        (
            Aspect::UsmAtomicSharedAllocations,
            opencl_sys::CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL,
            CONCURRENT_ATOMIC,
        ),
        (Aspect::UsmSystemAllocations, opencl_sys::CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL, ACCESS),
    ];
    const ACCESS: u64 = opencl_sys::CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL;
    const CONCURRENT_ATOMIC: u64 = opencl_sys::CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ATOMIC_ACCESS_INTEL;
    let able = rows.into_iter().filter(|(_, param, bit)| query.u64(*param).is_ok_and(|bits| bits & bit != 0));
    able.map(|(aspect, ..)| aspect).collect()
}

fn svm_aspects(query: Query) -> Vec<Aspect> {
    let bits = query.u64(cl::CL_DEVICE_SVM_CAPABILITIES).unwrap_or(0);
    let fine = cl::CL_DEVICE_SVM_FINE_GRAIN_BUFFER;
    let rows = [
        (Aspect::UsmDeviceAllocations, cl::CL_DEVICE_SVM_COARSE_GRAIN_BUFFER | fine),
        (Aspect::UsmHostAllocations, fine),
        (Aspect::UsmSharedAllocations, fine),
        (Aspect::UsmSystemAllocations, cl::CL_DEVICE_SVM_FINE_GRAIN_SYSTEM),
    ];
    let mut aspects: Vec<Aspect> =
        rows.into_iter().filter(|(_, wanted)| bits & wanted != 0).map(|(aspect, _)| aspect).collect();
    if bits & fine != 0 && bits & cl::CL_DEVICE_SVM_ATOMICS != 0 {
        aspects.extend([Aspect::UsmAtomicHostAllocations, Aspect::UsmAtomicSharedAllocations]);
    }
    aspects
}

impl Device for OpenClDevice {
    fn device_type(&self) -> DeviceType {
        self.device_type
    }

    fn info(&self, param: DeviceInfo) -> Result<InfoValue> {
        self.answer(param).map_err(|code| conv::error(Errc::Runtime, &format!("clGetDeviceInfo for {param:?}"), code))
    }

    fn has(&self, aspect: Aspect) -> bool {
        self.aspects.contains(&aspect)
    }

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }
}

impl OpenClDevice {
    fn answer(&self, param: DeviceInfo) -> ClResult<InfoValue> {
        let query = Query(self.device);
        let text = |param| query.text(param).map(InfoValue::Text);
        let small = |param| query.u32(param).map(InfoValue::U32);
        let size = |param| query.size(param).map(InfoValue::Size);
        let large = |param| query.u64(param).map(InfoValue::U64);
        match param {
            DeviceInfo::Name => Ok(InfoValue::Text(self.name.clone())),
            DeviceInfo::Vendor => text(cl::CL_DEVICE_VENDOR),
            DeviceInfo::DriverVersion => text(cl::CL_DRIVER_VERSION),
            DeviceInfo::Version => text(cl::CL_DEVICE_VERSION),
            DeviceInfo::BackendVersion => {
                let (major, minor) = self.platform_version;
                Ok(InfoValue::Text(format!("{major}.{minor}")))
            }
            DeviceInfo::DeviceType => Ok(InfoValue::U32(self.device_type.number())),
            DeviceInfo::VendorId => small(cl::CL_DEVICE_VENDOR_ID),
            DeviceInfo::MaxComputeUnits => small(cl::CL_DEVICE_MAX_COMPUTE_UNITS),
            DeviceInfo::MaxWorkItemDimensions => small(cl::CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS),
            DeviceInfo::MaxNumSubGroups => Ok(InfoValue::U32(self.max_num_sub_groups())),
            DeviceInfo::MaxClockFrequency => small(cl::CL_DEVICE_MAX_CLOCK_FREQUENCY),
            DeviceInfo::AddressBits => small(cl::CL_DEVICE_ADDRESS_BITS),
            DeviceInfo::MemBaseAddrAlign => small(cl::CL_DEVICE_MEM_BASE_ADDR_ALIGN),
            DeviceInfo::GlobalMemCacheLineSize => small(cl::CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE),
            // OpenCL's numbers for these two are those of `DeviceInfo`.
            DeviceInfo::LocalMemType => small(cl::CL_DEVICE_LOCAL_MEM_TYPE),
            DeviceInfo::GlobalMemCacheType => small(cl::CL_DEVICE_GLOBAL_MEM_CACHE_TYPE),
            DeviceInfo::IsAvailable => small(cl::CL_DEVICE_AVAILABLE),
            DeviceInfo::ErrorCorrectionSupport => small(cl::CL_DEVICE_ERROR_CORRECTION_SUPPORT),
            DeviceInfo::MaxWorkGroupSize => size(cl::CL_DEVICE_MAX_WORK_GROUP_SIZE),
            DeviceInfo::MaxParameterSize => size(cl::CL_DEVICE_MAX_PARAMETER_SIZE),
            DeviceInfo::ProfilingTimerResolution => size(cl::CL_DEVICE_PROFILING_TIMER_RESOLUTION),
            DeviceInfo::PrintfBufferSize => size(cl::CL_DEVICE_PRINTF_BUFFER_SIZE),
            DeviceInfo::MaxWorkItemSizes => {
                let sizes = query.sizes(cl::CL_DEVICE_MAX_WORK_ITEM_SIZES)?;
                let at = |dimension: usize| sizes.get(dimension).copied().unwrap_or(1);
                Ok(InfoValue::Sizes(vec![at(2), at(1), at(0)]))
            }
            DeviceInfo::SubGroupSizes => {
                let known = self.has_extension("cl_intel_required_subgroup_size");
                let sizes = if known { query.sizes(opencl_sys::CL_DEVICE_SUB_GROUP_SIZES_INTEL)? } else { Vec::new() };
                Ok(InfoValue::Sizes(sizes))
            }
            DeviceInfo::GlobalMemSize => large(cl::CL_DEVICE_GLOBAL_MEM_SIZE),
            DeviceInfo::LocalMemSize => large(cl::CL_DEVICE_LOCAL_MEM_SIZE),
            DeviceInfo::MaxMemAllocSize => large(cl::CL_DEVICE_MAX_MEM_ALLOC_SIZE),
            DeviceInfo::GlobalMemCacheSize => large(cl::CL_DEVICE_GLOBAL_MEM_CACHE_SIZE),
        }
    }
}

/// OpenCL extensions of a device.
pub fn extensions(device: ClDevice) -> ClResult<Vec<String>> {
    let text = Query(device).text(cl::CL_DEVICE_EXTENSIONS)?;
    Ok(text.split_ascii_whitespace().map(str::to_owned).collect())
}

/// Whether a device has coarse-grained or finer shared virtual memory.
pub fn has_svm(device: ClDevice) -> bool {
    let wanted = cl::CL_DEVICE_SVM_COARSE_GRAIN_BUFFER | cl::CL_DEVICE_SVM_FINE_GRAIN_BUFFER;
    Query(device).u64(cl::CL_DEVICE_SVM_CAPABILITIES).is_ok_and(|bits| bits & wanted != 0)
}

/// Queries whose answers are checked for their size; the typed ones of opencl3 panic on a surprise.
#[derive(Clone, Copy)]
struct Query(ClDevice);

impl Query {
    fn bytes(self, param: u32) -> ClResult<Vec<u8>> {
        self.0.get_data(param).map_err(|error| error.0)
    }

    fn text(self, param: u32) -> ClResult<String> {
        self.bytes(param).map(|bytes| sys::text(&bytes))
    }

    fn u32(self, param: u32) -> ClResult<u32> {
        sys::number(&self.bytes(param)?).map(u32::from_ne_bytes)
    }

    fn u64(self, param: u32) -> ClResult<u64> {
        sys::number(&self.bytes(param)?).map(u64::from_ne_bytes)
    }

    fn size(self, param: u32) -> ClResult<usize> {
        sys::number(&self.bytes(param)?).map(usize::from_ne_bytes)
    }

    fn sizes(self, param: u32) -> ClResult<Vec<usize>> {
        let bytes = self.bytes(param)?;
        Ok(bytes
            .chunks_exact(size_of::<usize>())
            .filter_map(|chunk| chunk.try_into().ok())
            .map(usize::from_ne_bytes)
            .collect())
    }

    /// A list of `cl_name_version`: a version, and a name of at most 63 bytes.
    fn names(self, param: u32) -> ClResult<Vec<(String, ClVersion)>> {
        const NAME: usize = 64;
        let bytes = self.bytes(param)?;
        let (entries, _) = bytes.as_chunks::<{ size_of::<u32>() + NAME }>();
        Ok(entries
            .iter()
            .map(|[v0, v1, v2, v3, name @ ..]| {
                (sys::text(name), ClVersion::from_number(u32::from_ne_bytes([*v0, *v1, *v2, *v3])))
            })
            .collect())
    }

    fn numbers(self, param: u32) -> ClResult<Vec<u32>> {
        let bytes = self.bytes(param)?;
        Ok(bytes.as_chunks().0.iter().map(|word| u32::from_ne_bytes(*word)).collect())
    }

    /// A `cl_bool`; false if the driver does not answer.
    fn flag(self, param: u32) -> bool {
        self.u32(param).is_ok_and(|value| value != 0)
    }
}
