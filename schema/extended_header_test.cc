#include <array>
#include <cstdint>

#include <gtest/gtest.h>

#include <executorch/schema/extended_header.h>

namespace {

using executorch::runtime::Error;
using executorch::runtime::ExtendedHeader;
using executorch::runtime::Result;

using Head = std::array<uint8_t, ExtendedHeader::kNumHeadBytes>;

// The dump of the documented .pte example, with real digits for the placeholders in its magics.
Head documented_head() {
  Head head{};
  const uint8_t bytes[] = {
      0x38, 0x00, 0x00, 0x00, 'E',  'T',  '1',  '2',   // root offset, identifier
      'e',  'h',  '0',  '0',  0x20, 0x00, 0x00, 0x00,  // magic, length
      0xF0, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,  // program size
      0x00, 0x10, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,  // segment base offset
      0x20, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,  // segment data size
  };
  std::copy(std::begin(bytes), std::end(bytes), head.begin());
  return head;
}

TEST(ExtendedHeaderTest, ReadsTheDocumentedExample) {
  const Head head = documented_head();
  Result<ExtendedHeader> header = ExtendedHeader::Parse(head.data(), head.size());
  ASSERT_EQ(header.error(), Error::Ok);
  EXPECT_EQ(header->program_size, 0x2F0u);
  EXPECT_EQ(header->segment_base_offset, 0x1000u);
  EXPECT_EQ(header->segment_data_size, 0x20u);
}

TEST(ExtendedHeaderTest, ReadsAllEightBytesOfEveryField) {
  Head head = documented_head();
  for (size_t i = 0; i < 24; ++i) {
    head[16 + i] = static_cast<uint8_t>(0x11 + i);
  }
  Result<ExtendedHeader> header = ExtendedHeader::Parse(head.data(), head.size());
  ASSERT_EQ(header.error(), Error::Ok);
  EXPECT_EQ(header->program_size, 0x1817161514131211u);
  EXPECT_EQ(header->segment_base_offset, 0x201F1E1D1C1B1A19u);
  EXPECT_EQ(header->segment_data_size, 0x2827262524232221u);
}

TEST(ExtendedHeaderTest, AcceptsUnalignedData) {
  alignas(8) uint8_t buffer[ExtendedHeader::kNumHeadBytes + 1] = {};
  const Head head = documented_head();
  std::copy(head.begin(), head.end(), buffer + 1);
  Result<ExtendedHeader> header = ExtendedHeader::Parse(buffer + 1, head.size());
  ASSERT_EQ(header.error(), Error::Ok);
  EXPECT_EQ(header->program_size, 0x2F0u);
}

TEST(ExtendedHeaderTest, ShortLengthLeavesSegmentDataSizeUnknown) {
  Head head = documented_head();
  head[12] = 24;
  Result<ExtendedHeader> header = ExtendedHeader::Parse(head.data(), head.size());
  ASSERT_EQ(header.error(), Error::Ok);
  EXPECT_EQ(header->segment_base_offset, 0x1000u);
  EXPECT_EQ(header->segment_data_size, 0u);
}

TEST(ExtendedHeaderTest, LongerLengthFromANewerWriterIsAccepted) {
  Head head = documented_head();
  head[12] = 0x30;
  head[13] = 0x01;
  Result<ExtendedHeader> header = ExtendedHeader::Parse(head.data(), head.size());
  ASSERT_EQ(header.error(), Error::Ok);
  EXPECT_EQ(header->segment_data_size, 0x20u);
}

TEST(ExtendedHeaderTest, LengthBelowTheMinimumIsInvalid) {
  Head head = documented_head();
  for (uint8_t length : {0, 8, 23}) {
    head[12] = length;
    EXPECT_EQ(ExtendedHeader::Parse(head.data(), head.size()).error(), Error::InvalidProgram);
  }
}

TEST(ExtendedHeaderTest, AnyOtherMagicMeansNotFound) {
  for (size_t i = 0; i < ExtendedHeader::kMagicSize; ++i) {
    Head head = documented_head();
    head[ExtendedHeader::kHeaderOffset + i] ^= 0x01;
    EXPECT_EQ(ExtendedHeader::Parse(head.data(), head.size()).error(), Error::NotFound);
  }
}

TEST(ExtendedHeaderTest, TooFewBytesIsAnInvalidArgument) {
  const Head head = documented_head();
  for (size_t size : {size_t{0}, size_t{8}, head.size() - 1}) {
    EXPECT_EQ(ExtendedHeader::Parse(head.data(), size).error(), Error::InvalidArgument);
  }
  EXPECT_EQ(ExtendedHeader::Parse(nullptr, head.size()).error(), Error::InvalidArgument);
}

}  // namespace
