// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a preamble's meaning depends on outside itself, gathered while it is parsed.
#pragma once

#include <string>

#include "clang/Lex/Lexer.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

namespace syclrtc {

/// Names, some of them as a text in which each stands between line breaks: there are thousands, and few questions.
class Names {
public:
  Names() = default;
  /// `text` has to outlive the object.
  explicit Names(llvm::StringRef text) : text(text) {}

  void insert(llvm::StringRef name) { set.insert(name); }
  bool contains(llvm::StringRef name) const {
    return set.contains(name) || (!name.contains('\n') && text.contains(("\n" + name + "\n").str()));
  }
  /// All, in the form that the constructor takes.
  std::string asText() const {
    std::string all = text.empty() ? "\n" : text.str();
    for (const auto &name : set)
      (all += name.getKey()) += '\n';
    return all;
  }

private:
  llvm::StringSet<> set;
  llvm::StringRef text;
};

/// What the preamble's meaning depends on outside itself.
struct PreambleUses {
  /// Headers as they are spelled in #include and __has_include.
  llvm::StringSet<> headers;
  /// Macros that directives define, undefine or look at.
  Names macros;
  /// Words of the preamble that begin with '_', of a precompiled one: the table of identifiers has those of a parsed one.
  Names reserved;
};

class UseRecorder : public clang::PPCallbacks {
public:
  UseRecorder(clang::Preprocessor &preprocessor, PreambleUses &uses) : preprocessor(preprocessor), uses(uses) {}

  void InclusionDirective(clang::SourceLocation, const clang::Token &, llvm::StringRef name, bool, clang::CharSourceRange,
                          clang::OptionalFileEntryRef, llvm::StringRef, llvm::StringRef, const clang::Module *, bool,
                          clang::SrcMgr::CharacteristicKind) override {
    uses.headers.insert(name);
  }
  void HasInclude(clang::SourceLocation, llvm::StringRef name, bool, clang::OptionalFileEntryRef,
                  clang::SrcMgr::CharacteristicKind) override {
    uses.headers.insert(name);
  }
  void MacroDefined(const clang::Token &name, const clang::MacroDirective *) override { add(name); }
  void MacroUndefined(const clang::Token &name, const clang::MacroDefinition &, const clang::MacroDirective *) override {
    add(name);
  }
  void Defined(const clang::Token &name, const clang::MacroDefinition &, clang::SourceRange) override { add(name); }
  void Ifdef(clang::SourceLocation, const clang::Token &name, const clang::MacroDefinition &) override { add(name); }
  void Ifndef(clang::SourceLocation, const clang::Token &name, const clang::MacroDefinition &) override { add(name); }
  void If(clang::SourceLocation, clang::SourceRange condition, ConditionValueKind) override { addAll(condition); }
  void Elif(clang::SourceLocation, clang::SourceRange condition, ConditionValueKind, clang::SourceLocation) override {
    addAll(condition);
  }

private:
  void add(const clang::Token &name) {
    if (const clang::IdentifierInfo *identifier = name.getIdentifierInfo())
      uses.macros.insert(identifier->getName());
  }

  /// Every word of a condition: an undefined macro counts there as 0.
  void addAll(clang::SourceRange condition) {
    llvm::StringRef text = clang::Lexer::getSourceText(clang::CharSourceRange::getCharRange(condition),
                                                 preprocessor.getSourceManager(), preprocessor.getLangOpts());
    auto isWord = [](char c) { return llvm::isAlnum(c) || c == '_'; };
    while (!text.empty()) {
      text = text.drop_until(isWord);
      uses.macros.insert(text.take_while(isWord));
      text = text.drop_while(isWord);
    }
  }

  clang::Preprocessor &preprocessor;
  PreambleUses &uses;
};

} // namespace syclrtc
