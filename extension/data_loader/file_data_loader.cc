#include <cstdlib>

#include <unistd.h>

#include <executorch/extension/data_loader/file_data_loader.h>
#include <executorch/extension/data_loader/internal/file_io.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace extension {

using runtime::Error;
using runtime::FreeableBuffer;
using runtime::Result;

Result<FileDataLoader> FileDataLoader::from(const char* file_name, size_t alignment) {
  if (file_name == nullptr) {
    ET_LOG(Error, "File name expected, null pointer found");
    return Error::InvalidArgument;
  }
  if (!internal::is_power_of_two(alignment)) {
    ET_LOG(Error, "%s: the alignment has to be a power of two, not %zu", file_name, alignment);
    return Error::InvalidArgument;
  }
  const Result<internal::OpenFile> file = internal::open_regular_file(file_name);
  if (!file.ok()) {
    return file.error();
  }
  return FileDataLoader(file->fd, file->size, alignment, file->name);
}

FileDataLoader::FileDataLoader(int fd, size_t file_size, size_t alignment, char* file_name)
    : file_name_(file_name), file_size_(file_size), alignment_(alignment), fd_(fd) {}

FileDataLoader::FileDataLoader(FileDataLoader&& other) noexcept
    : file_name_(other.file_name_),
      file_size_(other.file_size_),
      alignment_(other.alignment_),
      fd_(other.fd_) {
  other.file_name_ = nullptr;
  other.fd_ = -1;
}

FileDataLoader::~FileDataLoader() {
  std::free(file_name_);
  if (fd_ >= 0) {
    ::close(fd_);
  }
}

Result<FreeableBuffer> FileDataLoader::load(size_t offset, size_t size,
                                            const DataLoader::SegmentInfo& /*segment_info*/) const {
  return internal::load_copy(fd_, file_name_, file_size_, offset, size, alignment_);
}

Result<size_t> FileDataLoader::size() const { return internal::size_if_open(fd_, file_size_); }

Error FileDataLoader::load_into(size_t offset, size_t size,
                                const DataLoader::SegmentInfo& segment_info, void* buffer) const {
  return internal::load_into(fd_, file_name_, file_size_, offset, size, segment_info, buffer);
}

}  // namespace extension
}  // namespace executorch
