#include <gtest/gtest.h>

#include <executorch/runtime/core/data_loader.h>

using executorch::runtime::DataLoader;
using executorch::runtime::Error;
using executorch::runtime::FreeableBuffer;
using executorch::runtime::Result;

namespace {

/// Implements only what must be.
class MinimalLoader : public DataLoader {
 public:
  Result<FreeableBuffer> load(size_t offset, size_t size, const SegmentInfo&) const override {
    return FreeableBuffer(bytes_ + offset, size, nullptr);
  }
  Result<size_t> size() const override { return sizeof(bytes_); }

 private:
  const char bytes_[5] = "abcd";
};

TEST(DataLoaderTest, LoadIntoIsOptional) {
  MinimalLoader loader;
  const DataLoader::SegmentInfo info(DataLoader::SegmentInfo::Type::Constant, 3, "name");
  char buffer[2];
  EXPECT_EQ(loader.load_into(0, 2, info, buffer), Error::NotImplemented);
  EXPECT_EQ(static_cast<const char*>(loader.load(1, 2, info)->data())[0], 'b');
}

TEST(DataLoaderTest, SegmentTypesHaveTheirNumbers) {
  using Type = DataLoader::SegmentInfo::Type;
  EXPECT_EQ(static_cast<int>(Type::Program), 0);
  EXPECT_EQ(static_cast<int>(Type::Constant), 1);
  EXPECT_EQ(static_cast<int>(Type::Backend), 2);
  EXPECT_EQ(static_cast<int>(Type::Mutable), 3);
  EXPECT_EQ(static_cast<int>(Type::External), 4);
  const DataLoader::SegmentInfo info;
  EXPECT_EQ(info.segment_type, Type::Program);
  EXPECT_EQ(info.segment_index, 0u);
  EXPECT_EQ(info.descriptor, nullptr);
}

}  // namespace
