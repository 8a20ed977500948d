// The older namespaces torch::executor and exec_aten name the same things.
#include <type_traits>

#include <gtest/gtest.h>

#include <executorch/runtime/core/data_loader.h>
#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/core/event_tracer_hooks.h>
#include <executorch/runtime/core/event_tracer_hooks_delegate.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>
#include <executorch/runtime/core/function_ref.h>
#include <executorch/runtime/core/hierarchical_allocator.h>
#include <executorch/runtime/core/memory_allocator.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/span.h>
#include <executorch/runtime/core/tag.h>

namespace {

namespace te = torch::executor;
namespace rt = executorch::runtime;
namespace ea = executorch::aten;

template <typename A, typename B>
constexpr bool kSame = std::is_same<A, B>::value;

TEST(LegacyNamesTest, AreTheSameTypes) {
  static_assert(kSame<te::Tensor, ea::Tensor> && kSame<exec_aten::Tensor, ea::Tensor>, "");
  static_assert(kSame<rt::etensor::Tensor, ea::Tensor>, "");
  static_assert(kSame<te::TensorImpl, ea::TensorImpl> && kSame<te::Scalar, ea::Scalar>, "");
  static_assert(kSame<te::ScalarType, ea::ScalarType>, "");
  static_assert(kSame<te::EValue, rt::EValue> && kSame<te::Tag, rt::Tag>, "");
  static_assert(kSame<te::Error, rt::Error> && kSame<te::Result<int>, rt::Result<int>>, "");
  static_assert(kSame<te::Span<int>, rt::Span<int>>, "");
  static_assert(kSame<te::ArrayRef<int>, ea::ArrayRef<int>>, "");
  static_assert(kSame<te::MemoryAllocator, rt::MemoryAllocator>, "");
  static_assert(kSame<te::HierarchicalAllocator, rt::HierarchicalAllocator>, "");
  static_assert(kSame<te::DataLoader, rt::DataLoader>, "");
  static_assert(kSame<te::FreeableBuffer, rt::FreeableBuffer>, "");
  static_assert(kSame<te::EventTracer, rt::EventTracer>, "");
  static_assert(kSame<te::FunctionRef<int()>, rt::FunctionRef<int()>>, "");
  static_assert(kSame<te::TensorShapeDynamism, ea::TensorShapeDynamism>, "");
  static_assert(kSame<te::Half, c10::Half> && kSame<te::BFloat16, c10::BFloat16>, "");
  static_assert(kSame<te::complex<float>, c10::complex<float>>, "");
  static_assert(kSame<torch::headeronly::Half, c10::Half>, "");
  static_assert(kSame<ea::TensorList, ea::ArrayRef<ea::Tensor>>, "");
  static_assert(kSame<te::OptionalIntArrayRef, std::optional<ea::ArrayRef<int64_t>>>, "");
  EXPECT_EQ(te::elementSize(te::ScalarType::Float), 4u);
  EXPECT_EQ(te::kTensorDimensionLimit, 16u);
  EXPECT_STREQ(te::toString(te::ScalarType::Half), "Half");
}

TEST(LegacyNamesTest, AreTheSameFunctions) {
  int32_t sizes[] = {2};
  ea::TensorImpl impl(ea::ScalarType::Float, 1, sizes);
  EXPECT_EQ(te::resize_tensor(te::Tensor(&impl), te::ArrayRef<int32_t>({2})), te::Error::Ok);
  EXPECT_EQ(executorch::ET_RUNTIME_NAMESPACE::resize_tensor(te::Tensor(&impl),
                                                            te::ArrayRef<int32_t>({3})),
            te::Error::NotSupported);
}

}  // namespace
