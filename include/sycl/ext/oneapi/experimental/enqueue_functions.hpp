// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#ifdef __SYCL_DEVICE_ONLY__
#include <sycl/detail/device.hpp>
#else

#include <sycl/event.hpp>
#include <sycl/ext/oneapi/properties/properties.hpp>
#include <sycl/handler.hpp>
#include <sycl/kernel.hpp>
#include <sycl/nd_range.hpp>
#include <sycl/queue.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

// sycl_ext_oneapi_enqueue_functions: commands without events. Each function takes a queue or a handler.

namespace sycl {
inline namespace _V1 {
namespace ext::oneapi::experimental {
namespace detail {

template <class T> struct is_launch_range : std::false_type {};
template <int Dimensions> struct is_launch_range<range<Dimensions>> : std::true_type {};
template <int Dimensions> struct is_launch_range<nd_range<Dimensions>> : std::true_type {};

template <class CommandGroup> void submit_without_event(const queue &q, CommandGroup &&group) {
  sycl::detail::command_group::submit(sycl::detail::object_access::raw(q), std::forward<CommandGroup>(group), nullptr);
}

} // namespace detail

/// The extent of a launch with its properties. Those of kernels are fixed when they are compiled: with one of them there is no
/// constructor.
template <class Range, class Properties = empty_properties_t> class launch_config {
  static_assert(detail::is_launch_range<Range>::value, "a launch_config holds a range or an nd_range");

public:
  template <class Given = Properties, sycl::detail::require_launch_properties<Given> = 0>
  launch_config(Range extent, Given properties) : extent_(extent), properties_(properties) {}
  template <class Given = Properties, std::enable_if_t<std::is_same_v<Given, empty_properties_t>, int> = 0>
  launch_config(Range extent) : extent_(extent) {}

  [[nodiscard]] const Range &syclrtc_range() const noexcept { return extent_; }
  [[nodiscard]] const Properties &syclrtc_properties() const noexcept { return properties_; }

private:
  Range extent_;
  Properties properties_;
};

template <class Range> launch_config(Range) -> launch_config<Range>;
template <class Range, class Properties> launch_config(Range, Properties) -> launch_config<Range, Properties>;

enum class prefetch_type { device, host };

// Command groups.

template <class CommandGroup> void submit(queue q, CommandGroup &&group) {
  detail::submit_without_event(q, std::forward<CommandGroup>(group));
}
template <class Properties, class CommandGroup, std::enable_if_t<is_property_list_v<Properties>, int> = 0>
void submit(queue q, Properties, CommandGroup &&group) {
  static_assert(std::is_same_v<Properties, empty_properties_t>, "this submission property is not supported");
  submit(std::move(q), std::forward<CommandGroup>(group));
}
template <class CommandGroup> event submit_with_event(queue q, CommandGroup &&group) {
  return q.submit(std::forward<CommandGroup>(group));
}
template <class Properties, class CommandGroup, std::enable_if_t<is_property_list_v<Properties>, int> = 0>
event submit_with_event(queue q, Properties, CommandGroup &&group) {
  static_assert(std::is_same_v<Properties, empty_properties_t>, "this submission property is not supported");
  return submit_with_event(std::move(q), std::forward<CommandGroup>(group));
}

// Kernels.

template <class... Args> void single_task(handler &group, const kernel &function, Args &&...args) {
  group.set_args(std::forward<Args>(args)...);
  group.single_task(function);
}
template <class... Args> void single_task(queue q, const kernel &function, Args &&...args) {
  submit(std::move(q), [&](handler &group) { single_task(group, function, std::forward<Args>(args)...); });
}

template <int Dimensions, class... Args>
void parallel_for(handler &group, range<Dimensions> extent, const kernel &function, Args &&...args) {
  group.set_args(std::forward<Args>(args)...);
  group.parallel_for(extent, function);
}
template <int Dimensions, class... Args>
void parallel_for(queue q, range<Dimensions> extent, const kernel &function, Args &&...args) {
  submit(std::move(q), [&](handler &group) { parallel_for(group, extent, function, std::forward<Args>(args)...); });
}
template <int Dimensions, class Properties, class... Args>
void parallel_for(handler &group, const launch_config<range<Dimensions>, Properties> &config, const kernel &function,
                  Args &&...args) {
  group.set_args(std::forward<Args>(args)...);
  group.parallel_for(config.syclrtc_range(), config.syclrtc_properties(), function);
}
template <int Dimensions, class Properties, class... Args>
void parallel_for(queue q, const launch_config<range<Dimensions>, Properties> &config, const kernel &function,
                  Args &&...args) {
  submit(std::move(q), [&](handler &group) { parallel_for(group, config, function, std::forward<Args>(args)...); });
}

template <int Dimensions, class... Args>
void nd_launch(handler &group, nd_range<Dimensions> extent, const kernel &function, Args &&...args) {
  group.set_args(std::forward<Args>(args)...);
  group.parallel_for(extent, function);
}
template <int Dimensions, class... Args>
void nd_launch(queue q, nd_range<Dimensions> extent, const kernel &function, Args &&...args) {
  submit(std::move(q), [&](handler &group) { nd_launch(group, extent, function, std::forward<Args>(args)...); });
}
template <int Dimensions, class Properties, class... Args>
void nd_launch(handler &group, const launch_config<nd_range<Dimensions>, Properties> &config, const kernel &function,
               Args &&...args) {
  group.set_args(std::forward<Args>(args)...);
  group.parallel_for(config.syclrtc_range(), config.syclrtc_properties(), function);
}
template <int Dimensions, class Properties, class... Args>
void nd_launch(queue q, const launch_config<nd_range<Dimensions>, Properties> &config, const kernel &function,
               Args &&...args) {
  submit(std::move(q), [&](handler &group) { nd_launch(group, config, function, std::forward<Args>(args)...); });
}

// Memory.

inline void memcpy(handler &group, void *destination, const void *source, std::size_t bytes) {
  group.memcpy(destination, source, bytes);
}
inline void memcpy(queue q, void *destination, const void *source, std::size_t bytes) {
  submit(std::move(q), [&](handler &group) { group.memcpy(destination, source, bytes); });
}
template <class T> void copy(handler &group, const T *source, T *destination, std::size_t count) {
  group.copy(source, destination, count);
}
template <class T> void copy(queue q, const T *source, T *destination, std::size_t count) {
  submit(std::move(q), [&](handler &group) { group.copy(source, destination, count); });
}
inline void memset(handler &group, void *pointer, int value, std::size_t bytes) { group.memset(pointer, value, bytes); }
inline void memset(queue q, void *pointer, int value, std::size_t bytes) {
  submit(std::move(q), [&](handler &group) { group.memset(pointer, value, bytes); });
}
template <class T> void fill(handler &group, T *pointer, const T &pattern, std::size_t count) {
  group.fill(pointer, pattern, count);
}
template <class T> void fill(queue q, T *pointer, const T &pattern, std::size_t count) {
  submit(std::move(q), [&](handler &group) { group.fill(pointer, pattern, count); });
}
inline void prefetch(handler &group, void *pointer, std::size_t bytes, prefetch_type = prefetch_type::device) {
  group.prefetch(pointer, bytes);
}
inline void prefetch(queue q, void *pointer, std::size_t bytes, prefetch_type = prefetch_type::device) {
  submit(std::move(q), [&](handler &group) { group.prefetch(pointer, bytes); });
}
inline void mem_advise(handler &group, void *pointer, std::size_t bytes, int advice) {
  group.mem_advise(pointer, bytes, advice);
}
inline void mem_advise(queue q, void *pointer, std::size_t bytes, int advice) {
  submit(std::move(q), [&](handler &group) { group.mem_advise(pointer, bytes, advice); });
}

// Order.

inline void barrier(handler &group) { group.ext_oneapi_barrier(); }
inline void barrier(queue q) {
  submit(std::move(q), [](handler &group) { group.ext_oneapi_barrier(); });
}
inline void partial_barrier(handler &group, const std::vector<event> &events) { group.ext_oneapi_barrier(events); }
inline void partial_barrier(queue q, const std::vector<event> &events) {
  submit(std::move(q), [&](handler &group) { group.ext_oneapi_barrier(events); });
}

} // namespace ext::oneapi::experimental
} // namespace _V1
} // namespace sycl

#endif
