// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A template that is instantiated thirty times by registered names.
#include <sycl/sycl.hpp>
namespace syclext = sycl::ext::oneapi;
namespace syclexp = sycl::ext::oneapi::experimental;

template <typename T, int Degree>
T polynomial(T x) {
  T sum = 0;
#pragma unroll
  for (int power = Degree; power >= 0; --power) {
    sum = sum * x + static_cast<T>(power + 1);
  }
  return sum;
}

template <typename T, int Degree>
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::nd_range_kernel<1>))
void evaluate(const T *in, T *out) {
  size_t id = syclext::this_work_item::get_nd_item<1>().get_global_linear_id();
  out[id] = polynomial<T, Degree>(in[id]) + static_cast<T>(@BUILD@);
}
