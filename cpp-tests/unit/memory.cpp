// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support.hpp"

#include <cstring>
#include <numeric>

namespace {
struct triple {
  int a;
  char b;
  short c;
};
struct twelve {
  float x[3];
};
} // namespace

TEST_CASE("memcpy and copy between host, device and shared memory (runtime.md 7.4)") {
  sycl::queue q;
  constexpr std::size_t n = 1000;
  std::vector<int> from(n), to(n, -1);
  std::iota(from.begin(), from.end(), 0);
  int *device = sycl::malloc_device<int>(n, q);
  REQUIRE(device != nullptr);
  sycl::event up = q.memcpy(device, from.data(), n * sizeof(int));
  q.copy(device, to.data(), n, up).wait();
  CHECK(from == to);
  q.submit([&](sycl::handler &group) { group.copy(from.data() + 1, device, 1); }).wait();
  q.submit([&](sycl::handler &group) { group.memcpy(to.data(), device, sizeof(int)); }).wait();
  CHECK(to[0] == 1);
  sycl::free(device, q);
}

TEST_CASE("memset takes the value as unsigned char (runtime.md 7.4)") {
  sycl::queue q;
  support::shared_array<unsigned char> data(q, 9, 7);
  q.memset(data.get() + 1, 0x1ff, 7).wait();
  CHECK(data[0] == 7);
  CHECK(data[1] == 0xff);
  CHECK(data[7] == 0xff);
  CHECK(data[8] == 7);
  q.submit([&](sycl::handler &group) { group.memset(data.get(), 1, 1); }).wait();
  CHECK(data[0] == 1);
}

TEST_CASE("fill takes patterns of any size (runtime.md 7.4)") {
  sycl::queue q;
  const auto check = [&](auto pattern, std::size_t count) {
    using T = decltype(pattern);
    CAPTURE(sizeof(T));
    support::shared_array<T> data(q, count + 2);
    std::memset(static_cast<void *>(data.get()), 0, (count + 2) * sizeof(T));
    q.fill(data.get() + 1, pattern, count).wait();
    T zero;
    std::memset(static_cast<void *>(&zero), 0, sizeof(T));
    CHECK(std::memcmp(&data[0], &zero, sizeof(T)) == 0);
    CHECK(std::memcmp(&data[count + 1], &zero, sizeof(T)) == 0);
    for (std::size_t i = 1; i <= count; ++i)
      REQUIRE(std::memcmp(&data[i], &pattern, sizeof(T)) == 0);
  };
  check(char{3}, 5);
  check(short{-3}, 5);
  check(3.5f, 7);
  check(-1.25, 1000);
  check(triple{1, 2, 3}, 33);
  check(twelve{{1, 2, 3}}, 17);
  struct big {
    char bytes[300];
  };
  big pattern = {};
  for (int i = 0; i < 300; ++i)
    pattern.bytes[i] = static_cast<char>(i);
  check(pattern, 11);

  support::shared_array<double> data(q, 4);
  q.submit([&](sycl::handler &group) { group.fill(data.get(), 2.0, 4); }).wait();
  CHECK(data[3] == 2.0);
}

TEST_CASE("zero bytes are always fine, also with null (runtime.md 7.4)") {
  sycl::queue q;
  q.memcpy(nullptr, nullptr, 0).wait();
  q.memset(nullptr, 0, 0).wait();
  q.fill<int>(nullptr, 1, 0).wait();
  q.copy<int>(nullptr, nullptr, 0).wait();
  q.submit([](sycl::handler &group) { group.memcpy(nullptr, nullptr, 0); }).wait();
}

TEST_CASE("null with more than zero bytes: invalid (runtime.md 7.4)") {
  sycl::queue q;
  support::shared_array<int> data(q, 4);
  support::failure(sycl::errc::invalid, [&] { q.memcpy(nullptr, data.get(), 4); });
  support::failure(sycl::errc::invalid, [&] { q.memcpy(data.get(), nullptr, 4); });
  support::failure(sycl::errc::invalid, [&] { q.memset(nullptr, 0, 4); });
  support::failure(sycl::errc::invalid, [&] { q.fill<int>(nullptr, 0, 4); });
  support::failure(sycl::errc::invalid, [&] {
    q.submit([&](sycl::handler &group) { group.memcpy(nullptr, data.get(), 4); });
  });
  support::failure(sycl::errc::invalid, [&] { q.copy<int>(data.get(), data.get(), ~std::size_t{0}); });
}

TEST_CASE("prefetch and mem_advise are hints (runtime.md 7.4)") {
  sycl::queue q;
  support::shared_array<int> data(q, 4, 5);
  q.prefetch(data.get(), 16).wait();
  q.mem_advise(data.get(), 16, 0, q.prefetch(data.get(), 16)).wait();
  q.submit([&](sycl::handler &group) { group.prefetch(data.get(), 16); }).wait();
  q.submit([&](sycl::handler &group) { group.mem_advise(data.get(), 16, 12345); }).wait();
  CHECK(data[3] == 5);
}
