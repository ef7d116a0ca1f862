// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <syclrtc/syclrtc.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

namespace sycl {
inline namespace _V1 {
namespace detail {

/// Growing storage for trivially copyable elements; the first `Inline` of them need no allocation.
template <class T, std::size_t Inline> class small_storage {
public:
  small_storage() noexcept = default;
  small_storage(const small_storage &) = delete;
  small_storage &operator=(const small_storage &) = delete;

  [[nodiscard]] T *data() noexcept { return heap_ ? heap_.get() : local_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  /// Appends `count` elements without a value; gives the position of the first.
  std::size_t extend(std::size_t count) {
    const std::size_t position = size_;
    if (count > capacity_ - size_) {
      const std::size_t capacity = 2 * capacity_ > size_ + count ? 2 * capacity_ : size_ + count;
      std::unique_ptr<T[]> grown(new T[capacity]);
      std::memcpy(grown.get(), data(), size_ * sizeof(T));
      heap_ = std::move(grown);
      capacity_ = capacity;
    }
    size_ += count;
    return position;
  }

private:
  std::unique_ptr<T[]> heap_;
  std::size_t size_ = 0;
  std::size_t capacity_ = Inline;
  T local_[Inline];
};

/// Copies of the values of kernel arguments. Each starts at a multiple of the largest alignment a driver asks for.
class argument_list {
public:
  void add(std::uint32_t index, std::uint32_t kind, const void *bytes, std::size_t count) {
    const std::size_t position = store(bytes, count);
    // Growing moves the elements: their address is taken afterwards.
    const std::size_t last = records_.extend(1);
    records_.data()[last] = {index, kind, position, count};
  }

  /// Local memory: a size, without bytes to copy.
  void add_local(std::uint32_t index, std::size_t bytes) {
    const std::size_t last = records_.extend(1);
    records_.data()[last] = {index, SYCLRTC_ARGUMENT_LOCAL, no_position, bytes};
  }

  /// A copy of some bytes; valid until the next is stored.
  std::size_t store(const void *bytes, std::size_t count) {
    const std::size_t position = bytes_.extend((count + sizeof(unit) - 1) / sizeof(unit));
    if (count != 0)
      std::memcpy(bytes_.data() + position, bytes, count);
    return position;
  }
  [[nodiscard]] const void *stored(std::size_t position) noexcept { return bytes_.data() + position; }

  /// Calls `use(arguments, count)` with the list as the library takes it.
  template <class Use> void with(Use use) {
    small_storage<syclrtc_argument_t, 16> arguments;
    arguments.extend(records_.size());
    for (std::size_t i = 0; i < records_.size(); ++i) {
      const record &from = records_.data()[i];
      arguments.data()[i] = {sizeof(syclrtc_argument_t), from.index, from.kind,
                             from.position == no_position ? nullptr : stored(from.position), from.count};
    }
    use(arguments.data(), arguments.size());
  }

private:
  struct alignas(64) unit {
    unsigned char bytes[64];
  };
  static constexpr std::size_t no_position = static_cast<std::size_t>(-1);
  struct record {
    std::uint32_t index;
    std::uint32_t kind;
    std::size_t position;
    std::size_t count;
  };

  small_storage<record, 16> records_;
  small_storage<unit, 16> bytes_;
};

} // namespace detail
} // namespace _V1
} // namespace sycl
