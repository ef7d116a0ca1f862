// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#ifdef __SYCL_DEVICE_ONLY__
#include <sycl/detail/device.hpp>
#else

// Diagnostics as data: what a compiler says about a source, without reading its log. An extension of this project.

#include <sycl/detail/kernel_bundle_class.hpp>
#include <sycl/exception.hpp>
#include <sycl/ext/oneapi/experimental/kernel_compiler.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace sycl {
inline namespace _V1 {
namespace ext::syclrtc {

enum class diagnostic_severity : std::uint32_t {
  remark = SYCLRTC_SEVERITY_REMARK,
  warning = SYCLRTC_SEVERITY_WARNING,
  error = SYCLRTC_SEVERITY_ERROR,
  fatal = SYCLRTC_SEVERITY_FATAL,
};

/// Says more about a diagnostic.
struct diagnostic_note {
  /// As the log shows it. Empty, with 0 for line and column, if the place is unknown.
  std::string file;
  /// Line and column count from 1, the column in bytes.
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::string text;
};

struct diagnostic {
  diagnostic_severity severity = diagnostic_severity::error;
  /// As in a note.
  std::string file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  /// Without severity and place.
  std::string text;
  /// The option that switches it, such as `-Wunused-variable`; empty if there is none.
  std::string option;
  std::vector<diagnostic_note> notes;
};

namespace detail {

inline std::string string_of(const syclrtc_string_view_t &view) { return std::string(view.data, view.length); }

inline std::vector<diagnostic> read_diagnostics(const sycl::detail::diagnostics_handle &list) {
  using sycl::detail::check;
  std::size_t count = 0;
  check(syclrtc_diagnostics_count(list.get(), &count));
  std::vector<diagnostic> all;
  all.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    syclrtc_diagnostic_t found{};
    found.size = sizeof(found);
    check(syclrtc_diagnostics_get(list.get(), i, &found));
    diagnostic &next = all.emplace_back();
    next.severity = static_cast<diagnostic_severity>(found.severity);
    next.file = string_of(found.file);
    next.line = found.line;
    next.column = found.column;
    next.text = string_of(found.text);
    next.option = string_of(found.option);
    for (std::size_t n = 0; n < found.note_count; ++n) {
      syclrtc_diagnostic_note_t note{};
      note.size = sizeof(note);
      check(syclrtc_diagnostics_get_note(list.get(), i, n, &note));
      next.notes.push_back({string_of(note.file), note.line, note.column, string_of(note.text)});
    }
  }
  return all;
}

inline std::vector<diagnostic> diagnostics_of(const syclrtc_error_t *failure) {
  sycl::detail::diagnostics_handle list;
  sycl::detail::check(syclrtc_error_diagnostics(failure, list.out()));
  return read_diagnostics(list);
}
inline std::vector<diagnostic> diagnostics_of(const syclrtc_kernel_bundle_t *bundle) {
  sycl::detail::diagnostics_handle list;
  sycl::detail::check(syclrtc_kernel_bundle_diagnostics(bundle, list.out()));
  return read_diagnostics(list);
}

} // namespace detail

/// What the compiler said, if the exception is from `compile`, `build` or `link`; else an empty list.
[[nodiscard]] inline std::vector<diagnostic> get_diagnostics(const exception &failure) {
  const syclrtc_error_t *const raw = sycl::detail::object_access::raw(failure);
  return raw != nullptr ? detail::diagnostics_of(raw) : std::vector<diagnostic>();
}

/// What the compiler said while it made the bundle: warnings and remarks.
template <bundle_state State>
[[nodiscard]] std::vector<diagnostic> get_diagnostics(const kernel_bundle<State> &bundle) {
  return detail::diagnostics_of(static_cast<const syclrtc_kernel_bundle_t *>(sycl::detail::object_access::raw(bundle)));
}

/// Property of `compile` and `build`: where the diagnostics go, on success and failure alike. The list is replaced, and must
/// outlive the call.
struct save_diagnostics : oneapi::experimental::detail::run_time_property {
  std::vector<diagnostic> *list;

  save_diagnostics(std::vector<diagnostic> *to) noexcept : list(to) {}

  friend bool operator==(const save_diagnostics &a, const save_diagnostics &b) noexcept { return a.list == b.list; }
  friend bool operator!=(const save_diagnostics &a, const save_diagnostics &b) noexcept { return !(a == b); }

  void syclrtc_save(const sycl::detail::error_handle &failure, const sycl::detail::kernel_bundle_handle &made) const {
    const syclrtc_error_t *const error = failure.get();
    const syclrtc_kernel_bundle_t *const bundle = made.get();
    if (list != nullptr)
      *list = error != nullptr ? detail::diagnostics_of(error) : detail::diagnostics_of(bundle);
  }
};
using save_diagnostics_key = save_diagnostics;

} // namespace ext::syclrtc
} // namespace _V1
} // namespace sycl

#endif
