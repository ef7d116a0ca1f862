// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "recorder.h"

#include <algorithm>
#include <ctime>
#include <iterator>

#include <fcntl.h>
#include <unistd.h>

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include "text.h"

namespace syclrtc {
namespace {

using llvm::StringRef;

constexpr int64_t second = 1'000'000'000;

int64_t nanoseconds(const timespec &time) { return int64_t(time.tv_sec) * second + time.tv_nsec; }

/// A stamp proves something only if the last change is so long ago that another one must show: times are kept in steps, of up
/// to two seconds on some file systems.
Stamp settled(const struct stat &status) {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  const int64_t latest = nanoseconds(now) - 2 * second;
  const fe_stamp stamp{uint64_t(status.st_dev), uint64_t(status.st_ino), uint64_t(status.st_size),
                       nanoseconds(status.st_mtim), nanoseconds(status.st_ctim)};
  return stamp.modified < latest && stamp.changed < latest ? Stamp(stamp) : std::nullopt;
}

bool equal(const Stamp &a, const Stamp &b) {
  return a && b && a->device == b->device && a->inode == b->inode && a->size == b->size && a->modified == b->modified &&
         a->changed == b->changed;
}

/// What both say, if they agree.
Stamp agreed(const Stamp &before, const Stamp &after) { return equal(before, after) ? after : std::nullopt; }

/// True if `later` adds nothing to what `known` says.
bool tellsTheSame(const Dependency &known, const Dependency &later) {
  return (known.state == later.state || (known.state == FE_CONTENT && later.state == FE_PRESENT)) &&
         (later.state == FE_PRESENT || known.digest == later.digest) && known.sameAs == later.sameAs &&
         known.names == later.names;
}

Stamp stampOf(int descriptor) {
  struct stat status;
  return ::fstat(descriptor, &status) == 0 ? settled(status) : std::nullopt;
}

Stamp stampOf(const std::string &path) {
  struct stat status;
  return ::stat(path.c_str(), &status) == 0 ? settled(status) : std::nullopt;
}

} // namespace

/// An open file that tells the recorder when it is read.
class RecordedFile : public llvm::vfs::File {
public:
  RecordedFile(Recorder &recorder, std::string path, llvm::sys::fs::file_t descriptor, std::string name,
               std::string realName)
      : recorder(recorder), path(std::move(path)), descriptor(descriptor), name(std::move(name)),
        realName(std::move(realName)) {}
  ~RecordedFile() override { close(); }

  llvm::ErrorOr<llvm::vfs::Status> status() override {
    llvm::sys::fs::file_status status;
    if (std::error_code error = llvm::sys::fs::status(descriptor, status))
      return error;
    toldSize = status.getSize();
    return llvm::vfs::Status::copyWithNewName(status, name);
  }

  llvm::ErrorOr<std::string> getName() override { return realName.empty() ? name : realName; }

  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> getBuffer(const llvm::Twine &bufferName, int64_t size,
                                                               bool wantsTerminator, bool) override {
    const Stamp before = stampOf(descriptor);
    // #embed may want less than all.
    const bool isPart = size >= 0 && toldSize && uint64_t(size) < *toldSize;
    // As volatile, which is a copy: a mapping would show what is written to the file later.
    llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> buffer =
        llvm::MemoryBuffer::getOpenFile(descriptor, bufferName, isPart ? *toldSize : size, wantsTerminator, true);
    if (!buffer)
      return buffer;
    const StringRef content = (*buffer)->getBuffer();
    recorder.noteContent(path, content, agreed(before, stampOf(descriptor)));
    return isPart ? llvm::MemoryBuffer::getMemBufferCopy(content.take_front(size), bufferName) : std::move(buffer);
  }

  std::error_code close() override { return llvm::sys::fs::closeFile(descriptor); }

protected:
  void setPath(const llvm::Twine &newName) override { name = newName.str(); }

private:
  Recorder &recorder;
  std::string path;
  llvm::sys::fs::file_t descriptor;
  std::string name, realName;
  std::optional<uint64_t> toldSize;
};

std::string Recorder::absolute(const llvm::Twine &path) const {
  llvm::SmallString<256> result;
  path.toVector(result);
  if (!llvm::sys::path::is_absolute(result)) {
    llvm::SmallString<256> relative = result;
    result = current;
    llvm::sys::path::append(result, relative);
  }
  // Not "..", which means something else behind a link.
  llvm::sys::path::remove_dots(result, false);
  return std::string(result);
}

/// Nothing is looked for in the real place of virtual headers, if there is none: that is one note for all.
bool Recorder::hides(StringRef path) {
  if (!path.starts_with(virtualRoot) || (path.size() > virtualRoot.size() && path[virtualRoot.size()] != '/'))
    return false;
  if (!nothingBelowRoot) {
    nothingBelowRoot = !ProxyFileSystem::exists(virtualRoot);
    if (*nothingBelowRoot)
      note(virtualRoot.str(), Dependency{});
  }
  return *nothingBelowRoot;
}

void Recorder::note(const std::string &path, Dependency &&dependency) {
  const bool isFile = dependency.state < FE_DIRECTORY;
  const auto key = std::make_pair(path, isFile ? uint32_t(FE_MISSING) : dependency.state);
  auto [place, isNew] = noted.try_emplace(key);
  Dependency &known = place->second;
  if (isNew || !isFile) {
    known = std::move(dependency);
    return;
  }
  if ((known.state == FE_MISSING) != (dependency.state == FE_MISSING) ||
      (known.state == FE_CONTENT && dependency.state == FE_CONTENT && known.digest != dependency.digest)) {
    // It changed under the compile: no content has this digest.
    known = Dependency{};
    known.state = FE_CONTENT;
  } else if (dependency.state == FE_CONTENT) {
    known = std::move(dependency);
  } else {
    known.opened |= dependency.opened;
  }
}

void Recorder::noteFile(const std::string &path, uint32_t state, bool opened) {
  Dependency dependency;
  dependency.state = state;
  dependency.opened = opened;
  note(path, std::move(dependency));
}

void Recorder::noteDirectory(const std::string &path, const llvm::sys::fs::UniqueID &id) {
  Dependency dependency;
  dependency.state = FE_DIRECTORY;
  const std::string &first = directories.try_emplace(id, path).first->second;
  if (first != path)
    dependency.sameAs = first;
  note(path, std::move(dependency));
}

void Recorder::noteContent(const std::string &path, StringRef content, const Stamp &stamp) {
  Dependency dependency;
  dependency.state = FE_CONTENT;
  dependency.digest = llvm::BLAKE3::hash({reinterpret_cast<const uint8_t *>(content.data()), content.size()});
  dependency.stamp = stamp;
  note(path, std::move(dependency));
}

llvm::ErrorOr<llvm::vfs::Status> Recorder::status(const llvm::Twine &path) {
  std::string where = absolute(path);
  if (hides(where))
    return std::make_error_code(std::errc::no_such_file_or_directory);
  llvm::ErrorOr<llvm::vfs::Status> status = ProxyFileSystem::status(path);
  if (status && status->isDirectory())
    noteDirectory(where, status->getUniqueID());
  else
    noteFile(where, status ? FE_PRESENT : FE_MISSING);
  return status;
}

llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>> Recorder::openFileForRead(const llvm::Twine &path) {
  std::string where = absolute(path);
  if (hides(where))
    return std::make_error_code(std::errc::no_such_file_or_directory);
  llvm::SmallString<256> realName;
  llvm::Expected<llvm::sys::fs::file_t> descriptor =
      llvm::sys::fs::openNativeFileForRead(path, llvm::sys::fs::OF_None, &realName);
  if (!descriptor) {
    noteFile(where, FE_MISSING);
    return llvm::errorToErrorCode(descriptor.takeError());
  }
  auto file = std::make_unique<RecordedFile>(*this, where, *descriptor, path.str(), std::string(realName));
  llvm::ErrorOr<llvm::vfs::Status> status = file->status();
  if (status && status->isDirectory())
    noteDirectory(where, status->getUniqueID());
  else
    noteFile(where, FE_PRESENT, true);
  return std::unique_ptr<llvm::vfs::File>(std::move(file));
}

llvm::vfs::directory_iterator Recorder::dir_begin(const llvm::Twine &path, std::error_code &error) {
  std::string where = absolute(path);
  (void)status(path);
  const Stamp before = stampOf(where);
  std::vector<std::string> names;
  for (llvm::vfs::directory_iterator entry = ProxyFileSystem::dir_begin(path, error), end; !error && entry != end;
       entry.increment(error))
    names.push_back(llvm::sys::path::filename(entry->path()).str());
  if (error)
    return {};
  llvm::sort(names);
  llvm::BLAKE3 hash;
  for (const std::string &name : names)
    hash.update(StringRef(name.c_str(), name.size() + 1));
  Dependency dependency;
  dependency.state = FE_LISTING;
  dependency.digest = hash.final();
  dependency.stamp = agreed(before, stampOf(where));
  note(where, std::move(dependency));
  return ProxyFileSystem::dir_begin(path, error);
}

std::error_code Recorder::setCurrentWorkingDirectory(const llvm::Twine &path) {
  std::string where = absolute(path);
  if (std::error_code error = ProxyFileSystem::setCurrentWorkingDirectory(path))
    return error;
  current = std::move(where);
  return {};
}

bool Recorder::hasNone(StringRef directory, const std::vector<std::string> &names) {
  llvm::ErrorOr<llvm::vfs::Status> is = status(directory);
  if (!is)
    return true;
  std::string where = absolute(directory);
  const int descriptor = ::open(where.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0)
    return false;
  auto close = llvm::scope_exit([&] { ::close(descriptor); });
  const Stamp before = stampOf(descriptor);
  // Not even a link that leads nowhere: a file behind it would not show in the directory's stamp.
  auto isThere = [&](const std::string &name) {
    struct stat status;
    return ::fstatat(descriptor, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 || errno != ENOENT;
  };
  if (llvm::any_of(names, isThere))
    return false;
  Dependency dependency;
  dependency.state = FE_WITHOUT;
  dependency.names = names;
  llvm::sort(dependency.names);
  dependency.stamp = agreed(before, stampOf(descriptor));
  note(where, std::move(dependency));
  return true;
}

const Dependencies &Recorder::dependencies() {
  for (auto &[key, dependency] : noted)
    if (dependency.opened && dependency.state == FE_PRESENT) {
      // Asked for by __has_include, or taken for another name of a file that was read, whose content counted then. Read now.
      RecordedFile file(*this, key.first, ::open(key.first.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK), key.first, "");
      if (!file.getBuffer(key.first, -1, false, true))
        dependency.state = FE_CONTENT; // Of no content.
    }
  for (auto entry = noted.begin(); entry != noted.end();) {
    auto before = past.find(entry->first);
    entry = before != past.end() && tellsTheSame(before->second, entry->second) ? noted.erase(entry) : std::next(entry);
  }
  return noted;
}

void Recorder::startAnew() {
  dependencies();
  for (auto &entry : noted)
    past.insert_or_assign(entry.first, std::move(entry.second));
  noted.clear();
}

void Recorder::recall(llvm::ArrayRef<fe_dependency> rows) {
  for (const fe_dependency &row : rows) {
    const bool isFile = row.state < FE_DIRECTORY;
    Dependency &dependency = past[{view(row.path).str(), isFile ? uint32_t(FE_MISSING) : row.state}];
    dependency.state = row.state;
    std::copy(std::begin(row.digest), std::end(row.digest), dependency.digest.begin());
    if (row.has_stamp)
      dependency.stamp = row.stamp;
    dependency.sameAs = view(row.same_as).str();
    for (const fe_string &name : llvm::ArrayRef(row.names, row.name_count))
      dependency.names.push_back(view(name).str());
  }
}

DependencyRows::DependencyRows(const Dependencies &dependencies) {
  list.reserve(dependencies.size());
  names.reserve(dependencies.size());
  for (const auto &[key, dependency] : dependencies) {
    fe_dependency row{};
    row.path = borrow(key.first);
    row.state = dependency.state;
    std::copy(dependency.digest.begin(), dependency.digest.end(), row.digest);
    row.has_stamp = dependency.stamp.has_value();
    if (dependency.stamp)
      row.stamp = *dependency.stamp;
    row.same_as = borrow(dependency.sameAs);
    std::vector<fe_string> &texts = names.emplace_back();
    for (const std::string &name : dependency.names)
      texts.push_back(borrow(name));
    row.names = texts.data();
    row.name_count = texts.size();
    list.push_back(row);
  }
}

} // namespace syclrtc
