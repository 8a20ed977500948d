// The quickstart's digits on a board of Arduino's: says for each image which digit it is, and what the host said.
// Needs a core that compiles C++17 and about 20 KB of memory.

#include <executorch_digits.h>

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

alignas(16) static uint8_t method_memory[6 * 1024];
alignas(16) static uint8_t planned_memory[8 * 1024];
alignas(16) static uint8_t temporary_memory[4 * 1024];

static Method* method = nullptr;

static void stop(const char* what, Error error) {
  Serial.print(what);
  Serial.print(" failed: ");
  Serial.println(static_cast<int>(error));
  while (true) {
    delay(1000);
  }
}

void setup() {
  Serial.begin(115200);
  executorch::runtime::runtime_init();
  static BufferDataLoader loader(kProgram, sizeof(kProgram));
  static Result<Program> program = Program::load(&loader, Program::Verification::InternalConsistency);
  if (!program.ok()) {
    stop("Program::load", program.error());
  }
  static Span<uint8_t> buffers[] = {{planned_memory, sizeof(planned_memory)}};
  static HierarchicalAllocator planned({buffers, 1});
  static MemoryAllocator method_allocator(sizeof(method_memory), method_memory);
  static MemoryAllocator temporary(sizeof(temporary_memory), temporary_memory);
  static MemoryManager memory(&method_allocator, &planned, &temporary);
  static Result<Method> loaded = program->load_method("forward", &memory);
  if (!loaded.ok()) {
    stop("load_method", loaded.error());
  }
  method = &*loaded;
}

static size_t largest(const float* scores) {
  size_t best = 0;
  for (size_t i = 1; i < kClasses; ++i) {
    best = scores[i] > scores[best] ? i : best;
  }
  return best;
}

void loop() {
  static size_t index = 0;
  static float image[kPixels];
  memcpy(image, kImages[index], sizeof(image));
  TensorImpl::SizesType sizes[] = {1, 1, 8, 8};
  TensorImpl::DimOrderType order[] = {0, 1, 2, 3};
  TensorImpl tensor(ScalarType::Float, 4, sizes, image, order);
  Error error = method->set_input(EValue(Tensor(&tensor)), 0);
  if (error == Error::Ok) {
    error = method->execute();
  }
  if (error != Error::Ok) {
    stop("execute", error);
  }
  Serial.print("class ");
  Serial.print(static_cast<int>(largest(method->get_output(0).toTensor().const_data_ptr<float>())));
  Serial.print(", host ");
  Serial.println(static_cast<int>(largest(kScores[index])));
  index = (index + 1) % kCount;
  delay(1000);
}
