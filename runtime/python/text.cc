#include <executorch/runtime/python/text.h>

namespace executorch {
namespace runtime {
namespace python {

using executorch::aten::ScalarType;

const char* dtype_name(ScalarType type) {
  switch (type) {
    case ScalarType::Byte:
      return "uint8";
    case ScalarType::Char:
      return "int8";
    case ScalarType::Short:
      return "int16";
    case ScalarType::Int:
      return "int32";
    case ScalarType::Long:
      return "int64";
    case ScalarType::Half:
      return "float16";
    case ScalarType::Float:
      return "float32";
    case ScalarType::Double:
      return "float64";
    case ScalarType::ComplexFloat:
      return "complex64";
    case ScalarType::ComplexDouble:
      return "complex128";
    case ScalarType::Bool:
      return "bool";
    case ScalarType::QInt8:
      return "qint8";
    case ScalarType::QUInt8:
      return "quint8";
    case ScalarType::QInt32:
      return "qint32";
    case ScalarType::BFloat16:
      return "bfloat16";
    case ScalarType::UInt16:
      return "uint16";
    case ScalarType::UInt32:
      return "uint32";
    case ScalarType::UInt64:
      return "uint64";
    case ScalarType::Float8_e5m2:
      return "float8_e5m2";
    case ScalarType::Float8_e4m3fn:
      return "float8_e4m3fn";
    case ScalarType::Float8_e5m2fnuz:
      return "float8_e5m2fnuz";
    case ScalarType::Float8_e4m3fnuz:
      return "float8_e4m3fnuz";
    default:
      return "an unusual dtype";
  }
}

const char* value_kind(Tag tag) {
  switch (tag) {
    case Tag::None:
      return "None";
    case Tag::Tensor:
      return "tensor";
    case Tag::String:
      return "str";
    case Tag::Double:
      return "float";
    case Tag::Int:
      return "int";
    case Tag::Bool:
      return "bool";
    case Tag::ListBool:
      return "list of bool";
    case Tag::ListDouble:
      return "list of float";
    case Tag::ListInt:
      return "list of int";
    case Tag::ListTensor:
      return "list of tensors";
    case Tag::ListScalar:
      return "list of numbers";
    case Tag::ListOptionalTensor:
      return "list of optional tensors";
  }
  return "value of an unknown kind";
}

std::string shape_text(const int64_t* sizes, size_t rank) {
  std::string text = "[";
  for (size_t i = 0; i < rank; ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(sizes[i]);
  }
  return text + "]";
}

std::string shape_text(Span<const int32_t> sizes) {
  std::string text = "[";
  for (size_t i = 0; i < sizes.size(); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(sizes[i]);
  }
  return text + "]";
}

}  // namespace python
}  // namespace runtime
}  // namespace executorch
