// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the exception of a failing build says (kernel-compiler.md X1 to X6).

#include "support.hpp"

#include <cstdlib>

namespace syclex = sycl::ext::oneapi::experimental;

namespace {
std::string build_failure(const std::string &text) {
  const sycl::queue q;
  return support::failure(sycl::errc::build, [&] { (void)support::build(q, text); });
}
std::string at(int line, int column = 0) {
  std::string place = ".cpp:" + std::to_string(support::first_line + line - 1) + ":";
  if (column != 0)
    place += std::to_string(column) + ":";
  return place;
}
} // namespace

TEST_CASE("a syntax error: clang's text, line and column of the user's string, source line and caret (X1 to X4)") {
  const std::string message = build_failure("int good;\nint bad = 1 +;\n");
  CHECK_CONTAINS(message, "Device compilation failed");
  CHECK_CONTAINS(message, at(2, 14) + " error: expected expression");
  CHECK_CONTAINS(message, "int bad = 1 +;");
  CHECK_CONTAINS(message, "^");
  CHECK_CONTAINS(message, "rtc_");
}

TEST_CASE("the main file is rtc_<n>.cpp, n rising with each build (X3)") {
  const auto number = [](const std::string &message) {
    const std::size_t position = message.find("rtc_");
    REQUIRE(position != std::string::npos);
    return std::atoi(message.c_str() + position + 4);
  };
  const int first = number(build_failure("int a = ;\n"));
  const int second = number(build_failure("int a = ;\n"));
  CHECK(second == first + 1);
}

TEST_CASE("all errors, warnings and notes are in the text (X1)") {
  const std::string message =
      build_failure("#warning one\nvoid f(int);\nvoid g() { f(\"x\"); }\nint y = undeclared;\n");
  CHECK_CONTAINS(message, at(1, 2) + " warning: one");
  CHECK_CONTAINS(message, "error: no matching function for call to 'f'");
  CHECK_CONTAINS(message, "note: candidate function not viable");
  CHECK_CONTAINS(message, at(4, 9) + " error: use of undeclared identifier 'undeclared'");
}

TEST_CASE("a missing header: build, with the line of the #include (I8)") {
  const std::string message = build_failure("#include \"non-existent.hpp\"\n");
  CHECK_CONTAINS(message, at(1, 10) + " fatal error: 'non-existent.hpp' file not found");
}

TEST_CASE("an error inside an include file names it (X3)") {
  const sycl::queue q;
  const auto source = syclex::create_kernel_bundle_from_source(
      q.get_context(), syclex::source_language::sycl, "#include \"a.hpp\"\n",
      syclex::properties{syclex::include_files{"a.hpp", "no good\n"}});
  const std::string message = support::failure(sycl::errc::build, [&] { (void)syclex::build(source); });
  CHECK_CONTAINS(message, "In file included from rtc_");
  CHECK_CONTAINS(message, "a.hpp:1:1: error:");
}

TEST_CASE("a good build after a bad one works") {
  const sycl::queue q;
  build_failure("}\n");
  CHECK(support::build(q, support::iota).ext_oneapi_has_kernel("iota"));
}

TEST_CASE("wrong kernels are diagnosed at the declaration (free-function-kernels.md 2)") {
  CHECK_CONTAINS(build_failure("extern \"C\" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::nd_range_kernel<1>)) int k() "
                               "{ return 1; }\n"),
                 at(1));
  CHECK_CONTAINS(build_failure("KERNEL_1D k(int a = 1) {}\n"), at(1));
  CHECK_CONTAINS(build_failure("KERNEL_1D k(int a, ...) {}\n"), at(1));
  CHECK_CONTAINS(build_failure("KERNEL_1D k(int &a) {}\n"), at(1));
  CHECK_CONTAINS(build_failure("SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::nd_range_kernel<4>)) void k() {}\n"), "error:");
}

TEST_CASE("what a device cannot do is a build error (free-function-kernels.md 7)") {
  CHECK_CONTAINS(build_failure("TASK k(int *p) { throw 1; }\n"), "exceptions");
  CHECK_CONTAINS(build_failure("int not_defined(int);\nTASK k(int *p) { *p = not_defined(1); }\n"), "not_defined");
}

TEST_CASE("an error object with every kind of text: long logs and bytes that are not ASCII (D-25)") {
  const std::string message = build_failure("// \xc3\xbc\nint \xe6\xb5\x8b\xe8\xaf\x95 = undeclared_\xc3\xbc;\n");
  CHECK_CONTAINS(message, "undeclared_\xc3\xbc");
  std::string many;
  for (int i = 0; i < 15; ++i)
    many += "int v" + std::to_string(i) + " = undeclared" + std::to_string(i) + ";\n";
  CHECK_CONTAINS(build_failure(many), "undeclared14");
}
