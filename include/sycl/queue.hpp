// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#ifdef __SYCL_DEVICE_ONLY__
#include <sycl/detail/device.hpp>
#else

#include <sycl/context.hpp>
#include <sycl/detail/call.hpp>
#include <sycl/device.hpp>
#include <sycl/device_selector.hpp>
#include <sycl/event.hpp>
#include <sycl/handler.hpp>
#include <sycl/properties/queue_properties.hpp>
#include <sycl/property_list.hpp>

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace sycl {
inline namespace _V1 {

/// SYCL 2020, 4.6.5. A queue made from a device alone uses the default context of the device's platform.
class queue : public detail::reference<queue, detail::queue_handle> {
public:
  explicit queue(const property_list &props = {}) : queue(device(), props) {}
  explicit queue(const async_handler &handler, const property_list &props = {}) : queue(device(), handler, props) {}
  template <class Selector, detail::require_selector<Selector> = 0>
  explicit queue(const Selector &selector, const property_list &props = {}) : queue(device(selector), props) {}
  template <class Selector, detail::require_selector<Selector> = 0>
  explicit queue(const Selector &selector, const async_handler &handler, const property_list &props = {})
      : queue(device(selector), handler, props) {}
  explicit queue(const device &dev, const property_list &props = {}) : queue(dev, async_handler(), props) {}
  explicit queue(const device &dev, const async_handler &handler, const property_list &props = {})
      : queue(dev.get_platform().khr_get_default_context(), dev, handler, props) {}
  template <class Selector, detail::require_selector<Selector> = 0>
  explicit queue(const context &ctxt, const Selector &selector, const property_list &props = {})
      : queue(ctxt, selector, async_handler(), props) {}
  template <class Selector, detail::require_selector<Selector> = 0>
  explicit queue(const context &ctxt, const Selector &selector, const async_handler &handler,
                 const property_list &props = {})
      : queue(ctxt, device(selector), handler, props) {}
  explicit queue(const context &ctxt, const device &dev, const property_list &props = {})
      : queue(ctxt, dev, async_handler(), props) {}
  explicit queue(const context &ctxt, const device &dev, const async_handler &handler, const property_list &props = {})
      : properties_(props) {
    std::uint32_t flags = 0;
    if (props.has_property<property::queue::in_order>())
      flags |= SYCLRTC_QUEUE_IN_ORDER;
    if (props.has_property<property::queue::enable_profiling>())
      flags |= SYCLRTC_QUEUE_PROFILING;
    detail::check(syclrtc_queue_create(detail::object_access::raw(ctxt), detail::object_access::raw(dev), flags,
                                       handle_.out()));
    if (handler)
      async_handler_ = std::make_shared<const async_handler>(handler);
    else
      async_handler_ = ctxt.async_handler_;
  }

  [[nodiscard]] context get_context() const {
    detail::context_handle found;
    detail::check(syclrtc_queue_context(handle_.get(), found.out()));
    return detail::object_access::wrap<context>(std::move(found));
  }
  [[nodiscard]] device get_device() const {
    detail::device_handle found;
    detail::check(syclrtc_queue_device(handle_.get(), found.out()));
    return detail::object_access::wrap<device>(std::move(found));
  }
  [[nodiscard]] backend get_backend() const { return get_device().get_backend(); }

  template <class Param, detail::require_descriptor<Param, detail::queue_tag> = 0>
  [[nodiscard]] typename Param::return_type get_info() const {
    if constexpr (std::is_same_v<Param, info::queue::context>)
      return get_context();
    else
      return get_device();
  }

  [[nodiscard]] bool is_in_order() const {
    std::uint32_t flags = 0;
    detail::check(syclrtc_queue_flags(handle_.get(), &flags));
    return (flags & SYCLRTC_QUEUE_IN_ORDER) != 0;
  }
  template <class Property> [[nodiscard]] bool has_property() const noexcept {
    return properties_.has_property<Property>();
  }
  template <class Property> [[nodiscard]] Property get_property() const {
    return properties_.get_property<Property>();
  }

  /// Runs the command-group function once, then submits its command. What the function throws leaves `submit`, and
  /// nothing is enqueued.
  template <class CommandGroup> event submit(CommandGroup group) {
    detail::event_handle done;
    detail::command_group::submit(handle_.get(), group, done.out());
    return detail::object_access::wrap<event>(std::move(done));
  }

  void wait() const { detail::check(syclrtc_queue_wait(handle_.get())); }
  /// Waits; what went wrong meanwhile goes to the handler for asynchronous errors if there is one, and is thrown if not.
  void wait_and_throw() const {
    try {
      wait();
    } catch (const exception &) {
      if (async_handler_ == nullptr)
        throw;
      (*async_handler_)(exception_list({std::current_exception()}));
    }
  }

  event memcpy(void *destination, const void *source, std::size_t bytes) {
    return copy_bytes(destination, source, bytes, detail::dependencies());
  }
  event memcpy(void *destination, const void *source, std::size_t bytes, const event &dependency) {
    return copy_bytes(destination, source, bytes, detail::dependencies(dependency));
  }
  event memcpy(void *destination, const void *source, std::size_t bytes, const std::vector<event> &list) {
    return copy_bytes(destination, source, bytes, detail::dependencies(list));
  }

  template <class T> event copy(const T *source, T *destination, std::size_t count) {
    return copy_elements(source, destination, count, detail::dependencies());
  }
  template <class T> event copy(const T *source, T *destination, std::size_t count, const event &dependency) {
    return copy_elements(source, destination, count, detail::dependencies(dependency));
  }
  template <class T>
  event copy(const T *source, T *destination, std::size_t count, const std::vector<event> &list) {
    return copy_elements(source, destination, count, detail::dependencies(list));
  }

  event memset(void *pointer, int value, std::size_t bytes) {
    return fill_bytes(pointer, static_cast<unsigned char>(value), bytes, detail::dependencies());
  }
  event memset(void *pointer, int value, std::size_t bytes, const event &dependency) {
    return fill_bytes(pointer, static_cast<unsigned char>(value), bytes, detail::dependencies(dependency));
  }
  event memset(void *pointer, int value, std::size_t bytes, const std::vector<event> &list) {
    return fill_bytes(pointer, static_cast<unsigned char>(value), bytes, detail::dependencies(list));
  }

  template <class T> event fill(void *pointer, const T &pattern, std::size_t count) {
    return fill_bytes(pointer, pattern, count, detail::dependencies());
  }
  template <class T> event fill(void *pointer, const T &pattern, std::size_t count, const event &dependency) {
    return fill_bytes(pointer, pattern, count, detail::dependencies(dependency));
  }
  template <class T>
  event fill(void *pointer, const T &pattern, std::size_t count, const std::vector<event> &list) {
    return fill_bytes(pointer, pattern, count, detail::dependencies(list));
  }

  // Hints, without effect here beyond the order of the command.
  event prefetch(const void *, std::size_t) { return nothing(detail::dependencies()); }
  event prefetch(const void *, std::size_t, const event &dependency) {
    return nothing(detail::dependencies(dependency));
  }
  event prefetch(const void *, std::size_t, const std::vector<event> &list) {
    return nothing(detail::dependencies(list));
  }
  event mem_advise(const void *, std::size_t, int) { return nothing(detail::dependencies()); }
  event mem_advise(const void *, std::size_t, int, const event &dependency) {
    return nothing(detail::dependencies(dependency));
  }
  event mem_advise(const void *, std::size_t, int, const std::vector<event> &list) {
    return nothing(detail::dependencies(list));
  }

  /// An event that completes after everything submitted before; later commands wait for it.
  event ext_oneapi_submit_barrier() {
    return submit([](handler &group) { group.ext_oneapi_barrier(); });
  }
  /// An event that completes after the events; later commands wait for it.
  event ext_oneapi_submit_barrier(const std::vector<event> &events) {
    return submit([&](handler &group) { group.ext_oneapi_barrier(events); });
  }

private:
  friend detail::object_access;
  explicit queue(detail::queue_handle handle) noexcept : reference(std::move(handle)) {}

  event copy_bytes(void *destination, const void *source, std::size_t bytes, const detail::dependencies &deps) {
    detail::event_handle done;
    detail::check(syclrtc_queue_memcpy(handle_.get(), destination, source, bytes, deps.data(), deps.size(),
                                       done.out()));
    return detail::object_access::wrap<event>(std::move(done));
  }
  template <class T>
  event copy_elements(const T *source, T *destination, std::size_t count, const detail::dependencies &deps) {
    static_assert(is_device_copyable_v<T>, "copied elements must be device copyable");
    return copy_bytes(destination, source, detail::bytes_of<T>(count), deps);
  }
  template <class T>
  event fill_bytes(void *destination, const T &pattern, std::size_t count, const detail::dependencies &deps) {
    static_assert(is_device_copyable_v<T>, "a fill pattern must be device copyable");
    static_cast<void>(detail::bytes_of<T>(count));
    detail::event_handle done;
    detail::check(syclrtc_queue_fill(handle_.get(), destination, std::addressof(pattern), sizeof(T), count,
                                     deps.data(), deps.size(), done.out()));
    return detail::object_access::wrap<event>(std::move(done));
  }
  event nothing(const detail::dependencies &deps) {
    detail::event_handle done;
    detail::check(detail::submit_nothing(handle_.get(), deps, done.out()));
    return detail::object_access::wrap<event>(std::move(done));
  }

  std::shared_ptr<const async_handler> async_handler_;
  property_list properties_;
};

} // namespace _V1
} // namespace sycl

template <> struct std::hash<sycl::queue> : sycl::detail::reference_hash<sycl::queue> {};

#endif
