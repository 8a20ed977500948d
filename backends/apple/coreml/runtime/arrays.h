#pragma once

#include <cstdint>
#include <string>
#include <vector>

#import <CoreML/CoreML.h>

#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/core/result.h>

namespace executorch {
namespace backends {
namespace coreml {

/// An input or output of a model, and memory for what Core ML has in another type than PyTorch.
struct Port {
  std::string name;
  /// Lives as long as the model.
  MLMultiArrayConstraint* constraint;
  /// Elements in Core ML's type, where the tensor's is another one.
  std::vector<uint8_t> converted;
};

/// Whether the constraint allows only one shape.
bool is_fixed(MLMultiArrayConstraint* constraint);

/// An array over the elements of a tensor or number, which lie as the model has them: outermost
/// dimension in memory first, scalars in one dimension. Elements of another type are converted
/// into `port.converted`.
///
/// @retval Error::InvalidArgument A shape that the model does not take, or a number that Core ML's
///     32 bits do not hold.
runtime::Result<MLMultiArray*> input_array(Port& port, const runtime::EValue& value);

/// An array over the memory of an output; nil where the model decides its shape or has another
/// type.
MLMultiArray* output_array(const Port& port, executorch::aten::Tensor& tensor);

/// Writes what the model gave into the tensor, which gets its shape.
///
/// @retval Error::InvalidArgument The tensor has no room for it.
runtime::Error write_output(const Port& port, MLMultiArray* array,
                            executorch::aten::Tensor& tensor);

}  // namespace coreml
}  // namespace backends
}  // namespace executorch
