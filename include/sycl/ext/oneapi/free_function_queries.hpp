// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sycl/feature_test.hpp>
#include <sycl/group.hpp>
#include <sycl/item.hpp>
#include <sycl/nd_item.hpp>
#include <sycl/sub_group.hpp>

namespace sycl {
inline namespace _V1 {
namespace ext::oneapi {

/// Where the running work-item is, from any function of a kernel that was launched with an `nd_range`.
namespace this_work_item {

template <int Dimensions> SYCLRTC_DETAIL_ALWAYS_INLINE inline nd_item<Dimensions> get_nd_item() {
  return sycl::detail::index_maker::make<nd_item<Dimensions>>();
}
template <int Dimensions> SYCLRTC_DETAIL_ALWAYS_INLINE inline group<Dimensions> get_work_group() {
  return sycl::detail::index_maker::make<group<Dimensions>>();
}
SYCLRTC_DETAIL_ALWAYS_INLINE inline sub_group get_sub_group() { return sycl::detail::index_maker::make<sub_group>(); }

} // namespace this_work_item

namespace experimental {

template <int Dimensions>
[[deprecated(
    "use sycl::ext::oneapi::this_work_item::get_nd_item()")]] SYCLRTC_DETAIL_ALWAYS_INLINE inline nd_item<Dimensions>
this_nd_item() {
  return sycl::detail::index_maker::make<nd_item<Dimensions>>();
}
template <int Dimensions>
[[deprecated(
    "use sycl::ext::oneapi::this_work_item::get_work_group()")]] SYCLRTC_DETAIL_ALWAYS_INLINE inline group<Dimensions>
this_group() {
  return sycl::detail::index_maker::make<group<Dimensions>>();
}
[[deprecated("use sycl::ext::oneapi::this_work_item::get_sub_group()")]] SYCLRTC_DETAIL_ALWAYS_INLINE inline sub_group
this_sub_group() {
  return sycl::detail::index_maker::make<sub_group>();
}
template <int Dimensions>
[[deprecated("use nd_range kernels")]] SYCLRTC_DETAIL_ALWAYS_INLINE inline item<Dimensions, false> this_item() {
  return sycl::detail::index_maker::make<item<Dimensions, false>>();
}
template <int Dimensions>
[[deprecated("use nd_range kernels")]] SYCLRTC_DETAIL_ALWAYS_INLINE inline id<Dimensions> this_id() {
  return sycl::detail::index_maker::make<item<Dimensions, false>>().get_id();
}

} // namespace experimental
} // namespace ext::oneapi
} // namespace _V1
} // namespace sycl
