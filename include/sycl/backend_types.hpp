// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace sycl {
inline namespace _V1 {

/// Driver interfaces (SYCL 2020, 4.1). Which of them a process has is found out at run time.
enum class backend : std::uint32_t {
  opencl = 1,
  ext_oneapi_level_zero = 2,
  ext_oneapi_cuda = 3,
  ext_oneapi_hip = 4,
  ext_oneapi_native_cpu = 5,
};

} // namespace _V1
} // namespace sycl
