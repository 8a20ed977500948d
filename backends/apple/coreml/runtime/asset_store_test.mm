#include <cstdlib>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <executorch/backends/apple/coreml/runtime/asset_store.h>
#include <executorch/backends/apple/coreml/runtime/blobs_for_tests.h>

namespace executorch {
namespace backends {
namespace coreml {
namespace {

using runtime::Error;
using runtime::Result;

constexpr char kMetadata[] = R"({"inputNames": [], "outputNames": [], "identifier": "abc"})";

std::string content_of(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

bool is_there(const std::string& path) {
  struct stat status = {};
  return ::lstat(path.c_str(), &status) == 0;
}

class AssetStoreTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* const room = std::getenv("TEST_TMPDIR");
    std::string pattern = std::string(room == nullptr ? "/tmp" : room) + "/store_XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    room_ = pattern;
  }

  /// A compiler that renames; the first bytes of the model are what it was made of.
  AssetStore store(const std::string& name = "caches/models") {
    return AssetStore(room_ + "/" + name, [this](const std::string& package) {
      ++compiles_;
      if (fails_) {
        return Result<std::string>(Error::DelegateInvalidCompatibility);
      }
      const std::string made = room_ + "/made_" + std::to_string(compiles_);
      EXPECT_EQ(std::rename(package.c_str(), made.c_str()), 0);
      return Result<std::string>(made);
    });
  }

  Result<std::string> compiled(const AssetStore& store, const std::string& bytes) {
    const Result<Blob> blob = read_blob(bytes.data(), bytes.size());
    EXPECT_TRUE(blob.ok());
    return store.compiled(*blob, bytes.data(), bytes.size());
  }

  std::string room_;
  int compiles_ = 0;
  bool fails_ = false;
};

TEST_F(AssetStoreTest, CompilesEachModelOnce) {
  const std::string first = blob_of_model(kMetadata, "one");
  const std::string second = blob_of_model(kMetadata, "two");
  const Result<std::string> made = compiled(store(), first);
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(content_of(*made + "/model.mock.json"), "one");
  EXPECT_EQ(*compiled(store(), first), *made);
  EXPECT_EQ(compiles_, 1);
  // The same identifier, other contents.
  const Result<std::string> other = compiled(store(), second);
  ASSERT_TRUE(other.ok());
  EXPECT_NE(*other, *made);
  EXPECT_EQ(content_of(*other + "/model.mock.json"), "two");
  EXPECT_EQ(compiles_, 2);
}

TEST_F(AssetStoreTest, CompiledModelsNeedNoCompiler) {
  const Result<std::string> made =
      compiled(store(), blob_of_model(kMetadata, "one", "model.mlmodelc"));
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(content_of(*made + "/model.mock.json"), "one");
  EXPECT_EQ(compiles_, 0);
}

TEST_F(AssetStoreTest, FilesAreThisUsersAlone) {
  const Result<std::string> made = compiled(store(), blob_of_model(kMetadata, "one"));
  ASSERT_TRUE(made.ok());
  struct stat status = {};
  for (const std::string& path :
       {room_ + "/caches/models", *made, *made + "/model.mock.json", *made + ".stamp"}) {
    ASSERT_EQ(::lstat(path.c_str(), &status), 0) << path;
    EXPECT_EQ(status.st_mode & 077u, 0u) << path;
  }
}

TEST_F(AssetStoreTest, NothingIsLeftBehindAFailure) {
  fails_ = true;
  const std::string bytes = blob_of_model(kMetadata, "one");
  EXPECT_EQ(compiled(store(), bytes).error(), Error::DelegateInvalidCompatibility);
  EXPECT_NE(::rmdir((room_ + "/caches/models").c_str()), -1);
  fails_ = false;
  EXPECT_TRUE(compiled(store(), bytes).ok());
}

TEST_F(AssetStoreTest, ModelsWithoutAStampAreMadeAnew) {
  const std::string bytes = blob_of_model(kMetadata, "one");
  const std::string made = *compiled(store(), bytes);
  // The process ended before the model was whole.
  ASSERT_EQ(::unlink((made + ".stamp").c_str()), 0);
  EXPECT_TRUE(compiled(store(), bytes).ok());
  EXPECT_EQ(compiles_, 2);
  // A stamp of another model.
  std::ofstream(made + ".stamp") << "/elsewhere";
  EXPECT_TRUE(compiled(store(), bytes).ok());
  EXPECT_EQ(compiles_, 3);
  EXPECT_EQ(content_of(made + ".stamp"), made);
}

TEST_F(AssetStoreTest, WhatOthersMayHavePutThereDoesNotCount) {
  const std::string bytes = blob_of_model(kMetadata, "one");
  const std::string made = *compiled(store(), bytes);
  ASSERT_EQ(::chmod((made + ".stamp").c_str(), 0666), 0);
  EXPECT_TRUE(compiled(store(), bytes).ok());
  EXPECT_EQ(compiles_, 2);
  // A link to a stamp is none.
  ASSERT_EQ(std::rename((made + ".stamp").c_str(), (room_ + "/stamp").c_str()), 0);
  ASSERT_EQ(::symlink((room_ + "/stamp").c_str(), (made + ".stamp").c_str()), 0);
  EXPECT_TRUE(compiled(store(), bytes).ok());
  EXPECT_EQ(compiles_, 3);
  // A link to a model neither.
  ASSERT_EQ(std::rename(made.c_str(), (room_ + "/model").c_str()), 0);
  ASSERT_EQ(::symlink((room_ + "/model").c_str(), made.c_str()), 0);
  EXPECT_TRUE(compiled(store(), bytes).ok());
  EXPECT_EQ(compiles_, 4);
  EXPECT_TRUE(is_there(room_ + "/model/model.mock.json"));
}

TEST_F(AssetStoreTest, DirectoriesThatOthersWriteAreRefused) {
  ASSERT_EQ(::mkdir((room_ + "/open").c_str(), 0700), 0);
  ASSERT_EQ(::chmod((room_ + "/open").c_str(), 0777), 0);
  EXPECT_EQ(compiled(store("open"), blob_of_model(kMetadata, "one")).error(), Error::AccessFailed);
  std::ofstream(room_ + "/file") << "";
  EXPECT_EQ(compiled(store("file"), blob_of_model(kMetadata, "one")).error(), Error::AccessFailed);
  EXPECT_EQ(compiles_, 0);
}

TEST_F(AssetStoreTest, RemovedModelsAreGone) {
  const std::string bytes = blob_of_model(kMetadata, "one");
  const std::string made = *compiled(store(), bytes);
  store().remove(made);
  EXPECT_FALSE(is_there(made));
  EXPECT_FALSE(is_there(made + ".stamp"));
  EXPECT_TRUE(compiled(store(), bytes).ok());
  EXPECT_EQ(compiles_, 2);
}

}  // namespace
}  // namespace coreml
}  // namespace backends
}  // namespace executorch
