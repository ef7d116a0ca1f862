// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Local memory that the source declares (device.md section 5), multi_ptr, copies of groups, and output (section 9).

#include "device_test.hpp"

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <numeric>

#include <unistd.h>

namespace {

template <class Test> void with_kernels(Test test) { device_test::with_kernels("kernels/static_local.cpp", test); }

/// What is written to standard output meanwhile.
template <class Call> std::string output_of(Call call) {
  std::fflush(stdout);
  const int before = dup(STDOUT_FILENO);
  std::FILE *file = std::tmpfile();
  REQUIRE(file != nullptr);
  dup2(fileno(file), STDOUT_FILENO);
  call();
  std::fflush(stdout);
  dup2(before, STDOUT_FILENO);
  close(before);
  std::rewind(file);
  std::string text;
  for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file))
    text.push_back(static_cast<char>(c));
  std::fclose(file);
  return text;
}

} // namespace

TEST_CASE("work_group_static: one for each group, variable and kernel") {
  with_kernels([](sycl::queue &q, const support::executable_bundle &bundle) {
    const support::shared_array<int> data(q, 256);
    std::iota(data.get(), data.get() + 256, 0);
    device_test::launch(q, bundle.ext_oneapi_get_kernel("static_reverse"), sycl::nd_range<1>(256, 64), data.get());
    for (std::size_t i = 0; i < 256; ++i)
      REQUIRE(data[i] == 1005 + static_cast<int>(i / 64 * 64 + 63 - i % 64));
    device_test::launch(q, bundle.ext_oneapi_get_kernel("static_in_function"), sycl::nd_range<1>(256, 64), data.get());
    for (std::size_t i = 0; i < 256; ++i)
      REQUIRE(data[i] == static_cast<int>(i / 64) * 120 + 7);
  });
}

TEST_CASE("group_local_memory: one for each group and place") {
  with_kernels([](sycl::queue &q, const support::executable_bundle &bundle) {
    const support::shared_array<int> out(q, 128);
    device_test::launch(q, bundle.ext_oneapi_get_kernel("places"), sycl::nd_range<1>(128, 64), out.get());
    for (std::size_t i = 0; i < 128; ++i)
      REQUIRE(out[i] == static_cast<int>(63 - i % 64) + 100 + 7000 + 10000 + 15);
  });
}

TEST_CASE("multi_ptr and casts of address spaces") {
  with_kernels([](sycl::queue &q, const support::executable_bundle &bundle) {
    const support::shared_array<int> data(q, 4, 6), good(q, 24, -1);
    q.submit([&](sycl::handler &group) {
       group.set_args(data.get(), sycl::local_accessor<int>(8, group), good.get());
       group.parallel_for(sycl::nd_range<1>(4, 4), bundle.ext_oneapi_get_kernel("pointers"));
     }).wait();
    for (std::size_t i = 0; i < 24; ++i) {
      CAPTURE(i);
      CHECK(good[i] == (i < 20 ? 1 : -1));
    }
  });
}

TEST_CASE("groups copy between global and local memory") {
  with_kernels([](sycl::queue &q, const support::executable_bundle &bundle) {
    for (const std::size_t n : {2u, 30u, 64u, 130u}) {
      CAPTURE(n);
      const support::shared_array<float> in(q, n * 2), out(q, n * 2, -1.0f);
      std::iota(in.get(), in.get() + in.size(), 0.5f);
      q.submit([&](sycl::handler &group) {
         group.set_args(static_cast<const float *>(in.get()), out.get(), sycl::local_accessor<float>(n, group));
         group.parallel_for(sycl::nd_range<1>(40, 20), bundle.ext_oneapi_get_kernel("copies"));
       }).wait();
      for (std::size_t i = 0; i < 2 * n; ++i) {
        const std::size_t place = i % n;
        REQUIRE(out[i / n * n + (place < n / 2 ? place * 2 : (place - n / 2) * 2 + 1)] == 2 * in[i]);
      }
    }
    const support::shared_array<int> in(q, 60), out(q, 21, -1);
    std::iota(in.get(), in.get() + 60, 100);
    q.submit([&](sycl::handler &group) {
       group.set_args(static_cast<const int *>(in.get()), out.get(), sycl::local_accessor<int>(20, group));
       group.parallel_for(sycl::nd_range<1>(8, 8), bundle.ext_oneapi_get_kernel("strided_copy"));
     }).wait();
    for (std::size_t i = 0; i < 20; ++i)
      REQUIRE(out[i] == 100 + 3 * static_cast<int>(i));
    CHECK(out[20] == -1);
  });
}

TEST_CASE("functions store second results through multi_ptr") {
  with_kernels([](sycl::queue &q, const support::executable_bundle &bundle) {
    const support::shared_array<float> data(q, 1);
    const support::shared_array<int> good(q, 8, -1);
    q.submit([&](sycl::handler &group) {
       group.set_args(data.get(), sycl::local_accessor<float>(1, group), good.get());
       group.parallel_for(sycl::nd_range<1>(2, 2), bundle.ext_oneapi_get_kernel("second_results"));
     }).wait();
    for (std::size_t i = 0; i < 8; ++i) {
      CAPTURE(i);
      CHECK(good[i] == (i < 7 ? 1 : -1));
    }
  });
}

TEST_CASE("printf") {
  with_kernels([](sycl::queue &q, const support::executable_bundle &bundle) {
    const support::shared_array<int> out(q, 2, -1);
    const std::string text = output_of([&] {
      device_test::launch(q, bundle.ext_oneapi_get_kernel("print"), sycl::nd_range<1>(4, 2), out.get());
    });
    CHECK(text == "plain\n"
                  "-1 4000000000    42|42   |00042 +7 ff FF 10 1099511627776 -5\n"
                  "1.500000 0.667 1.234568e+04 0.0001   2.2 0x1p+0\n"
                  "c text other %\n"
                  "from an array: 17\n"
                  "0.500000 1 97\n"
                  "\n");
    CHECK(out[0] >= 0);
    CHECK(out[1] >= 0);
  });
}

TEST_CASE("the format of printf is a constant") {
  sycl::queue q;
  const auto text = [](const std::string &body) {
    return "void f(const char *format) { syclexp::printf(format, 1); }\n"
           "TASK k(int *out, const char *given) {\n" +
           body + "}\n";
  };
  const std::string log = support::failure(sycl::errc::build, [&] { support::build(q, text("  syclexp::printf(given);\n")); });
  CHECK_CONTAINS(log, "the format of printf has to be a literal or a constant array");
  CHECK_CONTAINS(support::failure(sycl::errc::build, [&] { support::build(q, text("  f(\"x\");\n")); }), "the format of printf");
  struct thing {};
  CHECK_CONTAINS(
      support::failure(sycl::errc::build, [&] { support::build(q, "struct S {};\nTASK k() { syclexp::printf(\"\", S()); }\n"); }),
      "printf takes numbers, pointers and texts");
}

// device.md section 9: the message, then the end. Of the process, on a CPU.
TEST_CASE("assert says what failed") {
  const auto launch = [](const std::string &level, int limit) {
    auto &[q, bundle] = device_test::built("kernels/static_local.cpp", level);
    const support::shared_array<int> out(q, 4);
    std::iota(out.get(), out.get() + 4, 0);
    device_test::launch(q, bundle.ext_oneapi_get_kernel("assertion"), sycl::nd_range<1>(4, 2), out.get(), limit);
    for (std::size_t i = 0; i < 4; ++i)
      REQUIRE(out[i] == static_cast<int>(i) + 1);
  };
  if (const char *level = std::getenv("SYCLRTC_TEST_ASSERTION")) {
    std::setvbuf(stdout, nullptr, _IONBF, 0);
    launch(level, 3);
    return;
  }
  char self[4096] = {};
  REQUIRE(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
  for (const std::string level : {"-O0", "-O2"}) {
    launch(level, 4);
    const std::string command =
        "SYCLRTC_TEST_ASSERTION=" + level + " '" + self + "' -tc='assert says what failed' 2>/dev/null; echo \"[$?]\"";
    std::FILE *pipe = popen(command.c_str(), "r");
    REQUIRE(pipe != nullptr);
    std::string text;
    for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe))
      text.push_back(static_cast<char>(c));
    pclose(pipe);
    CHECK_CONTAINS(text, ":215: ");
    CHECK_CONTAINS(text, "assertion");
    CHECK_CONTAINS(text, "global id: [0,0,3], local id: [0,0,1] Assertion `out[item.get_global_id(0)] < limit && \"too large\"` failed.");
    CHECK_FALSE(support::contains(text, "[0]"));
  }
}

TEST_CASE("what cannot be in local memory is an error at its line") {
  sycl::queue q;
  const auto check = [&](const std::string &declaration, const std::string &words) {
    CAPTURE(declaration);
    const std::string log = support::failure(sycl::errc::build, [&] {
      support::build(q, "struct C { int a; C() : a(1) {} };\nstruct D { int a; ~D() {} };\n" + declaration + "\nTASK k(int *out) { *out = 1; }\n");
    });
    CHECK_CONTAINS(log, ".cpp:" + std::to_string(support::first_line + 2) + ":");
    CHECK_CONTAINS(log, words);
  };
  check("syclexp::work_group_static<C> x;", "constructor or destructor");
  check("syclexp::work_group_static<D[3]> x;", "constructor or destructor");
  check("void f() { syclexp::work_group_static<int> x; }", "static storage duration");
  check("struct S { syclexp::work_group_static<int> x; };", "static storage duration");
  check("void f(syclexp::work_group_static<int> &y) { static syclexp::work_group_static<C> x; }", "constructor or destructor");
  check("syclexp::work_group_static<int> x[3];", "array of work_group_static");
  check("syclexp::work_group_static<int> x = 5;", "error:");
  check("void f() { syclext::group_local_memory_for_overwrite<C>(syclext::this_work_item::get_work_group<1>()); }",
        "requested here");
}
