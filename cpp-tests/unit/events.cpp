// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support.hpp"

#include <cstdint>

using namespace sycl::info;

TEST_CASE("a default-constructed event is complete (runtime.md 6)") {
  const sycl::event none;
  none.wait();
  none.wait_and_throw();
  CHECK(none.get_info<event::command_execution_status>() == event_command_status::complete);
  CHECK(none == sycl::event());
  support::failure(sycl::errc::invalid, [&] { (void)none.get_profiling_info<event_profiling::command_end>(); });
}

TEST_CASE("profiling (runtime.md 6)") {
  const sycl::device device;
  if (!device.has(sycl::aspect::queue_profiling)) {
    support::failure(sycl::errc::feature_not_supported,
                     [&] { sycl::queue q{device, sycl::property::queue::enable_profiling{}}; });
    return;
  }
  sycl::queue q{device, sycl::property::queue::enable_profiling{}};
  support::shared_array<char> data(q, 1 << 20);
  const sycl::event done = q.memset(data.get(), 1, data.size());
  const auto submit = done.get_profiling_info<event_profiling::command_submit>();
  const auto start = done.get_profiling_info<event_profiling::command_start>();
  const auto end = done.get_profiling_info<event_profiling::command_end>();
  CHECK(submit <= start);
  CHECK(start <= end);
  CHECK(end > 0);
}

TEST_CASE("profiling without the property: invalid (runtime.md 6)") {
  sycl::queue q;
  support::shared_array<char> data(q, 16);
  const sycl::event done = q.memset(data.get(), 1, data.size());
  support::failure(sycl::errc::invalid, [&] { (void)done.get_profiling_info<event_profiling::command_start>(); });
  done.wait();
}

TEST_CASE("events are comparable, copyable and can be waited for in lists") {
  sycl::queue q;
  support::shared_array<char> data(q, 16);
  std::vector<sycl::event> all;
  for (int i = 0; i < 4; ++i)
    all.push_back(q.memset(data.get() + 4 * i, i, 4));
  CHECK(all[0] != all[1]);
  const sycl::event copy = all[0];
  CHECK(copy == all[0]);
  sycl::event::wait(all);
  sycl::event::wait_and_throw(all);
  CHECK(data[15] == 3);
}

TEST_CASE("barriers (runtime.md 5)") {
  sycl::queue q;
  constexpr std::size_t n = 1 << 16;
  support::shared_array<int> a(q, n), b(q, n);
  for (int round = 1; round <= 20; ++round) {
    q.fill(a.get(), round, n);
    q.ext_oneapi_submit_barrier();
    sycl::event copied = q.copy(a.get(), b.get(), n);
    q.ext_oneapi_submit_barrier({copied}).wait();
    REQUIRE(b[n - 1] == round);
  }
  q.ext_oneapi_submit_barrier({}).wait();
  q.ext_oneapi_submit_barrier({sycl::event()}).wait();
}

TEST_CASE("an event of another queue and context is waited for (runtime.md 7.3)") {
  const sycl::device device;
  sycl::queue one{sycl::context(device), device}, two{sycl::context(device), device};
  constexpr std::size_t n = 1 << 16;
  support::shared_array<int> a(one, n), b(two, 1);
  sycl::event filled = one.fill(a.get(), 3, n);
  two.fill(b.get(), 1, 1, filled).wait();
  CHECK(a[n - 1] == 3);
  CHECK(b[0] == 1);
}
