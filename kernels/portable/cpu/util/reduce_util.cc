#include <executorch/kernels/portable/cpu/util/reduce_util.h>

namespace torch::executor {
namespace {

using executorch::runtime::dim_is_valid;
using executorch::runtime::isFloatingType;
using executorch::runtime::isIntegralType;
using executorch::runtime::nonzero_dim;
using executorch::runtime::tensor_has_dim;
using executorch::runtime::tensor_has_non_empty_dim;
using executorch::runtime::tensor_is_floating_type;
using executorch::runtime::tensors_have_same_dtype;
using executorch::runtime::tensors_have_same_shape;

using DimList = optional<ArrayRef<int64_t>>;

/// One dimension as a list of them, which refers to it.
DimList as_list(const optional<int64_t>& dim) {
  return dim.has_value() ? DimList(ArrayRef<int64_t>(&*dim, 1)) : DimList();
}

/// Whether the reduction takes dimension `d`.
bool is_reduced(const Tensor& in, const DimList& dims, size_t d) {
  return !dims.has_value() || dims->empty() ||
         check_dim_in_dim_list(d, static_cast<size_t>(in.dim()), *dims);
}

/// The tensor's stride of dimension `d`; a tensor without strides is contiguous.
size_t stride_of(const Tensor& in, size_t d) {
  return in.strides().data() != nullptr
             ? static_cast<size_t>(in.strides()[d])
             : executorch::runtime::getTrailingDims(in, static_cast<int64_t>(d));
}

size_t size_of(const Tensor& in, size_t d) { return static_cast<size_t>(in.sizes()[d]); }

/// Whether the output has the dtype that was asked for, if one was.
bool has_requested_dtype(const optional<ScalarType>& dtype, const Tensor& out) {
  if (dtype.has_value()) {
    ET_LOG_MSG_AND_RETURN_IF_FALSE(*dtype == out.scalar_type(), "the output is %s, not %s",
                                   executorch::runtime::toString(out.scalar_type()),
                                   executorch::runtime::toString(*dtype));
  }
  return true;
}

}  // namespace

bool check_dim_list_is_valid(const Tensor& in, const DimList& dim_list) {
  if (!dim_list.has_value()) {
    return true;
  }
  const int64_t rank = nonzero_dim(in);
  bool seen[kTensorDimensionLimit] = {};
  for (const int64_t d : *dim_list) {
    ET_LOG_MSG_AND_RETURN_IF_FALSE(dim_is_valid(d, rank), "dimension %lld of %lld",
                                   static_cast<long long>(d), static_cast<long long>(rank));
    bool& is_seen = seen[d < 0 ? d + rank : d];
    ET_LOG_MSG_AND_RETURN_IF_FALSE(!is_seen, "dimension %lld is named twice",
                                   static_cast<long long>(d));
    is_seen = true;
  }
  return true;
}

bool check_dim_in_dim_list(const size_t dim, const size_t max_dim,
                           const ArrayRef<int64_t>& dim_list) {
  const int64_t rank = max_dim == 0 ? 1 : static_cast<int64_t>(max_dim);
  for (const int64_t d : dim_list) {
    if ((d < 0 ? d + rank : d) == static_cast<int64_t>(dim)) {
      return true;
    }
  }
  return false;
}

size_t get_reduced_dim_product(const Tensor& in, const optional<int64_t>& dim) {
  return get_reduced_dim_product(in, as_list(dim));
}

size_t get_reduced_dim_product(const Tensor& in, const DimList& dim_list) {
  size_t product = 1;
  for (size_t d = 0; d < in.sizes().size(); ++d) {
    product *= is_reduced(in, dim_list, d) ? size_of(in, d) : 1;
  }
  return product;
}

size_t get_out_numel(const Tensor& in, const optional<int64_t>& dim) {
  return get_out_numel(in, as_list(dim));
}

size_t get_out_numel(const Tensor& in, const DimList& dim_list) {
  size_t product = 1;
  for (size_t d = 0; d < in.sizes().size(); ++d) {
    product *= is_reduced(in, dim_list, d) ? 1 : size_of(in, d);
  }
  return product;
}

size_t get_init_index(const Tensor& in, const optional<int64_t>& dim, const size_t out_ix) {
  return get_init_index(in, as_list(dim), out_ix);
}

size_t get_init_index(const Tensor& in, const DimList& dim_list, const size_t out_ix) {
  size_t position = 0;
  size_t rest = out_ix;
  for (size_t d = in.sizes().size(); d-- > 0;) {
    if (!is_reduced(in, dim_list, d) && size_of(in, d) != 0) {
      position += rest % size_of(in, d) * stride_of(in, d);
      rest /= size_of(in, d);
    }
  }
  return position;
}

size_t compute_reduced_out_size(const Tensor& in, const optional<int64_t>& dim, bool keepdim,
                                SizesType* sizes_arr) {
  return compute_reduced_out_size(in, as_list(dim), keepdim, sizes_arr);
}

size_t compute_reduced_out_size(const Tensor& in, const DimList& dim_list, bool keepdim,
                                SizesType* sizes_arr) {
  size_t rank = 0;
  for (size_t d = 0; d < in.sizes().size(); ++d) {
    const bool reduced = is_reduced(in, dim_list, d);
    if (!reduced || keepdim) {
      sizes_arr[rank++] = reduced ? 1 : in.sizes()[d];
    }
  }
  return rank;
}

Error resize_reduction_out(const Tensor& in, const optional<int64_t>& dim, bool keepdim,
                           Tensor& out) {
  return resize_reduction_out(in, as_list(dim), keepdim, out);
}

Error resize_reduction_out(const Tensor& in, const DimList& dim_list, bool keepdim, Tensor& out) {
  SizesType sizes[kTensorDimensionLimit];
  const size_t rank = compute_reduced_out_size(in, dim_list, keepdim, sizes);
  return executorch::runtime::resize_tensor(out, ArrayRef<SizesType>(sizes, rank));
}

bool check_reduction_args(const Tensor& in, const DimList& dim_list, [[maybe_unused]] bool keepdim,
                          optional<ScalarType> dtype, Tensor& out) {
  return has_requested_dtype(dtype, out) && check_dim_list_is_valid(in, dim_list);
}

bool check_reduction_args_single_dim(const Tensor& in, optional<int64_t> dim,
                                     [[maybe_unused]] bool keepdim, optional<ScalarType> dtype,
                                     Tensor& out, bool allow_empty_dim) {
  if (!has_requested_dtype(dtype, out)) {
    return false;
  }
  if (dim.has_value()) {
    ET_LOG_AND_RETURN_IF_FALSE(tensor_has_dim(in, *dim));
    if (!allow_empty_dim && in.dim() > 0) {
      ET_LOG_AND_RETURN_IF_FALSE(tensor_has_non_empty_dim(in, *dim));
    }
  }
  return true;
}

bool check_mean_dim_args(const Tensor& in, DimList dim_list, bool keepdim,
                         optional<ScalarType> dtype, Tensor& out) {
  ET_LOG_AND_RETURN_IF_FALSE(check_reduction_args(in, dim_list, keepdim, dtype, out));
  if (dtype.has_value()) {
    ET_LOG_MSG_AND_RETURN_IF_FALSE(isFloatingType(*dtype), "a mean is floating, not %s",
                                   executorch::runtime::toString(*dtype));
    return true;
  }
  ET_LOG_AND_RETURN_IF_FALSE(tensor_is_floating_type(in));
  ET_LOG_AND_RETURN_IF_FALSE(tensors_have_same_dtype(in, out));
  return true;
}

bool check_amin_amax_args(const Tensor& in, ArrayRef<int64_t> dim_list, bool keepdim, Tensor& out) {
  ET_LOG_AND_RETURN_IF_FALSE(check_reduction_args(in, dim_list, keepdim, {}, out));
  ET_LOG_AND_RETURN_IF_FALSE(tensors_have_same_dtype(in, out));
  return true;
}

bool check_argmin_argmax_args(const Tensor& in, optional<int64_t> dim, bool keepdim, Tensor& out) {
  ET_LOG_AND_RETURN_IF_FALSE(check_reduction_args_single_dim(in, dim, keepdim, {}, out));
  ET_LOG_MSG_AND_RETURN_IF_FALSE(out.scalar_type() == ScalarType::Long, "indices are Long, not %s",
                                 executorch::runtime::toString(out.scalar_type()));
  return true;
}

bool check_min_max_args(const Tensor& in, int64_t dim, bool keepdim, Tensor& max,
                        Tensor& max_indices) {
  ET_LOG_AND_RETURN_IF_FALSE(check_reduction_args_single_dim(in, dim, keepdim, {}, max));
  ET_LOG_AND_RETURN_IF_FALSE(tensors_have_same_dtype(in, max));
  ET_LOG_AND_RETURN_IF_FALSE(tensors_have_same_shape(max, max_indices));
  ET_LOG_MSG_AND_RETURN_IF_FALSE(max_indices.scalar_type() == ScalarType::Long,
                                 "indices are Long, not %s",
                                 executorch::runtime::toString(max_indices.scalar_type()));
  return true;
}

bool check_prod_out_args(const Tensor& in, optional<ScalarType> dtype, Tensor& out) {
  if (dtype.has_value()) {
    return has_requested_dtype(dtype, out);
  }
  // Products of integers are counted in 64 bits, as eager does.
  const ScalarType expected =
      isIntegralType(in.scalar_type(), /*includeBool=*/true) ? ScalarType::Long : in.scalar_type();
  return has_requested_dtype(expected, out);
}

ApplyOverDimListPlan::ApplyOverDimListPlan(const Tensor& in, const DimList& dim_list,
                                           const int64_t start, const int64_t end)
    : in_(in), dim_list_(dim_list), out_numel_(get_out_numel(in, dim_list)) {
  ET_CHECK_MSG(check_dim_list_is_valid(in, dim_list), "not a list of dimensions");
  count_ = get_reduced_dim_product(in, dim_list);
  for (size_t d = in.sizes().size(); d-- > 0;) {
    if (is_reduced(in, dim_list, d)) {
      size_[rank_] = size_of(in, d);
      stride_[rank_++] = stride_of(in, d);
    }
  }
  const int64_t count = static_cast<int64_t>(count_);
  const int64_t last = end < 0 ? count + end : end < count ? end : count - 1;
  start_ = start < 0 ? 0 : static_cast<size_t>(start);
  end_ = last < 0 ? 0 : static_cast<size_t>(last);
  if (last < 0) {
    count_ = 0;
  }
}

MapReduceOverDimListPlan::MapReduceOverDimListPlan(const Tensor& in, const DimList& dim_list)
    : plan_(in, dim_list) {
  ET_CHECK_MSG(in.numel() > 0, "a reduction needs an element to begin with");
}

}  // namespace torch::executor
