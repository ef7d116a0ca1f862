// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels of real programs that share data through local memory, each in another form of it.
#include <sycl/sycl.hpp>

namespace syclext = sycl::ext::oneapi;
namespace syclexp = sycl::ext::oneapi::experimental;

#define KERNEL(N) extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::nd_range_kernel<N>)) void
#define ITEM(N) const auto item = syclext::this_work_item::get_nd_item<N>()

/// c = a * b, of n * n numbers: a tile of each in two accessors.
KERNEL(2) matmul(const float *a, const float *b, float *c, int n, sycl::local_accessor<float, 2> tile_a,
                 sycl::local_accessor<float, 2> tile_b) {
  ITEM(2);
  const std::size_t size = tile_a.get_range()[0], width = static_cast<std::size_t>(n);
  const std::size_t y = item.get_local_id(0), x = item.get_local_id(1);
  const std::size_t row = item.get_global_id(0), column = item.get_global_id(1);
  float sum = 0;
  for (std::size_t begin = 0; begin < width; begin += size) {
    tile_a[y][x] = row < width && begin + x < width ? a[row * width + begin + x] : 0.0f;
    tile_b[y][x] = begin + y < width && column < width ? b[(begin + y) * width + column] : 0.0f;
    sycl::group_barrier(item.get_group());
    for (std::size_t k = 0; k < size; ++k)
      sum += tile_a[y][k] * tile_b[k][x];
    sycl::group_barrier(item.get_group());
  }
  if (row < width && column < width)
    c[row * width + column] = sum;
}

/// How often each byte occurs: counts of a group in local memory, then added to all.
KERNEL(1) histogram(const unsigned char *data, int n, unsigned *counts, syclexp::work_group_memory<unsigned[256]> local) {
  ITEM(1);
  const std::size_t members = item.get_local_range(0);
  for (std::size_t i = item.get_local_id(0); i < 256; i += members)
    local[i] = 0;
  sycl::group_barrier(item.get_group());
  for (std::size_t i = item.get_global_id(0); i < static_cast<std::size_t>(n); i += item.get_global_range(0))
    sycl::atomic_ref<unsigned, sycl::memory_order::relaxed, sycl::memory_scope::work_group,
                     sycl::access::address_space::local_space>(local[data[i]])
        .fetch_add(1);
  sycl::group_barrier(item.get_group());
  for (std::size_t i = item.get_local_id(0); i < 256; i += members)
    sycl::atomic_ref<unsigned, sycl::memory_order::relaxed, sycl::memory_scope::device>(counts[i]).fetch_add(local[i]);
}

/// Sum and largest value of a group, by halves.
struct partial {
  double sum;
  int most;
};
KERNEL(1) reduction(const int *data, int n, partial *out, sycl::local_accessor<partial> local) {
  ITEM(1);
  const std::size_t i = item.get_local_id(0);
  const auto at = static_cast<int>(item.get_global_id(0));
  local[i] = at < n ? partial{static_cast<double>(data[at]), data[at]} : partial{0, -2147483647 - 1};
  for (std::size_t half = item.get_local_range(0) / 2; half > 0; half /= 2) {
    sycl::group_barrier(item.get_group());
    if (i < half) {
      local[i].sum += local[i + half].sum;
      local[i].most = sycl::max(local[i].most, local[i + half].most);
    }
  }
  if (i == 0)
    out[item.get_group(0)] = local[0];
}

/// Sums up to each element of a group, with two buffers in one struct.
struct buffers {
  syclexp::work_group_memory<long[]> from, to;
};
KERNEL(1) scan(const int *data, long *out, buffers memory) {
  ITEM(1);
  const std::size_t i = item.get_local_id(0);
  long *from = memory.from, *to = memory.to;
  from[i] = data[item.get_global_id(0)];
  for (std::size_t step = 1; step < item.get_local_range(0); step *= 2) {
    sycl::group_barrier(item.get_group());
    to[i] = i >= step ? from[i] + from[i - step] : from[i];
    long *const other = from;
    from = to;
    to = other;
  }
  out[item.get_global_id(0)] = from[i];
}

/// Through a tile with a column more than it needs.
KERNEL(2) transpose(const int *in, int *out, int rows, int columns) {
  ITEM(2);
  static syclexp::work_group_static<int[8][9]> tile;
  const int y = static_cast<int>(item.get_local_id(0)), x = static_cast<int>(item.get_local_id(1));
  const int top = static_cast<int>(item.get_group(0)) * 8, left = static_cast<int>(item.get_group(1)) * 8;
  if (top + y < rows && left + x < columns)
    tile[y][x] = in[(top + y) * columns + left + x];
  sycl::group_barrier(item.get_group());
  if (left + y < columns && top + x < rows)
    out[(left + y) * rows + top + x] = tile[x][y];
}

/// Means of a cell and its four neighbours: the tile with its rim is in scratch memory.
KERNEL(2) stencil(const float *in, float *out, int height, int width) {
  ITEM(2);
  auto *tile = static_cast<float *>(syclexp::get_work_group_scratch_memory());
  const int rows = static_cast<int>(item.get_local_range(0)), columns = static_cast<int>(item.get_local_range(1));
  const int top = static_cast<int>(item.get_group(0)) * rows - 1, left = static_cast<int>(item.get_group(1)) * columns - 1;
  const int members = rows * columns, cells = (rows + 2) * (columns + 2);
  for (int i = static_cast<int>(item.get_local_linear_id()); i < cells; i += members) {
    const int y = sycl::clamp(top + i / (columns + 2), 0, height - 1), x = sycl::clamp(left + i % (columns + 2), 0, width - 1);
    tile[i] = in[y * width + x];
  }
  sycl::group_barrier(item.get_group());
  const auto y = static_cast<int>(item.get_global_id(0)), x = static_cast<int>(item.get_global_id(1));
  if (y >= height || x >= width)
    return;
  const float *cell = tile + (item.get_local_id(0) + 1) * static_cast<std::size_t>(columns + 2) + item.get_local_id(1) + 1;
  out[y * width + x] = (cell[0] + cell[-1] + cell[1] + cell[-(columns + 2)] + cell[columns + 2]) / 5;
}

/// Sorts each group's numbers by a network, in memory of its own.
KERNEL(1) sort(unsigned *data) {
  ITEM(1);
  const std::size_t i = item.get_local_id(0);
  unsigned *const values = *syclext::group_local_memory_for_overwrite<unsigned[64]>(item.get_group());
  values[i] = data[item.get_global_id(0)];
  for (std::size_t run = 2; run <= 64; run *= 2)
    for (std::size_t distance = run / 2; distance > 0; distance /= 2) {
      sycl::group_barrier(item.get_group());
      const std::size_t other = i ^ distance;
      if (other > i) {
        const unsigned a = values[i], b = values[other];
        if ((a > b) == ((i & run) == 0)) {
          values[i] = b;
          values[other] = a;
        }
      }
    }
  sycl::group_barrier(item.get_group());
  data[item.get_global_id(0)] = values[i];
}
