// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace sycl {
inline namespace _V1 {

/// SYCL 2020, 3.8.3.1. The numbers are those of the C++ memory orders.
enum class memory_order : int { relaxed = 0, acquire = 2, release = 3, acq_rel = 4, seq_cst = 5 };

inline constexpr memory_order memory_order_relaxed = memory_order::relaxed;
inline constexpr memory_order memory_order_acquire = memory_order::acquire;
inline constexpr memory_order memory_order_release = memory_order::release;
inline constexpr memory_order memory_order_acq_rel = memory_order::acq_rel;
inline constexpr memory_order memory_order_seq_cst = memory_order::seq_cst;

/// SYCL 2020, 3.8.3.2, from the narrowest to the widest.
enum class memory_scope : int { work_item, sub_group, work_group, device, system };

inline constexpr memory_scope memory_scope_work_item = memory_scope::work_item;
inline constexpr memory_scope memory_scope_sub_group = memory_scope::sub_group;
inline constexpr memory_scope memory_scope_work_group = memory_scope::work_group;
inline constexpr memory_scope memory_scope_device = memory_scope::device;
inline constexpr memory_scope memory_scope_system = memory_scope::system;

} // namespace _V1
} // namespace sycl
