// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support.hpp"

#include <unordered_set>

namespace syclex = sycl::ext::oneapi::experimental;

TEST_CASE("platforms list the devices, devices know their platform (runtime.md 3)") {
  const auto platforms = sycl::platform::get_platforms();
  REQUIRE_FALSE(platforms.empty());
  std::size_t count = 0;
  for (const sycl::platform &platform : platforms) {
    CHECK_FALSE(platform.get_info<sycl::info::platform::name>().empty());
    CHECK_FALSE(platform.get_info<sycl::info::platform::vendor>().empty());
    CHECK_FALSE(platform.get_info<sycl::info::platform::version>().empty());
    CHECK(platform.get_backend() == sycl::backend::opencl);
    const auto devices = platform.get_devices();
    CHECK_FALSE(devices.empty());
    for (const sycl::device &device : devices) {
      CHECK(device.get_platform() == platform);
      CHECK(device.get_info<sycl::info::device::platform>() == platform);
    }
    count += devices.size();
  }
  CHECK(sycl::device::get_devices().size() == count);
}

TEST_CASE("devices are the same object at each enumeration (runtime.md G1)") {
  const auto once = sycl::device::get_devices();
  const auto again = sycl::device::get_devices();
  CHECK(once == again);
  const std::unordered_set<sycl::device> set(once.begin(), once.end());
  CHECK(set.size() == once.size());
  CHECK(set.count(again.front()) == 1);
}

TEST_CASE("device information") {
  namespace info = sycl::info::device;
  for (const sycl::device &device : sycl::device::get_devices()) {
    CAPTURE(device.get_info<info::name>());
    CHECK_FALSE(device.get_info<info::vendor>().empty());
    CHECK_FALSE(device.get_info<info::driver_version>().empty());
    CHECK_FALSE(device.get_info<info::version>().empty());
    CHECK(device.get_info<info::max_compute_units>() >= 1);
    CHECK(device.get_info<info::max_work_item_dimensions>() >= 3);
    CHECK(device.get_info<info::max_work_group_size>() >= 1);
    CHECK(device.get_info<info::address_bits>() >= 32);
    CHECK(device.get_info<info::global_mem_size>() >= device.get_info<info::max_mem_alloc_size>());
    CHECK(device.get_info<info::local_mem_size>() > 0);
    CHECK(device.get_info<info::max_parameter_size>() >= 256);
    CHECK(device.get_info<info::is_available>());
    const auto sizes = device.get_info<info::max_work_item_sizes<3>>();
    for (int i = 0; i < 3; ++i)
      CHECK(sizes[i] >= 1);
    CHECK(device.get_info<info::max_work_item_sizes<1>>()[0] == sizes[2]);
    for (const std::size_t size : device.get_info<info::sub_group_sizes>())
      CHECK(size > 0);
    for (const sycl::aspect aspect : device.get_info<info::aspects>())
      CHECK(device.has(aspect));
    const auto type = device.get_info<info::device_type>();
    CHECK(device.is_cpu() == (type == sycl::info::device_type::cpu));
    CHECK(device.is_gpu() == (type == sycl::info::device_type::gpu));
  }
}

TEST_CASE("selectors: score, ties, exceptions (runtime.md 3)") {
  const sycl::device chosen{sycl::default_selector_v};
  CHECK(chosen == sycl::device());
  CHECK(chosen.ext_oneapi_can_build(syclex::source_language::sycl));
  CHECK(sycl::platform() == chosen.get_platform());
  CHECK(sycl::platform(sycl::default_selector_v) == chosen.get_platform());

  const auto all = sycl::device::get_devices();
  CHECK(sycl::device([](const sycl::device &) { return 1; }) == all.front());
  CHECK(sycl::device([&](const sycl::device &device) { return device == all.back() ? 2 : 1; }) == all.back());
  support::failure(sycl::errc::runtime, [] { sycl::device never([](const sycl::device &) { return -1; }); });
  CHECK_THROWS_AS(sycl::device([](const sycl::device &) -> int { throw 7; }), int);
  CHECK(sycl::device(sycl::aspect_selector(sycl::aspect::online_compiler)).has(sycl::aspect::online_compiler));
  CHECK(sycl::device(sycl::aspect_selector<sycl::aspect::online_compiler>()).has(sycl::aspect::online_compiler));
  const std::vector<sycl::aspect> none;
  support::failure(sycl::errc::runtime, [&] {
    sycl::device device(sycl::aspect_selector(none, {sycl::aspect::cpu, sycl::aspect::gpu, sycl::aspect::accelerator,
                                                     sycl::aspect::custom}));
  });
}

TEST_CASE("a device of a kind that is not there: the exception says what was looked for (runtime.md G6)") {
  for (const auto &type : {sycl::info::device_type::gpu, sycl::info::device_type::accelerator}) {
    if (!sycl::device::get_devices(type).empty())
      continue;
    const std::string message = support::failure(sycl::errc::runtime, [&] {
      if (type == sycl::info::device_type::gpu)
        sycl::device device(sycl::gpu_selector_v);
      else
        sycl::device device(sycl::accelerator_selector_v);
    });
    CHECK_CONTAINS(message, "OpenCL");
  }
}

TEST_CASE("a device without SPIR-V is listed and cannot build (issue 2, point 6)") {
  const auto devices = support::devices_that_cannot_build();
  if (devices.empty()) {
    MESSAGE("skipped: every device here takes SPIR-V");
    return;
  }
  for (const sycl::device &device : devices) {
    CHECK_FALSE(device.ext_oneapi_can_compile(syclex::source_language::sycl));
    CHECK_FALSE(device.has(sycl::aspect::online_compiler));
    const sycl::context context(device);
    // C3: no device of the context supports the language.
    const std::string message = support::failure(sycl::errc::invalid, [&] {
      (void)syclex::create_kernel_bundle_from_source(context, syclex::source_language::sycl, support::iota);
    });
    CHECK_CONTAINS(message, device.get_info<sycl::info::device::name>());
  }
}

TEST_CASE("contexts (runtime.md 4)") {
  const sycl::device device;
  const sycl::context one(device), two(device);
  CHECK(one != two);
  CHECK(one.get_devices() == std::vector<sycl::device>{device});
  CHECK(one.get_platform() == device.get_platform());
  CHECK(one.get_info<sycl::info::context::platform>() == device.get_platform());
  CHECK(one.get_info<sycl::info::context::devices>() == one.get_devices());
  CHECK(one.get_backend() == device.get_backend());
  CHECK(sycl::context(std::vector<sycl::device>{device, device}).get_devices().size() == 1);
  CHECK(sycl::context(device.get_platform()).get_devices() == device.get_platform().get_devices());
  CHECK(sycl::context().get_devices().front() == device);
  support::failure(sycl::errc::invalid, [] { sycl::context context((std::vector<sycl::device>())); });

  std::vector<sycl::device> mixed;
  for (const sycl::platform &platform : sycl::platform::get_platforms())
    mixed.push_back(platform.get_devices().front());
  if (mixed.size() > 1)
    support::failure(sycl::errc::invalid, [&] { sycl::context context(mixed); });

  CHECK(device.get_platform().khr_get_default_context() == device.get_platform().ext_oneapi_get_default_context());
}
