// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#ifdef __SYCL_DEVICE_ONLY__
#include <sycl/detail/device.hpp>
#else

// Loading of saved bundles: sycl_ext_oneapi_syclbin.

#include <sycl/detail/bundle_functions.hpp>
#include <sycl/detail/kernel_bundle_class.hpp>
#include <sycl/ext/oneapi/experimental/kernel_compiler_properties.hpp>
#include <sycl/sycl_span.hpp>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <ios>
#include <memory>
#include <string>
#include <system_error>
#include <type_traits>
#include <vector>

namespace sycl {
inline namespace _V1 {
namespace detail {

template <bundle_state State>
kernel_bundle<State> load_bundle(const context &ctxt, const std::vector<device> &devices, const char *bytes,
                                 std::size_t count) {
  const auto pointers = raw_list(devices);
  kernel_bundle_handle bundle;
  check(syclrtc_kernel_bundle_create_from_content(object_access::raw(ctxt), pointers.data(), pointers.size(),
                                                  state_number(State), bytes, count, bundle.out()));
  return object_access::wrap<kernel_bundle<State>>(std::move(bundle));
}

[[noreturn]] inline void throw_file_error(const std::string &name, int code) {
  throw std::ios_base::failure("cannot read " + name, std::error_code(code, std::generic_category()));
}

inline std::vector<char> read_file(const std::string &name) {
  struct close {
    void operator()(std::FILE *file) const noexcept { std::fclose(file); }
  };
  const std::unique_ptr<std::FILE, close> file(std::fopen(name.c_str(), "rb"));
  if (!file)
    throw_file_error(name, errno);
  std::vector<char> content;
  char part[16384];
  for (std::size_t got; (got = std::fread(part, 1, sizeof(part), file.get())) > 0;)
    content.insert(content.end(), part, part + got);
  if (std::ferror(file.get()) != 0)
    throw_file_error(name, errno);
  return content;
}

/// A `std::filesystem::path`, or what one can be made from. Its header is left to programs that use it, being large.
template <class Path> using require_path = std::enable_if_t<std::is_convertible_v<const Path &, std::string>, int>;

} // namespace detail

namespace ext::oneapi::experimental {

/// The bundle whose `ext_oneapi_get_content` gave the bytes, with the kernels that fit at least one of the devices. Throws
/// `invalid` for other bytes, and for those of a bundle in another state.
template <bundle_state State, typename PropertyListT = empty_properties_t,
          sycl::detail::require<!sycl::detail::is_source<State>> = 0, detail::require_only<PropertyListT> = 0>
[[nodiscard]] kernel_bundle<State> get_kernel_bundle(const context &ctxt, const std::vector<device> &devs,
                                                     const sycl::span<char> &bytes, PropertyListT = {}) {
  return sycl::detail::load_bundle<State>(ctxt, devs, bytes.data(), bytes.size());
}

/// From a file. Throws `std::ios_base::failure` if it cannot be read.
template <bundle_state State, typename Path, typename PropertyListT = empty_properties_t,
          sycl::detail::require<!sycl::detail::is_source<State>> = 0, sycl::detail::require_path<Path> = 0,
          detail::require_only<PropertyListT> = 0>
[[nodiscard]] kernel_bundle<State> get_kernel_bundle(const context &ctxt, const std::vector<device> &devs,
                                                     const Path &filename, PropertyListT = {}) {
  const std::vector<char> content = sycl::detail::read_file(filename);
  return sycl::detail::load_bundle<State>(ctxt, devs, content.data(), content.size());
}
template <bundle_state State, typename Path, typename PropertyListT = empty_properties_t,
          sycl::detail::require<!sycl::detail::is_source<State>> = 0, sycl::detail::require_path<Path> = 0,
          detail::require_only<PropertyListT> = 0>
[[nodiscard]] kernel_bundle<State> get_kernel_bundle(const context &ctxt, const Path &filename,
                                                     PropertyListT props = {}) {
  return get_kernel_bundle<State>(ctxt, ctxt.get_devices(), filename, std::move(props));
}

} // namespace ext::oneapi::experimental
} // namespace _V1
} // namespace sycl

#endif
