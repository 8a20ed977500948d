#include <executorch/backends/cadence/kernels/common.h>
#include <executorch/kernels/portable/cpu/internal/element.h>

namespace impl::generic::native {

namespace util = torch::executor::native::util;

namespace {

/// Activations in floating point, weights and a bias of bytes.
bool check_types(KernelRuntimeContext& ctx, const Tensor& input, const Tensor& weight,
                 const Tensor& bias, const Tensor& out) {
  return require_plain(ctx, input, ScalarType::Float) &&
         require_plain(ctx, weight, ScalarType::Char) &&
         require_plain(ctx, bias, ScalarType::Char) && require_plain(ctx, out, ScalarType::Float);
}

}  // namespace

Tensor& quantized_w8a32_linear_out(KernelRuntimeContext& ctx, const Tensor& input,
                                   const Tensor& weight, double w_scale, const Tensor& bias,
                                   double b_scale, Tensor& output) {
  const ssize_t last = input.dim() - 1;
  if (!check_types(ctx, input, weight, bias, output) ||
      !require(ctx, last >= 0 && weight.dim() == 2 && input.size(last) == weight.size(0),
               "the layer needs an [..., k] and a [k, n] tensor") ||
      !require(ctx, bias.numel() == weight.size(1), "one bias for each output")) {
    return output;
  }
  Shape shape(input);
  shape.sizes[last] = static_cast<SizesType>(weight.size(1));
  if (!resize(ctx, shape, output) || output.numel() == 0) {
    return output;
  }
  const ssize_t outputs = weight.size(1);
  const int8_t* const w = weight.const_data_ptr<int8_t>();
  const int8_t* const b = bias.const_data_ptr<int8_t>();
  const auto scale = static_cast<float>(w_scale);
  const float* x = input.const_data_ptr<float>();
  float* to = output.mutable_data_ptr<float>();
  for (ssize_t row = 0; row < output.numel() / outputs; ++row, x += weight.size(0)) {
    for (ssize_t o = 0; o < outputs; ++o) {
      float sum = 0;
      for (ssize_t i = 0; i < weight.size(0); ++i) {
        sum += x[i] * w[i * outputs + o];
      }
      *to++ = sum * scale + static_cast<float>(b[o]) * static_cast<float>(b_scale);
    }
  }
  return output;
}

Tensor& quantized_w8a32_conv_out(KernelRuntimeContext& ctx, const Tensor& input,
                                 const Tensor& weight, double w_scale, const Tensor& bias,
                                 double b_scale, Tensor& output) {
  if (!check_types(ctx, input, weight, bias, output) ||
      !require(ctx, input.dim() == 3 && weight.dim() == 3 && input.size(2) == weight.size(2),
               "the convolution needs an [n, l, i] and a [taps, o, i] tensor") ||
      !require(ctx, weight.size(0) > 0 && input.size(1) >= weight.size(0), "no window fits") ||
      !require(ctx, bias.numel() == weight.size(1), "one bias for each output")) {
    return output;
  }
  const ssize_t taps = weight.size(0);
  const ssize_t outputs = weight.size(1);
  const ssize_t inputs = weight.size(2);
  const ssize_t windows = input.size(1) - taps + 1;
  const int64_t sizes[3] = {input.size(0), outputs, windows};
  if (!resize(ctx, IntArrayRef(sizes, 3), output)) {
    return output;
  }
  const auto scale = static_cast<float>(w_scale);
  float* to = output.mutable_data_ptr<float>();
  for (ssize_t n = 0; n < input.size(0); ++n) {
    const float* const x = input.const_data_ptr<float>() + n * input.size(1) * inputs;
    for (ssize_t o = 0; o < outputs; ++o) {
      const float offset = static_cast<float>(bias.const_data_ptr<int8_t>()[o]);
      for (ssize_t at = 0; at < windows; ++at) {
        float sum = 0;
        for (ssize_t tap = 0; tap < taps; ++tap) {
          const int8_t* const w = weight.const_data_ptr<int8_t>() + (tap * outputs + o) * inputs;
          for (ssize_t i = 0; i < inputs; ++i) {
            sum += x[(at + tap) * inputs + i] * w[i];
          }
        }
        *to++ = sum * scale + offset * static_cast<float>(b_scale);
      }
    }
  }
  return output;
}

Tensor& quantized_embedding_byte_out(KernelRuntimeContext& ctx, const Tensor& weight,
                                     const Tensor& weight_scales,
                                     const optional<Tensor>& weight_zero_points,
                                     const Tensor& indices, bool pruned_weights, Tensor& out) {
  const ScalarType dtype = weight.scalar_type();
  if (!require(ctx, !pruned_weights, "weights must not be pruned") ||
      !require(ctx, dtype == ScalarType::Char || dtype == ScalarType::Byte,
               "weights are Char or Byte") ||
      !require_plain(ctx, weight, dtype) || !require_plain(ctx, out, ScalarType::Float) ||
      !require_plain(ctx, indices, indices.scalar_type()) ||
      !require(
          ctx,
          indices.scalar_type() == ScalarType::Long || indices.scalar_type() == ScalarType::Int,
          "indices are Long or Int") ||
      !require(ctx,
               weight.dim() == 2 && weight_scales.dim() >= 1 && weight_scales.dim() <= 2 &&
                   weight_scales.size(0) == weight.size(0),
               "weights are rows with scales of their own") ||
      !require_plain(ctx, weight_scales, ScalarType::Float) ||
      (weight_zero_points.has_value() &&
       !(require_plain(ctx, *weight_zero_points, ScalarType::Float) &&
         require(ctx, same_shape(*weight_zero_points, weight_scales),
                 "as many zero points as scales")))) {
    return out;
  }
  const ssize_t width = weight.size(1);
  const ssize_t groups = weight_scales.dim() == 1 ? 1 : weight_scales.size(1);
  Shape shape(indices);
  if (!require(ctx, groups > 0 && width % groups == 0, "rows do not fall into groups") ||
      !require(ctx, shape.rank < util::kMaxRank, "indices have too many dimensions")) {
    return out;
  }
  shape.push(width);
  if (!resize(ctx, shape, out)) {
    return out;
  }
  const float* const scales = weight_scales.const_data_ptr<float>();
  const float* const zeros =
      weight_zero_points.has_value() ? weight_zero_points->const_data_ptr<float>() : nullptr;
  const util::View positions(indices);
  const auto* const bytes = static_cast<const uint8_t*>(weight.const_data_ptr());
  float* to = out.mutable_data_ptr<float>();
  const bool is_signed = dtype == ScalarType::Char;
  for (ssize_t i = 0; i < indices.numel(); ++i) {
    const auto row = util::get_element<int64_t>(positions, i);
    if (!require(ctx, row >= 0 && row < weight.size(0), "an index is out of range")) {
      return out;
    }
    for (ssize_t j = 0; j < width; ++j) {
      const uint8_t byte = bytes[row * width + j];
      const int value = is_signed ? static_cast<int8_t>(byte) : byte;
      const int64_t group = row * groups + j / (width / groups);
      const float zero = zeros == nullptr ? 0 : zeros[group];
      *to++ = (static_cast<float>(value) - zero) * scales[group];
    }
  }
  return out;
}

}  // namespace impl::generic::native
