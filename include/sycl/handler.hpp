// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#ifdef __SYCL_DEVICE_ONLY__
#include <sycl/detail/device.hpp>
#else

#include <sycl/context.hpp>
#include <sycl/detail/argument_list.hpp>
#include <sycl/detail/call.hpp>
#include <sycl/device_copyable.hpp>
#include <sycl/event.hpp>
#include <sycl/ext/oneapi/properties/properties.hpp>
#include <sycl/ext/oneapi/raw_kernel_arg.hpp>
#include <sycl/ext/oneapi/work_group_memory.hpp>
#include <sycl/ext/oneapi/work_group_scratch_memory.hpp>
#include <sycl/kernel.hpp>
#include <sycl/kernel_bundle.hpp>
#include <sycl/local_accessor.hpp>
#include <sycl/nd_range.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace sycl {
inline namespace _V1 {

namespace detail {

struct command_group;

/// Bytes of `count` objects; throws `invalid` if there cannot be so many.
template <class T> std::size_t bytes_of(std::size_t count) {
  if (count > std::numeric_limits<std::size_t>::max() / sizeof(T))
    throw exception(make_error_code(errc::invalid), "the number of elements is too large");
  return count * sizeof(T);
}

template <class T>
inline constexpr bool is_object_pointer =
    std::is_null_pointer_v<T> || (std::is_pointer_v<T> && !std::is_function_v<std::remove_pointer_t<T>>);
/// What may be passed to a kernel by value: the bytes of the object are the argument.
template <class T>
inline constexpr bool is_argument_value = is_device_copyable_v<T> && !std::is_pointer_v<T> && !std::is_null_pointer_v<T> &&
                                          !std::is_member_pointer_v<T> && !std::is_array_v<T> && !std::is_function_v<T>;
template <class T> struct is_local_accessor : std::false_type {};
template <class T, int Dimensions> struct is_local_accessor<local_accessor<T, Dimensions>> : std::true_type {};
template <class T> struct is_work_group_memory : std::false_type {};
template <class T, class Properties>
struct is_work_group_memory<ext::oneapi::experimental::work_group_memory<T, Properties>> : std::true_type {};
template <class T>
using require_argument =
    std::enable_if_t<is_object_pointer<T> || is_argument_value<T> || std::is_same_v<T, ext::oneapi::raw_kernel_arg>, int>;

/// Properties of a launch: those that say nothing about the code.
template <class T>
using require_launch_properties =
    std::enable_if_t<std::is_same_v<T, ext::oneapi::experimental::empty_properties_t> ||
                         std::is_same_v<T, decltype(ext::oneapi::experimental::properties(
                                               ext::oneapi::experimental::work_group_scratch_size(0)))>,
                     int>;

template <int Dimensions>
syclrtc_launch_t launch_of(std::uint32_t kind, const range<Dimensions> &global) noexcept {
  syclrtc_launch_t launch = {};
  launch.size = sizeof(launch);
  launch.kind = kind;
  launch.dimensions = Dimensions;
  for (int i = 0; i < 3; ++i) {
    launch.global[i] = i < Dimensions ? global[i] : 1;
    launch.local[i] = 1;
  }
  return launch;
}

template <int Dimensions> syclrtc_launch_t launch_of(const nd_range<Dimensions> &extent) noexcept {
  syclrtc_launch_t launch = launch_of(SYCLRTC_LAUNCH_ND_RANGE, extent.get_global_range());
  // The offset can be read by a deprecated member only.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  const id<Dimensions> offset = extent.get_offset();
#pragma GCC diagnostic pop
  for (int i = 0; i < Dimensions; ++i) {
    launch.local[i] = extent.get_local_range()[i];
    launch.offset[i] = offset[i];
  }
  return launch;
}

/// A command that does nothing but complete after `deps`, in the order of the queue.
inline syclrtc_error_t *submit_nothing(const syclrtc_queue_t *queue, const dependencies &deps, syclrtc_event_t **done) {
  return syclrtc_queue_memcpy(queue, nullptr, nullptr, 0, deps.data(), deps.size(), done);
}

} // namespace detail

/// A command group (SYCL 2020, 4.9.4): records one command and its arguments; the command is submitted when the function
/// that was given the handler returns.
class handler {
public:
  handler(const handler &) = delete;
  handler &operator=(const handler &) = delete;

  void depends_on(const event &dependency) { dependencies_.push_back(dependency); }
  void depends_on(const std::vector<event> &list) {
    dependencies_.insert(dependencies_.end(), list.begin(), list.end());
  }

  /// Launches of kernel objects take no notice of it. Throws `invalid` for a bundle of another context.
  void use_kernel_bundle(const kernel_bundle<bundle_state::executable> &bundle) const {
    detail::context_handle own;
    detail::check(syclrtc_queue_context(queue_, own.out()));
    if (detail::object_access::raw(bundle.get_context()) != own.get())
      throw exception(make_error_code(errc::invalid), "the kernel bundle belongs to another context than the queue");
  }

  /// Copies the value of a kernel argument. The last value given for an index counts.
  template <class T, detail::require_argument<std::remove_cv_t<std::remove_reference_t<T>>> = 0>
  void set_arg(int index, T &&argument) {
    using value_type = std::remove_cv_t<std::remove_reference_t<T>>;
    if (index < 0)
      throw exception(make_error_code(errc::invalid), "the index of a kernel argument is negative");
    const auto position = static_cast<std::uint32_t>(index);
    if constexpr (std::is_same_v<value_type, ext::oneapi::raw_kernel_arg>) {
      arguments_.add(position, SYCLRTC_ARGUMENT_RAW, argument.bytes_, argument.count_);
    } else if constexpr (detail::is_object_pointer<value_type>) {
      const volatile void *const pointer = argument;
      arguments_.add(position, SYCLRTC_ARGUMENT_POINTER, &pointer, sizeof(pointer));
    } else if constexpr (detail::is_work_group_memory<value_type>::value) {
      arguments_.add_local(position, detail::local_access::bytes(argument));
    } else if constexpr (detail::is_local_accessor<value_type>::value) {
      arguments_.add(position, SYCLRTC_ARGUMENT_LOCAL_ACCESSOR, std::addressof(argument), sizeof(value_type));
    } else {
      // The bytes are read through a plain pointer, whatever the qualifiers and the operators of the type.
      arguments_.add(position, SYCLRTC_ARGUMENT_VALUE, const_cast<const value_type *>(std::addressof(argument)),
                     sizeof(value_type));
    }
  }

  /// Sets the arguments 0, 1, 2, ...
  template <class... Ts> void set_args(Ts &&...arguments) {
    int index = 0;
    (set_arg(index++, std::forward<Ts>(arguments)), ...);
  }

  void single_task(const kernel &function) {
    record_launch(detail::launch_of(SYCLRTC_LAUNCH_SINGLE_TASK, range<1>(1)), function);
  }

  void parallel_for(range<1> extent, const kernel &function) {
    record_launch(detail::launch_of(SYCLRTC_LAUNCH_RANGE, extent), function);
  }
  void parallel_for(range<2> extent, const kernel &function) {
    record_launch(detail::launch_of(SYCLRTC_LAUNCH_RANGE, extent), function);
  }
  void parallel_for(range<3> extent, const kernel &function) {
    record_launch(detail::launch_of(SYCLRTC_LAUNCH_RANGE, extent), function);
  }
  template <int Dimensions> void parallel_for(nd_range<Dimensions> extent, const kernel &function) {
    record_launch(detail::launch_of(extent), function);
  }

  // The same with launch properties.
  template <class Properties, detail::require_launch_properties<Properties> = 0>
  void single_task(const Properties &properties, const kernel &function) {
    single_task(function);
    take(properties);
  }
  template <int Dimensions, class Properties, detail::require_launch_properties<Properties> = 0>
  void parallel_for(range<Dimensions> extent, const Properties &properties, const kernel &function) {
    parallel_for(extent, function);
    take(properties);
  }
  template <int Dimensions, class Properties, detail::require_launch_properties<Properties> = 0>
  void parallel_for(nd_range<Dimensions> extent, const Properties &properties, const kernel &function) {
    parallel_for(extent, function);
    take(properties);
  }

  void memcpy(void *destination, const void *source, std::size_t bytes) {
    record(command::copy);
    destination_ = destination;
    source_ = source;
    count_ = bytes;
  }
  template <class T> void copy(const T *source, T *destination, std::size_t count) {
    static_assert(is_device_copyable_v<T>, "copied elements must be device copyable");
    memcpy(destination, source, detail::bytes_of<T>(count));
  }
  void memset(void *pointer, int value, std::size_t bytes) {
    const auto byte = static_cast<unsigned char>(value);
    record_fill(pointer, &byte, sizeof(byte), bytes);
  }
  template <class T> void fill(void *pointer, const T &pattern, std::size_t count) {
    static_assert(is_device_copyable_v<T>, "a fill pattern must be device copyable");
    static_cast<void>(detail::bytes_of<T>(count));
    record_fill(pointer, std::addressof(pattern), sizeof(T), count);
  }
  /// Hints, without effect here beyond the order of the command.
  void prefetch(const void *, std::size_t) { record(command::nothing); }
  void mem_advise(const void *, std::size_t, int) { record(command::nothing); }

  /// Completes after everything submitted before; later commands wait for it.
  void ext_oneapi_barrier() { record(command::barrier); }
  /// Completes after the events; later commands wait for it.
  void ext_oneapi_barrier(const std::vector<event> &events) {
    record(command::partial_barrier);
    depends_on(events);
  }

private:
  friend detail::command_group;

  enum class command { none, launch, copy, fill, nothing, barrier, partial_barrier };

  explicit handler(const syclrtc_queue_t *queue) noexcept : queue_(queue) {}

  void record(command kind) {
    if (command_ != command::none)
      throw exception(make_error_code(errc::runtime), "a command group holds one command, and this one has it already");
    command_ = kind;
  }
  void record_launch(const syclrtc_launch_t &launch, const kernel &function) {
    record(command::launch);
    launch_ = launch;
    kernel_ = detail::kernel_handle(syclrtc_kernel_clone(detail::object_access::raw(function)));
  }
  template <class Properties> void take([[maybe_unused]] const Properties &properties) {
    using scratch = ext::oneapi::experimental::work_group_scratch_size;
    if constexpr (Properties::template has_property<scratch>())
      launch_.scratch = properties.template get_property<scratch>().value;
  }
  void record_fill(void *destination, const void *pattern, std::size_t pattern_bytes, std::size_t count) {
    record(command::fill);
    destination_ = destination;
    pattern_ = arguments_.store(pattern, pattern_bytes);
    pattern_bytes_ = pattern_bytes;
    count_ = count;
  }

  /// Submits the command. `done` may be null where nobody wants the event.
  void submit(syclrtc_event_t **done) {
    const detail::dependencies deps(dependencies_);
    switch (command_) {
    case command::launch:
      arguments_.with([&](const syclrtc_argument_t *arguments, std::size_t count) {
        detail::check(syclrtc_queue_launch(queue_, kernel_.get(), &launch_, arguments, count, deps.data(), deps.size(),
                                           done));
      });
      break;
    case command::copy:
      detail::check(syclrtc_queue_memcpy(queue_, destination_, source_, count_, deps.data(), deps.size(), done));
      break;
    case command::fill:
      detail::check(syclrtc_queue_fill(queue_, destination_, arguments_.stored(pattern_), pattern_bytes_, count_,
                                       deps.data(), deps.size(), done));
      break;
    case command::barrier:
      // Waiting for a list replaces waiting for all: with one, it takes both.
      if (!deps.empty())
        detail::check(syclrtc_queue_barrier(queue_, deps.data(), deps.size(), nullptr));
      detail::check(syclrtc_queue_barrier(queue_, nullptr, 0, done));
      break;
    case command::partial_barrier:
      if (!deps.empty()) {
        detail::check(syclrtc_queue_barrier(queue_, deps.data(), deps.size(), done));
        break;
      }
      [[fallthrough]];
    case command::none:
    case command::nothing:
      detail::check(detail::submit_nothing(queue_, deps, done));
      break;
    }
  }

  const syclrtc_queue_t *queue_;
  command command_ = command::none;
  std::vector<event> dependencies_;
  detail::argument_list arguments_;
  detail::kernel_handle kernel_;
  syclrtc_launch_t launch_ = {};
  void *destination_ = nullptr;
  const void *source_ = nullptr;
  std::size_t pattern_ = 0;
  std::size_t pattern_bytes_ = 0;
  std::size_t count_ = 0;
};

namespace detail {

/// Runs a command-group function once and submits what it recorded. `done` may be null.
struct command_group {
  template <class Function>
  static void submit(const syclrtc_queue_t *queue, Function &&function, syclrtc_event_t **done) {
    handler recorder(queue);
    std::forward<Function>(function)(recorder);
    recorder.submit(done);
  }
};

} // namespace detail
} // namespace _V1
} // namespace sycl

#endif
