// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernels/integer_functions.hpp"
#include <sycl/sycl.hpp>

namespace work_item = sycl::ext::oneapi::this_work_item;
namespace syclex = sycl::ext::oneapi::experimental;

#define CASE(name, type)                                                                                               \
  extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(syclex::nd_range_kernel<1>) void name(const type *a, const type *b,     \
                                                                                     const type *c, long *out) {       \
    const auto i = work_item::get_nd_item<1>().get_global_id(0);                                                       \
    integer_functions(a[i], b[i], c[i], out + 20 * i);                                                                 \
  }
CASE(signed_char, signed char)
CASE(unsigned_char, unsigned char)
CASE(signed_short, short)
CASE(unsigned_short, unsigned short)
CASE(signed_int, int)
CASE(unsigned_int, unsigned int)
CASE(signed_long, long)
CASE(unsigned_long, unsigned long)
CASE(signed_long_long, long long)
