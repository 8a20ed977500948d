#include <cmath>

#include <executorch/kernels/portable/cpu/internal/element.h>
#include <executorch/kernels/portable/cpu/internal/lines.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native {
namespace {

/// Takes the range from the data where none is given, and widens one of no width, as in eager.
void complete_range(const util::View& in, double& low, double& high) {
  if (low == high && in.numel() > 0) {
    low = INFINITY;
    high = -INFINITY;
    util::for_each_offset(in, [&](ptrdiff_t offset) {
      const double x = util::get_element<double>(in, offset);
      low = x < low || std::isnan(x) ? x : low;
      high = x > high || std::isnan(x) ? x : high;
    });
  }
  if (low == high) {
    low -= 1;
    high += 1;
  }
}

}  // namespace

Tensor& histc_out(KernelRuntimeContext& ctx, const Tensor& in, int64_t bins, const Scalar& min,
                  const Scalar& max, Tensor& out) {
  if (!util::require_floating(ctx, in) || !util::require_same_dtype(ctx, in, out) ||
      !util::require(ctx, bins > 0 && bins <= INT32_MAX, "needs a positive number of bins")) {
    return out;
  }
  const util::View source(in);
  double low = util::ScalarValue(min).d;
  double high = util::ScalarValue(max).d;
  complete_range(source, low, high);
  if (!util::require(ctx, std::isfinite(low) && std::isfinite(high) && low <= high,
                     "the range must be finite, its ends in order") ||
      !util::resize(ctx, IntArrayRef(&bins, 1), out)) {
    return out;
  }
  const util::View target(out);
  for (int64_t i = 0; i < bins; ++i) {
    util::put_element(target, static_cast<ptrdiff_t>(i) * target.stride[0], 0.0);
  }
  util::for_each_offset(source, [&](ptrdiff_t offset) {
    const double x = util::get_element<double>(source, offset);
    if (!(x >= low && x <= high)) {
      return;
    }
    const double share = (x - low) / (high - low) * static_cast<double>(bins);
    int64_t bin = static_cast<int64_t>(share);
    bin = bin < bins ? bin : bins - 1;  // the upper end belongs to the last one
    const ptrdiff_t place = static_cast<ptrdiff_t>(bin) * target.stride[0];
    util::put_element(target, place, util::get_element<double>(target, place) + 1);
  });
  return out;
}

}  // namespace torch::executor::native
