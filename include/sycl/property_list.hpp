// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#ifdef __SYCL_DEVICE_ONLY__
#include <sycl/detail/device.hpp>
#else

#include <sycl/exception.hpp>

#include <cstdint>
#include <type_traits>

namespace sycl {
inline namespace _V1 {
namespace detail {

/// Base of the properties of `property_list`. All of those that exist here carry no value, so that a list is a set of bits.
template <unsigned Bit> struct plain_property {
  static_assert(Bit < 64, "a property list has 64 bits");
  static constexpr std::uint64_t property_bit = std::uint64_t{1} << Bit;
};

template <class T, class = void> struct is_plain_property : std::false_type {};
template <class T>
struct is_plain_property<T, std::void_t<decltype(T::property_bit)>> : std::is_empty<T> {};

} // namespace detail

/// SYCL 2020, 4.5.4.2.
template <class T> struct is_property : detail::is_plain_property<T> {};
template <class T> inline constexpr bool is_property_v = is_property<T>::value;

/// True if a property has a meaning for a class.
template <class T, class Object> struct is_property_of : std::false_type {};
template <class T, class Object> inline constexpr bool is_property_of_v = is_property_of<T, Object>::value;

/// SYCL 2020, 4.5.4.1.
class property_list {
public:
  template <class... Properties, std::enable_if_t<(is_property_v<Properties> && ...), int> = 0>
  property_list(Properties...) noexcept : bits_((std::uint64_t{0} | ... | Properties::property_bit)) {}

  template <class Property> [[nodiscard]] bool has_property() const noexcept {
    static_assert(is_property_v<Property>, "not a property");
    return (bits_ & Property::property_bit) != 0;
  }

  template <class Property> [[nodiscard]] Property get_property() const {
    if (!has_property<Property>())
      throw exception(make_error_code(errc::invalid), "the property list does not hold the requested property");
    return Property();
  }

private:
  std::uint64_t bits_ = 0;
};

} // namespace _V1
} // namespace sycl

#endif
