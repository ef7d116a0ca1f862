// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sycl/aspects.hpp>
#include <sycl/ext/oneapi/experimental/range_type.hpp>
#include <sycl/ext/oneapi/free_function_kernel_properties.hpp>
#include <sycl/ext/oneapi/properties/properties.hpp>

#include <array>

namespace sycl {
inline namespace _V1 {
namespace ext::oneapi::experimental {

struct device_has_key : detail::compile_time_property_key {
  template <aspect... Aspects>
  using value_t = property_value<device_has_key, std::integral_constant<aspect, Aspects>...>;
};
template <aspect... Aspects> struct property_value<device_has_key, std::integral_constant<aspect, Aspects>...> {
  using key_t = device_has_key;
  static constexpr std::array<aspect, sizeof...(Aspects)> value{Aspects...};
};
template <aspect... Aspects> inline constexpr device_has_key::value_t<Aspects...> device_has{};

/// True for the properties that are fixed when a kernel is compiled, so that none of them can be given at its launch.
template <class PropertyValue> struct has_compile_time_kernel_effect : std::false_type {};
template <class PropertyValue>
struct has_compile_time_kernel_effect<const PropertyValue> : has_compile_time_kernel_effect<PropertyValue> {};
template <class... Params>
struct has_compile_time_kernel_effect<property_value<work_group_size_key, Params...>> : std::true_type {};
template <class... Params>
struct has_compile_time_kernel_effect<property_value<work_group_size_hint_key, Params...>> : std::true_type {};
template <class... Params>
struct has_compile_time_kernel_effect<property_value<sub_group_size_key, Params...>> : std::true_type {};
template <class... Params>
struct has_compile_time_kernel_effect<property_value<device_has_key, Params...>> : std::true_type {};
template <class... Params>
struct has_compile_time_kernel_effect<property_value<max_work_group_size_key, Params...>> : std::true_type {};
template <class... Params>
struct has_compile_time_kernel_effect<property_value<max_linear_work_group_size_key, Params...>> : std::true_type {};
template <class... Params>
struct has_compile_time_kernel_effect<property_value<range_type_key, Params...>> : std::true_type {};
template <class PropertyValue>
inline constexpr bool has_compile_time_kernel_effect_v = has_compile_time_kernel_effect<PropertyValue>::value;

#ifndef __SYCL_DEVICE_ONLY__
// A kernel compiled at run time has no function in the host program, so on the host no function is a kernel.
template <auto *Func, int Dims> struct is_nd_range_kernel : std::false_type {};
template <auto *Func, int Dims> inline constexpr bool is_nd_range_kernel_v = is_nd_range_kernel<Func, Dims>::value;

template <auto *Func> struct is_single_task_kernel : std::false_type {};
template <auto *Func> inline constexpr bool is_single_task_kernel_v = is_single_task_kernel<Func>::value;

template <auto *Func> struct is_kernel : std::false_type {};
template <auto *Func> inline constexpr bool is_kernel_v = is_kernel<Func>::value;

template <auto *Func> struct kernel_function_s {};
template <auto *Func> inline constexpr kernel_function_s<Func> kernel_function{};
#endif

} // namespace ext::oneapi::experimental
} // namespace _V1
} // namespace sycl
