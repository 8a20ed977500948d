#include <algorithm>
#include <cstring>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/runtime/executor/integrity.h>
#include <executorch/runtime/executor/program.h>
#include <executorch/runtime/executor/testing/method_harness.h>
#include <executorch/runtime/executor/testing/program_builder.h>
#include <executorch/runtime/executor/testing/sample_programs.h>

namespace executorch {
namespace runtime {
namespace testing {
namespace {

using Bytes = std::vector<uint8_t>;
using internal::crc32;

Bytes with_trailer(const PteFile& file) {
  Bytes bytes(file.data(), file.data() + file.size());
  const uint64_t fields[] = {bytes.size(), crc32(0, bytes.data(), bytes.size())};
  const uint8_t magic[] = {'E', 'T', 'I', 'G'};
  const uint8_t version[] = {1, 0, 0, 0};
  const auto* tail = reinterpret_cast<const uint8_t*>(fields);
  for (int copy = 0; copy < 2; ++copy) {
    for (int i = 0; i < 17; ++i) {
      bytes.insert(bytes.end(), std::begin(magic), std::end(magic));
    }
    bytes.insert(bytes.end(), std::begin(version), std::end(version));
    bytes.insert(bytes.end(), tail, tail + sizeof(fields));
  }
  return bytes;
}

Error load(const Bytes& bytes, Program::Verification verification) {
  const PteFile file(bytes.data(), bytes.size());
  MemoryLoader loader(file);
  return Program::load(&loader, verification).error();
}

constexpr auto kMinimal = Program::Verification::Minimal;
constexpr auto kStrict = Program::Verification::InternalConsistency;

TEST(IntegrityTest, ChecksumIsTheStandardOne) {
  // The check value of CRC-32/ISO-HDLC in the catalogue of parametrised CRC algorithms.
  const std::string digits = "123456789";
  EXPECT_EQ(crc32(0, digits.data(), digits.size()), 0xcbf43926u);
  EXPECT_EQ(crc32(crc32(0, "1234", 4), "56789", 5), 0xcbf43926u);
  EXPECT_EQ(crc32(0, nullptr, 0), 0u);
}

TEST(IntegrityTest, FilesWithAndWithoutTrailerLoad) {
  for (const PteFile& file : sample_programs()) {
    EXPECT_EQ(load(Bytes(file.data(), file.data() + file.size()), kStrict), Error::Ok);
    EXPECT_EQ(load(with_trailer(file), kStrict), Error::Ok);
    EXPECT_EQ(load(with_trailer(file), kMinimal), Error::Ok);
  }
}

TEST(IntegrityTest, EveryFlippedBitIsFound) {
  const Bytes good = with_trailer(sample_programs().front());
  const size_t size = good.size() - internal::kIntegrityTrailerSize;
  for (size_t i = 0; i < good.size(); ++i) {
    const size_t place = i < size ? 64 : (i - size) % 88;  // In one half of the trailer.
    Bytes bad = good;
    bad[i] ^= static_cast<uint8_t>(1u << (i % 8));
    // What keeps the records apart is guarded by nothing and guards nothing.
    EXPECT_EQ(load(bad, kStrict) == Error::Ok, place < 64) << i;
  }
}

TEST(IntegrityTest, DamageToTheTrailerIsFound) {
  const Bytes good = with_trailer(sample_programs().front());
  for (const size_t field : {24, 20, 16, 8, 24 + 88, 8 + 88}) {
    Bytes bad = good;
    std::memset(&bad[bad.size() - field], 0xff, 4);
    EXPECT_EQ(load(bad, kStrict), Error::InvalidProgram) << field;
  }
}

TEST(IntegrityTest, AWipedRecordDoesNotHideDamage) {
  const Bytes good = with_trailer(sample_programs().front());
  for (const size_t record : {24, 24 + 88}) {
    Bytes bad = good;
    std::fill_n(bad.end() - record, 24, static_cast<uint8_t>(0));
    EXPECT_EQ(load(bad, kStrict), Error::InvalidProgram) << record;
  }
}

TEST(IntegrityTest, ATrailerThatIsCutOffIsFound) {
  ProgramBuilder builder;
  const int constant = builder.add_constant_tensor({1, 2, 3});
  builder.set_outputs({constant});
  const PteFile file = builder.build();
  const Bytes good = with_trailer(file);
  ASSERT_EQ(load(good, kStrict), Error::Ok);
  const Bytes headless = with_trailer(sample_programs().front());
  for (size_t cut = 1; cut < internal::kIntegrityTrailerSize - 3; ++cut) {
    EXPECT_NE(load(Bytes(headless.begin(), headless.end() - cut), kStrict), Error::Ok) << cut;
  }
  for (size_t cut = 1; cut < internal::kIntegrityTrailerSize; ++cut) {
    EXPECT_EQ(load(Bytes(good.begin(), good.end() - cut), kStrict), Error::InvalidProgram) << cut;
  }
}

}  // namespace
}  // namespace testing
}  // namespace runtime
}  // namespace executorch
