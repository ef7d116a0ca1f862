// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sycl/detail/query.hpp>
#include <sycl/multi_ptr.hpp>

#include <cstddef>
#include <type_traits>

namespace sycl {
inline namespace _V1 {

template <int Dimensions> class group;

/// Completion of an asynchronous copy of a work-group (SYCL 2020, 4.9.1.8).
class device_event {
public:
  /// All members of the group wait; the copy is complete afterwards.
  SYCLRTC_DETAIL_ALWAYS_INLINE void wait() noexcept {
#ifdef __SYCL_DEVICE_ONLY__
    namespace spirv = detail::spirv;
    __spirv_ControlBarrier(spirv::work_group, spirv::work_group, spirv::sequentially_consistent | spirv::all_memory);
#endif
  }

private:
  template <int> friend class group;
  device_event() = default;
};

namespace detail {

/// Copies between global and local memory, from one to the other.
template <access::address_space To, access::address_space From>
inline constexpr bool is_group_copy =
    (To == access::address_space::local_space && From == access::address_space::global_space) ||
    (To == access::address_space::global_space && From == access::address_space::local_space);

/// Each member copies its share, so that nothing is left to do in the background.
template <class To, class From>
SYCLRTC_DETAIL_ALWAYS_INLINE inline void group_copy(To to, std::size_t to_stride, From from, std::size_t from_stride,
                                                    std::size_t count, std::size_t member, std::size_t members) {
  for (std::size_t i = member; i < count; i += members)
    to[i * to_stride] = from[i * from_stride];
}

} // namespace detail
} // namespace _V1
} // namespace sycl
