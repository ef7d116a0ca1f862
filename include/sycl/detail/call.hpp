// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sycl/exception.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

// Calls into the library and what they answer: an error becomes an exception here, on the caller's side of the border.

namespace sycl {
inline namespace _V1 {
namespace detail {

/// Throws what a call answered, if it failed.
inline void check(syclrtc_error_t *answer) {
  if (answer != nullptr)
    throw object_access::wrap<exception>(error_handle(answer));
}

/// Whether a call succeeded, where a failure can only be an object that was moved from.
inline bool succeeded(syclrtc_error_t *answer) noexcept {
  syclrtc_error_release(answer);
  return answer == nullptr;
}

/// Owns a text.
class text {
public:
  text() noexcept = default;
  text(const text &) = delete;
  text &operator=(const text &) = delete;
  ~text() { syclrtc_text_release(pointer_); }

  [[nodiscard]] syclrtc_text_t **out() noexcept { return &pointer_; }
  [[nodiscard]] std::string str() const {
    if (pointer_ == nullptr)
      return {};
    std::size_t length = 0;
    const char *data = syclrtc_text_data(pointer_, &length);
    return std::string(data, length);
  }

private:
  syclrtc_text_t *pointer_ = nullptr;
};

/// Owns bytes.
class bytes {
public:
  bytes() noexcept = default;
  bytes(const bytes &) = delete;
  bytes &operator=(const bytes &) = delete;
  ~bytes() { syclrtc_bytes_release(pointer_); }

  [[nodiscard]] syclrtc_bytes_t **out() noexcept { return &pointer_; }
  /// A container of elements of one byte.
  template <class Container> [[nodiscard]] Container copy() const {
    using element = typename Container::value_type;
    static_assert(sizeof(element) == 1, "the elements are bytes");
    std::size_t length = 0;
    const auto *data = static_cast<const element *>(syclrtc_bytes_data(pointer_, &length));
    return Container(data, data + length);
  }

private:
  syclrtc_bytes_t *pointer_ = nullptr;
};

inline syclrtc_string_view_t view(const std::string &string) noexcept { return {string.data(), string.size()}; }

inline std::vector<syclrtc_string_view_t> views(const std::vector<std::string> &strings) {
  std::vector<syclrtc_string_view_t> list;
  list.reserve(strings.size());
  for (const std::string &string : strings)
    list.push_back(view(string));
  return list;
}

/// A list of new references. `fetch(capacity, pointers, &count)` is one of the library's list calls.
template <class Object, class Handle, class Fetch> std::vector<Object> fetch_list(Fetch fetch) {
  std::size_t count = 0;
  check(fetch(std::size_t{0}, nullptr, &count));
  std::vector<typename Handle::element_type *> pointers(count, nullptr);
  std::vector<Object> objects;
  objects.reserve(count);
  check(fetch(count, pointers.data(), &count));
  // The list may have become longer or shorter since it was counted.
  for (auto *pointer : pointers) {
    if (pointer != nullptr)
      objects.push_back(object_access::wrap<Object>(Handle(pointer)));
  }
  return objects;
}

template <class Object> auto raw_list(const std::vector<Object> &objects) {
  std::vector<decltype(object_access::raw(std::declval<const Object &>()))> pointers;
  pointers.reserve(objects.size());
  for (const Object &object : objects)
    pointers.push_back(object_access::raw(object));
  return pointers;
}

/// Values of an information query. `fetch(capacity in bytes, buffer, &size in bytes)`.
template <class T, class Fetch> std::vector<T> fetch_array(Fetch fetch) {
  std::size_t size = 0;
  check(fetch(std::size_t{0}, nullptr, &size));
  std::vector<T> values(size / sizeof(T));
  check(fetch(values.size() * sizeof(T), values.data(), &size));
  return values;
}

template <class Fetch> std::string fetch_text(Fetch fetch) {
  std::size_t size = 0;
  check(fetch(std::size_t{0}, nullptr, &size));
  std::string value(size, '\0');
  check(fetch(value.size(), value.data(), &size));
  return value;
}

template <class T, class Fetch> T fetch_value(Fetch fetch) {
  T value{};
  std::size_t size = 0;
  check(fetch(sizeof(value), &value, &size));
  return value;
}

} // namespace detail
} // namespace _V1
} // namespace sycl
