#include <cmath>
#include <limits>

#include <executorch/kernels/portable/cpu/internal/scan.h>

namespace torch::executor::native {
Tensor& logcumsumexp_out(KernelRuntimeContext& ctx, const Tensor& in, int64_t dim, Tensor& out) {
  if (!util::require_floating(ctx, in) || !util::require_same_dtype(ctx, in, out) ||
      !util::wrap_dim(ctx, dim, static_cast<size_t>(in.dim())) ||
      !util::resize_like(ctx, in, out) || in.numel() == 0) {
    return out;
  }
  util::scan_in(in, static_cast<size_t>(dim), -std::numeric_limits<double>::infinity(), out,
                [](double sum, double x) {
                  const double high = sum > x || sum != sum ? sum : x;
                  const double low = sum > x || sum != sum ? x : sum;
                  // Two infinities of one sign have no difference.
                  return low == high ? high + 0.6931471805599453
                                     : high + std::log1p(std::exp(low - high));
                });
  return out;
}

}  // namespace torch::executor::native
