#include <gtest/gtest.h>

#include <executorch/backends/cortex_m/kernels/products_check.h>

namespace cortex_m::native {
namespace {

TEST(ProductsTest, LoopsGiveWhatSingleProductsGive) { EXPECT_EQ(check_products(1, 2000), 0u); }

}  // namespace
}  // namespace cortex_m::native
