// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// vec, swizzles, marray and the functions of them (device.md sections 6 and 7), on host and device.

#define SYCL_SIMPLE_SWIZZLES

#include "device_test.hpp"
#include "kernels/vec_checks.hpp"

namespace {
struct parcel {
  char before;
  sycl::float3 vector;
  char between;
  sycl::mhalf3 array;
  sycl::id<2> point;
};
} // namespace

TEST_CASE("vec and marray on the host") {
  CHECK(vec_construction(1) == 0);
  CHECK(vec_operators(1) == 0);
  CHECK(vec_swizzles(1) == 0);
  CHECK(marray_members(1) == 0);
  CHECK(array_functions(1) == 0);
}

TEST_CASE("vec and marray on the device") {
  device_test::with_kernels("kernels/vec.cpp", [](sycl::queue &q, const support::executable_bundle &bundle) {
    const support::shared_array<int> lines(q, 5, -1);
    q.submit([&](sycl::handler &group) {
       group.set_args(1, lines.get());
       group.single_task(bundle.ext_oneapi_get_kernel("checks"));
     }).wait();
    for (std::size_t i = 0; i < lines.size(); ++i) {
      CAPTURE(i);
      CHECK(lines[i] == 0);
    }
  });
}

TEST_CASE("vec, marray, range and id are passed by value") {
  device_test::with_kernels("kernels/vec.cpp", [](sycl::queue &q, const support::executable_bundle &bundle) {
    const support::shared_array<double> out(q, 18, -1);
    const parcel p{1, {10.5f, 11.5f, 12.5f}, 17, {sycl::half(13.0f), sycl::half(14.0f), sycl::half(15.0f)}, {3, 16}};
    q.submit([&](sycl::handler &group) {
       group.set_args(static_cast<char>(5), sycl::float3(1, 2, 3), sycl::mint3(4, 5, 6), sycl::range<3>(7, 8, 9), p,
                      out.get());
       group.single_task(bundle.ext_oneapi_get_kernel("unpack"));
     }).wait();
    const double expected[] = {5, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10.5, 11.5, 12.5, 13, 14, 15, 16, 17};
    for (std::size_t i = 0; i < out.size(); ++i) {
      CAPTURE(i);
      CHECK(out[i] == expected[i]);
    }
  });
}
