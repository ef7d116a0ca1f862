// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#ifdef __SYCL_DEVICE_ONLY__
#include <sycl/detail/device.hpp>
#else

// What is kept of results: to see and to steer. An extension of this project.

#include <sycl/detail/kernel_bundle_class.hpp>
#include <sycl/ext/oneapi/experimental/kernel_compiler.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace sycl {
inline namespace _V1 {
namespace ext::syclrtc {

/// Where results are kept.
enum class cache_place : std::uint32_t {
  /// In this process.
  memory = SYCLRTC_CACHE_MEMORY,
  /// For all processes of the user.
  disk = SYCLRTC_CACHE_DISK,
};

struct cache_counts {
  std::uint64_t hits = 0;
  std::uint64_t misses = 0;
  std::uint64_t stores = 0;
  /// Those of `native` are among those of `disk`.
  std::uint64_t evictions = 0;
};

/// What this process has counted.
struct cache_statistics {
  /// Results of the compiler program.
  cache_counts memory;
  cache_counts disk;
  /// Binaries of drivers, on disk.
  cache_counts native;
  /// Requests that got what an equal one got that was under way.
  std::uint64_t shared = 0;
  /// Requests that were given to the compiler program.
  std::uint64_t compiles = 0;
  std::uint64_t compiles_running = 0;
  /// Different requests under way.
  std::uint64_t in_flight = 0;
};

struct cache_usage {
  std::uint64_t entries = 0;
  std::uint64_t bytes = 0;
};

[[nodiscard]] inline cache_statistics get_cache_statistics() {
  syclrtc_cache_statistics_t found{};
  found.size = sizeof(found);
  sycl::detail::check(syclrtc_cache_statistics(&found));
  cache_statistics result;
  result.memory = {found.memory_hits, found.memory_misses, found.memory_stores, found.memory_evictions};
  result.disk = {found.disk_hits, found.disk_misses, found.disk_stores, found.disk_evictions};
  result.native = {found.native_hits, found.native_misses, found.native_stores, 0};
  result.shared = found.shared;
  result.compiles = found.compiles;
  result.compiles_running = found.compiles_running;
  result.in_flight = found.in_flight;
  return result;
}

/// How much is there; on disk with what other processes put there.
[[nodiscard]] inline cache_usage get_cache_usage(cache_place place) {
  cache_usage found;
  sycl::detail::check(syclrtc_cache_usage(static_cast<std::uint32_t>(place), &found.entries, &found.bytes));
  return found;
}

/// Folder of the persistent cache, whether or not that is on; empty if there is none.
[[nodiscard]] inline std::string get_cache_folder() {
  sycl::detail::text folder;
  sycl::detail::check(syclrtc_cache_folder(folder.out()));
  return folder.str();
}

[[nodiscard]] inline bool is_cache_enabled(cache_place place) {
  bool enabled = false;
  sycl::detail::check(syclrtc_cache_is_enabled(static_cast<std::uint32_t>(place), &enabled));
  return enabled;
}

/// For later builds of this process. What is there stays there.
inline void set_cache_enabled(cache_place place, bool enabled) {
  sycl::detail::check(syclrtc_cache_set_enabled(static_cast<std::uint32_t>(place), enabled ? 1 : 0));
}

/// In bytes; 0 stands for any number.
[[nodiscard]] inline std::uint64_t get_cache_limit(cache_place place) {
  std::uint64_t bytes = 0;
  sycl::detail::check(syclrtc_cache_limit(static_cast<std::uint32_t>(place), &bytes));
  return bytes;
}

/// For this process. What is too much is removed, the least recently used first.
inline void set_cache_limit(cache_place place, std::uint64_t bytes) {
  sycl::detail::check(syclrtc_cache_set_limit(static_cast<std::uint32_t>(place), bytes));
}

/// Removes everything; from disk what other processes put there, too.
inline void clear_cache(cache_place place) {
  sycl::detail::check(syclrtc_cache_clear(static_cast<std::uint32_t>(place)));
}

/// Ends the compiler program once it has done what it works at. The next compile starts another one.
inline void release_compiler() { sycl::detail::check(syclrtc_compiler_stop()); }

/// The keys under which results of a build are looked for, one for each kind of device; empty where a result is not kept.
template <class PropertyListT = oneapi::experimental::empty_properties_t,
          oneapi::experimental::detail::require_source_options<PropertyListT> = 0>
[[nodiscard]] std::vector<std::string> get_cache_keys(const kernel_bundle<bundle_state::ext_oneapi_source> &source,
                                                      const std::vector<device> &devs, PropertyListT props = {}) {
  const auto options = sycl::detail::source_options_of(props);
  const sycl::detail::build_request request(devs, options);
  sycl::detail::text found;
  sycl::detail::check(syclrtc_kernel_bundle_cache_keys(sycl::detail::object_access::raw(source), request.devices.data(),
                                                       request.devices.size(), &request.options, found.out()));
  const std::string lines = found.str();
  std::vector<std::string> keys;
  for (std::size_t begin = 0, end = 0; (end = lines.find('\n', begin)) != std::string::npos; begin = end + 1)
    keys.push_back(lines.substr(begin, end - begin));
  return keys;
}

} // namespace ext::syclrtc
} // namespace _V1
} // namespace sycl

#endif
