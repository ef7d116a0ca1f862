// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Device globals of bundles (kernel-compiler.md 8.3).

#include "support.hpp"

namespace syclex = sycl::ext::oneapi::experimental;
using support::executable_bundle;
using support::run_task;

namespace {

const std::string counter = "syclexp::device_global<int> counter;\n"
                            "TASK add(int *out) { counter += 10; *out = counter; }\n"
                            "TASK twice(int *out) { counter = counter * 2; *out = counter; }\n";
const std::string source =
    counter +
    "syclexp::device_global<int[4]> table{1, 2, 3, 4};\n"
    "namespace ns { struct pair { short a; double b; }; syclexp::device_global<pair> value{short{7}, 2.5}; }\n"
    "syclexp::device_global<int, decltype(syclexp::properties(syclexp::device_image_scope))> scoped;\n"
    "int plain;\n"
    "TASK third(int *out) { *out = table[2]; }\n"
    "TASK value_b(int *out) { *out = static_cast<int>(10 * ns::value.get().b) + ns::value.get().a; }\n"
    "TASK use_scoped(int *out) { scoped = scoped + 3; *out = scoped; }\n";

// Initial values need it.
const syclex::build_options cxx20{"-std=c++20"};

/// Built once, for tests that change nothing in it.
const executable_bundle &whole(const sycl::queue &q) {
  static const auto bundle = support::build(q, source, cxx20, syclex::registered_names{"::ns::value"});
  return bundle;
}

template <class T> T read(sycl::queue q, const executable_bundle &bundle, const std::string &name) {
  T value{};
  q.memcpy(&value, bundle.ext_oneapi_get_device_global_address(name, q.get_device()), sizeof(value)).wait();
  return value;
}
template <class T> void write(sycl::queue q, const executable_bundle &bundle, const std::string &name, T value) {
  q.memcpy(bundle.ext_oneapi_get_device_global_address(name, q.get_device()), &value, sizeof(value)).wait();
}

} // namespace

TEST_CASE("names and sizes") {
  const sycl::queue q;
  const auto &bundle = whole(q);
  for (const char *name : {"counter", "table", "ns::value"}) {
    CAPTURE(name);
    CHECK(bundle.ext_oneapi_has_device_global(name));
  }
  for (const char *name : {"scoped", "plain", "value", "add", "", "none"}) {
    CAPTURE(name);
    CHECK_FALSE(bundle.ext_oneapi_has_device_global(name));
  }
  CHECK(bundle.ext_oneapi_get_device_global_size("counter") == 4);
  CHECK(bundle.ext_oneapi_get_device_global_size("table") == 16);
  CHECK(bundle.ext_oneapi_get_device_global_size("ns::value") == 16);
}

TEST_CASE("a registered string names a variable (N9)") {
  const sycl::queue q;
  CHECK(whole(q).ext_oneapi_has_device_global("::ns::value"));
  CHECK(whole(q).ext_oneapi_get_device_global_address("::ns::value", q.get_device()) ==
        whole(q).ext_oneapi_get_device_global_address("ns::value", q.get_device()));
}

TEST_CASE("host and kernels see one variable, with its initial value") {
  const sycl::queue q;
  const auto bundle = support::build(q, source, cxx20);
  CHECK(read<int>(q, bundle, "counter") == 0);
  CHECK(read<std::array<int, 4>>(q, bundle, "table") == std::array<int, 4>{1, 2, 3, 4});
  CHECK(run_task(q, bundle, "third") == 3);
  CHECK(run_task(q, bundle, "value_b") == 32);
  CHECK(run_task(q, bundle, "add") == 10);
  CHECK(run_task(q, bundle, "twice") == 20);
  CHECK(read<int>(q, bundle, "counter") == 20);
  write(q, bundle, "counter", 100);
  CHECK(run_task(q, bundle, "add") == 110);
  write(q, bundle, "table", std::array<int, 4>{5, 6, 7, 8});
  CHECK(run_task(q, bundle, "third") == 7);
  void *const address = bundle.ext_oneapi_get_device_global_address("counter", q.get_device());
  CHECK(address == bundle.ext_oneapi_get_device_global_address("counter", q.get_device()));
  CHECK(sycl::get_pointer_type(address, q.get_context()) == sycl::usm::alloc::device);
}

TEST_CASE("before C++20: zero") {
  const sycl::queue q;
  const auto bundle = support::build(q, counter);
  CHECK(run_task(q, bundle, "twice") == 0);
  write(q, bundle, "counter", 4);
  CHECK(run_task(q, bundle, "twice") == 8);
}

TEST_CASE("a joined bundle shares the storage of its parts") {
  const sycl::queue q;
  const auto bundle = support::build(q, counter);
  const auto other = support::build(q, "TASK other(int *out) { *out = 1; }\n");
  const auto joined = sycl::join(std::vector{bundle, other});
  write(q, joined, "counter", 7);
  CHECK(read<int>(q, bundle, "counter") == 7);
  CHECK(run_task(q, joined, "add") == 17);
}

TEST_CASE("per bundle, whatever the source or the split (B6; names-and-linking.md A7, B7)") {
  const sycl::queue q;
  const auto text = support::source(q, counter);
  const executable_bundle bundles[] = {
      syclex::build(text),
      syclex::build(text),
      syclex::build(text, syclex::properties{syclex::build_options{"-fsycl-device-code-split=per_kernel"}}),
      sycl::link(syclex::compile(text)),
  };
  for (const executable_bundle &each : bundles) {
    CHECK(run_task(q, each, "add") == 10);
    CHECK(run_task(q, each, "twice") == 20);
    CHECK(read<int>(q, each, "counter") == 20);
  }
  CHECK(run_task(q, bundles[0], "add") == 30);
  CHECK(read<int>(q, bundles[1], "counter") == 20);
}

TEST_CASE("a kernel keeps the storage (T4)") {
  const sycl::queue q;
  auto bundle = std::make_unique<executable_bundle>(support::build(q, counter));
  const sycl::kernel add = bundle->ext_oneapi_get_kernel("add");
  CHECK(run_task(q, add) == 10);
  bundle.reset();
  CHECK(run_task(q, add) == 20);
}

TEST_CASE("device_image_scope: works in kernels, not from the host") {
  const sycl::queue q;
  const auto &bundle = whole(q);
  CHECK(run_task(q, bundle, "use_scoped") == 3);
  CHECK(run_task(q, bundle, "use_scoped") == 6);
  CHECK_CONTAINS(support::failure(
                     sycl::errc::invalid,
                     [&] { (void)bundle.ext_oneapi_get_device_global_address("scoped", q.get_device()); }),
                 "Cannot query USM pointer for device global with 'device_image_scope' property");
}

TEST_CASE("errors (table of 8.3)") {
  const sycl::queue q;
  const auto &bundle = whole(q);
  CHECK_CONTAINS(support::failure(
                     sycl::errc::invalid,
                     [&] { (void)bundle.ext_oneapi_get_device_global_address("zz", q.get_device()); }),
                 "device global 'zz' not found in kernel_bundle");
  support::failure(sycl::errc::invalid, [&] { (void)bundle.ext_oneapi_get_device_global_size("zz"); });
  for (const sycl::device &other : sycl::device::get_devices()) {
    if (other != q.get_device())
      support::failure(sycl::errc::invalid,
                       [&] { (void)bundle.ext_oneapi_get_device_global_address("counter", other); });
  }
}

TEST_CASE("objects know the names; linked bundles share an exported variable") {
  const sycl::queue q;
  const auto object = support::compile(q, source, cxx20);
  CHECK(object.ext_oneapi_has_device_global("counter"));
  CHECK(object.ext_oneapi_get_device_global_size("table") == 16);
  support::failure(sycl::errc::invalid,
                   [&] { (void)object.ext_oneapi_get_device_global_address("counter", q.get_device()); });

  const auto owner = support::compile(
      q, "SYCL_EXTERNAL syclexp::device_global<int> shared{5};\nTASK inc(int *out) { shared += 1; *out = shared; }\n",
      cxx20);
  const auto user = support::compile(
      q, "SYCL_EXTERNAL extern syclexp::device_global<int> shared;\nTASK get(int *out) { *out = shared; }\n", cxx20);
  const auto linked = sycl::link({user, owner});
  CHECK(run_task(q, linked, "inc") == 6);
  CHECK(run_task(q, linked, "get") == 6);
}
