// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sycl/access/address_space.hpp>
#include <sycl/detail/query.hpp>
#include <sycl/group.hpp>
#include <sycl/group_barrier.hpp>
#include <sycl/id.hpp>
#include <sycl/item.hpp>
#include <sycl/nd_range.hpp>
#include <sycl/range.hpp>
#include <sycl/sub_group.hpp>

#include <cstddef>
#include <utility>

namespace sycl {
inline namespace _V1 {

/// The running work-item of an nd-range (SYCL 2020, 4.9.1.5). Holds nothing: each query asks the device.
template <int Dimensions = 1> class nd_item {
  static_assert(Dimensions >= 1 && Dimensions <= 3, "SYCL has index spaces of 1, 2 or 3 dimensions");

public:
  static constexpr int dimensions = Dimensions;

  SYCLRTC_DETAIL_ALWAYS_INLINE id<Dimensions> get_global_id() const {
    return detail::query::gather<id<Dimensions>>([](int d) { return detail::query::global_id<Dimensions>(d); });
  }
  SYCLRTC_DETAIL_ALWAYS_INLINE std::size_t get_global_id(int dimension) const {
    return detail::query::global_id<Dimensions>(dimension);
  }
  SYCLRTC_DETAIL_ALWAYS_INLINE std::size_t get_global_linear_id() const {
    return detail::query::linear<Dimensions>([](int d) { return detail::query::global_id<Dimensions>(d); },
                                             [](int d) { return detail::query::global_range<Dimensions>(d); });
  }

  SYCLRTC_DETAIL_ALWAYS_INLINE id<Dimensions> get_local_id() const { return get_group().get_local_id(); }
  SYCLRTC_DETAIL_ALWAYS_INLINE std::size_t get_local_id(int dimension) const {
    return detail::query::local_id<Dimensions>(dimension);
  }
  SYCLRTC_DETAIL_ALWAYS_INLINE std::size_t get_local_linear_id() const { return get_group().get_local_linear_id(); }

  SYCLRTC_DETAIL_ALWAYS_INLINE group<Dimensions> get_group() const {
    return detail::index_maker::make<group<Dimensions>>();
  }
  SYCLRTC_DETAIL_ALWAYS_INLINE std::size_t get_group(int dimension) const {
    return detail::query::group_id<Dimensions>(dimension);
  }
  SYCLRTC_DETAIL_ALWAYS_INLINE std::size_t get_group_linear_id() const { return get_group().get_group_linear_id(); }
  SYCLRTC_DETAIL_ALWAYS_INLINE range<Dimensions> get_group_range() const { return get_group().get_group_range(); }
  SYCLRTC_DETAIL_ALWAYS_INLINE std::size_t get_group_range(int dimension) const {
    return detail::query::group_range<Dimensions>(dimension);
  }

  SYCLRTC_DETAIL_ALWAYS_INLINE range<Dimensions> get_global_range() const {
    return detail::query::gather<range<Dimensions>>([](int d) { return detail::query::global_range<Dimensions>(d); });
  }
  SYCLRTC_DETAIL_ALWAYS_INLINE std::size_t get_global_range(int dimension) const {
    return detail::query::global_range<Dimensions>(dimension);
  }
  SYCLRTC_DETAIL_ALWAYS_INLINE range<Dimensions> get_local_range() const { return get_group().get_local_range(); }
  SYCLRTC_DETAIL_ALWAYS_INLINE std::size_t get_local_range(int dimension) const {
    return detail::query::local_range<Dimensions>(dimension);
  }

  SYCLRTC_DETAIL_ALWAYS_INLINE nd_range<Dimensions> get_nd_range() const {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    return {get_global_range(), get_local_range(), offset()};
#pragma GCC diagnostic pop
  }

  SYCLRTC_DETAIL_ALWAYS_INLINE sub_group get_sub_group() const { return detail::index_maker::make<sub_group>(); }

  [[deprecated("offsets are deprecated in SYCL 2020")]] SYCLRTC_DETAIL_ALWAYS_INLINE id<Dimensions> get_offset() const {
    return offset();
  }

  /// As the functions of the group.
  template <class To, class From>
  SYCLRTC_DETAIL_ALWAYS_INLINE auto async_work_group_copy(To to, From from, std::size_t count, std::size_t stride = 1) const
      -> decltype(std::declval<const group<Dimensions> &>().async_work_group_copy(to, from, count, stride)) {
    return get_group().async_work_group_copy(to, from, count, stride);
  }
  template <class... Events> SYCLRTC_DETAIL_ALWAYS_INLINE void wait_for(Events... events) const {
    get_group().wait_for(events...);
  }

  [[deprecated("use sycl::group_barrier()")]] SYCLRTC_DETAIL_ALWAYS_INLINE void
  barrier(access::fence_space space = access::fence_space::global_and_local) const {
#ifdef __SYCL_DEVICE_ONLY__
    namespace spirv = detail::spirv;
    __spirv_ControlBarrier(spirv::work_group, spirv::work_group, spirv::sequentially_consistent | memory_of(space));
#else
    (void)space;
    detail::query::not_in_a_kernel();
#endif
  }

  [[deprecated("use sycl::atomic_fence()")]] SYCLRTC_DETAIL_ALWAYS_INLINE void
  mem_fence(access::fence_space space = access::fence_space::global_and_local) const {
#ifdef __SYCL_DEVICE_ONLY__
    namespace spirv = detail::spirv;
    __spirv_MemoryBarrier(spirv::work_group, spirv::acquire_release | memory_of(space));
#else
    (void)space;
    detail::query::not_in_a_kernel();
#endif
  }

  friend bool operator==(const nd_item &, const nd_item &) { return true; }
  friend bool operator!=(const nd_item &, const nd_item &) { return false; }

private:
  friend struct detail::index_maker;
  nd_item() = default;

  SYCLRTC_DETAIL_ALWAYS_INLINE static id<Dimensions> offset() {
    return detail::query::gather<id<Dimensions>>([](int d) { return detail::query::global_offset<Dimensions>(d); });
  }

#ifdef __SYCL_DEVICE_ONLY__
  SYCLRTC_DETAIL_ALWAYS_INLINE static constexpr int memory_of(access::fence_space space) {
    switch (space) {
    case access::fence_space::local_space:
      return detail::spirv::work_group_memory;
    case access::fence_space::global_space:
      return detail::spirv::cross_work_group_memory;
    case access::fence_space::global_and_local:
      break;
    }
    return detail::spirv::work_group_memory | detail::spirv::cross_work_group_memory;
  }
#endif
};

} // namespace _V1
} // namespace sycl
