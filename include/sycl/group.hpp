// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sycl/detail/query.hpp>
#include <sycl/device_event.hpp>
#include <sycl/id.hpp>
#include <sycl/item.hpp>
#include <sycl/memory_enums.hpp>
#include <sycl/range.hpp>

#include <cstddef>
#include <type_traits>

namespace sycl {
inline namespace _V1 {

/// The work-group of the running work-item (SYCL 2020, 4.9.1.7). Holds nothing: each query asks the device.
template <int Dimensions = 1> class group {
  static_assert(Dimensions >= 1 && Dimensions <= 3, "SYCL has index spaces of 1, 2 or 3 dimensions");

public:
  using id_type = id<Dimensions>;
  using range_type = range<Dimensions>;
  using linear_id_type = std::size_t;
  static constexpr int dimensions = Dimensions;
  static constexpr memory_scope fence_scope = memory_scope::work_group;

  SYCLRTC_DETAIL_ALWAYS_INLINE id_type get_group_id() const {
    return detail::query::gather<id_type>([](int d) { return detail::query::group_id<Dimensions>(d); });
  }
  SYCLRTC_DETAIL_ALWAYS_INLINE std::size_t get_group_id(int dimension) const {
    return detail::query::group_id<Dimensions>(dimension);
  }
  SYCLRTC_DETAIL_ALWAYS_INLINE std::size_t operator[](int dimension) const { return get_group_id(dimension); }
  SYCLRTC_DETAIL_ALWAYS_INLINE linear_id_type get_group_linear_id() const {
    return detail::query::linear<Dimensions>([](int d) { return detail::query::group_id<Dimensions>(d); },
                                             [](int d) { return detail::query::group_range<Dimensions>(d); });
  }
  [[deprecated("use get_group_linear_id()")]] SYCLRTC_DETAIL_ALWAYS_INLINE linear_id_type get_linear_id() const {
    return get_group_linear_id();
  }
  [[deprecated("use get_group_id()")]] SYCLRTC_DETAIL_ALWAYS_INLINE id_type get_id() const { return get_group_id(); }
  [[deprecated("use get_group_id()")]] SYCLRTC_DETAIL_ALWAYS_INLINE std::size_t get_id(int dimension) const {
    return get_group_id(dimension);
  }

  SYCLRTC_DETAIL_ALWAYS_INLINE range_type get_group_range() const {
    return detail::query::gather<range_type>([](int d) { return detail::query::group_range<Dimensions>(d); });
  }
  SYCLRTC_DETAIL_ALWAYS_INLINE std::size_t get_group_range(int dimension) const {
    return detail::query::group_range<Dimensions>(dimension);
  }
  SYCLRTC_DETAIL_ALWAYS_INLINE linear_id_type get_group_linear_range() const { return get_group_range().size(); }

  SYCLRTC_DETAIL_ALWAYS_INLINE id_type get_local_id() const {
    return detail::query::gather<id_type>([](int d) { return detail::query::local_id<Dimensions>(d); });
  }
  SYCLRTC_DETAIL_ALWAYS_INLINE std::size_t get_local_id(int dimension) const {
    return detail::query::local_id<Dimensions>(dimension);
  }
  SYCLRTC_DETAIL_ALWAYS_INLINE linear_id_type get_local_linear_id() const {
    return detail::query::linear<Dimensions>([](int d) { return detail::query::local_id<Dimensions>(d); },
                                             [](int d) { return detail::query::local_range<Dimensions>(d); });
  }

  SYCLRTC_DETAIL_ALWAYS_INLINE range_type get_local_range() const {
    return detail::query::gather<range_type>([](int d) { return detail::query::local_range<Dimensions>(d); });
  }
  SYCLRTC_DETAIL_ALWAYS_INLINE std::size_t get_local_range(int dimension) const {
    return detail::query::local_range<Dimensions>(dimension);
  }
  SYCLRTC_DETAIL_ALWAYS_INLINE linear_id_type get_local_linear_range() const { return get_local_range().size(); }

  SYCLRTC_DETAIL_ALWAYS_INLINE range_type get_max_local_range() const {
    return detail::query::gather<range_type>([](int d) { return detail::query::max_local_range<Dimensions>(d); });
  }

  SYCLRTC_DETAIL_ALWAYS_INLINE bool leader() const { return get_local_linear_id() == 0; }

  /// Copies `count` elements; all members take part. The stride is that of the global side.
  template <class T_, access::address_space To, access::decorated ToDecorated, class Const, access::address_space From,
            access::decorated FromDecorated,
            std::enable_if_t<detail::is_group_copy<To, From> && std::is_same_v<std::remove_const_t<Const>, T_>, int> = 0>
  SYCLRTC_DETAIL_ALWAYS_INLINE device_event async_work_group_copy(multi_ptr<T_, To, ToDecorated> to,
                                                                  multi_ptr<Const, From, FromDecorated> from,
                                                                  std::size_t count, std::size_t stride = 1) const {
    constexpr bool to_global = To == access::address_space::global_space;
    detail::group_copy(to.get_decorated(), to_global ? stride : 1, from.get_decorated(), to_global ? 1 : stride, count,
                       get_local_linear_id(), get_local_linear_range());
    return device_event();
  }
  template <class... Events> SYCLRTC_DETAIL_ALWAYS_INLINE void wait_for(Events... events) const {
    static_assert((std::is_same_v<Events, device_event> && ...), "a group waits for events of its copies");
    (events.wait(), ...);
  }

  friend bool operator==(const group &, const group &) { return true; }
  friend bool operator!=(const group &, const group &) { return false; }

private:
  friend struct detail::index_maker;
  group() = default;
};

} // namespace _V1
} // namespace sycl
