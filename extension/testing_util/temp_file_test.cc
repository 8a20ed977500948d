#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include <executorch/extension/testing_util/temp_file.h>

namespace executorch {
namespace extension {
namespace testing {
namespace {

std::string contents_of(const TempFile& file) {
  std::ifstream stream(file.path(), std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

TEST(TempFileTest, HoldsWhatItIsMadeOfUntilItGoes) {
  std::string path;
  {
    const char data[] = "12345";
    const TempFile file(data, sizeof(data));
    path = file.path();
    EXPECT_EQ(contents_of(file), std::string(data, sizeof(data)));
  }
  EXPECT_FALSE(std::ifstream(path).good());
}

TEST(TempFileTest, DataMayStandBehindAnOffset) {
  const TempFile file(3, "ab", 2);
  EXPECT_EQ(contents_of(file), std::string("\0\0\0ab", 5));
}

}  // namespace
}  // namespace testing
}  // namespace extension
}  // namespace executorch
