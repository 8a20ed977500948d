#include <executorch/backends/cortex_m/kernels/convolution.h>

namespace cortex_m::native {

bool read_convolution(KernelRuntimeContext& ctx, const ConvolutionArguments& args, Layout layout,
                      Convolution& conv, Layer& layer, ScalarType type) {
  constexpr int64_t kNone[] = {0, 0};
  if (!read_images(ctx, args.input, layout, conv.in, type) || !require_int8(ctx, args.weight) ||
      !require(ctx, args.weight.dim() == 4 && is_contiguous(args.weight),
               "the weight is contiguous and has four dimensions") ||
      !read_pair(ctx, args.stride, 1, conv.stride) ||
      !read_pair(ctx, args.padding, 0, conv.padding) ||
      !read_pair(ctx, args.output_padding == nullptr ? IntArrayRef(kNone, 2) : *args.output_padding,
                 0, conv.output_padding) ||
      !read_pair(ctx, args.dilation, 1, conv.dilation) ||
      !require_offset(ctx, args.input_offset, type) ||
      !read_output(ctx, args.output_offset, args.activation_min, args.activation_max, layer.output,
                   type)) {
    return false;
  }
  layer.weight = args.weight.const_data_ptr<int8_t>();
  conv.kernel[0] = static_cast<int32_t>(args.weight.size(1));
  conv.kernel[1] = static_cast<int32_t>(args.weight.size(2));
  conv.run = conv.in.channels;
  // The zero point of int8 that the offset takes away.
  conv.fill = static_cast<int8_t>(-args.input_offset);
  return true;
}

int32_t convolved_size(const Convolution& conv, size_t axis, int32_t in) {
  const int32_t reach = conv.dilation[axis] * (conv.kernel[axis] - 1) + 1;
  if (conv.transposed) {
    return (in - 1) * conv.stride[axis] - 2 * conv.padding[axis] + reach +
           conv.output_padding[axis];
  }
  const int32_t room = in + 2 * conv.padding[axis] - reach;
  return room < 0 ? 0 : room / conv.stride[axis] + 1;
}

}  // namespace cortex_m::native
