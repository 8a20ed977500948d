#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <executorch/backends/xnnpack/runtime/packed_weights.h>
#include <executorch/runtime/platform/runtime.h>

namespace executorch {
namespace backends {
namespace xnnpack {
namespace {

using runtime::Error;

class PackedWeightsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    runtime::runtime_init();
    const char* directory = std::getenv("TEST_TMPDIR");
    path_ = std::string(directory == nullptr ? "/tmp" : directory) + "/packed_weights_" +
            ::testing::UnitTest::GetInstance()->current_test_info()->name();
    std::remove(path_.c_str());
  }
  void TearDown() override { std::remove(path_.c_str()); }

  /// Weights of `size` bytes that all are `value`.
  static Packed weights(size_t size, char value) {
    auto owner = std::make_shared<std::vector<char>>(size, value);
    return {owner->data(), size, owner};
  }

  static bool holds(const PackedWeights& store, const PackedKey& key, size_t size, char value) {
    const std::shared_ptr<const Packed> found = store.find(key);
    return found != nullptr && found->size == size &&
           std::string(static_cast<const char*>(found->data), size) == std::string(size, value);
  }

  std::string read_file() const {
    std::ifstream file(path_, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }

  void write_file(const std::string& content) const {
    std::ofstream(path_, std::ios::binary).write(content.data(), std::streamsize(content.size()));
  }

  void save(const PackedKey& key, size_t size, char value) const {
    PackedWeights store(path_);
    const auto held = store.insert(key, weights(size, value));
    ASSERT_EQ(store.save(), Error::Ok);
  }

  std::string path_;
};

TEST_F(PackedWeightsTest, LiveAsLongAsSomebodyHasThem) {
  PackedWeights store;
  std::shared_ptr<const Packed> held = store.insert({"a", 1}, weights(100, 'x'));
  EXPECT_EQ(store.find({"a", 1}), held);
  EXPECT_EQ(store.find({"a", 2}), nullptr) << "of another microkernel";
  EXPECT_EQ(store.insert({"a", 1}, weights(100, 'y')), held) << "the first stay";
  held.reset();
  EXPECT_EQ(store.find({"a", 1}), nullptr);
}

TEST_F(PackedWeightsTest, FileKeepsThem) {
  save({"a", 1}, 1000, 'x');
  save({"b", 2}, 333, 'y');
  const PackedWeights store(path_);
  EXPECT_EQ(store.num_loaded(), 2u);
  EXPECT_TRUE(holds(store, {"a", 1}, 1000, 'x'));
  EXPECT_TRUE(holds(store, {"b", 2}, 333, 'y'));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(store.find({"b", 2})->data) % 64, 0u);
}

TEST_F(PackedWeightsTest, FileDoesNotGrowByWhatItHas) {
  save({"a", 1}, 1000, 'x');
  const size_t size = read_file().size();
  PackedWeights late(path_);
  save({"b", 1}, 500, 'y');
  const size_t larger = read_file().size();
  EXPECT_GT(larger, size);
  // A store that was opened before does not know of b, but the file does.
  const auto held = late.insert({"b", 1}, weights(500, 'y'));
  EXPECT_EQ(late.save(), Error::Ok);
  EXPECT_EQ(read_file().size(), larger);
}

TEST_F(PackedWeightsTest, CutFilesKeepWhatIsWhole) {
  save({"a", 1}, 1000, 'x');
  const size_t whole = read_file().size();
  save({"b", 1}, 1000, 'y');
  const std::string content = read_file();
  for (size_t size = 0; size < content.size(); size += 37) {
    write_file(content.substr(0, size));
    const PackedWeights store(path_);
    EXPECT_EQ(store.num_loaded(), size < whole ? 0u : 1u) << size;
  }
}

TEST_F(PackedWeightsTest, WritesOverWhatWasCutOff) {
  save({"a", 1}, 1000, 'x');
  const std::string content = read_file();
  write_file(content.substr(0, content.size() - 100));
  save({"b", 1}, 700, 'y');
  const PackedWeights store(path_);
  EXPECT_EQ(store.num_loaded(), 1u);
  EXPECT_TRUE(holds(store, {"b", 1}, 700, 'y'));
}

TEST_F(PackedWeightsTest, ReplacesFilesOfAnotherKind) {
  const std::string other = "something else that somebody had there" + std::string(1000, '.');
  write_file(other);
  EXPECT_EQ(PackedWeights(path_).num_loaded(), 0u);
  EXPECT_EQ(read_file(), other) << "reading changes nothing";
  save({"a", 1}, 1000, 'x');
  EXPECT_TRUE(holds(PackedWeights(path_), {"a", 1}, 1000, 'x'));
}

TEST_F(PackedWeightsTest, MappingsOutliveTheReplacedFile) {
  save({"a", 1}, 100000, 'x');
  const PackedWeights store(path_);
  std::remove(path_.c_str());
  save({"b", 1}, 10, 'y');
  EXPECT_TRUE(holds(store, {"a", 1}, 100000, 'x'));
}

TEST_F(PackedWeightsTest, DamagedFilesAreNotBelieved) {
  save({"a", 1}, 300000, 'x');
  const std::string content = read_file();
  size_t refused = 0;
  // Every byte of the headers, and of the weights one in each page.
  for (size_t at = 0; at < content.size(); at += at < 600 ? 1 : 4093) {
    std::string damaged = content;
    damaged[at] = char(damaged[at] ^ 0x40);
    write_file(damaged);
    const PackedWeights store(path_);
    if (store.find({"a", 1}) == nullptr) {
      ++refused;
      continue;
    }
    EXPECT_TRUE(holds(store, {"a", 1}, 300000, 'x')) << at;
  }
  EXPECT_GT(refused, 300u);
}

TEST_F(PackedWeightsTest, DamageDoesNotShortenWhatOthersHaveMapped) {
  save({"a", 1}, 1000, 'x');
  save({"b", 1}, 100000, 'y');
  const PackedWeights mapped(path_);
  std::string content = read_file();
  content[content.size() - 50000] ^= 1;
  struct stat before = {};
  ASSERT_EQ(::stat(path_.c_str(), &before), 0);
  // In place, as a disk loses it: the same file.
  std::fstream(path_, std::ios::binary | std::ios::in | std::ios::out)
      .write(content.data(), std::streamsize(content.size()));
  save({"c", 1}, 10, 'z');
  EXPECT_EQ(mapped.find({"b", 1})->size, 100000u);
  volatile char last = static_cast<const char*>(mapped.find({"b", 1})->data)[99999];
  EXPECT_EQ(last, 'y') << "its pages are still there";
  const PackedWeights anew(path_);
  EXPECT_TRUE(holds(anew, {"a", 1}, 1000, 'x')) << "what was whole is kept";
  EXPECT_EQ(anew.find({"b", 1}), nullptr);
  EXPECT_TRUE(holds(anew, {"c", 1}, 10, 'z'));
}

TEST_F(PackedWeightsTest, OneStoreSavesAgainAndAgainBesideOthers) {
  PackedWeights store(path_);
  std::vector<std::shared_ptr<const Packed>> held;
  for (const char* name : {"a", "b", "c"}) {
    held.push_back(store.insert({name, 1}, weights(1000, *name)));
    ASSERT_EQ(store.save(), Error::Ok);
    save({std::string("of another, behind ") + name, 1}, 77, 'x');
  }
  EXPECT_EQ(PackedWeights(path_).num_loaded(), 6u);

  // Cut off within what it knows: the file begins anew, and whatever comes is in it.
  const std::string content = read_file();
  write_file(content.substr(0, 700));
  held.push_back(store.insert({"d", 1}, weights(1000, 'd')));
  ASSERT_EQ(store.save(), Error::Ok);
  EXPECT_TRUE(holds(PackedWeights(path_), {"d", 1}, 1000, 'd'));
  // The same with a damaged end, and with another file in its place.
  write_file(read_file() + "damage");
  held.push_back(store.insert({"e", 1}, weights(1000, 'e')));
  ASSERT_EQ(store.save(), Error::Ok);
  EXPECT_TRUE(holds(PackedWeights(path_), {"d", 1}, 1000, 'd'));
  std::remove(path_.c_str());
  held.push_back(store.insert({"f", 1}, weights(1000, 'f')));
  ASSERT_EQ(store.save(), Error::Ok);
  const PackedWeights last(path_);
  EXPECT_EQ(last.num_loaded(), 1u);
  EXPECT_TRUE(holds(last, {"f", 1}, 1000, 'f'));
}

TEST_F(PackedWeightsTest, FilesThatOthersCouldHaveWrittenAreRefused) {
  save({"a", 1}, 1000, 'x');
  struct stat status = {};
  ASSERT_EQ(::stat(path_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  for (const mode_t mode : {0620, 0602, 0666}) {
    ASSERT_EQ(::chmod(path_.c_str(), mode), 0);
    PackedWeights store(path_);
    EXPECT_EQ(store.num_loaded(), 0u) << mode;
    const auto held = store.insert({"b", 1}, weights(10, 'y'));
    EXPECT_EQ(store.save(), Error::AccessFailed) << mode;
    EXPECT_TRUE(holds(store, {"b", 1}, 10, 'y')) << "memory serves";
  }
  ASSERT_EQ(::chmod(path_.c_str(), 0600), 0);
  EXPECT_EQ(PackedWeights(path_).num_loaded(), 1u);
}

TEST_F(PackedWeightsTest, LinksAreNotFollowed) {
  save({"a", 1}, 1000, 'x');
  const std::string link = path_ + ".link";
  std::remove(link.c_str());
  ASSERT_EQ(::symlink(path_.c_str(), link.c_str()), 0);
  PackedWeights store(link);
  EXPECT_EQ(store.num_loaded(), 0u);
  const auto held = store.insert({"b", 1}, weights(10, 'y'));
  EXPECT_EQ(store.save(), Error::AccessFailed);
  EXPECT_EQ(PackedWeights(path_).num_loaded(), 1u) << "nothing went through the link";
  std::remove(link.c_str());
}

TEST_F(PackedWeightsTest, OpenDirectoriesAreRefused) {
  const std::string directory = path_ + ".directory";
  ASSERT_EQ(::mkdir(directory.c_str(), 0700), 0);
  path_ = directory + "/file";
  save({"a", 1}, 1000, 'x');
  ASSERT_EQ(::chmod(directory.c_str(), 0777), 0);
  EXPECT_EQ(PackedWeights(path_).num_loaded(), 0u);
  ASSERT_EQ(::chmod(directory.c_str(), 01777), 0);
  EXPECT_EQ(PackedWeights(path_).num_loaded(), 1u) << "only owners replace files there, as in /tmp";
  std::remove(path_.c_str());
  ::rmdir(directory.c_str());
}

TEST_F(PackedWeightsTest, WhatIsDiscardedIsPackedAgain) {
  save({"a", 1}, 1000, 'x');
  PackedWeights store(path_);
  store.discard({"a", 1});
  EXPECT_EQ(store.find({"a", 1}), nullptr);
  const auto held = store.insert({"a", 1}, weights(2000, 'y'));
  EXPECT_TRUE(holds(store, {"a", 1}, 2000, 'y'));
}

TEST_F(PackedWeightsTest, WithoutAPlaceForTheFileMemoryServes) {
  PackedWeights store("/nonexistent/directory/file");
  const auto held = store.insert({"a", 1}, weights(10, 'x'));
  EXPECT_EQ(store.save(), Error::AccessFailed);
  EXPECT_TRUE(holds(store, {"a", 1}, 10, 'x'));
}

TEST_F(PackedWeightsTest, StoresAreSharedByPathAndScope) {
  const auto store = packed_weights_of(path_);
  EXPECT_EQ(store, packed_weights_of(path_));
  EXPECT_NE(store, packed_weights_in(path_));
  const auto scope = packed_weights_in("one");
  EXPECT_EQ(scope, packed_weights_in("one"));
  EXPECT_NE(scope, packed_weights_in("two"));
}

TEST_F(PackedWeightsTest, PackingMemoryIsAlignedAndApart) {
  PackingMemory memory;
  memory.expect(5000);
  std::shared_ptr<const void> owner;
  auto* const first = static_cast<char*>(memory.allocate(1000, owner));
  auto* const second = static_cast<char*>(memory.allocate(9000, owner));
  ASSERT_TRUE(first != nullptr && second != nullptr);
  std::memset(second, 1, 9000);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(first) % 128, 0u);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(second) % 128, 0u);
  EXPECT_EQ(memory.allocate(SIZE_MAX - 10, owner), nullptr);
}

}  // namespace
}  // namespace xnnpack
}  // namespace backends
}  // namespace executorch
