/// @file
/// Name, size and validity of scalar types: what Tensor itself needs to know about them.
#pragma once

#include <cstddef>
#include <cstdint>

#include <executorch/runtime/core/portable_type/scalar_type.h>

namespace executorch {
namespace runtime {

/// The enumerator's name, e.g. "Float"; "UNKNOWN_SCALAR" for numbers that are none. Never null.
const char* toString(etensor::ScalarType type);

namespace internal {
/// Aborts: `type` denotes no type.
[[noreturn]] void no_element_size(etensor::ScalarType type);
}  // namespace internal

/// Bytes of an element. Aborts for Undefined and numbers that are no type: check what comes from
/// outside with isValid() first.
inline constexpr size_t elementSize(etensor::ScalarType type) {
  switch (type) {
#define ET_INTERNAL_ELEMENT_SIZE(cpp_type, enumerator) \
  case etensor::ScalarType::enumerator:                \
    return sizeof(cpp_type);
    ET_FORALL_SCALAR_TYPES(ET_INTERNAL_ELEMENT_SIZE)
#undef ET_INTERNAL_ELEMENT_SIZE
    default:
      internal::no_element_size(type);
  }
}

/// A number that denotes a type (so not Undefined).
inline constexpr bool isValid(etensor::ScalarType type) {
  return static_cast<int8_t>(type) >= 0 && type < etensor::ScalarType::Undefined;
}

}  // namespace runtime
}  // namespace executorch
