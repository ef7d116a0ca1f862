// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "external.h"

#include <algorithm>
#include <memory>

#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/Pragma.h"
#include "clang/Lex/Token.h"

#include "properties.h"

namespace syclrtc {
namespace {

/// Looks at the tokens that the parser gets, and knows whether a declaration begins behind the last of them.
class Place {
public:
  void pass(const clang::Token &token) {
    if (token.isAnnotation())
      return;
    begins = token.isOneOf(clang::tok::semi, clang::tok::l_brace, clang::tok::r_brace, clang::tok::colon,
                           clang::tok::r_square) ||
             clang::tok::isStringLiteral(token.getKind());
    if (token.is(clang::tok::kw_template)) {
      head = true;
      angles = parentheses = 0;
    } else if (head) {
      passInHead(token);
    }
  }

  bool declarationBegins() const { return begins; }

private:
  /// The > that closes `template <...>` is followed by a declaration, that of a template-id is not.
  void passInHead(const clang::Token &token) {
    switch (token.getKind()) {
    case clang::tok::l_paren:
      ++parentheses;
      return;
    case clang::tok::r_paren:
      --parentheses;
      return;
    case clang::tok::less:
      angles += parentheses == 0;
      return;
    case clang::tok::greater:
      angles -= parentheses == 0;
      break;
    case clang::tok::greatergreater:
      angles -= parentheses == 0 ? 2 : 0;
      break;
    default:
      // `template` without a head, as of an explicit instantiation.
      head = angles > 0;
      return;
    }
    begins = angles <= 0;
    head = !begins;
  }

  bool begins = true;
  bool head = false;
  int angles = 0;
  int parentheses = 0;
};

/// True if `extern "C"` follows what was expanded at `location`: no attribute of the C++ form may stand before it.
bool precedesLinkage(const clang::Preprocessor &preprocessor, clang::SourceLocation location) {
  const clang::SourceManager &sources = preprocessor.getSourceManager();
  const clang::LangOptions &language = preprocessor.getLangOpts();
  auto next = clang::Lexer::findNextToken(sources.getExpansionRange(location).getEnd(), sources, language);
  if (!next || next->isNot(clang::tok::raw_identifier) || next->getRawIdentifier() != "extern")
    return false;
  next = clang::Lexer::findNextToken(next->getLocation(), sources, language);
  return next && clang::tok::isStringLiteral(next->getKind());
}

class ExternalPragma : public clang::PragmaHandler {
public:
  explicit ExternalPragma(std::shared_ptr<const Place> place) : PragmaHandler("external"), place(std::move(place)) {}

  void HandlePragma(clang::Preprocessor &preprocessor, clang::PragmaIntroducer introducer, clang::Token &) override {
    using namespace clang::tok;
    // The directive's lexer has to be left before other tokens are entered on top of it.
    preprocessor.DiscardUntilEndOfDirective();
    llvm::SmallVector<clang::Token, 8> tokens;
    auto add = [&](TokenKind kind, llvm::StringRef identifier = {}) {
      clang::Token token;
      token.startToken();
      token.setKind(kind);
      token.setLocation(introducer.Loc);
      if (!identifier.empty())
        token.setIdentifierInfo(preprocessor.getIdentifierInfo(identifier));
      tokens.push_back(token);
    };
    if (place->declarationBegins() && !precedesLinkage(preprocessor, introducer.Loc)) {
      add(l_square), add(l_square);
      add(identifier, "syclrtc"), add(coloncolon), add(identifier, "external");
      add(r_square), add(r_square);
    } else {
      add(kw___attribute, "__attribute__");
      add(l_paren), add(l_paren), add(identifier, "syclrtc_external"), add(r_paren), add(r_paren);
    }
    auto owned = std::make_unique<clang::Token[]>(tokens.size());
    std::copy(tokens.begin(), tokens.end(), owned.get());
    preprocessor.EnterTokenStream(std::move(owned), tokens.size(), /*DisableMacroExpansion=*/true, /*IsReinject=*/false);
  }

private:
  std::shared_ptr<const Place> place;
};

} // namespace

void handleExternal(clang::Preprocessor &preprocessor) {
  auto place = std::make_shared<Place>();
  preprocessor.setTokenWatcher([place](const clang::Token &token) { place->pass(token); });
  // The preprocessor owns its handlers.
  preprocessor.AddPragmaHandler("syclrtc", new ExternalPragma(place));
}

void reportLate(clang::Preprocessor &preprocessor, llvm::ArrayRef<clang::SourceLocation> attributes) {
  const clang::SourceManager &sources = preprocessor.getSourceManager();
  clang::DiagnosticsEngine &diagnostics = preprocessor.getDiagnostics();
  for (clang::SourceLocation attribute : attributes)
    for (clang::SourceLocation at = attribute; at.isMacroID(); at = sources.getImmediateMacroCallerLoc(at)) {
      llvm::StringRef macro = clang::Lexer::getImmediateMacroName(at, sources, preprocessor.getLangOpts());
      if (macro != "SYCL_EXTERNAL" && macro != "SYCL_EXT_ONEAPI_FUNCTION_PROPERTY")
        continue;
      unsigned id = diagnostics.getCustomDiagID(clang::DiagnosticsEngine::Error,
                                                "%0 has no effect behind the definition; it belongs on the first declaration");
      diagnostics.Report(sources.getExpansionLoc(attribute), id) << macro;
      break;
    }
}

void checkExternal(clang::DiagnosticsEngine &diagnostics, const Declarations &declarations) {
  auto check = [&](const clang::NamedDecl *declaration) {
    if (isExternal(declaration) && !declaration->isExternallyVisible())
      diagnostics.Report(declaration->getLocation(),
                         diagnostics.getCustomDiagID(clang::DiagnosticsEngine::Error,
                                                     "SYCL_EXTERNAL needs external linkage, which %0 does not have"))
          << declaration;
  };
  llvm::for_each(declarations.functions, check);
  llvm::for_each(declarations.variables, check);
}

} // namespace syclrtc
