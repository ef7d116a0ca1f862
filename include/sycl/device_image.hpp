// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#ifdef __SYCL_DEVICE_ONLY__
#include <sycl/detail/device.hpp>
#else

#include <sycl/detail/handle.hpp>
#include <sycl/kernel_bundle_enums.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace sycl {
inline namespace _V1 {

class device;
template <bundle_state State> class kernel_bundle;

/// Identifies a kernel of the application (SYCL 2020, 4.11.6). Kernels made at run time have no identifier, so that no
/// object of this class exists in a program without kernels of its own.
class kernel_id {
public:
  [[nodiscard]] const char *get_name() const noexcept { return name_; }

  friend bool operator==(const kernel_id &a, const kernel_id &b) noexcept { return a.name_ == b.name_; }
  friend bool operator!=(const kernel_id &a, const kernel_id &b) noexcept { return !(a == b); }

private:
  explicit kernel_id(const char *name) noexcept : name_(name) {}

  const char *name_;
};

/// One image of a bundle (SYCL 2020, 4.11.13). Several bundles may have the same image.
template <bundle_state State> class device_image {
public:
  [[nodiscard]] bool has_kernel(const kernel_id &) const noexcept { return false; }
  [[nodiscard]] bool has_kernel(const kernel_id &, const device &) const noexcept { return false; }

  friend bool operator==(const device_image &a, const device_image &b) noexcept { return a.number_ == b.number_; }
  friend bool operator!=(const device_image &a, const device_image &b) noexcept { return !(a == b); }

private:
  friend class kernel_bundle<State>;
  friend struct std::hash<device_image>;
  device_image(const detail::kernel_bundle_handle &bundle, std::uint64_t number) noexcept
      : bundle_(bundle), number_(number) {}

  // Keeps the image, whose number is its own as long as it exists.
  detail::kernel_bundle_handle bundle_;
  std::uint64_t number_;
};

} // namespace _V1
} // namespace sycl

template <> struct std::hash<sycl::kernel_id> {
  std::size_t operator()(const sycl::kernel_id &id) const noexcept {
    return std::hash<const void *>()(id.get_name());
  }
};

template <sycl::bundle_state State> struct std::hash<sycl::device_image<State>> {
  std::size_t operator()(const sycl::device_image<State> &image) const noexcept {
    return std::hash<std::uint64_t>()(image.number_);
  }
};

#endif
