// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Kernels of an executable bundle.

use std::sync::Arc;

use super::{
    KernelBundle,
    aspects::{aspect_names, missing_aspects},
    globals::GlobalsBlock,
    unit::Unit,
};
use crate::{
    backend::{self, DeviceInfo, InfoValue},
    error::{Error, Result},
    image::{KernelInfo, KernelKind, KernelProperties},
    os::process,
    runtime::{Context, Device},
};

/// A kernel, on every device of its bundle that has it. It keeps the bundle alive.
#[derive(Debug)]
pub struct Kernel {
    bundle: Arc<KernelBundle>,
    info: KernelInfo,
    on: Vec<OnDevice>,
}

/// A kernel on one device, with everything that a launch is checked against.
#[derive(Debug)]
pub(super) struct OnDevice {
    pub(super) device: Arc<Device>,
    pub(super) kernel: Arc<dyn backend::Kernel>,
    pub(super) limits: Limits,
    /// To be ready before the first launch; none for code without device globals.
    pub(super) globals: Option<Arc<GlobalsBlock>>,
}

/// What a device allows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Limits {
    /// Work-items of a work-group in each dimension, SYCL order of three.
    pub(super) work_item_sizes: [usize; 3],
    /// Work-items of a work-group of this kernel.
    pub(super) work_group_size: usize,
    /// Bytes of local memory of a work-group.
    pub(super) local_memory: u64,
    /// Bytes of local memory that the kernel takes before its arguments.
    pub(super) static_local_memory: u64,
    /// Bytes of all arguments.
    pub(super) parameter_size: usize,
    /// Sub-group sizes; empty if unknown.
    pub(super) sub_group_sizes: Vec<usize>,
    /// Most work-items that ids can count.
    pub(super) work_items: u64,
}

impl Limits {
    fn new(device: &Device, kernel: &dyn backend::Kernel) -> Result<Self> {
        let on_device = kernel.device_info();
        let sizes = match device.info(DeviceInfo::MaxWorkItemSizes)? {
            InfoValue::Sizes(sizes) => <[usize; 3]>::try_from(sizes).ok(),
            _ => None,
        };
        Ok(Self {
            work_item_sizes: sizes.unwrap_or([usize::MAX; 3]),
            work_group_size: on_device.work_group_size,
            local_memory: match device.info(DeviceInfo::LocalMemSize)? {
                InfoValue::U64(bytes) => bytes,
                _ => u64::MAX,
            },
            static_local_memory: on_device.local_mem_size,
            parameter_size: match device.info(DeviceInfo::MaxParameterSize)? {
                InfoValue::Size(bytes) => bytes,
                _ => usize::MAX,
            },
            sub_group_sizes: match device.info(DeviceInfo::SubGroupSizes)? {
                InfoValue::Sizes(sizes) => sizes,
                _ => Vec::new(),
            },
            work_items: match device.info(DeviceInfo::AddressBits)? {
                InfoValue::U32(bits) if bits < u64::BITS => (1 << bits) - 1,
                _ => u64::MAX,
            },
        })
    }
}

/// What can be asked of a kernel for one device. The numbers cross the C border and are never reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum KernelDeviceParam {
    /// Largest usable work-group
    WorkGroupSize = 16,
    /// Work-group sizes should be multiples of it
    PreferredWorkGroupSizeMultiple = 17,
    /// Bytes for each work-item
    PrivateMemSize = 18,
    /// Required work-group size as a range of three dimensions, zeros if none
    CompileWorkGroupSize = 19,
    /// Sub-groups in a work-group at most
    MaxNumSubGroups = 20,
    /// Required number of sub-groups or 0
    CompileNumSubGroups = 21,
    /// Work-items of a sub-group at most
    MaxSubGroupSize = 22,
    /// Required sub-group size or 0
    CompileSubGroupSize = 23,
}

impl KernelDeviceParam {
    /// The parameter with this number.
    #[must_use]
    pub fn from_number(number: u32) -> Option<Self> {
        [
            Self::WorkGroupSize,
            Self::PreferredWorkGroupSizeMultiple,
            Self::PrivateMemSize,
            Self::CompileWorkGroupSize,
            Self::MaxNumSubGroups,
            Self::CompileNumSubGroups,
            Self::MaxSubGroupSize,
            Self::CompileSubGroupSize,
        ]
        .into_iter()
        .find(|param| *param as u32 == number)
    }
}

impl Kernel {
    /// A kernel of a unit of the bundle, on every device that has it.
    pub(super) fn new(bundle: &Arc<KernelBundle>, unit: &Unit, info: &KernelInfo) -> Result<Self> {
        let _call = process::use_drivers()?;
        let mut on = Vec::new();
        for image in &unit.images {
            if !image.table.kernels.iter().any(|kernel| kernel.raw_name == info.raw_name) {
                continue;
            }
            for loaded in &image.loaded {
                let Some(module) = &loaded.module else { continue };
                let kernel = module.kernel(&info.raw_name)?;
                // The image's own row, which knows what became of the code.
                if kernel.argument_count() as usize != info.native_arguments() {
                    return Err(Error::invalid(format!(
                        "kernel '{}' takes {} arguments in its code and {} in the table that came with it",
                        info.raw_name,
                        kernel.argument_count(),
                        info.native_arguments()
                    )));
                }
                let limits = Limits::new(&loaded.device, &*kernel)?;
                on.push(OnDevice {
                    device: Arc::clone(&loaded.device),
                    kernel,
                    limits,
                    globals: loaded.globals.clone(),
                });
            }
        }
        Ok(Self { bundle: Arc::clone(bundle), info: info.clone(), on })
    }

    /// The bundle that it came from.
    #[must_use]
    pub fn bundle(&self) -> &Arc<KernelBundle> {
        &self.bundle
    }

    /// Its context.
    #[must_use]
    pub fn context(&self) -> &Arc<Context> {
        self.bundle.context()
    }

    /// What the compiler told about it.
    #[must_use]
    pub fn info(&self) -> &KernelInfo {
        &self.info
    }

    /// Its name for messages.
    pub(super) fn name(&self) -> &str {
        self.info.plain_name.as_deref().unwrap_or(&self.info.raw_name)
    }

    /// Properties that the source gave it, as attributes separated by blanks; SYCL order of dimensions.
    #[must_use]
    pub fn attributes(&self) -> String {
        attributes(&self.info.properties)
    }

    pub(super) fn on(&self, device: &Device) -> Option<&OnDevice> {
        self.on.iter().find(|on| std::ptr::eq(Arc::as_ptr(&on.device), device))
    }

    pub(super) fn device_names(&self) -> String {
        let names: Vec<String> = self.on.iter().map(|on| format!("\"{}\"", on.device.name())).collect();
        names.join(", ")
    }

    /// Why the kernel is not on the device, for an error.
    pub(super) fn not_on(&self, device: &Device) -> String {
        let name = self.name();
        let missing = missing_aspects(device, &self.info.aspects);
        if self.bundle.has_device(device) && !missing.is_empty() {
            return format!(
                "kernel '{name}' needs {}, which device \"{}\" lacks",
                aspect_names(&missing),
                device.name()
            );
        }
        format!("kernel '{name}' was not built for device \"{}\" but for {}", device.name(), self.device_names())
    }

    /// Answers a question for one device.
    ///
    /// # Errors
    /// [`Errc::Invalid`](crate::error::Errc::Invalid) if the kernel was not built for the device.
    pub fn device_info(&self, device: &Device, param: KernelDeviceParam) -> Result<InfoValue> {
        let on = self.on(device).ok_or_else(|| Error::invalid(self.not_on(device)))?;
        let info = on.kernel.device_info();
        Ok(match param {
            KernelDeviceParam::WorkGroupSize => InfoValue::Size(info.work_group_size),
            KernelDeviceParam::PreferredWorkGroupSizeMultiple => {
                InfoValue::Size(info.preferred_work_group_size_multiple)
            }
            KernelDeviceParam::PrivateMemSize => {
                InfoValue::Size(usize::try_from(info.private_mem_size).unwrap_or(usize::MAX))
            }
            KernelDeviceParam::CompileWorkGroupSize => InfoValue::Sizes(required_range(&self.info).to_vec()),
            KernelDeviceParam::MaxNumSubGroups => InfoValue::U32(info.max_num_sub_groups),
            KernelDeviceParam::CompileNumSubGroups => InfoValue::U32(info.compile_num_sub_groups),
            KernelDeviceParam::MaxSubGroupSize => InfoValue::U32(info.max_sub_group_size),
            KernelDeviceParam::CompileSubGroupSize => InfoValue::U32(self.info.properties.sub_group_size.unwrap_or(0)),
        })
    }
}

/// The properties in the words of SYCL's attributes and of the properties that have no attribute.
fn attributes(properties: &KernelProperties) -> String {
    let sizes = |name: &str, sizes: &Option<Vec<u64>>| {
        let sizes: Vec<String> = sizes.as_ref()?.iter().map(ToString::to_string).collect();
        Some(format!("{name}({})", sizes.join(",")))
    };
    let number = |name: &str, number: Option<u64>| Some(format!("{name}({})", number?));
    let all = [
        sizes("reqd_work_group_size", &properties.work_group_size),
        sizes("work_group_size_hint", &properties.work_group_size_hint),
        number("reqd_sub_group_size", properties.sub_group_size.map(u64::from)),
        sizes("max_work_group_size", &properties.max_work_group_size),
        number("max_linear_work_group_size", properties.max_linear_work_group_size),
        number("range_type", properties.range_max),
    ];
    all.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// The required work-group size in three dimensions, padded by leading ones; zeros if there is none.
fn required_range(info: &KernelInfo) -> [usize; 3] {
    let Some(sizes) = info.properties.work_group_size.as_deref().filter(|sizes| sizes.len() <= 3) else {
        return [0; 3];
    };
    let mut range = [1; 3];
    for (to, size) in range[3 - sizes.len()..].iter_mut().zip(sizes) {
        *to = usize::try_from(*size).unwrap_or(usize::MAX);
    }
    range
}

/// What a kernel is, for messages.
pub(super) fn describe(kind: KernelKind) -> String {
    match kind {
        KernelKind::NdRange(dimensions) => format!("an nd_range_kernel<{dimensions}>"),
        KernelKind::SingleTask => "a single_task_kernel".into(),
        KernelKind::Any => "a kernel".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // KP5
    #[test]
    fn attributes_say_all_properties() {
        assert_eq!(attributes(&KernelProperties::default()), "");
        let properties = KernelProperties {
            work_group_size: Some(vec![4, 8]),
            work_group_size_hint: Some(vec![16]),
            sub_group_size: Some(8),
            max_work_group_size: Some(vec![1, 2, 3]),
            max_linear_work_group_size: Some(64),
            range_max: Some(127),
        };
        assert_eq!(
            attributes(&properties),
            "reqd_work_group_size(4,8) work_group_size_hint(16) reqd_sub_group_size(8) max_work_group_size(1,2,3) \
             max_linear_work_group_size(64) range_type(127)"
        );
    }

    #[test]
    fn required_sizes_are_padded_in_front() {
        let mut info = KernelInfo {
            raw_name: String::new(),
            plain_name: None,
            mangled_name: String::new(),
            kind: KernelKind::NdRange(1),
            parameters: Vec::new(),
            properties: KernelProperties::default(),
            aspects: Vec::new(),
            scratch: false,
        };
        assert_eq!(required_range(&info), [0, 0, 0]);
        info.properties.work_group_size = Some(vec![32]);
        assert_eq!(required_range(&info), [1, 1, 32]);
        info.properties.work_group_size = Some(vec![2, 4, 8]);
        assert_eq!(required_range(&info), [2, 4, 8]);
    }
}
