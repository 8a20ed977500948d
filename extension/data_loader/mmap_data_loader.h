#pragma once

#include <cstddef>

#include <executorch/runtime/core/data_loader.h>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/freeable_buffer.h>
#include <executorch/runtime/core/result.h>

namespace executorch {
namespace extension {

/// Maps segments of a file into memory, read only.
///
/// Nothing is copied: pages come in when they are touched, and several processes that run one model
/// share them. Loading is thread safe; each buffer is a mapping of its own and may outlive the
/// loader. The file must not shrink while a buffer lives.
class MmapDataLoader final : public runtime::DataLoader {
 public:
  /// Whether pages are pinned in memory when a segment is loaded.
  enum class MlockConfig {
    /// Leave paging to the operating system.
    NoMlock,
    /// Pin every loaded segment; loading fails with NotSupported where that is not possible.
    UseMlock,
    /// Try to pin every loaded segment, and load it all the same where that is not possible.
    UseMlockIgnoreErrors,
    /// Pin nothing, but have the operating system read each segment ahead, as far as it does so.
    UseMadvise,
  };

  /// Opens `file_name`.
  ///
  /// InvalidArgument for a null name, AccessFailed when the file cannot be opened or is not a
  /// regular file or the page size is unknown.
  static runtime::Result<MmapDataLoader> from(const char* file_name,
                                              MlockConfig mlock_config = MlockConfig::UseMlock);

  [[deprecated("use from()")]] static runtime::Result<MmapDataLoader> From(
      const char* file_name, MlockConfig mlock_config = MlockConfig::UseMlock) {
    return from(file_name, mlock_config);
  }

  [[deprecated("use from()")]] static runtime::Result<MmapDataLoader> From(const char* file_name,
                                                                           bool use_mlock) {
    return from(file_name, use_mlock ? MlockConfig::UseMlock : MlockConfig::NoMlock);
  }

  MmapDataLoader(MmapDataLoader&& other) noexcept;
  MmapDataLoader(const MmapDataLoader&) = delete;
  MmapDataLoader& operator=(const MmapDataLoader&) = delete;
  MmapDataLoader& operator=(MmapDataLoader&&) = delete;
  ~MmapDataLoader() override;

  [[nodiscard]] runtime::Result<runtime::FreeableBuffer> load(
      size_t offset, size_t size, const DataLoader::SegmentInfo& segment_info) const override;

  [[nodiscard]] runtime::Result<size_t> size() const override;

  [[nodiscard]] runtime::Error load_into(size_t offset, size_t size,
                                         const DataLoader::SegmentInfo& segment_info,
                                         void* buffer) const override;

 private:
  MmapDataLoader(int fd, size_t file_size, char* file_name, size_t page_size,
                 MlockConfig mlock_config);

  runtime::Error pin(void* pages, size_t size) const;

  char* file_name_;  // Owned, from malloc(); null after a move.
  size_t file_size_;
  size_t page_size_;
  int fd_;
  MlockConfig mlock_config_;
};

}  // namespace extension
}  // namespace executorch

namespace torch {
namespace executor {
namespace util {
using ::executorch::extension::MmapDataLoader;
}  // namespace util
}  // namespace executor
}  // namespace torch
