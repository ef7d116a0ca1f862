// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "names.h"

#include "clang/AST/Expr.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Lex/Lexer.h"

namespace syclrtc {
namespace {

using llvm::StringRef;

constexpr StringRef variablePrefix = "__syclrtc_name_";

/// Bytes of the longest name: template arguments make names long, but nobody writes such a one, and the time that clang takes
/// has to have a limit.
constexpr size_t longestName = 64 * 1024;

std::string variableOf(size_t index) { return (variablePrefix + llvm::Twine(index)).str(); }

/// Why `name` cannot be put between parentheses as one expression; empty if it can.
StringRef problemOf(StringRef name) {
  clang::LangOptions language;
  language.CPlusPlus = language.CPlusPlus17 = language.LineComment = language.RawStringLiterals = true;
  std::string copy = name.str(); // The lexer wants a terminator.
  clang::Lexer lexer(clang::SourceLocation(), language, copy.data(), copy.data(), copy.data() + copy.size());
  int depth = 0;
  bool empty = true;
  for (clang::Token token; lexer.LexFromRawLexer(token), token.isNot(clang::tok::eof);) {
    empty = false;
    if (token.is(clang::tok::hash) && token.isAtStartOfLine())
      return "it holds a preprocessor directive";
    if (token.isOneOf(clang::tok::l_paren, clang::tok::l_square, clang::tok::l_brace))
      ++depth;
    else if (token.isOneOf(clang::tok::r_paren, clang::tok::r_square, clang::tok::r_brace) && --depth < 0)
      return "it closes a bracket that it did not open";
  }
  return empty ? "it is empty" : StringRef();
}

const clang::ValueDecl *namedBy(const clang::Expr *initialiser) {
  while (initialiser) {
    initialiser = initialiser->IgnoreParenCasts();
    const auto *address = llvm::dyn_cast<clang::UnaryOperator>(initialiser);
    if (!address || address->getOpcode() != clang::UO_AddrOf)
      break;
    initialiser = address->getSubExpr();
  }
  const auto *reference = llvm::dyn_cast_or_null<clang::DeclRefExpr>(initialiser);
  return reference ? reference->getDecl() : nullptr;
}

} // namespace

std::string RegisteredNames::text(clang::DiagnosticsEngine &diagnostics) const {
  std::string text;
  for (size_t i = 0; i != names.size(); ++i) {
    const std::string &name = names[i];
    if (name.size() > longestName) {
      unsigned id = diagnostics.getCustomDiagID(clang::DiagnosticsEngine::Error,
                                                "registered name of %0 bytes, more than %1: '%2...'");
      diagnostics.Report(id) << unsigned(name.size()) << unsigned(longestName) << StringRef(name).take_front(64);
      continue;
    }
    if (StringRef problem = problemOf(name); !problem.empty()) {
      unsigned id =
          diagnostics.getCustomDiagID(clang::DiagnosticsEngine::Error, "registered name '%0' is no expression: %1");
      diagnostics.Report(id) << name << problem;
      continue;
    }
    // Variable and name share a line, numbered by the name's position, so that a diagnostic of either shows the name. A
    // reference can be bound to a function as well as to a variable that cannot be copied.
    text += "[[maybe_unused]] static constexpr\n#line " + std::to_string(i + 1) + " \"registered_names\"\nauto &&" +
            variableOf(i) + " = (" + name;
    // A comment would hide what follows on its line.
    text += StringRef(name).contains("//") ? "\n);\n" : ");\n";
  }
  return text;
}

bool RegisteredNames::take(clang::VarDecl *variable) {
  if (!variable->getIdentifier() || !variable->getName().starts_with(variablePrefix))
    return false;
  variables.push_back(variable);
  return true;
}

std::vector<std::string> RegisteredNames::resolve(clang::DiagnosticsEngine &diagnostics, llvm::ArrayRef<Kernel> kernels,
                                                  llvm::ArrayRef<DeviceGlobal> globals) const {
  // A kernel with an error of its own is not among `kernels`.
  const bool complete = !diagnostics.hasErrorOccurred();
  std::vector<std::string> symbols;
  for (size_t i = 0; i != names.size(); ++i) {
    const clang::VarDecl *variable = nullptr;
    for (const clang::VarDecl *candidate : variables)
      if (candidate->getName() == variableOf(i))
        variable = candidate;
    const clang::ValueDecl *named = variable ? namedBy(variable->getInit()) : nullptr;
    const std::string *symbol = nullptr;
    for (const Kernel &kernel : kernels)
      if (named && kernel.defined && kernel.function->getCanonicalDecl() == named->getCanonicalDecl())
        symbol = &kernel.rawName;
    for (const DeviceGlobal &global : globals)
      if (named && global.defined && global.variable->getCanonicalDecl() == named->getCanonicalDecl())
        symbol = &global.symbol;
    if (symbol) {
      symbols.push_back(*symbol);
    } else if (complete) {
      auto at = variable ? variable->getLocation() : clang::SourceLocation();
      unsigned id = diagnostics.getCustomDiagID(clang::DiagnosticsEngine::Error,
                                                "attempting to register a %select{function that is not a SYCL free "
                                                "function|variable that is not a device_global}0 as '%1'");
      diagnostics.Report(at, id) << llvm::isa_and_nonnull<clang::VarDecl>(named) << names[i];
    }
  }
  return symbols;
}

} // namespace syclrtc
