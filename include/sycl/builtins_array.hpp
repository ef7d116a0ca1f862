// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The built-in functions of scalars, on each element of vec, swizzles and marray.

#include <sycl/builtins_common.hpp>
#include <sycl/builtins_integer.hpp>
#include <sycl/builtins_math.hpp>
#include <sycl/marray.hpp>
#include <sycl/vector.hpp>

#include <cstddef>
#include <type_traits>

namespace sycl {
inline namespace _V1 {
namespace detail {

/// What a value of several elements is, with its element type as a parameter; no `type` for scalars.
template <class A_, class V_ = as_vec_t<A_>> struct array_shape {
  using element = typename V_::element_type;
  template <class T_> using with = vec<T_, V_::size()>;
  using truth = vec<vec_truth<element>, V_::size()>;
  using type = V_;
  static constexpr int size = V_::size();
};
template <class A_> struct array_shape<A_, void> {};
template <class T_, std::size_t N_> struct array_shape<marray<T_, N_>, void> {
  using element = T_;
  template <class U_> using with = marray<U_, N_>;
  using truth = marray<bool, N_>;
  using type = marray<T_, N_>;
  static constexpr int size = static_cast<int>(N_);
};

template <class A_> using element_of = typename array_shape<A_>::element;
template <class A_, class = void> inline constexpr bool is_float_array = false;
template <class A_>
inline constexpr bool is_float_array<A_, std::void_t<element_of<A_>>> = is_scalar_float<element_of<A_>>;
template <class A_, class = void> inline constexpr bool is_integer_array = false;
template <class A_>
inline constexpr bool is_integer_array<A_, std::void_t<element_of<A_>>> =
    std::is_integral_v<element_of<A_>> && !std::is_same_v<element_of<A_>, bool>;

template <class A_> using float_array = std::enable_if_t<is_float_array<A_>, typename array_shape<A_>::type>;
template <class A_> using integer_array = std::enable_if_t<is_integer_array<A_>, typename array_shape<A_>::type>;
template <class A_>
using number_array = std::enable_if_t<is_float_array<A_> || is_integer_array<A_>, typename array_shape<A_>::type>;
template <class A_> using float_truth = std::enable_if_t<is_float_array<A_>, typename array_shape<A_>::truth>;

/// Element i of an operand beside an array of element type T: of an equal array, or a scalar for all.
template <class T_, class B_> constexpr T_ other_element(const B_ &b, int i) {
  if constexpr (std::is_convertible_v<const B_ &, T_> && std::is_void_v<as_vec_t<B_>> && !is_marray_v<B_>)
    return static_cast<T_>(b);
  else
    return b[i];
}
template <class A_, class B_>
inline constexpr bool goes_with = std::is_convertible_v<const B_ &, typename array_shape<A_>::type> ||
                                  (std::is_convertible_v<const B_ &, element_of<A_>> && !is_marray_v<B_>);

/// `true` of one element in the result of a comparison.
template <class R_> constexpr auto truth_value(bool value) {
  if constexpr (is_marray_v<R_>)
    return value;
  else
    return static_cast<typename R_::element_type>(value ? -1 : 0);
}
/// Whether an element of a condition means true: of vec, the top bit.
template <class C_> constexpr bool is_set(const C_ &c, int i) {
  if constexpr (is_marray_v<C_>)
    return static_cast<bool>(c[i]);
  else
    return c[i] < 0;
}

} // namespace detail

#define SYCLRTC_DETAIL_EACH1(kind, name)                                                                               \
  template <class A_, class R_ = detail::kind##_array<A_>> inline R_ name(const A_ &a) {                               \
    R_ r;                                                                                                              \
    for (int i = 0; i < detail::array_shape<R_>::size; ++i)                                                            \
      r[i] = sycl::name(static_cast<detail::element_of<R_>>(a[i]));                                                    \
    return r;                                                                                                          \
  }
#define SYCLRTC_DETAIL_EACH2(kind, name)                                                                               \
  template <class A_, class B_, class R_ = detail::kind##_array<A_>,                                                   \
            std::enable_if_t<detail::goes_with<A_, B_>, int> = 0>                                                      \
  inline R_ name(const A_ &a, const B_ &b) {                                                                           \
    using T_ = detail::element_of<R_>;                                                                                 \
    R_ r;                                                                                                              \
    for (int i = 0; i < detail::array_shape<R_>::size; ++i)                                                            \
      r[i] = sycl::name(static_cast<T_>(a[i]), detail::other_element<T_>(b, i));                                       \
    return r;                                                                                                          \
  }
#define SYCLRTC_DETAIL_EACH3(kind, name)                                                                               \
  template <class A_, class B_, class C_, class R_ = detail::kind##_array<A_>,                                         \
            std::enable_if_t<detail::goes_with<A_, B_> && detail::goes_with<A_, C_>, int> = 0>                         \
  inline R_ name(const A_ &a, const B_ &b, const C_ &c) {                                                              \
    using T_ = detail::element_of<R_>;                                                                                 \
    R_ r;                                                                                                              \
    for (int i = 0; i < detail::array_shape<R_>::size; ++i)                                                            \
      r[i] = sycl::name(static_cast<T_>(a[i]), detail::other_element<T_>(b, i), detail::other_element<T_>(c, i));      \
    return r;                                                                                                          \
  }
#define SYCLRTC_DETAIL_EACH1_IN(space, name)                                                                           \
  template <class A_, class R_ = detail::float_array<A_>> inline R_ name(const A_ &a) {                                \
    R_ r;                                                                                                              \
    for (int i = 0; i < detail::array_shape<R_>::size; ++i)                                                            \
      r[i] = sycl::space::name(static_cast<float>(a[i]));                                                              \
    return r;                                                                                                          \
  }
#define SYCLRTC_DETAIL_EACH2_IN(space, name)                                                                           \
  template <class A_, class B_, class R_ = detail::float_array<A_>,                                                    \
            std::enable_if_t<detail::goes_with<A_, B_>, int> = 0>                                                      \
  inline R_ name(const A_ &a, const B_ &b) {                                                                           \
    R_ r;                                                                                                              \
    for (int i = 0; i < detail::array_shape<R_>::size; ++i)                                                            \
      r[i] = sycl::space::name(static_cast<float>(a[i]), detail::other_element<float>(b, i));                          \
    return r;                                                                                                          \
  }
/// With an integer operand: one for all elements, or an array of them.
#define SYCLRTC_DETAIL_EACH_INT(name)                                                                                  \
  template <class A_, class B_, class R_ = detail::float_array<A_>> inline R_ name(const A_ &a, const B_ &n) {         \
    R_ r;                                                                                                              \
    for (int i = 0; i < detail::array_shape<R_>::size; ++i)                                                            \
      r[i] = sycl::name(static_cast<detail::element_of<R_>>(a[i]), detail::other_element<int>(n, i));                  \
    return r;                                                                                                          \
  }
/// With a second result of the operand's shape behind a pointer.
#define SYCLRTC_DETAIL_EACH_OUT(name, type)                                                                            \
  template <class A_, class R_ = detail::float_array<A_>,                                                              \
            class Out = typename detail::array_shape<R_>::template with<type>>                                         \
  inline R_ name(const A_ &a, Out *out) {                                                                              \
    R_ r;                                                                                                              \
    for (int i = 0; i < detail::array_shape<R_>::size; ++i)                                                            \
      r[i] = sycl::name(static_cast<detail::element_of<R_>>(a[i]), &(*out)[i]);                                        \
    return r;                                                                                                          \
  }
#define SYCLRTC_DETAIL_EACH_TRUTH1(name)                                                                               \
  template <class A_, class R_ = detail::float_truth<A_>> constexpr R_ name(const A_ &a) {                             \
    R_ r;                                                                                                              \
    for (int i = 0; i < detail::array_shape<R_>::size; ++i)                                                            \
      r[i] = detail::truth_value<R_>(sycl::name(static_cast<detail::element_of<A_>>(a[i])));                           \
    return r;                                                                                                          \
  }
#define SYCLRTC_DETAIL_EACH_TRUTH2(name)                                                                               \
  template <class A_, class B_, class R_ = detail::float_truth<A_>,                                                    \
            std::enable_if_t<detail::goes_with<A_, B_>, int> = 0>                                                      \
  constexpr R_ name(const A_ &a, const B_ &b) {                                                                        \
    using T_ = detail::element_of<A_>;                                                                                 \
    R_ r;                                                                                                              \
    for (int i = 0; i < detail::array_shape<R_>::size; ++i)                                                            \
      r[i] = detail::truth_value<R_>(sycl::name(static_cast<T_>(a[i]), detail::other_element<T_>(b, i)));              \
    return r;                                                                                                          \
  }

SYCLRTC_DETAIL_EACH1(float, acos)
SYCLRTC_DETAIL_EACH1(float, acosh)
SYCLRTC_DETAIL_EACH1(float, acospi)
SYCLRTC_DETAIL_EACH1(float, asin)
SYCLRTC_DETAIL_EACH1(float, asinh)
SYCLRTC_DETAIL_EACH1(float, asinpi)
SYCLRTC_DETAIL_EACH1(float, atan)
SYCLRTC_DETAIL_EACH1(float, atanh)
SYCLRTC_DETAIL_EACH1(float, atanpi)
SYCLRTC_DETAIL_EACH1(float, cbrt)
SYCLRTC_DETAIL_EACH1(float, ceil)
SYCLRTC_DETAIL_EACH1(float, cos)
SYCLRTC_DETAIL_EACH1(float, cosh)
SYCLRTC_DETAIL_EACH1(float, cospi)
SYCLRTC_DETAIL_EACH1(float, erf)
SYCLRTC_DETAIL_EACH1(float, erfc)
SYCLRTC_DETAIL_EACH1(float, exp)
SYCLRTC_DETAIL_EACH1(float, exp2)
SYCLRTC_DETAIL_EACH1(float, exp10)
SYCLRTC_DETAIL_EACH1(float, expm1)
SYCLRTC_DETAIL_EACH1(float, fabs)
SYCLRTC_DETAIL_EACH1(float, floor)
SYCLRTC_DETAIL_EACH1(float, lgamma)
SYCLRTC_DETAIL_EACH1(float, log)
SYCLRTC_DETAIL_EACH1(float, log2)
SYCLRTC_DETAIL_EACH1(float, log10)
SYCLRTC_DETAIL_EACH1(float, log1p)
SYCLRTC_DETAIL_EACH1(float, logb)
SYCLRTC_DETAIL_EACH1(float, rint)
SYCLRTC_DETAIL_EACH1(float, round)
SYCLRTC_DETAIL_EACH1(float, rsqrt)
SYCLRTC_DETAIL_EACH1(float, sin)
SYCLRTC_DETAIL_EACH1(float, sinh)
SYCLRTC_DETAIL_EACH1(float, sinpi)
SYCLRTC_DETAIL_EACH1(float, sqrt)
SYCLRTC_DETAIL_EACH1(float, tan)
SYCLRTC_DETAIL_EACH1(float, tanh)
SYCLRTC_DETAIL_EACH1(float, tanpi)
SYCLRTC_DETAIL_EACH1(float, tgamma)
SYCLRTC_DETAIL_EACH1(float, trunc)
SYCLRTC_DETAIL_EACH1(float, degrees)
SYCLRTC_DETAIL_EACH1(float, radians)
SYCLRTC_DETAIL_EACH1(float, sign)
SYCLRTC_DETAIL_EACH2(float, atan2)
SYCLRTC_DETAIL_EACH2(float, atan2pi)
SYCLRTC_DETAIL_EACH2(float, copysign)
SYCLRTC_DETAIL_EACH2(float, fdim)
SYCLRTC_DETAIL_EACH2(float, fmax)
SYCLRTC_DETAIL_EACH2(float, fmin)
SYCLRTC_DETAIL_EACH2(float, fmod)
SYCLRTC_DETAIL_EACH2(float, hypot)
SYCLRTC_DETAIL_EACH2(float, maxmag)
SYCLRTC_DETAIL_EACH2(float, minmag)
SYCLRTC_DETAIL_EACH2(float, nextafter)
SYCLRTC_DETAIL_EACH2(float, pow)
SYCLRTC_DETAIL_EACH2(float, powr)
SYCLRTC_DETAIL_EACH2(float, remainder)
SYCLRTC_DETAIL_EACH2(float, step)
SYCLRTC_DETAIL_EACH3(float, fma)
SYCLRTC_DETAIL_EACH3(float, mad)
SYCLRTC_DETAIL_EACH3(float, mix)
SYCLRTC_DETAIL_EACH3(float, smoothstep)
SYCLRTC_DETAIL_EACH1(integer, abs)
SYCLRTC_DETAIL_EACH1(integer, clz)
SYCLRTC_DETAIL_EACH1(integer, ctz)
SYCLRTC_DETAIL_EACH1(integer, popcount)
SYCLRTC_DETAIL_EACH2(integer, abs_diff)
SYCLRTC_DETAIL_EACH2(integer, add_sat)
SYCLRTC_DETAIL_EACH2(integer, sub_sat)
SYCLRTC_DETAIL_EACH2(integer, hadd)
SYCLRTC_DETAIL_EACH2(integer, rhadd)
SYCLRTC_DETAIL_EACH2(integer, rotate)
SYCLRTC_DETAIL_EACH2(integer, mul_hi)
SYCLRTC_DETAIL_EACH2(integer, mul24)
SYCLRTC_DETAIL_EACH3(integer, mad_hi)
SYCLRTC_DETAIL_EACH3(integer, mad_sat)
SYCLRTC_DETAIL_EACH3(integer, mad24)
SYCLRTC_DETAIL_EACH2(number, max)
SYCLRTC_DETAIL_EACH2(number, min)
SYCLRTC_DETAIL_EACH3(number, clamp)
SYCLRTC_DETAIL_EACH_INT(ldexp)
SYCLRTC_DETAIL_EACH_INT(pown)
SYCLRTC_DETAIL_EACH_INT(rootn)
SYCLRTC_DETAIL_EACH_OUT(fract, detail::element_of<R_>)
SYCLRTC_DETAIL_EACH_OUT(modf, detail::element_of<R_>)
SYCLRTC_DETAIL_EACH_OUT(sincos, detail::element_of<R_>)
SYCLRTC_DETAIL_EACH_OUT(frexp, int)
SYCLRTC_DETAIL_EACH_OUT(lgamma_r, int)
SYCLRTC_DETAIL_EACH_TRUTH1(isfinite)
SYCLRTC_DETAIL_EACH_TRUTH1(isinf)
SYCLRTC_DETAIL_EACH_TRUTH1(isnan)
SYCLRTC_DETAIL_EACH_TRUTH1(isnormal)
SYCLRTC_DETAIL_EACH_TRUTH1(signbit)
SYCLRTC_DETAIL_EACH_TRUTH2(isequal)
SYCLRTC_DETAIL_EACH_TRUTH2(isnotequal)
SYCLRTC_DETAIL_EACH_TRUTH2(isgreater)
SYCLRTC_DETAIL_EACH_TRUTH2(isgreaterequal)
SYCLRTC_DETAIL_EACH_TRUTH2(isless)
SYCLRTC_DETAIL_EACH_TRUTH2(islessequal)
SYCLRTC_DETAIL_EACH_TRUTH2(islessgreater)
SYCLRTC_DETAIL_EACH_TRUTH2(isordered)
SYCLRTC_DETAIL_EACH_TRUTH2(isunordered)

template <class A_, class R_ = typename detail::array_shape<detail::float_array<A_>>::template with<int>>
inline R_ ilogb(const A_ &a) {
  R_ r;
  for (int i = 0; i < detail::array_shape<R_>::size; ++i)
    r[i] = sycl::ilogb(static_cast<detail::element_of<A_>>(a[i]));
  return r;
}
template <class A_, class B_, class R_ = detail::float_array<A_>,
          class Out = typename detail::array_shape<R_>::template with<int>>
inline R_ remquo(const A_ &a, const B_ &b, Out *out) {
  using T_ = detail::element_of<R_>;
  R_ r;
  for (int i = 0; i < detail::array_shape<R_>::size; ++i)
    r[i] = sycl::remquo(static_cast<T_>(a[i]), detail::other_element<T_>(b, i), &(*out)[i]);
  return r;
}

namespace native {
SYCLRTC_DETAIL_EACH1_IN(native, cos)
SYCLRTC_DETAIL_EACH1_IN(native, exp)
SYCLRTC_DETAIL_EACH1_IN(native, exp2)
SYCLRTC_DETAIL_EACH1_IN(native, exp10)
SYCLRTC_DETAIL_EACH1_IN(native, log)
SYCLRTC_DETAIL_EACH1_IN(native, log2)
SYCLRTC_DETAIL_EACH1_IN(native, log10)
SYCLRTC_DETAIL_EACH1_IN(native, recip)
SYCLRTC_DETAIL_EACH1_IN(native, rsqrt)
SYCLRTC_DETAIL_EACH1_IN(native, sin)
SYCLRTC_DETAIL_EACH1_IN(native, sqrt)
SYCLRTC_DETAIL_EACH1_IN(native, tan)
SYCLRTC_DETAIL_EACH2_IN(native, divide)
SYCLRTC_DETAIL_EACH2_IN(native, powr)
} // namespace native

namespace half_precision {
SYCLRTC_DETAIL_EACH1_IN(half_precision, cos)
SYCLRTC_DETAIL_EACH1_IN(half_precision, exp)
SYCLRTC_DETAIL_EACH1_IN(half_precision, exp2)
SYCLRTC_DETAIL_EACH1_IN(half_precision, exp10)
SYCLRTC_DETAIL_EACH1_IN(half_precision, log)
SYCLRTC_DETAIL_EACH1_IN(half_precision, log2)
SYCLRTC_DETAIL_EACH1_IN(half_precision, log10)
SYCLRTC_DETAIL_EACH1_IN(half_precision, recip)
SYCLRTC_DETAIL_EACH1_IN(half_precision, rsqrt)
SYCLRTC_DETAIL_EACH1_IN(half_precision, sin)
SYCLRTC_DETAIL_EACH1_IN(half_precision, sqrt)
SYCLRTC_DETAIL_EACH1_IN(half_precision, tan)
SYCLRTC_DETAIL_EACH2_IN(half_precision, divide)
SYCLRTC_DETAIL_EACH2_IN(half_precision, powr)
} // namespace half_precision

/// Of vec: whether the top bit of any, or of each, element is set.
template <class A_, std::enable_if_t<detail::is_integer_array<A_>, int> = 0> constexpr bool any(const A_ &a) {
  for (int i = 0; i < detail::array_shape<A_>::size; ++i)
    if (a[i] < 0)
      return true;
  return false;
}
template <class A_, std::enable_if_t<detail::is_integer_array<A_>, int> = 0> constexpr bool all(const A_ &a) {
  for (int i = 0; i < detail::array_shape<A_>::size; ++i)
    if (!(a[i] < 0))
      return false;
  return true;
}
template <std::size_t N_> constexpr bool any(const marray<bool, N_> &a) {
  for (const bool value : a)
    if (value)
      return true;
  return false;
}
template <std::size_t N_> constexpr bool all(const marray<bool, N_> &a) {
  for (const bool value : a)
    if (!value)
      return false;
  return true;
}

template <class A_, class C_, class R_ = detail::number_array<A_>>
constexpr R_ select(const A_ &a, const std::enable_if_t<true, A_> &b, const C_ &c) {
  R_ r;
  for (int i = 0; i < detail::array_shape<R_>::size; ++i)
    r[i] = detail::is_set(c, i) ? b[i] : a[i];
  return r;
}
template <class A_, class R_ = detail::number_array<A_>>
constexpr R_ bitselect(const A_ &a, const std::enable_if_t<true, A_> &b, const std::enable_if_t<true, A_> &c) {
  using T_ = detail::element_of<R_>;
  R_ r;
  for (int i = 0; i < detail::array_shape<R_>::size; ++i)
    r[i] = sycl::bitselect(static_cast<T_>(a[i]), static_cast<T_>(b[i]), static_cast<T_>(c[i]));
  return r;
}

template <class A_, class B_, class R_ = detail::float_array<A_>>
constexpr detail::element_of<R_> dot(const A_ &a, const B_ &b) {
  detail::element_of<R_> sum = a[0] * b[0];
  for (int i = 1; i < detail::array_shape<R_>::size; ++i)
    sum = sum + a[i] * b[i];
  return sum;
}
template <class A_, class R_ = detail::float_array<A_>> inline detail::element_of<R_> length(const A_ &a) {
  return sycl::sqrt(dot(a, a));
}
template <class A_, class B_, class R_ = detail::float_array<A_>>
inline detail::element_of<R_> distance(const A_ &a, const B_ &b) {
  return length(R_(a) - R_(b));
}
template <class A_, class R_ = detail::float_array<A_>> inline R_ normalize(const A_ &a) {
  const auto size = length(a);
  return size == detail::element_of<R_>(0) ? R_(a) : R_(a) / size;
}
template <class A_, class B_, class R_ = detail::float_array<A_>> constexpr R_ cross(const A_ &a, const B_ &b) {
  constexpr int size = detail::array_shape<R_>::size;
  static_assert(size == 3 || size == 4, "the cross product takes three or four elements");
  R_ r;
  for (int i = 0; i < 3; ++i)
    r[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
  return r;
}
template <class A_, class R_ = detail::float_array<A_>> inline float fast_length(const A_ &a) { return length(a); }
template <class A_, class B_, class R_ = detail::float_array<A_>> inline float fast_distance(const A_ &a, const B_ &b) {
  return distance(a, b);
}
template <class A_, class R_ = detail::float_array<A_>> inline R_ fast_normalize(const A_ &a) { return normalize(a); }

#undef SYCLRTC_DETAIL_EACH1
#undef SYCLRTC_DETAIL_EACH2
#undef SYCLRTC_DETAIL_EACH3
#undef SYCLRTC_DETAIL_EACH1_IN
#undef SYCLRTC_DETAIL_EACH2_IN
#undef SYCLRTC_DETAIL_EACH_INT
#undef SYCLRTC_DETAIL_EACH_OUT
#undef SYCLRTC_DETAIL_EACH_TRUTH1
#undef SYCLRTC_DETAIL_EACH_TRUTH2

} // namespace _V1
} // namespace sycl
