// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support.hpp"

using namespace sycl::info;

TEST_CASE("kernel: context, bundle, number of arguments (runtime.md 9)") {
  const sycl::queue q;
  const auto bundle = support::build(q, "TASK none() {}\n"
                                        "TASK three(int, double, float *p) { *p = 1; }\n" +
                                            support::iota);
  const sycl::kernel k = bundle.ext_oneapi_get_kernel("iota");
  CHECK(k.get_context() == q.get_context());
  CHECK(k.get_backend() == q.get_backend());
  CHECK(k.get_kernel_bundle() == bundle);
  CHECK(k.get_info<kernel::num_args>() == 2);
  CHECK(bundle.ext_oneapi_get_kernel("none").get_info<kernel::num_args>() == 0);
  // The text's parameters that have no name and no use count as well.
  CHECK(bundle.ext_oneapi_get_kernel("three").get_info<kernel::num_args>() == 3);
  CHECK(k.get_info<kernel::function_name>() == "__sycl_kernel_iota");
  CHECK(k.get_info<kernel::context>() == q.get_context());
  CHECK(k == bundle.ext_oneapi_get_kernel("iota"));
  CHECK(std::hash<sycl::kernel>()(k) == std::hash<sycl::kernel>()(bundle.ext_oneapi_get_kernel("iota")));
  CHECK(k != bundle.ext_oneapi_get_kernel("none"));
}

TEST_CASE("kernel: what the device says (runtime.md 9)") {
  const sycl::queue q;
  const sycl::device d = q.get_device();
  const auto bundle = support::build(
      q, support::iota + "extern \"C\" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::nd_range_kernel<2>))\n"
                         "SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::work_group_size<4, 8>))\n"
                         "void sized(int *p) { *p = 1; }\n");
  const sycl::kernel k = bundle.ext_oneapi_get_kernel("iota");
  namespace specific = kernel_device_specific;
  CHECK(k.get_info<specific::work_group_size>(d) >= 1);
  CHECK(k.get_info<specific::work_group_size>(d) <= d.get_info<device::max_work_group_size>());
  CHECK(k.get_info<specific::preferred_work_group_size_multiple>(d) >= 1);
  CHECK(k.get_info<specific::max_num_sub_groups>(d) >= 1);
  CHECK(k.get_info<specific::max_sub_group_size>(d) >= 1);
  CHECK(k.get_info<specific::compile_sub_group_size>(d) == 0);
  CHECK(k.get_info<specific::compile_num_sub_groups>(d) == 0);
  CHECK(k.get_info<specific::private_mem_size>(d) < std::size_t{1} << 32);
  CHECK(k.get_info<specific::compile_work_group_size>(d) == sycl::range<3>(0, 0, 0));
  CHECK(k.get_info<kernel::attributes>().empty());

  const sycl::kernel sized = bundle.ext_oneapi_get_kernel("sized");
  // KP5, KP6: padded with leading ones.
  CHECK(sized.get_info<specific::compile_work_group_size>(d) == sycl::range<3>(1, 4, 8));
  CHECK_FALSE(sized.get_info<kernel::attributes>().empty());

  for (const sycl::device &other : sycl::device::get_devices()) {
    if (other != d)
      support::failure(sycl::errc::invalid, [&] { (void)k.get_info<specific::work_group_size>(other); });
  }
}
