// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace sycl {
inline namespace _V1 {

/// State of a kernel bundle (SYCL 2020, 4.11.4; sycl_ext_oneapi_kernel_compiler).
enum class bundle_state : char { input = 0, object = 1, executable = 2, ext_oneapi_source = 3 };

namespace ext::oneapi::experimental {

/// Language of a source bundle: `sycl` and `opencl` are text, `spirv` is binary.
enum class source_language : int { opencl = 0, spirv = 1, sycl = 2 };

} // namespace ext::oneapi::experimental
} // namespace _V1
} // namespace sycl
