// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Declarations of the functions that the SPIR-V back end turns into instructions and built-in variables. Their mangled
// names are what it recognises, so that parameter types here must be exact.

#ifdef __SYCL_DEVICE_ONLY__

#include <sycl/detail/defines.hpp>

#include <cstddef>
#include <cstdint>

SYCLRTC_DETAIL_BUILTIN std::size_t __spirv_BuiltInGlobalInvocationId(int);
SYCLRTC_DETAIL_BUILTIN std::size_t __spirv_BuiltInGlobalSize(int);
SYCLRTC_DETAIL_BUILTIN std::size_t __spirv_BuiltInGlobalOffset(int);
SYCLRTC_DETAIL_BUILTIN std::size_t __spirv_BuiltInLocalInvocationId(int);
SYCLRTC_DETAIL_BUILTIN std::size_t __spirv_BuiltInWorkgroupSize(int);
SYCLRTC_DETAIL_BUILTIN std::size_t __spirv_BuiltInEnqueuedWorkgroupSize(int);
SYCLRTC_DETAIL_BUILTIN std::size_t __spirv_BuiltInWorkgroupId(int);
SYCLRTC_DETAIL_BUILTIN std::size_t __spirv_BuiltInNumWorkgroups(int);
SYCLRTC_DETAIL_BUILTIN std::uint32_t __spirv_BuiltInSubgroupSize();
SYCLRTC_DETAIL_BUILTIN std::uint32_t __spirv_BuiltInSubgroupMaxSize();
SYCLRTC_DETAIL_BUILTIN std::uint32_t __spirv_BuiltInNumSubgroups();
SYCLRTC_DETAIL_BUILTIN std::uint32_t __spirv_BuiltInSubgroupId();
SYCLRTC_DETAIL_BUILTIN std::uint32_t __spirv_BuiltInSubgroupLocalInvocationId();

SYCLRTC_DETAIL_BUILTIN SYCLRTC_DETAIL_CONVERGENT void __spirv_ControlBarrier(int execution, int memory, int semantics);
SYCLRTC_DETAIL_BUILTIN SYCLRTC_DETAIL_CONVERGENT void __spirv_MemoryBarrier(int memory, int semantics);

namespace sycl {
inline namespace _V1 {
namespace detail::spirv {

/// Values of SPIR-V's `Scope`.
enum scope : int { cross_device = 0, device = 1, work_group = 2, sub_group = 3, invocation = 4 };

/// Bits of SPIR-V's `Memory Semantics`. An order without a class of memory orders nothing.
enum semantics : int {
  acquire = 0x2,
  release = 0x4,
  acquire_release = 0x8,
  sequentially_consistent = 0x10,
  sub_group_memory = 0x80,
  work_group_memory = 0x100,
  cross_work_group_memory = 0x200,
  all_memory = sub_group_memory | work_group_memory | cross_work_group_memory,
};

} // namespace detail::spirv
} // namespace _V1
} // namespace sycl

#endif
