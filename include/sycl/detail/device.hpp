// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What `<sycl/sycl.hpp>` is in device code.

#include <sycl/access/address_space.hpp>
#include <sycl/address_space_cast.hpp>
#include <sycl/aliases.hpp>
#include <sycl/aspects.hpp>
#include <sycl/atomic_fence.hpp>
#include <sycl/atomic_ref.hpp>
#include <sycl/bit_cast.hpp>
#include <sycl/builtins.hpp>
#include <sycl/detail/device_std.hpp>
#include <sycl/device_copyable.hpp>
#include <sycl/device_event.hpp>
#include <sycl/ext/oneapi/device_global/device_global.hpp>
#include <sycl/ext/oneapi/experimental/builtins.hpp>
#include <sycl/ext/oneapi/free_function_queries.hpp>
#include <sycl/ext/oneapi/group_local_memory.hpp>
#include <sycl/ext/oneapi/kernel_properties.hpp>
#include <sycl/ext/oneapi/properties/properties.hpp>
#include <sycl/ext/oneapi/work_group_memory.hpp>
#include <sycl/ext/oneapi/work_group_scratch_memory.hpp>
#include <sycl/ext/oneapi/work_group_static.hpp>
#include <sycl/feature_test.hpp>
#include <sycl/functional.hpp>
#include <sycl/group.hpp>
#include <sycl/group_algorithm.hpp>
#include <sycl/group_barrier.hpp>
#include <sycl/half_type.hpp>
#include <sycl/id.hpp>
#include <sycl/item.hpp>
#include <sycl/local_accessor.hpp>
#include <sycl/marray.hpp>
#include <sycl/memory_enums.hpp>
#include <sycl/multi_ptr.hpp>
#include <sycl/nd_item.hpp>
#include <sycl/nd_range.hpp>
#include <sycl/range.hpp>
#include <sycl/sub_group.hpp>
#include <sycl/sycl_span.hpp>
#include <sycl/vector.hpp>

// Programs rely on these arriving with `<sycl/sycl.hpp>`.
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
