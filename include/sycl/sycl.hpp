// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#ifdef __SYCL_DEVICE_ONLY__
#include <sycl/detail/device.hpp>
#else

#include <sycl/address_space_cast.hpp>
#include <sycl/aliases.hpp>
#include <sycl/atomic_fence.hpp>
#include <sycl/atomic_ref.hpp>
#include <sycl/backend.hpp>
#include <sycl/bit_cast.hpp>
#include <sycl/builtins.hpp>
#include <sycl/detail/core.hpp>
#include <sycl/device_event.hpp>
#include <sycl/ext/oneapi/experimental/builtins.hpp>
#include <sycl/ext/oneapi/experimental/enqueue_functions.hpp>
#include <sycl/ext/oneapi/group_local_memory.hpp>
#include <sycl/ext/oneapi/work_group_memory.hpp>
#include <sycl/ext/oneapi/work_group_scratch_memory.hpp>
#include <sycl/ext/oneapi/work_group_static.hpp>
#include <sycl/ext/syclrtc/async_build.hpp>
#include <sycl/ext/syclrtc/cache.hpp>
#include <sycl/ext/syclrtc/code.hpp>
#include <sycl/ext/syclrtc/diagnostics.hpp>
#include <sycl/ext/syclrtc/type_name.hpp>
#include <sycl/functional.hpp>
#include <sycl/group_algorithm.hpp>
#include <sycl/group_barrier.hpp>
#include <sycl/half_type.hpp>
#include <sycl/local_accessor.hpp>
#include <sycl/marray.hpp>
#include <sycl/multi_ptr.hpp>
#include <sycl/specialization_id.hpp>
#include <sycl/sycl_span.hpp>
#include <sycl/usm.hpp>
#include <sycl/vector.hpp>

#endif
