// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#ifdef __SYCL_DEVICE_ONLY__
#include <sycl/detail/device.hpp>
#else

#include <sycl/context.hpp>
#include <sycl/detail/call.hpp>
#include <sycl/detail/info_query.hpp>
#include <sycl/device.hpp>
#include <sycl/kernel_bundle_enums.hpp>

#include <functional>
#include <type_traits>

namespace sycl {
inline namespace _V1 {

template <bundle_state State> class kernel_bundle;

/// SYCL 2020, 4.11.14. Keeps the code of its bundle alive.
class kernel : public detail::reference<kernel, detail::kernel_handle> {
public:
  [[nodiscard]] context get_context() const {
    detail::context_handle found;
    detail::check(syclrtc_kernel_context(handle_.get(), found.out()));
    return detail::object_access::wrap<context>(std::move(found));
  }
  [[nodiscard]] backend get_backend() const { return get_context().get_backend(); }
  /// The bundle that the kernel came from.
  [[nodiscard]] kernel_bundle<bundle_state::executable> get_kernel_bundle() const;

  template <class Param, detail::require_descriptor<Param, detail::kernel_tag> = 0>
  [[nodiscard]] typename Param::return_type get_info() const {
    if constexpr (std::is_same_v<Param, info::kernel::context>)
      return get_context();
    else
      return query<Param>(nullptr);
  }

  template <class Param, detail::require_descriptor<Param, detail::kernel_device_tag> = 0>
  [[nodiscard]] typename Param::return_type get_info(const device &dev) const {
    return query<Param>(detail::object_access::raw(dev));
  }

private:
  friend detail::object_access;
  explicit kernel(detail::kernel_handle handle) noexcept : reference(std::move(handle)) {}

  template <class Param> typename Param::return_type query(const syclrtc_device_t *dev) const {
    return detail::read_info<Param>([this, dev](std::size_t capacity, void *value, std::size_t *size) {
      return syclrtc_kernel_info(handle_.get(), dev, Param::parameter, capacity, value, size);
    });
  }
};

} // namespace _V1
} // namespace sycl

template <> struct std::hash<sycl::kernel> : sycl::detail::reference_hash<sycl::kernel> {};

// `get_kernel_bundle` gives one.
#include <sycl/detail/kernel_bundle_class.hpp>

#endif
