// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A mixed-radix complex Fourier transform, one work-group a transform, in the style of kernels that libraries generate: the
// text stays as it is, and macros on the command line choose what it becomes.
//
//   FFT_NAME              name of the kernel
//   FFT_REAL              float or double
//   FFT_LENGTH            points of a transform: FFT_R0 * FFT_R1 * FFT_R2 * FFT_R3
//   FFT_R0 ... FFT_R3     radices of the stages, each 1 (no stage) or 2 to 8
//   FFT_ITEMS             work-items of a group
//   FFT_BATCH             number of transforms
//   FFT_INPUT_STRIDE      from one point to the next, in elements; FFT_OUTPUT_STRIDE likewise
//   FFT_INPUT_DISTANCE    from one transform to the next; FFT_OUTPUT_DISTANCE likewise
//   FFT_SIGN              -1 forward, 1 backward
//   FFT_SCALE             factor of the results
//   FFT_LOAD              0: complex input, 1: real input
//   FFT_STORE             0: complex output, 1: squares of the amplitudes
//   FFT_WINDOW            0: none, 1: Hann, 2: Hamming
#include <sycl/sycl.hpp>
namespace syclext = sycl::ext::oneapi;
namespace syclexp = sycl::ext::oneapi::experimental;

namespace fft {

using real = FFT_REAL;

constexpr int length = FFT_LENGTH;
constexpr int items = FFT_ITEMS;
constexpr real sign = static_cast<real>(FFT_SIGN);
constexpr real scale = static_cast<real>(FFT_SCALE);
constexpr real pi = static_cast<real>(3.14159265358979323846264338327950288);

static_assert(FFT_R0 * FFT_R1 * FFT_R2 * FFT_R3 == FFT_LENGTH, "the radices do not make the length");
static_assert(FFT_BATCH > 0 && FFT_ITEMS > 0, "an empty transform");
static_assert(FFT_SIGN == 1 || FFT_SIGN == -1, "the sign is 1 or -1");

struct complex {
  real re;
  real im;
};

inline complex operator+(complex a, complex b) { return {a.re + b.re, a.im + b.im}; }
inline complex operator-(complex a, complex b) { return {a.re - b.re, a.im - b.im}; }
inline complex operator*(complex a, complex b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
inline complex operator*(real a, complex b) { return {a * b.re, a * b.im}; }

// Multiplies by the imaginary unit, in the direction of the transform.
inline complex turn(complex a) { return {-sign * a.im, sign * a.re}; }

inline complex root(real angle) { return {sycl::cos(angle), sycl::sin(angle)}; }

// Transforms of a few points in registers. The general one is for radices without a short cut.
template <int Radix>
struct butterfly {
  static void apply(complex (&v)[Radix]) {
    complex sums[Radix];
#pragma unroll
    for (int k = 0; k < Radix; ++k) {
      sums[k] = v[0];
#pragma unroll
      for (int n = 1; n < Radix; ++n) {
        sums[k] = sums[k] + v[n] * root(sign * 2 * pi * static_cast<real>((n * k) % Radix) / Radix);
      }
    }
#pragma unroll
    for (int k = 0; k < Radix; ++k) {
      v[k] = sums[k];
    }
  }
};

template <>
struct butterfly<1> {
  static void apply(complex (&)[1]) {}
};

template <>
struct butterfly<2> {
  static void apply(complex (&v)[2]) {
    const complex a = v[0];
    v[0] = a + v[1];
    v[1] = a - v[1];
  }
};

template <>
struct butterfly<3> {
  static void apply(complex (&v)[3]) {
    constexpr real half_root_3 = static_cast<real>(0.86602540378443864676);
    const complex both = v[1] + v[2];
    const complex middle = v[0] - static_cast<real>(0.5) * both;
    const complex side = half_root_3 * turn(v[1] - v[2]);
    v[0] = v[0] + both;
    v[1] = middle + side;
    v[2] = middle - side;
  }
};

template <>
struct butterfly<4> {
  static void apply(complex (&v)[4]) {
    const complex even = v[0] + v[2], odd = v[1] + v[3];
    const complex low = v[0] - v[2], high = turn(v[1] - v[3]);
    v[0] = even + odd;
    v[1] = low + high;
    v[2] = even - odd;
    v[3] = low - high;
  }
};

template <>
struct butterfly<5> {
  static void apply(complex (&v)[5]) {
    constexpr real c1 = static_cast<real>(0.30901699437494742410), s1 = static_cast<real>(0.95105651629515357212);
    constexpr real c2 = static_cast<real>(-0.80901699437494742410), s2 = static_cast<real>(0.58778525229247312917);
    const complex sum1 = v[1] + v[4], sum2 = v[2] + v[3];
    const complex side1 = turn(v[1] - v[4]), side2 = turn(v[2] - v[3]);
    const complex a = v[0] + c1 * sum1 + c2 * sum2, b = v[0] + c2 * sum1 + c1 * sum2;
    const complex c = s1 * side1 + s2 * side2, d = s2 * side1 - s1 * side2;
    v[0] = v[0] + sum1 + sum2;
    v[1] = a + c;
    v[2] = b + d;
    v[3] = b - d;
    v[4] = a - c;
  }
};

// Two transforms of three points: six have no common factor to twiddle for, the points are taken in Good's order.
template <>
struct butterfly<6> {
  static void apply(complex (&v)[6]) {
    complex even[3] = {v[0], v[2], v[4]};
    complex odd[3] = {v[3], v[5], v[1]};
    butterfly<3>::apply(even);
    butterfly<3>::apply(odd);
    v[0] = even[0] + odd[0];
    v[3] = even[0] - odd[0];
    v[4] = even[1] + odd[1];
    v[1] = even[1] - odd[1];
    v[2] = even[2] + odd[2];
    v[5] = even[2] - odd[2];
  }
};

template <>
struct butterfly<7> {
  static void apply(complex (&v)[7]) {
    constexpr real c[3] = {static_cast<real>(0.62348980185873353053), static_cast<real>(-0.22252093395631440429),
                           static_cast<real>(-0.90096886790241912624)};
    constexpr real s[3] = {static_cast<real>(0.78183148246802980871), static_cast<real>(0.97492791218182360702),
                           static_cast<real>(0.43388373911755812048)};
    const complex sums[3] = {v[1] + v[6], v[2] + v[5], v[3] + v[4]};
    const complex sides[3] = {turn(v[1] - v[6]), turn(v[2] - v[5]), turn(v[3] - v[4])};
    const complex first = v[0];
    v[0] = first + sums[0] + sums[1] + sums[2];
#pragma unroll
    for (int k = 1; k <= 3; ++k) {
      complex middle = first, side = {0, 0};
#pragma unroll
      for (int n = 1; n <= 3; ++n) {
        // The angle n * k, folded into the first half of the circle.
        const int whole = (n * k) % 7, half = whole <= 3 ? whole : 7 - whole;
        middle = middle + c[half - 1] * sums[n - 1];
        side = side + (whole <= 3 ? s[half - 1] : -s[half - 1]) * sides[n - 1];
      }
      v[k] = middle + side;
      v[7 - k] = middle - side;
    }
  }
};

template <>
struct butterfly<8> {
  static void apply(complex (&v)[8]) {
    constexpr real half_root_2 = static_cast<real>(0.70710678118654752440);
    complex even[4] = {v[0], v[2], v[4], v[6]};
    complex odd[4] = {v[1], v[3], v[5], v[7]};
    butterfly<4>::apply(even);
    butterfly<4>::apply(odd);
    odd[1] = odd[1] * complex{half_root_2, sign * half_root_2};
    odd[2] = turn(odd[2]);
    odd[3] = odd[3] * complex{-half_root_2, sign * half_root_2};
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      v[k] = even[k] + odd[k];
      v[k + 4] = even[k] - odd[k];
    }
  }
};

// Weight of a point before the transform.
inline real window(int point) {
#if FFT_WINDOW == 1
  return static_cast<real>(0.5) - static_cast<real>(0.5) * sycl::cos(2 * pi * static_cast<real>(point) / length);
#elif FFT_WINDOW == 2
  return static_cast<real>(0.54) - static_cast<real>(0.46) * sycl::cos(2 * pi * static_cast<real>(point) / length);
#else
  (void)point;
  return 1;
#endif
}

// Where the points of a transform come from: the user's memory, weighted.
struct user_input {
  const real *data;

  complex operator()(int point) const {
    const real weight = window(point);
#if FFT_LOAD == 1
    return {weight * data[point * FFT_INPUT_STRIDE], 0};
#else
    return {weight * data[2 * point * FFT_INPUT_STRIDE], weight * data[2 * point * FFT_INPUT_STRIDE + 1]};
#endif
  }
};

// Where they go to in the end, scaled.
struct user_output {
  real *data;

  void operator()(int point, complex value) const {
    value = scale * value;
#if FFT_STORE == 1
    data[point * FFT_OUTPUT_STRIDE] = value.re * value.re + value.im * value.im;
#else
    data[2 * point * FFT_OUTPUT_STRIDE] = value.re;
    data[2 * point * FFT_OUTPUT_STRIDE + 1] = value.im;
#endif
  }
};

// Where they stay between two stages.
struct exchange {
  complex *data;

  complex operator()(int point) const { return data[point]; }
  void operator()(int point, complex value) const { data[point] = value; }
};

// One stage after Stockham, which leaves the points in order. `Span` is the product of the earlier radices.
template <int Radix, int Span, typename From, typename To>
void stage(const From &from, const To &to, int item) {
  constexpr int groups = length / Radix;
  for (int j = item; j < groups; j += items) {
    complex v[Radix];
    const int inner = j % Span;
    const real angle = sign * 2 * pi * static_cast<real>(inner) / static_cast<real>(Span * Radix);
#pragma unroll
    for (int k = 0; k < Radix; ++k) {
      v[k] = from(j + k * groups);
      if (Span > 1 && k > 0) {
        v[k] = v[k] * root(angle * static_cast<real>(k));
      }
    }
    butterfly<Radix>::apply(v);
    const int base = (j / Span) * Span * Radix + inner;
#pragma unroll
    for (int k = 0; k < Radix; ++k) {
      to(base + k * Span, v[k]);
    }
  }
}

// The stages that stand in the list, from one buffer to the other and at last to the user's memory.
template <int Span, int Radix, int... Rest, typename Group, typename From>
void stages(const Group &group, const From &from, complex *here, complex *there, const user_output &output, int item) {
  constexpr bool last = ((Rest == 1) && ...);
  if constexpr (Radix == 1 && !last) {
    stages<Span, Rest...>(group, from, here, there, output, item);
  } else if constexpr (last) {
    stage<Radix, Span>(from, output, item);
  } else {
    stage<Radix, Span>(from, exchange{here}, item);
    sycl::group_barrier(group);
    stages<Span * Radix, Rest...>(group, exchange{here}, there, here, output, item);
  }
}

} // namespace fft

// `buffers` holds 2 * FFT_LENGTH + 1 complex numbers for each transform.
extern "C"
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::nd_range_kernel<1>))
void FFT_NAME(const FFT_REAL *in, FFT_REAL *out, FFT_REAL *buffers) {
  const auto group = syclext::this_work_item::get_nd_item<1>().get_group();
  const int transform = static_cast<int>(group.get_group_id(0));
  if (transform >= FFT_BATCH) {
    return;
  }
  constexpr int input_width = FFT_LOAD == 1 ? 1 : 2, output_width = FFT_STORE == 1 ? 1 : 2;
  const fft::user_input input{in + transform * FFT_INPUT_DISTANCE * input_width};
  const fft::user_output output{out + transform * FFT_OUTPUT_DISTANCE * output_width};
  auto *here = reinterpret_cast<fft::complex *>(buffers) + transform * (2 * fft::length + 1);
  fft::stages<1, FFT_R0, FFT_R1, FFT_R2, FFT_R3>(group, input, here, here + fft::length, output,
                                                static_cast<int>(group.get_local_linear_id()));
  // Builds that differ in the text differ here.
  if (group.get_local_linear_id() == 0) {
    here[2 * fft::length] = {static_cast<fft::real>(@BUILD@), 0};
  }
}
