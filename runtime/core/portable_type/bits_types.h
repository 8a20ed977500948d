/// @file
/// Uninterpreted bit containers: element types of tensors that only backends understand.
#pragma once

#include <cstdint>

#include <executorch/runtime/core/portable_type/stored_integer.h>

namespace executorch {
namespace runtime {
namespace etensor {

/// Eight elements of 1 bit.
struct bits1x8 : StoredInteger<uint8_t> {
  using StoredInteger::StoredInteger;
};

/// Four elements of 2 bits.
struct bits2x4 : StoredInteger<uint8_t> {
  using StoredInteger::StoredInteger;
};

/// Two elements of 4 bits.
struct bits4x2 : StoredInteger<uint8_t> {
  using StoredInteger::StoredInteger;
};

/// 8 bits.
struct bits8 : StoredInteger<uint8_t> {
  using StoredInteger::StoredInteger;
};

/// 16 bits.
struct bits16 : StoredInteger<uint16_t> {
  using StoredInteger::StoredInteger;
};

}  // namespace etensor
}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::runtime::etensor::bits16;
using ::executorch::runtime::etensor::bits1x8;
using ::executorch::runtime::etensor::bits2x4;
using ::executorch::runtime::etensor::bits4x2;
using ::executorch::runtime::etensor::bits8;
}  // namespace executor
}  // namespace torch
