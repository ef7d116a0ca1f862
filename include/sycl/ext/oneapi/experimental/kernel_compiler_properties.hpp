// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#ifdef __SYCL_DEVICE_ONLY__
#include <sycl/detail/device.hpp>
#else

#include <sycl/exception.hpp>
#include <sycl/ext/oneapi/properties/properties.hpp>

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

// Properties of sycl_ext_oneapi_kernel_compiler.

namespace sycl {
inline namespace _V1 {
namespace ext::oneapi::experimental {
namespace detail {

/// Lets a constructor take whatever is a string, but not a list in braces: `{{"a", "b"}}` is then a list of two strings
/// and not one string made from two pointers.
template <class T> using require_string = std::enable_if_t<std::is_convertible_v<const T &, std::string>, int>;

template <class T, class... List> inline constexpr bool is_one_of = (std::is_same_v<T, List> || ...);
template <class List, class... Allowed> struct holds_only : std::false_type {};
template <class... Values, class... Allowed>
struct holds_only<properties<value_list<Values...>>, Allowed...>
    : std::bool_constant<(is_one_of<Values, Allowed...> && ...)> {};
/// The property lists that a function takes: instances of `properties` with none but the allowed ones.
template <class List, class... Allowed>
using require_only = std::enable_if_t<holds_only<List, Allowed...>::value, int>;

} // namespace detail

/// Files that an `#include` in the source finds by name.
struct include_files : detail::run_time_property {
  include_files() = default;
  include_files(const std::string &name, const std::string &content) { add(name, content); }

  /// Throws `invalid` for a name that is already there.
  void add(const std::string &name, const std::string &content) {
    for (const auto &[present, unused] : files_) {
      if (present == name)
        throw exception(make_error_code(errc::invalid), "Include file '" + name + "' is already registered");
    }
    files_.emplace_back(name, content);
  }

  friend bool operator==(const include_files &a, const include_files &b) { return a.files_ == b.files_; }
  friend bool operator!=(const include_files &a, const include_files &b) { return !(a == b); }

  [[nodiscard]] const std::vector<std::pair<std::string, std::string>> &syclrtc_files() const noexcept {
    return files_;
  }

private:
  std::vector<std::pair<std::string, std::string>> files_;
};
using include_files_key = include_files;

/// Elements of a compiler command line; each string is one of them.
struct build_options : detail::run_time_property {
  std::vector<std::string> opts;

  build_options() = default;
  template <class T, detail::require_string<T> = 0> build_options(const T &opt) : opts(1, opt) {}
  build_options(const std::vector<std::string> &list) : opts(list) {}

  void add(const std::string &opt) { opts.push_back(opt); }

  friend bool operator==(const build_options &a, const build_options &b) { return a.opts == b.opts; }
  friend bool operator!=(const build_options &a, const build_options &b) { return !(a == b); }
};
using build_options_key = build_options;

/// Where the log of a build goes. The string is replaced and must outlive the build.
struct save_log : detail::run_time_property {
  std::string *log;

  save_log(std::string *to) noexcept : log(to) {}

  friend bool operator==(const save_log &a, const save_log &b) noexcept { return a.log == b.log; }
  friend bool operator!=(const save_log &a, const save_log &b) noexcept { return !(a == b); }
};
using save_log_key = save_log;

/// C++ expressions for the addresses of kernel functions; each string is then a name of its kernel.
struct registered_names : detail::run_time_property {
  std::vector<std::string> names;

  registered_names() = default;
  template <class T, detail::require_string<T> = 0> registered_names(const T &name) : names(1, name) {}
  registered_names(const std::vector<std::string> &list) : names(list) {}

  void add(const std::string &name) { names.push_back(name); }

  friend bool operator==(const registered_names &a, const registered_names &b) { return a.names == b.names; }
  friend bool operator!=(const registered_names &a, const registered_names &b) { return !(a == b); }
};
using registered_names_key = registered_names;

/// Whether `link` is to be fast, at the price of slower kernels.
struct fast_link : detail::run_time_property {
  bool value;

  fast_link(bool do_fast_link = true) noexcept : value(do_fast_link) {}

  friend bool operator==(const fast_link &a, const fast_link &b) noexcept { return a.value == b.value; }
  friend bool operator!=(const fast_link &a, const fast_link &b) noexcept { return !(a == b); }
};
using fast_link_key = fast_link;

using registered_kernel_names [[deprecated("use registered_names")]] = registered_names;
using registered_kernel_names_key [[deprecated("use registered_names_key")]] = registered_names;

} // namespace ext::oneapi::experimental
} // namespace _V1
} // namespace sycl

#endif
