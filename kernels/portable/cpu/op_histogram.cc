#include <cmath>
#include <tuple>

#include <executorch/kernels/portable/cpu/internal/element.h>
#include <executorch/kernels/portable/cpu/internal/lines.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native {
namespace {

struct Range {
  double low;
  double high;
};

/// What there is to count: the elements, and what each of them weighs.
struct Samples {
  const Tensor& in;
  const optional<Tensor>& weight;
  bool density;
};

bool check(KernelRuntimeContext& ctx, const Samples& samples, const Tensor& hist,
           const Tensor& edges) {
  const ScalarType dtype = samples.in.scalar_type();
  return util::require(ctx, dtype == ScalarType::Float || dtype == ScalarType::Double,
                       "histograms are of Float or Double") &&
         util::require_same_dtype(ctx, samples.in, hist) &&
         util::require_same_dtype(ctx, samples.in, edges) &&
         (!samples.weight.has_value() ||
          (util::require_same_dtype(ctx, samples.in, *samples.weight) &&
           util::require(ctx, util::same_shape(samples.in, *samples.weight),
                         "needs a weight for each element")));
}

/// The range of the elements, from 0 to 1 of none; one of no width is widened, as in eager.
Range complete_range(const util::View& in, const OptionalArrayRef<double>& given) {
  Range range{0, in.numel() == 0 ? 1.0 : 0.0};
  if (given.has_value()) {
    range = {(*given)[0], (*given)[1]};
  } else if (in.numel() > 0) {
    range = {INFINITY, -INFINITY};
    util::for_each_offset(in, [&](ptrdiff_t offset) {
      const double x = util::get_element<double>(in, offset);
      range.low = x < range.low || std::isnan(x) ? x : range.low;
      range.high = x > range.high || std::isnan(x) ? x : range.high;
    });
  }
  if (range.low == range.high) {
    range.low -= 0.5;
    range.high += 0.5;
  }
  return range;
}

/// Edges at equal distances, from the nearer end, calculated in the elements' own type as in eager.
template <typename C>
void write_edges(const Range& range, int64_t bins, const util::View& edges) {
  const C low = static_cast<C>(range.low);
  const C high = static_cast<C>(range.high);
  const C step = (high - low) / static_cast<C>(bins);
  for (int64_t i = 0; i <= bins; ++i) {
    const C edge = i < (bins + 1) / 2 ? low + step * static_cast<C>(i)
                                      : high - step * static_cast<C>(bins - i);
    util::put_element<C>(edges, static_cast<ptrdiff_t>(i), edge);
  }
}

/// The last of `count` edges that is not above `x`, which is in their range.
size_t find_edge(const util::View& edges, size_t count, double x) {
  size_t low = 0;
  size_t high = count;
  while (high - low > 1) {
    const size_t middle = low + (high - low) / 2;
    if (util::get_element<double>(edges, static_cast<ptrdiff_t>(middle)) <= x) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

/// Counts what lies between neighbouring edges, of which the last pair has its upper one.
/// @returns what all of it weighs.
double count(const Samples& samples, const util::View& edges, size_t bins, const util::View& hist) {
  const util::View in(samples.in);
  const util::View weight(samples.weight.has_value() ? *samples.weight : samples.in);
  const double first = util::get_element<double>(edges, 0);
  const double last = util::get_element<double>(edges, static_cast<ptrdiff_t>(bins));
  double sum = 0;
  util::Lines<2> lines(in);
  if (lines.empty()) {
    return sum;
  }
  lines.set(0, in);
  lines.set(1, weight);
  do {
    for (size_t i = 0; i < lines.length(); ++i) {
      const ptrdiff_t at = static_cast<ptrdiff_t>(i);
      const double x = util::get_element<double>(in, lines.offset(0) + at * lines.step(0));
      if (!(x >= first && x <= last)) {
        continue;
      }
      const double one =
          samples.weight.has_value()
              ? util::get_element<double>(weight, lines.offset(1) + at * lines.step(1))
              : 1;
      const size_t found = find_edge(edges, bins + 1, x);
      const ptrdiff_t bin = static_cast<ptrdiff_t>(found < bins ? found : bins - 1);
      util::put_element(hist, bin, util::get_element<double>(hist, bin) + one);
      sum += one;
    }
  } while (lines.next());
  return sum;
}

void write_histogram(const Samples& samples, const util::View& edges, size_t bins,
                     const util::View& hist) {
  for (size_t i = 0; i < bins; ++i) {
    util::put_element(hist, static_cast<ptrdiff_t>(i), 0.0);
  }
  const double sum = count(samples, edges, bins, hist);
  for (size_t i = 0; samples.density && i < bins; ++i) {
    const ptrdiff_t bin = static_cast<ptrdiff_t>(i);
    const double width =
        util::get_element<double>(edges, bin + 1) - util::get_element<double>(edges, bin);
    util::put_element(hist, bin, util::get_element<double>(hist, bin) / sum / width);
  }
}

}  // namespace

std::tuple<Tensor&, Tensor&> histogram_bin_ct_out(KernelRuntimeContext& ctx, const Tensor& in,
                                                  int64_t bins, OptionalArrayRef<double> range,
                                                  const optional<Tensor>& weight, bool density,
                                                  Tensor& hist, Tensor& edges) {
  const std::tuple<Tensor&, Tensor&> result(hist, edges);
  const Samples samples{in, weight, density};
  if (!check(ctx, samples, hist, edges) ||
      !util::require(ctx, bins > 0 && bins < INT32_MAX, "needs a positive number of bins") ||
      !util::require(ctx, !range.has_value() || range->size() == 2, "a range has two ends")) {
    return result;
  }
  const Range found = complete_range(util::View(in), range);
  const int64_t ends = bins + 1;
  if (!util::require(
          ctx, std::isfinite(found.low) && std::isfinite(found.high) && found.low <= found.high,
          "the range must be finite, its ends in order") ||
      !util::resize(ctx, IntArrayRef(&bins, 1), hist) ||
      !util::resize(ctx, IntArrayRef(&ends, 1), edges)) {
    return result;
  }
  if (in.scalar_type() == ScalarType::Float) {
    write_edges<float>(found, bins, util::View(edges));
  } else {
    write_edges<double>(found, bins, util::View(edges));
  }
  write_histogram(samples, util::View(edges), static_cast<size_t>(bins), util::View(hist));
  return result;
}

std::tuple<Tensor&, Tensor&> histogram_bins_tensor_out(KernelRuntimeContext& ctx, const Tensor& in,
                                                       const Tensor& bins,
                                                       const optional<Tensor>& weight, bool density,
                                                       Tensor& hist, Tensor& edges) {
  const std::tuple<Tensor&, Tensor&> result(hist, edges);
  const Samples samples{in, weight, density};
  if (!check(ctx, samples, hist, edges) || !util::require_same_dtype(ctx, in, bins) ||
      !util::require(ctx, bins.dim() == 1 && bins.numel() > 1, "needs a line of edges") ||
      !util::resize_like(ctx, bins, edges)) {
    return result;
  }
  const int64_t count_of_bins = bins.numel() - 1;
  if (!util::resize(ctx, IntArrayRef(&count_of_bins, 1), hist)) {
    return result;
  }
  util::copy(util::View(bins), util::View(edges));
  write_histogram(samples, util::View(edges), static_cast<size_t>(count_of_bins), util::View(hist));
  return result;
}

}  // namespace torch::executor::native
