// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the preamble of a text ends.
#pragma once

#include <cstddef>

#include "llvm/ADT/StringRef.h"

namespace syclrtc {

/// The directives and comments that a text begins with.
struct Preamble {
  /// Length up to the first token that belongs to neither.
  size_t end = 0;
  /// Length up to the last line behind which a parse can stop and another one go on with the same result: a directive has
  /// just ended, and no conditional group is open.
  size_t reusable = 0;
  /// How many directives of the reusable part bring in other text.
  unsigned includes = 0;
};

/// Finds it by clang's own lexer. Nothing is evaluated: directives of groups that will be skipped count like the others.
Preamble findPreamble(llvm::StringRef text);

} // namespace syclrtc
