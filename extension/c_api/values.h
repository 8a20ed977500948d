#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include <executorch/extension/c_api/executorch_c.h>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/exec_aten/util/tensor_dimension_limit.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/executor/method_meta.h>

namespace executorch {
namespace extension {
namespace c_api {

/// Values of C as the runtime's, with what those refer to, for the duration of a call.
class Inputs {
 public:
  /// Appends a value. What it points to is checked as far as it can be, and not copied.
  ///
  /// @retval Error::InvalidArgument The value is malformed; the log says in what.
  runtime::Error add(const executorch_value& value);

  const std::vector<runtime::EValue>& values() const { return values_; }

 private:
  struct TensorMemory {
    executorch::aten::SizesType sizes[runtime::kTensorDimensionLimit];
    executorch::aten::DimOrderType dim_order[runtime::kTensorDimensionLimit];
    executorch::aten::StridesType strides[runtime::kTensorDimensionLimit];
    std::unique_ptr<executorch::aten::TensorImpl> impl;
  };

  runtime::Error add_tensor(const executorch_tensor& tensor);

  std::vector<runtime::EValue> values_;
  // Pointers, so that what the values refer to does not move.
  std::vector<std::unique_ptr<TensorMemory>> tensors_;
  std::vector<std::unique_ptr<executorch::aten::ArrayRef<char>>> strings_;
};

/// A value of the runtime for C. Pointers lead into what the value refers to.
executorch_value to_c(runtime::EValue& value);

/// Kind and, for a tensor, metadata of an input or output.
runtime::Result<executorch_value> describe(const runtime::Result<runtime::Tag>& tag,
                                           const runtime::Result<runtime::TensorInfo>& info);

}  // namespace c_api
}  // namespace extension
}  // namespace executorch
