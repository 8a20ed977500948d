#include <cmath>
#include <tuple>

#include <executorch/kernels/portable/cpu/internal/norm.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native {
namespace {

bool check(KernelRuntimeContext& ctx, const Tensor& in, const optional<Tensor>& weight,
           const optional<Tensor>& bias, int64_t n, int64_t c, int64_t hxw, int64_t group,
           const Tensor& out) {
  if (!util::require_floating(ctx, in) || !util::require_same_dtype(ctx, in, out) ||
      !util::require(
          ctx, in.dim() >= 2 && n == in.size(0) && c == in.size(1) && group > 0 && c % group == 0,
          "group norm needs an input [n, c, ...] and a divisor of c as group")) {
    return false;
  }
  const size_t plane = util::product(in, 2, static_cast<size_t>(in.dim()));
  return util::require(ctx, hxw >= 0 && static_cast<size_t>(hxw) == plane,
                       "HxW must be the product of the spatial sizes") &&
         util::require_parameter(ctx, weight, static_cast<size_t>(c)) &&
         util::require_parameter(ctx, bias, static_cast<size_t>(c));
}

}  // namespace

std::tuple<Tensor&, Tensor&, Tensor&> native_group_norm_out(
    KernelRuntimeContext& ctx, const Tensor& in, const optional<Tensor>& weight,
    const optional<Tensor>& bias, int64_t N, int64_t C, int64_t HxW, int64_t group, double eps,
    Tensor& out, Tensor& mean_out, Tensor& rstd_out) {
  const std::tuple<Tensor&, Tensor&, Tensor&> result(out, mean_out, rstd_out);
  if (!check(ctx, in, weight, bias, N, C, HxW, group, out)) {
    return result;
  }
  util::Shape stats;
  stats.push(N);
  stats.push(group);
  if (!util::require_floating(ctx, mean_out) || !util::require_floating(ctx, rstd_out) ||
      !util::resize_like(ctx, in, out) || !util::resize(ctx, stats, mean_out) ||
      !util::resize(ctx, stats, rstd_out) ||
      !util::require(ctx, util::is_contiguous(in) && util::is_contiguous(out),
                     "group norm needs a contiguous input and output")) {
    return result;
  }
  const size_t channels = static_cast<size_t>(C / group);
  const size_t plane = static_cast<size_t>(HxW);
  const size_t n = channels * plane;
  const size_t bytes = static_cast<size_t>(in.element_size());
  const char* from = static_cast<const char*>(in.const_data_ptr());
  char* to = static_cast<char*>(out.mutable_data_ptr());
  const util::Parameter weights(weight);
  const util::Parameter biases(bias);
  for (size_t row = 0; row < static_cast<size_t>(N * group); ++row) {
    util::Moments moments = {0, 0};
    if (n > 0) {
      moments = util::moments(in.scalar_type(), from + row * n * bytes, n);
    }
    const double rstd = 1.0 / std::sqrt(moments.squares / static_cast<double>(n) + eps);
    for (size_t k = 0; k < channels; ++k) {
      const size_t channel = row % static_cast<size_t>(group) * channels + k;
      const double scale = rstd * weights.at(channel, 1);
      const double shift = biases.at(channel, 0) - moments.mean * scale;
      const size_t offset = (row * n + k * plane) * bytes;
      util::affine(in.scalar_type(), from + offset, plane, scale, shift, to + offset);
    }
    util::write_element(moments.mean, row, mean_out);
    util::write_element(rstd, row, rstd_out);
  }
  return result;
}

}  // namespace torch::executor::native
