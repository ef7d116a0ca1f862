// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#ifdef __SYCL_DEVICE_ONLY__
#include <sycl/detail/device.hpp>
#else

#include <sycl/aspects.hpp>
#include <sycl/backend_types.hpp>
#include <sycl/detail/call.hpp>
#include <sycl/detail/info_query.hpp>
#include <sycl/ext/oneapi/experimental/cl_version.hpp>
#include <sycl/kernel_bundle_enums.hpp>
#include <sycl/platform.hpp>

#include <functional>
#include <string>
#include <type_traits>
#include <vector>

namespace sycl {
inline namespace _V1 {
namespace detail {

inline std::uint32_t language_number(ext::oneapi::experimental::source_language language) noexcept {
  using ext::oneapi::experimental::source_language;
  switch (language) {
  case source_language::sycl:
    return SYCLRTC_LANGUAGE_SYCL;
  case source_language::opencl:
    return SYCLRTC_LANGUAGE_OPENCL;
  case source_language::spirv:
    return SYCLRTC_LANGUAGE_SPIRV;
  }
  return 0;
}

inline constexpr aspect all_aspects[] = {
    aspect::cpu,
    aspect::gpu,
    aspect::accelerator,
    aspect::custom,
    aspect::emulated,
    aspect::host_debuggable,
    aspect::fp16,
    aspect::fp64,
    aspect::atomic64,
    aspect::image,
    aspect::online_compiler,
    aspect::online_linker,
    aspect::queue_profiling,
    aspect::usm_device_allocations,
    aspect::usm_host_allocations,
    aspect::usm_atomic_host_allocations,
    aspect::usm_shared_allocations,
    aspect::usm_atomic_shared_allocations,
    aspect::usm_system_allocations,
};

} // namespace detail

/// SYCL 2020, 4.6.4.
class device : public detail::reference<device, detail::device_handle> {
public:
  /// The default device; throws `runtime` if there is none.
  device();
  template <class Selector, detail::require_selector<Selector> = 0> explicit device(const Selector &selector);

  [[nodiscard]] static std::vector<device> get_devices(info::device_type type = info::device_type::all) {
    std::vector<device> all;
    for (const platform &each : platform::get_platforms()) {
      for (device &found : each.get_devices(type))
        all.push_back(std::move(found));
    }
    return all;
  }

  [[nodiscard]] platform get_platform() const {
    detail::platform_handle found;
    detail::check(syclrtc_device_platform(handle_.get(), found.out()));
    return detail::object_access::wrap<platform>(std::move(found));
  }
  [[nodiscard]] backend get_backend() const { return get_platform().get_backend(); }

  [[nodiscard]] bool is_cpu() const { return has(aspect::cpu); }
  [[nodiscard]] bool is_gpu() const { return has(aspect::gpu); }
  [[nodiscard]] bool is_accelerator() const { return has(aspect::accelerator); }

  [[nodiscard]] bool has(aspect feature) const {
    bool answer = false;
    detail::check(syclrtc_device_has(handle_.get(), static_cast<std::uint32_t>(feature), &answer));
    return answer;
  }

  template <class Param, detail::require_descriptor<Param, detail::device_tag> = 0>
  [[nodiscard]] typename Param::return_type get_info() const {
    if constexpr (std::is_same_v<Param, info::device::platform>) {
      return get_platform();
    } else if constexpr (std::is_same_v<Param, info::device::aspects>) {
      std::vector<aspect> found;
      for (const aspect each : detail::all_aspects) {
        if (has(each))
          found.push_back(each);
      }
      return found;
    } else {
      return detail::read_info<Param>([this](std::size_t capacity, void *value, std::size_t *size) {
        return syclrtc_device_info(handle_.get(), Param::parameter, capacity, value, size);
      });
    }
  }

  /// True if `build` can make an executable bundle for this device from source in the language.
  [[nodiscard]] bool ext_oneapi_can_build(ext::oneapi::experimental::source_language language) const {
    bool answer = false;
    detail::check(syclrtc_device_can_build(handle_.get(), detail::language_number(language), &answer));
    return answer;
  }
  /// True if `compile` can make an object bundle for this device from source in the language.
  [[nodiscard]] bool ext_oneapi_can_compile(ext::oneapi::experimental::source_language language) const {
    bool answer = false;
    detail::check(syclrtc_device_can_compile(handle_.get(), detail::language_number(language), &answer));
    return answer;
  }

  /// True if bundles of the language opencl can be built in this version of OpenCL C.
  [[nodiscard]] bool ext_oneapi_supports_cl_c_version(const ext::oneapi::experimental::cl_version &version) const {
    bool answer = false;
    detail::check(
        syclrtc_device_supports_cl_c_version(handle_.get(), version.major, version.minor, version.patch, &answer));
    return answer;
  }
  /// True if bundles of the language opencl can use the feature whose macro has this name, e.g. `__opencl_c_fp64`.
  [[nodiscard]] bool ext_oneapi_supports_cl_c_feature(const std::string &name) const {
    bool answer = false;
    detail::check(syclrtc_device_supports_cl_c_feature(handle_.get(), name.data(), name.size(), &answer));
    return answer;
  }
  /// True if the device supports the extension of OpenCL; `version`, if not null, then receives which version of it.
  [[nodiscard]] bool
  ext_oneapi_supports_cl_extension(const std::string &name,
                                   ext::oneapi::experimental::cl_version *version = nullptr) const {
    bool answer = false;
    syclrtc_cl_version_t found = {sizeof(syclrtc_cl_version_t), 0, 0, 0};
    detail::check(
        syclrtc_device_supports_cl_extension(handle_.get(), name.data(), name.size(), &answer, &found));
    if (answer && version != nullptr) {
      version->major = found.major & 0x3ff;
      version->minor = found.minor & 0x3ff;
      version->patch = found.patch & 0xfff;
    }
    return answer;
  }
  /// `FULL_PROFILE` or `EMBEDDED_PROFILE`; empty if the language opencl is not supported.
  [[nodiscard]] std::string ext_oneapi_cl_profile() const {
    detail::text found;
    detail::check(syclrtc_device_cl_profile(handle_.get(), found.out()));
    return found.str();
  }

private:
  friend detail::object_access;
  explicit device(detail::device_handle handle) noexcept : reference(std::move(handle)) {}
};

inline std::vector<device> platform::get_devices(info::device_type type) const {
  using info::device_type;
  std::vector<device> all = detail::fetch_list<device, detail::device_handle>(
      [this](std::size_t capacity, syclrtc_device_t **list, std::size_t *count) {
        return syclrtc_platform_devices(handle_.get(), capacity, list, count);
      });
  if (type == device_type::all)
    return all;
  std::vector<device> matching;
  for (device &each : all) {
    if (each.get_info<info::device::device_type>() == type)
      matching.push_back(std::move(each));
  }
  return matching;
}

inline bool platform::has(aspect feature) const {
  for (const device &each : get_devices()) {
    if (!each.has(feature))
      return false;
  }
  return true;
}

} // namespace _V1
} // namespace sycl

template <> struct std::hash<sycl::device> : sycl::detail::reference_hash<sycl::device> {};

// The constructors that select, and `platform`'s default context. Here because either class needs the other.
#include <sycl/device_selector.hpp>

#include <sycl/context.hpp>

#endif
