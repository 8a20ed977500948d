#include <executorch/kernels/portable/cpu/pattern/pattern.h>
#include <executorch/kernels/portable/cpu/util/elementwise_util.h>

namespace torch::executor::native::internal {
namespace {

constexpr const char kName[] = "unary operator";

/// Resizes the output and applies the function that its input's dtype is calculated with.
template <typename R32, typename R64>
Tensor& apply(R32 (*fn_float)(float), R64 (*fn_double)(double), KernelRuntimeContext& ctx,
              const Tensor& in, Tensor& out, utils::SupportedTensorDtypes in_dtypes) {
  ET_KERNEL_CHECK(ctx, executorch::runtime::resize_tensor(out, in.sizes()) == Error::Ok,
                  InvalidArgument, out);
  ET_KERNEL_CHECK(ctx, executorch::runtime::tensors_have_same_dim_order(in, out), InvalidArgument,
                  out);
  const auto out_dtypes = utils::SupportedTensorDtypes::REALHBBF16;
  if (in.scalar_type() == ScalarType::Double) {
    utils::apply_unitensor_elementwise_fn<double, kName>(fn_double, ctx, in, in_dtypes, out,
                                                         out_dtypes);
  } else {
    utils::apply_unitensor_elementwise_fn<float, kName>(fn_float, ctx, in, in_dtypes, out,
                                                        out_dtypes);
  }
  return out;
}

}  // namespace

Tensor& unary_ufunc_realhbbf16_to_floathbf16(float (*fn_float)(float), double (*fn_double)(double),
                                             KernelRuntimeContext& ctx, const Tensor& in,
                                             Tensor& out) {
  ET_KERNEL_CHECK(ctx, executorch::runtime::tensor_is_floating_type(out), InvalidArgument, out);
  return apply(fn_float, fn_double, ctx, in, out, utils::SupportedTensorDtypes::REALHBBF16);
}

Tensor& unary_ufunc_realhbf16(float (*fn_float)(float), double (*fn_double)(double),
                              KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  ET_KERNEL_CHECK(ctx, executorch::runtime::tensors_have_same_dtype(in, out), InvalidArgument, out);
  if (executorch::runtime::isIntegralType(in.scalar_type(), /*includeBool=*/false)) {
    // Integers of up to 32 bits pass through double unharmed.
    ET_KERNEL_CHECK(ctx, executorch::runtime::resize_tensor(out, in.sizes()) == Error::Ok,
                    InvalidArgument, out);
    ET_KERNEL_CHECK(ctx, executorch::runtime::tensors_have_same_dim_order(in, out), InvalidArgument,
                    out);
    utils::apply_unitensor_elementwise_fn<double, kName>(
        fn_double, ctx, in, utils::SupportedTensorDtypes::REALHBF16, out,
        utils::SupportedTensorDtypes::REALHBF16);
    return out;
  }
  return apply(fn_float, fn_double, ctx, in, out, utils::SupportedTensorDtypes::REALHBF16);
}

Tensor& unary_ufunc_realhbbf16_to_bool(bool (*fn_float)(float), bool (*fn_double)(double),
                                       KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  ET_KERNEL_CHECK(ctx, executorch::runtime::tensor_is_bool_type(out), InvalidArgument, out);
  return apply(fn_float, fn_double, ctx, in, out, utils::SupportedTensorDtypes::REALHBBF16);
}

}  // namespace torch::executor::native::internal
