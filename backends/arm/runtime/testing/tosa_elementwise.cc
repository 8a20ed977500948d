// What works element by element: sums, products, shifts, comparisons, tables, changes of scale.

#include <cstring>

#include <executorch/backends/arm/runtime/testing/tosa_call.h>

namespace executorch {
namespace backends {
namespace arm {
namespace tosa_test {

using runtime::Error;

namespace {

// Where an element of the output finds its operand: dimensions of size one are the same for all.
size_t operand_index(const Value& operand, const Value& output, size_t index) {
  size_t found = 0;
  size_t stride = 1;
  for (size_t i = output.rank; i > 0; --i) {
    const auto size = static_cast<size_t>(output.sizes[i - 1]);
    const auto own = static_cast<size_t>(operand.sizes[i - 1]);
    found += own == 1 ? 0 : index % size * stride;
    stride *= own;
    index /= size;
  }
  return found;
}

int64_t operand(const Call& call, size_t which, size_t index) {
  const Value& value = call.inputs[which];
  return load(value, value.elements == call.output.elements
                         ? index
                         : operand_index(value, call.output, index));
}

template <typename Function>
Error unary(const Call& call, Function function) {
  for (size_t i = 0; i < call.output.elements; ++i) {
    store(call.output, i, function(load(call.inputs[0], i)));
  }
  return Error::Ok;
}

// Of two operands; `kFunction` has no state, so that it may stand in a table.
template <int64_t (*kFunction)(int64_t, int64_t)>
Error binary(const Call& call) {
  for (size_t i = 0; i < call.output.elements; ++i) {
    store(call.output, i, kFunction(operand(call, 0, i), operand(call, 1, i)));
  }
  return Error::Ok;
}

int64_t add(int64_t a, int64_t b) { return a + b; }
int64_t sub(int64_t a, int64_t b) { return a - b; }
int64_t maximum(int64_t a, int64_t b) { return a > b ? a : b; }
int64_t minimum(int64_t a, int64_t b) { return a < b ? a : b; }
int64_t bits_and(int64_t a, int64_t b) { return a & b; }
int64_t bits_or(int64_t a, int64_t b) { return a | b; }
int64_t bits_xor(int64_t a, int64_t b) { return a ^ b; }
int64_t equal(int64_t a, int64_t b) { return a == b ? 1 : 0; }
int64_t greater(int64_t a, int64_t b) { return a > b ? 1 : 0; }
int64_t greater_equal(int64_t a, int64_t b) { return a >= b ? 1 : 0; }
int64_t divide(int64_t a, int64_t b) { return b == 0 ? 0 : a / b; }
int64_t shift_left(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) << (b & 63));
}

Error mul(const Call& call) {
  const int64_t shift = only(call.inputs[2]);
  for (size_t i = 0; i < call.output.elements; ++i) {
    const int64_t a = operand(call, 0, i);
    const int64_t b = operand(call, 1, i);
    store(call.output, i, shift > 0 ? scaled(a, b, shift) : a * b);
  }
  return Error::Ok;
}

Error shift_right(const Call& call) {
  const bool rounds = call.op->attribute_as_ArithmeticRightShiftAttribute()->round();
  for (size_t i = 0; i < call.output.elements; ++i) {
    const int64_t a = operand(call, 0, i);
    const int64_t b = operand(call, 1, i);
    const int64_t up = rounds && b > 0 ? (a >> (b - 1)) & 1 : 0;
    store(call.output, i, (a >> b) + up);
  }
  return Error::Ok;
}

Error logical_shift_right(const Call& call) {
  const int bits = static_cast<int>(8 * element_size(call.output.type));
  const uint64_t mask = (uint64_t{1} << bits) - 1;
  for (size_t i = 0; i < call.output.elements; ++i) {
    const uint64_t a = static_cast<uint64_t>(operand(call, 0, i)) & mask;
    store(call.output, i, static_cast<int64_t>(a >> operand(call, 1, i)));
  }
  return Error::Ok;
}

Error absolute(const Call& call) {
  return unary(call, [](int64_t a) { return a < 0 ? -a : a; });
}

Error bits_not(const Call& call) {
  return unary(call, [](int64_t a) { return ~a; });
}

Error logical_not(const Call& call) {
  return unary(call, [](int64_t a) { return int64_t{a == 0}; });
}

Error clz(const Call& call) {
  return unary(call, [](int64_t a) {
    int64_t count = 0;
    for (uint32_t bit = uint32_t{1} << 31; bit != 0 && (static_cast<uint32_t>(a) & bit) == 0;
         bit >>= 1) {
      ++count;
    }
    return count;
  });
}

Error negate(const Call& call) {
  const int64_t zero = only(call.inputs[1]);
  const int64_t zero_out = only(call.inputs[2]);
  const Type type = call.output.type;
  return unary(call, [&](int64_t a) {
    return clamped(-(a - zero) + zero_out, lowest(type), highest(type));
  });
}

Error cast(const Call& call) {
  return unary(call, [](int64_t a) { return a; });
}

// A limit as the file has it: the bytes of one element.
int64_t limit(const flatbuffers::Vector<uint8_t>& bytes, Type type) {
  uint8_t copy[sizeof(int64_t)] = {};
  std::memcpy(copy, bytes.data(), bytes.size() < sizeof(copy) ? bytes.size() : sizeof(copy));
  Value value;
  value.type = type;
  value.data = copy;
  return load(value, 0);
}

Error clamp(const Call& call) {
  const auto& a = *call.op->attribute_as_ClampAttribute();
  const int64_t low = limit(*a.min_val(), call.output.type);
  const int64_t high = limit(*a.max_val(), call.output.type);
  return unary(call, [&](int64_t x) { return clamped(x, low, high); });
}

Error table(const Call& call) {
  const Value& entries = call.inputs[1];
  if (call.inputs[0].type == Type::kInt8) {
    return unary(call, [&](int64_t a) { return load(entries, static_cast<size_t>(a + 128)); });
  }
  // 513 entries, between which lie 128 values each.
  return unary(call, [&](int64_t a) {
    const auto at = static_cast<size_t>((a + 32768) >> 7);
    const int64_t base = load(entries, at);
    return base * 128 + (load(entries, at + 1) - base) * (a & 127);
  });
}

Error select(const Call& call) {
  for (size_t i = 0; i < call.output.elements; ++i) {
    store(call.output, i, operand(call, operand(call, 0, i) != 0 ? 1 : 2, i));
  }
  return Error::Ok;
}

Error rescale(const Call& call) {
  const auto& a = *call.op->attribute_as_RescaleAttribute();
  if (a.input_unsigned() || a.output_unsigned()) {
    return Error::NotSupported;
  }
  const Value& in = call.inputs[0];
  const auto channels = static_cast<size_t>(in.rank == 0 ? 1 : in.sizes[in.rank - 1]);
  const bool rounds_twice = a.rounding_mode() == tosa::RoundingMode_DOUBLE_ROUND;
  const int64_t zero = only(call.inputs[3]);
  const int64_t zero_out = only(call.inputs[4]);
  const Type type = call.output.type;
  for (size_t i = 0; i < call.output.elements; ++i) {
    const size_t channel = a.per_channel() ? i % channels : 0;
    const int64_t made = scaled(load(in, i) - zero, load(call.inputs[1], channel),
                                load(call.inputs[2], channel), rounds_twice);
    store(call.output, i, clamped(made + zero_out, lowest(type), highest(type)));
  }
  return Error::Ok;
}

struct Row {
  tosa::Op op;
  Operator function;
};

constexpr Row kRows[] = {
    {tosa::Op_ABS, absolute},
    {tosa::Op_ADD, binary<add>},
    {tosa::Op_ARITHMETIC_RIGHT_SHIFT, shift_right},
    {tosa::Op_BITWISE_AND, binary<bits_and>},
    {tosa::Op_BITWISE_NOT, bits_not},
    {tosa::Op_BITWISE_OR, binary<bits_or>},
    {tosa::Op_BITWISE_XOR, binary<bits_xor>},
    {tosa::Op_CAST, cast},
    {tosa::Op_CLAMP, clamp},
    {tosa::Op_CLZ, clz},
    {tosa::Op_EQUAL, binary<equal>},
    {tosa::Op_GREATER, binary<greater>},
    {tosa::Op_GREATER_EQUAL, binary<greater_equal>},
    {tosa::Op_INTDIV, binary<divide>},
    {tosa::Op_LOGICAL_AND, binary<bits_and>},
    {tosa::Op_LOGICAL_LEFT_SHIFT, binary<shift_left>},
    {tosa::Op_LOGICAL_NOT, logical_not},
    {tosa::Op_LOGICAL_OR, binary<bits_or>},
    {tosa::Op_LOGICAL_RIGHT_SHIFT, logical_shift_right},
    {tosa::Op_LOGICAL_XOR, binary<bits_xor>},
    {tosa::Op_MAXIMUM, binary<maximum>},
    {tosa::Op_MINIMUM, binary<minimum>},
    {tosa::Op_MUL, mul},
    {tosa::Op_NEGATE, negate},
    {tosa::Op_RESCALE, rescale},
    {tosa::Op_SELECT, select},
    {tosa::Op_SUB, binary<sub>},
    {tosa::Op_TABLE, table},
};

}  // namespace

Operator find_elementwise(tosa::Op op) {
  for (const Row& row : kRows) {
    if (row.op == op) {
      return row.function;
    }
  }
  return nullptr;
}

}  // namespace tosa_test
}  // namespace arm
}  // namespace backends
}  // namespace executorch
