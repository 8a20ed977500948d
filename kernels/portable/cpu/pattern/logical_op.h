/**
 * @file
 * Whole operators on truth values from a function of two.
 */
#pragma once

#include <executorch/kernels/portable/cpu/util/broadcast_util.h>
#include <executorch/kernels/portable/cpu/util/elementwise_util.h>

namespace torch::executor::native::internal {

/// out = fn(a != 0, b != 0), broadcast.
template <const char* op_name>
Tensor& logical_tensor_out(bool (*fn)(bool, bool), KernelRuntimeContext& ctx, const Tensor& a,
                           const Tensor& b, Tensor& out) {
  ET_KERNEL_CHECK(ctx, resize_to_broadcast_target_size(a, b, out) == Error::Ok, InvalidArgument,
                  out);
  utils::apply_bitensor_elementwise_fn<bool, op_name, utils::SupportedTensorDtypes::REALHBBF16>(
      fn, ctx, a, utils::SupportedTensorDtypes::REALHBBF16, b,
      utils::SupportedTensorDtypes::REALHBBF16, out);
  return out;
}

}  // namespace torch::executor::native::internal
