#include <executorch/kernels/quantized/cpu/util/affine.h>

namespace torch::executor::native {
namespace {

/// Checks what all forms share, and resizes the output.
bool prepare(KernelRuntimeContext& ctx, const Tensor& in, int64_t quant_min, int64_t quant_max,
             ScalarType dtype, Tensor& out) {
  return util::require_floating(ctx, in) &&
         util::require_quantized(ctx, out, dtype, quant_min, quant_max) &&
         util::resize_like(ctx, in, out) &&
         util::require(ctx, util::same_layout(in, out),
                       "the input and the output must have one dim order");
}

/// The only element of a parameter tensor.
double only_element(const Tensor& t) { return util::get_element<double>(util::View(t), 0); }

}  // namespace

Tensor& quantize_per_tensor_out(KernelRuntimeContext& ctx, const Tensor& input, double scale,
                                int64_t zero_point, int64_t quant_min, int64_t quant_max,
                                ScalarType dtype, Tensor& out) {
  if (prepare(ctx, input, quant_min, quant_max, dtype, out)) {
    util::quantize(input, util::whole_tensor(scale, zero_point), quant_min, quant_max, out);
  }
  return out;
}

Tensor& quantize_per_tensor_tensor_args_out(KernelRuntimeContext& ctx, const Tensor& input,
                                            const Tensor& scale, const Tensor& zero_point,
                                            int64_t quant_min, int64_t quant_max, ScalarType dtype,
                                            Tensor& out) {
  if (util::require_floating(ctx, scale) && util::require_real(ctx, zero_point) &&
      util::require(ctx, scale.numel() == 1 && zero_point.numel() == 1,
                    "scale and zero_point must have one element")) {
    quantize_per_tensor_out(ctx, input, only_element(scale),
                            static_cast<int64_t>(only_element(zero_point)), quant_min, quant_max,
                            dtype, out);
  }
  return out;
}

Tensor& quantize_per_channel_out(KernelRuntimeContext& ctx, const Tensor& input,
                                 const Tensor& scales, const Tensor& zero_points, int64_t axis,
                                 int64_t quant_min, int64_t quant_max, ScalarType dtype,
                                 Tensor& out) {
  util::QuantParameters parameters;
  if (prepare(ctx, input, quant_min, quant_max, dtype, out) &&
      util::per_channel(ctx, input, scales, &zero_points, axis, parameters)) {
    util::quantize(input, parameters, quant_min, quant_max, out);
  }
  return out;
}

Tensor& quantize_per_token_out(KernelRuntimeContext& ctx, const Tensor& input, const Tensor& scales,
                               const Tensor& zero_points, int64_t quant_min, int64_t quant_max,
                               ScalarType dtype, Tensor& out) {
  util::QuantParameters parameters;
  const int64_t row = input.dim() > 0 ? input.size(input.dim() - 1) : 1;
  if (prepare(ctx, input, quant_min, quant_max, dtype, out) && input.numel() > 0 &&
      util::per_group(ctx, input, scales, &zero_points, row, parameters)) {
    util::quantize(input, parameters, quant_min, quant_max, out);
  }
  return out;
}

Tensor& quantize_per_channel_group_out(KernelRuntimeContext& ctx, const Tensor& input,
                                       const Tensor& scales, const Tensor& zero_points,
                                       int64_t quant_min, int64_t quant_max, ScalarType dtype,
                                       int64_t group_size, Tensor& out) {
  util::QuantParameters parameters;
  if (prepare(ctx, input, quant_min, quant_max, dtype, out) &&
      util::per_group(ctx, input, scales, &zero_points, group_size, parameters)) {
    util::quantize(input, parameters, quant_min, quant_max, out);
  }
  return out;
}

}  // namespace torch::executor::native
