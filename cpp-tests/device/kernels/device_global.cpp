// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sycl/sycl.hpp>

namespace syclexp = sycl::ext::oneapi::experimental;
#define KERNEL extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(syclexp::single_task_kernel) void

struct pair {
  int first;
  float second;
};

syclexp::device_global<int> counter;
namespace numbers {
static syclexp::device_global<int[4]> table;
}
struct holder {
  static inline syclexp::device_global<pair> member;
};
syclexp::device_global<int, decltype(syclexp::properties(syclexp::device_image_scope))> scoped;
#if __cplusplus >= 202002L
syclexp::device_global<int> initial{5};
syclexp::device_global<int> copy{initial};
syclexp::device_global<pair> aggregate{3, 0.5f};
syclexp::device_global<int[40]> many{1, 2, 3};
#else
syclexp::device_global<int> initial, copy{initial};
syclexp::device_global<pair> aggregate;
syclexp::device_global<int[40]> many;
#endif

KERNEL change(int by) {
  counter += by;
  numbers::table[by] = by * 10;
  holder::member = pair{by, 1.5f};
  scoped = counter.get();
  initial = initial + by;
  sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device>(many.get()[1]) += by;
}

KERNEL look(int *out) {
  out[0] = counter;
  out[1] = numbers::table[1] + numbers::table[2];
  out[2] = holder::member.get().first;
  out[3] = scoped;
  out[4] = initial;
  out[5] = copy;
  out[6] = aggregate.get().first;
  out[7] = many[1] * 10 + many[2];
}
