// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// compile, link and join (kernel-compiler.md section 9; names-and-linking.md B, C and D).

#include "support.hpp"

#include <algorithm>
#include <thread>

using support::compile;
using support::executable_bundle;
using support::object_bundle;
using support::run_task;
namespace syclex = sycl::ext::oneapi::experimental;

namespace {

const std::string importer = "SYCL_EXTERNAL void f(int *, int);\n"
                             "TASK k(int *out) { f(out, 1); }\n";
/// The recipe: without a header of SYCL.
object_bundle exporter(const sycl::queue &q, int value = 41) {
  const std::string text = "#include <cstddef>\n"
                           "SYCL_EXTERNAL void f(int *out, int more) { *out = " +
                           std::to_string(value) + " + more; }\n";
  return syclex::compile(
      syclex::create_kernel_bundle_from_source(q.get_context(), syclex::source_language::sycl, text));
}

std::string task(const std::string &name, int value) {
  return "TASK " + name + "(int *out) { *out = " + std::to_string(value) + "; }\n";
}

} // namespace

TEST_CASE("an object: state, context, devices, kernels by name, no launch (B3, 8.1)") {
  const sycl::queue q;
  const sycl::device d = q.get_device();
  REQUIRE(d.ext_oneapi_can_compile(syclex::source_language::sycl));
  // Section 2: can_compile implies the aspect.
  CHECK(d.has(sycl::aspect::online_linker));
  auto source = support::source(q, task("k", 1));
  const object_bundle object = syclex::compile(source, {d, d});
  CHECK(object.get_context() == q.get_context());
  CHECK(object.get_devices() == std::vector<sycl::device>{d});
  CHECK_FALSE(object.empty());
  CHECK(std::distance(object.begin(), object.end()) >= 1);
  CHECK(object.ext_oneapi_has_kernel("k"));
  CHECK_FALSE(object.ext_oneapi_has_kernel("l"));
  CHECK(object.ext_oneapi_get_raw_kernel_name("k") == "__sycl_kernel_k");
  CHECK(object.get_kernel_ids().empty());
  // B3 of names-and-linking.md: the same as a build.
  const executable_bundle linked = sycl::link(object);
  const executable_bundle built = syclex::build(source);
  CHECK(linked.ext_oneapi_get_raw_kernel_name("k") == built.ext_oneapi_get_raw_kernel_name("k"));
  CHECK(run_task(q, linked, "k") == run_task(q, built, "k"));
}

TEST_CASE("compile: log, names and options as in build; errors in the order of the table (section 4)") {
  const sycl::queue q;
  std::string log;
  auto list = syclex::properties{syclex::save_log{&log}, syclex::build_options{"-DVALUE=7"},
                                 syclex::registered_names{"ns::k<int>"}};
  auto source = support::source(q, "#warning mind the gap\n"
                                   "namespace ns { template <class T> SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(("
                                   "syclexp::single_task_kernel)) void k(T *out) { *out = VALUE; } }\n");
  const auto object = syclex::compile(source, list);
  CHECK_CONTAINS(log, "warning: mind the gap");
  CHECK(object.ext_oneapi_has_kernel("ns::k<int>"));
  // C15: the strings of the inputs work in the result.
  CHECK(run_task(q, sycl::link({object}), "ns::k<int>") == 7);
  support::failure(sycl::errc::invalid, [&] { (void)syclex::compile(source, std::vector<sycl::device>{}); });
  const std::string refused = support::failure(sycl::errc::invalid, [&] {
    (void)syclex::compile(source, syclex::properties{syclex::build_options{"-fsycl-targets=spir64"}});
  });
  CHECK_CONTAINS(refused, "Parsing of user arguments failed");
  const std::string broken =
      support::failure(sycl::errc::build, [&] { (void)syclex::compile(support::source(q, "no")); });
  CHECK_CONTAINS(broken, "Device compilation failed");
  // C26: neither defined nor SYCL_EXTERNAL is for compile to say.
  const std::string undefined = support::failure(
      sycl::errc::build, [&] { (void)compile(q, "void nowhere(int *);\nTASK k(int *out) { nowhere(out); }\n"); });
  CHECK_CONTAINS(undefined, "nowhere");
}

TEST_CASE("link: all forms of the call (section 9, C24, C25)") {
  const sycl::queue q;
  const sycl::device d = q.get_device();
  const auto a = compile(q, importer);
  const auto b = exporter(q);
  const std::vector<object_bundle> both = {a, b};
  const auto own = compile(q, task("k", 42));
  const auto fast = syclex::properties{syclex::fast_link{}};
  const executable_bundle linked[] = {
      syclex::link({a, b}),
      syclex::link({a, b}, {d}),
      syclex::link({b, a}, {d}, fast),
      syclex::link(both, fast),
      syclex::link(both),
      syclex::link(both, {d, d}),
      syclex::link(both, std::vector<sycl::device>{d}, syclex::properties{syclex::fast_link{false}}),
      syclex::link(own),
      syclex::link(own, {d}),
      syclex::link(own, syclex::properties{syclex::fast_link(true)}),
      syclex::link(own, {d}, fast),
      syclex::link({own}),
      sycl::link({a, b}),
      sycl::link(both, {d}),
      sycl::link(both, {d}, sycl::property_list{}),
      sycl::link(own),
      sycl::link(own, {d}),
      sycl::link(own, sycl::property_list{}),
  };
  for (const executable_bundle &each : linked) {
    CHECK(each.get_context() == q.get_context());
    CHECK(each.get_devices() == std::vector<sycl::device>{d});
    CHECK(run_task(q, each, "k") == 42);
  }
  CHECK(linked[0] != linked[1]);
}

TEST_CASE("kernels of bundles that need nothing of each other (C1), and locals of equal name (C10, C12)") {
  const sycl::queue q;
  const auto unit = [&](const std::string &name, int value) {
    const std::string number = std::to_string(value);
    return compile(q, "static int local() { return " + number + "; }\n" +
                          "int helper() { return " + number + "; }\n" +
                          "namespace { struct T { int x = " + number + "; }; }\n" + "TASK " + name +
                          "(int *out) { *out = local() + 10 * helper() + 100 * T().x; }\n");
  };
  const auto both = sycl::link({unit("a", 1), unit("b", 2)});
  CHECK(run_task(q, both, "a") == 111);
  CHECK(run_task(q, both, "b") == 222);
}

TEST_CASE("imports: in either order, both ways, chains, diamonds (C2 to C5, C13, C14)") {
  const sycl::queue q;
  SUBCASE("C2, C13: either order, and the inputs serve again") {
    const auto a = compile(q, importer);
    for (int value : {41, 51}) {
      const auto b = exporter(q, value);
      CHECK(run_task(q, sycl::link({a, b}), "k") == value + 1);
      CHECK(run_task(q, sycl::link({b, a}), "k") == value + 1);
    }
  }
  SUBCASE("C3: both ways") {
    const auto a = compile(q, "SYCL_EXTERNAL int f(int);\nSYCL_EXTERNAL int g(int x) { return x + 1; }\n"
                              "TASK k(int *out) { *out = f(1); }\n");
    const auto b = compile(q, "SYCL_EXTERNAL int g(int);\nSYCL_EXTERNAL int f(int x) { return 10 * g(x); }\n");
    CHECK(run_task(q, sycl::link({a, b}), "k") == 20);
  }
  SUBCASE("C4: a chain in all orders") {
    std::vector<object_bundle> chain = {
        compile(q, "SYCL_EXTERNAL int f();\nTASK k(int *out) { *out = f(); }\n"),
        compile(q, "SYCL_EXTERNAL int g();\nSYCL_EXTERNAL int f() { return g() + 1; }\n"),
        compile(q, "SYCL_EXTERNAL int g() { return 6; }\n"),
    };
    for (const auto &order : {std::array<int, 3>{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}})
      CHECK(run_task(q, sycl::link({chain[order[0]], chain[order[1]], chain[order[2]]}), "k") == 7);
  }
  SUBCASE("C5, C14: a diamond, whose parts are gone") {
    std::vector<object_bundle> parts = {
        compile(q, "SYCL_EXTERNAL void f(int *, int);\nTASK k1(int *out) { f(out, 1); }\n"),
        compile(q, "SYCL_EXTERNAL void f(int *, int);\nTASK k2(int *out) { f(out, 2); }\n"),
        exporter(q),
    };
    const auto linked = sycl::link(parts);
    parts.clear();
    CHECK(run_task(q, linked, "k1") == 42);
    CHECK(run_task(q, linked, "k2") == 43);
  }
}

TEST_CASE("the same image counts once (C8, C9, D7)") {
  const sycl::queue q;
  const auto a = compile(q, importer);
  const auto b = exporter(q);
  const auto copy = b;
  CHECK(run_task(q, sycl::link({a, a, b, copy}), "k") == 42);
  const auto joined = sycl::join(std::vector<object_bundle>{a, b});
  CHECK(run_task(q, sycl::link({joined, a}), "k") == 42);
  CHECK(run_task(q, sycl::link(joined), "k") == 42);
}

TEST_CASE("code split is not seen but by the number of images (B1, B2, B4, B6, B9, B10)") {
  const sycl::queue q;
  const std::string text =
      "inline int in() { return 1; }\n"
      "template <class T> T temp() { return 2; }\n"
      "static int st() { return 3; }\n"
      "constexpr int ce() { return 4; }\n"
      "struct S { int m() const { return 5; } };\n"
      "extern \"C\" int ec() { return 6; }\n"
      "SYCL_EXTERNAL int ex() { return 7; }\n" // B5
      "constexpr int table[] = {10, 20, 30};\n"
      "int sum(int i) { return in() + temp<int>() + st() + ce() + S().m() + ec() + ex() + table[i]; }\n"
      "TASK k0(int *out) { *out = sum(0); }\n"
      "TASK k1(int *out) { *out = sum(1); }\n"
      "TASK k2(int *out) { *out = sum(2); }\n"
      "extern \"C\" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::nd_range_kernel<1>))\n"
      "SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::work_group_size<4>)) void wide(int *out) { *out = sum(0); }\n";
  const auto source = support::source(q, text);
  // per_kernel: one image each. auto: kernels that need different work-groups apart (10.3).
  const std::pair<const char *, std::ptrdiff_t> modes[] = {
      {"per_kernel", 4}, {"per_source", 1}, {"off", 1}, {"auto", 2}};
  for (const auto &each_mode : modes) {
    const char *const mode = each_mode.first;
    const std::ptrdiff_t images = each_mode.second;
    CAPTURE(mode);
    const auto options = syclex::properties{syclex::build_options{"-fsycl-device-code-split=" + std::string(mode)}};
    const executable_bundle bundles[] = {syclex::build(source, options), sycl::link(syclex::compile(source, options))};
    for (const executable_bundle &each : bundles) {
      CHECK(std::distance(each.begin(), each.end()) == images);
      for (int i = 0; i < 3; ++i)
        CHECK(run_task(q, each, "k" + std::to_string(i)) == 38 + 10 * i);
      CHECK(each.ext_oneapi_get_kernel("wide")
                .get_info<sycl::info::kernel_device_specific::compile_work_group_size>(q.get_device())[2] == 4);
    }
  }
}

TEST_CASE("kernels whose aspects a device lacks are left out, and that is no error (B4, C6, C7, KP10)") {
  const sycl::queue q;
  const std::string lacking = q.get_device().has(sycl::aspect::gpu) ? "cpu" : "gpu";
  const std::string needs = "SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::device_has<sycl::aspect::" + lacking + ">)) ";
  const std::string special = "extern \"C\" " + needs +
                              "SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::single_task_kernel)) void special(int *out) ";
  const auto check = [&](const executable_bundle &bundle) {
    CHECK(bundle.ext_oneapi_has_kernel("fine"));
    CHECK(run_task(q, bundle, "fine") == 1);
    CHECK_FALSE(bundle.ext_oneapi_has_kernel("special"));
    const std::string message =
        support::failure(sycl::errc::invalid, [&] { (void)bundle.ext_oneapi_get_kernel("special"); });
    CHECK_CONTAINS(message, lacking);
    CHECK_CONTAINS(message, q.get_device().get_info<sycl::info::device::name>());
  };
  SUBCASE("in one source") {
    const std::string text = task("fine", 1) + special + "{ *out = 2; }\n";
    check(support::build(q, text));
    check(sycl::link(compile(q, text)));
  }
  SUBCASE("C6: one importer") {
    check(sycl::link({compile(q, "SYCL_EXTERNAL int f();\nTASK fine(int *out) { *out = f(); }\n" + special +
                                     "{ *out = f(); }\n"),
                      compile(q, "SYCL_EXTERNAL int f() { return 1; }\n")}));
  }
  SUBCASE("C7: the exporter") {
    check(sycl::link({compile(q, needs + "SYCL_EXTERNAL int f();\n" + special + "{ *out = f(); }\n" + task("fine", 1)),
                      compile(q, needs + "SYCL_EXTERNAL int f() { return 1; }\n")}));
  }
  SUBCASE("C7: nothing is left") {
    const auto linked = sycl::link(compile(q, special + "{ *out = 2; }\n"));
    CHECK_FALSE(linked.ext_oneapi_has_kernel("special"));
  }
}

TEST_CASE("symbols: none, several, elsewhere (D1, D2, D5)") {
  const sycl::queue q;
  const auto a = compile(q, importer);
  // D2: another bundle that has it does not help.
  const auto elsewhere = exporter(q);
  CHECK_CONTAINS(support::failure(sycl::errc::invalid, [&] { (void)sycl::link(a); }), "\"_Z1fPii\"");
  CHECK_CONTAINS(support::failure(sycl::errc::invalid, [&] { (void)syclex::link({a, a}); }), "_Z1fPii");
  CHECK_CONTAINS(support::failure(sycl::errc::invalid, [&] { (void)sycl::link({a, exporter(q), elsewhere}); }),
                 "_Z1fPii");
  // D13: the next one works.
  CHECK(run_task(q, sycl::link({a, elsewhere}), "k") == 42);
}

TEST_CASE("build leaves nothing open, compile does (D3, D4, C20, B8)") {
  const sycl::queue q;
  const auto elsewhere = exporter(q);
  CHECK_CONTAINS(support::failure(sycl::errc::build, [&] { (void)support::build(q, importer); }), "f(int*, int)");
  support::failure(sycl::errc::build, [&] {
    (void)support::build(q, importer, syclex::build_options{"-fsycl-allow-device-image-dependencies"});
  });
  (void)compile(q, importer);
  // C19: the option changes nothing in compile.
  CHECK(run_task(q,
                 sycl::link({compile(q, importer, syclex::build_options{"-fsycl-allow-device-image-dependencies"}),
                             elsewhere}),
                 "k") == 42);
  // C20: declared and never called.
  CHECK(run_task(q, sycl::link(compile(q, "SYCL_EXTERNAL int never();\n" + task("k", 5))), "k") == 5);
}

TEST_CASE("two kernels of one raw name (D6, D8)") {
  const sycl::queue q;
  const auto conflict = [&](const object_bundle &a, const object_bundle &b) {
    CHECK_CONTAINS(support::failure(sycl::errc::invalid, [&] { (void)sycl::link({a, b}); }),
                   "Conflicting kernel definitions:  __sycl_kernel_k");
  };
  conflict(compile(q, task("k", 1)), compile(q, task("k", 2)));
  const auto source = support::source(q, task("k", 1));
  conflict(syclex::compile(source), syclex::compile(source));
}

TEST_CASE("contexts and devices (D9, D10)") {
  const sycl::queue q;
  const auto a = compile(q, task("a", 1));
  support::failure(sycl::errc::invalid, [&] { (void)sycl::link(std::vector<object_bundle>{}); });
  support::failure(sycl::errc::invalid, [&] { (void)syclex::link(std::vector<object_bundle>{}, {q.get_device()}); });
  support::failure(sycl::errc::invalid, [&] { (void)sycl::link(a, std::vector<sycl::device>{}); });
  const sycl::context other{q.get_device()};
  REQUIRE(other != q.get_context());
  const auto b = compile(sycl::queue(other, q.get_device()), task("b", 2));
  support::failure(sycl::errc::invalid, [&] { (void)sycl::link({a, b}); });
  support::failure(sycl::errc::invalid, [&] { (void)sycl::join(std::vector<object_bundle>{a, b}); });
  for (const sycl::device &each : sycl::device::get_devices()) {
    if (each != q.get_device())
      support::failure(sycl::errc::invalid, [&] { (void)sycl::link(a, {each}); });
  }
}

TEST_CASE("link in several threads on the same inputs (C23)") {
  const sycl::queue q;
  const auto a = compile(q, importer);
  const auto b = exporter(q);
  std::vector<int> results(4);
  std::vector<std::thread> threads;
  for (int &result : results)
    threads.emplace_back([&] { result = run_task(q, sycl::link({a, b}), "k"); });
  for (std::thread &each : threads)
    each.join();
  CHECK(results == std::vector<int>(4, 42));
}

TEST_CASE("join of executables: the first one's kernel is found (A17), equality (runtime.md 9)") {
  const sycl::queue q;
  const auto a = support::build(q, task("k", 1) + task("only_a", 3));
  const auto b = support::build(q, task("k", 2) + task("only_b", 4));
  const sycl::kernel of_b = b.ext_oneapi_get_kernel("k");
  const auto ab = sycl::join(std::vector<executable_bundle>{a, b});
  CHECK(run_task(q, ab, "k") == 1);
  CHECK(run_task(q, ab, "only_a") == 3);
  CHECK(run_task(q, ab, "only_b") == 4);
  CHECK(run_task(q, of_b) == 2);
  const auto ba = sycl::join(std::vector<executable_bundle>{b, a});
  CHECK(run_task(q, ba, "k") == 2);
  CHECK(ab.get_kernel_ids().empty()); // A19

  const std::hash<executable_bundle> hash;
  CHECK(ab == ba);
  CHECK(hash(ab) == hash(ba));
  CHECK(ab != a);
  CHECK(a != b);
  CHECK(sycl::join(std::vector<executable_bundle>{a}) == a);
  CHECK(sycl::join(std::vector<executable_bundle>{a, a}) == a);
  CHECK(hash(sycl::join(std::vector<executable_bundle>{a})) == hash(a));
  CHECK(std::distance(ab.begin(), ab.end()) == 2);
  CHECK(std::find(ab.begin(), ab.end(), *a.begin()) != ab.end());
  CHECK(*a.begin() != *b.begin());
  support::failure(sycl::errc::invalid, [] { (void)sycl::join(std::vector<executable_bundle>{}); });
}

TEST_CASE("bundles of the application are empty, and checked (runtime.md 9)") {
  const sycl::queue q;
  const sycl::context c = q.get_context();
  const sycl::device d = q.get_device();
  using sycl::bundle_state;
  const auto input = sycl::get_kernel_bundle<bundle_state::input>(c, {d});
  CHECK(input.empty());
  CHECK(input.begin() == input.end());
  CHECK(input.get_context() == c);
  CHECK(input.get_devices() == std::vector<sycl::device>{d});
  CHECK_FALSE(input.ext_oneapi_has_kernel("k"));
  CHECK(input == sycl::get_kernel_bundle<bundle_state::input>(c, {d, d}));
  CHECK(sycl::get_kernel_bundle<bundle_state::object>(c, {d}).empty());
  CHECK(sycl::get_kernel_bundle<bundle_state::executable>(c).empty());
  CHECK(sycl::get_kernel_bundle<bundle_state::executable>(c, {d}, std::vector<sycl::kernel_id>{}).empty());
  CHECK(sycl::get_kernel_bundle<bundle_state::executable>(c, std::vector<sycl::kernel_id>{}).empty());
  CHECK(sycl::get_kernel_bundle<bundle_state::executable>(c, {d}, [](const auto &) { return true; }).empty());
  CHECK(sycl::get_kernel_bundle<bundle_state::executable>(c, [](const auto &) { return true; }).empty());
  CHECK_FALSE(sycl::has_kernel_bundle<bundle_state::executable>(c));
  CHECK_FALSE(sycl::has_kernel_bundle<bundle_state::object>(c, {d}));
  CHECK_FALSE(sycl::has_kernel_bundle<bundle_state::input>(c, std::vector<sycl::kernel_id>{}));
  CHECK(sycl::is_compatible({}, d));

  const auto object = sycl::compile(input);
  CHECK(object.empty());
  CHECK(sycl::compile(input, {d}).get_devices() == std::vector<sycl::device>{d});
  CHECK(sycl::build(input).empty());
  CHECK(sycl::build(input, {d}, {}).empty());
  CHECK(sycl::link(object).empty());
  CHECK(sycl::join(std::vector{input, input}) == input);

  const std::vector<sycl::device> none;
  support::failure(sycl::errc::invalid, [&] { (void)sycl::get_kernel_bundle<bundle_state::input>(c, none); });
  support::failure(sycl::errc::invalid, [&] { (void)sycl::has_kernel_bundle<bundle_state::input>(c, none); });
  support::failure(sycl::errc::invalid, [&] { (void)sycl::compile(input, none); });
  support::failure(sycl::errc::invalid, [&] { (void)sycl::build(input, none); });
  for (const sycl::device &each : sycl::device::get_devices()) {
    const auto devices = c.get_devices();
    if (std::find(devices.begin(), devices.end(), each) != devices.end())
      continue;
    support::failure(sycl::errc::invalid, [&] { (void)sycl::get_kernel_bundle<bundle_state::input>(c, {each}); });
    support::failure(sycl::errc::invalid, [&] { (void)sycl::has_kernel_bundle<bundle_state::object>(c, {each}); });
    support::failure(sycl::errc::invalid, [&] { (void)sycl::build(input, {each}); });
  }
}
