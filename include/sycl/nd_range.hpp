// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sycl/id.hpp>
#include <sycl/range.hpp>

namespace sycl {
inline namespace _V1 {

/// Global and work-group extent of a launch (SYCL 2020, 4.9.1.2).
template <int Dimensions = 1> class nd_range {
public:
  static constexpr int dimensions = Dimensions;

  constexpr nd_range(range<Dimensions> global, range<Dimensions> local) : global_(global), local_(local) {}

  [[deprecated("offsets are deprecated in SYCL 2020")]] constexpr nd_range(range<Dimensions> global,
                                                                           range<Dimensions> local,
                                                                           id<Dimensions> offset)
      : global_(global), local_(local), offset_(offset) {}

  constexpr range<Dimensions> get_global_range() const { return global_; }
  constexpr range<Dimensions> get_local_range() const { return local_; }
  constexpr range<Dimensions> get_group_range() const { return global_ / local_; }

  [[deprecated("offsets are deprecated in SYCL 2020")]] constexpr id<Dimensions> get_offset() const { return offset_; }

  friend constexpr bool operator==(const nd_range &a, const nd_range &b) {
    return a.global_ == b.global_ && a.local_ == b.local_ && a.offset_ == b.offset_;
  }
  friend constexpr bool operator!=(const nd_range &a, const nd_range &b) { return !(a == b); }

private:
  range<Dimensions> global_;
  range<Dimensions> local_;
  id<Dimensions> offset_;
};

} // namespace _V1
} // namespace sycl
