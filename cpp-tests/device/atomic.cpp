// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// atomic_ref: each operation, type, order and address space (device.md section 3).

#include "device_test.hpp"

#include <cstdint>
#include <type_traits>

namespace {

template <class T>
void check(sycl::queue &q, const support::executable_bundle &bundle, const std::string &name, std::size_t global) {
  CAPTURE(name);
  const support::shared_array<T> cells(q, 16);
  cells[1] = cells[13] = T(5000);
  cells[2] = T(100);
  cells[10] = static_cast<T>(-1);
  std::vector<T> expected(cells.get(), cells.get() + 16);
  device_test::launch(q, bundle.ext_oneapi_get_kernel(name), sycl::nd_range<1>(global, 64), cells.get());

  const auto count = static_cast<T>(global);
  expected[0] = static_cast<T>(global * (global + 1) / 2);
  expected[1] = T(5000) - count;
  expected[2] = T(5);
  expected[3] = T(2) * (count - T(1));
  expected[4] = T(2) * count;
  expected[5] = T(7);
  expected[6] = expected[8] = T(3) * count;
  expected[7] = T(9);
  if constexpr (std::is_integral_v<T>) {
    for (std::size_t i = 0; i < global; ++i) {
      const auto bit = static_cast<T>(T(1) << (i % 31));
      expected[9] = expected[9] | bit;
      expected[10] = expected[10] & static_cast<T>(~bit);
      expected[11] = expected[11] ^ bit;
    }
    expected[12] = T(2) * count;
    expected[13] = T(5000) - count;
    expected[14] = expected[9];
  }
  CHECK(std::vector<T>(cells.get(), cells.get() + 16) == expected);
}

template <class T> void check_all(sycl::queue &q, const support::executable_bundle &bundle, const std::string &type) {
  for (const char *kind : {"global_relaxed", "global_acq_rel", "global_seq_cst", "generic_relaxed", "generic_acq_rel"})
    check<T>(q, bundle, type + "_" + kind, 1024);
  for (const char *kind : {"local_relaxed", "local_acq_rel"})
    check<T>(q, bundle, type + "_" + kind, 64);
}

} // namespace

TEST_CASE("atomic operations lose no update") {
  device_test::with_kernels("kernels/atomic.cpp", [](sycl::queue &q, const support::executable_bundle &bundle) {
    check_all<int>(q, bundle, "int");
    check_all<unsigned>(q, bundle, "unsigned");
    check_all<float>(q, bundle, "float");
    if (!q.get_device().has(sycl::aspect::atomic64)) {
      MESSAGE("types of 8 bytes are not tested: the device has no atomic64");
      return;
    }
    check_all<long>(q, bundle, "long");
    check_all<unsigned long>(q, bundle, "unsigned_long");
    check_all<long long>(q, bundle, "long_long");
    check_all<unsigned long long>(q, bundle, "unsigned_long_long");
    if (q.get_device().has(sycl::aspect::fp64))
      check_all<double>(q, bundle, "double");
  });
}

TEST_CASE("atomic pointers count elements") {
  device_test::with_kernels("kernels/atomic.cpp", [](sycl::queue &q, const support::executable_bundle &bundle) {
    if (!q.get_device().has(sycl::aspect::atomic64))
      return;
    const support::shared_array<int> target(q, 1000);
    const support::shared_array<int *> cells(q, 2, target.get());
    device_test::launch(q, bundle.ext_oneapi_get_kernel("pointers"), sycl::nd_range<1>(128, 32), cells.get());
    CHECK(cells[0] == target.get() + 2 * 128);
    CHECK(cells[1] == target.get() + 2 * 128);
  });
}
