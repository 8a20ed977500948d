/**
 * @file
 * What a `ProgramBuilder` has been told, for its two halves: one takes it, the other writes it.
 */
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <executorch/runtime/executor/testing/program_builder.h>
#include <executorch/schema/program_generated.h>

namespace executorch {
namespace runtime {
namespace testing {

// Tables can only be written once their parts are, so everything is kept as a function until then.
using WriteValue = std::function<flatbuffers::Offset<executorch_flatbuffer::EValue>(
    flatbuffers::FlatBufferBuilder&)>;
using WriteInstruction = std::function<flatbuffers::Offset<executorch_flatbuffer::Instruction>(
    flatbuffers::FlatBufferBuilder&)>;

/// A delegate of a method.
struct Delegate {
  std::string id;
  bool inline_data;
  uint32_t index;
  std::vector<std::pair<std::string, std::string>> compile_specs;
};

/// What one method has.
struct ProgramBuilder::Method {
  std::string name;
  std::string output_encoding;
  std::vector<WriteValue> values;
  std::vector<int32_t> inputs;
  std::vector<int32_t> outputs;
  std::vector<std::pair<std::string, std::string>> operators;
  std::vector<Delegate> delegates;
  std::vector<std::vector<WriteInstruction>> chains{1};
  std::vector<int64_t> planned_buffers{0};
  struct BufferDevice {
    int32_t memory_id;
    int8_t type;
    int8_t index;
  };
  std::vector<BufferDevice> buffer_devices;
};

/// What the program has.
struct ProgramBuilder::State {
  uint32_t version = 0;
  std::vector<Method> methods;
  // Segment 0 holds constants and segment 1 mutable data; others follow.
  std::vector<std::vector<uint8_t>> segments{2};
  std::vector<uint64_t> constant_offsets{0};
  std::vector<uint64_t> mutable_offsets{0};
  std::vector<std::vector<uint8_t>> inline_delegate_data;
  std::vector<std::vector<uint8_t>> inline_constants;
  std::vector<std::pair<std::string, uint32_t>> named_data;
};

/// The next multiple of `alignment`, in bytes.
inline size_t align_up(size_t size, size_t alignment) {
  return (size + alignment - 1) / alignment * alignment;
}

}  // namespace testing
}  // namespace runtime
}  // namespace executorch
