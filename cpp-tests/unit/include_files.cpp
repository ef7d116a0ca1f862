// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How an #include finds its file (kernel-compiler.md section 6).

#include "support.hpp"

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include <sys/stat.h>
#include <unistd.h>

namespace syclex = sycl::ext::oneapi::experimental;

namespace {

/// A folder that is the current one while the object lives.
class scratch_folder {
public:
  scratch_folder() {
    char name[] = "/tmp/syclrtc_include_XXXXXX";
    REQUIRE(mkdtemp(name) != nullptr);
    path_ = name;
    char before[4096];
    REQUIRE(getcwd(before, sizeof(before)) != nullptr);
    before_ = before;
    REQUIRE(chdir(name) == 0);
  }
  scratch_folder(const scratch_folder &) = delete;
  scratch_folder &operator=(const scratch_folder &) = delete;
  ~scratch_folder() {
    (void)(chdir(before_.c_str()) + 0);
    for (auto each = made_.rbegin(); each != made_.rend(); ++each)
      std::remove(each->c_str());
    std::remove(path_.c_str());
  }

  const std::string &path() const { return path_; }
  void folder(const std::string &name) {
    REQUIRE(mkdir((path_ + "/" + name).c_str(), 0700) == 0);
    made_.push_back(path_ + "/" + name);
  }
  void file(const std::string &name, const std::string &content) {
    std::ofstream(path_ + "/" + name) << content;
    made_.push_back(path_ + "/" + name);
  }

private:
  std::string path_, before_;
  std::vector<std::string> made_;
};

/// Runs a kernel that writes VALUE, a macro that an included file defines.
int value_of(const std::string &includes, const syclex::include_files &files,
             const syclex::build_options &options = {}) {
  sycl::queue q;
  const auto source = syclex::create_kernel_bundle_from_source(
      q.get_context(), syclex::source_language::sycl,
      includes + support::prelude + "TASK k(int *out) { *out = VALUE; }\n", syclex::properties{files});
  const auto bundle = syclex::build(source, syclex::properties{options});
  support::shared_array<int> out(q, 1);
  q.submit([&](sycl::handler &group) {
     group.set_args(out.get());
     group.single_task(bundle.ext_oneapi_get_kernel("k"));
   }).wait();
  return out[0];
}

} // namespace

TEST_CASE("include files are found by their full name, quoted or in angles, nested too (I1, I5)") {
  CHECK(value_of("#include \"a.h\"\n", {"a.h", "#define VALUE 1\n"}) == 1);
  CHECK(value_of("#include <a.h>\n", {"a.h", "#define VALUE 2\n"}) == 2);
  CHECK(value_of("#include \"dir/a.h\"\n", {"dir/a.h", "#define VALUE 3\n"}) == 3);
  CHECK(value_of("#include \"/no/such/place/a.h\"\n", {"/no/such/place/a.h", "#define VALUE 4\n"}) == 4);
  syclex::include_files nested;
  nested.add("outer.h", "#include <sub/inner.h>\n");
  nested.add("sub/inner.h", "#include \"value.h\"\n");
  nested.add("value.h", "#define VALUE 5\n");
  CHECK(value_of("#include \"outer.h\"\n", nested) == 5);
}

TEST_CASE("order: include files, current folder, -I in order (I2, I3)") {
  scratch_folder here;
  here.folder("one");
  here.folder("two");
  here.file("one/a.h", "#define VALUE 1\n");
  here.file("two/a.h", "#define VALUE 2\n");
  const std::string include = "#include \"a.h\"\n";
  const syclex::build_options both{{"-Ione", "-I", "two"}};
  CHECK(value_of(include, {}, both) == 1);
  CHECK(value_of(include, {}, syclex::build_options{{"--include-directory=two", "-Ione"}}) == 2);
  CHECK(value_of(include, {}, syclex::build_options{{"-I" + here.path() + "/two"}}) == 2);
  here.file("a.h", "#define VALUE 3\n");
  CHECK(value_of(include, {}, both) == 3);
  CHECK(value_of(include, {"a.h", "#define VALUE 4\n"}, both) == 4);
}

TEST_CASE("equal sources with different include files do not share code (I9)") {
  CHECK(value_of("#include \"a.h\"\n", {"a.h", "#define VALUE 6\n"}) == 6);
  CHECK(value_of("#include \"a.h\"\n", {"a.h", "#define VALUE 7\n"}) == 7);
}

TEST_CASE("an include file wins over a header of the library of the same name (I7)") {
  CHECK(value_of("#include <sycl/ext/my.hpp>\n", {"sycl/ext/my.hpp", "#define VALUE 8\n"}) == 8);
  CHECK(value_of("#include <cstdbool>\n", {"cstdbool", "#define VALUE 9\n"}) == 9);
}

TEST_CASE("the property is refused by other languages (C4)") {
  const sycl::queue q;
  const syclex::properties files{syclex::include_files{"a.h", ""}};
  support::failure(sycl::errc::invalid, [&] {
    (void)syclex::create_kernel_bundle_from_source(q.get_context(), syclex::source_language::opencl, "", files);
  });
  support::failure(sycl::errc::invalid, [&] {
    (void)syclex::create_kernel_bundle_from_source(q.get_context(), syclex::source_language::spirv,
                                                   std::vector<std::byte>(4), files);
  });
}
