// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace syclrtc {

/// Makes clang know the SYCL attributes of kernels; before the first text is parsed.
void registerAttributes();

} // namespace syclrtc
