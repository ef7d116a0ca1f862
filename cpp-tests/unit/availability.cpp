// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What must compile and what must not: checked by the compiler, so that the program itself has little to do.

#include "support.hpp"

#include <filesystem>
#include <iterator>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>

namespace syclex = sycl::ext::oneapi::experimental;
using sycl::bundle_state;

namespace {

template <template <class...> class Expression, class Void, class... Args> struct detect : std::false_type {};
template <template <class...> class Expression, class... Args>
struct detect<Expression, std::void_t<Expression<Args...>>, Args...> : std::true_type {};
template <template <class...> class Expression, class... Args>
inline constexpr bool compiles = detect<Expression, void, Args...>::value;

template <class B> using get_context_t = decltype(std::declval<const B &>().get_context());
template <class B> using get_devices_t = decltype(std::declval<const B &>().get_devices());
template <class B> using get_backend_t = decltype(std::declval<const B &>().get_backend());
template <class B> using empty_t = decltype(std::declval<const B &>().empty());
template <class B> using begin_t = decltype(std::declval<const B &>().begin());
template <class B> using end_t = decltype(std::declval<const B &>().end());
template <class B> using get_kernel_ids_t = decltype(std::declval<const B &>().get_kernel_ids());
template <class B>
using has_kernel_t = decltype(std::declval<const B &>().has_kernel(std::declval<const sycl::kernel_id &>()));
template <class B>
using get_kernel_t = decltype(std::declval<const B &>().get_kernel(std::declval<const sycl::kernel_id &>()));
template <class B> using contains_spec_t = decltype(std::declval<const B &>().contains_specialization_constants());
template <class B> using native_spec_t = decltype(std::declval<const B &>().native_specialization_constant());
template <class B> using ext_has_t = decltype(std::declval<const B &>().ext_oneapi_has_kernel("k"));
template <class B> using ext_get_t = decltype(std::declval<const B &>().ext_oneapi_get_kernel("k"));
template <class B> using ext_raw_t = decltype(std::declval<const B &>().ext_oneapi_get_raw_kernel_name("k"));

template <class B> using has_global_t = decltype(std::declval<const B &>().ext_oneapi_has_device_global("g"));
template <class B>
using global_address_t = decltype(std::declval<const B &>().ext_oneapi_get_device_global_address(
    "g", std::declval<const sycl::device &>()));
template <class B> using global_size_t = decltype(std::declval<const B &>().ext_oneapi_get_device_global_size("g"));
template <class B> using content_t = decltype(std::declval<const B &>().ext_oneapi_get_content());
template <class B>
using has_kernel_device_t = decltype(std::declval<const B &>().has_kernel(std::declval<const sycl::kernel_id &>(),
                                                                          std::declval<const sycl::device &>()));
constexpr sycl::specialization_id<int> constant{3};
template <class B> using has_constant_t = decltype(std::declval<const B &>().template has_specialization_constant<constant>());
template <class B> using get_constant_t = decltype(std::declval<const B &>().template get_specialization_constant<constant>());
template <class B> using set_constant_t = decltype(std::declval<B &>().template set_specialization_constant<constant>(1));
template <class B> using join_t = decltype(sycl::join(std::declval<const std::vector<B> &>()));

using source = sycl::kernel_bundle<bundle_state::ext_oneapi_source>;
using input = sycl::kernel_bundle<bundle_state::input>;
using object = sycl::kernel_bundle<bundle_state::object>;
using executable = sycl::kernel_bundle<bundle_state::executable>;

// kernel-compiler.md 8.1, row by row: source, input, object, executable.
#define ROW(expression, in_source, in_input, in_object, in_executable)                                                 \
  static_assert(compiles<expression, source> == in_source);                                                            \
  static_assert(compiles<expression, input> == in_input);                                                              \
  static_assert(compiles<expression, object> == in_object);                                                            \
  static_assert(compiles<expression, executable> == in_executable)

ROW(get_context_t, true, true, true, true);
ROW(get_devices_t, true, true, true, true);
ROW(get_backend_t, true, true, true, true);
ROW(empty_t, false, true, true, true);
ROW(begin_t, false, true, true, true);
ROW(end_t, false, true, true, true);
ROW(get_kernel_ids_t, false, true, true, true);
ROW(has_kernel_t, false, true, true, true);
ROW(contains_spec_t, false, true, true, true);
ROW(native_spec_t, false, true, true, true);
ROW(get_kernel_t, false, false, false, true);
ROW(ext_has_t, false, true, true, true);
ROW(ext_raw_t, false, true, true, true);
ROW(ext_get_t, false, false, false, true);
ROW(has_kernel_device_t, false, true, true, true);
ROW(has_constant_t, false, true, true, true);
ROW(get_constant_t, false, true, true, true);
ROW(set_constant_t, false, true, false, false);
ROW(has_global_t, false, true, true, true);
ROW(global_address_t, false, true, true, true);
ROW(global_size_t, false, true, true, true);
ROW(content_t, false, true, true, true);
ROW(join_t, false, true, true, true);
#undef ROW

static_assert(std::is_same_v<content_t<object>, std::vector<char>>);
static_assert(std::is_same_v<global_address_t<executable>, void *>);
static_assert(std::is_same_v<global_size_t<executable>, std::size_t>);
static_assert(std::is_same_v<get_constant_t<input>, int>);
static_assert(std::is_same_v<join_t<object>, object>);

template <class T>
inline constexpr bool has_reference_semantics =
    std::is_nothrow_copy_constructible_v<T> && std::is_nothrow_move_constructible_v<T> &&
    std::is_nothrow_copy_assignable_v<T> && std::is_nothrow_move_assignable_v<T> &&
    std::is_same_v<decltype(std::declval<const T &>() == std::declval<const T &>()), bool> &&
    std::is_same_v<decltype(std::declval<const T &>() != std::declval<const T &>()), bool> &&
    std::is_same_v<decltype(std::hash<T>()(std::declval<const T &>())), std::size_t>;

// runtime.md G1.
static_assert(has_reference_semantics<sycl::platform>);
static_assert(has_reference_semantics<sycl::device>);
static_assert(has_reference_semantics<sycl::context>);
static_assert(has_reference_semantics<sycl::queue>);
static_assert(has_reference_semantics<sycl::event>);
static_assert(has_reference_semantics<sycl::kernel>);
static_assert(has_reference_semantics<source>);
static_assert(has_reference_semantics<executable>);
static_assert(has_reference_semantics<object>);
static_assert(has_reference_semantics<input>);
static_assert(has_reference_semantics<sycl::device_image<bundle_state::executable>>);

// Kernels and bundles come from the library only.
static_assert(!std::is_default_constructible_v<sycl::kernel>);
static_assert(!std::is_default_constructible_v<executable>);
static_assert(!std::is_copy_constructible_v<sycl::handler>);

// kernel-compiler.md C1, B1: property lists with other properties take no part in overload resolution.
template <class P>
using create_t = decltype(syclex::create_kernel_bundle_from_source(
    std::declval<const sycl::context &>(), syclex::source_language::sycl, std::string(), std::declval<P>()));
template <class P> using build_t = decltype(syclex::build(std::declval<const source &>(), std::declval<P>()));
template <class P>
using build_devices_t = decltype(syclex::build(std::declval<const source &>(),
                                               std::declval<const std::vector<sycl::device> &>(), std::declval<P>()));

using files_list = decltype(syclex::properties{syclex::include_files{}});
using options_list = decltype(syclex::properties{syclex::build_options{}});
using all_build_list =
    decltype(syclex::properties{syclex::save_log{nullptr}, syclex::registered_names{}, syclex::build_options{}});

static_assert(compiles<create_t, syclex::empty_properties_t>);
static_assert(compiles<create_t, files_list>);
static_assert(!compiles<create_t, options_list>);
static_assert(!compiles<create_t, int>);
static_assert(!compiles<create_t, syclex::include_files>);
static_assert(compiles<build_t, syclex::empty_properties_t>);
static_assert(compiles<build_t, options_list>);
static_assert(compiles<build_t, all_build_list>);
static_assert(!compiles<build_t, files_list>);
static_assert(!compiles<build_t, int>);
static_assert(compiles<build_devices_t, all_build_list>);
static_assert(!compiles<build_devices_t, files_list>);

// Only a source bundle can be built.
template <class B> using build_bundle_t = decltype(syclex::build(std::declval<const B &>()));
static_assert(compiles<build_bundle_t, source>);
static_assert(!compiles<build_bundle_t, executable>);
static_assert(!compiles<build_bundle_t, object>);

static_assert(!compiles<build_bundle_t, input>);

// compile: as build (B1), also with a source that is not const, and a temporary one.
template <class B, class P> using compile_t = decltype(syclex::compile(std::declval<B>(), std::declval<P>()));
template <class B, class P>
using compile_devices_t =
    decltype(syclex::compile(std::declval<B>(), std::declval<const std::vector<sycl::device> &>(), std::declval<P>()));
static_assert(std::is_same_v<compile_t<source &, all_build_list>, object>);
static_assert(compiles<compile_t, const source &, options_list>);
static_assert(compiles<compile_t, source, syclex::empty_properties_t>);
static_assert(!compiles<compile_t, source, files_list>);
static_assert(!compiles<compile_t, source, int>);
static_assert(!compiles<compile_t, input, syclex::empty_properties_t>);
static_assert(!compiles<compile_t, object, syclex::empty_properties_t>);
static_assert(compiles<compile_devices_t, source &, all_build_list>);
static_assert(!compiles<compile_devices_t, source &, files_list>);
using diagnostics_list =
    decltype(syclex::properties{sycl::ext::syclrtc::save_diagnostics{nullptr}, syclex::save_log{nullptr}});
static_assert(compiles<compile_t, source, diagnostics_list>);
static_assert(compiles<build_t, diagnostics_list>);
static_assert(!compiles<create_t, diagnostics_list>);

// link: fast_link only (section 9).
using fast_list = decltype(syclex::properties{syclex::fast_link{}});
template <class B, class P> using link_t = decltype(syclex::link(std::declval<const B &>(), std::declval<P>()));
template <class B, class P>
using link_devices_t =
    decltype(syclex::link(std::declval<const B &>(), std::declval<const std::vector<sycl::device> &>(), std::declval<P>()));
template <class B> using core_link_t = decltype(sycl::link(std::declval<const B &>()));
static_assert(std::is_same_v<link_t<object, fast_list>, executable>);
static_assert(std::is_same_v<link_t<std::vector<object>, syclex::empty_properties_t>, executable>);
static_assert(compiles<link_devices_t, object, fast_list>);
static_assert(compiles<link_devices_t, std::vector<object>, fast_list>);
static_assert(!compiles<link_t, object, options_list>);
static_assert(!compiles<link_t, std::vector<object>, all_build_list>);
static_assert(!compiles<link_devices_t, object, options_list>);
static_assert(!compiles<link_t, object, syclex::fast_link>);
static_assert(!compiles<link_t, executable, fast_list>);
static_assert(!compiles<link_t, source, fast_list>);
static_assert(std::is_same_v<core_link_t<object>, executable> && compiles<core_link_t, std::vector<object>>);
static_assert(!compiles<core_link_t, source> && !compiles<core_link_t, input> && !compiles<core_link_t, executable>);

// 5.5 and the other properties: each is its own key, none is for the device.
template <class P> inline constexpr bool is_run_time_property =
    syclex::is_property_key<P>::value && syclex::is_property_value<P>::value && !sycl::is_device_copyable_v<P>;
static_assert(std::is_same_v<syclex::fast_link_key, syclex::fast_link> && is_run_time_property<syclex::fast_link>);
static_assert(is_run_time_property<syclex::include_files> && is_run_time_property<syclex::build_options>);
static_assert(is_run_time_property<syclex::save_log> && is_run_time_property<syclex::registered_names>);
static_assert(is_run_time_property<sycl::ext::syclrtc::save_diagnostics>);
static_assert(std::is_convertible_v<bool, syclex::fast_link>);
static_assert(std::is_same_v<decltype(syclex::fast_link::value), bool>);

// runtime.md 9 and 10: not for sources.
template <class State>
using empty_bundle_t = decltype(sycl::get_kernel_bundle<State::value>(std::declval<const sycl::context &>()));
template <class State>
using has_bundle_t = decltype(sycl::has_kernel_bundle<State::value>(std::declval<const sycl::context &>()));
template <class State, class From>
using load_t = decltype(syclex::get_kernel_bundle<State::value>(
    std::declval<const sycl::context &>(), std::declval<const std::vector<sycl::device> &>(), std::declval<From>()));
template <class State, class From>
using load_all_t =
    decltype(syclex::get_kernel_bundle<State::value>(std::declval<const sycl::context &>(), std::declval<From>()));
template <bundle_state State> using state = std::integral_constant<bundle_state, State>;
#define STATE(which, available)                                                                                        \
  static_assert(compiles<empty_bundle_t, state<bundle_state::which>> == available);                                    \
  static_assert(compiles<has_bundle_t, state<bundle_state::which>> == available);                                      \
  static_assert(compiles<load_t, state<bundle_state::which>, sycl::span<char> &> == available);                        \
  static_assert(compiles<load_t, state<bundle_state::which>, std::filesystem::path> == available);                     \
  static_assert(compiles<load_all_t, state<bundle_state::which>, const std::filesystem::path &> == available)
STATE(input, true);
STATE(object, true);
STATE(executable, true);
STATE(ext_oneapi_source, false);
#undef STATE
static_assert(!compiles<load_all_t, state<bundle_state::object>, int>);
static_assert(std::is_same_v<std::iterator_traits<executable::device_image_iterator>::reference,
                             const sycl::device_image<bundle_state::executable> &>);

// free-function-kernels.md section 4: no function of the host is a kernel, and what needs one is unavailable.
[[maybe_unused]] void function(int) {}
static_assert(!syclex::is_kernel_v<function> && !syclex::is_nd_range_kernel_v<function, 1>);
static_assert(!syclex::is_single_task_kernel_v<function>);
template <class Q, class F> using task_function_t = decltype(syclex::single_task(std::declval<Q>(), std::declval<F>(), 1));
template <class Q, class F>
using launch_function_t =
    decltype(syclex::nd_launch(std::declval<Q>(), sycl::nd_range<1>(1, 1), std::declval<F>(), 1));
using tag = decltype(syclex::kernel_function<function>);
static_assert(!compiles<task_function_t, sycl::queue, tag> && !compiles<task_function_t, sycl::handler &, tag>);
static_assert(!compiles<launch_function_t, sycl::queue, tag> && !compiles<launch_function_t, sycl::handler &, tag>);
static_assert(compiles<task_function_t, sycl::queue, const sycl::kernel &>);
static_assert(compiles<launch_function_t, sycl::handler &, const sycl::kernel &>);
template <class B> using has_function_t = decltype(std::declval<const B &>().template ext_oneapi_has_kernel<function>());
template <class B> using get_function_t = decltype(std::declval<const B &>().template ext_oneapi_get_kernel<function>());
static_assert(!compiles<has_function_t, executable> && !compiles<get_function_t, executable>);

// KP8, KP9: properties that are fixed in the compile cannot be given at a launch.
template <class P> inline constexpr bool fixed = syclex::has_compile_time_kernel_effect_v<std::remove_cv_t<P>>;
static_assert(fixed<decltype(syclex::work_group_size<4>)> && fixed<decltype(syclex::work_group_size_hint<4, 4>)>);
static_assert(fixed<decltype(syclex::sub_group_size<8>)> && fixed<decltype(syclex::device_has<sycl::aspect::fp64>)>);
static_assert(fixed<decltype(syclex::max_work_group_size<4>)> && fixed<decltype(syclex::range_type<int>)>);
static_assert(fixed<decltype(syclex::max_linear_work_group_size<4>)> && !fixed<syclex::save_log>);
using sized_list = decltype(syclex::properties{syclex::work_group_size<4>});
template <class P> using config_t = decltype(syclex::launch_config(sycl::range<1>(1), std::declval<P>()));
template <class P>
using config_constructor_t = decltype(syclex::launch_config<sycl::range<1>, P>(sycl::range<1>(1), std::declval<P>()));
template <class P>
using launch_with_t = decltype(std::declval<sycl::handler &>().parallel_for(
    sycl::nd_range<1>(1, 1), std::declval<P>(), std::declval<const sycl::kernel &>()));
template <class P>
using task_with_t =
    decltype(std::declval<sycl::handler &>().single_task(std::declval<P>(), std::declval<const sycl::kernel &>()));
static_assert(compiles<config_t, syclex::empty_properties_t> && !compiles<config_t, sized_list>);
static_assert(!compiles<config_constructor_t, sized_list>);
using scratch_list = decltype(syclex::properties{syclex::work_group_scratch_size(4)});
static_assert(compiles<config_t, scratch_list> && compiles<launch_with_t, scratch_list> && compiles<task_with_t, scratch_list>);
// Section 6.2 of the free-function kernels: which constructor a work_group_memory has depends on its type.
static_assert(std::is_constructible_v<syclex::work_group_memory<int[4]>, sycl::handler &>);
static_assert(!std::is_constructible_v<syclex::work_group_memory<int[4]>, std::size_t, sycl::handler &>);
static_assert(std::is_constructible_v<syclex::work_group_memory<int[][4]>, std::size_t, sycl::handler &>);
static_assert(!std::is_constructible_v<syclex::work_group_memory<int[][4]>, sycl::handler &>);
static_assert(compiles<launch_with_t, syclex::empty_properties_t> && !compiles<launch_with_t, sized_list>);
static_assert(compiles<task_with_t, syclex::empty_properties_t> && !compiles<task_with_t, sized_list>);

// docs/extensions.md: code comes from compiled bundles only.
template <class B>
using code_t = decltype(sycl::ext::syclrtc::get_code(std::declval<const B &>(), sycl::ext::syclrtc::code_format::spirv));
static_assert(compiles<code_t, object> && compiles<code_t, executable>);
static_assert(!compiles<code_t, source> && !compiles<code_t, input>);

// Section 2: on const devices.
template <class D>
using cl_version_t = decltype(std::declval<const D &>().ext_oneapi_supports_cl_c_version(syclex::opencl_c_3_0));
static_assert(std::is_same_v<cl_version_t<sycl::device>, bool>);

// A descriptor is answered by its own class only (runtime.md G4).
template <class Object, class Param> using get_info_t = decltype(std::declval<const Object &>().template get_info<Param>());
static_assert(std::is_same_v<get_info_t<sycl::device, sycl::info::device::name>, std::string>);
static_assert(std::is_same_v<get_info_t<sycl::device, sycl::info::device::max_work_item_sizes<2>>, sycl::range<2>>);
static_assert(std::is_same_v<get_info_t<sycl::device, sycl::info::device::is_available>, bool>);
static_assert(!compiles<get_info_t, sycl::device, sycl::info::platform::name>);
static_assert(!compiles<get_info_t, sycl::queue, sycl::info::context::devices>);
static_assert(!compiles<get_info_t, sycl::kernel, sycl::info::kernel_device_specific::work_group_size>);
static_assert(!compiles<get_info_t, sycl::device, int>);

// What can be a kernel argument (free-function-kernels.md 5.2).
template <class T> using set_arg_t = decltype(std::declval<sycl::handler &>().set_arg(0, std::declval<T>()));
struct plain {
  char a;
  int b;
};
struct not_copyable_to_device {
  std::string text;
};
static_assert(compiles<set_arg_t, int>);
static_assert(compiles<set_arg_t, const double &>);
static_assert(compiles<set_arg_t, plain>);
static_assert(compiles<set_arg_t, int *>);
static_assert(compiles<set_arg_t, const void *>);
static_assert(compiles<set_arg_t, std::nullptr_t>);
static_assert(compiles<set_arg_t, std::tuple<int, float>>);
static_assert(compiles<set_arg_t, std::optional<std::pair<int, char>>>);
static_assert(compiles<set_arg_t, sycl::ext::oneapi::raw_kernel_arg>);
static_assert(!compiles<set_arg_t, std::string>);
static_assert(!compiles<set_arg_t, not_copyable_to_device>);
static_assert(!compiles<set_arg_t, int (&)[4]>);
static_assert(!compiles<set_arg_t, void (*)()>);
static_assert(!compiles<set_arg_t, int plain::*>);
static_assert(!compiles<set_arg_t, sycl::queue &>);

// runtime.md section 2.
static_assert(std::is_error_code_enum_v<sycl::errc>);
static_assert(std::is_nothrow_copy_constructible_v<sycl::exception>);
static_assert(std::is_base_of_v<std::exception, sycl::exception>);
static_assert(static_cast<int>(sycl::errc::success) == 0);

// Containers need memory that the host can use (runtime.md section 8).
static_assert(std::is_same_v<std::allocator_traits<sycl::usm_allocator<int, sycl::usm::alloc::shared>>::value_type, int>);

// surface.md section 1: names that come with <sycl/detail/core.hpp>, in the global namespace.
static_assert(std::is_same_v<::cl_int, std::int32_t> && std::is_same_v<::cl_float, float>);

} // namespace

TEST_CASE("macros of the supported extensions are defined (runtime.md 12)") {
  CHECK(SYCL_LANGUAGE_VERSION >= 202012L);
  CHECK(SYCL_EXT_ONEAPI_KERNEL_COMPILER == 1);
  CHECK(SYCL_EXT_ONEAPI_PROPERTIES == 1);
  CHECK(SYCL_EXT_ONEAPI_FREE_FUNCTION_KERNELS == 1);
  CHECK(SYCL_EXT_ONEAPI_ENQUEUE_FUNCTIONS == 1);
  CHECK(SYCL_EXT_ONEAPI_RAW_KERNEL_ARG == 1);
  CHECK(SYCL_EXT_ONEAPI_KERNEL_COMPILER_OPENCL == 1);
  CHECK(SYCL_EXT_ONEAPI_KERNEL_COMPILER_SPIRV == 1);
  CHECK(SYCL_EXT_ONEAPI_KERNEL_PROPERTIES == 1);
  CHECK(SYCL_EXT_ONEAPI_SYCLBIN == 1);
  CHECK(SYCL_EXT_ONEAPI_RANGE_TYPE == 1); // R1
  CHECK(SYCL_EXT_ONEAPI_DEVICE_GLOBAL == 1);
  CHECK(SYCL_EXT_SYCLRTC == 1);
}
