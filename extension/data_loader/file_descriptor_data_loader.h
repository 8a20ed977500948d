#pragma once

#include <cstddef>

#include <executorch/runtime/core/data_loader.h>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/freeable_buffer.h>
#include <executorch/runtime/core/result.h>

namespace executorch {
namespace extension {

/// Reads segments of a file that somebody else has opened, for example Android's content resolver.
///
/// The loader owns the descriptor and closes it. Otherwise it behaves like FileDataLoader.
class FileDescriptorDataLoader final : public runtime::DataLoader {
 public:
  /// Takes the descriptor out of a URI of the form `fd:///17`.
  ///
  /// InvalidArgument for anything that is not such a URI or a bad alignment, AccessFailed when the
  /// descriptor is not that of a regular file open for reading.
  static runtime::Result<FileDescriptorDataLoader> fromFileDescriptorUri(
      const char* file_descriptor_uri, size_t alignment = alignof(std::max_align_t));

  /// Takes over `fd`. On failure the descriptor still belongs to the caller.
  static runtime::Result<FileDescriptorDataLoader> from(
      int fd, size_t alignment = alignof(std::max_align_t));

  FileDescriptorDataLoader(FileDescriptorDataLoader&& other) noexcept;
  FileDescriptorDataLoader(const FileDescriptorDataLoader&) = delete;
  FileDescriptorDataLoader& operator=(const FileDescriptorDataLoader&) = delete;
  FileDescriptorDataLoader& operator=(FileDescriptorDataLoader&&) = delete;
  ~FileDescriptorDataLoader() override;

  [[nodiscard]] runtime::Result<runtime::FreeableBuffer> load(
      size_t offset, size_t size, const DataLoader::SegmentInfo& segment_info) const override;

  [[nodiscard]] runtime::Result<size_t> size() const override;

  [[nodiscard]] runtime::Error load_into(size_t offset, size_t size,
                                         const DataLoader::SegmentInfo& segment_info,
                                         void* buffer) const override;

 private:
  FileDescriptorDataLoader(int fd, size_t file_size, size_t alignment);

  size_t file_size_;
  size_t alignment_;
  int fd_;         // -1 after a move.
  char name_[24];  // "fd:///<number>", for the log.
};

}  // namespace extension
}  // namespace executorch

namespace torch {
namespace executor {
namespace util {
using ::executorch::extension::FileDescriptorDataLoader;
}  // namespace util
}  // namespace executor
}  // namespace torch
