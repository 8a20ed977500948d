/// @file
/// bfloat16 under its runtime name.
#pragma once

#include <executorch/runtime/core/portable_type/c10/c10/util/BFloat16.h>

namespace executorch {
namespace runtime {
namespace etensor {
using c10::BFloat16;
}  // namespace etensor
}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::runtime::etensor::BFloat16;
}  // namespace executor
}  // namespace torch
