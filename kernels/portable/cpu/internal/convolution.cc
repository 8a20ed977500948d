#include <cinttypes>

#include <executorch/kernels/portable/cpu/internal/convolution.h>
#include <executorch/kernels/portable/cpu/internal/convolution_impl.h>
#include <executorch/kernels/portable/cpu/internal/float_loops.h>
#include <executorch/kernels/portable/cpu/internal/view.h>

namespace torch::executor::native::util {
namespace {

/// Entry `d` of an argument that has one value for all spatial dimensions or one for each.
int64_t entry(IntArrayRef values, size_t d, int64_t fallback) {
  return values.empty() ? fallback : values.size() == 1 ? values[0] : values[d];
}

bool check_entries(KernelRuntimeContext& ctx, IntArrayRef values, size_t spatial, int64_t least,
                   const char* name) {
  ET_KERNEL_CHECK_MSG(ctx, values.size() <= 1 || values.size() == spatial, InvalidArgument, false,
                      "%s has %zu entries for %zu spatial dimensions", name, values.size(),
                      spatial);
  for (const int64_t value : values) {
    ET_KERNEL_CHECK_MSG(ctx, value >= least && value <= INT32_MAX, InvalidArgument, false,
                        "%s has an entry %" PRId64 " that is out of range", name, value);
  }
  return true;
}

/// The output's size along one dimension; 0 or less if there is none.
int64_t output_size(const ConvolutionDim& d, bool transposed, int64_t output_padding) {
  const int64_t reach = d.dilation * (d.kernel - 1);
  if (transposed) {
    return (d.in - 1) * d.stride - 2 * d.padding + reach + output_padding + 1;
  }
  const int64_t room = d.in + 2 * d.padding - reach - 1;
  return room < 0 ? 0 : room / d.stride + 1;
}

bool check_channels(KernelRuntimeContext& ctx, const Tensor& in, const Tensor& weight,
                    const optional<Tensor>& bias, const ConvolutionArgs& args, ssize_t channel_dim,
                    Convolution& conv) {
  if (!require(ctx, args.groups > 0 && args.groups <= INT32_MAX, "groups must be positive")) {
    return false;
  }
  const int64_t groups = args.groups;
  const int64_t channels = in.size(channel_dim);
  const bool split = args.transposed
                         ? weight.size(0) == channels && channels % groups == 0
                         : weight.size(1) * groups == channels && weight.size(0) % groups == 0;
  if (!require(ctx, split, "input and weight do not have matching channels and groups")) {
    return false;
  }
  conv.transposed = args.transposed;
  conv.groups = static_cast<size_t>(groups);
  conv.in_channels = static_cast<size_t>(channels / groups);
  conv.out_channels =
      static_cast<size_t>(args.transposed ? weight.size(1) : weight.size(0) / groups);
  const size_t all = conv.out_channels * conv.groups;
  return !bias.has_value() ||
         (require(ctx, bias->dim() == 1 && static_cast<size_t>(bias->size(0)) == all,
                  "the bias must have one element for each output channel") &&
          require_real(ctx, *bias));
}

}  // namespace

bool check_convolution(KernelRuntimeContext& ctx, const Tensor& in, const Tensor& weight,
                       const optional<Tensor>& bias, const ConvolutionArgs& args, const Tensor& out,
                       Convolution& conv, Shape& out_shape) {
  const ssize_t rank = weight.dim();
  if (!require(ctx, rank >= 3 && rank <= 5 && (in.dim() == rank || in.dim() == rank - 1),
               "convolution needs a weight of rank 3 to 5 and an input of that rank") ||
      !require_real(ctx, in) || !require_same_dtype(ctx, in, weight) ||
      !require_same_dtype(ctx, in, out) ||
      !require(ctx, in.scalar_type() != ScalarType::Bool, "convolution is not defined for Bool")) {
    return false;
  }
  const size_t spatial = static_cast<size_t>(rank) - 2;
  if (!check_entries(ctx, args.stride, spatial, 1, "stride") ||
      !check_entries(ctx, args.padding, spatial, 0, "padding") ||
      !check_entries(ctx, args.dilation, spatial, 1, "dilation") ||
      !check_entries(ctx, args.output_padding, spatial, 0, "output_padding")) {
    return false;
  }
  const bool batched = in.dim() == rank;
  const ssize_t channel_dim = batched ? 1 : 0;
  if (!check_channels(ctx, in, weight, bias, args, channel_dim, conv)) {
    return false;
  }
  conv.batch = batched ? static_cast<size_t>(in.size(0)) : 1;
  if (batched) {
    out_shape.push(in.size(0));
  }
  out_shape.push(static_cast<int64_t>(conv.groups * conv.out_channels));
  for (size_t d = 0; d < spatial; ++d) {
    ConvolutionDim& dim = conv.dim[kMaxSpatial - spatial + d];
    const ssize_t offset = static_cast<ssize_t>(d);
    dim.in = in.size(channel_dim + 1 + offset);
    dim.kernel = weight.size(2 + offset);
    dim.stride = entry(args.stride, d, 1);
    dim.padding = entry(args.padding, d, 0);
    dim.dilation = entry(args.dilation, d, 1);
    const int64_t output_padding = entry(args.output_padding, d, 0);
    if (!require(ctx, dim.kernel > 0, "the kernel must not be empty") ||
        !require(ctx,
                 !args.transposed || output_padding < dim.stride || output_padding < dim.dilation,
                 "output_padding must be smaller than stride or dilation")) {
      return false;
    }
    dim.out = output_size(dim, args.transposed, output_padding);
    if (!require(ctx, dim.out > 0 && dim.out <= INT32_MAX, "the output would be empty or huge")) {
      return false;
    }
    out_shape.push(dim.out);
  }
  return true;
}

namespace {

/// Fills in the strides of the spatial dimensions.
void set_strides(const Tensor& in, const Tensor& weight, const Tensor& out, Convolution& conv) {
  const size_t spatial = static_cast<size_t>(weight.dim()) - 2;
  const size_t in_first = static_cast<size_t>(in.dim()) - spatial;
  for (size_t d = 0; d < spatial; ++d) {
    ConvolutionDim& dim = conv.dim[kMaxSpatial - spatial + d];
    dim.in_stride = in.strides()[in_first + d];
    dim.out_stride = out.strides()[in_first + d];
    dim.weight_stride = weight.strides()[2 + d];
  }
  // The padding dimensions continue the strides, so that they merge with the real ones.
  for (size_t d = kMaxSpatial - spatial; d-- > 0;) {
    ConvolutionDim& dim = conv.dim[d];
    const ConvolutionDim& inner = conv.dim[d + 1];
    dim.in_stride = inner.in_stride * static_cast<ptrdiff_t>(inner.in);
    dim.out_stride = inner.out_stride * static_cast<ptrdiff_t>(inner.out);
  }
}

/// A pointwise convolution has no neighbours: its image is one long line.
void flatten_pointwise(Convolution& conv) {
  for (const ConvolutionDim& dim : conv.dim) {
    if (dim.kernel != 1 || dim.stride != 1 || dim.padding != 0 || dim.in != dim.out) {
      return;
    }
  }
  ConvolutionDim& line = conv.dim[kMaxSpatial - 1];
  for (size_t d = kMaxSpatial - 1; d-- > 0;) {
    ConvolutionDim& dim = conv.dim[d];
    const ptrdiff_t count = static_cast<ptrdiff_t>(line.in);
    if (dim.in_stride != line.in_stride * count || dim.out_stride != line.out_stride * count) {
      return;
    }
    line.in *= dim.in;
    line.out *= dim.out;
    dim.in = 1;
    dim.out = 1;
  }
}

/// True for a contiguous or a channels-last tensor.
bool is_image_layout(const Tensor& t) {
  if (is_contiguous(t)) {
    return true;
  }
  // Channels last: from the innermost outwards dimension 1, then the spatial ones, then 0.
  int64_t expected = 1;
  for (ssize_t i = 0; i < t.dim(); ++i) {
    const ssize_t d = i == 0 ? 1 : i + 1 < t.dim() ? t.dim() - i : 0;
    if (t.size(d) != 1 && t.strides()[d] != expected) {
      return false;
    }
    expected *= t.size(d);
  }
  return true;
}

}  // namespace

void convolve(KernelRuntimeContext& ctx, const Tensor& in, const Tensor& weight,
              const optional<Tensor>& bias, Convolution& conv, Tensor& out) {
  if (out.numel() == 0 ||
      !require(ctx,
               is_image_layout(weight) &&
                   (is_image_layout(out) || (out.dim() < weight.dim() && is_contiguous(out))),
               "convolution needs contiguous or channels-last tensors")) {
    return;
  }
  set_strides(in, weight, out, conv);
  flatten_pointwise(conv);
  const bool batched = in.dim() == weight.dim();
  const View in_view(in);
  const View weight_view(weight);
  const View out_view(out);
  ConvolutionImage image = {};
  image.conv = &conv;
  image.in_dtype = in.scalar_type();
  image.in_channel_stride = in_view.stride[batched ? 1 : 0];
  image.out_channel_stride = out_view.stride[batched ? 1 : 0];
  image.weight = weight_view.data;
  image.weight_stride[0] = weight_view.stride[0];
  image.weight_stride[1] = weight_view.stride[1];
  if (bias.has_value()) {
    image.bias = static_cast<const char*>(bias->const_data_ptr());
    image.bias_dtype = bias->scalar_type();
  }
  const ptrdiff_t size = static_cast<ptrdiff_t>(in_view.element_size);
  for (size_t n = 0; n < conv.batch; ++n) {
    const ptrdiff_t index = batched ? static_cast<ptrdiff_t>(n) : 0;
    image.in = in_view.data + index * in_view.stride[0] * size;
    image.out = out_view.data + index * out_view.stride[0] * size;
    if (float_loops.convolve == nullptr || !float_loops.convolve(ctx, image)) {
      convolve_image(image);
    }
  }
}

}  // namespace torch::executor::native::util
