#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/backends/arm/runtime/command_stream.h>
#include <executorch/backends/arm/runtime/testing/blob_for_tests.h>
#include <executorch/backends/arm/runtime/vela_blob.h>
#include <executorch/runtime/platform/runtime.h>

namespace executorch {
namespace backends {
namespace arm {
namespace {

using runtime::Error;
using runtime::Result;

constexpr Error kRefused = Error::DelegateInvalidCompatibility;

class VelaBlobTest : public ::testing::Test {
 protected:
  void SetUp() override { runtime::runtime_init(); }

  // From memory of exactly this size, so that a sanitizer sees a step too far.
  static Error error_of(const std::string& bytes) {
    const std::vector<uint8_t> exact(bytes.begin(), bytes.end());
    VelaExternal external;
    const Result<VelaBlob> blob = read_vela_blob(exact.data(), exact.size(), external);
    if (!blob.ok()) {
      return blob.error();
    }
    touch(*blob);
    return check_command_stream(blob->commands, blob->commands_size).error();
  }

  // All that the delegate would read, summed up.
  static void touch(const VelaBlob& blob) {
    uint64_t sum =
        blob.weights_size == 0 ? 0 : blob.weights[0] + blob.weights[blob.weights_size - 1];
    for (const VelaIos* ios : {&blob.inputs, &blob.outputs}) {
      for (size_t i = 0; i < ios->size; ++i) {
        const VelaIo io = (*ios)[i];
        EXPECT_TRUE(io.region == kFastScratch || io.offset + io.bytes() <= blob.scratch_size);
        sum += io.bytes();
      }
    }
    EXPECT_GE(sum, 0u);
  }
};

TEST_F(VelaBlobTest, IsReadAsItWasWritten) {
  const std::string bytes = blob();
  VelaExternal external;
  const Result<VelaBlob> found = read_vela_blob(bytes.data(), bytes.size(), external);
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->commands_size, BlobParts().commands.size());
  EXPECT_EQ(found->weights_size, 40u);
  EXPECT_EQ(found->weights[39], 'w');
  EXPECT_EQ(found->scratch_size, 64u);
  ASSERT_EQ(found->inputs.size, 1u);
  const VelaIo output = found->outputs[0];
  EXPECT_EQ(found->inputs[0].shape[4], 3u);
  EXPECT_EQ(found->inputs[0].elements, 24u);
  EXPECT_EQ(output.offset, 32u);
  EXPECT_EQ(output.bytes(), 24u);
}

TEST_F(VelaBlobTest, BlocksOfLaterVersionsArePassedOver) {
  std::string bytes = blob();
  bytes.insert(32, block("something_new", "12345"));
  EXPECT_EQ(error_of(bytes), Error::Ok);
}

TEST_F(VelaBlobTest, EveryShorteningIsRefused) {
  const std::string bytes = blob();
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_EQ(error_of(bytes.substr(0, size)), kRefused) << size;
  }
}

TEST_F(VelaBlobTest, WhatIsMissingOrTwiceIsRefused) {
  const std::string bytes = blob();
  EXPECT_EQ(error_of(bytes.substr(32)), kRefused) << "the first block";
  EXPECT_EQ(error_of(bytes.substr(0, 32) + block("inputs", rows({})) + bytes.substr(32)), kRefused);
  EXPECT_EQ(error_of(block("vela_bin_stream", "") + block("vela_end_stream", "")), kRefused);
}

TEST_F(VelaBlobTest, PlacesOutsideOfMemoryAreRefused) {
  const Row fits = {1, 1, 1, 2, 3, 4, 1, 40, 1};
  const std::vector<Row> bad = {
      {1, 1, 1, 2, 3, 4, 1, 41, 1},                 // Behind the end.
      {1, 1, 1, 2, 3, 4, 1, 0xfffffff0u, 1},        // A negative offset.
      {1, 1, 1, 2, 3, 4, 4, 0, 1},                  // Elements too large.
      {1, 1, 1, 2, 3, 4, 3, 0, 1},                  // No element's size.
      {1, 1, 1, 2, 3, 0, 1, 0, 1},                  // Nothing.
      {65536, 65536, 65536, 65536, 1, 1, 1, 0, 1},  // 2 ** 64 elements, which wraps to none.
      {1, 1, 1, 0x80000001u, 2, 1, 1, 0, 1},        // Negative.
      {1, 1, 1, 2, 3, 4, 1, 0, 0},                  // Among the weights.
      {1, 1, 1, 2, 3, 4, 1, 0, 3},                  // Where nothing is.
  };
  BlobParts parts;
  parts.outputs = {fits};
  EXPECT_EQ(error_of(blob(parts)), Error::Ok);
  for (const Row& row : bad) {
    parts.outputs = {row};
    EXPECT_EQ(error_of(blob(parts)), kRefused) << row[0] << " " << row[7];
    parts.outputs = {fits};
    parts.inputs = {fits, row};
    EXPECT_EQ(error_of(blob(parts)), kRefused) << row[0] << " " << row[7];
    parts.inputs = {fits};
  }
  parts.scratch = word(0x80000000u);
  EXPECT_EQ(error_of(blob(parts)), kRefused);
  parts.scratch = "12";
  EXPECT_EQ(error_of(blob(parts)), kRefused);
}

TEST_F(VelaBlobTest, WhatLiesInFastScratchIsCounted) {
  BlobParts parts;
  parts.outputs = {{1, 1, 1, 2, 3, 4, 2, 4096, 2}};
  const std::string bytes = blob(parts);
  VelaExternal external;
  EXPECT_EQ(read_vela_blob(bytes.data(), bytes.size(), external)->fast_scratch_used, 4096u + 48u);
}

TEST_F(VelaBlobTest, CommandsNameTheirRegions) {
  const auto regions = [](const std::vector<uint32_t>& commands) {
    const std::string text = payload(commands);
    return check_command_stream(reinterpret_cast<const uint8_t*>(text.data()), text.size());
  };
  EXPECT_EQ(*regions({0x0000010f, 0x0002011f}), 0b101u);
  // The second word of a long command is no command.
  EXPECT_EQ(*regions({0x00004030, 0x0002010f, 0x00010131}), 0b10u);
  EXPECT_EQ(*regions({0x01030131, 0x00010130}), 0b10u) << "the NPU's own memory is no region";
  EXPECT_EQ(regions({0x0103010f}).error(), kRefused) << "which inputs are not in";
  EXPECT_EQ(regions({0x0003010f}).error(), kRefused) << "a region that nobody gives";
  EXPECT_EQ(regions({0x00004030}).error(), kRefused) << "cut off";
}

TEST_F(VelaBlobTest, PayloadsThatTheDriverWouldNotKnowAreRefused) {
  BlobParts parts;
  for (const std::string& commands :
       {std::string(), std::string("COP2") + word(5), std::string("COP1") + word(9),
        std::string("COP1") + word(0xffff0002), std::string("COP1") + word(1) + word(1),
        std::string("COP1") + word(0xffffff02), std::string("COP1x")}) {
    parts.commands = commands;
    EXPECT_EQ(error_of(blob(parts)), kRefused) << commands;
  }
}

TEST_F(VelaBlobTest, DamageIsAnErrorOrAnotherBlob) {
  const std::string bytes = blob();
  std::mt19937 random(0);
  size_t refused = 0;
  constexpr size_t kRuns = 20000;
  for (size_t run = 0; run < kRuns; ++run) {
    std::string damaged = bytes;
    const size_t changes = 1 + random() % 4;
    for (size_t i = 0; i < changes; ++i) {
      const size_t at = random() % damaged.size();
      if (random() % 2 == 0) {
        damaged[at] = static_cast<char>(random());
      } else {
        constexpr uint32_t kExtreme[] = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0xffffffdc};
        damaged.replace(at & ~size_t{3}, 4, word(kExtreme[random() % 6]));
      }
    }
    refused += error_of(damaged) == Error::Ok ? 0 : 1;
  }
  EXPECT_GT(refused, kRuns / 4);
  EXPECT_LT(refused, kRuns);
}

}  // namespace
}  // namespace arm
}  // namespace backends
}  // namespace executorch
