// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support.hpp"

namespace syclex = sycl::ext::oneapi::experimental;

TEST_CASE("include_files: constructors and add (kernel-compiler.md 5.1)") {
  syclex::include_files files;
  files.add("a.h", "1");
  files.add("dir/a.h", "2");
  const std::string message = support::failure(sycl::errc::invalid, [&] { files.add("a.h", "3"); });
  CHECK_CONTAINS(message, "a.h");
  REQUIRE(files.syclrtc_files().size() == 2);
  CHECK(files.syclrtc_files()[0].second == "1");

  const syclex::include_files one("b.h", std::string("x\0y", 3));
  REQUIRE(one.syclrtc_files().size() == 1);
  CHECK(one.syclrtc_files()[0].second.size() == 3);
}

TEST_CASE("build_options and registered_names: every way to write them (5.2, 5.4)") {
  const std::string string = "-DA";
  const std::vector<std::string> list = {"-DA", "-DB"};
  CHECK(syclex::build_options{}.opts.empty());
  CHECK(syclex::build_options{string}.opts == std::vector<std::string>{"-DA"});
  CHECK(syclex::build_options{"-DA"}.opts == std::vector<std::string>{"-DA"});
  CHECK(syclex::build_options{list}.opts == list);
  CHECK(syclex::build_options(list).opts == list);
  CHECK(syclex::build_options{{"-DA", "-DB"}}.opts == list);
  CHECK(syclex::build_options{std::vector<std::string>{"-DA", "-DB"}}.opts == list);
  syclex::build_options options{"-DA"};
  options.add("-DB");
  CHECK(options.opts == list);

  CHECK(syclex::registered_names{}.names.empty());
  CHECK(syclex::registered_names{"k<int>"}.names == std::vector<std::string>{"k<int>"});
  CHECK(syclex::registered_names{{"k<int>", "k<float>"}}.names == std::vector<std::string>{"k<int>", "k<float>"});
  CHECK(syclex::registered_names{{"k<int>", "k<float>", "j"}}.names.size() == 3);
  CHECK(syclex::registered_names(list).names == list);
  syclex::registered_names names;
  names.add("k");
  CHECK(names.names == std::vector<std::string>{"k"});
}

TEST_CASE("the former name of registered_names still compiles (5.4)") {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  const syclex::registered_kernel_names names{"k"};
#pragma GCC diagnostic pop
  CHECK(names.names.size() == 1);
}

TEST_CASE("property lists with run-time properties") {
  std::string log;
  syclex::properties list{syclex::save_log{&log}, syclex::build_options{"-O1"}};
  static_assert(decltype(list)::has_property<syclex::save_log>());
  static_assert(decltype(list)::has_property<syclex::build_options_key>());
  static_assert(!decltype(list)::has_property<syclex::registered_names>());
  CHECK(list.get_property<syclex::save_log>().log == &log);
  CHECK(list.get_property<syclex::build_options>().opts.size() == 1);
  // The order of the values makes no difference to the type.
  static_assert(std::is_same_v<decltype(list), decltype(syclex::properties{syclex::build_options{}, syclex::save_log{nullptr}})>);
}

TEST_CASE("sycl::property_list (runtime.md G2)") {
  namespace property = sycl::property::queue;
  const sycl::property_list list{property::in_order{}};
  CHECK(list.has_property<property::in_order>());
  CHECK_FALSE(list.has_property<property::enable_profiling>());
  CHECK_NOTHROW((void)list.get_property<property::in_order>());
  support::failure(sycl::errc::invalid, [&] { (void)list.get_property<property::enable_profiling>(); });
  CHECK_FALSE(sycl::property_list{}.has_property<property::in_order>());
}
