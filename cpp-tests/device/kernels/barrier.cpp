// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sycl/sycl.hpp>

namespace work_item = sycl::ext::oneapi::this_work_item;
namespace syclex = sycl::ext::oneapi::experimental;

#define KERNEL(n) extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(syclex::nd_range_kernel<n>) void

/// Each round, every work-item reads what another one wrote: a lost barrier shows as a wrong value.
template <int N, class Barrier> void exchange(int *data, int rounds, Barrier barrier) {
  const auto group = work_item::get_work_group<N>();
  const unsigned long size = group.get_local_linear_range(), me = group.get_local_linear_id();
  int *mine = data + group.get_group_linear_id() * size;
  for (int i = 1; i <= rounds; ++i) {
    const int value = mine[(me + i) % size];
    barrier();
    mine[me] = value * 3 + i;
    barrier();
  }
}

KERNEL(1) group_barrier_1(int *data, int rounds) {
  exchange<1>(data, rounds, [] { sycl::group_barrier(work_item::get_work_group<1>()); });
}
KERNEL(2) group_barrier_2(int *data, int rounds) {
  exchange<2>(data, rounds, [] { sycl::group_barrier(work_item::get_work_group<2>()); });
}
KERNEL(3) group_barrier_3(int *data, int rounds) {
  exchange<3>(data, rounds, [] { sycl::group_barrier(work_item::get_work_group<3>(), sycl::memory_scope::device); });
}
KERNEL(1) deprecated_barrier(int *data, int rounds) {
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
  exchange<1>(data, rounds, [] { work_item::get_nd_item<1>().barrier(sycl::access::fence_space::global_space); });
#pragma clang diagnostic pop
}

/// The same through local memory: the values move round the work-group.
KERNEL(1) local_rotation(int *data, int rounds) {
  static __attribute__((opencl_local)) int shared[256];
  const auto group = work_item::get_work_group<1>();
  const unsigned long size = group.get_local_range(0), me = group.get_local_id(0);
  int value = data[work_item::get_nd_item<1>().get_global_id(0)];
  for (int i = 0; i < rounds; ++i) {
    shared[me] = value;
    sycl::group_barrier(group);
    value = shared[(me + 1) % size];
    sycl::group_barrier(group);
  }
  data[work_item::get_nd_item<1>().get_global_id(0)] = value;
}

/// Members of a sub-group exchange through memory, with the sub-group's own barrier.
KERNEL(1) sub_group_exchange(int *data, int rounds) {
  const auto sub = work_item::get_sub_group();
  const auto it = work_item::get_nd_item<1>();
  int *mine = data + it.get_global_id(0) - sub.get_local_linear_id();
  const unsigned me = sub.get_local_linear_id(), size = sub.get_local_linear_range();
  for (int i = 1; i <= rounds; ++i) {
    const int value = mine[(me + i) % size];
    sycl::group_barrier(sub);
    mine[me] = value + 1;
    sycl::group_barrier(sub);
  }
  // Undo the rounds, so that the result does not depend on the size of sub-groups.
  for (int i = rounds; i >= 1; --i) {
    const int value = mine[(me + size - i % size) % size];
    sycl::group_barrier(sub);
    mine[me] = value - 1;
    sycl::group_barrier(sub);
  }
}

/// A message from the first work-item of each group to all others: flag and data, with fences.
KERNEL(1) message(int *data, int *flags, int *seen) {
  const auto it = work_item::get_nd_item<1>();
  const unsigned long group = it.get_group(0);
  sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::work_group> flag(flags[group]);
  if (it.get_local_id(0) == 0) {
    data[group] = 4711 + static_cast<int>(group);
    sycl::atomic_fence(sycl::memory_order::release, sycl::memory_scope::work_group);
    flag.store(1);
  }
  // The barrier makes sure that the flag is set; what it carries is seen through the fences.
  sycl::group_barrier(it.get_group(), sycl::memory_scope::work_item);
  const int set = flag.load();
  sycl::atomic_fence(sycl::memory_order::acquire, sycl::memory_scope::work_group);
  seen[it.get_global_id(0)] = set == 1 ? data[group] : -1;
}
