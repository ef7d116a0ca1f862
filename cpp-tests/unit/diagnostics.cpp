// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Diagnostics as data (docs/extensions.md).

#include "support.hpp"

#include <exception>

namespace syclex = sycl::ext::oneapi::experimental;
namespace syclrtc = sycl::ext::syclrtc;
using syclrtc::diagnostic;
using syclrtc::diagnostic_severity;

namespace {

const std::string with_warning = "#warning mind the gap\n"
                                 "TASK k(int *out) { int unused; *out = 1; }\n";
const std::string with_error = "struct S { void f(int); };\n"
                               "TASK k(int *out) { S().f(out, 2); }\n"
                               "TASK l(int *out) { *out = nope; }\n";

sycl::exception thrown(const std::string &text) {
  try {
    (void)support::build(sycl::queue(), text);
  } catch (const sycl::exception &e) {
    return e;
  }
  FAIL("nothing was thrown");
  return sycl::exception(sycl::make_error_code(sycl::errc::success));
}

const diagnostic &find(const std::vector<diagnostic> &list, const std::string &text) {
  for (const diagnostic &each : list) {
    if (support::contains(each.text, text))
      return each;
  }
  FAIL("no diagnostic says: ", text);
  return list.front();
}

} // namespace

TEST_CASE("an exception has errors with place, text and notes") {
  const sycl::exception e = thrown(with_error);
  const std::vector<diagnostic> list = syclrtc::get_diagnostics(e);
  CHECK(list.size() == 2);

  const diagnostic &call = find(list, "too many arguments");
  CHECK(call.severity == diagnostic_severity::error);
  CHECK_CONTAINS(call.file, "rtc_");
  CHECK(call.line == support::first_line + 1);
  // The place is that of the log.
  CHECK_CONTAINS(std::string(e.what()), call.file + ":" + std::to_string(call.line) + ":" +
                                            std::to_string(call.column) + ": error: " + call.text);
  REQUIRE(call.notes.size() == 1);
  CHECK_CONTAINS(call.notes[0].text, "'f' declared here");
  CHECK(call.notes[0].line == support::first_line);
  CHECK(call.notes[0].column > 1);
  CHECK(call.notes[0].file == call.file);

  const diagnostic &name = find(list, "nope");
  CHECK(name.text == "use of undeclared identifier 'nope'");
  CHECK(name.line == support::first_line + 2);
  CHECK(name.notes.empty());
}

TEST_CASE("copies and the rest of the program see the same") {
  const sycl::exception e = thrown(with_error);
  static_assert(std::is_nothrow_copy_constructible_v<sycl::exception>);
  std::exception_ptr stored;
  {
    const sycl::exception copy = e;
    stored = std::make_exception_ptr(copy);
  }
  try {
    std::rethrow_exception(stored);
  } catch (const sycl::exception &again) {
    CHECK(syclrtc::get_diagnostics(again).size() == syclrtc::get_diagnostics(e).size());
    CHECK(syclrtc::get_diagnostics(again)[0].text == syclrtc::get_diagnostics(e)[0].text);
  }
  CHECK(syclrtc::get_diagnostics(sycl::exception(sycl::make_error_code(sycl::errc::build), "own")).empty());
}

TEST_CASE("other errors have none") {
  try {
    (void)syclex::build(support::source(sycl::queue(), ""), std::vector<sycl::device>{});
    FAIL("nothing was thrown");
  } catch (const sycl::exception &e) {
    CHECK(syclrtc::get_diagnostics(e).empty());
  }
}

TEST_CASE("a bundle has its warnings, with the option that switches them") {
  const sycl::queue q;
  const auto options = syclex::build_options{"-Wunused-variable"};
  const auto check = [](const std::vector<diagnostic> &list) {
    CHECK(list.size() == 2);
    const diagnostic &gap = find(list, "mind the gap");
    CHECK(gap.severity == diagnostic_severity::warning);
    CHECK(gap.option == "-W#warnings");
    CHECK(gap.line == support::first_line);
    const diagnostic &unused = find(list, "unused variable 'unused'");
    CHECK(unused.severity == diagnostic_severity::warning);
    CHECK(unused.option == "-Wunused-variable");
    CHECK(unused.line == support::first_line + 1);
  };
  check(syclrtc::get_diagnostics(support::build(q, with_warning, options)));
  check(syclrtc::get_diagnostics(support::compile(q, with_warning, options)));
  CHECK(syclrtc::get_diagnostics(support::source(q, with_warning)).empty());
}

TEST_CASE("save_diagnostics: of success and failure, replaced, beside the log; null is allowed") {
  const sycl::queue q;
  std::string log;
  std::vector<diagnostic> list(7);
  const auto properties =
      syclex::properties{syclrtc::save_diagnostics{&list}, syclex::save_log{&log}, syclex::build_options{"-g"}};
  (void)syclex::build(support::source(q, with_warning), properties);
  CHECK(list.size() == 1);
  CHECK_CONTAINS(log, list.front().text);
  list.clear();
  (void)syclex::compile(support::source(q, with_warning), {q.get_device()}, properties);
  CHECK(list.size() == 1);
  support::failure(sycl::errc::build, [&] { (void)syclex::build(support::source(q, with_error), properties); });
  CHECK(list.size() == 2);
  (void)support::build(q, with_warning, syclrtc::save_diagnostics{nullptr});
  (void)support::build(q, support::iota, syclrtc::save_diagnostics{&list});
  CHECK(list.empty());
}

TEST_CASE("a place in a header") {
  const sycl::queue q;
  const auto source = syclex::create_kernel_bundle_from_source(
      q.get_context(), syclex::source_language::sycl, "#include \"a.hpp\"\n",
      syclex::properties{syclex::include_files{"a.hpp", "\n  int x = nope;\n"}});
  std::vector<diagnostic> list;
  support::failure(sycl::errc::build,
                   [&] { (void)syclex::build(source, syclex::properties{syclrtc::save_diagnostics{&list}}); });
  REQUIRE(list.size() == 1);
  CHECK_CONTAINS(list[0].file, "a.hpp");
  CHECK(list[0].line == 2);
  CHECK(list[0].column == 11);
}
