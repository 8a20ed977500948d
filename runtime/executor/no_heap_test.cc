// Loading and running must work where there is no heap: with an allocator that aborts, it still
// does.
#include <cstdint>
#include <cstdlib>

#include <gtest/gtest.h>

#include <executorch/runtime/core/testing_util/forbidden_heap.h>
#include <executorch/runtime/executor/program.h>
#include <executorch/runtime/executor/testing/method_harness.h>
#include <executorch/runtime/executor/testing/program_builder.h>
#include <executorch/runtime/executor/testing/test_kernels.h>
#include <executorch/runtime/platform/platform.h>

extern "C" void* et_pal_allocate(size_t size) {
  return executorch::runtime::testing::allocate_or_die(size);
}
extern "C" void et_pal_free(void* ptr) { std::free(ptr); }

namespace executorch {
namespace runtime {
namespace testing {
namespace {

// What failed, if anything; googletest's own macros allocate.
Error load_and_run(MemoryLoader* loader, const EValue& input, float* first_element) {
  alignas(16) static uint8_t method_pool[16384];
  alignas(16) static uint8_t temp_pool[1024];
  alignas(16) static uint8_t planned[1024];
  Result<Program> program = Program::load(loader, Program::Verification::InternalConsistency);
  ET_CHECK_OK_OR_RETURN_ERROR(program.error());
  MemoryAllocator method_allocator(sizeof(method_pool), method_pool);
  MemoryAllocator temp_allocator(sizeof(temp_pool), temp_pool);
  Span<uint8_t> span(planned, sizeof(planned));
  HierarchicalAllocator planned_memory({&span, 1});
  MemoryManager manager(&method_allocator, &planned_memory, &temp_allocator);
  Result<Method> method = program->load_method("forward", &manager);
  ET_CHECK_OK_OR_RETURN_ERROR(method.error());
  for (int i = 0; i < 2; ++i) {
    ET_CHECK_OK_OR_RETURN_ERROR(method->set_input(input, 0));
    ET_CHECK_OK_OR_RETURN_ERROR(method->execute());
  }
  *first_element = method->get_output(0).toTensor().const_data_ptr<float>()[0];
  // Errors are part of the job.
  return method->set_input(EValue(1.0), 0) == Error::InvalidArgument ? Error::Ok : Error::Internal;
}

TEST(NoHeapTest, LoadsAndRunsWithoutHeap) {
  register_test_kernels();
  ProgramBuilder b;
  const int x = b.add_planned_tensor({2, 3}, 6, /*shape_dynamism=*/1);
  const int rows = b.add_int(0);
  const int list = b.add_int_list({rows});
  const int filled = b.add_planned_tensor({2}, 6, 1);
  const int both = b.add_tensor_list({filled, b.add_constant_tensor({1, 2})});
  const int joined = b.add_planned_tensor({4}, 6, 1);
  const int out = b.add_planned_tensor({4});
  b.call_kernel(b.add_operator("test::size", "int"), {x, b.add_int(0), rows});
  b.call_kernel(b.add_operator("test::full"), {list, b.add_double(3), filled, filled});
  b.call_kernel(b.add_operator("test::concat"), {both, joined, joined});
  b.call_kernel(b.add_operator("test::scratch"), {joined, b.add_int(64), out, out});
  b.set_inputs({x});
  b.set_outputs({out});
  const PteFile file = b.build();
  MemoryLoader loader(file);
  const auto input = float_tensor({2, 3}, {1, 2, 3, 4, 5, 6});
  const EValue value = input.value();

  float first_element = 0;
  heap_is_forbidden = true;
  const Error error = load_and_run(&loader, value, &first_element);
  heap_is_forbidden = false;
  EXPECT_EQ(error, Error::Ok);
  EXPECT_EQ(first_element, 3);
}

}  // namespace
}  // namespace testing
}  // namespace runtime
}  // namespace executorch
