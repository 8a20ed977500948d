#include <cstring>

#include <executorch/extension/testing_util/tiny_program.h>
#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>
#include <executorch/runtime/kernel/kernel_runtime_context.h>
#include <executorch/runtime/kernel/operator_registry.h>
#include <executorch/runtime/platform/assert.h>
#include <executorch/schema/flat_tensor_generated.h>
#include <executorch/schema/program_generated.h>

namespace executorch {
namespace extension {
namespace testing {
namespace {

namespace fb = executorch_flatbuffer;
namespace ptd = flat_tensor_flatbuffer;

using runtime::Error;
using runtime::EValue;
using runtime::KernelRuntimeContext;
using runtime::Span;

/// out = a + b, element by element in memory order.
void tiny_add(KernelRuntimeContext& context, Span<EValue*> stack) {
  executorch::aten::Tensor a = stack[0]->toTensor();
  executorch::aten::Tensor b = stack[1]->toTensor();
  executorch::aten::Tensor out = stack[2]->toTensor();
  if (runtime::resize_tensor(out, a.sizes()) != Error::Ok || b.numel() < a.numel()) {
    context.fail(Error::InvalidArgument);
    return;
  }
  // A kernel that takes its arguments from the stack itself asks itself, too.
  if (a.const_data_ptr() == nullptr || b.const_data_ptr() == nullptr ||
      out.const_data_ptr() == nullptr) {
    context.fail(Error::InvalidState);
    return;
  }
  for (ssize_t i = 0; i < a.numel(); ++i) {
    out.mutable_data_ptr<float>()[i] = a.const_data_ptr<float>()[i] + b.const_data_ptr<float>()[i];
  }
}

const bool registered = []() {
  const runtime::Kernel kernel("tiny::add.out", tiny_add);
  return runtime::register_kernel(kernel) == Error::Ok;
}();

// Headers with the padding that keeps what follows aligned.
constexpr size_t kHeaderBytes = 32;      // Of a .pte file.
constexpr size_t kDataHeaderBytes = 48;  // Of a .ptd file; 40 bytes before padding.
constexpr size_t kSegmentAlignment = 128;

size_t align(size_t value) {
  return (value + kSegmentAlignment - 1) / kSegmentAlignment * kSegmentAlignment;
}

void put(std::vector<uint8_t>& bytes, size_t offset, uint64_t value, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    bytes[offset + i] = static_cast<uint8_t>(value >> (8 * i));
  }
}

/// The finished flatbuffer with `gap` bytes inserted after its identifier.
std::vector<uint8_t> with_gap(const flatbuffers::FlatBufferBuilder& builder, size_t gap) {
  constexpr size_t kHead = 8;
  const uint8_t* buffer = builder.GetBufferPointer();
  std::vector<uint8_t> bytes(buffer, buffer + kHead);
  bytes.resize(kHead + gap);
  bytes.insert(bytes.end(), buffer + kHead, buffer + builder.GetSize());
  put(bytes, 0, flatbuffers::ReadScalar<uint32_t>(buffer) + gap, 4);
  return bytes;
}

std::vector<float> constant(size_t count) {
  std::vector<float> values;
  for (size_t i = 0; i < count; ++i) {
    values.push_back(10.0f * static_cast<float>(i + 1));
  }
  return values;
}

void append(std::vector<uint8_t>& bytes, const std::vector<float>& values) {
  const auto* raw = reinterpret_cast<const uint8_t*>(values.data());
  bytes.insert(bytes.end(), raw, raw + values.size() * sizeof(float));
}

/// Builds one program; holds what its methods have in common.
class Builder {
 public:
  explicit Builder(const TinyProgram& options)
      : options_(options), arena_((options.numel() * sizeof(float) + 15) / 16 * 16) {}

  std::vector<uint8_t> build() {
    std::vector<flatbuffers::Offset<fb::ExecutionPlan>> plans;
    for (const std::string& name : options_.methods) {
      plans.push_back(plan(name));
    }
    const bool segment = options_.second == TinyProgram::Second::kSegment;
    const size_t size = options_.numel() * sizeof(float);
    std::vector<flatbuffers::Offset<fb::DataSegment>> segments;
    flatbuffers::Offset<fb::SubsegmentOffsets> constants;
    if (segment) {
      segments.push_back(fb::CreateDataSegment(fbb_, 0, size));
      const std::vector<uint64_t> offsets = {0, 0};
      constants = fb::CreateSubsegmentOffsetsDirect(fbb_, 0, &offsets);
    }
    const auto program = fb::CreateProgram(fbb_, options_.version, fbb_.CreateVector(plans), 0, 0,
                                           fbb_.CreateVector(segments), constants);
    fb::FinishProgramBuffer(fbb_, program);
    if (!segment) {
      return with_gap(fbb_, 0);
    }
    std::vector<uint8_t> bytes = with_gap(fbb_, kHeaderBytes);
    const size_t program_size = bytes.size();
    std::memcpy(&bytes[8], "eh00", 4);
    put(bytes, 12, kHeaderBytes, 4);
    put(bytes, 16, program_size, 8);
    put(bytes, 24, align(program_size), 8);
    put(bytes, 32, size, 8);
    bytes.resize(align(program_size));
    append(bytes, constant(options_.numel()));
    return bytes;
  }

 private:
  flatbuffers::Offset<fb::EValue> tensor(uint32_t constant_index, int arena_index, bool planned,
                                         bool external = false) {
    flatbuffers::Offset<fb::AllocationDetails> allocation;
    if (planned) {
      allocation =
          fb::CreateAllocationDetails(fbb_, 1, static_cast<uint32_t>(arena_ * arena_index), 0);
    }
    flatbuffers::Offset<fb::ExtraTensorInfo> extra;
    if (external) {
      extra = fb::CreateExtraTensorInfoDirect(fbb_, 0, "b", fb::TensorDataLocation::EXTERNAL);
    }
    const bool dynamic = options_.dynamic && constant_index == 0 && !external;
    const auto value = fb::CreateTensorDirect(
        fbb_, fb::ScalarType::FLOAT, 0, &options_.sizes, &options_.dim_order, false, constant_index,
        allocation, 0,
        dynamic ? fb::TensorShapeDynamism::DYNAMIC_BOUND : fb::TensorShapeDynamism::STATIC, extra);
    return fb::CreateEValue(fbb_, fb::KernelTypes::Tensor, value.Union());
  }

  flatbuffers::Offset<fb::ExecutionPlan> plan(const std::string& name) {
    using Second = TinyProgram::Second;
    std::vector<flatbuffers::Offset<fb::EValue>> values;
    values.push_back(tensor(0, 0, options_.plan_inputs));
    values.push_back(options_.second == Second::kInput ? tensor(0, 1, options_.plan_inputs)
                     : options_.second == Second::kSegment
                         ? tensor(1, 0, false)
                         : tensor(0, 0, false, /*external=*/true));
    values.push_back(tensor(0, 2, options_.plan_outputs));
    const std::vector<int32_t> inputs =
        options_.second == Second::kInput ? std::vector<int32_t>{0, 1} : std::vector<int32_t>{0};
    const std::vector<int32_t> outputs = {2};
    const std::vector<int32_t> arguments = {0, 1, 2, 2};
    const auto call = fb::CreateKernelCallDirect(fbb_, 0, &arguments);
    const std::vector<flatbuffers::Offset<fb::Instruction>> instructions = {
        fb::CreateInstruction(fbb_, fb::InstructionArguments::KernelCall, call.Union())};
    const std::vector<flatbuffers::Offset<fb::Chain>> chains = {
        fb::CreateChainDirect(fbb_, &inputs, &outputs, &instructions)};
    const std::vector<flatbuffers::Offset<fb::Operator>> operators = {
        fb::CreateOperatorDirect(fbb_, options_.operator_name.c_str(), "out")};
    const std::vector<flatbuffers::Offset<fb::BackendDelegate>> delegates;
    const std::vector<int64_t> buffers = {0, static_cast<int64_t>(3 * arena_)};
    return fb::CreateExecutionPlanDirect(fbb_, name.c_str(), 0, &values, &inputs, &outputs, &chains,
                                         &operators, &delegates, &buffers);
  }

  const TinyProgram& options_;
  const size_t arena_;  // Bytes of one tensor in the plan.
  flatbuffers::FlatBufferBuilder fbb_;
};

}  // namespace

size_t TinyProgram::numel() const {
  size_t count = 1;
  for (const int32_t size : sizes) {
    count *= static_cast<size_t>(size);
  }
  return count;
}

std::vector<uint8_t> TinyProgram::build() const {
  ET_CHECK(registered);
  return Builder(*this).build();
}

std::vector<uint8_t> TinyProgram::build_data(const std::string& key) const {
  flatbuffers::FlatBufferBuilder fbb;
  const size_t size = numel() * sizeof(float);
  const std::vector<flatbuffers::Offset<ptd::DataSegment>> segments = {
      ptd::CreateDataSegment(fbb, 0, size)};
  const auto layout = ptd::CreateTensorLayoutDirect(fbb, fb::ScalarType::FLOAT, &sizes, &dim_order);
  const std::vector<flatbuffers::Offset<ptd::NamedData>> names = {
      ptd::CreateNamedDataDirect(fbb, key.c_str(), 0, layout)};
  ptd::FinishFlatTensorBuffer(fbb, ptd::CreateFlatTensorDirect(fbb, version, &segments, &names));
  std::vector<uint8_t> bytes = with_gap(fbb, kDataHeaderBytes);
  const size_t end = bytes.size();
  std::memcpy(&bytes[8], "FH01", 4);
  put(bytes, 12, 40, 4);
  put(bytes, 16, kDataHeaderBytes, 8);
  put(bytes, 24, end - kDataHeaderBytes, 8);
  put(bytes, 32, align(end), 8);
  put(bytes, 40, size, 8);
  bytes.resize(align(end));
  append(bytes, constant(numel()));
  return bytes;
}

}  // namespace testing
}  // namespace extension
}  // namespace executorch
