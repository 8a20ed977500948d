#include <cmath>
#include <limits>

#include <executorch/kernels/portable/cpu/internal/distributions.h>
#include <executorch/kernels/portable/cpu/internal/element.h>
#include <executorch/kernels/portable/cpu/internal/lines.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native {
namespace {

/// Writes `draw(random, a, b)` to each element of `out`, whose shape is that of both together.
template <typename Draw>
Tensor& from_two(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b, Tensor& out,
                 Draw&& draw) {
  if (!util::require_floating(ctx, a) || !util::require_same_dtype(ctx, a, b) ||
      !util::require_same_dtype(ctx, a, out) || !util::resize_broadcast(ctx, a, b, out) ||
      out.numel() == 0) {
    return out;
  }
  util::Random random;
  const util::View target(out);
  const util::View first = util::View(a).expand(target);
  const util::View second = util::View(b).expand(target);
  util::Lines<3> lines(target);
  lines.set(0, target);
  lines.set(1, first);
  lines.set(2, second);
  do {
    for (ptrdiff_t i = 0; i < static_cast<ptrdiff_t>(lines.length()); ++i) {
      const double x = util::get_element<double>(first, lines.offset(1) + i * lines.step(1));
      const double y = util::get_element<double>(second, lines.offset(2) + i * lines.step(2));
      const double drawn = draw(random, x, y);
      if (!util::require(ctx, !std::isnan(drawn), "a parameter is outside of its range")) {
        return out;
      }
      util::put_element(target, lines.offset(0) + i * lines.step(0), drawn);
    }
  } while (lines.next());
  return out;
}

}  // namespace

Tensor& binomial_out(KernelRuntimeContext& ctx, const Tensor& count, const Tensor& prob,
                     Tensor& out) {
  return from_two(ctx, count, prob, out, util::draw_binomial);
}

Tensor& poisson_out(KernelRuntimeContext& ctx, const Tensor& rate, Tensor& out) {
  return from_two(ctx, rate, rate, out, [](util::Random& random, double x, double) {
    return util::draw_poisson(random, x);
  });
}

Tensor& standard_gamma_out(KernelRuntimeContext& ctx, const Tensor& concentration, Tensor& out) {
  // None is 0, of which there is no logarithm.
  const ScalarType dtype = out.scalar_type();
  const double least = dtype == ScalarType::Double ? std::numeric_limits<double>::min()
                       : dtype == ScalarType::Half ? 1.0 / 16384
                                                   : std::numeric_limits<float>::min();
  return from_two(ctx, concentration, concentration, out,
                  [least](util::Random& random, double x, double) {
                    const double drawn = util::draw_gamma(random, x);
                    return drawn < least ? least : drawn;
                  });
}

}  // namespace torch::executor::native
