#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <executorch/backends/vulkan/runtime/graph/device.h>
#include <executorch/backends/vulkan/runtime/graph/graph.h>

namespace executorch {
namespace backends {
namespace vulkan {

/// How the bytes of a constant come to lie in the device's memory.
enum class Packing {
  /// Elements in their order, of the tensor's type.
  Plain,
  /// A matrix, columns first.
  Transposed,
  /// Four of the first dimension as neighbours, the last of them filled up with zeros.
  Blocks,
  /// The second dimension last.
  Deep,
  /// Bytes as they are.
  Words,
};

/// The device's memory for the tensors of one graph.
class Memory {
 public:
  virtual ~Memory() = default;

  /// Null where the value is no tensor, or there is no memory for it; the log says why.
  virtual Buffer* buffer(uint32_t value, Packing packing) = 0;

  /// Where shaders read an integer that each run may give anew, up to `most`; null if it has to be
  /// recorded.
  virtual Buffer* live(uint32_t value, int64_t most) = 0;

  /// An integer was recorded; with another one everything is recorded anew.
  virtual void fix(uint32_t value) = 0;
};

/// A number that is recorded, or that shaders read from memory.
struct Live {
  int64_t fixed = 0;
  /// Null for what is recorded.
  Buffer* buffer = nullptr;
};

/// A call while it is recorded: its arguments, and the dispatches that it is made of.
///
/// What an operator asks for and does not find makes the call fail: it is given something harmless
/// (an empty tensor, a zero), what it dispatches from then on is not recorded, and `error()` says
/// so. Operators that depend on a fact check it with `expect`.
class Call {
 public:
  Call(Graph& graph, const OperatorCall& call, Memory& memory, Stream& stream,
       const Device& device);

  size_t num_arguments() const { return call_.arguments.size(); }
  bool is_none(size_t i) const;
  bool is_tensor(size_t i) const;

  const GraphTensor& tensor(size_t i);
  /// Of an output, as the first of a list if it is one of several.
  const GraphTensor& output(size_t i, size_t nth = 0);
  /// Whether a list has a tensor at a place: an output that somebody reads, indices of a dimension.
  bool has_tensor(size_t i, size_t nth);
  /// Whether a call or the caller reads this output of several.
  bool is_read(size_t i, size_t nth);

  /// Int, SymInt, Bool, and Double where it is whole.
  int64_t integer(size_t i);
  int64_t integer_or(size_t i, int64_t otherwise) { return is_none(i) ? otherwise : integer(i); }
  double number(size_t i);
  double number_or(size_t i, double otherwise) { return is_none(i) ? otherwise : number(i); }
  std::vector<int64_t> integers(size_t i);
  std::vector<double> numbers(size_t i);
  std::string text(size_t i);
  /// Numbers of the tensors of a list.
  std::vector<uint32_t> list(size_t i);
  const GraphTensor& value_tensor(uint32_t value) { return tensor_of(value); }
  void set_integer(size_t i, int64_t value);
  /// A position from 0 to `most`, which need not be recorded.
  Live live(size_t i, int64_t most);
  /// Whether two arguments are one value.
  bool is_same(size_t i, size_t j) const;

  /// Gives an output its sizes.
  void resize(size_t i, const std::vector<int64_t>& sizes, size_t nth = 0);

  /// Whether a fact holds that the call stands on.
  bool expect(bool fact, const char* what);
  bool ok() const { return error_ == runtime::Error::Ok; }
  runtime::Error error() const { return error_; }

  /// Says that the operator reads and writes words of int8; for others such tensors are refused.
  void take_bytes() { takes_bytes_ = true; }

  Buffer* in(size_t i, Packing packing = Packing::Plain);
  Buffer* in_list(uint32_t value) { return memory_of(value, Packing::Plain); }
  Buffer* out(size_t i, size_t nth = 0);
  bool is_alias(size_t input, size_t output);
  bool is_constant(size_t i);

  /// How shaders that include glsl/dot.glsl end on this device.
  const char* dot_suffix() const { return device_.has_dot() ? "_dot" : ""; }
  bool has_fast_dot() const { return device_.has_fast_dot(); }

  /// One invocation for each of `count`.
  void dispatch_elements(const std::string& shader, Buffers buffers, Parameters parameters,
                         int64_t count, std::vector<uint32_t> constants = {});
  /// Invocations for `count` places in each of `rows` and `planes`; groups lie within a row, and
  /// are smaller where a row is.
  void dispatch_grid(const std::string& shader, Buffers buffers, Parameters parameters,
                     int64_t count, int64_t rows, int64_t planes,
                     std::vector<uint32_t> constants = {});
  /// Invocations that share a line each, as many as its length is worth.
  void dispatch_lines(const std::string& shader, Buffers buffers, Parameters parameters,
                      int64_t lines, int64_t length, std::vector<uint32_t> constants = {});
  /// How many buffers of the dispatches to come are written.
  void set_num_written(size_t count) { num_written_ = count; }

 private:
  Value& argument(size_t i);
  int64_t integer_of(uint32_t value, const char* otherwise);
  uint32_t output_id(size_t i, size_t nth);
  const GraphTensor& tensor_of(uint32_t value);
  Buffer* found(Buffer* buffer);
  Buffer* memory_of(uint32_t value, Packing packing);
  void dispatch(Dispatch made);

  Graph& graph_;
  const OperatorCall& call_;
  Memory& memory_;
  Stream& stream_;
  const Device& device_;
  size_t num_written_ = 1;
  bool takes_bytes_ = false;
  runtime::Error error_ = runtime::Error::Ok;
};

/// The shader of a tensor's type: "unary" -> "unary_float".
std::string shader_for(const char* name, const GraphTensor& tensor);

}  // namespace vulkan
}  // namespace backends
}  // namespace executorch
