// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sycl/ext/oneapi/properties/properties.hpp>

#include <cstdint>
#include <type_traits>

namespace sycl {
inline namespace _V1 {
namespace ext::oneapi::experimental {

/// Of a variable that the host cannot reach, and of which each device image has its own.
struct device_image_scope_key : detail::compile_time_property_key {
  using value_t = property_value<device_image_scope_key>;
};
inline constexpr device_image_scope_key::value_t device_image_scope{};

/// What the host does with a variable: a promise.
enum class host_access_enum : std::uint16_t { read, write, read_write, none };

struct host_access_key : detail::compile_time_property_key {
  template <host_access_enum Access>
  using value_t = property_value<host_access_key, std::integral_constant<host_access_enum, Access>>;
};
template <host_access_enum Access> inline constexpr host_access_key::value_t<Access> host_access{};
inline constexpr host_access_key::value_t<host_access_enum::read> host_access_read{};
inline constexpr host_access_key::value_t<host_access_enum::write> host_access_write{};
inline constexpr host_access_key::value_t<host_access_enum::read_write> host_access_read_write{};
inline constexpr host_access_key::value_t<host_access_enum::none> host_access_none{};

// Both of these have no effect on the devices that there are.

enum class init_mode_enum : std::uint16_t { reprogram, reset };

struct init_mode_key : detail::compile_time_property_key {
  template <init_mode_enum Trigger>
  using value_t = property_value<init_mode_key, std::integral_constant<init_mode_enum, Trigger>>;
};
template <init_mode_enum Trigger> inline constexpr init_mode_key::value_t<Trigger> init_mode{};
inline constexpr init_mode_key::value_t<init_mode_enum::reprogram> init_mode_reprogram{};
inline constexpr init_mode_key::value_t<init_mode_enum::reset> init_mode_reset{};

struct implement_in_csr_key : detail::compile_time_property_key {
  template <bool Enable> using value_t = property_value<implement_in_csr_key, std::bool_constant<Enable>>;
};
template <bool Enable> inline constexpr implement_in_csr_key::value_t<Enable> implement_in_csr{};
inline constexpr implement_in_csr_key::value_t<true> implement_in_csr_on{};
inline constexpr implement_in_csr_key::value_t<false> implement_in_csr_off{};

} // namespace ext::oneapi::experimental
} // namespace _V1
} // namespace sycl
