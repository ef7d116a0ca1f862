// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Build options: which are taken, and what they mean to the compile.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "clang/Basic/Diagnostic.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/IntrusiveRefCntPtr.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/VirtualFileSystem.h"

#include "frontend.h"

namespace syclrtc {

/// What `-ftime-trace` and its companions ask for.
struct TimeTrace {
  /// A file, a directory, or "-" for standard output; empty for a file named after the source.
  std::optional<std::string> file;
  /// Shorter events are left out; microseconds.
  unsigned granularity = 500;
  bool verbose = false;
};

/// The options of one request after checking.
struct Options {
  /// For clang's driver, in the user's order.
  std::vector<std::string> forDriver;
  /// The same without -D.
  std::vector<std::string> withoutDefines;
  /// False if another option depends on when -D takes effect.
  bool definesMayWait = true;
  /// 0 to 3; the last -O of the user, else 2.
  unsigned optimizationLevel = 2;
  fe_code_split codeSplit = FE_SPLIT_AUTO;
  /// Arguments of -Xs with blanks between, for the driver's compiler.
  std::string driverOptions;
  /// Kernels without a range of their own are for launches of at most INT_MAX work-items.
  bool idsFitInInt = false;
  /// Only what the program carries and the request holds counts as a file.
  bool inMemoryOnly = false;
  TimeTrace timeTrace;
  /// Later builds may reuse the parsed preamble without a look at the files behind it: `--auto-pch`.
  bool autoPch = false;
  /// False if the parse cannot stop behind the preamble and go on in another text with the same result.
  bool divisible = true;

  /// True if everything the user gave is one of the groups below, so that it can take effect behind a parsed preamble.
  bool lateBound = true;
  /// `#define` lines for -D.
  std::string defines;
  /// Names that -D defines.
  std::vector<std::string> definedNames;
  /// -I directories.
  std::vector<std::string> includeDirs;
  /// -W options without the prefix; "-w" as itself.
  std::vector<std::string> warnings;
  /// -R options without the prefix.
  std::vector<std::string> remarks;
};

/// Checks `given` against clang's option table and the project's rules. The error text is for the user and quotes the option.
llvm::Expected<Options> checkOptions(llvm::ArrayRef<llvm::StringRef> given);

/// What the cc1 command line needs beyond the user's options.
struct TargetSetup {
  std::string syclIncludeDir;
  std::string resourceDir;
};

/// Translates driver options to cc1 arguments for the device target. What the driver has to say goes to `log`; nothing comes
/// back if that is an error.
std::optional<std::vector<std::string>> cc1Arguments(const std::vector<std::string> &options, const TargetSetup &setup,
                                                     llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files,
                                                     clang::DiagnosticConsumer &log);

} // namespace syclrtc
