// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "support.hpp"

#include <cstddef>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace device_test {

namespace syclex = sycl::ext::oneapi::experimental;

/// The text of a file of this folder.
inline std::string read(const std::string &name) {
  std::ifstream file(std::string(SYCLRTC_DEVICE_TESTS "/") + name);
  REQUIRE_MESSAGE(file.good(), name);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Builds a source; on failure the compiler's own text is the test's message.
inline support::executable_bundle build_text(const sycl::queue &q, const std::string &text,
                                             const std::vector<std::string> &options) {
  try {
    auto source = syclex::create_kernel_bundle_from_source(q.get_context(), syclex::source_language::sycl, text);
    return syclex::build(source, syclex::properties{syclex::build_options{options}});
  } catch (const sycl::exception &e) {
    const std::string log = e.what();
    FAIL("the kernels do not build: ", log);
    throw;
  }
}

struct built_kernels {
  sycl::queue queue;
  support::executable_bundle bundle;
};

/// Builds a file of this folder, where its own includes are found. Once per program: drivers take seconds for some.
inline built_kernels &built(const std::string &name, const std::string &level) {
  // Never destroyed, so that it does not matter in which order the drivers end.
  static auto &all = *new std::map<std::pair<std::string, std::string>, built_kernels>;
  const auto key = std::make_pair(name, level);
  auto found = all.find(key);
  if (found == all.end()) {
    sycl::queue q;
    found = all.emplace(key, built_kernels{q, build_text(q, read(name), {"-I", SYCLRTC_DEVICE_TESTS, level})}).first;
  }
  return found->second;
}

/// Runs a test with the kernels of a file, at two levels of optimisation.
template <class Test> void with_kernels(const std::string &name, Test test) {
  for (const std::string level : {"-O0", "-O2"}) {
    CAPTURE(level);
    built_kernels &kernels = built(name, level);
    test(kernels.queue, kernels.bundle);
  }
}

template <class Range, class... Args>
void launch(sycl::queue &q, const sycl::kernel &kernel, const Range &range, Args... args) {
  q.submit([&](sycl::handler &group) {
     group.set_args(args...);
     group.parallel_for(range, kernel);
   }).wait();
}

} // namespace device_test
