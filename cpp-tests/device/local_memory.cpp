// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Local memory as an argument (free-function-kernels.md section 6).

#include "device_test.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace syclexp = sycl::ext::oneapi::experimental;

namespace {

struct three {
  char a;
  short b;
  char c;
};
struct tile {
  float scale;
  sycl::local_accessor<float, 2> values;
};
struct base {
  syclexp::work_group_memory<int[]> counts;
};
struct everything : base {
  char before;
  tile tiles[2];
  struct {
    short number;
    syclexp::work_group_memory<long> sum;
  } inner;
  int *out;
};

template <class Test> void with_kernels(Test test) { device_test::with_kernels("kernels/local_memory.cpp", test); }

/// Submits a launch whose arguments `set` sets.
template <class Range, class Set> void run(sycl::queue &q, const sycl::kernel &kernel, const Range &range, Set set) {
  q.submit([&](sycl::handler &group) {
     set(group);
     group.parallel_for(range, kernel);
   }).wait();
}

/// Runs a kernel that reverses each group of 64 numbers.
template <class Set> void check_reverse(sycl::queue &q, const sycl::kernel &kernel, Set set) {
  const support::shared_array<int> data(q, 256);
  std::iota(data.get(), data.get() + data.size(), 1000);
  run(q, kernel, sycl::nd_range<1>(256, 64), [&](sycl::handler &group) { set(group, data.get()); });
  for (std::size_t i = 0; i < data.size(); ++i)
    REQUIRE(data[i] == 1000 + static_cast<int>(i / 64 * 64 + 63 - i % 64));
}

} // namespace

TEST_CASE("a group exchanges values through a local_accessor (6.1)") {
  with_kernels([](sycl::queue &q, const support::executable_bundle &bundle) {
    check_reverse(q, bundle.ext_oneapi_get_kernel("accessor_1"), [](sycl::handler &group, int *data) {
      group.set_args(data, sycl::local_accessor<int>(64, group));
    });
    const support::shared_array<double> doubles(q, 30);
    std::iota(doubles.get(), doubles.get() + 30, 0.5);
    run(q, bundle.ext_oneapi_get_kernel("accessor_double"), sycl::nd_range<1>(30, 10), [&](sycl::handler &group) {
      // In any order; the last one counts (A5).
      group.set_arg(2, sycl::local_accessor<double>(7, group));
      group.set_arg(3, 'b');
      group.set_arg(2, sycl::local_accessor<double>(10, group));
      group.set_arg(0, doubles.get());
      group.set_arg(1, 'a');
    });
    for (std::size_t i = 0; i < 30; ++i)
      REQUIRE(doubles[i] == 0.5 + static_cast<double>(i / 10 * 10 + 9 - i % 10));
    const support::shared_array<three> structs(q, 30);
    for (std::size_t i = 0; i < 30; ++i)
      structs[i] = {static_cast<char>(i), static_cast<short>(i * 1000), static_cast<char>(-i)};
    run(q, bundle.ext_oneapi_get_kernel("accessor_struct"), sycl::nd_range<1>(30, 10),
        [&](sycl::handler &group) { group.set_args(structs.get(), sycl::local_accessor<three>(10, group)); });
    for (std::size_t i = 0; i < 30; ++i) {
      const std::size_t from = i / 10 * 10 + 9 - i % 10;
      REQUIRE(structs[i].a == static_cast<char>(from));
      REQUIRE(structs[i].b == static_cast<short>(from * 1000));
      REQUIRE(structs[i].c == static_cast<char>(-from));
    }
  });
}

TEST_CASE("members of local_accessor") {
  with_kernels([](sycl::queue &q, const support::executable_bundle &bundle) {
    const support::shared_array<unsigned long> out(q, 19, 99);
    run(q, bundle.ext_oneapi_get_kernel("accessor_members"), sycl::nd_range<1>(4, 4), [&](sycl::handler &group) {
      const sycl::local_accessor<short, 3> a({2, 3, 5}, group);
      CHECK(a.size() == 30);
      CHECK(a.byte_size() == 60);
      CHECK(a.get_range() == sycl::range<3>(2, 3, 5));
      // Zero elements are allowed.
      group.set_args(a, sycl::local_accessor<int, 2>({3, 7}, group), sycl::local_accessor<long, 0>(group),
                     sycl::local_accessor<float>(0, group), out.get());
    });
    const std::vector<unsigned long> expected = {30, 60, 2, 3, 5, 21, 84, 3, 7, 1, 8, 1, 1, 1, 1, 435, 1, 0, 0};
    CHECK(std::vector<unsigned long>(out.get(), out.get() + out.size()) == expected);
  });
}

TEST_CASE("work_group_memory of scalars, arrays and structs (6.2)") {
  with_kernels([](sycl::queue &q, const support::executable_bundle &bundle) {
    const support::shared_array<int> sums(q, 4);
    run(q, bundle.ext_oneapi_get_kernel("memory_scalar"), sycl::nd_range<1>(256, 64),
        [&](sycl::handler &group) { group.set_args(sums.get(), syclexp::work_group_memory<int>(group)); });
    for (int g = 0; g < 4; ++g)
      REQUIRE(sums[static_cast<std::size_t>(g)] == 64 * 64 * g + 2016);
    check_reverse(q, bundle.ext_oneapi_get_kernel("memory_bounded"), [](sycl::handler &group, int *data) {
      group.set_args(data, syclexp::work_group_memory<int[64]>(group));
    });
    check_reverse(q, bundle.ext_oneapi_get_kernel("memory_unbounded"), [](sycl::handler &group, int *data) {
      syclexp::work_group_memory<int[]> memory = syclexp::indeterminate;
      memory = syclexp::work_group_memory<int[]>(64, group);
      group.set_args(data, memory);
    });
    const support::shared_array<int> square(q, 64 * 4);
    std::iota(square.get(), square.get() + square.size(), 0);
    run(q, bundle.ext_oneapi_get_kernel("memory_rows"), sycl::nd_range<2>({16, 16}, {8, 8}),
        [&](sycl::handler &group) { group.set_args(square.get(), syclexp::work_group_memory<int[][8]>(8, group)); });
    for (std::size_t i = 0; i < 16; ++i)
      for (std::size_t j = 0; j < 16; ++j)
        REQUIRE(square[i * 16 + j] == static_cast<int>((i / 8 * 8 + j % 8) * 16 + j / 8 * 8 + i % 8));
    const support::shared_array<three> structs(q, 20);
    for (std::size_t i = 0; i < 20; ++i)
      structs[i] = {static_cast<char>(i), static_cast<short>(i), 'c'};
    run(q, bundle.ext_oneapi_get_kernel("memory_struct"), sycl::nd_range<1>(20, 10), [&](sycl::handler &group) {
      group.set_args(structs.get(), syclexp::work_group_memory<three[]>(10, group), syclexp::work_group_memory<three>(group));
    });
    for (std::size_t i = 0; i < 20; ++i)
      REQUIRE(structs[i].b == static_cast<short>(100 + i / 10 * 10 + 9 - i % 10));
    const support::shared_array<unsigned long> out(q, 4, 99);
    run(q, bundle.ext_oneapi_get_kernel("memory_members"), sycl::nd_range<1>(2, 2),
        [&](sycl::handler &group) { group.set_args(syclexp::work_group_memory<double[4][5]>(group), out.get()); });
    CHECK(std::vector<unsigned long>(out.get(), out.get() + 4) == std::vector<unsigned long>{1, 1, 160, 1});
  });
}

TEST_CASE("local memory within structs (5.2)") {
  with_kernels([](sycl::queue &q, const support::executable_bundle &bundle) {
    const support::shared_array<int> out(q, 2);
    run(q, bundle.ext_oneapi_get_kernel("in_structs"), sycl::nd_range<1>(32, 16), [&](sycl::handler &group) {
      const everything all = {{{16, group}},
                              3,
                              {{2.0f, {{4, 4}, group}}, {0.5f, {{4, 4}, group}}},
                              {1000, syclexp::work_group_memory<long>(group)},
                              out.get()};
      group.set_args(char{1}, all, short{500});
    });
    // Twice, twice and half of 0 to 15; the half rounds down.
    int expected = 1 + 500 + 3 + 1000;
    for (int i = 0; i < 16; ++i)
      expected += 2 * i + static_cast<int>(2.5f * static_cast<float>(i));
    CHECK(out[0] == expected);
    CHECK(out[1] == expected);
  });
}

TEST_CASE("host and device agree on the layout") {
  with_kernels([](sycl::queue &q, const support::executable_bundle &bundle) {
    const support::shared_array<unsigned long> out(q, 19);
    q.submit([&](sycl::handler &group) {
       group.set_args(out.get());
       group.single_task(bundle.ext_oneapi_get_kernel("layouts"));
     }).wait();
    std::vector<unsigned long> expected;
    const auto say = [&](auto... values) { (expected.push_back(values), ...); };
#define SAY(...) say(sizeof(__VA_ARGS__), alignof(__VA_ARGS__))
    SAY(sycl::local_accessor<char, 0>);
    SAY(sycl::local_accessor<char, 1>);
    SAY(sycl::local_accessor<double, 2>);
    SAY(sycl::local_accessor<float, 3>);
    SAY(syclexp::work_group_memory<char>);
    SAY(syclexp::work_group_memory<double[]>);
    SAY(tile);
    SAY(base);
    SAY(everything);
    say(offsetof(tile, values));
    CHECK(std::vector<unsigned long>(out.get(), out.get() + 19) == expected);
  });
}

TEST_CASE("local memory goes through functions, and may be unused (A4)") {
  with_kernels([](sycl::queue &q, const support::executable_bundle &bundle) {
    const support::shared_array<int> out(q, 64);
    run(q, bundle.ext_oneapi_get_kernel("through_functions"), sycl::nd_range<1>(64, 16),
        [&](sycl::handler &group) { group.set_args(sycl::local_accessor<int>(16, group), out.get()); });
    for (std::size_t i = 0; i < 64; ++i) {
      const int first = static_cast<int>(i / 16 * 16);
      REQUIRE(out[i] == 16 * first + 120 + first);
    }
    const sycl::kernel unused = bundle.ext_oneapi_get_kernel("unused");
    CHECK(unused.get_info<sycl::info::kernel::num_args>() == 3);
    run(q, unused, sycl::nd_range<1>(64, 16), [&](sycl::handler &group) {
      group.set_args(sycl::local_accessor<int>(5, group), syclexp::work_group_memory<int[3]>(group), out.get());
    });
    CHECK(std::all_of(out.get(), out.get() + 64, [](int v) { return v == 1; }));
  });
}

TEST_CASE("scratch memory (6.3)") {
  with_kernels([](sycl::queue &q, const support::executable_bundle &bundle) {
    const sycl::kernel reverse = bundle.ext_oneapi_get_kernel("scratch_reverse");
    CHECK(reverse.get_info<sycl::info::kernel::num_args>() == 2);
    const support::shared_array<unsigned long> address(q, 1, 1);
    const support::shared_array<int> data(q, 128);
    const syclexp::properties properties(syclexp::work_group_scratch_size(32 * sizeof(int)));
    const auto check = [&](auto launch) {
      std::iota(data.get(), data.get() + data.size(), 0);
      launch();
      for (std::size_t i = 0; i < data.size(); ++i)
        REQUIRE(data[i] == static_cast<int>(i / 32 * 32 + 31 - i % 32));
      CHECK(address[0] % 128 == 0);
    };
    check([&] {
      q.submit([&](sycl::handler &group) {
         group.set_args(data.get(), address.get());
         group.parallel_for(sycl::nd_range<1>(128, 32), properties, reverse);
       }).wait();
    });
    check([&] {
      syclexp::nd_launch(q, syclexp::launch_config(sycl::nd_range<1>(128, 32), properties), reverse, data.get(),
                         address.get());
      q.wait();
    });
    q.submit([&](sycl::handler &group) {
       group.set_args(sycl::local_accessor<int>(32, group), data.get());
       group.parallel_for(sycl::nd_range<1>(128, 32), properties, bundle.ext_oneapi_get_kernel("scratch_and_local"));
     }).wait();
    for (std::size_t i = 0; i < data.size(); ++i)
      REQUIRE(data[i] == static_cast<int>(1031 - i % 32));

    const auto launch = [&](const sycl::kernel &kernel, std::size_t bytes) {
      q.submit([&](sycl::handler &group) {
         group.set_args(data.get(), address.get());
         group.parallel_for(sycl::nd_range<1>(128, 32), syclexp::properties(syclexp::work_group_scratch_size(bytes)), kernel);
       }).wait();
    };
    const std::size_t most = q.get_device().get_info<sycl::info::device::local_mem_size>();
    CHECK_CONTAINS(support::failure(sycl::errc::memory_allocation,
                                    [&] { device_test::launch(q, reverse, sycl::nd_range<1>(128, 32), data.get(), address.get()); }),
                   "work_group_scratch_size");
    CHECK_CONTAINS(support::failure(sycl::errc::memory_allocation, [&] { launch(reverse, most + 1); }), std::to_string(most));
    // Of no use to this kernel: the check of the size remains.
    const sycl::kernel other = bundle.ext_oneapi_get_kernel("memory_bounded");
    const auto idle = [&](std::size_t bytes) {
      q.submit([&](sycl::handler &group) {
         group.set_args(data.get(), syclexp::work_group_memory<int[64]>(group));
         group.parallel_for(sycl::nd_range<1>(64, 64), syclexp::properties(syclexp::work_group_scratch_size(bytes)), other);
       }).wait();
    };
    idle(1000);
    support::failure(sycl::errc::memory_allocation, [&] { idle(most); });
  });
}

TEST_CASE("what does not fit is refused (7.2, rows 10 to 13)") {
  sycl::queue q;
  const auto &bundle = device_test::built("kernels/local_memory.cpp", "-O0").bundle;
  const sycl::kernel accessor = bundle.ext_oneapi_get_kernel("accessor_1");
  const sycl::kernel memory = bundle.ext_oneapi_get_kernel("memory_bounded");
  const sycl::kernel unbounded = bundle.ext_oneapi_get_kernel("memory_unbounded");
  const support::shared_array<int> data(q, 64);
  const auto refused = [&](const sycl::kernel &kernel, sycl::errc code, auto make, auto range) {
    return support::failure(code, [&] {
      run(q, kernel, range, [&](sycl::handler &group) { group.set_args(data.get(), make(group)); });
    });
  };
  const sycl::nd_range<1> groups(64, 64);
  const auto wrong = [&](const sycl::kernel &kernel, auto make) {
    return refused(kernel, sycl::errc::kernel_argument, make, groups);
  };
  // Of another kind.
  CHECK_CONTAINS(wrong(accessor, [](sycl::handler &) { return 4; }), "the parameter takes a local_accessor");
  CHECK_CONTAINS(wrong(accessor, [](sycl::handler &group) { return syclexp::work_group_memory<int[]>(64, group); }),
                 "local memory of 256 bytes was given, the parameter takes a local_accessor");
  CHECK_CONTAINS(wrong(memory, [](sycl::handler &group) { return sycl::local_accessor<int>(64, group); }),
                 "a local_accessor of 1 dimensions, of 256 bytes was given");
  // Of another size, or number of dimensions.
  CHECK_CONTAINS(wrong(accessor, [](sycl::handler &group) { return sycl::local_accessor<int, 2>({8, 8}, group); }),
                 "a value of 24 bytes was given, the parameter has 16");
  CHECK_CONTAINS(wrong(accessor, [](sycl::handler &group) { return sycl::local_accessor<short>(64, group); }),
                 "local memory of 128 bytes was given, the parameter takes elements of 4 bytes");
  CHECK_CONTAINS(wrong(memory, [](sycl::handler &group) { return syclexp::work_group_memory<int[63]>(group); }),
                 "local memory of 252 bytes was given, the parameter takes 256");
  CHECK_CONTAINS(wrong(unbounded, [](sycl::handler &group) { return syclexp::work_group_memory<char[]>(7, group); }),
                 "local memory of 7 bytes was given, the parameter takes a multiple of 4");
  // None at all.
  CHECK_CONTAINS(wrong(accessor, [](sycl::handler &) { return sycl::local_accessor<int>(); }), "stands for no local memory");
  CHECK_CONTAINS(wrong(memory, [](sycl::handler &) { return syclexp::work_group_memory<int[64]>(syclexp::indeterminate); }),
                 "stands for no local memory");
  // Without work-groups.
  const auto good = [](sycl::handler &group) { return sycl::local_accessor<int>(64, group); };
  CHECK_CONTAINS(refused(accessor, sycl::errc::kernel_argument, good, sycl::range<1>(64)), "nd_range");
  // Too much.
  const std::size_t most = q.get_device().get_info<sycl::info::device::local_mem_size>();
  CHECK_CONTAINS(refused(accessor, sycl::errc::memory_allocation,
                         [&](sycl::handler &group) { return sycl::local_accessor<int>(most / 4 + 1, group); }, groups),
                 std::to_string(most));
  support::failure(sycl::errc::memory_allocation, [&] {
    q.submit([&](sycl::handler &group) { sycl::local_accessor<int, 2>({1ul << 40, 1ul << 40}, group); });
  });
  // Missing and surplus.
  support::failure(sycl::errc::invalid,
                   [&] { run(q, accessor, groups, [&](sycl::handler &group) { group.set_args(data.get()); }); });
  support::failure(sycl::errc::invalid, [&] {
    run(q, accessor, groups, [&](sycl::handler &group) { group.set_args(data.get(), good(group), good(group)); });
  });
  // In a struct.
  const sycl::kernel in_structs = bundle.ext_oneapi_get_kernel("in_structs");
  CHECK_CONTAINS(support::failure(sycl::errc::kernel_argument,
                                  [&] {
                                    run(q, in_structs, groups, [&](sycl::handler &group) {
                                      const everything all = {{{16, group}},
                                                              3,
                                                              {{2.0f, {{4, 4}, group}}, {0.5f, {}}},
                                                              {1000, syclexp::work_group_memory<long>(group)},
                                                              data.get()};
                                      group.set_args(char{1}, all, short{500});
                                    });
                                  }),
                 "stands for no local memory");
}
