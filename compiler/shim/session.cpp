// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One run of clang: set-up, the checkpoint behind the preamble, the user's text, and what comes out.
#include <memory>
#include <string>
#include <vector>

#include "clang/AST/ASTConsumer.h"
#include "clang/Basic/DiagnosticSerialization.h"
#include "clang/Basic/FileManager.h"
#include "clang/Basic/Stack.h"
#include "clang/Basic/Version.h"
#include "clang/CodeGen/ModuleBuilder.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Frontend/FrontendActions.h"
#include "clang/Frontend/MultiplexConsumer.h"
#include "clang/Lex/HeaderSearch.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/Pragma.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Sema/Sema.h"
#include "clang/Serialization/ASTReader.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TimeProfiler.h"
#include "llvm/Support/VirtualFileSystem.h"

#include "attributes.h"
#include "checkpoint.h"
#include "declarations.h"
#include "device_globals.h"
#include "external.h"
#include "files.h"
#include "frontend.h"
#include "kernels.h"
#include "local_memory.h"
#include "log.h"
#include "marks.h"
#include "names.h"
#include "options.h"
#include "pass_diagnostics.h"
#include "preamble.h"
#include "preamble_uses.h"
#include "precompiled.h"
#include "range_calls.h"
#include "result.h"
#include "text.h"

namespace syclrtc {
namespace {

using llvm::StringRef;

class Session;

/// `#pragma syclrtc <name>`: has a meaning in the stub only.
class StubPragma : public clang::PragmaHandler {
public:
  using Action = void (Session::*)(clang::Preprocessor &, clang::SourceLocation);
  StubPragma(StringRef name, Session &session, Action action) : PragmaHandler(name), session(session), action(action) {}
  void HandlePragma(clang::Preprocessor &preprocessor, clang::PragmaIntroducer introducer, clang::Token &token) override;

private:
  Session &session;
  Action action;
};

/// Keeps the top-level declarations of the user's text and adds the kernels to what code is generated for.
class KernelConsumer : public clang::ASTConsumer {
public:
  KernelConsumer(Session &session) : session(session) {}
  bool HandleTopLevelDecl(clang::DeclGroupRef group) override;
  // Declarations of a precompiled header, whenever they are read, are none of the user's text.
  void HandleInterestingDecl(clang::DeclGroupRef) override {}
  void HandleTranslationUnit(clang::ASTContext &context) override;

private:
  Session &session;
};

class Action : public clang::ASTFrontendAction {
public:
  Action(Session &session) : session(session) {}

protected:
  bool BeginSourceFileAction(clang::CompilerInstance &instance) override;
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance &instance, StringRef) override;
  void EndSourceFileAction() override;

private:
  Session &session;
};

class Session {
public:
  Session(const fe_config &config, const fe_callbacks &callbacks) : config(config), callbacks(callbacks), files(config) {}

  /// Runs over the preamble up to the checkpoint, and in a forked process to the end of its job.
  [[noreturn]] void serve(bool mayUsePrecompiled = true);
  /// Makes what `serve` can begin behind. False if that is not possible.
  bool precompile(fe_precompiled &result);
  /// Reads declarations of the precompiled preamble ahead, if there is one. False if nothing is left.
  static bool readAhead();
  /// What came up behind `finish`.
  void epilogue(fe_epilogue &result);
  /// The one whose results the code side works on.
  static Session *finished;
  /// What knows the files of the preamble.
  static Recorder *filesOfPreamble;
  /// What knows the files that a checkpoint depends on.
  static Recorder *filesOfCheckpoint;
  /// Compiles one job from nothing; `behindPreamble` puts -D behind the preamble, with which the text then has to begin. The
  /// parse stops behind the first `stop` bytes of the text, for others to go on from there.
  [[noreturn]] void compile(const fe_job &job, Options options, bool behindPreamble, size_t stop);

private:
  friend class StubPragma;
  friend class KernelConsumer;
  friend class Action;

  /// The job's options, checked; ends the compile if one is refused.
  Options takeOptions();
  TargetSetup setup() const { return {view(config.sycl_include_dir).str(), view(config.resource_dir).str()}; }
  void beginLog();
  /// Runs clang; the session's own action if there is no `other`.
  bool run(const std::vector<std::string> &arguments, StringRef stubText,
           PrecompileAction *other = nullptr);
  /// Comes back if the precompiled preamble cannot be used.
  void servePrecompiled(const std::vector<std::string> &arguments);
  void atCheckpoint(clang::Preprocessor &, clang::SourceLocation);
  void enterSource(clang::Preprocessor &, clang::SourceLocation);
  void behindPreamble(clang::Preprocessor &, clang::SourceLocation);
  void enterPreamble(clang::Preprocessor &);
  void enterText(clang::Preprocessor &);
  void waitForOthers(clang::Preprocessor &);
  void enterNames(clang::Preprocessor &, clang::SourceLocation);
  size_t claimPreamble(const Options &, Start start);
  bool beginsWithPreamble(const Options &);
  bool definesCanWait(clang::Preprocessor &, const Options &);
  bool bindLate(clang::Preprocessor &, const Options &);
  void addSearchDir(clang::Preprocessor &, StringRef directory);
  [[noreturn]] void finish(fe_status status);
  /// The request is at fault.
  [[noreturn]] void refuse(StringRef text);
  std::string timeTraceFile();

  const fe_config &config;
  const fe_callbacks &callbacks;
  Files files;
  llvm::LLVMContext llvmContext;
  std::unique_ptr<clang::CompilerInstance> instance;
  std::unique_ptr<clang::DiagnosticOptions> diagnosticOptions;
  Log *log = nullptr;
  clang::CodeGenerator *generator = nullptr;
  std::unique_ptr<llvm::Module> module;
  PreambleUses preambleUses;
  /// What the compile begins behind; empty if that is not known yet.
  StringRef precompiledHeader;
  static std::optional<ReadAhead> ahead;

  const fe_job *job = nullptr;
  Options taken;
  bool fromCheckpoint = false;
  /// The files of the waiting process's preamble are this job's, too.
  bool sharesPreamble = false;
  std::string defines;
  /// Where the text is divided; 0 = nowhere.
  size_t stop = 0;
  /// The entries of the source manager before the preamble of the text.
  unsigned entriesBefore = 0;
  PreambleWatch::Seen seen;
  MainNames mainNames;
  bool inUserText = false;
  std::vector<clang::Decl *> declarations;
  RegisteredNames names;
  Marks marks;
  std::vector<Kernel> kernels;
  std::vector<DeviceGlobal> deviceGlobals;
  std::vector<std::string> symbolsOfRegistered;
  size_t logTold = 0, rowsTold = 0;
};

Session *Session::finished = nullptr;
Recorder *Session::filesOfPreamble = nullptr;
Recorder *Session::filesOfCheckpoint = nullptr;
std::optional<ReadAhead> Session::ahead;

void StubPragma::HandlePragma(clang::Preprocessor &preprocessor, clang::PragmaIntroducer introducer, clang::Token &) {
  clang::SourceManager &sources = preprocessor.getSourceManager();
  auto [file, offset] = sources.getDecomposedLoc(introducer.Loc);
  // In the text of a preamble, what is behind its end is ours.
  if (file != session.log->stub && (file != session.seen.file || offset < session.stop))
    return;
  // The stub's lexer has to have left the directive before another file is entered on top of it.
  preprocessor.DiscardUntilEndOfDirective();
  (session.*action)(preprocessor, introducer.Loc);
}

bool KernelConsumer::HandleTopLevelDecl(clang::DeclGroupRef group) {
  if (!session.inUserText)
    return true;
  for (clang::Decl *declaration : group) {
    copyInitialValues(session.instance->getASTContext(), declaration);
    auto *variable = llvm::dyn_cast<clang::VarDecl>(declaration);
    if (!variable || !session.names.take(variable))
      session.declarations.push_back(declaration);
  }
  return true;
}

void KernelConsumer::HandleTranslationUnit(clang::ASTContext &context) {
  clang::DiagnosticsEngine &diagnostics = context.getDiagnostics();
  if (diagnostics.hasErrorOccurred())
    return;
  const StringRef unitId = view(session.job->unit_id);
  reportLate(session.instance->getPreprocessor(), session.log->lateAttributes);
  const Declarations declarations = findDeclarations(context, session.declarations);
  session.kernels = checkKernels(context, diagnostics, declarations.functions, {unitId, session.taken.idsFitInInt});
  session.deviceGlobals = checkDeviceGlobals(context, diagnostics, declarations);
  checkExternal(diagnostics, declarations);
  checkGroupStatics(context, diagnostics, declarations);
  checkRangeCalls(context, diagnostics, declarations.functions, session.kernels);
  session.marks.request(context, *session.generator, declarations, session.kernels, session.deviceGlobals, unitId);
  session.symbolsOfRegistered = session.names.resolve(diagnostics, session.kernels, session.deviceGlobals);
}

bool Action::BeginSourceFileAction(clang::CompilerInstance &instance) {
  clang::Preprocessor &preprocessor = instance.getPreprocessor();
  auto add = [&](StringRef name, StubPragma::Action action) {
    // The preprocessor owns its handlers.
    preprocessor.AddPragmaHandler("syclrtc", new StubPragma(name, session, action));
  };
  add("checkpoint", &Session::atCheckpoint);
  add("source", &Session::enterSource);
  add("behind_preamble", &Session::behindPreamble);
  add("names", &Session::enterNames);
  handleExternal(preprocessor);
  session.log->stub = instance.getSourceManager().getMainFileID();
  preprocessor.addPPCallbacks(std::make_unique<PreambleWatch>(instance.getSourceManager(), session.seen));
  if (!session.job && session.precompiledHeader.empty())
    preprocessor.addPPCallbacks(std::make_unique<UseRecorder>(preprocessor, session.preambleUses));
  return true;
}

std::unique_ptr<clang::ASTConsumer> Action::CreateASTConsumer(clang::CompilerInstance &instance, StringRef) {
  std::unique_ptr<clang::CodeGenerator> generator =
      clang::CreateLLVMCodeGen(instance, "syclrtc", session.llvmContext);
  session.generator = generator.get();
  std::vector<std::unique_ptr<clang::ASTConsumer>> consumers;
  consumers.push_back(std::make_unique<KernelConsumer>(session));
  consumers.push_back(std::move(generator));
  return std::make_unique<clang::MultiplexConsumer>(std::move(consumers));
}

void Action::EndSourceFileAction() {
  // The generator goes away with the consumers.
  session.module = session.generator->ReleaseModule();
  if (session.module)
    session.marks.apply(*session.module);
}

void Session::beginLog() {
  diagnosticOptions = std::make_unique<clang::DiagnosticOptions>();
  // Never destroyed, since the process ends first; clang may own it or not.
  log = new Log(*diagnosticOptions);
}

bool Session::run(const std::vector<std::string> &arguments, StringRef stubText,
                  PrecompileAction *other) {
  std::vector<const char *> pointers;
  for (const std::string &argument : arguments)
    pointers.push_back(argument.c_str());

  auto invocation = std::make_shared<clang::CompilerInvocation>();
  {
    // Options are read before there is an instance; what they report goes to the same log.
    clang::DiagnosticsEngine diagnostics(clang::DiagnosticIDs::create(), *diagnosticOptions, log, false);
    if (!clang::CompilerInvocation::CreateFromArgs(*invocation, pointers, diagnostics)) {
      if (job)
        refuse(log->text);
      return false;
    }
    if (!invocation->getLangOpts().CPlusPlus17) {
      diagnostics.Report(diagnostics.getCustomDiagID(clang::DiagnosticsEngine::Error, "SYCL requires C++17 or later"));
      return false;
    }
  }
  // The log is text for any reader, whatever the options say.
  invocation->getDiagnosticOpts().ShowColors = false;
  *diagnosticOptions = invocation->getDiagnosticOpts();
  invocation->getFrontendOpts().DisableFree = true;
  invocation->getFrontendOpts().Inputs.clear();
  std::unique_ptr<llvm::MemoryBuffer> stub = llvm::MemoryBuffer::getMemBufferCopy(stubText, "<syclrtc>");
  invocation->getFrontendOpts().Inputs.emplace_back(stub->getMemBufferRef(), clang::InputKind(clang::Language::CXX));
  invocation->getCodeGenOpts().setInlining(clang::CodeGenOptions::NormalInlining);
  invocation->getFrontendOpts().ProgramAction = clang::frontend::EmitLLVMOnly;

  if (other)
    other->prepare(*invocation);
  if (!precompiledHeader.empty())
    beginBehind(precompiledHeader, *invocation, *files.memory);

  instance = std::make_unique<clang::CompilerInstance>(std::move(invocation));
  instance->setVirtualFileSystem(files.overlay);
  instance->createDiagnostics(log, false);
  instance->setVerboseOutputStream(llvm::nulls());
  instance->createFileManager();
  instance->createSourceManager();
  Action own(*this);
  bool succeeded = other ? instance->ExecuteAction(*other) : instance->ExecuteAction(own);
  stub.release(); // The source manager still points at it, and the process ends soon.
  return succeeded && !instance->getDiagnostics().hasErrorOccurred();
}

/// The declaration between the includes and the checkpoint makes sure that the parser has closed every namespace of the headers
/// when it looks ahead and meets the pragma.
constexpr StringRef checkpointText = "static_assert(true, \"\");\n#pragma syclrtc checkpoint\n#pragma syclrtc names\n";

void Session::servePrecompiled(const std::vector<std::string> &arguments) {
  std::optional<PrecompiledNotes> notes = PrecompiledNotes::of(view(config.precompiled->notes));
  if (!notes || notes->arguments != arguments)
    return;
  preambleUses = std::move(notes->uses);
  precompiledHeader = view(config.precompiled->header);
  files.real->recall({config.precompiled->dependencies, config.precompiled->dependency_count});
  const bool parsed = run(arguments, checkpointText);
  if (job)
    finish(parsed ? FE_OK : FE_FAILED);
}

bool Session::precompile(fe_precompiled &result) {
  beginLog();
  std::optional<std::vector<std::string>> arguments = cc1Arguments({}, setup(), files.overlay, *log);
  PrecompileAction action(preambleUses, [this] { files.real->startAnew(); });
  // A session behind the header has nothing to say about it, so there must have been nothing.
  if (!arguments || !run(*arguments, view(config.preamble), &action) || action.header().empty() ||
      !log->rows.empty())
    return false;
  // Kept until the process ends.
  auto *header = new std::string(action.header());
  auto *notes = new std::string(PrecompiledNotes{*arguments, preambleUses}.asText());
  auto *rows = new DependencyRows(files.real->earlier());
  result.header = borrow(*header);
  result.notes = borrow(*notes);
  result.dependencies = rows->rows().data();
  result.dependency_count = rows->rows().size();
  return true;
}

bool Session::readAhead() { return ahead && ahead->some(); }

void Session::serve(bool mayUsePrecompiled) {
  beginLog();
  std::optional<std::vector<std::string>> arguments = cc1Arguments({}, setup(), files.overlay, *log);
  bool parsed = false;
  if (arguments) {
    if (mayUsePrecompiled && config.precompiled) {
      servePrecompiled(*arguments);
      // Clang does not take it. Never destroyed, as this one.
      auto *parsing = new Session(config, callbacks);
      parsing->serve(/*mayUsePrecompiled=*/false);
    }
    parsed = run(*arguments, (view(config.preamble) + checkpointText).str());
  }
  if (job)
    finish(parsed ? FE_OK : FE_FAILED);
  // The preamble did not even reach the checkpoint, say because the machine has no C++ headers. Jobs compile from nothing.
  job = callbacks.next(callbacks.user);
  Session fresh(config, callbacks);
  fresh.compile(*job, takeOptions(), false, 0);
}

Options Session::takeOptions() {
  std::vector<StringRef> given;
  for (size_t i = 0; i != job->option_count; ++i)
    given.push_back(view(job->options[i]));
  llvm::Expected<Options> options = checkOptions(given);
  if (!options)
    refuse(llvm::toString(options.takeError()));
  return std::move(*options);
}

void Session::compile(const fe_job &theJob, Options options, bool behindPreamble, size_t stopBehind) {
  job = &theJob;
  stop = stopBehind;
  if (options.inMemoryOnly)
    files.hideRealFiles();
  files.enter(*job);
  if (options.timeTrace.file)
    llvm::timeTraceProfilerInitialize(options.timeTrace.granularity, "syclrtc-compiler", options.timeTrace.verbose);
  beginLog();
  // The header that every compile begins with is ours, and not for the user's macros to change.
  const bool definesWait = behindPreamble || options.definesMayWait;
  std::optional<std::vector<std::string>> arguments =
      cc1Arguments(definesWait ? options.withoutDefines : options.forDriver, setup(), files.overlay, *log);
  if (!arguments)
    refuse(log->text);
  // Ahead of the user's directories: the job's virtual files, then the current directory.
  arguments->insert(arguments->begin(), {"-I", includeFilesDir.str(), "-I", "."});
  std::string stub = "#pragma syclrtc source\n#pragma syclrtc names\n";
  taken = std::move(options);
  if (definesWait)
    defines = taken.defines;
  if (behindPreamble)
    stub.insert(0, view(config.preamble));
  bool ok = run(*arguments, stub);
  finish(ok ? FE_OK : FE_FAILED);
}

void Session::atCheckpoint(clang::Preprocessor &preprocessor, clang::SourceLocation at) {
  bool usable = !instance->getDiagnostics().hasErrorOccurred();
  // As -fpch-instantiate-templates does: what the headers left pending is instantiated once, here.
  if (usable && instance->hasSema())
    instance->getSema().PerformPendingInstantiations();
  files.real->startAnew();
  filesOfPreamble = files.real.get();
  if (!precompiledHeader.empty())
    ahead.emplace(*instance);
  job = callbacks.next(callbacks.user);

  // From here on this is the process of one job.
  Options options = takeOptions();
  files.enter(*job);
  const bool definesWait = usable && beginsWithPreamble(options) && definesCanWait(preprocessor, options);
  const bool parsed = definesWait && options.lateBound && job->reuse;
  stop = claimPreamble(options, parsed ? Start::ParsedHeaders : definesWait ? Start::Headers : Start::Nothing);
  if (parsed && bindLate(preprocessor, options)) {
    fromCheckpoint = sharesPreamble = true;
    taken = std::move(options);
    defines = taken.defines;
    enterSource(preprocessor, at);
    return;
  }
  Session fresh(config, callbacks);
  // What was claimed is not what is parsed if the options could not be bound.
  fresh.compile(*job, std::move(options), definesWait, parsed ? 0 : stop);
}

/// How much of the text is parsed so that others can go on behind it; 0 if nobody will.
size_t Session::claimPreamble(const Options &options, Start start) {
  const StringRef source = view(job->source);
  if (!job->reuse || !options.divisible)
    return 0;
  const Preamble preamble = findPreamble(source);
  // Without an #include, there is nothing to be saved.
  if (preamble.includes <= (start == Start::ParsedHeaders))
    return 0;
  const StringRef reusable = source.take_front(preamble.reusable);
  // A #line directive may give another file the main file's name.
  if (reusable.contains(view(job->main_name)))
    return 0;
  const CheckpointKey key =
      checkpointKey(*job, options, options.autoPch ? source.take_front(preamble.end) : reusable, start);
  return callbacks.claim(callbacks.user, key.data(), options.autoPch) ? preamble.reusable : 0;
}

/// Goes on in a text that is no file.
clang::FileID enterBuffer(clang::Preprocessor &preprocessor, StringRef text, StringRef name) {
  clang::FileID file =
      preprocessor.getSourceManager().createFileID(llvm::MemoryBuffer::getMemBufferCopy(text, name));
  preprocessor.EnterSourceFile(file, nullptr, clang::SourceLocation());
  return file;
}

/// The first directive of the text, if it is an #include in angle brackets; only comments and blanks may stand before it.
StringRef firstInclude(StringRef text) {
  clang::LangOptions language;
  language.CPlusPlus = true;
  language.LineComment = true;
  std::string copy = text.str(); // The lexer wants a terminator.
  clang::Lexer lexer(clang::SourceLocation(), language, copy.data(), copy.data(), copy.data() + copy.size());
  clang::Token token;
  lexer.LexFromRawLexer(token);
  if (token.isNot(clang::tok::hash))
    return {};
  lexer.LexFromRawLexer(token);
  if (token.isNot(clang::tok::raw_identifier) || token.getRawIdentifier() != "include")
    return {};
  size_t offset = size_t(token.getLocation().getRawEncoding()) + token.getLength();
  StringRef rest = text.drop_front(offset).ltrim(" \t");
  if (!rest.consume_front("<"))
    return {};
  size_t end = rest.find_first_of(">\n");
  return end != StringRef::npos && rest[end] == '>' ? rest.take_front(end) : StringRef();
}

/// True if the text's first line includes what the preamble includes, and gets the same files.
bool Session::beginsWithPreamble(const Options &options) {
  if (("#include <" + firstInclude(view(job->source)) + ">\n").str() != view(config.preamble))
    return false;
  // A job's directory that has a file by a name that the headers asked for could answer first.
  std::vector<std::string> directories = {includeFilesDir.str(), "."};
  llvm::append_range(directories, options.includeDirs);
  if (llvm::any_of(directories,
                   [&](const std::string &directory) { return !files.hasNone(directory, preambleUses.headers); }))
    return false;
  for (size_t i = 0; i != job->include_file_count; ++i)
    if (preambleUses.headers.contains(view(job->include_files[i].name)))
      return false;
  return true;
}

/// True if it makes no difference to the headers, other than not breaking them, when -D takes effect behind them: no directive
/// of theirs looks at the macro, and it is neither a keyword nor a reserved name.
bool Session::definesCanWait(clang::Preprocessor &preprocessor, const Options &options) {
  clang::IdentifierTable &identifiers = preprocessor.getIdentifierTable();
  return options.definesMayWait && llvm::none_of(options.definedNames, [&](const std::string &name) {
    auto known = identifiers.find(name);
    return preambleUses.macros.contains(name) ||
           (known != identifiers.end() && known->getValue()->getTokenID() != clang::tok::identifier) ||
           (StringRef(name).starts_with("_") && (known != identifiers.end() || preambleUses.reserved.contains(name)));
  });
}

void Session::addSearchDir(clang::Preprocessor &preprocessor, StringRef directory) {
  if (clang::OptionalDirectoryEntryRef entry = instance->getFileManager().getOptionalDirectoryRef(directory))
    preprocessor.getHeaderSearchInfo().AddSearchPath(clang::DirectoryLookup(*entry, clang::SrcMgr::C_User, false), true);
}

/// Makes the options take effect that a parsed preamble leaves open.
bool Session::bindLate(clang::Preprocessor &preprocessor, const Options &options) {
  addSearchDir(preprocessor, includeFilesDir);
  addSearchDir(preprocessor, ".");
  for (const std::string &directory : options.includeDirs)
    addSearchDir(preprocessor, directory);
  clang::DiagnosticOptions &diagnosticOptions = instance->getDiagnosticOpts();
  for (const std::string &warning : options.warnings) {
    if (warning == "-w")
      diagnosticOptions.IgnoreWarnings = true;
    else
      diagnosticOptions.Warnings.push_back(warning);
  }
  llvm::append_range(diagnosticOptions.Remarks, options.remarks);
  if (!options.warnings.empty() || !options.remarks.empty())
    clang::ProcessWarningOptions(instance->getDiagnostics(), diagnosticOptions, *files.overlay, true);
  return !instance->getDiagnostics().hasErrorOccurred();
}

void Session::enterSource(clang::Preprocessor &preprocessor, clang::SourceLocation) {
  clang::SourceManager &sources = preprocessor.getSourceManager();
  inUserText = true;
  entriesBefore = sources.local_sloc_entry_size();
  mainNames.show(sources, log->stub, view(job->main_name));
  if (!precompiledHeader.empty())
    mainNames.show(sources, instance->getASTReader()->getModuleManager().getPrimaryModule().OriginalSourceFileID,
                   view(job->main_name));
  if (stop != 0)
    enterPreamble(preprocessor);
  else
    enterText(preprocessor);
  // Entered last, read first.
  if (!defines.empty())
    seen.defines = enterBuffer(preprocessor, defines, "<command line>");
}

/// Enters the part of the text that others may go on behind.
void Session::enterPreamble(clang::Preprocessor &preprocessor) {
  clang::SourceManager &sources = preprocessor.getSourceManager();
  const std::string text = (view(job->source).take_front(stop) + "#pragma syclrtc behind_preamble\n").str();
  // No file has this name. It stands where the text does, for quoted includes.
  clang::FileEntryRef entry =
      instance->getFileManager().getVirtualFileRef("syclrtc preamble", off_t(text.size()), 0);
  sources.overrideFileContents(entry, llvm::MemoryBuffer::getMemBufferCopy(text, "syclrtc preamble"));
  seen.file = sources.createFileID(entry, clang::SourceLocation(), clang::SrcMgr::C_User);
  seen.active = true;
  log->keep();
  mainNames.show(sources, seen.file, view(job->main_name));
  sources.setMainFileID(seen.file);
  (void)preprocessor.getHeaderSearchInfo().getFileInfo(entry);
  preprocessor.EnterSourceFile(seen.file, nullptr, clang::SourceLocation());
}

/// Enters the text, or what is left of it.
void Session::enterText(clang::Preprocessor &preprocessor) {
  clang::SourceManager &sources = preprocessor.getSourceManager();
  // A virtual file, since quoted includes are looked for beside the file that they stand in.
  clang::FileEntryRef entry =
      instance->getFileManager().getVirtualFileRef(view(job->main_name), off_t(job->source.length), 0);
  sources.overrideFileContents(entry, llvm::MemoryBuffer::getMemBufferCopy(view(job->source), view(job->main_name)));
  log->userText = sources.createFileID(entry, clang::SourceLocation(), clang::SrcMgr::C_User);
  sources.setMainFileID(log->userText);
  // Quoted includes ask what is known of the file that they stand in.
  (void)preprocessor.getHeaderSearchInfo().getFileInfo(entry);
  preprocessor.EnterSourceFile(log->userText, nullptr, clang::SourceLocation());
  if (stop != 0) {
    skipTo(preprocessor, unsigned(stop));
    mainNames.carryLines(sources, seen.file, log->userText, unsigned(stop));
  }
}

void Session::behindPreamble(clang::Preprocessor &preprocessor, clang::SourceLocation) {
  seen.active = false;
  // As of every precompiled header, though nothing tells those who do not ask for one.
  if (taken.autoPch && seen.time)
    instance->getDiagnostics().Report(clang::diag::warn_module_uses_date_time) << 0;
  const bool usable = !instance->getDiagnostics().hasErrorOccurred() && !seen.mainName && (!seen.time || taken.autoPch);
  defines.clear();
  if (callbacks.stay(callbacks.user, usable))
    waitForOthers(preprocessor);
  enterText(preprocessor);
  if (!defines.empty())
    enterBuffer(preprocessor, defines, "<command line>");
}

/// Stays behind the preamble. Returns in the process of another job.
void Session::waitForOthers(clang::Preprocessor &preprocessor) {
  const DefinesOfPreamble given(preprocessor, taken, entriesBefore, seen, taken.autoPch || !log->text.empty());
  given.undefineOthers(preprocessor);
  if (instance->hasSema())
    instantiateForSystemHeaders(instance->getSema());
  filesOfCheckpoint = files.real.get();
  job = callbacks.next(callbacks.user);

  Options options = takeOptions();
  callbacks.accept(callbacks.user, given.fit(preprocessor, options));
  taken = std::move(options);
  // The key of the documented option says nothing of them; else they are the same.
  files.enter(*job);
  if (taken.definesMayWait)
    defines = given.others(preprocessor, taken);
  fromCheckpoint = true;
  mainNames.rename(preprocessor.getSourceManager(), view(job->main_name));
  log->tellAgain(instance->getDiagnostics(), preprocessor);
}

void Session::enterNames(clang::Preprocessor &preprocessor, clang::SourceLocation) {
  if (!job || job->registered_name_count == 0)
    return;
  for (size_t i = 0; i != job->registered_name_count; ++i)
    names.add(view(job->registered_names[i]));
  enterBuffer(preprocessor, names.text(instance->getDiagnostics()), "registered_names");
}

/// Where the user wants the result of -ftime-trace.
std::string Session::timeTraceFile() {
  std::string file = taken.timeTrace.file.value_or("");
  std::string named = (view(job->main_name).rsplit('.').first + ".json").str();
  if (file.empty())
    return named;
  llvm::ErrorOr<llvm::vfs::Status> status = files.overlay->status(file);
  return file != "-" && status && status->isDirectory() ? (StringRef(file).rtrim('/') + "/" + named).str() : file;
}

void Session::finish(fe_status status) {
  ResultTables tables(kernels, deviceGlobals, symbolsOfRegistered);
  fe_result result{};
  result.status = status;
  // A failure is not kept by anybody.
  const Dependencies noted = status == FE_OK ? files.real->dependencies() : Dependencies();
  const DependencyRows dependencies(noted);
  std::vector<fe_diagnostic> diagnostics = log->list(0);
  result.log = borrow(log->text);
  result.diagnostics = diagnostics.data();
  result.diagnostic_count = diagnostics.size();
  result.optimization_level = taken.optimizationLevel;
  result.code_split = taken.codeSplit;
  result.driver_options = borrow(taken.driverOptions);
  std::string traceFile = timeTraceFile();
  result.time_trace_file = taken.timeTrace.file ? borrow(traceFile) : fe_string{nullptr, 0};
  result.from_checkpoint = fromCheckpoint;
  result.shares_preamble = sharesPreamble;
  result.dependencies = dependencies.rows().data();
  result.dependency_count = dependencies.rows().size();
  result.from_precompiled = fromCheckpoint && !precompiledHeader.empty();
  if (status == FE_OK) {
    result.module = llvm::wrap(module.release());
    // The passes that run on it are behind the end of the source, and have places in it all the same.
    log->BeginSourceFile(instance->getLangOpts(), nullptr);
    llvmContext.setDiagnosticHandler(std::make_unique<PassDiagnostics>(*instance));
    tables.store(result);
  }
  finished = this;
  logTold = log->text.size();
  rowsTold = log->rows.size();
  callbacks.done(callbacks.user, &result);
  std::abort(); // `done` does not return.
}

void Session::epilogue(fe_epilogue &result) {
  result.log = borrow(StringRef(log->text).drop_front(logTold));
  // Kept until the process ends.
  auto *rows = new std::vector<fe_diagnostic>(log->list(rowsTold));
  result.diagnostics = rows->data();
  result.diagnostic_count = rows->size();
  if (llvm::getTimeTraceProfilerInstance()) {
    auto *json = new llvm::SmallString<0>;
    llvm::raw_svector_ostream stream(*json);
    llvm::timeTraceProfilerWrite(stream);
    result.time_trace_json = borrow(*json);
  }
}

void Session::refuse(StringRef text) {
  fe_result result{};
  result.status = FE_REFUSED;
  result.log = borrow(text.rtrim());
  callbacks.done(callbacks.user, &result);
  std::abort(); // `done` does not return.
}

} // namespace
} // namespace syclrtc

void fe_serve(const fe_config *config, const fe_callbacks *callbacks) {
  syclrtc::registerAttributes();
  // From here clang measures how much of the stack is used, and goes on elsewhere when it runs short.
  clang::noteBottomOfStack();
  // Never destroyed: the process ends inside.
  auto *session = new syclrtc::Session(*config, *callbacks);
  session->serve();
}

void fe_preamble_files(const fe_dependency **rows, size_t *count) {
  *rows = nullptr;
  *count = 0;
  if (const syclrtc::Recorder *recorder = syclrtc::Session::filesOfPreamble) {
    // Kept for as long as the process stands behind the preamble.
    auto *table = new syclrtc::DependencyRows(recorder->earlier());
    *rows = table->rows().data();
    *count = table->rows().size();
  }
}

bool fe_precompile(const fe_config *config, fe_precompiled *result) {
  syclrtc::registerAttributes();
  clang::noteBottomOfStack();
  *result = {};
  // Nothing of this is called before there is a job.
  static const fe_callbacks none = {};
  // Never destroyed: the result points into it.
  auto *session = new syclrtc::Session(*config, none);
  return session->precompile(*result);
}

bool fe_read_ahead(void) { return syclrtc::Session::readAhead(); }

void fe_checkpoint_files(const fe_dependency **rows, size_t *count) {
  *rows = nullptr;
  *count = 0;
  if (syclrtc::Recorder *recorder = syclrtc::Session::filesOfCheckpoint) {
    auto *table = new syclrtc::DependencyRows(recorder->dependencies());
    *rows = table->rows().data();
    *count = table->rows().size();
  }
}

void fe_finish(fe_epilogue *epilogue) {
  *epilogue = {};
  if (syclrtc::Session::finished)
    syclrtc::Session::finished->epilogue(*epilogue);
}

const char *fe_clang_version(void) { return CLANG_VERSION_STRING; }
