// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Small spellings shared by the host and the device reading of these headers.

#define SYCLRTC_DETAIL_ALWAYS_INLINE __attribute__((always_inline))

#ifdef __SYCL_DEVICE_ONLY__
// A function that a target resolves, or that another translation unit defines.
#define SYCLRTC_DETAIL_BUILTIN [[clang::sycl_external]]
// Keeps the optimiser from moving a call into or out of divergent control flow.
#define SYCLRTC_DETAIL_CONVERGENT __attribute__((convergent))
#endif
