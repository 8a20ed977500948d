#include <cstdio>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <executorch/backends/vulkan/runtime/vk/pipeline_file.h>
#include <executorch/runtime/platform/runtime.h>

namespace executorch {
namespace backends {
namespace vulkan {
namespace {

using runtime::Error;
using Bytes = std::vector<uint8_t>;

class PipelineFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    runtime::runtime_init();
    directory_ = ::testing::TempDir() + "/pipeline_file_test." + std::to_string(::getpid());
    ASSERT_EQ(::mkdir(directory_.c_str(), 0700), 0);
    path_ = directory_ + "/pipelines";
  }

  void TearDown() override {
    std::remove(path_.c_str());
    std::remove((path_ + ".other").c_str());
    EXPECT_EQ(::rmdir(directory_.c_str()), 0) << "nothing else is left there";
  }

  std::string contents() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }

  void set_contents(const std::string& bytes) const {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << bytes;
  }

  const Bytes pipelines_ = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  std::string directory_;
  std::string path_;
};

TEST_F(PipelineFileTest, WhatIsWrittenIsReadForTheSameDevice) {
  EXPECT_TRUE(read_pipelines(path_, 7).empty()) << "no file";
  ASSERT_EQ(write_pipelines(path_, 7, {1}), Error::Ok);
  ASSERT_EQ(write_pipelines(path_, 7, pipelines_), Error::Ok);
  EXPECT_EQ(read_pipelines(path_, 7), pipelines_);
  EXPECT_TRUE(read_pipelines(path_, 8).empty()) << "another device";
  struct stat status = {};
  ASSERT_EQ(::stat(path_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  EXPECT_EQ(write_pipelines(directory_ + "/no/file", 7, pipelines_), Error::AccessFailed);
}

TEST_F(PipelineFileTest, EveryDamagedByteIsNoticed) {
  ASSERT_EQ(write_pipelines(path_, 7, pipelines_), Error::Ok);
  const std::string good = contents();
  for (size_t i = 0; i < good.size(); ++i) {
    std::string bytes = good;
    bytes[i] = static_cast<char>(bytes[i] ^ 0x40);
    set_contents(bytes);
    const Bytes read = read_pipelines(path_, 7);
    // What fills the name up is not looked at.
    EXPECT_TRUE(read.empty() || (i >= 19 && i < 24 && read == pipelines_)) << i;
  }
  for (size_t size = 0; size < good.size(); ++size) {
    set_contents(good.substr(0, size));
    EXPECT_TRUE(read_pipelines(path_, 7).empty()) << size;
  }
  set_contents(good + "x");
  EXPECT_TRUE(read_pipelines(path_, 7).empty());
  EXPECT_EQ(write_pipelines(path_, 7, pipelines_), Error::Ok) << "it is replaced";
  EXPECT_EQ(read_pipelines(path_, 7), pipelines_);
}

TEST_F(PipelineFileTest, WhatOthersCouldHaveWrittenIsNeitherReadNorReplaced) {
  ASSERT_EQ(write_pipelines(path_, 7, pipelines_), Error::Ok);
  const std::string good = contents();
  ASSERT_EQ(::chmod(path_.c_str(), 0666), 0);
  EXPECT_TRUE(read_pipelines(path_, 7).empty());
  EXPECT_EQ(write_pipelines(path_, 7, {1}), Error::AccessFailed);
  EXPECT_EQ(contents(), good);
  ASSERT_EQ(::chmod(path_.c_str(), 0600), 0);
  const std::string other = path_ + ".other";
  ASSERT_EQ(std::rename(path_.c_str(), other.c_str()), 0);
  ASSERT_EQ(::symlink(other.c_str(), path_.c_str()), 0);
  EXPECT_TRUE(read_pipelines(path_, 7).empty());
  EXPECT_EQ(write_pipelines(path_, 7, {1}), Error::AccessFailed);
  EXPECT_EQ(read_pipelines(other, 7), pipelines_);
}

}  // namespace
}  // namespace vulkan
}  // namespace backends
}  // namespace executorch
