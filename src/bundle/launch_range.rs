// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Checks of a launch's form and range against the kernel and the device.

use std::fmt;

use super::{
    kernel::describe,
    launch::{Check, LaunchKind, LaunchSpec},
};
use crate::{
    backend::LaunchRange,
    error::{Errc, Result},
    image::{KernelKind, KernelProperties},
};

impl<'a> Check<'a> {
    /// The range as the driver gets it.
    pub(super) fn range(&self, spec: &LaunchSpec) -> Result<LaunchRange> {
        self.form(spec)?;
        self.sub_group_size()?;
        self.possible_size()?;
        self.possible_range()?;
        let empty = spec.global().contains(&0);
        let local = match spec.kind {
            LaunchKind::NdRange => Some(spec.local),
            LaunchKind::Range if empty => None,
            LaunchKind::Range => self.required_local(spec.dimensions)?.or_else(|| self.promised_local(spec)),
            LaunchKind::SingleTask => Some([1; 3]),
        };
        if !empty {
            self.global_size(spec)?;
            if let Some(local) = local {
                self.local_size(&LaunchSpec { local, ..*spec })?;
            }
        }
        self.required_size(spec)?;
        if !empty {
            if let Some(local) = local {
                self.largest_size(&local[..spec.dimensions])?;
            }
            self.range_type(spec)?;
        }
        Ok(LaunchRange { dimensions: spec.dimensions, global: spec.global, local, offset: spec.offset })
    }

    fn form(&self, spec: &LaunchSpec) -> Result<()> {
        let fits = match (self.kernel.kind, spec.kind) {
            (KernelKind::Any, _) | (KernelKind::SingleTask, LaunchKind::SingleTask) => true,
            (KernelKind::NdRange(wanted), LaunchKind::NdRange | LaunchKind::Range) => {
                usize::from(wanted) == spec.dimensions
            }
            _ => false,
        };
        if fits {
            return Ok(());
        }
        let given = match spec.kind {
            LaunchKind::SingleTask => "single_task".to_owned(),
            LaunchKind::Range => format!("parallel_for over a range<{}>", spec.dimensions),
            LaunchKind::NdRange => format!("parallel_for over an nd_range<{}>", spec.dimensions),
        };
        Err(self.error(Errc::Invalid, format_args!("it is {} and was launched by {given}", describe(self.kernel.kind))))
    }

    fn sub_group_size(&self) -> Result<()> {
        let sizes = &self.limits.sub_group_sizes;
        match self.kernel.properties.sub_group_size {
            Some(size) if !sizes.is_empty() && !sizes.contains(&(size as usize)) => Err(self.error(
                Errc::KernelNotSupported,
                format_args!("it needs sub-groups of {size} work-items, the device has sizes {sizes:?}"),
            )),
            _ => Ok(()),
        }
    }

    /// The required work-group size has to be possible at all.
    fn possible_size(&self) -> Result<()> {
        let Some(sizes) = self.kernel.properties.work_group_size.as_deref().filter(|sizes| sizes.len() <= 3) else {
            return Ok(());
        };
        let product = sizes.iter().try_fold(1_u64, |product, size| product.checked_mul(*size));
        let limits = &self.limits.work_item_sizes[3 - sizes.len()..];
        let fits = product.is_some_and(|product| product <= self.limits.work_group_size as u64)
            && sizes.iter().zip(limits).all(|(size, limit)| *size <= *limit as u64);
        if fits {
            return Ok(());
        }
        Err(self.error(
            Errc::KernelNotSupported,
            format_args!(
                "it requires work-groups of {sizes:?}, the device takes at most {} work-items of it, {limits:?} in the \
                 dimensions",
                self.limits.work_group_size
            ),
        ))
    }

    /// The ids of the device have to hold what `range_type` declares, whatever the launch (L2).
    fn possible_range(&self) -> Result<()> {
        match self.kernel.properties.range_max {
            Some(max) if max > self.limits.work_items => Err(self.error(
                Errc::KernelNotSupported,
                format_args!(
                    "its range_type declares up to {max} work-items, the ids of the device can count {}",
                    self.limits.work_items
                ),
            )),
            _ => Ok(()),
        }
    }

    /// The promises of the kernel on the size of its work-groups.
    fn largest_size(&self, local: &[usize]) -> Result<()> {
        let properties = &self.kernel.properties;
        if let Some(most) = &properties.max_work_group_size
            && local.iter().zip(most).any(|(size, most)| *size as u64 > *most)
        {
            return Err(self.error(
                Errc::NdRange,
                format_args!("it promises work-groups of at most {most:?} and was launched with {local:?}"),
            ));
        }
        // The product fits, since the device's limit has been checked.
        let product = local.iter().fold(1_u64, |product, size| product.saturating_mul(*size as u64));
        match properties.max_linear_work_group_size {
            Some(most) if product > most => Err(self.error(
                Errc::NdRange,
                format_args!("it promises work-groups of at most {most} work-items and was launched with {local:?}"),
            )),
            _ => Ok(()),
        }
    }

    /// A local range that keeps the kernel's promises, where the driver would choose one without knowing them.
    fn promised_local(&self, spec: &LaunchSpec) -> Option<[usize; 3]> {
        let KernelProperties { max_work_group_size: sizes, max_linear_work_group_size: product, .. } =
            &self.kernel.properties;
        if sizes.is_none() && product.is_none() {
            return None;
        }
        let most = |promised: Option<u64>| usize::try_from(promised.unwrap_or(u64::MAX)).unwrap_or(usize::MAX);
        let mut left = self.limits.work_group_size.min(most(*product));
        let mut local = [1; 3];
        let limits = &self.limits.work_item_sizes[3 - spec.dimensions..];
        // The last dimension varies fastest, so it gets as much as possible.
        for dimension in (0..spec.dimensions).rev() {
            let promised = sizes.as_ref().and_then(|sizes| sizes.get(dimension).copied());
            let cap = left.min(limits[dimension]).min(most(promised)).min(spec.global[dimension]);
            let size = (1..=cap).rev().find(|size| spec.global[dimension].is_multiple_of(*size)).unwrap_or(1);
            local[dimension] = size;
            left /= size;
        }
        Some(local)
    }

    /// The work-items must not be more than `range_type` declares.
    fn range_type(&self, spec: &LaunchSpec) -> Result<()> {
        let Some(max) = self.kernel.properties.range_max else { return Ok(()) };
        // One more than the highest linear id, which an offset raises; the sizes are not zero.
        let highest = spec.global().iter().zip(&spec.offset).try_fold(0_u64, |linear, (size, offset)| {
            let id = (*size as u64 - 1).checked_add(*offset as u64)?;
            linear.checked_mul(*size as u64)?.checked_add(id)
        });
        match highest {
            Some(highest) if highest < max => Ok(()),
            _ => Err(self.error(
                Errc::NdRange,
                format_args!(
                    "its range_type declares up to {max} work-items, and it was launched over {:?} with offset {:?}",
                    spec.global(),
                    &spec.offset[..spec.dimensions]
                ),
            )),
        }
    }

    fn global_size(&self, spec: &LaunchSpec) -> Result<()> {
        let product = |sizes: &[usize]| sizes.iter().try_fold(1_usize, |product, size| product.checked_mul(*size));
        let last = spec.global().iter().zip(&spec.offset).all(|(global, offset)| global.checked_add(*offset).is_some());
        if product(spec.global()).is_none() || !last {
            return Err(self.error(
                Errc::NdRange,
                format_args!(
                    "global range {:?} with offset {:?} overflows size_t",
                    spec.global(),
                    &spec.offset[..spec.dimensions]
                ),
            ));
        }
        Ok(())
    }

    fn local_size(&self, spec: &LaunchSpec) -> Result<()> {
        let (global, local) = (spec.global(), spec.local());
        let bad = |what: fmt::Arguments<'_>| {
            Err(self.error(Errc::NdRange, format_args!("{what} (global range {global:?}, local range {local:?})")))
        };
        if local.contains(&0) {
            return bad(format_args!("the local range has a zero"));
        }
        for (dimension, (global, local)) in global.iter().zip(local).enumerate() {
            if !global.is_multiple_of(*local) {
                return bad(format_args!(
                    "in dimension {dimension} the global size {global} is not a multiple of the local size {local}"
                ));
            }
        }
        let product = local.iter().try_fold(1_usize, |product, size| product.checked_mul(*size));
        if product.is_none_or(|product| product > self.limits.work_group_size) {
            return bad(format_args!(
                "the work-group is larger than the {} work-items that are possible",
                self.limits.work_group_size
            ));
        }
        // The device's limits are for three dimensions, of which a smaller range uses the last.
        let limits = &self.limits.work_item_sizes[3 - local.len()..];
        for (dimension, (local, limit)) in local.iter().zip(limits).enumerate() {
            if local > limit {
                return bad(format_args!(
                    "in dimension {dimension} the local size {local} is over the device's limit of {limit}"
                ));
            }
        }
        Ok(())
    }

    /// Required local size of the kernel as the launch's local range.
    fn required_local(&self, dimensions: usize) -> Result<Option<[usize; 3]>> {
        let Some(sizes) = self.required(dimensions) else { return Ok(None) };
        let mut local = [1; 3];
        for (to, size) in local.iter_mut().zip(sizes) {
            *to = usize::try_from(*size)
                .map_err(|_| self.error(Errc::NdRange, "its work-group size overflows size_t"))?;
        }
        Ok(Some(local))
    }

    /// Required work-group size for a launch of this many dimensions. Kernels of languages other than `sycl` always say
    /// three; leading ones mean nothing.
    fn required(&self, dimensions: usize) -> Option<&'a [u64]> {
        let sizes = self.kernel.properties.work_group_size.as_deref()?;
        let surplus = sizes.len().saturating_sub(dimensions);
        if sizes[..surplus].iter().all(|size| *size == 1) { Some(&sizes[surplus..]) } else { Some(sizes) }
    }

    fn required_size(&self, spec: &LaunchSpec) -> Result<()> {
        let Some(required) = self.required(spec.dimensions) else { return Ok(()) };
        let fits = match spec.kind {
            LaunchKind::NdRange => spec.local().iter().map(|size| *size as u64).eq(required.iter().copied()),
            LaunchKind::Range => required.len() <= spec.dimensions,
            LaunchKind::SingleTask => required.iter().all(|size| *size == 1),
        };
        if fits {
            return Ok(());
        }
        let launched = match spec.kind {
            LaunchKind::NdRange => format!("{:?}", spec.local()),
            LaunchKind::Range => format!("a range of {} dimensions", spec.dimensions),
            LaunchKind::SingleTask => "a single task".into(),
        };
        Err(self.error(
            Errc::NdRange,
            format_args!("it requires work-groups of {required:?} and was launched with {launched}"),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        bundle::{
            kernel::Limits,
            launch::tests::{code, kernel, limits, nd},
        },
        image::KernelInfo,
    };

    fn range_of(kernel: &KernelInfo, spec: &LaunchSpec) -> Result<LaunchRange> {
        Check { kernel, name: "k", limits: &limits() }.range(spec)
    }

    #[test]
    fn the_form_of_the_launch_has_to_fit_the_kernel() {
        let single = LaunchSpec { kind: LaunchKind::SingleTask, ..nd(&[1], &[1]) };
        let plain = LaunchSpec { kind: LaunchKind::Range, ..nd(&[7], &[0]) };
        let (task, kernel) = (kernel(KernelKind::SingleTask), kernel(KernelKind::NdRange(1)));
        assert_eq!(code(range_of(&task, &single)), None);
        assert_eq!(code(range_of(&task, &nd(&[1], &[1]))), Some(Errc::Invalid));
        assert_eq!(code(range_of(&task, &plain)), Some(Errc::Invalid));
        assert_eq!(code(range_of(&kernel, &single)), Some(Errc::Invalid));
        assert_eq!(code(range_of(&kernel, &nd(&[1, 1], &[1, 1]))), Some(Errc::Invalid));
        assert_eq!(range_of(&kernel, &plain).unwrap().local, None);
        let text = range_of(&kernel, &nd(&[1, 1], &[1, 1])).unwrap_err().message;
        assert_eq!(
            text,
            "kernel 'k': it is an nd_range_kernel<1> and was launched by parallel_for over an nd_range<2>"
        );
    }

    #[test]
    fn ranges_are_checked_against_themselves_and_the_device() {
        let one = kernel(KernelKind::NdRange(1));
        let two = kernel(KernelKind::NdRange(2));
        let three = kernel(KernelKind::NdRange(3));
        let bad = Some(Errc::NdRange);
        for (kernel, spec, expected) in [
            (&one, nd(&[1024], &[512]), None),
            (&one, nd(&[10], &[3]), bad),
            (&one, nd(&[10], &[0]), bad),
            (&one, nd(&[1024], &[1024]), bad),
            (&one, nd(&[0], &[0]), None),
            (&one, nd(&[0], &[3]), None),
            (&two, nd(&[256, 2], &[256, 2]), None),
            (&two, nd(&[512, 1], &[512, 1]), bad),
            (&two, nd(&[4, 5], &[4, 2]), bad),
            (&two, nd(&[1 << 40, 1 << 40], &[1, 1]), bad),
            (&two, nd(&[5, 0], &[2, 2]), None),
            (&three, nd(&[64, 1, 1], &[64, 1, 1]), None),
            (&three, nd(&[128, 1, 1], &[128, 1, 1]), bad),
            (&three, nd(&[8, 8, 8], &[8, 8, 8]), None),
            (&three, nd(&[16, 8, 8], &[16, 8, 8]), bad),
        ] {
            assert_eq!(code(range_of(kernel, &spec)), expected, "{spec:?}");
        }
        let far = LaunchSpec { offset: [usize::MAX, 0, 0], ..nd(&[2], &[1]) };
        assert_eq!(code(range_of(&one, &far)), bad);
    }

    #[test]
    fn required_sizes_hold() {
        let mut required = kernel(KernelKind::NdRange(2));
        required.properties.work_group_size = Some(vec![4, 8]);
        assert_eq!(code(range_of(&required, &nd(&[8, 8], &[4, 8]))), None);
        assert_eq!(code(range_of(&required, &nd(&[8, 8], &[8, 4]))), Some(Errc::NdRange));
        let plain = LaunchSpec { kind: LaunchKind::Range, ..nd(&[8, 8], &[0, 0]) };
        assert_eq!(range_of(&required, &plain).unwrap().local, Some([4, 8, 1]));
        let odd = LaunchSpec { kind: LaunchKind::Range, ..nd(&[8, 9], &[0, 0]) };
        assert_eq!(code(range_of(&required, &odd)), Some(Errc::NdRange));
        let single = LaunchSpec { kind: LaunchKind::SingleTask, ..nd(&[1], &[1]) };
        let mut foreign = kernel(KernelKind::Any);
        // O8, V6: other languages say three dimensions, whatever the launch has.
        foreign.properties.work_group_size = Some(vec![1, 4, 8]);
        assert_eq!(code(range_of(&foreign, &nd(&[8, 8], &[4, 8]))), None);
        assert_eq!(code(range_of(&foreign, &nd(&[2, 8, 8], &[1, 4, 8]))), None);
        assert_eq!(code(range_of(&foreign, &nd(&[8], &[8]))), Some(Errc::NdRange));
        assert_eq!(range_of(&foreign, &plain).unwrap().local, Some([4, 8, 1]));
        assert_eq!(code(range_of(&foreign, &LaunchSpec { dimensions: 1, ..plain })), Some(Errc::NdRange));
        assert_eq!(code(range_of(&foreign, &single)), Some(Errc::NdRange));
        foreign.properties.work_group_size = Some(vec![1, 1, 1]);
        assert_eq!(code(range_of(&foreign, &single)), None);
        required.properties.sub_group_size = Some(32);
        assert_eq!(code(range_of(&required, &nd(&[8, 8], &[4, 8]))), Some(Errc::KernelNotSupported));
        required.properties.sub_group_size = Some(16);
        assert_eq!(code(range_of(&required, &nd(&[8, 8], &[4, 8]))), None);
    }

    #[test]
    fn a_required_size_that_the_device_lacks_is_not_supported() {
        let mut required = kernel(KernelKind::NdRange(1));
        let unsupported = Some(Errc::KernelNotSupported);
        for (size, expected) in [(512, None), (513, unsupported), (u64::MAX, unsupported)] {
            required.properties.work_group_size = Some(vec![size]);
            assert_eq!(code(range_of(&required, &nd(&[512], &[512]))), expected, "{size}");
        }
        let mut required = kernel(KernelKind::NdRange(3));
        required.properties.work_group_size = Some(vec![128, 1, 1]);
        let plain = LaunchSpec { kind: LaunchKind::Range, ..nd(&[128, 1, 1], &[]) };
        assert_eq!(code(range_of(&required, &plain)), unsupported);
    }

    #[test]
    fn promises_on_the_work_group_hold() {
        let mut promised = kernel(KernelKind::NdRange(2));
        promised.properties.max_work_group_size = Some(vec![4, 16]);
        let bad = Some(Errc::NdRange);
        for (local, expected) in [([4, 16], None), ([4, 1], None), ([8, 1], bad), ([1, 32], bad)] {
            assert_eq!(code(range_of(&promised, &nd(&[32, 32], &local))), expected, "{local:?}");
        }
        promised.properties.max_linear_work_group_size = Some(32);
        for (local, expected) in [([2, 16], None), ([4, 16], bad), ([4, 8], None)] {
            assert_eq!(code(range_of(&promised, &nd(&[32, 32], &local))), expected, "{local:?}");
        }
        // The driver does not know the promises, so a launch without a local range gets one that keeps them.
        let plain = LaunchSpec { kind: LaunchKind::Range, ..nd(&[32, 24], &[]) };
        assert_eq!(range_of(&promised, &plain).unwrap().local, Some([2, 12, 1]));
        let plain = LaunchSpec { kind: LaunchKind::Range, ..nd(&[7, 31], &[]) };
        assert_eq!(range_of(&promised, &plain).unwrap().local, Some([1, 1, 1]));
    }

    fn limited(dimensions: u8, max: u64) -> KernelInfo {
        let mut kernel = kernel(KernelKind::NdRange(dimensions));
        kernel.properties.range_max = Some(max);
        kernel
    }

    const INT: u64 = i32::MAX as u64;
    const UNSIGNED: u64 = u32::MAX as u64;

    // T1, T2, T3, T4, T5
    #[test]
    fn a_launch_has_at_most_the_work_items_that_range_type_declares() {
        let bad = Some(Errc::NdRange);
        for (kernel, spec, expected) in [
            (limited(1, INT), nd(&[2_147_483_647], &[1]), None),
            (limited(1, INT), nd(&[2_147_483_648], &[1]), bad),
            (limited(2, INT), nd(&[65536, 65536], &[1, 1]), bad),
            (limited(2, UNSIGNED), nd(&[65536, 65536], &[1, 1]), bad),
            (limited(2, UNSIGNED), nd(&[65535, 65537], &[1, 1]), None),
            (limited(1, 127), nd(&[127], &[1]), None),
            (limited(1, 127), nd(&[128], &[1]), bad),
            (limited(3, u64::MAX), nd(&[1 << 32, 1 << 32, 2], &[1, 1, 1]), bad),
            (limited(1, 127), nd(&[0], &[1]), None),
            // L6: the local range is no matter.
            (limited(1, 127), nd(&[64], &[64]), None),
        ] {
            assert_eq!(code(range_of(&kernel, &spec)), expected, "{spec:?}");
            let plain = LaunchSpec { kind: LaunchKind::Range, ..spec };
            assert_eq!(code(range_of(&kernel, &plain)), expected, "{plain:?}");
        }
        // Without the property only the size of size_t counts.
        let free = kernel(KernelKind::NdRange(2));
        assert_eq!(code(range_of(&free, &nd(&[1 << 31, 1 << 32], &[1, 1]))), None);
        assert_eq!(code(range_of(&free, &nd(&[1 << 32, 1 << 32], &[1, 1]))), bad);
        let message = range_of(&limited(1, 127), &nd(&[128], &[1])).unwrap_err().message;
        assert!(message.contains("range_type declares up to 127") && message.contains("[128]"), "{message}");
    }

    #[test]
    fn an_offset_raises_the_highest_id() {
        let offset = |offset, global| LaunchSpec { offset: [offset, 0, 0], ..nd(&[global], &[1]) };
        for (spec, fits) in [(offset(27, 100), true), (offset(28, 100), false), (offset(usize::MAX - 100, 100), false)]
        {
            assert_eq!(range_of(&limited(1, 127), &spec).is_ok(), fits, "{spec:?}");
        }
    }

    // L2, L4, L8
    #[test]
    fn a_range_that_ids_cannot_count_is_not_supported_whatever_the_launch() {
        let narrow = Limits { work_items: UNSIGNED, ..limits() };
        for (max, global, expected) in [
            (u64::MAX, 1, Some(Errc::KernelNotSupported)),
            (u64::MAX, 0, Some(Errc::KernelNotSupported)),
            (UNSIGNED, 1, None),
            (INT, INT as usize + 1, Some(Errc::NdRange)),
        ] {
            let kernel = limited(1, max);
            let check = Check { kernel: &kernel, name: "k", limits: &narrow };
            assert_eq!(code(check.range(&nd(&[global], &[1]))), expected, "{max} {global}");
        }
        let mut task = limited(1, 127);
        task.kind = KernelKind::SingleTask;
        let single = LaunchSpec { kind: LaunchKind::SingleTask, ..nd(&[1], &[1]) };
        assert_eq!(code(range_of(&task, &single)), None);
    }
}
