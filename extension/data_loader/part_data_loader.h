#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include <executorch/runtime/core/data_loader.h>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/freeable_buffer.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace extension {

/// A range of another source as a source of its own: a program inside a larger file.
class PartDataLoader final : public runtime::DataLoader {
 public:
  /// The `size` bytes at `offset` of `whole`, which must have them: loads that it refuses fail.
  PartDataLoader(std::unique_ptr<runtime::DataLoader> whole, size_t offset, size_t size)
      : whole_(std::move(whole)), offset_(offset), size_(size) {}

  [[nodiscard]] runtime::Result<runtime::FreeableBuffer> load(
      size_t offset, size_t size, const DataLoader::SegmentInfo& segment_info) const override {
    if (!has(offset, size)) {
      return runtime::Error::InvalidArgument;
    }
    return whole_->load(offset_ + offset, size, segment_info);
  }

  [[nodiscard]] runtime::Error load_into(size_t offset, size_t size,
                                         const DataLoader::SegmentInfo& segment_info,
                                         void* buffer) const override {
    if (!has(offset, size)) {
      return runtime::Error::InvalidArgument;
    }
    return whole_->load_into(offset_ + offset, size, segment_info, buffer);
  }

  [[nodiscard]] runtime::Result<size_t> size() const override { return size_; }

 private:
  bool has(size_t offset, size_t size) const {
    const bool inside = offset <= size_ && size <= size_ - offset;
    if (!inside) {
      ET_LOG(Error, "%zu bytes at %zu are not inside a part of %zu bytes", size, offset, size_);
    }
    return inside;
  }

  std::unique_ptr<runtime::DataLoader> whole_;
  size_t offset_;
  size_t size_;
};

}  // namespace extension
}  // namespace executorch
