// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Built-in and library functions of floating-point numbers, against `long double` on the host and the accuracy table of
// OpenCL (device.md sections 7 and 12).

#include "device_test.hpp"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

namespace {

constexpr long double pi = 3.141592653589793238462643383279502884L;

/// sin(pi x), exact at its zeros.
long double sinpi(long double x) {
  const long double turns = std::fmod(x, 2.0L);
  const long double nearest = std::round(turns * 2);
  const long double angle = pi * (turns - nearest / 2);
  if (!std::isfinite(x))
    return std::numeric_limits<long double>::quiet_NaN();
  switch ((static_cast<int>(nearest) + 4) % 4) {
  case 0:
    return angle == 0 ? std::copysign(0.0L, x) : std::sin(angle);
  case 1:
    return std::cos(angle);
  case 2:
    return angle == 0 ? std::copysign(0.0L, x) : -std::sin(angle);
  default:
    return -std::cos(angle);
  }
}
long double cospi(long double x) {
  const long double r = sinpi(std::fabs(std::fmod(x, 2.0L)) + 0.5L);
  return r == 0 ? 0.0L : r;
}

struct row {
  std::string name;
  double ulps;
  /// Without a value where the result is unspecified.
  std::vector<std::optional<long double>> expected;
};

template <class T> struct limits_of {
  static constexpr int digits = std::numeric_limits<T>::digits;
  static constexpr int least_exponent = std::numeric_limits<T>::min_exponent;
};

/// Distance in units in the last place of the nearest T; infinite if one is NaN, infinite or of another sign of zero.
template <class T> double distance(T got, long double expected) {
  const double wrong = std::numeric_limits<double>::infinity();
  const long double value = static_cast<long double>(static_cast<double>(got));
  const T nearest = static_cast<T>(expected);
  if (std::isnan(expected))
    return std::isnan(value) ? 0 : wrong;
  if (std::isnan(value))
    return wrong;
  if (std::isinf(static_cast<double>(nearest)) || std::isinf(value))
    return value == static_cast<long double>(static_cast<double>(nearest)) ? 0 : wrong;
  if (expected == 0) {
    // Drivers compute half in float or by tables, and some lose the sign of a zero there; OpenCL does not forbid it.
    const bool sign_matters = sizeof(T) > 2;
    return value != 0 || (sign_matters && std::signbit(value) != std::signbit(expected)) ? wrong : 0;
  }
  int exponent = 0;
  std::frexp(expected, &exponent);
  exponent = std::max(exponent, limits_of<T>::least_exponent);
  return static_cast<double>(std::fabs(value - expected) / std::ldexp(1.0L, exponent - limits_of<T>::digits));
}

/// Half a unit beyond the limit is the rounding of the result itself.
template <class T> void compare(const row &r, const T *got, const std::vector<T> &a, const std::vector<T> &b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!r.expected[i])
      continue;
    const double error = distance(got[i], *r.expected[i]);
    INFO(r.name, "(", static_cast<double>(a[i]), ", ", static_cast<double>(b[i]), ") gives ",
         static_cast<double>(got[i]), " and not ", static_cast<double>(*r.expected[i]));
    REQUIRE(error <= r.ulps + 0.5);
  }
}

template <class T> std::vector<T> first_operands() {
  const T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  std::vector<T> r = {T(0.0f), -T(0.0f), inf,     -inf,     nan,     T(1.0f), T(-1.0f),
                      T(0.5f), T(-0.5f), T(1.5f), T(-2.5f), T(2.5f), T(3.0f)};
  for (float x = 0.0625f; x < 20; x *= 1.37f) {
    r.push_back(T(x));
    r.push_back(T(-x));
    r.push_back(T(1 / x));
  }
  while (r.size() % 8 != 0)
    r.push_back(T(0.75f));
  return r;
}
template <class T> std::vector<T> second_operands(std::size_t count) {
  const float values[] = {1, 2, -2.5f, 0.5f, -0.5f, 3, 0.25f, -1.5f, 7, -7, 0.1f};
  std::vector<T> r(count);
  for (std::size_t i = 0; i < count; ++i)
    r[i] = T(values[i % std::size(values)]);
  return r;
}

template <class T> struct operands {
  explicit operands(const sycl::queue &q)
      : a(first_operands<T>()), b(second_operands<T>(a.size())), device_a(q, a.size()), device_b(q, b.size()) {
    std::copy(a.begin(), a.end(), device_a.get());
    std::copy(b.begin(), b.end(), device_b.get());
  }
  std::vector<T> a, b;
  support::shared_array<T> device_a, device_b;
};

template <class T, class Function>
std::vector<std::optional<long double>> reference(const operands<T> &in, Function function) {
  std::vector<std::optional<long double>> r;
  for (std::size_t i = 0; i < in.a.size(); ++i)
    r.push_back(function(static_cast<long double>(static_cast<double>(in.a[i])),
                         static_cast<long double>(static_cast<double>(in.b[i]))));
  return r;
}

/// nextafter depends on the type: its reference is not that of `long double`.
template <class T> long double next(long double x, long double y) {
  return static_cast<long double>(static_cast<double>(sycl::nextafter(static_cast<T>(x), static_cast<T>(y))));
}

template <class T> std::vector<row> shared_rows(const operands<T> &in, double factor) {
  std::vector<row> rows;
#define ONE(name, ulps)                                                                                                \
  rows.push_back({#name, ulps * factor, reference(in, [](long double x, long double) { return std::name(x); })});
#define TWO(name, ulps)                                                                                                \
  rows.push_back({#name, ulps * factor, reference(in, [](long double x, long double y) {                               \
                    if (std::string(#name) == "nextafter")                                                             \
                      return next<T>(x, y);                                                                            \
                    return static_cast<long double>(std::name(x, y));                                                  \
                  })});
#include "kernels/shared_functions.inc"
#undef ONE
#undef TWO
  return rows;
}
template <class T> std::vector<row> sycl_rows(const operands<T> &in, double factor) {
  std::vector<row> rows = shared_rows(in, factor);
#define ONE(name, ulps, expression)                                                                                    \
  rows.push_back({#name, ulps * factor, reference(in, [](long double x, long double) { return expression; })});
#define TWO(name, ulps, expression)                                                                                    \
  rows.push_back({#name, ulps * factor, reference(in, [](long double x, long double y) { return expression; })});
#include "kernels/sycl_functions.inc"
#undef ONE
#undef TWO
  return rows;
}

template <class T>
void run(sycl::queue &q, const support::executable_bundle &bundle, const std::string &name, const operands<T> &in,
         const std::vector<row> &rows) {
  CAPTURE(name);
  const std::size_t count = in.a.size();
  const support::shared_array<T> out(q, rows.size() * count);
  device_test::launch(q, bundle.ext_oneapi_get_kernel(name), sycl::nd_range<1>(count, 8), in.device_a.get(),
                      in.device_b.get(), out.get(), count);
  for (std::size_t f = 0; f < rows.size(); ++f)
    compare(rows[f], out.get() + f * count, in.a, in.b);
}

/// The rows of the kernel's `other_functions`, in its order.
template <class T> std::vector<row> other_rows(const operands<T> &in) {
  using L = long double;
  using R = std::optional<L>;
  std::vector<row> rows;
  const auto add = [&](const char *name, double ulps, int times, auto function) {
    for (int k = 0; k < times; ++k) {
      int i = 0;
      rows.push_back({name, ulps, reference(in, [&](L x, L y) {
                        const int n = i++ % 17 - 8;
                        return R(function(x, y, n));
                      })});
    }
  };
  add("ldexp, scalbn or scalbln", 0, 4, [](L x, L, int n) { return std::ldexp(x, n); });
  add("fma", 0, 2, [](L x, L y, int) { return static_cast<L>(std::fma(static_cast<T>(x), static_cast<T>(y), T(1))); });
  for (int both = 0; both < 2; ++both) {
    int e = 0;
    add("frexp", 0, 1, [&e](L x, L, int) { return std::frexp(x, &e); });
    add("frexp's exponent", 0, 1, [&e](L x, L, int) -> R {
      std::frexp(x, &e);
      return std::isfinite(x) ? R(e) : std::nullopt;
    });
  }
  for (int both = 0; both < 2; ++both) {
    L whole = 0;
    add("modf", 0, 1, [&whole](L x, L, int) { return std::modf(x, &whole); });
    add("modf's whole part", 0, 1, [&whole](L x, L, int) {
      std::modf(x, &whole);
      return whole;
    });
  }
  for (int both = 0; both < 2; ++both) {
    add("remquo", 0, 1, [](L x, L y, int) { return std::remainder(x, y); });
    add("remquo's quotient", 0, 1, [](L x, L y, int) -> R {
      int quotient = 0;
      std::remquo(x, y, &quotient);
      return std::isfinite(x) ? R(quotient & 7) : std::nullopt;
    });
  }
  add("sincos", 4, 1, [](L x, L, int) { return std::sin(x); });
  add("sincos's cosine", 4, 1, [](L x, L, int) { return std::cos(x); });
  // The integer has no negative zero.
  add("lround", 0, 2, [](L x, L, int) { return std::isfinite(x) ? R(std::round(x) + 0.0L) : std::nullopt; });
  add("lrint", 0, 2, [](L x, L, int) { return std::isfinite(x) ? R(std::rint(x) + 0.0L) : std::nullopt; });
  add("ilogb", 0, 2, [](L x, L, int) { return std::isfinite(x) && x != 0 ? R(std::ilogb(x)) : std::nullopt; });
  add("pown", 16, 1, [](L x, L, int n) { return std::pow(x, static_cast<L>(n)); });
  add("nearbyint", 0, 1, [](L x, L, int) { return std::nearbyint(x); });
  add("classification", 0, 1, [](L x, L y, int) {
    unsigned bits = 0, k = 0;
    for (int both = 0; both < 2; ++both)
      for (const bool fact :
           {std::isfinite(x), std::isinf(x), std::isnan(x), std::isnormal(x), std::signbit(x), std::isgreater(x, y),
            std::isless(x, y), std::isunordered(x, y), std::islessgreater(x, y)})
        bits |= (fact ? 1u : 0u) << k++;
    return static_cast<L>(bits);
  });
  return rows;
}

template <class T>
void all_functions(sycl::queue &q, const support::executable_bundle &bundle, const std::string &type) {
  const operands<T> in(q);
  run(q, bundle, "std_" + type, in, shared_rows(in, 1));
  run(q, bundle, "sycl_" + type, in, sycl_rows(in, 1));
  run(q, bundle, "other_" + type, in, other_rows(in));
}

} // namespace

TEST_CASE("functions of std:: and sycl:: are as exact as OpenCL asks") {
  device_test::with_kernels("kernels/math.cpp", [](sycl::queue &q, const support::executable_bundle &bundle) {
    all_functions<float>(q, bundle, "float");
    if (q.get_device().has(sycl::aspect::fp64))
      all_functions<double>(q, bundle, "double");
  });
}

TEST_CASE("functions of half") {
  device_test::with_kernels("kernels/math.cpp", [](sycl::queue &q, const support::executable_bundle &bundle) {
    if (!q.get_device().has(sycl::aspect::fp16)) {
      MESSAGE("not tested: the device has no fp16");
      return;
    }
    const operands<sycl::half> in(q);
    // The table's limits are those of float; OpenCL sets none for half that are wider.
    run(q, bundle, "half_functions", in, sycl_rows(in, 1));
  });
}

TEST_CASE("all numbers of half") {
  device_test::with_kernels("kernels/math.cpp", [](sycl::queue &q, const support::executable_bundle &bundle) {
    if (!q.get_device().has(sycl::aspect::fp16)) {
      MESSAGE("not tested: the device has no fp16");
      return;
    }
    constexpr std::size_t count = 65536;
    const support::shared_array<sycl::half> in(q, count), back(q, count), sum(q, count);
    const support::shared_array<float> wide(q, count);
    for (std::size_t i = 0; i < count; ++i)
      in[i] = sycl::half::from_bits(static_cast<std::uint16_t>(i));
    device_test::launch(q, bundle.ext_oneapi_get_kernel("half_numbers"), sycl::nd_range<1>(count, 64), in.get(),
                        wide.get(), back.get(), sum.get());
    const auto same = [](auto a, auto b) {
      return std::memcmp(&a, &b, sizeof a) == 0 ||
             (std::isnan(static_cast<float>(a)) && std::isnan(static_cast<float>(b)));
    };
    for (std::size_t i = 0; i < count; ++i) {
      CAPTURE(i);
      REQUIRE(same(wide[i], static_cast<float>(in[i])));
      REQUIRE(same(back[i], in[i]));
      // The driver may contract the product and the sum to one operation.
      const float x = in[i], y = in[i ^ 1];
      const sycl::half rounded_twice = in[i] * sycl::half(0.75f) + in[i ^ 1], rounded_once = x * 0.75f + y;
      REQUIRE((same(sum[i], rounded_twice) || same(sum[i], rounded_once)));
    }
  });
}

TEST_CASE("native and half_precision functions have ten good bits where the device can give them") {
  device_test::with_kernels("kernels/math.cpp", [](sycl::queue &q, const support::executable_bundle &bundle) {
    constexpr std::size_t count = 64;
    const support::shared_array<float> in(q, count);
    for (std::size_t i = 0; i < count; ++i)
      in[i] = 0.3f + static_cast<float>(i) / 50;
    const std::pair<const char *, std::function<double(double)>> table[] = {
        {"cos", [](double x) { return std::cos(x); }},        {"exp", [](double x) { return std::exp(x); }},
        {"exp2", [](double x) { return std::exp2(x); }},      {"exp10", [](double x) { return std::pow(10, x); }},
        {"log", [](double x) { return std::log(x); }},        {"log2", [](double x) { return std::log2(x); }},
        {"log10", [](double x) { return std::log10(x); }},    {"recip", [](double x) { return 1 / x; }},
        {"rsqrt", [](double x) { return 1 / std::sqrt(x); }}, {"sin", [](double x) { return std::sin(x); }},
        {"sqrt", [](double x) { return std::sqrt(x); }},      {"tan", [](double x) { return std::tan(x); }},
        {"divide", [](double x) { return x / 3; }},           {"powr", [](double x) { return std::pow(x, 1.5); }}};
    const support::shared_array<float> out(q, 2 * std::size(table) * count);
    device_test::launch(q, bundle.ext_oneapi_get_kernel("fast_functions"), sycl::nd_range<1>(count, 8), in.get(),
                        out.get(), count);
    for (std::size_t f = 0; f < 2 * std::size(table); ++f)
      for (std::size_t i = 0; i < count; ++i) {
        const auto &entry = table[f / 2];
        const double expected = entry.second(static_cast<double>(in[i]));
        INFO(entry.first, " of ", in[i], " gives ", out[f * count + i], " and not ", expected);
        // Near the zeros of a logarithm or a cosine the bits are those of the argument's range.
        REQUIRE(std::fabs(static_cast<double>(out[f * count + i]) - expected) <=
                std::max(std::fabs(expected), 0.5) / 1024);
      }
  });
}
