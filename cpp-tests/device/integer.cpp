// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integer functions (device.md section 7): device against host, and both against numbers known beforehand.

#include "device_test.hpp"
#include "kernels/integer_functions.hpp"

#include <cstdint>
#include <limits>

namespace {

template <class T> void check(sycl::queue &q, const support::executable_bundle &bundle, const char *name) {
  CAPTURE(name);
  using limits = std::numeric_limits<T>;
  const std::vector<T> values = {T(0),
                                 T(1),
                                 T(2),
                                 T(7),
                                 T(100),
                                 static_cast<T>(-1),
                                 static_cast<T>(-7),
                                 limits::min(),
                                 limits::max(),
                                 T(limits::max() / 2),
                                 T(limits::min() / 2),
                                 T(limits::max() - 1)};
  const std::size_t n = values.size(), count = n * n * n;
  const support::shared_array<T> a(q, count), b(q, count), c(q, count);
  const support::shared_array<long> out(q, 20 * count);
  for (std::size_t i = 0; i < count; ++i) {
    a[i] = values[i % n];
    b[i] = values[i / n % n];
    c[i] = values[i / n / n];
  }
  device_test::launch(q, bundle.ext_oneapi_get_kernel(name), sycl::nd_range<1>(count, n), a.get(), b.get(), c.get(),
                      out.get());
  for (std::size_t i = 0; i < count; ++i) {
    long expected[20] = {};
    const int functions = integer_functions(a[i], b[i], c[i], expected);
    for (int f = 0; f < functions; ++f) {
      INFO("function ", f, " of ", static_cast<long>(a[i]), ", ", static_cast<long>(b[i]), ", ",
           static_cast<long>(c[i]));
      REQUIRE(out[20 * i + static_cast<std::size_t>(f)] == expected[f]);
    }
  }
}

} // namespace

TEST_CASE("integer functions give the host's results") {
  device_test::with_kernels("kernels/integer.cpp", [](sycl::queue &q, const support::executable_bundle &bundle) {
    check<signed char>(q, bundle, "signed_char");
    check<unsigned char>(q, bundle, "unsigned_char");
    check<short>(q, bundle, "signed_short");
    check<unsigned short>(q, bundle, "unsigned_short");
    check<int>(q, bundle, "signed_int");
    check<unsigned>(q, bundle, "unsigned_int");
    check<long>(q, bundle, "signed_long");
    check<unsigned long>(q, bundle, "unsigned_long");
    check<long long>(q, bundle, "signed_long_long");
  });
}

TEST_CASE("narrow integer functions against 64 bit arithmetic") {
  const auto saturate = [](long v) { return v < -128 ? -128 : v > 127 ? 127 : v; };
  for (int i = -128; i < 128; ++i) {
    for (int j = -128; j < 128; ++j) {
      const auto a = static_cast<std::int8_t>(i), b = static_cast<std::int8_t>(j);
      REQUIRE(sycl::add_sat(a, b) == saturate(i + j));
      REQUIRE(sycl::sub_sat(a, b) == saturate(i - j));
      REQUIRE(sycl::mul_hi(a, b) == (i * j) >> 8);
      REQUIRE(sycl::mad_sat(a, b, a) == saturate(i * j + i));
      REQUIRE(sycl::hadd(a, b) == (i + j) >> 1);
      REQUIRE(sycl::rhadd(a, b) == (i + j + 1) >> 1);
      REQUIRE(sycl::abs_diff(a, b) == static_cast<std::int8_t>(i > j ? i - j : j - i));
    }
    const auto u = static_cast<std::uint8_t>(i);
    int ones = 0;
    for (unsigned bits = u; bits != 0; bits /= 2)
      ones += static_cast<int>(bits % 2);
    REQUIRE(sycl::popcount(u) == ones);
    REQUIRE(sycl::rotate(u, std::uint8_t(3)) == static_cast<std::uint8_t>((u << 3) | (u >> 5)));
  }
}

TEST_CASE("functions of 64 bits at their limits") {
  constexpr long least = std::numeric_limits<long>::min(), most = std::numeric_limits<long>::max();
  CHECK(sycl::mul_hi(least, least) == 1L << 62);
  CHECK(sycl::mul_hi(-1L, 5L) == -1);
  CHECK(sycl::mul_hi(~0UL, ~0UL) == ~0UL - 1);
  CHECK(sycl::mad_sat(1L << 62, 2L, -1L) == most);
  CHECK(sycl::mad_sat(1L << 62, 2L, 0L) == most);
  CHECK(sycl::mad_sat(-(1L << 62), 2L, -1L) == least);
  CHECK(sycl::mad_sat(-(1L << 62), 2L, 1L) == least + 1);
  CHECK(sycl::mad_sat(~0UL, 1UL, 1UL) == ~0UL);
  CHECK(sycl::mad_sat(1UL << 32, 1UL << 31, 5UL) == (1UL << 63) + 5);
  CHECK(sycl::clz(0) == 32);
  CHECK(sycl::ctz(short(0)) == 16);
  CHECK(sycl::upsample(std::int16_t(-1), std::uint16_t(5)) == -65531);
  CHECK(sycl::mul24(0x800000, 1) == -0x800000);
}
