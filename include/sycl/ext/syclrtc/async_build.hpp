// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#ifdef __SYCL_DEVICE_ONLY__
#include <sycl/detail/device.hpp>
#else

// Builds in the background. An extension of this project.

#include <sycl/detail/kernel_bundle_class.hpp>
#include <sycl/ext/oneapi/experimental/kernel_compiler.hpp>

#include <chrono>
#include <cstdint>
#include <utility>
#include <vector>

namespace sycl {
inline namespace _V1 {
namespace ext::syclrtc {

enum class build_status : std::uint32_t {
  running = SYCLRTC_BUILD_STATUS_RUNNING,
  succeeded = SYCLRTC_BUILD_STATUS_SUCCEEDED,
  failed = SYCLRTC_BUILD_STATUS_FAILED,
  cancelled = SYCLRTC_BUILD_STATUS_CANCELLED,
};

/// What a build is doing.
enum class build_stage : std::uint32_t {
  /// Other builds have to make room first.
  queued = SYCLRTC_BUILD_STAGE_QUEUED,
  /// It looks whether the result is known.
  looking_up = SYCLRTC_BUILD_STAGE_LOOKING_UP,
  /// An equal build is under way, in this process or another.
  waiting = SYCLRTC_BUILD_STAGE_WAITING,
  compiling = SYCLRTC_BUILD_STAGE_COMPILING,
  /// The driver works.
  loading = SYCLRTC_BUILD_STAGE_LOADING,
  done = SYCLRTC_BUILD_STAGE_DONE,
};

/// A build that runs, or has run. Copies stand for the same build. The last one may be destroyed at any time: that neither
/// waits nor stops the build.
class pending_build : public sycl::detail::reference<pending_build, sycl::detail::pending_build_handle> {
public:
  /// Waits until there is a result, good or bad.
  void wait() const { (void)wait_at_most(SYCLRTC_WAIT_FOREVER); }
  /// Whether there is a result by then.
  template <class Rep, class Period> bool wait_for(const std::chrono::duration<Rep, Period> &time) const {
    if (time <= time.zero())
      return wait_at_most(0);
    const std::chrono::duration<double, std::nano> nanoseconds = time;
    // Some hundred years.
    const bool forever = nanoseconds.count() >= 1e19;
    return wait_at_most(forever ? SYCLRTC_WAIT_FOREVER : static_cast<std::uint64_t>(nanoseconds.count()));
  }

  /// Waits for the result, and throws what `build` would throw, or `runtime` if it was cancelled. May be called again.
  [[nodiscard]] kernel_bundle<bundle_state::executable> get() const {
    sycl::detail::kernel_bundle_handle built;
    sycl::detail::check(syclrtc_pending_build_result(handle_.get(), built.out(), nullptr));
    return sycl::detail::object_access::wrap<kernel_bundle<bundle_state::executable>>(std::move(built));
  }

  [[nodiscard]] build_status status() const {
    std::uint32_t number = 0;
    sycl::detail::check(syclrtc_pending_build_status(handle_.get(), &number));
    return static_cast<build_status>(number);
  }
  [[nodiscard]] build_stage stage() const {
    std::uint32_t number = 0;
    sycl::detail::check(syclrtc_pending_build_stage(handle_.get(), &number));
    return static_cast<build_stage>(number);
  }

  /// Asks it to stop, and does not wait for that. Nothing happens if there is a result. Others that build the same get theirs.
  void cancel() const { sycl::detail::check(syclrtc_pending_build_cancel(handle_.get())); }

private:
  friend sycl::detail::object_access;
  explicit pending_build(sycl::detail::pending_build_handle handle) noexcept : reference(std::move(handle)) {}

  bool wait_at_most(std::uint64_t nanoseconds) const {
    bool done = false;
    sycl::detail::check(syclrtc_pending_build_wait(handle_.get(), nanoseconds, &done));
    return done;
  }
};

namespace detail {

template <class List>
using require_async_options =
    oneapi::experimental::detail::require_only<List, oneapi::experimental::build_options,
                                               oneapi::experimental::registered_names>;

} // namespace detail

/// Starts a build for some devices of the source's context, and returns at once. What `build` would throw is thrown by
/// `pending_build::get`. The log is that of the bundle or the exception; properties that store it elsewhere are not taken.
template <class PropertyListT = oneapi::experimental::empty_properties_t, detail::require_async_options<PropertyListT> = 0>
[[nodiscard]] pending_build build_async(const kernel_bundle<bundle_state::ext_oneapi_source> &sourceBundle,
                                        const std::vector<device> &devs, PropertyListT props = {}) {
  const auto options = sycl::detail::source_options_of(props);
  const sycl::detail::build_request request(devs, options);
  sycl::detail::pending_build_handle started;
  sycl::detail::check(syclrtc_kernel_bundle_build_async(sycl::detail::object_access::raw(sourceBundle),
                                                        request.devices.data(), request.devices.size(), &request.options,
                                                        started.out()));
  return sycl::detail::object_access::wrap<pending_build>(std::move(started));
}

/// The same for all devices of the context.
template <class PropertyListT = oneapi::experimental::empty_properties_t, detail::require_async_options<PropertyListT> = 0>
[[nodiscard]] pending_build build_async(const kernel_bundle<bundle_state::ext_oneapi_source> &sourceBundle,
                                        PropertyListT props = {}) {
  return build_async(sourceBundle, sourceBundle.get_context().get_devices(), std::move(props));
}

} // namespace ext::syclrtc
} // namespace _V1
} // namespace sycl

template <> struct std::hash<sycl::ext::syclrtc::pending_build>
    : sycl::detail::reference_hash<sycl::ext::syclrtc::pending_build> {};

#endif
