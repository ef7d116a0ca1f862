// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support.hpp"

namespace syclex = sycl::ext::oneapi::experimental;
using support::iota;

namespace {
void check_iota(sycl::queue &q, const sycl::kernel &kernel) {
  support::shared_array<int> out(q, 64);
  q.submit([&](sycl::handler &group) {
     group.set_args(5, out.get());
     group.parallel_for(sycl::nd_range<1>({64}, {8}), kernel);
   }).wait();
  for (int i = 0; i < 64; ++i)
    REQUIRE(out[i] == 5 + i);
}
} // namespace

TEST_CASE("create: context, devices, both kinds of text (kernel-compiler.md C2, C5, C6)") {
  const sycl::queue q;
  const sycl::context c = q.get_context();
  const auto bundle = syclex::create_kernel_bundle_from_source(c, syclex::source_language::sycl, "not C++ at all {");
  CHECK(bundle.get_context() == c);
  CHECK(bundle.get_devices() == c.get_devices());
  CHECK(bundle.get_backend() == q.get_backend());
  CHECK(bundle == sycl::kernel_bundle<sycl::bundle_state::ext_oneapi_source>(bundle));
  (void)syclex::create_kernel_bundle_from_source(c, syclex::source_language::sycl, "");
  (void)syclex::create_kernel_bundle_from_source(c, syclex::source_language::sycl, std::string(iota), syclex::properties{});

  const std::vector<std::byte> bytes(8);
  support::failure(sycl::errc::invalid,
                   [&] { (void)syclex::create_kernel_bundle_from_source(c, syclex::source_language::spirv, "text"); });
  support::failure(sycl::errc::invalid,
                   [&] { (void)syclex::create_kernel_bundle_from_source(c, syclex::source_language::sycl, bytes); });
  support::failure(sycl::errc::invalid,
                   [&] { (void)syclex::create_kernel_bundle_from_source(c, syclex::source_language::opencl, bytes); });
}

TEST_CASE("build: the forms of the call, context and devices of the result (B1 to B3)") {
  sycl::queue q;
  auto source = support::source(q, iota);
  const sycl::device d = q.get_device();
  const std::vector<sycl::device> twice = {d, d};
  std::string log;
  const syclex::properties list{syclex::build_options{"-O1"}, syclex::save_log{&log}};
  const auto &constant = source;
  const support::executable_bundle built[] = {
      syclex::build(source, {d}),
      syclex::build(constant, twice),
      syclex::build(source, twice, list),
      syclex::build(source, {d}, syclex::properties{syclex::build_options{"-O2"}}),
  };
  for (const auto &each : built) {
    CHECK(each.get_context() == q.get_context());
    CHECK(each.get_devices() == std::vector<sycl::device>{d});
    check_iota(q, each.ext_oneapi_get_kernel("iota"));
  }
  CHECK(built[0] != built[1]);
  if (q.get_context().get_devices().size() == 1) {
    check_iota(q, syclex::build(source).ext_oneapi_get_kernel("iota"));
    check_iota(q, syclex::build(source, list).ext_oneapi_get_kernel("iota"));
  }
}

TEST_CASE("errors of build in the order of the table (kernel-compiler.md section 4)") {
  const sycl::queue q;
  const auto source = support::source(q, "no");
  support::failure(sycl::errc::invalid, [&] { (void)syclex::build(source, std::vector<sycl::device>{}); });
  for (const sycl::device &other : sycl::device::get_devices()) {
    if (other.get_platform() == q.get_device().get_platform())
      continue;
    const std::string message = support::failure(sycl::errc::invalid, [&] { (void)syclex::build(source, {other}); });
    CHECK_CONTAINS(message, "device not part of kernel_bundle context");
  }
}

TEST_CASE("a source without kernels builds to a bundle without kernels (B7, D-28)") {
  const sycl::queue q;
  for (const std::string text : {"", "\n", "// a comment", "#include <sycl/sycl.hpp>\n", "int f() { return 1; }\n"}) {
    CAPTURE(text);
    const auto bundle =
        syclex::build(syclex::create_kernel_bundle_from_source(q.get_context(), syclex::source_language::sycl, text));
    CHECK(bundle.empty());
    CHECK(std::distance(bundle.begin(), bundle.end()) == 0);
    CHECK_FALSE(bundle.ext_oneapi_has_kernel("f"));
    CHECK(bundle.get_kernel_ids().empty());
  }
}

TEST_CASE("an ordinary bundle has images, no kernel identifiers (8.1, 8.4)") {
  const sycl::queue q;
  const auto bundle = support::build(q, iota);
  CHECK_FALSE(bundle.empty());
  CHECK(std::distance(bundle.begin(), bundle.end()) == 1);
  CHECK(*bundle.begin() == *bundle.begin());
  for (const auto &image : bundle)
    CHECK(std::hash<sycl::device_image<sycl::bundle_state::executable>>()(image) ==
          std::hash<sycl::device_image<sycl::bundle_state::executable>>()(*bundle.begin()));
  CHECK(bundle.get_kernel_ids().empty());
  CHECK(sycl::get_kernel_ids().empty());
  CHECK_FALSE(bundle.contains_specialization_constants());
}

TEST_CASE("a bundle can be built again, with other options (B5, B6)") {
  sycl::queue q;
  const auto source = support::source(q, "TASK k(int *out) { *out = VALUE; }\n");
  support::shared_array<int> out(q, 1);
  const auto run = [&](const support::executable_bundle &bundle) {
    q.submit([&](sycl::handler &group) {
       group.set_args(out.get());
       group.single_task(bundle.ext_oneapi_get_kernel("k"));
     }).wait();
    return out[0];
  };
  const auto one = syclex::build(source, syclex::properties{syclex::build_options{"-DVALUE=1"}});
  const auto two = syclex::build(source, syclex::properties{syclex::build_options{{"-D", "VALUE=2"}}});
  const auto three = syclex::build(source, syclex::properties{syclex::build_options{"--define-macro=VALUE=3"}});
  CHECK(run(one) == 1);
  CHECK(run(two) == 2);
  CHECK(run(three) == 3);
  CHECK(run(one) == 1);
  CHECK(one.ext_oneapi_get_kernel("k") != two.ext_oneapi_get_kernel("k"));
  support::failure(sycl::errc::build, [&] { (void)syclex::build(source); });
}

TEST_CASE("empty elements are ignored; nothing is split (5.2)") {
  const sycl::queue q;
  const auto source = support::source(q, "#ifndef FIRST\n#error no FIRST\n#endif\n" + iota);
  (void)syclex::build(source, syclex::properties{syclex::build_options{{"", "-DFIRST", ""}}});
  // One element with a blank is one macro with an odd value, and no second macro.
  (void)syclex::build(support::source(q, "#ifdef SECOND\n#error SECOND\n#endif\n" + iota),
                      syclex::properties{syclex::build_options{"-DFIRST=1 -DSECOND=2"}});
}

TEST_CASE("options that are refused: invalid, with the option (10.5, surface.md 5)") {
  const sycl::queue q;
  const auto source = support::source(q, iota);
  const std::vector<std::vector<std::string>> refused = {
      {"-c"},
      {"-S"},
      {"-E"},
      {"-fsyntax-only"},
      {"-emit-llvm"},
      {"-o", "x"},
      {"-ox"},
      {"-shared"},
      {"-lm"},
      {"-L."},
      {"-Wl,-s"},
      {"-fsanitize=address"},
      {"-fsycl-targets=spir64"},
      {"-fsycl-link"},
      {"-fsycl-device-only"},
      {"-M"},
      {"--version"},
      {"--help"},
      {"-###"},
      {"@file"},
      {"other.cpp"},
      {"-no-such-option"},
      {"--auto-pch", "--persistent-auto-pch=x"},
      {"-I"},
      {"--include-directory"},
      {"-D"},
  };
  for (const auto &options : refused) {
    CAPTURE(options.front());
    const std::string message = support::failure(sycl::errc::invalid, [&] {
      (void)syclex::build(source, syclex::properties{syclex::build_options{options}});
    });
    // An option that was joined to its argument may be shown apart from it.
    CHECK_CONTAINS(message, options.front() == "-ox" ? "-o" : options.front());
    CHECK_CONTAINS(message, "Parsing of user arguments failed");
  }
}

TEST_CASE("options that are taken (10.2, 10.3)") {
  sycl::queue q;
  const auto source = support::source(q, iota);
  for (const char *option : {"-O0", "-O1", "-O2", "-O3", "-std=c++17", "-std=c++20", "-std=c++23", "-g", "-ffast-math",
                             "-fno-fast-math", "-fconstexpr-depth=128", "-Wall", "-Wno-unused", "-fsycl-rtc-mode",
                             "-fno-sycl-rtc-mode", "-UFOO", "-fsycl-device-code-split=per_kernel"}) {
    CAPTURE(option);
    const auto bundle = syclex::build(source, syclex::properties{syclex::build_options{option}});
    check_iota(q, bundle.ext_oneapi_get_kernel("iota"));
  }
}

TEST_CASE("save_log: warnings are in it, it is replaced, null is allowed (5.3)") {
  const sycl::queue q;
  const auto source = support::source(q, "#warning mind the gap\n" + iota);
  std::string log = "old";
  (void)syclex::build(source, syclex::properties{syclex::save_log{&log}});
  CHECK_CONTAINS(log, "warning: mind the gap");
  CHECK_FALSE(support::contains(log, "old"));
  (void)syclex::build(source, syclex::properties{syclex::save_log{nullptr}});

  const auto bad = support::source(q, "#warning mind the gap\nint x = ;\n");
  log = "old";
  const std::string message = support::failure(
      sycl::errc::build, [&] { (void)syclex::build(bad, syclex::properties{syclex::save_log{&log}}); });
  CHECK_CONTAINS(log, "expected expression");
  CHECK_CONTAINS(message, "warning: mind the gap");
  CHECK_CONTAINS(message, "expected expression");
}

TEST_CASE("the strings may go away at once (C7)") {
  sycl::queue q;
  auto text = std::make_unique<std::string>(support::prelude + iota);
  const auto source =
      syclex::create_kernel_bundle_from_source(q.get_context(), syclex::source_language::sycl, *text);
  text->assign(text->size(), '}');
  text.reset();
  check_iota(q, syclex::build(source).ext_oneapi_get_kernel("iota"));
}

TEST_CASE("building for a device without SPIR-V: invalid (issue 2, point 6)") {
  const auto devices = support::devices_that_cannot_build();
  const sycl::queue q;
  for (const sycl::device &device : devices) {
    const auto source = support::source(q, iota);
    support::failure(sycl::errc::invalid, [&] { (void)syclex::build(source, {device}); });
  }
}
