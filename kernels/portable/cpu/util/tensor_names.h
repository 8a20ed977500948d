/**
 * @file
 * The names that kernels use without a namespace, in `torch::executor`, where kernels live.
 */
#pragma once

#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/kernel/kernel_includes.h>

namespace torch::executor {

using executorch::aten::ArrayRef;
using executorch::aten::DimOrderType;
using executorch::aten::IntArrayRef;
using executorch::aten::optional;
using executorch::aten::Scalar;
using executorch::aten::ScalarType;
using executorch::aten::SizesType;
using executorch::aten::StridesType;
using executorch::aten::string_view;
using executorch::aten::Tensor;
using executorch::runtime::Error;
using executorch::runtime::KernelRuntimeContext;
using executorch::runtime::kTensorDimensionLimit;

}  // namespace torch::executor
