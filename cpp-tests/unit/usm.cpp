// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support.hpp"

#include <cstdint>
#include <vector>

using sycl::usm::alloc;

namespace {
struct alignas(256) wide {
  char byte;
};
bool aligned(const void *pointer, std::size_t to) { return reinterpret_cast<std::uintptr_t>(pointer) % to == 0; }
} // namespace

TEST_CASE("all forms of allocation, and what kind they are (runtime.md 8)") {
  const sycl::queue q;
  const sycl::device d = q.get_device();
  const sycl::context c = q.get_context();
  const auto check = [&](void *pointer, alloc kind, std::size_t alignment = 1) {
    REQUIRE(pointer != nullptr);
    CHECK(aligned(pointer, alignment));
    CHECK(sycl::get_pointer_type(pointer, c) == kind);
    CHECK(sycl::get_pointer_device(pointer, c) == d);
    sycl::free(pointer, c);
  };
  check(sycl::malloc_device(100, d, c), alloc::device);
  check(sycl::malloc_device(100, q), alloc::device);
  check(sycl::malloc_device<double>(100, d, c), alloc::device, alignof(double));
  check(sycl::malloc_device<wide>(3, q), alloc::device, alignof(wide));
  check(sycl::aligned_alloc_device(64, 100, d, c), alloc::device, 64);
  check(sycl::aligned_alloc_device(64, 100, q), alloc::device, 64);
  check(sycl::aligned_alloc_device<int>(128, 100, d, c), alloc::device, 128);
  check(sycl::aligned_alloc_device<int>(2, 100, q), alloc::device, alignof(int));

  check(sycl::malloc_host(100, c), alloc::host);
  check(sycl::malloc_host(100, q), alloc::host);
  check(sycl::malloc_host<wide>(3, c), alloc::host, alignof(wide));
  check(sycl::malloc_host<int>(3, q), alloc::host);
  check(sycl::aligned_alloc_host(64, 100, c), alloc::host, 64);
  check(sycl::aligned_alloc_host(64, 100, q), alloc::host, 64);
  check(sycl::aligned_alloc_host<int>(64, 100, c), alloc::host, 64);
  check(sycl::aligned_alloc_host<int>(64, 100, q), alloc::host, 64);

  check(sycl::malloc_shared(100, d, c), alloc::shared);
  check(sycl::malloc_shared(100, q), alloc::shared);
  check(sycl::malloc_shared<wide>(3, d, c), alloc::shared, alignof(wide));
  check(sycl::malloc_shared<int>(3, q), alloc::shared);
  check(sycl::aligned_alloc_shared(64, 100, d, c), alloc::shared, 64);
  check(sycl::aligned_alloc_shared(64, 100, q), alloc::shared, 64);
  check(sycl::aligned_alloc_shared<int>(64, 100, d, c), alloc::shared, 64);
  check(sycl::aligned_alloc_shared<int>(64, 100, q), alloc::shared, 64);

  for (const alloc kind : {alloc::device, alloc::host, alloc::shared}) {
    check(sycl::malloc(100, d, c, kind), kind);
    check(sycl::malloc(100, q, kind), kind);
    check(sycl::malloc<wide>(3, d, c, kind), kind, alignof(wide));
    check(sycl::malloc<int>(3, q, kind), kind);
    check(sycl::aligned_alloc(64, 100, d, c, kind), kind, 64);
    check(sycl::aligned_alloc(64, 100, q, kind), kind, 64);
    check(sycl::aligned_alloc<int>(64, 100, d, c, kind), kind, 64);
    check(sycl::aligned_alloc<int>(64, 100, q, kind), kind, 64);
  }
}

TEST_CASE("what cannot be allocated is null, not an exception (runtime.md 8)") {
  const sycl::queue q;
  CHECK(sycl::malloc_device(std::size_t{1} << 60, q) == nullptr);
  CHECK(sycl::malloc_shared<double>(~std::size_t{0} / 2, q) == nullptr);
  CHECK(sycl::malloc_host<double>(std::size_t{1} << 58, q) == nullptr);
  CHECK(sycl::aligned_alloc_shared(48, 100, q) == nullptr);
  CHECK(sycl::malloc(100, q, alloc::unknown) == nullptr);
}

TEST_CASE("free of null does nothing; zero bytes can be freed (runtime.md 8)") {
  const sycl::queue q;
  sycl::free(nullptr, q);
  sycl::free(nullptr, q.get_context());
  sycl::free(sycl::malloc_shared(0, q), q);
  sycl::free(sycl::malloc_device<int>(0, q), q);
}

TEST_CASE("interior and foreign pointers (runtime.md 8)") {
  const sycl::queue q;
  const sycl::context c = q.get_context();
  support::shared_array<int> data(q, 100);
  CHECK(sycl::get_pointer_type(data.get() + 50, c) == alloc::shared);
  CHECK(sycl::get_pointer_device(data.get() + 99, c) == q.get_device());
  int local = 0;
  CHECK(sycl::get_pointer_type(&local, c) == alloc::unknown);
  CHECK(sycl::get_pointer_type(nullptr, c) == alloc::unknown);
  support::failure(sycl::errc::invalid, [&] { (void)sycl::get_pointer_device(&local, c); });
}

TEST_CASE("a device that is not in the context: invalid (runtime.md 8)") {
  const sycl::queue q;
  for (const sycl::device &other : sycl::device::get_devices()) {
    if (other.get_platform() != q.get_device().get_platform())
      support::failure(sycl::errc::invalid, [&] { (void)sycl::malloc_device(8, other, q.get_context()); });
  }
}

TEST_CASE("usm_allocator serves containers (runtime.md 8)") {
  sycl::queue q;
  using allocator = sycl::usm_allocator<int, alloc::shared, 64>;
  std::vector<int, allocator> numbers(1000, 3, allocator(q));
  CHECK(sycl::get_pointer_type(numbers.data(), q.get_context()) == alloc::shared);
  CHECK(aligned(numbers.data(), 64));
  for (int i = 0; i < 1000; ++i)
    numbers.push_back(i);
  CHECK(numbers.back() == 999);
  CHECK(allocator(q) == allocator(q.get_context(), q.get_device()));
  CHECK(allocator(q) != allocator(sycl::context(q.get_device()), q.get_device()));
  const sycl::usm_allocator<double, alloc::shared, 64> other(numbers.get_allocator());
  CHECK(other == numbers.get_allocator());
  support::failure(sycl::errc::memory_allocation, [&] { (void)allocator(q).allocate(std::size_t{1} << 60); });
}
