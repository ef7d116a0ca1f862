// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the checked options to the command line of the compile.
#include <array>
#include <memory>

#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/DiagnosticIDs.h"
#include "clang/Basic/DiagnosticOptions.h"
#include "clang/Driver/Compilation.h"
#include "clang/Driver/Driver.h"
#include "clang/Driver/Job.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/TargetParser/Host.h"

#include "external.h"
#include "options.h"

namespace syclrtc {

using llvm::StringRef;

namespace {

/// Flags of the host's driver that have no meaning for the device, or are set below.
bool dropped(StringRef flag, bool &hasValue) {
  constexpr std::array withValue = {
      StringRef("-triple"),    StringRef("-target-cpu"), StringRef("-target-feature"),    StringRef("-tune-cpu"),
      StringRef("-target-abi"), StringRef("-x"),          StringRef("-mrelocation-model"), StringRef("-pic-level"),
      StringRef("-o"),         StringRef("-main-file-name"),
  };
  constexpr std::array prefixes = {
      StringRef("-mframe-pointer="), StringRef("-funwind-tables="), StringRef("-debugger-tuning="),
      StringRef("-fdebug-compilation-dir="), StringRef("-fcoverage-compilation-dir="), StringRef("-stack-protector"),
  };
  constexpr std::array alone = {
      StringRef("-pic-is-pie"),  StringRef("-fmath-errno"), StringRef("-fcxx-exceptions"), StringRef("-fexceptions"),
      StringRef("-faddrsig"),    StringRef("-fsyntax-only"), StringRef("-mconstructor-aliases"),
      StringRef("-fwrapv-pointer"), StringRef("-fhalf-no-semantic-interposition"),
      StringRef("-vectorize-loops"), StringRef("-vectorize-slp"), StringRef("-clear-ast-before-backend"),
  };
  hasValue = llvm::is_contained(withValue, flag);
  return hasValue || llvm::is_contained(alone, flag) ||
         llvm::any_of(prefixes, [&](StringRef prefix) { return flag.starts_with(prefix); });
}

/// Macros by which C and C++ library headers recognise the host; the device target does not define them itself, and its
/// data model is the host's.
void addHostMacros(const llvm::Triple &host, std::vector<std::string> &args) {
  std::vector<StringRef> names = {"_GNU_SOURCE=1", "__ELF__=1"};
  if (host.isOSLinux())
    llvm::append_range(names, std::array<StringRef, 5>{"__linux__=1", "__linux=1", "__gnu_linux__=1", "__unix__=1", "__unix=1"});
  if (host.getArch() == llvm::Triple::x86_64)
    llvm::append_range(names, std::array<StringRef, 4>{"__x86_64__=1", "__x86_64=1", "__amd64__=1", "__amd64=1"});
  if (host.getArch() == llvm::Triple::aarch64)
    llvm::append_range(names, std::array<StringRef, 1>{"__aarch64__=1"});
  for (StringRef name : names)
    args.push_back(("-D" + name).str());
}

} // namespace

std::optional<std::vector<std::string>> cc1Arguments(const std::vector<std::string> &options, const TargetSetup &setup,
                                                     llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files,
                                                     clang::DiagnosticConsumer &log) {
  // A configuration file of some clang on the machine has no say.
  std::vector<const char *> command = {"clang++", "-fsyntax-only", "-x", "c++", "--no-default-config",
                                       "-Qunused-arguments", "-std=c++17", "-O2"};
  for (const std::string &option : options)
    command.push_back(option.c_str());
  command.push_back("input.cpp");

  std::unique_ptr<clang::DiagnosticOptions> diagnosticOptions = clang::CreateAndPopulateDiagOpts(command);
  clang::DiagnosticsEngine diagnostics(clang::DiagnosticIDs::create(), *diagnosticOptions, &log, false);
  // What is wrong with the options themselves is reported by the compile that they are for.
  clang::ProcessWarningOptions(diagnostics, *diagnosticOptions, *files, false);
  const std::string hostTriple = llvm::sys::getDefaultTargetTriple();
  clang::driver::Driver driver("syclrtc-compiler", hostTriple, diagnostics, "syclrtc compiler", files);
  driver.setCheckInputsExist(false);
  driver.ResourceDir = setup.resourceDir;

  std::unique_ptr<clang::driver::Compilation> compilation(driver.BuildCompilation(command));
  if (!compilation || diagnostics.hasErrorOccurred() || compilation->getJobs().size() != 1)
    return std::nullopt;

  std::vector<std::string> result = {"-triple", "spirv64-unknown-unknown", "-fsycl-is-device"};
  addHostMacros(llvm::Triple(hostTriple), result);
  result.insert(result.end(), {"-D__SYCL_DEVICE_ONLY__=1", "-D__SYCLRTC__=1",
                               ("-DSYCL_EXTERNAL=" + externalMacro).str()});
  const llvm::opt::ArgStringList &arguments = compilation->getJobs().begin()->getArguments();
  bool syclDirAdded = false;
  for (size_t i = 0; i != arguments.size(); ++i) {
    StringRef argument = arguments[i];
    bool hasValue = false;
    if (argument == "-cc1" || argument == "input.cpp")
      continue;
    if (dropped(argument, hasValue)) {
      i += hasValue;
      continue;
    }
    if (!syclDirAdded && argument.starts_with("-internal-")) {
      result.insert(result.end(), {"-internal-isystem", setup.syclIncludeDir});
      syclDirAdded = true;
    }
    result.push_back(argument.str());
  }
  if (!syclDirAdded)
    result.insert(result.end(), {"-internal-isystem", setup.syclIncludeDir});
  // Definitions that the C++ standard library's headers count on; ahead of every text, since it may include only those.
  result.insert(result.end(), {"-include", setup.syclIncludeDir + "/sycl/detail/device_std.hpp"});
  result.insert(result.end(), {"-fno-rtti", "-x", "c++"});
  return result;
}

} // namespace syclrtc
