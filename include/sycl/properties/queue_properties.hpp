// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#ifdef __SYCL_DEVICE_ONLY__
#include <sycl/detail/device.hpp>
#else

#include <sycl/property_list.hpp>

namespace sycl {
inline namespace _V1 {

class queue;

namespace property::queue {

/// Commands run one after the other, in the order of submission.
struct in_order : detail::plain_property<0> {};
/// Events know when their commands were submitted, started and ended.
struct enable_profiling : detail::plain_property<1> {};

} // namespace property::queue

namespace ext::oneapi::property::queue {

/// Accepted hints; without effect here.
struct discard_events : sycl::detail::plain_property<2> {};
struct priority_normal : sycl::detail::plain_property<3> {};
struct priority_low : sycl::detail::plain_property<4> {};
struct priority_high : sycl::detail::plain_property<5> {};

} // namespace ext::oneapi::property::queue

template <> struct is_property_of<property::queue::in_order, queue> : std::true_type {};
template <> struct is_property_of<property::queue::enable_profiling, queue> : std::true_type {};
template <> struct is_property_of<ext::oneapi::property::queue::discard_events, queue> : std::true_type {};
template <> struct is_property_of<ext::oneapi::property::queue::priority_normal, queue> : std::true_type {};
template <> struct is_property_of<ext::oneapi::property::queue::priority_low, queue> : std::true_type {};
template <> struct is_property_of<ext::oneapi::property::queue::priority_high, queue> : std::true_type {};

} // namespace _V1
} // namespace sycl

#endif
