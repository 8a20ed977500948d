/// @file
/// NamedDataMap: data found by name, such as tensors stored outside the program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/freeable_buffer.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/tensor_layout.h>
#include <executorch/runtime/platform/compiler.h>

namespace executorch {
namespace runtime {

/// Read access to a set of named blobs. Implementations must be safe to call from several threads.
class NamedDataMap {
 public:
  virtual ~NamedDataMap() = default;

  /// Shape and type of the tensor `key`.
  ///
  /// @retval Error::NotFound No such key, or the blob is not a tensor.
  ET_NODISCARD virtual Result<const TensorLayout> get_tensor_layout(std::string_view key) const = 0;

  /// The bytes of `key`.
  ///
  /// @retval Error::NotFound No such key.
  ET_NODISCARD virtual Result<FreeableBuffer> get_data(std::string_view key) const = 0;

  /// Reads `size` bytes of `key` into `buffer`.
  ///
  /// @retval Error::NotFound        No such key.
  /// @retval Error::InvalidArgument `size` is not the size of the data.
  ET_NODISCARD virtual Error load_data_into(std::string_view key, void* buffer,
                                            size_t size) const = 0;

  /// Number of keys.
  ET_NODISCARD virtual Result<uint32_t> get_num_keys() const = 0;

  /// Key number `index`; lives as long as the map.
  ///
  /// @retval Error::InvalidArgument `index` is out of range.
  ET_NODISCARD virtual Result<const char*> get_key(uint32_t index) const = 0;
};

}  // namespace runtime
}  // namespace executorch
