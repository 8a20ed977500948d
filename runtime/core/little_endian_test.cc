#include <gtest/gtest.h>

#include <executorch/runtime/core/little_endian.h>

namespace executorch {
namespace runtime {
namespace {

TEST(LittleEndianTest, ReadsEverySizeAtAnyAddress) {
  const uint8_t bytes[] = {0, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0xF8};
  EXPECT_EQ(read_little_endian<uint8_t>(bytes + 1), 0x01);
  EXPECT_EQ(read_little_endian<uint16_t>(bytes + 1), 0x0201);
  EXPECT_EQ(read_little_endian<uint32_t>(bytes + 1), 0x04030201u);
  EXPECT_EQ(read_little_endian<uint64_t>(bytes + 1), 0xF807060504030201u);
}

}  // namespace
}  // namespace runtime
}  // namespace executorch
