#include <tuple>

#include <executorch/kernels/portable/cpu/internal/element.h>
#include <executorch/kernels/portable/cpu/internal/norm.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native {
namespace {

/// The input seen as planes [n, c], of which `channels` neighbours form a group.
struct Groups {
  util::View grad;
  util::View in;
  util::View mean;
  util::View rstd;
  util::Parameter weight;
  size_t batch;
  size_t channels;
  size_t plane;
  size_t groups;

  size_t in_group() const { return channels / groups; }
  ptrdiff_t stat(size_t n, size_t c) const {
    return static_cast<ptrdiff_t>(n * groups + c / in_group());
  }
  ptrdiff_t at(size_t n, size_t c, size_t i) const {
    return static_cast<ptrdiff_t>((n * channels + c) * plane + i);
  }
  double gradient(size_t n, size_t c, size_t i) const {
    return util::get_element<double>(grad, at(n, c, i));
  }
  double normalized(size_t n, size_t c, size_t i) const {
    return (util::get_element<double>(in, at(n, c, i)) -
            util::get_element<double>(mean, stat(n, c))) *
           util::get_element<double>(rstd, stat(n, c));
  }
};

void grad_group(const Groups& x, size_t n, size_t first, const util::View& out) {
  double sum = 0;
  double sum_normalized = 0;
  for (size_t c = first; c < first + x.in_group(); ++c) {
    for (size_t i = 0; i < x.plane; ++i) {
      const double g = x.gradient(n, c, i) * x.weight.at(c, 1);
      sum += g;
      sum_normalized += g * x.normalized(n, c, i);
    }
  }
  const double count = static_cast<double>(x.in_group() * x.plane);
  const double rstd = util::get_element<double>(x.rstd, x.stat(n, first));
  for (size_t c = first; c < first + x.in_group(); ++c) {
    for (size_t i = 0; i < x.plane; ++i) {
      const double g = x.gradient(n, c, i) * x.weight.at(c, 1);
      util::put_element(out, x.at(n, c, i),
                        rstd * (g - sum / count - x.normalized(n, c, i) * sum_normalized / count));
    }
  }
}

void grad_parameters(const Groups& x, const util::View* weight, const util::View* bias) {
  for (size_t c = 0; c < x.channels; ++c) {
    double weight_sum = 0;
    double bias_sum = 0;
    for (size_t n = 0; n < x.batch; ++n) {
      for (size_t i = 0; i < x.plane; ++i) {
        const double g = x.gradient(n, c, i);
        bias_sum += g;
        weight_sum += g * x.normalized(n, c, i);
      }
    }
    if (weight != nullptr) {
      util::put_element(*weight, static_cast<ptrdiff_t>(c), weight_sum);
    }
    if (bias != nullptr) {
      util::put_element(*bias, static_cast<ptrdiff_t>(c), bias_sum);
    }
  }
}

bool check(KernelRuntimeContext& ctx, const Tensor& grad_out, const Tensor& in, const Tensor& mean,
           const Tensor& rstd, const optional<Tensor>& weight, int64_t n, int64_t c, int64_t hxw,
           int64_t group) {
  return util::require_floating(ctx, in) && util::require_same_dtype(ctx, in, grad_out) &&
         util::require_floating(ctx, mean) && util::require_floating(ctx, rstd) &&
         util::require(
             ctx,
             in.dim() >= 2 && n == in.size(0) && c == in.size(1) && group > 0 && c % group == 0 &&
                 hxw >= 0 &&
                 static_cast<size_t>(hxw) == util::product(in, 2, static_cast<size_t>(in.dim())),
             "group norm needs an input [N, C, ...] of HxW elements a plane, and a "
             "divisor of C as group") &&
         util::require(ctx, util::same_shape(in, grad_out),
                       "the gradient must have the input's shape") &&
         util::require(ctx, mean.numel() == n * group && rstd.numel() == n * group,
                       "mean and rstd must have an element for each group") &&
         util::require_parameter(ctx, weight, static_cast<size_t>(c)) &&
         util::require(ctx, util::is_contiguous(in) && util::is_contiguous(grad_out),
                       "group norm needs contiguous tensors");
}

}  // namespace

std::tuple<Tensor&, Tensor&, Tensor&> native_group_norm_backward_out(
    KernelRuntimeContext& ctx, const Tensor& grad_out, const Tensor& in, const Tensor& mean,
    const Tensor& rstd, const optional<Tensor>& weight, int64_t N, int64_t C, int64_t HxW,
    int64_t group, ArrayRef<bool> output_mask, Tensor& out0, Tensor& out1, Tensor& out2) {
  const std::tuple<Tensor&, Tensor&, Tensor&> result(out0, out1, out2);
  util::Shape parameters;
  parameters.push(C);
  if (!check(ctx, grad_out, in, mean, rstd, weight, N, C, HxW, group) ||
      !util::require(ctx, output_mask.size() == 3, "output_mask must have three entries") ||
      (output_mask[0] &&
       (!util::require_floating(ctx, out0) || !util::resize_like(ctx, in, out0) ||
        !util::require(ctx, util::is_contiguous(out0), "group norm needs contiguous tensors"))) ||
      (output_mask[1] &&
       (!util::require_floating(ctx, out1) || !util::resize(ctx, parameters, out1))) ||
      (output_mask[2] &&
       (!util::require_floating(ctx, out2) || !util::resize(ctx, parameters, out2)))) {
    return result;
  }
  const Groups groups = {
      util::View(grad_out),   util::View(in),           util::View(mean),
      util::View(rstd),       util::Parameter(weight),  static_cast<size_t>(N),
      static_cast<size_t>(C), static_cast<size_t>(HxW), static_cast<size_t>(group)};
  if (output_mask[0]) {
    for (size_t n = 0; n < groups.batch; ++n) {
      for (size_t c = 0; c < groups.channels; c += groups.in_group()) {
        grad_group(groups, n, c, util::View(out0));
      }
    }
  }
  const util::View weight_view(out1);
  const util::View bias_view(out2);
  grad_parameters(groups, output_mask[1] ? &weight_view : nullptr,
                  output_mask[2] ? &bias_view : nullptr);
  return result;
}

}  // namespace torch::executor::native
