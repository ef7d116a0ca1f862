// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the compiler sees as files.
#pragma once

#include "llvm/ADT/IntrusiveRefCntPtr.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/VirtualFileSystem.h"

#include "frontend.h"
#include "recorder.h"

namespace syclrtc {

/// Search directory that holds the entries of `include_files`.
inline constexpr llvm::StringRef includeFilesDir = "/syclrtc/include_files";

/// The virtual files of the job at hand.
class JobFiles : public llvm::vfs::FileSystem {
public:
  JobFiles() { clear(); }
  /// What was read stays where it is: the source manager points at it.
  void clear() {
    files = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
    all.push_back(files);
  }
  void add(const std::string &path, llvm::StringRef text) {
    files->addFile(path, 0, llvm::MemoryBuffer::getMemBufferCopy(text, path));
  }

  llvm::ErrorOr<llvm::vfs::Status> status(const llvm::Twine &path) override { return files->status(path); }
  llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>> openFileForRead(const llvm::Twine &path) override {
    return files->openFileForRead(path);
  }
  llvm::vfs::directory_iterator dir_begin(const llvm::Twine &path, std::error_code &error) override {
    return files->dir_begin(path, error);
  }
  llvm::ErrorOr<std::string> getCurrentWorkingDirectory() const override { return files->getCurrentWorkingDirectory(); }
  std::error_code setCurrentWorkingDirectory(const llvm::Twine &path) override {
    return files->setCurrentWorkingDirectory(path);
  }

private:
  llvm::IntrusiveRefCntPtr<llvm::vfs::InMemoryFileSystem> files;
  std::vector<llvm::IntrusiveRefCntPtr<llvm::vfs::InMemoryFileSystem>> all;
};

/// The headers that the helper carries, plus the virtual files of one job, over the real file system.
class Files {
public:
  explicit Files(const fe_config &config);

  /// Leaves only what is held in memory. To be called before `enter`.
  void hideRealFiles() {
    overlay = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(memory);
    overlay->pushOverlay(ofJob);
  }

  /// Enters the job's directory and lays its virtual files over it, in place of those of the job before.
  void enter(const fe_job &job);

  /// True if `path` is there and an #include could take it.
  bool hasFile(const llvm::Twine &path) const;

  /// True if no file in `directory` has one of `names`, which may have several components.
  bool hasNone(llvm::StringRef directory, const llvm::StringSet<> &names) const;

  llvm::IntrusiveRefCntPtr<llvm::vfs::InMemoryFileSystem> memory;
  /// Below `memory`.
  llvm::IntrusiveRefCntPtr<Recorder> real;
  llvm::IntrusiveRefCntPtr<llvm::vfs::OverlayFileSystem> overlay;

private:
  /// Above `memory`.
  llvm::IntrusiveRefCntPtr<JobFiles> ofJob = llvm::makeIntrusiveRefCnt<JobFiles>();
  void enterDirectory(llvm::StringRef directory);
};

} // namespace syclrtc
