#include <algorithm>
#include <cstring>
#include <functional>
#include <utility>

#include <executorch/runtime/core/exec_aten/util/scalar_type_basics.h>
#include <executorch/runtime/executor/testing/program_builder.h>
#include <executorch/schema/program_generated.h>

namespace executorch {
namespace runtime {
namespace testing {

namespace fb = executorch_flatbuffer;
using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

namespace {

constexpr size_t kAlignment = 16;
constexpr size_t kSegmentAlignment = 128;
constexpr size_t kHeaderSize = 32;

size_t align_up(size_t size, size_t alignment) {
  return (size + alignment - 1) / alignment * alignment;
}

template <typename T>
void write(uint8_t* to, T value) {
  std::memcpy(to, &value, sizeof(value));
}

/// Numbers that are no type, which some tests want, count like a float.
size_t element_size(int8_t scalar_type) {
  const auto type = static_cast<etensor::ScalarType>(scalar_type);
  return isValid(type) ? elementSize(type) : sizeof(float);
}

// Tables can only be written once their parts are, so everything is kept as a function until then.
using WriteValue = std::function<Offset<fb::EValue>(FlatBufferBuilder&)>;
using WriteInstruction = std::function<Offset<fb::Instruction>(FlatBufferBuilder&)>;

struct Delegate {
  std::string id;
  bool inline_data;
  uint32_t index;
  std::vector<std::pair<std::string, std::string>> compile_specs;
};

// Appends `data` to a segment, aligned, and returns its offset.
uint64_t append(std::vector<uint8_t>* segment, const std::vector<uint8_t>& data) {
  segment->resize(align_up(segment->size(), kAlignment));
  const uint64_t offset = segment->size();
  segment->insert(segment->end(), data.begin(), data.end());
  return offset;
}

}  // namespace

PteFile::PteFile(size_t size) : memory_(new uint8_t[size + kAlignment]()), size_(size) {
  const auto address = reinterpret_cast<uintptr_t>(memory_.get());
  data_ = memory_.get() + (align_up(address, kAlignment) - address);
}

PteFile::PteFile(const uint8_t* data, size_t size) : PteFile(size) {
  std::memcpy(data_, data, size);
}

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

ProgramBuilder::ProgramBuilder() : state_(new State) {}
ProgramBuilder::~ProgramBuilder() = default;
ProgramBuilder::ProgramBuilder(ProgramBuilder&& other) noexcept = default;

ProgramBuilder::Method& ProgramBuilder::method() const {
  if (state_->methods.empty()) {
    state_->methods.emplace_back().name = "forward";
  }
  return state_->methods.back();
}

void ProgramBuilder::begin_method(const std::string& name) {
  state_->methods.emplace_back().name = name;
}

namespace {

template <typename Table>
Offset<fb::EValue> write_value(FlatBufferBuilder& builder, Offset<Table> table) {
  return fb::CreateEValue(builder, fb::KernelTypesTraits<Table>::enum_value, table.Union());
}

int push(std::vector<WriteValue>* values, WriteValue value) {
  values->push_back(std::move(value));
  return static_cast<int>(values->size()) - 1;
}

Offset<fb::EValue> write_tensor(FlatBufferBuilder& builder, const TensorOptions& options) {
  std::vector<uint8_t> dim_order;
  for (size_t i = 0; i < options.sizes.size(); ++i) {
    dim_order.push_back(static_cast<uint8_t>(i));
  }
  dim_order = options.dim_order.value_or(dim_order);
  Offset<fb::AllocationDetails> place;
  if (options.memory_id != 0) {
    place = fb::CreateAllocationDetails(builder, options.memory_id,
                                        static_cast<uint32_t>(options.memory_offset),
                                        static_cast<uint32_t>(options.memory_offset >> 32));
  }
  Offset<fb::ExtraTensorInfo> extra;
  if (!options.name.empty() || options.external || options.device_type != 0) {
    const auto name = builder.CreateString(options.name);
    extra = fb::CreateExtraTensorInfo(
        builder, 0, name,
        options.external ? fb::TensorDataLocation::EXTERNAL : fb::TensorDataLocation::SEGMENT,
        static_cast<fb::DeviceType>(options.device_type));
  }
  Offset<flatbuffers::Vector<int32_t>> sizes;
  if (!options.omit_sizes) {
    sizes = builder.CreateVector(options.sizes);
  }
  const auto dim_order_vector = builder.CreateVector(dim_order);
  return write_value(
      builder,
      fb::CreateTensor(builder, static_cast<fb::ScalarType>(options.scalar_type),
                       options.storage_offset, sizes, dim_order_vector, /*requires_grad=*/false,
                       options.data_buffer_idx, place, options.layout,
                       static_cast<fb::TensorShapeDynamism>(options.shape_dynamism), extra));
}

}  // namespace

int ProgramBuilder::add_none() {
  return push(&method().values, [](auto& b) { return write_value(b, fb::CreateNull(b)); });
}

int ProgramBuilder::add_int(int64_t value) {
  return push(&method().values,
              [value](auto& b) { return write_value(b, fb::CreateInt(b, value)); });
}

int ProgramBuilder::add_bool(bool value) {
  return push(&method().values,
              [value](auto& b) { return write_value(b, fb::CreateBool(b, value)); });
}

int ProgramBuilder::add_double(double value) {
  return push(&method().values,
              [value](auto& b) { return write_value(b, fb::CreateDouble(b, value)); });
}

int ProgramBuilder::add_string(const std::string& value) {
  return push(&method().values, [value](auto& b) {
    return write_value(b, fb::CreateString(b, b.CreateString(value)));
  });
}

int ProgramBuilder::add_tensor(const TensorOptions& options) {
  return push(&method().values, [options](auto& b) { return write_tensor(b, options); });
}

int ProgramBuilder::add_planned_tensor(const std::vector<int32_t>& sizes, int8_t scalar_type,
                                       int8_t shape_dynamism) {
  std::vector<int64_t>& buffers = method().planned_buffers;
  buffers.resize(std::max<size_t>(buffers.size(), 2));
  TensorOptions options;
  options.sizes = sizes;
  options.scalar_type = scalar_type;
  options.shape_dynamism = shape_dynamism;
  options.memory_id = 1;
  options.memory_offset = align_up(static_cast<size_t>(buffers[1]), kAlignment);
  size_t nbytes = element_size(scalar_type);
  for (const int32_t size : sizes) {
    nbytes *= static_cast<size_t>(size);
  }
  buffers[1] = static_cast<int64_t>(options.memory_offset + nbytes);
  return add_tensor(options);
}

int ProgramBuilder::add_constant_tensor(const std::vector<float>& values) {
  TensorOptions options;
  options.sizes = {static_cast<int32_t>(values.size())};
  const auto* bytes = reinterpret_cast<const uint8_t*>(values.data());
  options.data_buffer_idx =
      add_constant_data(std::vector<uint8_t>(bytes, bytes + values.size() * sizeof(float)));
  return add_tensor(options);
}

int ProgramBuilder::add_int_list(const std::vector<int64_t>& value_indices) {
  return push(&method().values, [value_indices](auto& b) {
    return write_value(b, fb::CreateIntList(b, b.CreateVector(value_indices)));
  });
}

int ProgramBuilder::add_double_list(const std::vector<double>& values) {
  return push(&method().values, [values](auto& b) {
    return write_value(b, fb::CreateDoubleList(b, b.CreateVector(values)));
  });
}

int ProgramBuilder::add_bool_list(const std::vector<uint8_t>& values) {
  return push(&method().values, [values](auto& b) {
    return write_value(b, fb::CreateBoolList(b, b.CreateVector(values)));
  });
}

int ProgramBuilder::add_tensor_list(const std::vector<int32_t>& value_indices) {
  return push(&method().values, [value_indices](auto& b) {
    return write_value(b, fb::CreateTensorList(b, b.CreateVector(value_indices)));
  });
}

int ProgramBuilder::add_optional_tensor_list(const std::vector<int32_t>& value_indices) {
  return push(&method().values, [value_indices](auto& b) {
    return write_value(b, fb::CreateOptionalTensorList(b, b.CreateVector(value_indices)));
  });
}

int ProgramBuilder::add_value_of_type(uint8_t type) {
  return push(&method().values, [type](auto& b) {
    return fb::CreateEValue(b, static_cast<fb::KernelTypes>(type), fb::CreateNull(b).Union());
  });
}

int ProgramBuilder::add_operator(const std::string& name, const std::string& overload) {
  method().operators.emplace_back(name, overload);
  return static_cast<int>(method().operators.size()) - 1;
}

int ProgramBuilder::add_delegate(
    const std::string& backend_id, const std::vector<uint8_t>& data, bool inline_data,
    const std::vector<std::pair<std::string, std::string>>& compile_specs) {
  auto& store = inline_data ? state_->inline_delegate_data : state_->segments;
  store.push_back(data);
  method().delegates.push_back(
      {backend_id, inline_data, static_cast<uint32_t>(store.size() - 1), compile_specs});
  return static_cast<int>(method().delegates.size()) - 1;
}

namespace {

template <typename Table>
Offset<fb::Instruction> write_instruction(FlatBufferBuilder& builder, Offset<Table> table) {
  return fb::CreateInstruction(builder, fb::InstructionArgumentsTraits<Table>::enum_value,
                               table.Union());
}

}  // namespace

void ProgramBuilder::call_kernel(int op_index, const std::vector<int32_t>& args) {
  method().chains.back().push_back([op_index, args](auto& b) {
    return write_instruction(b, fb::CreateKernelCall(b, op_index, b.CreateVector(args)));
  });
}

void ProgramBuilder::call_delegate(int delegate_index, const std::vector<int32_t>& args) {
  method().chains.back().push_back([delegate_index, args](auto& b) {
    return write_instruction(b, fb::CreateDelegateCall(b, delegate_index, b.CreateVector(args)));
  });
}

void ProgramBuilder::move(int from, int to) {
  method().chains.back().push_back(
      [from, to](auto& b) { return write_instruction(b, fb::CreateMoveCall(b, from, to)); });
}

void ProgramBuilder::jump_if_false(int condition, int destination) {
  method().chains.back().push_back([condition, destination](auto& b) {
    return write_instruction(b, fb::CreateJumpFalseCall(b, condition, destination));
  });
}

void ProgramBuilder::free_value(int value) {
  method().chains.back().push_back(
      [value](auto& b) { return write_instruction(b, fb::CreateFreeCall(b, value)); });
}

int ProgramBuilder::next_instruction() const {
  return static_cast<int>(method().chains.back().size());
}

void ProgramBuilder::begin_chain() { method().chains.emplace_back(); }

void ProgramBuilder::set_inputs(const std::vector<int32_t>& value_indices) {
  method().inputs = value_indices;
}

void ProgramBuilder::set_outputs(const std::vector<int32_t>& value_indices) {
  method().outputs = value_indices;
}

void ProgramBuilder::set_planned_buffers(const std::vector<int64_t>& sizes) {
  method().planned_buffers = {0};
  method().planned_buffers.insert(method().planned_buffers.end(), sizes.begin(), sizes.end());
}

void ProgramBuilder::set_output_encoding(const std::string& encoding) {
  method().output_encoding = encoding;
}

void ProgramBuilder::set_buffer_device(int32_t memory_id, int8_t device_type, int8_t device_index) {
  method().buffer_devices.push_back({memory_id, device_type, device_index});
}

void ProgramBuilder::set_version(uint32_t version) { state_->version = version; }

uint32_t ProgramBuilder::add_constant_data(const std::vector<uint8_t>& data) {
  state_->constant_offsets.push_back(append(&state_->segments[0], data));
  return static_cast<uint32_t>(state_->constant_offsets.size() - 1);
}

uint32_t ProgramBuilder::add_mutable_data(const std::vector<uint8_t>& data) {
  state_->mutable_offsets.push_back(append(&state_->segments[1], data));
  return static_cast<uint32_t>(state_->mutable_offsets.size() - 1);
}

void ProgramBuilder::add_named_data(const std::string& key, const std::vector<uint8_t>& data) {
  state_->segments.push_back(data);
  state_->named_data.emplace_back(key, static_cast<uint32_t>(state_->segments.size() - 1));
}

void ProgramBuilder::add_inline_constant(const std::vector<uint8_t>& data) {
  state_->inline_constants.push_back(data);
}

namespace {

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
