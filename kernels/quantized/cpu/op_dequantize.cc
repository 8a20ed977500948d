#include <executorch/kernels/quantized/cpu/util/affine.h>

namespace torch::executor::native {
namespace {

/// Checks what all forms share, and resizes the output.
bool prepare(KernelRuntimeContext& ctx, const Tensor& in, int64_t quant_min, int64_t quant_max,
             ScalarType dtype, const optional<ScalarType>& out_dtype, Tensor& out) {
  return util::require_quantized(ctx, in, dtype, quant_min, quant_max) &&
         util::require_floating(ctx, out) &&
         util::require(ctx, !out_dtype.has_value() || *out_dtype == out.scalar_type(),
                       "out_dtype must be the output's") &&
         util::resize_like(ctx, in, out) &&
         util::require(ctx, util::same_layout(in, out),
                       "the input and the output must have one dim order");
}

/// The only element of a parameter tensor.
double only_element(const Tensor& t) { return util::get_element<double>(util::View(t), 0); }

}  // namespace

Tensor& dequantize_per_tensor_out(KernelRuntimeContext& ctx, const Tensor& input, double scale,
                                  int64_t zero_point, int64_t quant_min, int64_t quant_max,
                                  ScalarType dtype, optional<ScalarType> out_dtype, Tensor& out) {
  if (prepare(ctx, input, quant_min, quant_max, dtype, out_dtype, out)) {
    util::dequantize(input, util::whole_tensor(scale, zero_point), out);
  }
  return out;
}

Tensor& dequantize_per_tensor_tensor_args_out(KernelRuntimeContext& ctx, const Tensor& input,
                                              const Tensor& scale, const Tensor& zero_point,
                                              int64_t quant_min, int64_t quant_max,
                                              ScalarType dtype, optional<ScalarType> out_dtype,
                                              Tensor& out) {
  if (util::require_floating(ctx, scale) && util::require_real(ctx, zero_point) &&
      util::require(ctx, scale.numel() == 1 && zero_point.numel() == 1,
                    "scale and zero_point must have one element")) {
    dequantize_per_tensor_out(ctx, input, only_element(scale),
                              static_cast<int64_t>(only_element(zero_point)), quant_min, quant_max,
                              dtype, out_dtype, out);
  }
  return out;
}

Tensor& dequantize_per_channel_out(KernelRuntimeContext& ctx, const Tensor& input,
                                   const Tensor& scales, const optional<Tensor>& zero_points,
                                   int64_t axis, int64_t quant_min, int64_t quant_max,
                                   ScalarType dtype, optional<ScalarType> out_dtype, Tensor& out) {
  util::QuantParameters parameters;
  if (prepare(ctx, input, quant_min, quant_max, dtype, out_dtype, out) &&
      util::per_channel(ctx, input, scales, zero_points.has_value() ? &*zero_points : nullptr, axis,
                        parameters)) {
    util::dequantize(input, parameters, out);
  }
  return out;
}

Tensor& dequantize_per_token_out(KernelRuntimeContext& ctx, const Tensor& input,
                                 const Tensor& scales, const Tensor& zero_points, int64_t quant_min,
                                 int64_t quant_max, ScalarType dtype, ScalarType output_dtype,
                                 Tensor& out) {
  util::QuantParameters parameters;
  const int64_t row = input.dim() > 0 ? input.size(input.dim() - 1) : 1;
  if (prepare(ctx, input, quant_min, quant_max, dtype, output_dtype, out) && input.numel() > 0 &&
      util::per_group(ctx, input, scales, &zero_points, row, parameters)) {
    util::dequantize(input, parameters, out);
  }
  return out;
}

Tensor& dequantize_per_channel_group_out(KernelRuntimeContext& ctx, const Tensor& input,
                                         const Tensor& scales, const optional<Tensor>& zero_points,
                                         int64_t quant_min, int64_t quant_max, ScalarType dtype,
                                         int64_t group_size, ScalarType output_dtype, Tensor& out) {
  util::QuantParameters parameters;
  if (prepare(ctx, input, quant_min, quant_max, dtype, output_dtype, out) &&
      util::per_group(ctx, input, scales, zero_points.has_value() ? &*zero_points : nullptr,
                      group_size, parameters)) {
    util::dequantize(input, parameters, out);
  }
  return out;
}

}  // namespace torch::executor::native
