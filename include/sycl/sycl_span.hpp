// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <iterator>
#include <type_traits>
#include <utility>

namespace sycl {
inline namespace _V1 {

inline constexpr std::size_t dynamic_extent = static_cast<std::size_t>(-1);

template <class T_, std::size_t Extent = dynamic_extent> class span;

namespace detail {

template <std::size_t Extent> struct span_extent {
  constexpr explicit span_extent(std::size_t) noexcept {}
  static constexpr std::size_t size() noexcept { return Extent; }
};
template <> struct span_extent<dynamic_extent> {
  constexpr explicit span_extent(std::size_t count) noexcept : count_(count) {}
  constexpr std::size_t size() const noexcept { return count_; }
  std::size_t count_;
};

/// Whether an array of `From` may be seen as one of `To`: for more `const` only, not for derived classes.
template <class From, class To> inline constexpr bool span_compatible = std::is_convertible_v<From (*)[], To (*)[]>;

template <class Container> struct has_own_span_constructor : std::is_array<Container> {};
template <class T_, std::size_t N_> struct has_own_span_constructor<std::array<T_, N_>> : std::true_type {};
template <class T_, std::size_t Extent> struct has_own_span_constructor<span<T_, Extent>> : std::true_type {};

/// Whether a container, as an lvalue or rvalue, can be seen as a span of `To`. A temporary one can if it is a view, such as
/// `std::span`: then a const one gives access to the same elements.
template <class Container, class To, class = void> struct is_span_source : std::false_type {};
template <class Container, class To>
struct is_span_source<Container, To,
                      std::void_t<decltype(std::declval<Container &>().data() + std::declval<Container &>().size())>>
    : std::bool_constant<
          !has_own_span_constructor<std::remove_cv_t<std::remove_reference_t<Container>>>::value &&
          (std::is_lvalue_reference_v<Container> || std::is_const_v<To> ||
           span_compatible<std::remove_pointer_t<decltype(std::declval<const Container &>().data())>, To>) &&
          span_compatible<std::remove_pointer_t<decltype(std::declval<Container &>().data())>, To>> {};

} // namespace detail

/// `std::span` of C++20 for C++17 (SYCL 2020, 4.14.4).
template <class T_, std::size_t Extent> class span : private detail::span_extent<Extent> {
  using extent_holder = detail::span_extent<Extent>;

public:
  using element_type = T_;
  using value_type = std::remove_cv_t<T_>;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using pointer = T_ *;
  using const_pointer = const T_ *;
  using reference = T_ &;
  using const_reference = const T_ &;
  using iterator = T_ *;
  using reverse_iterator = std::reverse_iterator<iterator>;
  static constexpr std::size_t extent = Extent;

  template <std::size_t E_ = Extent, std::enable_if_t<E_ == 0 || E_ == dynamic_extent, int> = 0>
  constexpr span() noexcept : extent_holder(0), data_(nullptr) {}
  constexpr span(T_ *first, std::size_t count) : extent_holder(count), data_(first) {}
  constexpr span(T_ *first, T_ *last) : extent_holder(static_cast<std::size_t>(last - first)), data_(first) {}
  template <std::size_t N_, std::enable_if_t<Extent == dynamic_extent || Extent == N_, int> = 0>
  constexpr span(T_ (&array)[N_]) noexcept : extent_holder(N_), data_(array) {}
  template <class U_, std::size_t N_,
            std::enable_if_t<(Extent == dynamic_extent || Extent == N_) && detail::span_compatible<U_, T_>, int> = 0>
  constexpr span(std::array<U_, N_> &array) noexcept : extent_holder(N_), data_(array.data()) {}
  template <
      class U_, std::size_t N_,
      std::enable_if_t<(Extent == dynamic_extent || Extent == N_) && detail::span_compatible<const U_, T_>, int> = 0>
  constexpr span(const std::array<U_, N_> &array) noexcept : extent_holder(N_), data_(array.data()) {}
  template <class U_, std::size_t E_,
            std::enable_if_t<(Extent == dynamic_extent || Extent == E_) && detail::span_compatible<U_, T_>, int> = 0>
  constexpr span(const span<U_, E_> &other) noexcept : extent_holder(other.size()), data_(other.data()) {}

  /// Of a container that holds its elements one after the other.
  template <class Container,
            std::enable_if_t<Extent == dynamic_extent && detail::is_span_source<Container, T_>::value, int> = 0>
  constexpr span(Container &&container) : extent_holder(container.size()), data_(container.data()) {}

  constexpr T_ *data() const noexcept { return data_; }
  constexpr std::size_t size() const noexcept { return extent_holder::size(); }
  constexpr std::size_t size_bytes() const noexcept { return size() * sizeof(T_); }
  [[nodiscard]] constexpr bool empty() const noexcept { return size() == 0; }

  constexpr T_ &operator[](std::size_t index) const { return data_[index]; }
  constexpr T_ &front() const { return data_[0]; }
  constexpr T_ &back() const { return data_[size() - 1]; }
  constexpr iterator begin() const noexcept { return data_; }
  constexpr iterator end() const noexcept { return data_ + size(); }
  constexpr reverse_iterator rbegin() const noexcept { return reverse_iterator(end()); }
  constexpr reverse_iterator rend() const noexcept { return reverse_iterator(begin()); }

  constexpr span<T_> first(std::size_t count) const { return {data_, count}; }
  constexpr span<T_> last(std::size_t count) const { return {data_ + (size() - count), count}; }
  constexpr span<T_> subspan(std::size_t offset, std::size_t count = dynamic_extent) const {
    return {data_ + offset, count == dynamic_extent ? size() - offset : count};
  }
  template <std::size_t Count> constexpr span<T_, Count> first() const { return {data_, Count}; }
  template <std::size_t Count> constexpr span<T_, Count> last() const { return {data_ + (size() - Count), Count}; }

private:
  T_ *data_;
};

template <class T_, std::size_t N_> span(T_ (&)[N_]) -> span<T_, N_>;
template <class T_, std::size_t N_> span(std::array<T_, N_> &) -> span<T_, N_>;
template <class T_, std::size_t N_> span(const std::array<T_, N_> &) -> span<const T_, N_>;
template <class T_> span(T_ *, std::size_t) -> span<T_>;

} // namespace _V1
} // namespace sycl
