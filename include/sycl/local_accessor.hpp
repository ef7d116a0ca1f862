// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sycl/detail/local_object.hpp>
#include <sycl/id.hpp>
#include <sycl/multi_ptr.hpp>
#include <sycl/range.hpp>

#include <cstddef>
#include <iterator>
#include <type_traits>

#ifndef __SYCL_DEVICE_ONLY__
#include <sycl/property_list.hpp>
#endif

namespace sycl {
inline namespace _V1 {
namespace detail {

/// What is left of a subscript like `a[i][j]` behind its first index.
template <class T_, int Dimensions, int Left> class local_subscript {
public:
  SYCLRTC_DETAIL_ALWAYS_INLINE local_subscript(const local_accessor<T_, Dimensions> &accessor, std::size_t position)
      : accessor_(accessor), position_(position) {}

  SYCLRTC_DETAIL_ALWAYS_INLINE decltype(auto) operator[](std::size_t index) const {
    const std::size_t position = position_ * accessor_.get_range()[Dimensions - Left] + index;
    if constexpr (Left == 1)
      return static_cast<T_ &>(accessor_.begin()[position]);
    else
      return local_subscript<T_, Dimensions, Left - 1>(accessor_, position);
  }

private:
  const local_accessor<T_, Dimensions> &accessor_;
  std::size_t position_;
};

} // namespace detail

/// Local memory of each work-group of a launch (SYCL 2020, 4.7.6.11), which the launch gets as an argument.
///
/// Host and device share the layout, so that a struct may hold one: what is a size on the host is the pointer in a kernel.
template <class T_, int Dimensions = 1> class local_accessor {
  static_assert(Dimensions >= 0 && Dimensions <= 3, "a local_accessor has 0, 1, 2 or 3 dimensions");
  template <bool Condition> using when = std::enable_if_t<Condition, int>;
  static constexpr int words = Dimensions == 0 ? 1 : Dimensions;

public:
  using value_type = T_;
  using reference = T_ &;
  using const_reference = const T_ &;
  using iterator = T_ *;
  using const_iterator = const T_ *;
  using reverse_iterator = std::reverse_iterator<iterator>;
  using const_reverse_iterator = std::reverse_iterator<const_iterator>;
  using difference_type = std::ptrdiff_t;
  using size_type = std::size_t;
  template <access::decorated Decorated>
  using accessor_ptr = multi_ptr<T_, access::address_space::local_space, Decorated>;
  static constexpr int dimensions = Dimensions;

  /// Stands for no memory.
  local_accessor() = default;

#ifndef __SYCL_DEVICE_ONLY__
  template <int D_ = Dimensions, when<D_ == 0> = 0>
  explicit local_accessor(handler &, const property_list & = {}) : local_(sizeof(T_)), range_{1} {}
  template <int D_ = Dimensions, when<(D_ > 0)> = 0>
  local_accessor(range<words> extent, handler &, const property_list & = {})
      : local_(detail::local_bytes(sizeof(T_), extent)) {
    for (int i = 0; i < Dimensions; ++i)
      range_[i] = extent[i];
  }
#endif

  SYCLRTC_DETAIL_ALWAYS_INLINE size_type size() const noexcept {
    size_type count = 1;
    for (int i = 0; i < words; ++i)
      count *= range_[i];
    return count;
  }
  SYCLRTC_DETAIL_ALWAYS_INLINE size_type byte_size() const noexcept { return size() * sizeof(T_); }
  SYCLRTC_DETAIL_ALWAYS_INLINE size_type max_size() const noexcept { return static_cast<size_type>(-1) / sizeof(T_); }
  SYCLRTC_DETAIL_ALWAYS_INLINE bool empty() const noexcept { return size() == 0; }

  template <int D_ = Dimensions, when<(D_ > 0)> = 0> SYCLRTC_DETAIL_ALWAYS_INLINE range<D_> get_range() const {
    range<D_> extent = {};
    for (int i = 0; i < D_; ++i)
      extent[i] = range_[i];
    return extent;
  }

  template <int D_ = Dimensions, when<D_ == 0> = 0> SYCLRTC_DETAIL_ALWAYS_INLINE operator reference() const {
    return *begin();
  }
  template <class Value, int D_ = Dimensions,
            when<D_ == 0 && std::is_convertible_v<Value, T_> && !std::is_same_v<std::decay_t<Value>, local_accessor>> = 0>
  SYCLRTC_DETAIL_ALWAYS_INLINE const local_accessor &operator=(Value &&value) const {
    *begin() = static_cast<Value &&>(value);
    return *this;
  }
  template <int D_ = Dimensions, when<(D_ > 0)> = 0> SYCLRTC_DETAIL_ALWAYS_INLINE reference operator[](id<D_> index) const {
    std::size_t position = index[0];
    for (int i = 1; i < D_; ++i)
      position = position * range_[i] + index[i];
    return local_.data()[position];
  }
  template <int D_ = Dimensions, when<D_ == 1> = 0>
  SYCLRTC_DETAIL_ALWAYS_INLINE reference operator[](std::size_t index) const {
    return local_.data()[index];
  }
  template <int D_ = Dimensions, when<(D_ > 1)> = 0>
  SYCLRTC_DETAIL_ALWAYS_INLINE detail::local_subscript<T_, D_, D_ - 1> operator[](std::size_t index) const {
    return {*this, index};
  }

  template <access::decorated Decorated> SYCLRTC_DETAIL_ALWAYS_INLINE accessor_ptr<Decorated> get_multi_ptr() const noexcept {
    return accessor_ptr<Decorated>(local_.data());
  }
  [[deprecated("use get_multi_ptr()")]] SYCLRTC_DETAIL_ALWAYS_INLINE local_ptr<T_> get_pointer() const noexcept {
    return local_ptr<T_>(local_.data());
  }

  SYCLRTC_DETAIL_ALWAYS_INLINE iterator begin() const noexcept { return (iterator)local_.data(); }
  SYCLRTC_DETAIL_ALWAYS_INLINE iterator end() const noexcept { return begin() + size(); }
  SYCLRTC_DETAIL_ALWAYS_INLINE const_iterator cbegin() const noexcept { return begin(); }
  SYCLRTC_DETAIL_ALWAYS_INLINE const_iterator cend() const noexcept { return end(); }
  SYCLRTC_DETAIL_ALWAYS_INLINE reverse_iterator rbegin() const noexcept { return reverse_iterator(end()); }
  SYCLRTC_DETAIL_ALWAYS_INLINE reverse_iterator rend() const noexcept { return reverse_iterator(begin()); }
  SYCLRTC_DETAIL_ALWAYS_INLINE const_reverse_iterator crbegin() const noexcept { return const_reverse_iterator(end()); }
  SYCLRTC_DETAIL_ALWAYS_INLINE const_reverse_iterator crend() const noexcept { return const_reverse_iterator(begin()); }

  void swap(local_accessor &other) noexcept {
    const local_accessor before = *this;
    *this = other;
    other = before;
  }

private:
  friend struct detail::local_access;

  detail::local_object<T_> local_;
  std::size_t range_[words] = {};
};

} // namespace _V1
} // namespace sycl
