// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "precompiled.h"

#include <chrono>

#include "clang/AST/ASTConsumer.h"
#include "clang/AST/DeclID.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "clang/Serialization/ASTReader.h"
#include "clang/Serialization/ASTWriter.h"
#include "clang/Serialization/ModuleCache.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MemoryBuffer.h"

#include "external.h"

namespace syclrtc {

using llvm::StringRef;

namespace {

constexpr StringRef headerPath = "/syclrtc/preamble.pch";

void append(std::string &text, StringRef part) {
  char length[sizeof(uint64_t)];
  llvm::support::endian::write64le(length, part.size());
  text.append(length, sizeof length);
  text += part;
}

/// Takes what `append` added. False if the text is too short for it.
bool take(StringRef &text, StringRef &part) {
  if (text.size() < sizeof(uint64_t))
    return false;
  const uint64_t length = llvm::support::endian::read64le(text.data());
  text = text.drop_front(sizeof(uint64_t));
  if (text.size() < length)
    return false;
  part = text.take_front(length);
  text = text.drop_front(length);
  return true;
}

class Writer : public clang::PCHGenerator {
public:
  Writer(clang::CompilerInstance &instance, std::shared_ptr<clang::PCHBuffer> buffer, const std::function<void()> &parsed)
      : PCHGenerator(instance.getPreprocessor(), instance.getModuleCache(), headerPath, /*isysroot=*/"", std::move(buffer),
                     instance.getCodeGenOpts(), instance.getFrontendOpts().ModuleFileExtensions,
                     /*AllowASTWithErrors=*/false, /*IncludeTimestamps=*/false),
        parsed(parsed) {}

  void HandleTranslationUnit(clang::ASTContext &context) override {
    parsed();
    PCHGenerator::HandleTranslationUnit(context);
  }

private:
  const std::function<void()> &parsed;
};

} // namespace

std::string PrecompiledNotes::asText() const {
  std::string text;
  append(text, uses.macros.asText());
  append(text, uses.reserved.asText());
  std::string list;
  for (const auto &name : uses.headers)
    append(list, name.getKey());
  append(text, list);
  for (const std::string &argument : arguments)
    append(text, argument);
  return text;
}

std::optional<PrecompiledNotes> PrecompiledNotes::of(StringRef text) {
  PrecompiledNotes notes;
  StringRef macros, reserved, list, part;
  if (!take(text, macros) || !take(text, reserved) || !take(text, list))
    return std::nullopt;
  notes.uses.macros = Names(macros);
  notes.uses.reserved = Names(reserved);
  while (!list.empty()) {
    if (!take(list, part))
      return std::nullopt;
    notes.uses.headers.insert(part);
  }
  while (!text.empty()) {
    if (!take(text, part))
      return std::nullopt;
    notes.arguments.push_back(part.str());
  }
  return notes;
}

void PrecompileAction::prepare(clang::CompilerInvocation &invocation) {
  // What the headers left pending is instantiated once, here, and not by each compile.
  invocation.getLangOpts().PCHInstantiateTemplates = true;
  // With the texts inside, a diagnostic shows the line that was compiled, whatever became of the file.
  invocation.getFrontendOpts().ModulesEmbedAllFiles = true;
}

bool PrecompileAction::BeginSourceFileAction(clang::CompilerInstance &instance) {
  instance.getLangOpts().CompilingPCH = true;
  clang::Preprocessor &preprocessor = instance.getPreprocessor();
  handleExternal(preprocessor);
  preprocessor.addPPCallbacks(std::make_unique<UseRecorder>(preprocessor, uses));
  if (instance.getFrontendOpts().ModulesEmbedAllFiles)
    instance.getSourceManager().setAllFilesAreTransient(true);
  return true;
}

std::unique_ptr<clang::ASTConsumer> PrecompileAction::CreateASTConsumer(clang::CompilerInstance &instance, StringRef) {
  buffer = std::make_shared<clang::PCHBuffer>();
  return std::make_unique<Writer>(instance, buffer, parsed);
}

void PrecompileAction::EndSourceFileAction() {
  for (const auto &entry : getCompilerInstance().getPreprocessor().getIdentifierTable())
    if (entry.getKey().starts_with("_"))
      uses.reserved.insert(entry.getKey());
}

StringRef PrecompileAction::header() const {
  return buffer && buffer->IsComplete ? StringRef(buffer->Data.data(), buffer->Data.size()) : StringRef();
}

void beginBehind(StringRef header, clang::CompilerInvocation &invocation, llvm::vfs::InMemoryFileSystem &files) {
  files.addFile(headerPath, 0, llvm::MemoryBuffer::getMemBuffer(header, headerPath, /*RequiresNullTerminator=*/false));
  clang::PreprocessorOptions &options = invocation.getPreprocessorOpts();
  options.ImplicitPCHInclude = headerPath.str();
  options.DisablePCHOrModuleValidation = clang::DisableValidationForModuleKind::All;
}

ReadAhead::ReadAhead(clang::CompilerInstance &instance)
    : reader(instance.getASTReader().get()), count(reader->getTotalNumDecls()) {}

bool ReadAhead::some() {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point end = Clock::now() + std::chrono::milliseconds(1);
  // The declarations of the one precompiled header: files of declarations are numbered from 1.
  constexpr clang::DeclIDBase::DeclID first = clang::DeclIDBase::DeclID(1) << 32;
  while (next < count) {
    (void)reader->GetDecl(clang::GlobalDeclID(first | next));
    ++next;
    if (next % 16 == 0 && Clock::now() >= end)
      break;
  }
  return next < count;
}

} // namespace syclrtc
