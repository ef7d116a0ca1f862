// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sycl/sycl.hpp>

namespace syclex = sycl::ext::oneapi::experimental;

extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(syclex::nd_range_kernel<1>) void letters(int *out) {
  const auto it = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
  const int members = sycl::reduce_over_group(it.get_group(), static_cast<int>(it.get_local_id(0)), sycl::plus<>());
  out[it.get_global_id(0)] = N + T + sycl::int4(members).w() + 4 * A;
}
