// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <sycl/sycl.hpp>

#include <cstdio>

// Tests run where kernels can be built from source; elsewhere they are skipped, not passed.
int main(int argc, char **argv) {
  for (const sycl::device &device : sycl::device::get_devices()) {
    if (device.ext_oneapi_can_build(sycl::ext::oneapi::experimental::source_language::sycl))
      return doctest::Context(argc, argv).run();
  }
  std::puts("skipped: no device on this machine builds kernels of the language sycl");
  return 77;
}
