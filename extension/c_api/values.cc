#include <cstdint>
#include <cstring>
#include <string_view>

#include <executorch/extension/c_api/values.h>
#include <executorch/runtime/core/exec_aten/util/dim_order_util.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <executorch/runtime/core/exec_aten/util/tensor_size.h>
#include <executorch/runtime/core/tag.h>

const char* executorch_error_name(executorch_error error) {
  // Without the name of the C++ type in front.
  return std::strrchr(
             executorch::runtime::to_string(static_cast<executorch::runtime::Error>(error)), ':') +
         1;
}

size_t executorch_dtype_size(int32_t dtype) {
  const bool known =
      dtype >= 0 && dtype < static_cast<int32_t>(executorch::aten::ScalarType::Undefined);
  return known ? executorch::runtime::elementSize(static_cast<executorch::aten::ScalarType>(dtype))
               : 0;
}

namespace executorch {
namespace extension {
namespace c_api {

using executorch::aten::ArrayRef;
using executorch::aten::ScalarType;
using executorch::aten::Tensor;
using executorch::aten::TensorImpl;
using runtime::Error;
using runtime::EValue;
using runtime::kTensorDimensionLimit;
using runtime::Result;
using runtime::Tag;
using runtime::TensorInfo;

Error Inputs::add(const executorch_value& value) {
  switch (value.kind) {
    case EXECUTORCH_KIND_NONE:
      values_.emplace_back();
      return Error::Ok;
    case EXECUTORCH_KIND_INT:
      values_.emplace_back(value.as.int_value);
      return Error::Ok;
    case EXECUTORCH_KIND_DOUBLE:
      values_.emplace_back(value.as.double_value);
      return Error::Ok;
    case EXECUTORCH_KIND_BOOL:
      values_.emplace_back(value.as.bool_value);
      return Error::Ok;
    case EXECUTORCH_KIND_STRING: {
      const executorch_string& text = value.as.string_value;
      ET_CHECK_OR_RETURN_ERROR(text.data != nullptr || text.size == 0, InvalidArgument,
                               "Input %zu is a string of %zu bytes at a null pointer",
                               values_.size(), text.size);
      strings_.push_back(std::make_unique<ArrayRef<char>>(text.data, text.size));
      const ArrayRef<char>* characters = strings_.back().get();
      values_.emplace_back(characters);
      return Error::Ok;
    }
    case EXECUTORCH_KIND_TENSOR:
      return add_tensor(value.as.tensor);
    default:
      ET_LOG(Error, "Input %zu is of kind %d, which cannot be passed", values_.size(),
             static_cast<int>(value.kind));
      return Error::InvalidArgument;
  }
}

Error Inputs::add_tensor(const executorch_tensor& tensor) {
  const size_t index = values_.size();
  const size_t rank = tensor.rank;
  ET_CHECK_OR_RETURN_ERROR(rank <= static_cast<size_t>(kTensorDimensionLimit), InvalidArgument,
                           "Input %zu has rank %zu, at most %zu is possible", index, rank,
                           static_cast<size_t>(kTensorDimensionLimit));
  ET_CHECK_OR_RETURN_ERROR(rank == 0 || tensor.sizes != nullptr, InvalidArgument,
                           "Input %zu has rank %zu but no sizes", index, rank);
  const size_t element_size = executorch_dtype_size(tensor.dtype);
  ET_CHECK_OR_RETURN_ERROR(element_size > 0, InvalidArgument,
                           "Input %zu has dtype %d, which is none", index,
                           static_cast<int>(tensor.dtype));
  const auto type = static_cast<ScalarType>(tensor.dtype);
  const Result<size_t> nbytes = runtime::checked_nbytes({tensor.sizes, rank}, type);
  ET_CHECK_OR_RETURN_ERROR(nbytes.ok(), InvalidArgument,
                           "Input %zu has sizes that are negative or too large", index);
  ET_CHECK_OR_RETURN_ERROR(tensor.nbytes >= *nbytes && (*nbytes == 0 || tensor.data != nullptr),
                           InvalidArgument, "Input %zu needs %zu bytes of data, found %zu at %p",
                           index, *nbytes, tensor.nbytes, tensor.data);
  ET_CHECK_OR_RETURN_ERROR(
      reinterpret_cast<uintptr_t>(tensor.data) % element_size == 0, InvalidArgument,
      "Input %zu at %p is not aligned to its %zu-byte elements", index, tensor.data, element_size);

  auto memory = std::make_unique<TensorMemory>();
  for (size_t i = 0; i < rank; ++i) {
    memory->sizes[i] = tensor.sizes[i];
    memory->dim_order[i] =
        tensor.dim_order != nullptr ? tensor.dim_order[i] : static_cast<uint8_t>(i);
  }
  ET_CHECK_OK_OR_RETURN_ERROR(
      runtime::dim_order_to_stride(memory->sizes, memory->dim_order, rank, memory->strides),
      "Input %zu has a dim order that is no permutation of its dimensions", index);
  memory->impl = std::make_unique<TensorImpl>(type, static_cast<ssize_t>(rank), memory->sizes,
                                              tensor.data, memory->dim_order, memory->strides);
  values_.emplace_back(Tensor(memory->impl.get()));
  tensors_.push_back(std::move(memory));
  return Error::Ok;
}

executorch_value to_c(EValue& value) {
  executorch_value made{};
  switch (value.tag) {
    case Tag::None:
      made.kind = EXECUTORCH_KIND_NONE;
      return made;
    case Tag::Int:
      made.kind = EXECUTORCH_KIND_INT;
      made.as.int_value = value.toInt();
      return made;
    case Tag::Double:
      made.kind = EXECUTORCH_KIND_DOUBLE;
      made.as.double_value = value.toDouble();
      return made;
    case Tag::Bool:
      made.kind = EXECUTORCH_KIND_BOOL;
      made.as.bool_value = value.toBool();
      return made;
    case Tag::String: {
      const std::string_view text = value.toString();
      made.kind = EXECUTORCH_KIND_STRING;
      made.as.string_value = {text.data(), text.size()};
      return made;
    }
    case Tag::Tensor: {
      Tensor& tensor = value.toTensor();
      made.kind = EXECUTORCH_KIND_TENSOR;
      made.as.tensor = {tensor.mutable_data_ptr(), tensor.sizes().data(),
                        tensor.dim_order().data(), static_cast<size_t>(tensor.dim()),
                        tensor.nbytes(),           static_cast<int32_t>(tensor.scalar_type())};
      return made;
    }
    default:
      made.kind = EXECUTORCH_KIND_OTHER;
      return made;
  }
}

Result<executorch_value> describe(const Result<Tag>& tag, const Result<TensorInfo>& info) {
  if (!tag.ok()) {
    return tag.error();
  }
  executorch_value made{};
  switch (*tag) {
    case Tag::None:
      made.kind = EXECUTORCH_KIND_NONE;
      break;
    case Tag::Int:
      made.kind = EXECUTORCH_KIND_INT;
      break;
    case Tag::Double:
      made.kind = EXECUTORCH_KIND_DOUBLE;
      break;
    case Tag::Bool:
      made.kind = EXECUTORCH_KIND_BOOL;
      break;
    case Tag::String:
      made.kind = EXECUTORCH_KIND_STRING;
      break;
    case Tag::Tensor:
      if (!info.ok()) {
        return info.error();
      }
      made.kind = EXECUTORCH_KIND_TENSOR;
      made.as.tensor = {nullptr,
                        info->sizes().data(),
                        info->dim_order().data(),
                        info->sizes().size(),
                        info->nbytes(),
                        static_cast<int32_t>(info->scalar_type())};
      break;
    default:
      made.kind = EXECUTORCH_KIND_OTHER;
      break;
  }
  return made;
}

}  // namespace c_api
}  // namespace extension
}  // namespace executorch
