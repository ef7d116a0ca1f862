// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sycl/sycl.hpp>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace support {

/// Exit status of a test on a machine where no kernel can be built from source; 0 where one can. ctest knows 77 as
/// "skipped"; with SYCLRTC_TEST_DEVICES=1 the devices have to be there, and the test fails.
inline int status_without_device() {
  for (const sycl::device &device : sycl::device::get_devices())
    if (device.ext_oneapi_can_build(sycl::ext::oneapi::experimental::source_language::sycl))
      return 0;
  std::puts("no device on this machine builds kernels of the language sycl");
  const char *required = std::getenv("SYCLRTC_TEST_DEVICES");
  return required != nullptr && std::strcmp(required, "1") == 0 ? 1 : 77;
}

} // namespace support
