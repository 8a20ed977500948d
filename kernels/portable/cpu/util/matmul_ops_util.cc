#include <executorch/kernels/portable/cpu/util/matmul_ops_util.h>

namespace torch::executor {
namespace {

using executorch::runtime::tensor_is_rank;
using executorch::runtime::tensors_have_same_dtype;
using executorch::runtime::tensors_have_same_size_at_dims;

}  // namespace

bool check_addmm_args(const Tensor& in, const Tensor& mat1, const Tensor& mat2,
                      [[maybe_unused]] const Scalar& beta, [[maybe_unused]] const Scalar& alpha,
                      Tensor& out) {
  ET_LOG_AND_RETURN_IF_FALSE(tensor_is_rank(mat1, 2));
  ET_LOG_AND_RETURN_IF_FALSE(tensor_is_rank(mat2, 2));
  ET_LOG_AND_RETURN_IF_FALSE(tensor_is_rank(out, 2));
  ET_LOG_AND_RETURN_IF_FALSE(tensors_have_same_dtype(in, mat1, mat2));
  ET_LOG_AND_RETURN_IF_FALSE(tensors_have_same_dtype(in, out));
  ET_LOG_AND_RETURN_IF_FALSE(tensors_have_same_size_at_dims(mat1, 1, mat2, 0));
  return true;
}

bool check_bmm_args(const Tensor& in, const Tensor& mat2, Tensor& out) {
  ET_LOG_AND_RETURN_IF_FALSE(tensor_is_rank(in, 3));
  ET_LOG_AND_RETURN_IF_FALSE(tensor_is_rank(mat2, 3));
  ET_LOG_AND_RETURN_IF_FALSE(tensor_is_rank(out, 3));
  ET_LOG_AND_RETURN_IF_FALSE(tensors_have_same_dtype(in, mat2, out));
  ET_LOG_AND_RETURN_IF_FALSE(tensors_have_same_size_at_dims(in, 0, mat2, 0));
  ET_LOG_AND_RETURN_IF_FALSE(tensors_have_same_size_at_dims(in, 2, mat2, 1));
  return true;
}

void get_bmm_out_target_size(const Tensor& in, const Tensor& mat2, SizesType* out_sizes,
                             size_t* out_ndim) {
  *out_ndim = 3;
  out_sizes[0] = in.sizes()[0];
  out_sizes[1] = in.sizes()[1];
  out_sizes[2] = mat2.sizes()[2];
}

bool check_mm_args(const Tensor& in, const Tensor& mat2, Tensor& out) {
  ET_LOG_AND_RETURN_IF_FALSE(tensor_is_rank(in, 2));
  ET_LOG_AND_RETURN_IF_FALSE(tensor_is_rank(mat2, 2));
  ET_LOG_AND_RETURN_IF_FALSE(tensor_is_rank(out, 2));
  ET_LOG_AND_RETURN_IF_FALSE(tensors_have_same_dtype(in, mat2, out));
  ET_LOG_AND_RETURN_IF_FALSE(tensors_have_same_size_at_dims(in, 1, mat2, 0));
  return true;
}

void get_mm_out_target_size(const Tensor& mat1, const Tensor& mat2, SizesType* out_sizes,
                            size_t* out_ndim) {
  *out_ndim = 2;
  out_sizes[0] = mat1.sizes()[0];
  out_sizes[1] = mat2.sizes()[1];
}

bool check_linear_args(const Tensor& in, const Tensor& mat2, Tensor& out) {
  ET_LOG_AND_RETURN_IF_FALSE(executorch::runtime::tensors_have_same_rank(in, out));
  ET_LOG_MSG_AND_RETURN_IF_FALSE(in.dim() >= 1, "a linear layer needs rank 1 or more");
  ET_LOG_AND_RETURN_IF_FALSE(tensor_is_rank(mat2, 2));
  ET_LOG_AND_RETURN_IF_FALSE(tensors_have_same_dtype(in, mat2, out));
  ET_LOG_AND_RETURN_IF_FALSE(tensors_have_same_size_at_dims(in, in.sizes().size() - 1, mat2, 1));
  return true;
}

void get_linear_out_target_size(const Tensor& mat1, const Tensor& mat2, SizesType* out_sizes,
                                size_t* out_ndim) {
  *out_ndim = mat1.sizes().size();
  for (size_t d = 0; d + 1 < *out_ndim; ++d) {
    out_sizes[d] = mat1.sizes()[d];
  }
  out_sizes[*out_ndim - 1] = mat2.sizes()[0];
}

}  // namespace torch::executor
