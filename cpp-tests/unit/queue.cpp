// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support.hpp"

TEST_CASE("constructors of queue (runtime.md 5)") {
  const sycl::device device;
  const sycl::context context(device);
  const auto ignore = [](sycl::exception_list) {};
  const auto cpu_or_any = [](const sycl::device &) { return 1; };
  CHECK(sycl::queue().get_device() == device);
  CHECK(sycl::queue(sycl::default_selector_v).get_device() == device);
  CHECK(sycl::queue(sycl::default_selector_v, ignore).get_device() == device);
  CHECK(sycl::queue(device).get_device() == device);
  CHECK(sycl::queue(device, ignore).get_device() == device);
  CHECK(sycl::queue(context, device).get_context() == context);
  CHECK(sycl::queue(context, sycl::default_selector_v, ignore).get_context() == context);
  CHECK(sycl::queue(cpu_or_any).get_device() == sycl::device::get_devices().front());
  CHECK(sycl::queue(sycl::property::queue::in_order{}).is_in_order());
  CHECK(sycl::queue{device, sycl::property::queue::in_order{}}.is_in_order());
  CHECK(sycl::queue{sycl::default_selector_v, {sycl::property::queue::in_order{}}}.is_in_order());
  CHECK_FALSE(sycl::queue().is_in_order());
}

TEST_CASE("queues of one platform share the default context (R)") {
  const sycl::queue one, two(sycl::device{});
  CHECK(one != two);
  CHECK(one.get_context() == two.get_context());
  CHECK(one.get_context() == one.get_device().get_platform().ext_oneapi_get_default_context());
  CHECK(one.get_info<sycl::info::queue::context>() == one.get_context());
  CHECK(one.get_info<sycl::info::queue::device>() == one.get_device());
  CHECK(one.get_backend() == one.get_device().get_backend());
}

TEST_CASE("a device that is not in the context: invalid") {
  for (const sycl::device &other : sycl::device::get_devices()) {
    const sycl::device device;
    if (other == device)
      continue;
    const sycl::context context(device);
    support::failure(sycl::errc::invalid, [&] { sycl::queue q(context, other); });
  }
}

TEST_CASE("properties of a queue") {
  const sycl::queue q{sycl::property_list{sycl::property::queue::enable_profiling{},
                                          sycl::ext::oneapi::property::queue::priority_low{}}};
  CHECK(q.has_property<sycl::property::queue::enable_profiling>());
  CHECK(q.has_property<sycl::ext::oneapi::property::queue::priority_low>());
  CHECK_FALSE(q.has_property<sycl::property::queue::in_order>());
  support::failure(sycl::errc::invalid, [&] { (void)q.get_property<sycl::property::queue::in_order>(); });
}

TEST_CASE("copies are the same queue (runtime.md G1)") {
  const sycl::queue q;
  const sycl::queue copy = q; // NOLINT
  CHECK(copy == q);
  CHECK(std::hash<sycl::queue>()(copy) == std::hash<sycl::queue>()(q));
}

TEST_CASE("an exception in the command-group function leaves submit and nothing is enqueued (runtime.md E7)") {
  sycl::queue q;
  support::shared_array<int> data(q, 4, 1);
  CHECK_THROWS_AS(q.submit([&](sycl::handler &group) {
    group.memset(data.get(), 0, 4 * sizeof(int));
    throw 5;
  }),
                  int);
  q.wait();
  CHECK(data[0] == 1);
}

TEST_CASE("a second command in a group: runtime (runtime.md 7.2, row 1)") {
  sycl::queue q;
  support::shared_array<int> data(q, 4, 1);
  support::failure(sycl::errc::runtime, [&] {
    q.submit([&](sycl::handler &group) {
      group.memset(data.get(), 0, 4);
      group.memset(data.get(), 0, 4);
    });
  });
  q.wait();
  CHECK(data[0] == 1);
}

TEST_CASE("the command-group function runs once, before submit returns") {
  sycl::queue q;
  int runs = 0;
  sycl::event done = q.submit([&](sycl::handler &) { ++runs; });
  CHECK(runs == 1);
  done.wait();
  CHECK(done.get_info<sycl::info::event::command_execution_status>() == sycl::info::event_command_status::complete);
  q.wait_and_throw();
}

TEST_CASE("an in-order queue runs commands in order (runtime.md 5)") {
  sycl::queue q{sycl::property::queue::in_order{}};
  constexpr std::size_t n = 4096;
  support::shared_array<int> data(q, n);
  const auto bundle = support::build(q, "KERNEL_1D twice(int *p) {"
                                        "auto i = syclext::this_work_item::get_nd_item<1>().get_global_linear_id();"
                                        "p[i] = 2 * p[i] + 1; }");
  const sycl::kernel twice = bundle.ext_oneapi_get_kernel("twice");
  q.fill(data.get(), 1, n);
  for (int i = 0; i < 10; ++i) {
    q.submit([&](sycl::handler &group) {
      group.set_args(data.get());
      group.parallel_for(sycl::nd_range<1>({n}, {16}), twice);
    });
  }
  q.wait();
  CHECK(data[0] == 2047);
  CHECK(data[n - 1] == 2047);
}

TEST_CASE("depends_on orders commands of an out-of-order queue") {
  sycl::queue q;
  constexpr std::size_t n = 1 << 16;
  support::shared_array<int> a(q, n), b(q, n), c(q, n);
  for (int round = 0; round < 20; ++round) {
    sycl::event first = q.fill(a.get(), round, n);
    sycl::event second = q.submit([&](sycl::handler &group) {
      group.depends_on(first);
      group.memcpy(b.get(), a.get(), n * sizeof(int));
    });
    q.copy(b.get(), c.get(), n, std::vector<sycl::event>{first, second, sycl::event()}).wait();
    REQUIRE(c[0] == round);
    REQUIRE(c[n - 1] == round);
  }
}
