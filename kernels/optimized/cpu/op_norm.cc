#include <cmath>
#include <tuple>

#include <executorch/kernels/optimized/cpu/elementwise.h>
#include <executorch/kernels/optimized/cpu/simd.h>
#include <executorch/kernels/portable/NativeFunctions.h>
#include <executorch/kernels/portable/cpu/internal/parallel.h>
#include <executorch/kernels/portable/cpu/internal/shape.h>

// Layer norm of floating tensors with a weight and a bias, whose lines may be short.

namespace torch::executor::native {
namespace {

using optimized::simd;

/// The fewest elements that are worth a thread.
constexpr size_t kGrain = 8192;

/// Elements of a half type whose lines are calculated with as floats.
constexpr size_t kLongestHalfLine = 4096;

bool is_parameter(const optional<Tensor>& t, ScalarType dtype, size_t n) {
  return t.has_value() && t->scalar_type() == dtype && static_cast<size_t>(t->numel()) == n &&
         util::is_contiguous(*t);
}

/// @returns the number of normalised elements, 0 if the shape is not that of the last dimensions.
size_t normalised(const Tensor& in, IntArrayRef shape) {
  const size_t rank = static_cast<size_t>(in.dim());
  if (shape.size() == 0 || shape.size() > rank) {
    return 0;
  }
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] != in.size(static_cast<ssize_t>(rank - shape.size() + d))) {
      return 0;
    }
  }
  return util::product(in, rank - shape.size(), rank);
}

/// What a line is normalised with.
struct Norm {
  size_t n;
  double eps;
  const float* weight;
  const float* bias;

  /// @param out May be `line`.
  void run(const float* line, float* out, float& mean, float& rstd) const {
    const double count = static_cast<double>(n);
    mean = static_cast<float>(simd->loops.sum(line, n) / count);
    const double squares = simd->loops.squared_distances(line, n, mean);
    rstd = static_cast<float>(1.0 / std::sqrt(squares / count + eps));
    simd->loops.normalize(line, n, mean, rstd, weight, bias, out);
  }
};

void run_floats(const Norm& norm, const Tensor& in, Tensor& out, Tensor& mean_out,
                Tensor& rstd_out) {
  const float* x = static_cast<const float*>(in.const_data_ptr());
  float* to = static_cast<float*>(out.mutable_data_ptr());
  float* means = static_cast<float*>(mean_out.mutable_data_ptr());
  float* rstds = static_cast<float*>(rstd_out.mutable_data_ptr());
  util::parallel_for(static_cast<size_t>(in.numel()) / norm.n, 1 + kGrain / norm.n,
                     [=](size_t begin, size_t end) {
                       for (size_t row = begin; row < end; ++row) {
                         norm.run(x + row * norm.n, to + row * norm.n, means[row], rstds[row]);
                       }
                     });
}

/// By way of floats, a line at a time.
void run_halves(Norm norm, const Tensor& in, const Tensor& weight, const Tensor& bias, Tensor& out,
                Tensor& mean_out, Tensor& rstd_out) {
  const size_t half = static_cast<size_t>(optimized::element_of(in.scalar_type()));
  const size_t wide = static_cast<size_t>(optimized::Element::kFloat);
  const optimized::ConvertLoop widen = simd->elementwise.convert[half][wide];
  const optimized::ConvertLoop narrow = simd->elementwise.convert[wide][half];
  const size_t n = norm.n;
  float parameters[2][kLongestHalfLine];
  widen(weight.const_data_ptr(), n, parameters[0]);
  widen(bias.const_data_ptr(), n, parameters[1]);
  norm.weight = parameters[0];
  norm.bias = parameters[1];
  const uint16_t* x = static_cast<const uint16_t*>(in.const_data_ptr());
  uint16_t* to = static_cast<uint16_t*>(out.mutable_data_ptr());
  uint16_t* means = static_cast<uint16_t*>(mean_out.mutable_data_ptr());
  uint16_t* rstds = static_cast<uint16_t*>(rstd_out.mutable_data_ptr());
  util::parallel_for(static_cast<size_t>(in.numel()) / n, 1 + kGrain / n,
                     [=](size_t begin, size_t end) {
                       float line[kLongestHalfLine];
                       for (size_t row = begin; row < end; ++row) {
                         float mean = 0;
                         float rstd = 0;
                         widen(x + row * n, n, line);
                         norm.run(line, line, mean, rstd);
                         narrow(line, n, to + row * n);
                         narrow(&mean, 1, means + row);
                         narrow(&rstd, 1, rstds + row);
                       }
                     });
}

bool run_layer_norm(KernelRuntimeContext& ctx, const Tensor& in, IntArrayRef shape,
                    const optional<Tensor>& weight, const optional<Tensor>& bias, double eps,
                    Tensor& out, Tensor& mean_out, Tensor& rstd_out) {
  const size_t n = normalised(in, shape);
  const ScalarType dtype = in.scalar_type();
  const bool is_half = dtype == ScalarType::Half || dtype == ScalarType::BFloat16;
  if ((dtype != ScalarType::Float && !is_half) || (is_half && n > kLongestHalfLine) ||
      out.scalar_type() != dtype || mean_out.scalar_type() != dtype ||
      rstd_out.scalar_type() != dtype || n == 0 || in.numel() == 0 ||
      !is_parameter(weight, dtype, n) || !is_parameter(bias, dtype, n)) {
    return false;
  }
  util::Shape stats(in);
  for (size_t d = stats.rank - shape.size(); d < stats.rank; ++d) {
    stats.sizes[d] = 1;
  }
  if (!util::resize_like(ctx, in, out) || !util::resize(ctx, stats, mean_out) ||
      !util::resize(ctx, stats, rstd_out)) {
    return true;
  }
  if (!util::is_contiguous(in) || !util::is_contiguous(out) || !util::is_contiguous(mean_out) ||
      !util::is_contiguous(rstd_out)) {
    return false;
  }
  if (is_half) {
    run_halves({n, eps, nullptr, nullptr}, in, *weight, *bias, out, mean_out, rstd_out);
  } else {
    run_floats({n, eps, static_cast<const float*>(weight->const_data_ptr()),
                static_cast<const float*>(bias->const_data_ptr())},
               in, out, mean_out, rstd_out);
  }
  return true;
}

}  // namespace

std::tuple<Tensor&, Tensor&, Tensor&> opt_native_layer_norm_out(
    KernelRuntimeContext& ctx, const Tensor& in, IntArrayRef normalized_shape,
    const optional<Tensor>& weight, const optional<Tensor>& bias, double eps, Tensor& out,
    Tensor& mean_out, Tensor& rstd_out) {
  if (run_layer_norm(ctx, in, normalized_shape, weight, bias, eps, out, mean_out, rstd_out)) {
    return {out, mean_out, rstd_out};
  }
  return native_layer_norm_out(ctx, in, normalized_shape, weight, bias, eps, out, mean_out,
                               rstd_out);
}

}  // namespace torch::executor::native
