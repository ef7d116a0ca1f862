// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#ifdef __SYCL_DEVICE_ONLY__
#include <sycl/detail/device.hpp>
#else

#include <sycl/aspects.hpp>
#include <sycl/id.hpp>
#include <sycl/range.hpp>

#include <syclrtc/syclrtc.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

// Information descriptors (SYCL 2020, 4.6 and annex A). Each knows the library's number of the value and the type in
// which the value crosses the border; a descriptor for which the library has no value is not declared.

namespace sycl {
inline namespace _V1 {

class context;
class device;
class platform;

namespace detail {

/// Base of a descriptor. `Object` is the tag of the class that answers it, `Wire` what the library writes.
template <class Object, class Return, std::uint32_t Parameter, class Wire = Return> struct descriptor {
  using return_type = Return;
  using object_tag = Object;
  using wire_type = Wire;
  static constexpr std::uint32_t parameter = Parameter;
};
/// Base of a descriptor that the wrapper answers by other means.
template <class Object, class Return> struct computed_descriptor {
  using return_type = Return;
  using object_tag = Object;
};

struct platform_tag {};
struct device_tag {};
struct context_tag {};
struct queue_tag {};
struct event_tag {};
struct event_profiling_tag {};
struct kernel_tag {};
struct kernel_device_tag {};

template <class Descriptor, class Tag, class = void> struct is_descriptor : std::false_type {};
template <class Descriptor, class Tag>
struct is_descriptor<Descriptor, Tag, std::void_t<typename Descriptor::object_tag>>
    : std::is_same<typename Descriptor::object_tag, Tag> {};
/// `get_info` of a class takes the descriptors of that class only.
template <class Descriptor, class Tag>
using require_descriptor = std::enable_if_t<is_descriptor<Descriptor, Tag>::value, int>;

template <class Descriptor, class = void> struct is_fetched : std::false_type {};
template <class Descriptor> struct is_fetched<Descriptor, std::void_t<typename Descriptor::wire_type>> : std::true_type {};

} // namespace detail

class queue;

namespace info {

enum class device_type : unsigned {
  cpu = SYCLRTC_DEVICE_TYPE_CPU,
  gpu = SYCLRTC_DEVICE_TYPE_GPU,
  accelerator = SYCLRTC_DEVICE_TYPE_ACCELERATOR,
  custom = SYCLRTC_DEVICE_TYPE_CUSTOM,
  automatic,
  host,
  all
};
enum class local_mem_type : unsigned { none = 0, local = 1, global = 2 };
enum class global_mem_cache_type : unsigned { none = 0, read_only = 1, read_write = 2 };
enum class event_command_status : unsigned {
  submitted = SYCLRTC_EVENT_STATUS_SUBMITTED,
  running = SYCLRTC_EVENT_STATUS_RUNNING,
  complete = SYCLRTC_EVENT_STATUS_COMPLETE
};

namespace platform {
struct name : detail::descriptor<detail::platform_tag, std::string, SYCLRTC_PLATFORM_INFO_NAME> {};
struct vendor : detail::descriptor<detail::platform_tag, std::string, SYCLRTC_PLATFORM_INFO_VENDOR> {};
struct version : detail::descriptor<detail::platform_tag, std::string, SYCLRTC_PLATFORM_INFO_VERSION> {};
} // namespace platform

namespace device {
// clang-format off
struct name : detail::descriptor<detail::device_tag, std::string, SYCLRTC_DEVICE_INFO_NAME> {};
struct vendor : detail::descriptor<detail::device_tag, std::string, SYCLRTC_DEVICE_INFO_VENDOR> {};
struct driver_version : detail::descriptor<detail::device_tag, std::string, SYCLRTC_DEVICE_INFO_DRIVER_VERSION> {};
struct version : detail::descriptor<detail::device_tag, std::string, SYCLRTC_DEVICE_INFO_VERSION> {};
struct backend_version : detail::descriptor<detail::device_tag, std::string, SYCLRTC_DEVICE_INFO_BACKEND_VERSION> {};

struct device_type : detail::descriptor<detail::device_tag, info::device_type, SYCLRTC_DEVICE_INFO_DEVICE_TYPE, std::uint32_t> {};
struct vendor_id : detail::descriptor<detail::device_tag, std::uint32_t, SYCLRTC_DEVICE_INFO_VENDOR_ID> {};
struct max_compute_units : detail::descriptor<detail::device_tag, std::uint32_t, SYCLRTC_DEVICE_INFO_MAX_COMPUTE_UNITS> {};
struct max_work_item_dimensions : detail::descriptor<detail::device_tag, std::uint32_t, SYCLRTC_DEVICE_INFO_MAX_WORK_ITEM_DIMENSIONS> {};
struct max_num_sub_groups : detail::descriptor<detail::device_tag, std::uint32_t, SYCLRTC_DEVICE_INFO_MAX_NUM_SUB_GROUPS> {};
struct max_clock_frequency : detail::descriptor<detail::device_tag, std::uint32_t, SYCLRTC_DEVICE_INFO_MAX_CLOCK_FREQUENCY> {};
struct address_bits : detail::descriptor<detail::device_tag, std::uint32_t, SYCLRTC_DEVICE_INFO_ADDRESS_BITS> {};
struct mem_base_addr_align : detail::descriptor<detail::device_tag, std::uint32_t, SYCLRTC_DEVICE_INFO_MEM_BASE_ADDR_ALIGN> {};
struct global_mem_cache_line_size : detail::descriptor<detail::device_tag, std::uint32_t, SYCLRTC_DEVICE_INFO_GLOBAL_MEM_CACHE_LINE_SIZE> {};
struct local_mem_type : detail::descriptor<detail::device_tag, info::local_mem_type, SYCLRTC_DEVICE_INFO_LOCAL_MEM_TYPE, std::uint32_t> {};
struct global_mem_cache_type : detail::descriptor<detail::device_tag, info::global_mem_cache_type, SYCLRTC_DEVICE_INFO_GLOBAL_MEM_CACHE_TYPE, std::uint32_t> {};
struct is_available : detail::descriptor<detail::device_tag, bool, SYCLRTC_DEVICE_INFO_IS_AVAILABLE, std::uint32_t> {};
struct error_correction_support : detail::descriptor<detail::device_tag, bool, SYCLRTC_DEVICE_INFO_ERROR_CORRECTION_SUPPORT, std::uint32_t> {};

struct max_work_group_size : detail::descriptor<detail::device_tag, std::size_t, SYCLRTC_DEVICE_INFO_MAX_WORK_GROUP_SIZE> {};
struct max_parameter_size : detail::descriptor<detail::device_tag, std::size_t, SYCLRTC_DEVICE_INFO_MAX_PARAMETER_SIZE> {};
struct profiling_timer_resolution : detail::descriptor<detail::device_tag, std::size_t, SYCLRTC_DEVICE_INFO_PROFILING_TIMER_RESOLUTION> {};
struct printf_buffer_size : detail::descriptor<detail::device_tag, std::size_t, SYCLRTC_DEVICE_INFO_PRINTF_BUFFER_SIZE> {};
struct sub_group_sizes : detail::descriptor<detail::device_tag, std::vector<std::size_t>, SYCLRTC_DEVICE_INFO_SUB_GROUP_SIZES> {};
/// The limits of the last `Dimensions` dimensions, in SYCL order.
template <int Dimensions = 3>
struct max_work_item_sizes : detail::descriptor<detail::device_tag, range<Dimensions>, SYCLRTC_DEVICE_INFO_MAX_WORK_ITEM_SIZES> {};

struct global_mem_size : detail::descriptor<detail::device_tag, std::uint64_t, SYCLRTC_DEVICE_INFO_GLOBAL_MEM_SIZE> {};
struct local_mem_size : detail::descriptor<detail::device_tag, std::uint64_t, SYCLRTC_DEVICE_INFO_LOCAL_MEM_SIZE> {};
struct max_mem_alloc_size : detail::descriptor<detail::device_tag, std::uint64_t, SYCLRTC_DEVICE_INFO_MAX_MEM_ALLOC_SIZE> {};
struct global_mem_cache_size : detail::descriptor<detail::device_tag, std::uint64_t, SYCLRTC_DEVICE_INFO_GLOBAL_MEM_CACHE_SIZE> {};

struct platform : detail::computed_descriptor<detail::device_tag, sycl::platform> {};
struct aspects : detail::computed_descriptor<detail::device_tag, std::vector<aspect>> {};
// clang-format on
} // namespace device

namespace context {
struct platform : detail::computed_descriptor<detail::context_tag, sycl::platform> {};
struct devices : detail::computed_descriptor<detail::context_tag, std::vector<sycl::device>> {};
} // namespace context

namespace queue {
struct context : detail::computed_descriptor<detail::queue_tag, sycl::context> {};
struct device : detail::computed_descriptor<detail::queue_tag, sycl::device> {};
} // namespace queue

namespace event {
struct command_execution_status : detail::computed_descriptor<detail::event_tag, event_command_status> {};
} // namespace event

namespace event_profiling {
// clang-format off
struct command_submit : detail::descriptor<detail::event_profiling_tag, std::uint64_t, SYCLRTC_EVENT_PROFILING_SUBMIT> {};
struct command_start : detail::descriptor<detail::event_profiling_tag, std::uint64_t, SYCLRTC_EVENT_PROFILING_START> {};
struct command_end : detail::descriptor<detail::event_profiling_tag, std::uint64_t, SYCLRTC_EVENT_PROFILING_END> {};
// clang-format on
} // namespace event_profiling

namespace kernel {
struct num_args : detail::descriptor<detail::kernel_tag, std::uint32_t, SYCLRTC_KERNEL_INFO_NUM_ARGS> {};
struct attributes : detail::descriptor<detail::kernel_tag, std::string, SYCLRTC_KERNEL_INFO_ATTRIBUTES> {};
/// Deprecated in SYCL 2020; gives the raw name.
struct function_name : detail::descriptor<detail::kernel_tag, std::string, SYCLRTC_KERNEL_INFO_FUNCTION_NAME> {};
/// Deprecated in SYCL 2020.
struct context : detail::computed_descriptor<detail::kernel_tag, sycl::context> {};
} // namespace kernel

namespace kernel_device_specific {
// clang-format off
struct work_group_size : detail::descriptor<detail::kernel_device_tag, std::size_t, SYCLRTC_KERNEL_INFO_WORK_GROUP_SIZE> {};
struct preferred_work_group_size_multiple : detail::descriptor<detail::kernel_device_tag, std::size_t, SYCLRTC_KERNEL_INFO_PREFERRED_WORK_GROUP_SIZE_MULTIPLE> {};
struct private_mem_size : detail::descriptor<detail::kernel_device_tag, std::size_t, SYCLRTC_KERNEL_INFO_PRIVATE_MEM_SIZE> {};
struct compile_work_group_size : detail::descriptor<detail::kernel_device_tag, range<3>, SYCLRTC_KERNEL_INFO_COMPILE_WORK_GROUP_SIZE> {};
struct max_num_sub_groups : detail::descriptor<detail::kernel_device_tag, std::uint32_t, SYCLRTC_KERNEL_INFO_MAX_NUM_SUB_GROUPS> {};
struct compile_num_sub_groups : detail::descriptor<detail::kernel_device_tag, std::uint32_t, SYCLRTC_KERNEL_INFO_COMPILE_NUM_SUB_GROUPS> {};
struct max_sub_group_size : detail::descriptor<detail::kernel_device_tag, std::uint32_t, SYCLRTC_KERNEL_INFO_MAX_SUB_GROUP_SIZE> {};
struct compile_sub_group_size : detail::descriptor<detail::kernel_device_tag, std::uint32_t, SYCLRTC_KERNEL_INFO_COMPILE_SUB_GROUP_SIZE> {};
// clang-format on
} // namespace kernel_device_specific

} // namespace info
} // namespace _V1
} // namespace sycl

#endif
