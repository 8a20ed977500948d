/// @file
/// BufferDataSink: logged tensors in memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include <executorch/devtools/etdump/data_sinks/data_sink_base.h>
#include <executorch/runtime/core/span.h>

namespace executorch {
namespace etdump {

/// Writes into a buffer of the caller's, which must outlive the sink.
class BufferDataSink : public DataSinkBase {
 public:
  /// Without a buffer, and thus full.
  BufferDataSink() = default;

  /// Tensors start at addresses that are multiples of `alignment`.
  ///
  /// @retval Error::InvalidArgument The alignment is not a power of two, or there is no buffer.
  static runtime::Result<BufferDataSink> create(runtime::Span<uint8_t> buffer,
                                                size_t alignment = 64) noexcept;
  static runtime::Result<BufferDataSink> create(void* ptr, size_t size,
                                                size_t alignment = 64) noexcept;

  ET_NODISCARD runtime::Result<size_t> write(const void* ptr, size_t size) override;
  size_t get_used_bytes() const override { return used_; }
  /// Bytes in the buffer.
  size_t get_storage_size() const { return buffer_.size(); }

 private:
  BufferDataSink(runtime::Span<uint8_t> buffer, size_t alignment)
      : buffer_(buffer), alignment_(alignment) {}

  runtime::Span<uint8_t> buffer_;
  size_t alignment_ = 1;
  size_t used_ = 0;
  bool said_full_ = false;
};

}  // namespace etdump
}  // namespace executorch
