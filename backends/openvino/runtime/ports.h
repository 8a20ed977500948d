#pragma once

#include <vector>

#include <executorch/backends/openvino/runtime/library.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/result.h>

namespace executorch {
namespace backends {
namespace openvino {

/// An input or output of a compiled model, and what it shows at present.
struct Port {
  size_t index = 0;
  bool is_input = true;
  c::ElementType type = c::kDynamic;
  executorch::aten::ScalarType scalar_type = executorch::aten::ScalarType::Undefined;
  bool has_rank = false;
  std::vector<c::Dimension> dims;

  /// What it was last given; `data` is null where it has to be given something anew.
  const void* data = nullptr;
  std::vector<int64_t> shape;
  /// The value of a size, which comes as a number.
  int64_t number = 0;

  /// Whether every size is known ahead of time.
  bool is_static() const;
  /// Whether the port may have this shape.
  bool admits(const std::vector<int64_t>& shape) const;
  const char* direction() const { return is_input ? "input" : "output"; }
};

/// The ports of a model: inputs, then outputs.
///
/// @retval Error::DelegateInvalidCompatibility OpenVINO does not describe one, or it has elements
///     that tensors cannot have.
runtime::Result<std::vector<Port>> ports_of(const Library& library, const c::CompiledModel* model,
                                            size_t& num_inputs);

/// Makes a port show the elements of a tensor where they lie, as OpenVINO checks; it keeps what it
/// shows already.
///
/// @retval Error::InvalidArgument The tensor has another dtype or a shape that the port does not
///     admit.
runtime::Error show(const Library& library, c::InferRequest* request, Port& port,
                    const executorch::aten::Tensor& tensor);

/// Gives an input a number.
runtime::Error show(const Library& library, c::InferRequest* request, Port& port, int64_t number);

/// Resizes an output tensor to a shape, whose dimensions are in the order in which they lie.
runtime::Error resize(const Port& port, executorch::aten::Tensor& tensor,
                      const std::vector<int64_t>& shape);

}  // namespace openvino
}  // namespace backends
}  // namespace executorch
