// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Older path of the same header.
#include <sycl/ext/oneapi/kernel_properties.hpp>
