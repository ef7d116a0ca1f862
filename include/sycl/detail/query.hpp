// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Where the running work-item is. Dimensions here are SYCL's: dimension 0 varies slowest, while a SPIR-V device counts
// from the fastest one. All values are 64 bit wide and exact.

#include <sycl/detail/defines.hpp>
#include <sycl/id.hpp>
#include <sycl/range.hpp>

#include <cstddef>
#include <cstdint>

#ifdef __SYCL_DEVICE_ONLY__
#include <sycl/detail/spirv.hpp>
#else
#include <sycl/exception.hpp>
#endif

namespace sycl {
inline namespace _V1 {
namespace detail::query {

#ifdef __SYCL_DEVICE_ONLY__

#define SYCLRTC_DETAIL_QUERY(name, builtin)                                                                            \
  template <int Dimensions> SYCLRTC_DETAIL_ALWAYS_INLINE inline std::size_t name(int dimension) {                      \
    return builtin(Dimensions - 1 - dimension);                                                                        \
  }
#define SYCLRTC_DETAIL_SUB_GROUP_QUERY(name, builtin)                                                                  \
  SYCLRTC_DETAIL_ALWAYS_INLINE inline std::uint32_t name() { return builtin(); }

#else

// The classes are complete on the host, so that headers shared with kernel sources compile there.
[[noreturn]] inline std::uint32_t not_in_a_kernel() {
  throw exception(make_error_code(errc::feature_not_supported), "this function works in device code only");
}

#define SYCLRTC_DETAIL_QUERY(name, builtin)                                                                            \
  template <int Dimensions> std::size_t name(int) { return not_in_a_kernel(); }
#define SYCLRTC_DETAIL_SUB_GROUP_QUERY(name, builtin)                                                                  \
  inline std::uint32_t name() { return not_in_a_kernel(); }

#endif

SYCLRTC_DETAIL_QUERY(global_id, __spirv_BuiltInGlobalInvocationId)
SYCLRTC_DETAIL_QUERY(global_range, __spirv_BuiltInGlobalSize)
SYCLRTC_DETAIL_QUERY(global_offset, __spirv_BuiltInGlobalOffset)
SYCLRTC_DETAIL_QUERY(local_id, __spirv_BuiltInLocalInvocationId)
SYCLRTC_DETAIL_QUERY(local_range, __spirv_BuiltInWorkgroupSize)
SYCLRTC_DETAIL_QUERY(max_local_range, __spirv_BuiltInEnqueuedWorkgroupSize)
SYCLRTC_DETAIL_QUERY(group_id, __spirv_BuiltInWorkgroupId)
SYCLRTC_DETAIL_QUERY(group_range, __spirv_BuiltInNumWorkgroups)

SYCLRTC_DETAIL_SUB_GROUP_QUERY(sub_group_local_id, __spirv_BuiltInSubgroupLocalInvocationId)
SYCLRTC_DETAIL_SUB_GROUP_QUERY(sub_group_local_range, __spirv_BuiltInSubgroupSize)
SYCLRTC_DETAIL_SUB_GROUP_QUERY(sub_group_max_local_range, __spirv_BuiltInSubgroupMaxSize)
SYCLRTC_DETAIL_SUB_GROUP_QUERY(sub_group_id, __spirv_BuiltInSubgroupId)
SYCLRTC_DETAIL_SUB_GROUP_QUERY(sub_group_range, __spirv_BuiltInNumSubgroups)

#undef SYCLRTC_DETAIL_QUERY
#undef SYCLRTC_DETAIL_SUB_GROUP_QUERY

/// `id` or `range` with `component(d)` in dimension d. The loops unroll, so that a built-in is asked for a constant.
template <class Index, class Component> SYCLRTC_DETAIL_ALWAYS_INLINE inline Index gather(Component component) {
  Index r;
  for (int i = 0; i < Index::dimensions; ++i)
    r[i] = component(i);
  return r;
}

/// Position of a point in row-major order: `(i0 * r1 + i1) * r2 + i2` in three dimensions.
template <int Dimensions, class Point, class Extent>
SYCLRTC_DETAIL_ALWAYS_INLINE inline std::size_t linear(Point point, Extent extent) {
  std::size_t r = point(0);
  for (int i = 1; i < Dimensions; ++i)
    r = r * extent(i) + point(i);
  return r;
}

} // namespace detail::query
} // namespace _V1
} // namespace sycl
