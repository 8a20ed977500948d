#include <cstring>
#include <utility>

#include <executorch/runtime/core/exec_aten/util/scalar_type_basics.h>
#include <executorch/runtime/executor/testing/program_builder_state.h>

namespace executorch {
namespace runtime {
namespace testing {

namespace fb = executorch_flatbuffer;
using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

namespace {

constexpr size_t kAlignment = 16;

/// Numbers that are no type, which some tests want, count like a float.
size_t element_size(int8_t scalar_type) {
  const auto type = static_cast<etensor::ScalarType>(scalar_type);
  return isValid(type) ? elementSize(type) : sizeof(float);
}

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

}  // namespace testing
}  // namespace runtime
}  // namespace executorch
