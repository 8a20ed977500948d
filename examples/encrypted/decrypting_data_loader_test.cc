#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <sodium/crypto_aead_xchacha20poly1305.h>

#include <executorch/examples/encrypted/decrypting_data_loader.h>
#include <executorch/extension/data_loader/buffer_data_loader.h>
#include <executorch/extension/module/module.h>
#include <executorch/extension/testing_util/tiny_program.h>
#include <executorch/runtime/platform/runtime.h>

namespace executorch {
namespace examples {
namespace {

using extension::BufferDataLoader;
using runtime::Error;
using SegmentInfo = runtime::DataLoader::SegmentInfo;

Key some_key(uint8_t first = 1) {
  Key key;
  for (size_t i = 0; i < key.size(); ++i) {
    key[i] = static_cast<uint8_t>(first + i);
  }
  return key;
}

/// As encrypt.py does it, which encrypt_test.py compares.
std::vector<uint8_t> encrypt(const std::vector<uint8_t>& program, uint32_t chunk_size) {
  Header header = {{'E', 'T', 'E', 'N', 'C', 'R', 'Y', '1'}, {}, chunk_size, 0, program.size()};
  std::fill(std::begin(header.nonce), std::end(header.nonce), uint8_t{7});
  std::vector<uint8_t> file(sizeof(header));
  std::memcpy(file.data(), &header, sizeof(header));
  for (uint64_t index = 0; index * chunk_size < program.size(); ++index) {
    uint8_t nonce[24];
    std::memcpy(nonce, header.nonce, 16);
    std::memcpy(nonce + 16, &index, 8);
    const size_t start = index * chunk_size;
    const size_t size = std::min<size_t>(chunk_size, program.size() - start);
    std::vector<uint8_t> cipher(size + crypto_aead_xchacha20poly1305_ietf_ABYTES);
    crypto_aead_xchacha20poly1305_ietf_encrypt(cipher.data(), nullptr, program.data() + start, size,
                                               reinterpret_cast<const uint8_t*>(&header),
                                               sizeof(header), nullptr, nonce, some_key().data());
    file.insert(file.end(), cipher.begin(), cipher.end());
  }
  return file;
}

auto open(const std::vector<uint8_t>& file, const Key& key = some_key()) {
  return DecryptingDataLoader::open(std::make_unique<BufferDataLoader>(file.data(), file.size()),
                                    key);
}

class DecryptingDataLoaderTest : public ::testing::Test {
 protected:
  void SetUp() override { runtime::runtime_init(); }
};

TEST_F(DecryptingDataLoaderTest, EveryRangeIsWhatWasEncrypted) {
  std::vector<uint8_t> program(100);
  for (size_t i = 0; i < program.size(); ++i) {
    program[i] = static_cast<uint8_t>(i * 37);
  }
  for (const uint32_t chunk_size : {1u, 7u, 50u, 100u, 1000u, UINT32_MAX}) {
    const std::vector<uint8_t> file = encrypt(program, chunk_size);
    const auto loader = open(file);
    ASSERT_TRUE(loader.ok());
    EXPECT_EQ(*(*loader)->size(), program.size());
    for (size_t offset = 0; offset <= program.size(); offset += 9) {
      for (size_t size = 0; size <= program.size() - offset; size += 13) {
        const auto loaded = (*loader)->load(offset, size, SegmentInfo());
        ASSERT_TRUE(loaded.ok());
        ASSERT_EQ(loaded->size(), size);
        EXPECT_EQ(std::memcmp(loaded->data(), program.data() + offset, size), 0);
      }
    }
    EXPECT_EQ((*loader)->load(1, program.size(), SegmentInfo()).error(), Error::InvalidArgument);
    EXPECT_EQ((*loader)->load(SIZE_MAX, 2, SegmentInfo()).error(), Error::InvalidArgument);
  }
}

TEST_F(DecryptingDataLoaderTest, AModuleRunsAnEncryptedProgram) {
  extension::testing::TinyProgram tiny;
  const std::vector<uint8_t> file = encrypt(tiny.build(), 64);
  auto loader = open(file);
  ASSERT_TRUE(loader.ok());
  extension::Module module(std::move(*loader));
  EXPECT_EQ(module.load(runtime::Program::Verification::InternalConsistency), Error::Ok);
  EXPECT_EQ(module.load_method("forward"), Error::Ok);
}

TEST_F(DecryptingDataLoaderTest, EveryChangedByteIsFound) {
  const std::vector<uint8_t> program(20, 5);
  const std::vector<uint8_t> file = encrypt(program, 8);
  for (size_t i = 0; i < file.size(); ++i) {
    std::vector<uint8_t> changed = file;
    changed[i] ^= 0x10;
    const auto loader = open(changed);
    const Error error =
        loader.ok() ? (*loader)->load(0, program.size(), SegmentInfo()).error() : loader.error();
    EXPECT_NE(error, Error::Ok) << "byte " << i;
  }
}

TEST_F(DecryptingDataLoaderTest, ChunksCannotBeExchangedOrLeftOut) {
  const std::vector<uint8_t> file = encrypt(std::vector<uint8_t>(16, 5), 8);
  std::vector<uint8_t> exchanged = file;
  std::rotate(exchanged.begin() + sizeof(Header), exchanged.begin() + sizeof(Header) + 24,
              exchanged.end());
  EXPECT_EQ((*open(exchanged))->load(0, 16, SegmentInfo()).error(), Error::InvalidExternalData);
  EXPECT_EQ(open({file.begin(), file.end() - 24}).error(), Error::InvalidExternalData);
}

TEST_F(DecryptingDataLoaderTest, WhatIsNoSuchFileIsRefused) {
  const std::vector<uint8_t> file = encrypt(std::vector<uint8_t>(16, 5), 8);
  EXPECT_EQ((*open(file, some_key(2)))->load(0, 16, SegmentInfo()).error(),
            Error::InvalidExternalData);
  EXPECT_EQ(open(extension::testing::TinyProgram().build()).error(), Error::InvalidExternalData);
  EXPECT_EQ(open({}).error(), Error::InvalidExternalData);
  std::vector<uint8_t> huge = file;
  std::fill(huge.begin() + 32, huge.begin() + 40, uint8_t{0xFF});  // program_size
  EXPECT_EQ(open(huge).error(), Error::InvalidExternalData);
  std::vector<uint8_t> no_chunks = file;
  std::fill(no_chunks.begin() + 24, no_chunks.begin() + 28, uint8_t{0});  // chunk_size
  EXPECT_EQ(open(no_chunks).error(), Error::InvalidExternalData);
}

}  // namespace
}  // namespace examples
}  // namespace executorch
