// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

namespace sycl {
inline namespace _V1 {

class handler;

namespace ext::oneapi {

/// The bytes of a trivially copyable kernel argument (sycl_ext_oneapi_raw_kernel_arg). They are read by `set_arg`.
class raw_kernel_arg {
public:
  raw_kernel_arg(const void *bytes, std::size_t count) noexcept : bytes_(bytes), count_(count) {}

private:
  friend class sycl::handler;

  // Read by the handler only, which this header does not know.
  [[maybe_unused]] const void *bytes_;
  [[maybe_unused]] std::size_t count_;
};

} // namespace ext::oneapi
} // namespace _V1
} // namespace sycl
