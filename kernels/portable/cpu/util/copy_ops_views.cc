#include <executorch/kernels/portable/cpu/util/copy_ops_util.h>

namespace torch::executor {
namespace {

using executorch::runtime::dim_is_valid;
using executorch::runtime::tensor_has_dim;
using executorch::runtime::tensor_has_rank_greater_or_equal_to;
using executorch::runtime::tensors_have_same_dtype;
using executorch::runtime::tensors_have_same_shape;

size_t wrapped(int64_t d, int64_t rank) { return static_cast<size_t>(d < 0 ? d + rank : d); }

}  // namespace

bool check_stack_args(ArrayRef<Tensor> tensors, int64_t dim, Tensor& out) {
  ET_LOG_MSG_AND_RETURN_IF_FALSE(tensors.size() > 0, "stack needs a tensor");
  ET_LOG_MSG_AND_RETURN_IF_FALSE(tensors[0].sizes().size() < kTensorDimensionLimit,
                                 "the rank is at its limit");
  ET_LOG_MSG_AND_RETURN_IF_FALSE(dim_is_valid(dim, tensors[0].dim() + 1),
                                 "there is no such dimension");
  for (const Tensor& t : tensors) {
    ET_LOG_AND_RETURN_IF_FALSE(executorch::runtime::canCast(t.scalar_type(), out.scalar_type()));
    ET_LOG_AND_RETURN_IF_FALSE(tensors_have_same_shape(t, tensors[0]));
  }
  return true;
}

void get_stack_out_target_size(ArrayRef<Tensor> tensors, int64_t dim, SizesType* out_sizes,
                               size_t* out_ndim) {
  const Tensor& first = tensors[0];
  *out_ndim = first.sizes().size() + 1;
  const size_t at = wrapped(dim, first.dim() + 1);
  for (size_t d = 0; d < *out_ndim; ++d) {
    out_sizes[d] =
        d == at ? static_cast<SizesType>(tensors.size()) : first.sizes()[d < at ? d : d - 1];
  }
}

bool check_tril_args(const Tensor& in, Tensor& out) {
  ET_LOG_AND_RETURN_IF_FALSE(tensors_have_same_dtype(in, out));
  ET_LOG_AND_RETURN_IF_FALSE(tensor_has_rank_greater_or_equal_to(in, 2));
  return true;
}

bool check_unbind_copy_args(const Tensor& in, int64_t dim, ArrayRef<Tensor> out) {
  ET_LOG_AND_RETURN_IF_FALSE(tensor_has_rank_greater_or_equal_to(in, 1));
  ET_LOG_AND_RETURN_IF_FALSE(tensor_has_dim(in, dim));
  const size_t at = wrapped(dim, in.dim());
  ET_LOG_MSG_AND_RETURN_IF_FALSE(static_cast<int64_t>(out.size()) == in.sizes()[at],
                                 "%zu outputs, but a size of %d", out.size(), in.sizes()[at]);
  for (const Tensor& t : out) {
    ET_LOG_AND_RETURN_IF_FALSE(tensors_have_same_dtype(in, t));
    ET_LOG_MSG_AND_RETURN_IF_FALSE(t.dim() == in.dim() - 1, "an output has another rank");
    for (size_t d = 0; d < t.sizes().size(); ++d) {
      ET_LOG_MSG_AND_RETURN_IF_FALSE(t.sizes()[d] == in.sizes()[d < at ? d : d + 1],
                                     "an output has another size of dimension %zu", d);
    }
  }
  return true;
}

bool check_unfold_copy_args(const Tensor& self, int64_t dim, int64_t size, int64_t step) {
  ET_LOG_AND_RETURN_IF_FALSE(tensor_has_dim(self, dim));
  ET_LOG_MSG_AND_RETURN_IF_FALSE(size >= 0, "the size is negative");
  const int64_t length = executorch::runtime::nonempty_size(
      self, static_cast<ssize_t>(wrapped(dim, executorch::runtime::nonzero_dim(self))));
  ET_LOG_MSG_AND_RETURN_IF_FALSE(size <= length, "the size is beyond that of the dimension");
  ET_LOG_MSG_AND_RETURN_IF_FALSE(step > 0, "the step is not positive");
  return true;
}

void get_unfold_copy_out_target_size(const Tensor& self, int64_t dim, int64_t size, int64_t step,
                                     SizesType* out_sizes, size_t* out_ndim) {
  const size_t rank = self.sizes().size();
  for (size_t d = 0; d < rank; ++d) {
    out_sizes[d] = self.sizes()[d];
  }
  if (rank > 0) {
    SizesType& windows = out_sizes[wrapped(dim, self.dim())];
    windows = static_cast<SizesType>((windows - size) / step + 1);
  }
  out_sizes[rank] = static_cast<SizesType>(size);
  *out_ndim = rank + 1;
}

bool check_unsqueeze_copy_args(const Tensor input, int64_t dim, const Tensor out) {
  ET_LOG_AND_RETURN_IF_FALSE(tensors_have_same_dtype(input, out));
  ET_LOG_MSG_AND_RETURN_IF_FALSE(out.dim() == input.dim() + 1, "the output's rank is not one more");
  ET_LOG_AND_RETURN_IF_FALSE(tensor_has_dim(out, dim));
  const size_t at = wrapped(dim, out.dim());
  for (size_t d = 0; d < out.sizes().size(); ++d) {
    const SizesType expected = d == at ? 1 : input.sizes()[d < at ? d : d - 1];
    ET_LOG_MSG_AND_RETURN_IF_FALSE(out.sizes()[d] == expected,
                                   "the output has another size of dimension %zu", d);
  }
  return true;
}

bool check_view_copy_args(const Tensor& self, ArrayRef<int64_t> size_int64_t, Tensor& out) {
  ET_LOG_MSG_AND_RETURN_IF_FALSE(size_int64_t.size() == out.sizes().size(),
                                 "%zu sizes, but an output of rank %zu", size_int64_t.size(),
                                 out.sizes().size());
  ET_LOG_AND_RETURN_IF_FALSE(tensors_have_same_dtype(self, out));
  ET_LOG_MSG_AND_RETURN_IF_FALSE(self.numel() == out.numel(),
                                 "a view has as many elements as the tensor");
  bool has_open = false;
  for (size_t d = 0; d < size_int64_t.size(); ++d) {
    if (size_int64_t[d] == -1) {
      ET_LOG_MSG_AND_RETURN_IF_FALSE(!has_open, "only one size may be open");
      has_open = true;
    } else {
      ET_LOG_MSG_AND_RETURN_IF_FALSE(size_int64_t[d] == out.sizes()[d],
                                     "the output has another size of dimension %zu", d);
    }
  }
  return true;
}

bool get_view_copy_target_size(const Tensor input, ArrayRef<int64_t> size_int64_t, int64_t dim,
                               SizesType* out_sizes) {
  ET_LOG_MSG_AND_RETURN_IF_FALSE(static_cast<int64_t>(size_int64_t.size()) == dim,
                                 "%zu sizes for rank %lld", size_int64_t.size(),
                                 static_cast<long long>(dim));
  int64_t known = 1;
  size_t open = size_int64_t.size();
  for (size_t d = 0; d < size_int64_t.size(); ++d) {
    if (size_int64_t[d] == -1) {
      ET_LOG_MSG_AND_RETURN_IF_FALSE(open == size_int64_t.size(), "only one size may be open");
      open = d;
      continue;
    }
    ET_LOG_MSG_AND_RETURN_IF_FALSE(size_int64_t[d] >= 0 && size_int64_t[d] <= INT32_MAX &&
                                       !__builtin_mul_overflow(known, size_int64_t[d], &known),
                                   "size %zu is out of range", d);
    out_sizes[d] = static_cast<SizesType>(size_int64_t[d]);
  }
  if (open == size_int64_t.size()) {
    ET_LOG_MSG_AND_RETURN_IF_FALSE(known == input.numel(),
                                   "a view has as many elements as the tensor");
    return true;
  }
  ET_LOG_MSG_AND_RETURN_IF_FALSE(known > 0 && input.numel() % known == 0,
                                 "the open size cannot be told from the others");
  out_sizes[open] = static_cast<SizesType>(input.numel() / known);
  return true;
}

void get_view_as_real_copy_out_target_size(const Tensor& self, SizesType* out_sizes) {
  for (size_t d = 0; d < self.sizes().size(); ++d) {
    out_sizes[d] = self.sizes()[d];
  }
  out_sizes[self.sizes().size()] = 2;
}

bool check_to_copy_args([[maybe_unused]] const Tensor& input, bool non_blocking,
                        optional<executorch::aten::MemoryFormat> memory_format,
                        [[maybe_unused]] Tensor& out) {
  ET_LOG_MSG_AND_RETURN_IF_FALSE(!non_blocking, "there are no copies in the background");
  ET_LOG_MSG_AND_RETURN_IF_FALSE(!memory_format.has_value() ||
                                     *memory_format == executorch::aten::MemoryFormat::Contiguous ||
                                     *memory_format == executorch::aten::MemoryFormat::Preserve,
                                 "the memory format is not supported");
  return true;
}

bool check__to_dim_order_copy_args(const Tensor& input, bool non_blocking,
                                   executorch::aten::OptionalArrayRef<int64_t> dim_order,
                                   Tensor& out) {
  ET_LOG_MSG_AND_RETURN_IF_FALSE(!non_blocking, "there are no copies in the background");
  ET_LOG_AND_RETURN_IF_FALSE(executorch::runtime::tensors_have_same_rank(input, out));
  if (!dim_order.has_value()) {
    // What is not said stays as it is.
    ET_LOG_AND_RETURN_IF_FALSE(executorch::runtime::tensors_have_same_dim_order(input, out));
    return true;
  }
  ET_LOG_MSG_AND_RETURN_IF_FALSE(dim_order->size() == out.sizes().size(),
                                 "a dim order of %zu for rank %zu", dim_order->size(),
                                 out.sizes().size());
  for (size_t d = 0; d < dim_order->size(); ++d) {
    ET_LOG_MSG_AND_RETURN_IF_FALSE((*dim_order)[d] == out.dim_order()[d],
                                   "the output has another dim order");
  }
  return true;
}

}  // namespace torch::executor
