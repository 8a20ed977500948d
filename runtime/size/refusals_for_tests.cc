/// What the smallest build says of programs that need what it leaves out: one line for each, its
/// name and the error of loading it.

#include <cstdio>

#include <executorch/runtime/executor/method.h>
#include <executorch/runtime/executor/testing/method_harness.h>
#include <executorch/runtime/executor/testing/program_builder.h>
#include <executorch/runtime/platform/runtime.h>

namespace {

using executorch::runtime::Error;
using executorch::runtime::Program;
using executorch::runtime::Result;
using executorch::runtime::testing::MemoryLoader;
using executorch::runtime::testing::MethodMemory;
using executorch::runtime::testing::ProgramBuilder;
using executorch::runtime::testing::PteFile;
using executorch::runtime::testing::TensorOptions;

constexpr int8_t kStatic = 0;
constexpr int8_t kBound = 1;
constexpr int8_t kUnbound = 2;
constexpr int8_t kCuda = 1;

/// A method that returns its input.
ProgramBuilder identity(int8_t dynamism) {
  ProgramBuilder b;
  TensorOptions options;
  options.sizes = {2, 3};
  options.shape_dynamism = dynamism;
  options.memory_id = 1;
  const int x = b.add_tensor(options);
  b.set_planned_buffers({64});
  b.set_inputs({x});
  b.set_outputs({x});
  return b;
}

Error load(const ProgramBuilder& builder) {
  const PteFile file = builder.build();
  MemoryLoader loader(file);
  const Result<Program> program = Program::load(&loader);
  if (!program.ok()) {
    return program.error();
  }
  MethodMemory memory(*program->method_meta("forward"));
  return program->load_method("forward", memory.manager.get()).error();
}

void report(const char* name, const ProgramBuilder& builder) {
  std::printf("%s 0x%x\n", name, static_cast<unsigned>(load(builder)));
}

}  // namespace

int main() {
  executorch::runtime::runtime_init();
  report("static", identity(kStatic));
  report("bounded", identity(kBound));
  report("unbounded", identity(kUnbound));
  ProgramBuilder on_device = identity(kStatic);
  on_device.set_buffer_device(1, kCuda, 0);
  report("device", on_device);
  return 0;
}
