// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel as a string, compiled at run time for the device that is there. Prints the device and how long the builds
// took, and checks what the kernel computed.

#include <sycl/sycl.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace syclexp = sycl::ext::oneapi::experimental;

namespace {

const std::string text = R"(
  #include <sycl/sycl.hpp>
  namespace syclext = sycl::ext::oneapi;
  namespace syclexp = sycl::ext::oneapi::experimental;

  template <class T>
  SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::nd_range_kernel<1>))
  void iota(T start, T *out) {
    std::size_t i = syclext::this_work_item::get_nd_item<1>().get_global_linear_id();
    out[i] = start + static_cast<T>(i);
  }
)";

/// Builds the kernel for a type, runs it and checks the result.
template <class T> void build_and_run(sycl::queue &queue, const std::string &type, T start) {
  constexpr std::size_t size = 1 << 20, group = 64;
  const std::string name = "iota<" + type + ">";
  const auto source =
      syclexp::create_kernel_bundle_from_source(queue.get_context(), syclexp::source_language::sycl, text);

  const auto begin = std::chrono::steady_clock::now();
  const auto bundle =
      syclexp::build(source, {queue.get_device()}, syclexp::properties{syclexp::registered_names{name}});
  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - begin;

  T *out = sycl::malloc_shared<T>(size, queue);
  queue.submit([&](sycl::handler &handler) {
    handler.set_args(start, out);
    handler.parallel_for(sycl::nd_range<1>{size, group}, bundle.ext_oneapi_get_kernel(name));
  }).wait();
  for (std::size_t i = 0; i < size; ++i) {
    if (out[i] != start + static_cast<T>(i)) {
      std::fprintf(stderr, "%s: element %zu is wrong\n", name.c_str(), i);
      std::exit(EXIT_FAILURE);
    }
  }
  sycl::free(out, queue);
  std::printf("  %-14s built in %7.1f ms, %zu elements right\n", name.c_str(), time.count(), size);
}

} // namespace

int main() {
  try {
    sycl::queue queue;
    const sycl::device device = queue.get_device();
    std::printf("device: %s (%s)\n", device.get_info<sycl::info::device::name>().c_str(),
                device.get_platform().get_info<sycl::info::platform::name>().c_str());
    // The first build of a process starts the compiler program and warms the driver up.
    build_and_run<float>(queue, "float", 0.5f);
    build_and_run<int>(queue, "int", 7);
    build_and_run<long>(queue, "long", -3);
  } catch (const sycl::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return EXIT_FAILURE;
  }
}
