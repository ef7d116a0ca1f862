// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// range_type as a program sees it (range-type.md). The limit is checked before the arguments: a launch without its argument
// that is within the limit is refused for the argument, so that nothing of that size need run.

#include "support.hpp"

#include <limits>

namespace syclex = sycl::ext::oneapi::experimental;

namespace {

std::string kernel(const std::string &name, const std::string &type, int dimensions = 1) {
  return "extern \"C\" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::nd_range_kernel<" + std::to_string(dimensions) +
         ">))\nSYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::range_type<" + type + ">)) void " + name +
         "(int *out) {\n"
         "  out[syclext::this_work_item::get_nd_item<" +
         std::to_string(dimensions) + ">().get_global_linear_id()] = 1;\n}\n";
}

struct fixture {
  sycl::queue q;
  support::executable_bundle bundle = support::build(
      q, kernel("of_int", "int") + kernel("of_int_2d", "int", 2) + kernel("of_unsigned_2d", "unsigned", 2) +
             kernel("of_char", "signed char") + kernel("of_size", "std::size_t", 3) +
             "KERNEL_3D without(int *out) { *out = 1; }\n");

  template <class Range> sycl::errc code_without_argument(const std::string &name, Range range) {
    try {
      q.submit([&](sycl::handler &group) { group.parallel_for(range, bundle.ext_oneapi_get_kernel(name)); });
    } catch (const sycl::exception &e) {
      return static_cast<sycl::errc>(e.code().value());
    }
    return sycl::errc::success;
  }
};

constexpr std::size_t int_max = std::numeric_limits<int>::max();

} // namespace

TEST_CASE_FIXTURE(fixture, "the limit of int: 2147483647 work-items, not one more (T1, T2, R5)") {
  CHECK(code_without_argument("of_int", sycl::nd_range<1>(int_max, 1)) == sycl::errc::invalid);
  CHECK(code_without_argument("of_int", sycl::range<1>(int_max)) == sycl::errc::invalid);
  CHECK(code_without_argument("of_int", sycl::nd_range<1>(int_max + 1, 1)) == sycl::errc::nd_range);
  CHECK(code_without_argument("of_int", sycl::range<1>(int_max + 1)) == sycl::errc::nd_range);
}

TEST_CASE_FIXTURE(fixture, "products of two dimensions (T3)") {
  CHECK(code_without_argument("of_int_2d", sycl::range<2>(65536, 65536)) == sycl::errc::nd_range);
  CHECK(code_without_argument("of_unsigned_2d", sycl::range<2>(65536, 65536)) == sycl::errc::nd_range);
  CHECK(code_without_argument("of_unsigned_2d", sycl::range<2>(65535, 65537)) == sycl::errc::invalid);
}

TEST_CASE_FIXTURE(fixture, "127 run, 128 do not, and leave everything as it was (T4, T11, L1)") {
  const sycl::kernel k = bundle.ext_oneapi_get_kernel("of_char");
  support::shared_array<int> out(q, 128);
  const auto launch = [&](std::size_t count) {
    q.submit([&](sycl::handler &group) {
       group.set_args(out.get());
       group.parallel_for(sycl::nd_range<1>(count, 1), k);
     }).wait();
  };
  CHECK_CONTAINS(support::failure(sycl::errc::nd_range, [&] { launch(128); }), "127");
  q.wait();
  for (int i = 0; i < 128; ++i)
    CHECK(out[i] == 0);
  launch(127);
  for (int i = 0; i < 128; ++i)
    CHECK(out[i] == (i < 127 ? 1 : 0));
}

TEST_CASE_FIXTURE(fixture, "a product beyond 64 bits, with the property or without (T5)") {
  const std::size_t huge = std::size_t{1} << 32;
  CHECK(code_without_argument("of_size", sycl::range<3>(huge, huge, 1)) == sycl::errc::nd_range);
  CHECK(code_without_argument("without", sycl::range<3>(huge, huge, 1)) == sycl::errc::nd_range);
  CHECK(code_without_argument("without", sycl::range<3>(1, huge, 2)) == sycl::errc::invalid);
}

TEST_CASE_FIXTURE(fixture, "join and link keep the limit (T8)") {
  const auto joined = sycl::join(std::vector{bundle});
  const auto linked = sycl::link(support::compile(q, kernel("of_char", "signed char")));
  for (const auto &each : {joined, linked}) {
    bundle = each;
    CHECK(code_without_argument("of_char", sycl::nd_range<1>(128, 1)) == sycl::errc::nd_range);
    CHECK(code_without_argument("of_char", sycl::nd_range<1>(127, 1)) == sycl::errc::invalid);
  }
}

TEST_CASE("types that are no integers, and bool: build (T9, R3)") {
  const sycl::queue q;
  for (const char *type : {"float", "bool", "const int", "void *"}) {
    CAPTURE(type);
    support::failure(sycl::errc::build, [&] { (void)support::build(q, kernel("k", type)); });
  }
}
