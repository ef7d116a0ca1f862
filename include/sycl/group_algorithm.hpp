// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Group functions and algorithms (SYCL 2020, 4.17.3 and 4.17.4). All members of the group call them together.

#include <sycl/detail/group_operations.hpp>
#include <sycl/functional.hpp>
#include <sycl/group.hpp>
#include <sycl/group_barrier.hpp>
#include <sycl/sub_group.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#ifdef __SYCL_DEVICE_ONLY__

namespace sycl {
inline namespace _V1 {

namespace detail {

template <class Group> using group_only = std::enable_if_t<is_group_v<Group>, int>;
template <class Group> using sub_group_only = std::enable_if_t<std::is_same_v<Group, sub_group>, int>;

template <class Pointer> using pointee = std::remove_cv_t<std::remove_reference_t<decltype(*std::declval<Pointer>())>>;

/// Position of a member in the group, row-major.
template <int Dimensions>
SYCLRTC_DETAIL_ALWAYS_INLINE inline std::size_t linear_id_of(group<Dimensions> g, const id<Dimensions> &member) {
  return query::linear<Dimensions>([&](int d) { return member.get(d); }, [&](int d) { return g.get_local_range(d); });
}
SYCLRTC_DETAIL_ALWAYS_INLINE inline std::size_t linear_id_of(sub_group, const id<1> &member) { return member.get(0); }

} // namespace detail

// --- broadcast

template <class Group, class T_, detail::group_only<Group> = 0>
SYCLRTC_DETAIL_ALWAYS_INLINE inline T_ group_broadcast(Group g, T_ x) {
  return detail::broadcast(g, x, 0);
}
template <class Group, class T_, detail::group_only<Group> = 0>
SYCLRTC_DETAIL_ALWAYS_INLINE inline T_ group_broadcast(Group g, T_ x, typename Group::linear_id_type linear_id) {
  return detail::broadcast(g, x, linear_id);
}
template <class Group, class T_, detail::group_only<Group> = 0>
SYCLRTC_DETAIL_ALWAYS_INLINE inline T_ group_broadcast(Group g, T_ x, typename Group::id_type member) {
  return detail::broadcast(g, x, detail::linear_id_of(g, member));
}

// --- any, all, none

template <class Group, detail::group_only<Group> = 0>
SYCLRTC_DETAIL_ALWAYS_INLINE inline bool any_of_group(Group, bool predicate) {
  return __spirv_GroupAny(detail::spirv::execution_scope<Group>, predicate);
}
template <class Group, detail::group_only<Group> = 0>
SYCLRTC_DETAIL_ALWAYS_INLINE inline bool all_of_group(Group, bool predicate) {
  return __spirv_GroupAll(detail::spirv::execution_scope<Group>, predicate);
}
template <class Group, detail::group_only<Group> = 0>
SYCLRTC_DETAIL_ALWAYS_INLINE inline bool none_of_group(Group g, bool predicate) {
  return !any_of_group(g, predicate);
}
template <class Group, class T_, class Predicate, detail::group_only<Group> = 0>
SYCLRTC_DETAIL_ALWAYS_INLINE inline bool any_of_group(Group g, T_ x, Predicate predicate) {
  return any_of_group(g, static_cast<bool>(predicate(x)));
}
template <class Group, class T_, class Predicate, detail::group_only<Group> = 0>
SYCLRTC_DETAIL_ALWAYS_INLINE inline bool all_of_group(Group g, T_ x, Predicate predicate) {
  return all_of_group(g, static_cast<bool>(predicate(x)));
}
template <class Group, class T_, class Predicate, detail::group_only<Group> = 0>
SYCLRTC_DETAIL_ALWAYS_INLINE inline bool none_of_group(Group g, T_ x, Predicate predicate) {
  return none_of_group(g, static_cast<bool>(predicate(x)));
}

template <class Group, class Pointer, class Predicate, detail::group_only<Group> = 0>
inline bool joint_any_of(Group g, Pointer first, Pointer last, Predicate predicate) {
  bool found = false;
  for (Pointer p = first + g.get_local_linear_id(); p < last && !found; p += g.get_local_linear_range())
    found = predicate(*p);
  return any_of_group(g, found);
}
template <class Group, class Pointer, class Predicate, detail::group_only<Group> = 0>
inline bool joint_all_of(Group g, Pointer first, Pointer last, Predicate predicate) {
  return !joint_any_of(g, first, last, [&](const auto &x) { return !predicate(x); });
}
template <class Group, class Pointer, class Predicate, detail::group_only<Group> = 0>
inline bool joint_none_of(Group g, Pointer first, Pointer last, Predicate predicate) {
  return !joint_any_of(g, first, last, predicate);
}

// --- moves within a sub-group; of a source outside, the value is unspecified

template <class Group, class T_, detail::sub_group_only<Group> = 0>
SYCLRTC_DETAIL_ALWAYS_INLINE inline T_ shift_group_left(Group g, T_ x, typename Group::linear_id_type delta = 1) {
  return detail::shuffle(x, (g.get_local_linear_id() + delta) % g.get_local_linear_range());
}
template <class Group, class T_, detail::sub_group_only<Group> = 0>
SYCLRTC_DETAIL_ALWAYS_INLINE inline T_ shift_group_right(Group g, T_ x, typename Group::linear_id_type delta = 1) {
  const auto me = g.get_local_linear_id();
  return detail::shuffle(x, delta <= me ? me - delta : me);
}
template <class Group, class T_, detail::sub_group_only<Group> = 0>
SYCLRTC_DETAIL_ALWAYS_INLINE inline T_ permute_group_by_xor(Group g, T_ x, typename Group::linear_id_type mask) {
  const auto me = g.get_local_linear_id();
  const auto from = me ^ mask;
  return detail::shuffle(x, from < g.get_local_linear_range() ? from : me);
}
template <class Group, class T_, detail::sub_group_only<Group> = 0>
SYCLRTC_DETAIL_ALWAYS_INLINE inline T_ select_from_group(Group g, T_ x, typename Group::id_type member) {
  const auto from = static_cast<std::uint32_t>(member.get(0));
  return detail::shuffle(x, from < g.get_local_linear_range() ? from : g.get_local_linear_id());
}

// --- reductions and scans

template <class Group, class T_, class Op, detail::group_only<Group> = 0>
SYCLRTC_DETAIL_ALWAYS_INLINE inline T_ reduce_over_group(Group g, T_ x, Op op) {
  constexpr auto native = detail::native_of<Op, T_>();
  if constexpr (native != detail::native_operation::none)
    return detail::native_reduction<native, detail::group_operation::reduce, detail::spirv::execution_scope<Group>>(x);
  else
    return detail::scan(g, x, op).total;
}
template <class Group, class V_, class T_, class Op, detail::group_only<Group> = 0>
SYCLRTC_DETAIL_ALWAYS_INLINE inline T_ reduce_over_group(Group g, V_ x, T_ init, Op op) {
  return op(init, reduce_over_group(g, static_cast<T_>(x), op));
}

template <class Group, class T_, class Op, detail::group_only<Group> = 0>
SYCLRTC_DETAIL_ALWAYS_INLINE inline T_ inclusive_scan_over_group(Group g, T_ x, Op op) {
  constexpr auto native = detail::native_of<Op, T_>();
  if constexpr (native != detail::native_operation::none)
    return detail::native_reduction<native, detail::group_operation::inclusive_scan,
                                    detail::spirv::execution_scope<Group>>(x);
  else
    return detail::scan(g, x, op).inclusive;
}
template <class Group, class V_, class Op, class T_, detail::group_only<Group> = 0>
SYCLRTC_DETAIL_ALWAYS_INLINE inline T_ inclusive_scan_over_group(Group g, V_ x, Op op, T_ init) {
  return op(init, inclusive_scan_over_group(g, static_cast<T_>(x), op));
}

template <class Group, class V_, class T_, class Op, detail::group_only<Group> = 0>
SYCLRTC_DETAIL_ALWAYS_INLINE inline T_ exclusive_scan_over_group(Group g, V_ x, T_ init, Op op) {
  const detail::scan_result<T_> r = detail::scan(g, static_cast<T_>(x), op);
  return r.has_before ? op(init, r.before) : init;
}
template <class Group, class T_, class Op, detail::group_only<Group> = 0>
SYCLRTC_DETAIL_ALWAYS_INLINE inline T_ exclusive_scan_over_group(Group g, T_ x, Op op) {
  static_assert(has_known_identity_v<Op, T_>, "without an initial value, the operation must have a known identity");
  return exclusive_scan_over_group(g, x, known_identity_v<Op, T_>, op);
}

/// Of an empty range: `init`.
template <class Group, class Pointer, class T_, class Op, detail::group_only<Group> = 0>
inline T_ joint_reduce(Group g, Pointer first, Pointer last, T_ init, Op op) {
  const std::size_t size = g.get_local_linear_range();
  T_ result = init;
  // Whole rounds of the group, so that each step has all its members; the rest one by one.
  const std::size_t count = static_cast<std::size_t>(last - first);
  const std::size_t whole = count / size * size;
  if (whole != 0) {
    T_ mine = static_cast<T_>(first[g.get_local_linear_id()]);
    for (std::size_t i = g.get_local_linear_id() + size; i < whole; i += size)
      mine = op(mine, static_cast<T_>(first[i]));
    result = op(result, reduce_over_group(g, mine, op));
  }
  for (std::size_t i = whole; i < count; ++i)
    result = op(result, static_cast<T_>(first[i]));
  return result;
}
/// Of an empty range: the identity of the operation.
template <class Group, class Pointer, class Op, detail::group_only<Group> = 0>
inline detail::pointee<Pointer> joint_reduce(Group g, Pointer first, Pointer last, Op op) {
  using T_ = detail::pointee<Pointer>;
  static_assert(has_known_identity_v<Op, T_>, "without an initial value, the operation must have a known identity");
  return joint_reduce(g, first, last, known_identity_v<Op, T_>, op);
}

namespace detail {

/// Scans a range in rounds of the group's size; `out` may be `first`.
template <bool Inclusive, class Group, class In, class Out, class T_, class Op>
inline Out joint_scan(Group g, In first, In last, Out out, T_ carry, Op op) {
  const std::size_t size = g.get_local_linear_range();
  const std::size_t me = g.get_local_linear_id();
  const std::size_t count = static_cast<std::size_t>(last - first);
  for (std::size_t base = 0; base < count; base += size) {
    const std::size_t i = base + me;
    // A member without an element repeats the last one: it is behind all that are written.
    const T_ x = static_cast<T_>(first[i < count ? i : count - 1]);
    const scan_result<T_> r = scan(g, x, op);
    const T_ before = r.has_before ? op(carry, r.before) : carry;
    const T_ through = op(carry, r.inclusive);
    // A round ends before the next reads what this one writes, should the ranges be one.
    group_barrier(g);
    if (i < count)
      out[i] = Inclusive ? through : before;
    carry = broadcast(g, through, count - base < size ? count - base - 1 : size - 1);
  }
  group_barrier(g);
  return out + count;
}

} // namespace detail

template <class Group, class In, class Out, class T_, class Op, detail::group_only<Group> = 0>
inline Out joint_exclusive_scan(Group g, In first, In last, Out out, T_ init, Op op) {
  return detail::joint_scan<false>(g, first, last, out, init, op);
}
template <class Group, class In, class Out, class Op, detail::group_only<Group> = 0>
inline Out joint_exclusive_scan(Group g, In first, In last, Out out, Op op) {
  using T_ = detail::pointee<In>;
  static_assert(has_known_identity_v<Op, T_>, "without an initial value, the operation must have a known identity");
  return joint_exclusive_scan(g, first, last, out, known_identity_v<Op, T_>, op);
}
template <class Group, class In, class Out, class Op, class T_, detail::group_only<Group> = 0>
inline Out joint_inclusive_scan(Group g, In first, In last, Out out, Op op, T_ init) {
  return detail::joint_scan<true>(g, first, last, out, init, op);
}
template <class Group, class In, class Out, class Op, detail::group_only<Group> = 0>
inline Out joint_inclusive_scan(Group g, In first, In last, Out out, Op op) {
  using T_ = detail::pointee<In>;
  static_assert(has_known_identity_v<Op, T_>, "without an initial value, the operation must have a known identity");
  return joint_inclusive_scan(g, first, last, out, op, known_identity_v<Op, T_>);
}

} // namespace _V1
} // namespace sycl

#endif
