// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registered names: the text by which they are compiled, and what they turn out to name.
#pragma once

#include <string>
#include <vector>

#include "clang/AST/Decl.h"
#include "clang/Basic/Diagnostic.h"
#include "llvm/ADT/StringRef.h"

#include "device_globals.h"
#include "kernels.h"

namespace syclrtc {

class RegisteredNames {
public:
  void add(llvm::StringRef name) { names.push_back(name.str()); }

  /// Declares one variable for each name, initialised with the expression, as if written after the last line. A name that
  /// could reach beyond its own expression becomes an error.
  std::string text(clang::DiagnosticsEngine &diagnostics) const;

  /// True if `variable` is one of those; it is kept then.
  bool take(clang::VarDecl *variable);

  /// The raw name or symbol of each name. Those that name neither a kernel nor a device global become errors.
  std::vector<std::string> resolve(clang::DiagnosticsEngine &diagnostics, llvm::ArrayRef<Kernel> kernels,
                                   llvm::ArrayRef<DeviceGlobal> globals) const;

private:
  std::vector<std::string> names;
  std::vector<clang::VarDecl *> variables;
};

} // namespace syclrtc
