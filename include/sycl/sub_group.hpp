// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sycl/detail/query.hpp>
#include <sycl/id.hpp>
#include <sycl/item.hpp>
#include <sycl/memory_enums.hpp>
#include <sycl/range.hpp>

#include <cstdint>

namespace sycl {
inline namespace _V1 {

/// The sub-group of the running work-item (SYCL 2020, 4.9.1.8). Its members have consecutive linear ids in the
/// work-group.
class sub_group {
public:
  using id_type = id<1>;
  using range_type = range<1>;
  using linear_id_type = std::uint32_t;
  static constexpr int dimensions = 1;
  static constexpr memory_scope fence_scope = memory_scope::sub_group;

  SYCLRTC_DETAIL_ALWAYS_INLINE id_type get_group_id() const { return detail::query::sub_group_id(); }
  SYCLRTC_DETAIL_ALWAYS_INLINE linear_id_type get_group_linear_id() const { return detail::query::sub_group_id(); }
  SYCLRTC_DETAIL_ALWAYS_INLINE range_type get_group_range() const { return detail::query::sub_group_range(); }
  SYCLRTC_DETAIL_ALWAYS_INLINE linear_id_type get_group_linear_range() const {
    return detail::query::sub_group_range();
  }

  SYCLRTC_DETAIL_ALWAYS_INLINE id_type get_local_id() const { return detail::query::sub_group_local_id(); }
  SYCLRTC_DETAIL_ALWAYS_INLINE linear_id_type get_local_linear_id() const {
    return detail::query::sub_group_local_id();
  }
  SYCLRTC_DETAIL_ALWAYS_INLINE range_type get_local_range() const { return detail::query::sub_group_local_range(); }
  SYCLRTC_DETAIL_ALWAYS_INLINE linear_id_type get_local_linear_range() const {
    return detail::query::sub_group_local_range();
  }
  SYCLRTC_DETAIL_ALWAYS_INLINE range_type get_max_local_range() const {
    return detail::query::sub_group_max_local_range();
  }

  SYCLRTC_DETAIL_ALWAYS_INLINE bool leader() const { return get_local_linear_id() == 0; }

  friend bool operator==(const sub_group &, const sub_group &) { return true; }
  friend bool operator!=(const sub_group &, const sub_group &) { return false; }

private:
  friend struct detail::index_maker;
  sub_group() = default;
};

} // namespace _V1
} // namespace sycl
