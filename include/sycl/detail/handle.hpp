// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <syclrtc/syclrtc.h>

#include <cstddef>
#include <functional>
#include <utility>

namespace sycl {
inline namespace _V1 {
namespace detail {

/// One counted reference to an object of the library. An empty handle (moved from, or default-constructed) may be
/// copied, compared and destroyed; a call made with it is answered by the library with an `invalid` error.
template <typename T, T *(*Clone)(const T *), void (*Release)(T *)> class handle {
public:
  using element_type = T;

  handle() noexcept = default;
  /// Takes over the reference that the caller holds.
  explicit handle(T *adopted) noexcept : pointer_(adopted) {}
  handle(const handle &other) noexcept : pointer_(other.pointer_ != nullptr ? Clone(other.pointer_) : nullptr) {}
  handle(handle &&other) noexcept : pointer_(std::exchange(other.pointer_, nullptr)) {}
  handle &operator=(const handle &other) noexcept {
    handle(other).swap(*this);
    return *this;
  }
  handle &operator=(handle &&other) noexcept {
    handle(std::move(other)).swap(*this);
    return *this;
  }
  ~handle() {
    if (pointer_ != nullptr)
      Release(pointer_);
  }

  void swap(handle &other) noexcept { std::swap(pointer_, other.pointer_); }

  [[nodiscard]] T *get() const noexcept { return pointer_; }
  /// Where a call stores a new reference.
  [[nodiscard]] T **out() noexcept {
    handle().swap(*this);
    return &pointer_;
  }

private:
  T *pointer_ = nullptr;
};

using error_handle = handle<syclrtc_error_t, syclrtc_error_clone, syclrtc_error_release>;
using diagnostics_handle = handle<syclrtc_diagnostics_t, syclrtc_diagnostics_clone, syclrtc_diagnostics_release>;
using platform_handle = handle<syclrtc_platform_t, syclrtc_platform_clone, syclrtc_platform_release>;
using device_handle = handle<syclrtc_device_t, syclrtc_device_clone, syclrtc_device_release>;
using context_handle = handle<syclrtc_context_t, syclrtc_context_clone, syclrtc_context_release>;
using queue_handle = handle<syclrtc_queue_t, syclrtc_queue_clone, syclrtc_queue_release>;
using event_handle = handle<syclrtc_event_t, syclrtc_event_clone, syclrtc_event_release>;
using kernel_handle = handle<syclrtc_kernel_t, syclrtc_kernel_clone, syclrtc_kernel_release>;
using kernel_bundle_handle =
    handle<syclrtc_kernel_bundle_t, syclrtc_kernel_bundle_clone, syclrtc_kernel_bundle_release>;

using pending_build_handle =
    handle<syclrtc_pending_build_t, syclrtc_pending_build_clone, syclrtc_pending_build_release>;

/// The only way from an object of the SYCL interface to the library's pointer, and back.
struct object_access {
  template <class Object> [[nodiscard]] static auto raw(const Object &object) noexcept { return object.handle_.get(); }
  template <class Object, class Handle> [[nodiscard]] static Object wrap(Handle handle) {
    return Object(std::move(handle));
  }
};

/// What all classes with reference semantics share (SYCL 2020, 4.5.2): equal means the same object.
template <class Object, class Handle> class reference {
public:
  friend bool operator==(const Object &a, const Object &b) noexcept { return raw(a) == raw(b); }
  friend bool operator!=(const Object &a, const Object &b) noexcept { return raw(a) != raw(b); }

protected:
  reference() noexcept = default;
  explicit reference(Handle handle) noexcept : handle_(std::move(handle)) {}

  Handle handle_;

private:
  friend object_access;
  static const void *raw(const reference &object) noexcept { return object.handle_.get(); }
};

/// `std::hash` of a class with reference semantics.
template <class Object> struct reference_hash {
  std::size_t operator()(const Object &object) const noexcept {
    return std::hash<const void *>()(object_access::raw(object));
  }
};

} // namespace detail
} // namespace _V1
} // namespace sycl
