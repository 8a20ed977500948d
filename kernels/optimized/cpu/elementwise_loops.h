/**
 * @file
 * Loops of elementwise operators: one table for each instruction set, a member of `SimdLoops`.
 */
#pragma once

#include <cstddef>
#include <cstdint>

namespace torch::executor::native::optimized {

/// Functions of one float. Those with parameters name them.
enum class Unary : uint8_t {
  kAbs,
  kCeil,
  kClamp,  // low, high
  kCos,
  kElu,  // factor of negative results, of positive ones, of the input below zero
  kErf,
  kExp,
  kExp2,
  kExpm1,
  kFloor,
  kGelu,
  kGeluTanh,
  kLeakyRelu,  // slope
  kLog,
  kLog10,
  kLog1p,
  kLog2,
  kNeg,
  kReciprocal,
  kRelu,
  kRound,
  kRsqrt,
  kSigmoid,
  kSin,
  kSqrt,
  kSquare,
  kCube,
  kInverseSquare,
  kTanh,
  kTrunc,
  kCount,
};

/// Functions of two numbers. Integers wrap around, and have the ones without
/// quotients, factors and powers; half types those up to the power.
enum class Binary : uint8_t {
  kAdd,
  kSub,
  kMul,
  kDiv,
  kMaximum,
  kMinimum,
  kAddScaled,
  kPow,
  kFmod,
  kRemainder,
  kFloorDivide,
  kTruncDivide,
  kCount
};

/// Functions of one number that need no floats.
enum class Sign : uint8_t { kAbs, kNeg, kCount };

/// Tests of two numbers.
enum class Comparison : uint8_t { kEqual, kNotEqual, kGreater, kGreaterEqual, kCount };

/// Which operands of a line have one element only, which counts for all of the line.
enum class Form : uint8_t { kBoth, kLeftSingle, kRightSingle, kCount };

/// Element types that the conversions know, in the order of their table.
enum class Element : uint8_t {
  kByte,
  kChar,
  kInt,
  kLong,
  kHalf,
  kFloat,
  kDouble,
  kBool,
  kBFloat16,
  kCount,
};

constexpr size_t kUnaryCount = static_cast<size_t>(Unary::kCount);
constexpr size_t kBinaryCount = static_cast<size_t>(Binary::kCount);
constexpr size_t kFormCount = static_cast<size_t>(Form::kCount);
constexpr size_t kElementCount = static_cast<size_t>(Element::kCount);
constexpr size_t kSignCount = static_cast<size_t>(Sign::kCount);
constexpr size_t kComparisonCount = static_cast<size_t>(Comparison::kCount);
/// The most parameters of a function.
constexpr size_t kUnaryParameters = 3;

/// out[i] = f(x[i]). In place or not.
using UnaryLoop = void (*)(const float* x, size_t n, const float* parameters, float* out);

/// out[i] = f(a[i], b[i]), with `alpha` where the function has a factor. In place or not.
using BinaryLoop = void (*)(const float* a, const float* b, size_t n, float alpha, float* out);

/// Two lines of one dtype.
struct Operands {
  const void* a;
  const void* b;
  Form form;
  /// Whether `b` is one float, whatever the dtype; for sums and the like of half types only.
  bool is_number;
  float alpha;
};

/// out[i] = f(a[i], b[i]) for elements of a type, or the truth value of a comparison. In place or
/// not where the elements have one size.
using TypedLoop = void (*)(const Operands& operands, size_t n, void* out);

/// out[i] = f(x[i]) for elements of a type. In place or not.
using SignLoop = void (*)(const void* x, size_t n, void* out);

/// out[i] = min(max(x[i], *low), *high) for integers of a type. In place or not.
using ClampLoop = void (*)(const void* x, size_t n, const void* low, const void* high, void* out);

/// Converts n elements, as util::load and util::store do.
using ConvertLoop = void (*)(const void* from, size_t n, void* to);

/// See the types above.
struct ElementwiseLoops {
  UnaryLoop unary[kUnaryCount];
  BinaryLoop binary[kBinaryCount][kFormCount];
  /// The same for integers and half types; null for others.
  TypedLoop typed[kElementCount][kBinaryCount];
  SignLoop sign[kElementCount][kSignCount];
  ClampLoop clamp[kElementCount];
  /// For integers, half types and Float.
  TypedLoop compare[kElementCount][kComparisonCount];
  /// [from][to]; null on the diagonal.
  ConvertLoop convert[kElementCount][kElementCount];
};

}  // namespace torch::executor::native::optimized
