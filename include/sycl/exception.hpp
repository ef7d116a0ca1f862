// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#ifdef __SYCL_DEVICE_ONLY__
#include <sycl/detail/device.hpp>
#else

#include <sycl/detail/handle.hpp>

#include <cstddef>
#include <exception>
#include <functional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

namespace sycl {
inline namespace _V1 {

class context;

/// Error codes (SYCL 2020, 4.13.2); the numbers are those of the library.
enum class errc : unsigned int {
  success = 0,
  runtime = SYCLRTC_ERROR_RUNTIME,
  kernel = SYCLRTC_ERROR_KERNEL,
  accessor = SYCLRTC_ERROR_ACCESSOR,
  nd_range = SYCLRTC_ERROR_ND_RANGE,
  event = SYCLRTC_ERROR_EVENT,
  kernel_argument = SYCLRTC_ERROR_KERNEL_ARGUMENT,
  build = SYCLRTC_ERROR_BUILD,
  invalid = SYCLRTC_ERROR_INVALID,
  memory_allocation = SYCLRTC_ERROR_MEMORY_ALLOCATION,
  platform = SYCLRTC_ERROR_PLATFORM,
  profiling = SYCLRTC_ERROR_PROFILING,
  feature_not_supported = SYCLRTC_ERROR_FEATURE_NOT_SUPPORTED,
  kernel_not_supported = SYCLRTC_ERROR_KERNEL_NOT_SUPPORTED,
  backend_mismatch = SYCLRTC_ERROR_BACKEND_MISMATCH,
};

namespace detail {

class sycl_error_category final : public std::error_category {
public:
  const char *name() const noexcept override { return "sycl"; }
  std::string message(int code) const override {
    switch (static_cast<errc>(code)) {
    case errc::success:
      return "success";
    case errc::runtime:
      return "run-time error";
    case errc::kernel:
      return "error before or while a kernel was enqueued";
    case errc::accessor:
      return "accessor misuse";
    case errc::nd_range:
      return "bad nd_range";
    case errc::event:
      return "event misuse";
    case errc::kernel_argument:
      return "bad kernel argument";
    case errc::build:
      return "build error";
    case errc::invalid:
      return "invalid parameter or call";
    case errc::memory_allocation:
      return "memory allocation failed";
    case errc::platform:
      return "platform error";
    case errc::profiling:
      return "error with profiling information";
    case errc::feature_not_supported:
      return "feature not supported by the device";
    case errc::kernel_not_supported:
      return "kernel not supported by the device or not in the bundle";
    case errc::backend_mismatch:
      return "wrong backend";
    }
    return "unknown error";
  }
};

} // namespace detail

/// The category of all SYCL error codes. Codes are compared by the category's address, so that every shared library of a
/// program must see the one object: hence the visibility.
[[gnu::visibility("default")]] inline const std::error_category &sycl_category() noexcept {
  // Never destroyed: a destructor of the program may still throw and compare.
  static const auto *const category = new detail::sycl_error_category;
  return *category;
}

[[nodiscard]] inline std::error_code make_error_code(errc code) noexcept {
  return {static_cast<int>(code), sycl_category()};
}

namespace detail {

[[nodiscard]] inline errc code_of(const error_handle &failure) noexcept {
  const auto code = syclrtc_error_code(failure.get());
  return code <= static_cast<unsigned int>(errc::backend_mismatch) ? static_cast<errc>(code) : errc::runtime;
}
[[nodiscard]] inline std::string message_of(const error_handle &failure) {
  std::size_t length = 0;
  const char *data = syclrtc_error_message(failure.get(), &length);
  return std::string(data, length);
}
[[nodiscard]] inline std::string log_of(const error_handle &failure) {
  std::size_t length = 0;
  const char *data = syclrtc_error_log(failure.get(), &length);
  return std::string(data, length);
}

} // namespace detail

/// SYCL 2020, 4.13.2. Copies never throw.
class [[gnu::visibility("default")]] exception : public virtual std::exception {
public:
  exception(std::error_code code, const std::string &what) : code_(code), message_(what) {}
  exception(std::error_code code, const char *what) : code_(code), message_(what) {}
  exception(std::error_code code) : code_(code), message_(code.message()) {}
  exception(int value, const std::error_category &category, const std::string &what)
      : exception(std::error_code(value, category), what) {}
  exception(int value, const std::error_category &category, const char *what)
      : exception(std::error_code(value, category), what) {}
  exception(int value, const std::error_category &category) : exception(std::error_code(value, category)) {}

  // Those with a context are defined with that class, in <sycl/context.hpp>.
  exception(const context &ctxt, std::error_code code, const std::string &what);
  exception(const context &ctxt, std::error_code code, const char *what);
  exception(const context &ctxt, std::error_code code);
  exception(const context &ctxt, int value, const std::error_category &category, const std::string &what);
  exception(const context &ctxt, int value, const std::error_category &category, const char *what);
  exception(const context &ctxt, int value, const std::error_category &category);

  [[nodiscard]] const std::error_code &code() const noexcept { return code_; }
  [[nodiscard]] const std::error_category &category() const noexcept { return code_.category(); }
  [[nodiscard]] const char *what() const noexcept override { return message_.what(); }

  [[nodiscard]] bool has_context() const noexcept { return context_.get() != nullptr; }
  [[nodiscard]] context get_context() const;

private:
  friend detail::object_access;
  explicit exception(detail::error_handle failure)
      : exception(make_error_code(detail::code_of(failure)), detail::message_of(failure)) {
    handle_ = std::move(failure);
  }

  std::error_code code_;
  // A text that is shared by copies and so copied without throwing.
  std::runtime_error message_;
  detail::context_handle context_;
  // What the library said, if it was the library: more than code and text, such as diagnostics. A counted reference, so
  // that all shared libraries of a program may copy it and read it.
  detail::error_handle handle_;
};

/// Asynchronous errors handed to an `async_handler` (SYCL 2020, 4.13.1).
class exception_list {
public:
  using value_type = std::exception_ptr;
  using reference = value_type &;
  using const_reference = const value_type &;
  using size_type = std::size_t;
  using iterator = std::vector<std::exception_ptr>::const_iterator;
  using const_iterator = std::vector<std::exception_ptr>::const_iterator;

  [[nodiscard]] size_type size() const { return list_.size(); }
  [[nodiscard]] iterator begin() const { return list_.begin(); }
  [[nodiscard]] iterator end() const { return list_.end(); }

private:
  friend class queue;
  explicit exception_list(std::vector<std::exception_ptr> list) : list_(std::move(list)) {}

  std::vector<std::exception_ptr> list_;
};

using async_handler = std::function<void(exception_list)>;

} // namespace _V1
} // namespace sycl

template <> struct std::is_error_code_enum<sycl::errc> : std::true_type {};

#endif
