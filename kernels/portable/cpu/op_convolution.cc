#include <executorch/kernels/portable/cpu/internal/convolution.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native {
Tensor& convolution_out(KernelRuntimeContext& ctx, const Tensor& in, const Tensor& weight,
                        const optional<Tensor>& bias, IntArrayRef stride, IntArrayRef padding,
                        IntArrayRef dilation, bool transposed, IntArrayRef output_padding,
                        int64_t groups, Tensor& out) {
  util::ConvolutionArgs args = {stride, padding, dilation, output_padding, transposed, groups};
  util::Convolution conv;
  util::Shape shape;
  if (!util::check_convolution(ctx, in, weight, bias, args, out, conv, shape) ||
      !util::resize(ctx, shape, out)) {
    return out;
  }
  util::convolve(ctx, in, weight, bias, conv, out);
  return out;
}

}  // namespace torch::executor::native
