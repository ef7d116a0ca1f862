// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// sycl_ext_oneapi_enqueue_functions (runtime.md 11.1).

#include "support.hpp"

namespace syclex = sycl::ext::oneapi::experimental;

TEST_CASE("every function with a queue and with a handler") {
  sycl::queue q{sycl::property::queue::in_order{}};
  constexpr std::size_t n = 256;
  const auto bundle = support::build(q, support::iota + "TASK task(int *out, int value) { out[0] = value; }\n");
  const sycl::kernel iota = bundle.ext_oneapi_get_kernel("iota");
  const sycl::kernel task = bundle.ext_oneapi_get_kernel("task");
  support::shared_array<int> a(q, n), b(q, n);

  syclex::nd_launch(q, sycl::nd_range<1>({n}, {16}), iota, 7, a.get());
  syclex::copy(q, a.get(), b.get(), n);
  q.wait();
  CHECK(b[n - 1] == 7 + static_cast<int>(n) - 1);

  syclex::submit(q, [&](sycl::handler &group) {
    syclex::nd_launch(group, syclex::launch_config(sycl::nd_range<1>({n}, {16})), iota, 1, a.get());
  });
  syclex::submit(q, syclex::properties{}, [&](sycl::handler &group) {
    syclex::memcpy(group, b.get(), a.get(), n * sizeof(int));
  });
  q.wait();
  CHECK(b[2] == 3);

  syclex::parallel_for(q, sycl::range<1>(n), iota, 2, a.get());
  q.wait();
  CHECK(a[2] == 4);
  syclex::parallel_for(q, syclex::launch_config(sycl::range<1>(n)), iota, 3, a.get());
  q.wait();
  CHECK(a[2] == 5);
  syclex::submit(q, [&](sycl::handler &group) { syclex::parallel_for(group, sycl::range<1>(n), iota, 4, a.get()); });
  q.wait();
  CHECK(a[2] == 6);

  syclex::single_task(q, task, a.get(), 99);
  sycl::event done = syclex::submit_with_event(
      q, [&](sycl::handler &group) { syclex::single_task(group, task, b.get(), 98); });
  done.wait();
  CHECK(a[0] == 99);
  CHECK(b[0] == 98);

  syclex::memset(q, a.get(), 1, n * sizeof(int));
  syclex::submit(q, [&](sycl::handler &group) { syclex::memset(group, b.get(), 0, n * sizeof(int)); });
  q.wait();
  CHECK(a[n - 1] == 0x01010101);
  CHECK(b[n - 1] == 0);
  syclex::fill(q, a.get(), 5, n);
  syclex::submit(q, [&](sycl::handler &group) { syclex::fill(group, b.get(), 6, n); });
  syclex::prefetch(q, a.get(), 4);
  syclex::prefetch(q, a.get(), 4, syclex::prefetch_type::host);
  syclex::mem_advise(q, a.get(), 4, 0);
  syclex::submit(q, [&](sycl::handler &group) { syclex::prefetch(group, a.get(), 4); });
  syclex::submit(q, [&](sycl::handler &group) { syclex::mem_advise(group, a.get(), 4, 0); });
  syclex::memcpy(q, a.get() + 1, b.get() + 1, sizeof(int));
  q.wait();
  CHECK(a[0] == 5);
  CHECK(a[1] == 6);
}

TEST_CASE("barrier and partial_barrier on an out-of-order queue") {
  sycl::queue q;
  constexpr std::size_t n = 1 << 16;
  support::shared_array<int> a(q, n), b(q, n), c(q, n);
  for (int round = 1; round <= 10; ++round) {
    syclex::fill(q, a.get(), round, n);
    syclex::barrier(q);
    syclex::copy(q, a.get(), b.get(), n);
    syclex::submit(q, [](sycl::handler &group) { syclex::barrier(group); });
    sycl::event last = syclex::submit_with_event(
        q, syclex::properties{}, [&](sycl::handler &group) { syclex::copy(group, b.get(), c.get(), n); });
    syclex::partial_barrier(q, {last});
    syclex::partial_barrier(q, {});
    syclex::submit(q, [&](sycl::handler &group) { syclex::partial_barrier(group, {last}); });
    q.memset(c.get() + 1, 0, sizeof(int)).wait();
    REQUIRE(c[0] == round);
    REQUIRE(c[1] == 0);
    REQUIRE(c[n - 1] == round);
    q.wait();
  }
}

TEST_CASE("errors are those of the handler") {
  sycl::queue q;
  const auto bundle = support::build(q, support::iota);
  const sycl::kernel iota = bundle.ext_oneapi_get_kernel("iota");
  support::shared_array<int> out(q, 16, -1);
  support::failure(sycl::errc::invalid, [&] { syclex::single_task(q, iota, 1, out.get()); });
  support::failure(sycl::errc::invalid, [&] { syclex::nd_launch(q, sycl::nd_range<1>({16}, {16}), iota, 1); });
  support::failure(sycl::errc::nd_range,
                   [&] { syclex::nd_launch(q, sycl::nd_range<1>({15}, {16}), iota, 1, out.get()); });
  CHECK(out[0] == -1);
}
