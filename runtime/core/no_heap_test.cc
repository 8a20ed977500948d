// The core must work where there is no heap: with an allocator that fails, everything still does.
#include <array>
#include <cstdint>
#include <optional>

#include <gtest/gtest.h>

#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>
#include <executorch/runtime/core/freeable_buffer.h>
#include <executorch/runtime/core/hierarchical_allocator.h>
#include <executorch/runtime/core/memory_allocator.h>
#include <executorch/runtime/core/tensor_layout.h>
#include <executorch/runtime/core/testing_util/forbidden_heap.h>
#include <executorch/runtime/platform/platform.h>
#include <executorch/runtime/platform/runtime.h>

namespace {

using namespace executorch::runtime;  // NOLINT: a tour of the core
using executorch::aten::ArrayRef;
using executorch::aten::ScalarType;
using executorch::aten::SizesType;
using executorch::aten::Tensor;
using executorch::aten::TensorImpl;
using executorch::runtime::testing::heap_is_forbidden;

void drop_message(et_timestamp_t, et_pal_log_level_t, const char*, const char*, size_t, const char*,
                  size_t) {}

/// Number of steps that went as expected; googletest's own macros allocate.
int tour_of_the_core() {
  int good = 0;
  alignas(16) static uint8_t arena[512];
  MemoryAllocator allocator(sizeof(arena), arena);
  good += allocator.allocateList<int64_t>(4) != nullptr;
  good += allocator.allocate(4096) == nullptr;
  Span<uint8_t> buffers[] = {{arena, sizeof(arena)}};
  HierarchicalAllocator planned(Span<Span<uint8_t>>(buffers, 1));
  good += planned.get_offset_address(0, 16, 16).ok();

  std::array<SizesType, 2> sizes = {2, 3};
  std::array<uint8_t, 2> dim_order = {0, 1};
  std::array<int32_t, 2> strides = {3, 1};
  std::array<float, 6> data = {};
  TensorImpl impl(ScalarType::Float, 2, sizes.data(), data.data(), dim_order.data(), strides.data(),
                  TensorShapeDynamism::DYNAMIC_BOUND);
  Tensor tensor(&impl);
  good += resize_tensor(tensor, {1, 3}) == Error::Ok;
  good += resize_tensor(tensor, {9, 9}) != Error::Ok;
  good += tensors_have_same_shape(tensor, tensor);
  good += !tensor_is_type(tensor, ScalarType::Half);

  EValue values[] = {EValue(1), EValue(tensor), EValue()};
  EValue* wrapped[] = {&values[1], &values[2]};
  std::optional<Tensor> unwrapped[2];
  BoxedEvalueList<std::optional<Tensor>> list(wrapped, unwrapped, 2);
  EValue list_value(&list);
  good += list_value.tryToListOptionalTensor().ok();
  good += list_value.tryToInt().error() == Error::InvalidType;
  good += TensorLayout::create(sizes, dim_order, ScalarType::Float).ok();
  FreeableBuffer buffer(arena, sizeof(arena), nullptr);
  buffer.Free();
  good += buffer.size() == 0;
  return good;
}

TEST(NoHeapTest, TheCoreDoesNotAllocate) {
  runtime_init();
  register_pal(PalImpl::create(drop_message, __FILE__));
  heap_is_forbidden = true;
  const int good = tour_of_the_core();
  heap_is_forbidden = false;
  register_pal({});
  EXPECT_EQ(good, 11);
}

TEST(NoHeapTest, TheGuardWorks) {
  EXPECT_DEATH(
      {
        heap_is_forbidden = true;
        ::operator delete(::operator new(100));
      },
      "heap was used");
}

}  // namespace
