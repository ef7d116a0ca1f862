// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which strings find a kernel (kernel-compiler.md section 7).

#include "support.hpp"

namespace syclex = sycl::ext::oneapi::experimental;

namespace {
const std::string many =
    "TASK plain(int *out) { *out = 1; }\n"
    "namespace ns { SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::single_task_kernel)) void k(int *out) { *out = 2; } }\n"
    "SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::single_task_kernel)) void over(int *out) { *out = 3; }\n"
    "SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::single_task_kernel)) void over(int *out, float) { *out = 4; }\n"
    "template <class T> SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::single_task_kernel)) void ff(int *out, T) "
    "{ *out = 5 + sizeof(T); }\n"
    "namespace { SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::single_task_kernel)) void hidden(int *out) { *out = 6; } }\n"
    "SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::single_task_kernel)) static void local(int *out) { *out = 7; }\n"
    "#define MACRO_NAME ns::k\n"
    "void helper() {}\n";

template <class... Extra> int run(const support::executable_bundle &bundle, const std::string &name, Extra... extra) {
  sycl::queue q;
  support::shared_array<int> out(q, 1, -1);
  q.submit([&](sycl::handler &group) {
     group.set_args(out.get(), extra...);
     group.single_task(bundle.ext_oneapi_get_kernel(name));
   }).wait();
  return out[0];
}
support::executable_bundle build(const std::vector<std::string> &names) {
  return support::build(sycl::queue(), many, syclex::registered_names{names});
}
} // namespace

TEST_CASE("extern \"C\" kernels: plain name, raw name (7.1)") {
  const auto bundle = build({});
  CHECK(bundle.ext_oneapi_has_kernel("plain"));
  CHECK(bundle.ext_oneapi_get_raw_kernel_name("plain") == "__sycl_kernel_plain");
  CHECK(bundle.ext_oneapi_has_kernel("__sycl_kernel_plain"));
  CHECK(bundle.ext_oneapi_get_raw_kernel_name("__sycl_kernel_plain") == "__sycl_kernel_plain");
  CHECK(run(bundle, "plain") == 1);
  CHECK(run(bundle, "__sycl_kernel_plain") == 1);
  // Two look-ups of one kernel give equal objects (8.2).
  CHECK(bundle.ext_oneapi_get_kernel("plain") == bundle.ext_oneapi_get_kernel("__sycl_kernel_plain"));
}

TEST_CASE("kernels that are not registered: mangled names only (7.1, N7)") {
  const auto bundle = build({});
  CHECK(bundle.ext_oneapi_has_kernel("_ZN2ns1kEPi"));
  CHECK(bundle.ext_oneapi_has_kernel("_ZN2ns15__sycl_kernel_kEPi"));
  CHECK(run(bundle, "_ZN2ns1kEPi") == 2);
  CHECK(run(bundle, "_Z18__sycl_kernel_overPi") == 3);
  CHECK(run(bundle, "_Z18__sycl_kernel_overPif", 0.0f) == 4);
  for (const char *name : {"ns::k", "over", "ff<int>", "k", "helper", "", "_Z6helperv", " plain", "Plain"}) {
    CAPTURE(name);
    CHECK_FALSE(bundle.ext_oneapi_has_kernel(name));
  }
}

TEST_CASE("an unknown name: invalid, and the message lists the kernels (8.2)") {
  const auto bundle = build({"ns::k"});
  for (const auto &message :
       {support::failure(sycl::errc::invalid, [&] { (void)bundle.ext_oneapi_get_kernel("zzz"); }),
        support::failure(sycl::errc::invalid, [&] { (void)bundle.ext_oneapi_get_raw_kernel_name("zzz"); })}) {
    CHECK_CONTAINS(message, "zzz");
    CHECK_CONTAINS(message, "plain");
    CHECK_CONTAINS(message, "ns::k");
  }
  CHECK_FALSE(bundle.ext_oneapi_has_kernel(std::string("plain\0", 6)));
}

TEST_CASE("registered names: qualified, cast, template, macro, internal linkage (N1 to N3, N6)") {
  const std::vector<std::string> names = {"ns::k",
                                          "(void(*)(int *))over",
                                          "static_cast<void (*)(int*, float)>(over)",
                                          "ff<char>",
                                          "ff<double>",
                                          "ff < int >",
                                          "MACRO_NAME",
                                          "hidden",
                                          "::local",
                                          "&plain"};
  const auto bundle = build(names);
  for (const std::string &name : names) {
    CAPTURE(name);
    CHECK(bundle.ext_oneapi_has_kernel(name));
  }
  CHECK(run(bundle, "ns::k") == 2);
  CHECK(run(bundle, "(void(*)(int *))over") == 3);
  CHECK(run(bundle, "static_cast<void (*)(int*, float)>(over)", 1.0f) == 4);
  CHECK(run(bundle, "ff<char>", 'c') == 6);
  CHECK(run(bundle, "ff < int >", 1) == 9);
  CHECK(run(bundle, "MACRO_NAME") == 2);
  CHECK(run(bundle, "hidden") == 6);
  CHECK(run(bundle, "::local") == 7);
  CHECK(run(bundle, "&plain") == 1);
  // White space does not count (issue 3, point 2); anything else does.
  CHECK(bundle.ext_oneapi_get_kernel("ff<int>") == bundle.ext_oneapi_get_kernel("ff < int >"));
  CHECK(bundle.ext_oneapi_has_kernel("(void(*)(int*))over"));
  CHECK_FALSE(bundle.ext_oneapi_has_kernel("ff<signed int>"));
  CHECK_FALSE(bundle.ext_oneapi_has_kernel("n s::k"));
  // Two strings for one kernel (N5).
  CHECK(bundle.ext_oneapi_get_raw_kernel_name("ns::k") == bundle.ext_oneapi_get_raw_kernel_name("MACRO_NAME"));
  CHECK(bundle.ext_oneapi_get_kernel("ns::k") == bundle.ext_oneapi_get_kernel("MACRO_NAME"));
  CHECK(bundle.ext_oneapi_get_raw_kernel_name("ff<char>") == "_Z16__sycl_kernel_ffIcEvPiT_");
}

TEST_CASE("a string given twice is the same as once (5.4)") {
  const auto bundle = build({"ff<int>", "ff<int>"});
  CHECK(bundle.ext_oneapi_has_kernel("ff<int>"));
}

TEST_CASE("names that do not compile, are ambiguous or are no kernel: build, with the string (N4)") {
  for (const char *name : {"nope", "over", "helper", "ff<nosuch>", "1 +", "ff", "(int)3", "plain;", ""}) {
    CAPTURE(name);
    const std::string message = support::failure(sycl::errc::build, [&] { (void)build({name}); });
    CHECK_CONTAINS(message, name);
  }
}

TEST_CASE("extern \"C\" kernels may be registered too") {
  const auto bundle = build({"plain"});
  CHECK(run(bundle, "plain") == 1);
}

TEST_CASE("the names of the reference (surface.md 2)") {
  const auto bundle = support::build(
      sycl::queue(),
      "extern \"C\" SYCL_EXTERNAL SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::single_task_kernel)) void ff_cp(int *ptr) "
      "{ *ptr = 1; }\n"
      "template <typename T> SYCL_EXTERNAL SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::single_task_kernel)) "
      "void ff_templated(T *ptr, T *unused) { *ptr = 2; }\n",
      syclex::registered_names{"ff_templated<int>"});
  CHECK(bundle.ext_oneapi_get_raw_kernel_name("ff_cp") == "__sycl_kernel_ff_cp");
  CHECK(bundle.ext_oneapi_get_raw_kernel_name("ff_templated<int>") == "_Z26__sycl_kernel_ff_templatedIiEvPT_S1_");
}
