// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builds in the background (docs/extensions.md).

#include "support.hpp"

#include <chrono>
#include <thread>

namespace syclex = sycl::ext::oneapi::experimental;
namespace syclrtc = sycl::ext::syclrtc;
using syclrtc::build_stage;
using syclrtc::build_status;
using namespace std::chrono_literals;

namespace {

std::string kernel(int value) { return "TASK k(int *out) { *out = " + std::to_string(value) + "; }\n"; }

/// Never ends, as far as a test is concerned.
std::string endless(int value) {
  return "constexpr unsigned long long count() { unsigned long long n = 0;\n"
         "  for (unsigned long long i = 0; i < 1000000000; ++i) n += i % 7; return n; }\n"
         "constexpr unsigned long long counted = count();\n" +
         kernel(value);
}

syclrtc::pending_build start_endless(const sycl::queue &q, int value) {
  const syclex::properties patient{syclex::build_options(std::string("-fconstexpr-steps=2147483647"))};
  syclrtc::pending_build pending = syclrtc::build_async(support::source(q, endless(value)), patient);
  while (pending.stage() < build_stage::compiling)
    std::this_thread::sleep_for(1ms);
  return pending;
}

int run(const sycl::queue &queue, const support::executable_bundle &bundle) {
  sycl::queue q = queue;
  support::shared_array<int> out(q, 1, 0);
  q.submit([&](sycl::handler &group) {
     group.set_args(out.get());
     group.single_task(bundle.ext_oneapi_get_kernel("k"));
   }).wait();
  return out[0];
}

} // namespace

TEST_CASE("the result is that of build, for whoever asks and as often as he does") {
  const sycl::queue q;
  const syclrtc::pending_build pending = syclrtc::build_async(support::source(q, kernel(1)));
  pending.wait();
  CHECK(pending.wait_for(0s));
  CHECK(pending.status() == build_status::succeeded);
  CHECK(pending.stage() == build_stage::done);
  const syclrtc::pending_build copy = pending;
  CHECK(copy == pending);
  CHECK(std::hash<syclrtc::pending_build>()(copy) == std::hash<syclrtc::pending_build>()(pending));
  const auto bundle = pending.get();
  CHECK(copy.get() == bundle);
  CHECK(run(q, bundle) == 1);
  // Too late to be cancelled.
  pending.cancel();
  CHECK(pending.get() == bundle);
}

TEST_CASE("many builds at a time, with names and options") {
  const sycl::queue q;
  std::vector<syclrtc::pending_build> all;
  for (int i = 0; i < 12; ++i) {
    const syclex::properties props{syclex::build_options(std::string("-DVALUE=" + std::to_string(i))),
                                   syclex::registered_names(std::string("t<int>"))};
    const auto source = support::source(q, "template <class T> SYCL_EXT_ONEAPI_FUNCTION_PROPERTY("
                                           "(syclexp::single_task_kernel)) void t(T *out) { *out = VALUE; }\n");
    all.push_back(syclrtc::build_async(source, {q.get_device()}, props));
  }
  for (int i = 0; i < 12; ++i) {
    const sycl::kernel k = all[static_cast<std::size_t>(i)].get().ext_oneapi_get_kernel("t<int>");
    sycl::queue mine = q;
    support::shared_array<int> out(q, 1, -1);
    mine.submit([&](sycl::handler &group) {
          group.set_args(out.get());
          group.single_task(k);
        }).wait();
    CHECK(out[0] == i);
  }
}

TEST_CASE("get throws what build throws") {
  const sycl::queue q;
  const syclrtc::pending_build bad = syclrtc::build_async(support::source(q, "int x = nope;\n"));
  for (int i = 0; i < 2; ++i)
    CHECK_CONTAINS(support::failure(sycl::errc::build, [&] { (void)bad.get(); }), "nope");
  CHECK(bad.status() == build_status::failed);
  try {
    (void)bad.get();
  } catch (const sycl::exception &e) {
    CHECK(syclrtc::get_diagnostics(e).size() == 1);
  }
  const syclex::properties unknown{syclex::build_options(std::string("--no-such-option"))};
  const syclrtc::pending_build refused = syclrtc::build_async(support::source(q, kernel(2)), unknown);
  CHECK_CONTAINS(support::failure(sycl::errc::invalid, [&] { (void)refused.get(); }), "--no-such-option");
  // What was moved from is an error, not a crash.
  syclrtc::pending_build moved = syclrtc::build_async(support::source(q, kernel(2)));
  const syclrtc::pending_build here = std::move(moved);
  (void)support::failure(sycl::errc::invalid, [&] { (void)moved.get(); });
  CHECK(run(q, here.get()) == 2);
}

TEST_CASE("a build that is cancelled ends at once") {
  const sycl::queue q;
  const syclrtc::pending_build pending = start_endless(q, 3);
  CHECK(pending.status() == build_status::running);
  CHECK(!pending.wait_for(20ms));
  const auto begin = std::chrono::steady_clock::now();
  pending.cancel();
  CHECK_CONTAINS(support::failure(sycl::errc::runtime, [&] { (void)pending.get(); }), "the build was cancelled");
  CHECK(std::chrono::steady_clock::now() - begin < 5s);
  CHECK(pending.status() == build_status::cancelled);
  CHECK(run(q, support::build(q, kernel(3))) == 3);
}

TEST_CASE("a handle may be dropped while its build runs") {
  const sycl::queue q;
  const auto before = syclrtc::get_cache_statistics().compiles;
  (void)syclrtc::build_async(support::source(q, kernel(4)));
  while (syclrtc::get_cache_statistics().compiles == before || syclrtc::get_cache_statistics().in_flight > 0)
    std::this_thread::sleep_for(1ms);
  // It has gone on to the end.
  const auto compiles = syclrtc::get_cache_statistics().compiles;
  CHECK(run(q, support::build(q, kernel(4))) == 4);
  CHECK(syclrtc::get_cache_statistics().compiles == compiles);
  // The process ends while this one runs.
  (void)start_endless(q, 5);
}
