#include <cmath>
#include <tuple>

#include <executorch/kernels/portable/cpu/internal/norm.h>
#include <executorch/kernels/portable/cpu/internal/parallel.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native {
namespace {

/// Checks the arguments. @returns the first normalised dimension, or -1 after a failure.
ssize_t check(KernelRuntimeContext& ctx, const Tensor& in, IntArrayRef normalized_shape,
              const optional<Tensor>& weight, const optional<Tensor>& bias, const Tensor& out) {
  const ssize_t count = static_cast<ssize_t>(normalized_shape.size());
  if (!util::require_floating(ctx, in) || !util::require_same_dtype(ctx, in, out) ||
      !util::require(ctx, count > 0 && count <= in.dim(),
                     "normalized_shape must name the last dimensions")) {
    return -1;
  }
  const ssize_t first = in.dim() - count;
  size_t n = 1;
  for (ssize_t d = 0; d < count; ++d) {
    const int64_t size = normalized_shape[static_cast<size_t>(d)];
    if (!util::require(ctx, size == in.size(first + d),
                       "normalized_shape must be the last dimensions' sizes")) {
      return -1;
    }
    n *= static_cast<size_t>(size);
  }
  if (!util::require_parameter(ctx, weight, n) || !util::require_parameter(ctx, bias, n)) {
    return -1;
  }
  return first;
}

}  // namespace

std::tuple<Tensor&, Tensor&, Tensor&> native_layer_norm_out(
    KernelRuntimeContext& ctx, const Tensor& in, IntArrayRef normalized_shape,
    const optional<Tensor>& weight, const optional<Tensor>& bias, double eps, Tensor& out,
    Tensor& mean_out, Tensor& rstd_out) {
  const std::tuple<Tensor&, Tensor&, Tensor&> result(out, mean_out, rstd_out);
  const ssize_t first = check(ctx, in, normalized_shape, weight, bias, out);
  if (first < 0) {
    return result;
  }
  util::Shape stats(in);
  for (size_t d = static_cast<size_t>(first); d < stats.rank; ++d) {
    stats.sizes[d] = 1;
  }
  if (!util::require_floating(ctx, mean_out) || !util::require_floating(ctx, rstd_out) ||
      !util::resize_like(ctx, in, out) || !util::resize(ctx, stats, mean_out) ||
      !util::resize(ctx, stats, rstd_out) ||
      !util::require(ctx, util::is_contiguous(in) && util::is_contiguous(out),
                     "layer norm needs a contiguous input and output")) {
    return result;
  }
  const size_t rows = util::product(in, 0, static_cast<size_t>(first));
  const size_t n = util::product(in, static_cast<size_t>(first), stats.rank);
  const size_t bytes = n * static_cast<size_t>(in.element_size());
  const char* from = static_cast<const char*>(in.const_data_ptr());
  char* to = static_cast<char*>(out.mutable_data_ptr());
  constexpr size_t kGrain = 8192;
  util::parallel_for(rows, 1 + kGrain / (n + 1), [&](size_t begin, size_t end) {
    for (size_t row = begin; row < end; ++row) {
      util::Moments moments = {0, 0};
      if (n > 0) {
        moments = util::moments(in.scalar_type(), from + row * bytes, n);
      }
      const double rstd = 1.0 / std::sqrt(moments.squares / static_cast<double>(n) + eps);
      util::affine_each(in.scalar_type(), from + row * bytes, n, moments.mean, rstd,
                        util::Parameter(weight), util::Parameter(bias), to + row * bytes);
      util::write_element(moments.mean, row, mean_out);
      util::write_element(rstd, row, rstd_out);
    }
  });
  return result;
}

}  // namespace torch::executor::native
