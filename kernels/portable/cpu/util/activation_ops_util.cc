#include <executorch/kernels/portable/cpu/util/activation_ops_util.h>

namespace torch::executor {
namespace {

using executorch::runtime::tensor_has_dim;
using executorch::runtime::tensor_is_floating_type;
using executorch::runtime::tensors_have_same_dtype;

size_t wrapped(int64_t d, int64_t rank) { return static_cast<size_t>(d < 0 ? d + rank : d); }

}  // namespace

bool check_gelu_args(const Tensor& in, string_view approximate, Tensor& out) {
  ET_LOG_AND_RETURN_IF_FALSE(tensors_have_same_dtype(in, out));
  ET_LOG_AND_RETURN_IF_FALSE(tensor_is_floating_type(in));
  ET_LOG_MSG_AND_RETURN_IF_FALSE(approximate == "none" || approximate == "tanh",
                                 "gelu is approximated by \"tanh\" or \"none\", not \"%.*s\"",
                                 static_cast<int>(approximate.size()), approximate.data());
  return true;
}

bool check_glu_args(const Tensor& in, int64_t dim, Tensor& out) {
  ET_LOG_AND_RETURN_IF_FALSE(tensor_has_dim(in, dim) && in.dim() > 0);
  ET_LOG_AND_RETURN_IF_FALSE(tensor_is_floating_type(in));
  ET_LOG_AND_RETURN_IF_FALSE(tensor_is_floating_type(out));
  ET_LOG_MSG_AND_RETURN_IF_FALSE(in.sizes()[wrapped(dim, in.dim())] % 2 == 0,
                                 "the dimension has no two halves");
  return true;
}

Error resize_glu_out(const Tensor& in, int64_t dim, Tensor& out) {
  SizesType sizes[kTensorDimensionLimit];
  for (size_t d = 0; d < in.sizes().size(); ++d) {
    sizes[d] = in.sizes()[d] / (d == wrapped(dim, in.dim()) ? 2 : 1);
  }
  return executorch::runtime::resize_tensor(out, ArrayRef<SizesType>(sizes, in.sizes().size()));
}

bool check_log_softmax_args(const Tensor& in, int64_t dim, bool half_to_float, Tensor& out) {
  return check_softmax_args(in, dim, half_to_float, out);
}

bool check_softmax_args(const Tensor& in, int64_t dim, bool half_to_float, Tensor& out) {
  ET_LOG_MSG_AND_RETURN_IF_FALSE(!half_to_float, "half_to_float is for other devices");
  ET_LOG_AND_RETURN_IF_FALSE(tensors_have_same_dtype(in, out));
  ET_LOG_AND_RETURN_IF_FALSE(tensor_has_dim(in, dim));
  return true;
}

}  // namespace torch::executor
