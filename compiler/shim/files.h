// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the compiler sees as files.
#pragma once

#include "llvm/ADT/IntrusiveRefCntPtr.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/VirtualFileSystem.h"

#include "frontend.h"
#include "recorder.h"

namespace syclrtc {

/// Search directory that holds the entries of `include_files`.
inline constexpr llvm::StringRef includeFilesDir = "/syclrtc/include_files";

/// The headers that the helper carries, plus the virtual files of one job, over the real file system.
class Files {
public:
  explicit Files(const fe_config &config);

  /// Leaves only what is held in memory. To be called before `enter`.
  void hideRealFiles() { overlay = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(memory); }

  /// Enters the job's directory and lays its virtual files over it.
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
  void enterDirectory(llvm::StringRef directory);
};

} // namespace syclrtc
