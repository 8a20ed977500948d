#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <executorch/runtime/core/data_loader.h>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/freeable_buffer.h>
#include <executorch/runtime/core/portable_type/c10/c10/util/safe_numerics.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace extension {

/// Serves segments out of memory that the caller owns; nothing is copied.
///
/// `data` has to outlive the loader and everything that was loaded through it.
class BufferDataLoader final : public runtime::DataLoader {
 public:
  BufferDataLoader(const void* data, size_t size)
      : data_(static_cast<const uint8_t*>(data)), size_(size) {}

  [[nodiscard]] runtime::Result<runtime::FreeableBuffer> load(
      size_t offset, size_t size, const DataLoader::SegmentInfo& /*segment_info*/) const override {
    const runtime::Error error = check_range(offset, size);
    if (error != runtime::Error::Ok) {
      return error;
    }
    return runtime::FreeableBuffer(data_ + offset, size, /*free_fn=*/nullptr);
  }

  [[nodiscard]] runtime::Result<size_t> size() const override { return size_; }

  [[nodiscard]] runtime::Error load_into(size_t offset, size_t size,
                                         const DataLoader::SegmentInfo& /*segment_info*/,
                                         void* buffer) const override {
    const runtime::Error error = check_range(offset, size);
    if (error != runtime::Error::Ok) {
      return error;
    }
    if (size == 0) {
      return runtime::Error::Ok;
    }
    if (buffer == nullptr) {
      ET_LOG(Error, "No buffer to load %zu bytes into", size);
      return runtime::Error::InvalidArgument;
    }
    std::memcpy(buffer, data_ + offset, size);
    return runtime::Error::Ok;
  }

 private:
  runtime::Error check_range(size_t offset, size_t size) const {
    if (offset > size_ || size > size_ - offset) {
      ET_LOG(Error, "%zu bytes from offset %zu asked for, but the buffer has only %zu bytes", size,
             offset, size_);
      return runtime::Error::InvalidArgument;
    }
    return runtime::Error::Ok;
  }

  const uint8_t* data_;
  size_t size_;
};

}  // namespace extension
}  // namespace executorch

namespace torch {
namespace executor {
namespace util {
using ::executorch::extension::BufferDataLoader;
}  // namespace util
}  // namespace executor
}  // namespace torch
