#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/kernels/portable/cpu/internal/distance.h>

namespace torch::executor::native::util {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// As it is defined, one element after the other.
double reference(const std::vector<double>& a, const std::vector<double>& b, double p) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const double d = std::fabs(a[i] - b[i]);
    sum = p == 0          ? sum + (d != 0 ? 1 : 0)
          : std::isinf(p) ? std::fmax(sum, d)
                          : sum + std::pow(d, p);
  }
  return p == 0 || std::isinf(p) ? sum : std::pow(sum, 1 / p);
}

/// Whole numbers, which every dtype has; some are equal in both rows.
template <typename T>
void expect_distances(ScalarType dtype, double tolerance) {
  for (const size_t n : {0, 1, 7, 8, 9, 511, 512, 513, 1300}) {
    std::vector<T> a, b;
    std::vector<double> x, y;
    for (size_t i = 0; i < n; ++i) {
      x.push_back(static_cast<double>(i % 13) - 6);
      y.push_back(static_cast<double>(i % 7) - 3);
      a.push_back(T(static_cast<float>(x.back())));
      b.push_back(T(static_cast<float>(y.back())));
    }
    for (const double p : {0.0, 1.0, 2.0, 3.0, 0.5, kInfinity}) {
      const double expected = reference(x, y, p);
      const double actual = distance(dtype, reinterpret_cast<const char*>(a.data()),
                                     reinterpret_cast<const char*>(b.data()), n, p);
      EXPECT_NEAR(actual, expected, tolerance * (1 + expected)) << "n " << n << ", p " << p;
    }
  }
}

TEST(DistanceTest, OfEachFloatingType) {
  expect_distances<float>(ScalarType::Float, 1e-6);
  expect_distances<double>(ScalarType::Double, 1e-12);
  expect_distances<executorch::aten::Half>(ScalarType::Half, 1e-6);
  expect_distances<executorch::aten::BFloat16>(ScalarType::BFloat16, 1e-6);
}

TEST(DistanceTest, NanStays) {
  std::vector<float> a(600, 1), b(600, 2);
  for (const size_t at : {0, 100, 599}) {
    a[at] = std::nanf("");
    for (const double p : {1.0, 2.0, 3.0, kInfinity}) {
      EXPECT_TRUE(std::isnan(distance(ScalarType::Float, reinterpret_cast<const char*>(a.data()),
                                      reinterpret_cast<const char*>(b.data()), a.size(), p)))
          << at << ", p " << p;
    }
    a[at] = 1;
  }
}

}  // namespace
}  // namespace torch::executor::native::util
