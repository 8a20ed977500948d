#include <string_view>

#include <executorch/kernels/optimized/cpu/elementwise.h>
#include <executorch/kernels/portable/NativeFunctions.h>

// Quotients in whole numbers and what is left of them, of Floats.

namespace torch::executor::native {
namespace {

using optimized::Binary;
using optimized::run_binary;

/// The quotient of a rounding mode; Binary::kCount for another one than these.
Binary quotient_of(const optional<std::string_view>& mode) {
  return !mode.has_value()  ? Binary::kDiv
         : *mode == "floor" ? Binary::kFloorDivide
         : *mode == "trunc" ? Binary::kTruncDivide
                            : Binary::kCount;
}

}  // namespace

Tensor& opt_div_out_mode(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b,
                         optional<std::string_view> mode, Tensor& out) {
  const Binary function = quotient_of(mode);
  return function != Binary::kCount && run_binary(ctx, function, a, b, out)
             ? out
             : div_out_mode(ctx, a, b, mode, out);
}

Tensor& opt_div_scalar_mode_out(KernelRuntimeContext& ctx, const Tensor& a, const Scalar& b,
                                optional<std::string_view> mode, Tensor& out) {
  const Binary function = quotient_of(mode);
  return function != Binary::kCount && run_binary(ctx, function, a, b, out)
             ? out
             : div_scalar_mode_out(ctx, a, b, mode, out);
}

Tensor& opt_floor_divide_out(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b,
                             Tensor& out) {
  return run_binary(ctx, Binary::kFloorDivide, a, b, out) ? out : floor_divide_out(ctx, a, b, out);
}

Tensor& opt_fmod_Tensor_out(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b,
                            Tensor& out) {
  return run_binary(ctx, Binary::kFmod, a, b, out) ? out : fmod_Tensor_out(ctx, a, b, out);
}

Tensor& opt_fmod_Scalar_out(KernelRuntimeContext& ctx, const Tensor& a, const Scalar& b,
                            Tensor& out) {
  return run_binary(ctx, Binary::kFmod, a, b, out) ? out : fmod_Scalar_out(ctx, a, b, out);
}

Tensor& opt_remainder_Tensor_out(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b,
                                 Tensor& out) {
  return run_binary(ctx, Binary::kRemainder, a, b, out) ? out
                                                        : remainder_Tensor_out(ctx, a, b, out);
}

Tensor& opt_remainder_Scalar_out(KernelRuntimeContext& ctx, const Tensor& a, const Scalar& b,
                                 Tensor& out) {
  return run_binary(ctx, Binary::kRemainder, a, b, out) ? out
                                                        : remainder_Scalar_out(ctx, a, b, out);
}

}  // namespace torch::executor::native
