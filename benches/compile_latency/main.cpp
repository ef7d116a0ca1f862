// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds a tiny kernel from source several times, each time from a different text, and prints what each build took.
// One program for both sides: it uses nothing that is particular to either of them.
//
//   compile_latency SIDE BUILDS DRIVER_TIMER [BUILD_OPTION...]
//
// One line a build:   SIDE first|following TOTAL_NS DRIVER_NS
// The time runs from the source text in hand to the kernel object in hand: create_kernel_bundle_from_source, build,
// ext_oneapi_get_kernel. Each kernel is then run and its result checked, outside the measured time.

#include <sycl/sycl.hpp>

#include <dlfcn.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace syclexp = sycl::ext::oneapi::experimental;

namespace {

// The sum that the OpenCL layer keeps (driver_timer.c). The OpenCL loader has loaded it already; this finds that copy.
using driver_clock = std::uint64_t (*)();

driver_clock find_driver_clock(const char *library) {
  void *handle = dlopen(library, RTLD_NOW | RTLD_NOLOAD);
  void *symbol = handle ? dlsym(handle, "driver_timer_nanoseconds") : nullptr;
  if (!symbol) {
    std::fprintf(stderr, "compile_latency: the OpenCL layer %s is not active; set OPENCL_LAYERS to it\n", library);
    std::exit(1);
  }
  return reinterpret_cast<driver_clock>(symbol);
}

// The iota kernel of the kernel-compiler specification. The offset makes each text, and so each result, another one.
std::string source_text(int offset) {
  return R"""(
#include <sycl/sycl.hpp>
namespace syclext = sycl::ext::oneapi;
namespace syclexp = sycl::ext::oneapi::experimental;

extern "C"
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::nd_range_kernel<1>))
void iota(float start, float *ptr) {
  size_t id = syclext::this_work_item::get_nd_item<1>().get_global_linear_id();
  ptr[id] = start + static_cast<float>(id) + )""" +
         std::to_string(offset) + R"""(;
}
)""";
}

void check(sycl::queue &queue, const sycl::kernel &kernel, int offset) {
  constexpr std::size_t count = 256;
  float *values = sycl::malloc_shared<float>(count, queue);
  queue
      .submit([&](sycl::handler &handler) {
        handler.set_args(3.0f, values);
        handler.parallel_for(sycl::nd_range<1>{{count}, {32}}, kernel);
      })
      .wait();
  for (std::size_t i = 0; i < count; ++i) {
    if (values[i] != 3.0f + static_cast<float>(i) + static_cast<float>(offset)) {
      std::fprintf(stderr, "compile_latency: wrong result at %zu: %f\n", i, static_cast<double>(values[i]));
      std::exit(1);
    }
  }
  sycl::free(values, queue);
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: %s SIDE BUILDS DRIVER_TIMER [BUILD_OPTION...]\n", argv[0]);
    return 2;
  }
  const char *side = argv[1];
  const int builds = std::atoi(argv[2]);
  const std::vector<std::string> options(argv + 4, argv + argc);

  sycl::queue queue;
  const driver_clock driver_nanoseconds = find_driver_clock(argv[3]);
  if (!queue.get_device().ext_oneapi_can_build(syclexp::source_language::sycl)) {
    std::fprintf(stderr, "compile_latency: the default device cannot build SYCL source\n");
    return 1;
  }

  for (int build = 0; build < builds; ++build) {
    const std::string text = source_text(build);
    const std::uint64_t driver_before = driver_nanoseconds();
    const auto before = std::chrono::steady_clock::now();

    auto source = syclexp::create_kernel_bundle_from_source(queue.get_context(), syclexp::source_language::sycl, text);
    auto executable = syclexp::build(source, syclexp::properties{syclexp::build_options{options}});
    sycl::kernel kernel = executable.ext_oneapi_get_kernel("iota");

    const auto total = std::chrono::steady_clock::now() - before;
    const std::uint64_t driver = driver_nanoseconds() - driver_before;
    std::printf("%s %s %lld %llu\n", side, build == 0 ? "first" : "following",
                static_cast<long long>(std::chrono::duration_cast<std::chrono::nanoseconds>(total).count()),
                static_cast<unsigned long long>(driver));
    check(queue, kernel, build);
  }
}
