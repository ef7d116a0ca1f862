// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sycl/feature_test.hpp>
#include <sycl/group_barrier.hpp>
#include <sycl/multi_ptr.hpp>

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

// sycl_ext_oneapi_local_memory: local memory that belongs to a place in the source.

#ifdef __SYCL_DEVICE_ONLY__
/// Answered by the compiler: another block for each call that is left when the headers' functions are inlined.
extern "C" SYCLRTC_DETAIL_BUILTIN __attribute__((opencl_local)) void *__syclrtc_allocate_local_memory(std::size_t bytes,
                                                                                                    std::size_t alignment);
#endif

namespace sycl {
inline namespace _V1 {
namespace ext::oneapi {

/// Memory for a `T_` of each work-group, without a value. Each place that calls this has memory of its own.
template <class T_, class Group>
SYCLRTC_DETAIL_ALWAYS_INLINE inline std::enable_if_t<
    is_group_v<Group>, multi_ptr<T_, access::address_space::local_space, access::decorated::legacy>>
group_local_memory_for_overwrite(Group) {
  static_assert(std::is_trivially_destructible_v<T_> && std::is_trivially_default_constructible_v<std::remove_all_extents_t<T_>>,
                "local memory that gets no value is for types without a constructor or destructor");
#ifdef __SYCL_DEVICE_ONLY__
  using result = multi_ptr<T_, access::address_space::local_space, access::decorated::legacy>;
  return result((__attribute__((opencl_local)) T_ *)__syclrtc_allocate_local_memory(sizeof(T_), alignof(T_)));
#else
  detail::query::not_in_a_kernel();
#endif
}

/// The same, for an object that one member makes of the arguments before all go on.
template <class T_, class Group, class... Args>
SYCLRTC_DETAIL_ALWAYS_INLINE inline std::enable_if_t<
    is_group_v<Group>, multi_ptr<T_, access::address_space::local_space, access::decorated::legacy>>
group_local_memory([[maybe_unused]] Group members, [[maybe_unused]] Args &&...args) {
  static_assert(std::is_trivially_destructible_v<T_>, "nobody destroys what is in local memory");
#ifdef __SYCL_DEVICE_ONLY__
  using result = multi_ptr<T_, access::address_space::local_space, access::decorated::legacy>;
  const result memory((__attribute__((opencl_local)) T_ *)__syclrtc_allocate_local_memory(sizeof(T_), alignof(T_)));
  if (members.leader())
    ::new (static_cast<void *>(memory.get_raw())) T_{std::forward<Args>(args)...};
  group_barrier(members);
  return memory;
#else
  detail::query::not_in_a_kernel();
#endif
}

} // namespace ext::oneapi
} // namespace _V1
} // namespace sycl
