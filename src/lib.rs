// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! SYCL kernels from source strings, built and launched at run time from plain C++.
