// Method, with what its constructor's arguments and its errors are made of.
#include <executorch/runtime/executor/method.h>

size_t buffers_of_method(executorch::runtime::Span<executorch::runtime::Span<uint8_t>> buffers);

size_t buffers_of_method(executorch::runtime::Span<executorch::runtime::Span<uint8_t>> buffers) {
  executorch::runtime::HierarchicalAllocator planned(buffers);
  executorch::runtime::MemoryAllocator allocator(0, nullptr);
  executorch::runtime::MemoryManager memory(&allocator, &planned);
  executorch::runtime::HierarchicalAllocator none({});
  return memory.planned_memory()->num_buffers() + none.num_buffers() +
         executorch::runtime::elementSize(executorch::aten::ScalarType::Float) +
         (executorch::runtime::registry_has_op_function("my::no_such_operator") ? 1 : 0);
}
