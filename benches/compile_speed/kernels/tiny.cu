// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// kernels/tiny.cpp, as CUDA spells it.
extern "C" __global__ void iota(float start, float *ptr) {
  size_t id = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  ptr[id] = start + static_cast<float>(id) + @BUILD@;
}
