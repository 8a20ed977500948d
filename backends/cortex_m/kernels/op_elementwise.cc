#include <cmath>
#include <limits>
#include <type_traits>

#include <executorch/backends/cortex_m/kernels/common.h>

namespace cortex_m::native {

namespace {

/// Two operands and the output, whose shape both are broadcast to.
template <typename T>
struct Operands {
  const T* a;
  const T* b;
  T* out;
  size_t count;
  bool flat;  // all three have the elements in one order
};

template <typename T>
bool read_operands(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b, Tensor& out,
                   Operands<T>& operands) {
  if (!require_integers<T>(ctx, a) || !require_integers<T>(ctx, b) ||
      !require_integers<T>(ctx, out) ||
      !torch::executor::native::util::resize_broadcast(ctx, a, b, out)) {
    return false;
  }
  operands = {
      a.const_data_ptr<T>(), b.const_data_ptr<T>(), out.mutable_data_ptr<T>(),
      static_cast<size_t>(out.numel()),
      same_shape(a, out) && same_shape(b, out) && same_layout(a, out) && same_layout(b, out)};
  return true;
}

/// Where an element of the output, by its coordinates, lies in an operand. Once in a program: for
/// every loop it would be a large part of the code.
[[gnu::noinline]] size_t place(const Tensor& operand, const Tensor& out, const size_t* at) {
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
template <typename T, typename Each>
void for_runs(const Tensor& a, const Tensor& b, const Tensor& out, const Operands<T>& operands,
              const Each& each) {
  const size_t run = operands.flat ? operands.count : 1;
  size_t at[torch::executor::native::util::kMaxRank] = {};
  for (size_t i = 0; i < operands.count; i += run) {
    each(run, operands.a + place(a, out, at), operands.b + place(b, out, at),
         operands.out + place(out, out, at));
    for (ssize_t d = out.dim() - 1; d >= 0 && ++at[d] == static_cast<size_t>(out.size(d)); --d) {
      at[d] = 0;
    }
  }
}

#if EXECUTORCH_CORTEX_M_MVE

int32x4_t load(const int8_t* from, mve_pred16_t lanes) { return vldrbq_z_s32(from, lanes); }
int32x4_t load(const int16_t* from, mve_pred16_t lanes) { return vldrhq_z_s32(from, lanes); }
void store(int8_t* to, int32x4_t values, mve_pred16_t lanes) { vstrbq_p_s32(to, values, lanes); }
void store(int16_t* to, int32x4_t values, mve_pred16_t lanes) { vstrhq_p_s32(to, values, lanes); }

#endif

/// Bits that operands of sums get below the point.
template <typename T>
constexpr int kSumBits = sizeof(T) == 1 ? 20 : 15;

struct Operand {
  int32_t offset;
  Factor factor;
};

template <typename T>
void add(size_t n, const T* a, Operand left, const T* b, Operand right, Factor factor,
         Output output, T* out) {
#if EXECUTORCH_CORTEX_M_MVE
  for (size_t i = 0; i < n; i += 4) {
    const mve_pred16_t lanes = vctp32q(static_cast<uint32_t>(n - i));
    const int32x4_t x = vshlq_n_s32(vaddq_n_s32(load(a + i, lanes), left.offset), kSumBits<T>);
    const int32x4_t y = vshlq_n_s32(vaddq_n_s32(load(b + i, lanes), right.offset), kSumBits<T>);
    const int32x4_t sum = vaddq_s32(requantize(x, left.factor), requantize(y, right.factor));
    store(out + i, finish(requantize(sum, factor), output), lanes);
  }
#else
  for (size_t i = 0; i < n; ++i) {
    const int32_t x = requantize((a[i] + left.offset) * (1 << kSumBits<T>), left.factor);
    const int32_t y = requantize((b[i] + right.offset) * (1 << kSumBits<T>), right.factor);
    out[i] = finish<T>(x + y, factor, output);
  }
#endif
}

template <typename T>
void multiply(size_t n, const T* a, int32_t left, const T* b, int32_t right, Factor factor,
              Output output, T* out) {
#if EXECUTORCH_CORTEX_M_MVE
  for (size_t i = 0; i < n; i += 4) {
    const mve_pred16_t lanes = vctp32q(static_cast<uint32_t>(n - i));
    const int32x4_t product =
        vmulq_s32(vaddq_n_s32(load(a + i, lanes), left), vaddq_n_s32(load(b + i, lanes), right));
    store(out + i, finish(requantize(product, factor), output), lanes);
  }
#else
  for (size_t i = 0; i < n; ++i) {
    out[i] = finish<T>((a[i] + left) * (b[i] + right), factor, output);
  }
#endif
}

/// Quotients in floating point, halves to even; zero where the divisor is zero.
template <typename T>
void divide(size_t n, const T* a, float left, const T* b, float right, float scale, float offset,
            T* out) {
  constexpr auto kLeast = static_cast<float>(std::numeric_limits<T>::min());
  constexpr auto kMost = static_cast<float>(std::numeric_limits<T>::max());
  for (size_t i = 0; i < n; ++i) {
    const float divisor = static_cast<float>(b[i]) - right;
    const float exact = divisor == 0 ? 0 : (static_cast<float>(a[i]) - left) / divisor * scale;
    const float value = std::nearbyint(exact) + offset;
    out[i] = static_cast<T>(value < kLeast ? kLeast : value > kMost ? kMost : value);
  }
}

template <bool kLess>
Tensor& extreme(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b, Tensor& out) {
  for_type(a, [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    Operands<T> operands;
    if (read_operands(ctx, a, b, out, operands)) {
      for_runs(a, b, out, operands, [](size_t n, const T* x, const T* y, T* to) {
        for (size_t i = 0; i < n; ++i) {
          to[i] = (x[i] < y[i]) == kLess ? x[i] : y[i];
        }
      });
    }
  });
  return out;
}

}  // namespace

Tensor& quantized_add_out(KernelRuntimeContext& ctx, const Tensor& self, int64_t self_zero_point,
                          int64_t self_multiplier, int64_t self_shift, const Tensor& other,
                          int64_t other_zero_point, int64_t other_multiplier, int64_t other_shift,
                          int64_t output_zero_point, int64_t output_multiplier,
                          int64_t output_shift, int64_t activation_min, int64_t activation_max,
                          Tensor& out) {
  Operand left;
  Operand right;
  Factor factor;
  Output output;
  const ScalarType integers = self.scalar_type();
  if (!require_offset(ctx, self_zero_point, integers) ||
      !require_offset(ctx, other_zero_point, integers) ||
      !read_factor(ctx, self_multiplier, self_shift, left.factor) ||
      !read_factor(ctx, other_multiplier, other_shift, right.factor) ||
      !read_factor(ctx, output_multiplier, output_shift, factor) ||
      !read_output(ctx, output_zero_point, activation_min, activation_max, output, integers)) {
    return out;
  }
  left.offset = static_cast<int32_t>(-self_zero_point);
  right.offset = static_cast<int32_t>(-other_zero_point);
  for_type(self, [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    Operands<T> operands;
    if (read_operands(ctx, self, other, out, operands)) {
      for_runs(self, other, out, operands, [&](size_t n, const T* a, const T* b, T* to) {
        add(n, a, left, b, right, factor, output, to);
      });
    }
  });
  return out;
}

Tensor& quantized_mul_out(KernelRuntimeContext& ctx, const Tensor& self, int64_t self_zero_point,
                          const Tensor& other, int64_t other_zero_point, int64_t output_zero_point,
                          int64_t output_multiplier, int64_t output_shift, Tensor& out) {
  for_type(self, [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    Operands<T> operands;
    Factor factor;
    Output output;
    if (!require_offset(ctx, self_zero_point, kType<T>) ||
        !require_offset(ctx, other_zero_point, kType<T>) ||
        !read_factor(ctx, output_multiplier, output_shift, factor) ||
        !read_output(ctx, output_zero_point, std::numeric_limits<T>::min(),
                     std::numeric_limits<T>::max(), output, kType<T>) ||
        !read_operands(ctx, self, other, out, operands)) {
      return;
    }
    for_runs(self, other, out, operands, [&](size_t n, const T* a, const T* b, T* to) {
      multiply(n, a, static_cast<int32_t>(-self_zero_point), b,
               static_cast<int32_t>(-other_zero_point), factor, output, to);
    });
  });
  return out;
}

Tensor& quantized_div_out(KernelRuntimeContext& ctx, const Tensor& self, int64_t self_zero_point,
                          const Tensor& other, int64_t other_zero_point, int64_t output_zero_point,
                          double output_scale, Tensor& out) {
  for_type(self, [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    Operands<T> operands;
    if (!require_offset(ctx, self_zero_point, kType<T>) ||
        !require_offset(ctx, other_zero_point, kType<T>) ||
        !require_offset(ctx, output_zero_point, kType<T>) ||
        !require(ctx, std::isfinite(static_cast<float>(output_scale)),
                 "the scale must be finite") ||
        !require(ctx, same_shape(self, other), "a quotient is that of equal shapes") ||
        !read_operands(ctx, self, other, out, operands)) {
      return;
    }
    for_runs(self, other, out, operands, [&](size_t n, const T* a, const T* b, T* to) {
      divide(n, a, static_cast<float>(self_zero_point), b, static_cast<float>(other_zero_point),
             static_cast<float>(output_scale), static_cast<float>(output_zero_point), to);
    });
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
