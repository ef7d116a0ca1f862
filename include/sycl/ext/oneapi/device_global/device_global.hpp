// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sycl/ext/oneapi/device_global/properties.hpp>
#include <sycl/feature_test.hpp>

// The class itself is for device code: a variable of it belongs to a bundle, which the host asks for its address.
#ifdef __SYCL_DEVICE_ONLY__

#include <sycl/address_space_cast.hpp>
#include <sycl/detail/defines.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace sycl {
inline namespace _V1 {
namespace ext::oneapi::experimental {

template <class T_, class PropertyListT> class device_global;

namespace detail {

template <class T_> struct is_device_global : std::false_type {};
template <class T_, class PropertyListT> struct is_device_global<device_global<T_, PropertyListT>> : std::true_type {};

/// True if `->` may follow an object of the type.
template <class T_, class = void> struct has_arrow : std::is_pointer<T_> {};
template <class T_>
struct has_arrow<T_, std::void_t<decltype(std::declval<T_ &>().operator->())>> : std::true_type {};

} // namespace detail

/// A variable in device memory that all kernels of a bundle share. Where it may be declared is checked by the compiler, which
/// knows this class by its name and counts on an object being the stored value and nothing else.
template <class T_, class PropertyListT = empty_properties_t> class device_global {
  static_assert(std::is_trivially_destructible_v<T_>, "the type of a device_global is trivially destructible");
  static_assert(is_property_list_v<PropertyListT>, "the second argument of device_global is a list of properties");
#ifndef __cpp_consteval
  static_assert(std::is_trivially_default_constructible_v<T_>,
                "before C++20, the type of a device_global is trivially default constructible");
#endif

public:
  using element_type = std::remove_extent_t<T_>;

#ifdef __cpp_consteval
  template <class... Args>
    requires(sizeof...(Args) != 1 || !(detail::is_device_global<std::remove_cvref_t<Args>>::value || ...))
  consteval explicit device_global(Args &&...args)
      : device_global(std::bool_constant<std::is_scalar_v<T_>>{}, std::forward<Args>(args)...) {}
#else
  constexpr device_global() : value() {}
#endif

  // A copy has the initial value of the other.
  constexpr device_global(const device_global &) = default;
  template <class Other, class OtherProperties, std::enable_if_t<std::is_convertible_v<Other, T_>, int> = 0>
  constexpr device_global(const device_global<Other, OtherProperties> &other) : value(other.value) {}
  device_global(device_global &&) = delete;
  device_global &operator=(const device_global &) = delete;
  device_global &operator=(device_global &&) = delete;

  SYCLRTC_DETAIL_ALWAYS_INLINE T_ &get() noexcept { return value; }
  SYCLRTC_DETAIL_ALWAYS_INLINE const T_ &get() const noexcept { return value; }
  SYCLRTC_DETAIL_ALWAYS_INLINE operator T_ &() noexcept { return value; }
  SYCLRTC_DETAIL_ALWAYS_INLINE operator const T_ &() const noexcept { return value; }

  template <access::decorated Decorated = access::decorated::no>
  SYCLRTC_DETAIL_ALWAYS_INLINE multi_ptr<T_, access::address_space::global_space, Decorated> get_multi_ptr() noexcept {
    return static_address_cast<access::address_space::global_space, Decorated>(__builtin_addressof(value));
  }
  template <access::decorated Decorated = access::decorated::no>
  SYCLRTC_DETAIL_ALWAYS_INLINE multi_ptr<const T_, access::address_space::global_space, Decorated>
  get_multi_ptr() const noexcept {
    return static_address_cast<access::address_space::global_space, Decorated>(__builtin_addressof(value));
  }

  template <bool Writable = !std::is_const_v<T_>, std::enable_if_t<Writable, int> = 0>
  SYCLRTC_DETAIL_ALWAYS_INLINE device_global &operator=(const T_ &other) noexcept {
    value = other;
    return *this;
  }

  template <class Stored = T_>
  SYCLRTC_DETAIL_ALWAYS_INLINE auto operator[](std::ptrdiff_t index) noexcept
      -> std::remove_reference_t<decltype(std::declval<Stored &>()[index])> & {
    return value[index];
  }
  template <class Stored = T_>
  SYCLRTC_DETAIL_ALWAYS_INLINE auto operator[](std::ptrdiff_t index) const noexcept
      -> const std::remove_reference_t<decltype(std::declval<Stored &>()[index])> & {
    return value[index];
  }

  template <class Stored = T_, std::enable_if_t<detail::has_arrow<Stored>::value, int> = 0>
  SYCLRTC_DETAIL_ALWAYS_INLINE Stored &operator->() noexcept {
    return value;
  }
  template <class Stored = T_, std::enable_if_t<detail::has_arrow<Stored>::value, int> = 0>
  SYCLRTC_DETAIL_ALWAYS_INLINE const Stored &operator->() const noexcept {
    return value;
  }

  template <class Key> static constexpr bool has_property() { return PropertyListT::template has_property<Key>(); }
  template <class Key> static constexpr auto get_property() { return PropertyListT::template get_property<Key>(); }

private:
  template <class, class> friend class device_global;

#ifdef __cpp_consteval
  // A scalar takes what converts to it; braces serve arrays and aggregates.
  template <class... Args> constexpr device_global(std::true_type, Args &&...args) : value(std::forward<Args>(args)...) {}
  template <class... Args> constexpr device_global(std::false_type, Args &&...args) : value{std::forward<Args>(args)...} {}
#endif

  T_ value;
};

} // namespace ext::oneapi::experimental
} // namespace _V1
} // namespace sycl
#endif
