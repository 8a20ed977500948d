#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <sstream>
#include <type_traits>

#include <gtest/gtest.h>

#include <executorch/runtime/core/portable_type/c10/c10/util/complex_math.h>
#include <executorch/runtime/core/portable_type/complex.h>

using executorch::runtime::etensor::complex;

namespace {

using Complex = complex<double>;

TEST(ComplexTest, Layout) {
  static_assert(sizeof(complex<float>) == 8 && alignof(complex<float>) == 8, "");
  static_assert(sizeof(complex<double>) == 16, "");
  static_assert(sizeof(complex<c10::Half>) == 4, "");
  const float pair[2] = {1.0f, 2.0f};
  complex<float> z;
  std::memcpy(&z, pair, sizeof(z));
  EXPECT_EQ(z, (complex<float>(1.0f, 2.0f)));
}

TEST(ComplexTest, ArithmeticMatchesTheStandardLibrary) {
  const double parts[] = {-2.5, -1.0, 0.0, 0.5, 3.0};
  for (double a : parts) {
    for (double b : parts) {
      for (double c : parts) {
        for (double d : parts) {
          const Complex x(a, b);
          const Complex y(c, d);
          const std::complex<double> sx(a, b);
          const std::complex<double> sy(c, d);
          EXPECT_EQ(static_cast<std::complex<double>>(x + y), sx + sy);
          EXPECT_EQ(static_cast<std::complex<double>>(x - y), sx - sy);
          EXPECT_EQ(static_cast<std::complex<double>>(x * y), sx * sy);
          if (c != 0 || d != 0) {
            const Complex q = x / y;
            EXPECT_NEAR(q.real(), (sx / sy).real(), 1e-14);
            EXPECT_NEAR(q.imag(), (sx / sy).imag(), 1e-14);
          }
        }
      }
    }
  }
}

TEST(ComplexTest, DivisionDoesNotOverflowOnTheWay) {
  const Complex big(1e300, 1e300);
  EXPECT_EQ(big / big, Complex(1.0, 0.0));
  const Complex by_zero = Complex(1.0, 1.0) / Complex(0.0, 0.0);
  EXPECT_FALSE(std::isfinite(by_zero.real()));
}

TEST(ComplexTest, RealOperandsAndConversions) {
  EXPECT_EQ(Complex(1, 2) * 2.0, Complex(2, 4));
  EXPECT_EQ(2.0 + Complex(1, 2), Complex(3, 2));
  EXPECT_EQ(-Complex(1, 2), Complex(-1, -2));
  EXPECT_TRUE(Complex(1, 0) == 1.0);
  EXPECT_TRUE(Complex(1, 1) != 1.0);
  const Complex widened = complex<float>(1.5f, 2.5f);
  EXPECT_EQ(widened, Complex(1.5, 2.5));
  EXPECT_EQ(complex<float>(Complex(1.5, 2.5)), (complex<float>(1.5f, 2.5f)));
  static_assert(!std::is_convertible<Complex, complex<float>>::value, "narrowing is explicit");
  EXPECT_EQ(Complex(std::complex<double>(3, 4)), Complex(3, 4));
}

TEST(ComplexTest, Functions) {
  EXPECT_EQ(std::abs(Complex(3, 4)), 5.0);
  EXPECT_EQ(std::norm(Complex(3, 4)), 25.0);
  EXPECT_EQ(std::conj(Complex(3, 4)), Complex(3, -4));
  EXPECT_EQ(std::real(Complex(3, 4)), 3.0);
  EXPECT_EQ(std::imag(Complex(3, 4)), 4.0);
  EXPECT_DOUBLE_EQ(std::arg(Complex(0, 1)), std::acos(0.0));
  const Complex root = c10_complex_math::sqrt(Complex(-4, 0));
  EXPECT_NEAR(root.real(), 0.0, 1e-15);
  EXPECT_NEAR(root.imag(), 2.0, 1e-15);
  EXPECT_NEAR(std::exp(Complex(0, std::acos(-1.0))).real(), -1.0, 1e-15);
}

TEST(ComplexTest, IntegersStreamsAndNan) {
  using namespace c10::complex_literals;
  EXPECT_EQ(Complex(1, 2) * 2 + 1, Complex(3, 4));
  EXPECT_EQ(2 * Complex(1, 2) - 1 * 1_id, Complex(2, 3));
  std::ostringstream text;
  text << Complex(1, -2.5);
  EXPECT_EQ(text.str(), "(1,-2.5)");
  EXPECT_TRUE(std::isnan(Complex(0, std::nan(""))));
  EXPECT_FALSE(std::isnan(Complex(0, 1)));
  EXPECT_TRUE(std::numeric_limits<Complex>::is_specialized);
}

}  // namespace
