// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sycl/feature_test.hpp>

// sycl_ext_oneapi_work_group_static

#ifdef __SYCL_DEVICE_ONLY__

#include <sycl/detail/defines.hpp>

#include <type_traits>

namespace sycl {
inline namespace _V1 {
namespace ext::oneapi::experimental {

/// A variable of which each work-group has one. The compiler knows this class by its name, puts variables of it into local
/// memory, and counts on an object being the stored value and nothing else.
template <class T_> class work_group_static {
public:
  work_group_static() = default;
  work_group_static(const work_group_static &) = delete;
  work_group_static &operator=(const work_group_static &) = delete;

  SYCLRTC_DETAIL_ALWAYS_INLINE operator T_ &() const noexcept { return value_; }
  template <class Stored = T_, std::enable_if_t<!std::is_array_v<Stored>, int> = 0>
  SYCLRTC_DETAIL_ALWAYS_INLINE const work_group_static &operator=(const Stored &value) const noexcept {
    value_ = value;
    return *this;
  }
  SYCLRTC_DETAIL_ALWAYS_INLINE T_ *operator&() const noexcept { return __builtin_addressof(value_); }

private:
  mutable T_ value_;
};

} // namespace ext::oneapi::experimental
} // namespace _V1
} // namespace sycl
#endif
