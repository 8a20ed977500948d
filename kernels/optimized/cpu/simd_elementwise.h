/**
 * @file
 * The loops of elementwise operators, a part of simd_loops.h, where its use is described.
 */
#pragma once

#include <cmath>

#include <executorch/kernels/optimized/cpu/simd_quotients.h>
#include <executorch/kernels/optimized/cpu/simd_typed.h>

namespace torch::executor::native::optimized {
namespace {

/// Elements before the first vector that is aligned, of lines that are long enough to gain from it:
/// every other access of an unaligned line touches two lines of the cache.
ET_TARGET inline size_t unaligned(const float* out, size_t n) {
  constexpr size_t kLong = 8 * kLanes;
  const size_t past = reinterpret_cast<uintptr_t>(out) % ET_VECTOR_BYTES / sizeof(float);
  return past == 0 || n < kLong ? 0 : kLanes - past;
}

/// Fewer elements than a vector has.
template <Vector (*kFunction)(Vector)>
ET_TARGET inline void some(const float* x, size_t n, float* out) {
  Vector rest = {};
  std::memcpy(&rest, x, n * sizeof(float));
  rest = kFunction(rest);
  std::memcpy(out, &rest, n * sizeof(float));
}

/// Calls a function of vectors for all elements.
template <Vector (*kFunction)(Vector)>
ET_TARGET void each(const float* x, size_t n, float* out) {
  size_t i = unaligned(out, n);
  if (i > 0) {
    some<kFunction>(x, i, out);
  }
  for (; i + kLanes <= n; i += kLanes) {
    store(kFunction(load(x + i)), out + i);
  }
  if (i < n) {
    some<kFunction>(x + i, n - i, out + i);
  }
}

/// As eager, whose square may be infinite.
ET_TARGET inline Vector inverse_square_of(Vector x) { return 1.0f / (x * x); }

template <Vector (*kFunction)(Vector)>
ET_TARGET void unary(const float* x, size_t n, const float* /*parameters*/, float* out) {
  each<kFunction>(x, n, out);
}

/// The same for a function with parameters.
template <Vector (*kFunction)(Vector, Vector, Vector, Vector)>
ET_TARGET void unary_with(const float* x, size_t n, const float* parameters, float* out) {
  const Vector p0 = broadcast(parameters[0]);
  const Vector p1 = broadcast(parameters[1]);
  const Vector p2 = broadcast(parameters[2]);
  const size_t head = unaligned(out, n);
  size_t i = 0;
  while (i < n) {
    size_t count = n - i;
    if (i >= head && count >= kLanes) {
      for (; i + kLanes <= n; i += kLanes) {
        store(kFunction(load(x + i), p0, p1, p2), out + i);
      }
      continue;
    }
    count = i < head ? head : count;
    Vector rest = {};
    std::memcpy(&rest, x + i, count * sizeof(float));
    rest = kFunction(rest, p0, p1, p2);
    std::memcpy(out + i, &rest, count * sizeof(float));
    i += count;
  }
}

/// NaN passes.
ET_TARGET inline Vector clamped(Vector x, Vector low, Vector high, Vector /*unused*/) {
  x = x < low ? low : x;
  return x > high ? high : x;
}

ET_TARGET inline Vector elu_of(Vector x, Vector negative, Vector positive, Vector input) {
  const Vector below = expm1_of(x * input) * negative;
  return x < Vector{} ? below : x * positive;
}

ET_TARGET inline Vector leaky_relu_of(Vector x, Vector slope, Vector /*unused*/,
                                      Vector /*unused*/) {
  return x > Vector{} ? x : x * slope;
}

/// Sine, or cosine with a quarter of a turn. Large numbers, whose turns take more than a float has
/// bits for, go to the C library.
template <int32_t kQuarter>
ET_TARGET void turn(const float* x, size_t n, const float* /*parameters*/, float* out) {
  constexpr size_t kBlock = 8 * kLanes;
  for (size_t begin = 0; begin < n; begin += kBlock) {
    const size_t count = n - begin < kBlock ? n - begin : kBlock;
    float block[kBlock] = {};
    float result[kBlock];
    std::memcpy(block, x + begin, count * sizeof(float));
    // As integers, the bits without the sign are in the order of the sizes; NaN is the largest.
    IntVector most = {};
    for (size_t i = 0; i < kBlock; i += kLanes) {
      const Vector v = load(block + i);
      const IntVector bits = bits_of(abs_of(v));
      most = bits > most ? bits : most;
      const Vector turned = sine_of(v, kQuarter);
      if constexpr (kQuarter == 0) {
        store(v == Vector{} ? v : turned, result + i);  // -0 stays as it is
      } else {
        store(turned, result + i);
      }
    }
    int32_t lane[kLanes];
    std::memcpy(lane, &most, sizeof(lane));
    int32_t largest = 0;
    for (size_t l = 0; l < kLanes; ++l) {
      largest = lane[l] > largest ? lane[l] : largest;
    }
    for (size_t i = 0; i < count && largest > kTurnLimitBits; ++i) {
      if (!(std::fabs(block[i]) <= util::float_from_bits(kTurnLimitBits))) {
        result[i] = kQuarter == 0 ? std::sin(block[i]) : std::cos(block[i]);
      }
    }
    std::memcpy(out + begin, result, count * sizeof(float));
  }
}

// Functions of two operands.

/// Fewer elements than a vector has, of an operand that is a line; there is memory for no more.
ET_TARGET inline Vector some_of(const float* line, size_t n) {
  // Ones, lest a quotient of the others takes its time.
  Vector rest = broadcast(1.0f);
  std::memcpy(&rest, line, n * sizeof(float));
  return rest;
}

template <Vector (*kFunction)(Vector, Vector, Vector), Form kForm>
ET_TARGET void binary(const float* a, const float* b, size_t n, float alpha, float* out) {
  constexpr bool kLeft = kForm == Form::kLeftSingle;
  constexpr bool kRight = kForm == Form::kRightSingle;
  const Vector factor = broadcast(alpha);
  // Read before anything is written, which may be there.
  const Vector left = broadcast(*a);
  const Vector right = broadcast(*b);
  size_t i = unaligned(out, n);
  if (i > 0) {
    const Vector head =
        kFunction(kLeft ? left : some_of(a, i), kRight ? right : some_of(b, i), factor);
    std::memcpy(out, &head, i * sizeof(float));
  }
  for (; i + kLanes <= n; i += kLanes) {
    store(kFunction(kLeft ? left : load(a + i), kRight ? right : load(b + i), factor), out + i);
  }
  if (i < n) {
    const Vector rest = kFunction(kLeft ? left : some_of(a + i, n - i),
                                  kRight ? right : some_of(b + i, n - i), factor);
    std::memcpy(out + i, &rest, (n - i) * sizeof(float));
  }
}

template <Vector (*kFunction)(Vector, Vector, Vector)>
constexpr void set_forms(BinaryLoop* row) {
  row[0] = binary<kFunction, Form::kBoth>;
  row[1] = binary<kFunction, Form::kLeftSingle>;
  row[2] = binary<kFunction, Form::kRightSingle>;
}

constexpr ElementwiseLoops make_elementwise() {
  ElementwiseLoops loops = {// In the order of Unary.
                            {unary<abs_of>,
                             unary<rounded<Rounding::kUp>>,
                             unary_with<clamped>,
                             turn<1>,
                             unary_with<elu_of>,
                             unary<erf_of>,
                             unary<exp_of>,
                             unary<exp2_of>,
                             unary<expm1_of>,
                             unary<rounded<Rounding::kDown>>,
                             unary<gelu_of>,
                             unary<gelu_tanh_of>,
                             unary_with<leaky_relu_of>,
                             unary<log_of>,
                             unary<log10_of>,
                             unary<log1p_of>,
                             unary<log2_of>,
                             unary<negative_of>,
                             unary<reciprocal_of>,
                             unary<relu_of>,
                             unary<rounded<Rounding::kNearest>>,
                             unary<rsqrt_of>,
                             unary<sigmoid_of>,
                             turn<0>,
                             unary<sqrt_of>,
                             unary<square_of>,
                             unary<cube_of>,
                             unary<inverse_square_of>,
                             unary<tanh_of>,
                             unary<rounded<Rounding::kToZero>>},
                            {},
                            {},
                            {},
                            {},
                            {},
                            {}};
  set_forms<add>(loops.binary[0]);
  set_forms<subtract>(loops.binary[1]);
  set_forms<times>(loops.binary[2]);
  set_forms<over>(loops.binary[3]);
  set_forms<larger>(loops.binary[4]);
  set_forms<smaller>(loops.binary[5]);
  set_forms<add_times>(loops.binary[6]);
  set_forms<power>(loops.binary[7]);
  set_forms<modulo>(loops.binary[8]);
  set_forms<floor_modulo>(loops.binary[9]);
  set_forms<floor_quotient>(loops.binary[10]);
  set_forms<truncated_quotient>(loops.binary[11]);
  set_integers<uint8_t>(loops, Element::kByte);
  set_integers<int8_t>(loops, Element::kChar);
  set_integers<int32_t>(loops, Element::kInt);
  set_integers<int64_t>(loops, Element::kLong);
  set_halves<HalfBits>(loops, Element::kHalf);
  set_halves<BFloat16Bits>(loops, Element::kBFloat16);
  set_comparisons<FloatLine>(loops, Element::kFloat);
  return with_converters<uint8_t, int8_t, int32_t, int64_t, HalfBits, float, double, BoolByte,
                         BFloat16Bits>(loops);
}

constexpr ElementwiseLoops kElementwise = make_elementwise();

}  // namespace
}  // namespace torch::executor::native::optimized
