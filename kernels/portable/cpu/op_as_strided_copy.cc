#include <executorch/kernels/portable/cpu/internal/shape.h>
#include <executorch/kernels/portable/cpu/internal/view.h>

namespace torch::executor::native {
Tensor& as_strided_copy_out(KernelRuntimeContext& ctx, const Tensor& in, IntArrayRef size,
                            IntArrayRef stride, optional<int64_t> storage_offset, Tensor& out) {
  const int64_t offset = storage_offset.value_or(0);
  if (!util::require_same_dtype(ctx, in, out) ||
      !util::require(ctx, size.size() == stride.size() && size.size() <= util::kMaxRank,
                     "as_strided needs one stride for each size") ||
      !util::require(ctx, offset >= 0 && offset <= in.numel(), "storage_offset is out of range")) {
    return out;
  }
  // The farthest element that is read must be one of the input's.
  const int64_t limit = in.numel() - offset;
  int64_t farthest = 0;
  bool empty = false;
  util::View view(in);
  view.rank = size.size();
  for (size_t d = 0; d < size.size(); ++d) {
    if (!util::require(ctx, size[d] >= 0 && stride[d] >= 0, "sizes and strides must not be < 0")) {
      return out;
    }
    empty = empty || size[d] == 0;
    if (size[d] > 1 && stride[d] > 0) {
      if (!util::require(ctx, size[d] - 1 <= limit / stride[d], "a stride leaves the memory")) {
        return out;
      }
      farthest += (size[d] - 1) * stride[d];
    }
    view.size[d] = static_cast<size_t>(size[d]);
    view.stride[d] = size[d] > 1 ? static_cast<ptrdiff_t>(stride[d]) : 0;
  }
  if (!util::require(ctx, empty || farthest < limit, "the strides leave the memory") ||
      !util::resize(ctx, size, out)) {
    return out;
  }
  view.data += static_cast<ptrdiff_t>(offset) * static_cast<ptrdiff_t>(view.element_size);
  util::copy(view, util::View(out));
  return out;
}

}  // namespace torch::executor::native
