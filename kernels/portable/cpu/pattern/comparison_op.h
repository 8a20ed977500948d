/**
 * @file
 * Whole comparisons from a functor such as std::less.
 */
#pragma once

#include <executorch/kernels/portable/cpu/scalar_utils.h>
#include <executorch/kernels/portable/cpu/util/broadcast_util.h>
#include <executorch/kernels/portable/cpu/util/elementwise_util.h>

namespace torch::executor::native::internal {

/// out = Comparison(a, b), broadcast, in the type that the two are promoted to.
template <template <typename> class Comparison, const char* op_name>
Tensor& comparison_tensor_out(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b,
                              Tensor& out) {
  ET_KERNEL_CHECK(ctx, resize_to_broadcast_target_size(a, b, out) == Error::Ok, InvalidArgument,
                  out);
  const ScalarType type =
      utils::get_compute_type(executorch::runtime::promoteTypes(a.scalar_type(), b.scalar_type()));
  ET_SWITCH_REALB_TYPES(type, ctx, op_name, CTYPE_COMPUTE, [&]() {
    utils::apply_bitensor_elementwise_fn<CTYPE_COMPUTE, op_name,
                                         utils::SupportedTensorDtypes::REALHBBF16>(
        Comparison<CTYPE_COMPUTE>(), ctx, a, utils::SupportedTensorDtypes::REALHBBF16, b,
        utils::SupportedTensorDtypes::REALHBBF16, out);
  });
  return out;
}

/// The same with a scalar.
template <template <typename> class Comparison, const char* op_name>
Tensor& comparison_scalar_out(KernelRuntimeContext& ctx, const Tensor& a, const Scalar& b,
                              Tensor& out) {
  ET_KERNEL_CHECK(ctx, executorch::runtime::resize_tensor(out, a.sizes()) == Error::Ok,
                  InvalidArgument, out);
  const ScalarType type =
      utils::get_compute_type(utils::promote_type_with_scalar(a.scalar_type(), b));
  ET_SWITCH_REALB_TYPES(type, ctx, op_name, CTYPE_COMPUTE, [&]() {
    const CTYPE_COMPUTE value = utils::scalar_to<CTYPE_COMPUTE>(b);
    utils::apply_unitensor_elementwise_fn<CTYPE_COMPUTE, op_name,
                                          utils::SupportedTensorDtypes::REALHBBF16>(
        [value](const CTYPE_COMPUTE element) {
          return Comparison<CTYPE_COMPUTE>()(element, value);
        },
        ctx, a, utils::SupportedTensorDtypes::REALHBBF16, out);
  });
  return out;
}

}  // namespace torch::executor::native::internal
