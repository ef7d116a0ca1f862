// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What build options do to a program (kernel-compiler.md section 10, surface.md section 5).

#include "support.hpp"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

#include <unistd.h>

namespace syclex = sycl::ext::oneapi::experimental;
using support::iota;

namespace {

std::string text_of(const std::string &path) {
  std::ifstream file(path);
  REQUIRE(file.good());
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// A file name that is free, and a file that is gone in the end.
class scratch_file {
public:
  scratch_file() {
    char name[] = "/tmp/syclrtc_options_XXXXXX";
    const int file = mkstemp(name);
    REQUIRE(file != -1);
    close(file);
    path_ = name;
  }
  scratch_file(const scratch_file &) = delete;
  scratch_file &operator=(const scratch_file &) = delete;
  ~scratch_file() { std::remove(path_.c_str()); }
  const std::string &path() const { return path_; }

private:
  std::string path_;
};

/// What comes out of standard output and error while `call` runs.
template <class Call> std::string printed(Call call) {
  const scratch_file file;
  std::fflush(nullptr);
  const int out = dup(1), err = dup(2);
  REQUIRE(std::freopen(file.path().c_str(), "a", stdout) != nullptr);
  REQUIRE(dup2(1, 2) == 2);
  call();
  std::fflush(nullptr);
  REQUIRE(dup2(out, 1) == 1);
  REQUIRE(dup2(err, 2) == 2);
  close(out);
  close(err);
  return text_of(file.path());
}

std::string refused(const std::vector<std::string> &options) {
  const sycl::queue q;
  return support::failure(sycl::errc::invalid,
                          [&] { (void)support::build(q, iota, syclex::build_options{options}); });
}

std::ptrdiff_t images(const support::executable_bundle &bundle) { return std::distance(bundle.begin(), bundle.end()); }

} // namespace

TEST_CASE("code is right at every level, with debug information and fast arithmetic (10.3)") {
  const sycl::queue q;
  const std::string text = "inline int twice(int x) { int kept = x; return kept * 2; }\n"
                           "TASK k(int *out) { int sum = 0; for (int i = 0; i != 10; ++i) sum += twice(i); *out = sum + X; }\n";
  const std::vector<std::vector<std::string>> lists = {
      {"-O0"}, {"-O1"}, {"-O2"},        {"-O3"}, {"-Os"},         {"-Oz"},         {"-Og"},
      {"-g"},  {"-g", "-O0"}, {"-g", "-O3"}, {"-ffast-math"}, {"-std=c++20"}, {"-std=c++23"}};
  for (std::vector<std::string> options : lists) {
    CAPTURE(options.back());
    options.insert(options.end(), {"-D", "X=5"});
    const auto bundle = support::build(q, text, syclex::build_options{options});
    CHECK(support::run_task(q, bundle, "k") == 95);
  }
}

TEST_CASE("-Xs reaches the driver's compiler (10.2)") {
  const sycl::queue q;
  for (const std::vector<std::string> &options :
       std::vector<std::vector<std::string>>{{"-Xs", "-cl-opt-disable"}, {"-Xscl-opt-disable"}}) {
    const auto bundle = support::build(q, "TASK k(int *out) { *out = 7; }\n", syclex::build_options{options});
    CHECK(support::run_task(q, bundle, "k") == 7);
  }
  // It is the driver who has to know the option.
  const std::string message = support::failure(sycl::errc::build, [&] {
    (void)support::build(q, iota, syclex::build_options{std::vector<std::string>{"-Xs", "-cl-no-such-option"}});
  });
  CHECK_CONTAINS(message, q.get_device().get_info<sycl::info::device::name>());
}

TEST_CASE("device images follow -fsycl-device-code-split (10.3)") {
  const sycl::queue q;
  const std::string three = "TASK a(int *out) { *out = 1; }\nTASK b(int *out) { *out = 2; }\nTASK c(int *out) { *out = 3; }\n";
  const auto built = [&](const std::string &value) {
    const auto bundle = support::build(q, three, syclex::build_options{"-fsycl-device-code-split=" + value});
    CHECK(support::run_task(q, bundle, "a") == 1);
    CHECK(support::run_task(q, bundle, "b") == 2);
    CHECK(support::run_task(q, bundle, "c") == 3);
    return images(bundle);
  };
  CHECK(built("per_kernel") == 3);
  CHECK(built("per_source") == 1);
  CHECK(built("off") == 1);
  const auto automatic = built("auto");
  CHECK(automatic >= 1);
  CHECK(automatic <= 3);
  const auto sizes = support::build(q, "KERNEL_1D a [[sycl::reqd_work_group_size(8)]] (int *out) { *out = 1; }\n"
                                       "KERNEL_1D b [[sycl::reqd_work_group_size(4)]] (int *out) { *out = 2; }\n");
  CHECK(images(sizes) == 2);
  CHECK_CONTAINS(refused({"-fsycl-device-code-split=none"}), "-fsycl-device-code-split=none");
}

TEST_CASE("-ftime-trace writes where it shall (10.3, X5)") {
  const sycl::queue q;
  const std::string shown = printed([&] {
    (void)support::build(q, iota, syclex::build_options{std::vector<std::string>{"-ftime-trace=-", "-ftime-trace-verbose"}});
  });
  CHECK(shown.rfind("{\"traceEvents\":", 0) == 0);
  CHECK_CONTAINS(shown, "\"Frontend\"");
  const scratch_file file;
  const std::string silent =
      printed([&] { (void)support::build(q, iota, syclex::build_options{"-ftime-trace=" + file.path()}); });
  CHECK(silent.empty());
  CHECK(text_of(file.path()).rfind("{\"traceEvents\":", 0) == 0);
  const std::string message = refused({"-ftime-trace=-", "-ftime-trace-granularity=invalid_int"});
  CHECK_CONTAINS(message, "Invalid time trace granularity\n");
  CHECK_CONTAINS(message, "invalid integral value 'invalid_int' in '-ftime-trace-granularity=invalid_int'");
}

TEST_CASE("options at fault: the texts that programs look for (surface.md 5)") {
  CHECK(refused({"--auto-pch", "--persistent-auto-pch=/tmp/x"}) ==
        "Parsing of user arguments failed\nDetailed information:\n"
        "\t--auto-pch and --persistent-auto-pch= cannot be used together");
  CHECK(refused({"-fsycl-targets=intel_gpu_pvc"}) ==
        "Parsing of user arguments failed\nDetailed information:\n"
        "\tOption '-fsycl-targets=intel_gpu_pvc' is not supported for SYCL runtime compilation");
  CHECK_CONTAINS(refused({"--auto-pchh"}), "unknown argument: '--auto-pchh'; did you mean '--auto-pch'?");
  CHECK_CONTAINS(refused({"-ftemplate-depth=x"}), "invalid integral value 'x'");
}

TEST_CASE("a failing build prints nothing, whatever the options (X5)") {
  const sycl::queue q;
  const std::string shown = printed([&] {
    for (const char *option : {"-ftime-trace=-", "-Rpass=.*", "-fdiagnostics-color=always", "-fdebug-pass-structure"})
      support::failure(sycl::errc::build,
                       [&] { (void)support::build(q, "int x = ;\n", syclex::build_options{option}); });
  });
  CHECK(shown.empty());
}

TEST_CASE("remarks of the optimiser are in the log (5.3, 10.2)") {
  const sycl::queue q;
  std::string log;
  (void)support::build(q, "inline int twice(int x) { return x * 2; }\nTASK k(int *out) { *out = twice(*out); }\n",
                       syclex::build_options{"-Rpass=inline"}, syclex::save_log{&log});
  CHECK_CONTAINS(log, "remark: ");
  CHECK_CONTAINS(log, "[-Rpass=inline]");
}
