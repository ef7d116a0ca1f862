// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <complex>

inline int use_complex(int i) {
  const std::complex<float> a(static_cast<float>(i), 2.0f), b(3.0f, -1.0f);
  const std::complex<float> c = a * b + a / b - std::conj(b);
  return static_cast<int>(100 * c.real()) + static_cast<int>(100 * c.imag()) + static_cast<int>(100 * std::abs(a)) +
         static_cast<int>(100 * std::arg(b)) + static_cast<int>(std::norm(a));
}
