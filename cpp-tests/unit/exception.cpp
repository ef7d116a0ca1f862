// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support.hpp"

#include <exception>
#include <string>
#include <system_error>

using sycl::errc;

TEST_CASE("an exception holds code, category and text (runtime.md 2)") {
  const sycl::exception e(make_error_code(errc::invalid), "the text");
  CHECK(e.code() == errc::invalid);
  CHECK(e.code() != errc::build);
  CHECK(e.category() == sycl::sycl_category());
  CHECK(std::string(e.category().name()) == "sycl");
  CHECK(std::string(e.what()) == "the text");
  CHECK_FALSE(e.has_context());
  CHECK_THROWS_AS((void)e.get_context(), sycl::exception);
}

TEST_CASE("all constructors") {
  const std::error_code code = errc::nd_range;
  const int value = static_cast<int>(errc::nd_range);
  const sycl::queue q;
  const sycl::context c = q.get_context();
  const std::string text = "text";
  const sycl::exception without[] = {
      sycl::exception(code, text),
      sycl::exception(code, "text"),
      sycl::exception(code),
      sycl::exception(value, sycl::sycl_category(), text),
      sycl::exception(value, sycl::sycl_category(), "text"),
      sycl::exception(value, sycl::sycl_category()),
  };
  for (const sycl::exception &e : without) {
    CHECK(e.code() == errc::nd_range);
    CHECK_FALSE(std::string(e.what()).empty());
    CHECK_FALSE(e.has_context());
  }
  const sycl::exception with[] = {
      sycl::exception(c, code, text),
      sycl::exception(c, code, "text"),
      sycl::exception(c, code),
      sycl::exception(c, value, sycl::sycl_category(), text),
      sycl::exception(c, value, sycl::sycl_category(), "text"),
      sycl::exception(c, value, sycl::sycl_category()),
  };
  for (const sycl::exception &e : with) {
    CHECK(e.code() == errc::nd_range);
    CHECK(e.has_context());
    CHECK(e.get_context() == c);
  }
}

TEST_CASE("copies, std::exception and exception_ptr keep everything") {
  std::exception_ptr stored;
  try {
    throw sycl::exception(make_error_code(errc::build), "log");
  } catch (const std::exception &e) {
    CHECK(std::string(e.what()) == "log");
    stored = std::current_exception();
  }
  try {
    std::rethrow_exception(stored);
  } catch (sycl::exception &e) {
    const sycl::exception copy = e;
    e = sycl::exception(make_error_code(errc::event), "other");
    CHECK(copy.code() == errc::build);
    CHECK(std::string(copy.what()) == "log");
    CHECK(e.code() == errc::event);
  }
}

TEST_CASE("each code has a text") {
  for (int value = 0; value <= static_cast<int>(errc::backend_mismatch); ++value) {
    CHECK_FALSE(sycl::sycl_category().message(value).empty());
    CHECK(sycl::sycl_category().message(value) != "unknown error");
  }
  CHECK(sycl::sycl_category().message(99) == "unknown error");
}
