/// @file
/// Values of Foundation as the runtime's and back; for the sources of this library.
#include <deque>
#include <string>
#include <vector>

#include <executorch/extension/tensor/tensor.h>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/evalue.h>

#import "ExecuTorchValue.h"

namespace executorch {
namespace extension {
namespace apple {

/// Inputs of a call, with what the runtime's values point to.
class Inputs {
 public:
  /// NotSupported for a list, which no method takes from outside.
  runtime::Error add(ExecuTorchValue* value);

  const std::vector<runtime::EValue>& values() const { return values_; }

 private:
  std::vector<runtime::EValue> values_;
  std::vector<TensorPtr> tensors_;
  std::deque<std::string> texts_;
  std::deque<executorch::aten::ArrayRef<char>> text_refs_;
};

/// A value with memory of its own, autoreleased.
ExecuTorchValue* to_value(const runtime::EValue& value);

}  // namespace apple
}  // namespace extension
}  // namespace executorch
