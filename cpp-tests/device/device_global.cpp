// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Device globals as kernels see them. Ids in names are rules of section 10 of `device`.

#include "device_test.hpp"

namespace {

std::vector<int> look(sycl::queue &q, const support::executable_bundle &bundle) {
  constexpr std::size_t count = 8;
  int *out = sycl::malloc_shared<int>(count, q);
  auto kernel = bundle.ext_oneapi_get_kernel("look");
  q.submit([&](sycl::handler &group) {
     group.set_args(out);
     group.single_task(kernel);
   }).wait();
  std::vector<int> result(out, out + count);
  sycl::free(out, q);
  return result;
}

void change(sycl::queue &q, const support::executable_bundle &bundle, int by) {
  auto kernel = bundle.ext_oneapi_get_kernel("change");
  q.submit([&](sycl::handler &group) {
     group.set_args(by);
     group.single_task(kernel);
   }).wait();
}

using values = std::vector<int>;

} // namespace

TEST_CASE("G2, G4, G5: device globals have initial values, keep what kernels store, and belong to their bundle") {
  const std::string text = device_test::read("kernels/device_global.cpp");
  for (const std::string level : {"-O0", "-O2"}) {
    CAPTURE(level);
    sycl::queue q;
    auto bundle = device_test::build_text(q, text, {level, "-std=c++20"});
    auto other = device_test::build_text(q, text, {level, "-std=c++20"});
    CHECK(look(q, bundle) == values{0, 0, 0, 0, 5, 5, 3, 23});
    change(q, bundle, 1);
    change(q, bundle, 2);
    CHECK(look(q, bundle) == values{3, 30, 2, 3, 8, 5, 3, 53});
    CHECK(look(q, other) == values{0, 0, 0, 0, 5, 5, 3, 23});
  }
}

TEST_CASE("G2: before C++20 device globals begin as zero") {
  sycl::queue q;
  auto bundle = device_test::build_text(q, device_test::read("kernels/device_global.cpp"), {});
  CHECK(look(q, bundle) == values(8));
  change(q, bundle, 1);
  CHECK(look(q, bundle) == values{1, 10, 1, 1, 1, 0, 0, 10});
}
