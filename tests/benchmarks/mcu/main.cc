/// Runs the embedded model once and says how many instructions that took. Fails if its output is
/// further from the expected one than the model's tolerance.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <executorch/extension/data_loader/buffer_data_loader.h>
#include <executorch/runtime/core/hierarchical_allocator.h>
#include <executorch/runtime/core/memory_allocator.h>
#include <executorch/runtime/executor/memory_manager.h>
#include <executorch/runtime/executor/method.h>
#include <executorch/runtime/executor/program.h>
#include <executorch/runtime/platform/runtime.h>
#include <executorch/tests/benchmarks/mcu/model.h>
#include <executorch/toolchains/bare_metal/board.h>

namespace {

using executorch::aten::ScalarType;
using executorch::aten::Tensor;
using executorch::aten::TensorImpl;
using executorch::extension::BufferDataLoader;
using executorch::runtime::Error;
using executorch::runtime::EValue;
using executorch::runtime::HierarchicalAllocator;
using executorch::runtime::MemoryAllocator;
using executorch::runtime::MemoryManager;
using executorch::runtime::Method;
using executorch::runtime::Program;
using executorch::runtime::Result;
using executorch::runtime::Span;
using mcu::Model;

constexpr size_t kMostRank = 4;
constexpr size_t kMethodBytes = 48 * 1024;
constexpr size_t kTemporaryBytes = 16 * 1024;

alignas(16) uint8_t method_memory[kMethodBytes];
alignas(16) uint8_t temporary_memory[kTemporaryBytes];

float largest_difference(const float* one, const float* other, size_t count) {
  float most = 0;
  for (size_t i = 0; i < count; ++i) {
    const float difference = one[i] - other[i];
    const float distance = difference < 0 ? -difference : difference;
    most = distance > most ? distance : most;
  }
  return most;
}

/// Executes once; says what it took. @returns whether the output is as expected.
Result<bool> measure(const Model& model, Method& method, size_t method_bytes) {
  TensorImpl::SizesType sizes[kMostRank];
  TensorImpl::DimOrderType order[kMostRank];
  for (size_t i = 0; i < model.rank; ++i) {
    sizes[i] = model.sizes[i];
    order[i] = static_cast<TensorImpl::DimOrderType>(i);
  }
  TensorImpl tensor(ScalarType::Float, static_cast<ssize_t>(model.rank), sizes,
                    const_cast<float*>(model.input), order);
  if (const Error error = method.set_input(EValue(Tensor(&tensor)), 0); error != Error::Ok) {
    return error;
  }
  const uint32_t start = board_ticks();
  const Error executed = method.execute();
  const uint32_t ticks = board_ticks_between(start, board_ticks());
  if (executed != Error::Ok) {
    return executed;
  }
  const Tensor out = method.get_output(0).toTensor();
  if (out.numel() != static_cast<ssize_t>(model.outputs)) {
    return Error::InvalidProgram;
  }
  const float difference =
      largest_difference(out.const_data_ptr<float>(), model.expected, model.outputs);
  const bool right = difference <= model.tolerance;
  const uint64_t instructions = board_instructions(ticks);
  board_say("ROW {\"model\": \"%s\", \"macs\": %lu, \"instructions\": %lu, \"right\": %s, ",
            model.name, static_cast<unsigned long>(model.macs),
            static_cast<unsigned long>(instructions), right ? "true" : "false");
  board_say("\"difference_e9\": %lu, \"method_bytes\": %lu, \"stack_bytes\": %lu}\n",
            static_cast<unsigned long>(difference * 1e9f), static_cast<unsigned long>(method_bytes),
            static_cast<unsigned long>(board_stack_used()));
  return right;
}

Result<bool> run(const Model& model) {
  BufferDataLoader loader(model.program, model.program_size);
  Result<Program> program = Program::load(&loader, Program::Verification::InternalConsistency);
  if (!program.ok()) {
    return program.error();
  }
  auto meta = program->method_meta("forward");
  if (!meta.ok() || meta->num_memory_planned_buffers() != 1) {
    return meta.ok() ? Error::NotSupported : meta.error();
  }
  const auto planned_size = static_cast<size_t>(*meta->memory_planned_buffer_size(0));
  if (planned_size > model.planned_size) {
    return Error::MemoryAllocationFailed;
  }
  Span<uint8_t> buffers[] = {{model.planned, planned_size}};
  HierarchicalAllocator planned({buffers, 1});
  MemoryAllocator method_allocator(sizeof(method_memory), method_memory);
  MemoryAllocator temporary(sizeof(temporary_memory), temporary_memory);
  MemoryManager memory(&method_allocator, &planned, &temporary);
  Result<Method> method = program->load_method("forward", &memory);
  if (!method.ok()) {
    return method.error();
  }
  return measure(model, *method, method_allocator.used_size());
}

}  // namespace

int main() {
  executorch::runtime::runtime_init();
  const Result<bool> right = run(mcu::kModel);
  if (!right.ok()) {
    board_say("FAIL %s: error %d\n", mcu::kModel.name, static_cast<int>(right.error()));
    return 1;
  }
  return *right ? 0 : 1;
}
