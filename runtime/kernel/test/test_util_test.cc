#include <array>

#include <gtest/gtest.h>

#include <executorch/runtime/kernel/test/test_util.h>

namespace {

using executorch::aten::ScalarType;
using executorch::runtime::Error;
using executorch::runtime::KernelKey;
using executorch::runtime::testing::make_kernel_key;

TEST(TestUtilTest, WritesTheDocumentedKey) {
  std::array<char, KernelKey::MAX_SIZE> buf;
  EXPECT_EQ(make_kernel_key(
                {{ScalarType::Double, {0, 1, 2, 3}}, {ScalarType::Char, {0, 1, 2, 3, 4, 5, 6, 7}}},
                buf.data()),
            Error::Ok);
  EXPECT_STREQ(buf.data(), "v1/7;0,1,2,3|1;0,1,2,3,4,5,6,7");
}

TEST(TestUtilTest, RefusesWhatAKeyCannotSay) {
  std::array<char, KernelKey::MAX_SIZE> buf;
  EXPECT_EQ(make_kernel_key({{ScalarType::Long, {100}}}, buf.data()), Error::InvalidArgument);
}

}  // namespace
