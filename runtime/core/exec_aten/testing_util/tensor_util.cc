#include <cmath>
#include <cstring>
#include <ostream>
#include <type_traits>

#include <executorch/runtime/core/exec_aten/testing_util/tensor_util.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>

namespace executorch {
namespace runtime {
namespace testing {

using ::executorch::aten::ScalarType;
using ::executorch::aten::Tensor;

namespace {

bool element_is_close(double a, double b, double rtol, double atol) {
  if (a == b || (std::isnan(a) && std::isnan(b))) {
    return true;
  }
  if (!std::isfinite(a) || !std::isfinite(b)) {
    return false;
  }
  return std::fabs(a - b) <= atol + rtol * std::fabs(b);
}

template <typename T>
bool floats_are_close(const T* a, const T* b, size_t n, double rtol, double atol) {
  for (size_t i = 0; i < n; ++i) {
    if (!element_is_close(static_cast<double>(a[i]), static_cast<double>(b[i]), rtol, atol)) {
      return false;
    }
  }
  return true;
}

double default_atol(ScalarType type) {
  switch (type) {
    case ScalarType::Half:
    case ScalarType::ComplexHalf:
      return internal::kDefaultHalfAtol;
    case ScalarType::BFloat16:
      return internal::kDefaultBFloat16Atol;
    default:
      return internal::kDefaultAtol;
  }
}

}  // namespace

bool tensor_data_is_close(const Tensor& a, const Tensor& b, double rtol,
                          std::optional<double> opt_atol) {
  if (a.scalar_type() != b.scalar_type() || a.numel() != b.numel()) {
    return false;
  }
  if (a.numel() == 0) {
    return true;
  }
  const ScalarType type = a.scalar_type();
  const double atol = opt_atol.value_or(default_atol(type));
  // Complex numbers compare component by component.
  const size_t n = static_cast<size_t>(a.numel()) * (isComplexType(type) ? 2 : 1);
  switch (toRealValueType(type)) {
#define ET_INTERNAL_COMPARE(ctype, name)                                   \
  case ScalarType::name:                                                   \
    return floats_are_close(static_cast<const ctype*>(a.const_data_ptr()), \
                            static_cast<const ctype*>(b.const_data_ptr()), n, rtol, atol);
    ET_FORALL_FLOATHBF16_TYPES(ET_INTERNAL_COMPARE)
#undef ET_INTERNAL_COMPARE
    default:
      return std::memcmp(a.const_data_ptr(), b.const_data_ptr(), a.nbytes()) == 0;
  }
}

bool tensors_are_close(const Tensor& a, const Tensor& b, double rtol,
                       std::optional<double> opt_atol) {
  if (a.scalar_type() != b.scalar_type() || !a.sizes().equals(b.sizes())) {
    return false;
  }
  if (!a.strides().equals(b.strides())) {
    ET_LOG(Info, "the tensors differ in strides");
    return false;
  }
  return tensor_data_is_close(a, b, rtol, opt_atol);
}

bool tensor_lists_are_close(const Tensor* tensors_a, size_t num_tensors_a, const Tensor* tensors_b,
                            size_t num_tensors_b, double rtol, std::optional<double> opt_atol) {
  if (num_tensors_a != num_tensors_b) {
    return false;
  }
  for (size_t i = 0; i < num_tensors_a; ++i) {
    if (!tensors_are_close(tensors_a[i], tensors_b[i], rtol, opt_atol)) {
      return false;
    }
  }
  return true;
}

}  // namespace testing

namespace etensor {
namespace {

/// Longer tensors are cut off in messages.
constexpr ssize_t kMaxPrinted = 256;

template <typename T>
void print_elements(std::ostream& os, const T* data, ssize_t n) {
  for (ssize_t i = 0; i < n && i < kMaxPrinted; ++i) {
    os << (i == 0 ? "" : ", ");
    if constexpr (std::is_same<T, uint8_t>::value || std::is_same<T, int8_t>::value) {
      os << static_cast<int>(data[i]);
    } else if constexpr (std::is_convertible<T, float>::value && !std::is_integral<T>::value) {
      os << static_cast<double>(data[i]);
    } else {
      os << data[i];
    }
  }
  if (n > kMaxPrinted) {
    os << ", ... (" << n << " elements)";
  }
}

}  // namespace

std::ostream& operator<<(std::ostream& os, ScalarType t) { return os << toString(t); }

std::ostream& operator<<(std::ostream& os, const Scalar& s) {
  os << "Scalar(";
  if (s.isBoolean()) {
    os << (s.to<bool>() ? "true" : "false");
  } else if (s.isIntegral(/*includeBool=*/false)) {
    os << s.to<int64_t>();
  } else {
    os << s.to<double>();
  }
  return os << ")";
}

std::ostream& operator<<(std::ostream& os, const Tensor& t) {
  os << "Tensor(sizes=" << tensor_shape_to_c_string(t.sizes()).data()
     << ", strides=" << tensor_shape_to_c_string(t.strides()).data()
     << ", dtype=" << t.scalar_type() << ", data=[";
  if (t.const_data_ptr() == nullptr) {
    return os << "null])";
  }
  switch (t.scalar_type()) {
#define ET_INTERNAL_PRINT(ctype, name)                        \
  case ScalarType::name:                                      \
    print_elements(os, t.const_data_ptr<ctype>(), t.numel()); \
    break;
    ET_FORALL_REALHBBF16_TYPES(ET_INTERNAL_PRINT)
    ET_FORALL_UINT_TYPES(ET_INTERNAL_PRINT)
#undef ET_INTERNAL_PRINT
    default:
      print_elements(os, static_cast<const uint8_t*>(t.const_data_ptr()),
                     static_cast<ssize_t>(t.nbytes()));
      break;
  }
  return os << "])";
}

}  // namespace etensor
}  // namespace runtime
}  // namespace executorch
