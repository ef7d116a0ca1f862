// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "options.h"

#include <algorithm>
#include <array>
#include <memory>

#include "clang/Basic/LangStandard.h"
#include "clang/Options/Options.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Option/Arg.h"
#include "llvm/Option/ArgList.h"

#include "extras.h"

namespace syclrtc {
namespace {

namespace options = clang::options;
using llvm::StringRef;

llvm::Error refuse(const llvm::Twine &text) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
}

constexpr StringRef notSupported = "is not supported for SYCL runtime compilation";

bool matchesAny(const llvm::opt::Option &option, llvm::ArrayRef<options::ID> ids) {
  return llvm::any_of(ids, [&](options::ID id) { return option.matches(id); });
}

/// True for what only steers the translation of one source to code. Everything else is about what is done, written,
/// printed, linked or aimed at.
bool steersTheCompile(const llvm::opt::Option &option) {
  // clang has these in no group.
  constexpr std::array ungrouped = {
      options::OPT_w,
      options::OPT_Wlarge_by_value_copy_EQ,
      options::OPT_Wlarge_by_value_copy_def,
      options::OPT_Qunused_arguments,
      options::OPT_start_no_unused_arguments,
      options::OPT_end_no_unused_arguments,
      options::OPT_faligned_new_EQ,
      options::OPT_fcheck_new,
      options::OPT_fno_check_new,
      options::OPT_fconvergent_functions,
      options::OPT_fno_convergent_functions,
      options::OPT_fcx_fortran_rules,
      options::OPT_fno_cx_fortran_rules,
      options::OPT_fcx_limited_range,
      options::OPT_fno_cx_limited_range,
      options::OPT_ffinite_math_only,
      options::OPT_fno_finite_math_only,
      options::OPT_fno_unsigned_char,
      options::OPT_fno_unique_source_file_names,
      options::OPT_stdlib_EQ,
      options::OPT__sysroot_EQ,
  };
  constexpr std::array groups = {options::OPT_Action_Group, options::OPT_m_Group,      options::OPT_M_Group,
                                 options::OPT_offload_Group, options::OPT_opencl_Group, options::OPT_d_Group};
  bool translates = option.matches(options::OPT_CompileOnly_Group) || matchesAny(option, ungrouped);
  return translates && !matchesAny(option, groups);
}

/// Options that steer the compile and still write files, print, load code, need a run-time library, aim at another target,
/// or belong to the languages and tool chains of other devices.
constexpr StringRef refusedBeginnings[] = {
    "-X", "-Wp,", "-Wa,", "-P", "-H", "-I-", "-print", "--print", "-include-pch", "-ivfsoverlay", "-iapinotes",
    "-gsplit-dwarf", "-gz", "-fapple-kext", "-fbasic-block", "-fbuild-session", "-fclangir", "-fcodegen-data",
    "-fcoverage-mapping", "-fcoverage-mcdc", "-fcrash-diagnostics", "-fcreate-profile", "-fcs-profile", "-fcuda",
    "-fcxx-modules", "-fdepfile", "-fdirectives-only", "-fembed-bitcode", "-fembed-offload", "-ffat-lto",
    "-fimplicit-module", "-fincremental", "-finstrument-function", "-fjmc", "-flto", "-fmemory-profile", "-fmodule",
    "-fms-hotpatch", "-fms-secure", "-fopenacc", "-fopenmp", "-foptimization-record", "-fpass-plugin", "-fpatchable",
    "-fpch", "-fplugin", "-fprebuilt", "-fproc-stat", "-fprofile", "-fptrauth", "-frewrite", "-fsanitize",
    "-fsave-optimization", "-fsplit-stack", "-fstack-protector", "-fstack-usage", "-fsycl", "-fno-sycl", "--sycl-link",
    "-ftemporal-profile", "-ftest-coverage", "-fthin", "-ftime-report", "-fuse-ld", "-fxray", "-gen-", "-gmodules",
    "-m", "-cl-", "-fhip", "-fgpu", "-foffload", "--cuda", "--no-cuda", "--gpu", "--no-gpu", "--hip", "--rocm",
    "--libomptarget", "--ptxas", "--offload", "--no-offload", "-nogpu", "-nocuda", "-nohip", "-no-hip", "-use-spirv",
    "-no-use-spirv",
};

/// Host and device have to see the same bytes in the same places.
constexpr StringRef layoutBeginnings[] = {
    "-fpack-struct", "-fshort-enums", "-fshort-wchar", "-fc++-abi", "-fclang-abi-compat", "-frandomize-layout",
    "-fxl-pragma-pack", "-fapple-pragma-pack", "-fms-compatibility",
};

constexpr StringRef languageBeginnings[] = {
    "-fexceptions", "-fcxx-exceptions", "-fasync-exceptions", "-frtti", "-fseh-exceptions", "-fsjlj-exceptions",
    "-fdwarf-exceptions", "-fwasm-exceptions",
};

bool beginsWithAny(StringRef name, llvm::ArrayRef<StringRef> beginnings) {
  return llvm::any_of(beginnings, [&](StringRef beginning) { return name.starts_with(beginning); });
}

/// Why an option that clang knows cannot be taken here; empty if it can.
StringRef refusalReason(const llvm::opt::Option &option) {
  StringRef name = option.getPrefixedName();
  if (beginsWithAny(name, layoutBeginnings))
    return "changes the layout of types, which host and device share";
  if (beginsWithAny(name, languageBeginnings))
    return "asks for what device code does not have";
  if (!steersTheCompile(option) || beginsWithAny(name, refusedBeginnings))
    return notSupported;
  return {};
}

/// How far `text` is from `candidate`; a value behind '=' does not count.
unsigned distance(StringRef text, StringRef candidate, unsigned limit) {
  if (!candidate.ends_with("="))
    return candidate.edit_distance(text, true, limit);
  size_t end = text.find('=');
  // With no value there, an option without one is nearer.
  return candidate.edit_distance(text.take_front(end == StringRef::npos ? end : end + 1), true, limit) +
         (end == StringRef::npos);
}

/// The option nearest to `text` among those that are taken; empty if nothing is near.
std::string nearestOption(StringRef text) {
  std::string nearest;
  // Half of the letters may differ, or more is made up than meant.
  unsigned best = std::max<unsigned>(3, text.size() / 2);
  auto consider = [&](StringRef candidate) {
    if (unsigned now = distance(text, candidate, best); now < best) {
      best = now;
      nearest = candidate.str();
    }
  };
  for (const Extra &extra : extras)
    if (extra.meaning != Meaning::Refused)
      consider(extra.spelling);
  const llvm::opt::OptTable &table = clang::getDriverOptTable();
  for (unsigned id = 1; id <= table.getNumOptions(); ++id) {
    llvm::opt::Option option = table.getOption(id);
    if (!option.isValid() || !option.hasVisibilityFlag(options::ClangOption) || option.getName().size() < 2 ||
        option.getKind() == llvm::opt::Option::GroupClass || option.getKind() == llvm::opt::Option::InputClass ||
        option.getKind() == llvm::opt::Option::UnknownClass)
      continue;
    StringRef candidate = option.getPrefixedName();
    if (distance(text, candidate, best) < best && refusalReason(option.getUnaliasedOption()).empty())
      consider(candidate);
  }
  return nearest;
}

/// True for a -W option that is the name of a group and nothing else; others have meanings of their own in clang.
bool isPlainWarning(const llvm::opt::Option &option) {
  return option.matches(options::OPT_W_Joined) || option.matches(options::OPT_Wall);
}

/// The definition that `-D` means, as a directive.
std::string defineDirective(StringRef definition) {
  auto [name, value] = definition.split('=');
  if (!definition.contains('='))
    value = "1";
  // A line break ends the value, as in clang.
  return ("#define " + name + " " + value.take_until([](char c) { return c == '\n' || c == '\r'; }) + "\n").str();
}

/// Goes through the list once and fills `result`.
class Checker {
public:
  explicit Checker(llvm::ArrayRef<StringRef> given) {
    for (StringRef text : given)
      texts.push_back(text.str());
    std::vector<const char *> pointers;
    for (const std::string &text : texts)
      pointers.push_back(text.c_str());
    args = std::make_unique<llvm::opt::InputArgList>(pointers.data(), pointers.data() + pointers.size());
  }

  llvm::Expected<Options> check() {
    while (index != texts.size()) {
      if (texts[index].empty())
        ++index;
      else if (const Extra *extra = findExtra(texts[index])) {
        if (llvm::Error error = takeExtra(*extra))
          return error;
      } else if (llvm::Error error = takeClangs()) {
        return error;
      }
    }
    if (autoPch && persistentPch)
      return refuse("--auto-pch and --persistent-auto-pch= cannot be used together");
    if (redist && !systemIncludes)
      return refuse("Option '--sycl-rtc-experimental-redist-mode' " + notSupported +
                    " without '--sycl-rtc-use-system-includes': no C++ standard library is packed inside");
    return std::move(result);
  }

private:
  llvm::Error lacksArgument(StringRef option) { return refuse("Option '" + option + "' lacks its argument"); }

  llvm::Error takeExtra(const Extra &extra) {
    StringRef option = texts[index++];
    StringRef value = option.drop_front(extra.spelling.size());
    if (takesNext(extra, option)) {
      if (index == texts.size())
        return lacksArgument(option);
      value = texts[index++];
    } else if (extra.spelling.ends_with("=") && value.empty()) {
      return lacksArgument(option);
    }
    switch (extra.meaning) {
    case Meaning::Nothing:
      break;
    case Meaning::Refused:
      return refuse("Option '" + option + "' " + notSupported);
    case Meaning::AutoPch:
      autoPch = result.autoPch = true;
      break;
    case Meaning::PersistentPch:
      persistentPch = true;
      break;
    case Meaning::CodeSplit:
      return takeCodeSplit(option, value);
    case Meaning::DriverOption:
      if (!result.driverOptions.empty())
        result.driverOptions += ' ';
      // The joined form names an option without its dash.
      if (option != extra.spelling)
        result.driverOptions += '-';
      result.driverOptions += value;
      break;
    case Meaning::IdsFitInInt:
      result.idsFitInInt = true;
      break;
    case Meaning::IdsAreWide:
      result.idsFitInInt = false;
      break;
    case Meaning::Redist:
      redist = true;
      break;
    case Meaning::SystemIncludes:
      systemIncludes = true;
      break;
    case Meaning::InMemoryOnly:
      result.inMemoryOnly = true;
      result.lateBound = result.definesMayWait = false;
      break;
    }
    return llvm::Error::success();
  }

  llvm::Error takeCodeSplit(StringRef option, StringRef value) {
    constexpr std::array<std::pair<StringRef, fe_code_split>, 4> values = {
        {{"auto", FE_SPLIT_AUTO},
         {"off", FE_SPLIT_OFF},
         {"per_source", FE_SPLIT_PER_SOURCE},
         {"per_kernel", FE_SPLIT_PER_KERNEL}}};
    for (auto [name, split] : values)
      if (name == value) {
        result.codeSplit = split;
        return llvm::Error::success();
      }
    return refuse("Option '" + option + "' has an unknown value; known are auto, off, per_source and per_kernel");
  }

  llvm::Error takeClangs() {
    if (StringRef(texts[index]).starts_with("@"))
      return refuse("Option '" + texts[index] + "' " + notSupported);
    unsigned first = index, next = index;
    std::unique_ptr<llvm::opt::Arg> arg =
        clang::getDriverOptTable().ParseOneArg(*args, next, llvm::opt::Visibility(options::ClangOption));
    if (!arg)
      return lacksArgument(texts[first]);
    index = next;
    const llvm::opt::Option &option = arg->getOption();
    std::string spelling = arg->getAsString(*args);
    if (option.matches(options::OPT_UNKNOWN)) {
      std::string nearest = nearestOption(spelling);
      return refuse("unknown argument: '" + spelling + "'" +
                    (nearest.empty() ? "" : "; did you mean '" + nearest + "'?"));
    }
    if (option.matches(options::OPT_INPUT))
      return refuse("'" + llvm::Twine(arg->getValue()) + "' is not an option; input files are not taken");
    if (StringRef reason = refusalReason(option); !reason.empty())
      return refuse("Option '" + spelling + "' " + reason);
    if (option.matches(options::OPT_ftime_trace) || option.matches(options::OPT_ftime_trace_EQ) ||
        option.matches(options::OPT_ftime_trace_granularity_EQ) || option.matches(options::OPT_ftime_trace_verbose))
      return takeTimeTrace(*arg, spelling);
    if (llvm::Error error = takeOne(*arg, spelling))
      return error;
    result.forDriver.insert(result.forDriver.end(), texts.begin() + first, texts.begin() + next);
    if (!option.matches(options::OPT_D))
      result.withoutDefines.insert(result.withoutDefines.end(), texts.begin() + first, texts.begin() + next);
    return llvm::Error::success();
  }

  llvm::Error takeTimeTrace(const llvm::opt::Arg &arg, StringRef spelling) {
    const llvm::opt::Option &option = arg.getOption();
    TimeTrace &trace = result.timeTrace;
    // What is measured is a compile from nothing: the parsed preamble would be a hole in it.
    result.lateBound = result.definesMayWait = result.divisible = false;
    if (option.matches(options::OPT_ftime_trace_verbose))
      trace.verbose = true;
    else if (option.matches(options::OPT_ftime_trace_granularity_EQ)) {
      if (StringRef(arg.getValue()).getAsInteger(10, trace.granularity))
        return refuse("Invalid time trace granularity\n\terror: invalid integral value '" + llvm::Twine(arg.getValue()) +
                      "' in '" + spelling + "'");
    } else {
      trace.file = option.matches(options::OPT_ftime_trace_EQ) ? arg.getValue() : "";
    }
    return llvm::Error::success();
  }

  /// What is to be known of an option that goes to clang.
  llvm::Error takeOne(const llvm::opt::Arg &arg, StringRef spelling) {
    const llvm::opt::Option &option = arg.getOption();
    if (option.matches(options::OPT_std_EQ)) {
      auto kind = clang::LangStandard::getLangKind(arg.getValue());
      if (kind == clang::LangStandard::lang_unspecified ||
          clang::LangStandard::getLangStandardForKind(kind).getLanguage() != clang::Language::CXX)
        return refuse("Option '" + spelling + "' does not name a C++ standard");
    }
    // clang's driver takes these for numbers without a look.
    if (option.matches(options::OPT_ftrivial_auto_var_init_stop_after) ||
        option.matches(options::OPT_ftrivial_auto_var_init_max_size))
      if (unsigned number = 0; StringRef(arg.getValue()).getAsInteger(10, number))
        return refuse("invalid integral value '" + llvm::Twine(arg.getValue()) + "' in '" + spelling + "'");
    if (option.matches(options::OPT_U) || option.matches(options::OPT_include) || option.matches(options::OPT_imacros))
      result.definesMayWait = false;
    // Unused macros are listed in an order that depends on where texts lie in memory, and trigraphs change what a line is.
    if (spelling == "-Wunused-macros" || spelling == "-Weverything" || spelling.contains("trigraphs"))
      result.divisible = false;
    StringRef text = spelling;
    if (option.matches(options::OPT_D)) {
      StringRef definition = arg.getValue();
      result.defines += defineDirective(definition);
      result.definedNames.push_back(definition.take_until([](char c) { return c == '=' || c == '('; }).str());
    } else if (option.matches(options::OPT_I)) {
      result.includeDirs.push_back(arg.getValue());
    } else if (option.matches(options::OPT_w)) {
      result.warnings.push_back("-w");
    } else if (isPlainWarning(option) && text.consume_front("-W")) {
      result.warnings.push_back(text.str());
    } else if (option.matches(options::OPT_R_Joined) && text.consume_front("-R")) {
      result.remarks.push_back(text.str());
    } else if (option.matches(options::OPT_O_Group)) {
      takeOptimization(option, arg);
    } else {
      result.lateBound = false;
    }
    return llvm::Error::success();
  }

  void takeOptimization(const llvm::opt::Option &option, const llvm::opt::Arg &arg) {
    StringRef level = option.matches(options::OPT_O) ? arg.getValue() : "3";
    bool small = level == "s" || level == "z";
    result.optimizationLevel = option.matches(options::OPT_O0)                            ? 0
                               : level == "1" || level == "g" || level.empty()              ? 1
                               : level == "2" || small                                      ? 2
                                                                                            : 3;
    // clang's own code generation differs for the others, not only LLVM's pipeline.
    result.lateBound &= option.matches(options::OPT_O) && (level == "1" || level == "2" || level == "3");
  }

  std::vector<std::string> texts;
  std::unique_ptr<llvm::opt::InputArgList> args;
  size_t index = 0;
  Options result;
  bool autoPch = false, persistentPch = false, redist = false, systemIncludes = false;
};

} // namespace

llvm::Expected<Options> checkOptions(llvm::ArrayRef<StringRef> given) { return Checker(given).check(); }

} // namespace syclrtc
