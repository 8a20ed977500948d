/**
 * @file
 * Whole operators on bits from a functor such as std::bit_and.
 */
#pragma once

#include <executorch/kernels/portable/cpu/scalar_utils.h>
#include <executorch/kernels/portable/cpu/util/broadcast_util.h>
#include <executorch/kernels/portable/cpu/util/elementwise_util.h>

namespace torch::executor::native::internal {

/// out = BitOp(a, b), broadcast, in the type that the two are promoted to.
template <template <typename> class BitOp, const char* op_name>
Tensor& bitwise_tensor_out(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b,
                           Tensor& out) {
  ET_KERNEL_CHECK(ctx, resize_to_broadcast_target_size(a, b, out) == Error::Ok, InvalidArgument,
                  out);
  const ScalarType type = executorch::runtime::promoteTypes(a.scalar_type(), b.scalar_type());
  ET_SWITCH_INT_TYPES_AND(Bool, type, ctx, op_name, CTYPE_COMPUTE, [&]() {
    utils::apply_bitensor_elementwise_fn<CTYPE_COMPUTE, op_name,
                                         utils::SupportedTensorDtypes::REALHBBF16>(
        BitOp<CTYPE_COMPUTE>(), ctx, a, utils::SupportedTensorDtypes::INTB, b,
        utils::SupportedTensorDtypes::INTB, out);
  });
  return out;
}

/// The same with a scalar.
template <template <typename> class BitOp, const char* op_name>
Tensor& bitwise_scalar_out(KernelRuntimeContext& ctx, const Tensor& a, const Scalar& b,
                           Tensor& out) {
  ET_KERNEL_CHECK(ctx, executorch::runtime::resize_tensor(out, a.sizes()) == Error::Ok,
                  InvalidArgument, out);
  const ScalarType type = utils::promote_type_with_scalar(a.scalar_type(), b);
  ET_SWITCH_INT_TYPES_AND(Bool, type, ctx, op_name, CTYPE_COMPUTE, [&]() {
    const CTYPE_COMPUTE value = utils::scalar_to<CTYPE_COMPUTE>(b);
    utils::apply_unitensor_elementwise_fn<CTYPE_COMPUTE, op_name,
                                          utils::SupportedTensorDtypes::REALHBBF16>(
        [value](const CTYPE_COMPUTE element) -> CTYPE_COMPUTE {
          return static_cast<CTYPE_COMPUTE>(BitOp<CTYPE_COMPUTE>()(element, value));
        },
        ctx, a, utils::SupportedTensorDtypes::INTB, out);
  });
  return out;
}

}  // namespace torch::executor::native::internal
