// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

namespace sycl {
inline namespace _V1 {

/// True for types whose objects may be copied to a device byte by byte (SYCL 2020, 3.13.1). May be specialised.
template <class T> struct is_device_copyable : std::is_trivially_copyable<T> {};
template <class T> struct is_device_copyable<const T> : is_device_copyable<T> {};
template <class T> struct is_device_copyable<volatile T> : is_device_copyable<T> {};
template <class T> struct is_device_copyable<const volatile T> : is_device_copyable<T> {};

// The library's pair and tuple are never trivially copyable, and so what holds one is not either.
template <class A, class B>
struct is_device_copyable<std::pair<A, B>>
    : std::bool_constant<is_device_copyable<A>::value && is_device_copyable<B>::value> {};
template <class... T>
struct is_device_copyable<std::tuple<T...>> : std::bool_constant<(is_device_copyable<T>::value && ...)> {};
template <class... T>
struct is_device_copyable<std::variant<T...>> : std::bool_constant<(is_device_copyable<T>::value && ...)> {};
template <class T> struct is_device_copyable<std::optional<T>> : is_device_copyable<T> {};
template <class T, std::size_t N> struct is_device_copyable<std::array<T, N>> : is_device_copyable<T> {};

template <class T> inline constexpr bool is_device_copyable_v = is_device_copyable<T>::value;

} // namespace _V1
} // namespace sycl
