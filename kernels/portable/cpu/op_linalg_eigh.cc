#include <cmath>
#include <string_view>
#include <tuple>

#include <executorch/kernels/portable/cpu/internal/linear_algebra/dense.h>

namespace torch::executor::native {

std::tuple<Tensor&, Tensor&> _linalg_eigh_eigenvalues(KernelRuntimeContext& ctx, const Tensor& in,
                                                      std::string_view uplo, bool compute_v,
                                                      Tensor& values, Tensor& vectors) {
  const std::tuple<Tensor&, Tensor&> result(values, vectors);
  const bool upper = uplo == "U" || uplo == "u";
  const int64_t none = 0;
  if (!util::require_square(ctx, in) || !util::require_same_dtype(ctx, in, values) ||
      !util::require_same_dtype(ctx, in, vectors) ||
      !util::require(ctx, upper || uplo == "L" || uplo == "l",
                     "the triangle that counts must be L or U") ||
      !util::resize_batch(ctx, in, {in.size(in.dim() - 1)}, values) ||
      !(compute_v ? util::resize_like(ctx, in, vectors)
                  : util::resize(ctx, IntArrayRef(&none, 1), vectors))) {
    return result;
  }
  const util::Matrices from = upper ? util::Matrices(in).transposed() : util::Matrices(in);
  const size_t n = from.rows();
  double* memory = util::dense_memory(ctx, from, 2 * util::area(n, n) + n);
  if (memory == nullptr) {
    return result;
  }
  const util::Matrix a{memory, n, n};
  const util::Matrix rows{memory + n * n, n, n};
  double* found = memory + 2 * n * n;
  const util::View lines = util::View(values).unsqueeze(static_cast<size_t>(values.dim()));
  for (size_t index = 0; index < from.count(); ++index) {
    from.read(index, a);
    for (size_t r = 0; r < n; ++r) {
      for (size_t c = 0; c < r; ++c) {
        a.at(c, r) = a.at(r, c);
      }
    }
    util::eigen_symmetric(a, rows, found);
    // Eager raises as well, but for matrices that small, of which the values are no numbers.
    if (!util::require(ctx, n < 3 || !std::isnan(found[0]),
                       "a matrix has elements that are infinite or no numbers")) {
      return result;
    }
    util::Matrices(lines).write(index, {found, n, 1});
    if (compute_v) {
      util::Matrices(vectors).transposed().write(index, rows);
    }
  }
  return result;
}

}  // namespace torch::executor::native
