#include <tuple>

#include <executorch/kernels/portable/cpu/internal/convolution.h>
#include <executorch/kernels/portable/cpu/internal/view.h>

namespace torch::executor::native {
namespace {

using util::kMaxSpatial;
using util::View;

/// A tensor [first, second, spatial...] with its spatial dimensions padded to kMaxSpatial at the
/// front.
struct Volume {
  View view;
  ptrdiff_t stride[2 + kMaxSpatial];

  explicit Volume(const Tensor& t) : view(t) {
    const size_t spatial = view.rank - 2;
    for (size_t d = 0; d < 2; ++d) {
      stride[d] = view.stride[d];
    }
    for (size_t d = 0; d < kMaxSpatial; ++d) {
      const bool real = d + spatial >= kMaxSpatial;
      stride[2 + d] = real ? view.stride[2 + d + spatial - kMaxSpatial] : 0;
    }
  }

  char* at(size_t first, size_t second, const int64_t* position) const {
    ptrdiff_t offset =
        static_cast<ptrdiff_t>(first) * stride[0] + static_cast<ptrdiff_t>(second) * stride[1];
    for (size_t d = 0; d < kMaxSpatial; ++d) {
      offset += static_cast<ptrdiff_t>(position[d]) * stride[2 + d];
    }
    return view.data + offset * static_cast<ptrdiff_t>(view.element_size);
  }

  double get(size_t first, size_t second, const int64_t* position) const {
    double value;
    util::load(util::Compute::kDouble, view.dtype, at(first, second, position), 1, 1, &value);
    return value;
  }

  void set(size_t first, size_t second, const int64_t* position, double value) const {
    util::store(util::Compute::kDouble, view.dtype, &value, 1, at(first, second, position));
  }
};

/// Calls `fn(position)` for all positions below `sizes`.
template <typename Fn>
void for_each_position(const int64_t* sizes, Fn&& fn) {
  int64_t p[kMaxSpatial];
  for (p[0] = 0; p[0] < sizes[0]; ++p[0]) {
    for (p[1] = 0; p[1] < sizes[1]; ++p[1]) {
      for (p[2] = 0; p[2] < sizes[2]; ++p[2]) {
        fn(static_cast<const int64_t*>(p));
      }
    }
  }
}

/// The gradients of one convolution; every element of a result is one sum.
struct Gradients {
  const util::Convolution& conv;
  int64_t in_sizes[kMaxSpatial];
  int64_t out_sizes[kMaxSpatial];
  int64_t kernel_sizes[kMaxSpatial];

  explicit Gradients(const util::Convolution& c) : conv(c) {
    for (size_t d = 0; d < kMaxSpatial; ++d) {
      in_sizes[d] = c.dim[d].in;
      out_sizes[d] = c.dim[d].out;
      kernel_sizes[d] = c.dim[d].kernel;
    }
  }

  void input(const Volume& grad, const Volume& weight, const Volume& result) const {
    for (size_t n = 0; n < conv.batch; ++n) {
      for (size_t c = 0; c < conv.groups * conv.in_channels; ++c) {
        for_each_position(in_sizes, [&](const int64_t* at) {
          result.set(n, c, at, input_element(grad, weight, n, c, at));
        });
      }
    }
  }

  double input_element(const Volume& grad, const Volume& weight, size_t n, size_t c,
                       const int64_t* at) const {
    double sum = 0;
    const size_t first = c / conv.in_channels * conv.out_channels;
    for_each_position(kernel_sizes, [&](const int64_t* tap) {
      int64_t out[kMaxSpatial];
      for (size_t d = 0; d < kMaxSpatial; ++d) {
        const util::ConvolutionDim& dim = conv.dim[d];
        const int64_t reached = at[d] + dim.padding - tap[d] * dim.dilation;
        out[d] = reached / dim.stride;
        if (reached < 0 || reached % dim.stride != 0 || out[d] >= dim.out) {
          return;
        }
      }
      for (size_t o = first; o < first + conv.out_channels; ++o) {
        sum += grad.get(n, o, out) * weight.get(o, c % conv.in_channels, tap);
      }
    });
    return sum;
  }

  void weight(const Volume& grad, const Volume& in, const Volume& result) const {
    for (size_t o = 0; o < conv.groups * conv.out_channels; ++o) {
      for (size_t c = 0; c < conv.in_channels; ++c) {
        for_each_position(kernel_sizes, [&](const int64_t* tap) {
          result.set(o, c, tap, weight_element(grad, in, o, c, tap));
        });
      }
    }
  }

  double weight_element(const Volume& grad, const Volume& in, size_t o, size_t c,
                        const int64_t* tap) const {
    double sum = 0;
    const size_t channel = o / conv.out_channels * conv.in_channels + c;
    for_each_position(out_sizes, [&](const int64_t* out) {
      int64_t at[kMaxSpatial];
      for (size_t d = 0; d < kMaxSpatial; ++d) {
        const util::ConvolutionDim& dim = conv.dim[d];
        at[d] = out[d] * dim.stride - dim.padding + tap[d] * dim.dilation;
        if (at[d] < 0 || at[d] >= dim.in) {
          return;
        }
      }
      for (size_t n = 0; n < conv.batch; ++n) {
        sum += grad.get(n, o, out) * in.get(n, channel, at);
      }
    });
    return sum;
  }

  void bias(const Volume& grad, Tensor& result) const {
    char* target = static_cast<char*>(result.mutable_data_ptr());
    for (size_t o = 0; o < conv.groups * conv.out_channels; ++o) {
      double sum = 0;
      for (size_t n = 0; n < conv.batch; ++n) {
        for_each_position(out_sizes, [&](const int64_t* out) { sum += grad.get(n, o, out); });
      }
      util::store(util::Compute::kDouble, result.scalar_type(), &sum, 1, target);
      target += result.element_size();
    }
  }
};

}  // namespace

std::tuple<Tensor&, Tensor&, Tensor&> convolution_backward_out(
    KernelRuntimeContext& ctx, const Tensor& grad_output, const Tensor& in, const Tensor& weight,
    OptionalArrayRef<int64_t> bias_sizes, IntArrayRef stride, IntArrayRef padding,
    IntArrayRef dilation, bool transposed, IntArrayRef output_padding, int64_t groups,
    ArrayRef<bool> output_mask, Tensor& grad_input, Tensor& grad_weight, Tensor& grad_bias) {
  const std::tuple<Tensor&, Tensor&, Tensor&> result(grad_input, grad_weight, grad_bias);
  const util::ConvolutionArgs args = {stride,         padding,    dilation,
                                      output_padding, transposed, groups};
  util::Convolution conv;
  util::Shape shape;
  util::Shape bias_shape;
  if (!util::require(ctx, !transposed,
                     "the gradient of a transposed convolution is not supported") ||
      !util::require(ctx, output_mask.size() == 3, "output_mask must have three entries") ||
      !util::require(ctx, in.dim() == weight.dim(), "the input must have a batch dimension") ||
      !util::require_floating(ctx, in) ||
      !util::check_convolution(ctx, in, weight, optional<Tensor>(), args, grad_output, conv,
                               shape) ||
      !util::require(ctx, grad_output.sizes() == shape.ref(),
                     "the gradient does not have the output's shape")) {
    return result;
  }
  bias_shape.push(static_cast<int64_t>(conv.groups * conv.out_channels));
  if (!util::require(ctx,
                     !bias_sizes.has_value() || !output_mask[2] ||
                         (bias_sizes->size() == 1 && (*bias_sizes)[0] == bias_shape.sizes[0]),
                     "bias_sizes must be the number of output channels")) {
    return result;
  }
  const Gradients gradients(conv);
  const Volume grad(grad_output);
  if (output_mask[0]) {
    if (!util::require_same_dtype(ctx, in, grad_input) || !util::resize_like(ctx, in, grad_input)) {
      return result;
    }
    gradients.input(grad, Volume(weight), Volume(grad_input));
  }
  if (output_mask[1]) {
    if (!util::require_same_dtype(ctx, in, grad_weight) ||
        !util::resize_like(ctx, weight, grad_weight)) {
      return result;
    }
    gradients.weight(grad, Volume(in), Volume(grad_weight));
  }
  if (output_mask[2] && util::require_same_dtype(ctx, in, grad_bias) &&
      util::resize(ctx, bias_shape, grad_bias)) {
    gradients.bias(grad, grad_bias);
  }
  return result;
}

}  // namespace torch::executor::native
