// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#ifdef __SYCL_DEVICE_ONLY__
#include <sycl/detail/device.hpp>
#else

#include <sycl/detail/bundle_functions.hpp>
#include <sycl/detail/kernel_bundle_class.hpp>
#include <sycl/ext/oneapi/experimental/kernel_compiler.hpp>
#include <sycl/ext/oneapi/experimental/syclbin_kernel_bundle.hpp>

#endif
