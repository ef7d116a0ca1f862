// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sycl/range.hpp>

namespace sycl {
inline namespace _V1 {

template <int Dimensions, bool WithOffset> class item;

namespace detail {

/// Gives `id<1>` its conversion to `size_t`; empty for more dimensions.
template <class Self, int Dimensions> class id_to_scalar {};
template <class Self> class id_to_scalar<Self, 1> {
public:
  constexpr operator std::size_t() const { return static_cast<const Self &>(*this).get(0); }
};

} // namespace detail

/// Point of an index space (SYCL 2020, 4.9.1.3).
template <int Dimensions = 1>
class id : public detail::index_array<id<Dimensions>, Dimensions>,
           public detail::id_to_scalar<id<Dimensions>, Dimensions> {
public:
  constexpr id() = default;

  template <int D_ = Dimensions, std::enable_if_t<D_ == 1, int> = 0> constexpr id(std::size_t dim0) {
    this->values_[0] = dim0;
  }
  template <int D_ = Dimensions, std::enable_if_t<D_ == 2, int> = 0> constexpr id(std::size_t dim0, std::size_t dim1) {
    this->values_[0] = dim0;
    this->values_[1] = dim1;
  }
  template <int D_ = Dimensions, std::enable_if_t<D_ == 3, int> = 0>
  constexpr id(std::size_t dim0, std::size_t dim1, std::size_t dim2) {
    this->values_[0] = dim0;
    this->values_[1] = dim1;
    this->values_[2] = dim2;
  }
  constexpr id(const range<Dimensions> &extent) {
    for (int i = 0; i < Dimensions; ++i)
      this->values_[i] = extent.get(i);
  }
  template <bool WithOffset> constexpr id(const item<Dimensions, WithOffset> &it) {
    for (int i = 0; i < Dimensions; ++i)
      this->values_[i] = it.get_id(i);
  }
};

id(std::size_t) -> id<1>;
id(std::size_t, std::size_t) -> id<2>;
id(std::size_t, std::size_t, std::size_t) -> id<3>;
template <int Dimensions> id(range<Dimensions>) -> id<Dimensions>;
template <int Dimensions, bool WithOffset> id(item<Dimensions, WithOffset>) -> id<Dimensions>;

} // namespace _V1
} // namespace sycl
