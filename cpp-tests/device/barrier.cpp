// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Barriers and fences (device.md section 3).

#include "device_test.hpp"

namespace {

/// What the kernels' exchange does, one round after the other.
std::vector<int> exchanged(std::vector<int> data, std::size_t size, int rounds) {
  for (int round = 1; round <= rounds; ++round) {
    const std::vector<int> old = data;
    for (std::size_t i = 0; i < data.size(); ++i)
      data[i] = old[i / size * size + (i % size + static_cast<std::size_t>(round)) % size] * 3 + round;
  }
  return data;
}

std::vector<int> some_numbers(std::size_t count) {
  std::vector<int> r(count);
  for (std::size_t i = 0; i < count; ++i)
    r[i] = static_cast<int>(i * 7 % 101);
  return r;
}

struct memory {
  memory(const sycl::queue &q, const std::vector<int> &values) : array(q, values.size()) {
    std::copy(values.begin(), values.end(), array.get());
  }
  std::vector<int> values() const { return {array.get(), array.get() + array.size()}; }
  support::shared_array<int> array;
};

} // namespace

TEST_CASE("work-items of a group exchange through global memory") {
  device_test::with_kernels("kernels/barrier.cpp", [](sycl::queue &q, const support::executable_bundle &bundle) {
    const auto run = [&](const char *name, auto range) {
      CAPTURE(name);
      const std::vector<int> before = some_numbers(range.get_global_range().size());
      const memory data(q, before);
      device_test::launch(q, bundle.ext_oneapi_get_kernel(name), range, data.array.get(), 9);
      CHECK(data.values() == exchanged(before, range.get_local_range().size(), 9));
    };
    for (const std::size_t local : {1u, 7u, 32u, 100u}) {
      run("group_barrier_1", sycl::nd_range<1>(local * 3, local));
      run("deprecated_barrier", sycl::nd_range<1>(local * 3, local));
    }
    run("group_barrier_2", sycl::nd_range<2>({8, 10}, {4, 5}));
    run("group_barrier_3", sycl::nd_range<3>({2, 6, 12}, {2, 3, 4}));
  });
}

TEST_CASE("values move round a work-group through local memory") {
  device_test::with_kernels("kernels/barrier.cpp", [](sycl::queue &q, const support::executable_bundle &bundle) {
    for (const std::size_t local : {1u, 13u, 64u, 200u}) {
      CAPTURE(local);
      const std::vector<int> before = some_numbers(local * 4);
      const memory data(q, before);
      device_test::launch(q, bundle.ext_oneapi_get_kernel("local_rotation"), sycl::nd_range<1>(local * 4, local),
                          data.array.get(), 5);
      for (std::size_t i = 0; i < before.size(); ++i)
        REQUIRE(data.array[i] == before[i / local * local + (i % local + 5) % local]);
    }
  });
}

TEST_CASE("members of a sub-group exchange") {
  device_test::with_kernels("kernels/barrier.cpp", [](sycl::queue &q, const support::executable_bundle &bundle) {
    const std::vector<int> before = some_numbers(150);
    const memory data(q, before);
    device_test::launch(q, bundle.ext_oneapi_get_kernel("sub_group_exchange"), sycl::nd_range<1>(150, 50),
                        data.array.get(), 6);
    CHECK(data.values() == before);
  });
}

TEST_CASE("a message with fences arrives") {
  device_test::with_kernels("kernels/barrier.cpp", [](sycl::queue &q, const support::executable_bundle &bundle) {
    const support::shared_array<int> data(q, 64), flags(q, 64), seen(q, 64 * 32);
    device_test::launch(q, bundle.ext_oneapi_get_kernel("message"), sycl::nd_range<1>(64 * 32, 32), data.get(),
                        flags.get(), seen.get());
    for (std::size_t i = 0; i < seen.size(); ++i)
      REQUIRE(seen[i] == 4711 + static_cast<int>(i / 32));
  });
}
