// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sycl/detail/query.hpp>
#include <sycl/id.hpp>
#include <sycl/range.hpp>

namespace sycl {
inline namespace _V1 {

template <int Dimensions = 1, bool WithOffset = true> class item;

namespace detail {

/// Makes the index objects of the running work-item; there is no other way to get one in a kernel that is a function.
struct index_maker {
  template <class Index> SYCLRTC_DETAIL_ALWAYS_INLINE static Index make() { return Index(); }
};

/// Gives `item<1>` its conversion to `size_t`; empty for more dimensions.
template <class Self, int Dimensions> class item_to_scalar {};
template <class Self> class item_to_scalar<Self, 1> {
public:
  SYCLRTC_DETAIL_ALWAYS_INLINE operator std::size_t() const { return static_cast<const Self &>(*this).get_id(0); }
};

} // namespace detail

/// The running work-item (SYCL 2020, 4.9.1.4). Holds nothing: each query asks the device.
template <int Dimensions, bool WithOffset>
class item : public detail::item_to_scalar<item<Dimensions, WithOffset>, Dimensions> {
  static_assert(Dimensions >= 1 && Dimensions <= 3, "SYCL has index spaces of 1, 2 or 3 dimensions");

public:
  static constexpr int dimensions = Dimensions;

  SYCLRTC_DETAIL_ALWAYS_INLINE id<Dimensions> get_id() const {
    return detail::query::gather<id<Dimensions>>([](int d) { return id_component(d); });
  }
  SYCLRTC_DETAIL_ALWAYS_INLINE std::size_t get_id(int dimension) const { return id_component(dimension); }
  SYCLRTC_DETAIL_ALWAYS_INLINE std::size_t operator[](int dimension) const { return id_component(dimension); }

  SYCLRTC_DETAIL_ALWAYS_INLINE range<Dimensions> get_range() const {
    return detail::query::gather<range<Dimensions>>([](int d) { return detail::query::global_range<Dimensions>(d); });
  }
  SYCLRTC_DETAIL_ALWAYS_INLINE std::size_t get_range(int dimension) const {
    return detail::query::global_range<Dimensions>(dimension);
  }

  template <bool Offset = WithOffset, std::enable_if_t<Offset, int> = 0>
  [[deprecated("offsets are deprecated in SYCL 2020")]] SYCLRTC_DETAIL_ALWAYS_INLINE id<Dimensions> get_offset() const {
    return detail::query::gather<id<Dimensions>>([](int d) { return detail::query::global_offset<Dimensions>(d); });
  }

  SYCLRTC_DETAIL_ALWAYS_INLINE std::size_t get_linear_id() const {
    return detail::query::linear<Dimensions>([](int d) { return id_component(d); },
                                             [](int d) { return detail::query::global_range<Dimensions>(d); });
  }

  friend bool operator==(const item &, const item &) { return true; }
  friend bool operator!=(const item &, const item &) { return false; }

private:
  friend struct detail::index_maker;
  item() = default;

  SYCLRTC_DETAIL_ALWAYS_INLINE static std::size_t id_component(int dimension) {
    const std::size_t with_offset = detail::query::global_id<Dimensions>(dimension);
    if constexpr (WithOffset)
      return with_offset;
    else
      return with_offset - detail::query::global_offset<Dimensions>(dimension);
  }
};

} // namespace _V1
} // namespace sycl
