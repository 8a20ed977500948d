// Loops of elementwise operators, conversions and columns of every instruction set, against the C
// library's functions and the portable conversions.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/kernels/optimized/cpu/simd.h>
#include <executorch/kernels/optimized/cpu/tables_for_tests.h>
#include <executorch/kernels/portable/cpu/internal/compute.h>
#include <executorch/kernels/portable/cpu/internal/math.h>

namespace {

using namespace torch::executor::native::optimized;
using executorch::aten::ScalarType;
using torch::executor::native::util::Compute;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// True for equal numbers, both NaN, or numbers within a share of the expected one.
bool is_close(float actual, double expected, double tolerance) {
  const float nearest = static_cast<float>(expected);
  if (std::isnan(nearest) || std::isinf(nearest) || nearest == 0.0f) {
    return std::isnan(nearest) ? std::isnan(actual) : actual == nearest;
  }
  return std::fabs(actual - expected) <= tolerance * std::fabs(expected) + 3e-45;
}

struct Function {
  Unary id;
  double (*reference)(double);
  float low;
  float high;
  double tolerance;
};

/// Elu with a negative factor of 0.5, a positive one of 2 and an input factor of 1.5; a slope and
/// bounds of the same numbers for the others.
constexpr float kParameters[] = {0.5f, 2.0f, 1.5f};

double round_even(double x) {
  const double nearest = std::round(x);
  return std::fabs(x - std::trunc(x)) == 0.5 ? 2 * std::round(x / 2) : nearest;
}

const Function kFunctions[] = {
    {Unary::kAbs, [](double x) { return std::fabs(x); }, -9, 9, 0},
    {Unary::kCeil, [](double x) { return std::ceil(x); }, -9, 9, 0},
    {Unary::kClamp, [](double x) { return x < 0.5 ? 0.5
                                          : x > 2 ? 2
                                                  : x; }, -9, 9, 0},
    {Unary::kElu, [](double x) { return x < 0 ? 0.5 * std::expm1(1.5 * x) : 2 * x; }, -20, 9, 3e-7},
    {Unary::kErf, [](double x) { return std::erf(x); }, -5, 5, 5e-7},
    {Unary::kExp, [](double x) { return std::exp(x); }, -87, 88, 3e-7},
    {Unary::kExp2, [](double x) { return std::exp2(x); }, -125, 127, 3e-7},
    {Unary::kExpm1, [](double x) { return std::expm1(x); }, -90, 88, 4e-7},
    {Unary::kExpm1, [](double x) { return std::expm1(x); }, -0.5, 0.5, 3e-7},
    {Unary::kFloor, [](double x) { return std::floor(x); }, -9, 9, 0},
    {Unary::kLeakyRelu, [](double x) { return x > 0 ? x : 0.5 * x; }, -9, 9, 1e-7},
    {Unary::kLog, [](double x) { return std::log(x); }, -1, 100, 3e-7},
    {Unary::kLog, [](double x) { return std::log(x); }, 0.5, 2, 3e-7},
    {Unary::kLog, [](double x) { return std::log(x); }, 0, 1e-38f, 3e-7},
    {Unary::kLog10, [](double x) { return std::log10(x); }, -1, 1e6, 5e-7},
    {Unary::kLog10, [](double x) { return std::log10(x); }, 0.9f, 1.1f, 5e-7},
    {Unary::kLog1p, [](double x) { return std::log1p(x); }, -1.5, 100, 5e-7},
    {Unary::kLog1p, [](double x) { return std::log1p(x); }, -1e-3f, 1e-3f, 5e-7},
    {Unary::kLog2, [](double x) { return std::log2(x); }, -1, 100, 5e-7},
    {Unary::kNeg, [](double x) { return -x; }, -9, 9, 0},
    {Unary::kReciprocal, [](double x) { return 1 / x; }, -9, 9, 1e-7},
    {Unary::kRelu, [](double x) { return x < 0 ? 0 : x; }, -9, 9, 0},
    {Unary::kRound, round_even, -9, 9, 0},
    {Unary::kRsqrt, [](double x) { return 1 / std::sqrt(x); }, -1, 90, 3e-7},
    {Unary::kSigmoid, [](double x) { return 1 / (1 + std::exp(-x)); }, -20, 20, 5e-7},
    {Unary::kSqrt, [](double x) { return std::sqrt(x); }, -1, 90, 1e-7},
    {Unary::kSquare, [](double x) { return x * x; }, -9, 9, 1e-7},
    {Unary::kCube, [](double x) { return x * x * x; }, -9, 9, 2e-7},
    {Unary::kInverseSquare, [](double x) { return 1 / (x * x); }, -9, 9, 2e-7},
    {Unary::kTanh, [](double x) { return std::tanh(x); }, -12, 12, 5e-7},
    {Unary::kTrunc, [](double x) { return std::trunc(x); }, -9, 9, 0},
};

TEST(ElementwiseLoopsTest, FunctionsAreTheLibrarys) {
  for (const SimdLoops* table : tables()) {
    for (const Function& f : kFunctions) {
      const UnaryLoop loop = table->elementwise.unary[static_cast<size_t>(f.id)];
      // Every length of the last vector, and lines that begin between two aligned vectors.
      for (const size_t n : {1u, 7u, 15u, 16u, 17u, 33u, 63u, 200u, 1000u}) {
        std::vector<float> x = random_floats(n + 1, f.low, f.high);
        if (n >= 15) {
          const float special[] = {kNan, kInfinity, -kInfinity, 0.0f, -0.0f, 2.5f, 1e-40f};
          std::copy(std::begin(special), std::end(special), x.begin() + 3);
        }
        std::vector<float> y(n + 2, 123.0f);
        loop(x.data() + 1, n, kParameters, y.data() + 1);
        EXPECT_EQ(y[n + 1], 123.0f);
        for (size_t i = 1; i <= n; ++i) {
          const double expected = f.reference(static_cast<double>(x[i]));
          EXPECT_TRUE(is_close(y[i], expected, f.tolerance))
              << "function " << static_cast<int>(f.id) << " of " << x[i] << " gives " << y[i]
              << ", expected " << expected << ", lanes " << table->lanes;
        }
      }
    }
  }
}

/// Absolute tolerance: the sine of a multiple of pi is what is left of it.
TEST(ElementwiseLoopsTest, TurnsOfAnySize) {
  for (const SimdLoops* table : tables()) {
    for (const float range : {3.0f, 100.0f, 8000.0f, 1e6f, 3e38f}) {
      std::vector<float> x = random_floats(1000, -range, range);
      if (range == 1e6f) {
        x[5] = kNan;
        x[700] = kInfinity;
      }
      std::vector<float> sine(x.size());
      std::vector<float> cosine(x.size());
      table->elementwise.unary[static_cast<size_t>(Unary::kSin)](x.data(), x.size(), nullptr,
                                                                 sine.data());
      table->elementwise.unary[static_cast<size_t>(Unary::kCos)](x.data(), x.size(), nullptr,
                                                                 cosine.data());
      for (size_t i = 0; i < x.size(); ++i) {
        if (!std::isfinite(x[i])) {
          EXPECT_TRUE(std::isnan(sine[i]) && std::isnan(cosine[i]));
          continue;
        }
        EXPECT_NEAR(sine[i], std::sin(static_cast<double>(x[i])), 2e-7) << x[i];
        EXPECT_NEAR(cosine[i], std::cos(static_cast<double>(x[i])), 2e-7) << x[i];
      }
    }
    const float zero = -0.0f;
    float result = 1.0f;
    table->elementwise.unary[static_cast<size_t>(Unary::kSin)](&zero, 1, nullptr, &result);
    EXPECT_TRUE(result == 0.0f && std::signbit(result));
  }
}

TEST(ElementwiseLoopsTest, Gelu) {
  for (const SimdLoops* table : tables()) {
    const std::vector<float> x = random_floats(5000, -9, 9);
    std::vector<float> exact(x.size());
    std::vector<float> by_tanh(x.size());
    table->elementwise.unary[static_cast<size_t>(Unary::kGelu)](x.data(), x.size(), nullptr,
                                                                exact.data());
    table->elementwise.unary[static_cast<size_t>(Unary::kGeluTanh)](x.data(), x.size(), nullptr,
                                                                    by_tanh.data());
    for (size_t i = 0; i < x.size(); ++i) {
      const double v = x[i];
      const double share = 0.5 * std::erfc(-v / std::sqrt(2.0));
      // As util::fast_gelu, whose share of the tail has this error.
      EXPECT_NEAR(exact[i], v * share, 5e-6 * std::fabs(v * share) + 5e-8) << v;
      constexpr double kSqrtTwoOverPi = 0.79788456080286535588;
      const double y = kSqrtTwoOverPi * (v + 0.044715 * v * v * v);
      EXPECT_NEAR(by_tanh[i], v / (1 + std::exp(-2 * y)), 1e-6 * std::fabs(v)) << v;
    }
  }
}

TEST(ElementwiseLoopsTest, TwoOperands) {
  const auto reference = [](Binary f, float a, float b) -> double {
    switch (f) {
      case Binary::kAdd:
        return a + b;
      case Binary::kSub:
        return a - b;
      case Binary::kMul:
        return a * b;
      case Binary::kDiv:
        return a / b;
      case Binary::kMaximum:
        return std::isnan(a) || std::isnan(b) ? kNan : std::max(a, b);
      case Binary::kMinimum:
        return std::isnan(a) || std::isnan(b) ? kNan : std::min(a, b);
      case Binary::kPow:
        return std::pow(static_cast<double>(a), static_cast<double>(b));
      case Binary::kFmod:
        return std::fmod(a, b);
      case Binary::kRemainder:
        return torch::executor::native::util::mod_floor(a, b);
      case Binary::kFloorDivide:
        return torch::executor::native::util::div_floor(a, b);
      case Binary::kTruncDivide:
        return std::trunc(a / b);
      default:
        return static_cast<double>(a) + 3.0 * static_cast<double>(b);
    }
  };
  for (const SimdLoops* table : tables()) {
    for (size_t f = 0; f < kBinaryCount; ++f) {
      for (size_t form = 0; form < kFormCount; ++form) {
        for (const size_t n : {1u, 15u, 16u, 17u, 40u, 500u}) {
          std::vector<float> a = random_floats(n + 1, -3, 3);
          std::vector<float> b = random_floats(n + 1, 0.5, 3);
          if (n > 15) {
            a[3] = kNan;
            b[4] = kNan;
            a[5] = kInfinity;
            b[6] = 0.0f;
          }
          std::vector<float> y(n + 2, 123.0f);
          table->elementwise.binary[f][form](a.data() + 1, b.data() + 1, n, 3.0f, y.data() + 1);
          EXPECT_EQ(y[n + 1], 123.0f);
          for (size_t i = 1; i <= n; ++i) {
            const float left = form == 1 ? a[1] : a[i];
            const float right = form == 2 ? b[1] : b[i];
            const double expected = reference(static_cast<Binary>(f), left, right);
            const double tolerance = static_cast<Binary>(f) == Binary::kPow ? 4e-7 : 1e-7;
            // A sum with a product that is not rounded may cancel.
            EXPECT_TRUE(is_close(y[i], expected, tolerance) || std::fabs(y[i] - expected) < 2e-6)
                << f << " " << form << ": " << left << ", " << right << " gives " << y[i];
          }
        }
      }
    }
  }
}

/// Bit for bit those of the C library, for quotients of every size.
TEST(ElementwiseLoopsTest, Remainders) {
  const Binary functions[] = {Binary::kFmod, Binary::kRemainder, Binary::kFloorDivide};
  float (*const references[])(float, float) = {
      [](float a, float b) { return std::fmod(a, b); },
      torch::executor::native::util::mod_floor<float>,
      torch::executor::native::util::div_floor<float>,
  };
  for (const SimdLoops* table : tables()) {
    for (const float range : {1.0f, 100.0f, 1e6f, 1e30f}) {
      std::vector<float> a = random_floats(2000, -range, range);
      std::vector<float> b = random_floats(2000, -2, 2);
      for (size_t i = 0; i < a.size(); i += 3) {
        a[i] = std::nearbyint(a[i]);
        b[i] = std::nearbyint(4 * b[i]) / 4;  // exact quotients, and by zero
      }
      const float special[] = {kNan, kInfinity, -kInfinity, 0.0f, -0.0f, 1e-40f, 0.3f, -7.0f};
      for (size_t i = 0; i < 64; ++i) {
        a[16 + i] = special[i / 8];
        b[16 + i] = special[i % 8];
      }
      for (size_t f = 0; f < 3; ++f) {
        std::vector<float> y(a.size());
        table->elementwise.binary[static_cast<size_t>(functions[f])][0](a.data(), b.data(),
                                                                        a.size(), 0, y.data());
        for (size_t i = 0; i < a.size(); ++i) {
          const float expected = references[f](a[i], b[i]);
          EXPECT_TRUE(std::isnan(expected)
                          ? std::isnan(y[i])
                          : y[i] == expected && std::signbit(y[i]) == std::signbit(expected))
              << "function " << f << " of " << a[i] << " and " << b[i] << " gives " << y[i]
              << ", expected " << expected << ", lanes " << table->lanes;
        }
      }
    }
  }
}

/// The dtypes in the order of Element.
constexpr ScalarType kTypes[] = {ScalarType::Byte,   ScalarType::Char, ScalarType::Int,
                                 ScalarType::Long,   ScalarType::Half, ScalarType::Float,
                                 ScalarType::Double, ScalarType::Bool, ScalarType::BFloat16};

/// Numbers as bytes of a dtype, special ones included.
std::vector<char> numbers(ScalarType dtype, size_t n) {
  std::vector<double> values(n);
  for (size_t i = 0; i < n; ++i) {
    values[i] = (static_cast<double>(i) - 300) * 0.37;
  }
  const double special[] = {NAN,   INFINITY, -INFINITY, 0.0,  -0.0,    3e9,   -5e9, 1e19,
                            65504, 65520,    1e-7,      6e-8, -1e-310, 1e-40, 2.5,  3.5};
  std::copy(std::begin(special), std::end(special), values.begin() + 40);
  std::vector<char> bytes(n * 8);
  torch::executor::native::util::store(Compute::kDouble, dtype, values.data(), n, bytes.data());
  return bytes;
}

TEST(ElementwiseLoopsTest, ConversionsAreThePortableOnes) {
  constexpr size_t kN = 1100;
  for (const SimdLoops* table : tables()) {
    for (size_t from = 0; from < kElementCount; ++from) {
      const std::vector<char> x = numbers(kTypes[from], kN);
      for (size_t to = 0; to < kElementCount; ++to) {
        const ConvertLoop convert = table->elementwise.convert[from][to];
        EXPECT_EQ(convert == nullptr, from == to);
        if (convert == nullptr) {
          continue;
        }
        std::vector<char> actual(kN * 8, 1);
        std::vector<char> expected(kN * 8, 1);
        std::vector<double> wide(kN);
        convert(x.data(), kN, actual.data());
        const bool to_bool = kTypes[to] == ScalarType::Bool;
        const Compute c = to_bool ? Compute::kBool
                                  : torch::executor::native::util::arithmetic_compute(kTypes[from]);
        torch::executor::native::util::load(c, kTypes[from], x.data(), 1, kN, wide.data());
        torch::executor::native::util::store(c, kTypes[to], wide.data(), kN, expected.data());
        // Compared as numbers, since there are many NaNs.
        std::vector<double> a(kN);
        std::vector<double> e(kN);
        torch::executor::native::util::load(Compute::kDouble, kTypes[to], actual.data(), 1, kN,
                                            a.data());
        torch::executor::native::util::load(Compute::kDouble, kTypes[to], expected.data(), 1, kN,
                                            e.data());
        for (size_t i = 0; i < kN; ++i) {
          EXPECT_TRUE(a[i] == e[i] || (std::isnan(a[i]) && std::isnan(e[i])))
              << "from " << from << " to " << to << " at " << i << ": " << a[i] << ", expected "
              << e[i] << ", lanes " << table->lanes;
        }
      }
    }
  }
}

TEST(ElementwiseLoopsTest, Columns) {
  for (const SimdLoops* table : tables()) {
    for (const size_t n : {1u, 16u, 17u, 64u, 130u}) {
      for (const size_t rows : {1u, 3u, 70u}) {
        const size_t stride = n + 3;
        std::vector<float> x = random_floats(rows * stride, -3, 3);
        if (n > 16) {
          x[5] = kNan;
        }
        std::vector<float> largest(n + 1, 123.0f);
        std::vector<float> smallest(n);
        std::vector<float> sum(n);
        std::vector<float> soft(rows * stride, 123.0f);
        table->largest_columns(x.data(), rows, stride, n, largest.data());
        table->smallest_columns(x.data(), rows, stride, n, smallest.data());
        table->sum_columns(x.data(), rows, stride, n, 0.5f, sum.data());
        table->softmax_columns(x.data(), rows, stride, n, true, soft.data());
        EXPECT_EQ(largest[n], 123.0f);
        for (size_t i = 0; i < n; ++i) {
          float most = x[i];
          float least = x[i];
          double total = 0;
          double exponentials = 0;
          for (size_t r = 0; r < rows; ++r) {
            const float value = x[r * stride + i];
            most = value > most || std::isnan(value) ? value : most;
            least = value < least || std::isnan(value) ? value : least;
            total += value;
            exponentials += std::exp(value);
          }
          EXPECT_TRUE(is_close(largest[i], most, 0));
          EXPECT_TRUE(is_close(smallest[i], least, 0));
          EXPECT_TRUE(std::isnan(total) ? std::isnan(sum[i])
                                        : std::fabs(sum[i] - total / 2) < 1e-4);
          const double expected = x[(rows - 1) * stride + i] - std::log(exponentials);
          const float actual = soft[(rows - 1) * stride + i];
          EXPECT_TRUE(std::isnan(expected) ? std::isnan(actual)
                                           : std::fabs(actual - expected) < 1e-5);
        }
      }
    }
  }
}

}  // namespace
