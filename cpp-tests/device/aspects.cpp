// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The numbers of aspects are those of the C header, which device code cannot include.

#include "device_test.hpp"

#include <syclrtc/syclrtc.h>

namespace {
constexpr bool same(sycl::aspect a, unsigned number) { return static_cast<unsigned>(a) == number; }
} // namespace

TEST_CASE("aspects have the library's numbers") {
  using sycl::aspect;
  CHECK(same(aspect::cpu, SYCLRTC_ASPECT_CPU));
  CHECK(same(aspect::gpu, SYCLRTC_ASPECT_GPU));
  CHECK(same(aspect::accelerator, SYCLRTC_ASPECT_ACCELERATOR));
  CHECK(same(aspect::custom, SYCLRTC_ASPECT_CUSTOM));
  CHECK(same(aspect::fp16, SYCLRTC_ASPECT_FP16));
  CHECK(same(aspect::fp64, SYCLRTC_ASPECT_FP64));
  CHECK(same(aspect::image, SYCLRTC_ASPECT_IMAGE));
  CHECK(same(aspect::online_compiler, SYCLRTC_ASPECT_ONLINE_COMPILER));
  CHECK(same(aspect::online_linker, SYCLRTC_ASPECT_ONLINE_LINKER));
  CHECK(same(aspect::queue_profiling, SYCLRTC_ASPECT_QUEUE_PROFILING));
  CHECK(same(aspect::usm_device_allocations, SYCLRTC_ASPECT_USM_DEVICE_ALLOCATIONS));
  CHECK(same(aspect::usm_host_allocations, SYCLRTC_ASPECT_USM_HOST_ALLOCATIONS));
  CHECK(same(aspect::usm_shared_allocations, SYCLRTC_ASPECT_USM_SHARED_ALLOCATIONS));
  CHECK(same(aspect::usm_system_allocations, SYCLRTC_ASPECT_USM_SYSTEM_ALLOCATIONS));
  CHECK(same(aspect::usm_atomic_host_allocations, SYCLRTC_ASPECT_USM_ATOMIC_HOST_ALLOCATIONS));
  CHECK(same(aspect::usm_atomic_shared_allocations, SYCLRTC_ASPECT_USM_ATOMIC_SHARED_ALLOCATIONS));
  CHECK(same(aspect::atomic64, SYCLRTC_ASPECT_ATOMIC64));
  CHECK(same(aspect::host_debuggable, SYCLRTC_ASPECT_HOST_DEBUGGABLE));
  CHECK(same(aspect::emulated, SYCLRTC_ASPECT_EMULATED));
}
