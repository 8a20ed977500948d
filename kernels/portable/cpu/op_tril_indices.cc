#include <executorch/kernels/portable/cpu/internal/element.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native {
namespace {

/// The columns [begin, end) of a row that belong to the triangle.
struct Columns {
  int64_t begin;
  int64_t end;
};

Columns columns_of(bool lower, int64_t row, int64_t width, int64_t offset) {
  const int64_t diagonal = row + offset + (lower ? 1 : 0);
  const int64_t at = diagonal < 0 ? 0 : diagonal > width ? width : diagonal;
  return lower ? Columns{0, at} : Columns{at, width};
}

Tensor& indices(KernelRuntimeContext& ctx, bool lower, int64_t rows, int64_t width, int64_t offset,
                Tensor& out) {
  if (!util::require(ctx, rows >= 0 && width >= 0 && rows <= INT32_MAX && width <= INT32_MAX,
                     "a size is out of range") ||
      !util::require(ctx,
                     out.scalar_type() == ScalarType::Long || out.scalar_type() == ScalarType::Int,
                     "the indices must be Long or Int")) {
    return out;
  }
  offset = offset < -rows ? -rows : offset > width ? width : offset;
  int64_t sizes[2] = {2, 0};
  for (int64_t row = 0; row < rows; ++row) {
    const Columns columns = columns_of(lower, row, width, offset);
    sizes[1] += columns.end - columns.begin;
  }
  if (!util::resize(ctx, IntArrayRef(sizes, 2), out)) {
    return out;
  }
  const util::View target(out);
  ptrdiff_t place = 0;
  for (int64_t row = 0; row < rows; ++row) {
    const Columns columns = columns_of(lower, row, width, offset);
    for (int64_t column = columns.begin; column < columns.end; ++column) {
      util::put_element(target, place, row);
      util::put_element(target, place + target.stride[0], column);
      place += target.stride[1];
    }
  }
  return out;
}

}  // namespace

Tensor& tril_indices_out(KernelRuntimeContext& ctx, int64_t row, int64_t col, int64_t offset,
                         Tensor& out) {
  return indices(ctx, true, row, col, offset, out);
}

Tensor& triu_indices_out(KernelRuntimeContext& ctx, int64_t row, int64_t col, int64_t offset,
                         Tensor& out) {
  return indices(ctx, false, row, col, offset, out);
}

}  // namespace torch::executor::native
