/// The smallest application: loads a program that was linked in and runs it, with all memory
/// static. What it is larger than `size_base` is what the core costs; it links no kernels and no
/// backends.

#include <cstdint>

#include <executorch/runtime/core/data_loader.h>
#include <executorch/runtime/core/hierarchical_allocator.h>
#include <executorch/runtime/executor/memory_manager.h>
#include <executorch/runtime/executor/method.h>
#include <executorch/runtime/executor/program.h>
#include <executorch/runtime/platform/runtime.h>

extern "C" {
// A real application has a program here; volatile, so that the compiler cannot know it.
volatile const uint8_t* size_test_program = nullptr;
volatile uint32_t size_test_program_size = 0;
}

namespace {

using namespace executorch::runtime;

class MemoryLoader final : public DataLoader {
 public:
  MemoryLoader(const uint8_t* data, size_t size) : data_(data), size_(size) {}

  Result<FreeableBuffer> load(size_t offset, size_t size, const SegmentInfo&) const override {
    if (offset > size_ || size > size_ - offset) {
      return Error::InvalidArgument;
    }
    return FreeableBuffer(data_ + offset, size, nullptr);
  }
  Result<size_t> size() const override { return size_; }

 private:
  const uint8_t* data_;
  size_t size_;
};

// Sized by the application; counted to none of the figures.
alignas(16) uint8_t method_pool[16];
alignas(16) uint8_t planned_pool[16];
alignas(16) uint8_t temp_pool[16];

Error run(MemoryLoader& loader) {
  Result<Program> program = Program::load(&loader, Program::Verification::InternalConsistency);
  if (!program.ok()) {
    return program.error();
  }
  Result<const char*> name = program->get_method_name(0);
  if (!name.ok()) {
    return name.error();
  }
  Result<MethodMeta> meta = program->method_meta(*name);
  if (!meta.ok() || meta->num_memory_planned_buffers() > 1) {
    return Error::NotSupported;
  }
  Span<uint8_t> buffers[] = {{planned_pool, sizeof(planned_pool)}};
  HierarchicalAllocator planned({buffers, 1});
  MemoryAllocator method_allocator(sizeof(method_pool), method_pool);
  MemoryAllocator temp_allocator(sizeof(temp_pool), temp_pool);
  MemoryManager memory(&method_allocator, &planned, &temp_allocator);
  Result<Method> method = program->load_method(*name, &memory);
  if (!method.ok()) {
    return method.error();
  }
  for (size_t i = 0; i < method->inputs_size(); ++i) {
    if (const Error error = method->set_input(EValue(), i); error != Error::Ok) {
      return error;
    }
  }
  if (const Error error = method->execute(); error != Error::Ok) {
    return error;
  }
  return method->outputs_size() > 0 && method->get_output(0).isTensor() ? Error::Ok
                                                                        : Error::NotSupported;
}

}  // namespace

int main() {
  runtime_init();
  MemoryLoader loader(const_cast<const uint8_t*>(size_test_program), size_test_program_size);
  return static_cast<int>(run(loader));
}
