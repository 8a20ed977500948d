/// @file
/// DataSinkBase: where the data of logged tensors go.
#pragma once

#include <cstddef>

#include <executorch/runtime/core/result.h>
#include <executorch/runtime/platform/compiler.h>

namespace executorch {
namespace etdump {

/// Takes the bytes of one tensor after another.
class DataSinkBase {
 public:
  virtual ~DataSinkBase() = default;

  /// Writes `size` bytes at `ptr`, and returns the offset at which they start in the sink.
  ///
  /// @retval Error::OutOfResources The sink is full; nothing was written.
  /// @retval Error::AccessFailed   Writing failed.
  ET_NODISCARD virtual runtime::Result<size_t> write(const void* ptr, size_t size) = 0;

  /// Bytes in the sink, with those that align tensors.
  virtual size_t get_used_bytes() const = 0;
};

}  // namespace etdump
}  // namespace executorch
