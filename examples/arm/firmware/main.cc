/// A program with a delegate of Ethos-U on bare metal, its NPU the test driver: runs it, compares
/// every output with what TOSA's reference model calculates, and says sizes and instructions.

#include <cstddef>
#include <cstdint>

#include <executorch/backends/arm/runtime/fast_scratch.h>
#include <executorch/backends/arm/runtime/testing/test_driver.h>
#include <executorch/examples/arm/firmware/model.h>
#include <executorch/extension/data_loader/buffer_data_loader.h>
#include <executorch/runtime/core/hierarchical_allocator.h>
#include <executorch/runtime/core/memory_allocator.h>
#include <executorch/runtime/executor/memory_manager.h>
#include <executorch/runtime/executor/method.h>
#include <executorch/runtime/executor/program.h>
#include <executorch/runtime/platform/runtime.h>
#include <executorch/toolchains/bare_metal/board.h>

// Where programs of the memory mode Dedicated_Sram have their fast memory: set before one is
// loaded.
unsigned char* ethosu_fast_scratch = nullptr;
size_t ethosu_fast_scratch_size = 0;

namespace {

using ethosu_example::kModel;
using executorch::aten::ScalarType;
using executorch::aten::Tensor;
using executorch::aten::TensorImpl;
using executorch::backends::arm::TestProgram;
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

constexpr size_t kMostRank = 6;
constexpr size_t kMostPlanned = 4;
constexpr size_t kMethodBytes = 24 * 1024;
constexpr size_t kAlignment = 16;
alignas(kAlignment) uint8_t method_memory[kMethodBytes];

// For tensors and scratch buffers, and for what the test driver calculates on the way.
constexpr size_t kBoardBytes = 4 * 1024 * 1024;
#if defined(ETHOSU_BOARD_MEMORY_AT)
// Behind the first memory of the board.
uint8_t* const board_memory = reinterpret_cast<uint8_t*>(ETHOSU_BOARD_MEMORY_AT);
#else
alignas(kAlignment) uint8_t board_memory[kBoardBytes];
#endif

int fail(const char* what, Error error) {
  board_say("FAIL %s: error %d\n", what, static_cast<int>(error));
  return 1;
}

Error set_inputs(Method& method) {
  for (size_t i = 0; i < kModel.num_inputs; ++i) {
    const ethosu_example::Input& input = kModel.inputs[i];
    TensorImpl::SizesType sizes[kMostRank];
    TensorImpl::DimOrderType order[kMostRank];
    for (size_t d = 0; d < input.rank; ++d) {
      sizes[d] = input.sizes[d];
      order[d] = static_cast<TensorImpl::DimOrderType>(d);
    }
    TensorImpl tensor(ScalarType::Float, static_cast<ssize_t>(input.rank), sizes,
                      const_cast<float*>(input.data), order);
    if (const Error error = method.set_input(EValue(Tensor(&tensor)), i); error != Error::Ok) {
      return error;
    }
  }
  return Error::Ok;
}

// Says the first outputs. @returns how many differ from the expected ones.
size_t compare(const Tensor& out) {
  constexpr size_t kSaid = 8;
  const float* const values = out.const_data_ptr<float>();
  size_t different = out.numel() == static_cast<ssize_t>(kModel.num_expected) ? 0 : 1;
  for (size_t i = 0; different == 0 && i < kModel.num_expected; ++i) {
    different += values[i] == kModel.expected[i] ? 0 : 1;
    if (i < kSaid) {
      board_say("output %u: %ld e-6, reference model %ld e-6\n", static_cast<unsigned>(i),
                static_cast<long>(values[i] * 1e6f), static_cast<long>(kModel.expected[i] * 1e6f));
    }
  }
  return different;
}

int run(Method& method, size_t method_bytes, size_t planned_bytes) {
  if (const Error error = set_inputs(method); error != Error::Ok) {
    return fail("set_input", error);
  }
  const uint32_t start = board_ticks();
  const Error executed = method.execute();
  const uint32_t ticks = board_ticks_between(start, board_ticks());
  if (executed != Error::Ok) {
    return fail("execute", executed);
  }
  const size_t different = compare(method.get_output(0).toTensor());
  const bool right = different == 0 && executorch::backends::arm::test_driver_runs() == 1 &&
                     !executorch::backends::arm::test_driver_is_reserved();
  board_say("RESULT {\"model\": \"%s\", \"target\": \"%s\", \"memory_mode\": \"%s\", ", kModel.name,
            kModel.target, kModel.memory_mode);
  board_say("\"program_bytes\": %u, \"scratch_bytes\": %u, \"fast_scratch_bytes\": %u, ",
            static_cast<unsigned>(kModel.program_size), static_cast<unsigned>(kModel.scratch_size),
            static_cast<unsigned>(kModel.fast_scratch_size));
  board_say("\"method_bytes\": %u, \"planned_bytes\": %u, \"stack_bytes\": %u, ",
            static_cast<unsigned>(method_bytes), static_cast<unsigned>(planned_bytes),
            static_cast<unsigned>(board_stack_used()));
  const uint32_t in_place_of_npu = executorch::backends::arm::test_driver_ticks();
  board_say("\"outputs\": %u, \"outputs_different\": %u, \"instructions\": %lu, ",
            static_cast<unsigned>(kModel.num_expected), static_cast<unsigned>(different),
            static_cast<unsigned long>(board_instructions(ticks - in_place_of_npu)));
  board_say("\"test_driver_instructions\": %lu}\n",
            static_cast<unsigned long>(board_instructions(in_place_of_npu)));
  return right ? 0 : 1;
}

}  // namespace

int main() {
  executorch::runtime::runtime_init();
  MemoryAllocator board(kBoardBytes, board_memory);
  BufferDataLoader loader(kModel.program, kModel.program_size);
  Result<Program> program = Program::load(&loader, Program::Verification::InternalConsistency);
  if (!program.ok()) {
    return fail("Program::load", program.error());
  }
  auto meta = program->method_meta("forward");
  if (!meta.ok() || meta->num_memory_planned_buffers() > kMostPlanned) {
    return fail("method_meta", meta.ok() ? Error::NotSupported : meta.error());
  }
  Span<uint8_t> buffers[kMostPlanned];
  size_t planned_bytes = 0;
  for (size_t i = 0; i < meta->num_memory_planned_buffers(); ++i) {
    const auto size = static_cast<size_t>(*meta->memory_planned_buffer_size(i));
    buffers[i] = {static_cast<uint8_t*>(board.allocate(size, kAlignment)), size};
    planned_bytes += size;
  }
  HierarchicalAllocator planned({buffers, meta->num_memory_planned_buffers()});
  // One scratch buffer at a time: the executor takes temporary memory back after each call.
  const size_t temporary_bytes = kModel.scratch_size + kAlignment;
  MemoryAllocator temporary(temporary_bytes,
                            static_cast<uint8_t*>(board.allocate(temporary_bytes, kAlignment)));
  ethosu_fast_scratch_size = kModel.fast_scratch_size;
  ethosu_fast_scratch = static_cast<unsigned char*>(
      kModel.fast_scratch_size == 0 ? nullptr
                                    : board.allocate(kModel.fast_scratch_size, kAlignment));
  const TestProgram known[] = {{kModel.commands_hash,
                                kModel.tosa,
                                kModel.tosa_size,
                                {kModel.input_rows, kModel.num_inputs},
                                {kModel.output_rows, kModel.num_outputs}}};
  executorch::backends::arm::set_test_programs(
      {known, 1}, {board_memory + board.used_size(), board.free_size()});
  executorch::backends::arm::set_test_clock({board_ticks, board_ticks_between});
  MemoryAllocator method_allocator(sizeof(method_memory), method_memory);
  MemoryManager memory(&method_allocator, &planned, &temporary);
  Result<Method> method = program->load_method("forward", &memory);
  if (!method.ok()) {
    return fail("load_method", method.error());
  }
  return run(*method, method_allocator.used_size(), planned_bytes);
}
