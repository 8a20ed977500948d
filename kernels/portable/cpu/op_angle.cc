#include <cmath>

#include <executorch/kernels/portable/cpu/internal/complex.h>
#include <executorch/kernels/portable/cpu/internal/element.h>
#include <executorch/kernels/portable/cpu/internal/lines.h>
#include <executorch/kernels/portable/cpu/internal/pointwise.h>

namespace torch::executor::native {
namespace {

struct RealAngle {
  template <typename C>
  C operator()(C x) const {
    return x < 0 ? static_cast<C>(3.14159265358979323846) : x == x ? C(0) : x;
  }
};

}  // namespace

Tensor& angle_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  const ScalarType part = util::real_part(in.scalar_type());
  if (part == ScalarType::Undefined) {
    return util::unary_float(ctx, in, out, util::kUnaryFloat<RealAngle>);
  }
  if (!util::require(ctx, out.scalar_type() == part, "the output must have the parts' dtype") ||
      !util::require(ctx, static_cast<size_t>(in.dim()) < util::kMaxRank,
                     "the rank is at its limit") ||
      !util::resize_like(ctx, in, out) || out.numel() == 0) {
    return out;
  }
  const util::View parts = util::as_parts(in);
  const util::View real = parts.select(parts.rank - 1, 0);
  const util::View imaginary = parts.select(parts.rank - 1, 1);
  const util::View target(out);
  util::Lines<2> lines(target);
  lines.set(0, target);
  lines.set(1, real);
  do {
    for (size_t i = 0; i < lines.length(); ++i) {
      const ptrdiff_t step = static_cast<ptrdiff_t>(i);
      const ptrdiff_t from = lines.offset(1) + step * lines.step(1);
      util::put_element(target, lines.offset(0) + step * lines.step(0),
                        std::atan2(util::get_element<double>(imaginary, from),
                                   util::get_element<double>(real, from)));
    }
  } while (lines.next());
  return out;
}

}  // namespace torch::executor::native
