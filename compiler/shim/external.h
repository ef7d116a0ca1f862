// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SYCL_EXTERNAL in the text.
#pragma once

#include "clang/Lex/Preprocessor.h"
#include "llvm/ADT/StringRef.h"

#include "declarations.h"

namespace syclrtc {

/// What the macro SYCL_EXTERNAL stands for: a pragma, which may stand wherever a token may.
constexpr llvm::StringRef externalMacro = "_Pragma(\"syclrtc external\")";

/// Makes `preprocessor` put an attribute in the place of that pragma: in the C++ form where a declaration begins, so that
/// other such attributes may follow, and in GNU's form, which may stand among the specifiers, elsewhere.
void handleExternal(clang::Preprocessor &preprocessor);

/// Reports SYCL_EXTERNAL and properties among `attributes`, which clang left out because they stand behind a definition.
void reportLate(clang::Preprocessor &preprocessor, llvm::ArrayRef<clang::SourceLocation> attributes);

/// Reports what is SYCL_EXTERNAL without external linkage.
void checkExternal(clang::DiagnosticsEngine &diagnostics, const Declarations &declarations);

} // namespace syclrtc
