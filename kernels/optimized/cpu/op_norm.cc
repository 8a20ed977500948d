#include <cmath>
#include <tuple>

#include <executorch/kernels/optimized/cpu/simd.h>
#include <executorch/kernels/portable/NativeFunctions.h>
#include <executorch/kernels/portable/cpu/util/parallel.h>
#include <executorch/kernels/portable/cpu/util/shape.h>

// Layer norm of Floats with a weight and a bias, whose lines may be short.

namespace torch::executor::native {
namespace {

using optimized::simd;

/// The fewest elements that are worth a thread.
constexpr size_t kGrain = 8192;

bool is_parameter(const optional<Tensor>& t, size_t n) {
  return t.has_value() && t->scalar_type() == ScalarType::Float &&
         static_cast<size_t>(t->numel()) == n && util::is_contiguous(*t);
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

bool run_layer_norm(KernelRuntimeContext& ctx, const Tensor& in, IntArrayRef shape,
                    const optional<Tensor>& weight, const optional<Tensor>& bias, double eps,
                    Tensor& out, Tensor& mean_out, Tensor& rstd_out) {
  const size_t n = normalised(in, shape);
  for (const Tensor* t :
       {&in, &static_cast<const Tensor&>(out), &static_cast<const Tensor&>(mean_out),
        &static_cast<const Tensor&>(rstd_out)}) {
    if (t->scalar_type() != ScalarType::Float) {
      return false;
    }
  }
  if (n == 0 || in.numel() == 0 || !is_parameter(weight, n) || !is_parameter(bias, n)) {
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
  const float* x = static_cast<const float*>(in.const_data_ptr());
  const float* by = static_cast<const float*>(weight->const_data_ptr());
  const float* plus = static_cast<const float*>(bias->const_data_ptr());
  float* to = static_cast<float*>(out.mutable_data_ptr());
  float* means = static_cast<float*>(mean_out.mutable_data_ptr());
  float* rstds = static_cast<float*>(rstd_out.mutable_data_ptr());
  const double count = static_cast<double>(n);
  util::parallel_for(
      static_cast<size_t>(in.numel()) / n, 1 + kGrain / n, [=](size_t begin, size_t end) {
        for (size_t row = begin; row < end; ++row) {
          const float* line = x + row * n;
          const float mean = static_cast<float>(simd->loops.sum(line, n) / count);
          const double squares = simd->loops.squared_distances(line, n, mean);
          const float rstd = static_cast<float>(1.0 / std::sqrt(squares / count + eps));
          simd->loops.normalize(line, n, mean, rstd, by, plus, to + row * n);
          means[row] = mean;
          rstds[row] = rstd;
        }
      });
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
