// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What stands for local memory in a kernel's arguments: 8 bytes that are a size on the host and a pointer in the kernel. The
// compiler finds the classes that hold one by their names, and counts on it being the first thing in them.

#include <sycl/detail/defines.hpp>
#include <sycl/multi_ptr.hpp>
#include <sycl/range.hpp>

#include <cstddef>
#include <cstdint>

#ifndef __SYCL_DEVICE_ONLY__
#include <sycl/detail/query.hpp>
#include <sycl/exception.hpp>

#include <limits>
#endif

namespace sycl {
inline namespace _V1 {

class handler;

namespace detail {

/// How a handler reads what stands for local memory.
struct local_access {
  template <class Object> static std::size_t bytes(const Object &object) noexcept { return object.local_.bytes(); }
};

#ifdef __SYCL_DEVICE_ONLY__

template <class T_> class local_object {
  using pointer = decorated_pointer_t<T_, access::address_space::local_space>;

public:
  SYCLRTC_DETAIL_ALWAYS_INLINE pointer data() const noexcept { return data_; }

private:
  pointer data_ = nullptr;
};

#else

template <class T_> class local_object {
public:
  /// Stands for no memory.
  local_object() = default;
  explicit local_object(std::size_t bytes) noexcept : bytes_(bytes) {}

  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  [[noreturn]] T_ *data() const { query::not_in_a_kernel(); }

private:
  std::uint64_t bytes_ = static_cast<std::uint64_t>(-1);
};

/// Throws `memory_allocation` for what no address space holds.
inline std::size_t local_bytes(std::size_t element, std::size_t count) {
  if (count != 0 && element > (std::numeric_limits<std::size_t>::max() - 1) / count)
    throw exception(make_error_code(errc::memory_allocation), "the size of a local memory is too large");
  return element * count;
}
template <int Dimensions> std::size_t local_bytes(std::size_t element, const range<Dimensions> &extent) {
  std::size_t bytes = element;
  for (int i = 0; i < Dimensions; ++i)
    bytes = local_bytes(bytes, extent[i]);
  return bytes;
}

#endif

} // namespace detail
} // namespace _V1
} // namespace sycl
