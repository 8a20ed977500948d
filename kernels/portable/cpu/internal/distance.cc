#include <cmath>

#include <executorch/kernels/portable/cpu/internal/distance.h>
#include <executorch/kernels/portable/cpu/internal/lanes.h>

namespace torch::executor::native::util {
namespace {

/// The most elements that are added up in their own type.
constexpr size_t kChunk = kChunkBytes / sizeof(float);

template <typename C>
double largest(const C* x, const C* y, size_t n) {
  C most = 0;
  for (size_t i = 0; i < n; ++i) {
    const C d = std::fabs(x[i] - y[i]);
    most = d > most || d != d ? d : most;
  }
  return most;
}

/// What `n` elements add to the distance before its root.
template <typename C>
double part(const C* x, const C* y, size_t n, double p) {
  const auto sum = [=](const auto& term) {
    return sum_in_lanes<C>(n, [=](size_t i) { return term(std::fabs(x[i] - y[i])); });
  };
  if (p == 0) {
    return sum([](C d) { return d != 0 ? C(1) : C(0); });
  }
  if (p == 1) {
    return sum([](C d) { return d; });
  }
  if (p == 2) {
    return sum([](C d) { return d * d; });
  }
  return std::isinf(p) ? largest(x, y, n)
                       : sum([p](C d) { return std::pow(d, static_cast<C>(p)); });
}

double part_of(ScalarType dtype, const char* a, const char* b, size_t n, double p) {
  if (dtype == ScalarType::Double) {
    return part(reinterpret_cast<const double*>(a), reinterpret_cast<const double*>(b), n, p);
  }
  if (dtype == ScalarType::Float) {
    return part(reinterpret_cast<const float*>(a), reinterpret_cast<const float*>(b), n, p);
  }
  float x[kChunk];
  float y[kChunk];
  load(Compute::kFloat, dtype, a, 1, n, x);
  load(Compute::kFloat, dtype, b, 1, n, y);
  return part(x, y, n, p);
}

}  // namespace

double distance(ScalarType dtype, const char* a, const char* b, size_t n, double p) {
  const size_t size = executorch::runtime::elementSize(dtype);
  const bool is_largest = std::isinf(p);
  double sum = 0;
  for (size_t first = 0; first < n; first += kChunk) {
    const size_t count = n - first < kChunk ? n - first : kChunk;
    const double more = part_of(dtype, a + first * size, b + first * size, count, p);
    sum = !is_largest ? sum + more : more > sum || more != more ? more : sum;
  }
  const bool is_root = p != 0 && p != 1 && p != 2 && !is_largest;
  return p == 2 ? std::sqrt(sum) : is_root ? std::pow(sum, 1 / p) : sum;
}

}  // namespace torch::executor::native::util
