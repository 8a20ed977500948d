#include <cmath>
#include <cstring>

#include <executorch/devtools/bundled_program/compare.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace bundled_program {
namespace internal {

using aten::ScalarType;
using aten::Tensor;

namespace {

/// Calls `visit(actual, expected, index)` for each pair of elements as doubles until it says stop.
template <typename T, typename Visit>
bool visit_pairs(const Tensor& actual, const Tensor& expected, Visit&& visit) {
  const T* const a = actual.const_data_ptr<T>();
  const T* const b = expected.const_data_ptr<T>();
  const auto count = static_cast<size_t>(actual.numel());
  for (size_t i = 0; i < count; ++i) {
    if (!visit(static_cast<double>(a[i]), static_cast<double>(b[i]), i)) {
      return false;
    }
  }
  return true;
}

/// The same for the components of complex numbers; real and imaginary parts have the element's
/// index.
template <typename T, typename Visit>
bool visit_components(const Tensor& actual, const Tensor& expected, Visit&& visit) {
  const aten::complex<T>* const a = actual.const_data_ptr<aten::complex<T>>();
  const aten::complex<T>* const b = expected.const_data_ptr<aten::complex<T>>();
  const auto count = static_cast<size_t>(actual.numel());
  for (size_t i = 0; i < count; ++i) {
    if (!visit(static_cast<double>(a[i].real()), static_cast<double>(b[i].real()), i) ||
        !visit(static_cast<double>(a[i].imag()), static_cast<double>(b[i].imag()), i)) {
      return false;
    }
  }
  return true;
}

/// The same for tensors of floating-point numbers; other tensors are left to `other`.
template <typename Visit, typename Other>
bool visit_floats(const Tensor& actual, const Tensor& expected, Visit&& visit, Other&& other) {
  switch (actual.scalar_type()) {
    case ScalarType::Float:
      return visit_pairs<float>(actual, expected, visit);
    case ScalarType::Double:
      return visit_pairs<double>(actual, expected, visit);
    case ScalarType::Half:
      return visit_pairs<aten::Half>(actual, expected, visit);
    case ScalarType::BFloat16:
      return visit_pairs<aten::BFloat16>(actual, expected, visit);
    case ScalarType::ComplexFloat:
      return visit_components<float>(actual, expected, visit);
    case ScalarType::ComplexDouble:
      return visit_components<double>(actual, expected, visit);
    default:
      return other();
  }
}

}  // namespace

bool are_comparable(const Tensor& actual, const Tensor& expected, size_t index) {
  if (!actual.device().is_cpu()) {
    ET_LOG(Error, "Output %zu is in the memory of a device, where it cannot be compared", index);
    return false;
  }
  bool same = actual.scalar_type() == expected.scalar_type() && actual.dim() == expected.dim();
  for (ssize_t i = 0; same && i < actual.dim(); ++i) {
    const auto d = static_cast<size_t>(i);
    same = actual.sizes()[d] == expected.sizes()[d] &&
           (actual.dim_order().empty() || actual.dim_order()[d] == expected.dim_order()[d]);
  }
  if (!same) {
    ET_LOG(Error,
           "Output %zu has %zd elements of type %s and rank %zd, expected %zd of type %s and rank "
           "%zd, or their sizes or dim orders differ",
           index, static_cast<ssize_t>(actual.numel()), runtime::toString(actual.scalar_type()),
           static_cast<ssize_t>(actual.dim()), static_cast<ssize_t>(expected.numel()),
           runtime::toString(expected.scalar_type()), static_cast<ssize_t>(expected.dim()));
  }
  return same;
}

bool are_close(const Tensor& actual, const Tensor& expected, double rtol, double atol,
               size_t index) {
  const auto close = [&](double a, double b, size_t i) {
    const bool good = a == b || (std::isnan(a) && std::isnan(b)) ||
                      (std::isfinite(b) && std::fabs(a - b) <= atol + rtol * std::fabs(b));
    if (!good) {
      ET_LOG(Error, "Output %zu differs at element %zu: %.9g, expected %.9g (rtol %g, atol %g)",
             index, i, a, b, rtol, atol);
    }
    return good;
  };
  return visit_floats(actual, expected, close, [&]() {
    const auto* const a = static_cast<const uint8_t*>(actual.const_data_ptr());
    const auto* const b = static_cast<const uint8_t*>(expected.const_data_ptr());
    for (size_t i = 0; i < actual.nbytes(); ++i) {
      if (a[i] != b[i]) {
        ET_LOG(Error, "Output %zu differs at element %zu", index,
               i / static_cast<size_t>(actual.element_size()));
        return false;
      }
    }
    return true;
  });
}

void add_distance(const Tensor& actual, const Tensor& expected, Distance& distance) {
  const auto add = [&distance](double a, double b, size_t) {
    if (std::isnan(a) && std::isnan(b)) {
      ++distance.count;
      return true;
    }
    constexpr double kSmall = 1e-8;  // Keeps an expected zero from making every error infinite.
    const double absolute = a == b ? 0 : std::fabs(a - b);
    const double relative = absolute / std::fmax(std::fabs(b), kSmall);
    distance.abs_sum += absolute;
    distance.abs_max = std::fmax(distance.abs_max, absolute);
    distance.relative_sum += relative;
    distance.relative_max = std::fmax(distance.relative_max, relative);
    ++distance.count;
    return true;
  };
  visit_floats(actual, expected, add, [&]() {
    switch (actual.scalar_type()) {
      case ScalarType::Byte:
        return visit_pairs<uint8_t>(actual, expected, add);
      case ScalarType::Char:
        return visit_pairs<int8_t>(actual, expected, add);
      case ScalarType::Short:
        return visit_pairs<int16_t>(actual, expected, add);
      case ScalarType::Int:
        return visit_pairs<int32_t>(actual, expected, add);
      case ScalarType::Long:
        return visit_pairs<int64_t>(actual, expected, add);
      case ScalarType::Bool:
        return visit_pairs<bool>(actual, expected, add);
      default:
        return true;
    }
  });
}

}  // namespace internal
}  // namespace bundled_program
}  // namespace executorch
