#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sodium/crypto_hash_sha256.h>
#include <sodium/crypto_sign_ed25519.h>

#include <executorch/extension/module/module.h>
#include <executorch/extension/signature/signed_data_loader.h>
#include <executorch/extension/testing_util/tiny_program.h>
#include <executorch/runtime/platform/runtime.h>

namespace executorch {
namespace extension {
namespace {

using runtime::Error;

std::vector<uint8_t> hex(const std::string& text) {
  std::vector<uint8_t> bytes;
  for (size_t i = 0; i < text.size(); i += 2) {
    bytes.push_back(static_cast<uint8_t>(std::stoul(text.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

PublicKey key_of(const std::string& text) {
  PublicKey key;
  const std::vector<uint8_t> bytes = hex(text);
  std::memcpy(key.data(), bytes.data(), key.size());
  return key;
}

/// RFC 8032, 7.1: TEST 1 to 3.
struct Vector {
  const char* key;
  const char* message;
  const char* signature;
};
constexpr Vector kVectors[] = {
    {"d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
     "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b"
     "4"
     "6bd25bf5f0595bbe24655141438e7a100b"},
    {"3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
     "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11"
     "d"
     "8c387b2eaeb4302aeeb00d291612bb0c00"},
    {"fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
     "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc"
     "6"
     "594a7c15e9716ed28dc027beceea1ec40a"},
};

TEST(PrimitivesTest, VectorsOfTheStandards) {
  for (const Vector& vector : kVectors) {
    std::vector<uint8_t> message = hex(vector.message);
    std::vector<uint8_t> signature = hex(vector.signature);
    const std::vector<uint8_t> key = hex(vector.key);
    const auto verify = [&] {
      return crypto_sign_ed25519_verify_detached(signature.data(), message.data(), message.size(),
                                                 key.data());
    };
    EXPECT_EQ(verify(), 0);
    for (const size_t at : {0, 31, 32, 63}) {
      signature[at] ^= 1;
      EXPECT_NE(verify(), 0);
      signature[at] ^= 1;
    }
    message.push_back(0);
    EXPECT_NE(verify(), 0);
  }
  // FIPS 180-2, B.1.
  uint8_t digest[crypto_hash_sha256_BYTES];
  crypto_hash_sha256(digest, reinterpret_cast<const uint8_t*>("abc"), 3);
  EXPECT_EQ(std::vector<uint8_t>(digest, digest + sizeof(digest)),
            hex("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
}

void put(std::vector<uint8_t>& bytes, uint64_t value, size_t size) {
  for (size_t i = 0; i < size; ++i) {
    bytes.push_back(static_cast<uint8_t>(value >> (8 * i)));
  }
}

/// The trailer by hand, as another tool would write it: `sign.py` and this must agree.
std::vector<uint8_t> with_trailer(std::vector<uint8_t> file, uint32_t kind, const uint8_t* key_id,
                                  const std::vector<uint8_t>& value) {
  const uint64_t size = file.size();
  file.insert(file.end(), {'E', 'T', 'S', 'G'});
  put(file, 1, 4);
  put(file, kind, 4);
  put(file, kSignatureTrailerSize, 4);
  put(file, size, 8);
  file.insert(file.end(), key_id, key_id + 8);
  file.insert(file.end(), value.begin(), value.end());
  file.insert(file.end(), 64 - value.size(), 0);
  file.insert(file.end(), {'E', 'T', 'S', 'G', 'E', 'T', 'S', 'G'});
  return file;
}

std::vector<uint8_t> sha256(const void* data, size_t size) {
  std::vector<uint8_t> digest(crypto_hash_sha256_BYTES);
  crypto_hash_sha256(digest.data(), static_cast<const uint8_t*>(data), size);
  return digest;
}

constexpr uint8_t kNoKey[8] = {};

/// Signed by `sign.py` with the private key of TEST 1: the file "a program, or any other file\n".
constexpr char kSigned[] = "a program, or any other file\n";
constexpr char kTrailer[] =
    "455453470100000002000000680000001d0000000000000021fe31dfa154a261d2f3d34c6311436697da5e048cb464"
    "6e"
    "f1dc12e13eed551737ba1610f2540008915cff4a5b254a26622db09ec39a0c9c3034b88520fc43ff9ae1080c2c12f5"
    "04"
    "4554534745545347";

std::vector<uint8_t> signed_file() {
  std::vector<uint8_t> file(kSigned, kSigned + sizeof(kSigned) - 1);
  const std::vector<uint8_t> trailer = hex(kTrailer);
  file.insert(file.end(), trailer.begin(), trailer.end());
  return file;
}

class SignatureTest : public ::testing::Test {
 protected:
  void SetUp() override { runtime::runtime_init(); }

  Error check(const std::vector<uint8_t>& file) {
    return check_signature(file.data(), file.size(), {keys_, 2}).error();
  }

  const PublicKey keys_[2] = {key_of(kVectors[1].key), key_of(kVectors[0].key)};
};

TEST_F(SignatureTest, WhatTheSignerWritesIsRead) {
  const std::vector<uint8_t> file = signed_file();
  const auto size = check_signature(file.data(), file.size(), {keys_, 2});
  ASSERT_TRUE(size.ok());
  EXPECT_EQ(*size, sizeof(kSigned) - 1);
}

TEST_F(SignatureTest, EveryChangedBitIsNoticed) {
  const std::vector<uint8_t> file = signed_file();
  for (size_t bit = 0; bit < 8 * file.size(); ++bit) {
    std::vector<uint8_t> changed = file;
    changed[bit / 8] ^= static_cast<uint8_t>(1u << (bit % 8));
    EXPECT_NE(check(changed), Error::Ok) << bit;
  }
  for (size_t size = 0; size < file.size(); ++size) {
    const std::vector<uint8_t> cut(file.begin(), file.begin() + static_cast<ptrdiff_t>(size));
    EXPECT_NE(check(cut), Error::Ok) << size;
  }
  EXPECT_EQ(check_signature(nullptr, 0, {keys_, 2}).error(), Error::NotFound);
}

TEST_F(SignatureTest, SaysWhatIsWrong) {
  std::vector<uint8_t> file = signed_file();
  EXPECT_EQ(check_signature(file.data(), file.size(), {keys_, 1}).error(), Error::AccessFailed);
  EXPECT_EQ(check_signature(file.data(), file.size(), {}).error(), Error::InvalidArgument);
  EXPECT_EQ(check_signature(file.data(), sizeof(kSigned) - 1, {keys_, 2}).error(), Error::NotFound);
  EXPECT_EQ(check_digest(file.data(), file.size()).error(), Error::NotFound);
  file[0] ^= 1;
  EXPECT_EQ(check(file), Error::InvalidProgram);
  file = signed_file();
  file[sizeof(kSigned) - 1 + 4] = 2;
  EXPECT_EQ(check(file), Error::NotSupported);
}

TEST_F(SignatureTest, DigestsFindDamage) {
  const std::vector<uint8_t> content = {1, 2, 3};
  const std::vector<uint8_t> digest = sha256(content.data(), content.size());
  std::vector<uint8_t> file = with_trailer(content, 1, kNoKey, digest);
  ASSERT_EQ(file.size(), content.size() + kSignatureTrailerSize);
  EXPECT_EQ(*check_digest(file.data(), file.size()), content.size());
  ProgramDigest expected;
  std::memcpy(expected.data(), digest.data(), expected.size());
  EXPECT_TRUE(check_digest(file.data(), file.size(), expected).ok());
  EXPECT_EQ(check(file), Error::NotFound) << "a digest is no signature";
  // Who changes the file changes its digest as well: an expected one notices.
  const std::vector<uint8_t> forged = {1, 2, 4};
  file = with_trailer(forged, 1, kNoKey, sha256(forged.data(), forged.size()));
  EXPECT_TRUE(check_digest(file.data(), file.size()).ok());
  EXPECT_EQ(check_digest(file.data(), file.size(), expected).error(), Error::InvalidProgram);
  file[0] ^= 1;
  EXPECT_EQ(check_digest(file.data(), file.size()).error(), Error::InvalidProgram);
}

TEST_F(SignatureTest, ProgramsRunWithAndWithoutBeingChecked) {
  const std::vector<uint8_t> program = testing::TinyProgram().build();
  const std::vector<uint8_t> file =
      with_trailer(program, 1, kNoKey, sha256(program.data(), program.size()));
  auto unchecked = std::make_unique<BufferDataLoader>(file.data(), file.size());
  Module plain(std::move(unchecked));
  EXPECT_EQ(plain.load(runtime::Program::Verification::InternalConsistency), Error::Ok);

  const BufferDataLoader source(file.data(), file.size());
  auto loader = SignedDataLoader::load_with_digest(source);
  ASSERT_TRUE(loader.ok());
  EXPECT_EQ(*(*loader)->size(), program.size());
  Module checked(std::move(*loader));
  EXPECT_EQ(checked.load(runtime::Program::Verification::InternalConsistency), Error::Ok);
  EXPECT_EQ(SignedDataLoader::load(source, {keys_, 2}).error(), Error::NotFound);
  EXPECT_EQ(
      SignedDataLoader::load(BufferDataLoader(program.data(), program.size()), {keys_, 2}).error(),
      Error::NotFound);
}

TEST_F(SignatureTest, NobodyChangesWhatWasChecked) {
  std::vector<uint8_t> file = signed_file();
  const BufferDataLoader source(file.data(), file.size());
  const auto loader = SignedDataLoader::load(source, {keys_, 2});
  ASSERT_TRUE(loader.ok());
  std::fill(file.begin(), file.end(), uint8_t{0});
  const runtime::DataLoader::SegmentInfo info(runtime::DataLoader::SegmentInfo::Type::Program);
  const auto bytes = (*loader)->load(0, sizeof(kSigned) - 1, info);
  ASSERT_TRUE(bytes.ok());
  EXPECT_EQ(std::memcmp(bytes->data(), kSigned, bytes->size()), 0);
  EXPECT_FALSE((*loader)->load(0, sizeof(kSigned), info).ok()) << "the signature is not handed out";
}

}  // namespace
}  // namespace extension
}  // namespace executorch
