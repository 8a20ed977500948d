/// @file
/// Quantized integers: the stored integer of an affine-quantized element.
#pragma once

#include <cstdint>

#include <executorch/runtime/core/portable_type/stored_integer.h>

namespace executorch {
namespace runtime {
namespace etensor {

/// Signed 8 bits.
struct qint8 : StoredInteger<int8_t> {
  using StoredInteger::StoredInteger;
};

/// Unsigned 8 bits.
struct quint8 : StoredInteger<uint8_t> {
  using StoredInteger::StoredInteger;
};

/// Signed 32 bits.
struct qint32 : StoredInteger<int32_t> {
  using StoredInteger::StoredInteger;
};

/// Two unsigned 4-bit elements in a byte.
struct quint4x2 : StoredInteger<uint8_t> {
  using StoredInteger::StoredInteger;
};

/// Four unsigned 2-bit elements in a byte.
struct quint2x4 : StoredInteger<uint8_t> {
  using StoredInteger::StoredInteger;
};

}  // namespace etensor
}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::runtime::etensor::qint32;
using ::executorch::runtime::etensor::qint8;
using ::executorch::runtime::etensor::quint2x4;
using ::executorch::runtime::etensor::quint4x2;
using ::executorch::runtime::etensor::quint8;
}  // namespace executor
}  // namespace torch
