#include <algorithm>
#include <cstring>
#include <limits>

#include <executorch/backends/apple/coreml/runtime/arrays.h>
#include <executorch/runtime/core/exec_aten/util/tensor_dimension_limit.h>
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace backends {
namespace coreml {

using executorch::aten::Half;
using executorch::aten::ScalarType;
using executorch::aten::SizesType;
using executorch::aten::Tensor;
using runtime::Error;
using runtime::EValue;
using runtime::Result;

namespace {

using Shape = std::vector<int64_t>;

size_t bytes_of(MLMultiArrayDataType type) { return (size_t(type) & 0xffff) / 8; }

bool is_same(MLMultiArrayDataType type, ScalarType scalar_type) {
  switch (type) {
    case MLMultiArrayDataTypeDouble:
      return scalar_type == ScalarType::Double;
    case MLMultiArrayDataTypeFloat32:
      return scalar_type == ScalarType::Float;
    case MLMultiArrayDataTypeFloat16:
      return scalar_type == ScalarType::Half;
    case MLMultiArrayDataTypeInt32:
      return scalar_type == ScalarType::Int;
    default:
      return false;
  }
}

/// Calls `use` with a pointer of the elements' type; false if arrays have no such elements.
template <typename Use>
bool with_elements(ScalarType type, void* data, const Use& use) {
  switch (type) {
    case ScalarType::Double:
      return use(static_cast<double*>(data));
    case ScalarType::Float:
      return use(static_cast<float*>(data));
    case ScalarType::Half:
      return use(static_cast<Half*>(data));
    case ScalarType::Long:
      return use(static_cast<int64_t*>(data));
    case ScalarType::Int:
      return use(static_cast<int32_t*>(data));
    case ScalarType::Short:
      return use(static_cast<int16_t*>(data));
    case ScalarType::Char:
      return use(static_cast<int8_t*>(data));
    case ScalarType::Byte:
      return use(static_cast<uint8_t*>(data));
    case ScalarType::Bool:
      return use(static_cast<bool*>(data));
    default:
      return false;
  }
}

template <typename Use>
bool with_elements(MLMultiArrayDataType type, void* data, const Use& use) {
  switch (type) {
    case MLMultiArrayDataTypeDouble:
      return use(static_cast<double*>(data));
    case MLMultiArrayDataTypeFloat32:
      return use(static_cast<float*>(data));
    case MLMultiArrayDataTypeFloat16:
      return use(static_cast<Half*>(data));
    case MLMultiArrayDataTypeInt32:
      return use(static_cast<int32_t*>(data));
    default:
      return false;
  }
}

/// Whether an element of type `To` can be what `value` is.
template <typename To>
bool holds(double value) {
  if constexpr (std::is_same_v<To, int32_t>) {
    return value >= std::numeric_limits<int32_t>::min() &&
           value <= std::numeric_limits<int32_t>::max();
  }
  return true;
}

template <typename From, typename To>
To cast(From value) {
  if constexpr (std::is_same_v<To, bool>) {
    return static_cast<float>(value) != 0;
  } else if constexpr (std::is_same_v<From, Half> || std::is_same_v<To, Half>) {
    return static_cast<To>(static_cast<float>(value));
  } else {
    return static_cast<To>(value);
  }
}

std::string text(const Shape& shape) {
  std::string made = "[";
  for (const int64_t size : shape) {
    made += (made.size() > 1 ? ", " : "") + std::to_string(size);
  }
  return made + "]";
}

Shape integers(NSArray<NSNumber*>* numbers) {
  Shape made;
  for (NSNumber* one in numbers) {
    made.push_back([one longLongValue]);
  }
  return made;
}

NSArray<NSNumber*>* numbers(const Shape& shape) {
  NSMutableArray* made = [NSMutableArray array];
  for (const int64_t size : shape) {
    [made addObject:[NSNumber numberWithLongLong:size]];
  }
  return made;
}

Shape shape_in_memory(const Tensor& tensor) {
  Shape made;
  for (ssize_t i = 0; i < tensor.dim(); ++i) {
    made.push_back(tensor.size(tensor.dim_order()[i]));
  }
  return made.empty() ? Shape{1} : made;
}

Shape dense_strides(const Shape& shape) {
  Shape made(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) {
    made[i - 1] = made[i] * shape[i];
  }
  return made;
}

bool is_in_ranges(NSArray<NSValue*>* ranges, const Shape& shape) {
  bool fits = [ranges count] == shape.size();
  for (size_t i = 0; fits && i < shape.size(); ++i) {
    const NSRange range = [[ranges objectAtIndex:i] rangeValue];
    const auto size = static_cast<NSUInteger>(shape[i]);
    // A length without end is the largest number; whether the end itself belongs to a range,
    // Core ML says.
    fits = size >= range.location && size - range.location <= range.length;
  }
  return fits;
}

bool takes(MLMultiArrayConstraint* constraint, const Shape& shape) {
  MLMultiArrayShapeConstraint* shapes = [constraint shapeConstraint];
  const Shape usual = integers([constraint shape]);
  if ([shapes type] == MLMultiArrayShapeConstraintTypeRange) {
    return is_in_ranges([shapes sizeRangeForDimension], shape);
  }
  if ([shapes type] == MLMultiArrayShapeConstraintTypeEnumerated) {
    for (NSArray<NSNumber*>* one in [shapes enumeratedShapes]) {
      if (integers(one) == shape) {
        return true;
      }
    }
  }
  return usual.empty() || usual == shape;
}

Result<MLMultiArray*> array_over(const Port& port, void* data, const Shape& shape) {
  NSError* error = nil;
  MLMultiArray* made = [[[MLMultiArray alloc] initWithDataPointer:data
                                                            shape:numbers(shape)
                                                         dataType:[port.constraint dataType]
                                                          strides:numbers(dense_strides(shape))
                                                      deallocator:nullptr
                                                            error:&error] autorelease];
  ET_CHECK_OR_RETURN_ERROR(made != nil, Internal, "Core ML: no array for %s: %s", port.name.c_str(),
                           [[error localizedDescription] UTF8String]);
  return made;
}

/// Elements in the model's type, in `port.converted`.
Error convert(Port& port, ScalarType type, const void* data, size_t count) {
  const MLMultiArrayDataType wanted = [port.constraint dataType];
  port.converted.resize(std::max(count * bytes_of(wanted), sizeof(double)));
  bool is_held = true;
  const bool is_known = with_elements(type, const_cast<void*>(data), [&](const auto* from) {
    return with_elements(wanted, port.converted.data(), [&](auto* to) {
      using From = std::remove_cv_t<std::remove_reference_t<decltype(*from)>>;
      using To = std::remove_reference_t<decltype(*to)>;
      for (size_t i = 0; i < count && is_held; ++i) {
        is_held = holds<To>(cast<From, double>(from[i]));
        to[i] = is_held ? cast<From, To>(from[i]) : To(0);
      }
      return true;
    });
  });
  ET_CHECK_OR_RETURN_ERROR(is_known, InvalidArgument,
                           "Core ML: %s has elements of dtype %d, which its arrays do not have",
                           port.name.c_str(), int(type));
  ET_CHECK_OR_RETURN_ERROR(is_held, InvalidArgument,
                           "Core ML: %s has a number that 32 bits do not hold", port.name.c_str());
  return Error::Ok;
}

Result<MLMultiArray*> array_of(Port& port, ScalarType type, const void* data, size_t count,
                               const Shape& shape) {
  ET_CHECK_OR_RETURN_ERROR(takes(port.constraint, shape), InvalidArgument,
                           "Core ML: %s has the shape %s, the model takes %s%s", port.name.c_str(),
                           text(shape).c_str(), text(integers([port.constraint shape])).c_str(),
                           is_fixed(port.constraint) ? "" : " and others");
  ET_CHECK_OR_RETURN_ERROR(data != nullptr || count == 0, InvalidArgument,
                           "Core ML: %s has no memory", port.name.c_str());
  if (is_same([port.constraint dataType], type) && data != nullptr) {
    return array_over(port, const_cast<void*>(data), shape);
  }
  ET_CHECK_OK_OR_RETURN_ERROR(convert(port, type, data, count));
  return array_over(port, port.converted.data(), shape);
}

/// Gives the tensor the shape of the array, which has it as it lies in memory.
Error resize(const Port& port, const Shape& shape, Tensor& tensor) {
  SizesType sizes[runtime::kTensorDimensionLimit] = {};
  const auto rank = static_cast<size_t>(tensor.dim());
  if (rank == 0 && shape == Shape{1}) {
    return Error::Ok;
  }
  ET_CHECK_OR_RETURN_ERROR(shape.size() == rank, InvalidArgument,
                           "Core ML: %s came in the shape %s, the program has %zu dimensions",
                           port.name.c_str(), text(shape).c_str(), rank);
  for (size_t i = 0; i < rank; ++i) {
    sizes[tensor.dim_order()[i]] = static_cast<SizesType>(shape[i]);
  }
  const Error error = runtime::resize_tensor(tensor, {sizes, rank});
  if (error != Error::Ok) {
    ET_LOG(Error, "Core ML: %s came in the shape %s, for which the program has no room",
           port.name.c_str(), text(shape).c_str());
  }
  return error;
}

/// Elements of an array whose rows may have gaps, one after the other.
template <typename From, typename To>
bool copy_strided(const From* from, const Shape& shape, const Shape& strides, To* to) {
  Shape place(shape.size(), 0);
  size_t count = 1;
  for (const int64_t size : shape) {
    count *= static_cast<size_t>(size);
  }
  int64_t offset = 0;
  for (size_t i = 0; i < count; ++i) {
    to[i] = cast<From, To>(from[offset]);
    for (size_t dim = shape.size(); dim-- > 0;) {
      offset += strides[dim];
      if (++place[dim] < shape[dim]) {
        break;
      }
      offset -= strides[dim] * shape[dim];
      place[dim] = 0;
    }
  }
  return true;
}

}  // namespace

bool is_fixed(MLMultiArrayConstraint* constraint) {
  MLMultiArrayShapeConstraint* shapes = [constraint shapeConstraint];
  const bool is_one = [shapes type] != MLMultiArrayShapeConstraintTypeRange &&
                      ([shapes type] != MLMultiArrayShapeConstraintTypeEnumerated ||
                       [[shapes enumeratedShapes] count] <= 1);
  return is_one && [[constraint shape] count] > 0;
}

Result<MLMultiArray*> input_array(Port& port, const EValue& value) {
  if (value.isTensor()) {
    const Tensor& tensor = value.toTensor();
    return array_of(port, tensor.scalar_type(), tensor.const_data_ptr(),
                    static_cast<size_t>(tensor.numel()), shape_in_memory(tensor));
  }
  if (value.isInt()) {
    const int64_t number = value.toInt();
    ET_CHECK_OK_OR_RETURN_ERROR(convert(port, ScalarType::Long, &number, 1));
  } else if (value.isDouble()) {
    const double number = value.toDouble();
    ET_CHECK_OK_OR_RETURN_ERROR(convert(port, ScalarType::Double, &number, 1));
  } else if (value.isBool()) {
    const bool number = value.toBool();
    ET_CHECK_OK_OR_RETURN_ERROR(convert(port, ScalarType::Bool, &number, 1));
  } else {
    ET_LOG(Error, "Core ML: %s is no tensor and no number", port.name.c_str());
    return Error::InvalidArgument;
  }
  ET_CHECK_OR_RETURN_ERROR(takes(port.constraint, {1}), InvalidArgument,
                           "Core ML: %s is a number, the model takes the shape %s",
                           port.name.c_str(), text(integers([port.constraint shape])).c_str());
  return array_over(port, port.converted.data(), {1});
}

MLMultiArray* output_array(const Port& port, Tensor& tensor) {
  const bool is_direct = is_fixed(port.constraint) &&
                         is_same([port.constraint dataType], tensor.scalar_type()) &&
                         integers([port.constraint shape]) == shape_in_memory(tensor) &&
                         tensor.mutable_data_ptr() != nullptr;
  if (!is_direct) {
    return nil;
  }
  const Result<MLMultiArray*> made =
      array_over(port, tensor.mutable_data_ptr(), shape_in_memory(tensor));
  return made.ok() ? *made : nil;
}

Error write_output(const Port& port, MLMultiArray* array, Tensor& tensor) {
  const Shape shape = integers([array shape]);
  const Shape strides = integers([array strides]);
  ET_CHECK_OR_RETURN_ERROR(strides.size() == shape.size(), Internal,
                           "Core ML: %s came without strides", port.name.c_str());
  ET_CHECK_OK_OR_RETURN_ERROR(resize(port, shape, tensor));
  if (tensor.numel() == 0 || [array dataPointer] == tensor.mutable_data_ptr()) {
    return Error::Ok;
  }
  const bool is_written =
      tensor.mutable_data_ptr() != nullptr &&
      with_elements([array dataType], [array dataPointer], [&](const auto* from) {
        using From = std::remove_cv_t<std::remove_reference_t<decltype(*from)>>;
        return with_elements(tensor.scalar_type(), tensor.mutable_data_ptr(), [&](auto* to) {
          using To = std::remove_reference_t<decltype(*to)>;
          return copy_strided<From, To>(from, shape, strides, to);
        });
      });
  ET_CHECK_OR_RETURN_ERROR(is_written, InvalidArgument,
                           "Core ML: %s came in elements %lx, the program has dtype %d",
                           port.name.c_str(), long([array dataType]), int(tensor.scalar_type()));
  return Error::Ok;
}

}  // namespace coreml
}  // namespace backends
}  // namespace executorch
