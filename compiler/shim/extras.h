// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Options of the kernel compiler that upstream clang does not know.
#pragma once

#include <array>

#include "llvm/ADT/StringRef.h"

namespace syclrtc {

enum class Meaning {
  /// It asks for what always holds here, or only steers speed or compiling ahead of time.
  Nothing,
  Refused,
  AutoPch,
  PersistentPch,
  CodeSplit,
  DriverOption,
  IdsFitInInt,
  IdsAreWide,
  Redist,
  SystemIncludes,
  InMemoryOnly,
};

enum class Argument {
  None,
  /// Behind the spelling, in the same element.
  Joined,
  /// The next element.
  Separate,
  /// Behind the spelling, or the next element if nothing is there.
  Either,
  /// Something behind the spelling, and the next element.
  Both,
};

struct Extra {
  llvm::StringRef spelling;
  Argument argument;
  Meaning meaning;
};

/// A longer spelling stands before one that it begins with.
inline constexpr std::array extras = {
    Extra{"--auto-pch", Argument::None, Meaning::AutoPch},
    Extra{"--persistent-auto-pch=", Argument::Joined, Meaning::PersistentPch},
    Extra{"-fsycl-rtc-mode", Argument::None, Meaning::Nothing},
    Extra{"-fno-sycl-rtc-mode", Argument::None, Meaning::Nothing},
    Extra{"-fsycl-allow-device-image-dependencies", Argument::None, Meaning::Nothing},
    Extra{"-fno-sycl-allow-device-image-dependencies", Argument::None, Meaning::Nothing},
    Extra{"-fsycl-instrument-device-code", Argument::None, Meaning::Nothing},
    Extra{"-fno-sycl-instrument-device-code", Argument::None, Meaning::Nothing},
    Extra{"-fsycl-unnamed-lambda", Argument::None, Meaning::Nothing},
    Extra{"-fno-sycl-unnamed-lambda", Argument::None, Meaning::Nothing},
    Extra{"-fsycl-dead-args-optimization", Argument::None, Meaning::Nothing},
    Extra{"-fno-sycl-dead-args-optimization", Argument::None, Meaning::Nothing},
    Extra{"-fsycl-early-optimizations", Argument::None, Meaning::Nothing},
    Extra{"-fno-sycl-early-optimizations", Argument::None, Meaning::Nothing},
    Extra{"-fsycl-device-code-split=", Argument::Joined, Meaning::CodeSplit},
    Extra{"-fsycl-device-code-split", Argument::None, Meaning::Nothing},
    Extra{"-fsycl-device-code-split-esimd", Argument::None, Meaning::Nothing},
    Extra{"-fsycl-id-queries-fit-in-int", Argument::None, Meaning::IdsFitInInt},
    Extra{"-fno-sycl-id-queries-fit-in-int", Argument::None, Meaning::IdsAreWide},
    Extra{"--sycl-rtc-experimental-redist-mode", Argument::None, Meaning::Redist},
    Extra{"--sycl-rtc-use-system-includes", Argument::None, Meaning::SystemIncludes},
    Extra{"--sycl-rtc-in-memory-fs-only", Argument::None, Meaning::InMemoryOnly},
    Extra{"-Xsycl-target-backend=", Argument::Both, Meaning::Nothing},
    Extra{"-Xsycl-target-backend", Argument::Separate, Meaning::Nothing},
    Extra{"-Xsycl-target-linker=", Argument::Both, Meaning::Nothing},
    Extra{"-Xsycl-target-linker", Argument::Separate, Meaning::Nothing},
    // Its argument is for the front end, so leaving it out would change what the code means.
    Extra{"-Xsycl-target-frontend=", Argument::Both, Meaning::Refused},
    Extra{"-Xsycl-target-frontend", Argument::Separate, Meaning::Refused},
    Extra{"-Xs", Argument::Either, Meaning::DriverOption},
    Extra{"-fsycl-device-only", Argument::None, Meaning::Refused},
    Extra{"-fsycl-host-only", Argument::None, Meaning::Refused},
    Extra{"-fsycl-link=", Argument::Joined, Meaning::Refused},
    Extra{"-fsycl-link", Argument::None, Meaning::Refused},
    Extra{"-fsycl-targets=", Argument::Joined, Meaning::Refused},
    Extra{"-offload-targets=", Argument::Joined, Meaning::Refused},
    Extra{"--offload-targets=", Argument::Joined, Meaning::Refused},
    Extra{"-fno-sycl-device-code-split-esimd", Argument::None, Meaning::Refused},
};

/// True if the argument is the element behind `option`, which is an element that begins with the spelling.
inline bool takesNext(const Extra &extra, llvm::StringRef option) {
  return extra.argument == Argument::Separate || extra.argument == Argument::Both ||
         (extra.argument == Argument::Either && option == extra.spelling);
}

/// The extra option that an element is, if any.
inline const Extra *findExtra(llvm::StringRef element) {
  for (const Extra &extra : extras) {
    bool whole = extra.argument == Argument::None || extra.argument == Argument::Separate;
    if (whole ? element != extra.spelling : !element.starts_with(extra.spelling))
      continue;
    // A misspelt -Xsycl-target-... is no option for the driver.
    return extra.meaning == Meaning::DriverOption && element.starts_with("-Xsycl-") ? nullptr : &extra;
  }
  return nullptr;
}

} // namespace syclrtc
