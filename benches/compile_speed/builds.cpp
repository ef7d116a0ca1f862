// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds a workload several times, each time another text or other options, and prints what each build took.
//
//   builds KERNELS DRIVER_TIMER WORKLOAD COUNT [BUILD_OPTION...]
//
// One line a build, number by number from 0:   TOTAL_NS DRIVER_NS
// The time runs from the source text in hand to the kernel object in hand: create_kernel_bundle_from_source, build,
// ext_oneapi_get_kernel. Each kernel is then run and its result checked, outside the measured time.

#include "workloads.hpp"

#include <dlfcn.h>

#include <chrono>
#include <cstdint>

namespace {

// The sum that the OpenCL layer keeps (driver_timer.c). The OpenCL loader has loaded it already; this finds that copy.
using driver_clock = std::uint64_t (*)();

driver_clock find_driver_clock(const char *library) {
  void *handle = dlopen(library, RTLD_NOW | RTLD_NOLOAD);
  void *symbol = handle ? dlsym(handle, "driver_timer_nanoseconds") : nullptr;
  if (!symbol) {
    workloads::fail(std::string("the OpenCL layer is not active; set OPENCL_LAYERS to ") + library);
  }
  return reinterpret_cast<driver_clock>(symbol);
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 5) {
    std::fprintf(stderr, "usage: %s KERNELS DRIVER_TIMER WORKLOAD COUNT [BUILD_OPTION...]\n", argv[0]);
    return 2;
  }
  const auto what = workloads::make(argv[3], argv[1]);
  const int count = std::atoi(argv[4]);
  const std::vector<std::string> options(argv + 5, argv + argc);

  sycl::queue queue;
  const driver_clock driver_nanoseconds = find_driver_clock(argv[2]);
  if (!queue.get_device().ext_oneapi_can_build(workloads::syclexp::source_language::sycl)) {
    workloads::fail("the default device cannot build SYCL source");
  }
  for (int number = 0; number < count; ++number) {
    const std::string name = what->kernel(number);
    const std::uint64_t driver_before = driver_nanoseconds();
    const auto before = std::chrono::steady_clock::now();

    workloads::bundle built = workloads::build(queue, *what, number, options);
    const sycl::kernel kernel = built.ext_oneapi_get_kernel(name);

    const auto total = std::chrono::steady_clock::now() - before;
    const std::uint64_t driver = driver_nanoseconds() - driver_before;
    std::printf("%lld %llu\n", static_cast<long long>(std::chrono::duration_cast<std::chrono::nanoseconds>(total).count()),
                static_cast<unsigned long long>(driver));
    what->check(queue, built, number);
  }
}
