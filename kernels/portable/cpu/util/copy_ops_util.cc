#include <executorch/kernels/portable/cpu/util/copy_ops_util.h>

namespace torch::executor {
namespace {

using executorch::runtime::dim_is_valid;
using executorch::runtime::nonzero_dim;
using executorch::runtime::tensor_dim_has_index;
using executorch::runtime::tensor_has_dim;
using executorch::runtime::tensor_has_rank_greater_or_equal_to;
using executorch::runtime::tensor_is_rank;
using executorch::runtime::tensors_have_same_dtype;

/// Dimension `d`, which may be negative, of `rank` ones.
size_t wrapped(int64_t d, int64_t rank) { return static_cast<size_t>(d < 0 ? d + rank : d); }

/// Copies the input's sizes and rank.
void copy_sizes(const Tensor& in, SizesType* out_sizes, size_t* out_ndim) {
  *out_ndim = in.sizes().size();
  for (size_t d = 0; d < *out_ndim; ++d) {
    out_sizes[d] = in.sizes()[d];
  }
}

/// The input's sizes with another size along `dim`.
void replace_size(const Tensor& in, int64_t dim, int64_t size, SizesType* out_sizes,
                  size_t* out_ndim) {
  copy_sizes(in, out_sizes, out_ndim);
  if (*out_ndim > 0) {
    out_sizes[wrapped(dim, in.dim())] = static_cast<SizesType>(size);
  }
}

/// The input's sizes without dimension `dim`.
void remove_size(const Tensor& in, size_t dim, SizesType* out_sizes, size_t* out_ndim) {
  *out_ndim = 0;
  for (size_t d = 0; d < in.sizes().size(); ++d) {
    if (d != dim) {
      out_sizes[(*out_ndim)++] = in.sizes()[d];
    }
  }
}

/// Whether the shapes agree in all dimensions but `dim`.
bool agree_outside(const Tensor& a, const Tensor& b, size_t dim) {
  ET_LOG_AND_RETURN_IF_FALSE(executorch::runtime::tensors_have_same_rank(a, b));
  for (size_t d = 0; d < a.sizes().size(); ++d) {
    if (d != dim) {
      ET_LOG_MSG_AND_RETURN_IF_FALSE(a.sizes()[d] == b.sizes()[d],
                                     "the sizes of dimension %zu differ", d);
    }
  }
  return true;
}

/// Tensors of one element and rank 1 are passed over by `cat`, as in eager, if they are empty.
bool is_skipped_by_cat(const Tensor& t) { return t.dim() == 1 && t.numel() == 0; }

}  // namespace

bool check_as_strided_copy_args(const Tensor& in, ArrayRef<int64_t> size, ArrayRef<int64_t> stride,
                                optional<int64_t> storage_offset, Tensor& out) {
  ET_LOG_AND_RETURN_IF_FALSE(tensors_have_same_dtype(in, out));
  ET_LOG_MSG_AND_RETURN_IF_FALSE(size.size() == stride.size(), "%zu sizes, but %zu strides",
                                 size.size(), stride.size());
  const int64_t offset = storage_offset.has_value() ? *storage_offset : 0;
  ET_LOG_MSG_AND_RETURN_IF_FALSE(offset >= 0, "the offset is negative");
  int64_t last = offset;
  for (size_t d = 0; d < size.size(); ++d) {
    ET_LOG_MSG_AND_RETURN_IF_FALSE(size[d] >= 0 && stride[d] >= 0,
                                   "size or stride of dimension %zu is negative", d);
    if (size[d] == 0) {
      return true;
    }
    int64_t step = 0;
    ET_LOG_MSG_AND_RETURN_IF_FALSE(!__builtin_mul_overflow(size[d] - 1, stride[d], &step) &&
                                       !__builtin_add_overflow(last, step, &last),
                                   "dimension %zu is too large", d);
  }
  ET_LOG_MSG_AND_RETURN_IF_FALSE(last < in.numel(), "the view is larger than the tensor");
  return true;
}

bool check_cat_args(ArrayRef<Tensor> tensors, int64_t dim, Tensor& out) {
  ET_LOG_MSG_AND_RETURN_IF_FALSE(tensors.size() > 0, "cat needs a tensor");
  size_t reference = 0;
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (!is_skipped_by_cat(tensors[i])) {
      reference = i;
      break;
    }
  }
  const int64_t rank = tensors[reference].dim();
  ET_LOG_MSG_AND_RETURN_IF_FALSE(rank > 0, "tensors of rank 0 cannot be concatenated");
  ET_LOG_MSG_AND_RETURN_IF_FALSE(dim_is_valid(dim, rank), "there is no such dimension");
  for (const Tensor& t : tensors) {
    ET_LOG_AND_RETURN_IF_FALSE(executorch::runtime::canCast(t.scalar_type(), out.scalar_type()));
    ET_LOG_AND_RETURN_IF_FALSE(executorch::runtime::tensors_have_same_dim_order(t, out));
    if (!is_skipped_by_cat(t)) {
      ET_LOG_AND_RETURN_IF_FALSE(agree_outside(t, tensors[reference], wrapped(dim, rank)));
    }
  }
  return true;
}

void get_cat_out_target_size(ArrayRef<Tensor> tensors, int64_t dim, SizesType* out_sizes,
                             size_t* out_ndim) {
  SizesType total = 0;
  const Tensor* reference = nullptr;
  for (const Tensor& t : tensors) {
    if (!is_skipped_by_cat(t)) {
      total += t.sizes()[wrapped(dim, t.dim())];
      reference = reference == nullptr ? &t : reference;
    }
  }
  replace_size(reference == nullptr ? tensors[0] : *reference, reference == nullptr ? 0 : dim,
               total, out_sizes, out_ndim);
}

bool check_diagonal_copy_args(const Tensor& in, int64_t dim1, int64_t dim2, Tensor& out) {
  ET_LOG_AND_RETURN_IF_FALSE(tensors_have_same_dtype(in, out));
  ET_LOG_AND_RETURN_IF_FALSE(tensor_has_rank_greater_or_equal_to(in, 2));
  ET_LOG_AND_RETURN_IF_FALSE(tensor_has_dim(in, dim1));
  ET_LOG_AND_RETURN_IF_FALSE(tensor_has_dim(in, dim2));
  ET_LOG_MSG_AND_RETURN_IF_FALSE(wrapped(dim1, in.dim()) != wrapped(dim2, in.dim()),
                                 "a diagonal needs two different dimensions");
  return true;
}

void get_diagonal_copy_out_target_size(const Tensor& in, int64_t offset, int64_t dim1, int64_t dim2,
                                       SizesType* out_sizes, size_t* out_ndim) {
  const size_t first = wrapped(dim1, in.dim());
  const size_t second = wrapped(dim2, in.dim());
  *out_ndim = 0;
  for (size_t d = 0; d < in.sizes().size(); ++d) {
    if (d != first && d != second) {
      out_sizes[(*out_ndim)++] = in.sizes()[d];
    }
  }
  const int64_t rows = in.sizes()[first] + (offset < 0 ? offset : 0);
  const int64_t columns = in.sizes()[second] - (offset > 0 ? offset : 0);
  const int64_t length = rows < columns ? rows : columns;
  out_sizes[(*out_ndim)++] = static_cast<SizesType>(length < 0 ? 0 : length);
}

bool check_expand_copy_args(const Tensor& self, ArrayRef<int64_t> expand_sizes, bool implicit,
                            Tensor& out) {
  ET_LOG_MSG_AND_RETURN_IF_FALSE(!implicit, "implicit expand is not supported");
  ET_LOG_MSG_AND_RETURN_IF_FALSE(
      expand_sizes.size() >= self.sizes().size() && expand_sizes.size() <= kTensorDimensionLimit,
      "rank %zu does not expand to rank %zu", self.sizes().size(), expand_sizes.size());
  ET_LOG_AND_RETURN_IF_FALSE(tensors_have_same_dtype(self, out));
  return true;
}

bool get_expand_copy_out_target_size(ArrayRef<SizesType> self_sizes, ArrayRef<int64_t> expand_sizes,
                                     SizesType* output_sizes, size_t* output_rank) {
  *output_rank = 0;
  ET_LOG_MSG_AND_RETURN_IF_FALSE(
      expand_sizes.size() >= self_sizes.size() && expand_sizes.size() <= kTensorDimensionLimit,
      "rank %zu does not expand to rank %zu", self_sizes.size(), expand_sizes.size());
  const size_t missing = expand_sizes.size() - self_sizes.size();
  for (size_t d = 0; d < expand_sizes.size(); ++d) {
    const bool is_new = d < missing;
    const int64_t own = is_new ? 1 : self_sizes[d - missing];
    const int64_t size = expand_sizes[d] == -1 && !is_new ? own : expand_sizes[d];
    ET_LOG_MSG_AND_RETURN_IF_FALSE(size >= 0 && (own == 1 || own == size),
                                   "dimension %zu does not expand", d);
    output_sizes[d] = static_cast<SizesType>(size);
  }
  *output_rank = expand_sizes.size();
  return true;
}

bool check_narrow_copy_args(const Tensor& in, int64_t dim, int64_t start, int64_t length,
                            Tensor& out) {
  ET_LOG_AND_RETURN_IF_FALSE(tensor_has_rank_greater_or_equal_to(in, 1));
  ET_LOG_AND_RETURN_IF_FALSE(tensors_have_same_dtype(in, out));
  ET_LOG_AND_RETURN_IF_FALSE(tensor_has_dim(in, dim));
  const int64_t size = in.sizes()[wrapped(dim, in.dim())];
  ET_LOG_MSG_AND_RETURN_IF_FALSE(length >= 0, "the length is negative");
  ET_LOG_MSG_AND_RETURN_IF_FALSE(start >= -size && start <= size, "the start is out of range");
  ET_LOG_MSG_AND_RETURN_IF_FALSE(length <= size - (start < 0 ? start + size : start),
                                 "the range ends behind the tensor");
  return true;
}

void get_narrow_copy_out_target_size(const Tensor& in, int64_t dim, int64_t length,
                                     SizesType* out_sizes, size_t* out_ndim) {
  replace_size(in, dim, length, out_sizes, out_ndim);
}

bool check_permute_copy_args(const Tensor& in, IntArrayRef dims, Tensor& out) {
  ET_LOG_AND_RETURN_IF_FALSE(tensor_is_rank(in, dims.size()));
  ET_LOG_AND_RETURN_IF_FALSE(tensors_have_same_dtype(in, out));
  bool seen[kTensorDimensionLimit] = {};
  for (const int64_t d : dims) {
    ET_LOG_AND_RETURN_IF_FALSE(tensor_has_dim(in, d));
    bool& is_seen = seen[wrapped(d, in.dim())];
    ET_LOG_MSG_AND_RETURN_IF_FALSE(!is_seen, "a dimension is named twice");
    is_seen = true;
  }
  return true;
}

void get_permute_copy_out_target_size(const Tensor& in, IntArrayRef dims, SizesType* out_sizes,
                                      size_t* out_ndim) {
  *out_ndim = in.sizes().size();
  for (size_t d = 0; d < *out_ndim; ++d) {
    out_sizes[d] = in.sizes()[wrapped(dims[d], in.dim())];
  }
}

bool check_pixel_shuffle_args(const Tensor& in, int64_t upscale_factor, Tensor& out) {
  ET_LOG_AND_RETURN_IF_FALSE(tensors_have_same_dtype(in, out));
  ET_LOG_AND_RETURN_IF_FALSE(tensor_has_rank_greater_or_equal_to(in, 3));
  // Larger factors have no square in 64 bits, and no tensor has as many channels.
  ET_LOG_MSG_AND_RETURN_IF_FALSE(upscale_factor > 0 && upscale_factor <= INT32_MAX,
                                 "the factor is out of range");
  ET_LOG_MSG_AND_RETURN_IF_FALSE(in.size(in.dim() - 3) % (upscale_factor * upscale_factor) == 0,
                                 "the channels are no multiple of the factor's square");
  return true;
}

void get_pixel_shuffle_out_target_size(const Tensor& in, int64_t upscale_factor,
                                       SizesType* out_sizes, size_t* out_ndim) {
  copy_sizes(in, out_sizes, out_ndim);
  const SizesType factor = static_cast<SizesType>(upscale_factor);
  out_sizes[*out_ndim - 3] /= factor * factor;
  out_sizes[*out_ndim - 2] *= factor;
  out_sizes[*out_ndim - 1] *= factor;
}

bool check_pixel_unshuffle_args(const Tensor& in, int64_t downscale_factor, Tensor& out) {
  ET_LOG_AND_RETURN_IF_FALSE(tensors_have_same_dtype(in, out));
  ET_LOG_AND_RETURN_IF_FALSE(tensor_has_rank_greater_or_equal_to(in, 3));
  ET_LOG_MSG_AND_RETURN_IF_FALSE(downscale_factor > 0 && downscale_factor <= INT32_MAX,
                                 "the factor is out of range");
  ET_LOG_MSG_AND_RETURN_IF_FALSE(in.size(in.dim() - 1) % downscale_factor == 0 &&
                                     in.size(in.dim() - 2) % downscale_factor == 0,
                                 "height and width are no multiples of the factor");
  return true;
}

void get_pixel_unshuffle_out_target_size(const Tensor& in, int64_t downscale_factor,
                                         SizesType* out_sizes, size_t* out_ndim) {
  copy_sizes(in, out_sizes, out_ndim);
  const SizesType factor = static_cast<SizesType>(downscale_factor);
  out_sizes[*out_ndim - 3] *= factor * factor;
  out_sizes[*out_ndim - 2] /= factor;
  out_sizes[*out_ndim - 1] /= factor;
}

bool check_select_copy_out_args(const Tensor& in, int64_t dim, int64_t index, Tensor& out) {
  ET_LOG_AND_RETURN_IF_FALSE(tensor_has_rank_greater_or_equal_to(in, 1));
  ET_LOG_AND_RETURN_IF_FALSE(tensor_has_dim(in, dim));
  ET_LOG_AND_RETURN_IF_FALSE(
      tensor_dim_has_index(in, static_cast<int64_t>(wrapped(dim, in.dim())), index));
  ET_LOG_AND_RETURN_IF_FALSE(tensors_have_same_dtype(in, out));
  return true;
}

void get_select_copy_out_target_size(const Tensor& in, int64_t dim, SizesType* out_sizes,
                                     size_t* out_ndim) {
  remove_size(in, wrapped(dim, in.dim()), out_sizes, out_ndim);
}

bool check_slice_copy_args(const Tensor& in, int64_t dim, int64_t step, Tensor& out) {
  ET_LOG_AND_RETURN_IF_FALSE(tensor_has_rank_greater_or_equal_to(in, 1));
  ET_LOG_AND_RETURN_IF_FALSE(tensor_has_dim(in, dim));
  ET_LOG_AND_RETURN_IF_FALSE(tensors_have_same_dtype(in, out));
  ET_LOG_MSG_AND_RETURN_IF_FALSE(step > 0, "the step is not positive");
  return true;
}

void get_slice_copy_out_target_size(const Tensor& in, int64_t dim, int64_t length,
                                    SizesType* out_sizes, size_t* out_ndim) {
  replace_size(in, dim, length, out_sizes, out_ndim);
}

bool check_split_copy_args(const Tensor& input, int64_t split_size, int64_t dim,
                           ArrayRef<Tensor> out) {
  ET_LOG_AND_RETURN_IF_FALSE(tensor_has_rank_greater_or_equal_to(input, 1));
  ET_LOG_AND_RETURN_IF_FALSE(tensor_has_dim(input, dim));
  const size_t d = wrapped(dim, input.dim());
  const int64_t size = input.sizes()[d];
  ET_LOG_MSG_AND_RETURN_IF_FALSE(split_size > 0 || (split_size == 0 && size == 0),
                                 "pieces of this size do not make up the dimension");
  const int64_t pieces = size == 0 ? 1 : size / split_size + (size % split_size == 0 ? 0 : 1);
  ET_LOG_MSG_AND_RETURN_IF_FALSE(static_cast<int64_t>(out.size()) == pieces,
                                 "%lld pieces, but %zu outputs", static_cast<long long>(pieces),
                                 out.size());
  for (size_t i = 0; i < out.size(); ++i) {
    const bool is_last = i + 1 == out.size();
    const int64_t expected = is_last ? size - static_cast<int64_t>(i) * split_size : split_size;
    ET_LOG_AND_RETURN_IF_FALSE(tensors_have_same_dtype(input, out[i]));
    ET_LOG_AND_RETURN_IF_FALSE(agree_outside(input, out[i], d));
    ET_LOG_MSG_AND_RETURN_IF_FALSE(out[i].sizes()[d] == expected, "output %zu has another size", i);
  }
  return true;
}

bool check_split_with_sizes_copy_args(const Tensor& in, ArrayRef<int64_t> split_sizes, int64_t dim,
                                      ArrayRef<Tensor> out) {
  ET_LOG_AND_RETURN_IF_FALSE(tensor_has_rank_greater_or_equal_to(in, 1));
  ET_LOG_AND_RETURN_IF_FALSE(tensor_has_dim(in, dim));
  ET_LOG_MSG_AND_RETURN_IF_FALSE(split_sizes.size() == out.size(), "%zu sizes, but %zu outputs",
                                 split_sizes.size(), out.size());
  int64_t rest = in.sizes()[wrapped(dim, in.dim())];
  for (const int64_t size : split_sizes) {
    ET_LOG_MSG_AND_RETURN_IF_FALSE(size >= 0 && size <= rest, "the sizes are not those of parts");
    rest -= size;
  }
  ET_LOG_MSG_AND_RETURN_IF_FALSE(rest == 0, "the parts are smaller than the dimension");
  for (const Tensor& t : out) {
    ET_LOG_AND_RETURN_IF_FALSE(tensors_have_same_dtype(in, t));
  }
  return true;
}

void get_split_with_sizes_copy_out_target_size(const Tensor& in, int64_t split_size, int64_t dim,
                                               SizesType* out_sizes, size_t* out_ndim) {
  replace_size(in, dim, split_size, out_sizes, out_ndim);
}

bool check_squeeze_copy_dim_args(const Tensor in, int64_t dim, const Tensor out) {
  ET_LOG_AND_RETURN_IF_FALSE(tensors_have_same_dtype(in, out));
  ET_LOG_AND_RETURN_IF_FALSE(tensor_has_dim(in, dim));
  return true;
}

void get_squeeze_copy_dim_out_target_size(const Tensor in, int64_t dim, SizesType* out_sizes,
                                          size_t* out_ndim) {
  get_squeeze_copy_dims_out_target_size(in, ArrayRef<int64_t>(&dim, 1), out_sizes, out_ndim);
}

bool check_squeeze_copy_dims_args(const Tensor in, const ArrayRef<int64_t> dims, const Tensor out) {
  ET_LOG_AND_RETURN_IF_FALSE(tensors_have_same_dtype(in, out));
  bool seen[kTensorDimensionLimit] = {};
  for (const int64_t d : dims) {
    ET_LOG_AND_RETURN_IF_FALSE(tensor_has_dim(in, d));
    bool& is_seen = seen[wrapped(d, nonzero_dim(in))];
    ET_LOG_MSG_AND_RETURN_IF_FALSE(!is_seen, "a dimension is named twice");
    is_seen = true;
  }
  return true;
}

void get_squeeze_copy_dims_out_target_size(const Tensor in, const ArrayRef<int64_t> dims,
                                           SizesType* out_sizes, size_t* out_ndim) {
  *out_ndim = 0;
  for (size_t d = 0; d < in.sizes().size(); ++d) {
    bool goes = false;
    for (const int64_t dim : dims) {
      goes = goes || (wrapped(dim, in.dim()) == d && in.sizes()[d] == 1);
    }
    if (!goes) {
      out_sizes[(*out_ndim)++] = in.sizes()[d];
    }
  }
}

}  // namespace torch::executor
