#include <cmath>
#include <limits>

#include <executorch/kernels/portable/cpu/internal/distributions.h>

namespace torch::executor::native::util {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
/// Each try succeeds with a probability above one half.
constexpr int kMostTries = 200;

/// Uniform in (0, 1), of 53 bits.
double positive_uniform(Random& random) {
  return (static_cast<double>(random.bits() >> 12) + 0.5) * (1.0 / 4503599627370496.0);
}

/**
 * Hörmann's transformed rejection for distributions of whole numbers with one peak (PTRS of 1993
 * for Poisson's, BTRS for the binomial one): points under a table mountain, of which most are taken
 * without a look at the probabilities.
 */
struct Mountain {
  double center;
  double a;
  double b;
  /// Below it, points of the middle are taken at once.
  double plain;
  double slope;

  /// @param log_probability Of a whole number.
  template <typename LogProbability>
  double draw(Random& random, double most, LogProbability&& log_probability) const {
    for (int i = 0; i < kMostTries; ++i) {
      const double u = positive_uniform(random) - 0.5;
      const double v = positive_uniform(random);
      const double from_edge = 0.5 - std::fabs(u);
      const double k = std::floor((2 * a / from_edge + b) * u + center);
      if (from_edge >= 0.07 && v <= plain) {
        return k;
      }
      if (k < 0 || k > most || (from_edge < 0.013 && v > from_edge)) {
        continue;
      }
      if (std::log(v * slope / (a / (from_edge * from_edge) + b)) <= log_probability(k)) {
        return k;
      }
    }
    return std::floor(center);
  }
};

}  // namespace

double draw_gamma(Random& random, double concentration) {
  if (!(concentration > 0)) {
    return concentration == 0 ? 0 : kNan;
  }
  // A concentration below 1 is that of one above, times a power of a uniform number.
  double factor = 1;
  double shape = concentration;
  if (shape < 1) {
    factor = std::pow(positive_uniform(random), 1 / shape);
    shape += 1;
  }
  // Marsaglia and Tsang, 2000.
  const double d = shape - 1.0 / 3;
  const double c = 1 / std::sqrt(9 * d);
  for (int i = 0; i < kMostTries; ++i) {
    const double x = random.normal();
    const double root = 1 + c * x;
    if (root <= 0) {
      continue;
    }
    const double v = root * root * root;
    if (std::log(positive_uniform(random)) < x * x / 2 + d * (1 - v + std::log(v))) {
      return factor * d * v;
    }
  }
  return factor * d;
}

double draw_poisson(Random& random, double rate) {
  if (!(rate >= 0)) {
    return kNan;
  }
  if (rate >= 10) {
    const double root = std::sqrt(rate);
    const double b = 0.931 + 2.53 * root;
    const double a = -0.059 + 0.02483 * b;
    const Mountain mountain{rate + 0.43, a, b, 0.9277 - 3.6224 / (b - 2),
                            1.1239 + 1.1328 / (b - 3.4)};
    const double log_rate = std::log(rate);
    return mountain.draw(random, std::numeric_limits<double>::infinity(),
                         [&](double k) { return k * log_rate - rate - std::lgamma(k + 1); });
  }
  // The waits between events are exponential; their sum is the logarithm of a product.
  const double end = std::exp(-rate);
  double product = positive_uniform(random);
  double events = 0;
  for (int i = 0; product > end && i < kMostTries; ++i) {
    product *= positive_uniform(random);
    ++events;
  }
  return events;
}

double draw_binomial(Random& random, double count, double probability) {
  if (std::isnan(count) || std::isnan(probability)) {
    return kNan;
  }
  if (count <= 0 || probability <= 0) {
    return 0;
  }
  if (probability >= 1) {
    return count;
  }
  const double n = std::floor(count);
  if (probability > 0.5) {
    return n - draw_binomial(random, n, 1 - probability);
  }
  if (n * probability >= 10) {
    const double odds = probability / (1 - probability);
    const double spread = std::sqrt(n * probability * (1 - probability));
    const double b = 1.15 + 2.53 * spread;
    const double a = -0.0873 + 0.0248 * b + 0.01 * probability;
    const Mountain mountain{n * probability + 0.5, a, b, 0.92 - 4.2 / b, (2.83 + 5.1 / b) * spread};
    const double mode = std::floor((n + 1) * probability);
    const double at_mode = std::lgamma(mode + 1) + std::lgamma(n - mode + 1);
    return mountain.draw(random, n, [&](double k) {
      return at_mode - std::lgamma(k + 1) - std::lgamma(n - k + 1) + (k - mode) * std::log(odds);
    });
  }
  // Tries up to the next success follow a geometric distribution.
  const double log_failure = std::log1p(-probability);
  double tries = 0;
  double successes = 0;
  for (int i = 0; i < kMostTries; ++i) {
    tries += std::floor(std::log(positive_uniform(random)) / log_failure) + 1;
    if (tries > n) {
      break;
    }
    ++successes;
  }
  return successes;
}

}  // namespace torch::executor::native::util
