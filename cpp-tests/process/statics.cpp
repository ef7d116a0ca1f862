// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Objects that outlive main are released late without a crash, and the exit code is kept (kernel-compiler.md T6, D-12).

#include <sycl/sycl.hpp>

#include "device.hpp"

#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace syclex = sycl::ext::oneapi::experimental;
using executable_bundle = sycl::kernel_bundle<sycl::bundle_state::executable>;

namespace {

const char *const text =
    "#include <sycl/sycl.hpp>\n"
    "extern \"C\" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::single_task_kernel))\n"
    "void k(int *out) { *out = 42; }\n";

struct everything {
  std::optional<sycl::queue> queue;
  std::vector<executable_bundle> bundles;
  std::optional<sycl::kernel> kernel;
  std::vector<sycl::event> events;

  void use() {
    queue.emplace();
    const auto source =
        syclex::create_kernel_bundle_from_source(queue->get_context(), syclex::source_language::sycl, text);
    for (int i = 0; i < 3; ++i)
      bundles.push_back(syclex::build(source));
    kernel = bundles.back().ext_oneapi_get_kernel("k");
    int *out = sycl::malloc_shared<int>(1, *queue);
    events.push_back(queue->submit([&](sycl::handler &group) {
      group.set_args(out);
      group.single_task(*kernel);
    }));
    events.back().wait();
    if (*out != 42)
      std::_Exit(1);
    sycl::free(out, *queue);
  }
};

everything at_namespace_scope;

/// The members of a static that was made before the library was first used go after the library's own late actions.
struct late_user {
  everything held;
  ~late_user() {
    if (held.kernel && held.kernel->get_info<sycl::info::kernel::num_args>() != 1)
      std::_Exit(2);
  }
} used_in_its_destructor;

} // namespace

int main(int argc, char **argv) {
  if (const int status = support::status_without_device())
    return status;
  const std::string which = argc > 1 ? argv[1] : "";
  const auto finish = [] { return 0; };
  if (which == "main_static") {
    at_namespace_scope.use();
  } else if (which == "function_static") {
    static everything held;
    held.use();
  } else if (which == "thread_local") {
    std::thread([] {
      static thread_local everything held;
      held.use();
    }).join();
    static thread_local everything held;
    held.use();
  } else if (which == "other_order") {
    used_in_its_destructor.held.use();
    at_namespace_scope.use();
  } else if (which == "exit_in_thread") {
    std::thread([] {
      at_namespace_scope.use();
      std::exit(0);
    }).join();
    return 3;
  } else {
    return 4;
  }
  return finish();
}
