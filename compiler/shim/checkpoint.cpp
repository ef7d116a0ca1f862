// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "checkpoint.h"

#include <deque>

#include "clang/AST/Decl.h"
#include "clang/Basic/SourceManagerInternals.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/MacroInfo.h"
#include "llvm/Support/BLAKE3.h"

#include "text.h"

namespace syclrtc {
namespace {

using llvm::StringRef;

/// A hash over fields of any length, each with its length in front.
class KeyHash {
public:
  void add(StringRef field) {
    const uint64_t length = field.size();
    hash.update(llvm::ArrayRef(reinterpret_cast<const uint8_t *>(&length), sizeof length));
    hash.update(field);
  }
  void add(uint64_t number) { add(StringRef(reinterpret_cast<const char *>(&number), sizeof number)); }
  CheckpointKey get() { return hash.final<FE_KEY_SIZE>(); }

private:
  llvm::BLAKE3 hash;
};

/// True for the levels that clang generates the same code for; LLVM's pipeline is what differs.
bool isLateLevel(StringRef option) { return option == "-O1" || option == "-O2" || option == "-O3"; }

} // namespace

CheckpointKey checkpointKey(const fe_job &job, const Options &options, StringRef preamble, Start start) {
  KeyHash key;
  key.add(uint64_t(start));
  key.add(preamble);
  key.add(view(job.working_directory));
  key.add(uint64_t(options.autoPch));
  if (options.autoPch) {
    // The documented key: the options as they are spelled, and nothing of what is in files.
    key.add(job.option_count);
    for (size_t i = 0; i != job.option_count; ++i)
      key.add(view(job.options[i]));
    return key.get();
  }
  key.add(uint64_t(options.inMemoryOnly));
  const std::vector<std::string> &relevant = options.definesMayWait ? options.withoutDefines : options.forDriver;
  const bool levelsWait =
      llvm::all_of(relevant, [](StringRef option) { return !option.starts_with("-O") || isLateLevel(option); });
  for (StringRef option : relevant)
    if (!levelsWait || !isLateLevel(option))
      key.add(option);
  key.add(job.include_file_count);
  for (size_t i = 0; i != job.include_file_count; ++i) {
    key.add(view(job.include_files[i].name));
    key.add(view(job.include_files[i].content));
  }
  return key.get();
}

void PreambleWatch::MacroExpands(const clang::Token &name, const clang::MacroDefinition &, clang::SourceRange range,
                                 const clang::MacroArgs *) {
  if (!seen.active)
    return;
  const StringRef word = name.getIdentifierInfo()->getName();
  seen.expanded.insert(word);
  if (word == "__DATE__" || word == "__TIME__" || word == "__TIMESTAMP__")
    seen.time = true;
  else if (word == "__BASE_FILE__")
    seen.mainName = true;
  else if (word == "__FILE__" || word == "__FILE_NAME__")
    seen.mainName |= sources.getFileID(sources.getExpansionLoc(range.getBegin())) == seen.file;
}

DefinesOfPreamble::DefinesOfPreamble(const clang::Preprocessor &preprocessor, const Options &options, unsigned firstEntry,
                                     const PreambleWatch::Seen &seen, bool all)
    : all(all) {
  for (const std::string &name : options.definedNames)
    // Of two definitions of one macro, the second is worth a warning.
    this->all |= !defined.insert(name).second;
  const clang::SourceManager &sources = preprocessor.getSourceManager();
  llvm::SmallPtrSet<const char *, 32> texts;
  auto addFile = [&](const clang::SrcMgr::SLocEntry &entry) {
    if (!entry.isFile() || (seen.defines.isValid() && &entry == &sources.getSLocEntry(seen.defines)))
      return;
    std::optional<StringRef> text = entry.getFile().getContentCache().getBufferDataIfLoaded();
    if (text && texts.insert(text->data()).second)
      addIdentifiers(*text);
  };
  for (unsigned index = firstEntry; index < sources.local_sloc_entry_size(); ++index)
    addFile(sources.getLocalSLocEntry(index));
  for (const auto &name : seen.expanded)
    identifiers.insert(name.getKey());
  // Macros from before may have brought in words that the files do not have.
  for (const auto &[name, state] : preprocessor.macros()) {
    const clang::MacroInfo *macro = preprocessor.getMacroInfo(name);
    if (!macro || defined.contains(name->getName()))
      continue;
    for (const clang::Token &token : macro->tokens())
      if (const clang::IdentifierInfo *word = token.getIdentifierInfo(); word && macro->getParameterNum(word) < 0)
        identifiers.insert(word->getName());
  }
  // What the preamble depends on may itself be written with other macros.
  for (size_t before = 0; before != identifiers.size();) {
    before = identifiers.size();
    for (const auto &[position, directive] : ours(preprocessor, options))
      addIdentifiers(directive);
  }
  seenByPreamble = ours(preprocessor, options);
  for (const std::string &name : options.definedNames)
    if (!dependsOn(preprocessor, name))
      waiting.push_back(name);
}

void DefinesOfPreamble::addIdentifiers(StringRef text) {
  clang::LangOptions language;
  language.CPlusPlus = language.CPlusPlus11 = language.CPlusPlus14 = language.CPlusPlus17 = true;
  language.LineComment = language.Digraphs = language.RawStringLiterals = true;
  const std::string copy = text.str(); // The lexer wants a terminator.
  clang::Lexer lexer(clang::SourceLocation(), language, copy.data(), copy.data(), copy.data() + copy.size());
  clang::Token token;
  do {
    lexer.LexFromRawLexer(token);
    if (token.is(clang::tok::raw_identifier)) {
      // A name may be continued in the next line.
      std::string name;
      for (StringRef rest = token.getRawIdentifier(); !rest.empty();) {
        const StringRef line = rest.take_until([](char c) { return c == '\\'; });
        name += line;
        rest = rest.drop_front(line.size());
        const StringRef behind = rest.drop_front(!rest.empty()).ltrim(" \t\r\n");
        // One with a universal character name inside is spelled in more than one way.
        all |= !rest.empty() && !rest.take_front(rest.size() - behind.size()).contains('\n');
        rest = behind;
      }
      identifiers.insert(name);
    }
    pastes |= token.is(clang::tok::hashhash);
  } while (token.isNot(clang::tok::eof));
}

bool DefinesOfPreamble::dependsOn(const clang::Preprocessor &preprocessor, StringRef name) const {
  if (all || identifiers.contains(name))
    return true;
  const bool isPlain = llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; });
  // What was pasted was looked up, and is known; but so are the names of the first job's own macros, for which it is known
  // whether they were expanded.
  const clang::IdentifierTable &known = preprocessor.getIdentifierTable();
  return !isPlain || (pastes && !defined.contains(name) && known.find(name) != known.end());
}

std::vector<std::pair<size_t, std::string>> DefinesOfPreamble::ours(const clang::Preprocessor &preprocessor,
                                                                    const Options &options) const {
  std::vector<std::pair<size_t, std::string>> result;
  StringRef rest = options.defines;
  for (size_t i = 0; i != options.definedNames.size(); ++i) {
    auto [line, behind] = rest.split('\n');
    rest = behind;
    if (dependsOn(preprocessor, options.definedNames[i]))
      result.emplace_back(i, line.str());
  }
  return result;
}

void DefinesOfPreamble::undefineOthers(clang::Preprocessor &preprocessor) const {
  const clang::SourceManager &sources = preprocessor.getSourceManager();
  const clang::SourceLocation at = sources.getLocForStartOfFile(sources.getMainFileID());
  for (const std::string &name : waiting) {
    clang::IdentifierInfo *identifier = preprocessor.getIdentifierInfo(name);
    if (preprocessor.getMacroInfo(identifier))
      preprocessor.appendMacroDirective(identifier, new (preprocessor.getPreprocessorAllocator())
                                                       clang::UndefMacroDirective(at));
  }
}

bool DefinesOfPreamble::fit(const clang::Preprocessor &preprocessor, const Options &other) const {
  llvm::StringSet<> names;
  for (const std::string &name : other.definedNames)
    if (!names.insert(name).second)
      return false;
  return ours(preprocessor, other) == seenByPreamble;
}

std::string DefinesOfPreamble::others(const clang::Preprocessor &preprocessor, const Options &options) const {
  std::string result;
  StringRef rest = options.defines;
  for (const std::string &name : options.definedNames) {
    auto [line, behind] = rest.split('\n');
    rest = behind;
    if (!dependsOn(preprocessor, name))
      result += line;
    result += '\n';
  }
  return StringRef(result).trim('\n').empty() ? std::string() : result;
}

void instantiateForSystemHeaders(clang::Sema &sema) {
  // The parser may be anywhere, with the last token of a header in its hands. A constant expression makes clang instantiate
  // functions anywhere, too.
  using Pending = decltype(sema.PendingInstantiations);
  const clang::SourceManager &sources = sema.getSourceManager();
  Pending later, now;
  for (auto &pending : sema.PendingInstantiations) {
    auto *function = llvm::dyn_cast<clang::FunctionDecl>(pending.first);
    const clang::FunctionDecl *pattern = function ? function->getTemplateInstantiationPattern() : nullptr;
    const bool isSettled = pattern && pattern->isDefined() && sources.isInSystemHeader(pending.second) &&
                           sources.isInSystemHeader(pattern->getLocation());
    (isSettled ? now : later).push_back(pending);
  }
  sema.PendingInstantiations = std::move(now);
  sema.PerformPendingInstantiations(false, false);
  // Those that came up on the way and could not be done stand in front of what waited already.
  later.insert(later.begin(), sema.PendingInstantiations.begin(), sema.PendingInstantiations.end());
  sema.PendingInstantiations = std::move(later);
}

void MainNames::show(clang::SourceManager &sources, clang::FileID file, StringRef shown) {
  name = int(sources.getLineTableFilenameID(shown));
  // As a #line directive in front of the second line would say; it counts from its place on, so for the first one, too.
  sources.AddLineNote(sources.getLocForStartOfFile(file), 2, name, false, false, clang::SrcMgr::C_User);
  files.push_back(file);
}

void MainNames::rename(clang::SourceManager &sources, StringRef shown) {
  const int after = int(sources.getLineTableFilenameID(shown));
  for (auto &[file, entries] : sources.getLineTable())
    if (llvm::is_contained(files, file))
      for (clang::LineEntry &entry : entries)
        if (entry.FilenameID == name)
          entry.FilenameID = after;
  name = after;
}

void MainNames::carryLines(clang::SourceManager &sources, clang::FileID from, clang::FileID to, unsigned offset) const {
  const clang::LineEntry *entry = sources.getLineTable().FindNearestLineEntry(from, offset);
  if (!entry || entry->FileOffset == 0)
    return;
  const clang::PresumedLoc place = sources.getPresumedLoc(sources.getLocForStartOfFile(from).getLocWithOffset(offset));
  // In the line before, since a #line directive says the number of the next one.
  sources.AddLineNote(sources.getLocForStartOfFile(to).getLocWithOffset(int(offset) - 1), place.getLine(),
                      entry->FilenameID == name ? -1 : entry->FilenameID, false, false, entry->FileKind);
}

void skipTo(clang::Preprocessor &preprocessor, unsigned offset) {
  /// A way to the state that tells a file wrapped in an include guard from others.
  struct Access : clang::PreprocessorLexer {
    static clang::MultipleIncludeOpt &guard(clang::PreprocessorLexer &lexer) { return lexer.*(&Access::MIOpt); }
  };
  clang::PreprocessorLexer *lexer = preprocessor.getCurrentLexer();
  static_cast<clang::Lexer *>(lexer)->seek(offset, true);
  // There was something in front.
  Access::guard(*lexer).ReadToken();
}

} // namespace syclrtc
