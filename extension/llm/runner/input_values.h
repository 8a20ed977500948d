#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include <executorch/extension/tensor/tensor.h>
#include <executorch/runtime/core/result.h>

namespace executorch {
namespace extension {
namespace llm {

/// The values of an image or a piece of audio.
using InputValues = std::variant<std::vector<uint8_t>, std::vector<float>>;

/// A tensor over values, which have to outlive it.
///
/// @param what Begins the message about values that do not fit the sizes, which is InvalidArgument.
runtime::Result<TensorPtr> tensor_over(const InputValues& values, std::vector<int32_t> sizes,
                                       const char* what);

}  // namespace llm
}  // namespace extension
}  // namespace executorch
