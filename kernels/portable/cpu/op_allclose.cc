#include <cmath>

#include <executorch/kernels/portable/cpu/internal/lines.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native {
namespace {

/// Whether two numbers are close, as eager has it: |a - b| <= atol + rtol * |b|.
struct Close {
  double rtol;
  double atol;
  bool equal_nan;

  bool operator()(double a, double b) const {
    if (a == b) {
      return true;
    }
    if (std::isnan(a) || std::isnan(b)) {
      return equal_nan && std::isnan(a) && std::isnan(b);
    }
    return std::isfinite(a - b) && std::fabs(a - b) <= atol + rtol * std::fabs(b);
  }
};

bool all_close(const util::View& a, const util::View& b, const Close& close) {
  util::Lines<2> lines(a);
  if (lines.empty()) {
    return true;
  }
  lines.set(0, a);
  lines.set(1, b);
  const ptrdiff_t size = static_cast<ptrdiff_t>(a.element_size);
  do {
    for (size_t i = 0; i < lines.length(); ++i) {
      const ptrdiff_t at = static_cast<ptrdiff_t>(i);
      double x;
      double y;
      util::load(util::Compute::kDouble, a.dtype,
                 a.data + (lines.offset(0) + at * lines.step(0)) * size, 1, 1, &x);
      util::load(util::Compute::kDouble, b.dtype,
                 b.data + (lines.offset(1) + at * lines.step(1)) * size, 1, 1, &y);
      if (!close(x, y)) {
        return false;
      }
    }
  } while (lines.next());
  return true;
}

}  // namespace

Tensor& allclose_out(KernelRuntimeContext& ctx, const Tensor& in, const Tensor& other, double rtol,
                     double atol, bool equal_nan, bool dummy_param, Tensor& out) {
  (void)dummy_param;
  if (!util::require_real(ctx, in) || !util::require_same_dtype(ctx, in, other) ||
      !util::require(ctx, util::same_shape(in, other), "the tensors must have one shape") ||
      !util::require(ctx, out.scalar_type() == ScalarType::Bool && out.numel() == 1,
                     "the output must be one Bool")) {
    return out;
  }
  const bool close = all_close(util::View(in), util::View(other), {rtol, atol, equal_nan});
  *static_cast<uint8_t*>(out.mutable_data_ptr()) = close ? 1 : 0;
  return out;
}

Tensor& allclose_tensor(KernelRuntimeContext& ctx, const Tensor& in, const Tensor& other,
                        double rtol, double atol, bool equal_nan, bool dummy_param, Tensor& out) {
  return allclose_out(ctx, in, other, rtol, atol, equal_nan, dummy_param, out);
}

}  // namespace torch::executor::native
