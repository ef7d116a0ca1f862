// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Handles, copies and who keeps whom alive (runtime.md G1, kernel-compiler.md T4 to T7).

#include "support.hpp"

#include <optional>

namespace syclex = sycl::ext::oneapi::experimental;

TEST_CASE("a kernel keeps its code alive after bundle, source and queue are gone (T4, T5)") {
  std::optional<sycl::kernel> kernel;
  {
    const sycl::queue q;
    kernel = support::build(q, support::iota).ext_oneapi_get_kernel("iota");
  }
  sycl::queue q;
  support::shared_array<int> out(q, 16);
  q.submit([&](sycl::handler &group) {
     group.set_args(1, out.get());
     group.parallel_for(sycl::nd_range<1>({16}, {16}), *kernel);
   }).wait();
  CHECK(out[15] == 16);
  CHECK(kernel->get_kernel_bundle().ext_oneapi_has_kernel("iota"));
}

TEST_CASE("a launch keeps its kernel alive until it is done") {
  sycl::queue q;
  constexpr std::size_t n = 1 << 20;
  support::shared_array<int> out(q, n);
  sycl::event done = q.submit([&](sycl::handler &group) {
    group.set_args(1, out.get());
    group.parallel_for(sycl::nd_range<1>({n}, {64}), support::build(q, support::iota).ext_oneapi_get_kernel("iota"));
  });
  done.wait();
  CHECK(out[n - 1] == static_cast<int>(n));
}

TEST_CASE("a bundle keeps its context alive (T5)") {
  std::optional<support::executable_bundle> bundle;
  {
    const sycl::device d;
    const sycl::queue q{sycl::context(d), d};
    bundle = support::build(q, support::iota);
  }
  CHECK(bundle->get_context().get_devices().size() == 1);
  sycl::queue q{bundle->get_context(), bundle->get_devices().front()};
  support::shared_array<int> out(q, 16);
  q.submit([&](sycl::handler &group) {
     group.set_args(1, out.get());
     group.parallel_for(sycl::nd_range<1>({16}, {16}), bundle->ext_oneapi_get_kernel("iota"));
   }).wait();
  CHECK(out[0] == 1);
}

namespace {
/// A moved-from object may be copied, compared, assigned and destroyed; other calls throw `invalid`.
template <class T, class Use> void moved_from(T object, Use use) {
  const T original = object;
  T target = std::move(object);
  CHECK(target == original);
  T copy = object; // NOLINT: what happens then is the point
  CHECK(copy == object);
  CHECK(object != original);
  CHECK(std::hash<T>()(copy) == std::hash<T>()(object));
  support::failure(sycl::errc::invalid, [&] { use(object); });
  object = target;
  CHECK(object == original);
  use(object);
  object = std::move(object); // NOLINT
  CHECK(object == original);
}
} // namespace

TEST_CASE("moved-from objects are defined") {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Wunknown-warning-option"
#pragma GCC diagnostic ignored "-Wself-move"
  sycl::queue q;
  const auto source = support::source(q, support::iota);
  const auto bundle = syclex::build(source);
  moved_from(q.get_device().get_platform(), [](const sycl::platform &p) { (void)p.get_devices(); });
  moved_from(q.get_device(), [](const sycl::device &d) { (void)d.get_info<sycl::info::device::name>(); });
  moved_from(q.get_context(), [](const sycl::context &c) { (void)c.get_devices(); });
  moved_from(q, [](sycl::queue &moved) { moved.wait(); });
  moved_from(bundle, [](const support::executable_bundle &b) { (void)b.ext_oneapi_get_kernel("iota"); });
  moved_from(source, [](const support::source_bundle &s) { (void)syclex::build(s); });
  moved_from(bundle.ext_oneapi_get_kernel("iota"),
             [](const sycl::kernel &k) { (void)k.get_info<sycl::info::kernel::num_args>(); });
  sycl::event event = q.memset(nullptr, 0, 0);
  sycl::event target = std::move(event);
  event.wait(); // NOLINT: as a default-constructed one
  target.wait();
#pragma GCC diagnostic pop
}

TEST_CASE("builds in a loop are independent and give their memory back (B6, T7)") {
  const sycl::queue q;
  const auto source = support::source(q, support::iota);
  std::optional<sycl::kernel> first;
  for (int i = 0; i < 20; ++i) {
    const sycl::kernel kernel = syclex::build(source).ext_oneapi_get_kernel("iota");
    if (first)
      CHECK(kernel != *first);
    else
      first = kernel;
  }
}
