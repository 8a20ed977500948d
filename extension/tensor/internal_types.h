#pragma once

#include <cstdint>
#include <type_traits>

#include <executorch/runtime/core/exec_aten/exec_aten.h>

namespace executorch {
namespace extension {
namespace internal {

template <typename T>
struct TypeTag {
  using type = T;
};

/// Calls `visitor` with the tag of the C++ type behind `type`; false, without a call, for scalar
/// types that have no arithmetic in C++ (quantized, bits, eight-bit floating point, complex).
template <typename Visitor>
bool visit_real_type(executorch::aten::ScalarType type, Visitor&& visitor) {
  using executorch::aten::ScalarType;
  switch (type) {
    case ScalarType::Byte:
      visitor(TypeTag<uint8_t>{});
      return true;
    case ScalarType::Char:
      visitor(TypeTag<int8_t>{});
      return true;
    case ScalarType::Short:
      visitor(TypeTag<int16_t>{});
      return true;
    case ScalarType::Int:
      visitor(TypeTag<int32_t>{});
      return true;
    case ScalarType::Long:
      visitor(TypeTag<int64_t>{});
      return true;
    case ScalarType::Half:
      visitor(TypeTag<executorch::aten::Half>{});
      return true;
    case ScalarType::Float:
      visitor(TypeTag<float>{});
      return true;
    case ScalarType::Double:
      visitor(TypeTag<double>{});
      return true;
    case ScalarType::Bool:
      visitor(TypeTag<bool>{});
      return true;
    case ScalarType::BFloat16:
      visitor(TypeTag<executorch::aten::BFloat16>{});
      return true;
    case ScalarType::UInt16:
      visitor(TypeTag<uint16_t>{});
      return true;
    case ScalarType::UInt32:
      visitor(TypeTag<uint32_t>{});
      return true;
    case ScalarType::UInt64:
      visitor(TypeTag<uint64_t>{});
      return true;
    default:
      return false;
  }
}

/// The same for complex types: the tag is that of a component.
template <typename Visitor>
bool visit_complex_type(executorch::aten::ScalarType type, Visitor&& visitor) {
  using executorch::aten::ScalarType;
  switch (type) {
    case ScalarType::ComplexHalf:
      visitor(TypeTag<executorch::aten::Half>{});
      return true;
    case ScalarType::ComplexFloat:
      visitor(TypeTag<float>{});
      return true;
    case ScalarType::ComplexDouble:
      visitor(TypeTag<double>{});
      return true;
    default:
      return false;
  }
}

/// One element cast from `From` to `To`; the reduced-precision types go through float.
template <typename To, typename From>
To cast_element(From value) {
  using executorch::aten::BFloat16;
  using executorch::aten::Half;
  if constexpr (std::is_same_v<To, From>) {
    return value;
  } else if constexpr (std::is_same_v<From, Half> || std::is_same_v<From, BFloat16>) {
    return cast_element<To, float>(static_cast<float>(value));
  } else if constexpr (std::is_same_v<To, Half> || std::is_same_v<To, BFloat16>) {
    return To(static_cast<float>(value));
  } else {
    return static_cast<To>(value);
  }
}

}  // namespace internal
}  // namespace extension
}  // namespace executorch
