#include <cstdint>
#include <cstring>
#include <string>

#include <gtest/gtest.h>

#include <executorch/backends/openvino/runtime/blob.h>
#include <executorch/runtime/platform/runtime.h>

namespace executorch {
namespace backends {
namespace openvino {
namespace {

using runtime::Error;

const std::string kAttributes = "meta=1.0;ov=2026.4.1;isa=Intel AVX2";

std::string u64(uint64_t value) {
  std::string text(sizeof(value), '\0');
  std::memcpy(&text[0], &value, sizeof(value));
  return text;
}

/// Bytes as the CPU exports them: custom data, constants and model of 8 bytes each.
std::string exported(uint64_t custom_size = 8, uint64_t constants = 56, uint64_t model_size = 8) {
  return "RR_UPCVO" + std::string("\1\0\0\0", 4) + u64(kAttributes.size()) + kAttributes + u64(48) +
         u64(custom_size) + u64(constants) + u64(8) + u64(64) + u64(model_size) +
         std::string(24, 'x');
}

class BlobTest : public ::testing::Test {
 protected:
  void SetUp() override { runtime::runtime_init(); }
};

TEST_F(BlobTest, SaysWhoWroteIt) {
  const std::string bytes = exported();
  const auto header = read_header(bytes.data(), bytes.size());
  ASSERT_TRUE(header.ok());
  EXPECT_EQ(*header, kAttributes);
}

TEST_F(BlobTest, OtherDevicesHaveHeadersOfTheirOwn) {
  const auto header = read_header("something", 9);
  ASSERT_TRUE(header.ok());
  EXPECT_EQ(*header, "");
}

TEST_F(BlobTest, EveryShorteningIsRefused) {
  const std::string bytes = exported();
  EXPECT_EQ(read_header(bytes.data(), 0).error(), Error::DelegateInvalidCompatibility);
  EXPECT_EQ(read_header(nullptr, 4).error(), Error::DelegateInvalidCompatibility);
  for (size_t size = 8; size < bytes.size(); ++size) {
    EXPECT_EQ(read_header(bytes.data(), size).error(), Error::DelegateInvalidCompatibility) << size;
  }
}

TEST_F(BlobTest, SectionsThatLeaveTheBytesAreRefused) {
  for (const std::string& bytes : {exported(~uint64_t{0}), exported(8, ~uint64_t{0} - 4),
                                   exported(8, 8), exported(8, 56, uint64_t{1} << 40)}) {
    EXPECT_EQ(read_header(bytes.data(), bytes.size()).error(), Error::DelegateInvalidCompatibility);
  }
  std::string bytes = exported();
  std::memcpy(&bytes[12], u64(~uint64_t{0}).data(), 8);
  EXPECT_EQ(read_header(bytes.data(), bytes.size()).error(), Error::DelegateInvalidCompatibility);
}

}  // namespace
}  // namespace openvino
}  // namespace backends
}  // namespace executorch
