/// @file
/// The bytecode of the demo backend: what a blob looks like, and a view of one that has been
/// checked. `instructions.py` writes what this reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/span.h>

namespace executorch {
namespace backends {
namespace bytecode {

/// Most registers, inputs, outputs, numbers and named tensors: one byte numbers them.
constexpr size_t kLimit = 256;

/// What an instruction does; the numbers are part of the format.
enum class Op : uint8_t {
  kInput = 0,
  kNumber = 1,
  kData = 2,
  kOutput = 3,
  kAdd = 16,
  kSub = 17,
  kMul = 18,
  kDiv = 19,
  kMinimum = 20,
  kMaximum = 21,
  kNeg = 32,
  kAbs = 33,
  kExp = 34,
  kLog = 35,
  kSqrt = 36,
  kRsqrt = 37,
  kReciprocal = 38,
  kSigmoid = 39,
  kTanh = 40,
  kSin = 41,
  kCos = 42,
  kErf = 43,
};

/// One step. `target` is a register, or an output for kOutput; `first` is an input, a number or a
/// named tensor for kInput, kNumber and kData, and a register otherwise.
struct Instruction {
  Op op;
  uint8_t target;
  uint8_t first;
  uint8_t second;
};

/// A checked blob: every index of every instruction is in range, no register is read before it is
/// written, and every output is written. Refers to the blob.
class Code {
 public:
  /// Reads and checks a blob, which may hold anything.
  ///
  /// @retval Error::DelegateInvalidCompatibility The blob is not bytecode of this version, or
  /// damaged.
  static runtime::Error parse(const void* blob, size_t size, Code& code);

  size_t num_inputs() const { return inputs_; }
  size_t num_outputs() const { return outputs_; }
  size_t num_registers() const { return registers_; }
  size_t num_instructions() const { return instructions_; }
  size_t num_data() const { return data_; }

  float number(size_t index) const;
  Instruction instruction(size_t index) const;
  /// The key of a named tensor, in the named data of the program.
  std::string_view data_key(size_t index) const;

 private:
  runtime::Error check() const;

  size_t inputs_ = 0;
  size_t outputs_ = 0;
  size_t registers_ = 0;
  size_t numbers_ = 0;
  size_t data_ = 0;
  size_t instructions_ = 0;
  const uint8_t* number_bytes_ = nullptr;
  const uint8_t* key_bytes_ = nullptr;
  const uint8_t* instruction_bytes_ = nullptr;
};

}  // namespace bytecode
}  // namespace backends
}  // namespace executorch
