// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sycl/sycl.hpp>

#include <type_traits>

namespace work_item = sycl::ext::oneapi::this_work_item;
namespace syclex = sycl::ext::oneapi::experimental;
using space = sycl::access::address_space;
using order = sycl::memory_order;
using scope = sycl::memory_scope;

#define KERNEL extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(syclex::nd_range_kernel<1>) void

/// All operations, by every work-item, on 16 cells; the order of the work-items does not matter for the result.
template <class T, order Order, scope Scope, space Space> void operations(T *cells, unsigned long id) {
  using ref = sycl::atomic_ref<T, Order, Scope, Space>;
  ref(cells[0]).fetch_add(static_cast<T>(id + 1));
  ref(cells[1]).fetch_sub(static_cast<T>(1));
  ref(cells[2]).fetch_min(static_cast<T>(5 + id));
  ref(cells[3]).fetch_max(static_cast<T>(id * 2));
  const ref doubled(cells[4]);
  T seen = doubled.load();
  while (!doubled.compare_exchange_weak(seen, seen + static_cast<T>(2))) {
  }
  const ref same(cells[5]);
  same = static_cast<T>(7);
  same.store(static_cast<T>(7));
  ref(cells[6]) += static_cast<T>(3);
  ref(cells[7]).exchange(static_cast<T>(9));
  const ref tripled(cells[8]);
  seen = tripled;
  while (!tripled.compare_exchange_strong(seen, seen + static_cast<T>(3), Order, order::relaxed, Scope)) {
  }
  if constexpr (std::is_integral_v<T>) {
    const auto bit = static_cast<T>(static_cast<T>(1) << (id % 31));
    ref(cells[9]).fetch_or(bit);
    ref(cells[10]).fetch_and(static_cast<T>(~bit));
    ref(cells[11]).fetch_xor(bit);
    const ref up(cells[12]), down(cells[13]);
    ++up;
    up++;
    --down;
    ref(cells[14]) |= bit;
  }
}

template <class T, order Order, scope Scope, space Space> void in_memory(T *cells) {
  const auto it = work_item::get_nd_item<1>();
  if constexpr (Space == space::local_space) {
    static __attribute__((opencl_local)) T shared[16];
    T *const local = (T *)shared;
    if (it.get_local_id(0) < 16)
      local[it.get_local_id(0)] = cells[it.get_local_id(0)];
    sycl::group_barrier(it.get_group());
    operations<T, Order, Scope, Space>(local, it.get_global_id(0));
    sycl::group_barrier(it.get_group());
    if (it.get_local_id(0) < 16)
      cells[it.get_local_id(0)] = local[it.get_local_id(0)];
  } else {
    operations<T, Order, Scope, Space>(cells, it.get_global_id(0));
  }
}

#define CASES(name, type)                                                                                              \
  KERNEL name##_global_relaxed(type *c) { in_memory<type, order::relaxed, scope::device, space::global_space>(c); }    \
  KERNEL name##_global_acq_rel(type *c) { in_memory<type, order::acq_rel, scope::device, space::global_space>(c); }    \
  KERNEL name##_global_seq_cst(type *c) { in_memory<type, order::seq_cst, scope::device, space::global_space>(c); }    \
  KERNEL name##_generic_relaxed(type *c) { in_memory<type, order::relaxed, scope::system, space::generic_space>(c); }  \
  KERNEL name##_generic_acq_rel(type *c) { in_memory<type, order::acq_rel, scope::device, space::generic_space>(c); }  \
  KERNEL name##_local_relaxed(type *c) { in_memory<type, order::relaxed, scope::work_group, space::local_space>(c); }  \
  KERNEL name##_local_acq_rel(type *c) { in_memory<type, order::acq_rel, scope::work_group, space::local_space>(c); }
CASES(int, int)
CASES(unsigned, unsigned)
CASES(long, long)
CASES(unsigned_long, unsigned long)
CASES(long_long, long long)
CASES(unsigned_long_long, unsigned long long)
CASES(float, float)
CASES(double, double)

KERNEL pointers(int **cells) {
  const sycl::atomic_ref<int *, order::relaxed, scope::device> first(cells[0]), second(cells[1]);
  first.fetch_add(2);
  ++first;
  first -= 1;
  second--;
  int *seen = second.load();
  while (!second.compare_exchange_weak(seen, seen + 3)) {
  }
}
