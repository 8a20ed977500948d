#include <executorch/kernels/portable/cpu/internal/shape.h>
#include <executorch/kernels/portable/cpu/internal/view.h>

namespace torch::executor::native {
Tensor& diagonal_copy_out(KernelRuntimeContext& ctx, const Tensor& in, int64_t offset, int64_t dim1,
                          int64_t dim2, Tensor& out) {
  const size_t rank = static_cast<size_t>(in.dim());
  if (!util::require_same_dtype(ctx, in, out) ||
      !util::require(ctx, rank >= 2, "diagonal needs two dimensions") ||
      !util::wrap_dim(ctx, dim1, rank) || !util::wrap_dim(ctx, dim2, rank) ||
      !util::require(ctx, dim1 != dim2, "the two dimensions must differ")) {
    return out;
  }
  // Bounds the offset first, so that the differences below cannot overflow.
  offset = offset < -INT32_MAX ? -INT32_MAX : offset > INT32_MAX ? INT32_MAX : offset;
  const int64_t rows = in.size(dim1) + (offset < 0 ? offset : 0);
  const int64_t columns = in.size(dim2) - (offset > 0 ? offset : 0);
  const int64_t smaller = rows < columns ? rows : columns;
  const size_t count = smaller < 0 ? 0 : static_cast<size_t>(smaller);
  util::View view(in);
  if (count > 0) {
    view = offset < 0 ? view.narrow(static_cast<size_t>(dim1), static_cast<size_t>(-offset), count)
                      : view.narrow(static_cast<size_t>(dim2), static_cast<size_t>(offset), count);
  }
  const ptrdiff_t step = view.stride[dim1] + view.stride[dim2];
  util::View diagonal = view;
  diagonal.rank = 0;
  for (size_t d = 0; d < rank; ++d) {
    if (d != static_cast<size_t>(dim1) && d != static_cast<size_t>(dim2)) {
      diagonal.size[diagonal.rank] = view.size[d];
      diagonal.stride[diagonal.rank++] = view.stride[d];
    }
  }
  diagonal.size[diagonal.rank] = count;
  diagonal.stride[diagonal.rank++] = step;
  util::Shape shape;
  for (size_t d = 0; d < diagonal.rank; ++d) {
    shape.push(static_cast<int64_t>(diagonal.size[d]));
  }
  if (util::resize(ctx, shape, out)) {
    util::copy(diagonal, util::View(out));
  }
  return out;
}

}  // namespace torch::executor::native
