#include <executorch/kernels/portable/cpu/internal/parallel.h>
#include <executorch/kernels/quantized/cpu/util/affine.h>

namespace torch::executor::native {
namespace {

/// A quantized operand.
struct Operand {
  const Tensor& tensor;
  float scale;
  int64_t zero_point;
  int64_t min;
  int64_t max;
};

Tensor& add(KernelRuntimeContext& ctx, const Operand& a, const Operand& b, double out_scale,
            int64_t out_zero_point, int64_t out_min, int64_t out_max, bool relu, Tensor& out) {
  constexpr size_t kMost = util::kChunkBytes / sizeof(float);
  const ScalarType dtype = a.tensor.scalar_type();
  if (!util::require(ctx, dtype == ScalarType::Byte || dtype == ScalarType::Char,
                     "quantized tensors are added as Byte or Char") ||
      !util::require_quantized(ctx, a.tensor, dtype, a.min, a.max) ||
      !util::require_quantized(ctx, b.tensor, dtype, b.min, b.max) ||
      !util::require_quantized(ctx, out, dtype, out_min, out_max) ||
      !util::require(ctx, util::same_shape(a.tensor, b.tensor),
                     "the tensors must have one shape") ||
      !util::resize_like(ctx, a.tensor, out) ||
      !util::require(ctx, util::same_layout(a.tensor, b.tensor) && util::same_layout(a.tensor, out),
                     "the tensors must have one dim order")) {
    return out;
  }
  const util::View left(a.tensor);
  const util::View right(b.tensor);
  const util::View target(out);
  const float inverse = static_cast<float>(1.0 / out_scale);
  // A rectified result begins at what stands for 0.
  const int64_t least = relu && out_zero_point > out_min ? out_zero_point : out_min;
  const float low = static_cast<float>(least - out_zero_point);
  const float high = static_cast<float>(out_max - out_zero_point);
  constexpr size_t kGrain = 16384;
  util::parallel_for(static_cast<size_t>(out.numel()), kGrain, [&](size_t begin, size_t end) {
    float x[kMost];
    float y[kMost];
    for (size_t done = begin; done < end; done += kMost) {
      const size_t n = end - done < kMost ? end - done : kMost;
      const ptrdiff_t at = static_cast<ptrdiff_t>(done);
      util::load_dequantized(dtype, util::element_at(left, at), n, a.scale,
                             static_cast<float>(a.zero_point), x);
      util::load_dequantized(dtype, util::element_at(right, at), n, b.scale,
                             static_cast<float>(b.zero_point), y);
      for (size_t i = 0; i < n; ++i) {
        x[i] += y[i];
      }
      util::quantize_floats(dtype, x, n, inverse, static_cast<float>(out_zero_point), low, high,
                            util::element_at(target, at));
    }
  });
  return out;
}

}  // namespace

Tensor& quantized_add_out(KernelRuntimeContext& ctx, const Tensor& a, double a_scale,
                          int64_t a_zero_point, int64_t a_quant_min, int64_t a_quant_max,
                          const Tensor& b, double b_scale, int64_t b_zero_point,
                          int64_t b_quant_min, int64_t b_quant_max, double out_scale,
                          int64_t out_zero_point, int64_t out_quant_min, int64_t out_quant_max,
                          Tensor& out) {
  return add(ctx, {a, static_cast<float>(a_scale), a_zero_point, a_quant_min, a_quant_max},
             {b, static_cast<float>(b_scale), b_zero_point, b_quant_min, b_quant_max}, out_scale,
             out_zero_point, out_quant_min, out_quant_max, /*relu=*/false, out);
}

Tensor& quantized_add_relu_out(KernelRuntimeContext& ctx, const Tensor& a, double a_scale,
                               int64_t a_zero_point, int64_t a_quant_min, int64_t a_quant_max,
                               const Tensor& b, double b_scale, int64_t b_zero_point,
                               int64_t b_quant_min, int64_t b_quant_max, double out_scale,
                               int64_t out_zero_point, int64_t out_quant_min, int64_t out_quant_max,
                               Tensor& out) {
  return add(ctx, {a, static_cast<float>(a_scale), a_zero_point, a_quant_min, a_quant_max},
             {b, static_cast<float>(b_scale), b_zero_point, b_quant_min, b_quant_max}, out_scale,
             out_zero_point, out_quant_min, out_quant_max, /*relu=*/true, out);
}

}  // namespace torch::executor::native
