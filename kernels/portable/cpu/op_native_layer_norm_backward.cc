#include <tuple>

#include <executorch/kernels/portable/cpu/internal/element.h>
#include <executorch/kernels/portable/cpu/internal/norm.h>
#include <executorch/kernels/portable/cpu/internal/pointwise.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

namespace torch::executor::native {
namespace {

/// The input seen as rows that were normalised one by one.
struct Rows {
  util::View grad;
  util::View in;
  util::View mean;
  util::View rstd;
  util::Parameter weight;
  size_t rows;
  size_t n;

  double normalized(size_t row, size_t i) const {
    const ptrdiff_t at = static_cast<ptrdiff_t>(row * n + i);
    const ptrdiff_t r = static_cast<ptrdiff_t>(row);
    return (util::get_element<double>(in, at) - util::get_element<double>(mean, r)) *
           util::get_element<double>(rstd, r);
  }
  double gradient(size_t row, size_t i) const {
    return util::get_element<double>(grad, static_cast<ptrdiff_t>(row * n + i));
  }
};

void grad_input(const Rows& x, const util::View& out) {
  for (size_t row = 0; row < x.rows; ++row) {
    double sum = 0;
    double sum_normalized = 0;
    for (size_t i = 0; i < x.n; ++i) {
      const double g = x.gradient(row, i) * x.weight.at(i, 1);
      sum += g;
      sum_normalized += g * x.normalized(row, i);
    }
    const double n = static_cast<double>(x.n);
    const double rstd = util::get_element<double>(x.rstd, static_cast<ptrdiff_t>(row));
    for (size_t i = 0; i < x.n; ++i) {
      const double g = x.gradient(row, i) * x.weight.at(i, 1);
      util::put_element(out, static_cast<ptrdiff_t>(row * x.n + i),
                        rstd * (g - sum / n - x.normalized(row, i) * sum_normalized / n));
    }
  }
}

void grad_parameters(const Rows& x, const util::View* weight, const util::View* bias) {
  for (size_t i = 0; i < x.n; ++i) {
    double weight_sum = 0;
    double bias_sum = 0;
    for (size_t row = 0; row < x.rows; ++row) {
      const double g = x.gradient(row, i);
      bias_sum += g;
      weight_sum += g * x.normalized(row, i);
    }
    if (weight != nullptr) {
      util::put_element(*weight, static_cast<ptrdiff_t>(i), weight_sum);
    }
    if (bias != nullptr) {
      util::put_element(*bias, static_cast<ptrdiff_t>(i), bias_sum);
    }
  }
}

}  // namespace

std::tuple<Tensor&, Tensor&, Tensor&> native_layer_norm_backward_out(
    KernelRuntimeContext& ctx, const Tensor& grad_out, const Tensor& in,
    IntArrayRef normalized_shape, const Tensor& mean, const Tensor& rstd,
    const optional<Tensor>& weight, const optional<Tensor>& bias, ArrayRef<bool> output_mask,
    Tensor& out0, Tensor& out1, Tensor& out2) {
  (void)bias;  // no gradient depends on it
  const std::tuple<Tensor&, Tensor&, Tensor&> result(out0, out1, out2);
  const size_t rank = static_cast<size_t>(in.dim());
  const size_t count = normalized_shape.size();
  if (!util::require_floating(ctx, in) || !util::require_same_dtype(ctx, in, grad_out) ||
      !util::require_floating(ctx, mean) || !util::require_floating(ctx, rstd) ||
      !util::require(ctx, output_mask.size() == 3, "output_mask must have three entries") ||
      !util::require(ctx, count > 0 && count <= rank && util::same_shape(in, grad_out),
                     "normalized_shape must name the last dimensions, and the gradient have the "
                     "input's shape") ||
      !util::require(ctx, util::is_contiguous(in) && util::is_contiguous(grad_out),
                     "layer norm needs contiguous tensors")) {
    return result;
  }
  util::Shape parameters;
  for (size_t d = 0; d < count; ++d) {
    if (!util::require(ctx, normalized_shape[d] == in.size(static_cast<ssize_t>(rank - count + d)),
                       "normalized_shape must be the last dimensions' sizes")) {
      return result;
    }
    parameters.push(normalized_shape[d]);
  }
  const Rows rows = {util::View(grad_out),
                     util::View(in),
                     util::View(mean),
                     util::View(rstd),
                     util::Parameter(weight),
                     util::product(in, 0, rank - count),
                     util::product(in, rank - count, rank)};
  if (!util::require_parameter(ctx, weight, rows.n) ||
      !util::require(ctx,
                     static_cast<size_t>(mean.numel()) == rows.rows &&
                         static_cast<size_t>(rstd.numel()) == rows.rows,
                     "mean and rstd must have an element for each row") ||
      (output_mask[0] &&
       (!util::require_floating(ctx, out0) || !util::resize_like(ctx, in, out0) ||
        !util::require(ctx, util::is_contiguous(out0), "layer norm needs contiguous tensors"))) ||
      (output_mask[1] &&
       (!util::require_floating(ctx, out1) || !util::resize(ctx, parameters, out1))) ||
      (output_mask[2] &&
       (!util::require_floating(ctx, out2) || !util::resize(ctx, parameters, out2)))) {
    return result;
  }
  if (output_mask[0]) {
    grad_input(rows, util::View(out0));
  }
  const util::View weight_view(out1);
  const util::View bias_view(out2);
  grad_parameters(rows, output_mask[1] ? &weight_view : nullptr,
                  output_mask[2] ? &bias_view : nullptr);
  return result;
}

}  // namespace torch::executor::native
