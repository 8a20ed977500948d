#include <executorch/kernels/portable/cpu/internal/element.h>
#include <executorch/kernels/portable/cpu/internal/promote.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native {
namespace {

/// Finds the largest value. @returns false if one is negative.
bool largest(const util::View& values, size_t count, int64_t& most) {
  most = -1;
  for (size_t i = 0; i < count; ++i) {
    const int64_t value =
        util::get_element<int64_t>(values, static_cast<ptrdiff_t>(i) * values.stride[0]);
    if (value < 0) {
      return false;
    }
    most = value > most ? value : most;
  }
  return true;
}

/// Adds `weight(i)` to the element that the i-th value names.
template <typename C, typename Weight>
void count(const util::View& values, size_t n, const util::View& bins, Weight&& weight) {
  for (size_t i = 0; i < n; ++i) {
    const ptrdiff_t place = static_cast<ptrdiff_t>(util::get_element<int64_t>(
                                values, static_cast<ptrdiff_t>(i) * values.stride[0])) *
                            bins.stride[0];
    util::put_element(bins, place, util::get_element<C>(bins, place) + weight(i));
  }
}

}  // namespace

Tensor& bincount_out(KernelRuntimeContext& ctx, const Tensor& in, const optional<Tensor>& weights,
                     int64_t minlength, Tensor& out) {
  const ScalarType result = !weights.has_value()                          ? ScalarType::Long
                            : weights->scalar_type() == ScalarType::Float ? ScalarType::Float
                                                                          : ScalarType::Double;
  if (!util::require(ctx, in.dim() == 1 && minlength >= 0, "needs a vector, and a length >= 0") ||
      !util::require(
          ctx, util::is_integral_or_bool(in.scalar_type()) && in.scalar_type() != ScalarType::Bool,
          "the values must be integers") ||
      !util::require(ctx, out.scalar_type() == result,
                     "counts are Long, sums Float for Float weights and else Double") ||
      (weights.has_value() &&
       (!util::require_real(ctx, *weights) ||
        !util::require(ctx, util::same_shape(in, *weights), "needs a weight for each value")))) {
    return out;
  }
  const util::View values(in);
  const size_t n = static_cast<size_t>(in.numel());
  int64_t most = -1;
  if (!util::require(ctx, largest(values, n, most) && most < INT32_MAX,
                     "a value is negative or too large")) {
    return out;
  }
  const int64_t size = most + 1 > minlength ? most + 1 : minlength;
  if (!util::resize(ctx, IntArrayRef(&size, 1), out)) {
    return out;
  }
  const util::View bins(out);
  for (int64_t i = 0; i < size; ++i) {
    util::put_element(bins, static_cast<ptrdiff_t>(i) * bins.stride[0], int64_t{0});
  }
  if (!weights.has_value()) {
    count<int64_t>(values, n, bins, [](size_t) { return int64_t{1}; });
    return out;
  }
  const util::View w(*weights);
  count<double>(values, n, bins, [&](size_t i) {
    return util::get_element<double>(w, static_cast<ptrdiff_t>(i) * w.stride[0]);
  });
  return out;
}

}  // namespace torch::executor::native
