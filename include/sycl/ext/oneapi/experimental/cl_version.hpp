// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#ifdef __SYCL_DEVICE_ONLY__
#include <sycl/detail/device.hpp>
#else

// Versions of sycl_ext_oneapi_kernel_compiler_opencl.

namespace sycl {
inline namespace _V1 {
namespace ext::oneapi::experimental {

/// A version as OpenCL 3.0 packs it.
struct cl_version {
  unsigned major : 10;
  unsigned minor : 10;
  unsigned patch : 12;
};

inline constexpr cl_version opencl_c_1_0 = {1, 0, 0};
inline constexpr cl_version opencl_c_1_1 = {1, 1, 0};
inline constexpr cl_version opencl_c_1_2 = {1, 2, 0};
inline constexpr cl_version opencl_c_2_0 = {2, 0, 0};
inline constexpr cl_version opencl_c_3_0 = {3, 0, 0};

} // namespace ext::oneapi::experimental
} // namespace _V1
} // namespace sycl

#endif
