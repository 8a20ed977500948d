/**
 * @file
 * Sums of products of integers, exact, and how those of convolutions become integers.
 */
#pragma once

#include <type_traits>

#include <executorch/backends/cadence/kernels/common.h>

namespace impl::generic::native {

/// Weights have the type of the activations, or 8 bits where those have 16.
template <typename T>
using weight_of = std::conditional_t<std::is_same_v<T, int16_t>, int8_t, T>;

inline ScalarType weight_type(ScalarType activations) {
  return activations == ScalarType::Short ? ScalarType::Char : activations;
}

/// What is taken off both factors of all products.
struct ZeroPoints {
  int32_t x;
  int32_t weight;
};

template <typename Sum, typename T, typename W>
Sum sum_products(ZeroPoints zero, const T* x, ptrdiff_t x_stride, const W* weight,
                 ptrdiff_t weight_stride, size_t n) {
  Sum sum = 0;
  if (x_stride == 1 && weight_stride == 1) {
    for (size_t i = 0; i < n; ++i) {
      sum += static_cast<Sum>(x[i] - zero.x) * (weight[i] - zero.weight);
    }
    return sum;
  }
  for (size_t i = 0; i < n; ++i, x += x_stride, weight += weight_stride) {
    sum += static_cast<Sum>(*x - zero.x) * (*weight - zero.weight);
  }
  return sum;
}

/// The strides are in elements.
template <typename T, typename W>
int64_t sum_of_products(ZeroPoints zero, const T* x, ptrdiff_t x_stride, const W* weight,
                        ptrdiff_t weight_stride, size_t n) {
  // Bytes differ by at most 255 from their zero points, and 32 bits hold so many products.
  constexpr size_t kMost = 32768;
  if (sizeof(T) == 1 && sizeof(W) == 1 && n <= kMost) {
    return sum_products<int32_t>(zero, x, x_stride, weight, weight_stride, n);
  }
  return sum_products<int64_t>(zero, x, x_stride, weight, weight_stride, n);
}

/// What a quantized convolution takes off its factors, and what its sums are multiplied by.
struct Scaling {
  ZeroPoints zero = {0, 0};
  float bias_scale = 1;
  Quant out;

  template <typename T>
  T integer(int64_t sum) const {
    return to_integer<T>(static_cast<float>(sum) * bias_scale * out.inverse, out.zero_point);
  }
};

/// What `read_scaling` checks: the tensors of a quantized convolution, and its numbers.
struct ScalingArguments {
  const Tensor& input;
  const Tensor& weight;
  const Tensor& bias;
  int64_t input_zero_point;
  int64_t weight_zero_point;
  double bias_scale;
  double out_scale;
  int64_t out_zero_point;
};

/// Requires the types of a quantized convolution and numbers that can be calculated with.
inline bool read_scaling(KernelRuntimeContext& ctx, const ScalingArguments& args, const Tensor& out,
                         Scaling& scaling) {
  const ScalarType dtype = args.input.scalar_type();
  scaling.bias_scale = static_cast<float>(args.bias_scale);
  return require_activation(ctx, args.input) &&
         require_plain(ctx, args.weight, weight_type(dtype)) &&
         require_plain(ctx, args.bias, ScalarType::Int) && require_plain(ctx, out, dtype) &&
         read_zero_point(ctx, dtype, args.input_zero_point, scaling.zero.x) &&
         read_zero_point(ctx, args.weight.scalar_type(), args.weight_zero_point,
                         scaling.zero.weight) &&
         read_quant(ctx, dtype, args.out_scale, args.out_zero_point, scaling.out) &&
         require(ctx, std::isfinite(scaling.bias_scale), "the scale of the sums must be finite");
}

}  // namespace impl::generic::native
