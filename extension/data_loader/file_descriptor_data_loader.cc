#include <cstdio>
#include <cstring>
#include <limits>

#include <unistd.h>

#include <executorch/extension/data_loader/file_descriptor_data_loader.h>
#include <executorch/extension/data_loader/internal/file_io.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace extension {

using runtime::Error;
using runtime::FreeableBuffer;
using runtime::Result;

namespace {

constexpr char kUriScheme[] = "fd:///";

/// The number after the scheme; -1 for anything but plain decimal digits that fit into an int.
int parse_descriptor(const char* uri) {
  constexpr size_t kSchemeLength = sizeof(kUriScheme) - 1;
  if (uri == nullptr || std::strncmp(uri, kUriScheme, kSchemeLength) != 0) {
    return -1;
  }
  const char* digits = uri + kSchemeLength;
  long long value = 0;
  if (*digits == '\0') {
    return -1;
  }
  for (; *digits != '\0'; ++digits) {
    if (*digits < '0' || *digits > '9') {
      return -1;
    }
    value = value * 10 + (*digits - '0');
    if (value > std::numeric_limits<int>::max()) {
      return -1;
    }
  }
  return static_cast<int>(value);
}

}  // namespace

Result<FileDescriptorDataLoader> FileDescriptorDataLoader::fromFileDescriptorUri(
    const char* file_descriptor_uri, size_t alignment) {
  const int fd = parse_descriptor(file_descriptor_uri);
  if (fd < 0) {
    ET_LOG(Error, "Expected a URI of the form %s<number>, found %s", kUriScheme,
           file_descriptor_uri == nullptr ? "a null pointer" : file_descriptor_uri);
    return Error::InvalidArgument;
  }
  return from(fd, alignment);
}

Result<FileDescriptorDataLoader> FileDescriptorDataLoader::from(int fd, size_t alignment) {
  if (!internal::is_power_of_two(alignment)) {
    ET_LOG(Error, "%s%d: the alignment has to be a power of two, not %zu", kUriScheme, fd,
           alignment);
    return Error::InvalidArgument;
  }
  const Result<size_t> size = internal::regular_file_size(fd, "the file descriptor");
  if (!size.ok()) {
    return size.error();
  }
  return FileDescriptorDataLoader(fd, *size, alignment);
}

FileDescriptorDataLoader::FileDescriptorDataLoader(int fd, size_t file_size, size_t alignment)
    : file_size_(file_size), alignment_(alignment), fd_(fd) {
  std::snprintf(name_, sizeof(name_), "%s%d", kUriScheme, fd);
}

FileDescriptorDataLoader::FileDescriptorDataLoader(FileDescriptorDataLoader&& other) noexcept
    : file_size_(other.file_size_), alignment_(other.alignment_), fd_(other.fd_) {
  std::memcpy(name_, other.name_, sizeof(name_));
  other.fd_ = -1;
}

FileDescriptorDataLoader::~FileDescriptorDataLoader() {
  if (fd_ >= 0) {
    ::close(fd_);
  }
}

Result<FreeableBuffer> FileDescriptorDataLoader::load(
    size_t offset, size_t size, const DataLoader::SegmentInfo& /*segment_info*/) const {
  return internal::load_copy(fd_, name_, file_size_, offset, size, alignment_);
}

Result<size_t> FileDescriptorDataLoader::size() const {
  return internal::size_if_open(fd_, file_size_);
}

Error FileDescriptorDataLoader::load_into(size_t offset, size_t size,
                                          const DataLoader::SegmentInfo& segment_info,
                                          void* buffer) const {
  return internal::load_into(fd_, name_, file_size_, offset, size, segment_info, buffer);
}

}  // namespace extension
}  // namespace executorch
