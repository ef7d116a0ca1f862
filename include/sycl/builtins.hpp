// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The built-in functions of SYCL 2020, 4.17, of scalars, vec, swizzles and marray.

#include <sycl/builtins_array.hpp>
#include <sycl/builtins_common.hpp>
#include <sycl/builtins_integer.hpp>
#include <sycl/builtins_math.hpp>
#include <sycl/builtins_pointers.hpp>
