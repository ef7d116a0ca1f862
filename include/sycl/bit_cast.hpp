// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <type_traits>

namespace sycl {
inline namespace _V1 {

/// The object representation of `from` as a `To`.
template <
    class To, class From,
    std::enable_if_t<
        sizeof(To) == sizeof(From) && std::is_trivially_copyable_v<To> && std::is_trivially_copyable_v<From>, int> = 0>
constexpr To bit_cast(const From &from) noexcept {
  return __builtin_bit_cast(To, from);
}

} // namespace _V1
} // namespace sycl
