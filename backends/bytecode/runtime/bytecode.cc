#include <cstring>

#include <executorch/backends/bytecode/runtime/bytecode.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace backends {
namespace bytecode {
namespace {

using runtime::Error;

constexpr char kMagic[] = {'E', 'B', 'C', '1'};
constexpr size_t kHeaderSize = sizeof(kMagic) + 6 * sizeof(uint16_t);

size_t read_u16(const uint8_t* bytes) { return bytes[0] | static_cast<size_t>(bytes[1]) << 8; }

Error damaged(const char* what) {
  ET_LOG(Error, "Bytecode blob is damaged: %s", what);
  return Error::DelegateInvalidCompatibility;
}

bool is_binary(Op op) { return op >= Op::kAdd && op <= Op::kMaximum; }

bool is_unary(Op op) { return op >= Op::kNeg && op <= Op::kErf; }

}  // namespace

Error Code::parse(const void* blob, size_t size, Code& code) {
  const uint8_t* bytes = static_cast<const uint8_t*>(blob);
  if (bytes == nullptr || size < kHeaderSize || std::memcmp(bytes, kMagic, sizeof(kMagic)) != 0) {
    ET_LOG(Error, "Blob of %zu bytes is not bytecode of version 1", size);
    return Error::DelegateInvalidCompatibility;
  }
  size_t* const counts[] = {&code.inputs_,  &code.outputs_, &code.registers_,
                            &code.numbers_, &code.data_,    &code.instructions_};
  const uint8_t* at = bytes + sizeof(kMagic);
  for (size_t* count : counts) {
    *count = read_u16(at);
    at += sizeof(uint16_t);
    if (count != &code.instructions_ && *count > kLimit) {
      return damaged("more of something than a byte can number");
    }
  }
  const uint8_t* const end = bytes + size;
  code.number_bytes_ = at;
  if (static_cast<size_t>(end - at) < code.numbers_ * sizeof(float)) {
    return damaged("it ends within the numbers");
  }
  at += code.numbers_ * sizeof(float);
  code.key_bytes_ = at;
  for (size_t i = 0; i < code.data_; ++i) {
    if (end - at < 2 || static_cast<size_t>(end - at) - 2 < read_u16(at)) {
      return damaged("it ends within the keys");
    }
    at += 2 + read_u16(at);
  }
  code.instruction_bytes_ = at;
  if (static_cast<size_t>(end - at) != code.instructions_ * sizeof(Instruction)) {
    return damaged("its length does not fit its instructions");
  }
  return code.check();
}

Error Code::check() const {
  bool written[kLimit] = {};
  bool given[kLimit] = {};
  for (size_t i = 0; i < instructions_; ++i) {
    const Instruction step = instruction(i);
    if (step.op == Op::kOutput) {
      if (step.target >= outputs_ || !written[step.first]) {
        return damaged("an output that is not there, or of a register without a value");
      }
      given[step.target] = true;
      continue;
    }
    const bool loads = step.op <= Op::kData;
    const size_t available = step.op == Op::kInput    ? inputs_
                             : step.op == Op::kNumber ? numbers_
                                                      : data_;
    if (loads ? step.first >= available
              : (!is_unary(step.op) && !is_binary(step.op)) || !written[step.first] ||
                    (is_binary(step.op) && !written[step.second])) {
      return damaged("an unknown instruction, or one that reads what is not there");
    }
    if (step.target >= registers_) {
      return damaged("a register that is not there");
    }
    written[step.target] = true;
  }
  for (size_t i = 0; i < outputs_; ++i) {
    if (!given[i]) {
      return damaged("an output without a value");
    }
  }
  return Error::Ok;
}

float Code::number(size_t index) const {
  float value;
  std::memcpy(&value, number_bytes_ + index * sizeof(value), sizeof(value));
  return value;
}

Instruction Code::instruction(size_t index) const {
  const uint8_t* bytes = instruction_bytes_ + index * sizeof(Instruction);
  return {static_cast<Op>(bytes[0]), bytes[1], bytes[2], bytes[3]};
}

std::string_view Code::data_key(size_t index) const {
  const uint8_t* at = key_bytes_;
  for (size_t i = 0; i < index; ++i) {
    at += 2 + read_u16(at);
  }
  return {reinterpret_cast<const char*>(at + 2), read_u16(at)};
}

}  // namespace bytecode
}  // namespace backends
}  // namespace executorch
