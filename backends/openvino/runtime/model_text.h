#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <executorch/runtime/core/freeable_buffer.h>
#include <executorch/runtime/core/named_data_map.h>
#include <executorch/runtime/core/result.h>

namespace executorch {
namespace backends {
namespace openvino {

/// A model as text, whose constants lie where the program has them. OpenVINO reads it with one
/// range of addresses that holds them all: a constant's place is counted from the range's begin,
/// and what lies between constants is read by nobody. `conversion/sharing.py` says what the bytes
/// are.
struct ModelText {
  /// With the places of the constants.
  std::string text;
  /// From the first constant's first byte to the last one's last; null where there is none. Nobody
  /// writes there.
  void* begin = nullptr;
  size_t size = 0;
  /// The constants that are named data. They, and the delegate's bytes, have to stay as long as
  /// what OpenVINO compiles.
  std::vector<runtime::FreeableBuffer> shared;
};

/// Whether the bytes are such a model.
bool is_model_text(const void* data, size_t size);

/// Reads the model. Every place that its text names is one of the constants, whole.
///
/// @retval Error::DelegateInvalidCompatibility The bytes do not fit together.
/// @retval Error::NotFound There is no named data of a constant.
runtime::Result<ModelText> read_model_text(const void* data, size_t size,
                                           const runtime::NamedDataMap* named_data);

}  // namespace openvino
}  // namespace backends
}  // namespace executorch
