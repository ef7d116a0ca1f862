// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#ifdef __SYCL_DEVICE_ONLY__
#include <sycl/detail/device.hpp>
#else

#include <sycl/aspects.hpp>
#include <sycl/backend_types.hpp>
#include <sycl/detail/call.hpp>
#include <sycl/detail/info_query.hpp>

#include <functional>
#include <type_traits>
#include <vector>

namespace sycl {
inline namespace _V1 {

class context;
class device;

namespace detail {
/// A device selector: called with a device, answers its score (SYCL 2020, 4.6.1.1).
template <class Selector>
using require_selector = std::enable_if_t<std::is_invocable_r_v<int, const Selector &, const device &>, int>;
} // namespace detail

/// SYCL 2020, 4.6.2.
class platform : public detail::reference<platform, detail::platform_handle> {
public:
  /// The platform of the default device.
  platform();
  template <class Selector, detail::require_selector<Selector> = 0> explicit platform(const Selector &selector);

  [[nodiscard]] static std::vector<platform> get_platforms() {
    return detail::fetch_list<platform, detail::platform_handle>(
        [](std::size_t capacity, syclrtc_platform_t **list, std::size_t *count) {
          return syclrtc_platform_list(capacity, list, count);
        });
  }

  [[nodiscard]] std::vector<device> get_devices(info::device_type type = info::device_type::all) const;

  [[nodiscard]] backend get_backend() const {
    std::uint32_t value = 0;
    detail::check(syclrtc_platform_backend(handle_.get(), &value));
    return static_cast<backend>(value);
  }

  template <class Param, detail::require_descriptor<Param, detail::platform_tag> = 0>
  [[nodiscard]] typename Param::return_type get_info() const {
    return detail::read_info<Param>([this](std::size_t capacity, void *value, std::size_t *size) {
      return syclrtc_platform_info(handle_.get(), Param::parameter, capacity, value, size);
    });
  }

  /// True if all devices have the aspect.
  [[nodiscard]] bool has(aspect feature) const;

  /// The context that queues made from a device alone share.
  [[nodiscard]] context khr_get_default_context() const;
  [[nodiscard]] context ext_oneapi_get_default_context() const;

private:
  friend detail::object_access;
  explicit platform(detail::platform_handle handle) noexcept : reference(std::move(handle)) {}
};

} // namespace _V1
} // namespace sycl

template <> struct std::hash<sycl::platform> : sycl::detail::reference_hash<sycl::platform> {};

// The members that deal with devices.
#include <sycl/device.hpp>

#endif
