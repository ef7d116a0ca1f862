// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Preambles that outlive the process which parsed them: clang's precompiled header, with notes of what it does not tell.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/VirtualFileSystem.h"

#include "preamble_uses.h"

namespace clang {
class ASTReader;
struct PCHBuffer;
} // namespace clang

namespace syclrtc {

/// What a session behind a precompiled preamble has to know of the one that made it.
struct PrecompiledNotes {
  /// The compiler's command line: the header serves only an equal one.
  std::vector<std::string> arguments;
  PreambleUses uses;

  std::string asText() const;
  /// `text` has to outlive the result. None if it was not made by `asText`.
  static std::optional<PrecompiledNotes> of(llvm::StringRef text);
};

/// Parses a preamble and keeps it as a precompiled header.
class PrecompileAction : public clang::ASTFrontendAction {
public:
  /// `parsed` is called before the header is written, which looks at files that no parse looks at.
  PrecompileAction(PreambleUses &uses, std::function<void()> parsed) : uses(uses), parsed(std::move(parsed)) {}

  /// To be called on the invocation before it is run.
  static void prepare(clang::CompilerInvocation &invocation);

  clang::TranslationUnitKind getTranslationUnitKind() override { return clang::TU_Prefix; }
  bool hasASTFileSupport() const override { return false; }

  /// Empty if clang could not make one.
  llvm::StringRef header() const;

protected:
  bool BeginSourceFileAction(clang::CompilerInstance &instance) override;
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance &instance, llvm::StringRef) override;
  void EndSourceFileAction() override;

private:
  PreambleUses &uses;
  std::function<void()> parsed;
  std::shared_ptr<clang::PCHBuffer> buffer;
};

/// Makes the compile begin behind the precompiled header, which has to outlive it. Whether the header still fits the files that
/// it was made from is the caller's business.
void beginBehind(llvm::StringRef header, clang::CompilerInvocation &invocation, llvm::vfs::InMemoryFileSystem &files);

/// Clang reads a declaration from a precompiled header when it is first needed, which each forked process would do anew for
/// itself. This reads them ahead, a few at a time.
class ReadAhead {
public:
  /// The compile began behind a precompiled header.
  explicit ReadAhead(clang::CompilerInstance &instance);
  /// Reads on for about a millisecond. False if nothing is left.
  bool some();

private:
  clang::ASTReader *reader;
  unsigned next = 0, count;
};

} // namespace syclrtc
