#include <executorch/kernels/portable/cpu/util/advanced_index_util.h>
#include <executorch/kernels/portable/cpu/util/broadcast_util.h>

namespace torch::executor {
namespace {

bool is_mask(const Tensor& t) {
  return t.scalar_type() == ScalarType::Bool || t.scalar_type() == ScalarType::Byte;
}

SizesType count_true(const Tensor& mask) {
  const uint8_t* const data = static_cast<const uint8_t*>(mask.const_data_ptr());
  SizesType count = 0;
  for (ssize_t i = 0; i < mask.numel(); ++i) {
    count += data[i] != 0 ? 1 : 0;
  }
  return count;
}

size_t dims_of(const Tensor& index) { return is_mask(index) ? index.sizes().size() : 1; }

}  // namespace

bool check_index_args(const Tensor& in, IndexList indices, Tensor& out) {
  ET_LOG_AND_RETURN_IF_FALSE(executorch::runtime::tensors_have_same_dtype(in, out));
  size_t at = 0;
  for (const optional<Tensor>& index : indices) {
    if (!index.has_value()) {
      ++at;
      continue;
    }
    const bool has_integers =
        index->scalar_type() == ScalarType::Long || index->scalar_type() == ScalarType::Int;
    ET_LOG_MSG_AND_RETURN_IF_FALSE(has_integers || is_mask(*index), "indices cannot be %s",
                                   executorch::runtime::toString(index->scalar_type()));
    const size_t dims = dims_of(*index);
    ET_LOG_MSG_AND_RETURN_IF_FALSE(at + dims <= in.sizes().size(), "there are too many indices");
    for (size_t d = 0; is_mask(*index) && d < dims; ++d) {
      ET_LOG_MSG_AND_RETURN_IF_FALSE(index->sizes()[d] == in.sizes()[at + d],
                                     "a mask has another size than dimension %zu", at + d);
    }
    at += dims;
  }
  ET_LOG_MSG_AND_RETURN_IF_FALSE(at <= in.sizes().size(), "there are too many indices");
  return true;
}

size_t count_index_blocks(IndexList indices) {
  size_t blocks = 0;
  bool is_inside = false;
  for (const optional<Tensor>& index : indices) {
    blocks += index.has_value() && !is_inside ? 1 : 0;
    is_inside = index.has_value();
  }
  return blocks;
}

bool get_indices_broadcast_shape(IndexList indices, SizesType* ix_sizes, size_t* ix_ndim) {
  *ix_ndim = 0;
  for (const optional<Tensor>& index : indices) {
    if (!index.has_value()) {
      continue;
    }
    SizesType found = 0;
    ArrayRef<SizesType> shape = index->sizes();
    if (is_mask(*index)) {
      found = count_true(*index);
      shape = ArrayRef<SizesType>(&found, 1);
    }
    SizesType common[kTensorDimensionLimit];
    size_t rank = 0;
    if (get_broadcast_target_size(ArrayRef<SizesType>(ix_sizes, *ix_ndim), shape, common,
                                  kTensorDimensionLimit, &rank) != Error::Ok) {
      return false;
    }
    *ix_ndim = rank;
    for (size_t d = 0; d < rank; ++d) {
      ix_sizes[d] = common[d];
    }
  }
  return true;
}

size_t get_indices_broadcast_ndim(IndexList indices) {
  size_t rank = 0;
  for (const optional<Tensor>& index : indices) {
    if (index.has_value()) {
      const size_t own = is_mask(*index) ? 1 : index->sizes().size();
      rank = own > rank ? own : rank;
    }
  }
  return rank;
}

size_t get_num_indexed_dims(IndexList indices) {
  size_t count = 0;
  for (const optional<Tensor>& index : indices) {
    count += index.has_value() ? dims_of(*index) : 0;
  }
  return count;
}

size_t get_num_null_indices(IndexList indices) {
  size_t count = 0;
  for (const optional<Tensor>& index : indices) {
    count += index.has_value() ? 0 : 1;
  }
  return count;
}

size_t get_num_leading_null_indices(IndexList indices) {
  size_t count = 0;
  while (count < indices.size() && !indices[count].has_value()) {
    ++count;
  }
  return count;
}

bool get_index_out_target_size(const Tensor& in, IndexList indices, bool adjacent,
                               SizesType* out_sizes, size_t* out_ndim) {
  SizesType shape[kTensorDimensionLimit] = {};
  size_t rank = 0;
  if (!get_indices_broadcast_shape(indices, shape, &rank)) {
    return false;
  }
  const size_t in_rank = in.sizes().size();
  const size_t indexed = get_num_indexed_dims(indices);
  ET_LOG_MSG_AND_RETURN_IF_FALSE(indexed + get_num_null_indices(indices) <= in_rank,
                                 "there are too many indices");
  ET_LOG_MSG_AND_RETURN_IF_FALSE(in_rank - indexed + rank <= kTensorDimensionLimit,
                                 "the output's rank is beyond the limit");
  // In front of the indexed dimensions are those without index, if they stay where they are.
  const size_t front = adjacent ? get_num_leading_null_indices(indices) : 0;
  *out_ndim = 0;
  size_t at = 0;
  size_t kept = 0;
  const auto put_indexed = [&] {
    for (size_t d = 0; d < rank; ++d) {
      out_sizes[(*out_ndim)++] = shape[d];
    }
  };
  if (front == 0) {
    put_indexed();
  }
  for (size_t i = 0; i < indices.size() || at < in_rank; ++i) {
    if (i < indices.size() && indices[i].has_value()) {
      at += dims_of(*indices[i]);
      continue;
    }
    out_sizes[(*out_ndim)++] = in.sizes()[at++];
    if (++kept == front) {
      put_indexed();
    }
  }
  return true;
}

}  // namespace torch::executor
