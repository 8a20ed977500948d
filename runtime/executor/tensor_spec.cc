#include <limits>

#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <executorch/runtime/core/exec_aten/util/tensor_dimension_limit.h>
#include <executorch/runtime/executor/flatbuffer_util.h>
#include <executorch/runtime/executor/tensor_spec.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace runtime {
namespace internal {

using executorch::aten::DimOrderType;
using executorch::aten::ScalarType;
using executorch::aten::SizesType;
using executorch::aten::StridesType;

namespace {

// a * b, or false if it does not fit.
bool multiply(size_t a, size_t b, size_t* product) {
  if (b != 0 && a > std::numeric_limits<size_t>::max() / b) {
    return false;
  }
  *product = a * b;
  return true;
}

bool is_permutation(const DimOrderType* dim_order, size_t dim) {
  uint32_t seen = 0;
  static_assert(kTensorDimensionLimit <= 32, "one bit for each dimension");
  for (size_t i = 0; i < dim; ++i) {
    if (dim_order[i] >= dim || (seen >> dim_order[i] & 1u) != 0) {
      return false;
    }
    seen |= 1u << dim_order[i];
  }
  return true;
}

// Fills in nbytes. Elements and bytes must fit ssize_t, strides their type. The stride of a
// dimension is the product of the sizes inside it, where an empty dimension counts like one
// element.
Error check_extent(TensorSpec& spec) {
  constexpr size_t kMaxBytes = std::numeric_limits<size_t>::max() / 2;
  constexpr auto kMaxStride = static_cast<size_t>(std::numeric_limits<StridesType>::max());
  size_t numel = 1;
  size_t stride = 1;
  for (size_t i = spec.dim; i-- > 0;) {
    const SizesType size = spec.sizes[spec.dim_order[i]];
    ET_CHECK_OR_RETURN_ERROR(size >= 0, InvalidProgram, "Tensor has size %d in dimension %u",
                             static_cast<int>(size), static_cast<unsigned>(spec.dim_order[i]));
    ET_CHECK_OR_RETURN_ERROR(stride <= kMaxStride, InvalidProgram,
                             "Strides of a tensor overflow 32 bits");
    const auto extent = static_cast<size_t>(size);
    const bool fits =
        multiply(numel, extent, &numel) && multiply(stride, extent == 0 ? 1 : extent, &stride);
    ET_CHECK_OR_RETURN_ERROR(fits, InvalidProgram, "Number of elements of a tensor overflows");
  }
  const bool fits = multiply(numel, spec.element_size, &spec.nbytes) && spec.nbytes <= kMaxBytes;
  ET_CHECK_OR_RETURN_ERROR(fits, InvalidProgram, "Size of a tensor of %zu elements overflows",
                           numel);
  return Error::Ok;
}

}  // namespace

bool is_serializable(ScalarType type) {
  switch (type) {
    case ScalarType::Byte:
    case ScalarType::Char:
    case ScalarType::Short:
    case ScalarType::Int:
    case ScalarType::Long:
    case ScalarType::Half:
    case ScalarType::Float:
    case ScalarType::Double:
    case ScalarType::ComplexHalf:
    case ScalarType::ComplexFloat:
    case ScalarType::ComplexDouble:
    case ScalarType::Bool:
    case ScalarType::QInt8:
    case ScalarType::QUInt8:
    case ScalarType::QInt32:
    case ScalarType::BFloat16:
    case ScalarType::QUInt4x2:
    case ScalarType::QUInt2x4:
    case ScalarType::Bits16:
    case ScalarType::Float8_e5m2:
    case ScalarType::Float8_e4m3fn:
    case ScalarType::Float8_e5m2fnuz:
    case ScalarType::Float8_e4m3fnuz:
    case ScalarType::UInt16:
    case ScalarType::UInt32:
    case ScalarType::UInt64:
      return true;
    default:
      return false;
  }
}

etensor::Device planned_buffer_device(const executorch_flatbuffer::ExecutionPlan& plan,
                                      size_t memory_id) {
  const auto* devices = plan.non_const_buffer_device();
  for (flatbuffers::uoffset_t i = 0; i < size_of(devices); ++i) {
    const auto* entry = devices->Get(i);
    if (entry->buffer_idx() >= 0 && static_cast<size_t>(entry->buffer_idx()) == memory_id) {
      return {static_cast<etensor::DeviceType>(entry->device_type()), entry->device_index()};
    }
  }
  return etensor::DeviceType::CPU;
}

etensor::Device memory_device(const executorch_flatbuffer::ExecutionPlan& plan,
                              const executorch_flatbuffer::Tensor& tensor) {
  if (tensor.allocation_info() != nullptr) {
    return planned_buffer_device(plan, tensor.allocation_info()->memory_id());
  }
  const auto* extra = tensor.extra_tensor_info();
  if (extra == nullptr || tensor.data_buffer_idx() != 0 ||
      extra->location() == executorch_flatbuffer::TensorDataLocation::EXTERNAL) {
    return etensor::DeviceType::CPU;
  }
  return {static_cast<etensor::DeviceType>(extra->device_type()), extra->device_index()};
}

Result<TensorSpec> check_tensor(const executorch_flatbuffer::Tensor* tensor) {
  ET_CHECK_OR_RETURN_ERROR(tensor != nullptr, InvalidProgram, "A tensor is missing");
  ET_CHECK_OR_RETURN_ERROR(tensor->sizes() != nullptr && tensor->dim_order() != nullptr,
                           InvalidProgram, "A tensor lacks its sizes or its dim order");

  TensorSpec spec{};
  spec.scalar_type = static_cast<ScalarType>(tensor->scalar_type());
  ET_CHECK_OR_RETURN_ERROR(is_serializable(spec.scalar_type), InvalidProgram,
                           "Tensor has unknown dtype %d", static_cast<int>(tensor->scalar_type()));
  spec.element_size = elementSize(spec.scalar_type);

  const auto dynamism = static_cast<int>(tensor->shape_dynamism());
  ET_CHECK_OR_RETURN_ERROR(dynamism >= 0 && dynamism <= 2, InvalidProgram,
                           "Tensor has unknown shape dynamism %d", dynamism);
  spec.dynamism = static_cast<TensorShapeDynamism>(dynamism);

  spec.dim = tensor->sizes()->size();
  ET_CHECK_OR_RETURN_ERROR(spec.dim <= kTensorDimensionLimit, InvalidProgram,
                           "Tensor has %zu dimensions, at most %zu are allowed", spec.dim,
                           static_cast<size_t>(kTensorDimensionLimit));
  ET_CHECK_OR_RETURN_ERROR(tensor->dim_order()->size() == spec.dim, InvalidProgram,
                           "Tensor has %zu sizes but a dim order of %zu", spec.dim,
                           static_cast<size_t>(tensor->dim_order()->size()));
  spec.sizes = tensor->sizes()->data();
  spec.dim_order = tensor->dim_order()->data();
  ET_CHECK_OR_RETURN_ERROR(is_permutation(spec.dim_order, spec.dim), InvalidProgram,
                           "A tensor's dim order is not a permutation of its dimensions");

  ET_CHECK_OR_RETURN_ERROR(tensor->layout() == 0, NotSupported,
                           "Tensor has layout %d, only 0 (strided) is supported",
                           static_cast<int>(tensor->layout()));
  ET_CHECK_OR_RETURN_ERROR(tensor->storage_offset() == 0, NotSupported,
                           "Tensor has storage offset %d, only 0 is supported",
                           static_cast<int>(tensor->storage_offset()));
  const auto* extra = tensor->extra_tensor_info();
  ET_CHECK_OR_RETURN_ERROR(extra == nullptr || is_known_device(extra->device_type()), NotSupported,
                           "Tensor lives on device type %d, which is not known",
                           extra == nullptr ? 0 : static_cast<int>(extra->device_type()));

  ET_CHECK_OK_OR_RETURN_ERROR(check_extent(spec));
  return spec;
}

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
