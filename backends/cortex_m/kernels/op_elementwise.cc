#include <executorch/backends/cortex_m/kernels/common.h>

namespace cortex_m::native {

namespace {

/// Two operands and the output, whose shape both are broadcast to.
struct Operands {
  const int8_t* a;
  const int8_t* b;
  int8_t* out;
  size_t count;
  bool flat;  // all three have the elements in one order
};

bool read_operands(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b, Tensor& out,
                   Operands& operands) {
  if (!require_int8(ctx, a) || !require_int8(ctx, b) || !require_int8(ctx, out) ||
      !torch::executor::native::util::resize_broadcast(ctx, a, b, out)) {
    return false;
  }
  operands = {
      a.const_data_ptr<int8_t>(), b.const_data_ptr<int8_t>(), out.mutable_data_ptr<int8_t>(),
      static_cast<size_t>(out.numel()),
      same_shape(a, out) && same_shape(b, out) && same_layout(a, out) && same_layout(b, out)};
  return true;
}

/// Where an element of the output, by its coordinates, lies in an operand.
size_t place(const Tensor& operand, const Tensor& out, const size_t* at) {
  size_t offset = 0;
  const ssize_t first = out.dim() - operand.dim();
  for (ssize_t d = 0; d < operand.dim(); ++d) {
    if (operand.size(d) != 1) {
      offset += at[first + d] * static_cast<size_t>(operand.strides()[d]);
    }
  }
  return offset;
}

/// Calls `each(n, a, b, out)` with runs of n elements: one for all, or single ones.
template <typename Each>
void for_runs(const Tensor& a, const Tensor& b, const Tensor& out, const Operands& operands,
              const Each& each) {
  if (operands.flat) {
    each(operands.count, operands.a, operands.b, operands.out);
    return;
  }
  size_t at[torch::executor::native::util::kMaxRank] = {};
  for (size_t i = 0; i < operands.count; ++i) {
    each(1, operands.a + place(a, out, at), operands.b + place(b, out, at),
         operands.out + place(out, out, at));
    for (ssize_t d = out.dim() - 1; d >= 0 && ++at[d] == static_cast<size_t>(out.size(d)); --d) {
      at[d] = 0;
    }
  }
}

/// Bits that operands of sums get below the point.
constexpr int kSumBits = 20;

struct Operand {
  int32_t offset;
  Factor factor;
};

void add(size_t n, const int8_t* a, Operand left, const int8_t* b, Operand right, Factor factor,
         Output output, int8_t* out) {
#if EXECUTORCH_CORTEX_M_MVE
  for (size_t i = 0; i < n; i += 4) {
    const mve_pred16_t lanes = vctp32q(static_cast<uint32_t>(n - i));
    const int32x4_t x = vshlq_n_s32(vaddq_n_s32(vldrbq_z_s32(a + i, lanes), left.offset), kSumBits);
    const int32x4_t y =
        vshlq_n_s32(vaddq_n_s32(vldrbq_z_s32(b + i, lanes), right.offset), kSumBits);
    const int32x4_t sum = vaddq_s32(requantize(x, left.factor), requantize(y, right.factor));
    vstrbq_p_s32(out + i, finish(requantize(sum, factor), output), lanes);
  }
#else
  for (size_t i = 0; i < n; ++i) {
    const int32_t x = requantize((a[i] + left.offset) * (1 << kSumBits), left.factor);
    const int32_t y = requantize((b[i] + right.offset) * (1 << kSumBits), right.factor);
    out[i] = finish(x + y, factor, output);
  }
#endif
}

void multiply(size_t n, const int8_t* a, int32_t left, const int8_t* b, int32_t right,
              Factor factor, Output output, int8_t* out) {
#if EXECUTORCH_CORTEX_M_MVE
  for (size_t i = 0; i < n; i += 4) {
    const mve_pred16_t lanes = vctp32q(static_cast<uint32_t>(n - i));
    const int32x4_t product = vmulq_s32(vaddq_n_s32(vldrbq_z_s32(a + i, lanes), left),
                                        vaddq_n_s32(vldrbq_z_s32(b + i, lanes), right));
    vstrbq_p_s32(out + i, finish(requantize(product, factor), output), lanes);
  }
#else
  for (size_t i = 0; i < n; ++i) {
    out[i] = finish((a[i] + left) * (b[i] + right), factor, output);
  }
#endif
}

template <bool kLess>
Tensor& extreme(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b, Tensor& out) {
  Operands operands;
  if (read_operands(ctx, a, b, out, operands)) {
    for_runs(a, b, out, operands, [](size_t n, const int8_t* x, const int8_t* y, int8_t* to) {
      for (size_t i = 0; i < n; ++i) {
        to[i] = (x[i] < y[i]) == kLess ? x[i] : y[i];
      }
    });
  }
  return out;
}

}  // namespace

Tensor& quantized_add_out(KernelRuntimeContext& ctx, const Tensor& self, int64_t self_zero_point,
                          int64_t self_multiplier, int64_t self_shift, const Tensor& other,
                          int64_t other_zero_point, int64_t other_multiplier, int64_t other_shift,
                          int64_t output_zero_point, int64_t output_multiplier,
                          int64_t output_shift, int64_t activation_min, int64_t activation_max,
                          Tensor& out) {
  Operands operands;
  Operand left;
  Operand right;
  Factor factor;
  Output output;
  if (!require_offset(ctx, self_zero_point) || !require_offset(ctx, other_zero_point) ||
      !read_factor(ctx, self_multiplier, self_shift, left.factor) ||
      !read_factor(ctx, other_multiplier, other_shift, right.factor) ||
      !read_factor(ctx, output_multiplier, output_shift, factor) ||
      !read_output(ctx, output_zero_point, activation_min, activation_max, output) ||
      !read_operands(ctx, self, other, out, operands)) {
    return out;
  }
  left.offset = static_cast<int32_t>(-self_zero_point);
  right.offset = static_cast<int32_t>(-other_zero_point);
  for_runs(self, other, out, operands, [&](size_t n, const int8_t* a, const int8_t* b, int8_t* to) {
    add(n, a, left, b, right, factor, output, to);
  });
  return out;
}

Tensor& quantized_mul_out(KernelRuntimeContext& ctx, const Tensor& self, int64_t self_zero_point,
                          const Tensor& other, int64_t other_zero_point, int64_t output_zero_point,
                          int64_t output_multiplier, int64_t output_shift, Tensor& out) {
  Operands operands;
  Factor factor;
  Output output;
  if (!require_offset(ctx, self_zero_point) || !require_offset(ctx, other_zero_point) ||
      !read_factor(ctx, output_multiplier, output_shift, factor) ||
      !read_output(ctx, output_zero_point, -128, 127, output) ||
      !read_operands(ctx, self, other, out, operands)) {
    return out;
  }
  for_runs(self, other, out, operands, [&](size_t n, const int8_t* a, const int8_t* b, int8_t* to) {
    multiply(n, a, static_cast<int32_t>(-self_zero_point), b,
             static_cast<int32_t>(-other_zero_point), factor, output, to);
  });
  return out;
}

Tensor& minimum_out(KernelRuntimeContext& ctx, const Tensor& self, const Tensor& other,
                    Tensor& out) {
  return extreme<true>(ctx, self, other, out);
}

Tensor& maximum_out(KernelRuntimeContext& ctx, const Tensor& self, const Tensor& other,
                    Tensor& out) {
  return extreme<false>(ctx, self, other, out);
}

Tensor& quantized_activation_out(KernelRuntimeContext& ctx, const Tensor& input, const Tensor& lut,
                                 Tensor& out) {
  if (!require_int8(ctx, input) || !require_int8(ctx, lut) || !require_int8(ctx, out) ||
      !require(ctx, lut.numel() == 256 && is_contiguous(lut), "the table has 256 entries") ||
      !resize_like(ctx, input, out) ||
      !require(ctx, same_layout(input, out), "input and output have one layout")) {
    return out;
  }
  const int8_t* const table = lut.const_data_ptr<int8_t>();
  const int8_t* const from = input.const_data_ptr<int8_t>();
  int8_t* const to = out.mutable_data_ptr<int8_t>();
  for (ssize_t i = 0; i < out.numel(); ++i) {
    to[i] = table[from[i] + 128];
  }
  return out;
}

}  // namespace cortex_m::native
