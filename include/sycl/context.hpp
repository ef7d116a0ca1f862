// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#ifdef __SYCL_DEVICE_ONLY__
#include <sycl/detail/device.hpp>
#else

#include <sycl/detail/call.hpp>
#include <sycl/device.hpp>
#include <sycl/platform.hpp>
#include <sycl/property_list.hpp>

#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace sycl {
inline namespace _V1 {

/// SYCL 2020, 4.6.3.
class context : public detail::reference<context, detail::context_handle> {
public:
  explicit context(const property_list &props = {}) : context(device(), props) {}
  explicit context(async_handler handler, const property_list &props = {})
      : context(device(), std::move(handler), props) {}
  explicit context(const device &dev, const property_list &props = {}) : context(std::vector<device>{dev}, props) {}
  explicit context(const device &dev, async_handler handler, const property_list &props = {})
      : context(std::vector<device>{dev}, std::move(handler), props) {}
  explicit context(const platform &plt, const property_list &props = {}) : context(plt.get_devices(), props) {}
  explicit context(const platform &plt, async_handler handler, const property_list &props = {})
      : context(plt.get_devices(), std::move(handler), props) {}
  explicit context(const std::vector<device> &devices, const property_list &props = {})
      : context(devices, async_handler(), props) {}
  explicit context(const std::vector<device> &devices, async_handler handler, const property_list &props = {})
      : properties_(props) {
    const auto pointers = detail::raw_list(devices);
    detail::check(syclrtc_context_create(pointers.data(), pointers.size(), handle_.out()));
    if (handler)
      async_handler_ = std::make_shared<const async_handler>(std::move(handler));
  }

  [[nodiscard]] std::vector<device> get_devices() const {
    return detail::fetch_list<device, detail::device_handle>(
        [this](std::size_t capacity, syclrtc_device_t **list, std::size_t *count) {
          return syclrtc_context_devices(handle_.get(), capacity, list, count);
        });
  }
  [[nodiscard]] platform get_platform() const {
    detail::platform_handle found;
    detail::check(syclrtc_context_platform(handle_.get(), found.out()));
    return detail::object_access::wrap<platform>(std::move(found));
  }
  [[nodiscard]] backend get_backend() const { return get_platform().get_backend(); }

  template <class Param, detail::require_descriptor<Param, detail::context_tag> = 0>
  [[nodiscard]] typename Param::return_type get_info() const {
    if constexpr (std::is_same_v<Param, info::context::platform>)
      return get_platform();
    else
      return get_devices();
  }

  template <class Property> [[nodiscard]] bool has_property() const noexcept {
    return properties_.has_property<Property>();
  }
  template <class Property> [[nodiscard]] Property get_property() const {
    return properties_.get_property<Property>();
  }

private:
  friend detail::object_access;
  friend class queue;
  explicit context(detail::context_handle handle) noexcept : reference(std::move(handle)) {}

  std::shared_ptr<const async_handler> async_handler_;
  property_list properties_;
};

inline context platform::khr_get_default_context() const {
  detail::context_handle found;
  detail::check(syclrtc_platform_default_context(handle_.get(), found.out()));
  return detail::object_access::wrap<context>(std::move(found));
}
inline context platform::ext_oneapi_get_default_context() const { return khr_get_default_context(); }

inline exception::exception(const context &ctxt, std::error_code code, const std::string &what)
    : exception(code, what) {
  context_ = detail::context_handle(syclrtc_context_clone(detail::object_access::raw(ctxt)));
}
inline exception::exception(const context &ctxt, std::error_code code, const char *what)
    : exception(ctxt, code, std::string(what)) {}
inline exception::exception(const context &ctxt, std::error_code code) : exception(ctxt, code, code.message()) {}
inline exception::exception(const context &ctxt, int value, const std::error_category &category,
                            const std::string &what)
    : exception(ctxt, std::error_code(value, category), what) {}
inline exception::exception(const context &ctxt, int value, const std::error_category &category, const char *what)
    : exception(ctxt, std::error_code(value, category), what) {}
inline exception::exception(const context &ctxt, int value, const std::error_category &category)
    : exception(ctxt, std::error_code(value, category)) {}

inline context exception::get_context() const {
  if (!has_context())
    throw exception(make_error_code(errc::invalid), "the exception has no context");
  return detail::object_access::wrap<context>(context_);
}

} // namespace _V1
} // namespace sycl

template <> struct std::hash<sycl::context> : sycl::detail::reference_hash<sycl::context> {};

#endif
