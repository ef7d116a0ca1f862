// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What of the real file system a compile depends on.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <sys/stat.h>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/IntrusiveRefCntPtr.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/VirtualFileSystem.h"

#include "frontend.h"

namespace syclrtc {

/// Above everything that the helper carries.
inline constexpr llvm::StringRef virtualRoot = "/syclrtc";

using ContentDigest = std::array<uint8_t, 32>;

/// A file's or directory's state as far as the file system tells it; kept only if the next change is sure to show in it.
using Stamp = std::optional<fe_stamp>;

/// One path that was looked at.
struct Dependency {
  uint32_t state = FE_MISSING; // fe_file_state
  /// Opened, but not read yet.
  bool opened = false;
  ContentDigest digest{};
  Stamp stamp;
  std::string sameAs;
  std::vector<std::string> names;
};

/// Ordered by path; one path may be there as a directory, with what was listed in it and with what it does not have.
using Dependencies = std::map<std::pair<std::string, uint32_t>, Dependency>;

/// The rows of a list, in its order. The list has to outlive them.
class DependencyRows {
public:
  explicit DependencyRows(const Dependencies &dependencies);
  DependencyRows(const DependencyRows &) = delete;
  DependencyRows &operator=(const DependencyRows &) = delete;

  const std::vector<fe_dependency> &rows() const { return list; }

private:
  std::vector<fe_dependency> list;
  std::vector<std::vector<fe_string>> names;
};

/// The real file system, taking notes: the content of files that were read, and what is or is not at other paths.
///
/// A file is read as a whole when its content is asked for, so that what was noted is what was compiled.
class Recorder : public llvm::vfs::ProxyFileSystem {
public:
  Recorder() : ProxyFileSystem(llvm::vfs::getRealFileSystem()) {}

  llvm::ErrorOr<llvm::vfs::Status> status(const llvm::Twine &path) override;
  bool exists(const llvm::Twine &path) override { return bool(status(path)); }
  llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>> openFileForRead(const llvm::Twine &path) override;
  llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>> openFileForReadBinary(const llvm::Twine &path) override {
    return openFileForRead(path);
  }
  llvm::vfs::directory_iterator dir_begin(const llvm::Twine &path, std::error_code &error) override;
  std::error_code setCurrentWorkingDirectory(const llvm::Twine &path) override;

  /// True if `directory` is one and has none of `names`, each a single component. That it has not becomes one note.
  bool hasNone(llvm::StringRef directory, const std::vector<std::string> &names);

  /// What was noted since `startAnew`.
  const Dependencies &dependencies();
  /// What was noted before.
  const Dependencies &earlier() const { return past; }
  /// From here on is noted what comes new.
  void startAnew();
  /// Takes for noted before what another process noted.
  void recall(llvm::ArrayRef<fe_dependency> rows);

private:
  friend class RecordedFile;

  std::string absolute(const llvm::Twine &path) const;
  bool hides(llvm::StringRef path);
  void note(const std::string &path, Dependency &&dependency);
  void noteFile(const std::string &path, uint32_t state, bool opened = false);
  void noteDirectory(const std::string &path, const llvm::sys::fs::UniqueID &id);
  void noteContent(const std::string &path, llvm::StringRef content, const Stamp &stamp);

  /// In front of relative paths.
  std::string current = "/";
  Dependencies past, noted;
  std::map<llvm::sys::fs::UniqueID, std::string> directories;
  /// Whether nothing real is where the virtual headers are, once that has been looked at.
  std::optional<bool> nothingBelowRoot;
};

} // namespace syclrtc
