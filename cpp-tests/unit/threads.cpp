// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several threads at once (kernel-compiler.md T1 to T3, D-16).

#include "support.hpp"

#include <atomic>
#include <thread>

namespace syclex = sycl::ext::oneapi::experimental;

namespace {
template <class Work> void in_threads(int count, Work work) {
  std::vector<std::thread> threads;
  threads.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i)
    threads.emplace_back([i, &work] { work(i); });
  for (std::thread &each : threads)
    each.join();
}
} // namespace

// doctest's checks are not for use in threads without its own locks, so the threads count and the main one checks.

TEST_CASE("builds, good and bad, at the same time: each result and log is its own (T1, T2)") {
  std::atomic<int> right{0}, wrong{0};
  constexpr int threads = 8, rounds = 5;
  in_threads(threads, [&](int thread) {
    for (int round = 0; round < rounds; ++round) {
      const std::string tag = std::to_string(thread) + "_" + std::to_string(round);
      sycl::queue q;
      try {
        const bool bad = (thread + round) % 2 == 0;
        const std::string text = bad ? "int x = undeclared_" + tag + ";\n"
                                     : "TASK k_" + tag + "(int *out) { *out = " + std::to_string(100 * thread + round) + "; }\n";
        const auto source = syclex::create_kernel_bundle_from_source(
            q.get_context(), syclex::source_language::sycl, support::prelude + text);
        const auto bundle = syclex::build(source);
        int *out = sycl::malloc_shared<int>(1, q);
        q.submit([&](sycl::handler &group) {
           group.set_args(out);
           group.single_task(bundle.ext_oneapi_get_kernel("k_" + tag));
         }).wait();
        ++(*out == 100 * thread + round && !bad ? right : wrong);
        sycl::free(out, q);
      } catch (const sycl::exception &e) {
        const bool own = e.code() == sycl::errc::build && support::contains(e.what(), "'undeclared_" + tag + "'");
        ++(own ? right : wrong);
      }
    }
  });
  CHECK(right == threads * rounds);
  CHECK(wrong == 0);
}

TEST_CASE("one source bundle built by all threads, one kernel launched by all threads (T1)") {
  sycl::queue q;
  const auto source = support::source(q, support::iota);
  const auto shared = syclex::build(source);
  const sycl::kernel kernel = shared.ext_oneapi_get_kernel("iota");
  std::atomic<int> right{0}, wrong{0};
  constexpr int threads = 8, rounds = 50;
  in_threads(threads, [&](int thread) {
    try {
      const sycl::kernel own = syclex::build(source).ext_oneapi_get_kernel("iota");
      int *out = sycl::malloc_shared<int>(64, q);
      for (int round = 0; round < rounds; ++round) {
        const int start = 1000 * thread + round;
        q.submit([&](sycl::handler &group) {
           group.set_args(start, out);
           group.parallel_for(sycl::nd_range<1>({64}, {16}), round % 2 == 0 ? kernel : own);
         }).wait();
        ++(out[0] == start && out[63] == start + 63 ? right : wrong);
      }
      sycl::free(out, q);
    } catch (const sycl::exception &) {
      ++wrong;
    }
  });
  CHECK(right == threads * rounds);
  CHECK(wrong == 0);
}

TEST_CASE("look-ups and information from all threads") {
  const sycl::queue q;
  const auto bundle = support::build(q, support::iota);
  std::atomic<int> right{0};
  in_threads(8, [&](int) {
    for (int i = 0; i < 200; ++i) {
      if (bundle.ext_oneapi_has_kernel("iota") && !bundle.ext_oneapi_has_kernel("other") &&
          bundle.ext_oneapi_get_kernel("iota").get_info<sycl::info::kernel::num_args>() == 2 &&
          sycl::device::get_devices().front() == sycl::device::get_devices().front())
        ++right;
    }
  });
  CHECK(right == 1600);
}
