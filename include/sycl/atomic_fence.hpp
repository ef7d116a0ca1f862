// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sycl/detail/defines.hpp>
#include <sycl/memory_enums.hpp>

#ifdef __SYCL_DEVICE_ONLY__
#include <sycl/detail/spirv.hpp>
#else
#include <atomic>
#endif

namespace sycl {
inline namespace _V1 {

#ifdef __SYCL_DEVICE_ONLY__
namespace detail::spirv {

SYCLRTC_DETAIL_ALWAYS_INLINE constexpr int to_scope(memory_scope s) {
  switch (s) {
  case memory_scope::work_item:
    return invocation;
  case memory_scope::sub_group:
    return sub_group;
  case memory_scope::work_group:
    return work_group;
  case memory_scope::device:
    return device;
  case memory_scope::system:
    break;
  }
  return cross_device;
}

/// The order alone; the caller adds the classes of memory that it orders.
SYCLRTC_DETAIL_ALWAYS_INLINE constexpr int to_semantics(memory_order order) {
  switch (order) {
  case memory_order::relaxed:
    return 0;
  case memory_order::acquire:
    return acquire;
  case memory_order::release:
    return release;
  case memory_order::acq_rel:
    return acquire_release;
  case memory_order::seq_cst:
    break;
  }
  return sequentially_consistent;
}

} // namespace detail::spirv
#endif

/// SYCL 2020, 4.15.1.
SYCLRTC_DETAIL_ALWAYS_INLINE inline void atomic_fence(memory_order order, memory_scope scope) {
#ifdef __SYCL_DEVICE_ONLY__
  if (order != memory_order::relaxed)
    __spirv_MemoryBarrier(detail::spirv::to_scope(scope),
                          detail::spirv::to_semantics(order) | detail::spirv::all_memory);
#else
  (void)scope;
  switch (order) {
  case memory_order::relaxed:
    return;
  case memory_order::acquire:
    return std::atomic_thread_fence(std::memory_order_acquire);
  case memory_order::release:
    return std::atomic_thread_fence(std::memory_order_release);
  case memory_order::acq_rel:
    return std::atomic_thread_fence(std::memory_order_acq_rel);
  case memory_order::seq_cst:
    return std::atomic_thread_fence(std::memory_order_seq_cst);
  }
#endif
}

} // namespace _V1
} // namespace sycl
