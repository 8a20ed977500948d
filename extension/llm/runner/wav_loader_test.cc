#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/extension/llm/runner/wav_loader.h>
#include <executorch/extension/testing_util/temp_file.h>
#include <executorch/runtime/platform/runtime.h>

namespace {

using executorch::extension::llm::load_wav_audio_data;
using executorch::extension::llm::load_wav_header;
using executorch::extension::testing::TempFile;

std::string number(uint64_t value, int size) {
  std::string bytes;
  for (int i = 0; i < size; ++i) {
    bytes += static_cast<char>(value >> (8 * i) & 0xFF);
  }
  return bytes;
}

std::string chunk(const std::string& name, const std::string& contents) {
  return name + number(contents.size(), 4) + contents + std::string(contents.size() % 2, '\0');
}

std::string format(uint64_t kind, uint64_t bits, uint64_t channels = 1) {
  return number(kind, 2) + number(channels, 2) + number(16000, 4) +
         number(16000 * channels * bits / 8, 4) + number(channels * bits / 8, 2) + number(bits, 2);
}

std::string wav(const std::string& format, const std::string& samples) {
  const std::string chunks =
      "WAVE" + chunk("fmt ", format) + chunk("LIST", "abc") + chunk("data", samples);
  return "RIFF" + number(chunks.size(), 4) + chunks;
}

class WavLoaderTest : public ::testing::Test {
 protected:
  void SetUp() override { executorch::runtime::runtime_init(); }
};

TEST_F(WavLoaderTest, IntegersAreSharesOfTheLargest) {
  const TempFile two(wav(format(1, 16), number(0, 2) + number(32767, 2) + number(0x8001, 2)));
  EXPECT_EQ(load_wav_audio_data(two.path()), (std::vector<float>{0, 1, -1}));
  const TempFile one(wav(format(1, 8), number(128, 1) + number(255, 1) + number(1, 1)));
  EXPECT_EQ(load_wav_audio_data(one.path()), (std::vector<float>{0, 1, -1}));
  const TempFile three(wav(format(1, 24), number(0x7FFFFF, 3) + number(0x800001, 3)));
  EXPECT_EQ(load_wav_audio_data(three.path()), (std::vector<float>{1, -1}));
  const TempFile four(wav(format(1, 32), number(0x7FFFFFFF, 4) + number(0x80000001, 4)));
  EXPECT_EQ(load_wav_audio_data(four.path()), (std::vector<float>{1, -1}));
}

TEST_F(WavLoaderTest, FloatsStayAsTheyAre) {
  const std::vector<float> values = {0.25f, -3.0f};
  std::string samples(8, '\0');
  std::memcpy(samples.data(), values.data(), 8);
  const TempFile plain(wav(format(3, 32), samples));
  EXPECT_EQ(load_wav_audio_data(plain.path()), values);
  const std::string extension =
      number(22, 2) + number(32, 2) + number(0, 4) + number(3, 2) + std::string(14, 'x');
  const TempFile extensible(wav(format(0xFFFE, 32) + extension, samples));
  EXPECT_EQ(load_wav_audio_data(extensible.path()), values);
}

TEST_F(WavLoaderTest, TheHeaderSaysWhatTheSamplesAre) {
  const std::string contents = wav(format(1, 16, 2), std::string(8, '\1'));
  const TempFile file(contents);
  const auto header = load_wav_header(file.path());
  ASSERT_NE(header, nullptr);
  EXPECT_EQ(header->AudioFormat, 1);
  EXPECT_EQ(header->NumOfChan, 2);
  EXPECT_EQ(header->SamplesPerSec, 16000u);
  EXPECT_EQ(header->bytesPerSec, 64000u);
  EXPECT_EQ(header->blockAlign, 4);
  EXPECT_EQ(header->bitsPerSample, 16);
  EXPECT_EQ(header->Subchunk2Size, 8u);
  EXPECT_EQ(header->dataOffset, contents.size() - 8);
  EXPECT_EQ(load_wav_audio_data(file.path()).size(), 4u);
}

TEST_F(WavLoaderTest, WhatIsNoWavFileGivesNothing) {
  EXPECT_EQ(load_wav_header("/no/such/file.wav"), nullptr);
  EXPECT_TRUE(load_wav_audio_data("/no/such/file.wav").empty());
  const std::string whole = wav(format(1, 16), number(7, 2) + number(8, 2));
  for (size_t size = 0; size < whole.size() - 4; ++size) {
    const TempFile part(whole.substr(0, size));
    EXPECT_TRUE(load_wav_audio_data(part.path()).empty()) << size;
  }
  const TempFile cut(whole.substr(0, whole.size() - 2));
  EXPECT_EQ(load_wav_audio_data(cut.path()).size(), 1u);
  const TempFile other(wav(format(1, 12), "abc"));
  EXPECT_TRUE(load_wav_audio_data(other.path()).empty());
  const TempFile compressed(wav(format(2, 16), "abcd"));
  EXPECT_TRUE(load_wav_audio_data(compressed.path()).empty());
}

}  // namespace
