// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Small spellings shared by the host and the device reading of these headers.
//
// In all of them, a name of one capital letter carries an underscore: programs build their sources with -DN=16 or
// -DT=float, and such a macro must not meet a template parameter.

#define SYCLRTC_DETAIL_ALWAYS_INLINE __attribute__((always_inline))

#ifdef __SYCL_DEVICE_ONLY__
// A function that a target resolves, or that another translation unit defines.
#define SYCLRTC_DETAIL_BUILTIN [[clang::sycl_external]]
// Keeps the optimiser from moving a call into or out of divergent control flow.
#define SYCLRTC_DETAIL_CONVERGENT __attribute__((convergent))
#endif
