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
  kTanh,
  kTrunc,
  kCount,
};

/// Functions of two numbers.
enum class Binary : uint8_t { kAdd, kSub, kMul, kDiv, kMaximum, kMinimum, kAddScaled, kCount };

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
/// Sums, differences and products are there for integers, too.
constexpr size_t kIntegerBinaryCount = 3;
/// The most parameters of a function.
constexpr size_t kUnaryParameters = 3;

/// out[i] = f(x[i]). In place or not.
using UnaryLoop = void (*)(const float* x, size_t n, const float* parameters, float* out);

/// out[i] = f(a[i], b[i]), with `alpha` where the function has a factor. In place or not.
using BinaryLoop = void (*)(const float* a, const float* b, size_t n, float alpha, float* out);

/// The same on Int or Long, which wrap around.
using IntegerLoop = void (*)(const void* a, const void* b, size_t n, void* out);

/// Converts n elements, as util::load and util::store do.
using ConvertLoop = void (*)(const void* from, size_t n, void* to);

/// See the types above.
struct ElementwiseLoops {
  UnaryLoop unary[kUnaryCount];
  BinaryLoop binary[kBinaryCount][kFormCount];
  IntegerLoop int_binary[kIntegerBinaryCount][kFormCount];
  IntegerLoop long_binary[kIntegerBinaryCount][kFormCount];
  /// [from][to]; null on the diagonal.
  ConvertLoop convert[kElementCount][kElementCount];
};

}  // namespace torch::executor::native::optimized
