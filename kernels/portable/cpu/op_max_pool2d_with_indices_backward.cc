#include <executorch/kernels/portable/cpu/internal/pointwise.h>
#include <executorch/kernels/portable/cpu/internal/pool.h>
#include <executorch/kernels/portable/cpu/internal/scatter.h>

namespace torch::executor::native {
Tensor& max_pool2d_with_indices_backward_grad_input(KernelRuntimeContext& ctx,
                                                    const Tensor& grad_output, const Tensor& in,
                                                    IntArrayRef kernel_size, IntArrayRef stride,
                                                    IntArrayRef padding, IntArrayRef dilation,
                                                    bool ceil_mode, const Tensor& indices,
                                                    Tensor& grad_input) {
  util::PoolDim dim[2];
  util::Shape shape;
  if (!util::check_pool(ctx, in, kernel_size, stride, padding, dilation, ceil_mode, dim, shape) ||
      !util::require_floating(ctx, in) || !util::require_same_dtype(ctx, in, grad_output) ||
      !util::require_same_dtype(ctx, in, grad_input) ||
      !util::require(ctx, indices.scalar_type() == ScalarType::Long, "the indices must be Long") ||
      !util::require(ctx, grad_output.sizes() == shape.ref() && indices.sizes() == shape.ref(),
                     "gradient and indices must have the pooled shape") ||
      !util::resize_like(ctx, in, grad_input)) {
    return grad_input;
  }
  util::fill(util::ScalarValue(int64_t{0}), grad_input);
  const util::ImageStrides out_strides(grad_output);
  const util::ImageStrides in_strides(grad_input);
  const util::ImageStrides index_strides(indices);
  const ptrdiff_t size = static_cast<ptrdiff_t>(in.element_size());
  const char* from = static_cast<const char*>(grad_output.const_data_ptr());
  char* to = static_cast<char*>(grad_input.mutable_data_ptr());
  const int64_t* index = static_cast<const int64_t*>(indices.const_data_ptr());
  const ssize_t channel_dim = in.dim() - 3;
  const ssize_t batch = channel_dim > 0 ? in.size(0) : 1;
  for (ssize_t n = 0; n < batch; ++n) {
    for (ssize_t c = 0; c < in.size(channel_dim); ++c) {
      for (ptrdiff_t h = 0; h < dim[0].out; ++h) {
        for (ptrdiff_t w = 0; w < dim[1].out; ++w) {
          const int64_t at = index[n * index_strides.batch + c * index_strides.channel +
                                   h * index_strides.height + w * index_strides.width];
          if (!util::require(ctx, at >= 0 && at < dim[0].in * dim[1].in,
                             "an index is out of range")) {
            return grad_input;
          }
          const ptrdiff_t source = n * out_strides.batch + c * out_strides.channel +
                                   h * out_strides.height + w * out_strides.width;
          const ptrdiff_t target = n * in_strides.batch + c * in_strides.channel +
                                   static_cast<ptrdiff_t>(at / dim[1].in) * in_strides.height +
                                   static_cast<ptrdiff_t>(at % dim[1].in) * in_strides.width;
          util::add_element(in.scalar_type(), from + source * size, to + target * size);
        }
      }
    }
  }
  return grad_input;
}

}  // namespace torch::executor::native
