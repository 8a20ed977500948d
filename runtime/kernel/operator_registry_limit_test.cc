// Built together with a registry of MAX_KERNEL_NUM=2.
#include <string>

#include <gtest/gtest.h>

#include <executorch/runtime/kernel/operator_registry.h>

namespace {

using executorch::runtime::Error;
using executorch::runtime::EValue;
using executorch::runtime::get_registered_kernels;
using executorch::runtime::Kernel;
using executorch::runtime::KernelRuntimeContext;
using executorch::runtime::register_kernel;
using executorch::runtime::registry_has_op_function;
using executorch::runtime::Span;

void kernel(KernelRuntimeContext&, Span<EValue*>) {}

TEST(OperatorRegistryLimitTest, TakesExactlyTheConfiguredNumber) {
  EXPECT_EQ(register_kernel(Kernel("limit::one", kernel)), Error::Ok);
  EXPECT_EQ(register_kernel(Kernel("limit::two", kernel)), Error::Ok);
  EXPECT_EQ(get_registered_kernels().size(), 2u);
  EXPECT_TRUE(registry_has_op_function("limit::one"));
  EXPECT_TRUE(registry_has_op_function("limit::two"));
  EXPECT_FALSE(registry_has_op_function("limit::three"));
  EXPECT_DEATH((void)register_kernel(Kernel("limit::three", kernel)), "2 of at most 2");
}

}  // namespace
