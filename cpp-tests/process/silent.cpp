// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The library prints nothing (kernel-compiler.md X5), and does not mind if the standard streams are closed from the
// start. Everything that descriptors 1 and 2 receive while this program works goes into a file that must stay empty.

#include <sycl/sycl.hpp>

#include "device.hpp"

#include <cstdio>
#include <cstdlib>
#include <string>

#include <fcntl.h>
#include <unistd.h>

namespace syclex = sycl::ext::oneapi::experimental;

namespace {

const std::string text = "#include <sycl/sycl.hpp>\n"
                         "#warning printed by nobody\n"
                         "extern \"C\" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::single_task_kernel))\n"
                         "void k(int *out) { *out = 42; }\n";

/// 0 if all went well, else a number that says what did not.
int work() {
  sycl::queue q;
  const auto source =
      syclex::create_kernel_bundle_from_source(q.get_context(), syclex::source_language::sycl, text);
  const auto bundle = syclex::build(source);
  int *out = sycl::malloc_shared<int>(1, q);
  q.submit([&](sycl::handler &group) {
     group.set_args(out);
     group.single_task(bundle.ext_oneapi_get_kernel("k"));
   }).wait();
  const bool right = *out == 42;
  sycl::free(out, q);
  if (!right)
    return 3;
  try {
    (void)syclex::build(
        syclex::create_kernel_bundle_from_source(q.get_context(), syclex::source_language::sycl, text + "int x = ;\n"));
    return 4;
  } catch (const sycl::exception &e) {
    if (e.code() != sycl::errc::build)
      return 5;
  }
  try {
    (void)syclex::build(source, syclex::properties{syclex::build_options{"-no-such-option"}});
    return 6;
  } catch (const sycl::exception &e) {
    if (e.code() != sycl::errc::invalid)
      return 7;
  }
  try {
    (void)bundle.ext_oneapi_get_kernel("other");
    return 8;
  } catch (const sycl::exception &) {
  }
  return 0;
}

} // namespace

int main() {
  if (const int status = support::status_without_device())
    return status;

  char name[] = "/tmp/syclrtc_silent_XXXXXX";
  const int sink = mkstemp(name);
  if (sink < 0)
    return 10;
  unlink(name);
  // With streams that were closed at the start, 0, 1 and 2 may be anybody's by now; only open ones are redirected.
  const bool had_streams = fcntl(STDOUT_FILENO, F_GETFD) != -1 && fcntl(STDERR_FILENO, F_GETFD) != -1 && sink > 2;
  if (had_streams) {
    dup2(sink, STDOUT_FILENO);
    dup2(sink, STDERR_FILENO);
  }
  const int result = work();
  std::fflush(nullptr);
  if (result != 0)
    return result;
  return lseek(sink, 0, SEEK_END) == 0 ? 0 : 11;
}
