/**
 * @file
 * Sums, products, extremes and comparisons of integers and of half types, a part of simd_loops.h,
 * where its use is described. Half types are calculated with as floats, a vector at a time.
 */
#pragma once

#include <type_traits>

#include <executorch/kernels/optimized/cpu/simd_convert.h>
#include <executorch/kernels/optimized/cpu/simd_math.h>
#include <executorch/kernels/optimized/cpu/simd_pow.h>

namespace torch::executor::native::optimized {
namespace {

// Functions of two vectors of floats, and alpha.

ET_TARGET inline Vector add(Vector a, Vector b, Vector /*alpha*/) { return a + b; }
ET_TARGET inline Vector subtract(Vector a, Vector b, Vector /*alpha*/) { return a - b; }
ET_TARGET inline Vector times(Vector a, Vector b, Vector /*alpha*/) { return a * b; }
ET_TARGET inline Vector over(Vector a, Vector b, Vector /*alpha*/) { return a / b; }
ET_TARGET inline Vector add_times(Vector a, Vector b, Vector alpha) { return a + alpha * b; }
/// NaN of either side passes.
ET_TARGET inline Vector larger(Vector a, Vector b, Vector /*alpha*/) {
  const Vector most = a > b ? a : b;
  return a != a ? a : most;
}
ET_TARGET inline Vector smaller(Vector a, Vector b, Vector /*alpha*/) {
  const Vector least = a < b ? a : b;
  return a != a ? a : least;
}

/// Elements of a type as vectors of it. A `Line` says how they are read, calculated with and
/// written.
template <typename T>
struct IntegerLine {
  typedef T Vec __attribute__((vector_size(ET_VECTOR_BYTES)));
  typedef std::make_unsigned_t<T> Bits __attribute__((vector_size(ET_VECTOR_BYTES)));
  using Element = T;
  static constexpr size_t kCount = ET_VECTOR_BYTES / sizeof(T);

  ET_TARGET static Vec read(const T* from) {
    Vec v;
    std::memcpy(&v, from, sizeof(v));
    return v;
  }
  ET_TARGET static Vec number(float /*x*/) { return Vec{}; }
};

template <typename Half>
struct HalfLine {
  using Vec = Vector;
  using Element = uint16_t;
  static constexpr size_t kCount = kLanes;

  ET_TARGET static Vec read(const uint16_t* from) {
    ShortVector bits;
    std::memcpy(&bits, from, sizeof(bits));
    return widened(bits, Half{});
  }
  ET_TARGET static Vec number(float x) { return broadcast(x); }
};

struct FloatLine {
  using Vec = Vector;
  using Element = float;
  static constexpr size_t kCount = kLanes;

  ET_TARGET static Vec read(const float* from) { return load(from); }
  ET_TARGET static Vec number(float x) { return broadcast(x); }
};

/// The operand that counts for all of a line.
template <typename Line>
ET_TARGET inline typename Line::Vec single(const void* from) {
  typename Line::Element all[Line::kCount];
  for (size_t i = 0; i < Line::kCount; ++i) {
    std::memcpy(all + i, from, sizeof(all[0]));
  }
  return Line::read(all);
}

/// Calls `Function::write(a, b, to)` for vectors of both operands, of which it writes
/// `Function::Result`.
template <typename Line, typename Function>
ET_TARGET void typed(const Operands& operands, size_t n, void* out) {
  using Element = typename Line::Element;
  using Result = typename Function::Result;
  constexpr size_t kCount = Line::kCount;
  const Function function(operands.alpha);
  const bool is_left = operands.form == Form::kLeftSingle;
  const bool is_right = operands.form == Form::kRightSingle;
  const Element* a = static_cast<const Element*>(operands.a);
  const Element* b = static_cast<const Element*>(operands.b);
  Result* to = static_cast<Result*>(out);
  const typename Line::Vec left = is_left ? single<Line>(a) : typename Line::Vec{};
  typename Line::Vec right = is_right && !operands.is_number ? single<Line>(b) : left;
  if (operands.is_number) {
    float number;
    std::memcpy(&number, operands.b, sizeof(number));
    right = Line::number(number);
  }
  size_t i = 0;
  for (; i + kCount <= n; i += kCount) {
    function.write(is_left ? left : Line::read(a + i), is_right ? right : Line::read(b + i),
                   to + i);
  }
  if (i < n) {
    Element some[2][kCount] = {};
    Result results[kCount];
    if (!is_left) {
      std::memcpy(some[0], a + i, (n - i) * sizeof(Element));
    }
    if (!is_right) {
      std::memcpy(some[1], b + i, (n - i) * sizeof(Element));
    }
    function.write(is_left ? left : Line::read(some[0]), is_right ? right : Line::read(some[1]),
                   results);
    std::memcpy(to + i, results, (n - i) * sizeof(Result));
  }
}

template <typename T, Binary kBinary>
struct IntegerFunction {
  using Result = T;
  using Vec = typename IntegerLine<T>::Vec;
  using Bits = typename IntegerLine<T>::Bits;

  explicit IntegerFunction(float /*alpha*/) {}

  ET_TARGET void write(Vec a, Vec b, T* to) const {
    Vec result;
    if constexpr (kBinary == Binary::kMaximum) {
      result = a > b ? a : b;
    } else if constexpr (kBinary == Binary::kMinimum) {
      result = a < b ? a : b;
    } else {
      // Unsigned numbers may wrap around.
      Bits x;
      Bits y;
      std::memcpy(&x, &a, sizeof(x));
      std::memcpy(&y, &b, sizeof(y));
      x = kBinary == Binary::kAdd ? x + y : kBinary == Binary::kSub ? x - y : x * y;
      std::memcpy(&result, &x, sizeof(result));
    }
    std::memcpy(to, &result, sizeof(result));
  }
};

template <typename Half, Vector (*kFunction)(Vector, Vector, Vector)>
struct HalfFunction {
  using Result = uint16_t;
  Vector alpha;

  ET_TARGET explicit HalfFunction(float factor) : alpha(broadcast(factor)) {}

  ET_TARGET void write(Vector a, Vector b, uint16_t* to) const {
    const ShortVector result = narrowed(kFunction(a, b, alpha), Half{});
    std::memcpy(to, &result, sizeof(result));
  }
};

/// Truth values of as many bytes as a vector has elements.
template <typename Vec, size_t kCount, Comparison kComparison>
struct Test {
  using Result = uint8_t;

  explicit Test(float /*alpha*/) {}

  ET_TARGET void write(Vec a, Vec b, uint8_t* to) const {
    typedef uint8_t Truth __attribute__((vector_size(kCount)));
    const auto is = kComparison == Comparison::kEqual      ? a == b
                    : kComparison == Comparison::kNotEqual ? a != b
                    : kComparison == Comparison::kGreater  ? a > b
                                                           : a >= b;
    const Truth result = __builtin_convertvector(is, Truth) & 1;
    std::memcpy(to, &result, sizeof(result));
  }
};

template <typename T>
ET_TARGET void integer_clamp(const void* x, size_t n, const void* low, const void* high,
                             void* out) {
  const T* from = static_cast<const T*>(x);
  T* to = static_cast<T*>(out);
  const T least = *static_cast<const T*>(low);
  const T most = *static_cast<const T*>(high);
  for (size_t i = 0; i < n; ++i) {
    const T v = from[i] < least ? least : from[i];
    to[i] = v > most ? most : v;
  }
}

template <typename T, Sign kSign>
ET_TARGET void integer_sign(const void* x, size_t n, void* out) {
  using Bits = std::make_unsigned_t<T>;
  const T* from = static_cast<const T*>(x);
  T* to = static_cast<T*>(out);
  for (size_t i = 0; i < n; ++i) {
    const T negative = static_cast<T>(Bits{0} - static_cast<Bits>(from[i]));
    to[i] = kSign == Sign::kNeg || from[i] < 0 ? negative : from[i];
  }
}

template <Sign kSign>
ET_TARGET void half_sign(const void* x, size_t n, void* out) {
  const uint16_t* from = static_cast<const uint16_t*>(x);
  uint16_t* to = static_cast<uint16_t*>(out);
  for (size_t i = 0; i < n; ++i) {
    to[i] = static_cast<uint16_t>(kSign == Sign::kNeg ? from[i] ^ 0x8000u : from[i] & 0x7fffu);
  }
}

template <typename Line>
constexpr void set_comparisons(ElementwiseLoops& loops, Element element) {
  using Vec = typename Line::Vec;
  TypedLoop* row = loops.compare[static_cast<size_t>(element)];
  row[0] = typed<Line, Test<Vec, Line::kCount, Comparison::kEqual>>;
  row[1] = typed<Line, Test<Vec, Line::kCount, Comparison::kNotEqual>>;
  row[2] = typed<Line, Test<Vec, Line::kCount, Comparison::kGreater>>;
  row[3] = typed<Line, Test<Vec, Line::kCount, Comparison::kGreaterEqual>>;
}

template <typename T>
constexpr void set_integers(ElementwiseLoops& loops, Element element) {
  using Line = IntegerLine<T>;
  const size_t index = static_cast<size_t>(element);
  TypedLoop* row = loops.typed[index];
  row[static_cast<size_t>(Binary::kAdd)] = typed<Line, IntegerFunction<T, Binary::kAdd>>;
  row[static_cast<size_t>(Binary::kSub)] = typed<Line, IntegerFunction<T, Binary::kSub>>;
  row[static_cast<size_t>(Binary::kMul)] = typed<Line, IntegerFunction<T, Binary::kMul>>;
  row[static_cast<size_t>(Binary::kMaximum)] = typed<Line, IntegerFunction<T, Binary::kMaximum>>;
  row[static_cast<size_t>(Binary::kMinimum)] = typed<Line, IntegerFunction<T, Binary::kMinimum>>;
  loops.clamp[index] = integer_clamp<T>;
  loops.sign[index][0] = integer_sign<T, Sign::kAbs>;
  loops.sign[index][1] = integer_sign<T, Sign::kNeg>;
  set_comparisons<Line>(loops, element);
}

template <typename Half>
constexpr void set_halves(ElementwiseLoops& loops, Element element) {
  using Line = HalfLine<Half>;
  const size_t index = static_cast<size_t>(element);
  TypedLoop* row = loops.typed[index];
  row[static_cast<size_t>(Binary::kAdd)] = typed<Line, HalfFunction<Half, add>>;
  row[static_cast<size_t>(Binary::kSub)] = typed<Line, HalfFunction<Half, subtract>>;
  row[static_cast<size_t>(Binary::kMul)] = typed<Line, HalfFunction<Half, times>>;
  row[static_cast<size_t>(Binary::kDiv)] = typed<Line, HalfFunction<Half, over>>;
  row[static_cast<size_t>(Binary::kMaximum)] = typed<Line, HalfFunction<Half, larger>>;
  row[static_cast<size_t>(Binary::kMinimum)] = typed<Line, HalfFunction<Half, smaller>>;
  row[static_cast<size_t>(Binary::kAddScaled)] = typed<Line, HalfFunction<Half, add_times>>;
  row[static_cast<size_t>(Binary::kPow)] = typed<Line, HalfFunction<Half, power>>;
  loops.sign[index][0] = half_sign<Sign::kAbs>;
  loops.sign[index][1] = half_sign<Sign::kNeg>;
  set_comparisons<Line>(loops, element);
}

}  // namespace
}  // namespace torch::executor::native::optimized
