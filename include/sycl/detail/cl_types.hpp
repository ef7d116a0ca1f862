// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

// OpenCL's scalar types. Programs expect them in the global namespace without <CL/cl.h>; they are the types of that
// header, so that both may be included.

using cl_char = std::int8_t;
using cl_uchar = std::uint8_t;
using cl_short = std::int16_t;
using cl_ushort = std::uint16_t;
using cl_int = std::int32_t;
using cl_uint = std::uint32_t;
using cl_long = std::int64_t;
using cl_ulong = std::uint64_t;
using cl_half = std::uint16_t;
using cl_float = float;
using cl_double = double;
