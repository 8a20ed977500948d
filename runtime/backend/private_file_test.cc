#include <cstdio>
#include <string>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <executorch/runtime/backend/private_file.h>

namespace executorch {
namespace runtime {
namespace {

class PrivateFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    directory_ = ::testing::TempDir() + "/private_file_test." + std::to_string(::getpid());
    ASSERT_EQ(::mkdir(directory_.c_str(), 0700), 0);
    path_ = directory_ + "/file";
  }

  void TearDown() override {
    std::remove(path_.c_str());
    std::remove((path_ + ".link").c_str());
    ::rmdir(directory_.c_str());
  }

  bool is_private() const {
    const PrivateFile file(path_.c_str(), O_RDONLY);
    return file.get() >= 0 && file.why_not_private() == nullptr;
  }

  std::string directory_;
  std::string path_;
};

TEST_F(PrivateFileTest, WhatIsWrittenIsReadByItsOwnerAlone) {
  EXPECT_LT(PrivateFile(path_.c_str(), O_RDONLY).get(), 0);
  {
    const PrivateFile file(path_.c_str(), O_RDWR | O_CREAT);
    ASSERT_GE(file.get(), 0);
    EXPECT_EQ(file.why_not_private(), nullptr);
    size_t offset = 0;
    EXPECT_TRUE(file.write_at(offset, "abcdef", 6));
    EXPECT_TRUE(file.write_at(offset, "gh", 2));
    EXPECT_EQ(offset, 8u);
  }
  struct stat status = {};
  ASSERT_EQ(::stat(path_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  const PrivateFile file(path_.c_str(), O_RDONLY);
  char bytes[16] = {};
  EXPECT_EQ(file.read_at(2, bytes, sizeof(bytes)), 6u);
  EXPECT_STREQ(bytes, "cdefgh");
  EXPECT_EQ(file.read_at(8, bytes, 1), 0u);
  size_t offset = 0;
  EXPECT_FALSE(file.write_at(offset, "x", 1)) << "it was opened to read";
}

TEST_F(PrivateFileTest, WhatOthersCouldHavePutThereIsNotPrivate) {
  {
    const PrivateFile made(path_.c_str(), O_RDWR | O_CREAT);
  }
  EXPECT_TRUE(is_private());
  for (const mode_t mode : {0620, 0602, 0666}) {
    ASSERT_EQ(::chmod(path_.c_str(), mode), 0);
    EXPECT_FALSE(is_private()) << mode;
  }
  ASSERT_EQ(::chmod(path_.c_str(), 0600), 0);
  ASSERT_EQ(::chmod(directory_.c_str(), 0777), 0);
  EXPECT_FALSE(is_private());
  ASSERT_EQ(::chmod(directory_.c_str(), 01777), 0);
  EXPECT_TRUE(is_private()) << "only owners replace files there, as in /tmp";
}

TEST_F(PrivateFileTest, LinksAndDirectoriesAreNone) {
  {
    const PrivateFile made(path_.c_str(), O_RDWR | O_CREAT);
  }
  const std::string link = path_ + ".link";
  ASSERT_EQ(::symlink(path_.c_str(), link.c_str()), 0);
  EXPECT_LT(PrivateFile(link.c_str(), O_RDONLY).get(), 0);
  const PrivateFile directory(directory_.c_str(), O_RDONLY);
  ASSERT_GE(directory.get(), 0);
  EXPECT_NE(directory.why_not_private(), nullptr);
}

}  // namespace
}  // namespace runtime
}  // namespace executorch
