// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A process in which the OpenCL loader finds no driver (runtime.md G6): nothing is listed, nothing is printed, and the
// exception says what was looked for.

#include <sycl/sycl.hpp>

#include <cstdio>
#include <string>

int main() {
  int failures = 0;
  const auto check = [&](bool condition, const char *what) {
    if (!condition) {
      std::printf("FAILED: %s\n", what);
      ++failures;
    }
  };
  check(sycl::platform::get_platforms().empty(), "no platform");
  check(sycl::device::get_devices().empty(), "no device");
  try {
    sycl::queue q;
    check(false, "a queue was made");
  } catch (const sycl::exception &e) {
    const std::string text = e.what();
    std::printf("%s\n", text.c_str());
    check(e.code() == sycl::errc::runtime, "code runtime");
    check(text.find("OpenCL") != std::string::npos, "the text names OpenCL");
    check(text.find("libOpenCL.so.1") != std::string::npos, "the text names the loader that was looked for");
  }
  try {
    sycl::device d(sycl::cpu_selector_v);
    check(false, "a device was selected");
  } catch (const sycl::exception &e) {
    check(e.code() == sycl::errc::runtime, "code runtime");
  }
  return failures == 0 ? 0 : 1;
}
