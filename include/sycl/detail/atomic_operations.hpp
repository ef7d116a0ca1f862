// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Atomic operations on 32 and 64 bit integers, in each address space: the base of `atomic_ref`.

#include <sycl/access/address_space.hpp>
#include <sycl/atomic_fence.hpp>
#include <sycl/memory_enums.hpp>

#include <cstdint>
#include <type_traits>

#ifdef __SYCL_DEVICE_ONLY__

#define SYCLRTC_DETAIL_ATOMICS_IN(space, type)                                                                         \
  SYCLRTC_DETAIL_BUILTIN type __spirv_AtomicLoad(space type *, int, int);                                              \
  SYCLRTC_DETAIL_BUILTIN void __spirv_AtomicStore(space type *, int, int, type);                                       \
  SYCLRTC_DETAIL_BUILTIN type __spirv_AtomicExchange(space type *, int, int, type);                                    \
  SYCLRTC_DETAIL_BUILTIN type __spirv_AtomicCompareExchange(space type *, int, int, int, type, type);                  \
  SYCLRTC_DETAIL_BUILTIN type __spirv_AtomicIAdd(space type *, int, int, type);                                        \
  SYCLRTC_DETAIL_BUILTIN type __spirv_AtomicISub(space type *, int, int, type);                                        \
  SYCLRTC_DETAIL_BUILTIN type __spirv_AtomicAnd(space type *, int, int, type);                                         \
  SYCLRTC_DETAIL_BUILTIN type __spirv_AtomicOr(space type *, int, int, type);                                          \
  SYCLRTC_DETAIL_BUILTIN type __spirv_AtomicXor(space type *, int, int, type);                                         \
  SYCLRTC_DETAIL_BUILTIN type __spirv_AtomicSMin(space type *, int, int, type);                                        \
  SYCLRTC_DETAIL_BUILTIN type __spirv_AtomicSMax(space type *, int, int, type);                                        \
  SYCLRTC_DETAIL_BUILTIN type __spirv_AtomicUMin(space type *, int, int, type);                                        \
  SYCLRTC_DETAIL_BUILTIN type __spirv_AtomicUMax(space type *, int, int, type);
#define SYCLRTC_DETAIL_ATOMICS(type)                                                                                   \
  SYCLRTC_DETAIL_ATOMICS_IN(, type)                                                                                    \
  SYCLRTC_DETAIL_ATOMICS_IN(__attribute__((opencl_global)), type)                                                      \
  SYCLRTC_DETAIL_ATOMICS_IN(__attribute__((opencl_local)), type)

SYCLRTC_DETAIL_ATOMICS(std::int32_t)
SYCLRTC_DETAIL_ATOMICS(std::uint32_t)
SYCLRTC_DETAIL_ATOMICS(std::int64_t)
SYCLRTC_DETAIL_ATOMICS(std::uint64_t)

#undef SYCLRTC_DETAIL_ATOMICS
#undef SYCLRTC_DETAIL_ATOMICS_IN

#endif

namespace sycl {
inline namespace _V1 {
namespace detail::atomic {

#ifdef __SYCL_DEVICE_ONLY__

/// A pointer to `T` that says its address space to the driver, and the classes of memory that an order there covers.
template <class T_, access::address_space Space> struct pointer {
  using type = T_ *;
  static constexpr int memory = spirv::work_group_memory | spirv::cross_work_group_memory;
};
template <class T_> struct pointer<T_, access::address_space::global_space> {
  using type = __attribute__((opencl_global)) T_ *;
  static constexpr int memory = spirv::cross_work_group_memory;
};
template <class T_> struct pointer<T_, access::address_space::local_space> {
  using type = __attribute__((opencl_local)) T_ *;
  static constexpr int memory = spirv::work_group_memory;
};

template <class T_, access::address_space Space> SYCLRTC_DETAIL_ALWAYS_INLINE inline int semantics(memory_order order) {
  return order == memory_order::relaxed ? 0 : spirv::to_semantics(order) | pointer<T_, Space>::memory;
}
template <class T_, access::address_space Space>
SYCLRTC_DETAIL_ALWAYS_INLINE inline typename pointer<T_, Space>::type in_space(T_ *address) {
  return (typename pointer<T_, Space>::type)address;
}

#define SYCLRTC_DETAIL_ATOMIC(name, builtin, host)                                                                     \
  template <access::address_space Space, class T_>                                                                     \
  SYCLRTC_DETAIL_ALWAYS_INLINE inline T_ name(T_ *address, T_ operand, memory_order order, memory_scope scope) {       \
    return builtin(in_space<T_, Space>(address), spirv::to_scope(scope), semantics<T_, Space>(order), operand);        \
  }

template <access::address_space Space, class T_>
SYCLRTC_DETAIL_ALWAYS_INLINE inline T_ load(T_ *address, memory_order order, memory_scope scope) {
  return __spirv_AtomicLoad(in_space<T_, Space>(address), spirv::to_scope(scope), semantics<T_, Space>(order));
}
template <access::address_space Space, class T_>
SYCLRTC_DETAIL_ALWAYS_INLINE inline void store(T_ *address, T_ value, memory_order order, memory_scope scope) {
  __spirv_AtomicStore(in_space<T_, Space>(address), spirv::to_scope(scope), semantics<T_, Space>(order), value);
}
template <access::address_space Space, class T_>
SYCLRTC_DETAIL_ALWAYS_INLINE inline bool compare_exchange(T_ *address, T_ &expected, T_ desired, memory_order success,
                                                          memory_order failure, memory_scope scope) {
  const T_ old =
      __spirv_AtomicCompareExchange(in_space<T_, Space>(address), spirv::to_scope(scope), semantics<T_, Space>(success),
                                    semantics<T_, Space>(failure), desired, expected);
  const bool exchanged = old == expected;
  expected = old;
  return exchanged;
}
template <access::address_space Space, class T_>
SYCLRTC_DETAIL_ALWAYS_INLINE inline T_ fetch_min(T_ *address, T_ operand, memory_order order, memory_scope scope) {
  if constexpr (std::is_signed_v<T_>)
    return __spirv_AtomicSMin(in_space<T_, Space>(address), spirv::to_scope(scope), semantics<T_, Space>(order),
                              operand);
  else
    return __spirv_AtomicUMin(in_space<T_, Space>(address), spirv::to_scope(scope), semantics<T_, Space>(order),
                              operand);
}
template <access::address_space Space, class T_>
SYCLRTC_DETAIL_ALWAYS_INLINE inline T_ fetch_max(T_ *address, T_ operand, memory_order order, memory_scope scope) {
  if constexpr (std::is_signed_v<T_>)
    return __spirv_AtomicSMax(in_space<T_, Space>(address), spirv::to_scope(scope), semantics<T_, Space>(order),
                              operand);
  else
    return __spirv_AtomicUMax(in_space<T_, Space>(address), spirv::to_scope(scope), semantics<T_, Space>(order),
                              operand);
}

#else

constexpr int host_order(memory_order order) {
  switch (order) {
  case memory_order::relaxed:
    return __ATOMIC_RELAXED;
  case memory_order::acquire:
    return __ATOMIC_ACQUIRE;
  case memory_order::release:
    return __ATOMIC_RELEASE;
  case memory_order::acq_rel:
    return __ATOMIC_ACQ_REL;
  case memory_order::seq_cst:
    break;
  }
  return __ATOMIC_SEQ_CST;
}

#define SYCLRTC_DETAIL_ATOMIC(name, builtin, host)                                                                     \
  template <access::address_space Space, class T_>                                                                     \
  T_ name(T_ *address, T_ operand, memory_order order, memory_scope) {                                                 \
    return host(address, operand, host_order(order));                                                                  \
  }

template <access::address_space Space, class T_> T_ load(T_ *address, memory_order order, memory_scope) {
  return __atomic_load_n(address, host_order(order));
}
template <access::address_space Space, class T_> void store(T_ *address, T_ value, memory_order order, memory_scope) {
  __atomic_store_n(address, value, host_order(order));
}
template <access::address_space Space, class T_>
bool compare_exchange(T_ *address, T_ &expected, T_ desired, memory_order success, memory_order failure, memory_scope) {
  return __atomic_compare_exchange_n(address, &expected, desired, false, host_order(success), host_order(failure));
}
template <access::address_space Space, class T_>
T_ fetch_min(T_ *address, T_ operand, memory_order order, memory_scope) {
  T_ old = __atomic_load_n(address, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(address, &old, operand < old ? operand : old, true, host_order(order),
                                      __ATOMIC_RELAXED)) {
  }
  return old;
}
template <access::address_space Space, class T_>
T_ fetch_max(T_ *address, T_ operand, memory_order order, memory_scope) {
  T_ old = __atomic_load_n(address, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(address, &old, old < operand ? operand : old, true, host_order(order),
                                      __ATOMIC_RELAXED)) {
  }
  return old;
}

#endif

SYCLRTC_DETAIL_ATOMIC(exchange, __spirv_AtomicExchange, __atomic_exchange_n)
SYCLRTC_DETAIL_ATOMIC(fetch_add, __spirv_AtomicIAdd, __atomic_fetch_add)
SYCLRTC_DETAIL_ATOMIC(fetch_sub, __spirv_AtomicISub, __atomic_fetch_sub)
SYCLRTC_DETAIL_ATOMIC(fetch_and, __spirv_AtomicAnd, __atomic_fetch_and)
SYCLRTC_DETAIL_ATOMIC(fetch_or, __spirv_AtomicOr, __atomic_fetch_or)
SYCLRTC_DETAIL_ATOMIC(fetch_xor, __spirv_AtomicXor, __atomic_fetch_xor)

#undef SYCLRTC_DETAIL_ATOMIC

} // namespace detail::atomic
} // namespace _V1
} // namespace sycl
