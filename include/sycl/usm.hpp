// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#ifdef __SYCL_DEVICE_ONLY__
#include <sycl/detail/device.hpp>
#else

#include <sycl/context.hpp>
#include <sycl/detail/call.hpp>
#include <sycl/device.hpp>
#include <sycl/property_list.hpp>
#include <sycl/queue.hpp>

#include <cstddef>
#include <limits>
#include <new>
#include <type_traits>

// Unified shared memory (SYCL 2020, 4.8). Memory that cannot be had is a null pointer.

namespace sycl {
inline namespace _V1 {
namespace usm {

enum class alloc { host = 0, device = 1, shared = 2, unknown = 3 };

} // namespace usm

namespace detail {

/// `dev` is null for host memory.
inline void *allocate(const context &ctxt, const device *dev, std::uint32_t kind, std::size_t bytes,
                      std::size_t alignment) {
  void *pointer = nullptr;
  check(syclrtc_usm_allocate(object_access::raw(ctxt), dev != nullptr ? object_access::raw(*dev) : nullptr, kind, bytes,
                             alignment, &pointer));
  return pointer;
}

template <class T>
T *allocate_elements(const context &ctxt, const device *dev, std::uint32_t kind, std::size_t count,
                     std::size_t alignment = alignof(T)) {
  if (count > std::numeric_limits<std::size_t>::max() / sizeof(T))
    return nullptr;
  return static_cast<T *>(
      allocate(ctxt, dev, kind, count * sizeof(T), alignment > alignof(T) ? alignment : alignof(T)));
}

} // namespace detail

// Device memory.

[[nodiscard]] inline void *malloc_device(std::size_t bytes, const device &dev, const context &ctxt,
                                         const property_list & = {}) {
  return detail::allocate(ctxt, &dev, SYCLRTC_USM_DEVICE, bytes, 0);
}
[[nodiscard]] inline void *malloc_device(std::size_t bytes, const queue &q, const property_list & = {}) {
  return malloc_device(bytes, q.get_device(), q.get_context());
}
template <class T>
[[nodiscard]] T *malloc_device(std::size_t count, const device &dev, const context &ctxt, const property_list & = {}) {
  return detail::allocate_elements<T>(ctxt, &dev, SYCLRTC_USM_DEVICE, count);
}
template <class T> [[nodiscard]] T *malloc_device(std::size_t count, const queue &q, const property_list & = {}) {
  return malloc_device<T>(count, q.get_device(), q.get_context());
}
[[nodiscard]] inline void *aligned_alloc_device(std::size_t alignment, std::size_t bytes, const device &dev,
                                                const context &ctxt, const property_list & = {}) {
  return detail::allocate(ctxt, &dev, SYCLRTC_USM_DEVICE, bytes, alignment);
}
[[nodiscard]] inline void *aligned_alloc_device(std::size_t alignment, std::size_t bytes, const queue &q,
                                                const property_list & = {}) {
  return aligned_alloc_device(alignment, bytes, q.get_device(), q.get_context());
}
template <class T>
[[nodiscard]] T *aligned_alloc_device(std::size_t alignment, std::size_t count, const device &dev, const context &ctxt,
                                      const property_list & = {}) {
  return detail::allocate_elements<T>(ctxt, &dev, SYCLRTC_USM_DEVICE, count, alignment);
}
template <class T>
[[nodiscard]] T *aligned_alloc_device(std::size_t alignment, std::size_t count, const queue &q,
                                      const property_list & = {}) {
  return aligned_alloc_device<T>(alignment, count, q.get_device(), q.get_context());
}

// Host memory.

[[nodiscard]] inline void *malloc_host(std::size_t bytes, const context &ctxt, const property_list & = {}) {
  return detail::allocate(ctxt, nullptr, SYCLRTC_USM_HOST, bytes, 0);
}
[[nodiscard]] inline void *malloc_host(std::size_t bytes, const queue &q, const property_list & = {}) {
  return malloc_host(bytes, q.get_context());
}
template <class T> [[nodiscard]] T *malloc_host(std::size_t count, const context &ctxt, const property_list & = {}) {
  return detail::allocate_elements<T>(ctxt, nullptr, SYCLRTC_USM_HOST, count);
}
template <class T> [[nodiscard]] T *malloc_host(std::size_t count, const queue &q, const property_list & = {}) {
  return malloc_host<T>(count, q.get_context());
}
[[nodiscard]] inline void *aligned_alloc_host(std::size_t alignment, std::size_t bytes, const context &ctxt,
                                              const property_list & = {}) {
  return detail::allocate(ctxt, nullptr, SYCLRTC_USM_HOST, bytes, alignment);
}
[[nodiscard]] inline void *aligned_alloc_host(std::size_t alignment, std::size_t bytes, const queue &q,
                                              const property_list & = {}) {
  return aligned_alloc_host(alignment, bytes, q.get_context());
}
template <class T>
[[nodiscard]] T *aligned_alloc_host(std::size_t alignment, std::size_t count, const context &ctxt,
                                    const property_list & = {}) {
  return detail::allocate_elements<T>(ctxt, nullptr, SYCLRTC_USM_HOST, count, alignment);
}
template <class T>
[[nodiscard]] T *aligned_alloc_host(std::size_t alignment, std::size_t count, const queue &q,
                                    const property_list & = {}) {
  return aligned_alloc_host<T>(alignment, count, q.get_context());
}

// Shared memory.

[[nodiscard]] inline void *malloc_shared(std::size_t bytes, const device &dev, const context &ctxt,
                                         const property_list & = {}) {
  return detail::allocate(ctxt, &dev, SYCLRTC_USM_SHARED, bytes, 0);
}
[[nodiscard]] inline void *malloc_shared(std::size_t bytes, const queue &q, const property_list & = {}) {
  return malloc_shared(bytes, q.get_device(), q.get_context());
}
template <class T>
[[nodiscard]] T *malloc_shared(std::size_t count, const device &dev, const context &ctxt, const property_list & = {}) {
  return detail::allocate_elements<T>(ctxt, &dev, SYCLRTC_USM_SHARED, count);
}
template <class T> [[nodiscard]] T *malloc_shared(std::size_t count, const queue &q, const property_list & = {}) {
  return malloc_shared<T>(count, q.get_device(), q.get_context());
}
[[nodiscard]] inline void *aligned_alloc_shared(std::size_t alignment, std::size_t bytes, const device &dev,
                                                const context &ctxt, const property_list & = {}) {
  return detail::allocate(ctxt, &dev, SYCLRTC_USM_SHARED, bytes, alignment);
}
[[nodiscard]] inline void *aligned_alloc_shared(std::size_t alignment, std::size_t bytes, const queue &q,
                                                const property_list & = {}) {
  return aligned_alloc_shared(alignment, bytes, q.get_device(), q.get_context());
}
template <class T>
[[nodiscard]] T *aligned_alloc_shared(std::size_t alignment, std::size_t count, const device &dev, const context &ctxt,
                                      const property_list & = {}) {
  return detail::allocate_elements<T>(ctxt, &dev, SYCLRTC_USM_SHARED, count, alignment);
}
template <class T>
[[nodiscard]] T *aligned_alloc_shared(std::size_t alignment, std::size_t count, const queue &q,
                                      const property_list & = {}) {
  return aligned_alloc_shared<T>(alignment, count, q.get_device(), q.get_context());
}

// Memory of a kind that is a parameter.

[[nodiscard]] inline void *aligned_alloc(std::size_t alignment, std::size_t bytes, const device &dev,
                                         const context &ctxt, usm::alloc kind, const property_list & = {}) {
  switch (kind) {
  case usm::alloc::host:
    return aligned_alloc_host(alignment, bytes, ctxt);
  case usm::alloc::device:
    return aligned_alloc_device(alignment, bytes, dev, ctxt);
  case usm::alloc::shared:
    return aligned_alloc_shared(alignment, bytes, dev, ctxt);
  case usm::alloc::unknown:
    break;
  }
  return nullptr;
}
[[nodiscard]] inline void *aligned_alloc(std::size_t alignment, std::size_t bytes, const queue &q, usm::alloc kind,
                                         const property_list & = {}) {
  return aligned_alloc(alignment, bytes, q.get_device(), q.get_context(), kind);
}
template <class T>
[[nodiscard]] T *aligned_alloc(std::size_t alignment, std::size_t count, const device &dev, const context &ctxt,
                               usm::alloc kind, const property_list & = {}) {
  switch (kind) {
  case usm::alloc::host:
    return aligned_alloc_host<T>(alignment, count, ctxt);
  case usm::alloc::device:
    return aligned_alloc_device<T>(alignment, count, dev, ctxt);
  case usm::alloc::shared:
    return aligned_alloc_shared<T>(alignment, count, dev, ctxt);
  case usm::alloc::unknown:
    break;
  }
  return nullptr;
}
template <class T>
[[nodiscard]] T *aligned_alloc(std::size_t alignment, std::size_t count, const queue &q, usm::alloc kind,
                               const property_list & = {}) {
  return aligned_alloc<T>(alignment, count, q.get_device(), q.get_context(), kind);
}
[[nodiscard]] inline void *malloc(std::size_t bytes, const device &dev, const context &ctxt, usm::alloc kind,
                                  const property_list & = {}) {
  return aligned_alloc(0, bytes, dev, ctxt, kind);
}
[[nodiscard]] inline void *malloc(std::size_t bytes, const queue &q, usm::alloc kind, const property_list & = {}) {
  return aligned_alloc(0, bytes, q, kind);
}
template <class T>
[[nodiscard]] T *malloc(std::size_t count, const device &dev, const context &ctxt, usm::alloc kind,
                        const property_list & = {}) {
  return aligned_alloc<T>(alignof(T), count, dev, ctxt, kind);
}
template <class T>
[[nodiscard]] T *malloc(std::size_t count, const queue &q, usm::alloc kind, const property_list & = {}) {
  return aligned_alloc<T>(alignof(T), count, q, kind);
}

inline void free(void *pointer, const context &ctxt) {
  if (pointer != nullptr)
    detail::check(syclrtc_usm_free(detail::object_access::raw(ctxt), pointer));
}
inline void free(void *pointer, const queue &q) { sycl::free(pointer, q.get_context()); }

/// The kind of memory that a pointer points into; `unknown` if it is none of the context's.
[[nodiscard]] inline usm::alloc get_pointer_type(const void *pointer, const context &ctxt) {
  std::uint32_t kind = SYCLRTC_USM_UNKNOWN;
  detail::check(syclrtc_usm_kind(detail::object_access::raw(ctxt), pointer, &kind));
  switch (kind) {
  case SYCLRTC_USM_HOST:
    return usm::alloc::host;
  case SYCLRTC_USM_DEVICE:
    return usm::alloc::device;
  case SYCLRTC_USM_SHARED:
    return usm::alloc::shared;
  default:
    return usm::alloc::unknown;
  }
}

/// The device of device and shared memory, the context's first for host memory. Throws `invalid` for other pointers.
[[nodiscard]] inline device get_pointer_device(const void *pointer, const context &ctxt) {
  detail::device_handle found;
  detail::check(syclrtc_usm_device(detail::object_access::raw(ctxt), pointer, found.out()));
  return detail::object_access::wrap<device>(std::move(found));
}

/// Allocator for containers in host or shared memory. Throws `memory_allocation` where there is none.
template <class T, usm::alloc AllocKind, std::size_t Alignment = 0> class usm_allocator {
  static_assert(AllocKind == usm::alloc::host || AllocKind == usm::alloc::shared,
                "containers need memory that the host can use");

public:
  using value_type = T;
  using propagate_on_container_copy_assignment = std::true_type;
  using propagate_on_container_move_assignment = std::true_type;
  using propagate_on_container_swap = std::true_type;
  template <class U> struct rebind {
    using other = usm_allocator<U, AllocKind, Alignment>;
  };

  usm_allocator(const context &ctxt, const device &dev, const property_list & = {}) : context_(ctxt), device_(dev) {}
  usm_allocator(const queue &q, const property_list & = {}) : context_(q.get_context()), device_(q.get_device()) {}
  template <class U>
  usm_allocator(const usm_allocator<U, AllocKind, Alignment> &other) noexcept
      : context_(other.context_), device_(other.device_) {}

  [[nodiscard]] T *allocate(std::size_t count) {
    T *pointer = sycl::aligned_alloc<T>(Alignment, count, device_, context_, AllocKind);
    if (pointer == nullptr)
      throw exception(make_error_code(errc::memory_allocation), "usm_allocator could not allocate");
    return pointer;
  }
  void deallocate(T *pointer, std::size_t) { sycl::free(pointer, context_); }

  template <class U>
  friend bool operator==(const usm_allocator &a, const usm_allocator<U, AllocKind, Alignment> &b) noexcept {
    return a.same_as(b);
  }
  template <class U>
  friend bool operator!=(const usm_allocator &a, const usm_allocator<U, AllocKind, Alignment> &b) noexcept {
    return !a.same_as(b);
  }

private:
  template <class U, usm::alloc OtherKind, std::size_t OtherAlignment> friend class usm_allocator;

  template <class U> bool same_as(const usm_allocator<U, AllocKind, Alignment> &other) const noexcept {
    return context_ == other.context_ && device_ == other.device_;
  }

  context context_;
  device device_;
};

} // namespace _V1
} // namespace sycl

#endif
