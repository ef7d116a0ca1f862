// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#ifdef __SYCL_DEVICE_ONLY__
#include <sycl/detail/device.hpp>
#else

#include <type_traits>
#include <utility>

namespace sycl {
inline namespace _V1 {

/// Names a specialization constant (SYCL 2020, 4.9.5). Kernels made at run time have none, so that no bundle knows one.
template <class T> class specialization_id {
public:
  using value_type = T;

  template <class... Args, std::enable_if_t<std::is_constructible_v<T, Args...>, int> = 0>
  explicit constexpr specialization_id(Args &&...args) : default_(std::forward<Args>(args)...) {}

  specialization_id(const specialization_id &) = delete;
  specialization_id(specialization_id &&) = delete;
  specialization_id &operator=(const specialization_id &) = delete;
  specialization_id &operator=(specialization_id &&) = delete;

private:
  T default_;
};

} // namespace _V1
} // namespace sycl

#endif
