// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "files.h"

#include <string>

#include <unistd.h>

#include "llvm/Support/MemoryBuffer.h"

#include "text.h"

namespace syclrtc {

using llvm::StringRef;

Files::Files(const fe_config &config)
    : memory(llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>()),
      real(llvm::makeIntrusiveRefCnt<Recorder>()),
      overlay(llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(real)) {
  overlay->pushOverlay(memory);
  overlay->pushOverlay(ofJob);
  for (size_t i = 0; i != config.header_count; ++i)
    // A copy, because the lexer wants a terminator behind the text.
    memory->addFile(view(config.headers[i].name), 0,
                    llvm::MemoryBuffer::getMemBufferCopy(view(config.headers[i].content), view(config.headers[i].name)));
  // Makes the directory, so that it can be a search directory before there is a file in it.
  memory->addFile((includeFilesDir + "/.syclrtc").str(), 0, llvm::MemoryBuffer::getMemBuffer(""));
}

bool Files::hasFile(const llvm::Twine &path) const {
  llvm::ErrorOr<llvm::vfs::Status> status = overlay->status(path);
  return status && !status->isDirectory();
}

bool Files::hasNone(StringRef directory, const llvm::StringSet<> &names) const {
  // One look for all that begin alike.
  llvm::StringSet<> first;
  for (const auto &name : names)
    if (!name.getKey().starts_with("/"))
      first.insert(name.getKey().take_until([](char c) { return c == '/'; }));
  std::vector<std::string> components;
  for (const auto &name : first)
    components.push_back(name.getKey().str());
  if (!memory->exists(directory) && !ofJob->exists(directory) && real->hasNone(directory, components))
    return true;
  return llvm::none_of(names, [&](const auto &name) {
    return !name.getKey().starts_with("/") && hasFile(directory + "/" + name.getKey());
  });
}

void Files::enterDirectory(StringRef directory) {
  // Where there is no usable current directory, the root is one that exists.
  for (std::string path : {directory.str(), std::string("/")})
    if (!path.empty() && overlay->status(path) && ::chdir(path.c_str()) == 0 &&
        !overlay->setCurrentWorkingDirectory(path))
      return;
}

void Files::enter(const fe_job &job) {
  ofJob->clear();
  enterDirectory(view(job.working_directory));
  std::string directory = overlay->getCurrentWorkingDirectory().get();
  for (size_t i = 0; i != job.include_file_count; ++i) {
    StringRef name = view(job.include_files[i].name);
    // The #line makes diagnostics and __FILE__ show the name as it was given.
    std::string text = "#line 1 \"";
    for (char c : name) {
      if (c == '"' || c == '\\')
        text += '\\';
      text += c;
    }
    text += "\"\n";
    StringRef content = view(job.include_files[i].content);
    // A byte order mark is one at the very start only.
    content.consume_front("\xef\xbb\xbf");
    text += content;
    if (name.starts_with("/")) {
      ofJob->add(name.str(), text);
    } else {
      ofJob->add((directory == "/" ? "/" + name : directory + "/" + name).str(), text);
      ofJob->add((includeFilesDir + "/" + name).str(), text);
    }
  }
}

} // namespace syclrtc
