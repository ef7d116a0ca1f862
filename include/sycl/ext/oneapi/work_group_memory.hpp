// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sycl/detail/local_object.hpp>
#include <sycl/ext/oneapi/properties/properties.hpp>
#include <sycl/feature_test.hpp>
#include <sycl/multi_ptr.hpp>

#include <cstddef>
#include <type_traits>

// sycl_ext_oneapi_work_group_memory

namespace sycl {
inline namespace _V1 {
namespace ext::oneapi::experimental {

/// Marks an object that gets its value later.
struct indeterminate_t {};
inline constexpr indeterminate_t indeterminate;

/// Local memory of each work-group of a launch, used as the object that it holds. The layout is that of `local_accessor`
/// without a range.
template <class DataT, class PropertyListT = empty_properties_t> class work_group_memory {
  static_assert(std::is_same_v<PropertyListT, empty_properties_t>, "work_group_memory has no properties yet");
  static_assert(std::is_object_v<DataT>, "work_group_memory holds an object");
  template <bool Condition> using when = std::enable_if_t<Condition, int>;
  template <class Type> static constexpr bool unbounded = std::is_array_v<Type> && std::extent_v<Type> == 0;

public:
  using value_type = std::remove_all_extents_t<DataT>;

  /// An object that nothing may be done with but assigning another one to it.
  work_group_memory(const indeterminate_t &) {}
  work_group_memory(const work_group_memory &) = default;
  work_group_memory &operator=(const work_group_memory &) = default;

#ifndef __SYCL_DEVICE_ONLY__
  template <class Type = DataT, when<!unbounded<Type>> = 0>
  explicit work_group_memory(handler &) : local_(sizeof(Type)) {}
  /// `count` is the outermost extent.
  template <class Type = DataT, when<unbounded<Type>> = 0>
  work_group_memory(std::size_t count, handler &)
      : local_(sycl::detail::local_bytes(sizeof(std::remove_extent_t<Type>), count)) {}
#endif

  SYCLRTC_DETAIL_ALWAYS_INLINE operator DataT &() const { return *&*this; }
  template <class Type = DataT, when<!std::is_array_v<Type>> = 0>
  SYCLRTC_DETAIL_ALWAYS_INLINE const work_group_memory &operator=(const Type &value) const {
    *&*this = value;
    return *this;
  }
  SYCLRTC_DETAIL_ALWAYS_INLINE DataT *operator&() const { return (DataT *)(value_type *)local_.data(); }

  template <access::decorated Decorated = access::decorated::no>
  SYCLRTC_DETAIL_ALWAYS_INLINE multi_ptr<value_type, access::address_space::local_space, Decorated> get_multi_ptr() const {
    return multi_ptr<value_type, access::address_space::local_space, Decorated>(local_.data());
  }

private:
  friend struct sycl::detail::local_access;

  sycl::detail::local_object<value_type> local_;
};

} // namespace ext::oneapi::experimental
} // namespace _V1
} // namespace sycl
