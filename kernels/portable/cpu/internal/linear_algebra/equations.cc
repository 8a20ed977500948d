#include <executorch/kernels/portable/cpu/internal/linear_algebra/equations.h>

namespace torch::executor::native::util {

View with_batch_of(const View& target, const View& matrices) {
  View result = target;
  for (size_t d = 1; d <= 2; ++d) {
    result.size[result.rank - d] = matrices.size[matrices.rank - d];
  }
  return matrices.expand(result);
}

View as_columns(const Tensor& t, size_t missing) {
  View view(t);
  for (; missing > 0; --missing) {
    view = view.unsqueeze(view.rank);
  }
  return view;
}

bool solution_shape(KernelRuntimeContext& ctx, const Tensor& a, const View& b, Shape& shape) {
  const size_t rank = static_cast<size_t>(a.dim()) > b.rank ? static_cast<size_t>(a.dim()) : b.rank;
  for (size_t d = rank; d > 2; --d) {
    const int64_t one = d > b.rank ? 1 : static_cast<int64_t>(b.size[b.rank - d]);
    const int64_t other =
        static_cast<ssize_t>(d) > a.dim() ? 1 : a.size(a.dim() - static_cast<ssize_t>(d));
    if (!require(ctx, one == other || one == 1 || other == 1, "the batches do not broadcast")) {
      return false;
    }
    shape.push(one == 1 ? other : one);
  }
  shape.push(static_cast<int64_t>(b.size[b.rank - 2]));
  shape.push(static_cast<int64_t>(b.size[b.rank - 1]));
  return true;
}

void Workspace::read_pivots(size_t index, const Matrices& from) const {
  from.read(index, {more, from.rows(), 1});
  for (size_t i = 0; i < from.rows(); ++i) {
    pivots[i] = static_cast<int32_t>(more[i]);
  }
}

void Workspace::write(size_t index, int32_t state, const Matrices& pivots_out,
                      const Matrices& info) const {
  for (size_t i = 0; i < pivots_out.rows(); ++i) {
    more[i] = pivots[i];
  }
  pivots_out.write(index, {more, pivots_out.rows(), 1});
  double number = state;
  info.write(index, {&number, 1, 1});
}

bool require_no_failure(KernelRuntimeContext& ctx, bool check, int32_t state) {
  return require(ctx, !check || state == 0, "a matrix is singular");
}

bool require_ints(KernelRuntimeContext& ctx, const Tensor& t) {
  return require(ctx, t.scalar_type() == ScalarType::Int, "pivots and info must be Int");
}

bool require_pivots_of(KernelRuntimeContext& ctx, const Tensor& lu, const Tensor& pivots) {
  const ssize_t last = lu.dim() - 1;
  const ssize_t rows = lu.size(last - 1);
  bool good = pivots.dim() == last;
  for (ssize_t d = 0; good && d < last; ++d) {
    const ssize_t size = d + 1 == last && lu.size(last) < rows ? lu.size(last) : lu.size(d);
    good = pivots.size(d) == size;
  }
  if (!require_ints(ctx, pivots)) {
    return false;
  }
  const int32_t* row = static_cast<const int32_t*>(pivots.const_data_ptr());
  for (ssize_t i = 0; good && i < pivots.numel(); ++i) {
    good = row[i] >= 1 && row[i] <= rows;
  }
  return require(ctx, good, "the pivots must be those of the factors");
}

}  // namespace torch::executor::native::util
