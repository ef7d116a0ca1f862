// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#ifdef __SYCL_DEVICE_ONLY__
#include <sycl/detail/device.hpp>
#else

#include <sycl/access/address_space.hpp>
#include <sycl/aspects.hpp>
#include <sycl/backend_types.hpp>
#include <sycl/context.hpp>
#include <sycl/detail/cl_types.hpp>
#include <sycl/device.hpp>
#include <sycl/device_copyable.hpp>
#include <sycl/device_selector.hpp>
#include <sycl/event.hpp>
#include <sycl/exception.hpp>
#include <sycl/ext/oneapi/free_function_queries.hpp>
#include <sycl/ext/oneapi/kernel_properties.hpp>
#include <sycl/ext/oneapi/properties/properties.hpp>
#include <sycl/ext/oneapi/work_group_memory.hpp>
#include <sycl/ext/oneapi/work_group_scratch_memory.hpp>
#include <sycl/feature_test.hpp>
#include <sycl/group.hpp>
#include <sycl/handler.hpp>
#include <sycl/id.hpp>
#include <sycl/info/info_desc.hpp>
#include <sycl/item.hpp>
#include <sycl/kernel.hpp>
#include <sycl/kernel_bundle.hpp>
#include <sycl/local_accessor.hpp>
#include <sycl/memory_enums.hpp>
#include <sycl/multi_ptr.hpp>
#include <sycl/nd_item.hpp>
#include <sycl/nd_range.hpp>
#include <sycl/platform.hpp>
#include <sycl/properties/queue_properties.hpp>
#include <sycl/property_list.hpp>
#include <sycl/queue.hpp>
#include <sycl/range.hpp>
#include <sycl/sub_group.hpp>

#endif
