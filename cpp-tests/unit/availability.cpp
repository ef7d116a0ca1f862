// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What must compile and what must not: checked by the compiler, so that the program itself has little to do.

#include "support.hpp"

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
#undef ROW

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
}
