// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Save and load (runtime.md section 10), and the code of bundles (docs/extensions.md).

#include "support.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>
#if __cplusplus >= 202002L
#include <span>
#endif

namespace syclex = sycl::ext::oneapi::experimental;
namespace syclrtc = sycl::ext::syclrtc;
using support::compile;
using support::executable_bundle;
using support::object_bundle;
using support::run_task;
using sycl::bundle_state;

namespace {

template <bundle_state State> sycl::kernel_bundle<State> load(const sycl::queue &q, std::vector<char> bytes) {
  return syclex::get_kernel_bundle<State>(q.get_context(), {q.get_device()}, sycl::span<char>{bytes});
}

/// A file that is gone with the object.
struct temporary_file {
  explicit temporary_file(const std::vector<char> &content)
      : path(std::filesystem::temp_directory_path() /
             ("syclrtc_content_" + std::to_string(std::hash<const void *>()(this)))) {
    std::ofstream(path, std::ios::binary).write(content.data(), static_cast<std::streamsize>(content.size()));
  }
  ~temporary_file() { std::filesystem::remove(path); }
  temporary_file(const temporary_file &) = delete;
  temporary_file &operator=(const temporary_file &) = delete;

  std::filesystem::path path;
};

const std::string source = "syclexp::device_global<int> counter{5};\n"
                           "TASK k(int *out) { *out = 7; }\n"
                           "TASK count(int *out) { counter += 1; *out = counter; }\n"
                           "template <class T> SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::single_task_kernel))\n"
                           "void ff(T *out) { *out = 9; }\n"
                           "extern \"C\" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::nd_range_kernel<1>))\n"
                           "SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::range_type<signed char>)) void small(int *) {}\n";
const syclex::registered_names names{"ff<int>"};
// Initial values need it.
const syclex::build_options cxx20{"-std=c++20"};

void check_all(const sycl::queue &q, const executable_bundle &loaded, const executable_bundle &original) {
  CHECK(loaded.get_context() == q.get_context());
  CHECK(loaded.get_devices() == std::vector<sycl::device>{q.get_device()});
  CHECK_FALSE(loaded.empty());
  for (const char *name : {"k", "__sycl_kernel_k", "ff<int>", "_Z2ffIiEvPT_", "count", "small"}) {
    CAPTURE(name);
    CHECK(loaded.ext_oneapi_has_kernel(name));
    CHECK(loaded.ext_oneapi_get_raw_kernel_name(name) == original.ext_oneapi_get_raw_kernel_name(name));
  }
  CHECK_FALSE(loaded.ext_oneapi_has_kernel("none"));
  CHECK(run_task(q, loaded, "k") == 7);
  CHECK(run_task(q, loaded, "ff<int>") == 9);
  CHECK(loaded.ext_oneapi_get_device_global_size("counter") == sizeof(int));
  // Storage of its own, with the initial value.
  CHECK(run_task(q, loaded, "count") == 6);
  CHECK(loaded.ext_oneapi_get_device_global_address("counter", q.get_device()) !=
        original.ext_oneapi_get_device_global_address("counter", q.get_device()));
  // Parameters and limits are checked as in the original.
  support::failure(sycl::errc::invalid, [&] {
    sycl::queue(q).submit([&](sycl::handler &group) { group.single_task(loaded.ext_oneapi_get_kernel("k")); });
  });
  support::failure(sycl::errc::nd_range, [&] {
    sycl::queue(q).submit([&](sycl::handler &group) {
      group.set_args(static_cast<int *>(nullptr));
      group.parallel_for(sycl::nd_range<1>(128, 1), loaded.ext_oneapi_get_kernel("small"));
    });
  });
}

} // namespace

TEST_CASE("executable: everything is found again (Y1, Y2, Y4; range-type.md T8)") {
  const sycl::queue q;
  const auto original = support::build(q, source, names, cxx20);
  const std::vector<char> bytes = original.ext_oneapi_get_content();
  CHECK_FALSE(bytes.empty());
  const auto loaded = load<bundle_state::executable>(q, bytes);
  check_all(q, loaded, original);
  // Y3: and once more.
  check_all(q, load<bundle_state::executable>(q, loaded.ext_oneapi_get_content()), original);
}

TEST_CASE("object: loaded ones link, with others too (Y5)") {
  const sycl::queue q;
  const auto original = compile(q, source, names, cxx20);
  const auto loaded = load<bundle_state::object>(q, original.ext_oneapi_get_content());
  CHECK(loaded.ext_oneapi_has_kernel("ff<int>"));
  check_all(q, sycl::link(loaded), sycl::link(original));

  const auto importer = load<bundle_state::object>(
      q, compile(q, "SYCL_EXTERNAL int f();\nTASK k(int *out) { *out = f(); }\n").ext_oneapi_get_content());
  const auto exporter = compile(q, "SYCL_EXTERNAL int f() { return 3; }\n");
  CHECK(run_task(q, sycl::link({importer, exporter}), "k") == 3);
  CHECK_CONTAINS(support::failure(sycl::errc::invalid, [&] { (void)sycl::link(importer); }), "_Z1fv");
}

TEST_CASE("input and empty bundles") {
  const sycl::queue q;
  const auto input = sycl::get_kernel_bundle<bundle_state::input>(q.get_context(), {q.get_device()});
  CHECK(load<bundle_state::input>(q, input.ext_oneapi_get_content()).empty());
  const auto none = support::build(q, "");
  CHECK(load<bundle_state::executable>(q, none.ext_oneapi_get_content()).empty());
}

TEST_CASE("from a file, by each kind of name") {
  const sycl::queue q;
  const sycl::context c = q.get_context();
  const auto original = support::build(q, "TASK k(int *out) { *out = 7; }\n");
  const temporary_file file(original.ext_oneapi_get_content());
  const std::string name = file.path.string();
  const auto list = syclex::properties{};
  const executable_bundle loaded[] = {
      syclex::get_kernel_bundle<bundle_state::executable>(c, {q.get_device()}, file.path),
      syclex::get_kernel_bundle<bundle_state::executable>(c, {q.get_device()}, file.path, list),
      syclex::get_kernel_bundle<bundle_state::executable>(c, file.path),
      syclex::get_kernel_bundle<bundle_state::executable>(c, std::filesystem::path(name), list),
      syclex::get_kernel_bundle<bundle_state::executable>(c, {q.get_device()}, name),
      syclex::get_kernel_bundle<bundle_state::executable>(c, name.c_str()),
  };
  for (const auto &each : loaded)
    CHECK(run_task(q, each, "k") == 7);

  const std::filesystem::path missing = file.path.string() + ".missing";
  CHECK_THROWS_AS((void)syclex::get_kernel_bundle<bundle_state::executable>(c, missing), std::ios_base::failure);
  // A folder can be opened, but not read.
  CHECK_THROWS_AS((void)syclex::get_kernel_bundle<bundle_state::executable>(c, missing.parent_path()),
                  std::ios_base::failure);
}

#if __cplusplus >= 202002L
TEST_CASE("std::span does as well") {
  const sycl::queue q;
  auto bytes = support::build(q, "TASK k(int *out) { *out = 7; }\n").ext_oneapi_get_content();
  const auto loaded = syclex::get_kernel_bundle<bundle_state::executable>(q.get_context(), {q.get_device()},
                                                                          std::span<char>(bytes));
  CHECK(run_task(q, loaded, "k") == 7);
}
#endif

TEST_CASE("errors (table of section 10)") {
  const sycl::queue q;
  const sycl::context c = q.get_context();
  std::vector<char> bytes = support::build(q, "TASK k(int *out) { *out = 7; }\n").ext_oneapi_get_content();
  const auto refused = [&](std::vector<char> bad) {
    return support::failure(sycl::errc::invalid, [&] { (void)load<bundle_state::executable>(q, std::move(bad)); });
  };
  SUBCASE("the state is another one") {
    support::failure(sycl::errc::invalid, [&] { (void)load<bundle_state::object>(q, bytes); });
    support::failure(sycl::errc::invalid, [&] { (void)load<bundle_state::input>(q, bytes); });
  }
  SUBCASE("devices") {
    const sycl::span<char> view(bytes);
    support::failure(sycl::errc::invalid, [&] {
      (void)syclex::get_kernel_bundle<bundle_state::executable>(c, std::vector<sycl::device>{}, view);
    });
    for (const sycl::device &other : sycl::device::get_devices()) {
      if (other.get_platform() != q.get_device().get_platform())
        support::failure(sycl::errc::invalid, [&] {
          (void)syclex::get_kernel_bundle<bundle_state::executable>(c, {other}, view);
        });
    }
  }
  SUBCASE("Y7: other bytes, parts, damage") {
    refused({});
    refused({'S', 'Y', 'B', 'I'});
    refused(std::vector<char>(1000, '\0'));
    for (std::size_t length = 0; length < bytes.size(); length += 1 + bytes.size() / 37)
      refused(std::vector<char>(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length)));
    for (std::size_t at = 0; at < bytes.size(); at += 1 + bytes.size() / 61) {
      CAPTURE(at);
      std::vector<char> bad = bytes;
      bad[at] = static_cast<char>(bad[at] ^ 0x55);
      refused(bad);
    }
    bytes.push_back('x');
    refused(bytes);
  }
}

TEST_CASE("code of an executable: SPIR-V, LLVM IR, the driver's own") {
  const sycl::queue q;
  const auto bundle = support::build(q, "TASK k(int *out) { *out = 7; }\n");
  const std::vector<std::byte> spirv = syclrtc::get_code(bundle, syclrtc::code_format::spirv);
  REQUIRE(spirv.size() > 20);
  std::uint32_t magic = 0;
  std::memcpy(&magic, spirv.data(), sizeof(magic));
  CHECK(magic == 0x07230203);
  CHECK(syclrtc::get_code(bundle, syclrtc::code_format::spirv, q.get_device()) == spirv);
  const std::string ir = syclrtc::get_llvm_ir(bundle);
  CHECK_CONTAINS(ir, "define");
  CHECK_CONTAINS(ir, "__sycl_kernel_k");
  CHECK_FALSE(syclrtc::get_code(bundle, syclrtc::code_format::native, q.get_device()).empty());
  support::failure(sycl::errc::feature_not_supported,
                   [&] { (void)syclrtc::get_code(bundle, syclrtc::code_format::ptx); });
  for (const sycl::device &other : sycl::device::get_devices()) {
    if (other != q.get_device())
      support::failure(sycl::errc::invalid, [&] { (void)syclrtc::get_code(bundle, syclrtc::code_format::spirv, other); });
  }

  // The SPIR-V is a module of its own.
  const auto again = syclex::build(
      syclex::create_kernel_bundle_from_source(q.get_context(), syclex::source_language::spirv, spirv));
  CHECK(run_task(q, again, "__sycl_kernel_k") == 7);
}

TEST_CASE("code of an object: LLVM IR") {
  const sycl::queue q;
  const auto bundle = compile(q, "SYCL_EXTERNAL int f();\nTASK k(int *out) { *out = f(); }\n");
  const std::string ir = syclrtc::get_llvm_ir(bundle, q.get_device());
  CHECK_CONTAINS(ir, "__sycl_kernel_k");
  CHECK_CONTAINS(ir, "_Z1fv");
  support::failure(sycl::errc::feature_not_supported,
                   [&] { (void)syclrtc::get_code(bundle, syclrtc::code_format::native); });
}
