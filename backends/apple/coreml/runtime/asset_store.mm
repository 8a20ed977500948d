#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <mutex>

#import <Foundation/Foundation.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <executorch/backends/apple/coreml/runtime/asset_store.h>
#include <executorch/runtime/backend/hash.h>
#include <executorch/runtime/backend/private_file.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace backends {
namespace coreml {

using runtime::Error;
using runtime::PrivateFile;
using runtime::Result;

namespace {

constexpr char kStampEnd[] = ".stamp";
constexpr char kModelEnd[] = ".mlmodelc";

NSString* text(const std::string& path) { return [NSString stringWithUTF8String:path.c_str()]; }

Error failed(const char* what, const std::string& path) {
  ET_LOG(Error, "Core ML: cannot %s %s: %s", what, path.c_str(), std::strerror(errno));
  return Error::AccessFailed;
}

/// One at a time in this process; other processes work in rooms of their own.
std::mutex& mutex() {
  static std::mutex* const one = new std::mutex();
  return *one;
}

std::string name_of(const void* data, size_t size) {
  // A system reads what its own compiler wrote.
  NSString* system = [[NSProcessInfo processInfo] operatingSystemVersionString];
  const char* const version = [system UTF8String];
  runtime::Hash hash;
  hash.add(version, std::strlen(version)).add(data, size);
  char name[64];
  (void)std::snprintf(name, sizeof(name), "%016" PRIx64 "-%zx", hash.digest(), size);
  return name;
}

bool is_private(const PrivateFile& file, const std::string& path) {
  const char* const why = file.why_not_private();
  if (why != nullptr) {
    ET_LOG(Error, "Core ML: %s is not used: %s", path.c_str(), why);
  }
  return why == nullptr;
}

/// The stamp says what stands beside it, so that one that was moved does not count.
bool has_stamp(const std::string& path) {
  const std::string stamp_path = path + kStampEnd;  // Which the file keeps a pointer to.
  const PrivateFile stamp(stamp_path.c_str(), O_RDONLY);
  std::string found(path.size() + 1, '\0');
  struct stat model = {};
  return stamp.get() >= 0 && is_private(stamp, stamp_path) &&
         stamp.read_at(0, found.data(), found.size()) == path.size() &&
         found.compare(0, path.size(), path) == 0 && ::lstat(path.c_str(), &model) == 0 &&
         S_ISDIR(model.st_mode) && model.st_uid == ::geteuid();
}

bool write_file(const std::string& path, const void* data, size_t size) {
  const PrivateFile file(path.c_str(), O_WRONLY | O_CREAT | O_EXCL);
  size_t offset = 0;
  return file.get() >= 0 && is_private(file, path) && file.write_at(offset, data, size);
}

/// Makes the directories above a file of the room.
bool make_directories(const std::string& room, const std::string& path) {
  for (size_t end = path.find('/'); end != std::string::npos; end = path.find('/', end + 1)) {
    const std::string directory = room + "/" + path.substr(0, end);
    if (::mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST) {
      return false;
    }
  }
  return true;
}

/// From another file system, where compilers may put what they make. What was there stays.
bool copy_all(const std::string& from, const std::string& to) {
  @autoreleasepool {
    return [[NSFileManager defaultManager] copyItemAtPath:text(from) toPath:text(to) error:nullptr];
  }
}

void remove_all(const std::string& path) {
  @autoreleasepool {
    (void)[[NSFileManager defaultManager] removeItemAtPath:text(path) error:nullptr];
  }
}

}  // namespace

Error AssetStore::make_directory() const {
  @autoreleasepool {
    NSDictionary* mode = [NSDictionary dictionaryWithObject:[NSNumber numberWithInt:0700]
                                                     forKey:NSFilePosixPermissions];
    (void)[[NSFileManager defaultManager] createDirectoryAtPath:text(directory_)
                                    withIntermediateDirectories:YES
                                                     attributes:mode
                                                          error:nullptr];
  }
  struct stat status = {};
  if (::stat(directory_.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) {
    return failed("make the directory", directory_);
  }
  const bool is_own = status.st_uid == ::geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
  ET_CHECK_OR_RETURN_ERROR(is_own, AccessFailed,
                           "Core ML: others may write %s, where compiled models would be kept. Way "
                           "out: a directory of mode 700 of this user",
                           directory_.c_str());
  return Error::Ok;
}

Result<std::string> AssetStore::make(const Blob& blob, const char* data,
                                     const std::string& room) const {
  if (::mkdir(room.c_str(), 0700) != 0) {
    return failed("make the directory", room);
  }
  for (const BlobFile& file : blob.files) {
    if (!make_directories(room, file.path) ||
        !write_file(room + "/" + file.path, data + file.offset, file.size)) {
      return failed("write", room + "/" + file.path);
    }
  }
  for (const std::string& directory : blob.directories) {
    if (!make_directories(room, directory + "/.")) {
      return failed("make the directory", room + "/" + directory);
    }
  }
  const std::string model = room + "/" + blob.model;
  return blob.is_compiled ? Result<std::string>(model) : compile_(model);
}

Error AssetStore::publish(const std::string& made, const std::string& path) const {
  const std::string stamp = path + kStampEnd;
  (void)::unlink(stamp.c_str());
  remove_all(path);
  if (std::rename(made.c_str(), path.c_str()) != 0 && !copy_all(made, path)) {
    return failed("move the compiled model to", path);
  }
  const std::string partly = stamp + "." + std::to_string(::getpid());
  (void)::unlink(partly.c_str());
  if (!write_file(partly, path.data(), path.size()) ||
      std::rename(partly.c_str(), stamp.c_str()) != 0) {
    return failed("write", stamp);
  }
  return Error::Ok;
}

Result<std::string> AssetStore::compiled(const Blob& blob, const void* data, size_t size) const {
  const std::lock_guard<std::mutex> lock(mutex());
  ET_CHECK_OK_OR_RETURN_ERROR(make_directory());
  std::string path;
  @autoreleasepool {
    path = directory_ + "/" + name_of(data, size) + kModelEnd;
  }
  if (has_stamp(path)) {
    return path;
  }
  const std::string room = path + "." + std::to_string(::getpid());
  remove_all(room);
  const Result<std::string> made = make(blob, static_cast<const char*>(data), room);
  Error error = made.ok() ? publish(*made, path) : made.error();
  if (made.ok()) {
    remove_all(*made);
  }
  remove_all(room);
  if (error != Error::Ok) {
    return error;
  }
  return path;
}

void AssetStore::remove(const std::string& path) const {
  const std::lock_guard<std::mutex> lock(mutex());
  (void)::unlink((path + kStampEnd).c_str());
  remove_all(path);
}

}  // namespace coreml
}  // namespace backends
}  // namespace executorch
