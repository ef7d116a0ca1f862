// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a consumer's program does: builds a kernel from a string, runs it, looks at the result.

#include <sycl/sycl.hpp>

#include <cstdio>
#include <string>

namespace syclexp = sycl::ext::oneapi::experimental;

static const char *const source = R"""(
#include <sycl/sycl.hpp>
namespace syclext = sycl::ext::oneapi;
namespace syclexp = sycl::ext::oneapi::experimental;

extern "C"
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::nd_range_kernel<1>))
void twice(int *values) {
  size_t i = syclext::this_work_item::get_nd_item<1>().get_global_linear_id();
  values[i] = 2 * static_cast<int>(i);
}
)""";

int main() {
  constexpr std::size_t count = 64;
  sycl::queue queue;
  auto bundle = syclexp::create_kernel_bundle_from_source(queue.get_context(), syclexp::source_language::sycl, source);
  auto executable = syclexp::build(bundle);
  sycl::kernel kernel = executable.ext_oneapi_get_kernel("twice");

  int *values = sycl::malloc_shared<int>(count, queue);
  queue
      .submit([&](sycl::handler &handler) {
        handler.set_args(values);
        handler.parallel_for(sycl::nd_range<1>{{count}, {16}}, kernel);
      })
      .wait();
  int wrong = 0;
  for (std::size_t i = 0; i < count; ++i) {
    wrong += values[i] != 2 * static_cast<int>(i);
  }
  sycl::free(values, queue);
  std::printf("%d of %zu values are wrong\n", wrong, count);
  return wrong != 0;
}
