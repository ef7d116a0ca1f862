// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <iostream>
#include <sycl/sycl.hpp>
namespace syclexp = sycl::ext::oneapi::experimental;

int main() {
  sycl::queue queue;
  auto source = syclexp::create_kernel_bundle_from_source(queue.get_context(), syclexp::source_language::sycl, R"(
    #include <sycl/sycl.hpp>
    using namespace sycl::ext::oneapi;
    extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((experimental::nd_range_kernel<1>))
    void iota(float start, float *out) {
      size_t i = this_work_item::get_nd_item<1>().get_global_linear_id();
      out[i] = start + i;
    })");
  sycl::kernel iota = syclexp::build(source).ext_oneapi_get_kernel("iota");

  float *out = sycl::malloc_shared<float>(1024, queue);
  queue.submit([&](sycl::handler &handler) {
    handler.set_args(0.5f, out);
    handler.parallel_for(sycl::nd_range<1>{1024, 16}, iota);
  }).wait();
  std::cout << out[0] << " … " << out[1023] << '\n';
  sycl::free(out, queue);
}
