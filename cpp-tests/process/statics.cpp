// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Objects that outlive main are released late without a crash, and so end processes whose threads still build and launch;
// the exit code is kept (kernel-compiler.md T6, D-12, D-13).

#include <sycl/sycl.hpp>

#include "device.hpp"

#include <atomic>
#include <chrono>
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
    "void k(int *out) { *out = 42; }\n"
    "extern \"C\" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::single_task_kernel))\n"
    "void nothing() {}\n";

/// A source that has not been built before: what is known need not be built.
std::string another_text() {
  static std::atomic<int> number{0};
  return text + ("extern \"C\" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::single_task_kernel))\n"
                 "void other_" +
                 std::to_string(number++) + "() {}\n");
}

struct everything {
  std::optional<sycl::queue> queue;
  std::vector<executable_bundle> bundles;
  std::optional<sycl::kernel> kernel, nothing;
  std::vector<sycl::event> events;

  void use() {
    queue.emplace();
    const auto source =
        syclex::create_kernel_bundle_from_source(queue->get_context(), syclex::source_language::sycl, another_text());
    for (int i = 0; i < 3; ++i)
      bundles.push_back(syclex::build(source));
    kernel = bundles.back().ext_oneapi_get_kernel("k");
    nothing = bundles.back().ext_oneapi_get_kernel("nothing");
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

/// Threads that use the device until the process ends. What they use is not destroyed at exit, and they catch nothing.
void work_for_ever(bool building) {
  auto *const held = new everything;
  held->use();
  for (int i = 0; i < 2; ++i) {
    std::thread([held, building] {
      for (everything own;;) {
        if (building)
          own.use();
        else
          held->queue->submit([&](sycl::handler &group) { group.single_task(*held->nothing); }).wait();
      }
    }).detach();
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
}

/// A compile that takes longer than anybody waits for the end of a process.
sycl::kernel_bundle<sycl::bundle_state::ext_oneapi_source> endless(const sycl::queue &queue) {
  const std::string counts = "constexpr unsigned long long count() { unsigned long long n = 0;\n"
                             "  for (unsigned long long i = 0; i < 1000000000; ++i) n += i % 7; return n; }\n"
                             "constexpr unsigned long long counted = count();\n";
  return syclex::create_kernel_bundle_from_source(queue.get_context(), syclex::source_language::sycl,
                                                  another_text() + counts);
}

/// Compiles that others wait for, and nobody, when the process ends.
void compile_for_ever() {
  const sycl::queue queue;
  const syclex::properties patient{syclex::build_options(std::string("-fconstexpr-steps=2147483647"))};
  std::thread([=] { (void)syclex::build(endless(queue), patient); }).detach();
  static const auto kept = sycl::ext::syclrtc::build_async(endless(queue), patient);
  (void)sycl::ext::syclrtc::build_async(endless(queue), patient);
  while (sycl::ext::syclrtc::get_cache_statistics().compiles_running < 3)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  // On their way to the compiler program.
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
}

void build_late() {
  try {
    const sycl::queue queue;
    const auto source =
        syclex::create_kernel_bundle_from_source(queue.get_context(), syclex::source_language::sycl, text);
    (void)syclex::build(source);
  } catch (const sycl::exception &e) {
    // The drivers may be gone by now.
    if (e.code() != sycl::errc::runtime)
      std::_Exit(5);
  }
}

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
  } else if (which == "exit_while_building") {
    work_for_ever(true);
  } else if (which == "exit_while_launching") {
    work_for_ever(false);
  } else if (which == "exit_while_compiling") {
    compile_for_ever();
  } else if (which == "build_in_exit_handler") {
    const sycl::queue loads_the_drivers;
    std::atexit(build_late);
    at_namespace_scope.use();
  } else {
    return 4;
  }
  return finish();
}
