#pragma once

#include <cstddef>

#include <executorch/runtime/core/data_loader.h>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/freeable_buffer.h>
#include <executorch/runtime/core/result.h>

namespace executorch {
namespace extension {

/// Reads segments of a file into heap blocks of their own.
///
/// The file stays open as long as the loader lives. Loading is thread safe; buffers do not depend
/// on the loader once they are loaded.
class FileDataLoader final : public runtime::DataLoader {
 public:
  /// Opens `file_name`. Every loaded buffer starts at a multiple of `alignment` bytes, a power of
  /// two.
  ///
  /// InvalidArgument for a null name or a bad alignment, AccessFailed when the file cannot be
  /// opened or is not a regular file.
  static runtime::Result<FileDataLoader> from(const char* file_name,
                                              size_t alignment = alignof(std::max_align_t));

  [[deprecated("use from()")]] static runtime::Result<FileDataLoader> From(
      const char* file_name, size_t alignment = alignof(std::max_align_t)) {
    return from(file_name, alignment);
  }

  FileDataLoader(FileDataLoader&& other) noexcept;
  FileDataLoader(const FileDataLoader&) = delete;
  FileDataLoader& operator=(const FileDataLoader&) = delete;
  FileDataLoader& operator=(FileDataLoader&&) = delete;
  ~FileDataLoader() override;

  [[nodiscard]] runtime::Result<runtime::FreeableBuffer> load(
      size_t offset, size_t size, const DataLoader::SegmentInfo& segment_info) const override;

  [[nodiscard]] runtime::Result<size_t> size() const override;

  [[nodiscard]] runtime::Error load_into(size_t offset, size_t size,
                                         const DataLoader::SegmentInfo& segment_info,
                                         void* buffer) const override;

 private:
  FileDataLoader(int fd, size_t file_size, size_t alignment, char* file_name);

  char* file_name_;  // Owned, from malloc(); null after a move.
  size_t file_size_;
  size_t alignment_;
  int fd_;
};

}  // namespace extension
}  // namespace executorch

namespace torch {
namespace executor {
namespace util {
using ::executorch::extension::FileDataLoader;
}  // namespace util
}  // namespace executor
}  // namespace torch
