#include <cinttypes>
#include <cmath>

#include <executorch/kernels/prim_ops/scalar_ops.h>
#include <executorch/kernels/prim_ops/stack.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>

namespace torch::executor::function {
namespace {

using executorch::aten::ScalarType;
using executorch::aten::Tensor;
using executorch::runtime::Error;
using executorch::runtime::EValue;

bool is_number(const EValue& v) { return v.isInt() || v.isDouble(); }

double as_double(const EValue& v) {
  return v.isInt() ? static_cast<double>(v.toInt()) : v.toDouble();
}

/// The two numbers that a binary operator is called with.
struct Numbers {
  const EValue* a = nullptr;
  const EValue* b = nullptr;

  /// @returns false after a failure.
  bool read(Context& context, Stack stack, bool integers_only = false) {
    if (!check_stack(context, stack, 3)) {
      return false;
    }
    a = stack[0];
    b = stack[1];
    const bool good = integers_only ? a->isInt() && b->isInt() : is_number(*a) && is_number(*b);
    return good || fail_type(context, integers_only ? "two integers" : "two numbers", *a);
  }
  bool integers() const { return a->isInt() && b->isInt(); }
};

uint64_t bits(const EValue& v) { return static_cast<uint64_t>(v.toInt()); }

/// Quotient toward minus infinity; `b` is not 0.
int64_t floor_quotient(int64_t a, int64_t b) {
  if (b == -1) {
    return static_cast<int64_t>(uint64_t{0} - static_cast<uint64_t>(a));
  }
  const int64_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

/// Remainder with the divisor's sign; `b` is not 0.
int64_t floor_remainder(int64_t a, int64_t b) {
  if (b == -1) {
    return 0;
  }
  const int64_t rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

bool check_divisor(Context& context, bool is_zero) {
  return !is_zero || fail(context, Error::InvalidArgument, "division by zero");
}

/// Writes a double that has an integer's value to `result` as an integer.
void set_integer(Context& context, double value, EValue& result) {
  constexpr double kLimit = 9223372036854775808.0;
  if (!(value >= -kLimit && value < kLimit)) {
    fail(context, Error::InvalidArgument, "the double is outside of the integers");
    return;
  }
  result = EValue(static_cast<int64_t>(value));
}

template <typename Compare>
void compare(Context& context, Stack stack, Compare&& holds) {
  Numbers n;
  if (n.read(context, stack)) {
    *stack[2] = EValue(n.integers() ? holds(n.a->toInt(), n.b->toInt())
                                    : holds(as_double(*n.a), as_double(*n.b)));
  }
}

/// An operator from double to integer.
template <typename Round>
void to_integer(Context& context, Stack stack, Round&& round_to) {
  if (!check_stack(context, stack, 2)) {
    return;
  }
  if (!stack[0]->isDouble()) {
    fail_type(context, "a double", *stack[0]);
    return;
  }
  set_integer(context, round_to(stack[0]->toDouble()), *stack[1]);
}

/// Halves to even, whatever the rounding mode of the machine.
double round_half_even(double x) {
  const double below = std::floor(x);
  const double rest = x - below;
  if (rest != 0.5) {
    return rest < 0.5 ? below : below + 1;
  }
  return std::fmod(below, 2.0) == 0 ? below : below + 1;
}

/// The tensor that an operator is called with; null after a failure.
const Tensor* tensor_argument(Context& context, Stack stack, size_t size, Tensor& storage) {
  if (!check_stack(context, stack, size)) {
    return nullptr;
  }
  if (!stack[0]->isTensor()) {
    fail_type(context, "a tensor", *stack[0]);
    return nullptr;
  }
  storage = stack[0]->toTensor();
  return &storage;
}

/// Element 0 of a tensor with elements of type T, as a value of type V.
template <typename T, typename V>
EValue first(const Tensor& t) {
  return EValue(static_cast<V>(*static_cast<const T*>(t.const_data_ptr())));
}

bool read_element(const Tensor& t, EValue& result) {
  switch (t.scalar_type()) {
    case ScalarType::Byte:
      result = first<uint8_t, int64_t>(t);
      return true;
    case ScalarType::Char:
      result = first<int8_t, int64_t>(t);
      return true;
    case ScalarType::Short:
      result = first<int16_t, int64_t>(t);
      return true;
    case ScalarType::Int:
      result = first<int32_t, int64_t>(t);
      return true;
    case ScalarType::Long:
      result = first<int64_t, int64_t>(t);
      return true;
    case ScalarType::Half:
      result = first<executorch::aten::Half, float>(t);
      return true;
    case ScalarType::BFloat16:
      result = first<executorch::aten::BFloat16, float>(t);
      return true;
    case ScalarType::Float:
      result = first<float, double>(t);
      return true;
    case ScalarType::Double:
      result = first<double, double>(t);
      return true;
    case ScalarType::Bool:
      // Any nonzero byte is true; a file may hold others than 1.
      result = EValue(*static_cast<const uint8_t*>(t.const_data_ptr()) != 0);
      return true;
    default:
      return false;
  }
}

}  // namespace

void sym_size(Context& context, Stack stack) {
  executorch::aten::TensorImpl* none = nullptr;
  Tensor storage(none);
  const Tensor* t = tensor_argument(context, stack, 3, storage);
  if (t == nullptr) {
    return;
  }
  if (!stack[1]->isInt()) {
    fail_type(context, "an integer", *stack[1]);
    return;
  }
  const int64_t rank = t->dim();
  const int64_t dim = stack[1]->toInt();
  if (dim < -rank || dim >= rank) {
    fail(context, Error::InvalidArgument, "the dimension is out of range");
    return;
  }
  *stack[2] =
      EValue(static_cast<int64_t>(t->size(static_cast<ssize_t>(dim < 0 ? dim + rank : dim))));
}

void sym_numel(Context& context, Stack stack) {
  executorch::aten::TensorImpl* none = nullptr;
  Tensor storage(none);
  if (const Tensor* t = tensor_argument(context, stack, 2, storage)) {
    *stack[1] = EValue(static_cast<int64_t>(t->numel()));
  }
}

void local_scalar_dense(Context& context, Stack stack) {
  executorch::aten::TensorImpl* none = nullptr;
  Tensor storage(none);
  const Tensor* t = tensor_argument(context, stack, 2, storage);
  if (t == nullptr) {
    return;
  }
  if (t->numel() != 1 || t->const_data_ptr() == nullptr) {
    fail(context, Error::InvalidArgument, "expected a tensor with one element");
    return;
  }
  if (!read_element(*t, *stack[1])) {
    fail(context, Error::InvalidArgument, "the tensor's dtype has no scalar");
  }
}

void add(Context& context, Stack stack) {
  Numbers n;
  if (n.read(context, stack)) {
    *stack[2] = n.integers() ? EValue(static_cast<int64_t>(bits(*n.a) + bits(*n.b)))
                             : EValue(as_double(*n.a) + as_double(*n.b));
  }
}

void sub(Context& context, Stack stack) {
  Numbers n;
  if (n.read(context, stack)) {
    *stack[2] = n.integers() ? EValue(static_cast<int64_t>(bits(*n.a) - bits(*n.b)))
                             : EValue(as_double(*n.a) - as_double(*n.b));
  }
}

void mul(Context& context, Stack stack) {
  Numbers n;
  if (n.read(context, stack)) {
    *stack[2] = n.integers() ? EValue(static_cast<int64_t>(bits(*n.a) * bits(*n.b)))
                             : EValue(as_double(*n.a) * as_double(*n.b));
  }
}

void floordiv(Context& context, Stack stack) {
  Numbers n;
  if (n.read(context, stack) && check_divisor(context, as_double(*n.b) == 0)) {
    *stack[2] = n.integers() ? EValue(floor_quotient(n.a->toInt(), n.b->toInt()))
                             : EValue(std::floor(as_double(*n.a) / as_double(*n.b)));
  }
}

void truediv(Context& context, Stack stack) {
  Numbers n;
  if (n.read(context, stack) && check_divisor(context, as_double(*n.b) == 0)) {
    *stack[2] = EValue(as_double(*n.a) / as_double(*n.b));
  }
}

void mod(Context& context, Stack stack) {
  Numbers n;
  if (n.read(context, stack, true) && check_divisor(context, n.b->toInt() == 0)) {
    *stack[2] = EValue(floor_remainder(n.a->toInt(), n.b->toInt()));
  }
}

void sym_max(Context& context, Stack stack) {
  Numbers n;
  if (n.read(context, stack, true)) {
    *stack[2] = EValue(n.a->toInt() > n.b->toInt() ? n.a->toInt() : n.b->toInt());
  }
}

void sym_min(Context& context, Stack stack) {
  Numbers n;
  if (n.read(context, stack, true)) {
    *stack[2] = EValue(n.a->toInt() < n.b->toInt() ? n.a->toInt() : n.b->toInt());
  }
}

void eq(Context& context, Stack stack) {
  compare(context, stack, [](auto a, auto b) { return a == b; });
}

void gt(Context& context, Stack stack) {
  compare(context, stack, [](auto a, auto b) { return a > b; });
}

void lt(Context& context, Stack stack) {
  compare(context, stack, [](auto a, auto b) { return a < b; });
}

void ge(Context& context, Stack stack) {
  compare(context, stack, [](auto a, auto b) { return a >= b; });
}

void le(Context& context, Stack stack) {
  compare(context, stack, [](auto a, auto b) { return a <= b; });
}

void neg(Context& context, Stack stack) {
  if (!check_stack(context, stack, 2)) {
    return;
  }
  if (!is_number(*stack[0])) {
    fail_type(context, "a number", *stack[0]);
    return;
  }
  *stack[1] = stack[0]->isInt() ? EValue(static_cast<int64_t>(uint64_t{0} - bits(*stack[0])))
                                : EValue(-stack[0]->toDouble());
}

void ceil(Context& context, Stack stack) {
  to_integer(context, stack, [](double x) { return std::ceil(x); });
}

void round(Context& context, Stack stack) { to_integer(context, stack, round_half_even); }

void trunc(Context& context, Stack stack) {
  to_integer(context, stack, [](double x) { return std::trunc(x); });
}

void sym_float(Context& context, Stack stack) {
  if (!check_stack(context, stack, 2)) {
    return;
  }
  if (!is_number(*stack[0]) && !stack[0]->isBool()) {
    fail_type(context, "a number", *stack[0]);
    return;
  }
  *stack[1] = EValue(stack[0]->isBool() ? (stack[0]->toBool() ? 1.0 : 0.0) : as_double(*stack[0]));
}

void sym_int(Context& context, Stack stack) {
  if (!check_stack(context, stack, 2)) {
    return;
  }
  if (stack[0]->isInt()) {
    *stack[1] = EValue(stack[0]->toInt());
  } else if (stack[0]->isBool()) {
    *stack[1] = EValue(static_cast<int64_t>(stack[0]->toBool()));
  } else if (stack[0]->isDouble()) {
    set_integer(context, std::trunc(stack[0]->toDouble()), *stack[1]);
  } else {
    fail_type(context, "a number", *stack[0]);
  }
}

void sym_not(Context& context, Stack stack) {
  if (!check_stack(context, stack, 2)) {
    return;
  }
  if (!stack[0]->isBool()) {
    fail_type(context, "a bool", *stack[0]);
    return;
  }
  *stack[1] = EValue(!stack[0]->toBool());
}

void sym_ite(Context& context, Stack stack) {
  if (!check_stack(context, stack, 4)) {
    return;
  }
  if (!stack[0]->isBool()) {
    fail_type(context, "a bool", *stack[0]);
    return;
  }
  for (size_t i = 1; i < 3; ++i) {
    if (!stack[i]->isScalar()) {
      fail_type(context, "a scalar", *stack[i]);
      return;
    }
  }
  *stack[3] = EValue(*stack[stack[0]->toBool() ? 1 : 2]);
}

}  // namespace torch::executor::function
