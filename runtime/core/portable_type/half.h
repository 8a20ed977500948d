/// @file
/// IEEE binary16 under its runtime name.
#pragma once

#include <executorch/runtime/core/portable_type/c10/c10/util/Half.h>

namespace executorch {
namespace runtime {
namespace etensor {
using c10::Half;
}  // namespace etensor
}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::runtime::etensor::Half;
}  // namespace executor
}  // namespace torch
