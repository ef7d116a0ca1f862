/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A program in C alone: the library that runs is of the version whose header was compiled.
 */
#include <stdio.h>
#include <syclrtc/syclrtc.h>

int main(void) {
  uint32_t header = SYCLRTC_VERSION_MAJOR << 16 | SYCLRTC_VERSION_MINOR << 8 | SYCLRTC_VERSION_PATCH;
  uint32_t library = syclrtc_version();
  printf("header %#x, library %#x\n", (unsigned)header, (unsigned)library);
  return header != library;
}
