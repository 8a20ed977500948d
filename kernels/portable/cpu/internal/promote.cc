#include <executorch/kernels/portable/cpu/internal/promote.h>

namespace torch::executor::native::util {
namespace {

/// Bool, integers, floating types and complex types in ascending order.
int category(ScalarType t) {
  switch (t) {
    case ScalarType::Bool:
      return 0;
    case ScalarType::Half:
    case ScalarType::Float:
    case ScalarType::Double:
    case ScalarType::BFloat16:
      return 2;
    case ScalarType::ComplexHalf:
    case ScalarType::ComplexFloat:
    case ScalarType::ComplexDouble:
      return 3;
    default:
      return 1;
  }
}

ScalarType promote(ScalarType a, ScalarType b) { return executorch::runtime::promoteTypes(a, b); }

/// The result of a dtype that counts and one that counts only by its category.
ScalarType promote_ranked(ScalarType strong, ScalarType weak) {
  return category(weak) > category(strong) ? promote(strong, weak) : strong;
}

}  // namespace

ScalarType result_dtype(const Tensor* const* tensors, size_t n) {
  ScalarType strong = ScalarType::Undefined;
  ScalarType weak = ScalarType::Undefined;
  for (size_t i = 0; i < n; ++i) {
    ScalarType& group = tensors[i]->dim() > 0 ? strong : weak;
    const ScalarType dtype = tensors[i]->scalar_type();
    group = group == ScalarType::Undefined ? dtype : promote(group, dtype);
  }
  if (strong == ScalarType::Undefined) {
    return weak;
  }
  return weak == ScalarType::Undefined ? strong : promote_ranked(strong, weak);
}

ScalarType result_dtype(const Tensor& a, const Tensor& b) {
  const Tensor* const tensors[] = {&a, &b};
  return result_dtype(tensors, 2);
}

ScalarType scalar_dtype(const Scalar& scalar) {
  return scalar.isFloatingPoint() ? ScalarType::Float
         : scalar.isBoolean()     ? ScalarType::Bool
                                  : ScalarType::Long;
}

ScalarType result_dtype(ScalarType t, const Scalar& b) {
  return promote_ranked(t, scalar_dtype(b));
}

ScalarType result_dtype(const Tensor& a, const Scalar& b) {
  return result_dtype(a.scalar_type(), b);
}

bool can_store(ScalarType from, ScalarType to) { return category(to) >= category(from); }

bool is_floating(ScalarType t) { return category(t) == 2; }

bool is_integral_or_bool(ScalarType t) { return category(t) < 2 && is_real_dtype(t); }

}  // namespace torch::executor::native::util
