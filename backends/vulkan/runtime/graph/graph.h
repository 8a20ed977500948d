#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace executorch {
namespace backends {
namespace vulkan {

/// Types of elements on the program's side; numbered as in the schema.
enum class DType : int8_t {
  Bool = 0,
  UInt8 = 1,
  Int8 = 2,
  Int32 = 3,
  Half = 4,
  Float = 5,
  Double = 6,
  Int64 = 7,
};

/// Types of elements in the device's memory: integers and truth values have 32 bits, so that a
/// device needs no more than it must have. Bytes are int8, four in a word, for operators that say
/// so.
enum class Element { Float, Half, Int, Byte };

size_t size_of(DType type);
size_t size_of(Element element);
const char* name_of(Element element);

/// A tensor of a graph. Elements lie in row-major order without gaps.
struct GraphTensor {
  DType dtype = DType::Float;
  /// Of inputs, outputs and constants, on the program's side.
  DType staging = DType::Float;
  /// What memory is made for.
  std::vector<int64_t> bounds;
  /// In the execution at hand.
  std::vector<int64_t> sizes;
  /// Number of a constant, or negative.
  int32_t constant = -1;
  /// Number of the memory that it shares, or negative.
  int32_t memory = -1;

  Element element() const;
  size_t rank() const { return sizes.size(); }
  int64_t numel() const;
  int64_t most_elements() const;
  /// Of memory for `most_elements`.
  size_t most_bytes() const { return static_cast<size_t>(most_elements()) * size_of(element()); }
};

enum class ValueKind {
  None,
  Int,
  Double,
  Bool,
  Tensor,
  Ints,
  Doubles,
  Bools,
  Values,
  Text,
  SymInt
};

/// What a call works on.
struct Value {
  ValueKind kind = ValueKind::None;
  /// Of Int, Bool and SymInt.
  int64_t integer = 0;
  double number = 0;
  /// Of Ints and Bools; of Values, which are numbers of values.
  std::vector<int64_t> integers;
  std::vector<double> numbers;
  std::string text;
  GraphTensor tensor;
};

/// A call of an operator: numbers of values, outputs last.
struct OperatorCall {
  std::string name;
  uint32_t debug_handle = 0;
  std::vector<uint32_t> arguments;
};

/// Bytes of a constant, kept by who read the graph.
struct ConstantBytes {
  const void* data = nullptr;
  size_t size = 0;
};

/// What a delegate calculates. Whoever made one from bytes has checked that numbers of values and
/// constants exist, that lists of values have tensors, numbers and nothing else, and that sizes
/// can be multiplied without overflow.
struct Graph {
  std::vector<Value> values;
  std::vector<OperatorCall> calls;
  std::vector<uint32_t> inputs;
  std::vector<uint32_t> outputs;
  std::vector<ConstantBytes> constants;
  size_t num_memories = 0;
};

}  // namespace vulkan
}  // namespace backends
}  // namespace executorch
