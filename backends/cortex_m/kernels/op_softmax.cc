#include <executorch/backends/cortex_m/kernels/library.h>

namespace cortex_m::native {

namespace {

/// Differences have so many bits above the point, sums so many.
constexpr int kDifferenceBits = 5;
constexpr int kSumBits = 12;

int32_t saturate(int64_t value) {
  return static_cast<int32_t>(value > INT32_MAX   ? INT32_MAX
                              : value < INT32_MIN ? INT32_MIN
                                                  : value);
}

/// Product of two numbers of 31 fractional bits, rounded; -1 times -1 is the largest number.
int32_t product(int32_t a, int32_t b) {
  if (a == INT32_MIN && b == INT32_MIN) {
    return INT32_MAX;
  }
  const int64_t exact = int64_t{a} * b;
  const int64_t nudge = exact >= 0 ? int64_t{1} << 30 : 1 - (int64_t{1} << 30);
  return static_cast<int32_t>((exact + nudge) / (int64_t{1} << 31));
}

/// Times 2^exponent, at most what 32 bits hold.
int32_t shifted(int32_t value, int exponent) {
  return saturate(int64_t{value} * (int64_t{1} << exponent));
}

/// e^a for -1/4 <= a < 0, both of 31 fractional bits: a polynomial of the fourth degree around
/// -1/8.
int32_t exp_of_fraction(int32_t a) {
  const int32_t constant = 1895147668;  // e^(-1/8)
  const int32_t third = 715827883;      // 1/3
  const int32_t x = a + (1 << 28);
  const int32_t x2 = product(x, x);
  const int32_t x3 = product(x2, x);
  const int32_t x4 = product(x2, x2);
  const int32_t x4_of_4 = divide_by_power(x4, 2);
  const int32_t rest = divide_by_power(product(x4_of_4 + x3, third) + x2, 1);
  return saturate(int64_t{constant} + product(constant, x + rest));
}

/// e^a for a <= 0 with 26 fractional bits; the result has 31.
int32_t exp_of(int32_t a) {
  constexpr int kFraction = 31 - kDifferenceBits;
  constexpr int32_t kQuarter = 1 << (kFraction - 2);
  const int32_t fraction = (a & (kQuarter - 1)) - kQuarter;
  int32_t result = exp_of_fraction(shifted(fraction, kDifferenceBits));
  const int32_t rest = fraction - a;
  // e^(-1/4), e^(-1/2), e^-1, ... e^-16
  constexpr int32_t kPowers[] = {1672461947, 1302514674, 790015084, 290630308,
                                 39332535,   720401,     242};
  for (int i = 0; i < 7; ++i) {
    if ((rest & (1 << (kFraction - 2 + i))) != 0) {
      result = product(result, kPowers[i]);
    }
  }
  return a == 0 ? INT32_MAX : result;
}

/// 1 / (1 + a) for 0 <= a < 1, both of 31 fractional bits; three steps of Newton's method.
int32_t reciprocal(int32_t a) {
  constexpr int32_t k48Of17 = 1515870810;
  constexpr int32_t kMinus32Of17 = -1010580540;
  // Half of 1 + a, rounded.
  const auto half = static_cast<int32_t>((int64_t{a} + INT32_MAX + 1) >> 1);
  int32_t x = k48Of17 + product(half, kMinus32Of17);  // 29 fractional bits
  for (int i = 0; i < 3; ++i) {
    const int32_t one_less = (1 << 29) - product(half, x);
    x += shifted(product(x, one_less), 2);
  }
  return shifted(x, 1);
}

int leading_zeros(uint32_t value) {
  int zeros = 0;
  for (uint32_t bit = uint32_t{1} << 31; bit != 0 && (value & bit) == 0; bit >>= 1) {
    ++zeros;
  }
  return zeros;
}

/// Sums of more exponentials would leave 32 bits.
constexpr ssize_t kMostInputs = 4096;

struct Scale {
  int32_t multiplier;
  int32_t shift;
  int32_t diff_min;
};

int32_t scaled(int32_t difference, const Scale& scale) {
  return product(static_cast<int32_t>(static_cast<uint32_t>(difference) << scale.shift),
                 scale.multiplier);
}

void softmax(const int8_t* from, size_t n, const Scale& scale, int8_t* to) {
  int32_t most = -128;
  for (size_t i = 0; i < n; ++i) {
    most = from[i] > most ? from[i] : most;
  }
  int32_t sum = 0;
  for (size_t i = 0; i < n; ++i) {
    const int32_t difference = from[i] - most;
    if (difference >= scale.diff_min) {
      sum += divide_by_power(exp_of(scaled(difference, scale)), kSumBits);
    }
  }
  const int headroom = leading_zeros(static_cast<uint32_t>(sum));
  const auto normal = static_cast<uint32_t>(sum) << headroom;
  const int32_t inverse = reciprocal(static_cast<int32_t>(normal - (uint32_t{1} << 31)));
  // Eight bits remain of the fraction.
  const int32_t bits = kSumBits - headroom + 31 - 8;
  for (size_t i = 0; i < n; ++i) {
    const int32_t difference = from[i] - most;
    if (difference < scale.diff_min) {
      to[i] = -128;
      continue;
    }
    const int32_t part = product(inverse, exp_of(scaled(difference, scale)));
    const int32_t value = (bits > 31 ? 0 : divide_by_power(part, bits)) - 128;
    to[i] = static_cast<int8_t>(value > 127 ? 127 : value < -128 ? -128 : value);
  }
}

}  // namespace

Tensor& softmax_out(KernelRuntimeContext& ctx, const Tensor& input, int64_t dim,
                    int64_t /*input_zero_point*/, int64_t output_zero_point,
                    int64_t input_multiplier, int64_t input_shift, int64_t diff_min, Tensor& out) {
  if (!require_int8(ctx, input) || !require_int8(ctx, out) ||
      !require(ctx, input.dim() >= 1 && (dim == -1 || dim == input.dim() - 1),
               "softmax works along the last dimension") ||
      !require(ctx, is_contiguous(input), "the input must be contiguous") ||
      !require(ctx, input.size(input.dim() - 1) < kMostInputs,
               "a softmax is over fewer than 4096 inputs") ||
      !require(ctx, output_zero_point == -128, "a softmax's output has the zero point -128") ||
      !require(ctx,
               input_multiplier >= 0 && input_multiplier <= INT32_MAX && input_shift >= 0 &&
                   input_shift <= 31 && diff_min <= 0 && diff_min >= INT32_MIN,
               "a factor is a multiplier of 31 bits and a shift to the left") ||
      !resize_like(ctx, input, out) ||
      !require(ctx, is_contiguous(out), "the output must be contiguous") || out.numel() == 0) {
    return out;
  }
  const Scale scale = {static_cast<int32_t>(input_multiplier), static_cast<int32_t>(input_shift),
                       static_cast<int32_t>(diff_min)};
  const auto n = static_cast<size_t>(input.size(input.dim() - 1));
  const int8_t* from = input.const_data_ptr<int8_t>();
  int8_t* to = out.mutable_data_ptr<int8_t>();
  const size_t rows = static_cast<size_t>(out.numel()) / n;
  if (library::softmax(from, rows, n, scale.multiplier, scale.shift, scale.diff_min, to) !=
      library::Outcome::kNone) {
    return out;
  }
  for (size_t row = 0; row < rows; ++row) {
    softmax(from + row * n, n, scale, to + row * n);
  }
  return out;
}

}  // namespace cortex_m::native
