// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A parse that stopped behind one text's preamble, and what it takes to go on in another text.
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "clang/Basic/SourceManager.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Sema/Sema.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"

#include "frontend.h"
#include "options.h"

namespace syclrtc {

using CheckpointKey = std::array<uint8_t, FE_KEY_SIZE>;

/// How a parse came to its preamble.
enum class Start {
  /// From nothing, with -D in front of it.
  Nothing,
  /// From nothing; the SYCL headers first, then -D.
  Headers,
  /// From the process that had parsed the SYCL headers, then -D.
  ParsedHeaders,
};

/// Equal for jobs that may share the parse of a preamble. The -D options that can wait are left to `DefinesOfPreamble`.
CheckpointKey checkpointKey(const fe_job &job, const Options &options, llvm::StringRef preamble, Start start);

/// Notes, while a preamble is parsed, what only holds for this text or for now.
class PreambleWatch : public clang::PPCallbacks {
public:
  struct Seen {
    bool active = false;
    /// The name of the main file went into the parse.
    bool mainName = false;
    /// So did the time.
    bool time = false;
    llvm::StringSet<> expanded;
    /// The text of the preamble, and that of -D.
    clang::FileID file, defines;
  };
  PreambleWatch(clang::SourceManager &sources, Seen &seen) : sources(sources), seen(seen) {}
  void MacroExpands(const clang::Token &name, const clang::MacroDefinition &, clang::SourceRange range,
                    const clang::MacroArgs *) override;

private:
  clang::SourceManager &sources;
  Seen &seen;
};

/// Which of a job's -D options the preamble depends on.
class DefinesOfPreamble {
public:
  DefinesOfPreamble() = default;
  /// To be made behind the preamble. `firstEntry` is the first entry of the source manager that came behind -D; `all` if the
  /// preamble is taken to depend on every -D.
  DefinesOfPreamble(const clang::Preprocessor &preprocessor, const Options &options, unsigned firstEntry,
                    const PreambleWatch::Seen &seen, bool all);

  /// Takes back the definitions that the preamble does not depend on.
  void undefineOthers(clang::Preprocessor &preprocessor) const;
  /// True if the preamble would see the same with the -D options of another job.
  bool fit(const clang::Preprocessor &preprocessor, const Options &other) const;
  /// The other options as directives, each in the line that it has among all of them.
  std::string others(const clang::Preprocessor &preprocessor, const Options &options) const;

private:
  void addIdentifiers(llvm::StringRef text);
  bool dependsOn(const clang::Preprocessor &preprocessor, llvm::StringRef name) const;
  std::vector<std::pair<size_t, std::string>> ours(const clang::Preprocessor &preprocessor, const Options &options) const;

  bool all = true;
  /// Tokens of the preamble may be made by pasting.
  bool pastes = false;
  llvm::StringSet<> identifiers;
  /// Names of the first job's -D options.
  llvm::StringSet<> defined;
  /// Those that the preamble does not depend on.
  std::vector<std::string> waiting;
  /// Position among the -D options, and directive.
  std::vector<std::pair<size_t, std::string>> seenByPreamble;
};

/// Instantiates what system headers asked for, as far as nothing that a user's text may still say can make a difference.
void instantiateForSystemHeaders(clang::Sema &sema);

/// Files that are shown under the main file's name, whatever name they were parsed under.
class MainNames {
public:
  /// Shows `file` under `name` from its first line on.
  void show(clang::SourceManager &sources, clang::FileID file, llvm::StringRef name);
  /// The main file has another name now.
  void rename(clang::SourceManager &sources, llvm::StringRef name);
  /// Makes #line directives before `offset` of `from` hold in `to` from `offset` on.
  void carryLines(clang::SourceManager &sources, clang::FileID from, clang::FileID to, unsigned offset) const;

private:
  std::vector<clang::FileID> files;
  int name = -1;
};

/// Makes the lexer of a file that was just entered go on at `offset`, the begin of a line.
void skipTo(clang::Preprocessor &preprocessor, unsigned offset);

} // namespace syclrtc
