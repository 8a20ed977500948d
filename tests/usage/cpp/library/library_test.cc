// Kernels of a library called through its generated headers, with a context and without one.
#include <gtest/gtest.h>

#include <executorch/runtime/core/exec_aten/testing_util/tensor_factory.h>
#include <executorch/runtime/core/exec_aten/testing_util/tensor_util.h>
#include <executorch/runtime/kernel/kernel_runtime_context.h>
#include <executorch/runtime/kernel/operator_registry.h>
#include <executorch/runtime/platform/runtime.h>
#include <executorch/tests/usage/cpp/library/my_library/Functions.h>
#include <executorch/tests/usage/cpp/library/my_library/NativeFunctions.h>

namespace {

using executorch::aten::ScalarType;
using executorch::aten::Tensor;
using torch::executor::testing::TensorFactory;

class LibraryUsage : public ::testing::Test {
 protected:
  void SetUp() override { executorch::runtime::runtime_init(); }
  TensorFactory<ScalarType::Float> tf_;
};
using LibraryUsageDeathTest = LibraryUsage;

TEST_F(LibraryUsage, KernelsAreCalledWithAContext) {
  executorch::runtime::KernelRuntimeContext context;
  Tensor out = tf_.zeros({2});
  torch::executor::my_ops::scale_outf(context, tf_.make({2}, {1, 2}), 3, out);
  EXPECT_TENSOR_EQ(out, tf_.make({2}, {3, 6}));
  my::native::scale_out(context, out, 0.5, out);
  EXPECT_TENSOR_EQ(out, tf_.make({2}, {1.5, 3}));
  EXPECT_TRUE(executorch::runtime::registry_has_op_function("my_ops::scale.out"));
}

TEST_F(LibraryUsage, KernelsAreCalledWithoutAContext) {
  Tensor out = tf_.zeros({2});
  Tensor& result = my::native::scale_out(tf_.make({2}, {1, 2}), 2, out);
  EXPECT_TENSOR_EQ(out, tf_.make({2}, {2, 4}));
  EXPECT_EQ(&result, &out);
}

TEST_F(LibraryUsageDeathTest, AFailureWithoutAContextAborts) {
  Tensor out = tf_.zeros({2});
  EXPECT_DEATH(my::native::scale_out(tf_.ones({3}), 2, out), "my_ops::scale.out failed");
}

TEST_F(LibraryUsage, AnOverloadOfTheUsersReplacesTheGeneratedOne) {
  Tensor out = tf_.zeros({2});
  my::native::negate_out(tf_.make({2}, {1, 2}), out);
  EXPECT_TENSOR_EQ(out, tf_.make({2}, {100, -2}));
}

}  // namespace
