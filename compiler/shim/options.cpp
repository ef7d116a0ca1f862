// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "options.h"

#include <algorithm>
#include <array>
#include <memory>

#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/DiagnosticIDs.h"
#include "clang/Basic/DiagnosticOptions.h"
#include "clang/Basic/LangStandard.h"
#include "clang/Driver/Compilation.h"
#include "clang/Driver/Driver.h"
#include "clang/Driver/Job.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "clang/Options/Options.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Option/Arg.h"
#include "llvm/Option/ArgList.h"
#include "llvm/TargetParser/Host.h"

namespace syclrtc {
namespace {

namespace options = clang::options;
using llvm::StringRef;

llvm::Error refuse(const llvm::Twine &text) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
}

/// Options of DPC++ that upstream clang does not know. `value` = the spelling ends in '=' and a value follows.
struct Extra {
  StringRef spelling;
  bool value;
};
// Accepted: they ask for what always holds here, or only steer speed.
constexpr std::array accepted = {
    Extra{"-fsycl-rtc-mode", false},
    Extra{"-fno-sycl-rtc-mode", false},
    Extra{"-fsycl-allow-device-image-dependencies", false},
    Extra{"-fno-sycl-allow-device-image-dependencies", false},
    Extra{"-fsycl-instrument-device-code", false},
    Extra{"-fno-sycl-instrument-device-code", false},
    Extra{"--auto-pch", false},
    Extra{"--persistent-auto-pch=", true},
    Extra{"-fsycl-device-code-split", false},
    Extra{"-fsycl-device-code-split=", true},
};
constexpr std::array refused = {
    Extra{"-fsycl-device-only", false}, Extra{"-fsycl-host-only", false},    Extra{"-fsycl-link", false},
    Extra{"-fsycl-link=", true},        Extra{"-fsycl-targets=", true},      Extra{"-offload-targets=", true},
    Extra{"--offload-targets=", true},  Extra{"-fno-sycl-device-code-split-esimd", false},
};

bool isOneOf(llvm::ArrayRef<Extra> table, StringRef option) {
  return llvm::any_of(table, [&](const Extra &extra) {
    return extra.value ? option.starts_with(extra.spelling) : option == extra.spelling;
  });
}

constexpr StringRef notSupported = "is not supported for SYCL runtime compilation";

/// Why an option that clang knows cannot be taken here; empty if it can.
StringRef refusalReason(const llvm::opt::Option &option) {
  constexpr std::array groups = {options::OPT_Action_Group, options::OPT_Link_Group,   options::OPT_m_Group,
                                 options::OPT_M_Group,      options::OPT_offload_Group, options::OPT_opencl_Group,
                                 options::OPT_d_Group,      options::OPT_pg};
  // They change what is done or written, load code, or aim at another target.
  constexpr std::array others = {
      options::OPT_o,           options::OPT_x,             options::OPT__HASH_HASH_HASH,  options::OPT__version,
      options::OPT_help,        options::OPT_v,             options::OPT_Xclang,           options::OPT_Xarch__,
      options::OPT_target,      options::OPT_mllvm,         options::OPT_fplugin_EQ,       options::OPT_fpass_plugin_EQ,
      options::OPT_load,        options::OPT_fsanitize_EQ,  options::OPT_working_directory, options::OPT_B,
      options::OPT_config,      options::OPT_gcc_toolchain, options::OPT_save_temps,       options::OPT_save_temps_EQ,
      options::OPT_dumpdir,     options::OPT__serialize_diags, options::OPT_Xpreprocessor, options::OPT_Wp_COMMA,
      options::OPT_Xassembler,  options::OPT_Wa_COMMA,      options::OPT_pipe,             options::OPT_static,
      options::OPT_shared,      options::OPT_fmodules,      options::OPT_include_pch,      options::OPT_pthread,
      options::OPT_P,           options::OPT_fuse_ld_EQ,    options::OPT_fopenmp,          options::OPT_ftest_coverage,
      options::OPT_fembed_bitcode, options::OPT_gen_reproducer, options::OPT_fstack_usage, options::OPT_ivfsoverlay,
      options::OPT_fprofile_generate, options::OPT_fprofile_instr_generate, options::OPT_fcoverage_mapping,
      options::OPT_fsave_optimization_record, options::OPT_fsave_optimization_record_EQ,
      options::OPT_foptimization_record_file_EQ, options::OPT_fproc_stat_report, options::OPT_fproc_stat_report_EQ,
      options::OPT_fcrash_diagnostics_dir, options::OPT_fsycl, options::OPT_fno_sycl, options::OPT__DASH_DASH,
  };
  if (llvm::any_of(groups, [&](auto id) { return option.matches(id); }) ||
      llvm::any_of(others, [&](auto id) { return option.matches(id); }))
    return notSupported;
  // Host and device have to see the same bytes in the same places.
  constexpr std::array layout = {options::OPT_fpack_struct, options::OPT_fpack_struct_EQ, options::OPT_fshort_enums,
                                 options::OPT_fshort_wchar};
  if (llvm::any_of(layout, [&](auto id) { return option.matches(id); }))
    return "changes the layout of types, which host and device share";
  constexpr std::array language = {options::OPT_fexceptions, options::OPT_fcxx_exceptions, options::OPT_frtti};
  if (llvm::any_of(language, [&](auto id) { return option.matches(id); }))
    return "asks for what device code does not have";
  return {};
}

std::string quoted(const llvm::opt::Arg &arg, const llvm::opt::ArgList &args) { return arg.getAsString(args); }

/// The definition that `-D` means, as a directive.
std::string defineDirective(StringRef definition) {
  auto [name, value] = definition.split('=');
  if (!definition.contains('='))
    value = "1";
  // A line break ends the value, as in clang.
  return ("#define " + name + " " + value.take_until([](char c) { return c == '\n' || c == '\r'; }) + "\n").str();
}

void takeLate(const llvm::opt::Arg &arg, StringRef spelling, Options &result) {
  const llvm::opt::Option &option = arg.getOption();
  if (option.matches(options::OPT_D)) {
    StringRef definition = arg.getValue();
    result.defines += defineDirective(definition);
    result.definedNames.push_back(definition.take_until([](char c) { return c == '=' || c == '('; }).str());
  } else if (option.matches(options::OPT_I)) {
    result.includeDirs.push_back(arg.getValue());
  } else if (option.matches(options::OPT_w)) {
    result.warnings.push_back("-w");
  } else if (StringRef text = spelling; option.matches(options::OPT_W_Group) && text.consume_front("-W")) {
    result.warnings.push_back(text.str());
  } else if (option.matches(options::OPT_O_Group)) {
    result.lateBound &= result.optimizationLevel != 0;
  } else {
    result.lateBound = false;
  }
}

} // namespace

llvm::Expected<Options> checkOptions(llvm::ArrayRef<StringRef> given) {
  Options result;
  std::vector<std::string> texts;
  bool autoPch = false, persistentPch = false;
  for (size_t i = 0; i != given.size(); ++i) {
    StringRef option = given[i];
    autoPch |= option == "--auto-pch";
    persistentPch |= option.starts_with("--persistent-auto-pch=");
    if (isOneOf(refused, option) || option.starts_with("@"))
      return refuse("Option '" + option + "' " + notSupported);
    if (!isOneOf(accepted, option))
      texts.push_back(option.str());
  }
  if (autoPch && persistentPch)
    return refuse("--auto-pch and --persistent-auto-pch= cannot be used together");

  llvm::SmallVector<const char *, 16> pointers;
  for (const std::string &text : texts)
    pointers.push_back(text.c_str());
  unsigned missingIndex = 0, missingCount = 0;
  const llvm::opt::OptTable &table = clang::getDriverOptTable();
  llvm::opt::InputArgList args =
      table.ParseArgs(pointers, missingIndex, missingCount, llvm::opt::Visibility(options::ClangOption));
  if (missingCount != 0)
    return refuse("Option '" + llvm::Twine(args.getArgString(missingIndex)) + "' lacks its argument");

  for (const llvm::opt::Arg *arg : args) {
    const llvm::opt::Option &option = arg->getOption();
    if (option.matches(options::OPT_UNKNOWN)) {
      std::string text = quoted(*arg, args), nearest;
      if (table.findNearest(text, nearest, llvm::opt::Visibility(options::ClangOption)) <= 2)
        return refuse("unknown argument: '" + text + "'; did you mean '" + nearest + "'?");
      return refuse("unknown argument: '" + text + "'");
    }
    if (option.matches(options::OPT_INPUT))
      return refuse("'" + llvm::Twine(arg->getValue()) + "' is not an option; input files are not taken");
    if (StringRef reason = refusalReason(option); !reason.empty())
      return refuse("Option '" + quoted(*arg, args) + "' " + reason);
    if (option.matches(options::OPT_std_EQ)) {
      auto kind = clang::LangStandard::getLangKind(arg->getValue());
      if (kind == clang::LangStandard::lang_unspecified ||
          clang::LangStandard::getLangStandardForKind(kind).getLanguage() != clang::Language::CXX)
        return refuse("Option '" + quoted(*arg, args) + "' does not name a C++ standard");
    }
    if (option.matches(options::OPT_O_Group)) {
      StringRef level = option.matches(options::OPT_O) ? arg->getValue() : "3";
      result.optimizationLevel = option.matches(options::OPT_O0)                        ? 0
                                 : level == "1" || level == "g" || level.empty()          ? 1
                                 : level == "2" || level == "s" || level == "z"           ? 2
                                                                                          : 3;
    }
    if (option.matches(options::OPT_U) || option.matches(options::OPT_include) || option.matches(options::OPT_imacros))
      result.definesMayWait = false;
    if (!option.matches(options::OPT_D)) {
      llvm::opt::ArgStringList rendered;
      arg->render(args, rendered);
      result.withoutDefines.insert(result.withoutDefines.end(), rendered.begin(), rendered.end());
    }
    takeLate(*arg, quoted(*arg, args), result);
  }
  result.forDriver = std::move(texts);
  return result;
}

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

llvm::Expected<std::vector<std::string>> cc1Arguments(const std::vector<std::string> &options, const TargetSetup &setup,
                                                      llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files) {
  std::string log;
  llvm::raw_string_ostream stream(log);
  clang::DiagnosticOptions diagnosticOptions;
  clang::DiagnosticsEngine diagnostics(clang::DiagnosticIDs::create(), diagnosticOptions,
                                       new clang::TextDiagnosticPrinter(stream, diagnosticOptions));
  const std::string hostTriple = llvm::sys::getDefaultTargetTriple();
  clang::driver::Driver driver("syclrtc-compiler", hostTriple, diagnostics, "syclrtc compiler", files);
  driver.setCheckInputsExist(false);
  driver.ResourceDir = setup.resourceDir;

  std::vector<const char *> command = {"clang++", "-fsyntax-only", "-x", "c++", "-Qunused-arguments", "-std=c++17", "-O2"};
  for (const std::string &option : options)
    command.push_back(option.c_str());
  command.push_back("input.cpp");
  std::unique_ptr<clang::driver::Compilation> compilation(driver.BuildCompilation(command));
  if (!compilation || diagnostics.hasErrorOccurred() || compilation->getJobs().size() != 1)
    return refuse(log);

  std::vector<std::string> result = {"-triple", "spirv64-unknown-unknown", "-fsycl-is-device"};
  addHostMacros(llvm::Triple(hostTriple), result);
  result.insert(result.end(), {"-D__SYCL_DEVICE_ONLY__=1", "-D__SYCLRTC__=1",
                               "-DSYCL_EXTERNAL=__attribute__((annotate(\"syclrtc.external\")))"});
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
