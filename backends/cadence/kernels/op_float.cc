#include <executorch/backends/cadence/kernels/windows.h>
#include <executorch/kernels/portable/cpu/internal/convolution.h>
#include <executorch/kernels/portable/cpu/internal/softmax.h>

namespace impl::generic::native {

namespace util = torch::executor::native::util;

namespace {

Tensor& convolution_out(KernelRuntimeContext& ctx, const Tensor& input, const Tensor& weight,
                        const Tensor& bias, IntArrayRef stride, IntArrayRef padding,
                        IntArrayRef dilation, int64_t groups, ssize_t rank, Tensor& out) {
  const util::ConvolutionArgs args = {stride, padding, dilation, {}, false, groups};
  const optional<Tensor> offset = bias;
  util::Convolution conv;
  Shape shape;
  if (require(ctx, input.dim() == rank, "the input has another rank than it must") &&
      util::check_convolution(ctx, input, weight, offset, args, out, conv, shape) &&
      resize(ctx, shape, out)) {
    util::convolve(ctx, input, weight, offset, conv, out);
  }
  return out;
}

}  // namespace

Tensor& _softmax_f32_f32_out(KernelRuntimeContext& ctx, const Tensor& self, int64_t dim,
                             optional<bool> half_to_float, Tensor& out) {
  if (!require_plain(ctx, self, ScalarType::Float) || !require_plain(ctx, out, ScalarType::Float)) {
    return out;
  }
  return util::softmax(ctx, self, dim, half_to_float.value_or(false), /*logarithm=*/false, out);
}

Tensor& conv1d_out(KernelRuntimeContext& ctx, const Tensor& input, const Tensor& weight,
                   const Tensor& bias, IntArrayRef stride, IntArrayRef padding,
                   IntArrayRef dilation, int64_t groups, Tensor& out) {
  return convolution_out(ctx, input, weight, bias, stride, padding, dilation, groups, 3, out);
}

Tensor& conv2d_out(KernelRuntimeContext& ctx, const Tensor& input, const Tensor& weight,
                   const Tensor& bias, IntArrayRef stride, IntArrayRef padding,
                   IntArrayRef dilation, int64_t groups, Tensor& out) {
  return convolution_out(ctx, input, weight, bias, stride, padding, dilation, groups, 4, out);
}

Tensor& conv3d_out(KernelRuntimeContext& ctx, const Tensor& input, const Tensor& weight,
                   const Tensor& bias, IntArrayRef stride, IntArrayRef padding,
                   IntArrayRef dilation, int64_t groups, Tensor& out) {
  return convolution_out(ctx, input, weight, bias, stride, padding, dilation, groups, 5, out);
}

Tensor& fully_connected_out(KernelRuntimeContext& ctx, const Tensor& input, const Tensor& weight,
                            const optional<Tensor>& bias, Tensor& out) {
  const ssize_t last = input.dim() - 1;
  if (!require_plain(ctx, input, ScalarType::Float) ||
      !require_plain(ctx, weight, ScalarType::Float) ||
      !require_plain(ctx, out, ScalarType::Float) ||
      (bias.has_value() && !require_plain(ctx, *bias, ScalarType::Float)) ||
      !require(ctx, last >= 0 && weight.dim() == 2 && input.size(last) == weight.size(1),
               "the layer needs an [..., k] and an [n, k] tensor") ||
      !require(ctx, !bias.has_value() || bias->numel() == weight.size(0),
               "one bias for each output")) {
    return out;
  }
  Shape shape(input);
  shape.sizes[last] = static_cast<SizesType>(weight.size(0));
  if (!resize(ctx, shape, out) || out.numel() == 0) {
    return out;
  }
  const ssize_t depth = weight.size(1);
  const float* x = input.const_data_ptr<float>();
  float* to = out.mutable_data_ptr<float>();
  for (ssize_t row = 0; row < out.numel() / weight.size(0); ++row, x += depth) {
    const float* w = weight.const_data_ptr<float>();
    for (ssize_t o = 0; o < weight.size(0); ++o, w += depth) {
      float sum = bias.has_value() ? bias->const_data_ptr<float>()[o] : 0;
      for (ssize_t i = 0; i < depth; ++i) {
        sum += x[i] * w[i];
      }
      *to++ = sum;
    }
  }
  return out;
}

}  // namespace impl::generic::native
