// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sycl/detail/index_array.hpp>

namespace sycl {
inline namespace _V1 {

/// Extent of an index space (SYCL 2020, 4.9.1.1). Row-major: the last dimension varies fastest.
template <int Dimensions = 1> class range : public detail::index_array<range<Dimensions>, Dimensions> {
public:
  constexpr range() = default;

  template <int D_ = Dimensions, std::enable_if_t<D_ == 1, int> = 0> constexpr range(std::size_t dim0) {
    this->values_[0] = dim0;
  }
  template <int D_ = Dimensions, std::enable_if_t<D_ == 2, int> = 0>
  constexpr range(std::size_t dim0, std::size_t dim1) {
    this->values_[0] = dim0;
    this->values_[1] = dim1;
  }
  template <int D_ = Dimensions, std::enable_if_t<D_ == 3, int> = 0>
  constexpr range(std::size_t dim0, std::size_t dim1, std::size_t dim2) {
    this->values_[0] = dim0;
    this->values_[1] = dim1;
    this->values_[2] = dim2;
  }

  constexpr std::size_t size() const {
    std::size_t n = 1;
    for (int i = 0; i < Dimensions; ++i)
      n *= this->values_[i];
    return n;
  }
};

range(std::size_t) -> range<1>;
range(std::size_t, std::size_t) -> range<2>;
range(std::size_t, std::size_t, std::size_t) -> range<3>;

} // namespace _V1
} // namespace sycl
