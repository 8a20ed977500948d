#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>

#include <gtest/gtest.h>

#include <executorch/tests/fuzz/flatbuffer_fields.h>
#include <executorch/tests/fuzz/mutator.h>

namespace {

using executorch::fuzz::Bytes;
using executorch::fuzz::Field;
using executorch::fuzz::FlatbufferFields;
using executorch::fuzz::Mutator;
using executorch::fuzz::parse_dictionary;
using executorch::fuzz::structured_size;

TEST(MutatorTest, NumberAndSeedDetermineTheDamage) {
  const Bytes file(400, 7);
  const Mutator mutator(1, {});
  for (uint64_t i = 0; i < 100; ++i) {
    EXPECT_EQ(mutator.mutate(i, file, true), mutator.mutate(i, file, true));
    EXPECT_EQ(Mutator(1, {}).choose(i, 5), mutator.choose(i, 5));
  }
  EXPECT_NE(mutator.mutate(3, file, true), Mutator(2, {}).mutate(3, file, true));
  EXPECT_NE(mutator.mutate(3, file, true), mutator.mutate(4, file, true));
}

TEST(MutatorTest, MostMutationsDamage) {
  Bytes file(400);
  for (size_t i = 0; i < file.size(); ++i) {
    file[i] = static_cast<uint8_t>(i * 37);
  }
  const Mutator mutator(1, {});
  int unchanged = 0;
  for (uint64_t i = 0; i < 1000; ++i) {
    unchanged += mutator.mutate(i, file, true) == file;
  }
  EXPECT_LT(unchanged, 50);
}

TEST(MutatorTest, DataSegmentsStayUnlessAskedFor) {
  Bytes file(200, 0);
  const uint8_t header[] = {'e', 'h', '0', '0', 32, 0, 0, 0, 100, 0, 0, 0, 0, 0, 0, 0};
  std::copy(std::begin(header), std::end(header), file.begin() + 8);
  ASSERT_EQ(structured_size(file), 100u);
  const Mutator mutator(1, {});
  bool elsewhere = false;
  for (uint64_t i = 0; i < 500; ++i) {
    const Bytes damaged = mutator.mutate(i, file, false);
    if (damaged.size() == file.size()) {
      EXPECT_TRUE(std::equal(file.begin() + 100, file.end(), damaged.begin() + 100));
    }
    const Bytes anywhere = mutator.mutate(i, file, true);
    elsewhere = elsewhere || (anywhere.size() == file.size() &&
                              !std::equal(file.begin() + 100, file.end(), anywhere.begin() + 100));
  }
  EXPECT_TRUE(elsewhere);
}

TEST(MutatorTest, ReadsDictionaries) {
  const auto tokens =
      parse_dictionary("# comment \"no\"\nmagic=\"ET12\"\n\nword=\"\\x01\\xfFz\"\n");
  ASSERT_EQ(tokens.size(), 2u);
  EXPECT_EQ(tokens[0], (Bytes{'E', 'T', '1', '2'}));
  EXPECT_EQ(tokens[1], (Bytes{1, 255, 'z'}));
}

Bytes read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return Bytes(std::istreambuf_iterator<char>(file), {});
}

TEST(FlatbufferFieldsTest, FindsWhatTheSchemaNames) {
  const Bytes file = read("tests/fuzz/corpus/program/add.pte");
  const FlatbufferFields fields(read("schema/program.bfbs"));
  ASSERT_TRUE(fields.ok());
  const auto found = fields.find(file);
  const auto offsets = found.find("executorch_flatbuffer.AllocationDetails.memory_offset_low");
  ASSERT_NE(offsets, found.end());
  EXPECT_GE(offsets->second.size(), 2u);
  uint32_t sum = 0;
  for (const Field& field : offsets->second) {
    EXPECT_EQ(field.size, 4);
    uint32_t offset = 0;
    std::memcpy(&offset, file.data() + field.at, sizeof(offset));
    EXPECT_EQ(offset % 16, 0u);
    sum += offset;
  }
  EXPECT_GT(sum, 0u);
  EXPECT_EQ(found.count("executorch_flatbuffer.Operator.name"), 0u) << "a string, not a number";
  EXPECT_EQ(found.count("-> executorch_flatbuffer.Operator"), 1u);
  EXPECT_EQ(found.count("executorch_flatbuffer.KernelCall.args[]"), 1u);
}

TEST(FlatbufferFieldsTest, DamagesFieldsAndNothingElse) {
  const Bytes file = read("tests/fuzz/corpus/program/add.pte");
  const FlatbufferFields fields(read("schema/program.bfbs"));
  std::vector<bool> is_field(file.size());
  for (const auto& [name, places] : fields.find(file)) {
    for (const Field& field : places) {
      std::fill_n(is_field.begin() + static_cast<ptrdiff_t>(field.at), field.size, true);
    }
  }
  executorch::fuzz::Random random(3);
  for (int i = 0; i < 500; ++i) {
    Bytes damaged = file;
    ASSERT_TRUE(fields.damage(random, damaged));
    for (size_t at = 0; at < file.size(); ++at) {
      EXPECT_TRUE(is_field[at] || damaged[at] == file[at]) << at;
    }
  }
}

TEST(FlatbufferFieldsTest, OtherBytesHaveNone) {
  const FlatbufferFields fields(read("schema/program.bfbs"));
  Bytes other(200, 3);
  executorch::fuzz::Random random(1);
  EXPECT_FALSE(fields.damage(random, other));
  EXPECT_FALSE(FlatbufferFields(Bytes(100, 1)).ok());
  EXPECT_FALSE(FlatbufferFields(Bytes()).ok());
}

TEST(FlatbufferFieldsTest, AllFieldsLieInTheFileHoweverDamagedItIs) {
  const Bytes file = read("tests/fuzz/corpus/program/add.pte");
  const FlatbufferFields fields(read("schema/program.bfbs"));
  executorch::fuzz::Random random(5);
  size_t found = 0;
  for (size_t size = 8; size < file.size(); ++size) {
    Bytes damaged(file.begin(), file.begin() + static_cast<ptrdiff_t>(size));
    for (int change = 0; change < 3; ++change) {
      for (const auto& [name, places] : fields.find(damaged)) {
        for (const Field& field : places) {
          ASSERT_LE(field.at + field.size, size) << name;
          ++found;
        }
      }
      (void)fields.damage(random, damaged);
    }
  }
  EXPECT_GT(found, 1000u);
}

TEST(MutatorTest, TinyFilesAreLeftAlone) {
  EXPECT_EQ(Mutator(1, {}).mutate(0, Bytes{}, true), Bytes{});
  EXPECT_EQ(Mutator(1, {}).mutate(0, Bytes{1, 2}, true), (Bytes{1, 2}));
}

}  // namespace
