// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sycl/vector.hpp>

#include <cstdint>

namespace sycl {
inline namespace _V1 {

#define SYCLRTC_DETAIL_VEC_ALIAS(type, name)                                                                           \
  using name##2 = vec<type, 2>;                                                                                        \
  using name##3 = vec<type, 3>;                                                                                        \
  using name##4 = vec<type, 4>;                                                                                        \
  using name##8 = vec<type, 8>;                                                                                        \
  using name##16 = vec<type, 16>;

SYCLRTC_DETAIL_VEC_ALIAS(char, char)
SYCLRTC_DETAIL_VEC_ALIAS(std::int8_t, schar)
SYCLRTC_DETAIL_VEC_ALIAS(std::uint8_t, uchar)
SYCLRTC_DETAIL_VEC_ALIAS(std::int16_t, short)
SYCLRTC_DETAIL_VEC_ALIAS(std::uint16_t, ushort)
SYCLRTC_DETAIL_VEC_ALIAS(std::int32_t, int)
SYCLRTC_DETAIL_VEC_ALIAS(std::uint32_t, uint)
SYCLRTC_DETAIL_VEC_ALIAS(std::int64_t, long)
SYCLRTC_DETAIL_VEC_ALIAS(std::uint64_t, ulong)
SYCLRTC_DETAIL_VEC_ALIAS(long long, longlong)
SYCLRTC_DETAIL_VEC_ALIAS(unsigned long long, ulonglong)
SYCLRTC_DETAIL_VEC_ALIAS(half, half)
SYCLRTC_DETAIL_VEC_ALIAS(float, float)
SYCLRTC_DETAIL_VEC_ALIAS(double, double)

#undef SYCLRTC_DETAIL_VEC_ALIAS

} // namespace _V1
} // namespace sycl
