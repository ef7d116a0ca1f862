// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels with local memory as an argument.
#include <sycl/sycl.hpp>

namespace syclext = sycl::ext::oneapi;
namespace syclexp = sycl::ext::oneapi::experimental;

#define KERNEL(N) extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::nd_range_kernel<N>)) void
#define ITEM(N) const auto item = syclext::this_work_item::get_nd_item<N>()

/// The values of a group in reverse, through local memory.
template <class T, class Local> void reverse(T *data, Local &&local, sycl::nd_item<1> item) {
  const std::size_t i = item.get_local_id(0), n = item.get_local_range(0);
  local[i] = data[item.get_global_id(0)];
  sycl::group_barrier(item.get_group());
  data[item.get_global_id(0)] = local[n - 1 - i];
}

KERNEL(1) accessor_1(int *data, sycl::local_accessor<int, 1> local) {
  ITEM(1);
  reverse(data, local, item);
}
KERNEL(1) accessor_double(double *data, char, sycl::local_accessor<double> local, char) {
  ITEM(1);
  reverse(data, local, item);
}
struct three {
  char a;
  short b;
  char c;
};
KERNEL(1) accessor_struct(three *data, sycl::local_accessor<three> local) {
  ITEM(1);
  reverse(data, local, item);
}

/// What an accessor says of itself, and the three forms of a subscript.
KERNEL(1) accessor_members(sycl::local_accessor<short, 3> a, sycl::local_accessor<int, 2> b, sycl::local_accessor<long, 0> c,
                           sycl::local_accessor<float, 1> d, unsigned long *out) {
  ITEM(1);
  if (!item.get_group().leader())
    return;
  std::size_t n = 0;
  const auto say = [&](std::size_t value) { out[n++] = value; };
  say(a.size()), say(a.byte_size()), say(a.get_range()[0]), say(a.get_range()[1]), say(a.get_range()[2]);
  say(b.size()), say(b.byte_size()), say(b.get_range()[0]), say(b.get_range()[1]);
  say(c.size()), say(c.byte_size()), say(d.empty());
  for (std::size_t i = 0; i < a.size(); ++i)
    a.begin()[i] = static_cast<short>(i);
  const sycl::range<3> extent = a.get_range();
  bool good = true;
  for (std::size_t i = 0; i < extent[0]; ++i)
    for (std::size_t j = 0; j < extent[1]; ++j)
      for (std::size_t k = 0; k < extent[2]; ++k) {
        const auto position = static_cast<short>((i * extent[1] + j) * extent[2] + k);
        good = good && a[i][j][k] == position && a[sycl::id<3>(i, j, k)] == position && &a[i][j][k] == a.begin() + position;
      }
  say(good);
  b[{1, 2}] = 77;
  say(b[1][2] == 77 && b.begin()[b.get_range()[1] + 2] == 77);
  c = 5;
  c = c + 1;
  say(c == 6);
  long sum = 0;
  for (const short value : a)
    sum += value;
  say(static_cast<std::size_t>(sum));
  say(a.end() - a.begin() == static_cast<std::ptrdiff_t>(a.size()) && *a.rbegin() == a.end()[-1]);
  // Different memory for each of them.
  const auto overlap = [](auto *first, std::size_t bytes, auto *second) {
    const auto x = reinterpret_cast<std::size_t>(first), y = reinterpret_cast<std::size_t>(second);
    return x <= y && y < x + bytes;
  };
  say(overlap(a.begin(), a.byte_size(), b.begin()) || overlap(b.begin(), b.byte_size(), a.begin()) ||
      overlap(a.begin(), a.byte_size(), &*c.begin()));
  say(reinterpret_cast<std::size_t>(c.begin()) % alignof(long));
}

KERNEL(1) memory_scalar(int *out, syclexp::work_group_memory<int> sum) {
  ITEM(1);
  if (item.get_group().leader())
    sum = 0;
  sycl::group_barrier(item.get_group());
  sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::work_group>(sum).fetch_add(
      static_cast<int>(item.get_global_id(0)));
  sycl::group_barrier(item.get_group());
  if (item.get_group().leader())
    out[item.get_group(0)] = sum;
}
KERNEL(1) memory_bounded(int *data, syclexp::work_group_memory<int[64]> local) {
  ITEM(1);
  int(&array)[64] = local;
  reverse(data, array, item);
}
KERNEL(1) memory_unbounded(int *data, syclexp::work_group_memory<int[]> local) {
  ITEM(1);
  reverse(data, local, item);
}
KERNEL(2) memory_rows(int *data, syclexp::work_group_memory<int[][8]> local) {
  ITEM(2);
  const std::size_t i = item.get_local_id(0), j = item.get_local_id(1);
  const std::size_t at = item.get_global_id(0) * item.get_global_range(1) + item.get_global_id(1);
  local[i][j] = data[at];
  sycl::group_barrier(item.get_group());
  data[at] = local[j][i];
}
KERNEL(1) memory_struct(three *data, syclexp::work_group_memory<three[]> local, syclexp::work_group_memory<three> one) {
  ITEM(1);
  if (item.get_group().leader())
    (&one)->b = 100;
  reverse(data, local, item);
  data[item.get_global_id(0)].b += (&one)->b;
}
KERNEL(1) memory_members(syclexp::work_group_memory<double[4][5]> local, unsigned long *out) {
  ITEM(1);
  if (!item.get_group().leader())
    return;
  const auto pointer = local.get_multi_ptr();
  for (int i = 0; i < 20; ++i)
    pointer[i] = i;
  bool good = true;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 5; ++j)
      good = good && local[i][j] == i * 5 + j;
  syclexp::work_group_memory<double[4][5]> other = syclexp::indeterminate;
  other = local;
  other[3][4] = 9;
  out[0] = good;
  out[1] = local[3][4] == 9;
  out[2] = sizeof(*&local);
  out[3] = &(*&local)[0][0] == pointer.get();
}

/// Local memory within structs, more than one level deep, and in arrays.
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
KERNEL(1) in_structs(char guard, everything all, short behind) {
  ITEM(1);
  const std::size_t i = item.get_local_id(0);
  const bool leader = item.get_group().leader();
  all.counts[i] = static_cast<int>(i) * 2;
  for (int t = 0; t < 2; ++t)
    all.tiles[t].values[i / 4][i % 4] = all.tiles[t].scale * static_cast<float>(i);
  if (leader)
    all.inner.sum = all.inner.number;
  sycl::group_barrier(item.get_group());
  if (!leader)
    return;
  int sum = guard + behind + all.before + static_cast<int>(all.inner.sum);
  for (std::size_t k = 0; k < item.get_local_range(0); ++k)
    sum += all.counts[k] + static_cast<int>(all.tiles[0].values[k / 4][k % 4] + all.tiles[1].values[k / 4][k % 4]);
  all.out[item.get_group(0)] = sum;
}

/// The layout of what crosses the border, to be compared with the host's.
extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::single_task_kernel)) void layouts(unsigned long *out) {
  std::size_t n = 0;
  const auto say = [&](std::size_t value) { out[n++] = value; };
#define SAY(...) say(sizeof(__VA_ARGS__)), say(alignof(__VA_ARGS__))
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
}

/// Through functions that are not inlined, as plain pointers.
__attribute__((noinline)) int sum_of(const int *values, std::size_t count) {
  int sum = 0;
  for (std::size_t i = 0; i < count; ++i)
    sum += values[i];
  return sum;
}
__attribute__((noinline)) int sum_of(sycl::local_accessor<int> values) { return sum_of(values.begin(), values.size()); }
KERNEL(1) through_functions(sycl::local_accessor<int> local, int *out) {
  ITEM(1);
  local[item.get_local_id(0)] = static_cast<int>(item.get_global_id(0));
  sycl::group_barrier(item.get_group());
  out[item.get_global_id(0)] = sum_of(local) + sum_of(&local[0], 1);
}

KERNEL(1) unused(sycl::local_accessor<int>, syclexp::work_group_memory<int[3]>, int *out) {
  ITEM(1);
  out[item.get_global_id(0)] = 1;
}

/// Scratch memory, also of functions behind calls.
__attribute__((noinline)) int *scratch() { return static_cast<int *>(syclexp::get_work_group_scratch_memory()); }
KERNEL(1) scratch_reverse(int *data, unsigned long *address) {
  ITEM(1);
  const std::size_t i = item.get_local_id(0), n = item.get_local_range(0);
  scratch()[i] = data[item.get_global_id(0)];
  sycl::group_barrier(item.get_group());
  data[item.get_global_id(0)] = static_cast<int *>(syclexp::get_work_group_scratch_memory())[n - 1 - i];
  if (i == 0)
    *address = reinterpret_cast<unsigned long>(scratch());
}
KERNEL(1) scratch_and_local(sycl::local_accessor<int> local, int *out) {
  ITEM(1);
  const std::size_t i = item.get_local_id(0), n = item.get_local_range(0);
  local[i] = static_cast<int>(i);
  scratch()[i] = 1000;
  sycl::group_barrier(item.get_group());
  out[item.get_global_id(0)] = local[n - 1 - i] + scratch()[i];
}
