// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What a bundle holds: units, each the outcome of one compile, build or link.
//!
//! A unit is shared by all bundles that it was joined into, and its address is its identity: a unit that is reached on
//! several ways counts once, and two builds of one source are two units.

use std::{
    collections::HashSet,
    ops::Range,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use super::globals::GlobalsBlock;
use crate::{
    backend::Module,
    image::{CodeSplit, DeviceImage, KernelInfo, Table, Target},
    runtime::Device,
};

/// One compile to state `object`: code for all devices of the bundle.
#[derive(Debug)]
pub(super) struct ObjectUnit {
    /// Name of the main file, e.g. `rtc_0.cpp`.
    pub(super) name: String,
    /// LLVM bitcode.
    pub(super) bitcode: Arc<[u8]>,
    /// Compiler that wrote the bitcode, as it introduces itself.
    pub(super) compiler: String,
    pub(super) table: Table,
    /// A number for each image as a program sees it; no other unit has them.
    pub(super) image_ids: Range<u64>,
}

/// One build or link to state `executable`.
#[derive(Debug)]
pub(super) struct Unit {
    /// Name of the main file; of a link the names of all.
    pub(super) name: String,
    /// One for each target, in the order of the devices.
    pub(super) images: Vec<Image>,
    /// A number for each image as a program sees it; no other unit has them.
    pub(super) image_ids: Range<u64>,
}

/// Numbers for that many images, which nobody else has.
fn fresh_ids(count: usize) -> Range<u64> {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let first = NEXT.fetch_add(count as u64, Ordering::Relaxed);
    first..first + count as u64
}

impl ObjectUnit {
    pub(super) fn new(name: String, bitcode: Arc<[u8]>, compiler: String, table: Table) -> Self {
        Self { name, bitcode, compiler, table, image_ids: fresh_ids(1) }
    }
}

/// Code for the devices that take the same target.
#[derive(Debug)]
pub(super) struct Image {
    pub(super) table: Table,
    /// No bytes if there is nothing to run.
    pub(super) code: DeviceImage,
    /// For the driver's compiler.
    pub(super) flags: String,
    /// What the code was made for; none for devices that take no SPIR-V.
    pub(super) target: Option<Target>,
    /// Bitcode of the module that the code was generated from; empty where there is none.
    pub(super) final_ir: Arc<[u8]>,
    pub(super) loaded: Vec<Loaded>,
}

/// An image on one device.
#[derive(Debug)]
pub(super) struct Loaded {
    pub(super) device: Arc<Device>,
    /// None if there is nothing to run.
    pub(super) module: Option<Arc<dyn Module>>,
    /// None if the image has no device globals in memory.
    pub(super) globals: Option<Arc<GlobalsBlock>>,
}

impl Image {
    /// Number of images as a program sees it: code that could be split is counted as if it were. Without kernels
    /// and device globals there is none.
    pub(super) fn count(&self) -> usize {
        let kernels = &self.table.kernels;
        if kernels.is_empty() {
            return usize::from(!self.table.device_globals.is_empty());
        }
        match self.table.code_split {
            CodeSplit::PerKernel => kernels.len(),
            CodeSplit::Off | CodeSplit::PerSource => 1,
            CodeSplit::Auto => kernels.iter().map(needs).collect::<HashSet<_>>().len(),
        }
    }

    pub(super) fn on(&self, device: &Device) -> Option<&Loaded> {
        self.loaded.iter().find(|loaded| std::ptr::eq(Arc::as_ptr(&loaded.device), device))
    }
}

impl Unit {
    pub(super) fn new(name: String, images: Vec<Image>) -> Self {
        let image_ids = fresh_ids(images.iter().map(Image::count).sum());
        Self { name, images, image_ids }
    }

    /// Kernels, each counted for each image that it is in.
    pub(super) fn kernel_count(&self) -> usize {
        self.tables().map(|table| table.kernels.len()).sum()
    }

    pub(super) fn tables(&self) -> impl Iterator<Item = &Table> {
        self.images.iter().map(|image| &image.table)
    }
}

/// What makes kernels go to different images.
fn needs(kernel: &KernelInfo) -> (&Option<Vec<u64>>, Option<u32>, &[u32]) {
    (&kernel.properties.work_group_size, kernel.properties.sub_group_size, &kernel.aspects)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::{DeviceGlobal, KernelKind, KernelProperties};

    fn kernel(work_group_size: Option<u64>, sub_group_size: Option<u32>, aspects: &[u32]) -> KernelInfo {
        KernelInfo {
            raw_name: String::new(),
            plain_name: None,
            mangled_name: String::new(),
            kind: KernelKind::NdRange(1),
            parameters: Vec::new(),
            properties: KernelProperties {
                work_group_size: work_group_size.map(|size| vec![size]),
                sub_group_size,
                ..KernelProperties::default()
            },
            aspects: aspects.to_vec(),
            scratch: false,
        }
    }

    fn image(code_split: CodeSplit, kernels: Vec<KernelInfo>, bytes: &[u8]) -> Image {
        Image {
            code: DeviceImage::spirv(bytes, kernels.clone()),
            table: Table { kernels, code_split, ..Table::default() },
            flags: String::new(),
            target: None,
            final_ir: [].into(),
            loaded: Vec::new(),
        }
    }

    // 10.3 of kernel-compiler.md, B9
    #[test]
    fn images_are_counted_as_the_split_says() {
        let kernels = || {
            vec![
                kernel(None, None, &[]),
                kernel(None, None, &[]),
                kernel(Some(8), None, &[]),
                kernel(Some(16), None, &[]),
                kernel(Some(16), Some(8), &[]),
                kernel(None, None, &[6]),
            ]
        };
        for (split, count) in
            [(CodeSplit::PerKernel, 6), (CodeSplit::PerSource, 1), (CodeSplit::Off, 1), (CodeSplit::Auto, 5)]
        {
            assert_eq!(image(split, kernels(), b"code").count(), count, "{split:?}");
            assert_eq!(image(split, Vec::new(), b"").count(), 0, "{split:?}");
            assert_eq!(image(split, Vec::new(), b"code").count(), 0, "{split:?}");
            let mut globals_alone = image(split, Vec::new(), b"code");
            globals_alone.table.device_globals.push(DeviceGlobal {
                name: "g".into(),
                symbol: "g".into(),
                size: 4,
                align: 4,
                offset: 0,
                image_scope: false,
            });
            assert_eq!(globals_alone.count(), 1, "{split:?}");
        }
    }

    #[test]
    fn no_two_units_share_a_number() {
        let unit =
            || Unit::new(String::new(), vec![image(CodeSplit::PerKernel, vec![kernel(None, None, &[]); 2], b"c")]);
        let (one, two) = (unit(), unit());
        let object = ObjectUnit::new(String::new(), [].into(), String::new(), Table::default());
        let mut all: Vec<u64> =
            [&one.image_ids, &two.image_ids, &object.image_ids].into_iter().flat_map(Range::clone).collect();
        assert_eq!(all.len(), 5);
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 5);
    }
}
