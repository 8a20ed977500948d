#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <executorch/extension/executor_runner/options.h>
#include <executorch/extension/executor_runner/runner.h>
#include <executorch/extension/executor_runner/single_file.h>
#include <executorch/extension/testing_util/temp_file.h>
#include <executorch/extension/testing_util/tiny_program.h>

namespace executorch {
namespace extension {
namespace executor_runner {
namespace {

using extension::testing::TempFile;
using extension::testing::TinyProgram;
using extension::testing::unused_path;
using runtime::DataLoader;

constexpr char kProgram[] = "#!/bin/sh\necho a program\n";

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

class SingleFileTest : public ::testing::Test {
 protected:
  SingleFileTest() : program_(kProgram), model_(TinyProgram().build()), path_(unused_path()) {
    ::chmod(program_.path().c_str(), 0755);
  }
  ~SingleFileTest() override { ::unlink(path_.c_str()); }

  void write() {
    std::ostringstream errors;
    ASSERT_EQ(write_single_file(program_.path(), model_.path(), path_, errors), kSuccess)
        << errors.str();
  }

  /// Whether a file with these contents is one without a model.
  static bool has_none(const std::string& contents) {
    const TempFile file(contents);
    return open_appended_model(file.path()) == nullptr;
  }

  TempFile program_;
  TempFile model_;
  std::string path_;
};

TEST_F(SingleFileTest, TheProgramRunsAndTheModelIsThere) {
  write();
  EXPECT_EQ(read(path_).rfind(kProgram, 0), 0u);
  EXPECT_EQ(::access(path_.c_str(), X_OK), 0);
  const std::unique_ptr<DataLoader> model = open_appended_model(path_);
  ASSERT_NE(model, nullptr);
  const std::string expected = read(model_.path());
  ASSERT_EQ(*model->size(), expected.size());
  auto bytes = model->load(0, expected.size(), DataLoader::SegmentInfo());
  ASSERT_TRUE(bytes.ok());
  EXPECT_EQ(std::string(static_cast<const char*>(bytes->data()), bytes->size()), expected);
}

TEST_F(SingleFileTest, TheRunnerRunsIt) {
  write();
  Options options;
  options.model_path = path_;
  std::ostringstream out;
  std::ostringstream errors;
  EXPECT_EQ(run(options, out, errors, open_appended_model(path_)), kSuccess) << errors.str();
  EXPECT_EQ(out.str(), "OutputX 0: tensor(sizes=[2, 3], [2., 2., 2., 2., 2., 2.])\n");
  options.data_paths = {"a.ptd", "b.ptd"};
  EXPECT_EQ(run(options, out, errors, open_appended_model(path_)), kFileFailed);
  EXPECT_NE(errors.str().find("takes one file of --data_path"), std::string::npos);
}

TEST_F(SingleFileTest, NothingBeyondTheModelIsRead) {
  write();
  const std::unique_ptr<DataLoader> model = open_appended_model(path_);
  ASSERT_NE(model, nullptr);
  const size_t size = *model->size();
  uint8_t byte = 0;
  const DataLoader::SegmentInfo info;
  EXPECT_EQ(model->load(size, 1, info).error(), runtime::Error::InvalidArgument);
  EXPECT_EQ(model->load(1, size, info).error(), runtime::Error::InvalidArgument);
  EXPECT_EQ(model->load_into(size, 1, info, &byte), runtime::Error::InvalidArgument);
  EXPECT_EQ(model->load(1, SIZE_MAX, info).error(), runtime::Error::InvalidArgument);
  EXPECT_EQ(model->load_into(0, 1, info, &byte), runtime::Error::Ok);
}

TEST_F(SingleFileTest, AnotherModelTakesThePlaceOfTheFirst) {
  write();
  TinyProgram other;
  other.sizes = {5, 5};
  const TempFile second(other.build());
  const std::string path = unused_path();
  std::ostringstream errors;
  ASSERT_EQ(write_single_file(path_, second.path(), path, errors), kSuccess);
  EXPECT_EQ(*open_appended_model(path)->size(), read(second.path()).size());
  EXPECT_EQ(read(path).find(read(model_.path())), std::string::npos);
  ::unlink(path.c_str());
}

TEST_F(SingleFileTest, OtherFilesHaveNone) {
  write();
  const std::string whole = read(path_);
  const std::string mark = whole.substr(whole.size() - 16);
  EXPECT_TRUE(has_none(""));
  EXPECT_TRUE(has_none(kProgram));
  EXPECT_TRUE(has_none(whole.substr(0, whole.size() - 1)));
  EXPECT_TRUE(has_none(whole + "."));
  // Lengths that lie.
  EXPECT_TRUE(has_none(whole.substr(1)));
  EXPECT_TRUE(has_none(mark));
  EXPECT_TRUE(has_none(std::string(8, '\xff') + mark));
  EXPECT_EQ(open_appended_model("/nonexistent"), nullptr);
}

TEST_F(SingleFileTest, WhatCannotBeReadOrWrittenIsNamed) {
  std::ostringstream errors;
  EXPECT_EQ(write_single_file(program_.path(), "/no/model", path_, errors), kFileFailed);
  EXPECT_NE(errors.str().find("cannot read /no/model"), std::string::npos);
  EXPECT_EQ(write_single_file(program_.path(), model_.path(), "/no/where", errors), kFileFailed);
  EXPECT_NE(errors.str().find("cannot write /no/where"), std::string::npos);
}

TEST(OwnPathTest, IsTheProgram) { EXPECT_EQ(::access(own_path("").c_str(), X_OK), 0); }

}  // namespace
}  // namespace executor_runner
}  // namespace extension
}  // namespace executorch
