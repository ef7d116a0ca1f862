// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is kept of results (docs/caching.md).

#include "support.hpp"

#include <algorithm>

namespace syclex = sycl::ext::oneapi::experimental;
namespace syclrtc = sycl::ext::syclrtc;
using syclrtc::cache_place;

namespace {

std::string kernel(int value) { return "TASK k(int *out) { *out = " + std::to_string(value) + "; }\n"; }

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

TEST_CASE("an equal build is counted as a hit and gives another bundle (K1, K2)") {
  const sycl::queue q;
  const auto before = syclrtc::get_cache_statistics();
  const auto first = support::build(q, kernel(1));
  const auto fresh = syclrtc::get_cache_statistics();
  CHECK(fresh.compiles == before.compiles + 1);
  CHECK(fresh.memory.misses == before.memory.misses + 1);
  CHECK(fresh.memory.stores == before.memory.stores + 1);
  const auto second = support::build(q, kernel(1));
  const auto hit = syclrtc::get_cache_statistics();
  CHECK(hit.compiles == fresh.compiles);
  CHECK(hit.memory.hits == fresh.memory.hits + 1);
  CHECK(hit.compiles_running == 0);
  CHECK(hit.in_flight == 0);
  CHECK(first != second);
  CHECK(first.ext_oneapi_get_kernel("k") != second.ext_oneapi_get_kernel("k"));
  CHECK(run(q, first) == 1);
  CHECK(run(q, second) == 1);
}

TEST_CASE("the log of a hit has its warnings, with the name of its own main file (K9)") {
  const sycl::queue q;
  const std::string text = "#warning mind the gap\n" + kernel(2);
  std::string logs[2];
  for (std::string &log : logs)
    (void)support::build(q, text, syclex::save_log(&log));
  CHECK_CONTAINS(logs[0], "mind the gap");
  CHECK_CONTAINS(logs[1], "mind the gap");
  CHECK(logs[0] != logs[1]);
}

TEST_CASE("the cache in memory can be switched off, bounded and cleared") {
  const sycl::queue q;
  CHECK(syclrtc::is_cache_enabled(cache_place::memory));
  const auto compiles = [&](int value) {
    const auto before = syclrtc::get_cache_statistics().compiles;
    (void)support::build(q, kernel(value));
    return syclrtc::get_cache_statistics().compiles - before;
  };
  CHECK(compiles(3) == 1);
  CHECK(compiles(3) == 0);
  syclrtc::set_cache_enabled(cache_place::memory, false);
  CHECK(!syclrtc::is_cache_enabled(cache_place::memory));
  CHECK(compiles(3) == 1);
  syclrtc::set_cache_enabled(cache_place::memory, true);
  CHECK(compiles(3) == 0);

  const auto usage = syclrtc::get_cache_usage(cache_place::memory);
  CHECK(usage.entries > 0);
  CHECK(usage.bytes > usage.entries);
  const auto limit = syclrtc::get_cache_limit(cache_place::memory);
  CHECK(limit == 8 << 20);
  syclrtc::set_cache_limit(cache_place::memory, 1);
  CHECK(syclrtc::get_cache_limit(cache_place::memory) == 1);
  CHECK(syclrtc::get_cache_usage(cache_place::memory).entries == 0);
  CHECK(syclrtc::get_cache_statistics().memory.evictions >= usage.entries);
  CHECK(compiles(3) == 1);
  CHECK(compiles(3) == 1);
  syclrtc::set_cache_limit(cache_place::memory, limit);
  CHECK(compiles(3) == 1);
  syclrtc::clear_cache(cache_place::memory);
  CHECK(syclrtc::get_cache_usage(cache_place::memory).bytes == 0);
  CHECK(compiles(3) == 1);
}

TEST_CASE("keys tell requests apart (D-03)") {
  const sycl::queue q;
  const auto source = support::source(q, kernel(4));
  const std::vector<sycl::device> devices{q.get_device()};
  const auto keys_with = [&](std::vector<std::string> options) {
    return syclrtc::get_cache_keys(source, devices, syclex::properties{syclex::build_options(options)});
  };
  const auto keys = syclrtc::get_cache_keys(source, devices);
  REQUIRE(keys.size() == 1);
  CHECK(keys[0].size() == 64);
  CHECK(keys == keys_with({}));
  CHECK(keys == syclrtc::get_cache_keys(support::source(q, kernel(4)), devices));
  std::vector<std::string> all = {keys[0], keys_with({"-DA=1", "-DB=2"})[0], keys_with({"-DA=1 -DB=2"})[0],
                                  keys_with({"-DB=2", "-DA=1"})[0],
                                  syclrtc::get_cache_keys(support::source(q, kernel(5)), devices)[0]};
  std::sort(all.begin(), all.end());
  CHECK(std::unique(all.begin(), all.end()) == all.end());
  // A trace of the compile is never from a cache.
  CHECK(keys_with({"-ftime-trace"}) == std::vector<std::string>{""});
}

TEST_CASE("the compiler program can be ended, and the next build starts another one") {
  const sycl::queue q;
  CHECK(run(q, support::build(q, kernel(6))) == 6);
  syclrtc::release_compiler();
  syclrtc::release_compiler();
  CHECK(run(q, support::build(q, kernel(7))) == 7);
}

TEST_CASE("an unknown place is an error of the C interface") {
  sycl::detail::error_handle failure(syclrtc_cache_clear(7));
  REQUIRE(failure.get() != nullptr);
  CHECK(syclrtc_error_code(failure.get()) == SYCLRTC_ERROR_INVALID);
}
