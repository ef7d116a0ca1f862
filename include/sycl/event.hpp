// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#ifdef __SYCL_DEVICE_ONLY__
#include <sycl/detail/device.hpp>
#else

#include <sycl/backend_types.hpp>
#include <sycl/detail/call.hpp>
#include <sycl/detail/info_query.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace sycl {
inline namespace _V1 {

/// SYCL 2020, 4.6.6. A default-constructed event is complete.
class event : public detail::reference<event, detail::event_handle> {
public:
  event() noexcept = default;

  void wait() const {
    if (handle_.get() != nullptr)
      detail::check(syclrtc_event_wait(handle_.get()));
  }
  void wait_and_throw() const { wait(); }

  static void wait(const std::vector<event> &events) {
    for (const event &each : events)
      each.wait();
  }
  static void wait_and_throw(const std::vector<event> &events) { wait(events); }

  template <class Param, detail::require_descriptor<Param, detail::event_tag> = 0>
  [[nodiscard]] typename Param::return_type get_info() const {
    if (handle_.get() == nullptr)
      return info::event_command_status::complete;
    std::uint32_t status = 0;
    detail::check(syclrtc_event_status(handle_.get(), &status));
    return static_cast<info::event_command_status>(status);
  }

  /// Nanoseconds; waits until the value is known. Throws `invalid` unless the queue has `enable_profiling`.
  template <class Param, detail::require_descriptor<Param, detail::event_profiling_tag> = 0>
  [[nodiscard]] std::uint64_t get_profiling_info() const {
    if (handle_.get() == nullptr)
      throw exception(make_error_code(errc::invalid), "an event without a command has no profiling information");
    std::uint64_t nanoseconds = 0;
    detail::check(syclrtc_event_profiling(handle_.get(), Param::parameter, &nanoseconds));
    return nanoseconds;
  }

private:
  friend detail::object_access;
  explicit event(detail::event_handle handle) noexcept : reference(std::move(handle)) {}
};

namespace detail {

/// Events to wait for, as the library takes them. Events that are complete from the start are left out.
class dependencies {
public:
  dependencies() noexcept = default;
  explicit dependencies(const event &single) : dependencies(&single, 1) {}
  explicit dependencies(const std::vector<event> &list) : dependencies(list.data(), list.size()) {}

  [[nodiscard]] const syclrtc_event_t *const *data() const noexcept { return pointers_.data(); }
  [[nodiscard]] std::size_t size() const noexcept { return pointers_.size(); }
  [[nodiscard]] bool empty() const noexcept { return pointers_.empty(); }

private:
  dependencies(const event *first, std::size_t count) {
    pointers_.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      if (const syclrtc_event_t *pointer = object_access::raw(first[i]))
        pointers_.push_back(pointer);
    }
  }

  std::vector<const syclrtc_event_t *> pointers_;
};

} // namespace detail
} // namespace _V1
} // namespace sycl

template <> struct std::hash<sycl::event> : sycl::detail::reference_hash<sycl::event> {};

#endif
