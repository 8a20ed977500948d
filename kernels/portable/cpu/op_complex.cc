#include <cmath>

#include <executorch/kernels/portable/cpu/internal/complex.h>
#include <executorch/kernels/portable/cpu/internal/element.h>
#include <executorch/kernels/portable/cpu/internal/lines.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native {
namespace {

/// Writes `first(a, b)` and `second(a, b)` to the parts of each element.
template <typename First, typename Second>
Tensor& from_two(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b, Tensor& out,
                 First&& first, Second&& second) {
  if (!util::require_floating(ctx, a) || !util::require_same_dtype(ctx, a, b) ||
      !util::require(ctx, util::real_part(out.scalar_type()) == a.scalar_type(),
                     "the output must be complex, with parts of the inputs' dtype") ||
      !util::require(ctx, static_cast<size_t>(out.dim()) < util::kMaxRank,
                     "the rank is at its limit") ||
      !util::resize_broadcast(ctx, a, b, out) || out.numel() == 0) {
    return out;
  }
  const util::View parts = util::as_parts(out);
  const util::View real = parts.select(parts.rank - 1, 0);
  const util::View imaginary = parts.select(parts.rank - 1, 1);
  const util::View left = util::View(a).expand(real);
  const util::View right = util::View(b).expand(real);
  util::Lines<3> lines(real);
  lines.set(0, real);
  lines.set(1, left);
  lines.set(2, right);
  do {
    for (size_t i = 0; i < lines.length(); ++i) {
      const ptrdiff_t step = static_cast<ptrdiff_t>(i);
      const double x = util::get_element<double>(left, lines.offset(1) + step * lines.step(1));
      const double y = util::get_element<double>(right, lines.offset(2) + step * lines.step(2));
      const ptrdiff_t place = lines.offset(0) + step * lines.step(0);
      util::put_element(real, place, first(x, y));
      util::put_element(imaginary, place, second(x, y));
    }
  } while (lines.next());
  return out;
}

}  // namespace

Tensor& complex_out(KernelRuntimeContext& ctx, const Tensor& real, const Tensor& imag,
                    Tensor& out) {
  return from_two(
      ctx, real, imag, out, [](double x, double) { return x; }, [](double, double y) { return y; });
}

Tensor& polar_out(KernelRuntimeContext& ctx, const Tensor& abs, const Tensor& angle, Tensor& out) {
  return from_two(
      ctx, abs, angle, out, [](double r, double phi) { return r * std::cos(phi); },
      [](double r, double phi) { return r * std::sin(phi); });
}

Tensor& view_as_complex_copy_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  if (!util::require(ctx, util::real_part(out.scalar_type()) == in.scalar_type(),
                     "the output must be complex, with parts of the input's dtype") ||
      !util::require(ctx, in.dim() > 0 && in.size(in.dim() - 1) == 2,
                     "the last dimension must have the two parts")) {
    return out;
  }
  util::Shape shape(in);
  --shape.rank;
  if (util::resize(ctx, shape, out)) {
    util::copy(util::View(in), util::as_parts(out));
  }
  return out;
}

}  // namespace torch::executor::native
