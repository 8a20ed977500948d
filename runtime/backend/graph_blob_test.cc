#include <vector>

#include <gtest/gtest.h>

#include <executorch/runtime/backend/graph_blob.h>

namespace executorch {
namespace runtime {
namespace {

/// A header of 30 bytes, a flatbuffer of 8 behind two more, constants of 4 at the end.
std::vector<uint8_t> blob() {
  std::vector<uint8_t> bytes = {0,  0, 0, 0, 'A', 'B', '0', '0', 30, 0,  //
                                32, 0, 0, 0, 8,   0,   0,   0,           //
                                40, 0, 0, 0, 4,   0,   0,   0,   0,  0, 0, 0};
  bytes.resize(44);
  return bytes;
}

TEST(GraphBlobTest, FindsBothParts) {
  const std::vector<uint8_t> bytes = blob();
  const auto parts = GraphBlob::parse({bytes.data(), bytes.size()}, "AB00");
  ASSERT_TRUE(parts.ok());
  EXPECT_EQ(parts->flatbuffer.data(), bytes.data() + 32);
  EXPECT_EQ(parts->flatbuffer.size(), 8u);
  EXPECT_EQ(parts->constants.data(), bytes.data() + 40);
  EXPECT_EQ(parts->constants.size(), 4u);
}

TEST(GraphBlobTest, OtherLettersAreNoHeader) {
  const std::vector<uint8_t> bytes = blob();
  EXPECT_EQ(GraphBlob::parse({bytes.data(), bytes.size()}, "XH00").error(), Error::NotFound);
  EXPECT_EQ(GraphBlob::parse({bytes.data(), 29}, "AB00").error(), Error::NotFound);
  EXPECT_EQ(GraphBlob::parse({}, "AB00").error(), Error::NotFound);
}

TEST(GraphBlobTest, PartsLieWithinTheBytes) {
  const std::vector<uint8_t> whole = blob();
  for (size_t size = GraphBlob::kHeaderSize; size < whole.size(); ++size) {
    EXPECT_EQ(GraphBlob::parse({whole.data(), size}, "AB00").error(),
              Error::DelegateInvalidCompatibility);
  }
  // Each byte of an offset or a size, as large as it can be.
  for (size_t at = 10; at < GraphBlob::kHeaderSize; ++at) {
    std::vector<uint8_t> bytes = whole;
    bytes[at] = 0xFF;
    EXPECT_EQ(GraphBlob::parse({bytes.data(), bytes.size()}, "AB00").error(),
              Error::DelegateInvalidCompatibility)
        << at;
  }
  const Span<const uint8_t> all(whole.data(), whole.size());
  EXPECT_TRUE(GraphBlob::part_of(all, 44, 0).ok());
  EXPECT_FALSE(GraphBlob::part_of(all, 45, 0).ok());
  EXPECT_FALSE(GraphBlob::part_of(all, 2, UINT64_MAX).ok());
}

}  // namespace
}  // namespace runtime
}  // namespace executorch
