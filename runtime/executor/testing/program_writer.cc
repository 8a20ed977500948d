#include <algorithm>
#include <cstring>

#include <executorch/runtime/executor/testing/program_builder_state.h>

namespace executorch {
namespace runtime {
namespace testing {

namespace fb = executorch_flatbuffer;
using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

namespace {

constexpr size_t kSegmentAlignment = 128;
constexpr size_t kHeaderSize = 32;

template <typename T>
void write(uint8_t* to, T value) {
  std::memcpy(to, &value, sizeof(value));
}

template <typename Delegates>
auto write_delegates(FlatBufferBuilder& builder, const Delegates& delegates) {
  std::vector<Offset<fb::BackendDelegate>> offsets;
  for (const Delegate& delegate : delegates) {
    std::vector<Offset<fb::CompileSpec>> specs;
    for (const auto& [key, value] : delegate.compile_specs) {
      const auto key_offset = builder.CreateString(key);
      specs.push_back(fb::CreateCompileSpec(
          builder, key_offset,
          builder.CreateVector(reinterpret_cast<const uint8_t*>(value.data()), value.size())));
    }
    const auto reference = fb::CreateBackendDelegateDataReference(
        builder, delegate.inline_data ? fb::DataLocation::INLINE : fb::DataLocation::SEGMENT,
        delegate.index);
    const auto id = builder.CreateString(delegate.id);
    offsets.push_back(
        fb::CreateBackendDelegate(builder, id, reference, builder.CreateVector(specs)));
  }
  return builder.CreateVector(offsets);
}

template <typename Method>
Offset<fb::ExecutionPlan> write_method(FlatBufferBuilder& builder, const Method& method) {
  std::vector<Offset<fb::EValue>> values;
  for (const WriteValue& value : method.values) {
    values.push_back(value(builder));
  }
  std::vector<Offset<fb::Operator>> operators;
  for (const auto& [name, overload] : method.operators) {
    const auto name_offset = builder.CreateString(name);
    operators.push_back(fb::CreateOperator(builder, name_offset, builder.CreateString(overload)));
  }
  std::vector<Offset<fb::Chain>> chains;
  for (const auto& chain : method.chains) {
    std::vector<Offset<fb::Instruction>> instructions;
    for (const WriteInstruction& instruction : chain) {
      instructions.push_back(instruction(builder));
    }
    chains.push_back(fb::CreateChain(builder, 0, 0, builder.CreateVector(instructions)));
  }
  Offset<fb::ContainerMetadata> container;
  if (!method.output_encoding.empty()) {
    container = fb::CreateContainerMetadata(builder, builder.CreateString("in"),
                                            builder.CreateString(method.output_encoding));
  }
  const auto name = builder.CreateString(method.name);
  const auto values_vector = builder.CreateVector(values);
  const auto inputs = builder.CreateVector(method.inputs);
  const auto outputs = builder.CreateVector(method.outputs);
  const auto chains_vector = builder.CreateVector(chains);
  const auto operators_vector = builder.CreateVector(operators);
  const auto delegates = write_delegates(builder, method.delegates);
  const auto planned_buffers = builder.CreateVector(method.planned_buffers);
  std::vector<Offset<fb::NonConstBufferDevice>> buffer_devices;
  for (const auto& device : method.buffer_devices) {
    buffer_devices.push_back(fb::CreateNonConstBufferDevice(
        builder, device.memory_id, static_cast<fb::DeviceType>(device.type), device.index));
  }
  const auto devices = builder.CreateVector(buffer_devices);
  return fb::CreateExecutionPlan(builder, name, container, values_vector, inputs, outputs,
                                 chains_vector, operators_vector, delegates, planned_buffers,
                                 devices);
}

// The bytes of the segments, each at its alignment, and where they ended up.
std::vector<uint8_t> join_segments(const std::vector<std::vector<uint8_t>>& segments,
                                   std::vector<uint64_t>* offsets) {
  std::vector<uint8_t> data;
  for (const std::vector<uint8_t>& segment : segments) {
    data.resize(align_up(data.size(), kSegmentAlignment));
    offsets->push_back(data.size());
    data.insert(data.end(), segment.begin(), segment.end());
  }
  return data;
}

// Puts the extended header behind the identifier and the segments behind the program.
PteFile with_segments(const uint8_t* program, size_t size, const std::vector<uint8_t>& segments) {
  const size_t program_size = size + kHeaderSize;
  const size_t base = align_up(program_size, kSegmentAlignment);
  PteFile file(base + segments.size());
  uint8_t* out = file.data();
  std::memcpy(out, program, 8);
  std::memcpy(out + 8 + kHeaderSize, program + 8, size - 8);
  uint32_t root = 0;
  std::memcpy(&root, program, sizeof(root));
  write<uint32_t>(out, root + kHeaderSize);
  std::memcpy(out + 8, "eh00", 4);
  write<uint32_t>(out + 12, kHeaderSize);
  write<uint64_t>(out + 16, program_size);
  write<uint64_t>(out + 24, base);
  write<uint64_t>(out + 32, segments.size());
  std::memcpy(out + base, segments.data(), segments.size());
  return file;
}

}  // namespace

PteFile ProgramBuilder::build() const {
  method();
  FlatBufferBuilder builder;
  builder.ForceDefaults(true);

  std::vector<uint64_t> segment_offsets;
  const std::vector<uint8_t> segment_data = join_segments(state_->segments, &segment_offsets);
  std::vector<Offset<fb::DataSegment>> segments;
  for (size_t i = 0; i < segment_offsets.size(); ++i) {
    segments.push_back(
        fb::CreateDataSegment(builder, segment_offsets[i], state_->segments[i].size()));
  }
  std::vector<Offset<fb::ExecutionPlan>> plans;
  for (const Method& method : state_->methods) {
    plans.push_back(write_method(builder, method));
  }
  std::vector<Offset<fb::Buffer>> constants;
  for (const auto& data : state_->inline_constants) {
    constants.push_back(fb::CreateBuffer(builder, builder.CreateVector(data)));
  }
  std::vector<Offset<fb::BackendDelegateInlineData>> delegate_data;
  for (const auto& data : state_->inline_delegate_data) {
    delegate_data.push_back(
        fb::CreateBackendDelegateInlineData(builder, builder.CreateVector(data)));
  }
  std::vector<Offset<fb::NamedData>> named_data;
  for (const auto& [key, index] : state_->named_data) {
    named_data.push_back(fb::CreateNamedData(builder, builder.CreateString(key), index));
  }
  const auto constant_segment =
      fb::CreateSubsegmentOffsets(builder, 0, builder.CreateVector(state_->constant_offsets));
  std::vector<Offset<fb::SubsegmentOffsets>> mutable_segments;
  if (state_->mutable_offsets.size() > 1) {
    mutable_segments.push_back(
        fb::CreateSubsegmentOffsets(builder, 1, builder.CreateVector(state_->mutable_offsets)));
  }
  const auto plans_vector = builder.CreateVector(plans);
  const auto constants_vector = builder.CreateVector(constants);
  const auto delegate_data_vector = builder.CreateVector(delegate_data);
  const auto segments_vector = builder.CreateVector(segments);
  const auto mutable_vector = builder.CreateVector(mutable_segments);
  const auto named_data_vector = builder.CreateVector(named_data);
  fb::FinishProgramBuffer(
      builder, fb::CreateProgram(builder, state_->version, plans_vector, constants_vector,
                                 delegate_data_vector, segments_vector, constant_segment,
                                 mutable_vector, named_data_vector));
  if (segment_data.empty()) {
    // Small programs may be shorter than what every reader wants to see of a file.
    PteFile file(std::max<size_t>(builder.GetSize(), 64));
    std::memcpy(file.data(), builder.GetBufferPointer(), builder.GetSize());
    return file;
  }
  return with_segments(builder.GetBufferPointer(), builder.GetSize(), segment_data);
}

}  // namespace testing
}  // namespace runtime
}  // namespace executorch
