// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sycl/builtins_common.hpp>
#include <sycl/half_type.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace sycl {
inline namespace _V1 {

enum class rounding_mode { automatic, rte, rtz, rtp, rtn };

/// Names of elements, for `swizzle`.
struct elem {
  static constexpr int x = 0, y = 1, z = 2, w = 3;
  static constexpr int r = 0, g = 1, b = 2, a = 3;
  static constexpr int s0 = 0, s1 = 1, s2 = 2, s3 = 3, s4 = 4, s5 = 5, s6 = 6, s7 = 7;
  static constexpr int s8 = 8, s9 = 9, sA = 10, sB = 11, sC = 12, sD = 13, sE = 14, sF = 15;
};

template <class T_, int N_> class vec;

namespace detail {

template <class T_, int N_> inline constexpr std::size_t vec_room = N_ == 3 ? 4 : static_cast<std::size_t>(N_);
template <class T_, int N_>
inline constexpr std::size_t vec_alignment = vec_room<T_, N_> * sizeof(T_) < 64 ? vec_room<T_, N_> * sizeof(T_) : 64;

template <class Vec, int... Indices> class swizzled;

/// The vec that an operand stands for: itself, or what a swizzle selects. `void` for other types.
template <class T_> struct as_vec {
  using type = void;
};
template <class T_, int N_> struct as_vec<vec<T_, N_>> {
  using type = vec<T_, N_>;
};
template <class T_, int N_, int... Indices> struct as_vec<swizzled<vec<T_, N_>, Indices...>> {
  using type = vec<T_, static_cast<int>(sizeof...(Indices))>;
};
template <class T_, int N_, int... Indices> struct as_vec<swizzled<const vec<T_, N_>, Indices...>> {
  using type = vec<T_, static_cast<int>(sizeof...(Indices))>;
};
template <class T_> using as_vec_t = typename as_vec<std::remove_cv_t<std::remove_reference_t<T_>>>::type;

template <class T_> struct is_vec : std::false_type {};
template <class T_, int N_> struct is_vec<vec<T_, N_>> : std::true_type {};
template <class T_> inline constexpr bool is_vec_v = is_vec<T_>::value;

/// Type of the result of an operator on these operands, if it is one of vec; no member otherwise.
template <class A_, class B_, class VecA = as_vec_t<A_>, class VecB = as_vec_t<B_>> struct common_vec {
  using type = std::enable_if_t<std::is_same_v<VecA, VecB>, VecA>;
};
template <class A_, class B_> struct common_vec<A_, B_, void, void> {};
template <class A_, class B_, class VecA> struct common_vec<A_, B_, VecA, void> {
  using type = std::enable_if_t<std::is_convertible_v<B_, typename VecA::element_type>, VecA>;
};
template <class A_, class B_, class VecB> struct common_vec<A_, B_, void, VecB> {
  using type = std::enable_if_t<std::is_convertible_v<A_, typename VecB::element_type>, VecB>;
};
template <class A_, class B_> using common_vec_t = typename common_vec<A_, B_>::type;

/// Element of an operand; a scalar stands for all elements.
template <class T_, class Operand> constexpr T_ vec_element(const Operand &operand, int index) {
  if constexpr (std::is_void_v<as_vec_t<Operand>>)
    return static_cast<T_>(operand);
  else
    return operand[index];
}

/// Result of a comparison of elements of this size: -1 for true, 0 for false.
template <class T_>
using vec_truth = std::conditional_t<
    sizeof(T_) == 1, std::int8_t,
    std::conditional_t<sizeof(T_) == 2, std::int16_t, std::conditional_t<sizeof(T_) == 4, std::int32_t, std::int64_t>>>;

template <class T_, class Argument, class = void> struct vec_elements {
  static constexpr int value = std::is_convertible_v<Argument, T_> ? 1 : 0;
};
template <class T_, class Argument>
struct vec_elements<T_, Argument, std::enable_if_t<!std::is_void_v<as_vec_t<Argument>>>> {
  static constexpr int value =
      std::is_same_v<typename as_vec_t<Argument>::element_type, T_> ? as_vec_t<Argument>::size() : 0;
};

/// Number to number, by the rounding mode where a floating-point number becomes an integer.
template <class To, rounding_mode Mode, class From> constexpr To convert_element(From value) {
  if constexpr (std::is_integral_v<To> && is_scalar_float<From>) {
    if constexpr (Mode == rounding_mode::rte)
      return static_cast<To>(rint(value));
    else if constexpr (Mode == rounding_mode::rtp)
      return static_cast<To>(ceil(value));
    else if constexpr (Mode == rounding_mode::rtn)
      return static_cast<To>(floor(value));
    else
      return static_cast<To>(value);
  } else {
    return static_cast<To>(value);
  }
}

/// Element access that vec and swizzles share. `Self` has `operator[]` and `size()`.
template <class Self> class vec_access {
public:
#define SYCLRTC_DETAIL_ELEMENT(name, index, condition)                                                                 \
  template <class S_ = Self, std::enable_if_t<(condition), int> = 0> constexpr decltype(auto) name() {                 \
    return static_cast<S_ &>(*this)[index];                                                                            \
  }                                                                                                                    \
  template <class S_ = Self, std::enable_if_t<(condition), int> = 0> constexpr decltype(auto) name() const {           \
    return static_cast<const S_ &>(*this)[index];                                                                      \
  }
  SYCLRTC_DETAIL_ELEMENT(x, 0, S_::size() > 0 && S_::size() <= 4)
  SYCLRTC_DETAIL_ELEMENT(y, 1, S_::size() > 1 && S_::size() <= 4)
  SYCLRTC_DETAIL_ELEMENT(z, 2, S_::size() > 2 && S_::size() <= 4)
  SYCLRTC_DETAIL_ELEMENT(w, 3, S_::size() > 3 && S_::size() <= 4)
  SYCLRTC_DETAIL_ELEMENT(r, 0, S_::size() == 4)
  SYCLRTC_DETAIL_ELEMENT(g, 1, S_::size() == 4)
  SYCLRTC_DETAIL_ELEMENT(b, 2, S_::size() == 4)
  SYCLRTC_DETAIL_ELEMENT(a, 3, S_::size() == 4)
  SYCLRTC_DETAIL_ELEMENT(s0, 0, S_::size() > 0)
  SYCLRTC_DETAIL_ELEMENT(s1, 1, S_::size() > 1)
  SYCLRTC_DETAIL_ELEMENT(s2, 2, S_::size() > 2)
  SYCLRTC_DETAIL_ELEMENT(s3, 3, S_::size() > 3)
  SYCLRTC_DETAIL_ELEMENT(s4, 4, S_::size() > 4)
  SYCLRTC_DETAIL_ELEMENT(s5, 5, S_::size() > 5)
  SYCLRTC_DETAIL_ELEMENT(s6, 6, S_::size() > 6)
  SYCLRTC_DETAIL_ELEMENT(s7, 7, S_::size() > 7)
  SYCLRTC_DETAIL_ELEMENT(s8, 8, S_::size() > 8)
  SYCLRTC_DETAIL_ELEMENT(s9, 9, S_::size() > 9)
  SYCLRTC_DETAIL_ELEMENT(sA, 10, S_::size() > 10)
  SYCLRTC_DETAIL_ELEMENT(sB, 11, S_::size() > 11)
  SYCLRTC_DETAIL_ELEMENT(sC, 12, S_::size() > 12)
  SYCLRTC_DETAIL_ELEMENT(sD, 13, S_::size() > 13)
  SYCLRTC_DETAIL_ELEMENT(sE, 14, S_::size() > 14)
  SYCLRTC_DETAIL_ELEMENT(sF, 15, S_::size() > 15)
#undef SYCLRTC_DETAIL_ELEMENT
};

} // namespace detail

/// N numbers that a device may hold in one register (SYCL 2020, 4.14.2). Three take the room of four.
template <class T_, int N_> class alignas(detail::vec_alignment<T_, N_>) vec : public detail::vec_access<vec<T_, N_>> {
  static_assert(N_ == 1 || N_ == 2 || N_ == 3 || N_ == 4 || N_ == 8 || N_ == 16,
                "a vec has 1, 2, 3, 4, 8 or 16 elements");

public:
  using element_type = T_;
  using value_type = T_;

  constexpr vec() : values_{} {}
  vec(const vec &) = default;
  vec &operator=(const vec &) = default;

  template <class U_,
            std::enable_if_t<N_ == 1 && std::is_convertible_v<U_, T_> && std::is_void_v<detail::as_vec_t<U_>>, int> = 0>
  constexpr vec(const U_ &value) : values_{static_cast<T_>(value)} {}
  template <class U_, std::enable_if_t<
                          (N_ > 1) && std::is_convertible_v<U_, T_> && std::is_void_v<detail::as_vec_t<U_>>, long> = 0>
  explicit constexpr vec(const U_ &value) : values_{} {
    for (int i = 0; i < N_; ++i)
      values_[i] = static_cast<T_>(value);
  }
  /// From a swizzle with as many elements.
  template <class V_, int... I_,
            std::enable_if_t<std::is_same_v<detail::as_vec_t<detail::swizzled<V_, I_...>>, vec>, int> = 0>
  constexpr vec(const detail::swizzled<V_, I_...> &from) : values_{} {
    for (int i = 0; i < N_; ++i)
      values_[i] = from[i];
  }
  /// Scalars, vecs and swizzles that add up to N elements.
  template <class A_, class B_, class... Rest,
            std::enable_if_t<(detail::vec_elements<T_, A_>::value != 0) && (detail::vec_elements<T_, B_>::value != 0) &&
                                 ((detail::vec_elements<T_, Rest>::value != 0) && ...) &&
                                 ((detail::vec_elements<T_, A_>::value + detail::vec_elements<T_, B_>::value) + ... +
                                  detail::vec_elements<T_, Rest>::value) == N_,
                             int> = 0>
  constexpr vec(const A_ &a, const B_ &b, const Rest &...rest) : values_{} {
    int at = 0;
    append(at, a);
    append(at, b);
    (append(at, rest), ...);
  }

  template <class U_, std::enable_if_t<std::is_convertible_v<U_, T_> && std::is_void_v<detail::as_vec_t<U_>>, int> = 0>
  constexpr vec &operator=(const U_ &value) {
    for (int i = 0; i < N_; ++i)
      values_[i] = static_cast<T_>(value);
    return *this;
  }

  template <int M_ = N_, std::enable_if_t<M_ == 1, int> = 0> constexpr operator T_() const { return values_[0]; }

  static constexpr int size() noexcept { return N_; }
  static constexpr std::size_t byte_size() noexcept { return sizeof(vec); }
  [[deprecated("use size()")]] static constexpr std::size_t get_count() noexcept {
    return static_cast<std::size_t>(N_);
  }
  [[deprecated("use byte_size()")]] static constexpr std::size_t get_size() noexcept { return sizeof(vec); }

  constexpr T_ &operator[](int index) { return values_[index]; }
  constexpr const T_ &operator[](int index) const { return values_[index]; }

  template <class To, rounding_mode Mode = rounding_mode::automatic> constexpr vec<To, N_> convert() const {
    vec<To, N_> r;
    for (int i = 0; i < N_; ++i)
      r[i] = detail::convert_element<To, Mode>(values_[i]);
    return r;
  }
  /// The same bytes as another vec.
  template <class Other> constexpr Other as() const {
    static_assert(detail::is_vec_v<Other> && sizeof(Other) == sizeof(vec), "as() takes a vec of the same size");
    return __builtin_bit_cast(Other, *this);
  }

  template <int... Indices> constexpr detail::swizzled<vec, Indices...> swizzle() { return {*this}; }
  template <int... Indices> constexpr detail::swizzled<const vec, Indices...> swizzle() const { return {*this}; }

#define SYCLRTC_DETAIL_HALVES(name, first, step)                                                                       \
  template <int M_ = N_, std::enable_if_t<(M_ > 1), int> = 0> constexpr auto name() {                                  \
    return part<first, step>(*this);                                                                                   \
  }                                                                                                                    \
  template <int M_ = N_, std::enable_if_t<(M_ > 1), int> = 0> constexpr auto name() const {                            \
    return part<first, step>(*this);                                                                                   \
  }
  SYCLRTC_DETAIL_HALVES(lo, 0, 1)
  SYCLRTC_DETAIL_HALVES(hi, (N_ + 1) / 2, 1)
  SYCLRTC_DETAIL_HALVES(even, 0, 2)
  SYCLRTC_DETAIL_HALVES(odd, 1, 2)
#undef SYCLRTC_DETAIL_HALVES

  /// `offset` counts in N elements; the memory needs the alignment of an element only.
  void load(std::size_t offset, const T_ *from) {
    for (int i = 0; i < N_; ++i)
      values_[i] = from[offset * N_ + static_cast<std::size_t>(i)];
  }
  void store(std::size_t offset, T_ *to) const {
    for (int i = 0; i < N_; ++i)
      to[offset * N_ + static_cast<std::size_t>(i)] = values_[i];
  }

#ifdef SYCL_SIMPLE_SWIZZLES
#include <sycl/detail/simple_swizzles.inc>
#endif

private:
  template <int First, int Step, class Self, int... K_>
  static constexpr auto part_of(Self &self, std::integer_sequence<int, K_...>) {
    // Of three elements, the halves are those of four; the fourth has no meaning.
    return detail::swizzled<Self, (First + Step * K_)...>{self};
  }
  template <int First, int Step, class Self> static constexpr auto part(Self &self) {
    return part_of<First, Step>(self, std::make_integer_sequence<int, (N_ + 1) / 2>());
  }

  template <class Argument> constexpr void append(int &at, const Argument &value) {
    if constexpr (std::is_void_v<detail::as_vec_t<Argument>>) {
      values_[at++] = static_cast<T_>(value);
    } else {
      for (int i = 0; i < detail::as_vec_t<Argument>::size(); ++i)
        values_[at++] = value[i];
    }
  }

  T_ values_[detail::vec_room<T_, N_>];
};

namespace detail {

/// Chosen elements of a vec, by reference. Assignable unless an element is chosen twice.
template <class Vec, int... Indices> class swizzled : public vec_access<swizzled<Vec, Indices...>> {
  using plain = std::remove_const_t<Vec>;
  static constexpr int count = static_cast<int>(sizeof...(Indices));
  static constexpr int indices[sizeof...(Indices)] = {Indices...};

  static constexpr bool distinct() {
    for (int i = 0; i < count; ++i)
      for (int j = i + 1; j < count; ++j)
        if (indices[i] == indices[j])
          return false;
    return true;
  }
  static constexpr bool writable = !std::is_const_v<Vec> && distinct();

public:
  using element_type = typename plain::element_type;
  using value_type = element_type;
  using vec_type = vec<element_type, count>;

  constexpr swizzled(Vec &of) : of_(of) {}
  constexpr swizzled(const swizzled &) = default;

  static constexpr int size() noexcept { return count; }
  static constexpr std::size_t byte_size() noexcept { return sizeof(vec_type); }

  constexpr decltype(auto) operator[](int index) const { return of_[indices[index]]; }

  template <int M_ = count, std::enable_if_t<M_ == 1, int> = 0> constexpr operator element_type() const {
    return (*this)[0];
  }

  constexpr const swizzled &operator=(const swizzled &from) const { return assign(vec_type(from)); }
  template <class From, class V_ = common_vec_t<swizzled, From>>
  constexpr const swizzled &operator=(const From &from) const {
    V_ value;
    for (int i = 0; i < count; ++i)
      value[i] = vec_element<element_type>(from, i);
    return assign(value);
  }

  template <class To, rounding_mode Mode = rounding_mode::automatic> constexpr vec<To, count> convert() const {
    return vec_type(*this).template convert<To, Mode>();
  }
  template <class Other> constexpr Other as() const { return vec_type(*this).template as<Other>(); }
  template <int... Again> constexpr auto swizzle() const { return swizzled<Vec, indices[Again]...>(of_); }
  constexpr vec<element_type, (count + 1) / 2> lo() const { return vec_type(*this).lo(); }
  constexpr vec<element_type, (count + 1) / 2> hi() const { return vec_type(*this).hi(); }
  constexpr vec<element_type, (count + 1) / 2> even() const { return vec_type(*this).even(); }
  constexpr vec<element_type, (count + 1) / 2> odd() const { return vec_type(*this).odd(); }

private:
  constexpr const swizzled &assign(const vec_type &value) const {
    static_assert(writable, "a swizzle that repeats an element cannot be assigned to");
    for (int i = 0; i < count; ++i)
      of_[indices[i]] = value[i];
    return *this;
  }

  Vec &of_;
};

} // namespace detail

#define SYCLRTC_DETAIL_VEC_BINARY(op)                                                                                  \
  template <class A_, class B_, class V_ = detail::common_vec_t<A_, B_>>                                               \
  constexpr V_ operator op(const A_ &a, const B_ &b) {                                                                 \
    using T_ = typename V_::element_type;                                                                              \
    V_ r;                                                                                                              \
    for (int i = 0; i < V_::size(); ++i)                                                                               \
      r[i] = static_cast<T_>(detail::vec_element<T_>(a, i) op detail::vec_element<T_>(b, i));                          \
    return r;                                                                                                          \
  }
#define SYCLRTC_DETAIL_VEC_COMPARE(op)                                                                                 \
  template <class A_, class B_, class V_ = detail::common_vec_t<A_, B_>>                                               \
  constexpr vec<detail::vec_truth<typename V_::element_type>, V_::size()> operator op(const A_ &a, const B_ &b) {      \
    using T_ = typename V_::element_type;                                                                              \
    vec<detail::vec_truth<T_>, V_::size()> r;                                                                          \
    for (int i = 0; i < V_::size(); ++i)                                                                               \
      r[i] =                                                                                                           \
          static_cast<detail::vec_truth<T_>>(detail::vec_element<T_>(a, i) op detail::vec_element<T_>(b, i) ? -1 : 0); \
    return r;                                                                                                          \
  }
#define SYCLRTC_DETAIL_VEC_COMPOUND(compound, op)                                                                      \
  template <class T_, int N_, class B_, class V_ = detail::common_vec_t<vec<T_, N_>, B_>>                              \
  constexpr vec<T_, N_> &operator compound(vec<T_, N_> &a, const B_ &b) {                                              \
    return a = a op b;                                                                                                 \
  }                                                                                                                    \
  template <class W_, int... I_, class B_, class V_ = detail::common_vec_t<detail::swizzled<W_, I_...>, B_>>           \
  constexpr const detail::swizzled<W_, I_...> &operator compound(const detail::swizzled<W_, I_...> &a, const B_ &b) {  \
    return a = a op b;                                                                                                 \
  }

SYCLRTC_DETAIL_VEC_BINARY(+)
SYCLRTC_DETAIL_VEC_BINARY(-)
SYCLRTC_DETAIL_VEC_BINARY(*)
SYCLRTC_DETAIL_VEC_BINARY(/)
SYCLRTC_DETAIL_VEC_BINARY(%)
SYCLRTC_DETAIL_VEC_BINARY(&)
SYCLRTC_DETAIL_VEC_BINARY(|)
SYCLRTC_DETAIL_VEC_BINARY(^)
SYCLRTC_DETAIL_VEC_BINARY(<<)
SYCLRTC_DETAIL_VEC_BINARY(>>)
SYCLRTC_DETAIL_VEC_COMPARE(==)
SYCLRTC_DETAIL_VEC_COMPARE(!=)
SYCLRTC_DETAIL_VEC_COMPARE(<)
SYCLRTC_DETAIL_VEC_COMPARE(>)
SYCLRTC_DETAIL_VEC_COMPARE(<=)
SYCLRTC_DETAIL_VEC_COMPARE(>=)
SYCLRTC_DETAIL_VEC_COMPARE(&&)
SYCLRTC_DETAIL_VEC_COMPARE(||)
SYCLRTC_DETAIL_VEC_COMPOUND(+=, +)
SYCLRTC_DETAIL_VEC_COMPOUND(-=, -)
SYCLRTC_DETAIL_VEC_COMPOUND(*=, *)
SYCLRTC_DETAIL_VEC_COMPOUND(/=, /)
SYCLRTC_DETAIL_VEC_COMPOUND(%=, %)
SYCLRTC_DETAIL_VEC_COMPOUND(&=, &)
SYCLRTC_DETAIL_VEC_COMPOUND(|=, |)
SYCLRTC_DETAIL_VEC_COMPOUND(^=, ^)
SYCLRTC_DETAIL_VEC_COMPOUND(<<=, <<)
SYCLRTC_DETAIL_VEC_COMPOUND(>>=, >>)

#undef SYCLRTC_DETAIL_VEC_BINARY
#undef SYCLRTC_DETAIL_VEC_COMPARE
#undef SYCLRTC_DETAIL_VEC_COMPOUND

#define SYCLRTC_DETAIL_VEC_UNARY(op)                                                                                   \
  template <class A_, class V_ = std::enable_if_t<!std::is_void_v<detail::as_vec_t<A_>>, detail::as_vec_t<A_>>>        \
  constexpr V_ operator op(const A_ &a) {                                                                              \
    V_ r;                                                                                                              \
    for (int i = 0; i < V_::size(); ++i)                                                                               \
      r[i] = static_cast<typename V_::element_type>(op a[i]);                                                          \
    return r;                                                                                                          \
  }
SYCLRTC_DETAIL_VEC_UNARY(+)
SYCLRTC_DETAIL_VEC_UNARY(-)
SYCLRTC_DETAIL_VEC_UNARY(~)
#undef SYCLRTC_DETAIL_VEC_UNARY

template <class A_, class V_ = std::enable_if_t<!std::is_void_v<detail::as_vec_t<A_>>, detail::as_vec_t<A_>>>
constexpr vec<detail::vec_truth<typename V_::element_type>, V_::size()> operator!(const A_ &a) {
  vec<detail::vec_truth<typename V_::element_type>, V_::size()> r;
  for (int i = 0; i < V_::size(); ++i)
    r[i] = static_cast<detail::vec_truth<typename V_::element_type>>(!a[i] ? -1 : 0);
  return r;
}
template <class T_, int N_> constexpr vec<T_, N_> &operator++(vec<T_, N_> &a) { return a = a + T_(1); }
template <class T_, int N_> constexpr vec<T_, N_> &operator--(vec<T_, N_> &a) { return a = a - T_(1); }
template <class T_, int N_> constexpr vec<T_, N_> operator++(vec<T_, N_> &a, int) {
  const vec<T_, N_> old(a);
  ++a;
  return old;
}
template <class T_, int N_> constexpr vec<T_, N_> operator--(vec<T_, N_> &a, int) {
  const vec<T_, N_> old(a);
  --a;
  return old;
}

} // namespace _V1
} // namespace sycl
