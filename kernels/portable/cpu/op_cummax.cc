#include <tuple>

#include <executorch/kernels/portable/cpu/internal/element.h>
#include <executorch/kernels/portable/cpu/internal/lines.h>
#include <executorch/kernels/portable/cpu/internal/math.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native {
namespace {

/// Running extremes; of equal ones the last counts, and NaN stays.
template <typename C>
void running(const util::View& source, size_t dim, bool largest, const util::View& values,
             const util::View& indices) {
  const bool single = source.rank == 0;
  const util::View rest = single ? source : source.select(dim, 0);
  util::Lines<3> lines(rest);
  lines.set(0, rest);
  lines.set(1, single ? values : values.select(dim, 0));
  lines.set(2, single ? indices : indices.select(dim, 0));
  const size_t n = single ? 1 : source.size[dim];
  const auto along = [&](const util::View& view, size_t i) {
    return single ? 0 : static_cast<ptrdiff_t>(i) * view.stride[dim];
  };
  do {
    for (size_t l = 0; l < lines.length(); ++l) {
      const ptrdiff_t at = static_cast<ptrdiff_t>(l);
      C best = 0;
      int64_t index = 0;
      for (size_t i = 0; i < n; ++i) {
        const C x =
            util::get_element<C>(source, lines.offset(0) + at * lines.step(0) + along(source, i));
        const bool better = largest ? x >= best : x <= best;
        if (i == 0 || util::is_nan(x) || (better && !util::is_nan(best))) {
          best = x;
          index = static_cast<int64_t>(i);
        }
        util::put_element(values, lines.offset(1) + at * lines.step(1) + along(values, i), best);
        util::put_element(indices, lines.offset(2) + at * lines.step(2) + along(indices, i), index);
      }
    }
  } while (lines.next());
}

std::tuple<Tensor&, Tensor&> running_extremes(KernelRuntimeContext& ctx, const Tensor& in,
                                              int64_t dim, bool largest, Tensor& values,
                                              Tensor& indices) {
  const std::tuple<Tensor&, Tensor&> result(values, indices);
  if (util::require_real(ctx, in) && util::require_same_dtype(ctx, in, values) &&
      util::require(ctx, indices.scalar_type() == ScalarType::Long, "the indices must be Long") &&
      util::wrap_dim(ctx, dim, static_cast<size_t>(in.dim())) &&
      util::resize_like(ctx, in, values) && util::resize_like(ctx, in, indices) && in.numel() > 0) {
    util::with_arithmetic_type(in.scalar_type(), [&](auto zero) {
      running<decltype(zero)>(util::View(in), static_cast<size_t>(dim), largest, util::View(values),
                              util::View(indices));
    });
  }
  return result;
}

}  // namespace

std::tuple<Tensor&, Tensor&> cummax_out(KernelRuntimeContext& ctx, const Tensor& in, int64_t dim,
                                        Tensor& values, Tensor& indices) {
  return running_extremes(ctx, in, dim, /*largest=*/true, values, indices);
}

std::tuple<Tensor&, Tensor&> cummin_out(KernelRuntimeContext& ctx, const Tensor& in, int64_t dim,
                                        Tensor& values, Tensor& indices) {
  return running_extremes(ctx, in, dim, /*largest=*/false, values, indices);
}

}  // namespace torch::executor::native
