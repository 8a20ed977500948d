/// @file
/// Complex numbers under their runtime name.
#pragma once

#include <executorch/runtime/core/portable_type/c10/torch_headers.h>

// Not c10/util/complex.h where it is ours: that brings elementary functions and with them
// <complex>.
#if ET_C10_IS_TORCH
#include <executorch/runtime/core/portable_type/c10/c10/util/complex.h>
#else
#include <executorch/runtime/core/portable_type/c10/torch/headeronly/util/complex.h>
#endif

namespace executorch {
namespace runtime {
namespace etensor {
using c10::complex;
}  // namespace etensor
}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::runtime::etensor::complex;
}  // namespace executor
}  // namespace torch
