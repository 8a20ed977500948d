#include <executorch/kernels/portable/cpu/util/upsample_util.h>

namespace torch::executor {

bool check_upsample_2d_common_args(const Tensor& in, const OptionalArrayRef<int64_t>& output_size,
                                   const OptionalArrayRef<double>& scale_factors, Tensor& out) {
  ET_LOG_AND_RETURN_IF_FALSE(executorch::runtime::tensors_have_same_dtype(in, out));
  ET_LOG_AND_RETURN_IF_FALSE(executorch::runtime::tensor_is_rank(in, 4));
  ET_LOG_AND_RETURN_IF_FALSE(executorch::runtime::tensor_is_rank(out, 4));
  ET_LOG_AND_RETURN_IF_FALSE(executorch::runtime::tensor_is_default_or_channels_last_dim_order(in));
  ET_LOG_AND_RETURN_IF_FALSE(
      executorch::runtime::tensor_is_default_or_channels_last_dim_order(out));
  ET_LOG_MSG_AND_RETURN_IF_FALSE(output_size.has_value() != scale_factors.has_value(),
                                 "either a size or factors are needed");
  if (scale_factors.has_value()) {
    ET_LOG_MSG_AND_RETURN_IF_FALSE(
        scale_factors->size() == 2 && (*scale_factors)[0] > 0 && (*scale_factors)[1] > 0,
        "two positive factors are needed");
  } else {
    ET_LOG_MSG_AND_RETURN_IF_FALSE(
        output_size->size() == 2 && (*output_size)[0] > 0 && (*output_size)[1] > 0,
        "two positive sizes are needed");
  }
  return true;
}

bool check_upsample_bilinear2d_args(const Tensor& in, const OptionalArrayRef<int64_t>& output_size,
                                    [[maybe_unused]] const bool align_corners,
                                    const OptionalArrayRef<double>& scale_factors, Tensor& out) {
  return check_upsample_2d_common_args(in, output_size, scale_factors, out);
}

bool check_upsample_nearest2d_args(const Tensor& in, const OptionalArrayRef<int64_t>& output_size,
                                   const OptionalArrayRef<double>& scale_factors, Tensor& out) {
  return check_upsample_2d_common_args(in, output_size, scale_factors, out);
}

Error resize_upsample_2d(const Tensor& in, const OptionalArrayRef<int64_t>& output_size,
                         const OptionalArrayRef<double>& scale_factors, double& scale_h_out,
                         double& scale_w_out, Tensor& out) {
  SizesType sizes[] = {in.sizes()[0], in.sizes()[1], 0, 0};
  if (scale_factors.has_value()) {
    scale_h_out = (*scale_factors)[0];
    scale_w_out = (*scale_factors)[1];
    const double height = in.sizes()[2] * scale_h_out;
    const double width = in.sizes()[3] * scale_w_out;
    ET_CHECK_OR_RETURN_ERROR(height <= INT32_MAX && width <= INT32_MAX, InvalidArgument,
                             "the output is too large");
    sizes[2] = static_cast<SizesType>(height);
    sizes[3] = static_cast<SizesType>(width);
  } else if (output_size.has_value()) {
    scale_h_out = -1.0;
    scale_w_out = -1.0;
    ET_CHECK_OR_RETURN_ERROR((*output_size)[0] <= INT32_MAX && (*output_size)[1] <= INT32_MAX,
                             InvalidArgument, "the output is too large");
    sizes[2] = static_cast<SizesType>((*output_size)[0]);
    sizes[3] = static_cast<SizesType>((*output_size)[1]);
  } else {
    ET_LOG(Error, "either a size or factors are needed");
    return Error::InvalidArgument;
  }
  ET_CHECK_OR_RETURN_ERROR(sizes[2] > 0 && sizes[3] > 0, InvalidArgument,
                           "the output would have no pixels");
  return executorch::runtime::resize_tensor(out, ArrayRef<SizesType>(sizes, 4));
}

}  // namespace torch::executor
