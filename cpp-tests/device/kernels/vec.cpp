// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define SYCL_SIMPLE_SWIZZLES
#include "kernels/vec_checks.hpp"
#include <sycl/sycl.hpp>

namespace syclex = sycl::ext::oneapi::experimental;

// `one` is 1; the compiler does not know it.
extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(syclex::single_task_kernel) void checks(int one, int *lines) {
  lines[0] = vec_construction(one);
  lines[1] = vec_operators(one);
  lines[2] = vec_swizzles(one);
  lines[3] = marray_members(one);
  lines[4] = array_functions(one);
}

/// Parameters by value, each beside one byte: the layout of host and device is one.
struct parcel {
  char before;
  sycl::float3 vector;
  char between;
  sycl::mhalf3 array;
  sycl::id<2> point;
};
extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(syclex::single_task_kernel) void unpack(char a, sycl::float3 v,
                                                                                     sycl::mint3 m, sycl::range<3> r,
                                                                                     parcel p, double *out) {
  out[0] = a;
  for (int i = 0; i < 3; ++i) {
    out[1 + i] = v[i];
    out[4 + i] = m[static_cast<unsigned long>(i)];
    out[7 + i] = static_cast<double>(r[i]);
    out[10 + i] = p.vector[i];
    out[13 + i] = static_cast<float>(p.array[static_cast<unsigned long>(i)]);
  }
  out[16] = static_cast<double>(p.point[1]);
  out[17] = p.between;
}
