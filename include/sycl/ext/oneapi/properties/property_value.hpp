// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sycl/ext/oneapi/properties/property.hpp>

#include <type_traits>

namespace sycl {
inline namespace _V1 {
namespace ext::oneapi::experimental {

template <class Key, class... Params> struct property_value;

namespace detail {

template <class T_, class = void> struct parameter_value {};
template <class T_> struct parameter_value<T_, std::void_t<decltype(T_::value)>> {
  static constexpr auto value = T_::value;
};

/// Members that a property value has for its parameters: with exactly one, the type and, if that has one, its value.
template <class... Params> struct value_members {};
template <class T_> struct value_members<T_> : parameter_value<T_> {
  using value_t = T_;
};

} // namespace detail

/// Value of a compile-time property: an empty type, all of it in `Params`.
template <class Key, class... Params> struct property_value : detail::value_members<Params...> {
  using key_t = Key;
};

template <class Key, class... A_, class... B_>
constexpr bool operator==(const property_value<Key, A_...> &, const property_value<Key, B_...> &) {
  return std::is_same_v<property_value<Key, A_...>, property_value<Key, B_...>>;
}
template <class Key, class... A_, class... B_>
constexpr bool operator!=(const property_value<Key, A_...> &a, const property_value<Key, B_...> &b) {
  return !(a == b);
}

namespace detail {

/// The key of a property value, of either sort; `void` for other types.
template <class T_, class = void> struct key_of {
  using type = void;
};
template <class Key, class... Params> struct key_of<property_value<Key, Params...>> {
  using type = Key;
};
template <class T_> struct key_of<T_, std::enable_if_t<std::is_base_of_v<run_time_property, T_>>> {
  using type = T_;
};

template <class T_> struct is_compile_time_value : std::false_type {};
template <class Key, class... Params> struct is_compile_time_value<property_value<Key, Params...>> : std::true_type {};

} // namespace detail

template <class T_, class Object = void>
struct is_property_value : std::bool_constant<!std::is_void_v<typename detail::key_of<std::remove_cv_t<T_>>::type>> {};
template <class T_, class Object = void>
inline constexpr bool is_property_value_v = is_property_value<T_, Object>::value;

} // namespace ext::oneapi::experimental
} // namespace _V1
} // namespace sycl
