#include <cmath>
#include <tuple>

#include <executorch/kernels/portable/cpu/internal/element.h>
#include <executorch/kernels/portable/cpu/internal/lines.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native {

std::tuple<Tensor&, Tensor&> frexp_Tensor_out(KernelRuntimeContext& ctx, const Tensor& in,
                                              Tensor& mantissa, Tensor& exponent) {
  const std::tuple<Tensor&, Tensor&> result(mantissa, exponent);
  if (!util::require_floating(ctx, in) || !util::require_same_dtype(ctx, in, mantissa) ||
      !util::require(ctx, exponent.scalar_type() == ScalarType::Int, "the exponents must be Int") ||
      !util::resize_like(ctx, in, mantissa) || !util::resize_like(ctx, in, exponent)) {
    return result;
  }
  const util::View source(in);
  const util::View fractions(mantissa);
  const util::View powers(exponent);
  util::Lines<3> lines(source);
  if (lines.empty()) {
    return result;
  }
  lines.set(0, source);
  lines.set(1, fractions);
  lines.set(2, powers);
  do {
    for (size_t i = 0; i < lines.length(); ++i) {
      const auto at = [&](size_t k) {
        return lines.offset(k) + static_cast<ptrdiff_t>(i) * lines.step(k);
      };
      int power = 0;
      const double x = util::get_element<double>(source, at(0));
      util::put_element(fractions, at(1), std::isfinite(x) ? std::frexp(x, &power) : x);
      util::put_element(powers, at(2), int64_t{power});
    }
  } while (lines.next());
  return result;
}

}  // namespace torch::executor::native
