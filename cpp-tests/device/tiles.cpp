// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that share data through local memory, against the same on the host.

#include "device_test.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace syclexp = sycl::ext::oneapi::experimental;

namespace {

struct partial {
  double sum;
  int most;
};
struct buffers {
  syclexp::work_group_memory<long[]> from, to;
};

template <class Test> void with_kernels(Test test) { device_test::with_kernels("kernels/tiles.cpp", test); }

/// Numbers without a pattern.
template <class T> void scatter(const support::shared_array<T> &out, std::uint32_t modulus, std::uint32_t seed = 1) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    seed = seed * 1664525u + 1013904223u;
    out[i] = static_cast<T>((seed >> 8) % modulus);
  }
}

template <class Range, class Set> void run(sycl::queue &q, const sycl::kernel &kernel, const Range &range, Set set) {
  q.submit([&](sycl::handler &group) {
     set(group);
     group.parallel_for(range, kernel);
   }).wait();
}

constexpr std::size_t up(std::size_t n, std::size_t to) { return (n + to - 1) / to * to; }

} // namespace

TEST_CASE("matrix multiply") {
  with_kernels([](sycl::queue &q, const support::executable_bundle &bundle) {
    for (const std::size_t n : {1u, 16u, 45u, 64u})
      for (const std::size_t tile : {4u, 8u}) {
        CAPTURE(n);
        CAPTURE(tile);
        // Small whole numbers: the sums are exact.
        const support::shared_array<float> a(q, n * n), b(q, n * n), c(q, n * n, -1.0f);
        scatter(a, 16, 1);
        scatter(b, 16, 2);
        run(q, bundle.ext_oneapi_get_kernel("matmul"), sycl::nd_range<2>({up(n, tile), up(n, tile)}, {tile, tile}),
            [&](sycl::handler &group) {
              const sycl::range<2> extent(tile, tile);
              group.set_args(static_cast<const float *>(a.get()), static_cast<const float *>(b.get()), c.get(),
                             static_cast<int>(n), sycl::local_accessor<float, 2>(extent, group),
                             sycl::local_accessor<float, 2>(extent, group));
            });
        for (std::size_t i = 0; i < n; ++i)
          for (std::size_t j = 0; j < n; ++j) {
            float sum = 0;
            for (std::size_t k = 0; k < n; ++k)
              sum += a[i * n + k] * b[k * n + j];
            REQUIRE(c[i * n + j] == sum);
          }
      }
  });
}

TEST_CASE("histogram") {
  with_kernels([](sycl::queue &q, const support::executable_bundle &bundle) {
    const support::shared_array<unsigned char> data(q, 20001);
    const support::shared_array<unsigned> counts(q, 256);
    scatter(data, 251);
    run(q, bundle.ext_oneapi_get_kernel("histogram"), sycl::nd_range<1>(32 * 7, 32), [&](sycl::handler &group) {
      group.set_args(static_cast<const unsigned char *>(data.get()), static_cast<int>(data.size()), counts.get(),
                     syclexp::work_group_memory<unsigned[256]>(group));
    });
    for (std::size_t value = 0; value < 256; ++value)
      REQUIRE(counts[value] == std::count(data.get(), data.get() + data.size(), static_cast<unsigned char>(value)));
  });
}

TEST_CASE("reduction") {
  with_kernels([](sycl::queue &q, const support::executable_bundle &bundle) {
    for (const std::size_t local : {1u, 2u, 64u, 256u}) {
      const std::size_t n = 3 * local - local / 2;
      CAPTURE(local);
      const support::shared_array<int> data(q, n);
      const support::shared_array<partial> out(q, 3);
      scatter(data, 1000);
      run(q, bundle.ext_oneapi_get_kernel("reduction"), sycl::nd_range<1>(3 * local, local), [&](sycl::handler &group) {
        group.set_args(static_cast<const int *>(data.get()), static_cast<int>(n), out.get(),
                       sycl::local_accessor<partial>(local, group));
      });
      for (std::size_t g = 0; g < 3; ++g) {
        double sum = 0;
        int most = std::numeric_limits<int>::min();
        for (std::size_t i = g * local; i < std::min((g + 1) * local, n); ++i) {
          sum += data[i];
          most = std::max(most, data[i]);
        }
        REQUIRE(out[g].sum == sum);
        REQUIRE(out[g].most == most);
      }
    }
  });
}

TEST_CASE("scan") {
  with_kernels([](sycl::queue &q, const support::executable_bundle &bundle) {
    for (const std::size_t local : {1u, 10u, 128u}) {
      CAPTURE(local);
      const support::shared_array<int> data(q, 4 * local);
      const support::shared_array<long> out(q, 4 * local);
      scatter(data, 100000);
      run(q, bundle.ext_oneapi_get_kernel("scan"), sycl::nd_range<1>(4 * local, local), [&](sycl::handler &group) {
        group.set_args(static_cast<const int *>(data.get()), out.get(), buffers{{local, group}, {local, group}});
      });
      long sum = 0;
      for (std::size_t i = 0; i < data.size(); ++i) {
        sum = i % local == 0 ? data[i] : sum + data[i];
        REQUIRE(out[i] == sum);
      }
    }
  });
}

TEST_CASE("transpose") {
  with_kernels([](sycl::queue &q, const support::executable_bundle &bundle) {
    const std::size_t rows = 37, columns = 21;
    const support::shared_array<int> in(q, rows * columns), out(q, rows * columns, -1);
    scatter(in, 1000000);
    run(q, bundle.ext_oneapi_get_kernel("transpose"), sycl::nd_range<2>({up(rows, 8), up(columns, 8)}, {8, 8}),
        [&](sycl::handler &group) {
          group.set_args(static_cast<const int *>(in.get()), out.get(), static_cast<int>(rows), static_cast<int>(columns));
        });
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < columns; ++j)
        REQUIRE(out[j * rows + i] == in[i * columns + j]);
  });
}

TEST_CASE("stencil with a rim") {
  with_kernels([](sycl::queue &q, const support::executable_bundle &bundle) {
    const int height = 29, width = 50;
    const support::shared_array<float> in(q, 29 * 50), out(q, 29 * 50, -1.0f);
    scatter(in, 4096);
    q.submit([&](sycl::handler &group) {
       group.set_args(static_cast<const float *>(in.get()), out.get(), height, width);
       group.parallel_for(sycl::nd_range<2>({32, 56}, {4, 8}),
                          syclexp::properties(syclexp::work_group_scratch_size(6 * 10 * sizeof(float))),
                          bundle.ext_oneapi_get_kernel("stencil"));
     }).wait();
    const auto at = [&](int y, int x) {
      return in[static_cast<std::size_t>(std::clamp(y, 0, height - 1) * width + std::clamp(x, 0, width - 1))];
    };
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        const float sum = at(y, x) + at(y, x - 1) + at(y, x + 1) + at(y - 1, x) + at(y + 1, x);
        REQUIRE(out[static_cast<std::size_t>(y * width + x)] == doctest::Approx(sum / 5).epsilon(1e-6));
      }
  });
}

TEST_CASE("sort") {
  with_kernels([](sycl::queue &q, const support::executable_bundle &bundle) {
    const support::shared_array<unsigned> data(q, 64 * 5);
    scatter(data, 500);
    std::vector<unsigned> expected(data.get(), data.get() + data.size());
    for (auto begin = expected.begin(); begin != expected.end(); begin += 64)
      std::sort(begin, begin + 64);
    device_test::launch(q, bundle.ext_oneapi_get_kernel("sort"), sycl::nd_range<1>(64 * 5, 64), data.get());
    CHECK(std::vector<unsigned>(data.get(), data.get() + data.size()) == expected);
  });
}
