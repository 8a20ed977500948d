#include <executorch/kernels/portable/cpu/internal/shape.h>
#include <executorch/kernels/portable/cpu/internal/view.h>
#include <executorch/kernels/portable/cpu/util/slice_util.h>

namespace torch::executor {

bool check_slice_scatter_args(const Tensor& input, const Tensor& src, int64_t dim,
                              int64_t num_values, int64_t step, Tensor output) {
  ET_LOG_MSG_AND_RETURN_IF_FALSE(input.dim() > 0, "a tensor of rank 0 has no slices");
  ET_LOG_AND_RETURN_IF_FALSE(executorch::runtime::tensor_has_dim(input, dim));
  ET_LOG_AND_RETURN_IF_FALSE(executorch::runtime::tensors_have_same_dtype(input, output));
  ET_LOG_AND_RETURN_IF_FALSE(executorch::runtime::tensors_have_same_rank(input, src));
  ET_LOG_MSG_AND_RETURN_IF_FALSE(step > 0, "the step is not positive");
  const size_t along = static_cast<size_t>(ET_NORMALIZE_IX(dim, input.dim()));
  for (size_t d = 0; d < input.sizes().size(); ++d) {
    const int64_t expected = d == along ? num_values : input.sizes()[d];
    ET_LOG_MSG_AND_RETURN_IF_FALSE(src.sizes()[d] == expected,
                                   "the source has another size of dimension %zu", d);
  }
  return true;
}

int64_t adjust_slice_indices(int64_t dim_length, int64_t* start, int64_t* end, int64_t step) {
  const native::util::Range range = native::util::slice_range(dim_length, *start, *end, step);
  const int64_t count = static_cast<int64_t>(range.count);
  *start = static_cast<int64_t>(range.start);
  const int64_t last = *end < 0 ? *end + dim_length : *end;
  *end = last < *start ? *start : last > dim_length ? dim_length : last;
  return count;
}

void compute_slice(KernelRuntimeContext& ctx, const Tensor& in, int64_t dim, int64_t start,
                   int64_t length, int64_t step, Tensor& out) {
  ET_KERNEL_CHECK_MSG(ctx, dim >= 0 && dim < in.dim(), InvalidArgument, ,
                      "there is no such dimension");
  ET_KERNEL_CHECK(ctx, in.scalar_type() == out.scalar_type(), InvalidArgument, );
  if (length <= 0) {
    return;
  }
  const int64_t size = in.size(static_cast<ssize_t>(dim));
  ET_KERNEL_CHECK_MSG(ctx, start >= 0 && start < size && step > 0, InvalidArgument, ,
                      "the slice begins outside of the tensor");
  ET_KERNEL_CHECK_MSG(ctx, length - 1 <= (size - 1 - start) / step, InvalidArgument, ,
                      "the slice ends behind the tensor");
  const native::util::View source =
      native::util::View(in).narrow(static_cast<size_t>(dim), static_cast<size_t>(start),
                                    static_cast<size_t>(length), static_cast<ptrdiff_t>(step));
  const native::util::View target(out);
  bool is_same = source.rank == target.rank;
  for (size_t d = 0; is_same && d < source.rank; ++d) {
    is_same = source.size[d] == target.size[d];
  }
  ET_KERNEL_CHECK_MSG(ctx, is_same, InvalidArgument, , "the output has another shape");
  native::util::copy(source, target);
}

}  // namespace torch::executor
