// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "preamble.h"

#include <string>

#include "clang/Basic/LangOptions.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/Token.h"
#include "llvm/ADT/STLExtras.h"

namespace syclrtc {
namespace {

using llvm::StringRef;

/// The properties of C++ that say what a token is; the same in every standard that is taken.
clang::LangOptions lexerLanguage() {
  clang::LangOptions language;
  language.CPlusPlus = language.CPlusPlus11 = language.CPlusPlus14 = language.CPlusPlus17 = true;
  language.LineComment = language.Digraphs = language.RawStringLiterals = language.CXXOperatorNames = true;
  return language;
}

class Scanner {
public:
  explicit Scanner(StringRef text)
      : text(text.str()), language(lexerLanguage()),
        lexer(clang::SourceLocation(), language, this->text.data(), this->text.data(),
              this->text.data() + this->text.size()) {}

  Preamble scan() {
    clang::Token token;
    for (;;) {
      lexer.LexFromRawLexer(token);
      if (token.isNot(clang::tok::hash) || !token.isAtStartOfLine())
        break;
      if (!directive())
        break;
    }
    // The end of the text may stand within a directive.
    result.end = token.is(clang::tok::hash) && token.isAtStartOfLine() ? text.size() : offset(token);
    return result;
  }

private:
  static size_t offset(const clang::Token &token) { return token.getLocation().getRawEncoding(); }

  /// Goes to the end of a directive whose '#' was read. False if the text ends in it.
  bool directive() {
    lexer.setParsingPreprocessorDirective(true);
    clang::Token token;
    lexer.LexFromRawLexer(token);
    if (token.is(clang::tok::raw_identifier)) {
      if (token.needsCleaning())
        stopped = true;
      const StringRef name = token.getRawIdentifier();
      if (name == "include" || name == "include_next" || name == "import" || name == "__include_macros" ||
          name == "embed") {
        ++includes;
        lexer.LexIncludeFilename(token);
      } else if (name == "if" || name == "ifdef" || name == "ifndef") {
        ++depth;
      } else if (name == "endif") {
        // One too many is an error.
        stopped |= depth == 0;
        --depth;
      } else if (name == "error" || name == "warning") {
        // Clang takes the rest of the line as it is, where other directives have tokens and comments. With these in it
        // the two could end in different places.
        stopped |= restOfLine().find_first_of("/\"\\") != StringRef::npos;
      } else if (name == "pragma") {
        // Regions that files must not end in.
        const StringRef rest = restOfLine();
        stopped |= rest.contains("assume_nonnull") || rest.contains("arc_cf_code") || rest.contains("module") ||
                   rest.contains('\\');
      }
    } else if (token.isNot(clang::tok::eod)) {
      // A line marker may belong to a stack of files, which cannot be taken apart; anything else is an error.
      stopped = true;
    }
    while (token.isNot(clang::tok::eod) && token.isNot(clang::tok::eof))
      lexer.LexFromRawLexer(token);
    const size_t behind = size_t(lexer.getBufferLocation() - text.data());
    if (token.is(clang::tok::eof) || behind == 0 || !isLineBreak(text[behind - 1]))
      return false;
    if (depth == 0 && !stopped) {
      result.reusable = behind;
      result.includes = includes;
    }
    return true;
  }

  static bool isLineBreak(char c) { return c == '\n' || c == '\r'; }

  StringRef restOfLine() const {
    return StringRef(text).drop_front(size_t(lexer.getBufferLocation() - text.data())).take_until(isLineBreak);
  }

  /// A copy, since the lexer wants a terminator.
  std::string text;
  clang::LangOptions language;
  clang::Lexer lexer;
  Preamble result;
  size_t depth = 0;
  unsigned includes = 0;
  /// Something stands in the text behind which no parse is to stop.
  bool stopped = false;
};

} // namespace

Preamble findPreamble(StringRef text) { return Scanner(text).scan(); }

} // namespace syclrtc
