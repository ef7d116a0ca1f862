// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace sycl {
inline namespace _V1 {

/// Optional features of a device (SYCL 2020, 4.6.4.5). The numbers cross the C border and must not change.
enum class aspect {
  cpu = 1,
  gpu = 2,
  accelerator = 3,
  custom = 4,
  fp16 = 5,
  fp64 = 6,
  image = 9,
  online_compiler = 10,
  online_linker = 11,
  queue_profiling = 12,
  usm_device_allocations = 13,
  usm_host_allocations = 14,
  usm_shared_allocations = 15,
  usm_system_allocations = 17,
  usm_atomic_host_allocations = 25,
  usm_atomic_shared_allocations = 26,
  atomic64 = 27,
  host_debuggable = 31,
  emulated = 38,
  ext_intel_esimd = 49,
};

} // namespace _V1
} // namespace sycl
