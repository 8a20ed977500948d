#include <cmath>
#include <tuple>

#include <executorch/kernels/portable/cpu/internal/linear_algebra/dense.h>

namespace torch::executor::native {
namespace {

/// Factorizes each matrix of `in` into `lu` and `pivots`, and calls `fn(index, factors, negative)`
/// with whether the exchanges of rows change the sign.
template <typename Fn>
void for_each_factorized(KernelRuntimeContext& ctx, const Tensor& in, const Tensor& lu,
                         Tensor& pivots, Fn&& fn) {
  // Eager's choice for matrices whose rows follow each other; the determinant is the same.
  const util::Matrices from = util::Matrices(in).transposed();
  const size_t n = from.rows();
  double* memory = util::dense_memory(ctx, from, util::area(n, n));
  if (memory == nullptr) {
    return;
  }
  const util::Matrix a{memory, n, n};
  const util::Matrices factors(lu);
  int32_t* places = static_cast<int32_t*>(pivots.mutable_data_ptr());
  for (size_t index = 0; index < from.count(); ++index, places += n) {
    from.read(index, a);
    util::factor_lu(a, places);
    factors.write(index, a);
    bool negative = false;
    for (size_t i = 0; i < n; ++i) {
      negative = negative != (places[i] != static_cast<int32_t>(i + 1));
    }
    fn(index, a, negative);
  }
}

/// Checks the arguments and resizes the outputs: a number for each matrix, and its factors.
bool prepare(KernelRuntimeContext& ctx, const Tensor& in, Tensor& number, Tensor& lu,
             Tensor& pivots) {
  return util::require_square(ctx, in) && util::require_same_dtype(ctx, in, number) &&
         util::require_same_dtype(ctx, in, lu) &&
         util::require(ctx, pivots.scalar_type() == ScalarType::Int, "the pivots must be Int") &&
         util::resize_batch(ctx, in, {}, number) && util::resize_like(ctx, in, lu) &&
         util::resize_batch(ctx, in, {in.size(in.dim() - 1)}, pivots);
}

}  // namespace

std::tuple<Tensor&, Tensor&, Tensor&> _linalg_det_result(KernelRuntimeContext& ctx,
                                                         const Tensor& in, Tensor& result,
                                                         Tensor& lu, Tensor& pivots) {
  if (prepare(ctx, in, result, lu, pivots)) {
    for_each_factorized(ctx, in, lu, pivots,
                        [&](size_t index, const util::Matrix& a, bool negative) {
                          double product = negative ? -1 : 1;
                          for (size_t i = 0; i < a.rows; ++i) {
                            product *= a.at(i, i);
                          }
                          util::write_number(product, index, result);
                        });
  }
  return {result, lu, pivots};
}

std::tuple<Tensor&, Tensor&, Tensor&, Tensor&> _linalg_slogdet_sign(KernelRuntimeContext& ctx,
                                                                    const Tensor& in, Tensor& sign,
                                                                    Tensor& logabsdet, Tensor& lu,
                                                                    Tensor& pivots) {
  if (prepare(ctx, in, sign, lu, pivots) && util::require_same_dtype(ctx, in, logabsdet) &&
      util::resize_batch(ctx, in, {}, logabsdet)) {
    for_each_factorized(ctx, in, lu, pivots,
                        [&](size_t index, const util::Matrix& a, bool negative) {
                          double product = negative ? -1 : 1;
                          double logarithm = 0;
                          for (size_t i = 0; i < a.rows; ++i) {
                            const double x = a.at(i, i);
                            product *= x == 0 || std::isnan(x) ? x : std::copysign(1.0, x);
                            logarithm += std::log(std::fabs(x));
                          }
                          util::write_number(product, index, sign);
                          util::write_number(logarithm, index, logabsdet);
                        });
  }
  return {sign, logabsdet, lu, pivots};
}

}  // namespace torch::executor::native
