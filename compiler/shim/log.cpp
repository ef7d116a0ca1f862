// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "log.h"

#include "clang/Basic/DiagnosticIDs.h"
#include "clang/Basic/DiagnosticSema.h"
#include "clang/Frontend/DiagnosticRenderer.h"
#include "llvm/ADT/SmallString.h"

#include "text.h"

namespace syclrtc {
namespace {

using clang::DiagnosticsEngine;
using llvm::StringRef;

fe_severity severity(DiagnosticsEngine::Level level) {
  switch (level) {
  case DiagnosticsEngine::Ignored:
  case DiagnosticsEngine::Note:
    return FE_NOTE;
  case DiagnosticsEngine::Remark:
    return FE_REMARK;
  case DiagnosticsEngine::Warning:
    return FE_WARNING;
  case DiagnosticsEngine::Error:
    return FE_ERROR;
  case DiagnosticsEngine::Fatal:
    return FE_FATAL;
  }
  return FE_ERROR;
}

/// The option as the user would write it to switch the diagnostic on.
std::string optionOf(DiagnosticsEngine::Level level, const clang::Diagnostic &info) {
  StringRef name = info.getDiags()->getDiagnosticIDs()->getWarningOptionForDiag(info.getID());
  if (name.empty())
    return {};
  std::string option = ((level == DiagnosticsEngine::Remark ? "-R" : "-W") + name).str();
  if (StringRef value = info.getFlagValue(); !value.empty())
    option += ("=" + value).str();
  return option;
}

/// Finds the places as clang's printer does: behind #line, out of macros, with a note for each file and macro on the way.
class RowWriter : public clang::DiagnosticNoteRenderer {
public:
  RowWriter(const clang::LangOptions &language, clang::DiagnosticOptions &options, std::vector<DiagnosticRow> &rows,
            std::string option)
      : DiagnosticNoteRenderer(language, options), rows(rows), option(std::move(option)) {}

  void write(const clang::Diagnostic &info, DiagnosticsEngine::Level level, StringRef message) {
    emitDiagnostic(clang::FullSourceLoc(info.getLocation(), info.getSourceManager()), level, message, info.getRanges(),
                   info.getFixItHints(), &info);
    // The files on the way to the diagnostic come before it, and belong behind it.
    llvm::append_range(rows, includes);
  }

protected:
  void emitDiagnosticMessage(clang::FullSourceLoc, clang::PresumedLoc place, DiagnosticsEngine::Level level,
                             StringRef message, llvm::ArrayRef<clang::CharSourceRange>,
                             clang::DiagOrStoredDiag) override {
    rows.push_back(row(severity(level), place, message));
    rows.back().option = std::move(option);
    option.clear();
  }

  void emitNote(clang::FullSourceLoc at, StringRef message) override {
    includes.push_back(row(FE_NOTE, at.isValid() ? at.getPresumedLoc() : clang::PresumedLoc(), message));
  }

  void emitDiagnosticLoc(clang::FullSourceLoc, clang::PresumedLoc, DiagnosticsEngine::Level,
                         llvm::ArrayRef<clang::CharSourceRange>) override {}
  void emitCodeContext(clang::FullSourceLoc, DiagnosticsEngine::Level, llvm::SmallVectorImpl<clang::CharSourceRange> &,
                       llvm::ArrayRef<clang::FixItHint>) override {}
  void emitIncludeLocation(clang::FullSourceLoc at, clang::PresumedLoc) override {
    emitNote(at, "in file included from here");
  }

private:
  static DiagnosticRow row(fe_severity severity, clang::PresumedLoc place, StringRef message) {
    if (place.isInvalid())
      return {severity, {}, 0, 0, message.str(), {}};
    return {severity, place.getFilename(), place.getLine(), place.getColumn(), message.str(), {}};
  }

  std::vector<DiagnosticRow> &rows;
  std::vector<DiagnosticRow> includes;
  std::string option;
};

} // namespace

void Log::BeginSourceFile(const clang::LangOptions &newLanguage, const clang::Preprocessor *preprocessor) {
  language = newLanguage;
  printer->BeginSourceFile(newLanguage, preprocessor);
}

void Log::HandleDiagnostic(DiagnosticsEngine::Level level, const clang::Diagnostic &info) {
  if (info.getID() == clang::diag::warn_attribute_precede_definition)
    lateAttributes.push_back(info.getLocation());
  clang::DiagnosticConsumer::HandleDiagnostic(level, info);
  if (stub.isValid() && userText.isValid() && info.hasSourceManager() && info.getLocation().isValid()) {
    clang::SourceManager &sources = info.getSourceManager();
    if (sources.getFileID(info.getLocation()) == stub) {
      llvm::SmallString<128> message;
      info.FormatDiagnostic(message);
      clang::DiagnosticStorage storage;
      clang::Diagnostic moved(info.getDiags(), sources.getLocForEndOfFile(userText), info.getID(), storage, message);
      tell(level, moved);
      return;
    }
  }
  tell(level, info);
}

void Log::keep() {
  keeps = true;
  textBefore = text.size();
  rowsBefore = rows.size();
}

void Log::tellAgain(const DiagnosticsEngine &diagnostics, const clang::Preprocessor &preprocessor) {
  keeps = false;
  text.resize(textBefore);
  rows.resize(rowsBefore);
  // What a printer said last, it does not say again.
  printer.emplace(stream, options);
  printer->BeginSourceFile(language, &preprocessor);
  for (const clang::StoredDiagnostic &stored : kept) {
    clang::DiagnosticStorage storage;
    storage.DiagRanges.append(stored.range_begin(), stored.range_end());
    storage.FixItHints.append(stored.fixit_begin(), stored.fixit_end());
    tell(stored.getLevel(), clang::Diagnostic(&diagnostics, stored.getLocation(), stored.getID(), storage, stored.getMessage()));
  }
}

void Log::tell(DiagnosticsEngine::Level level, const clang::Diagnostic &info) {
  if (keeps)
    kept.emplace_back(level, info);
  record(level, info);
  printer->HandleDiagnostic(level, info);
}

std::vector<fe_diagnostic> Log::list(size_t first) const {
  std::vector<fe_diagnostic> result;
  for (size_t i = first; i < rows.size(); ++i) {
    const DiagnosticRow &row = rows[i];
    result.push_back({row.severity, borrow(row.file), row.line, row.column, borrow(row.text), borrow(row.option)});
  }
  return result;
}

void Log::record(DiagnosticsEngine::Level level, const clang::Diagnostic &info) {
  llvm::SmallString<128> message;
  info.FormatDiagnostic(message);
  if (!info.getLocation().isValid()) {
    rows.push_back({severity(level), {}, 0, 0, message.str().str(), optionOf(level, info)});
    return;
  }
  // A new one each time, so that each diagnostic says how its file was reached, also where the text does not repeat it.
  RowWriter(language, options, rows, optionOf(level, info)).write(info, level, message);
}

} // namespace syclrtc
