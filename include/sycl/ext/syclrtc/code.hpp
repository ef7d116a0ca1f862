// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#ifdef __SYCL_DEVICE_ONLY__
#include <sycl/detail/device.hpp>
#else

// The code that a bundle holds. An extension of this project.

#include <sycl/detail/kernel_bundle_class.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace sycl {
inline namespace _V1 {
namespace ext::syclrtc {

enum class code_format : std::uint32_t {
  /// A SPIR-V module.
  spirv = SYCLRTC_CODE_FORMAT_SPIRV,
  /// PTX, as text.
  ptx = SYCLRTC_CODE_FORMAT_PTX,
  /// LLVM IR, as text.
  llvm_ir = SYCLRTC_CODE_FORMAT_LLVM_IR,
  /// What the driver made for the device, in its own format.
  native = SYCLRTC_CODE_FORMAT_NATIVE,
};

namespace detail {

template <class Container, bundle_state State>
Container code_of(const kernel_bundle<State> &bundle, code_format format, const syclrtc_device_t *device) {
  sycl::detail::bytes found;
  sycl::detail::check(syclrtc_kernel_bundle_code(sycl::detail::object_access::raw(bundle),
                                                 static_cast<std::uint32_t>(format), device, found.out()));
  return found.copy<Container>();
}

template <bundle_state State>
using require_code = sycl::detail::require<State == bundle_state::object || State == bundle_state::executable>;

} // namespace detail

/// Code for a device of the bundle; without one, for its first device. Throws `feature_not_supported` if there is none in
/// this format, and `invalid` for a bundle that was joined from several.
template <bundle_state State, detail::require_code<State> = 0>
[[nodiscard]] std::vector<std::byte> get_code(const kernel_bundle<State> &bundle, code_format format,
                                              const device &dev) {
  return detail::code_of<std::vector<std::byte>>(bundle, format, sycl::detail::object_access::raw(dev));
}
template <bundle_state State, detail::require_code<State> = 0>
[[nodiscard]] std::vector<std::byte> get_code(const kernel_bundle<State> &bundle, code_format format) {
  return detail::code_of<std::vector<std::byte>>(bundle, format, nullptr);
}

/// The text of `code_format::llvm_ir`.
template <bundle_state State, detail::require_code<State> = 0>
[[nodiscard]] std::string get_llvm_ir(const kernel_bundle<State> &bundle, const device &dev) {
  return detail::code_of<std::string>(bundle, code_format::llvm_ir, sycl::detail::object_access::raw(dev));
}
template <bundle_state State, detail::require_code<State> = 0>
[[nodiscard]] std::string get_llvm_ir(const kernel_bundle<State> &bundle) {
  return detail::code_of<std::string>(bundle, code_format::llvm_ir, nullptr);
}

} // namespace ext::syclrtc
} // namespace _V1
} // namespace sycl

#endif
