// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bundles of SPIR-V modules (kernel-compiler.md section 16).

#include "support.hpp"

#include "spirv_module.hpp"

#include <cstring>

namespace syclex = sycl::ext::oneapi::experimental;
using support::executable_bundle;
using syclex::source_language;

namespace {

std::vector<std::byte> module_bytes() {
  std::vector<std::byte> bytes(sizeof(support::spirv_module));
  std::memcpy(bytes.data(), support::spirv_module, bytes.size());
  return bytes;
}

template <class... Properties>
executable_bundle build(const sycl::queue &q, const std::vector<std::byte> &bytes, Properties... properties) {
  return syclex::build(
      syclex::create_kernel_bundle_from_source(q.get_context(), source_language::spirv, bytes),
      syclex::properties{properties...});
}

struct fixture {
  sycl::queue q;
  executable_bundle bundle = build(q, module_bytes());

  template <class... Args> void run(const std::string &name, Args... args) {
    q.submit([&](sycl::handler &group) {
       group.set_args(args...);
       group.single_task(bundle.ext_oneapi_get_kernel(name));
     }).wait();
  }
};

} // namespace

TEST_CASE_FIXTURE(fixture, "names and numbers of arguments (V1, V4, V5)") {
  for (const char *name : {"integers", "by_value", "where"}) {
    CAPTURE(name);
    CHECK(bundle.ext_oneapi_has_kernel(name));
    CHECK(bundle.ext_oneapi_get_raw_kernel_name(name) == name);
  }
  CHECK_FALSE(bundle.ext_oneapi_has_kernel("none"));
  CHECK(bundle.ext_oneapi_get_kernel("integers").get_info<sycl::info::kernel::num_args>() == 5);
  CHECK(bundle.ext_oneapi_get_kernel("by_value").get_info<sycl::info::kernel::num_args>() == 2);
  CHECK(bundle.get_kernel_ids().empty());
  CHECK(q.get_device().ext_oneapi_can_build(source_language::spirv));
  CHECK_FALSE(q.get_device().ext_oneapi_can_compile(source_language::spirv));
}

TEST_CASE_FIXTURE(fixture, "integers of each width, structures with pointers (parameters)") {
  support::shared_array<std::int64_t> out(q, 1);
  run("integers", out.get(), std::int8_t{-1}, std::int16_t{300}, std::int32_t{70000}, std::int64_t{1} << 40);
  CHECK(out[0] == (std::int64_t{1} << 40) + 70000 + 300 - 1);

  support::shared_array<int> sum(q, 1), other(q, 1, 40);
  struct {
    int a;
    int *p;
  } pair = {2, other.get()};
  run("by_value", sum.get(), pair);
  CHECK(sum[0] == 42);
}

TEST_CASE_FIXTURE(fixture, "all forms of launch, dimensions reversed (V6)") {
  const sycl::kernel where = bundle.ext_oneapi_get_kernel("where");
  support::shared_array<float> out(q, 6, -1);
  q.submit([&](sycl::handler &group) {
     group.set_args(out.get(), 0.5f);
     group.parallel_for(sycl::range<2>(2, 3), where);
   }).wait();
  for (std::size_t i = 0; i < 6; ++i)
    CHECK(out[i] == 0.5f * static_cast<float>(i));
  q.submit([&](sycl::handler &group) {
     group.set_args(out.get(), 2.0f);
     group.parallel_for(sycl::nd_range<2>({2, 3}, {1, 3}), where);
   }).wait();
  for (std::size_t i = 0; i < 6; ++i)
    CHECK(out[i] == 2.0f * static_cast<float>(i));
}

TEST_CASE_FIXTURE(fixture, "arguments are checked against the module (issue 3, point 6)") {
  support::shared_array<std::int64_t> out(q, 1);
  support::failure(sycl::errc::kernel_argument,
                   [&] { run("integers", out.get(), 1, std::int16_t{1}, 1, std::int64_t{1}); });
  support::failure(sycl::errc::kernel_argument,
                   [&] { run("integers", 1, std::int8_t{1}, std::int16_t{1}, 1, std::int64_t{1}); });
  support::failure(sycl::errc::invalid, [&] { run("integers", out.get()); });
}

TEST_CASE("what is no valid module: build, with the validator's words (V1)") {
  const sycl::queue q;
  support::failure(sycl::errc::build, [&] { (void)build(q, {}); });
  support::failure(sycl::errc::build, [&] { (void)build(q, std::vector<std::byte>(100)); });
  std::vector<std::byte> bytes = module_bytes();
  bytes.pop_back();
  support::failure(sycl::errc::build, [&] { (void)build(q, bytes); });
  // A type where a value has to be: the last word of an OpStore in `by_value` names its value.
  bytes = module_bytes();
  auto broken = std::vector<std::uint32_t>(std::begin(support::spirv_module), std::end(support::spirv_module));
  bool changed = false;
  for (std::size_t at = 5; at < broken.size(); at += broken[at] >> 16) {
    if ((broken[at] & 0xffff) == 62) { // OpStore
      broken[at + 2] = 1;
      changed = true;
    }
  }
  REQUIRE(changed);
  std::memcpy(bytes.data(), broken.data(), bytes.size());
  const std::string message = support::failure(sycl::errc::build, [&] { (void)build(q, bytes); });
  CHECK_CONTAINS(message, "OpStore");
}

TEST_CASE("properties that the language lacks: invalid; no object state") {
  const sycl::queue q;
  support::failure(sycl::errc::invalid, [&] { (void)build(q, module_bytes(), syclex::registered_names{"where"}); });
  support::failure(sycl::errc::invalid, [&] {
    (void)syclex::create_kernel_bundle_from_source(q.get_context(), source_language::spirv, module_bytes(),
                                                   syclex::properties{syclex::include_files{"a", "b"}});
  });
  support::failure(sycl::errc::invalid, [&] {
    (void)syclex::compile(
        syclex::create_kernel_bundle_from_source(q.get_context(), source_language::spirv, module_bytes()));
  });
}
