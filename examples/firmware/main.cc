/// The quickstart's digits on bare metal: the program in flash, all memory static, five kernels, no
/// heap. Says for each image which digit it is, what the host said, how far the scores are apart
/// and how many instructions it took.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <executorch/examples/firmware/digits.h>
#include <executorch/extension/data_loader/buffer_data_loader.h>
#include <executorch/runtime/core/hierarchical_allocator.h>
#include <executorch/runtime/core/memory_allocator.h>
#include <executorch/runtime/executor/memory_manager.h>
#include <executorch/runtime/executor/method.h>
#include <executorch/runtime/executor/program.h>
#include <executorch/runtime/platform/runtime.h>
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

// What the method object and its tensors need, and what the planner asked for; both are printed.
constexpr size_t kMethodBytes = 6 * 1024;
constexpr size_t kPlannedBytes = 8 * 1024;
constexpr size_t kTemporaryBytes = 4 * 1024;
// Sums of floats in another order than the host's; scores are of the order of ten.
constexpr float kTolerance = 1e-4f;

alignas(16) uint8_t method_memory[kMethodBytes];
alignas(16) uint8_t planned_memory[kPlannedBytes];
alignas(16) uint8_t temporary_memory[kTemporaryBytes];

int fail(const char* what, Error error) {
  board_say("FAIL %s: error %d\n", what, static_cast<int>(error));
  return 1;
}

size_t largest(const float* scores) {
  size_t best = 0;
  for (size_t i = 1; i < kClasses; ++i) {
    best = scores[i] > scores[best] ? i : best;
  }
  return best;
}

// Runs one image; adds what came of it to the totals.
struct Totals {
  unsigned equal = 0;
  float difference = 0;
  uint64_t instructions = 0;
};

Error recognise(Method& method, size_t index, Totals& totals) {
  float image[kPixels];
  std::memcpy(image, kImages[index], sizeof(image));
  TensorImpl::SizesType sizes[] = {1, 1, 8, 8};
  TensorImpl::DimOrderType order[] = {0, 1, 2, 3};
  TensorImpl tensor(ScalarType::Float, 4, sizes, image, order);
  if (const Error error = method.set_input(EValue(Tensor(&tensor)), 0); error != Error::Ok) {
    return error;
  }
  const uint32_t start = board_ticks();
  const Error executed = method.execute();
  const uint32_t ticks = board_ticks_between(start, board_ticks());
  if (executed != Error::Ok) {
    return executed;
  }
  const float* const scores = method.get_output(0).toTensor().const_data_ptr<float>();
  float difference = 0;
  for (size_t i = 0; i < kClasses; ++i) {
    const float apart = scores[i] - kScores[index][i];
    difference = apart > difference ? apart : -apart > difference ? -apart : difference;
  }
  const size_t said = largest(scores);
  const uint64_t instructions = board_instructions(ticks);
  board_say("image %u: class %u, host %u, difference %u e-9, %lu instructions\n",
            static_cast<unsigned>(index), static_cast<unsigned>(said),
            static_cast<unsigned>(largest(kScores[index])),
            static_cast<unsigned>(difference * 1e9f), static_cast<unsigned long>(instructions));
  totals.equal += said == largest(kScores[index]) ? 1 : 0;
  totals.difference = difference > totals.difference ? difference : totals.difference;
  totals.instructions += instructions;
  return Error::Ok;
}

int report(const Totals& totals, const MemoryAllocator& method_allocator, size_t planned) {
  const bool same = totals.equal == kCount && totals.difference <= kTolerance;
  board_say("RESULT {\"images\": %u, \"equal_to_host\": %u, \"max_abs_diff_e9\": %u, ",
            static_cast<unsigned>(kCount), totals.equal,
            static_cast<unsigned>(totals.difference * 1e9f));
  board_say("\"instructions_per_image\": %lu, \"method_bytes\": %u, \"planned_bytes\": %u, ",
            static_cast<unsigned long>(totals.instructions / kCount),
            static_cast<unsigned>(method_allocator.used_size()), static_cast<unsigned>(planned));
  board_say("\"stack_bytes\": %u}\n", static_cast<unsigned>(board_stack_used()));
  return same ? 0 : 1;
}

}  // namespace

int main() {
  executorch::runtime::runtime_init();
  BufferDataLoader loader(kProgram, sizeof(kProgram));
  Result<Program> program = Program::load(&loader, Program::Verification::InternalConsistency);
  if (!program.ok()) {
    return fail("Program::load", program.error());
  }
  auto meta = program->method_meta("forward");
  if (!meta.ok() || meta->num_memory_planned_buffers() != 1) {
    return fail("method_meta", meta.ok() ? Error::NotSupported : meta.error());
  }
  const auto planned_size = static_cast<size_t>(*meta->memory_planned_buffer_size(0));
  if (planned_size > sizeof(planned_memory)) {
    return fail("planned memory", Error::MemoryAllocationFailed);
  }
  Span<uint8_t> buffers[] = {{planned_memory, planned_size}};
  HierarchicalAllocator planned({buffers, 1});
  MemoryAllocator method_allocator(sizeof(method_memory), method_memory);
  MemoryAllocator temporary(sizeof(temporary_memory), temporary_memory);
  MemoryManager memory(&method_allocator, &planned, &temporary);
  Result<Method> method = program->load_method("forward", &memory);
  if (!method.ok()) {
    return fail("load_method", method.error());
  }
  Totals totals;
  for (size_t index = 0; index < kCount; ++index) {
    if (const Error error = recognise(*method, index, totals); error != Error::Ok) {
      return fail("execute", error);
    }
  }
  return report(totals, method_allocator, planned_size);
}
