#include <executorch/backends/openvino/runtime/ports.h>
#include <executorch/runtime/core/exec_aten/util/tensor_dimension_limit.h>
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace backends {
namespace openvino {

using executorch::aten::ScalarType;
using executorch::aten::SizesType;
using executorch::aten::Tensor;
using runtime::Error;
using runtime::Result;

namespace {

ScalarType scalar_type_of(c::ElementType type) {
  switch (type) {
    case c::kBoolean:
      return ScalarType::Bool;
    case c::kBfloat16:
      return ScalarType::BFloat16;
    case c::kFloat16:
      return ScalarType::Half;
    case c::kFloat32:
      return ScalarType::Float;
    case c::kFloat64:
      return ScalarType::Double;
    case c::kInt8:
      return ScalarType::Char;
    case c::kInt16:
      return ScalarType::Short;
    case c::kInt32:
      return ScalarType::Int;
    case c::kInt64:
      return ScalarType::Long;
    case c::kUint8:
      return ScalarType::Byte;
    default:
      return ScalarType::Undefined;
  }
}

Error describe(const Library& library, const c::Port* described, Port& port) {
  ET_CHECK_OR_RETURN_ERROR(
      succeeded(library, library.call.ov_port_get_element_type(described, &port.type),
                "asking for an element type"),
      DelegateInvalidCompatibility, "OpenVINO: %s %zu is not described", port.direction(),
      port.index);
  port.scalar_type = scalar_type_of(port.type);
  ET_CHECK_OR_RETURN_ERROR(port.scalar_type != ScalarType::Undefined, DelegateInvalidCompatibility,
                           "OpenVINO: %s %zu has elements of type %u, which tensors cannot have",
                           port.direction(), port.index, unsigned(port.type));
  c::PartialShape shape = {};
  ET_CHECK_OR_RETURN_ERROR(
      succeeded(library, library.call.ov_port_get_partial_shape(described, &shape),
                "asking for a shape"),
      DelegateInvalidCompatibility, "OpenVINO: %s %zu is not described", port.direction(),
      port.index);
  port.has_rank = shape.rank.min == shape.rank.max && shape.rank.min >= 0;
  if (port.has_rank && shape.dims != nullptr) {
    port.dims.assign(shape.dims, shape.dims + shape.rank.min);
  }
  library.call.ov_partial_shape_free(&shape);
  return Error::Ok;
}

/// The sizes of a tensor in the order in which its dimensions lie in memory.
std::vector<int64_t> shape_in_memory(const Tensor& tensor) {
  std::vector<int64_t> shape;
  for (const auto dim : tensor.dim_order()) {
    shape.push_back(tensor.size(dim));
  }
  return shape;
}

Error set(const Library& library, c::InferRequest* request, Port& port, const void* data) {
  c::Tensor* made = nullptr;
  const c::Shape shape = {int64_t(port.shape.size()), port.shape.data()};
  c::Status status =
      library.call.ov_tensor_create_from_host_ptr(port.type, shape, const_cast<void*>(data), &made);
  if (!succeeded(library, status, "showing a tensor's memory")) {
    return Error::InvalidArgument;
  }
  status =
      port.is_input
          ? library.call.ov_infer_request_set_input_tensor_by_index(request, port.index, made)
          : library.call.ov_infer_request_set_output_tensor_by_index(request, port.index, made);
  library.call.ov_tensor_free(made);
  if (!succeeded(library, status, "setting a tensor")) {
    return Error::InvalidArgument;
  }
  port.data = data;
  return Error::Ok;
}

}  // namespace

bool Port::is_static() const {
  for (const c::Dimension& dim : dims) {
    if (dim.min != dim.max || dim.min < 0) {
      return false;
    }
  }
  return has_rank;
}

bool Port::admits(const std::vector<int64_t>& given) const {
  if (!has_rank) {
    return true;
  }
  bool fits = given.size() == dims.size();
  for (size_t i = 0; fits && i < given.size(); ++i) {
    fits = given[i] >= dims[i].min && (dims[i].max < 0 || given[i] <= dims[i].max);
  }
  return fits;
}

Result<std::vector<Port>> ports_of(const Library& library, const c::CompiledModel* model,
                                   size_t& num_inputs) {
  size_t num_outputs = 0;
  const bool is_counted =
      succeeded(library, library.call.ov_compiled_model_inputs_size(model, &num_inputs),
                "counting inputs") &&
      succeeded(library, library.call.ov_compiled_model_outputs_size(model, &num_outputs),
                "counting outputs");
  ET_CHECK_OR_RETURN_ERROR(is_counted, DelegateInvalidCompatibility, "OpenVINO: no ports");
  std::vector<Port> ports;
  for (size_t i = 0; i < num_inputs + num_outputs; ++i) {
    Port port;
    port.is_input = i < num_inputs;
    port.index = port.is_input ? i : i - num_inputs;
    c::Port* described = nullptr;
    const auto ask = port.is_input ? library.call.ov_compiled_model_input_by_index
                                   : library.call.ov_compiled_model_output_by_index;
    ET_CHECK_OR_RETURN_ERROR(
        succeeded(library, ask(model, port.index, &described), "asking for a port"),
        DelegateInvalidCompatibility, "OpenVINO: %s %zu is missing", port.direction(), port.index);
    const Error error = describe(library, described, port);
    library.call.ov_output_const_port_free(described);
    ET_CHECK_OK_OR_RETURN_ERROR(error);
    ports.push_back(std::move(port));
  }
  return ports;
}

Error show(const Library& library, c::InferRequest* request, Port& port, const Tensor& tensor) {
  ET_CHECK_OR_RETURN_ERROR(tensor.scalar_type() == port.scalar_type, InvalidArgument,
                           "OpenVINO: %s %zu has dtype %d, expected is %d", port.direction(),
                           port.index, int(tensor.scalar_type()), int(port.scalar_type));
  std::vector<int64_t> shape = shape_in_memory(tensor);
  // OpenVINO takes no null; of an empty tensor it reads nothing.
  const void* data = tensor.const_data_ptr();
  if (tensor.numel() == 0) {
    data = &port.number;
  }
  ET_CHECK_OR_RETURN_ERROR(data != nullptr, InvalidArgument, "OpenVINO: %s %zu has no memory",
                           port.direction(), port.index);
  if (data == port.data && shape == port.shape) {
    return Error::Ok;
  }
  port.data = nullptr;
  port.shape = std::move(shape);
  ET_CHECK_OR_RETURN_ERROR(port.admits(port.shape), InvalidArgument,
                           "OpenVINO: %s %zu has a shape that the compiled model does not take",
                           port.direction(), port.index);
  return set(library, request, port, data);
}

Error show(const Library& library, c::InferRequest* request, Port& port, int64_t number) {
  ET_CHECK_OR_RETURN_ERROR(port.is_input && port.type == c::kInt64 && port.admits({}),
                           InvalidArgument, "OpenVINO: %s %zu is a number, expected is a tensor",
                           port.direction(), port.index);
  port.number = number;
  if (port.data == &port.number) {
    return Error::Ok;
  }
  port.shape.clear();
  return set(library, request, port, &port.number);
}

Error resize(const Port& port, Tensor& tensor, const std::vector<int64_t>& shape) {
  ET_CHECK_OR_RETURN_ERROR(
      tensor.scalar_type() == port.scalar_type && size_t(tensor.dim()) == shape.size() &&
          shape.size() <= runtime::kTensorDimensionLimit,
      InvalidArgument,
      "OpenVINO: output %zu has dtype %d and %zu dimensions, the program expects dtype %d and %zu",
      port.index, int(port.scalar_type), shape.size(), int(tensor.scalar_type()),
      size_t(tensor.dim()));
  SizesType sizes[runtime::kTensorDimensionLimit] = {};
  for (size_t i = 0; i < shape.size(); ++i) {
    sizes[tensor.dim_order()[i]] = static_cast<SizesType>(shape[i]);
  }
  return runtime::resize_tensor(tensor, {sizes, shape.size()});
}

}  // namespace openvino
}  // namespace backends
}  // namespace executorch
