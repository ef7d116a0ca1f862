// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Device code reads this too, under the program's -D options: single capital letters are left to them.

#include <array>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

namespace sycl {
inline namespace _V1 {

/// True for types whose objects may be copied to a device byte by byte (SYCL 2020, 3.13.1). May be specialised.
template <class Type> struct is_device_copyable : std::is_trivially_copyable<Type> {};
template <class Type> struct is_device_copyable<const Type> : is_device_copyable<Type> {};
template <class Type> struct is_device_copyable<volatile Type> : is_device_copyable<Type> {};
template <class Type> struct is_device_copyable<const volatile Type> : is_device_copyable<Type> {};

// The library's pair and tuple are never trivially copyable, and so what holds one is not either.
template <class First, class Second>
struct is_device_copyable<std::pair<First, Second>>
    : std::bool_constant<is_device_copyable<First>::value && is_device_copyable<Second>::value> {};
template <class... Types>
struct is_device_copyable<std::tuple<Types...>> : std::bool_constant<(is_device_copyable<Types>::value && ...)> {};
template <class... Types>
struct is_device_copyable<std::variant<Types...>> : std::bool_constant<(is_device_copyable<Types>::value && ...)> {};
template <class Type> struct is_device_copyable<std::optional<Type>> : is_device_copyable<Type> {};
template <class Type, std::size_t Size> struct is_device_copyable<std::array<Type, Size>> : is_device_copyable<Type> {};

template <class Type> inline constexpr bool is_device_copyable_v = is_device_copyable<Type>::value;

} // namespace _V1
} // namespace sycl
