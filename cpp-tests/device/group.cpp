// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Group functions and algorithms (device.md section 4).

#include "device_test.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace {

int wrap(std::int64_t value) { return static_cast<int>(static_cast<std::uint32_t>(value)); }

/// What each member of a group of `x` gets, in the order of the kernel's `algorithms`.
std::vector<std::vector<int>> model(const std::vector<int> &x, const std::vector<int> &range) {
  const std::size_t n = x.size();
  std::vector<std::vector<int>> rows;
  const auto uniform = [&](std::int64_t value) { rows.emplace_back(n, wrap(value)); };
  const auto each = [&](auto value) {
    rows.emplace_back();
    for (std::size_t i = 0; i < n; ++i)
      rows.back().push_back(wrap(value(i)));
  };
  const auto count = [&](const std::vector<int> &in, auto test) {
    return static_cast<std::size_t>(std::count_if(in.begin(), in.end(), test));
  };
  const std::int64_t sum = std::accumulate(x.begin(), x.end(), std::int64_t(0));
  std::vector<std::int64_t> before(n + 1, 0);
  for (std::size_t i = 0; i < n; ++i)
    before[i + 1] = before[i] + x[i];

  uniform(sum);
  uniform(*std::min_element(x.begin(), x.end()));
  uniform(*std::max_element(x.begin(), x.end()));
  uniform(std::accumulate(x.begin(), x.end(), 0, [](int a, int b) { return a ^ b; }));
  uniform(1000 + sum);
  each([&](std::size_t i) { return before[i + 1]; });
  each([&](std::size_t i) { return before[i]; });
  each([&](std::size_t i) { return before[i + 1] + 100; });
  each([&](std::size_t i) {
    return i == 0 ? 50 : std::max(50, *std::max_element(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(i)));
  });
  uniform(static_cast<std::int16_t>(sum * 100));
  int largest_byte = 0;
  for (const int v : x)
    largest_byte = std::max(largest_byte, v & 255);
  uniform(largest_byte);
  uniform(sum);
  uniform((sum * 1000000007LL) >> 20);
  std::uint32_t product = 1;
  for (const int v : x)
    product *= static_cast<std::uint32_t>(1 + (v & 1));
  uniform(product);
  uniform(count(x, [](int v) { return v % 5 == 0; }) == 0);
  uniform(count(x, [](int v) { return v == 5; }) != 0);
  uniform(count(x, [](int v) { return v >= 800; }) == 0);
  uniform(count(x, [](int v) { return v > 880; }) == 0);
  uniform(x.front());
  uniform(x.back());
  uniform(3 * x[n / 2] + x[n / 2] % 100);
  std::uint32_t factor = 1, offset = 0;
  each([&](std::size_t i) {
    const std::uint32_t f = static_cast<std::uint32_t>(x[i]) * 2 + 1;
    factor *= f;
    offset = offset * f + static_cast<std::uint32_t>(i);
    return factor ^ offset;
  });
  uniform(std::accumulate(range.begin(), range.end(), std::int64_t(0)));
  uniform(std::accumulate(range.begin(), range.end(), 500, [](int a, int b) { return std::max(a, b); }));
  uniform(count(range, [](int v) { return v == 7; }) != 0);
  uniform(1);
  uniform(count(range, [](int v) { return v == 13; }) == 0);
  return rows;
}
constexpr std::size_t algorithms = 27;

std::vector<int> some_numbers(std::size_t count, unsigned seed) {
  std::vector<int> r(count);
  for (int &v : r) {
    seed = seed * 1664525u + 1013904223u;
    v = static_cast<int>((seed >> 8) % 900u);
  }
  return r;
}

struct memory : support::shared_array<int> {
  memory(const sycl::queue &q, const std::vector<int> &values)
      : shared_array(q, std::max<std::size_t>(values.size(), 1)) {
    std::copy(values.begin(), values.end(), get());
  }
};

void compare(const std::vector<std::vector<int>> &expected, const int *got, std::size_t stride) {
  REQUIRE(expected.size() == algorithms);
  for (std::size_t f = 0; f < algorithms; ++f) {
    CAPTURE(f);
    const int *row = got + f * stride;
    REQUIRE(std::vector<int>(row, row + expected[f].size()) == expected[f]);
  }
}

} // namespace

TEST_CASE("algorithms of work-groups") {
  device_test::with_kernels("kernels/group.cpp", [](sycl::queue &q, const support::executable_bundle &bundle) {
    const std::size_t most = q.get_device().get_info<sycl::info::device::max_work_group_size>();
    for (const std::size_t size :
         {std::size_t(1), std::size_t(7), std::size_t(32), std::size_t(100), std::min<std::size_t>(most, 1024)}) {
      for (const std::size_t count : {0u, 1u, 13u, 300u}) {
        CAPTURE(size);
        CAPTURE(count);
        const std::vector<int> x = some_numbers(size, 1), range = some_numbers(count, 2);
        const memory in(q, x), device_range(q, range);
        const support::shared_array<int> out(q, algorithms * size);
        device_test::launch(q, bundle.ext_oneapi_get_kernel("work_group_1"), sycl::nd_range<1>(size, size), in.get(),
                            device_range.get(), static_cast<int>(count), out.get());
        compare(model(x, range), out.get(), size);
      }
    }
    const std::vector<int> x = some_numbers(60, 3), range = some_numbers(100, 4);
    const memory in(q, x), device_range(q, range);
    const support::shared_array<int> out(q, algorithms * 60);
    device_test::launch(q, bundle.ext_oneapi_get_kernel("work_group_3"), sycl::nd_range<3>({3, 4, 5}, {3, 4, 5}),
                        in.get(), device_range.get(), 100, out.get());
    compare(model(x, range), out.get(), 60);
  });
}

TEST_CASE("algorithms of sub-groups, the last one in part") {
  device_test::with_kernels("kernels/group.cpp", [](sycl::queue &q, const support::executable_bundle &bundle) {
    for (const std::size_t size : {1u, 7u, 32u, 100u}) {
      CAPTURE(size);
      const std::vector<int> x = some_numbers(size, 5), range = some_numbers(50, 6);
      const memory in(q, x), device_range(q, range);
      const support::shared_array<int> out(q, algorithms * size), first(q, size), members(q, size);
      device_test::launch(q, bundle.ext_oneapi_get_kernel("sub_groups"), sycl::nd_range<1>(size, size), in.get(),
                          device_range.get(), 50, out.get(), first.get(), members.get());
      for (std::size_t begin = 0; begin < size;) {
        CAPTURE(begin);
        REQUIRE(first[begin] == static_cast<int>(begin));
        const auto end = begin + static_cast<std::size_t>(members[begin]);
        REQUIRE(end > begin);
        REQUIRE(end <= size);
        compare(model({x.begin() + static_cast<std::ptrdiff_t>(begin), x.begin() + static_cast<std::ptrdiff_t>(end)},
                      range),
                out.get() + begin, size);
        begin = end;
      }
    }
  });
}

TEST_CASE("joint scans, also in place") {
  device_test::with_kernels("kernels/group.cpp", [](sycl::queue &q, const support::executable_bundle &bundle) {
    for (const std::size_t size : {1u, 7u, 64u}) {
      for (const std::size_t count : {0u, 1u, 64u, 65u, 300u}) {
        CAPTURE(size);
        CAPTURE(count);
        const std::vector<int> x = some_numbers(count, 7);
        const memory in(q, x), in_place(q, x);
        const support::shared_array<int> inclusive(q, count + 1, -1), exclusive(q, count + 1, -1), ends(q, 3);
        device_test::launch(q, bundle.ext_oneapi_get_kernel("joint_scans"), sycl::nd_range<1>(size, size), in.get(),
                            static_cast<int>(count), inclusive.get(), exclusive.get(), in_place.get(), ends.get());
        int sum = 0, most = 3;
        for (std::size_t i = 0; i < count; ++i) {
          REQUIRE(exclusive[i] == sum + 7);
          sum += x[i];
          most = std::max(most, x[i]);
          REQUIRE(inclusive[i] == sum);
          REQUIRE(in_place[i] == most);
        }
        CHECK(inclusive[count] == -1);
        CHECK(exclusive[count] == -1);
        for (std::size_t k = 0; k < 3; ++k)
          CHECK(ends[k] == static_cast<int>(count));
      }
    }
  });
}

TEST_CASE("moves within a sub-group, of types of 1 to 16 bytes") {
  device_test::with_kernels("kernels/group.cpp", [](sycl::queue &q, const support::executable_bundle &bundle) {
    for (const std::size_t size : {1u, 7u, 32u, 100u}) {
      CAPTURE(size);
      const memory in(q, some_numbers(size, 8));
      const support::shared_array<int> good(q, size);
      device_test::launch(q, bundle.ext_oneapi_get_kernel("shuffles"), sycl::nd_range<1>(size, size), in.get(),
                          good.get());
      for (std::size_t i = 0; i < size; ++i)
        REQUIRE(good[i] == 63);
    }
  });
}
