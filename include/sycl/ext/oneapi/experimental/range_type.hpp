// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sycl/ext/oneapi/properties/property_value.hpp>
#include <sycl/feature_test.hpp>

#include <type_traits>

namespace sycl {
inline namespace _V1 {
namespace ext::oneapi::experimental {

/// Promise that no launch has more work-items than the largest value of `T`.
struct range_type_key : detail::compile_time_property_key {
  template <class T_> using value_t = property_value<range_type_key, T_>;
};
template <class T_> struct property_value<range_type_key, T_> {
  static_assert(std::is_integral_v<T_> && !std::is_same_v<std::remove_cv_t<T_>, bool>,
                "range_type takes an integral type other than bool");
  static_assert(std::is_same_v<T_, std::remove_cv_t<T_>>, "range_type takes a type without const or volatile");
  using key_t = range_type_key;
  using value_t = T_;
};
template <class T_> inline constexpr range_type_key::value_t<T_> range_type{};

} // namespace ext::oneapi::experimental
} // namespace _V1
} // namespace sycl
