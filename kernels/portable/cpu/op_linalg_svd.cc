#include <cmath>
#include <string_view>
#include <tuple>

#include <executorch/kernels/portable/cpu/internal/linear_algebra/dense.h>

namespace torch::executor::native {
namespace {

/// Resizes the outputs for matrices of `rows` x `columns`.
bool resize_all(KernelRuntimeContext& ctx, const Tensor& in, bool full, bool vectors, Tensor& u,
                Tensor& s, Tensor& vh) {
  const int64_t rows = in.size(in.dim() - 2);
  const int64_t columns = in.size(in.dim() - 1);
  const int64_t few = rows < columns ? rows : columns;
  const int64_t none = 0;
  if (!util::resize_batch(ctx, in, {few}, s)) {
    return false;
  }
  if (!vectors) {
    return util::resize(ctx, IntArrayRef(&none, 1), u) &&
           util::resize(ctx, IntArrayRef(&none, 1), vh);
  }
  return util::resize_batch(ctx, in, {rows, full ? rows : few}, u) &&
         util::resize_batch(ctx, in, {full ? columns : few, columns}, vh);
}

bool has_nan(const util::Matrix& a) {
  bool found = false;
  for (size_t i = 0; i < a.rows * a.columns; ++i) {
    found = found || std::isnan(a.data[i]);
  }
  return found;
}

}  // namespace

std::tuple<Tensor&, Tensor&, Tensor&> _linalg_svd_U(KernelRuntimeContext& ctx, const Tensor& in,
                                                    bool full_matrices, bool compute_uv,
                                                    optional<std::string_view>, Tensor& u,
                                                    Tensor& s, Tensor& vh) {
  const std::tuple<Tensor&, Tensor&, Tensor&> result(u, s, vh);
  if (!util::require_matrices(ctx, in) || !util::require_same_dtype(ctx, in, u) ||
      !util::require_same_dtype(ctx, in, s) || !util::require_same_dtype(ctx, in, vh) ||
      !resize_all(ctx, in, full_matrices, compute_uv, u, s, vh)) {
    return result;
  }
  // Rotations are of the fewer of rows and columns, which are rows here.
  const bool tall = in.size(in.dim() - 2) > in.size(in.dim() - 1);
  const util::Matrices from = tall ? util::Matrices(in).transposed() : util::Matrices(in);
  const size_t few = from.rows();
  const size_t many = from.columns();
  const size_t kept = full_matrices && compute_uv ? many : few;
  double* memory =
      util::dense_memory(ctx, from, util::area(kept, many) + util::area(few, few) + few);
  if (memory == nullptr) {
    return result;
  }
  const util::Matrix a{memory, few, many};
  const util::Matrix left{memory + kept * many, few, few};
  double* values = left.data + few * few;
  const util::View singular = util::View(s).unsqueeze(static_cast<size_t>(s.dim()));
  for (size_t index = 0; index < from.count(); ++index) {
    from.read(index, a);
    if (!util::require(ctx, !has_nan(a), "a matrix has elements that are no numbers")) {
      return result;
    }
    util::singular_values(a, left, values);
    util::Matrices(singular).write(index, {values, few, 1});
    if (!compute_uv) {
      continue;
    }
    const util::Matrix right{memory, kept, many};
    util::complete_rows(right, few);
    if (tall) {
      util::Matrices(u).transposed().write(index, right);
      util::Matrices(vh).write(index, left);
    } else {
      util::Matrices(u).transposed().write(index, left);
      util::Matrices(vh).write(index, right);
    }
  }
  return result;
}

}  // namespace torch::executor::native
