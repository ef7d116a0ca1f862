// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What group functions are made of: moves between the members of a group, and the reductions that devices have.

#include <sycl/functional.hpp>
#include <sycl/group.hpp>
#include <sycl/group_barrier.hpp>
#include <sycl/half_type.hpp>
#include <sycl/sub_group.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#ifdef __SYCL_DEVICE_ONLY__

#define SYCLRTC_DETAIL_GROUP_OPERATION(type, name)                                                                     \
  SYCLRTC_DETAIL_BUILTIN SYCLRTC_DETAIL_CONVERGENT type __spirv_Group##name(int, int, type);
#define SYCLRTC_DETAIL_GROUP_SIGNED(type)                                                                              \
  SYCLRTC_DETAIL_GROUP_OPERATION(type, IAdd)                                                                           \
  SYCLRTC_DETAIL_GROUP_OPERATION(type, SMin)                                                                           \
  SYCLRTC_DETAIL_GROUP_OPERATION(type, SMax)
#define SYCLRTC_DETAIL_GROUP_UNSIGNED(type)                                                                            \
  SYCLRTC_DETAIL_GROUP_OPERATION(type, IAdd)                                                                           \
  SYCLRTC_DETAIL_GROUP_OPERATION(type, UMin)                                                                           \
  SYCLRTC_DETAIL_GROUP_OPERATION(type, UMax)
#define SYCLRTC_DETAIL_GROUP_FLOAT(type)                                                                               \
  SYCLRTC_DETAIL_GROUP_OPERATION(type, FAdd)                                                                           \
  SYCLRTC_DETAIL_GROUP_OPERATION(type, FMin)                                                                           \
  SYCLRTC_DETAIL_GROUP_OPERATION(type, FMax)

SYCLRTC_DETAIL_GROUP_SIGNED(std::int32_t)
SYCLRTC_DETAIL_GROUP_SIGNED(std::int64_t)
SYCLRTC_DETAIL_GROUP_UNSIGNED(std::uint32_t)
SYCLRTC_DETAIL_GROUP_UNSIGNED(std::uint64_t)
SYCLRTC_DETAIL_GROUP_FLOAT(float)
SYCLRTC_DETAIL_GROUP_FLOAT(double)

#undef SYCLRTC_DETAIL_GROUP_OPERATION
#undef SYCLRTC_DETAIL_GROUP_SIGNED
#undef SYCLRTC_DETAIL_GROUP_UNSIGNED
#undef SYCLRTC_DETAIL_GROUP_FLOAT

SYCLRTC_DETAIL_BUILTIN SYCLRTC_DETAIL_CONVERGENT bool __spirv_GroupAny(int, bool);
SYCLRTC_DETAIL_BUILTIN SYCLRTC_DETAIL_CONVERGENT bool __spirv_GroupAll(int, bool);
SYCLRTC_DETAIL_BUILTIN SYCLRTC_DETAIL_CONVERGENT std::uint32_t __spirv_GroupNonUniformShuffle(int, std::uint32_t,
                                                                                              std::uint32_t);

namespace sycl {
inline namespace _V1 {
namespace detail {

/// Values of SPIR-V's `Group Operation`.
enum class group_operation : int { reduce = 0, inclusive_scan = 1, exclusive_scan = 2 };

/// The value of `x` in the member of the sub-group with this id, 32 bits at a time. An id outside gives any value.
template <class T_> SYCLRTC_DETAIL_ALWAYS_INLINE inline T_ shuffle(const T_ &x, std::uint32_t from) {
  static_assert(std::is_trivially_copyable_v<T_>, "only trivially copyable values move between work-items");
  constexpr std::size_t words = (sizeof(T_) + 3) / 4;
  std::uint32_t parts[words] = {};
  __builtin_memcpy(parts, &x, sizeof(T_));
  for (std::size_t i = 0; i < words; ++i)
    parts[i] = __spirv_GroupNonUniformShuffle(spirv::sub_group, parts[i], from);
  T_ result(x);
  __builtin_memcpy(&result, parts, sizeof(T_));
  return result;
}

/// Memory of a work-group for one `T`, whatever its constructors: one block per type and use.
template <class T_, class Use> SYCLRTC_DETAIL_ALWAYS_INLINE inline T_ *group_slot() {
  static
      __attribute__((opencl_local)) std::uint64_t block[(sizeof(T_) + 7) / 8 + (alignof(T_) > 8 ? alignof(T_) / 8 : 0)];
  auto address = reinterpret_cast<std::uintptr_t>((std::uint64_t *)block);
  return reinterpret_cast<T_ *>((address + alignof(T_) - 1) / alignof(T_) * alignof(T_));
}
struct broadcast_use;
struct carry_use;

template <class T_> SYCLRTC_DETAIL_ALWAYS_INLINE inline T_ broadcast(sub_group, const T_ &x, std::size_t linear_id) {
  return shuffle(x, static_cast<std::uint32_t>(linear_id));
}

template <int Dimensions, class T_>
SYCLRTC_DETAIL_ALWAYS_INLINE inline T_ broadcast(group<Dimensions> g, const T_ &x, std::size_t linear_id) {
  static_assert(std::is_trivially_copyable_v<T_>, "only trivially copyable values move between work-items");
  T_ *const slot = group_slot<T_, broadcast_use>();
  if (g.get_local_linear_id() == linear_id)
    __builtin_memcpy(slot, &x, sizeof(T_));
  group_barrier(g);
  T_ result(x);
  __builtin_memcpy(&result, slot, sizeof(T_));
  // Nobody writes the next value before all have read this one.
  group_barrier(g);
  return result;
}

/// The type in which the device reduces a `T`, or void. Narrow integers are reduced in 32 bits, with the same lower
/// bits.
template <class T_>
using reducible = std::conditional_t<
    std::is_same_v<T_, bool>, void,
    std::conditional_t<
        std::is_integral_v<T_>,
        std::conditional_t<std::is_signed_v<T_>, std::conditional_t<sizeof(T_) <= 4, std::int32_t, std::int64_t>,
                           std::conditional_t<sizeof(T_) <= 4, std::uint32_t, std::uint64_t>>,
        std::conditional_t<std::is_same_v<T_, float> || std::is_same_v<T_, double>, T_, void>>>;

enum class native_operation { none, add, min, max };

template <class Op, class T_> constexpr native_operation native_of() {
  if constexpr (std::is_void_v<reducible<T_>>)
    return native_operation::none;
  else if constexpr (std::is_same_v<Op, plus<T_>> || std::is_same_v<Op, plus<>>)
    return native_operation::add;
  else if constexpr (std::is_same_v<Op, minimum<T_>> || std::is_same_v<Op, minimum<>>)
    return native_operation::min;
  else if constexpr (std::is_same_v<Op, maximum<T_>> || std::is_same_v<Op, maximum<>>)
    return native_operation::max;
  else
    return native_operation::none;
}

template <native_operation Operation, group_operation Form, int Scope, class T_>
SYCLRTC_DETAIL_ALWAYS_INLINE inline T_ native_reduction(T_ value) {
  constexpr int form = static_cast<int>(Form);
  const reducible<T_> x = value;
  if constexpr (Operation == native_operation::add) {
    if constexpr (std::is_floating_point_v<T_>)
      return __spirv_GroupFAdd(Scope, form, x);
    else
      return static_cast<T_>(__spirv_GroupIAdd(Scope, form, x));
  } else if constexpr (Operation == native_operation::min) {
    if constexpr (std::is_floating_point_v<T_>)
      return __spirv_GroupFMin(Scope, form, x);
    else if constexpr (std::is_signed_v<T_>)
      return static_cast<T_>(__spirv_GroupSMin(Scope, form, x));
    else
      return static_cast<T_>(__spirv_GroupUMin(Scope, form, x));
  } else {
    if constexpr (std::is_floating_point_v<T_>)
      return __spirv_GroupFMax(Scope, form, x);
    else if constexpr (std::is_signed_v<T_>)
      return static_cast<T_>(__spirv_GroupSMax(Scope, form, x));
    else
      return static_cast<T_>(__spirv_GroupUMax(Scope, form, x));
  }
}

/// Inclusive scan of a sub-group by any associative operation. Sizes need not be powers of two.
template <class T_, class Op> SYCLRTC_DETAIL_ALWAYS_INLINE inline T_ scan_by_shuffles(sub_group sg, T_ x, Op op) {
  const std::uint32_t size = sg.get_local_linear_range();
  const std::uint32_t id = sg.get_local_linear_id();
  for (std::uint32_t distance = 1; distance < size; distance *= 2) {
    const T_ below = shuffle(x, id >= distance ? id - distance : id);
    if (id >= distance)
      x = op(below, x);
  }
  return x;
}

/// Result of a scan by parts: `inclusive` of this member; `before` it, if `has_before`; and of the whole group.
template <class T_> struct scan_result {
  T_ inclusive;
  T_ before;
  bool has_before;
  T_ total;
};

template <class T_, class Op>
SYCLRTC_DETAIL_ALWAYS_INLINE inline scan_result<T_> scan(sub_group sg, const T_ &x, Op op) {
  const std::uint32_t id = sg.get_local_linear_id();
  const T_ inclusive = scan_by_shuffles(sg, x, op);
  const T_ before = shuffle(inclusive, id > 0 ? id - 1 : 0);
  return {inclusive, before, id > 0, shuffle(inclusive, sg.get_local_linear_range() - 1)};
}

/// The sub-groups of a work-group follow each other in the order of its members: each adds its sum to the carry in
/// turn.
template <int Dimensions, class T_, class Op>
SYCLRTC_DETAIL_ALWAYS_INLINE inline scan_result<T_> scan(group<Dimensions> g, const T_ &x, Op op) {
  const sub_group sg = index_maker::make<sub_group>();
  scan_result<T_> r = scan(sg, x, op);
  T_ *const carry = group_slot<T_, carry_use>();
  const std::uint32_t count = sg.get_group_linear_range();
  for (std::uint32_t turn = 0; turn < count; ++turn) {
    if (sg.get_group_linear_id() == turn) {
      T_ sum(r.total);
      if (turn > 0) {
        T_ prefix(x);
        __builtin_memcpy(&prefix, carry, sizeof(T_));
        sum = op(prefix, r.total);
        r.inclusive = op(prefix, r.inclusive);
        r.before = r.has_before ? op(prefix, r.before) : prefix;
        r.has_before = true;
      }
      // All members have read the carry before the leader replaces it.
      group_barrier(sg);
      if (sg.leader())
        __builtin_memcpy(carry, &sum, sizeof(T_));
    }
    group_barrier(g);
  }
  __builtin_memcpy(&r.total, carry, sizeof(T_));
  group_barrier(g);
  return r;
}

} // namespace detail
} // namespace _V1
} // namespace sycl

#endif
