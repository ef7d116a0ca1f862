// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches and what is refused (runtime.md 7.2).

#include "support.hpp"

using sycl::errc;

namespace {
const std::string text =
    "TASK task(int *out) { out[0] += 1; }\n"
    "KERNEL_1D one(int *out) { auto it = syclext::this_work_item::get_nd_item<1>();\n"
    "  out[it.get_global_id(0)] = 100 * (int)it.get_group(0) + (int)it.get_local_id(0); }\n"
    "KERNEL_2D two(int *out) { auto it = syclext::this_work_item::get_nd_item<2>();\n"
    "  out[it.get_global_linear_id()] = 10 * (int)it.get_global_id(0) + (int)it.get_global_id(1); }\n"
    "KERNEL_3D three(int *out) { auto it = syclext::this_work_item::get_nd_item<3>();\n"
    "  out[it.get_global_linear_id()] = 100 * (int)it.get_global_id(0) + 10 * (int)it.get_global_id(1)\n"
    "    + (int)it.get_global_id(2); }\n"
    "KERNEL_1D shape(unsigned long *out) { auto it = syclext::this_work_item::get_nd_item<1>();\n"
    "  if (it.get_global_id(0) == 0) { out[0] = it.get_global_range(0); out[1] = it.get_local_range(0);\n"
    "    out[2] = it.get_group_range(0); } }\n"
    "extern \"C\" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::work_group_size<8>))\n"
    "SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::nd_range_kernel<1>)) void sized(int *out) "
    "{ out[syclext::this_work_item::get_nd_item<1>().get_global_id(0)] = 1; }\n";

struct fixture {
  sycl::queue q;
  support::executable_bundle bundle = support::build(q, text);
  support::shared_array<int> out{q, 4096, -1};

  template <class Launch> void run(const char *name, Launch launch) {
    const sycl::kernel kernel = bundle.ext_oneapi_get_kernel(name);
    q.submit([&](sycl::handler &group) {
       group.set_args(out.get());
       launch(group, kernel);
     }).wait();
  }
  template <class Launch> std::string refuse(errc code, const char *name, Launch launch) {
    const std::string message = support::failure(code, [&] { run(name, launch); });
    q.wait();
    CHECK(out[0] == -1);
    CHECK_CONTAINS(message, name);
    return message;
  }
};
} // namespace

TEST_CASE_FIXTURE(fixture, "nd_range in one, two and three dimensions; single_task") {
  run("one", [](sycl::handler &group, const sycl::kernel &k) { group.parallel_for(sycl::nd_range<1>({96}, {32}), k); });
  CHECK(out[0] == 0);
  CHECK(out[95] == 231);
  run("two", [](sycl::handler &group, const sycl::kernel &k) {
    group.parallel_for(sycl::nd_range<2>({4, 8}, {2, 4}), k);
  });
  CHECK(out[31] == 37);
  CHECK(out[8] == 10);
  run("three", [](sycl::handler &group, const sycl::kernel &k) {
    group.parallel_for(sycl::nd_range<3>({2, 3, 4}, {1, 3, 2}), k);
  });
  CHECK(out[23] == 123);
  CHECK(out[12] == 100);
  CHECK(out[4] == 10);
  out[0] = 5;
  run("task", [](sycl::handler &group, const sycl::kernel &k) { group.single_task(k); });
  CHECK(out[0] == 6);
}

TEST_CASE_FIXTURE(fixture, "a range launch of an nd_range kernel runs, with a local size of the library's choice (row 4)") {
  for (const std::size_t n : {1, 7, 64, 1000, 1021}) {
    CAPTURE(n);
    support::shared_array<std::size_t> shape(q, 3);
    q.submit([&](sycl::handler &group) {
       group.set_args(shape.get());
       group.parallel_for(sycl::range<1>(n), bundle.ext_oneapi_get_kernel("shape"));
     }).wait();
    CHECK(shape[0] == n);
    CHECK(shape[1] >= 1);
    CHECK(shape[1] * shape[2] == n);
  }
  run("two", [](sycl::handler &group, const sycl::kernel &k) { group.parallel_for(sycl::range<2>(5, 7), k); });
  CHECK(out[34] == 46);
  run("three", [](sycl::handler &group, const sycl::kernel &k) { group.parallel_for({2, 3, 5}, k); });
  CHECK(out[29] == 124);
}

TEST_CASE_FIXTURE(fixture, "launch form or dimensions that do not fit: invalid (row 4)") {
  refuse(errc::invalid, "one", [](sycl::handler &group, const sycl::kernel &k) { group.single_task(k); });
  refuse(errc::invalid, "task", [](sycl::handler &group, const sycl::kernel &k) { group.parallel_for(8, k); });
  refuse(errc::invalid, "task", [](sycl::handler &group, const sycl::kernel &k) {
    group.parallel_for(sycl::nd_range<1>({8}, {8}), k);
  });
  refuse(errc::invalid, "one", [](sycl::handler &group, const sycl::kernel &k) {
    group.parallel_for(sycl::nd_range<2>({8, 8}, {8, 1}), k);
  });
  refuse(errc::invalid, "two", [](sycl::handler &group, const sycl::kernel &k) {
    group.parallel_for(sycl::nd_range<1>({8}, {8}), k);
  });
  refuse(errc::invalid, "one", [](sycl::handler &group, const sycl::kernel &k) { group.parallel_for({8, 8}, k); });
}

TEST_CASE_FIXTURE(fixture, "bad nd_ranges: nd_range, with the numbers (rows 6 to 8)") {
  const std::string message = refuse(errc::nd_range, "one", [](sycl::handler &group, const sycl::kernel &k) {
    group.parallel_for(sycl::nd_range<1>({100}, {16}), k);
  });
  CHECK_CONTAINS(message, "100");
  CHECK_CONTAINS(message, "16");
  refuse(errc::nd_range, "two", [](sycl::handler &group, const sycl::kernel &k) {
    group.parallel_for(sycl::nd_range<2>({8, 9}, {8, 2}), k);
  });
  refuse(errc::nd_range, "one", [](sycl::handler &group, const sycl::kernel &k) {
    group.parallel_for(sycl::nd_range<1>({8}, {0}), k);
  });
  const std::size_t most = q.get_device().get_info<sycl::info::device::max_work_group_size>();
  refuse(errc::nd_range, "one", [&](sycl::handler &group, const sycl::kernel &k) {
    group.parallel_for(sycl::nd_range<1>({4 * most}, {2 * most}), k);
  });
  refuse(errc::nd_range, "three", [](sycl::handler &group, const sycl::kernel &k) {
    const std::size_t huge = std::size_t{1} << 32;
    group.parallel_for(sycl::nd_range<3>({huge, huge, 2}, {1, 1, 1}), k);
  });
  refuse(errc::nd_range, "sized", [](sycl::handler &group, const sycl::kernel &k) {
    group.parallel_for(sycl::nd_range<1>({32}, {16}), k);
  });
  run("sized", [](sycl::handler &group, const sycl::kernel &k) { group.parallel_for(sycl::nd_range<1>({32}, {8}), k); });
  CHECK(out[31] == 1);
}

TEST_CASE_FIXTURE(fixture, "an empty range launches nothing and completes (7.2)") {
  run("one", [](sycl::handler &group, const sycl::kernel &k) { group.parallel_for(sycl::nd_range<1>({0}, {16}), k); });
  run("one", [](sycl::handler &group, const sycl::kernel &k) { group.parallel_for(0, k); });
  run("two", [](sycl::handler &group, const sycl::kernel &k) {
    group.parallel_for(sycl::nd_range<2>({0, 5}, {1, 1}), k);
  });
  CHECK(out[0] == -1);
}

TEST_CASE_FIXTURE(fixture, "a kernel of another context: invalid (row 2)") {
  sycl::queue other{sycl::context(q.get_device()), q.get_device()};
  support::failure(errc::invalid, [&] {
    other.submit([&](sycl::handler &group) {
      group.set_args(out.get());
      group.single_task(bundle.ext_oneapi_get_kernel("task"));
    });
  });
}

TEST_CASE_FIXTURE(fixture, "two launches in a group: runtime (row 1)") {
  support::failure(errc::runtime, [&] {
    q.submit([&](sycl::handler &group) {
      group.set_args(out.get());
      group.single_task(bundle.ext_oneapi_get_kernel("task"));
      group.single_task(bundle.ext_oneapi_get_kernel("task"));
    });
  });
  CHECK(out[0] == -1);
}

TEST_CASE_FIXTURE(fixture, "use_kernel_bundle: ignored for kernel objects, invalid for another context (7.1)") {
  q.submit([&](sycl::handler &group) {
     group.use_kernel_bundle(bundle);
     group.set_args(out.get());
     group.single_task(bundle.ext_oneapi_get_kernel("task"));
   }).wait();
  CHECK(out[0] == 0);
  sycl::queue other{sycl::context(q.get_device()), q.get_device()};
  support::failure(errc::invalid,
                   [&] { other.submit([&](sycl::handler &group) { group.use_kernel_bundle(bundle); }); });
}

TEST_CASE_FIXTURE(fixture, "an offset is added to the global id (deprecated in SYCL 2020)") {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  const sycl::nd_range<1> extent({8}, {8}, {16});
#pragma GCC diagnostic pop
  run("one", [&](sycl::handler &group, const sycl::kernel &k) { group.parallel_for(extent, k); });
  CHECK(out[0] == -1);
  CHECK(out[16] == 0);
  CHECK(out[23] == 7);
}

TEST_CASE_FIXTURE(fixture, "launch functions take a property list (7.1)") {
  q.submit([&](sycl::handler &group) {
     group.set_args(out.get());
     group.parallel_for(sycl::nd_range<1>({8}, {8}), sycl::ext::oneapi::experimental::properties{},
                        bundle.ext_oneapi_get_kernel("one"));
   }).wait();
  CHECK(out[7] == 7);
}
