// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sycl/access/address_space.hpp>
#include <sycl/detail/atomic_operations.hpp>
#include <sycl/memory_enums.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sycl {
inline namespace _V1 {
namespace detail {

/// Order of a plain load, or of a failed exchange, beside an operation of order `order`.
constexpr memory_order read_order(memory_order order) {
  return order == memory_order::acq_rel   ? memory_order::acquire
         : order == memory_order::release ? memory_order::relaxed
                                          : order;
}
constexpr memory_order write_order(memory_order order) {
  return order == memory_order::acq_rel ? memory_order::release : order;
}

/// The integer as which an object of type T is read and written: floats and pointers by their bits.
template <class T_>
using atomic_storage =
    std::conditional_t<sizeof(T_) == 4,
                       std::conditional_t<std::is_integral_v<T_> && std::is_signed_v<T_>, std::int32_t, std::uint32_t>,
                       std::conditional_t<std::is_integral_v<T_> && std::is_signed_v<T_>, std::int64_t, std::uint64_t>>;

} // namespace detail

/// Atomic access to an object (SYCL 2020, 4.15.3). Orders that the object's scope cannot have are the program's fault.
template <class T_, memory_order DefaultOrder, memory_scope DefaultScope,
          access::address_space AddressSpace = access::address_space::generic_space>
class atomic_ref {
  static_assert(std::is_trivially_copyable_v<T_> && (sizeof(T_) == 4 || sizeof(T_) == 8),
                "atomic_ref takes integers, floating-point numbers and pointers of 4 or 8 bytes");
  static_assert((std::is_integral_v<T_> && !std::is_same_v<T_, bool>) || std::is_same_v<T_, float> ||
                    std::is_same_v<T_, double> || std::is_pointer_v<T_>,
                "atomic_ref takes integers, floating-point numbers and pointers");
  static_assert(DefaultOrder == memory_order::relaxed || DefaultOrder == memory_order::acq_rel ||
                    DefaultOrder == memory_order::seq_cst,
                "the default order is relaxed, acq_rel or seq_cst");
  static_assert(AddressSpace == access::address_space::global_space ||
                    AddressSpace == access::address_space::local_space ||
                    AddressSpace == access::address_space::generic_space,
                "the address space is global, local or generic");

  using storage = detail::atomic_storage<T_>;
  static constexpr bool integral = std::is_integral_v<T_>;
  static constexpr bool floating = std::is_floating_point_v<T_>;
  static constexpr bool pointer = std::is_pointer_v<T_>;

public:
  using value_type = T_;
  using difference_type = std::conditional_t<pointer, std::ptrdiff_t, T_>;

  static constexpr std::size_t required_alignment = sizeof(T_);
  static constexpr bool is_always_lock_free = true;
  static constexpr memory_order default_read_order = detail::read_order(DefaultOrder);
  static constexpr memory_order default_write_order = detail::write_order(DefaultOrder);
  static constexpr memory_order default_read_modify_write_order = DefaultOrder;
  static constexpr memory_scope default_scope = DefaultScope;

  explicit atomic_ref(T_ &object) : address_(reinterpret_cast<storage *>(&object)) {}
  atomic_ref(const atomic_ref &) noexcept = default;
  atomic_ref &operator=(const atomic_ref &) = delete;

  bool is_lock_free() const noexcept { return true; }

  SYCLRTC_DETAIL_ALWAYS_INLINE void store(T_ value, memory_order order = default_write_order,
                                          memory_scope scope = default_scope) const noexcept {
    detail::atomic::store<AddressSpace>(address_, to_storage(value), order, scope);
  }
  SYCLRTC_DETAIL_ALWAYS_INLINE T_ load(memory_order order = default_read_order,
                                       memory_scope scope = default_scope) const noexcept {
    return from_storage(detail::atomic::load<AddressSpace>(address_, order, scope));
  }
  SYCLRTC_DETAIL_ALWAYS_INLINE T_ exchange(T_ value, memory_order order = default_read_modify_write_order,
                                           memory_scope scope = default_scope) const noexcept {
    return from_storage(detail::atomic::exchange<AddressSpace>(address_, to_storage(value), order, scope));
  }
  T_ operator=(T_ value) const noexcept {
    store(value);
    return value;
  }
  operator T_() const noexcept { return load(); }

  SYCLRTC_DETAIL_ALWAYS_INLINE bool compare_exchange_strong(T_ &expected, T_ desired, memory_order success,
                                                            memory_order failure,
                                                            memory_scope scope = default_scope) const noexcept {
    storage wanted = to_storage(expected);
    const bool exchanged =
        detail::atomic::compare_exchange<AddressSpace>(address_, wanted, to_storage(desired), success, failure, scope);
    expected = from_storage(wanted);
    return exchanged;
  }
  SYCLRTC_DETAIL_ALWAYS_INLINE bool compare_exchange_strong(T_ &expected, T_ desired,
                                                            memory_order order = default_read_modify_write_order,
                                                            memory_scope scope = default_scope) const noexcept {
    return compare_exchange_strong(expected, desired, order, detail::read_order(order), scope);
  }
  SYCLRTC_DETAIL_ALWAYS_INLINE bool compare_exchange_weak(T_ &expected, T_ desired, memory_order success,
                                                          memory_order failure,
                                                          memory_scope scope = default_scope) const noexcept {
    return compare_exchange_strong(expected, desired, success, failure, scope);
  }
  SYCLRTC_DETAIL_ALWAYS_INLINE bool compare_exchange_weak(T_ &expected, T_ desired,
                                                          memory_order order = default_read_modify_write_order,
                                                          memory_scope scope = default_scope) const noexcept {
    return compare_exchange_strong(expected, desired, order, scope);
  }

  SYCLRTC_DETAIL_ALWAYS_INLINE T_ fetch_add(difference_type operand,
                                            memory_order order = default_read_modify_write_order,
                                            memory_scope scope = default_scope) const noexcept {
    if constexpr (floating)
      return update([operand](T_ old) { return old + operand; }, order, scope);
    else
      return from_storage(detail::atomic::fetch_add<AddressSpace>(address_, distance(operand), order, scope));
  }
  SYCLRTC_DETAIL_ALWAYS_INLINE T_ fetch_sub(difference_type operand,
                                            memory_order order = default_read_modify_write_order,
                                            memory_scope scope = default_scope) const noexcept {
    if constexpr (floating)
      return update([operand](T_ old) { return old - operand; }, order, scope);
    else
      return from_storage(detail::atomic::fetch_sub<AddressSpace>(address_, distance(operand), order, scope));
  }

#define SYCLRTC_DETAIL_ATOMIC_BITS(name)                                                                               \
  template <class U_ = T_, std::enable_if_t<std::is_integral_v<U_>, int> = 0>                                          \
  SYCLRTC_DETAIL_ALWAYS_INLINE T_ name(T_ operand, memory_order order = default_read_modify_write_order,               \
                                       memory_scope scope = default_scope) const noexcept {                            \
    return from_storage(detail::atomic::name<AddressSpace>(address_, to_storage(operand), order, scope));              \
  }
  SYCLRTC_DETAIL_ATOMIC_BITS(fetch_and)
  SYCLRTC_DETAIL_ATOMIC_BITS(fetch_or)
  SYCLRTC_DETAIL_ATOMIC_BITS(fetch_xor)
#undef SYCLRTC_DETAIL_ATOMIC_BITS

  /// Of floating-point numbers, one of which is NaN: the other one, as `fmin` and `fmax` do.
  template <class U_ = T_, std::enable_if_t<!std::is_pointer_v<U_>, int> = 0>
  SYCLRTC_DETAIL_ALWAYS_INLINE T_ fetch_min(T_ operand, memory_order order = default_read_modify_write_order,
                                            memory_scope scope = default_scope) const noexcept {
    if constexpr (floating)
      return update([operand](T_ old) { return operand < old || old != old ? operand : old; }, order, scope);
    else
      return from_storage(detail::atomic::fetch_min<AddressSpace>(address_, to_storage(operand), order, scope));
  }
  template <class U_ = T_, std::enable_if_t<!std::is_pointer_v<U_>, int> = 0>
  SYCLRTC_DETAIL_ALWAYS_INLINE T_ fetch_max(T_ operand, memory_order order = default_read_modify_write_order,
                                            memory_scope scope = default_scope) const noexcept {
    if constexpr (floating)
      return update([operand](T_ old) { return operand > old || old != old ? operand : old; }, order, scope);
    else
      return from_storage(detail::atomic::fetch_max<AddressSpace>(address_, to_storage(operand), order, scope));
  }

  T_ operator+=(difference_type operand) const noexcept { return fetch_add(operand) + operand; }
  T_ operator-=(difference_type operand) const noexcept { return fetch_sub(operand) - operand; }
  template <class U_ = T_, std::enable_if_t<!std::is_floating_point_v<U_>, int> = 0> T_ operator++(int) const noexcept {
    return fetch_add(1);
  }
  template <class U_ = T_, std::enable_if_t<!std::is_floating_point_v<U_>, int> = 0> T_ operator--(int) const noexcept {
    return fetch_sub(1);
  }
  template <class U_ = T_, std::enable_if_t<!std::is_floating_point_v<U_>, int> = 0> T_ operator++() const noexcept {
    return fetch_add(1) + 1;
  }
  template <class U_ = T_, std::enable_if_t<!std::is_floating_point_v<U_>, int> = 0> T_ operator--() const noexcept {
    return fetch_sub(1) - 1;
  }
  template <class U_ = T_, std::enable_if_t<std::is_integral_v<U_>, int> = 0> T_ operator&=(T_ operand) const noexcept {
    return fetch_and(operand) & operand;
  }
  template <class U_ = T_, std::enable_if_t<std::is_integral_v<U_>, int> = 0> T_ operator|=(T_ operand) const noexcept {
    return fetch_or(operand) | operand;
  }
  template <class U_ = T_, std::enable_if_t<std::is_integral_v<U_>, int> = 0> T_ operator^=(T_ operand) const noexcept {
    return fetch_xor(operand) ^ operand;
  }

private:
  SYCLRTC_DETAIL_ALWAYS_INLINE static storage to_storage(T_ value) { return __builtin_bit_cast(storage, value); }
  SYCLRTC_DETAIL_ALWAYS_INLINE static T_ from_storage(storage bits) { return __builtin_bit_cast(T_, bits); }

  /// What to add to the bits: of a pointer, its distances count elements.
  SYCLRTC_DETAIL_ALWAYS_INLINE static storage distance(difference_type operand) {
    if constexpr (pointer)
      return static_cast<storage>(operand) * sizeof(std::remove_pointer_t<T_>);
    else
      return to_storage(operand);
  }

  /// Replaces the value by a function of it, without help of the device. Gives the old value.
  template <class Function>
  SYCLRTC_DETAIL_ALWAYS_INLINE T_ update(Function function, memory_order order, memory_scope scope) const {
    storage old = detail::atomic::load<AddressSpace>(address_, memory_order::relaxed, scope);
    while (!detail::atomic::compare_exchange<AddressSpace>(address_, old, to_storage(function(from_storage(old))),
                                                           order, detail::read_order(order), scope)) {
    }
    return from_storage(old);
  }

  storage *address_;
};

} // namespace _V1
} // namespace sycl
