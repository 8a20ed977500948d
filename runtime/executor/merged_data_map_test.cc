#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <executorch/runtime/executor/merged_data_map.h>
#include <executorch/runtime/executor/testing/test_data_map.h>

namespace executorch {
namespace runtime {
namespace testing {
namespace {

using internal::MergedDataMap;

TEST(MergedDataMapTest, FindsWhatIsInEither) {
  TestDataMap first, second;
  first.add("a", {1}, {1});
  second.add("b", {2}, {2, 3});
  second.add("c", {1}, {4});
  Result<MergedDataMap> merged = MergedDataMap::load(&first, &second);
  ASSERT_TRUE(merged.ok());
  EXPECT_EQ(*merged->get_num_keys(), 3u);
  EXPECT_STREQ(*merged->get_key(0), "a");
  EXPECT_STREQ(*merged->get_key(1), "b");
  EXPECT_STREQ(*merged->get_key(2), "c");
  EXPECT_EQ(merged->get_key(3).error(), Error::InvalidArgument);
  EXPECT_EQ(merged->get_tensor_layout("b")->nbytes(), 8u);
  EXPECT_EQ(merged->get_tensor_layout("d").error(), Error::NotFound);
  EXPECT_EQ(merged->get_data("a")->size(), 4u);
  EXPECT_EQ(merged->get_data("c")->size(), 4u);
  EXPECT_EQ(merged->get_data("d").error(), Error::NotFound);
  float value = 0;
  EXPECT_EQ(merged->load_data_into("c", &value, sizeof(value)), Error::Ok);
  EXPECT_EQ(value, 4);
  EXPECT_EQ(merged->load_data_into("d", &value, sizeof(value)), Error::NotFound);
}

TEST(MergedDataMapTest, EmptyMapsMerge) {
  TestDataMap first, second;
  Result<MergedDataMap> merged = MergedDataMap::load(&first, &second);
  ASSERT_TRUE(merged.ok());
  EXPECT_EQ(*merged->get_num_keys(), 0u);
  EXPECT_EQ(merged->get_data("a").error(), Error::NotFound);
}

TEST(MergedDataMapTest, RefusesNullAndCommonKeys) {
  TestDataMap first, second;
  EXPECT_EQ(MergedDataMap::load(nullptr, &second).error(), Error::InvalidArgument);
  EXPECT_EQ(MergedDataMap::load(&first, nullptr).error(), Error::InvalidArgument);
  first.add("a", {1}, {1});
  first.add("b", {1}, {1});
  second.add("c", {1}, {1});
  second.add("b", {1}, {1});
  EXPECT_EQ(MergedDataMap::load(&first, &second).error(), Error::InvalidArgument);
}

TEST(MergedDataMapTest, ManyDifferentKeysMerge) {
  TestDataMap first, second;
  for (int i = 0; i < 3000; ++i) {
    first.add("first" + std::to_string(i), {1}, {1});
    second.add("second" + std::to_string(i), {1}, {1});
  }
  Result<MergedDataMap> merged = MergedDataMap::load(&first, &second);
  ASSERT_TRUE(merged.ok());
  EXPECT_EQ(*merged->get_num_keys(), 6000u);
  second.add("first2999", {1}, {1});
  EXPECT_EQ(MergedDataMap::load(&first, &second).error(), Error::InvalidArgument);
}

}  // namespace
}  // namespace testing
}  // namespace runtime
}  // namespace executorch
