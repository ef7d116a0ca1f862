// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Checks that host and device both run: each gives 0, or the line that failed.

#include <sycl/aliases.hpp>
#include <sycl/bit_cast.hpp>
#include <sycl/builtins.hpp>
#include <sycl/marray.hpp>
#include <sycl/vector.hpp>

#include <cstdint>
#include <type_traits>

#define THAT(...)                                                                                                      \
  do {                                                                                                                 \
    if (!(__VA_ARGS__))                                                                                                \
      return __LINE__;                                                                                                 \
  } while (false)

// The layout is part of the interface between host and device.
static_assert(sizeof(sycl::float3) == 16 && alignof(sycl::float3) == 16, "three take the room of four");
static_assert(sizeof(sycl::double16) == 128 && alignof(sycl::double16) == 64, "the alignment ends at 64");
static_assert(sizeof(sycl::char3) == 4 && sizeof(sycl::vec<int, 1>) == 4, "three take the room of four");
static_assert(sizeof(sycl::mfloat3) == 12 && alignof(sycl::mfloat3) == 4, "marray is as an array");
static_assert(std::is_trivially_copyable_v<sycl::int4> && std::is_trivially_copyable_v<sycl::mint4>, "copied by bytes");
static_assert(std::is_same_v<decltype(sycl::double2() == sycl::double2()), sycl::vec<std::int64_t, 2>>, "same width");

inline int vec_construction(int one) {
  using namespace sycl;
  const int4 a(one, 2, 3, 4);
  const int2 b(7, 8);
  THAT(int4(b, a.swizzle<0, 1>())[3] == 2 && int3(1, b)[2] == 8);
  THAT(int8(a, a)[7] == 4 && int16(a, int8(5), a.lo(), b)[15] == 8 && int16(a, int8(5), a.lo(), b)[4] == 5);
  THAT(a.x() == 1 && a.w() == 4 && a.g() == 2 && a.s3() == 4);
  THAT(a.lo()[1] == 2 && a.hi()[0] == 3 && a.odd()[1] == 4 && a.even()[1] == 3);
  const vec<int, 1> single = 5;
  const int number = single;
  THAT(number == 5);
  THAT(a.as<uint4>()[0] == 1u && a.convert<float>()[1] == 2.0f);
  const float4 r(1.5f, -1.5f, 2.5f, -2.5f);
  THAT(r.convert<int, rounding_mode::rte>()[0] == 2 && r.convert<int, rounding_mode::rtn>()[1] == -2);
  THAT(r.convert<int, rounding_mode::rtp>()[3] == -2 && r.convert<int>()[2] == 2);
  THAT(r.convert<int, rounding_mode::rtz>()[3] == -2);
  int memory[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  int2 loaded;
  loaded.load(3, memory);
  THAT(loaded[0] == 6 && loaded[1] == 7);
  loaded.store(0, memory);
  THAT(memory[0] == 6 && memory[1] == 7 && memory[2] == 2);
  return 0;
}

inline int vec_operators(int one) {
  using namespace sycl;
  const int4 a(one, 2, 3, 4);
  THAT((a + 1)[0] == 2 && (2 * a)[3] == 8 && (a + a)[2] == 6 && (a % 3)[3] == 1 && (a << 2)[1] == 8);
  THAT((a < 3)[0] == -1 && (a < 3)[2] == 0 && (3 >= a)[2] == -1 && (a && int4(0, 1, 0, 1))[1] == -1);
  THAT((-a)[0] == -1 && (!a)[0] == 0 && (~a)[1] == -3 && (a ^ 1)[0] == 0);
  int4 v = a;
  v *= a;
  v += 1;
  ++v;
  v--;
  THAT(v[3] == 17);
  half2 h(half(1.0f), half(2.0f));
  h = h + h;
  THAT(h[1] == 4);
  THAT((uchar16(static_cast<unsigned char>(200)) + uchar16(static_cast<unsigned char>(100)))[15] == 44);
  v = 3;
  THAT(v[0] == 3 && v[3] == 3);
  return 0;
}

inline int vec_swizzles(int one) {
  using namespace sycl;
  const int2 b(7, 8);
  int4 v(one, 2, 3, 4);
  // The source is read before any element is written.
  v.swizzle<3, 2, 1, 0>() = v;
  THAT(v[0] == 4 && v[3] == 1);
  v.lo() = b;
  THAT(v[0] == 7 && v[1] == 8 && v[2] == 2);
  v.swizzle<0, 1>() += v.swizzle<2, 3>();
  THAT(v[0] == 9 && v[1] == 9);
  v.x() = 5;
  v.s3() = 6;
  THAT(v[0] == 5 && v[3] == 6);
  THAT((v.swizzle<elem::w, elem::x>() * 2)[0] == 12);
  THAT(int2(v.swizzle<0, 1, 2>().swizzle<2, 0>())[1] == 5);
#ifdef SYCL_SIMPLE_SWIZZLES
  v.xy() = int2(1, 2);
  const int4 reversed = v.wzyx();
  THAT(v[1] == 2 && reversed[0] == 6 && reversed[3] == 1);
  THAT(int2(b.xx())[1] == 7 && int3(v.xyz() * 2)[1] == 4);
#endif
  return 0;
}

inline int marray_members(int one) {
  using namespace sycl;
  const marray<int, 3> a(one, 2, 3);
  const marray<int, 5> b(marray<int, 2>(7, 8), a);
  THAT(b[0] == 7 && b[4] == 3 && (a + 1)[2] == 4 && (2 * a)[1] == 4);
  THAT((a == a)[0] && (a < 2)[0] && !(a < 2)[1] && (~a)[0] == -2 && (-a)[1] == -2);
  marray<float, 4> m(2.0f);
  m += 1;
  m *= m;
  THAT(m[3] == 9);
  for (float &x : m)
    x += 1;
  THAT(m[0] == 10);
  const marray<int, 1> single(5);
  const int number = single;
  THAT(number == 5);
  return 0;
}

inline int array_functions(int one) {
  using namespace sycl;
  const float4 a(static_cast<float>(one), 4, 9, 16);
  THAT(sqrt(a)[3] == 4 && sqrt(a.swizzle<1, 2>())[1] == 3);
  THAT(fmax(a, 5.0f)[0] == 5 && fmax(a, float4(2))[0] == 2 && clamp(a, 2.0f, 10.0f)[3] == 10);
  THAT(max(int2(1, 5), 3)[0] == 3 && max(int2(1, 5), int2(9, 2))[1] == 5 && sycl::max(1, 2) == 2);
  THAT(isgreater(a, float4(5))[2] == -1 && isnan(a)[0] == 0);
  THAT(any(a > float4(15)) && !all(a > float4(15)) && select(a, -a, a < float4(5))[0] == -1);
  THAT(dot(a, a) == 354 && length(float2(3, 4)) == 5 && distance(float2(0, 0), float2(3, 4)) == 5);
  THAT(cross(float3(1, 0, 0), float3(0, 1, 0))[2] == 1 && normalize(float2(3, 4))[0] > 0.59f);
  float4 whole;
  THAT(modf(float4(1.5f), &whole)[0] == 0.5f && whole[1] == 1);
  int4 exponent;
  THAT(frexp(float4(8), &exponent)[2] == 0.5f && exponent[0] == 4);
  int2 quotient;
  THAT(remquo(float2(7, 8), float2(2), &quotient)[0] == -1 && (quotient[0] & 7) == 4);
  THAT(ldexp(a, 2)[0] == 4 && pown(a, int4(2))[1] == 16 && ilogb(a)[1] == 2);
  const mfloat3 m(1, 2, 3);
  THAT(exp2(m)[2] == 8 && all(isfinite(m)));
  THAT(abs(int3(-1, 2, -3))[2] == 3 && popcount(uint2(7u, 8u))[0] == 3u &&
       bitselect(int2(0), int2(-1), int2(5))[0] == 5);
  THAT(mix(a, float4(0), 0.5f)[0] == 0.5f && step(2.0f, 3.0f) == 1 && sign(-a)[0] == -1 && mad(a, a, a)[0] == 2);
  THAT(half_precision::divide(a, 2.0f)[0] == 0.5f && sqrt(half2(half(4.0f)))[0] == 2);
  THAT(sycl::bit_cast<unsigned>(static_cast<float>(one)) == 0x3f800000u);
  return 0;
}
