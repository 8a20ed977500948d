#include <executorch/kernels/portable/cpu/internal/lines.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native {
Tensor& index_select_out(KernelRuntimeContext& ctx, const Tensor& in, int64_t dim,
                         const Tensor& index, Tensor& out) {
  const size_t rank = static_cast<size_t>(in.dim());
  if (!util::require_same_dtype(ctx, in, out) || !util::wrap_dim(ctx, dim, rank) ||
      !util::require(ctx, index.dim() <= 1 && util::is_index_dtype(index.scalar_type()),
                     "the index must be a vector of Int or Long")) {
    return out;
  }
  const size_t at = static_cast<size_t>(dim);
  util::Shape shape(in);
  if (rank > 0) {
    shape.sizes[at] = static_cast<SizesType>(index.numel());
  }
  if (!util::require(ctx, rank > 0 || index.numel() == 1, "a zero-dim tensor has one element") ||
      !util::resize(ctx, shape, out)) {
    return out;
  }
  const util::View source(in);
  const util::View target(out);
  const int64_t size = rank == 0 ? 1 : in.size(dim);
  for (ssize_t i = 0; i < index.numel(); ++i) {
    if (!util::require(ctx, util::read_index(index, i) >= 0 && util::read_index(index, i) < size,
                       "an index is out of range")) {
      return out;
    }
  }
  if (rank == 0 || out.numel() == 0) {
    util::copy(source, target);
    return out;
  }
  const util::CopyPlan plan(source.narrow(at, 0, 1), target.narrow(at, 0, 1));
  const ptrdiff_t bytes = static_cast<ptrdiff_t>(source.element_size);
  for (ssize_t i = 0; i < index.numel(); ++i) {
    const ptrdiff_t from = static_cast<ptrdiff_t>(util::read_index(index, i));
    plan.run(source.data + from * source.stride[at] * bytes,
             target.data + i * target.stride[at] * bytes);
  }
  return out;
}

}  // namespace torch::executor::native
