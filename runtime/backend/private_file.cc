#include <cerrno>
#include <cstdint>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <executorch/runtime/backend/private_file.h>

namespace executorch {
namespace runtime {

namespace {

/// The longest name of a directory that is looked at; a longer one is not private.
constexpr size_t kLongestPath = 4096;

bool may_write(const struct stat& status, mode_t who) { return (status.st_mode & who) != 0; }

/// Where a file is; false if its name is too long.
bool directory_of(const char* path, char (&directory)[kLongestPath]) {
  const char* const slash = std::strrchr(path, '/');
  const size_t length = slash == nullptr ? 0 : static_cast<size_t>(slash - path) + 1;
  if (length >= kLongestPath) {
    return false;
  }
  std::memcpy(directory, path, length);
  std::strcpy(directory + length, length == 0 ? "." : "");
  return true;
}

}  // namespace

PrivateFile::PrivateFile(const char* path, int flags)
    : path_(path), fd_(::open(path, flags | O_CLOEXEC | O_NOFOLLOW, 0600)) {}

PrivateFile::~PrivateFile() {
  if (fd_ >= 0) {
    ::close(fd_);
  }
}

const char* PrivateFile::why_not_private() const {
  struct stat status = {};
  if (::fstat(fd_, &status) != 0 || !S_ISREG(status.st_mode)) {
    return "it is not a regular file";
  }
  if (status.st_uid != ::geteuid()) {
    return "it belongs to another user";
  }
  if (may_write(status, S_IWGRP | S_IWOTH)) {
    return "others may write it: chmod 600";
  }
  char directory[kLongestPath];
  if (!directory_of(path_, directory) || ::stat(directory, &status) != 0) {
    return "its directory cannot be looked at";
  }
  if (status.st_uid != ::geteuid() && status.st_uid != 0) {
    return "its directory belongs to another user";
  }
  const bool is_own_group = status.st_gid == ::getegid();
  const bool is_open = may_write(status, S_IWOTH) || (may_write(status, S_IWGRP) && !is_own_group);
  if (is_open && !may_write(status, S_ISVTX)) {
    return "others may write its directory: use one of mode 700";
  }
  return nullptr;
}

size_t PrivateFile::read_at(size_t offset, void* data, size_t size) const {
  auto* const bytes = static_cast<uint8_t*>(data);
  size_t done = 0;
  while (done < size) {
    const ssize_t got = ::pread(fd_, bytes + done, size - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got <= 0) {
      break;
    }
    done += static_cast<size_t>(got);
  }
  return done;
}

bool PrivateFile::write_at(size_t& offset, const void* data, size_t size) const {
  const auto* bytes = static_cast<const uint8_t*>(data);
  while (size > 0) {
    const ssize_t written = ::pwrite(fd_, bytes, size, static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written <= 0) {
      return false;
    }
    bytes += written;
    offset += static_cast<size_t>(written);
    size -= static_cast<size_t>(written);
  }
  return true;
}

}  // namespace runtime
}  // namespace executorch
