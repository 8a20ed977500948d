#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include <executorch/extension/data_loader/buffer_data_loader.h>
#include <executorch/runtime/core/data_loader.h>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/freeable_buffer.h>
#include <executorch/runtime/core/portable_type/c10/c10/util/safe_numerics.h>
#include <executorch/runtime/core/result.h>

namespace executorch {
namespace extension {

/// Serves segments out of memory that the loader keeps alive; nothing is copied.
///
/// Loaded buffers point into the shared block, so the loader (or another owner of the block) has to
/// outlive them.
class SharedPtrDataLoader final : public runtime::DataLoader {
 public:
  SharedPtrDataLoader(std::shared_ptr<void> data, size_t size)
      : data_(std::move(data)), view_(data_.get(), size) {}

  [[nodiscard]] runtime::Result<runtime::FreeableBuffer> load(
      size_t offset, size_t size, const DataLoader::SegmentInfo& segment_info) const override {
    return view_.load(offset, size, segment_info);
  }

  [[nodiscard]] runtime::Result<size_t> size() const override { return view_.size(); }

  [[nodiscard]] runtime::Error load_into(size_t offset, size_t size,
                                         const DataLoader::SegmentInfo& segment_info,
                                         void* buffer) const override {
    return view_.load_into(offset, size, segment_info, buffer);
  }

 private:
  const std::shared_ptr<void> data_;
  const BufferDataLoader view_;
};

}  // namespace extension
}  // namespace executorch

namespace torch {
namespace executor {
namespace util {
using ::executorch::extension::SharedPtrDataLoader;
}  // namespace util
}  // namespace executor
}  // namespace torch
