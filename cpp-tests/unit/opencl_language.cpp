// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bundles of OpenCL C (kernel-compiler.md section 15), and what devices say about it (section 2).

#include "support.hpp"

namespace syclex = sycl::ext::oneapi::experimental;
using support::executable_bundle;
using syclex::source_language;

namespace {

std::vector<sycl::device> devices() {
  std::vector<sycl::device> found;
  for (const sycl::device &each : sycl::device::get_devices()) {
    if (each.ext_oneapi_can_build(source_language::opencl))
      found.push_back(each);
  }
  return found;
}

auto source(const sycl::queue &q, const std::string &text) {
  return syclex::create_kernel_bundle_from_source(q.get_context(), source_language::opencl, text);
}
template <class... Properties>
executable_bundle build(const sycl::queue &q, const std::string &text, Properties... properties) {
  return syclex::build(source(q, text), {q.get_device()}, syclex::properties{properties...});
}

const std::string text = "__kernel void my_kernel(__global int *in, __global int *out) {\n"
                         "  size_t i = get_global_id(0);\n"
                         "  out[i] = in[i] * 2 + 100;\n"
                         "}\n"
                         "kernel void scale(global float *data, float factor) { data[get_global_id(0)] *= factor; }\n";

} // namespace

TEST_CASE("versions are as OpenCL packs them (section 1)") {
  static_assert(sizeof(syclex::cl_version) == 4);
  constexpr syclex::cl_version packed[] = {syclex::opencl_c_1_0, syclex::opencl_c_1_1, syclex::opencl_c_1_2,
                                           syclex::opencl_c_2_0, syclex::opencl_c_3_0};
  constexpr unsigned expected[][2] = {{1, 0}, {1, 1}, {1, 2}, {2, 0}, {3, 0}};
  for (std::size_t i = 0; i < 5; ++i)
    CHECK((packed[i].major == expected[i][0] && packed[i].minor == expected[i][1] && packed[i].patch == 0));
}

TEST_CASE("queries of a device (section 2)") {
  REQUIRE_FALSE(devices().empty());
  for (const sycl::device &device : sycl::device::get_devices()) {
    const bool can = device.ext_oneapi_can_build(source_language::opencl);
    const std::string profile = device.ext_oneapi_cl_profile();
    CHECK((can ? profile == "FULL_PROFILE" || profile == "EMBEDDED_PROFILE" : profile.empty()));
    CHECK(device.ext_oneapi_supports_cl_c_version(syclex::opencl_c_1_2) == can);
    CHECK_FALSE(device.ext_oneapi_supports_cl_c_version({9, 1, 0}));
    CHECK_FALSE(device.ext_oneapi_supports_cl_c_feature("__opencl_c_no_such_feature"));
    syclex::cl_version version = {7, 7, 7};
    CHECK_FALSE(device.ext_oneapi_supports_cl_extension("cl_khr_no_such_extension", &version));
    CHECK((version.major == 7 && version.minor == 7 && version.patch == 7));
    CHECK_FALSE(device.ext_oneapi_supports_cl_extension("cl_khr_no_such_extension"));
    if (device.ext_oneapi_supports_cl_extension("cl_khr_global_int32_base_atomics", &version))
      CHECK(+version.major >= 1);
    // The language has no object state.
    CHECK_FALSE(device.ext_oneapi_can_compile(source_language::opencl));
  }
}

TEST_CASE("a feature of OpenCL C 3.0 that a device has is predefined there (O3)") {
  for (const sycl::device &device : devices()) {
    if (!device.ext_oneapi_supports_cl_c_version(syclex::opencl_c_3_0))
      continue;
    const sycl::queue q(device);
    for (const char *feature : {"__opencl_c_fp64", "__opencl_c_subgroups", "__opencl_c_pipes"}) {
      CAPTURE(feature);
      const std::string check = std::string("#ifndef ") + feature + "\n#error missing\n#endif\nkernel void k() {}\n";
      if (device.ext_oneapi_supports_cl_c_feature(feature))
        (void)build(q, check, syclex::build_options{"-cl-std=CL3.0"});
    }
  }
}

TEST_CASE("names, arguments, launches (O1, O5, O7, O8)") {
  for (const sycl::device &device : devices()) {
    sycl::queue q(device);
    const auto bundle = build(q, text);
    CHECK(bundle.ext_oneapi_has_kernel("my_kernel"));
    CHECK(bundle.ext_oneapi_has_kernel("scale"));
    CHECK_FALSE(bundle.ext_oneapi_has_kernel("none"));
    CHECK(bundle.ext_oneapi_get_raw_kernel_name("my_kernel") == "my_kernel");
    support::failure(sycl::errc::invalid, [&] { (void)bundle.ext_oneapi_get_kernel("none"); });
    CHECK(bundle.get_kernel_ids().empty());
    const sycl::kernel k = bundle.ext_oneapi_get_kernel("my_kernel");
    CHECK(k.get_info<sycl::info::kernel::num_args>() == 2);
    support::shared_array<int> in(q, 16, 3), out(q, 16);
    for (int form = 0; form < 2; ++form) {
      q.submit([&](sycl::handler &group) {
         group.set_args(in.get(), out.get());
         if (form == 0)
           group.parallel_for(sycl::range<1>(16), k);
         else
           group.parallel_for(sycl::nd_range<1>(16, 4), k);
       }).wait();
      for (std::size_t i = 0; i < 16; ++i)
        CHECK(out[i] == 106);
      in[5] = 3;
    }
    support::shared_array<float> data(q, 1, 1.5f);
    q.submit([&](sycl::handler &group) {
       group.set_args(data.get(), 4.0f);
       group.single_task(bundle.ext_oneapi_get_kernel("scale"));
     }).wait();
    CHECK(data[0] == 6.0f);
  }
}

TEST_CASE("dimensions are reversed; structures by value (O9, argument types)") {
  for (const sycl::device &device : devices()) {
    sycl::queue q(device);
    const auto bundle = build(q, "struct s { int a; short b; };\n"
                                 "kernel void where(global int *out, struct s add) {\n"
                                 "  size_t at = get_global_id(1) * get_global_size(0) + get_global_id(0);\n"
                                 "  out[at] = 10 * (int)get_global_id(1) + (int)get_global_id(0) + add.a + add.b;\n"
                                 "}\n");
    struct {
      int a;
      short b;
    } add = {1000, 2000};
    support::shared_array<int> out(q, 6);
    q.submit([&](sycl::handler &group) {
       group.set_args(out.get(), add);
       group.parallel_for(sycl::range<2>(2, 3), bundle.ext_oneapi_get_kernel("where"));
     }).wait();
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 3; ++j)
        CHECK(out[static_cast<std::size_t>(3 * i + j)] == 3000 + 10 * i + j);
  }
}

TEST_CASE("options go to the driver (O2, O4)") {
  for (const sycl::device &device : devices()) {
    const sycl::queue q(device);
    const auto bundle = build(q, "kernel void k(global int *out) { *out = VALUE; }\n",
                              syclex::build_options{{"-cl-fast-relaxed-math", "-DVALUE=5"}});
    CHECK(support::run_task(q, bundle, "k") == 5);
    support::failure(sycl::errc::invalid, [&] { (void)build(q, text, syclex::build_options{"-no-such-option"}); });
  }
}

TEST_CASE("errors: the driver's log, and properties that the language lacks (O4, O6)") {
  const sycl::queue q(devices().front());
  const std::string message = support::failure(sycl::errc::build, [&] { (void)build(q, "kernel void k() { no; }\n"); });
  CHECK_CONTAINS(message, "no");
  support::failure(sycl::errc::invalid, [&] { (void)build(q, text, syclex::registered_names{"my_kernel"}); });
  support::failure(sycl::errc::invalid, [&] {
    (void)syclex::create_kernel_bundle_from_source(q.get_context(), source_language::opencl, text,
                                                   syclex::properties{syclex::include_files{"a", "b"}});
  });
  support::failure(sycl::errc::invalid, [&] { (void)syclex::compile(source(q, text)); });
}

TEST_CASE("several devices (O10)") {
  const auto all = devices();
  for (const sycl::device &device : all) {
    const sycl::context c = sycl::context(device.get_platform().get_devices());
    std::vector<sycl::device> own;
    for (const sycl::device &each : c.get_devices()) {
      if (each.ext_oneapi_can_build(source_language::opencl))
        own.push_back(each);
    }
    const auto bundle = syclex::build(
        syclex::create_kernel_bundle_from_source(c, source_language::opencl, "kernel void k(global int *o) { *o = 4; }"),
        own);
    for (const sycl::device &each : own)
      CHECK(support::run_task(sycl::queue(c, each), bundle, "k") == 4);
  }
}

TEST_CASE("local memory by local_accessor and work_group_memory (section 15, O8)") {
  const std::string reverse = "kernel void reverse(global int *data, local int *values, local char *unused) {\n"
                              "  size_t i = get_local_id(0); values[i] = data[get_global_id(0)];\n"
                              "  barrier(CLK_LOCAL_MEM_FENCE);\n"
                              "  data[get_global_id(0)] = values[get_local_size(0) - 1 - i];\n"
                              "}\n";
  for (const sycl::device &device : devices()) {
    CAPTURE(device.get_info<sycl::info::device::name>());
    sycl::queue q(device);
    const sycl::kernel kernel = build(q, reverse).ext_oneapi_get_kernel("reverse");
    const support::shared_array<int> data(q, 32);
    const auto run = [&](auto range, std::size_t local) {
      for (int i = 0; i < 32; ++i)
        data[static_cast<std::size_t>(i)] = i;
      q.submit([&](sycl::handler &group) {
         group.set_args(data.get(), sycl::local_accessor<int>(32, group), syclex::work_group_memory<char[]>(9, group));
         group.parallel_for(range, kernel);
       }).wait();
      for (std::size_t i = 0; i < 32; ++i)
        REQUIRE(data[i] == static_cast<int>(i / local * local + local - 1 - i % local));
    };
    run(sycl::nd_range<1>(32, 8), 8);
    q.submit([&](sycl::handler &group) {
       group.set_args(data.get(), sycl::local_accessor<int>(32, group), sycl::local_accessor<char, 2>({2, 2}, group));
       group.parallel_for(sycl::range<1>(32), kernel);
     }).wait();
    support::failure(sycl::errc::kernel_argument, [&] {
      q.submit([&](sycl::handler &group) {
        group.set_args(data.get(), sycl::local_accessor<int>(), sycl::local_accessor<char>(1, group));
        group.parallel_for(sycl::nd_range<1>(32, 8), kernel);
      });
    });
  }
}
