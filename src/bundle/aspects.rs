// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Aspects in messages and checks.

use crate::{backend::Aspect, runtime::Device};

/// The numbers of those that the device lacks.
pub(super) fn missing_aspects(device: &Device, needed: &[u32]) -> Vec<u32> {
    let has = |number: u32| Aspect::from_number(number).is_some_and(|aspect| device.has(aspect));
    needed.iter().copied().filter(|number| !has(*number)).collect()
}

/// Aspects for a message: `aspect::fp64, aspect::gpu`.
pub(super) fn aspect_names(numbers: &[u32]) -> String {
    let name = |number: &u32| match Aspect::from_number(*number) {
        Some(aspect) => format!("aspect::{}", word(aspect)),
        None => format!("aspect number {number}"),
    };
    numbers.iter().map(name).collect::<Vec<_>>().join(", ")
}

/// SYCL's word.
fn word(aspect: Aspect) -> &'static str {
    match aspect {
        Aspect::Cpu => "cpu",
        Aspect::Gpu => "gpu",
        Aspect::Accelerator => "accelerator",
        Aspect::Custom => "custom",
        Aspect::Fp16 => "fp16",
        Aspect::Fp64 => "fp64",
        Aspect::Image => "image",
        Aspect::OnlineCompiler => "online_compiler",
        Aspect::OnlineLinker => "online_linker",
        Aspect::QueueProfiling => "queue_profiling",
        Aspect::UsmDeviceAllocations => "usm_device_allocations",
        Aspect::UsmHostAllocations => "usm_host_allocations",
        Aspect::UsmSharedAllocations => "usm_shared_allocations",
        Aspect::UsmSystemAllocations => "usm_system_allocations",
        Aspect::UsmAtomicHostAllocations => "usm_atomic_host_allocations",
        Aspect::UsmAtomicSharedAllocations => "usm_atomic_shared_allocations",
        Aspect::Atomic64 => "atomic64",
        Aspect::HostDebuggable => "host_debuggable",
        Aspect::Emulated => "emulated",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aspects_have_sycls_names() {
        assert_eq!(aspect_names(&[6, 2]), "aspect::fp64, aspect::gpu");
        assert_eq!(aspect_names(&[999]), "aspect number 999");
        let mut words: Vec<_> = Aspect::ALL.iter().map(|aspect| word(*aspect)).collect();
        words.sort_unstable();
        words.dedup();
        assert_eq!(words.len(), Aspect::ALL.len());
    }
}
