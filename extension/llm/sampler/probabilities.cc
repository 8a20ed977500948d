#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>

#include <executorch/extension/llm/sampler/probabilities.h>

namespace executorch {
namespace extension {
namespace llm {
namespace {

/// Results that do not wait for each other; some of them make a vector register of any processor.
constexpr size_t kLanes = 16;

template <typename To, typename From>
To bits_as(From from) {
  static_assert(sizeof(To) == sizeof(From), "the same bits");
  To to;
  std::memcpy(&to, &from, sizeof(to));
  return to;
}

/// exp(x), for no positive x. Without branches, so that compilers make vectors of it.
inline float exponential(float x) {
  constexpr float kLeast = -86.6f;  // Powers of two above the subnormal ones.
  constexpr float kPerLn2 = 1.44269504f;
  constexpr float kShift = 12582912.0f;  // Added, it leaves the nearest integer in the lowest bits.
  constexpr float kLn2High = 0.693359375f;
  constexpr float kLn2Low = -2.12194440e-4f;
  // Minimax of (exp(r) - 1 - r) / r^2 for |r| <= ln(2) / 2.
  constexpr float kSeries[] = {1.9875691e-4f, 1.3981999e-3f, 8.3334519e-3f,
                               4.1665796e-2f, 1.6666665e-1f, 5.0000001e-1f};
  const float bounded = x < kLeast ? kLeast : x;
  const float shifted = bounded * kPerLn2 + kShift;
  const float n = shifted - kShift;
  const float r = (bounded - n * kLn2High) - n * kLn2Low;
  float p = kSeries[0];
  for (size_t i = 1; i < sizeof(kSeries) / sizeof(kSeries[0]); ++i) {
    p = p * r + kSeries[i];
  }
  p = p * r * r + r + 1.0f;
  const uint32_t exponent = bits_as<uint32_t>(shifted) - bits_as<uint32_t>(kShift) + 127;
  const float result = p * bits_as<float>(exponent << 23);
  return x < kLeast ? 0.0f : result;
}

}  // namespace

float largest_of(const float* x, size_t n) {
  float lanes[kLanes];
  std::fill(lanes, lanes + kLanes, -std::numeric_limits<float>::infinity());
  size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (size_t j = 0; j < kLanes; ++j) {
      lanes[j] = x[i + j] > lanes[j] ? x[i + j] : lanes[j];
    }
  }
  for (; i < n; ++i) {
    lanes[0] = x[i] > lanes[0] ? x[i] : lanes[0];
  }
  return *std::max_element(lanes, lanes + kLanes);
}

float exponentials(float* x, size_t n, float shift, float factor) {
  for (size_t i = 0; i < n; ++i) {
    x[i] = exponential((x[i] - shift) * factor);
  }
  float lanes[kLanes] = {};
  size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (size_t j = 0; j < kLanes; ++j) {
      lanes[j] += x[i + j];
    }
  }
  float sum = 0;
  for (; i < n; ++i) {
    sum += x[i];
  }
  for (const float lane : lanes) {
    sum += lane;
  }
  return sum;
}

std::vector<float> probabilities(float* x, size_t n, float temperature) {
  const float most = largest_of(x, n);
  std::vector<float> sums;
  sums.reserve(n / kProbabilityBlock + 1);
  double sum = 0;
  for (size_t i = 0; i < n; i += kProbabilityBlock) {
    sums.push_back(
        exponentials(x + i, std::min(kProbabilityBlock, n - i), most, 1.0f / temperature));
    sum += sums.back();
  }
  const auto factor = static_cast<float>(1.0 / sum);
  for (size_t i = 0; i < n; ++i) {
    x[i] *= factor;
  }
  for (float& of_block : sums) {
    of_block *= factor;
  }
  return sums;
}

}  // namespace llm
}  // namespace extension
}  // namespace executorch
