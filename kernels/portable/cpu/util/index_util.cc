#include <executorch/kernels/portable/cpu/util/index_util.h>

namespace torch::executor {
namespace {

using executorch::runtime::nonempty_size;
using executorch::runtime::nonzero_dim;
using executorch::runtime::tensor_has_dim;
using executorch::runtime::tensor_has_rank_smaller_or_equal_to;
using executorch::runtime::tensors_have_same_dtype;

size_t wrapped(int64_t d, int64_t rank) { return static_cast<size_t>(d < 0 ? d + rank : d); }

bool is_long(const Tensor& index) {
  ET_LOG_MSG_AND_RETURN_IF_FALSE(index.scalar_type() == ScalarType::Long,
                                 "indices are Long, not %s",
                                 executorch::runtime::toString(index.scalar_type()));
  return true;
}

/// Whether all indices are in [0, size).
template <typename T>
bool in_range(const Tensor& index, int64_t size) {
  const T* const data = index.const_data_ptr<T>();
  for (ssize_t i = 0; i < index.numel(); ++i) {
    ET_LOG_MSG_AND_RETURN_IF_FALSE(data[i] >= 0 && data[i] < size, "index %lld of %lld",
                                   static_cast<long long>(data[i]), static_cast<long long>(size));
  }
  return true;
}

/// The checks that scatters share.
bool check_scatter(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& out) {
  ET_LOG_AND_RETURN_IF_FALSE(tensors_have_same_dtype(self, out));
  ET_LOG_AND_RETURN_IF_FALSE(is_long(index));
  ET_LOG_AND_RETURN_IF_FALSE(tensor_has_dim(self, dim));
  if (index.numel() == 0) {
    return true;
  }
  ET_LOG_MSG_AND_RETURN_IF_FALSE(nonzero_dim(self) == nonzero_dim(index),
                                 "the indices have another rank than the tensor");
  const size_t along = wrapped(dim, nonzero_dim(self));
  for (ssize_t d = 0; d < nonzero_dim(index); ++d) {
    ET_LOG_MSG_AND_RETURN_IF_FALSE(
        static_cast<size_t>(d) == along || nonempty_size(index, d) <= nonempty_size(self, d),
        "there are more indices than elements along dimension %zd", d);
  }
  return in_range<int64_t>(index, nonempty_size(self, static_cast<ssize_t>(along)));
}

}  // namespace

bool check_gather_args(const Tensor& in, int64_t dim, const Tensor& index,
                       [[maybe_unused]] bool sparse_grad, Tensor& output) {
  ET_LOG_AND_RETURN_IF_FALSE(tensors_have_same_dtype(in, output));
  ET_LOG_AND_RETURN_IF_FALSE(tensor_has_dim(in, dim));
  ET_LOG_AND_RETURN_IF_FALSE(is_long(index));
  if (index.numel() == 0) {
    return true;
  }
  ET_LOG_MSG_AND_RETURN_IF_FALSE(nonzero_dim(in) == nonzero_dim(index),
                                 "the indices have another rank than the tensor");
  const size_t along = wrapped(dim, nonzero_dim(in));
  for (ssize_t d = 0; d < nonzero_dim(in); ++d) {
    ET_LOG_MSG_AND_RETURN_IF_FALSE(
        static_cast<size_t>(d) == along || nonempty_size(index, d) <= nonempty_size(in, d),
        "there are more indices than elements along dimension %zd", d);
  }
  return in_range<int64_t>(index, nonempty_size(in, static_cast<ssize_t>(along)));
}

bool check_index_select_args(const Tensor& in, int64_t dim, const Tensor& index, Tensor& out) {
  ET_LOG_AND_RETURN_IF_FALSE(tensor_has_dim(in, dim));
  const ssize_t along = static_cast<ssize_t>(wrapped(dim, nonzero_dim(in)));
  ET_LOG_AND_RETURN_IF_FALSE(tensors_have_same_dtype(in, out));
  ET_LOG_MSG_AND_RETURN_IF_FALSE(
      index.scalar_type() == ScalarType::Long || index.scalar_type() == ScalarType::Int,
      "indices are Int or Long");
  ET_LOG_AND_RETURN_IF_FALSE(tensor_has_rank_smaller_or_equal_to(index, 1));
  ET_LOG_MSG_AND_RETURN_IF_FALSE(index.numel() == 0 || in.dim() == 0 || in.size(along) > 0,
                                 "there is nothing to select from");
  const int64_t size = nonempty_size(in, along);
  return index.scalar_type() == ScalarType::Long ? in_range<int64_t>(index, size)
                                                 : in_range<int32_t>(index, size);
}

void get_index_select_out_target_size(const Tensor& in, int64_t dim, const Tensor& index,
                                      SizesType* out_sizes, size_t* out_ndim) {
  *out_ndim = in.sizes().size();
  for (size_t d = 0; d < *out_ndim; ++d) {
    out_sizes[d] =
        d == wrapped(dim, in.dim()) ? static_cast<SizesType>(index.numel()) : in.sizes()[d];
  }
}

bool check_nonzero_args([[maybe_unused]] const Tensor& in, const Tensor& out) {
  ET_LOG_AND_RETURN_IF_FALSE(is_long(out));
  ET_LOG_AND_RETURN_IF_FALSE(executorch::runtime::tensor_is_rank(out, 2));
  return true;
}

bool check_scatter_src_args(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src,
                            Tensor& out) {
  ET_LOG_AND_RETURN_IF_FALSE(tensors_have_same_dtype(self, src));
  ET_LOG_AND_RETURN_IF_FALSE(check_scatter(self, dim, index, out));
  if (index.numel() == 0) {
    return true;
  }
  ET_LOG_MSG_AND_RETURN_IF_FALSE(nonzero_dim(src) == nonzero_dim(index),
                                 "the indices have another rank than the source");
  for (ssize_t d = 0; d < nonzero_dim(index); ++d) {
    ET_LOG_MSG_AND_RETURN_IF_FALSE(nonempty_size(index, d) <= nonempty_size(src, d),
                                   "there are more indices than elements of the source");
  }
  return true;
}

bool check_scatter_add_args(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src,
                            Tensor& out) {
  return check_scatter_src_args(self, dim, index, src, out);
}

bool check_scatter_value_args(const Tensor& self, int64_t dim, const Tensor& index,
                              [[maybe_unused]] const Scalar& value, Tensor& out) {
  return check_scatter(self, dim, index, out);
}

bool check_select_scatter_args(const Tensor& in, const Tensor& src, int64_t dim, int64_t index,
                               Tensor& output) {
  ET_LOG_AND_RETURN_IF_FALSE(tensors_have_same_dtype(in, output));
  ET_LOG_AND_RETURN_IF_FALSE(tensor_has_dim(in, dim) && in.dim() > 0);
  const size_t along = wrapped(dim, in.dim());
  ET_LOG_AND_RETURN_IF_FALSE(
      executorch::runtime::tensor_dim_has_index(in, static_cast<int64_t>(along), index));
  ET_LOG_MSG_AND_RETURN_IF_FALSE(in.dim() == src.dim() + 1, "the source has another rank");
  for (size_t d = 0; d < src.sizes().size(); ++d) {
    ET_LOG_MSG_AND_RETURN_IF_FALSE(src.sizes()[d] == in.sizes()[d < along ? d : d + 1],
                                   "the source has another size of dimension %zu", d);
  }
  return true;
}

}  // namespace torch::executor
