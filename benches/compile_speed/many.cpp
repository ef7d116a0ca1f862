// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Many builds of tiny kernels in one process. Results are checked, in the loop each hundredth.
//
//   many KERNELS list COUNT [OPTION...]        builds 0 ... COUNT - 1, one after the other; prints, if the library can tell,
//                                              how many compiles that took
//   many KERNELS threads THREADS COUNT         each of the threads builds COUNT kernels of its own, every other one with an
//                                              error that its log must name; prints WALL_NS
//   many KERNELS loop COUNT                    builds COUNT kernels and lets go of each, after a warm-up of a tenth; prints
//                                              PROGRAM_BYTES HELPERS_BYTES: by how much the memory grew in a build, in this
//                                              process and in the processes that it started

#include "workloads.hpp"

#include <malloc.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <thread>

namespace {

void build_and_check(sycl::queue &queue, const workloads::workload &what, int number, const std::vector<std::string> &options = {}) {
  workloads::bundle built = workloads::build(queue, what, number, options);
  what.check(queue, built, number);
}

// The same kernel behind an error of its own.
class broken final : public workloads::workload {
public:
  explicit broken(const workloads::workload &good) : workload(""), good_(good) {}
  std::string text(int build) const override { return good_.text(build) + "int broken = " + mark(build) + ";\n"; }
  std::string kernel(int build) const override { return good_.kernel(build); }
  void check(sycl::queue &, workloads::bundle &, int build) const override { workloads::fail(mark(build) + " was built"); }
  static std::string mark(int build) { return "undeclared_" + std::to_string(build) + "_"; }

private:
  const workloads::workload &good_;
};

void expect_error(sycl::queue &queue, const broken &what, int number) {
  try {
    build_and_check(queue, what, number);
  } catch (const sycl::exception &e) {
    const std::string log = e.what(), mark = broken::mark(number);
    std::size_t others = 0;
    for (std::size_t at = log.find("undeclared_"); at != std::string::npos; at = log.find("undeclared_", at + 1)) {
      others += log.compare(at, mark.size(), mark) != 0;
    }
    if (e.code() != sycl::errc::build || log.find(mark) == std::string::npos || others) {
      workloads::fail("the wrong error for " + mark + ": " + log);
    }
  }
}

void with_threads(sycl::queue &queue, const workloads::workload &what, int threads, int count) {
  const broken bad(what);
  std::vector<std::thread> all;
  const auto before = std::chrono::steady_clock::now();
  for (int thread = 0; thread < threads; ++thread) {
    all.emplace_back([&, thread] {
      for (int i = 0; i < count; ++i) {
        const int number = thread * count + i;
        if (i % 2) {
          expect_error(queue, bad, number);
        } else {
          build_and_check(queue, what, number);
        }
      }
    });
  }
  for (std::thread &each : all) {
    each.join();
  }
  std::printf("%lld\n", static_cast<long long>(
                            std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - before).count()));
}

// A value of /proc/PID/status in bytes; -1 if the process is gone.
long status_bytes(const std::string &pid, const char *field) {
  std::ifstream status("/proc/" + pid + "/status");
  std::string line;
  while (std::getline(status, line)) {
    if (line.compare(0, std::strlen(field), field) == 0) {
      return std::atol(line.c_str() + std::strlen(field)) * 1024;
    }
  }
  return -1;
}

// Anonymous memory: what a process allocated, without the files that it maps.
long program_bytes() {
  malloc_trim(0);
  return status_bytes("self", "RssAnon:");
}

long helpers_bytes() {
  long sum = 0;
  const std::string self = std::to_string(getpid());
  for (const auto &entry : std::filesystem::directory_iterator("/proc")) {
    const std::string pid = entry.path().filename();
    std::ifstream stat(entry.path() / "stat");
    std::string line;
    if (pid.find_first_not_of("0123456789") != std::string::npos || !std::getline(stat, line)) {
      continue;
    }
    // "pid (name) state parent ..."
    std::istringstream rest(line.substr(line.rfind(')') + 1));
    std::string state, parent;
    if (rest >> state >> parent && parent == self) {
      sum += std::max(0L, status_bytes(pid, "RssAnon:"));
    }
  }
  return sum;
}

// A launch would add what the driver keeps of that, so only some are checked.
void build_and_release(sycl::queue &queue, const workloads::workload &what, int number) {
  workloads::bundle built = workloads::build(queue, what, number);
  const sycl::kernel kernel = built.ext_oneapi_get_kernel(what.kernel(number));
  if (number % 100 == 0) {
    what.check(queue, built, number);
  }
}

void in_a_loop(sycl::queue &queue, const workloads::workload &what, int count) {
  int number = 0;
  for (; number < count / 10; ++number) {
    build_and_release(queue, what, number);
  }
  const long program = program_bytes(), helpers = helpers_bytes();
  for (int i = 0; i < count; ++i, ++number) {
    build_and_release(queue, what, number);
  }
  std::printf("%.1f %.1f\n", static_cast<double>(program_bytes() - program) / count,
              static_cast<double>(helpers_bytes() - helpers) / count);
}

} // namespace

int main(int argc, char **argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() < 3) {
    std::fprintf(stderr, "usage: %s KERNELS list|threads|loop ...\n", argv[0]);
    return 2;
  }
  const auto what = workloads::make("tiny", arguments[0]);
  sycl::queue queue;
  if (arguments[1] == "threads") {
    with_threads(queue, *what, std::stoi(arguments[2]), std::stoi(arguments.at(3)));
  } else if (arguments[1] == "loop") {
    in_a_loop(queue, *what, std::stoi(arguments[2]));
  } else {
    const std::vector<std::string> options(arguments.begin() + 3, arguments.end());
    for (int number = 0; number < std::stoi(arguments[2]); ++number) {
      build_and_check(queue, *what, number, options);
    }
#ifdef SYCL_EXT_SYCLRTC
    std::printf("%llu\n", static_cast<unsigned long long>(sycl::ext::syclrtc::get_cache_statistics().compiles));
#endif
  }
}
