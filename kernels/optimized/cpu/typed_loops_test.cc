// Loops of integers, half types and comparisons, for every table that this machine can run, against
// plain arithmetic and the portable conversions.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/kernels/optimized/cpu/simd.h>
#include <executorch/kernels/optimized/cpu/tables_for_tests.h>
#include <executorch/kernels/portable/cpu/internal/compute.h>

namespace {

using namespace torch::executor::native::optimized;
using executorch::aten::ScalarType;
using torch::executor::native::util::Compute;

constexpr size_t kLengths[] = {1, 3, 15, 16, 17, 31, 64, 65, 200};

/// Small numbers, so that some are equal, and the most extreme ones.
template <typename T>
std::vector<T> integers(size_t n, size_t seed) {
  std::vector<T> x(n);
  for (size_t i = 0; i < n; ++i) {
    x[i] = static_cast<T>(i * 7 % 5 + seed);
  }
  if (n > 10) {
    x[3] = std::numeric_limits<T>::max();
    x[5 + seed] = std::numeric_limits<T>::min();
  }
  return x;
}

template <typename T>
T result_of(Binary function, T a, T b) {
  using U = std::make_unsigned_t<T>;
  const U x = static_cast<U>(a);
  const U y = static_cast<U>(b);
  switch (function) {
    case Binary::kAdd:
      return static_cast<T>(x + y);
    case Binary::kSub:
      return static_cast<T>(x - y);
    case Binary::kMul:
      return static_cast<T>(static_cast<U>(uint64_t{x} * y));
    case Binary::kMaximum:
      return a > b ? a : b;
    default:
      return a < b ? a : b;
  }
}

template <typename T>
bool holds(Comparison test, T a, T b) {
  switch (test) {
    case Comparison::kEqual:
      return a == b;
    case Comparison::kNotEqual:
      return a != b;
    case Comparison::kGreater:
      return a > b;
    default:
      return a >= b;
  }
}

constexpr Form kForms[] = {Form::kBoth, Form::kLeftSingle, Form::kRightSingle};

template <typename T>
void expect_integers(const SimdLoops& table, Element element) {
  const size_t row = static_cast<size_t>(element);
  for (const size_t n : kLengths) {
    const std::vector<T> a = integers<T>(n, 0);
    const std::vector<T> b = integers<T>(n, 1);
    for (const Form form : kForms) {
      const Operands operands = {a.data(), b.data(), form, false, 0};
      const auto left = [&](size_t i) { return form == Form::kLeftSingle ? a[0] : a[i]; };
      const auto right = [&](size_t i) { return form == Form::kRightSingle ? b[0] : b[i]; };
      for (size_t f = 0; f < kBinaryCount; ++f) {
        if (table.elementwise.typed[row][f] == nullptr) {
          continue;
        }
        std::vector<T> y(n + 1, 77);
        table.elementwise.typed[row][f](operands, n, y.data());
        EXPECT_EQ(y[n], 77);
        for (size_t i = 0; i < n; ++i) {
          EXPECT_EQ(y[i], result_of(static_cast<Binary>(f), left(i), right(i))) << f << " of " << i;
        }
      }
      for (size_t c = 0; c < kComparisonCount; ++c) {
        std::vector<uint8_t> y(n + 1, 77);
        table.elementwise.compare[row][c](operands, n, y.data());
        EXPECT_EQ(y[n], 77);
        for (size_t i = 0; i < n; ++i) {
          EXPECT_EQ(y[i], holds(static_cast<Comparison>(c), left(i), right(i)) ? 1 : 0);
        }
      }
    }
    std::vector<T> y(n);
    table.elementwise.sign[row][static_cast<size_t>(Sign::kAbs)](a.data(), n, y.data());
    const T low = 1;
    const T high = 3;
    std::vector<T> clamped = a;
    table.elementwise.clamp[row](clamped.data(), n, &low, &high, clamped.data());
    for (size_t i = 0; i < n; ++i) {
      EXPECT_EQ(y[i], a[i] < 0 ? result_of<T>(Binary::kSub, 0, a[i]) : a[i]);
      EXPECT_EQ(clamped[i], a[i] < low ? low : a[i] > high ? high : a[i]);
    }
  }
}

TEST(TypedLoopsTest, Integers) {
  for (const SimdLoops* table : tables()) {
    expect_integers<uint8_t>(*table, Element::kByte);
    expect_integers<int8_t>(*table, Element::kChar);
    expect_integers<int32_t>(*table, Element::kInt);
    expect_integers<int64_t>(*table, Element::kLong);
  }
}

std::vector<uint16_t> halves(ScalarType dtype, const std::vector<float>& x) {
  std::vector<uint16_t> bits(x.size());
  torch::executor::native::util::store(Compute::kFloat, dtype, x.data(), x.size(), bits.data());
  return bits;
}

std::vector<float> floats(ScalarType dtype, const std::vector<uint16_t>& bits) {
  std::vector<float> x(bits.size());
  torch::executor::native::util::load(Compute::kFloat, dtype, bits.data(), 1, bits.size(),
                                      x.data());
  return x;
}

/// Each result is that of floats, rounded once.
void expect_halves(const SimdLoops& table, Element element, ScalarType dtype) {
  const size_t row = static_cast<size_t>(element);
  const float special[] = {std::numeric_limits<float>::quiet_NaN(),
                           std::numeric_limits<float>::infinity(),
                           -0.0f,
                           0.0f,
                           6e-8f,
                           65504.0f};
  for (const size_t n : kLengths) {
    std::vector<float> x = random_floats(n, -3, 3);
    std::vector<float> z = random_floats(n, 0.5, 3);
    if (n > 15) {
      std::copy(std::begin(special), std::end(special), x.begin() + 2);
      std::copy(std::begin(special), std::end(special), z.begin() + 4);
    }
    const std::vector<uint16_t> a = halves(dtype, x);
    const std::vector<uint16_t> b = halves(dtype, z);
    const std::vector<float> left = floats(dtype, a);
    const std::vector<float> right = floats(dtype, b);
    constexpr float kNumber = 1.2345678f;  // which no half type has
    for (size_t f = 0; f <= static_cast<size_t>(Binary::kPow); ++f) {
      const BinaryLoop wide = table.elementwise.binary[f][static_cast<size_t>(Form::kBoth)];
      for (const bool is_number : {false, true}) {
        const std::vector<float> numbers(n, kNumber);
        std::vector<float> expected(n);
        wide(left.data(), is_number ? numbers.data() : right.data(), n, 3.0f, expected.data());
        const Operands operands = {a.data(),
                                   is_number ? static_cast<const void*>(&kNumber) : b.data(),
                                   is_number ? Form::kRightSingle : Form::kBoth, is_number, 3.0f};
        std::vector<uint16_t> y(n + 1, 77);
        table.elementwise.typed[row][f](operands, n, y.data());
        EXPECT_EQ(y[n], 77);
        y.resize(n);
        const std::vector<float> actual = floats(dtype, y);
        const std::vector<float> rounded = floats(dtype, halves(dtype, expected));
        for (size_t i = 0; i < n; ++i) {
          // Powers of one vector and of parts of it may round to neighbours.
          const float near = f == static_cast<size_t>(Binary::kPow) ? 0.01f : 0;
          EXPECT_TRUE(actual[i] == rounded[i] ||
                      (std::isnan(actual[i]) && std::isnan(rounded[i])) ||
                      std::fabs(actual[i] - rounded[i]) <= near * std::fabs(rounded[i]))
              << f << " of " << left[i] << ": " << actual[i] << ", expected " << rounded[i];
        }
      }
    }
    for (size_t c = 0; c < kComparisonCount; ++c) {
      std::vector<uint8_t> y(n);
      table.elementwise.compare[row][c]({a.data(), b.data(), Form::kBoth, false, 0}, n, y.data());
      for (size_t i = 0; i < n; ++i) {
        EXPECT_EQ(y[i], holds(static_cast<Comparison>(c), left[i], right[i]) ? 1 : 0);
      }
    }
    std::vector<uint16_t> negative(n);
    table.elementwise.sign[row][static_cast<size_t>(Sign::kNeg)](a.data(), n, negative.data());
    for (size_t i = 0; i < n; ++i) {
      EXPECT_EQ(negative[i], a[i] ^ 0x8000);
    }
  }
}

TEST(TypedLoopsTest, HalfTypes) {
  for (const SimdLoops* table : tables()) {
    expect_halves(*table, Element::kHalf, ScalarType::Half);
    expect_halves(*table, Element::kBFloat16, ScalarType::BFloat16);
  }
}

TEST(TypedLoopsTest, NaNIsNotEqualToAnything) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> a(40, nan);
  const std::vector<float> b(40, 1.0f);
  for (const SimdLoops* table : tables()) {
    const TypedLoop* row = table->elementwise.compare[static_cast<size_t>(Element::kFloat)];
    for (size_t c = 0; c < kComparisonCount; ++c) {
      std::vector<uint8_t> y(40, 77);
      row[c]({a.data(), b.data(), Form::kBoth, false, 0}, y.size(), y.data());
      EXPECT_EQ(y, std::vector<uint8_t>(40, static_cast<Comparison>(c) == Comparison::kNotEqual));
    }
  }
}

}  // namespace
