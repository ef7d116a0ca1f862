// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <type_traits>

namespace sycl {
inline namespace _V1 {
namespace ext::oneapi::experimental {

namespace detail {

/// Base of the key of a compile-time property, whose values are `property_value<Key, ...>`.
struct compile_time_property_key {};

/// Base of a run-time property: a class that is its own key and whose objects are its values. Copies are no mere bytes, so
/// that the object cannot be a kernel argument.
struct run_time_property {
  constexpr run_time_property() noexcept = default;
  constexpr run_time_property(const run_time_property &) noexcept {}
  constexpr run_time_property &operator=(const run_time_property &) noexcept { return *this; }
};

} // namespace detail

/// True for a type that names a property. Specialise it for a key that cannot derive from a base above.
template <class T_, class = void> struct is_property_key : std::false_type {};
template <class T_>
struct is_property_key<T_, std::enable_if_t<std::is_class_v<T_> && !std::is_union_v<T_>>>
    : std::bool_constant<std::is_base_of_v<detail::compile_time_property_key, T_> ||
                         std::is_base_of_v<detail::run_time_property, T_>> {};
template <class T_> inline constexpr bool is_property_key_v = is_property_key<T_>::value;

} // namespace ext::oneapi::experimental
} // namespace _V1
} // namespace sycl
