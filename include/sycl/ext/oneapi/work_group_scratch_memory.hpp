// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sycl/detail/defines.hpp>
#include <sycl/ext/oneapi/properties/properties.hpp>
#include <sycl/feature_test.hpp>

#include <cstddef>

// sycl_ext_oneapi_work_group_scratch_memory

#ifdef __SYCL_DEVICE_ONLY__
/// Defined by the compiler, for kernels that reach it.
extern "C" SYCLRTC_DETAIL_BUILTIN __attribute__((opencl_local)) void *__syclrtc_work_group_scratch_memory();
#else
#include <sycl/detail/query.hpp>
#endif

namespace sycl {
inline namespace _V1 {
namespace ext::oneapi::experimental {

/// Launch property: bytes of scratch memory of each work-group.
struct work_group_scratch_size : detail::run_time_property {
  constexpr work_group_scratch_size(std::size_t bytes) : value(bytes) {}
  std::size_t value;

  friend constexpr bool operator==(const work_group_scratch_size &a, const work_group_scratch_size &b) {
    return a.value == b.value;
  }
  friend constexpr bool operator!=(const work_group_scratch_size &a, const work_group_scratch_size &b) { return !(a == b); }
};
using work_group_scratch_size_key = work_group_scratch_size;

/// The scratch memory of the work-group: the same block for each call, as large as the launch says.
SYCLRTC_DETAIL_ALWAYS_INLINE inline void *get_work_group_scratch_memory() {
#ifdef __SYCL_DEVICE_ONLY__
  return (void *)__syclrtc_work_group_scratch_memory();
#else
  sycl::detail::query::not_in_a_kernel();
#endif
}

} // namespace ext::oneapi::experimental
} // namespace _V1
} // namespace sycl
