// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace sycl {
inline namespace _V1 {
namespace access {

enum class address_space : int {
  private_space = 0,
  global_space = 1,
  constant_space = 2,
  local_space = 3,
  generic_space = 4
};

enum class decorated : int { no = 0, yes = 1, legacy = 2 };

enum class fence_space : int { local_space = 0, global_space = 1, global_and_local = 2 };

} // namespace access
} // namespace _V1
} // namespace sycl
