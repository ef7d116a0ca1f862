// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sycl/atomic_fence.hpp>
#include <sycl/group.hpp>
#include <sycl/sub_group.hpp>

#include <type_traits>

namespace sycl {
inline namespace _V1 {

/// True for the groups that group functions take.
template <class T_> struct is_group : std::false_type {};
template <int Dimensions> struct is_group<group<Dimensions>> : std::true_type {};
template <> struct is_group<sub_group> : std::true_type {};
template <class T_> inline constexpr bool is_group_v = is_group<T_>::value;

#ifdef __SYCL_DEVICE_ONLY__
namespace detail::spirv {

/// The scope that spans the members of a group.
template <class Group>
inline constexpr int execution_scope =
    std::is_same_v<std::remove_cv_t<Group>, sycl::sub_group> ? sub_group : work_group;

} // namespace detail::spirv
#endif

/// Waits for all members of the group; writes of each before are seen by all after, up to `fence_scope`.
template <class Group, std::enable_if_t<is_group_v<Group>, int> = 0>
SYCLRTC_DETAIL_ALWAYS_INLINE inline void group_barrier(Group, memory_scope fence_scope = Group::fence_scope) {
#ifdef __SYCL_DEVICE_ONLY__
  namespace spirv = detail::spirv;
  // Sequentially consistent, as OpenCL C's own barrier is: drivers know that form best.
  __spirv_ControlBarrier(spirv::execution_scope<Group>, spirv::to_scope(fence_scope),
                         spirv::sequentially_consistent | spirv::all_memory);
#else
  (void)fence_scope;
  detail::query::not_in_a_kernel();
#endif
}

} // namespace _V1
} // namespace sycl
