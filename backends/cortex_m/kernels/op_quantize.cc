#include <cmath>
#include <type_traits>

#include <executorch/backends/cortex_m/kernels/common.h>

namespace cortex_m::native {

namespace {

struct Range {
  float offset;
  float low;
  float high;
};

#if EXECUTORCH_CORTEX_M_MVE && (__ARM_FEATURE_MVE & 2)
void store(int8_t* to, int32x4_t values, mve_pred16_t lanes) { vstrbq_p_s32(to, values, lanes); }
void store(int16_t* to, int32x4_t values, mve_pred16_t lanes) { vstrhq_p_s32(to, values, lanes); }
#endif

template <typename T>
void quantize(const float* from, size_t n, float inverse, Range range, T* to) {
#if EXECUTORCH_CORTEX_M_MVE && (__ARM_FEATURE_MVE & 2)
  for (size_t i = 0; i < n; i += 4) {
    const mve_pred16_t lanes = vctp32q(static_cast<uint32_t>(n - i));
    const float32x4_t rounded = vrndnq_f32(vmulq_n_f32(vldrwq_z_f32(from + i, lanes), inverse));
    float32x4_t value = vaddq_n_f32(rounded, range.offset);
    value = vminnmq_f32(vmaxnmq_f32(value, vdupq_n_f32(range.low)), vdupq_n_f32(range.high));
    store(to + i, vcvtq_s32_f32(value), lanes);
  }
#else
  for (size_t i = 0; i < n; ++i) {
    float value = std::nearbyint(from[i] * inverse) + range.offset;
    // Not a number becomes the lowest.
    value = value > range.low ? value : range.low;
    to[i] = static_cast<T>(value < range.high ? value : range.high);
  }
#endif
}

bool check(KernelRuntimeContext& ctx, const Tensor& quantized, const Tensor& real, double scale,
           int64_t zero_point, int64_t quant_min, int64_t quant_max, ScalarType dtype) {
  const bool wide = dtype == ScalarType::Short;
  const int64_t most = most_of(dtype);
  return require(ctx, (wide || dtype == ScalarType::Char) && quantized.scalar_type() == dtype,
                 "integers are Char or Short") &&
         require(ctx, real.scalar_type() == ScalarType::Float, "real values are Float") &&
         require(ctx, scale > 0, "the scale must be above 0") &&
         require(ctx, zero_point >= -most - 1 && zero_point <= most,
                 "the zero point is one of the integers") &&
         require(ctx, quant_min >= -most - 1 && quant_max <= most && quant_min <= quant_max,
                 "bounds must be those of the integers' type");
}

}  // namespace

Tensor& quantize_per_tensor_out(KernelRuntimeContext& ctx, const Tensor& input, double scale,
                                int64_t zero_point, int64_t quant_min, int64_t quant_max,
                                ScalarType dtype, Tensor& out) {
  if (!check(ctx, out, input, scale, zero_point, quant_min, quant_max, dtype) ||
      !resize_like(ctx, input, out) ||
      !require(ctx, same_layout(input, out), "input and output have one layout")) {
    return out;
  }
  const Range range = {static_cast<float>(zero_point), static_cast<float>(quant_min),
                       static_cast<float>(quant_max)};
  for_type(out, [&](auto* type) {
    quantize(input.const_data_ptr<float>(), static_cast<size_t>(out.numel()),
             static_cast<float>(1.0 / scale), range,
             out.mutable_data_ptr<std::remove_pointer_t<decltype(type)>>());
  });
  return out;
}

Tensor& dequantize_per_tensor_out(KernelRuntimeContext& ctx, const Tensor& input, double scale,
                                  int64_t zero_point, int64_t quant_min, int64_t quant_max,
                                  ScalarType dtype, Tensor& out) {
  if (!check(ctx, input, out, scale, zero_point, quant_min, quant_max, dtype) ||
      !resize_like(ctx, input, out) ||
      !require(ctx, same_layout(input, out), "input and output have one layout")) {
    return out;
  }
  for_type(input, [&](auto* type) {
    const auto* const from = input.const_data_ptr<std::remove_pointer_t<decltype(type)>>();
    float* const to = out.mutable_data_ptr<float>();
    for (ssize_t i = 0; i < out.numel(); ++i) {
      to[i] = static_cast<float>(from[i] - zero_point) * static_cast<float>(scale);
    }
  });
  return out;
}

}  // namespace cortex_m::native
