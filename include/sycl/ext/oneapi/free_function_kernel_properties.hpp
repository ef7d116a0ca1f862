// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What a function needs to be a kernel, and no more: for sources that are to compile as fast as possible.

#include <sycl/ext/oneapi/properties/property_value.hpp>
#include <sycl/feature_test.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

/// Attaches one property value to the declaration of a function. It stands where an attribute of the declaration
/// stands. An expression with a comma needs parentheses of its own. Without a device compile it has no effect. The
/// annotation holds the text because a later declaration inherits no annotation of which it has an equal one.
#ifdef __SYCL_DEVICE_ONLY__
#define SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(property)                                                                    \
  [[clang::annotate("syclrtc.property " #property,                                                                     \
                    &::sycl::_V1::detail::property_tag<::sycl::_V1::detail::property_type<decltype((property))>>)]]
#else
#define SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(property)
#endif

namespace sycl {
inline namespace _V1 {
namespace detail {

template <class T_> using remove_cvref_t = std::remove_cv_t<std::remove_reference_t<T_>>;

/// The type of a property value, without reference. Asking for its size makes its own checks take place.
template <class T_, std::size_t = sizeof(T_)> using property_type = remove_cvref_t<T_>;

/// Carries a property value to the compiler, which reads the template argument where the macro above names it.
template <class PropertyValue> inline constexpr int property_tag = 0;

} // namespace detail

namespace ext::oneapi::experimental {

namespace detail {

/// One to three extents, in the order of `range`.
template <class Key, std::size_t... Dims> struct size_values {
  static_assert(sizeof...(Dims) >= 1 && sizeof...(Dims) <= 3, "a work-group has 1, 2 or 3 dimensions");
  static_assert(((Dims != 0) && ...), "a work-group has at least one work-item in each dimension");

  constexpr std::size_t operator[](int dimension) const {
    constexpr std::size_t extents[] = {Dims...};
    return extents[dimension];
  }
};

} // namespace detail

struct nd_range_kernel_key : detail::compile_time_property_key {
  template <int Dims> using value_t = property_value<nd_range_kernel_key, std::integral_constant<int, Dims>>;
};
template <int Dims>
struct property_value<nd_range_kernel_key, std::integral_constant<int, Dims>>
    : detail::value_members<std::integral_constant<int, Dims>> {
  static_assert(Dims >= 1 && Dims <= 3, "an nd-range has 1, 2 or 3 dimensions");
  using key_t = nd_range_kernel_key;
  static constexpr int dimensions = Dims;
};
template <int Dims> inline constexpr nd_range_kernel_key::value_t<Dims> nd_range_kernel{};

struct single_task_kernel_key : detail::compile_time_property_key {
  using value_t = property_value<single_task_kernel_key>;
};
inline constexpr single_task_kernel_key::value_t single_task_kernel{};

struct work_group_size_key : detail::compile_time_property_key {
  template <std::size_t... Dims>
  using value_t = property_value<work_group_size_key, std::integral_constant<std::size_t, Dims>...>;
};
template <std::size_t... Dims>
struct property_value<work_group_size_key, std::integral_constant<std::size_t, Dims>...>
    : detail::size_values<work_group_size_key, Dims...> {
  using key_t = work_group_size_key;
};
template <std::size_t Dim0, std::size_t... Dims>
inline constexpr work_group_size_key::value_t<Dim0, Dims...> work_group_size{};

struct work_group_size_hint_key : detail::compile_time_property_key {
  template <std::size_t... Dims>
  using value_t = property_value<work_group_size_hint_key, std::integral_constant<std::size_t, Dims>...>;
};
template <std::size_t... Dims>
struct property_value<work_group_size_hint_key, std::integral_constant<std::size_t, Dims>...>
    : detail::size_values<work_group_size_hint_key, Dims...> {
  using key_t = work_group_size_hint_key;
};
template <std::size_t Dim0, std::size_t... Dims>
inline constexpr work_group_size_hint_key::value_t<Dim0, Dims...> work_group_size_hint{};

struct max_work_group_size_key : detail::compile_time_property_key {
  template <std::size_t... Dims>
  using value_t = property_value<max_work_group_size_key, std::integral_constant<std::size_t, Dims>...>;
};
template <std::size_t... Dims>
struct property_value<max_work_group_size_key, std::integral_constant<std::size_t, Dims>...>
    : detail::size_values<max_work_group_size_key, Dims...> {
  using key_t = max_work_group_size_key;
};
template <std::size_t Dim0, std::size_t... Dims>
inline constexpr max_work_group_size_key::value_t<Dim0, Dims...> max_work_group_size{};

struct max_linear_work_group_size_key : detail::compile_time_property_key {
  template <std::size_t Size>
  using value_t = property_value<max_linear_work_group_size_key, std::integral_constant<std::size_t, Size>>;
};
template <std::size_t Size>
struct property_value<max_linear_work_group_size_key, std::integral_constant<std::size_t, Size>>
    : detail::value_members<std::integral_constant<std::size_t, Size>> {
  static_assert(Size != 0, "a work-group has at least one work-item");
  using key_t = max_linear_work_group_size_key;
};
template <std::size_t Size> inline constexpr max_linear_work_group_size_key::value_t<Size> max_linear_work_group_size{};

struct sub_group_size_key : detail::compile_time_property_key {
  template <std::uint32_t Size>
  using value_t = property_value<sub_group_size_key, std::integral_constant<std::uint32_t, Size>>;
};
template <std::uint32_t Size>
struct property_value<sub_group_size_key, std::integral_constant<std::uint32_t, Size>>
    : detail::value_members<std::integral_constant<std::uint32_t, Size>> {
  static_assert(Size != 0, "a sub-group has at least one work-item");
  using key_t = sub_group_size_key;
};
template <std::uint32_t Size> inline constexpr sub_group_size_key::value_t<Size> sub_group_size{};

} // namespace ext::oneapi::experimental
} // namespace _V1
} // namespace sycl
