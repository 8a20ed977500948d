#include <executorch/kernels/portable/cpu/util/kernel_ops_util.h>

namespace torch::executor {
namespace {

using executorch::runtime::tensor_has_non_empty_dim;
using executorch::runtime::tensor_is_default_or_channels_last_dim_order;
using executorch::runtime::tensor_is_floating_type;
using executorch::runtime::tensor_is_rank;
using executorch::runtime::tensors_have_same_dtype;

/// Images [N, C, H, W] or [C, H, W] without an empty dimension but N.
bool are_images(const Tensor& in) {
  ET_LOG_MSG_AND_RETURN_IF_FALSE(in.dim() == 3 || in.dim() == 4, "rank 3 or 4 is needed, not %zd",
                                 static_cast<ssize_t>(in.dim()));
  for (ssize_t d = in.dim() - 3; d < in.dim(); ++d) {
    ET_LOG_AND_RETURN_IF_FALSE(tensor_has_non_empty_dim(in, d));
  }
  return true;
}

void copy_leading(const Tensor& in, size_t count, SizesType* out_sizes) {
  for (size_t d = 0; d < count; ++d) {
    out_sizes[d] = in.sizes()[d];
  }
}

/// The sizes of a pooling operator's output.
void pool_sizes(const Tensor& in, IntArrayRef kernel_size, IntArrayRef stride, IntArrayRef padding,
                IntArrayRef dilation, bool ceil_mode, SizesType* out_sizes, size_t* out_ndim) {
  *out_ndim = in.sizes().size();
  copy_leading(in, *out_ndim - 2, out_sizes);
  calculate_kernel_output_sizes(in, 2, kernel_size, stride, padding, dilation, out_sizes,
                                ceil_mode);
}

}  // namespace

bool int_array_all_ge(IntArrayRef array, int64_t val) {
  for (size_t i = 0; i < array.size(); ++i) {
    ET_LOG_MSG_AND_RETURN_IF_FALSE(array[i] >= val, "entry %zu is %lld, below %lld", i,
                                   static_cast<long long>(array[i]), static_cast<long long>(val));
  }
  return true;
}

bool param_array_is_valid(const char* name, IntArrayRef array, int64_t min_val, size_t length,
                          bool allow_empty) {
  const bool has_length =
      array.size() == 1 || array.size() == length || (allow_empty && array.empty());
  ET_LOG_MSG_AND_RETURN_IF_FALSE(has_length, "%s has %zu entries, not 1 or %zu", name, array.size(),
                                 length);
  return int_array_all_ge(array, min_val);
}

bool kernel_size_is_valid(IntArrayRef kernel_size, size_t kernel_ndim) {
  return param_array_is_valid("kernel_size", kernel_size, 1, kernel_ndim, /*allow_empty=*/false);
}

bool stride_is_valid(IntArrayRef stride, size_t kernel_ndim, bool allow_empty) {
  return param_array_is_valid("stride", stride, 1, kernel_ndim, allow_empty);
}

bool padding_is_valid(IntArrayRef padding, IntArrayRef kernel_size, size_t kernel_ndim,
                      bool enforce_half_kernel) {
  if (!param_array_is_valid("padding", padding, 0, kernel_ndim, /*allow_empty=*/false)) {
    return false;
  }
  for (size_t i = 0; enforce_half_kernel && i < padding.size(); ++i) {
    ET_LOG_MSG_AND_RETURN_IF_FALSE(padding[i] <= val_at(kernel_size, i) / 2,
                                   "the padding of dimension %zu is more than half of the kernel",
                                   i);
  }
  return true;
}

bool dilation_is_valid(IntArrayRef dilation, size_t kernel_ndim) {
  return param_array_is_valid("dilation", dilation, 1, kernel_ndim, /*allow_empty=*/false);
}

bool output_padding_is_valid(IntArrayRef output_padding, IntArrayRef stride, IntArrayRef dilation,
                             size_t kernel_ndim) {
  if (!param_array_is_valid("output_padding", output_padding, 0, kernel_ndim,
                            /*allow_empty=*/false)) {
    return false;
  }
  for (size_t i = 0; i < kernel_ndim; ++i) {
    const int64_t entry = val_at(output_padding, i, 0);
    ET_LOG_MSG_AND_RETURN_IF_FALSE(entry < val_at(stride, i) || entry < val_at(dilation, i),
                                   "the output padding of dimension %zu is not below its stride or "
                                   "dilation",
                                   i);
  }
  return true;
}

bool output_size_is_valid(ArrayRef<SizesType> output_size, size_t kernel_ndim) {
  ET_LOG_MSG_AND_RETURN_IF_FALSE(output_size.size() >= kernel_ndim, "the rank is too low");
  for (size_t d = output_size.size() - kernel_ndim; d < output_size.size(); ++d) {
    ET_LOG_MSG_AND_RETURN_IF_FALSE(output_size[d] > 0, "the output's dimension %zu is empty", d);
  }
  return true;
}

void get_unsqueezed_sizes(const Tensor& t, int64_t unsqueeze_dim, SizesType* sizes_arr,
                          size_t& ndim) {
  ndim = t.sizes().size() + 1;
  const size_t at = static_cast<size_t>(unsqueeze_dim);
  for (size_t d = 0; d < ndim; ++d) {
    sizes_arr[d] = d == at ? 1 : t.sizes()[d < at ? d : d - 1];
  }
}

void get_unsqueezed_dim_order(const Tensor& t, DimOrderType unsqueeze_dim,
                              DimOrderType* dim_order_arr) {
  size_t count = 0;
  for (const DimOrderType dim : t.dim_order()) {
    if (dim == unsqueeze_dim) {
      dim_order_arr[count++] = dim;
    }
    dim_order_arr[count++] = static_cast<DimOrderType>(dim >= unsqueeze_dim ? dim + 1 : dim);
  }
  if (count == t.dim_order().size()) {
    dim_order_arr[count] = unsqueeze_dim;
  }
}

int64_t _kernel_output_size_helper(size_t inputSize, int64_t pad, int64_t kernelSize,
                                   int64_t stride, int64_t dilation, bool ceil_mode,
                                   bool transposed, int64_t output_padding) {
  const int64_t in = static_cast<int64_t>(inputSize);
  const int64_t reach = dilation * (kernelSize - 1);
  if (transposed) {
    return (in - 1) * stride - 2 * pad + reach + output_padding + 1;
  }
  const int64_t room = in + 2 * pad - reach - 1 + (ceil_mode ? stride - 1 : 0);
  const int64_t steps = room / stride - (room % stride < 0 ? 1 : 0);
  // A window that only covers what is behind the input does not count.
  return ceil_mode && steps * stride >= in + pad ? steps : steps + 1;
}

void calculate_kernel_output_sizes(const Tensor& in, size_t kernel_ndim, IntArrayRef kernel_size,
                                   IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation,
                                   SizesType* out_sizes, bool ceil_mode, bool transposed,
                                   IntArrayRef output_padding) {
  const size_t first = in.sizes().size() - kernel_ndim;
  for (size_t i = 0; i < kernel_ndim; ++i) {
    const int64_t kernel = val_at(kernel_size, i);
    out_sizes[first + i] = static_cast<SizesType>(_kernel_output_size_helper(
        static_cast<size_t>(in.sizes()[first + i]), val_at(padding, i, 0), kernel,
        stride.empty() ? kernel : val_at(stride, i), val_at(dilation, i), ceil_mode, transposed,
        val_at(output_padding, i, 0)));
  }
}

bool check_adaptive_avg_pool2d_args(const Tensor& in, IntArrayRef output_size, const Tensor& out) {
  ET_LOG_AND_RETURN_IF_FALSE(tensors_have_same_dtype(in, out));
  ET_LOG_AND_RETURN_IF_FALSE(are_images(in));
  ET_LOG_MSG_AND_RETURN_IF_FALSE(output_size.size() == 2, "the output size has %zu entries, not 2",
                                 output_size.size());
  return int_array_all_ge(output_size, 0);
}

void get_adaptive_avg_pool2d_out_target_size(const Tensor& in, IntArrayRef output_size,
                                             SizesType* out_sizes, size_t* out_ndim) {
  *out_ndim = in.sizes().size();
  copy_leading(in, *out_ndim - 2, out_sizes);
  out_sizes[*out_ndim - 2] = static_cast<SizesType>(output_size[0]);
  out_sizes[*out_ndim - 1] = static_cast<SizesType>(output_size[1]);
}

bool check_arange_args(double start, double end, double step, Tensor& out) {
  ET_LOG_AND_RETURN_IF_FALSE(tensor_is_rank(out, 1));
  ET_LOG_MSG_AND_RETURN_IF_FALSE(step != 0, "the step is 0");
  ET_LOG_MSG_AND_RETURN_IF_FALSE((step > 0 && end >= start) || (step < 0 && end <= start),
                                 "the step leads away from the end");
  return true;
}

bool check_avg_pool2d_args(const Tensor& in, IntArrayRef kernel_size, IntArrayRef stride,
                           IntArrayRef padding, [[maybe_unused]] bool ceil_mode,
                           [[maybe_unused]] bool count_include_pad,
                           const optional<int64_t>& divisor_override, const Tensor& out) {
  ET_LOG_AND_RETURN_IF_FALSE(tensors_have_same_dtype(in, out));
  ET_LOG_AND_RETURN_IF_FALSE(are_images(in));
  ET_LOG_AND_RETURN_IF_FALSE(tensor_is_default_or_channels_last_dim_order(in));
  ET_LOG_AND_RETURN_IF_FALSE(kernel_size_is_valid(kernel_size, 2));
  ET_LOG_AND_RETURN_IF_FALSE(stride_is_valid(stride, 2, /*allow_empty=*/true));
  ET_LOG_AND_RETURN_IF_FALSE(padding_is_valid(padding, kernel_size, 2, true));
  ET_LOG_MSG_AND_RETURN_IF_FALSE(!divisor_override.has_value() || *divisor_override != 0,
                                 "the divisor is 0");
  return true;
}

void get_avg_pool2d_out_target_size(const Tensor& in, IntArrayRef kernel_size, IntArrayRef stride,
                                    IntArrayRef padding, bool ceil_mode, SizesType* out_sizes,
                                    size_t* out_ndim) {
  pool_sizes(in, kernel_size, stride, padding, {}, ceil_mode, out_sizes, out_ndim);
}

bool check_max_pool2d_with_indices_args(const Tensor& in, IntArrayRef kernel_size,
                                        IntArrayRef stride, IntArrayRef padding,
                                        IntArrayRef dilation, [[maybe_unused]] bool ceil_mode,
                                        const Tensor& out, const Tensor& indices) {
  ET_LOG_AND_RETURN_IF_FALSE(tensors_have_same_dtype(in, out));
  ET_LOG_MSG_AND_RETURN_IF_FALSE(indices.scalar_type() == ScalarType::Long, "indices are Long");
  ET_LOG_AND_RETURN_IF_FALSE(are_images(in));
  ET_LOG_AND_RETURN_IF_FALSE(tensor_is_default_or_channels_last_dim_order(in));
  ET_LOG_AND_RETURN_IF_FALSE(kernel_size_is_valid(kernel_size, 2));
  ET_LOG_AND_RETURN_IF_FALSE(stride_is_valid(stride, 2, /*allow_empty=*/true));
  ET_LOG_AND_RETURN_IF_FALSE(padding_is_valid(padding, kernel_size, 2, true));
  ET_LOG_AND_RETURN_IF_FALSE(dilation_is_valid(dilation, 2));
  return true;
}

void get_max_pool2d_with_indices_out_target_size(const Tensor& in, IntArrayRef kernel_size,
                                                 IntArrayRef stride, IntArrayRef padding,
                                                 IntArrayRef dilation, bool ceil_mode,
                                                 SizesType* out_sizes, size_t* out_ndim) {
  pool_sizes(in, kernel_size, stride, padding, dilation, ceil_mode, out_sizes, out_ndim);
}

bool check_convolution_args(const Tensor& in, const Tensor& weight, const optional<Tensor>& bias,
                            IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation,
                            bool transposed, IntArrayRef output_padding, int64_t groups,
                            const Tensor& out) {
  ET_LOG_AND_RETURN_IF_FALSE(tensors_have_same_dtype(in, weight, out));
  ET_LOG_AND_RETURN_IF_FALSE(tensor_is_default_or_channels_last_dim_order(in));
  ET_LOG_AND_RETURN_IF_FALSE(tensor_is_default_or_channels_last_dim_order(weight));
  ET_LOG_AND_RETURN_IF_FALSE(tensor_is_default_or_channels_last_dim_order(out));
  ET_LOG_MSG_AND_RETURN_IF_FALSE((in.dim() == 3 || in.dim() == 4) && weight.dim() == in.dim(),
                                 "input and weight need rank 3 or 4");
  const size_t spatial = in.sizes().size() - 2;
  ET_LOG_AND_RETURN_IF_FALSE(stride_is_valid(stride, spatial, /*allow_empty=*/false));
  IntArrayRef kernel_size;  // Only needed where the padding is limited by it.
  ET_LOG_AND_RETURN_IF_FALSE(padding_is_valid(padding, kernel_size, spatial, false));
  ET_LOG_AND_RETURN_IF_FALSE(dilation_is_valid(dilation, spatial));
  ET_LOG_MSG_AND_RETURN_IF_FALSE(groups > 0, "there is no group");
  const int64_t in_channels = in.size(1);
  const int64_t out_channels = transposed ? groups * weight.size(1) : weight.size(0);
  if (transposed) {
    ET_LOG_AND_RETURN_IF_FALSE(output_padding_is_valid(output_padding, stride, dilation, spatial));
    ET_LOG_MSG_AND_RETURN_IF_FALSE(weight.size(0) == in_channels && in_channels % groups == 0,
                                   "the weight has other channels than the input");
  } else {
    ET_LOG_MSG_AND_RETURN_IF_FALSE(
        weight.size(1) * groups == in_channels && weight.size(0) % groups == 0,
        "the weight has other channels than the input");
  }
  if (bias.has_value()) {
    ET_LOG_MSG_AND_RETURN_IF_FALSE(bias->dim() == 1 && bias->size(0) == out_channels,
                                   "the bias needs an element for each output channel");
  }
  return true;
}

void get_convolution_out_target_size(const Tensor& in, const Tensor& weight, IntArrayRef stride,
                                     IntArrayRef padding, IntArrayRef dilation, bool transposed,
                                     IntArrayRef output_padding, int64_t groups,
                                     SizesType* out_sizes, size_t* out_ndim) {
  *out_ndim = in.sizes().size();
  out_sizes[0] = in.sizes()[0];
  out_sizes[1] =
      transposed ? static_cast<SizesType>(groups) * weight.sizes()[1] : weight.sizes()[0];
  int64_t kernel_size[kTensorDimensionLimit];
  const size_t spatial = *out_ndim - 2;
  for (size_t i = 0; i < spatial; ++i) {
    kernel_size[i] = weight.sizes()[i + 2];
  }
  calculate_kernel_output_sizes(in, spatial, IntArrayRef(kernel_size, spatial), stride, padding,
                                dilation, out_sizes, /*ceil_mode=*/false, transposed,
                                output_padding);
}

}  // namespace torch::executor
